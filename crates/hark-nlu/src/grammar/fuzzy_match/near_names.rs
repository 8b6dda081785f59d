//! Names that may have been meant by words that are near them.

use crate::grammar::views::Entry;
use std::rc::Rc;
use std::sync::Arc;

/// How a name was recognised, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// The same words in another order or number: "lamp in the bedroom", "the lamps".
    Form,
    /// It sounds like it: "kitchin light".
    Sound,
    /// Some of its words: "the coffee" for "coffee machine".
    Part,
    /// It means the same: "the telly".
    Meaning,
    /// It is no name of the home, but stands where one belongs: nothing may be done with it.
    Unknown,
}

/// A name that fits a stretch of words.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    /// The name.
    pub entry: Arc<Entry>,
    /// How it was recognised.
    pub how: Nearness,
    /// How well, 0 to 1.
    pub score: f32,
}

/// Names that fit a stretch of words, the best first; all of one list and one nearness.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    /// First word.
    pub start: usize,
    /// Word after the last.
    pub end: usize,
    /// Which list of the home.
    pub list: u8,
    /// The names.
    pub candidates: Vec<Candidate>,
}

impl Span {
    /// The domain of the best of its names.
    pub fn domain(&self) -> Option<&str> {
        self.candidates.first()?.entry.context.get("domain")?.as_str()
    }
}

/// Names that some words may be, with the numbers of their lists.
pub(in crate::grammar) type NamesFound = Rc<[(u8, Candidate)]>;
