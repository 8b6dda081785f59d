//! How good an answer was, as a model judges it: after the answer, never in its way.

use super::{Outcome, reference};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A score was under the bound.
pub const LOW_SCORES: &str = "low_scores";
/// The answer could not be judged.
pub const SCORING_FAILED: &str = "scoring_failed";

/// What is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// An answer to a question.
    StrictAnswer,
    /// Small talk.
    ConversationalAnswer,
    /// What a tool gave back.
    Tool(String),
    /// What a tool gave back to a direct command.
    DirectTool(String),
}

impl Subject {
    /// `strict_answer`, `conversational_answer`, `tool.<name>` or `direct_tool.<name>`.
    pub fn label(&self) -> String {
        match self {
            Self::StrictAnswer => "strict_answer".into(),
            Self::ConversationalAnswer => "conversational_answer".into(),
            Self::Tool(name) => format!("{}{name}", reference::TOOL_PREFIX),
            Self::DirectTool(name) => format!("direct_tool.{name}"),
        }
    }
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// What was judged.
    pub label: String,
    /// From 0 (bad) to 10 (good); `score` 0 alone when it could not be judged.
    pub metrics: BTreeMap<String, f64>,
    /// `low_scores` or `scoring_failed`; null: neither.
    pub evaluation_alert: Option<String>,
    /// `evaluation_failed` when it could not be judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag: Option<String>,
}

impl Evaluation {
    /// From what the contract of scoring gave; a score under `low_score` is low.
    pub fn of(subject: &Subject, outcome: &Outcome, low_score: u32) -> Self {
        let all = outcome.value.as_object().into_iter().flatten();
        let metrics: BTreeMap<String, f64> =
            all.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))).collect();
        let low = metrics.values().any(|metric| *metric < f64::from(low_score));
        let alert = match (outcome.fallback, low) {
            (true, _) => Some(SCORING_FAILED),
            (false, true) => Some(LOW_SCORES),
            (false, false) => None,
        };
        let flag = outcome.value["flag"].as_str().map(str::to_owned);
        Self { label: subject.label(), metrics, evaluation_alert: alert.map(str::to_owned), flag }
    }
}
