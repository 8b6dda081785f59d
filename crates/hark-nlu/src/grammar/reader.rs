//! Reads one request: the same words are asked for in many places of it, and are read once. All of it shares one effort;
//! when that is spent nothing more is found, and what was found before is for nobody to use.

use super::fuzzy_match::{Candidate as NameCandidate, Span};
use super::parse::{Chart, ChartKey, Match};
use super::{Grammar, Part};
use crate::impossible::Impossible;
use crate::intent::category_of;
use crate::qualifiers::Qualifiers;
use crate::request_framing::Speech;
use crate::rules::{self, Prefer, Reckoning, Rule};
use crate::sentences::model::Ruled;
use crate::text::{self, Token};
use chrono::NaiveDateTime;
use hark_core::automation::intent::{COMMAND, TO_IT};
use hark_core::ports::{Candidate, Candidates};
use hark_core::{Category, Effort};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// Letters that are taken apart into words in one step.
const LETTERS_A_STEP: usize = 4;

/// Steps that it takes to try a rule, and for each word of what it finds.
const RULE_STEPS: usize = 4;

/// Most times that candidates are asked for while one text is read; each time takes some milliseconds.
const MOST_ASKED: usize = 12;

/// Fewest words of a request that no template accepts.
const FEWEST_WORDS: usize = 2;

/// How some words are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum How {
    /// Word by word.
    Exactly,
    /// The same, and no part may be any words.
    Tamely,
    /// As something to be done now.
    AtOnce,
    /// Names may be said otherwise.
    Nearly,
    /// The same, beside the reason for it.
    WithReason,
    /// As a part of a request.
    Part(Part, bool),
    /// As what it may mean.
    Likely,
}

/// What a rule makes of some words, and how many of them it takes.
pub(super) type RuledPieces = Vec<(rules::Found, usize)>;

/// The same of each rule that was asked for.
type RuledHere = Vec<(Ruled, Rc<RuledPieces>)>;

/// Names that some words may be, with the numbers of their lists.
pub(super) type NamesFound = Rc<[(u8, NameCandidate)]>;

/// See the module.
pub(crate) struct Reader<'r> {
    /// The sentences.
    pub(crate) grammar: &'r Grammar,
    /// From when times are reckoned.
    pub(crate) now: NaiveDateTime,
    effort: &'r Effort,
    /// Tells the candidate intents of a request that no template accepts; `None` where there is no classifier.
    candidates: Option<Candidates<'r>>,
    pub(super) caches: Rc<Caches>,
}

/// What was found already.
#[derive(Default)]
pub(super) struct Caches {
    /// What was read, by how, words and text.
    known: RefCell<HashMap<(How, String), Option<Match>>>,
    /// Sentences whose beginnings and parts are asked for.
    sentences: RefCell<Vec<Vec<String>>>,
    /// What was parsed, word by word.
    pub(super) charts: RefCell<HashMap<ChartKey, Vec<Rc<Chart>>>>,
    /// What rules make of the words from some place on, by these words.
    ruled: RefCell<HashMap<Rc<str>, RuledHere>>,
    /// Names that sound or look like some words, by these words.
    pub(super) near: RefCell<HashMap<String, NamesFound>>,
    /// Names that mean the same as some words.
    pub(super) meant: RefCell<HashMap<String, NamesFound>>,
    /// How alike words that were looked up are to each word that names are made of.
    pub(super) looked_up: RefCell<HashMap<String, Vec<f32>>>,
    /// How many times candidates were asked for.
    asked: Cell<usize>,
}

impl<'r> Reader<'r> {
    pub(crate) fn new(grammar: &'r Grammar, now: NaiveDateTime, effort: &'r Effort) -> Self {
        Self { grammar, now, effort, candidates: None, caches: Rc::default() }
    }

    /// The same, with candidate intents for requests that no template accepts.
    pub(crate) fn with_candidates(self, candidates: Candidates<'r>) -> Self {
        Self { candidates: Some(candidates), ..self }
    }

    /// Reads other words of the same request with a part of the effort that is left: where that does not suffice, what was
    /// found before still counts.
    pub(crate) fn within_half<T>(&self, read: impl FnOnce(&Reader<'_>) -> T) -> T {
        self.effort.share(self.effort.left() / 2, |effort| {
            read(&Reader { effort, caches: Rc::clone(&self.caches), ..*self })
        })
    }

    /// Reads some words as they are meant at another time.
    pub(crate) fn at_time<T>(&self, now: NaiveDateTime, read: impl FnOnce(&Reader<'_>) -> T) -> T {
        read(&Reader { now, caches: Rc::default(), ..*self })
    }

    /// Notes a sentence whose parts will be asked for: a part is then parsed together with what stands behind it, so that
    /// the longer parts that begin there cost nothing.
    pub(crate) fn expect_parts(&self, tokens: &[Token]) {
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        if self.spend(words.len())
            && !self.caches.sentences.borrow().iter().any(|known| at(known, &words).is_some())
        {
            self.caches.sentences.borrow_mut().push(words.into_iter().map(str::to_owned).collect());
        }
    }

    /// What stands behind some words in such a sentence.
    pub(super) fn goes_on(&self, words: &[&str]) -> Vec<String> {
        let sentences = self.caches.sentences.borrow();
        let behind =
            sentences.iter().find_map(|known| Some(known[at(known, words)? + words.len()..].to_vec()));
        behind.unwrap_or_default()
    }

    /// Takes some steps; false when nothing is left.
    pub(crate) fn spend(&self, steps: usize) -> bool {
        self.effort.spend(steps as u64)
    }

    /// Makes ready what reading needs: its time does not count.
    pub(super) fn apart<T>(&self, work: impl FnOnce() -> T) -> T {
        self.effort.apart(work)
    }

    /// Whether whatever was found counts for nothing.
    pub(crate) fn is_spent(&self) -> bool {
        self.effort.is_spent()
    }

    /// The words of a text that was put together; none when nothing is left.
    pub(crate) fn tokenise(&self, text: &str) -> Vec<Token> {
        let lexicon = self.grammar.lexicon();
        if self.spend(1 + text.len() / LETTERS_A_STEP) { text::tokenise(text, lexicon) } else { Vec::new() }
    }

    /// The best match of some tokens of `text`.
    pub(crate) fn exactly(&self, text: &str, tokens: &[Token]) -> Option<Match> {
        self.once(How::Exactly, text, tokens, || self.parse_with(text, tokens, &[]))
    }

    /// The same where no part of it may be any words: what [`Reader::exactly`] finds, if it has none.
    pub(crate) fn tamely(&self, text: &str, tokens: &[Token]) -> Option<Match> {
        self.once(How::Tamely, text, tokens, || self.best_tame(text, tokens))
    }

    /// The same of what is to be done now.
    pub(super) fn at_once(&self, text: &str, tokens: &[Token]) -> Option<Match> {
        let read = |tokens| self.best(text, tokens, &[], |found| !found.slots.contains_key(COMMAND));
        // "Open them *again*."
        let plainly = || {
            let found = read(Speech { reader: self, text, tokens }.without_courtesies_behind()?);
            found.filter(|found| found.intent == TO_IT)
        };
        self.once(How::AtOnce, text, tokens, || read(tokens).or_else(plainly))
    }

    /// The best match of some tokens of `text`, none of which need name a thing exactly.
    pub(crate) fn nearly(&self, text: &str, tokens: &[Token]) -> Option<Match> {
        let read =
            |spans: Vec<Span>| (!spans.is_empty()).then(|| self.parse_with(text, tokens, &spans)).flatten();
        let by_name = || read(self.near_spans(tokens));
        self.once(How::Nearly, text, tokens, || by_name().or_else(|| read(self.meaning_spans(tokens))))
    }

    /// What `read` makes of some tokens of `text`, which are one of several requests, perhaps beside the reason for it.
    pub(crate) fn with_reason(
        &self,
        text: &str,
        tokens: &[Token],
        read: impl FnOnce() -> Option<Match>,
    ) -> Option<Match> {
        self.once(How::WithReason, text, tokens, read)
    }

    /// The best match of some tokens of `text` as a part of a request; `nearly`: names may be said otherwise.
    pub(crate) fn part(&self, part: Part, nearly: bool, text: &str, tokens: &[Token]) -> Option<Match> {
        self.once(How::Part(part, nearly), text, tokens, || self.best_part(part, nearly, text, tokens))
    }

    /// What some tokens of `text` may mean that no template accepts: the likeliest intent whose slots they fill, and nothing
    /// of which is left out.
    pub(crate) fn likely(&self, text: &str, tokens: &[Token]) -> Option<Match> {
        let candidates = self.candidates?;
        let (first, last) = (tokens.first()?, tokens.last()?);
        self.once(How::Likely, text, tokens, || {
            let speech = Speech { reader: self, text, tokens };
            let connectors = self.grammar.lexicon().requests.connectors;
            // What may be several requests is not taken for one: another would be passed over.
            let joins = |at: usize| connectors.contains(&tokens[at].word) || speech.pauses_before(at);
            let is_several = (1..tokens.len()).any(joins);
            if is_several || tokens.len() < FEWEST_WORDS || speech.is_remark(&speech.words()) {
                return None;
            }
            let asked = self.caches.asked.get();
            self.caches.asked.set(asked + 1);
            if asked >= MOST_ASKED {
                return None;
            }
            let said = &text[first.start..last.end];
            candidates(said, self.effort).iter().find_map(|candidate| self.filled(said, candidate))
        })
    }

    /// The intent with its slots, where it can be carried out and nothing was passed over that limits it.
    fn filled(&self, text: &str, candidate: &Candidate) -> Option<Match> {
        let tokens = self.tokenise(text);
        let marks = candidate.spans.as_deref();
        let marked = marks.and_then(|marks| self.fill_marked(&candidate.intent, text, marks));
        let found = marked.or_else(|| self.fill(&candidate.intent, text, None))?;
        let possible = Impossible::of(self, text, &tokens).refuse(std::slice::from_ref(&found)).is_none();
        let qualifiers = Qualifiers::of(self, text, &tokens);
        let is_talk = category_of(&found.intent) == Some(Category::Conversation);
        let is_whole = !is_talk
            && !self.loses_day(&tokens, &found)
            && qualifiers.are_taken(&found)
            && qualifiers.refuse_filled(&found).is_none();
        let score = found.score * candidate.probability;
        (possible && is_whole).then_some(Match { score, ..found })
    }

    /// Whether an act was made of words that name a day or say how often, and it says neither: "only on weekdays".
    pub(crate) fn loses_day(&self, tokens: &[Token], found: &Match) -> bool {
        let acts = matches!(category_of(&found.intent), Some(Category::HomeControl | Category::Media));
        let is_timed =
            ["when", "recurrence", "time", "date"].iter().any(|slot| found.slots.contains_key(*slot));
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let by = Reckoning { lexicon: self.grammar.lexicon(), now: self.now, prefer: Prefer::default() };
        let is_day = |at: usize| {
            let begins = |rule| rules::longest(rule, &words[at..], &by).is_some_and(|(_, used)| used > 0);
            begins(Rule::Recurrence) || begins(Rule::Date) || rules::is_days(&words[at..], &by)
        };
        acts && !is_timed && found.wild_words == 0 && (0..words.len()).any(is_day)
    }

    /// What a rule makes of the words from some place on, which are `joined` by spaces.
    pub(super) fn ruled(&self, ruled: Ruled, joined: &Rc<str>, words: &[&str]) -> Rc<RuledPieces> {
        self.spend(RULE_STEPS);
        let known =
            |here: &RuledHere| here.iter().find(|(by, _)| *by == ruled).map(|(_, found)| Rc::clone(found));
        if let Some(found) = self.caches.ruled.borrow().get(joined).and_then(known) {
            return found;
        }
        let by = Reckoning { lexicon: self.grammar.lexicon(), now: self.now, prefer: ruled.prefer };
        let found = rules::all(ruled.rule, words, &by);
        self.spend(RULE_STEPS * found.iter().map(|(_, used)| used).sum::<usize>());
        let found = Rc::new(found);
        self.caches.ruled.borrow_mut().entry(Rc::clone(joined)).or_default().push((ruled, Rc::clone(&found)));
        found
    }

    fn once(
        &self,
        how: How,
        text: &str,
        tokens: &[Token],
        read: impl FnOnce() -> Option<Match>,
    ) -> Option<Match> {
        let (first, last) = (tokens.first()?, tokens.last()?);
        // Looking it up costs about as much as a word a step.
        if !self.spend(tokens.len()) {
            return None;
        }
        let mut said = text[first.start..last.end].to_owned();
        for token in tokens {
            said.push(' ');
            said.push_str(&token.word);
        }
        let known = self.caches.known.borrow().get(&(how, said.clone())).cloned();
        known.unwrap_or_else(|| {
            let found = read();
            self.caches.known.borrow_mut().insert((how, said), found.clone());
            found
        })
    }
}

/// Where some words stand in a sentence.
fn at(sentence: &[String], words: &[&str]) -> Option<usize> {
    sentence
        .windows(words.len().max(1))
        .position(|window| window.iter().zip(words).all(|(known, word)| known == word))
}
