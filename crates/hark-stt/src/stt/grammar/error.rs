//! What can go wrong in the grammar recogniser.

use hark_core::{Fault, FaultKind};
use std::path::PathBuf;
use thiserror::Error;

/// Errors of the grammar recogniser.
#[derive(Debug, Error)]
pub enum GrammarError {
    /// The acoustic model or the pronunciation dictionary is not installed.
    #[error("no acoustic model: {} is not there", .0.display())]
    NoAcousticModel(PathBuf),
    /// PocketSphinx refused the model, dictionary or language model it was given.
    #[error("PocketSphinx could not load {what} in {}", .folder.display())]
    Refused {
        /// What was being loaded.
        what: &'static str,
        /// Where it lies.
        folder: PathBuf,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no place for a file that is needed for a moment.
    #[error("{}: {source}", .path.display())]
    NoTemporaryFolder {
        /// Where it was tried first.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A path holds a byte that C cannot take.
    #[error("{} holds a NUL byte", .0.display())]
    Path(PathBuf),
    /// The sentences of the home gave no words.
    #[error("the sentence templates gave no sentences to listen for")]
    NoSentences,
    /// A wake phrase that cannot be listened for.
    #[error("\"{phrase}\" cannot be a wake phrase: {why}")]
    Phrase {
        /// As it was written.
        phrase: String,
        /// What is wrong with it.
        why: String,
    },
    /// A call into PocketSphinx failed in the middle of an utterance.
    #[error("PocketSphinx failed to {0}")]
    Engine(&'static str),
    /// `feed` or `finish` without `start`.
    #[error("no utterance was begun")]
    NotStarted,
}

impl GrammarError {
    /// What to do about it.
    fn fix(&self) -> (FaultKind, &'static str) {
        match self {
            Self::NoAcousticModel(_) => (
                FaultKind::MissingPart,
                "install it (Debian: apt-get install pocketsphinx-en-us) or give its folder",
            ),
            Self::Refused { .. } => (
                FaultKind::MissingPart,
                "check that the folder is a complete PocketSphinx model of 16 kHz and is readable",
            ),
            Self::File { .. } => (FaultKind::Failed, "check that the folder exists and can be written"),
            Self::NoTemporaryFolder { .. } => (
                FaultKind::Unavailable,
                "make room in the state folder, in /tmp or in /dev/shm, then restart Hark",
            ),
            Self::Path(_) => (FaultKind::BadConfiguration, "use a path without NUL bytes"),
            Self::NoSentences => {
                (FaultKind::BadConfiguration, "check the sentences folder and that the home has entities")
            }
            Self::Phrase { .. } => (
                FaultKind::BadConfiguration,
                "write wake.words as one would say them, three syllables or more, such as \"hello computer\"",
            ),
            Self::Engine(_) | Self::NotStarted => (FaultKind::Failed, ""),
        }
    }
}

impl From<GrammarError> for Fault {
    fn from(error: GrammarError) -> Self {
        let (kind, fix) = error.fix();
        Self::new(kind, "stt", error.to_string(), fix)
    }
}
