//! `[echo]`: what is done to the microphone's signal before anything listens to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Echo cancellation: Hark's own voice is taken out of what the microphone hears.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Echo {
    /// Whether the echo is cancelled; false also leaves the next two out.
    pub enabled: bool,
    /// Steady noise is lowered by some 12 dB. Costs CPU all the time.
    pub noise_suppression: bool,
    /// Quiet speech is made louder. Costs CPU all the time.
    pub gain_control: bool,
    /// How long nothing must have been played before the canceller rests.
    #[schemars(range(min = 500, max = 60000))]
    pub rest_after_ms: u32,
}

impl Default for Echo {
    fn default() -> Self {
        Self { enabled: true, noise_suppression: false, gain_control: false, rest_after_ms: 3000 }
    }
}
