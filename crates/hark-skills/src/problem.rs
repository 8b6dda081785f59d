//! What is wrong with a skill: file, line, key, and how to mend it.

use std::fmt;
use std::path::PathBuf;

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file or folder.
    pub file: PathBuf,
    /// Line in it, counted from 1; `None` where it is about the whole.
    pub line: Option<usize>,
    /// What is wrong, with the key.
    pub message: String,
    /// What to do about it.
    pub fix: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}\n  fix: {}", self.message, self.fix)
    }
}
