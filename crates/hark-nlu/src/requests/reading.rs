//! What a sentence was read as.

use super::super::grammar::Match;
use hark_language::Lexicon;

/// How slots of a relative change end: `temperature_step` beside `temperature`.
const STEP: &str = "_step";

/// What a sentence was read as.
#[derive(Debug)]
pub struct Reading {
    /// The requests, in order.
    pub matches: Vec<Match>,
    /// Parts that mean nothing, as they were said.
    pub missed: Vec<String>,
}

impl Reading {
    /// Without what says no more than another of the same kind: "three minutes for my tea, please, on the timer".
    pub fn without_repeated(mut self) -> Self {
        let says_all = |one: &Match, other: &Match| {
            one.intent == other.intent
                && other.slots.len() < one.slots.len()
                && other.slots.iter().all(|(slot, value)| one.slots.get(slot) == Some(value))
        };
        let all = self.matches.clone();
        self.matches.retain(|found| !all.iter().any(|one| says_all(one, found)));
        self
    }

    /// Without what is said of how it is, where a request says what is to be done about it: "I'm freezing, put the radiator
    /// on twenty".
    pub fn without_reasons(mut self, lexicon: &Lexicon) -> Self {
        let all = self.matches.clone();
        let sets = |one: &Match, step: &str| {
            one.slots.keys().any(|slot| step.strip_suffix(STEP) == Some(slot.as_str()))
        };
        self.matches.retain(|found| {
            let [(slot, _)] = found.slots.iter().collect::<Vec<_>>()[..] else { return true };
            let first = found.words.first().map_or("", |(first, _)| first);
            !(lexicon.qualifiers.clauses.contains(first) && all.iter().any(|one| sets(one, slot)))
        });
        self
    }
}

/// Which words of a request count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Some may be any.
    Any,
    /// Those of sentences and names; what has others is of no use, and need not be found.
    Known,
}
