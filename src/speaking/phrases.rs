//! Cuts a reply into sentences, so that the first can sound while the next is being made.

/// A phrase is not longer than this many characters when there is any place to cut it: some 15 s of
/// speech, which bounds what one synthesis makes in one go.
pub const MAX_PHRASE_CHARS: usize = 240;

/// Words whose full stop does not end a sentence, without the stop.
const ABBREVIATIONS: [&str; 22] = [
    "mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "vs", "etc", "approx", "e.g", "i.e", "no", "nr",
    "fig", "dept", "est", "min", "max", "z.b", "u.a",
];

/// Splits `text` into phrases: whole sentences, and pieces of very long ones. Joined with single
/// spaces they are the text again, apart from its white space. Empty for blank text.
pub fn phrases(text: &str) -> Vec<&str> {
    let mut phrases = Vec::new();
    let mut start = 0;
    for (at, mark) in text.char_indices() {
        let after = at + mark.len_utf8();
        if after > start && ends_sentence(&text[start..at], mark, &text[after..]) {
            let after = after + closing_marks(&text[after..]);
            push_pieces(&mut phrases, &text[start..after]);
            start = after;
        }
    }
    push_pieces(&mut phrases, &text[start..]);
    phrases
}

/// Whether `mark`, between `before` (from the start of the sentence) and `after`, ends a sentence.
fn ends_sentence(before: &str, mark: char, after: &str) -> bool {
    let after_marks = &after[closing_marks(after)..];
    let next = after_marks.trim_start().chars().next();
    let gap = after_marks.chars().next().is_none_or(char::is_whitespace);
    match mark {
        '。' | '！' | '？' | '\n' => true,
        '!' | '?' | '…' => gap,
        '.' => gap && !next.is_some_and(char::is_lowercase) && !is_abbreviation(before, next),
        _ => false,
    }
}

/// Whether the word in front of a full stop is cut short rather than at the end of a sentence.
fn is_abbreviation(before: &str, next: Option<char>) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let word = word.trim_start_matches(['"', '“', '\'']).to_lowercase();
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    // "p.m." and "a.m." are ends when a new sentence begins, and they take no name behind them.
    let initial = letters == 1 && word.chars().count() == 1 && word != "i";
    next.is_some() && (initial || ABBREVIATIONS.contains(&word.as_str()))
}

/// Bytes of the quotes and brackets that belong to the sentence before them.
fn closing_marks(text: &str) -> usize {
    text.find(|c: char| !matches!(c, '"' | '”' | '’' | '\'' | ')' | ']' | '»')).unwrap_or(text.len())
}

/// Adds a sentence, cut at clause marks or else at spaces when it is too long.
fn push_pieces<'a>(phrases: &mut Vec<&'a str>, sentence: &'a str) {
    let mut rest = sentence.trim();
    while let Some((limit, _)) = rest.char_indices().nth(MAX_PHRASE_CHARS) {
        let head = &rest[..limit];
        let cut = head
            .rfind([',', ';', ':'])
            .map(|at| at + 1)
            .filter(|&at| at > limit / 3 && rest[at..].starts_with(char::is_whitespace))
            .or_else(|| head.rfind(char::is_whitespace).filter(|&at| at > 0))
            .unwrap_or(limit);
        phrases.push(rest[..cut].trim_end());
        rest = rest[cut..].trim_start();
    }
    if !rest.is_empty() {
        phrases.push(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cuts_where_sentences_end_and_nowhere_else() {
        let table: &[(&str, &[&str])] = &[
            ("", &[]),
            (" \n ", &[]),
            ("Done", &["Done"]),
            ("The light is on. The door is locked.", &["The light is on.", "The door is locked."]),
            ("Sure! Which one? The lamp.", &["Sure!", "Which one?", "The lamp."]),
            ("It is 21.5 degrees. Nice.", &["It is 21.5 degrees.", "Nice."]),
            ("It is 14.05 now, or 2.05 p.m. in words.", &["It is 14.05 now, or 2.05 p.m. in words."]),
            (
                "Your alarm is at 7 a.m. The house is quiet.",
                &["Your alarm is at 7 a.m.", "The house is quiet."],
            ),
            (
                "Dr. Smith and Mrs. Jones called. Call back?",
                &["Dr. Smith and Mrs. Jones called.", "Call back?"],
            ),
            ("Some rooms, e.g. Kitchen, are warm.", &["Some rooms, e.g. Kitchen, are warm."]),
            (
                "J. R. Tolkien wrote it. So did I. Really.",
                &["J. R. Tolkien wrote it.", "So did I.", "Really."],
            ),
            ("It is 21. The light is on.", &["It is 21.", "The light is on."]),
            ("He said \"Stop.\" Then he left.", &["He said \"Stop.\"", "Then he left."]),
            ("See www.example.org/a.b?c=d for more.", &["See www.example.org/a.b?c=d for more."]),
            ("Wait... what? Yes", &["Wait... what?", "Yes"]),
            ("One line\nanother line", &["One line", "another line"]),
            ("灯开了。门锁了。", &["灯开了。", "门锁了。"]),
            ("Milk, eggs, etc.", &["Milk, eggs, etc."]),
        ];
        for (text, expected) in table {
            assert_eq!(phrases(text), *expected, "{text:?}");
        }
    }

    #[test]
    fn long_sentences_are_cut_at_clauses_then_at_spaces_then_anywhere() {
        let clauses = format!("{}, {}", "word ".repeat(30).trim(), "word ".repeat(30).trim());
        assert!(phrases(&clauses)[0].ends_with(','));
        let words = "word ".repeat(100);
        assert!(phrases(&words).iter().all(|p| p.len() <= MAX_PHRASE_CHARS && p.ends_with("word")));
        assert_eq!(phrases(&"x".repeat(500)).len(), 3);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn no_word_is_lost(text in "[a-z.,!? \\n\"é。0-9]{0,400}") {
            let squeeze = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            let pieces = phrases(&text);
            prop_assert_eq!(squeeze(&pieces.concat()), squeeze(&text));
            prop_assert!(pieces.iter().all(|p| !p.trim().is_empty() && p.chars().count() <= MAX_PHRASE_CHARS + 3));
        }
    }
}
