//! The phonemes of a phrase, for voices that are given phonemes. Clause by clause: espeak-ng leaves the marks between them
//! out.

use crate::pronunciations::{Piece, pieces};
use hark_core::Fault;

/// Phonemes of a phrase with its marks. `of_words` gives those of words, `of_ipa` those of what is phonemes already.
pub(crate) fn phonemes(
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
pub(crate) fn clauses(text: &str) -> Vec<(&str, Option<char>)> {
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

/// The phonemes in runs for a network that takes `max` of them at once. A run ends behind the first clause that makes it
/// `enough`, where as many follow; one of more than `max` is cut behind its last clause, else at a space.
pub(crate) fn runs(phonemes: &str, enough: usize, max: usize) -> Vec<&str> {
    let mut runs = Vec::new();
    let mut rest = phonemes.trim();
    while let Some((limit, _)) = rest.char_indices().nth(enough) {
        let is_behind_mark =
            |at: usize| rest[..at].ends_with([',', ';', ':', '.', '!', '?']) && rest[at..].starts_with(' ');
        let (count, end) = (rest.chars().count(), rest.len());
        let last = rest.char_indices().nth(max).map_or(end, |(last, _)| last);
        let early = rest[..last].match_indices(' ').map(|(at, _)| at).find(|at| {
            *at >= limit && is_behind_mark(*at) && count >= rest[..*at].chars().count() + 1 + enough
        });
        if early.is_none() && count <= max {
            break;
        }
        let spaces = || rest[..last].rmatch_indices(' ').map(|(at, _)| at);
        let late = || spaces().find(|at| is_behind_mark(*at)).or_else(|| spaces().next());
        let cut = early.or_else(late).filter(|at| *at > 0).unwrap_or(last);
        runs.push(&rest[..cut]);
        rest = rest[cut..].trim_start();
    }
    if !rest.is_empty() {
        runs.push(rest);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_end_behind_marks_else_at_spaces() {
        fn at_400(phonemes: &str) -> Vec<&str> {
            runs(phonemes, 400, 400)
        }
        let sentence = format!("{}, {}", "a".repeat(300), "b".repeat(200));
        assert_eq!(at_400(&sentence), [&format!("{},", "a".repeat(300)), &"b".repeat(200)]);
        assert_eq!(at_400(&"ab ".repeat(200)).iter().map(|run| run.chars().count()).max(), Some(398));
        assert_eq!(
            at_400(&"ə".repeat(900)).iter().map(|run| run.chars().count()).collect::<Vec<_>>(),
            [400, 400, 100]
        );
        assert!(at_400(" ").is_empty());
    }

    #[test]
    fn a_run_that_is_enough_ends_with_its_clause_where_as_many_follow() {
        assert_eq!(runs("aəa aa, bb bb. cc cc, dd dd", 8, 20), ["aəa aa, bb bb.", "cc cc, dd dd"]);
        assert_eq!(runs("aaaa aaaa, bb.", 8, 20), ["aaaa aaaa, bb."]);
        assert_eq!(runs("aaaa aaaa aaaa aaaa aaaa, bb.", 8, 20), ["aaaa aaaa aaaa aaaa", "aaaa, bb."]);
        assert_eq!(runs("ab.", 8, 20), ["ab."]);
    }
}
