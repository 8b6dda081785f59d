//! The context that goes to a language model with a request: from each source, what went in, what was left out and why.

use serde::{Deserialize, Serialize};

/// Where context comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextSource {
    /// Earlier turns of the conversation, and how it is answered.
    Session,
    /// The household's documents.
    Knowledge,
    /// What the household told.
    Memory,
    /// Things of the home that the request names.
    Home,
    /// The time, who speaks, and where.
    Here,
}

/// What became of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextOutcome {
    /// It is in the prompt.
    Used,
    /// It has nothing about the request.
    Empty,
    /// It was not asked.
    NotAsked,
    /// It took longer than its budget.
    Late,
    /// It failed.
    Failed,
}

/// One source of one request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextPart {
    /// Which.
    pub source: ContextSource,
    /// What became of it.
    pub outcome: ContextOutcome,
    /// Turns, facts, passages or things that went in.
    pub items: usize,
    /// Characters of them.
    pub chars: usize,
    /// Time it took; of a late one its budget.
    pub took_ms: f64,
    /// Why it was not asked, or failed; what was left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}
