//! Lists of the household: those of the home's file and those made by voice, kept on the disk before any
//! call answers. What a to-do service keeps (an entity of the domain `todo`) is changed with the same
//! [`Edit`]s, by its device. Names and things may be said in any language of the house; what is made here is called as in
//! the one that is spoken.

use super::names::{self, normal};
use hark_core::home::HomeList;
use hark_core::ports::{ListItem, ListStore, StoredList};
use hark_core::{Fault, FaultKind};
use hark_language::phrases::starts;
use hark_language::tools::Lists as Words;
use hark_language::{Lexicon, Phrases};
use std::sync::{Arc, Mutex, PoisonError};

/// Most lists.
pub const MAX_LISTS: usize = 50;

/// Most open items of a list.
pub const MAX_ITEMS: usize = 500;

/// How many finished items a list remembers.
const MAX_DONE: usize = 50;

/// Lists that are there even while nothing is on them.
const ALWAYS: [fn(&Words) -> Phrases; 2] = [|words| words.shopping, |words| words.tasks];

/// Place of the tasks in [`ALWAYS`].
const TASKS: usize = 1;

/// Why a list could not be found or changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ListError {
    /// No list has this name.
    #[error("there is no list called {0}")]
    NoSuchList(String),
    /// It is not on the list.
    #[error("{item} is not on the {list} list")]
    NoSuchItem { item: String, list: String },
    /// There is a list of this name.
    #[error("there is a {0} list already")]
    Exists(String),
    /// The list is full.
    #[error("the {0} list is full")]
    Full(String),
    /// There are [`MAX_LISTS`].
    #[error("there are {MAX_LISTS} lists already")]
    TooMany,
    /// It cannot be taken away any more.
    #[error("there is something on the list '{0}' by now")]
    NotEmpty(String),
    /// It could not be kept; nothing was changed.
    #[error("{0}")]
    Store(Fault),
}

/// What is done to a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Put on.
    Add(Vec<String>),
    /// Seen to.
    Complete(Vec<String>),
    /// Taken off.
    Remove(Vec<String>),
    /// Taken off, all of it.
    Clear {
        /// All but these.
        keep: Vec<String>,
    },
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// What is on the list now.
    pub items: Vec<ListItem>,
    /// The items it was about, as they stand on the list.
    pub touched: Vec<String>,
    /// Those of them that were to be put on the list and were on it already.
    pub already: Vec<String>,
    /// Whether anything is different.
    pub changed: bool,
}

impl Edit {
    /// Does it to these items of the list of this name: all of it or nothing.
    ///
    /// # Errors
    /// `NoSuchItem`, `Full`.
    pub fn apply(&self, list: &str, items: &[ListItem]) -> Result<Edited, ListError> {
        let mut now = items.to_vec();
        let (mut touched, mut already) = (Vec::new(), Vec::new());
        match self {
            Self::Add(wanted) => {
                for text in wanted {
                    // What is there already is not put there twice.
                    if let Some(at) = now.iter().position(|item| !item.done && same(&item.text, text)) {
                        touched.push(now[at].text.clone());
                        already.push(now[at].text.clone());
                        continue;
                    }
                    now.retain(|item| !item.done || !same(&item.text, text));
                    now.push(ListItem { text: text.clone(), done: false });
                    touched.push(text.clone());
                }
                if now.iter().filter(|item| !item.done).count() > MAX_ITEMS {
                    return Err(ListError::Full(list.to_owned()));
                }
                let mut finished = now.iter().filter(|item| item.done).count();
                now.retain(|item| {
                    let keep = !item.done || finished <= MAX_DONE;
                    finished -= usize::from(item.done);
                    keep
                });
            }
            Self::Complete(wanted) | Self::Remove(wanted) => {
                // "Milk eggs" is what is called so, else the one and the other.
                let each = |text: &String| match (position(items, text), without_commas(text)) {
                    (None, Some(each)) => each,
                    _ => vec![text.clone()],
                };
                for text in &wanted.iter().flat_map(each).collect::<Vec<_>>() {
                    let at = position(&now, text)
                        .ok_or_else(|| ListError::NoSuchItem { item: text.clone(), list: list.to_owned() })?;
                    touched.push(now[at].text.clone());
                    match self {
                        Self::Complete(_) => now[at].done = true,
                        _ => drop(now.remove(at)),
                    }
                }
            }
            Self::Clear { keep } => {
                let kept = keep.iter().map(|text| {
                    let no_such = || ListError::NoSuchItem { item: text.clone(), list: list.to_owned() };
                    position(&now, text).map(|at| now[at].clone()).ok_or_else(no_such)
                });
                let kept = kept.collect::<Result<Vec<ListItem>, ListError>>()?;
                let (kept, gone): (Vec<ListItem>, Vec<ListItem>) =
                    now.into_iter().partition(|item| kept.contains(item));
                touched = gone.into_iter().filter(|item| !item.done).map(|item| item.text).collect();
                now = kept;
            }
        }
        Ok(Edited { changed: now != items, items: now, touched, already })
    }
}

/// The open item that a person means: of this name, else the only one that has its words.
fn position(items: &[ListItem], asked: &str) -> Option<usize> {
    let open = || items.iter().enumerate().filter(|(_, item)| !item.done);
    if let Some((at, _)) = open().find(|(_, item)| same(&item.text, asked)) {
        return Some(at);
    }
    let mut holding = open().filter(|(_, item)| names::holds_words(&item.text, asked));
    let (at, _) = holding.next()?;
    holding.next().is_none().then_some(at)
}

fn same(one: &str, other: &str) -> bool {
    bare(one) == bare(other)
}

/// The name by which things on a list are the same thing.
fn bare(text: &str) -> String {
    let normal = normal(text);
    let amounts = phrases(|words| words.amounts);
    let rest = amounts.iter().find_map(|amount| normal.strip_prefix(amount)?.strip_prefix(' '));
    rest.map_or(normal.clone(), str::to_owned)
}

/// The phrases of every language.
fn phrases(of: impl Fn(&Words) -> Phrases) -> Vec<&'static str> {
    hark_language::all().iter().flat_map(|language| of(&language.tools.lists).to_vec()).collect()
}

/// The things that a person names in one breath: "milk, eggs and salt and pepper".
pub fn split_items(text: &str) -> Vec<String> {
    let mut parts: Vec<Vec<&str>> = Vec::new();
    let (joins, inseparable) = (phrases(|words| words.joins), phrases(|words| words.inseparable));
    for part in text.split([',', ';']) {
        let words: Vec<&str> = part.split_whitespace().collect();
        let mut current: Vec<&str> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let joins = joins.contains(&word.to_lowercase().as_str());
            if joins && !is_inside(&inseparable, &words, at) {
                parts.push(std::mem::take(&mut current));
            } else {
                current.push(word);
            }
        }
        parts.push(current);
    }
    parts.iter().filter(|part| !part.is_empty()).map(|part| part.join(" ")).collect()
}

/// Like [`split_items`], for new items of the list of this name (`None`: the usual one). Speech has no commas, so that a text
/// without any is also split between known goods: "milk eggs tea bags and bread". Lists of tasks are not: a task is a sentence.
pub fn split_new_items(text: &str, list: Option<&str>) -> Vec<String> {
    let parts = split_items(text);
    let is_tasks = list.is_some_and(|list| kind(&without_list(&normal(list))) == Some(TASKS));
    if is_tasks || text.contains([',', ';']) {
        return parts;
    }
    parts.into_iter().flat_map(|part| without_commas(&part).unwrap_or_else(|| vec![part])).collect()
}

/// Splits words without commas into items, each of which ends with goods that one of the languages knows; `None` where the
/// words are not made of at least two such items.
fn without_commas(text: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    hark_language::all().iter().find_map(|language| apart(&words, language))
}

fn apart(words: &[&str], language: &Lexicon) -> Option<Vec<String>> {
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase().replace(['\'', '’'], "")).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let (things, goods) = (&language.things, &language.goods);
    // What stands behind "of" or "with" belongs to the thing before it.
    let goes_on = |word: &&str| {
        things.beside.contains(word) || things.small_words.contains(word) && !things.articles.contains(word)
    };
    let (mut at, mut ends) = (0, Vec::new());
    while at < lower.len() {
        let known = [goods.known, language.tools.lists.inseparable];
        let length = known.into_iter().filter_map(|known| starts(known, &lower[at..])).max();
        // "Carrot juice" is one thing, whether it is known or not.
        let qualifies = length == Some(1) && goods.qualifying.contains(lower[at]) && at + 1 < lower.len();
        at += length.unwrap_or(1);
        if length.is_some() && !qualifies && !lower.get(at).is_some_and(goes_on) {
            ends.push(at);
        }
    }
    if ends.last() != Some(&words.len()) || ends.len() < 2 {
        return None;
    }
    let begins = std::iter::once(&0).chain(&ends);
    Some(begins.zip(&ends).map(|(from, to)| words[*from..*to].join(" ")).collect())
}

/// Whether the "and" at `at` belongs to a thing that has one.
fn is_inside(inseparable: &[&str], words: &[&str], at: usize) -> bool {
    inseparable.iter().any(|known| {
        let known: Vec<&str> = known.split(' ').collect();
        (0..words.len().saturating_sub(known.len() - 1)).any(|start| {
            (start..start + known.len()).contains(&at)
                && known.iter().zip(&words[start..]).all(|(known, word)| word.eq_ignore_ascii_case(known))
        })
    })
}

/// Whether a person who says `asked` means the list called `name`: "list" and articles do not matter.
pub fn is_called(name: &str, asked: &str) -> bool {
    let (name, asked) = (without_list(&normal(name)), without_list(&normal(asked)));
    name == asked || (kind(&name).is_some() && kind(&name) == kind(&asked))
}

/// A name without the word "list" behind it.
fn without_list(name: &str) -> String {
    let list = phrases(|words| words.list);
    let bare = list.iter().find_map(|list| name.strip_suffix(list)?.strip_suffix(' '));
    bare.unwrap_or(name).to_owned()
}

/// Which of [`ALWAYS`] has this name, in any language.
fn kind(bare: &str) -> Option<usize> {
    ALWAYS.iter().position(|names| phrases(names).iter().any(|name| normal(name) == bare))
}

/// A list that was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The list before; `None` when it was not kept yet.
    pub before: Option<StoredList>,
    /// Its name.
    pub name: String,
    /// What became of it.
    pub edited: Edited,
}

/// The lists that Hark keeps itself.
pub struct Lists {
    store: Arc<dyn ListStore>,
    /// Those of the home's file, as they are until something is changed.
    declared: Vec<StoredList>,
    /// How lists are called where none of them has a name yet.
    words: &'static Words,
    /// Held from reading to writing.
    turn: Mutex<()>,
}

impl Lists {
    /// The lists of the store, and those of the home's file that have not been changed yet, in a house that speaks
    /// `language` (a tag such as `en`).
    pub fn new(store: Arc<dyn ListStore>, declared: &[HomeList], language: &str) -> Self {
        let words = &hark_language::of(language).tools.lists;
        let stored = |list: &HomeList| StoredList {
            name: list.name.clone(),
            items: list.items.iter().map(|text| ListItem { text: text.clone(), done: false }).collect(),
        };
        Self { store, declared: declared.iter().map(stored).collect(), words, turn: Mutex::new(()) }
    }

    /// Name of the list that is meant when none is named; empty in a language without words for it.
    pub fn usual(&self) -> &'static str {
        self.words.shopping.first().copied().unwrap_or_default()
    }

    /// Name of the list of songs that were liked; empty in a language without words for it.
    pub fn favourites(&self) -> &'static str {
        self.words.favourites.text()
    }

    /// All of them, those of the home's file first.
    ///
    /// # Errors
    /// `Store`.
    pub fn all(&self) -> Result<Vec<StoredList>, ListError> {
        let mut all = self.declared.clone();
        for list in self.store.lists().map_err(ListError::Store)? {
            match all.iter_mut().find(|known| known.name == list.name) {
                Some(known) => *known = list,
                None => all.push(list),
            }
        }
        Ok(all)
    }

    /// The list that is meant; without a name the usual one.
    ///
    /// # Errors
    /// `NoSuchList`, `Store`.
    pub fn find(&self, asked: Option<&str>) -> Result<StoredList, ListError> {
        let name = asked.unwrap_or(self.usual());
        let found = self.all()?.into_iter().find(|list| is_called(&list.name, name));
        let empty = || {
            let names = ALWAYS.iter().filter_map(|names| names(self.words).first().copied());
            let known = names.into_iter().find(|known| is_called(known, name))?;
            Some(StoredList { name: known.to_owned(), items: Vec::new() })
        };
        found.or_else(empty).ok_or_else(|| ListError::NoSuchList(name.to_owned()))
    }

    /// Changes the list that is meant.
    ///
    /// # Errors
    /// `NoSuchList`, `NoSuchItem`, `Full`, `Store`.
    pub fn edit(&self, asked: Option<&str>, edit: &Edit) -> Result<Change, ListError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let list = self.find(asked)?;
        let edited = edit.apply(&list.name, &list.items)?;
        let name = list.name.clone();
        if edited.changed {
            let after = StoredList { name: name.clone(), items: edited.items.clone() };
            self.store.save_list(&after).map_err(ListError::Store)?;
        }
        Ok(Change { before: Some(list), name, edited })
    }

    /// Makes an empty list.
    ///
    /// # Errors
    /// `Exists`, `TooMany`, `Store`.
    pub fn create(&self, name: &str) -> Result<Change, ListError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let all = self.all()?;
        if let Some(known) = all.iter().find(|list| is_called(&list.name, name)) {
            return Err(ListError::Exists(known.name.clone()));
        }
        if all.len() >= MAX_LISTS {
            return Err(ListError::TooMany);
        }
        let list = StoredList { name: capitalised(name), items: Vec::new() };
        self.store.save_list(&list).map_err(ListError::Store)?;
        let edited = Edited { items: Vec::new(), touched: Vec::new(), already: Vec::new(), changed: true };
        Ok(Change { before: None, name: list.name, edited })
    }

    /// Takes a change of a list back: it was `before`, and the change left `after` on it. What has been done to
    /// it since stays. `None` takes the list of this name away.
    ///
    /// # Errors
    /// `NotEmpty`, `Store`.
    pub fn take_back(
        &self,
        name: &str,
        before: Option<&StoredList>,
        after: &[ListItem],
    ) -> Result<(), ListError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.all()?.into_iter().find(|list| list.name == name).map(|list| list.items);
        let now = now.unwrap_or_default();
        let done = match before {
            Some(list) => {
                let items = merged(after, &list.items, &now);
                self.store.save_list(&StoredList { name: name.to_owned(), items })
            }
            None if now.is_empty() => self.store.remove_list(name),
            None => return Err(ListError::NotEmpty(name.to_owned())),
        };
        done.map_err(ListError::Store)
    }
}

/// What is on a list `now` with the change that made `to` of `from`; all else stays as it is, and what has been changed
/// already is not changed once more.
pub fn merged(from: &[ListItem], to: &[ListItem], now: &[ListItem]) -> Vec<ListItem> {
    let named = |items: &[ListItem]| -> Vec<(String, ListItem)> {
        items.iter().map(|item| (bare(&item.text), item.clone())).collect()
    };
    let number = |items: &[(String, ListItem)], name: &str, done: bool| {
        items.iter().filter(|(other, item)| other == name && item.done == done).count()
    };
    let (from, to, mut items) = (named(from), named(to), named(now));
    for (at, (name, item)) in to.iter().enumerate() {
        let wanted = number(&to, name, item.done);
        if number(&from, name, item.done) >= wanted || number(&items, name, item.done) >= wanted {
            continue;
        }
        let other = items.iter().position(|(other, has)| other == name && has.done != item.done);
        let is_spare = number(&items, name, !item.done) > number(&to, name, !item.done);
        match other.filter(|_| is_spare) {
            Some(other) => items[other].1.done = item.done,
            None => {
                let place = |name: &str| items.iter().position(|(other, _)| other == name);
                let behind = to[..at].iter().rev().find_map(|(earlier, _)| place(earlier));
                items.insert(behind.map_or(0, |behind| behind + 1), (name.clone(), item.clone()));
            }
        }
    }
    for (name, item) in &from {
        let wanted = number(&to, name, item.done);
        if number(&from, name, item.done) > wanted && number(&items, name, item.done) > wanted {
            let place = items.iter().position(|(other, has)| other == name && has.done == item.done);
            place.map(|place| items.remove(place));
        }
    }
    items.into_iter().map(|(_, item)| item).collect()
}

/// "christmas presents list" becomes "Christmas presents".
fn capitalised(name: &str) -> String {
    let bare = without_list(name.trim());
    let bare = bare.trim();
    let mut letters = bare.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

impl From<ListError> for Fault {
    fn from(error: ListError) -> Self {
        match error {
            ListError::Store(fault) => fault,
            other => Fault::new(FaultKind::BadInput, "lists", other.to_string(), "ask which lists there are"),
        }
    }
}

#[cfg(test)]
#[path = "lists_tests.rs"]
mod tests;
