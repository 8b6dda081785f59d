//! `[endpoint]`: when a request is over.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When a request is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EndpointConfig {
    /// Silence that ends a request.
    #[schemars(range(min = 100, max = 3000))]
    pub silence_ms: u32,
    /// Hard limit of a request.
    #[schemars(range(min = 2000, max = 60000))]
    pub max_utterance_ms: u32,
    /// Waiting time for the first word after the wake word.
    #[schemars(range(min = 1000, max = 30000))]
    pub nothing_said_ms: u32,
}

impl Default for EndpointConfig {
    fn default() -> Self {
        Self { silence_ms: 600, max_utterance_ms: 12000, nothing_said_ms: 5000 }
    }
}
