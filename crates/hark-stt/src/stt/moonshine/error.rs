//! What can go wrong with Moonshine.

use hark_core::{Fault, FaultKind};
use hark_models::onnx::OnnxError;
use std::path::PathBuf;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum MoonshineError {
    /// A file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    /// A file is no table of word pieces.
    #[error("{} is no table of word pieces, or is cut off", .0.display())]
    Vocabulary(PathBuf),
    /// The model cannot be opened or run.
    #[error(transparent)]
    Model(#[from] OnnxError),
    /// A thread could not be started.
    #[error("Moonshine's thread could not be started: {0}")]
    Thread(std::io::Error),
    /// The thread that opened the model or searched did not come back.
    #[error("Moonshine's thread panicked")]
    Lost,
}

impl From<MoonshineError> for Fault {
    fn from(error: MoonshineError) -> Self {
        let message = error.to_string();
        let (kind, fix) = match error {
            MoonshineError::Model(error) => return error.into(),
            MoonshineError::File { .. } | MoonshineError::Vocabulary(_) => {
                (FaultKind::MissingPart, "run `hark models pull`, then `hark models verify`")
            }
            MoonshineError::Thread(_) => {
                (FaultKind::Failed, "close other programs: too many threads are running")
            }
            MoonshineError::Lost => (FaultKind::Failed, "report this message"),
        };
        Fault::new(kind, "stt", message, fix)
    }
}
