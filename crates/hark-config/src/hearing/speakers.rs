//! `[speakers]`: people who are known by their voice.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// People who are known by their voice. A voice is a hint, never a key: it can only take rights away.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Speakers {
    /// Whether Hark tells people apart by their voice. Nothing is computed while no voice is enrolled.
    pub enabled: bool,
    /// Lowest likelihood at which a voice is taken for a person's; below it the speaker stays unknown.
    #[schemars(range(min = 0.5, max = 0.999))]
    pub min_likelihood: f32,
}

impl Default for Speakers {
    fn default() -> Self {
        Self { enabled: true, min_likelihood: 0.9 }
    }
}
