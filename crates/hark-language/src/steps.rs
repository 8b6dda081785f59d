//! Words that tell of several steps in one request.

use crate::phrases::Phrases;
use serde::Deserialize;

/// `steps.toml` of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Steps {
    /// Single words that join two steps: "and", "then".
    pub joins: Phrases,
    /// Single words that order them: "first", "before".
    pub order: Phrases,
}

/// The words of all languages: those that join steps, and those that order them.
pub fn of_all() -> (Vec<&'static str>, Vec<&'static str>) {
    let languages = crate::all();
    let words = |of: fn(&Steps) -> Phrases| languages.iter().flat_map(|it| of(&it.steps).to_vec()).collect();
    (words(|steps| steps.joins), words(|steps| steps.order))
}
