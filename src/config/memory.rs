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
}

impl Default for Memory {
    fn default() -> Self {
        Self { keep_turns: 1000 }
    }
}
