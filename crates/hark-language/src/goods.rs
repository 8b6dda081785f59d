//! What people buy.

use crate::phrases::Phrases;
use crate::spoken;
use serde::Deserialize;

/// `goods.toml` of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Goods {
    /// What people put on shopping lists, compounds too ("chocolate milk"): by these a list is taken apart that was
    /// spoken without a pause. Lower case, without apostrophes.
    #[serde(deserialize_with = "spoken::phrases")]
    pub known: Phrases,
    /// Those that more often say what kind of thing the next word is than stand for themselves: "carrot juice".
    #[serde(deserialize_with = "spoken::phrases")]
    pub qualifying: Phrases,
}
