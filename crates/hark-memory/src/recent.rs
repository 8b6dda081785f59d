//! Whom and what each conversation was about last: "she" is one of them. They are read from the store when a conversation is
//! first asked for, and kept there after a turn, so that a restart changes nothing.

use crate::conversations::{MAX_CONVERSATIONS, MAX_SPOKEN_OF};
use crate::keep::Memory;
use hark_core::Fault;
use hark_core::memory::{Entity, EntityKind, Fact, OWNER_KEY, Requester};
use std::collections::VecDeque;

/// Entities of a conversation that "she" may be.
const MAX_RECENT: usize = 10;

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
