//! The best match of which something can be made: what a sentence means to its templates is not always all that counts.

use super::{Grammar, Match, Part, Reader};
use crate::text;
use chrono::NaiveDateTime;
use hark_core::Effort;

impl Grammar {
    /// What `read` makes of the best match of a text of which it makes something. Times are reckoned from 1970.
    pub(crate) fn parse_such<T>(&self, text: &str, read: impl Fn(&Match) -> Option<T>) -> Option<T> {
        let effort = Effort::default();
        let reader = Reader::new(self, NaiveDateTime::default(), &effort);
        let tokens = text::tokenise(text, self.lexicon);
        let may = |template, found: &super::Found| {
            let words = found.words(&tokens);
            let finished = self.finish(&self.meanings[template as usize], found.clone(), 0);
            read(&Match { words, ..finished }).is_some()
        };
        let found = reader.best_of(Part::Request, text, &tokens, &[], true, may)?;
        read(&found).filter(|_| !effort.is_spent())
    }
}
