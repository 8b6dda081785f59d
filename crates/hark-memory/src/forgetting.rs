//! Deletes facts: the one that a request names, or all facts about a person or thing.

use crate::changing::{LEAST_SHARED, content};
use crate::keep::{MAX_ABOUT, MAX_LOOKED_AT, Memory};
use crate::likeness::shared;
use hark_core::Fault;
use hark_core::memory::{EntityKind, Fact, Requester};
use hark_language::names::{normal, telling_words};

/// Facts at most that are forgotten by a part of the words that were said.
const MAX_OTHERWISE: usize = 3;

/// What is to be forgotten, without a sentence of its own behind it.
pub fn topic_of(asked: &str) -> &str {
    let topics = hark_language::all().into_iter().map(|language| language.memory.topic(asked));
    topics.min_by_key(|topic| topic.len()).unwrap_or(asked)
}

impl Memory {
    /// Forgets the fact that is meant, or every one about something; answers those that are gone, history included.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn forget(&self, asked: &str, every: bool, by: &Requester) -> Result<Vec<Fact>, Fault> {
        let found = self.to_forget(asked, every, by)?;
        let ids: Vec<i64> = found.iter().filter(|fact| self.may_tell(fact, by)).map(|fact| fact.id).collect();
        self.forget_ids(&ids)
    }

    /// The facts that are meant by what is to be forgotten; `every`: every one about it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn to_forget(&self, asked: &str, every: bool, by: &Requester) -> Result<Vec<Fact>, Fault> {
        let find = |about: &str| if every { self.everything_about(about, by) } else { self.meant(about, by) };
        let found = find(asked)?;
        if !found.is_empty() {
            return Ok(found);
        }
        // "The walking football, I've packed it in": a reason may stand behind it.
        let topic = topic_of(asked);
        let found = if topic == asked { found } else { find(topic)? };
        let mut found = if found.is_empty() { self.with_most_words(topic)? } else { found };
        found.truncate(if every { usize::MAX } else { 1 });
        // So much was not meant by words of which the rest was left out.
        Ok(if found.len() > MAX_OTHERWISE { Vec::new() } else { found })
    }

    /// The facts with most words of a topic, two and half of them at least, the newest first.
    fn with_most_words(&self, topic: &str) -> Result<Vec<Fact>, Fault> {
        let words = content(topic);
        let least = LEAST_SHARED.max(words.len().div_ceil(2));
        let found = self.store.search(&words, true, MAX_LOOKED_AT)?;
        let counted = found.into_iter().map(|fact| (shared(&words, &telling_words(&fact.text)), fact));
        let mut counted: Vec<(usize, Fact)> = counted.filter(|(count, _)| *count >= least).collect();
        counted.sort_by_key(|(count, fact)| std::cmp::Reverse((*count, fact.id)));
        let most = counted.first().map_or(0, |(count, _)| *count);
        Ok(counted.into_iter().take_while(|(count, _)| *count == most).map(|(_, fact)| fact).collect())
    }

    /// Forgets facts by their ids; answers those that are gone, history included.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn forget_ids(&self, ids: &[i64]) -> Result<Vec<Fact>, Fault> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        self.lock().vectors = None;
        self.drop_words(ids);
        let gone = self.store.forget(ids)?;
        let keys: Vec<&str> = gone.iter().flat_map(|fact| &fact.mentions).map(|it| it.key.as_str()).collect();
        self.lock().conversations.drop_all(&keys);
        Ok(gone)
    }

    /// The fact of these words: the same statement, else the one that has all the words best.
    fn meant(&self, asked: &str, by: &Requester) -> Result<Vec<Fact>, Fault> {
        let said = self.reader.as_ref().and_then(|reader| reader.statement(asked));
        if let Some(said) = said
            && let Some(subject) = self.subject(&said.subject, said.subject_kind, by)?
        {
            let about = self.store.about(&[subject.key], MAX_ABOUT)?;
            let same = about.into_iter().find(|fact| {
                fact.statement.as_ref().is_some_and(|known| {
                    known.relation == said.relation && normal(&known.object) == normal(&said.object)
                })
            });
            if let Some(same) = same {
                return Ok(vec![same]);
            }
        }
        let mut found = self.store.search(&telling_words(asked), false, 1)?;
        if found.is_empty()
            && let Some(question) = self.question(asked)
        {
            found = self.answers(&question, by)?.into_iter().take(1).collect();
        }
        Ok(found)
    }

    /// Every fact with these words, about what is called so, and about whom a question means by it, the newest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn everything_about(&self, asked: &str, by: &Requester) -> Result<Vec<Fact>, Fault> {
        let mut keys = vec![normal(asked)];
        let mut found = Vec::new();
        if let Some(question) = self.question(asked) {
            found = self.answers(&question, by)?;
            // "Everything about my wife" is everything about Anna.
            let others = found.iter().filter_map(|fact| fact.statement.as_ref()?.entity.as_ref());
            keys.extend(others.filter(|it| it.kind == EntityKind::Person).map(|it| it.key.clone()));
        }
        found.extend(self.store.about(&keys, MAX_ABOUT)?);
        found.extend(self.store.search(&telling_words(asked), false, MAX_LOOKED_AT)?);
        found.sort_by_key(|fact| std::cmp::Reverse(fact.id));
        found.dedup_by_key(|fact| fact.id);
        Ok(found)
    }
}
