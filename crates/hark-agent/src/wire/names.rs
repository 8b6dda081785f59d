//! Names of tools where a server allows letters, digits, `_` and `-` only, 64 at most: the table there and back.

use hark_core::model::Prompt;
use std::collections::HashMap;

/// Longest name there.
const MAX: usize = 64;

/// Names of one prompt in both forms.
#[derive(Debug, Default)]
pub(crate) struct Names {
    there: HashMap<String, String>,
    back: HashMap<String, String>,
}

impl Names {
    /// All names of a prompt: of the tools, and of calls that were made in the conversation.
    pub(crate) fn of(prompt: &Prompt) -> Self {
        let mut names = Self::default();
        let tools = prompt.tools.iter().map(|tool| tool.name.as_str());
        let calls = prompt.messages.iter().flat_map(|message| &message.calls).map(|call| call.tool.as_str());
        for name in tools.chain(calls) {
            names.add(name);
        }
        names
    }

    /// The name as the server may have it.
    pub(crate) fn there<'a>(&'a self, name: &'a str) -> &'a str {
        self.there.get(name).map_or(name, String::as_str)
    }

    /// The name in the tool table; one that was never told comes back as it is, for the caller to refuse.
    pub(crate) fn back(&self, name: &str) -> String {
        self.back.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }

    fn add(&mut self, name: &str) {
        if self.there.contains_key(name) {
            return;
        }
        let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
        let mut plain: String = name.chars().map(allowed).take(MAX).collect();
        if plain.is_empty() {
            plain.push('-');
        }
        let mut chosen = plain.clone();
        let mut number = 2;
        while self.back.contains_key(&chosen) {
            let ending = format!("-{number}");
            plain.truncate(MAX - ending.len());
            chosen = format!("{plain}{ending}");
            number += 1;
        }
        self.back.insert(chosen.clone(), name.to_owned());
        self.there.insert(name.to_owned(), chosen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(all: &[String]) -> Names {
        let mut names = Names::default();
        all.iter().for_each(|name| names.add(name));
        names
    }

    #[test]
    fn a_dot_becomes_a_hyphen_and_likes_are_told_apart() {
        let all = ["home.turn_on", "home-turn_on", "timer", "home turn_on"].map(str::to_owned);
        let names = names(&all);
        let there: Vec<&str> = all.iter().map(|name| names.there(name)).collect();
        assert_eq!(there, ["home-turn_on", "home-turn_on-2", "timer", "home-turn_on-3"]);
        assert_eq!(names.back("home-turn_on"), "home.turn_on");
        assert_eq!(names.back("rm-rf"), "rm-rf");
    }

    proptest! {
        #[test]
        fn every_name_is_allowed_there_and_comes_back(all in prop::collection::vec(".{0,80}", 0..40)) {
            let names = names(&all);
            for name in &all {
                let there = names.there(name);
                prop_assert!((1..=64).contains(&there.len()));
                prop_assert!(there.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'));
                prop_assert_eq!(&names.back(there), name);
            }
        }
    }
}
