//! Words as small numbers, and a quick hash for tables keyed by small numbers.

use rustc_hash::FxHashMap;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A word of the grammar.
pub type WordId = u32;

/// Every word of the grammar, each with a number.
#[derive(Debug, Default)]
pub struct Words {
    by_text: FxHashMap<String, WordId>,
    texts: Vec<String>,
}

impl Words {
    /// The number of a word, new or known.
    pub fn intern(&mut self, word: &str) -> WordId {
        if let Some(id) = self.by_text.get(word) {
            return *id;
        }
        let id = self.texts.len() as WordId;
        self.texts.push(word.to_owned());
        self.by_text.insert(word.to_owned(), id);
        id
    }

    /// The number of a word the grammar knows.
    pub fn get(&self, word: &str) -> Option<WordId> {
        self.by_text.get(word).copied()
    }

    /// The number of a typed word: people leave apostrophes out, and put them where none belongs.
    pub fn typed(&self, word: &str) -> Option<WordId> {
        let other = || match word.strip_suffix("'s") {
            Some(stem) => self.get(&format!("{stem}s")),
            None => self.get(&format!("{}'s", word.strip_suffix('s')?)),
        };
        self.get(word).or_else(other)
    }

    /// The word of a number that came from this table.
    pub fn text(&self, id: WordId) -> &str {
        &self.texts[id as usize]
    }

    /// How many words there are.
    pub fn count(&self) -> usize {
        self.texts.len()
    }
}

/// Multiply-and-rotate hash for short integer keys; not for keys an enemy chooses.
#[derive(Default)]
pub struct QuickHasher(u64);

impl Hasher for QuickHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}

/// A map with that hash.
pub type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<QuickHasher>>;
