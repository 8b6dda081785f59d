//! `[vad]`: voice activity detection (Silero).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Voice activity detection (Silero).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Vad {
    /// Probability from which a block is speech.
    #[schemars(range(min = 0.05, max = 0.95))]
    pub threshold: f32,
    /// Probability below which speech is over; lower than `threshold`.
    #[schemars(range(min = 0.01, max = 0.95))]
    pub threshold_off: f32,
    /// Shorter bursts are not speech.
    #[schemars(range(min = 32, max = 2000))]
    pub min_speech_ms: u32,
}

impl Default for Vad {
    fn default() -> Self {
        Self { threshold: 0.5, threshold_off: 0.35, min_speech_ms: 250 }
    }
}
