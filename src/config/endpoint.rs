//! `[endpoint]`: when a request is over.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When a request is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EndpointConfig {
    /// Silence that ends a request. 100–3000.
    pub silence_ms: u32,
    /// Hard limit of a request. 2000–60000.
    pub max_utterance_ms: u32,
    /// Waiting time for the first word after the wake word. 1000–30000.
    pub nothing_said_ms: u32,
}

impl Default for EndpointConfig {
    fn default() -> Self {
        Self { silence_ms: 600, max_utterance_ms: 12000, nothing_said_ms: 5000 }
    }
}
