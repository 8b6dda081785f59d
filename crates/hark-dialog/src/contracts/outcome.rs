//! What comes of a call to a model.

use hark_core::model::{ModelCall, ModelError};
use serde_json::Value;

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// A valid answer, or what the contract says in its place.
    pub value: Value,
    /// Offered tools that are wanted before there is an answer; then the value is none.
    pub calls: Vec<ModelCall>,
    /// How often the model was asked.
    pub attempts: u32,
    /// The answer ends before its end: the model was cut off.
    pub cut_short: bool,
    /// The value is not the model's.
    pub fallback: bool,
    /// What was wrong, of all attempts in order.
    pub errors: Vec<String>,
    /// Why there was no answer at all; the contract does not ask again then.
    pub model_error: Option<ModelError>,
}

impl Outcome {
    /// What holds before the model was asked.
    pub(super) fn unanswered(value: Value) -> Self {
        let (calls, errors) = Default::default();
        Self { value, calls, attempts: 0, cut_short: false, fallback: true, errors, model_error: None }
    }

    /// The words of a text contract.
    pub fn text(&self) -> &str {
        self.value.as_str().unwrap_or_default()
    }
}
