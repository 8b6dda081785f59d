//! `[permissions]`: what needs approval. A dangerous act is unlocking, opening a garage door or a gate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens to a dangerous act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DangerPolicy {
    /// Done at once.
    Allow,
    /// Done after a yes.
    Confirm,
    /// Never done.
    Deny,
}

/// What needs approval. A dangerous act is unlocking, opening a garage door or a gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Permissions {
    /// `confirm`: Hark asks and waits for a yes; `deny`: never; `allow`: at once.
    pub dangerous: DangerPolicy,
    /// How long a question for approval waits.
    #[schemars(range(min = 2000, max = 60000))]
    pub approval_window_ms: u32,
}

impl Default for Permissions {
    fn default() -> Self {
        Self { dangerous: DangerPolicy::Confirm, approval_window_ms: 10000 }
    }
}
