//! `[vad]`: voice activity detection (Silero).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Voice activity detection (Silero).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Vad {
    /// Probability from which a block is speech. 0.05–0.95.
    pub threshold: f32,
    /// Probability below which speech is over; lower than `threshold`. 0.01–0.95.
    pub threshold_off: f32,
    /// Shorter bursts are not speech. 32–2000.
    pub min_speech_ms: u32,
}

impl Default for Vad {
    fn default() -> Self {
        Self { threshold: 0.5, threshold_off: 0.35, min_speech_ms: 250 }
    }
}
