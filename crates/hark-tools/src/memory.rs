//! What the household asked to remember: facts in its own words, found again by their words.

use super::names::{asks, telling_words};
use hark_core::Fault;
use hark_core::ports::{Fact, FactStore};
use std::collections::HashMap;
use std::sync::Arc;

/// Most facts that answer one question.
const MOST_ANSWERS: usize = 3;

/// How many facts are looked at.
const MOST_LOOKED_AT: usize = 200;

/// Facts in a store; cheap to clone.
#[derive(Clone)]
pub struct Memory {
    store: Arc<dyn FactStore>,
}

impl Memory {
    /// The facts of this store.
    pub fn new(store: Arc<dyn FactStore>) -> Self {
        Self { store }
    }

    /// Keeps a fact; one that is known in the same words is not kept twice: then the answer is `false`.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn remember(&self, text: &str, now_unix_ms: i64) -> Result<(Fact, bool), Fault> {
        let words = telling_words(text);
        let known = self.store.search(&words, false, MOST_LOOKED_AT)?;
        if let Some(same) = known.into_iter().find(|fact| telling_words(&fact.text) == words) {
            return Ok((same, false));
        }
        Ok((self.store.remember(text, now_unix_ms)?, true))
    }

    /// The facts that answer a question, the best first: those with all its words, else those with most.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn recall(&self, asked: &str) -> Result<Vec<Fact>, Fault> {
        let words: Vec<String> = telling_words(asked).into_iter().filter(|word| !asks(word)).collect();
        let mut found = self.store.search(&words, false, MOST_ANSWERS)?;
        if found.is_empty() {
            found = self.with_most(&words)?;
        }
        Ok(found)
    }

    /// Those with at least two thirds of the words, and two of them.
    fn with_most(&self, words: &[String]) -> Result<Vec<Fact>, Fault> {
        let mut found: HashMap<i64, (Fact, usize)> = HashMap::new();
        for word in words {
            for fact in self.store.search(std::slice::from_ref(word), true, MOST_LOOKED_AT)? {
                found.entry(fact.id).or_insert((fact, 0)).1 += 1;
            }
        }
        let enough = (words.len() * 2).div_ceil(3).max(2);
        let mut best: Vec<(Fact, usize)> =
            found.into_values().filter(|(_, count)| *count >= enough).collect();
        best.sort_by_key(|(fact, count)| (std::cmp::Reverse(*count), std::cmp::Reverse(fact.id)));
        Ok(best.into_iter().take(MOST_ANSWERS).map(|(fact, _)| fact).collect())
    }

    /// Forgets the fact that has all these words best, or every one that has them; answers those it forgot.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn forget(&self, asked: &str, every: bool) -> Result<Vec<Fact>, Fault> {
        let words: Vec<String> = telling_words(asked);
        let most = if every { MOST_LOOKED_AT } else { 1 };
        let found = self.store.search(&words, false, most)?;
        for fact in &found {
            self.store.forget(fact.id)?;
        }
        Ok(found)
    }

    /// Takes a fact away, or puts it back.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn put(&self, fact: &Fact, known: bool) -> Result<(), Fault> {
        if known { self.store.restore(fact) } else { self.store.forget(fact.id).map(|_| ()) }
    }

    /// The newest facts, or those that hold these words.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn list(&self, words: Option<&str>, most: usize) -> Result<Vec<Fact>, Fault> {
        match words {
            Some(words) => self.store.search(&telling_words(words), false, most),
            None => self.store.newest(most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_stores::InMemoryLists;

    fn memory() -> Memory {
        let memory = Memory::new(Arc::new(InMemoryLists::default()));
        for text in [
            "the spare key is under the pot",
            "my wifi password is correct horse",
            "the bins go out on tuesday",
        ] {
            assert!(memory.remember(text, 0).unwrap().1);
        }
        memory
    }

    #[test]
    fn questions_find_what_was_told() {
        let memory = memory();
        for (asked, answer) in [
            ("the spare key", Some("the spare key is under the pot")),
            ("where is the spare key", Some("the spare key is under the pot")),
            ("the wifi password", Some("my wifi password is correct horse")),
            ("password for the wifi network", Some("my wifi password is correct horse")),
            ("the front door key", None),
            ("my passport", None),
            ("", None),
        ] {
            let found = memory.recall(asked).unwrap();
            assert_eq!(found.first().map(|fact| fact.text.as_str()), answer, "{asked}");
        }
    }

    #[test]
    fn the_same_is_told_once_and_forgotten_at_a_word() {
        let memory = memory();
        assert!(!memory.remember("The spare key is under the pot.", 1).unwrap().1);
        memory.remember("the spare key of the shed hangs in the hall", 1).unwrap();
        assert_eq!(memory.forget("the spare tyre", true).unwrap(), []);
        assert_eq!(memory.forget("spare key is under the pot", false).unwrap().len(), 1);
        assert_eq!(memory.forget("spare key", true).unwrap().len(), 1);
        let gone = memory.forget("bins", false).unwrap().remove(0);
        assert_eq!(memory.list(None, 10).unwrap().len(), 1);
        memory.put(&gone, true).unwrap();
        assert_eq!(memory.list(Some("bins"), 10).unwrap(), [gone]);
    }
}
