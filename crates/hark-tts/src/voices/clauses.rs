//! The clauses of a phrase, for voices that are given phonemes: espeak-ng leaves the marks between clauses out.

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
pub(super) fn without_switches(ipa: &str) -> String {
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
