//! A fault as a person is told of it: what happened, where, and what to do.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What the caller can do about a fault; decides the exit code of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The request or a file given by the user is wrong (exit 2).
    BadInput,
    /// The configuration is wrong (exit 2).
    BadConfiguration,
    /// A model, library, device or service that is needed is not there (exit 3).
    MissingPart,
    /// Something outside did not answer or refused; trying again may help (exit 1).
    Unavailable,
    /// Anything else (exit 1).
    Failed,
}

/// The error that crosses folder borders. Folders keep their own `thiserror` enums and turn them
/// into this where a port or the command line needs one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What can be done about it.
    pub kind: FaultKind,
    /// The part that failed, as the documentation names it: `wake`, `mqtt`, `models` …
    pub part: String,
    /// What happened, with the value or place.
    pub message: String,
    /// What to do about it; empty when nothing can be done.
    pub fix: String,
    /// Whether Hark goes on and tries again by itself.
    pub recoverable: bool,
}

impl Fault {
    /// A fault that is not recovered from by itself.
    pub fn new(kind: FaultKind, part: &str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { kind, part: part.to_owned(), message: message.into(), fix: fix.into(), recoverable: false }
    }

    /// Marks the fault as one that Hark recovers from by itself.
    pub fn recoverable(mut self) -> Self {
        self.recoverable = true;
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.message)?;
        if self.fix.is_empty() { Ok(()) } else { write!(f, "\n  fix: {}", self.fix) }
    }
}

impl std::error::Error for Fault {}

/// The innermost cause of an error. For errors of HTTP, whose own texts hold the address and not the cause.
pub fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_cause_is_the_innermost() {
        #[derive(Debug, thiserror::Error)]
        #[error("{0}")]
        struct Layer(&'static str, #[source] Option<Box<Layer>>);
        let inner = Box::new(Layer("refused", None));
        assert_eq!(root_cause(&inner), "refused");
        assert_eq!(root_cause(&Layer("connect", Some(Box::new(Layer("io", Some(inner)))))), "refused");
    }
}
