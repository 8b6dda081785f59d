//! A mistake in a sentence file, told with its place and the way to mend it.

use hark_core::{Fault, FaultKind};
use std::path::{Path, PathBuf};

/// One mistake in one file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}:{column}: {message}\n  fix: {fix}", file.display())]
pub struct Problem {
    /// The file, as it was opened.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub fix: String,
}

impl Problem {
    /// A mistake at a place.
    pub fn new(file: &Path, at: Place, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line: at.line,
            column: at.column,
            message: message.into(),
            fix: fix.into(),
        }
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        let place = format!("{}:{}:{}", problem.file.display(), problem.line, problem.column);
        Self::new(FaultKind::BadInput, "sentences", format!("{place}: {}", problem.message), problem.fix)
    }
}

/// A place in a file; line and column count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

impl Place {
    /// The place `characters` further on the same line.
    pub fn right(self, characters: usize) -> Self {
        Self { line: self.line, column: self.column + characters }
    }
}
