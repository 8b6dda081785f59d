//! Whole requests that are known at once: "stop", "yes", "never mind".

use crate::phrases::Phrases;
use crate::spoken;
use serde::Deserialize;

/// `reflexes.toml` of a language. Lower case, without apostrophes.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reflexes {
    /// Words that may be said beside any of them and mean nothing: "please".
    #[serde(deserialize_with = "spoken::phrases")]
    pub courtesy: Phrases,
    /// Silence, now.
    #[serde(deserialize_with = "spoken::phrases")]
    pub stop: Phrases,
    /// What people say before what stops, refuses or takes back something, and means nothing: "*wait* stop", "*on second
    /// thoughts* forget that".
    #[serde(deserialize_with = "spoken::phrases")]
    pub leads: Phrases,
    /// The same behind it: "forget it *then*".
    #[serde(deserialize_with = "spoken::phrases")]
    pub trails: Phrases,
    /// Approves what was asked. The first stands for a yes that was given without words.
    #[serde(deserialize_with = "spoken::phrases")]
    pub confirm: Phrases,
    /// Refuses what was asked. The first stands for a no that was given without words.
    #[serde(deserialize_with = "spoken::phrases")]
    pub deny: Phrases,
    /// Forget the request at hand.
    #[serde(deserialize_with = "spoken::phrases")]
    pub cancel: Phrases,
    /// It was said by mistake.
    #[serde(deserialize_with = "spoken::phrases")]
    pub never_mind: Phrases,
    /// Take back what was done right before, where something was; else it was said by mistake.
    #[serde(deserialize_with = "spoken::phrases")]
    pub take_back: Phrases,
    /// Say the last answer again.
    #[serde(deserialize_with = "spoken::phrases")]
    pub repeat: Phrases,
    /// Hear nothing until told otherwise.
    #[serde(deserialize_with = "spoken::phrases")]
    pub mute: Phrases,
    /// Hear again.
    #[serde(deserialize_with = "spoken::phrases")]
    pub unmute: Phrases,
    /// Another volume of the voice.
    #[serde(deserialize_with = "spoken::phrases")]
    pub volume: Phrases,
    /// Take back what was done last.
    #[serde(deserialize_with = "spoken::phrases")]
    pub undo: Phrases,
    /// What the last request was taken for.
    #[serde(deserialize_with = "spoken::phrases")]
    pub why: Phrases,
}
