//! What Hark is about, over and above a single turn.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Mode {
    /// Ready for whatever comes.
    #[default]
    Alert,
    /// A task runs.
    Working,
    /// A task needs an answer of the person.
    Waiting,
    /// A dangerous act awaits approval.
    Guarding,
    /// Nothing has happened for a while.
    Resting,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Self; 5] = [Self::Alert, Self::Working, Self::Waiting, Self::Guarding, Self::Resting];
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Alert => "ALERT",
            Self::Working => "WORKING",
            Self::Waiting => "WAITING",
            Self::Guarding => "GUARDING",
            Self::Resting => "RESTING",
        })
    }
}
