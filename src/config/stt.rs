//! `[stt]`: speech recognition.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which engine turns speech into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SttEngine {
    /// PocketSphinx with a language model made from the templates and the home's names.
    Grammar,
}

/// Speech recognition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Stt {
    /// `grammar`: PocketSphinx with the sentences of this home.
    pub engine: SttEngine,
    /// How much the sentences weigh against the sound.
    #[schemars(range(min = 1, max = 30))]
    pub language_weight: f32,
    /// Hypotheses that are tried against the templates.
    #[schemars(range(min = 1, max = 1000))]
    pub nbest: u32,
    /// Confidence below which a transcript is rejected rather than acted on.
    #[schemars(range(min = 0, max = 1))]
    pub min_confidence: f32,
}

impl Default for Stt {
    fn default() -> Self {
        Self { engine: SttEngine::Grammar, language_weight: 9.5, nbest: 60, min_confidence: 0.3 }
    }
}
