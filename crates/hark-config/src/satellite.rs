//! `[satellite]`: several nodes in one house, on one MQTT broker.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Several nodes in one house, on one MQTT broker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Satellite {
    /// Arbitration: of several nodes that hear one sentence only one answers. Each claims it by MQTT, and the best claim wins.
    pub arbitration: bool,
    /// How long claims of the others are waited for. Those who lose are silent after it.
    #[schemars(range(min = 50, max = 400))]
    pub arbitration_window_ms: u32,
    /// How long after another node's claim a wake word is taken for the same sentence.
    #[schemars(range(min = 500, max = 10000))]
    pub arbitration_hold_ms: u32,
    /// How long the better node may take to say that it answers, before this one does.
    #[schemars(range(min = 100, max = 2000))]
    pub arbitration_takeover_ms: u32,
}

impl Default for Satellite {
    fn default() -> Self {
        Self {
            arbitration: true,
            arbitration_window_ms: 150,
            arbitration_hold_ms: 1500,
            arbitration_takeover_ms: 250,
        }
    }
}
