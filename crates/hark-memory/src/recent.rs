//! Whom and what each conversation was about last: "she" is one of them. They are read from the store when a conversation is
//! first asked for, and kept there after a turn, so that a restart changes nothing.

use crate::keep::Memory;
use hark_core::Fault;
use hark_core::memory::{Entity, EntityKind, Fact, OWNER_KEY, Requester};
use std::collections::VecDeque;

/// Conversations of which it is known what they were about.
const MAX_CONVERSATIONS: usize = 64;
/// Entities of a conversation that "she" may be.
const MAX_RECENT: usize = 10;
/// Facts of a conversation that a correction may be about.
pub(crate) const MAX_SPOKEN_OF: usize = 6;

/// What a conversation was about last.
struct Conversation {
    name: String,
    /// Its last entities, the latest first.
    entities: VecDeque<Entity>,
    /// Ids of its last facts, the latest first: what a correction corrects.
    facts: VecDeque<i64>,
    /// The store has its entities.
    is_written: bool,
}

/// What each conversation was about last.
#[derive(Default)]
pub(crate) struct Conversations {
    /// The one that was used last at the end.
    by_use: Vec<Conversation>,
}

impl Conversations {
    /// A conversation, which counts as used now; `None` where it is not known.
    fn used(&mut self, name: &str) -> Option<&mut Conversation> {
        let at = self.by_use.iter().position(|known| known.name == name)?;
        self.by_use[at..].rotate_left(1);
        self.by_use.last_mut()
    }

    /// A conversation, with these entities where it is not known yet: then the one that was used longest ago is dropped for it.
    fn used_or_new(&mut self, name: &str, entities: VecDeque<Entity>) -> &mut Conversation {
        if self.used(name).is_none() {
            // One that is not written yet would lose its last words.
            let dropped = self.by_use.iter().position(|known| known.is_written);
            if let Some(at) = dropped.filter(|_| self.by_use.len() >= MAX_CONVERSATIONS) {
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

impl Memory {
    /// The last entity of a kind that was spoken of in the conversation.
    pub(crate) fn recent(&self, by: &Requester, kind: EntityKind) -> Option<Entity> {
        let recent = self.recent_of(&by.conversation);
        let is_it = |entity: &&Entity| entity.kind == kind && entity.key != OWNER_KEY;
        // A dog is somebody, too, where nobody else was spoken of.
        let has_name = |entity: &&Entity| {
            entity.kind == EntityKind::Thing && entity.name.starts_with(char::is_uppercase)
        };
        recent.iter().find(is_it).or_else(|| recent.iter().find(has_name)).cloned()
    }

    /// Keys of the last entities of a conversation, the latest first.
    pub(crate) fn recent_keys(&self, by: &Requester) -> Vec<String> {
        self.recent_of(&by.conversation).into_iter().map(|entity| entity.key).collect()
    }

    /// Names of the last people, places and things of a conversation, the latest first; none for those from whom private facts
    /// are kept, since a name may be of such a fact.
    pub fn recent_names(&self, by: &Requester) -> Vec<String> {
        if self.keeps_private && by.is_stranger() {
            return Vec::new();
        }
        let known = self.recent_of(&by.conversation).into_iter().filter(|it| !it.key.starts_with(':'));
        known.map(|entity| entity.name).collect()
    }

    /// The last entities of a conversation, read from the store the first time.
    fn recent_of(&self, conversation: &str) -> VecDeque<Entity> {
        if let Some(known) = self.lock().conversations.used(conversation) {
            return known.entities.clone();
        }
        let kept = self.store.recent(Some(conversation)).unwrap_or_else(|fault| {
            tracing::warn!("nobody knows whom this conversation was about: {fault}");
            Vec::new()
        });
        self.lock().conversations.used_or_new(conversation, kept.into()).entities.clone()
    }

    /// Whether anybody was spoken of lately, in whichever conversation.
    pub(crate) fn has_recent(&self) -> bool {
        if self.lock().conversations.by_use.iter().any(|known| !known.entities.is_empty()) {
            return true;
        }
        self.store.recent(None).is_ok_and(|recent| !recent.is_empty())
    }

    /// Notes that a fact was spoken of.
    pub(crate) fn note(&self, by: &Requester, fact: &Fact) {
        let statement = fact.statement.as_ref();
        let ends = statement.into_iter().flat_map(|it| [it.entity.as_ref(), Some(&it.subject)]).flatten();
        let mut recent = self.recent_of(&by.conversation);
        for entity in fact.mentions.iter().chain(ends) {
            recent.retain(|known| known.key != entity.key);
            recent.push_front(entity.clone());
        }
        recent.truncate(MAX_RECENT);
        let mut state = self.lock();
        let known = state.conversations.used_or_new(&by.conversation, VecDeque::new());
        known.entities = recent;
        known.is_written = false;
        known.facts.retain(|id| *id != fact.id);
        known.facts.push_front(fact.id);
        known.facts.truncate(MAX_SPOKEN_OF);
    }

    /// Keeps in the store whom each conversation was about last. Waits for the disk; nothing where nothing has changed.
    ///
    /// # Errors
    /// When it could not be written; the rest is kept the next time.
    pub fn keep_recent(&self, now_unix_ms: i64) -> Result<(), Fault> {
        while let Some((name, entities)) = self.next_unwritten() {
            if let Err(fault) = self.store.keep_recent(&name, &entities, now_unix_ms, MAX_CONVERSATIONS) {
                let all = &mut self.lock().conversations.by_use;
                all.iter_mut().filter(|known| known.name == name).for_each(|known| known.is_written = false);
                return Err(fault);
            }
        }
        Ok(())
    }

    /// A conversation that is not written yet, which counts as written from now on, and whom it was about last.
    fn next_unwritten(&self) -> Option<(String, Vec<Entity>)> {
        let all = &mut self.lock().conversations.by_use;
        let known = all.iter_mut().find(|known| !known.is_written)?;
        known.is_written = true;
        Some((known.name.clone(), known.entities.clone().into()))
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
}
