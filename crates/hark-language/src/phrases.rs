//! Sets and tables of phrases, and how they are found in the words of a sentence.
//!
//! A phrase is made of spoken words: lower case, no punctuation, one space between words. Where several
//! phrases fit, the longest does.

use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::ops::Deref;

/// A set of phrases. Phrases are read once and live as long as the program.
#[derive(Debug, Clone, Copy, Default)]
pub struct Phrases {
    /// As the language lists them.
    listed: &'static [&'static str],
    /// In the order of their letters, to be looked up.
    sorted: &'static [&'static str],
    /// How they begin: most words begin none of them, and need not be looked up.
    openings: Openings,
    /// Words of the longest.
    longest: usize,
}

/// A set of first letters of phrases, with false positives.
#[derive(Debug, Clone, Copy, Default)]
struct Openings([u64; 4]);

impl Openings {
    fn of(phrases: &[&str]) -> Self {
        let mut openings = Self::default();
        for (block, bit) in phrases.iter().map(|phrase| Self::place(phrase)) {
            openings.0[block] |= bit;
        }
        openings
    }

    fn may_hold(self, text: &str) -> bool {
        let (block, bit) = Self::place(text);
        self.0[block] & bit != 0
    }

    /// Place of the first two bytes of the first word.
    fn place(text: &str) -> (usize, u64) {
        let mut bytes = text.bytes().take_while(|byte| *byte != b' ');
        let (first, second) = (bytes.next().unwrap_or(0), bytes.next().unwrap_or(0));
        let at = first.wrapping_mul(31).wrapping_add(second);
        (usize::from(at >> 6), 1 << (at & 63))
    }
}

/// One phrase; empty where a language has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Phrase(&'static str);

/// Phrases and what they stand for, in the order of their letters.
#[derive(Debug, Clone, Copy)]
pub struct Table<T: 'static>(&'static [(&'static str, T)]);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(&[])
    }
}

impl Phrase {
    /// The phrase.
    pub fn text(self) -> &'static str {
        self.0
    }
}

impl std::fmt::Display for Phrase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl Deref for Phrase {
    type Target = str;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl<'de> Deserialize<'de> for Phrase {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|phrase| Self(kept(phrase)))
    }
}

impl Deref for Phrases {
    type Target = [&'static str];

    fn deref(&self) -> &Self::Target {
        self.listed
    }
}

impl Phrases {
    /// All of them, as the language lists them.
    pub fn all(&self) -> &'static [&'static str] {
        self.listed
    }

    /// Whether it is one of them.
    pub fn contains(&self, phrase: &str) -> bool {
        self.openings.may_hold(phrase) && self.sorted.binary_search(&phrase).is_ok()
    }
}

impl<T> Deref for Table<T> {
    type Target = [(&'static str, T)];

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

fn kept(phrase: String) -> &'static str {
    phrase.leak()
}

impl<'de> Deserialize<'de> for Phrases {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let phrases = Vec::<String>::deserialize(deserializer)?;
        let listed: &[&str] = phrases.into_iter().map(kept).collect::<Vec<_>>().leak();
        let mut sorted = listed.to_vec();
        sorted.sort_unstable();
        let longest = listed.iter().map(|phrase| phrase.split(' ').count()).max().unwrap_or(0);
        Ok(Self { listed, openings: Openings::of(&sorted), sorted: sorted.leak(), longest })
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Table<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let table = BTreeMap::<String, T>::deserialize(deserializer)?;
        let rows = table.into_iter().map(|(phrase, value)| (kept(phrase), value));
        Ok(Self(rows.collect::<Vec<_>>().leak()))
    }
}

impl<T: Copy> Table<T> {
    /// What a phrase stands for.
    pub fn get(&self, phrase: &str) -> Option<T> {
        let at = self.0.binary_search_by_key(&phrase, |(known, _)| known).ok()?;
        self.0.get(at).map(|(_, value)| *value)
    }
}

/// The longest phrase of a table that `words` begin with: what it stands for, and its count of words.
pub fn find<T: Copy>(table: Table<T>, words: &[&str]) -> Option<(T, usize)> {
    let rows = beginning(table.0, words.first()?, |(phrase, _)| phrase);
    rows.filter_map(|(phrase, value)| Some((*value, length(phrase, words)?)))
        .max_by_key(|(_, length)| *length)
}

/// The longest of some phrases that `words` begin with: its count of words.
pub fn starts(phrases: Phrases, words: &[&str]) -> Option<usize> {
    let first = words.first()?;
    if !phrases.openings.may_hold(first) {
        return None;
    }
    beginning(phrases.sorted, first, |phrase| phrase).filter_map(|phrase| length(phrase, words)).max()
}

/// The longest of some phrases that `words` end with: its count of words.
pub fn ends(phrases: Phrases, words: &[&str]) -> Option<usize> {
    (1..=words.len().min(phrases.longest)).rev().find(|count| {
        let tail = &words[words.len() - count..];
        phrases.openings.may_hold(tail[0])
            && beginning(phrases.sorted, tail[0], |phrase| phrase)
                .any(|phrase| length(phrase, tail) == Some(*count))
    })
}

/// The words without the phrases of a set, wherever they stand.
pub fn without<'a>(phrases: Phrases, words: &[&'a str]) -> Vec<&'a str> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match starts(phrases, &words[at..]) {
            Some(length) => at += length,
            None => {
                kept.push(words[at]);
                at += 1;
            }
        }
    }
    kept
}

/// The words without the phrases of some sets at their end, as many as there are.
pub fn without_ends<'w, 'a>(sets: &[Phrases], mut words: &'w [&'a str]) -> &'w [&'a str] {
    while let Some(length) = sets.iter().filter_map(|set| ends(*set, words)).max() {
        words = &words[..words.len() - length];
    }
    words
}

/// The words without the phrases of some sets at their beginning, as many as there are.
pub fn without_starts<'w, 'a>(sets: &[Phrases], mut words: &'w [&'a str]) -> &'w [&'a str] {
    while let Some(length) = sets.iter().filter_map(|set| starts(*set, words)).max() {
        words = &words[length..];
    }
    words
}

/// The rows of a sorted list whose phrase begins with these letters.
fn beginning<'w, R>(
    sorted: &'static [R],
    letters: &'w str,
    phrase: impl Fn(&R) -> &str + 'w,
) -> impl Iterator<Item = &'static R> + 'w {
    let first = sorted.partition_point(|row| phrase(row) < letters);
    sorted[first..].iter().take_while(move |row| phrase(row).starts_with(letters))
}

/// Count of words of the phrase when `words` begin with it.
pub(crate) fn length(phrase: &str, words: &[&str]) -> Option<usize> {
    let mut count = 0;
    for word in phrase.split(' ') {
        if words.get(count) != Some(&word) {
            return None;
        }
        count += 1;
    }
    Some(count)
}
