//! Cuts a reply into phrases while it is still being written, so that the first can sound while the
//! next is being made.
//!
//! The text comes in pieces of any size, such as a language model's tokens. Every decision looks at a
//! bounded stretch of text and waits until it is there, so the phrases are the same however the
//! text was split. Sentences are always cut; clauses only where that makes sound begin earlier, or a
//! sentence is long.

mod ends;

use super::language::Language;
use super::markdown::Markdown;
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
    language: Option<Language>,
    /// Takes out what is no words.
    marks: Markdown,
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
        let marks = Markdown::new(language);
        Self { language, marks, rest: String::new(), scanned: 0, scanned_chars: 0, first: true }
    }

    /// Takes more of the text; answers the phrases that are complete now.
    pub fn push(&mut self, piece: &str) -> Vec<Phrase> {
        self.push_before(piece, "")
    }

    /// The same, where it is known how the text goes on behind the piece, though not yet that this is to be said:
    /// what follows tells whether something ends.
    pub fn push_before(&mut self, piece: &str, ahead: &str) -> Vec<Phrase> {
        let piece = self.marks.push(piece);
        let ahead = self.marks.clone().push(ahead);
        self.rest.push_str(if self.rest.is_empty() { piece.trim_start() } else { &piece });
        let mut own = self.rest.len();
        self.rest.push_str(if own == 0 { ahead.trim_start() } else { &ahead });
        let phrases = self.cut(false, &mut own);
        self.rest.truncate(own);
        phrases
    }

    /// The text is over: answers what is left of it, and is ready for another text.
    pub fn finish(&mut self) -> Vec<Phrase> {
        let left = self.marks.finish();
        self.rest.push_str(if self.rest.is_empty() { left.trim_start() } else { &left });
        let mut own = self.rest.len();
        let phrases = self.cut(true, &mut own);
        let marks = Markdown::new(self.language);
        let (language, rest) = (self.language, String::new());
        *self = Self { language, marks, rest, scanned: 0, scanned_chars: 0, first: true };
        phrases
    }

    /// `own`: how many bytes of `rest` are to be said; kept in step with it.
    fn cut(&mut self, finished: bool, own: &mut usize) -> Vec<Phrase> {
        let mut phrases = Vec::new();
        while let Some((bytes, end)) = self.next_end(finished, *own) {
            *own = own.saturating_sub(self.take(bytes, end, &mut phrases));
        }
        if finished {
            self.take(self.rest.len(), PhraseEnd::Sentence, &mut phrases);
        }
        phrases
    }

    /// Where the phrase at the start of `rest` ends, as far as that is known and within its `own` bytes.
    fn next_end(&mut self, finished: bool, own: usize) -> Option<(usize, PhraseEnd)> {
        let found = self.scan(finished, own)?;
        (found.0 <= own).then_some(found)
    }

    fn scan(&mut self, finished: bool, own: usize) -> Option<(usize, PhraseEnd)> {
        while self.scanned < own {
            let mark = self.rest[self.scanned..].chars().next()?;
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

    /// Takes a phrase of `bytes` off; answers how many bytes that were with the white space behind it.
    fn take(&mut self, bytes: usize, end: PhraseEnd, phrases: &mut Vec<Phrase>) -> usize {
        let text = self.rest[..bytes].trim();
        if !text.is_empty() {
            phrases.push(Phrase { text: text.to_owned(), end });
            self.first = false;
        }
        let rest = self.rest[bytes..].trim_start().to_owned();
        let taken = self.rest.len() - rest.len();
        self.rest = rest;
        (self.scanned, self.scanned_chars) = (0, 0);
        taken
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
