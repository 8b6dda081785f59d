//! A walk through all spoken sentences, word by word, for the recogniser: it searches them itself.

use super::Grammar;
use super::graph::StateId;
use super::views::TrieId;
use hark_core::ports::Place;

/// Stands for "in no list".
const NONE: u32 = u32::MAX;

impl Grammar {
    pub(super) fn first_place(&self) -> Option<Place> {
        self.graph().start.map(|state| place(state, NONE))
    }

    /// Every word that can follow at `from`, with the place after it. A word can come more than once,
    /// when it stands in several lists.
    pub(super) fn walk(&self, from: Place, visit: &mut dyn FnMut(&str, Place)) {
        let (state, list) = parts(from);
        if list != NONE {
            let here = &self.views.tries[list as usize];
            for (word, next) in &here.next {
                visit(self.words.text(*word), place(state, *next));
            }
            if here.values.is_empty() {
                return;
            }
        }
        let here = self.graph().state(state);
        for (word, to) in here.words {
            visit(self.words.text(*word), place(*to, NONE));
        }
        for (view, to) in here.views {
            let root = self.views.get(*view).root;
            for (word, next) in &self.views.tries[root as usize].next {
                visit(self.words.text(*word), place(*to, *next));
            }
        }
    }

    /// Whether a sentence can end at a place.
    pub(super) fn ends_at(&self, at: Place) -> bool {
        let (state, list) = parts(at);
        let listed = list == NONE || !self.views.tries[list as usize].values.is_empty();
        listed && self.graph().state(state).last
    }
}

fn place(state: StateId, list: TrieId) -> Place {
    u64::from(state) << 32 | u64::from(list)
}

fn parts(place: Place) -> (StateId, TrieId) {
    ((place >> 32) as u32, place as u32)
}
