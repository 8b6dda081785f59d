//! Which conversations are known, and what each was about last.

use hark_core::memory::Entity;
use std::collections::VecDeque;

/// Conversations of which it is known what they were about.
pub(crate) const MAX_CONVERSATIONS: usize = 64;
/// Facts of a conversation that a correction may be about.
pub(crate) const MAX_SPOKEN_OF: usize = 6;

/// What a conversation was about last.
pub(crate) struct Conversation {
    pub(crate) name: String,
    /// Its last entities, the latest first.
    pub(crate) entities: VecDeque<Entity>,
    /// Ids of its last facts, the latest first: what a correction corrects.
    pub(crate) facts: VecDeque<i64>,
    /// The store has its entities.
    pub(crate) is_written: bool,
}

/// What each conversation was about last.
#[derive(Default)]
pub(crate) struct Conversations {
    /// The one that was used last at the end.
    pub(crate) by_use: Vec<Conversation>,
}

impl Conversations {
    /// A conversation, which counts as used now; `None` where it is not known.
    pub(crate) fn used(&mut self, name: &str) -> Option<&mut Conversation> {
        let at = self.by_use.iter().position(|known| known.name == name)?;
        self.by_use[at..].rotate_left(1);
        self.by_use.last_mut()
    }

    /// A conversation, with these entities where it is not known yet: then the one that was used longest ago is dropped for it.
    pub(crate) fn used_or_new(&mut self, name: &str, entities: VecDeque<Entity>) -> &mut Conversation {
        if self.used(name).is_none() {
            while self.by_use.len() >= MAX_CONVERSATIONS {
                // One that is not written yet would lose its last words; where nothing is written there are twice as many at most.
                let written = self.by_use.iter().position(|known| known.is_written);
                let is_full = self.by_use.len() >= 2 * MAX_CONVERSATIONS;
                let Some(at) = written.or(is_full.then_some(0)) else { break };
                self.by_use.remove(at);
            }
            let (name, facts) = (name.to_owned(), VecDeque::new());
            self.by_use.push(Conversation { name, entities, facts, is_written: true });
        }
        let last = self.by_use.len() - 1;
        &mut self.by_use[last]
    }

    /// Ids of the facts that a conversation was about last, the latest first; `None`: those of every conversation.
    pub(crate) fn last_facts(&self, conversation: Option<&str>) -> Vec<i64> {
        let asked = |known: &&Conversation| conversation.is_none_or(|name| known.name == name);
        self.by_use.iter().rev().filter(asked).flat_map(|known| known.facts.iter().copied()).collect()
    }

    /// What is forgotten is spoken of no more.
    pub(crate) fn drop_all(&mut self, keys: &[&str]) {
        for known in &mut self.by_use {
            let before = known.entities.len();
            known.entities.retain(|entity| !keys.contains(&entity.key.as_str()));
            known.is_written &= known.entities.len() == before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_conversation_that_was_used_longest_ago_is_dropped() {
        let mut all = Conversations::default();
        let name = |n: usize| format!("b{n:02}");
        for n in 0..MAX_CONVERSATIONS {
            all.used_or_new(&name(n), VecDeque::new()).facts.push_front(n as i64);
        }
        all.used(&name(0)).unwrap();
        all.used_or_new(&name(1), VecDeque::new()).is_written = false;
        all.used(&name(2)).unwrap();
        let is_known = |all: &Conversations, name: &str| all.by_use.iter().any(|known| known.name == name);
        // Before all others by its name.
        all.used_or_new("a", VecDeque::new());
        assert!(!is_known(&all, &name(3)), "used longest ago");
        let kept = [name(0), name(1), name(2), name(4), "a".to_owned()];
        assert!(kept.iter().all(|name| is_known(&all, name)));
        assert_eq!(
            (all.by_use.len(), all.last_facts(None)[..3].to_vec()),
            (MAX_CONVERSATIONS, vec![2, 1, 0])
        );
        for n in 0..MAX_CONVERSATIONS - 1 {
            all.used_or_new(&format!("c{n:02}"), VecDeque::new());
        }
        assert!(is_known(&all, &name(1)), "not written yet");
        assert!(!is_known(&all, &name(0)) && !is_known(&all, "a"));
        assert_eq!(all.last_facts(Some(&name(1))), [1]);
    }

    #[test]
    fn where_nothing_is_written_the_oldest_is_dropped_in_the_end() {
        let mut all = Conversations::default();
        for n in 0..=2 * MAX_CONVERSATIONS {
            all.used_or_new(&n.to_string(), VecDeque::new()).is_written = false;
        }
        assert_eq!((all.by_use.len(), all.by_use[0].name.as_str()), (2 * MAX_CONVERSATIONS, "1"));
        all.by_use.iter_mut().for_each(|known| known.is_written = true);
        all.used_or_new("a", VecDeque::new());
        assert_eq!(all.by_use.len(), MAX_CONVERSATIONS, "as soon as they are written");
    }
}
