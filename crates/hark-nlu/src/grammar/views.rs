//! Lists as shared sub-automata: each distinct selection of a list's values is one trie, whichever
//! templates refer to it. That keeps 1,000 templates × 500 entities small.

use super::texts::{TextId, Texts};
use super::words::{QuickMap, WordId, Words};
use crate::sentences::model::{Data, List, ListValue, Range};
use crate::text;
use hark_language::Lexicon;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// A selection of a list's values.
pub type ViewId = u32;

/// A node of a trie; the first node of a view is its root.
pub type TrieId = u32;

/// One value of a list, in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The ways it is said, the usual one first; never empty.
    pub phrases: Vec<Vec<WordId>>,
    /// What the slot gets.
    pub out: Value,
    /// What else is known when it is matched.
    pub context: Map<String, Value>,
}

/// A selection of a list's values, as a trie over their words.
#[derive(Debug)]
pub struct View {
    /// Root of its trie.
    pub root: TrieId,
    /// The selected values.
    pub entries: Vec<Arc<Entry>>,
    /// Whether it is a range of numbers.
    pub numeric: bool,
    /// Whether it holds the names of the home's entities.
    pub names: bool,
    /// Which list of the home it is taken from.
    pub list: Option<u8>,
}

/// A trie node.
#[derive(Debug, Default)]
pub struct TrieNode {
    /// Next words, sorted.
    pub next: Vec<(WordId, TrieId)>,
    /// Entries of the view that end here.
    pub values: Vec<u32>,
    /// Fewest words to the end of a value.
    pub min_left: u16,
    /// Most words to the end of a value.
    pub max_left: u16,
}

/// All views and their tries.
#[derive(Debug, Default)]
pub struct Views {
    /// The views.
    pub views: Vec<View>,
    /// Nodes of all tries.
    pub tries: Vec<TrieNode>,
}

impl Views {
    /// The view of a number.
    pub fn get(&self, view: ViewId) -> &View {
        &self.views[view as usize]
    }

    /// The node one word further.
    pub fn step(&self, node: TrieId, word: WordId) -> Option<TrieId> {
        let next = &self.tries[node as usize].next;
        next.binary_search_by_key(&word, |(word, _)| *word).ok().map(|index| next[index].1)
    }

    /// Ends and values of the entries that `words` hold from `start` on.
    pub fn matches(&self, view: ViewId, words: &[Option<WordId>], start: usize) -> Vec<(usize, u32)> {
        let mut found = Vec::new();
        let mut node = self.get(view).root;
        for (at, word) in words.iter().enumerate().skip(start) {
            let Some(next) = word.and_then(|word| self.step(node, word)) else { break };
            node = next;
            found.extend(self.tries[node as usize].values.iter().map(|value| (at + 1, *value)));
        }
        found
    }

    fn insert(&mut self, root: TrieId, phrase: &[WordId], value: u32) {
        let mut node = root;
        for word in phrase {
            node = match self.tries[node as usize].next.binary_search_by_key(word, |(word, _)| *word) {
                Ok(index) => self.tries[node as usize].next[index].1,
                Err(index) => {
                    let new = self.tries.len() as TrieId;
                    self.tries.push(TrieNode::default());
                    self.tries[node as usize].next.insert(index, (*word, new));
                    new
                }
            };
        }
        let values = &mut self.tries[node as usize].values;
        if !values.contains(&value) {
            values.push(value);
        }
    }

    /// Sets the lengths of all nodes from `root` on; children have larger numbers than their parents.
    fn measure(&mut self, root: TrieId) {
        for node in (root as usize..self.tries.len()).rev() {
            let (mut min, mut max) = if self.tries[node].values.is_empty() { (u16::MAX, 0) } else { (0, 0) };
            for (_, next) in &self.tries[node].next {
                let child = &self.tries[*next as usize];
                min = min.min(child.min_left.saturating_add(1));
                max = max.max(child.max_left.saturating_add(1));
            }
            (self.tries[node].min_left, self.tries[node].max_left) = (min, max);
        }
    }
}

/// Makes views, each only once.
pub struct ViewBuilder {
    /// What was made.
    pub views: Views,
    /// Words of everything.
    pub words: Words,
    /// Pieces of text of templates.
    pub texts: Texts,
    /// The language.
    pub lexicon: &'static Lexicon,
    /// The lists of the home, by their numbers.
    pub home: Vec<(String, Arc<[Arc<Entry>]>)>,
    lists: HashMap<String, ListEntries>,
    by_selection: HashMap<(String, Vec<usize>), ViewId>,
    with_suffix: HashMap<(ViewId, TextId), ViewId>,
    /// The words of numbers, by their bits.
    numbers: QuickMap<u64, Vec<Vec<WordId>>>,
}

#[derive(Clone)]
struct ListEntries {
    entries: Arc<[Arc<Entry>]>,
    numeric: bool,
}

impl ViewBuilder {
    /// `home` are the lists that come from the home, with their texts.
    pub fn new(home: Vec<(&str, Vec<RawEntry>)>, lexicon: &'static Lexicon) -> Self {
        let mut builder = Self {
            lexicon,
            views: Views::default(),
            words: Words::default(),
            texts: Texts::default(),
            home: Vec::new(),
            lists: HashMap::new(),
            by_selection: HashMap::new(),
            with_suffix: HashMap::new(),
            numbers: QuickMap::default(),
        };
        for (name, raw) in home {
            let entries = raw.into_iter().filter_map(|raw| builder.entry(raw)).collect();
            let entries: Arc<[Arc<Entry>]> = entries;
            builder.home.push((name.to_owned(), Arc::clone(&entries)));
            builder.lists.insert(name.to_owned(), ListEntries { entries, numeric: false });
        }
        builder
    }

    fn entry(&mut self, raw: RawEntry) -> Option<Arc<Entry>> {
        let phrases = self.phrases(&raw.texts);
        (!phrases.is_empty()).then(|| Arc::new(Entry { phrases, out: raw.out, context: raw.context }))
    }

    /// The words of each text.
    fn phrases(&mut self, texts: &[String]) -> Vec<Vec<WordId>> {
        let mut phrases: Vec<Vec<WordId>> = Vec::new();
        for text in texts {
            let text = self.texts.intern(text);
            let phrase = self.spoken(text).to_vec();
            if !phrase.is_empty() && !phrases.contains(&phrase) {
                phrases.push(phrase);
            }
        }
        phrases
    }

    /// The entry of a number of a range. Ranges have the same numbers many times.
    fn number(&mut self, range: &Range, number: f64) -> Option<Arc<Entry>> {
        let known = self.numbers.get(&number.to_bits()).cloned();
        let phrases = known.unwrap_or_else(|| {
            // They are words already.
            let spellings = self.lexicon.numbers.spellings(number);
            let mut words = |text: &String| text.split(' ').map(|word| self.words.intern(word)).collect();
            let phrases: Vec<Vec<WordId>> = spellings.iter().map(&mut words).collect();
            self.numbers.insert(number.to_bits(), phrases.clone());
            phrases
        });
        let out = range.out(number);
        (!phrases.is_empty()).then(|| Arc::new(Entry { phrases, out, context: Map::new() }))
    }

    /// Entries of a list. `key` names it among all lists.
    fn entries(&mut self, key: &str, list: Option<&List>) -> ListEntries {
        if let Some(known) = self.lists.get(key) {
            return known.clone();
        }
        let numeric = matches!(list, Some(List::Range(_)));
        let of_value = |value: &ListValue| RawEntry {
            texts: value.texts.clone(),
            out: value.out.clone(),
            context: value.context.clone(),
        };
        let entries = match list {
            Some(List::Values(values)) => {
                values.iter().filter_map(|value| self.entry(of_value(value))).collect()
            }
            Some(List::Range(range)) => {
                range.numbers().filter_map(|number| self.number(range, number)).collect()
            }
            Some(List::Wildcard { spoken, .. }) => {
                spoken.iter().filter_map(|text| self.entry(RawEntry::plain(text))).collect()
            }
            // The parser has a rule for them.
            Some(List::Rule { .. }) | None => Arc::default(),
        };
        let made = ListEntries { entries, numeric };
        self.lists.insert(key.to_owned(), made.clone());
        made
    }

    /// The view of a list for a data block: without the values its conditions rule out.
    /// `list` is `None` for lists of the home. The view may be empty.
    pub fn view(&mut self, key: &str, list: Option<&List>, data: &Data) -> ViewId {
        let made = self.entries(key, list);
        let told = |key: &str| made.entries.iter().any(|entry| entry.context.contains_key(key));
        let requires: Vec<_> = data.requires.iter().map(|(key, wanted)| (key, wanted, told(key))).collect();
        let fits = |entry: &Entry| {
            let required = requires.iter().all(|(key, wanted, told)| match entry.context.get(*key) {
                Some(value) => wanted.any_of.as_ref().is_none_or(|any| any.contains(value)),
                None => !told,
            });
            let excluded = data
                .excludes
                .iter()
                .any(|(key, values)| entry.context.get(key).is_some_and(|value| values.contains(value)));
            required && !excluded
        };
        let chosen = made.entries.iter().enumerate().filter(|(_, entry)| fits(entry));
        let chosen: Vec<usize> = chosen.map(|(index, _)| index).collect();
        self.selection(key, &made, chosen)
    }

    /// The words of a piece of text, as numbers.
    pub fn spoken(&mut self, text: TextId) -> Arc<[WordId]> {
        self.texts.spoken(text, &mut self.words, self.lexicon)
    }

    /// Whether any value of the list says something about `context`.
    pub fn provides(&mut self, key: &str, list: Option<&List>, context: &str) -> bool {
        self.entries(key, list).entries.iter().any(|entry| entry.context.contains_key(context))
    }

    fn selection(&mut self, key: &str, made: &ListEntries, chosen: Vec<usize>) -> ViewId {
        let id = (key.to_owned(), chosen);
        if let Some(known) = self.by_selection.get(&id) {
            return *known;
        }
        let entries: Vec<Arc<Entry>> = id.1.iter().map(|index| Arc::clone(&made.entries[*index])).collect();
        let list = self.home.iter().position(|(name, _)| name == key);
        let view = self.push(entries, made.numeric, key == "name", list.map(|list| list as u8));
        self.by_selection.insert(id, view);
        view
    }

    /// The view with `suffix` hung on to the last word of each value: "lamp's".
    pub fn suffixed(&mut self, view: ViewId, suffix: TextId) -> ViewId {
        if let Some(known) = self.with_suffix.get(&(view, suffix)) {
            return *known;
        }
        let (plain, names) = (self.views.get(view).entries.clone(), self.views.get(view).names);
        let mut entries = Vec::new();
        for entry in plain {
            let mut entry = Entry::clone(&entry);
            for phrase in &mut entry.phrases {
                let texts: Vec<&str> = phrase.iter().map(|word| self.words.text(*word)).collect();
                let joined = [&texts.join(" "), self.texts.text(suffix)].concat();
                *phrase =
                    text::words(&joined, self.lexicon).iter().map(|word| self.words.intern(word)).collect();
            }
            entries.push(Arc::new(entry));
        }
        let made = self.push(entries, false, names, None);
        self.with_suffix.insert((view, suffix), made);
        made
    }

    /// A view of plain texts.
    pub fn texts(&mut self, texts: &[String]) -> ViewId {
        let entries = texts.iter().filter_map(|text| self.entry(RawEntry::plain(text))).collect();
        self.push(entries, false, false, None)
    }

    fn push(&mut self, entries: Vec<Arc<Entry>>, numeric: bool, names: bool, list: Option<u8>) -> ViewId {
        let root = self.views.tries.len() as TrieId;
        self.views.tries.push(TrieNode::default());
        for (value, entry) in entries.iter().enumerate() {
            for phrase in &entry.phrases {
                self.views.insert(root, phrase, value as u32);
            }
        }
        self.views.measure(root);
        self.views.views.push(View { root, entries, numeric, names, list });
        self.views.views.len() as ViewId - 1
    }
}

/// One value of a list, in text.
#[derive(Debug, Clone)]
pub struct RawEntry {
    /// The texts that mean it, the usual one first.
    pub texts: Vec<String>,
    /// What the slot gets.
    pub out: Value,
    /// What else is known when it is matched.
    pub context: Map<String, Value>,
}

impl RawEntry {
    fn plain(text: &str) -> Self {
        Self { texts: vec![text.to_owned()], out: Value::from(text), context: Map::new() }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn spellings_of_numbers_are_words_as_they_are() {
        for language in ["en", "de", "nl"] {
            let lexicon = hark_language::of(language);
            let numbers = (-100..400).map(|half| f64::from(half) / 2.0).chain((0..3000).map(f64::from));
            for text in numbers.flat_map(|number| lexicon.numbers.spellings(number)) {
                assert_eq!(crate::text::words(&text, lexicon).join(" "), text, "{language}");
            }
        }
    }
}
