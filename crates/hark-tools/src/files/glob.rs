//! Patterns of names: `*` is anything, `?` one character; small and capital letters are the same. Without these a name fits that has
//! the text in it, or all its words: people say "tax return" to `tax-return.txt` and `Return_of_Tax.pdf`.

use super::FileError;
use hark_core::text::words_of_name;
use regex::{Regex, RegexBuilder};

/// A pattern that names are held against, in time linear in their length.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    regex: Regex,
    /// The words of the text, where it has neither `*` nor `?`.
    words: Vec<String>,
}

impl Pattern {
    /// A pattern without `*` and `?` fits every name it or all its words are in.
    ///
    /// # Errors
    /// When it is thousands of characters long.
    pub(super) fn new(pattern: &str) -> Result<Self, FileError> {
        let pattern = pattern.trim();
        let regex = regex::escape(pattern).replace(r"\*", ".*").replace(r"\?", ".");
        let has_signs = pattern.contains(['*', '?']);
        let regex = if has_signs { format!(r"\A{regex}\z") } else { regex };
        let words = if has_signs { Vec::new() } else { words_of_name(pattern) };
        RegexBuilder::new(&regex)
            .case_insensitive(true)
            .dot_matches_new_line(true)
            .build()
            .map(|regex| Self { regex, words })
            .map_err(|_| FileError::LongPattern(pattern.chars().take(60).collect()))
    }

    /// Whether the whole name fits.
    pub(super) fn fits(&self, name: &str) -> bool {
        self.regex.is_match(name) || self.words.len() > 1 && self.has_words(&words_of_name(name))
    }

    /// Whether a name of these words has all words of the text, in whatever order, or written together: `TaxReturn2025.pdf`.
    fn has_words(&self, known: &[String]) -> bool {
        let all = self.words.iter().all(|word| known.contains(word));
        all || known.iter().any(|word| word.contains(&self.words.concat()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_or_do_not() {
        for (pattern, name, fits) in [
            ("*.txt", "Notes.TXT", true),
            ("*.txt", "notes.txt.bak", false),
            ("note", "My Notes.md", true),
            ("n?tes.*", "notes.md", true),
            ("n?tes.*", "ntes.md", false),
            ("*a*b*", "xaxxbx", true),
            ("*a*b", "xaxxbx", false),
            ("**", "", true),
            ("?", "", false),
            ("ä*", "Äpfel", true),
            ("*", "anything", true),
            ("?*", "ä", true),
            ("??", "ä", false),
            ("a[b]{c", "xA[b]{cx", true),
            ("a.c*", "abc", false),
            (r"\*", r"\x", true),
            (r"\*", "x", false),
            ("a*b", "a\nb", true),
            ("tax return", "tax-return.txt", true),
            ("Tax Return", "Return_of_TAX 2025.pdf", true),
            ("tax return", "TaxReturn2025.pdf", true),
            ("tax return", "tax.txt", false),
            ("tax return", "syntax-returned.txt", false),
            ("tax return*", "tax-return.txt", false),
            ("_ _", "tax-return.txt", false),
        ] {
            assert_eq!(Pattern::new(pattern).unwrap().fits(name), fits, "{pattern} {name}");
        }
        assert!(!Pattern::new(&"*a".repeat(200)).unwrap().fits(&"a".repeat(150)), "and it comes to an end");
        assert!(matches!(Pattern::new(&"ä".repeat(200_000)), Err(FileError::LongPattern(_))));
    }
}
