//! `[memory]`: what is kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Memory {
    /// How many turns `hark explain` can look back.
    #[schemars(range(min = 10, max = 1000000))]
    pub keep_turns: u32,
    /// How long a request can lean on the one before it in the same conversation ("and the kitchen",
    /// "a bit more"), in milliseconds; 0 for never.
    #[schemars(range(min = 0, max = 3600000))]
    pub context_ms: u32,
}

impl Default for Memory {
    fn default() -> Self {
        Self { keep_turns: 1000, context_ms: 300_000 }
    }
}
