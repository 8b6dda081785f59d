//! What stands behind an entity: something that can be told to do a thing, and reports to the registry
//! what became of it. Virtual devices are one; Home Assistant and MQTT devices are others.

use super::command::DeviceCommand;
use crate::domain::home::Entity;
use crate::domain::tool::error_code;
use std::future::Future;
use std::pin::Pin;

/// Why a device did not do it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// It cannot do this.
    #[error("the {name} cannot {what}")]
    Unsupported { name: String, what: &'static str },
    /// It can do this, but not with this value.
    #[error("the {name} can do {range}")]
    OutOfRange { name: String, range: String },
    /// It cannot be reached.
    #[error("the {0} cannot be reached")]
    Offline(String),
    /// It was told, and no confirmation came in time.
    #[error("the {0} did not confirm in time")]
    Timeout(String),
    /// Anything else, in the device's words.
    #[error("the {name} failed: {why}")]
    Failed { name: String, why: String },
}

impl DeviceError {
    /// The error code of a receipt.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unsupported { .. } => error_code::UNSUPPORTED,
            Self::OutOfRange { .. } => error_code::BAD_ARGUMENT,
            Self::Offline(_) => error_code::OFFLINE,
            Self::Timeout(_) => error_code::TIMEOUT,
            Self::Failed { .. } => error_code::FAILED,
        }
    }
}

/// Ends when the command was delivered; the confirmation is the report that follows.
pub type SendFuture = Pin<Box<dyn Future<Output = Result<(), DeviceError>> + Send>>;

/// Devices of one source.
pub trait DeviceBackend: Send + Sync {
    /// The value of `Entity::source` it is responsible for.
    fn source(&self) -> &'static str;

    /// Delivers a command. An `Ok` says only that it was delivered: what became of it comes back
    /// through `HomeRegistry::report`.
    fn send(&self, entity: &Entity, command: &DeviceCommand) -> SendFuture;
}
