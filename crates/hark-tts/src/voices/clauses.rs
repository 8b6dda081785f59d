//! The phonemes of a phrase, for voices that are given phonemes. Clause by clause: espeak-ng leaves the marks between them
//! out.

use crate::pronunciations::{Piece, pieces};
use hark_core::Fault;

/// Phonemes of a phrase with its marks. `of_words` gives those of words, `of_ipa` those of what is phonemes already.
pub(super) fn phonemes(
    text: &str,
    of_words: impl Fn(&str) -> Result<String, Fault>,
    of_ipa: impl Fn(&str) -> String,
) -> Result<String, Fault> {
    let mut phonemes = String::new();
    for (clause, mark) in clauses(text) {
        let mut said = Vec::new();
        for piece in pieces(clause) {
            said.push(match piece {
                Piece::Words(words) => without_switches(&of_words(words)?),
                Piece::Ipa(ipa) => of_ipa(ipa),
            });
        }
        said.retain(|said| !said.trim().is_empty());
        if said.is_empty() {
            continue;
        }
        if !phonemes.is_empty() {
            phonemes.push(' ');
        }
        phonemes.push_str(&said.join(" "));
        phonemes.extend(mark);
    }
    Ok(phonemes)
}

/// The clauses of a phrase with the mark that each ends with. Numbers and abbreviations are words by
/// now, so a mark before a space is one.
pub(super) fn clauses(text: &str) -> Vec<(&str, Option<char>)> {
    let mut clauses = Vec::new();
    let mut start = 0;
    for (at, mark) in text.char_indices() {
        let after = &text[at + mark.len_utf8()..];
        let mark = match mark {
            ',' | ';' | ':' | '.' | '?' | '!' => mark,
            '…' | '。' => '.',
            '–' | '—' => ',',
            '？' => '?',
            '！' => '!',
            _ => continue,
        };
        let closing = after.trim_start_matches(|c: char| !c.is_alphanumeric() && !c.is_whitespace());
        if closing.is_empty() || closing.starts_with(char::is_whitespace) {
            clauses.push((text[start..at].trim(), Some(mark)));
            start = text.len() - after.len();
        }
    }
    clauses.push((text[start..].trim(), None));
    clauses.retain(|(clause, _)| clause.contains(char::is_alphanumeric));
    clauses
}

/// Without the marks "(en)" and "(de)" that espeak-ng puts around words of another language.
fn without_switches(ipa: &str) -> String {
    let mut inside = false;
    ipa.chars()
        .filter(|character| {
            inside |= *character == '(';
            let kept = !inside;
            inside &= *character != ')';
            kept
        })
        .collect()
}
