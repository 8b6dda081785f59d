//! The sentences of the home word by word, without two ways for the same words: a state is a set of places
//! of the grammar, so that a word leads from a state to one other only, in however many lists it stands.

use hark_core::ports::{Place, SpeechGrammar};
use std::collections::HashMap;
use std::sync::Arc;

/// Number of a state.
pub(super) type StateNumber = u32;

struct State {
    places: Vec<Place>,
    ends: bool,
}

/// The states that were come to so far.
pub(super) struct States {
    grammar: Arc<dyn SpeechGrammar>,
    states: Vec<State>,
    numbers: HashMap<Vec<Place>, StateNumber>,
}

impl States {
    /// Number of the state before every sentence.
    pub(super) const START: StateNumber = 0;

    pub(super) fn new(grammar: Arc<dyn SpeechGrammar>) -> Self {
        let start = grammar.first().into_iter().collect();
        let mut states = Self { grammar, states: Vec::new(), numbers: HashMap::new() };
        states.number(start);
        states
    }

    /// The state of a set of places.
    pub(super) fn number(&mut self, mut places: Vec<Place>) -> StateNumber {
        places.sort_unstable();
        places.dedup();
        if let Some(number) = self.numbers.get(&places) {
            return *number;
        }
        let number = self.states.len() as StateNumber;
        let ends = places.iter().any(|place| self.grammar.ends(*place));
        self.states.push(State { places: places.clone(), ends });
        self.numbers.insert(places, number);
        number
    }

    /// Whether a sentence can end at a state.
    pub(super) fn ends(&self, state: StateNumber) -> bool {
        self.states[state as usize].ends
    }

    /// Every word that can follow a state, with the place after it; a word can come more than once.
    pub(super) fn follow(&self, state: StateNumber, visit: &mut dyn FnMut(&str, Place)) {
        for place in &self.states[state as usize].places {
            self.grammar.follow(*place, visit);
        }
    }
}
