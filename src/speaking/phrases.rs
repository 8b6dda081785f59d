//! Cuts a reply into phrases while it is still being written, so that the first can sound while the
//! next is being made.
//!
//! The text comes in pieces of any size, such as a language model's tokens. Every decision looks at a
//! bounded stretch of text and waits until it is there, so the phrases are the same however the
//! text was split. Sentences are always cut; clauses only where that makes sound begin earlier, or a
//! sentence is long.

mod ends;

use super::language::Language;
use ends::{Place, Verdict};

/// A phrase is not longer than this many characters: some 15 s of speech, which bounds what one
/// synthesis makes in one go.
pub const MAX_PHRASE_CHARS: usize = 240;

/// The first phrase of a text may end at a clause after this many characters: about a second and a
/// half of sound, in which the next phrase is made.
const FIRST_CLAUSE_CHARS: usize = 24;

/// Later phrases end at a clause only after this many: shorter ones would sound chopped.
const CLAUSE_CHARS: usize = 90;

/// How a phrase ends; it decides the pause behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhraseEnd {
    /// A sentence, a line or the whole text is over.
    Sentence,
    /// The sentence goes on.
    Clause,
}

/// A piece of text that is synthesised at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    /// Not blank; no white space at its ends.
    pub text: String,
    /// How it ends.
    pub end: PhraseEnd,
}

/// Cuts one text after the other.
#[derive(Debug)]
pub struct PhraseCutter {
    language: Option<&'static Language>,
    /// What is not cut yet; begins with no white space.
    rest: String,
    /// Bytes and characters of it that are known to hold no end.
    scanned: usize,
    scanned_chars: usize,
    /// Whether nothing of this text was cut yet.
    first: bool,
}

impl PhraseCutter {
    /// A cutter for texts in `language` (an ISO 639-1 tag; one without tables has no abbreviations).
    pub fn new(language: &str) -> Self {
        let language = Language::of(language);
        Self { language, rest: String::new(), scanned: 0, scanned_chars: 0, first: true }
    }

    /// Takes more of the text; answers the phrases that are complete now.
    pub fn push(&mut self, piece: &str) -> Vec<Phrase> {
        if self.rest.is_empty() {
            self.rest.push_str(piece.trim_start());
        } else {
            self.rest.push_str(piece);
        }
        self.cut(false)
    }

    /// The text is over: answers what is left of it, and is ready for another text.
    pub fn finish(&mut self) -> Vec<Phrase> {
        let phrases = self.cut(true);
        *self =
            Self { language: self.language, rest: String::new(), scanned: 0, scanned_chars: 0, first: true };
        phrases
    }

    fn cut(&mut self, finished: bool) -> Vec<Phrase> {
        let mut phrases = Vec::new();
        while let Some((bytes, end)) = self.next_end(finished) {
            self.take(bytes, end, &mut phrases);
        }
        if finished {
            self.take(self.rest.len(), PhraseEnd::Sentence, &mut phrases);
        }
        phrases
    }

    /// Where the phrase at the start of `rest` ends, as far as that is known.
    fn next_end(&mut self, finished: bool) -> Option<(usize, PhraseEnd)> {
        while let Some(mark) = self.rest[self.scanned..].chars().next() {
            if self.scanned_chars == MAX_PHRASE_CHARS {
                return Some((forced_cut(&self.rest[..self.scanned]), PhraseEnd::Clause));
            }
            let place = Place { text: &self.rest, at: self.scanned, finished, language: self.language };
            let shortest = if self.first { FIRST_CLAUSE_CHARS } else { CLAUSE_CHARS };
            match place.verdict(mark, self.scanned_chars >= shortest) {
                Verdict::Sentence(bytes) => return Some((bytes, PhraseEnd::Sentence)),
                Verdict::Clause(bytes) => return Some((bytes, PhraseEnd::Clause)),
                Verdict::No => {
                    self.scanned += mark.len_utf8();
                    self.scanned_chars += 1;
                }
                Verdict::Wait => return None,
            }
        }
        None
    }

    fn take(&mut self, bytes: usize, end: PhraseEnd, phrases: &mut Vec<Phrase>) {
        let text = self.rest[..bytes].trim();
        if !text.is_empty() {
            phrases.push(Phrase { text: text.to_owned(), end });
            self.first = false;
        }
        self.rest = self.rest[bytes..].trim_start().to_owned();
        (self.scanned, self.scanned_chars) = (0, 0);
    }
}

/// The phrases of a whole text. Joined with single spaces they are the text again, apart from its
/// white space. Empty for blank text.
pub fn phrases(text: &str, language: &str) -> Vec<Phrase> {
    let mut cutter = PhraseCutter::new(language);
    let mut phrases = cutter.push(text);
    phrases.extend(cutter.finish());
    phrases
}

/// Where to cut `head`, which is as long as a phrase may be: behind the last clause mark, else at the
/// last space, else at its end.
fn forced_cut(head: &str) -> usize {
    let after_mark = head
        .rmatch_indices([',', ';', ':'])
        .map(|(at, _)| at + 1)
        .find(|&at| at > head.len() / 3 && head[at..].starts_with(char::is_whitespace));
    after_mark.or_else(|| head.rfind(char::is_whitespace).filter(|&at| at > 0)).unwrap_or(head.len())
}

#[cfg(test)]
mod tests;
