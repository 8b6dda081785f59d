//! What can go wrong with the neural listener.

use hark_core::{Fault, FaultKind};
use hark_models::onnx::OnnxError;
use std::path::PathBuf;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum NeuralError {
    /// A file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    /// A file is no table of word pieces.
    #[error("{} is no table of word pieces, or is cut off", .0.display())]
    Tokens(PathBuf),
    /// The model cannot be opened or run.
    #[error(transparent)]
    Model(#[from] OnnxError),
    /// A thread could not be started.
    #[error("the neural listener's thread could not be started: {0}")]
    Thread(std::io::Error),
    /// The thread that opened the model or searched did not come back.
    #[error("the neural listener's thread panicked")]
    Lost,
}

impl From<NeuralError> for Fault {
    fn from(error: NeuralError) -> Self {
        let message = error.to_string();
        let (kind, fix) = match error {
            NeuralError::Model(error) => return error.into(),
            NeuralError::File { .. } | NeuralError::Tokens(_) => {
                (FaultKind::MissingPart, "run `hark models pull`, then `hark models verify`")
            }
            NeuralError::Thread(_) => {
                (FaultKind::Failed, "close other programs: too many threads are running")
            }
            NeuralError::Lost => (FaultKind::Failed, "report this message"),
        };
        Fault::new(kind, "stt", message, fix)
    }
}
