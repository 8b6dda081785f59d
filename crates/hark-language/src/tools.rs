//! Words of tools, and of the names, lists and sums that tools are given.

use crate::phrases::{Phrase, Phrases, Table};
use serde::Deserialize;

/// `tools.toml` of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tools {
    /// Words of which one must be heard where it is not certain that a tool is meant, by the name of the tool.
    pub triggers: Table<Phrases>,
    /// Words for kinds of programs, by the category of desktop entries: `WebBrowser`.
    pub programs: Table<Phrases>,
    /// Names of things, lists and people.
    pub names: Names,
    /// Lists of the household.
    pub lists: Lists,
    /// Pages of the web.
    pub pages: Pages,
    /// Sums that are written with words, beside [`crate::sums`].
    pub sums: WrittenSums,
}

/// How names are said.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Names {
    /// Words before a name that do not matter: "the", "my".
    pub articles: Phrases,
    /// Words that say nothing about what is meant.
    pub small: Phrases,
    /// Words of a question that no fact that is remembered has: "where".
    pub asking: Phrases,
    /// "Everything" or "everywhere" in the place of a name.
    pub all: Phrases,
    /// Endings that make a name an owner, and stand in no name by themselves: "'s".
    pub possessive: Phrases,
}

impl Names {
    /// A name without the ending that makes it an owner: "Anna's" is "Anna".
    pub fn without_possessive<'n>(&self, name: &'n str) -> &'n str {
        self.possessive.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
    }
}

/// How lists and what is on them are said.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lists {
    /// Words between two things: "and".
    pub joins: Phrases,
    /// Words before a thing that do not matter: "some".
    pub amounts: Phrases,
    /// What a list is called, behind its name: "list".
    pub list: Phrases,
    /// Things that are one thing although one of `joins` is in them.
    pub inseparable: Phrases,
    /// The shopping list: its name as it is shown first, then what else it is called.
    pub shopping: Phrases,
    /// The list of what is to be done, in the same way.
    pub tasks: Phrases,
    /// Name of the list of songs that were liked.
    pub favourites: Phrase,
}

/// How addresses are said, and what is written on pages.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pages {
    /// Words of an address and the signs they stand for: "dot".
    pub signs: Table<Phrase>,
    /// Words on a button or link of something that is not taken back easily: a purchase, a deletion.
    pub weighty: Phrases,
}

impl Pages {
    /// An address or file name as it is written: words for signs are these signs, with what stands beside them. "bbc dot co dot uk"
    /// is "bbc.co.uk"; other words keep a blank between them.
    pub fn written(&self, said: &str) -> String {
        let mut written = String::new();
        let mut is_joined = true;
        for word in said.split_whitespace() {
            let sign = self.signs.get(&word.to_lowercase());
            if !is_joined && sign.is_none() {
                written.push(' ');
            }
            written.push_str(sign.map_or(word, |sign| sign.text()));
            is_joined = sign.is_some();
        }
        written
    }
}

/// Words of sums beyond those of `sums.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WrittenSums {
    /// What makes a sum a question: "what is".
    pub questions: Phrases,
    /// "of", behind a share.
    pub of: Phrases,
}
