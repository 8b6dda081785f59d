//! Which marks end a sentence or a clause, and which only look like it.
//!
//! Every answer but `Wait` would be the same with more text behind; `Wait` is never answered for a
//! text that is finished. The property test in `tests` holds this to it.

use super::Language;

/// A clause is cut only when this many characters follow in the same sentence: a single word on its
/// own would sound lost.
const CLAUSE_TAIL_CHARS: usize = 12;

/// More closing quotes and brackets than this behind a mark are noise.
const MAX_CLOSING: usize = 4;

/// What a mark is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The sentence ends; with this many bytes of the text.
    Sentence(usize),
    /// A clause ends.
    Clause(usize),
    /// Nothing ends here.
    No,
    /// More text is needed to tell.
    Wait,
}

/// What follows the mark, as far as it is there.
enum Next {
    /// The text is over.
    Nothing,
    /// More text may come.
    Unknown,
    /// No space in between.
    Attached,
    /// A line break comes first.
    NewLine,
    /// This character, after a space.
    Apart(char),
}

/// A place in the text of a phrase.
pub(super) struct Place<'a> {
    /// From the start of the phrase as far as it is there.
    pub(super) text: &'a str,
    /// Where the mark is.
    pub(super) at: usize,
    /// Whether nothing will follow.
    pub(super) finished: bool,
    pub(super) language: Option<Language>,
}

impl Place<'_> {
    /// What the character `mark` at this place is; clauses count only when they `may` be cut.
    pub(super) fn verdict(&self, mark: char, clauses: bool) -> Verdict {
        let after = self.at + mark.len_utf8();
        match mark {
            '\n' => Verdict::Sentence(after),
            '。' | '！' | '？' => self.wide(after),
            '.' | '!' | '?' | '…' => self.stop(mark, after),
            ',' | ';' | ':' | '–' | '—' | '-' if clauses => self.clause(mark, after),
            _ => Verdict::No,
        }
    }

    /// Ends without a space behind them, in scripts that write none.
    fn wide(&self, after: usize) -> Verdict {
        match self.closed(after) {
            Some(after) => Verdict::Sentence(after),
            None => Verdict::Wait,
        }
    }

    fn stop(&self, mark: char, after: usize) -> Verdict {
        match self.text[after..].chars().next() {
            // In a run like "?!" or "..." the last mark decides.
            Some('.' | '!' | '?' | '…') => return Verdict::No,
            None if !self.finished => return Verdict::Wait,
            _ => {}
        }
        let Some(end) = self.closed(after) else { return Verdict::Wait };
        let word = self.word_before();
        let trailing_off = mark == '…' || (mark == '.' && self.text[..self.at].ends_with('.'));
        // "What? no" are two; but: "Why?" he asked.
        let exclaimed = mark != '.' && !trailing_off && end == after;
        match self.next(end) {
            Next::Unknown => Verdict::Wait,
            Next::Attached => Verdict::No,
            Next::Nothing | Next::NewLine => Verdict::Sentence(end),
            Next::Apart(_) if exclaimed => Verdict::Sentence(end),
            Next::Apart(next) if next.is_lowercase() => Verdict::No,
            Next::Apart(next) if mark == '.' && !trailing_off => self.full_stop(word, next, end),
            Next::Apart(_) => Verdict::Sentence(end),
        }
    }

    /// A full stop with `word` in front and something that is not lower-case behind a space.
    fn full_stop(&self, word: &str, next: char, end: usize) -> Verdict {
        let ends = Verdict::Sentence(end);
        if !word.is_empty() && word.chars().all(|c| c.is_ascii_digit()) {
            return match self.is_ordinal(word, next) {
                Some(true) => Verdict::No,
                Some(false) => ends,
                None => Verdict::Wait,
            };
        }
        let lower = word.to_lowercase();
        let is_word = self.language.is_some_and(|language| language.speech.stops.letters.contains(word));
        if word.chars().count() == 1 && word.chars().all(char::is_alphabetic) && !is_word {
            return Verdict::No;
        }
        let Some(language) = self.language else { return ends };
        let stops = &language.speech.stops;
        let lower = lower.as_str();
        if stops.always.contains(lower) {
            return Verdict::No;
        }
        if stops.before_number.contains(lower) && next.is_ascii_digit() {
            return Verdict::No;
        }
        if stops.before_weekday.contains(lower) {
            // "at 7 a.m. Monday" goes on.
            return match self.word_after(end) {
                None => Verdict::Wait,
                Some(day) if language.speech.dates.weekday(day).is_some() => Verdict::No,
                Some(_) => ends,
            };
        }
        ends
    }

    /// Whether a number with a full stop is an item of a list or an ordinal. `None`: not known yet.
    fn is_ordinal(&self, word: &str, next: char) -> Option<bool> {
        let before = self.text[..self.at].trim_end_matches(word);
        if before.is_empty() {
            return Some(true);
        }
        let Some(language) = self.language else { return Some(false) };
        let previous = last_word(before).to_lowercase();
        if language.speech.ordinals.after.contains(previous.as_str()) {
            return Some(true);
        }
        if !next.is_alphabetic() {
            return Some(false);
        }
        let month = self.word_after(self.at + 1)?;
        Some(language.speech.dates.month(month).is_some())
    }

    fn clause(&self, mark: char, after: usize) -> Verdict {
        let before = self.text[..self.at].chars().next_back();
        let dash = matches!(mark, '–' | '—' | '-');
        if dash && !before.is_some_and(char::is_whitespace) {
            return Verdict::No;
        }
        let Some(end) = self.closed(after) else { return Verdict::Wait };
        match self.next(end) {
            Next::Unknown => Verdict::Wait,
            Next::Nothing | Next::Attached | Next::NewLine => Verdict::No,
            // "November 21, 2026" and "1, 2, 3".
            Next::Apart(next) if next.is_ascii_digit() && before.is_some_and(|c| c.is_ascii_digit()) => {
                Verdict::No
            }
            Next::Apart(_) => self.with_tail(end),
        }
    }

    /// A clause, if enough of the sentence follows.
    fn with_tail(&self, end: usize) -> Verdict {
        let tail = self.text[end..].trim_start();
        let mut chars = 0;
        for character in tail.chars().take(CLAUSE_TAIL_CHARS) {
            if matches!(character, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '\n') {
                return Verdict::No;
            }
            chars += 1;
        }
        match chars {
            CLAUSE_TAIL_CHARS => Verdict::Clause(end),
            _ if self.finished => Verdict::No,
            _ => Verdict::Wait,
        }
    }

    /// The place behind the quotes and brackets that belong to what ends here; `None`: more may come.
    fn closed(&self, after: usize) -> Option<usize> {
        let rest = &self.text[after..];
        let marks: usize =
            rest.chars().take(MAX_CLOSING).take_while(|c| is_closing(*c)).map(char::len_utf8).sum();
        let all = rest[..marks].chars().count() == MAX_CLOSING;
        if marks < rest.len() || all || self.finished { Some(after + marks) } else { None }
    }

    fn next(&self, after: usize) -> Next {
        let rest = &self.text[after..];
        let gap = rest.len() - rest.trim_start().len();
        if rest[..gap].contains('\n') {
            return Next::NewLine;
        }
        match rest[gap..].chars().next() {
            Some(_) if gap == 0 => Next::Attached,
            Some(next) => Next::Apart(next),
            None if self.finished => Next::Nothing,
            None => Next::Unknown,
        }
    }

    /// The word that the mark is attached to, without opening quotes and brackets.
    fn word_before(&self) -> &str {
        last_word(&self.text[..self.at])
    }

    /// The next word behind `after`; `None` when its end is not there yet.
    fn word_after(&self, after: usize) -> Option<&str> {
        let rest = self.text[after..].trim_start();
        match rest.find(|c: char| !c.is_alphanumeric()) {
            Some(end) => Some(&rest[..end]),
            None if self.finished => Some(rest),
            None => None,
        }
    }
}

fn last_word(text: &str) -> &str {
    let word = text.trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
    word.trim_start_matches(|c: char| matches!(c, '(' | '[' | '„' | '‚' | '¿' | '¡' | '-') || is_closing(c))
}

fn is_closing(character: char) -> bool {
    matches!(
        character,
        '"' | '”' | '“' | '’' | '‘' | '\'' | ')' | ']' | '»' | '«' | '›' | '‹' | '」' | '』' | '）'
    )
}
