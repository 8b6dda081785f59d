//! Answers to a question which of some names is meant.

use crate::phrases::{Phrases, Table};
use crate::spoken;
use serde::Deserialize;

/// `choices.toml` of a language. Lower case, without apostrophes.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Choices {
    /// Whole answers for all of them.
    #[serde(deserialize_with = "spoken::phrases")]
    pub all: Phrases,
    /// Whole answers for none of them.
    #[serde(deserialize_with = "spoken::phrases")]
    pub none: Phrases,
    /// Words that say nothing about which one.
    #[serde(deserialize_with = "spoken::phrases")]
    pub fillers: Phrases,
    /// Words beside ordinals and numbers that say which one by its place: 1 is the first, -1 the last.
    pub places: Table<i32>,
}
