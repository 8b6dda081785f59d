//! Requests with the words marked that fill slots, as the sentences of a home read them: what the tagger learns from.

use super::Grammar;
use super::parse_result::Took;
use super::reader::Reader;
use crate::text;
use chrono::NaiveDateTime;
use hark_core::{Effort, SlotSpan};

/// Slot of words of a sentence itself that say what kind of thing is meant: "the lights".
const KIND: &str = "kind";

/// Words at most that name a kind: "air conditioner".
const KIND_WORDS: usize = 3;

/// How the sentences read a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// Name of the intent.
    pub intent: String,
    /// The words that fill slots or name a kind of thing, in order.
    pub spans: Vec<SlotSpan>,
}

impl Grammar {
    /// How the sentences read a text word by word; `None` where none accepts it. The words are those of
    /// [`text::words`].
    pub fn annotate(&self, text: &str) -> Option<Annotation> {
        let effort = Effort::default();
        let tokens = text::tokenise(text, self.lexicon());
        let found = Reader::new(self, NaiveDateTime::default(), &effort).exactly(text, &tokens)?;
        let words: Vec<&str> = found.words.iter().map(|(word, _)| word.as_str()).collect();
        let is_free = |at: usize| found.words[at].1 == Took::Meant && !SlotSpan::any_has(&found.spans, at);
        let mut spans = self.kinds(&words, is_free);
        spans.extend(found.spans.iter().cloned());
        spans.sort_by_key(|span| span.start);
        (!effort.is_spent()).then_some(Annotation { intent: found.intent, spans })
    }

    /// The stretches of words that name a kind of thing, of those that `may` be in one.
    pub fn kinds(&self, words: &[&str], may: impl Fn(usize) -> bool) -> Vec<SlotSpan> {
        let mut spans = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let lengths = (1..=KIND_WORDS.min(words.len() - at)).rev();
            let named = |end: &usize| (at..*end).all(&may) && self.is_a_kind(&words[at..*end]);
            let end = lengths.map(|length| at + length).find(named);
            if let Some(end) = end {
                spans.push(SlotSpan { slot: KIND.to_owned(), start: at, end });
            }
            at = end.unwrap_or(at + 1);
        }
        spans
    }
}
