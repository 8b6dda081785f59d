//! What can go wrong with Whisper.

use hark_core::{Fault, FaultKind};
use std::path::PathBuf;
use thiserror::Error;

/// Errors of the Whisper recogniser.
#[derive(Debug, Error)]
pub enum WhisperError {
    /// This program was built without whisper.cpp.
    #[error("this build of Hark has no Whisper in it")]
    NotBuilt,
    /// The model file could not be read.
    #[error("Whisper's model {}: {source}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is no whole model of whisper.cpp.
    #[error("{} is no whole Whisper model: {why}", .path.display())]
    NotAModel {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// whisper.cpp refused a file that looks whole.
    #[error("whisper.cpp could not load {}: {why}", .path.display())]
    Refused {
        /// Which file.
        path: PathBuf,
        /// What it said.
        why: String,
    },
    /// A decode failed.
    #[error("Whisper failed to decode: {0}")]
    Decode(String),
    /// The words of an utterance are not wanted any more.
    #[error("interrupted before there were any words")]
    Interrupted,
    /// `feed` or `finish` without `start`.
    #[error("no utterance was begun")]
    NotStarted,
    /// The decoding thread could not be started.
    #[error("no thread for Whisper: {0}")]
    Thread(std::io::Error),
    /// The decoding thread is gone.
    #[error("Whisper's thread has ended")]
    Gone,
}

impl From<WhisperError> for Fault {
    fn from(error: WhisperError) -> Self {
        let get = "get the model again: hark models pull whisper_base";
        let (kind, fix) = match &error {
            WhisperError::NotBuilt => (
                FaultKind::MissingPart,
                "set stt.engine to `grammar`, or build Hark with the feature `whisper`",
            ),
            WhisperError::File { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                (FaultKind::MissingPart, "hark models pull whisper_base, or correct stt.whisper_model")
            }
            WhisperError::File { .. } => (FaultKind::MissingPart, "check that the file can be read"),
            WhisperError::NotAModel { .. } | WhisperError::Refused { .. } => (FaultKind::MissingPart, get),
            WhisperError::Decode(_)
            | WhisperError::Interrupted
            | WhisperError::NotStarted
            | WhisperError::Thread(_)
            | WhisperError::Gone => (FaultKind::Failed, ""),
        };
        Self::new(kind, "stt", error.to_string(), fix)
    }
}
