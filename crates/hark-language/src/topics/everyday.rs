//! Words of everyday pastimes: jokes, choices, and the letters of a word.

use crate::phrases::{Phrase, Phrases, Table};
use serde::Deserialize;

/// `everyday.toml` of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Everyday {
    /// Jokes, whole.
    pub jokes: Phrases,
    /// Words between two things of which one is chosen: "or", "and".
    pub alternatives: Phrases,
    /// What signs of a word are called where it is spelt: `-` is "hyphen".
    pub signs: Table<Phrase>,
    /// Words that stand for what was said, and are asked about as no word: "that".
    pub pronouns: Phrases,
    /// Words before a word that is asked about: "the word".
    pub before_word: Phrases,
    /// Words that are always written with a capital; listed in lower case: "i".
    pub capitals: Phrases,
}
