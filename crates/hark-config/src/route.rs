//! `[route]`: how far Hark goes on its own with a request that needs a language model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a model's needless questions are answered for the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Autonomy {
    /// "Shall I …?" is answered with yes; what needs approval is asked all the same.
    Full,
    /// Every question of the model is asked.
    Supervised,
}

/// How far Hark goes on its own with a request that needs a language model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RouteConfig {
    /// `full`: a model that asks "Shall I …?" is told to proceed; `supervised`: you are asked. Dangerous acts need approval in both.
    pub autonomy: Autonomy,
    /// Tools one after the other that a model may run for one request.
    #[schemars(range(min = 1, max = 50))]
    pub max_iterations: u32,
    /// Tools that a language model is offered for one request: those that have most to do with it. Small models do better with fewer.
    #[schemars(range(min = 4, max = 500))]
    pub max_tools: u32,
    /// How often a plan is made anew for one request when a step of it fails.
    #[schemars(range(min = 0, max = 5))]
    pub max_replans: u32,
    /// Time a request may take with everything a model does for it.
    #[schemars(range(min = 1000, max = 3600000))]
    pub task_timeout_ms: u32,
    /// Time the earlier turns of a conversation may take to be found before a language model is asked without them.
    #[schemars(range(min = 1, max = 10000))]
    pub session_budget_ms: u32,
    /// The same for the passages of your documents.
    #[schemars(range(min = 1, max = 10000))]
    pub knowledge_budget_ms: u32,
    /// The same for what the household told.
    #[schemars(range(min = 1, max = 10000))]
    pub memory_budget_ms: u32,
    /// The same for the things of the home that a request names.
    #[schemars(range(min = 1, max = 10000))]
    pub home_budget_ms: u32,
    /// How long a question of a model waits for its answer.
    #[schemars(range(min = 5000, max = 3600000))]
    pub question_window_ms: u32,
    /// After this long without anything Hark rests (mode RESTING).
    #[schemars(range(min = 1000, max = 86400000))]
    pub rest_after_ms: u32,
    /// File that says who Hark is, in a few sentences, for language models; empty: as built in.
    #[schemars(extend("x-holds" = "file"))]
    pub identity_file: String,
    /// File about you and your household, for language models; empty: nothing.
    #[schemars(extend("x-holds" = "file"))]
    pub owner_file: String,
}

impl Default for RouteConfig {
    fn default() -> Self {
        Self {
            autonomy: Autonomy::Full,
            max_iterations: 8,
            max_tools: 8,
            max_replans: 1,
            task_timeout_ms: 180_000,
            session_budget_ms: 200,
            knowledge_budget_ms: 400,
            memory_budget_ms: 200,
            home_budget_ms: 100,
            question_window_ms: 120_000,
            rest_after_ms: 600_000,
            identity_file: String::new(),
            owner_file: String::new(),
        }
    }
}
