//! What can go wrong between a text and its intent.

use crate::Problem;
use hark_core::{Fault, FaultKind};
use std::path::PathBuf;

/// What can go wrong with encoder, head and examples.
#[derive(Debug, thiserror::Error)]
pub enum IntentError {
    /// The tokeniser's file cannot be used.
    #[error("tokeniser {}: {why}", path.display())]
    Tokeniser {
        /// `tokenizer.json`.
        path: PathBuf,
        /// What the library says.
        why: String,
    },
    /// A text could not be turned into word pieces.
    #[error("the tokeniser failed on a text of {length} characters: {why}")]
    Text {
        /// Characters of the text.
        length: usize,
        /// What the library says.
        why: String,
    },
    /// There is no trained head.
    #[error("there is no trained head at {}", .0.display())]
    HeadMissing(PathBuf),
    /// The head's file cannot be used.
    #[error("head {}: {why}", path.display())]
    Head {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// There is nothing to learn from.
    #[error("too little to learn from: {0}")]
    TooLittle(String),
    /// The owner's examples have mistakes.
    #[error("{0}")]
    Mistakes(String),
    /// A training was not wanted any more.
    #[error("the training was broken off")]
    BrokenOff,
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

impl IntentError {
    /// All mistakes as one.
    pub fn mistakes(problems: Vec<Problem>) -> Self {
        let lines: Vec<String> = problems.iter().map(|problem| format!("\n  {problem}")).collect();
        Self::Mistakes(format!("{} mistake(s) in sentence files:{}", problems.len(), lines.concat()))
    }
}

impl From<IntentError> for Fault {
    fn from(error: IntentError) -> Self {
        let (kind, fix) = match &error {
            IntentError::Tokeniser { .. } => {
                (FaultKind::MissingPart, "run `hark models verify`; the file comes with Hark")
            }
            IntentError::Text { .. } => (FaultKind::BadInput, "say it in other words"),
            IntentError::HeadMissing(_) | IntentError::Head { .. } => {
                (FaultKind::MissingPart, "run `hark models train`")
            }
            IntentError::TooLittle(_) => {
                (FaultKind::BadInput, "give every intent at least two sentences; `hark models verify`")
            }
            IntentError::Mistakes(_) => (FaultKind::BadInput, "correct the lines named above"),
            IntentError::BrokenOff => (FaultKind::Unavailable, "run `hark models train`"),
            IntentError::Io { .. } => (FaultKind::Failed, "check the folder and its permissions"),
        };
        Self::new(kind, "intent", error.to_string(), fix)
    }
}
