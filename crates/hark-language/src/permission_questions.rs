//! Questions of a language model that only ask for permission.

use crate::phrases::Phrases;
use serde::Deserialize;

/// `permission.toml` of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PermissionQuestions {
    /// How they begin: "shall i".
    pub openings: Phrases,
    /// Words that make a choice of one, which is a question that has to be asked.
    pub choices: Phrases,
}
