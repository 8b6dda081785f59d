//! Pieces of text as numbers while templates are compiled: what stands without a blank, such as "light" and "lights".

use super::words::{QuickMap, WordId, Words};
use crate::text;
use hark_language::Lexicon;
use std::sync::Arc;

/// A piece of text.
pub type TextId = u32;

/// Every piece of text, each with a number.
#[derive(Default)]
pub struct Texts {
    texts: Words,
    /// What two pieces are together.
    joined: QuickMap<(TextId, TextId), TextId>,
    /// The words of pieces, where they were asked for.
    spoken: QuickMap<TextId, Arc<[WordId]>>,
}

impl Texts {
    /// The number of a piece, new or known.
    pub fn intern(&mut self, text: &str) -> TextId {
        self.texts.intern(text)
    }

    /// The piece of a number that came from this table.
    pub fn text(&self, id: TextId) -> &str {
        self.texts.text(id)
    }

    /// One piece with another hung on to it.
    pub fn join(&mut self, text: TextId, more: TextId) -> TextId {
        let texts = &mut self.texts;
        *self.joined.entry((text, more)).or_insert_with(|| {
            let both = [texts.text(text), texts.text(more)].concat();
            texts.intern(&both)
        })
    }

    /// The words of a piece, as numbers of `words`.
    pub fn spoken(&mut self, id: TextId, words: &mut Words, lexicon: &'static Lexicon) -> Arc<[WordId]> {
        let text = self.texts.text(id);
        let spoken = || text::words(text, lexicon).iter().map(|word| words.intern(word)).collect();
        Arc::clone(self.spoken.entry(id).or_insert_with(spoken))
    }
}
