//! `[barge_in]`: what happens when a person speaks while Hark speaks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How speech interrupts Hark. A wake word and "stop" work in every style.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BargeInStyle {
    /// Speech makes Hark quieter; words that are for Hark stop it, anything else brings it back.
    Revocable,
    /// Speech stops Hark at once.
    Immediate,
    /// Speech does nothing; a wake word interrupts.
    WakeWord,
    /// Nothing interrupts: a wake word or "stop" ends what Hark says, and is not told as a barge-in.
    Off,
}

/// Barge-in: what happens when a person speaks while Hark speaks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BargeIn {
    /// `revocable`: speech makes Hark quieter, and pause where it begins like a request, until it is clear
    /// whether it is for Hark; `immediate`: speech stops Hark; `wake_word`: only a wake word does; `off`: none of
    /// it. "Stop" and the wake word always work.
    pub style: BargeInStyle,
    /// Shorter speech does not interrupt.
    #[schemars(range(min = 64, max = 2000))]
    pub min_speech_ms: u32,
    /// How much quieter Hark gets while it finds out, in decibels.
    #[schemars(range(min = 6, max = 60))]
    pub duck_db: u32,
    /// How long Hark may take to find out whether the speech is for it, from its first sound on.
    #[schemars(range(min = 200, max = 3000))]
    pub decide_ms: u32,
}

impl Default for BargeIn {
    fn default() -> Self {
        Self { style: BargeInStyle::Revocable, min_speech_ms: 96, duck_db: 18, decide_ms: 800 }
    }
}
