//! Failures of language models: what is said to people, and what the log says.

use hark_core::model::ModelError;
use hark_core::{Fault, FaultKind, ModelHelp};

/// What is said to people when a model fails.
pub fn fault(error: &ModelError) -> Fault {
    let (kind, fix) = match error {
        ModelError::Refused(_, 401..=403, _) => {
            (FaultKind::BadConfiguration, "put the right key where [llm] says, and start Hark again")
        }
        ModelError::NoSuchModel(..) | ModelError::NotListed(..) => {
            (FaultKind::MissingPart, "name a model in [llm] that the server has, or have the server fetch it")
        }
        ModelError::RateLimited(_) => {
            (FaultKind::Unavailable, "wait, or ask the provider for more; [llm] may name a second one")
        }
        ModelError::LimitReached(..) => (
            FaultKind::Unavailable,
            "raise that limit, or ask again tomorrow; a server in the house has none",
        ),
        _ => (FaultKind::Unavailable, "see `hark doctor`, and [llm] in the configuration"),
    };
    Fault::new(kind, "llm", error.to_string(), fix).recoverable()
}

/// The same failure as the reason why there is no answer.
pub(super) fn cause(error: &ModelError) -> ModelHelp {
    match error {
        ModelError::NotConfigured => ModelHelp::NotConnected,
        ModelError::Refused(_, 401..=403, _) => ModelHelp::Refused,
        ModelError::NoSuchModel(..) | ModelError::NotListed(..) => ModelHelp::NoSuchModel,
        ModelError::RateLimited(_) | ModelError::LimitReached(..) => ModelHelp::RateLimited,
        ModelError::TimedOut(..) => ModelHelp::TooSlow,
        ModelError::Refused(..)
        | ModelError::Unreachable(..)
        | ModelError::BadAnswer(..)
        | ModelError::Stopped => ModelHelp::Away,
    }
}
