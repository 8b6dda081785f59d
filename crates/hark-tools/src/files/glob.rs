//! Patterns of names: `*` is anything, `?` one character; small and capital letters are the same.

use super::FileError;
use regex::{Regex, RegexBuilder};

/// A pattern that names are held against, in time linear in their length.
#[derive(Debug, Clone)]
pub(super) struct Pattern(Regex);

impl Pattern {
    /// A pattern without `*` and `?` fits every name it is in.
    ///
    /// # Errors
    /// When it is thousands of characters long.
    pub(super) fn new(pattern: &str) -> Result<Self, FileError> {
        let pattern = pattern.trim();
        let regex = regex::escape(pattern).replace(r"\*", ".*").replace(r"\?", ".");
        let regex = if pattern.contains(['*', '?']) { format!(r"\A{regex}\z") } else { regex };
        RegexBuilder::new(&regex)
            .case_insensitive(true)
            .dot_matches_new_line(true)
            .build()
            .map(Self)
            .map_err(|_| FileError::LongPattern(pattern.chars().take(60).collect()))
    }

    /// Whether the whole name fits.
    pub(super) fn fits(&self, name: &str) -> bool {
        self.0.is_match(name)
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
        ] {
            assert_eq!(Pattern::new(pattern).unwrap().fits(name), fits, "{pattern} {name}");
        }
        assert!(!Pattern::new(&"*a".repeat(200)).unwrap().fits(&"a".repeat(150)), "and it comes to an end");
        assert!(matches!(Pattern::new(&"ä".repeat(200_000)), Err(FileError::LongPattern(_))));
    }
}
