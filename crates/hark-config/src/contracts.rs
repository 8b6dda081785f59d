//! `[contracts]`: what a language model is held to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who decides which contract comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Router {
    /// Fixed rules: templates, the classifier and its guards.
    Deterministic,
    /// A small model, under the contract of intent classification.
    Model,
}

/// How long answers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnswerLength {
    /// One sentence, two at most.
    Short,
    /// As long as the question needs.
    Long,
}

/// What a language model is held to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ContractsConfig {
    /// Folder with contracts of your own, `<contract>/schema.json`, `<contract>/prompt.md`, `retry.toml`, `tones.toml`, `blocks.md`; what is not in it is as shipped.
    #[schemars(extend("x-holds" = "folder"))]
    pub dir: String,
    /// Tone of answers, by its name in `tones.toml`: `lively`, `plain`, `warm`; empty: none.
    pub tone: String,
    /// Role in which Hark answers unless a conversation has set another, such as `a butler`; empty: none.
    pub persona: String,
    /// Length of answers unless a conversation has set another: `short`, one sentence or two, or as `long` as the question needs.
    pub verbosity: AnswerLength,
    /// Have answers judged by the model, after they were given. Costs a request each.
    pub scoring: bool,
    /// A score under this is reported as low; scores go from 0 to 10.
    #[schemars(range(min = 0, max = 10))]
    pub low_score: u32,
    /// Who decides what a request is about when no rule can: `deterministic` rules alone, or a small `model` under contract.
    pub router: Router,
}

impl Default for ContractsConfig {
    fn default() -> Self {
        Self {
            dir: String::new(),
            tone: "lively".into(),
            persona: String::new(),
            verbosity: AnswerLength::Short,
            scoring: true,
            low_score: 3,
            router: Router::Deterministic,
        }
    }
}
