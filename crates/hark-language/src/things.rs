//! Words for things, rooms and places, and which of them name the same: "the lamp by the couch" is the sofa
//! lamp. What is not here is another thing: "the bed light" is no kitchen light, however alike the two are.

use crate::phrases::{Phrase, Phrases, Table};
use serde::Deserialize;

/// `things.toml` of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Things {
    /// Phrases that name the same, in the singular. A phrase is in one group only.
    pub groups: Vec<Phrases>,
    /// What people call the things of a domain, as a word of its group.
    pub kinds: Table<Phrases>,
    /// Words for one thing of a kind: "the *light*", "a *window*".
    pub single: Phrases,
    /// Those behind an article of which one is meant even where a place is said: "the *lamp* in the bedroom".
    pub one_in_a_place: Phrases,
    /// Words before a kind of which one is meant, whichever: "*a* light in the bedroom", "*one of the* lamps".
    pub one_of: Phrases,
    /// Words between a thing and its place: "the lamp *that's* in the bedroom".
    pub which: Phrases,
    /// Words that tell of all of a kind: "*every* light".
    pub every: Phrases,
    /// Words between a thing and where it is: "the lamp *over* the table".
    pub beside: Phrases,
    /// Words that may stand between an article and a thing and say nothing about which: "the *whole* light".
    pub fillers: Phrases,
    /// Words beside which no thing has to be named: everybody knows what is to be louder.
    pub alone: Phrases,
    /// Words that a name can be said with or without: articles, "in", "of".
    pub small_words: Phrases,
    /// What lists are called: "list".
    pub lists: Phrases,
    /// The articles and possessives among them.
    pub articles: Phrases,
    /// What stands before every name where that is one word: "the".
    pub definite: Phrase,
    /// Words that say what kind of place something is; alone they are no part of a name, as the floor of a "floor
    /// lamp" is not the ground floor.
    pub places: Phrases,
    /// Words between requests; no name goes over them.
    pub joiners: Phrases,
    /// Words that are in no name of an unknown thing: they belong to the sentence around it.
    pub not_in_names: Phrases,
    /// Beginnings that turn a word into its opposite: a *de*humidifier is no humidifier.
    pub negating_prefixes: Phrases,
    /// Endings that a word may have or not. The longest first.
    pub endings: Phrases,
    /// Whether words are written together: "Küchenlicht" is the "Licht" of the "Küche".
    pub compounds: bool,
}
