//! Patterns of names: `*` is anything, `?` one character; small and capital letters are the same.

/// A pattern that names are held against.
#[derive(Debug, Clone)]
pub(super) struct Pattern(Vec<char>);

impl Pattern {
    /// A pattern without `*` and `?` fits every name it is in.
    pub(super) fn new(pattern: &str) -> Self {
        let pattern = pattern.trim().to_lowercase();
        let whole = pattern.contains(['*', '?']);
        Self(if whole { pattern.chars().collect() } else { format!("*{pattern}*").chars().collect() })
    }

    /// Whether the whole name fits. Takes at most as many steps as pattern times name are long: of two stars only the
    /// last is ever tried again.
    pub(super) fn fits(&self, name: &str) -> bool {
        let name: Vec<char> = name.to_lowercase().chars().collect();
        let (mut at, mut from) = (0, 0);
        let mut star: Option<(usize, usize)> = None;
        while from < name.len() {
            match self.0.get(at) {
                Some('*') => {
                    star = Some((at + 1, from));
                    at += 1;
                }
                Some(&one) if one == '?' || one == name[from] => {
                    at += 1;
                    from += 1;
                }
                _ => match star {
                    // The last star takes one character more.
                    Some((after, taken)) => {
                        star = Some((after, taken + 1));
                        at = after;
                        from = taken + 1;
                    }
                    None => return false,
                },
            }
        }
        self.0[at..].iter().all(|one| *one == '*')
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

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
        ] {
            assert_eq!(Pattern::new(pattern).fits(name), fits, "{pattern} {name}");
        }
        assert!(!Pattern::new(&"*a".repeat(200)).fits(&"a".repeat(150)), "and it comes to an end");
    }
}
