//! Words of sums: "thirteen times fifty seven", "the square root of eighty one".

use crate::phrases::{Phrase, Phrases, Table};
use serde::Deserialize;

/// `sums.toml` of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sums {
    /// Words between two numbers and the sign they mean: "times" is `*`.
    pub signs: Table<Phrase>,
    /// What is done to the number behind it: "the square root of" is `sqrt`.
    pub roots: Table<Phrase>,
    /// What is done to the number before it: "squared" is `^2`.
    pub powers: Table<Phrase>,
    /// "percent of".
    pub percent_of: Phrases,
    /// Sums that begin with what is to be done: "divide a hundred by twenty".
    pub leads: Vec<Lead>,
}

/// What is said before all numbers of a sum.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lead {
    /// "divide", "the product of".
    pub begin: Phrases,
    /// Words between the numbers: "by".
    pub between: Phrases,
    /// The sign that is meant.
    pub sign: Phrase,
    /// Whether the last number comes first: "subtract three from nine".
    #[serde(default)]
    pub last_first: bool,
}
