//! Determinises the sentence grammar by subset construction, on demand: a state is a set of positions of the grammar, so
//! that a word leads from a state to exactly one other. Used by the decoding graph and by Moonshine's prefix tree.

use hark_core::ports::{Place, SpeechGrammar};
use std::collections::HashMap;
use std::sync::Arc;

/// Number of a state of the automaton.
pub(super) type DfaState = u32;

struct StateSet {
    places: Vec<Place>,
    ends: bool,
}

/// The automaton, as far as it has been expanded.
pub(super) struct GrammarDfa {
    grammar: Arc<dyn SpeechGrammar>,
    states: Vec<StateSet>,
    numbers: HashMap<Vec<Place>, DfaState>,
}

impl GrammarDfa {
    /// Number of the state before every sentence.
    pub(super) const START: DfaState = 0;

    pub(super) fn new(grammar: Arc<dyn SpeechGrammar>) -> Self {
        let start = grammar.first().into_iter().collect();
        let mut states = Self { grammar, states: Vec::new(), numbers: HashMap::new() };
        states.state(start);
        states
    }

    /// The state of a set of places.
    pub(super) fn state(&mut self, mut places: Vec<Place>) -> DfaState {
        places.sort_unstable();
        places.dedup();
        if let Some(number) = self.numbers.get(&places) {
            return *number;
        }
        let number = self.states.len() as DfaState;
        let ends = places.iter().any(|place| self.grammar.ends(*place));
        self.states.push(StateSet { places: places.clone(), ends });
        self.numbers.insert(places, number);
        number
    }

    /// Whether a sentence can end at a state.
    pub(super) fn is_final(&self, state: DfaState) -> bool {
        self.states[state as usize].ends
    }

    /// Every word that can follow a state, with the place after it; a word can come more than once.
    pub(super) fn transitions(&self, state: DfaState, visit: &mut dyn FnMut(&str, Place)) {
        for place in &self.states[state as usize].places {
            self.grammar.follow(*place, visit);
        }
    }
}
