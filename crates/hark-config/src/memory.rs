//! `[memory]`: what is kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kinds of earlier requests, as the lists of `[memory]` name them.
pub const ENTRY_KINDS: [&str; 5] = ["question", "instruction", "correction", "meta", "other"];

/// What is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Memory {
    /// Whether statements about the household ("my wife is Anna", "I don't like olives") are kept without being asked to. What
    /// Hark is asked to remember is always kept.
    pub keep_statements: bool,
    /// Whether the language model, where there is one, reads remarks that no rule reads, after they were answered. Costs a
    /// request each.
    pub model_reads: bool,
    /// Whether private facts (health, birthdays, addresses, passwords, and what was told in confidence) are kept from those
    /// who are not known: whoever speaks in the room or writes on the broker. The command line, the dashboard and programs are known.
    pub private: bool,
    /// How many turns `hark explain` can look back.
    #[schemars(range(min = 10, max = 1000000))]
    pub keep_turns: u32,
    /// How long a request can lean on the one before it in the same conversation ("and the kitchen",
    /// "a bit more"), in milliseconds; 0 for never.
    #[schemars(range(min = 0, max = 3600000))]
    pub context_ms: u32,
    /// After how long without a word a spoken conversation is over; the next words begin another. A named one that rested this long is taken up again.
    #[schemars(range(min = 10000, max = 86400000))]
    pub session_idle_ms: u32,
    /// Maximum earlier requests of a conversation that are considered for a language model's history.
    #[schemars(range(min = 2, max = 1000))]
    pub history_entries: u32,
    /// Most characters of them that it is told; the oldest go first, the last two always stay.
    #[schemars(range(min = 0, max = 100000))]
    pub history_chars: u32,
    /// What it is told when a request goes on from the one before: kinds of `question`, `instruction`, `correction`, `meta`, `other`.
    pub history_continuation: Vec<String>,
    /// What it is told when the person asks what was meant.
    pub history_clarification: Vec<String>,
    /// What it is told when a named conversation is taken up again.
    pub history_session: Vec<String>,
}

impl Default for Memory {
    fn default() -> Self {
        let kinds = |kinds: &[&str]| kinds.iter().map(|kind| (*kind).to_owned()).collect();
        Self {
            keep_statements: true,
            model_reads: true,
            private: false,
            keep_turns: 1000,
            context_ms: 300_000,
            session_idle_ms: 300_000,
            history_entries: 50,
            history_chars: 5_500,
            history_continuation: kinds(&["instruction", "correction", "question"]),
            history_clarification: kinds(&["question", "instruction"]),
            history_session: kinds(&["instruction", "correction"]),
        }
    }
}
