//! How PINs and the values of password fields are said.

use crate::phrases::{Phrases, Table};
use serde::Deserialize;

/// `secrets.toml` of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Secrets {
    /// What recognisers write for digits they heard; digits only between digits.
    pub homophones: Table<u64>,
    /// Words before a digit that is said once and meant several times: "*double* four".
    pub repeats: Table<usize>,
    /// Words between the name of a password field and its value: "the safe code *is* …".
    pub between: Phrases,
    /// Words before the name of a field.
    pub articles: Phrases,
    /// Words with which a request begins that sets a field.
    pub verbs: Phrases,
}
