//! Words that join requests and point back to what was said.

use crate::phrases::{Phrase, Phrases, Table};
use serde::Deserialize;

/// `requests.toml` of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Requests {
    /// Words that are often written otherwise; a key with a hyphen is two words that one joins: "to-night".
    pub respellings: Table<Phrase>,
    /// Words between two requests.
    pub connectors: Phrases,
    /// Words for a thing that was named before.
    pub pronouns: Phrases,
    /// What begins a request that follows when what was said before it is over: "and *after that*".
    pub afterwards: Phrases,
    /// Those of them that stand for several things: "them", "both".
    pub several_pronouns: Phrases,
    /// Words for a person who was named before.
    pub person_pronouns: Phrases,
    /// What joins a request to another that something is said against: "the lamp on, *but* when it's nine turn it off".
    pub contrasts: Phrases,
    /// Words for something that is of a place that was named before: "open *its* window".
    pub possessives: Phrases,
    /// What can be set several of in one sentence, and one of it: "timers", "a timer".
    pub several: Table<Phrase>,
    /// One of them: "one", "another".
    pub one_of_them: Phrases,
    /// The word that denies what stands behind it: "not the lamp".
    pub not: Phrase,
    /// Words that turn a request into its opposite.
    pub negations: Phrases,
    /// Words that make a request about many things.
    pub quantifiers: Phrases,
    /// The number one where it is also an article or a pronoun.
    pub one: Phrases,
}

impl Requests {
    /// One of what a word names that can be set to ring: "a timer" for "timer". `None` for other words.
    pub fn ring(&self, noun: &str) -> Option<&str> {
        let mut rings = self.several.iter().map(|(_, one)| one.text());
        rings.find(|one| one.split(' ').next_back() == Some(noun))
    }
}
