//! Answers to prompts that are asked again word by word. Only what is to be the same every time is kept.

use hark_core::model::{Completion, Prompt};
use sha2::{Digest, Sha256};
use std::collections::VecDeque;

/// Longest answer that is kept, bytes.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// What a prompt is known by: its sha256.
pub(super) type Key = [u8; 32];

/// The answers used last, the latest in front.
#[derive(Debug)]
pub(super) struct Cache {
    entries: VecDeque<(Key, Completion)>,
    most: usize,
}

impl Cache {
    /// For at most this many answers.
    pub(super) fn new(most: usize) -> Self {
        Self { entries: VecDeque::new(), most }
    }

    /// The key of a prompt that may be answered from here: at temperature 0, without tools.
    pub(super) fn key(&self, prompt: &Prompt) -> Option<Key> {
        let same_every_time = prompt.temperature == 0.0 && prompt.tools.is_empty();
        if self.most == 0 || !same_every_time {
            return None;
        }
        serde_json::to_vec(prompt).ok().map(|bytes| Sha256::digest(bytes).into())
    }

    /// The answer to it, when it is here.
    pub(super) fn get(&mut self, key: &Key) -> Option<Completion> {
        let place = self.entries.iter().position(|(known, _)| known == key)?;
        let entry = self.entries.remove(place)?;
        let answer = entry.1.clone();
        self.entries.push_front(entry);
        Some(answer)
    }

    /// Keeps an answer, unless it is one that another try could better.
    pub(super) fn put(&mut self, key: Key, answer: &Completion) {
        let whole = !answer.cut_short && answer.calls.is_empty() && !answer.text.trim().is_empty();
        if self.most == 0 || !whole || answer.text.len() > MAX_ANSWER_BYTES {
            return;
        }
        self.entries.retain(|(known, _)| *known != key);
        self.entries.truncate(self.most - 1);
        self.entries.push_front((key, answer.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::model::{Difficulty, Message, Purpose, Role};

    fn prompt(words: &str, temperature: f32) -> Prompt {
        Prompt {
            messages: vec![Message::new(Role::User, words)],
            tools: Vec::new(),
            difficulty: Difficulty::Simple,
            purpose: Purpose::Plan,
            model: None,
            schema: None,
            max_tokens: None,
            temperature,
            deliveries: Default::default(),
        }
    }

    fn answer(text: &str) -> Completion {
        Completion { text: text.into(), ..Completion::default() }
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let mut cache = Cache::new(2);
        let keys = ["a", "b", "c"].map(|words| cache.key(&prompt(words, 0.0)).unwrap());
        cache.put(keys[0], &answer("A"));
        cache.put(keys[1], &answer("B"));
        assert_eq!(cache.get(&keys[0]), Some(answer("A")));
        cache.put(keys[2], &answer("C"));
        assert_eq!(cache.get(&keys[1]), None);
        assert_eq!((cache.get(&keys[0]), cache.get(&keys[2])), (Some(answer("A")), Some(answer("C"))));
    }

    #[test]
    fn only_whole_answers_that_are_always_the_same_are_kept() {
        let mut cache = Cache::new(4);
        assert_eq!(cache.key(&prompt("a", 0.1)), None);
        assert_eq!(Cache::new(0).key(&prompt("a", 0.0)), None);
        let key = cache.key(&prompt("a", 0.0)).unwrap();
        cache.put(key, &Completion { cut_short: true, ..answer("A") });
        cache.put(key, &answer("  "));
        cache.put(key, &answer(&"x".repeat(MAX_ANSWER_BYTES + 1)));
        assert_eq!(cache.get(&key), None);
        let mut longer = prompt("a", 0.0);
        longer.max_tokens = Some(5);
        assert_ne!(cache.key(&longer), Some(key));
    }
}
