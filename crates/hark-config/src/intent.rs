//! `[intent]`: understanding of requests that no sentence template fits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Understanding of requests that no sentence template fits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IntentConfig {
    /// Classify what no template understands; without it, Hark knows its sentence templates only.
    pub enabled: bool,
    /// Languages whose sentences are understood when they are typed, beside `speaking.language`, which is also recognised.
    pub languages: Vec<String>,
    /// Probability from which an intent is acted on, if a word that tells of it is there; lower than `sure_confidence`.
    #[schemars(range(min = 0.3, max = 0.99))]
    pub min_confidence: f32,
    /// Probability from which an intent is acted on whatever the words are.
    #[schemars(range(min = 0.3, max = 1.0))]
    pub sure_confidence: f32,
    /// Learn anew by itself, in quiet moments, when your sentences or examples have changed; without it, `hark models train` does.
    pub learn: bool,
    /// Folder of your own examples, `<language>/*.yaml`; empty: `intent/examples` in the state folder.
    #[schemars(extend("x-holds" = "folder"))]
    pub examples_dir: String,
}

impl Default for IntentConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            languages: vec!["en".into(), "de".into()],
            min_confidence: 0.6,
            sure_confidence: 0.85,
            learn: true,
            examples_dir: String::new(),
        }
    }
}
