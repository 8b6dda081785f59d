//! `[wake]`: wake word detection.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which engine listens for the wake word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WakeEngine {
    /// openWakeWord models on LiteRT.
    Openwakeword,
    /// Push to talk only.
    None,
}

/// Wake word detection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Wake {
    /// `openwakeword`, or `none` for push to talk.
    pub engine: WakeEngine,
    /// Wake words: names of wake models in `models/manifest.toml`, or paths of openWakeWord `.tflite` files.
    #[schemars(extend("x-holds" = "words"))]
    pub words: Vec<String>,
    /// Score from which the word counts as heard.
    #[schemars(range(min = 0.05, max = 0.99))]
    pub threshold: f32,
    /// Consecutive 80 ms hops that must reach the threshold.
    #[schemars(range(min = 1, max = 10))]
    pub patience_hops: u32,
    /// Time after a wake in which the word is not heard again.
    #[schemars(range(min = 0, max = 10000))]
    pub refractory_ms: u32,
    /// Score from which a failed detection is reported as `wake_rejected`.
    #[schemars(range(min = 0.01, max = 0.99))]
    pub near_miss_score: f32,
}

impl Default for Wake {
    fn default() -> Self {
        Self {
            engine: WakeEngine::Openwakeword,
            words: vec!["hey_jarvis".into()],
            threshold: 0.5,
            patience_hops: 1,
            refractory_ms: 2000,
            near_miss_score: 0.2,
        }
    }
}
