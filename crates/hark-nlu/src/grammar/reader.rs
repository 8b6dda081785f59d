//! Reads one request: the same words are asked for in many places of it, and are read once. All of it shares one effort;
//! when that is spent nothing more is found, and what was found before is for nobody to use.

use super::fuzzy_match::near_names::{NamesFound, Span};
use super::parse::chart::{Chart, ChartKey};
use super::parse_result::{Match, Took};
use super::{Grammar, Part};
use crate::intent::category_of;
use crate::rules::{self, Prefer, Reckoning, Rule};
use crate::sentences::model::Ruled;
use crate::text::{self, Token};
use chrono::NaiveDateTime;
use hark_core::ports::{Candidate, Candidates};
use hark_core::{Category, Effort};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// Letters that are taken apart into words in one step.
const LETTERS_A_STEP: usize = 4;

/// Steps that it takes to try a rule, and for each word of what it finds.
const RULE_STEPS: usize = 4;

/// Most times that candidates are asked for while one text is read; each time takes some milliseconds.
const MAX_ASKED: usize = 12;

/// How some words are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum How {
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

    /// What times and days are reckoned by.
    pub(crate) fn reckoning(&self) -> Reckoning {
        Reckoning { lexicon: self.grammar.lexicon(), now: self.now, prefer: Prefer::default() }
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

    /// Whether there is a classifier.
    pub(crate) fn has_candidates(&self) -> bool {
        self.candidates.is_some()
    }

    /// The likeliest intents of a text; none where there is no classifier, or it was asked often enough.
    pub(crate) fn candidates(&self, text: &str) -> Vec<Candidate> {
        let asked = self.caches.asked.get();
        let Some(candidates) = self.candidates.filter(|_| asked < MAX_ASKED) else { return Vec::new() };
        self.caches.asked.set(asked + 1);
        candidates(text, self.effort)
    }

    /// The best match of some tokens of `text`.
    pub(crate) fn exactly(&self, text: &str, tokens: &[Token]) -> Option<Match> {
        self.once(How::Exactly, text, tokens, || self.parse_with(text, tokens, &[]))
    }

    /// The same where no part of it may be any words: what [`Reader::exactly`] finds, if it has none.
    pub(crate) fn tamely(&self, text: &str, tokens: &[Token]) -> Option<Match> {
        self.once(How::Tamely, text, tokens, || self.best_tame(text, tokens))
    }

    /// The best match of some tokens of `text`, none of which need name a thing exactly.
    pub(crate) fn nearly(&self, text: &str, tokens: &[Token]) -> Option<Match> {
        let read =
            |spans: Vec<Span>| (!spans.is_empty()).then(|| self.parse_with(text, tokens, &spans)).flatten();
        let by_name = || read(self.near_spans(tokens));
        self.once(How::Nearly, text, tokens, || by_name().or_else(|| read(self.meaning_spans(tokens))))
    }

    /// The best match of some tokens of `text` as a part of a request; `nearly`: names may be said otherwise.
    pub(crate) fn part(&self, part: Part, nearly: bool, text: &str, tokens: &[Token]) -> Option<Match> {
        self.once(How::Part(part, nearly), text, tokens, || self.best_part(part, nearly, text, tokens))
    }

    /// Whether an act was made of words that name a day or say how often, and it says neither: "only on weekdays".
    fn loses_day(&self, tokens: &[Token], found: &Match) -> bool {
        let acts = matches!(category_of(&found.intent), Some(Category::HomeControl | Category::Media));
        let is_timed =
            ["when", "recurrence", "time", "date"].iter().any(|slot| found.slots.contains_key(*slot));
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let by = self.reckoning();
        let is_day = |at: usize| {
            let begins = |rule| rules::longest(rule, &words[at..], &by).is_some_and(|(_, used)| used > 0);
            begins(Rule::Recurrence) || begins(Rule::Date) || rules::is_days(&words[at..], &by)
        };
        acts && !is_timed && found.wild_words == 0 && (0..words.len()).any(is_day)
    }

    /// Whether what was filled is not all that was meant: a day or a kind of thing was passed over, or a timer is named after a
    /// thing that is to run.
    pub(crate) fn loses_meaning(&self, tokens: &[Token], found: &Match) -> bool {
        self.loses_day(tokens, found) || self.loses_kind(tokens, found) || self.is_to_run(tokens, found)
    }

    /// Whether a timer has the name of a thing that is to run: "*give the hoover* twenty minutes".
    fn is_to_run(&self, tokens: &[Token], found: &Match) -> bool {
        let runs_for = self.grammar.lexicon().qualifiers.runs_for;
        let gives = tokens.first().is_some_and(|first| runs_for.contains(&first.word));
        let name = found.slots.get("name").and_then(Value::as_str);
        let is_timer = gives && category_of(&found.intent) == Some(Category::Timer);
        let is_thing = |name: &str| {
            self.grammar.says_what_kind(name)
                || self.part(Part::Target, false, name, &self.tokenise(name)).is_some()
        };
        is_timer && name.is_some_and(is_thing)
    }

    /// Whether something in the home would be done although a kind of thing was passed over: "*blinds* up upstairs I want some
    /// light" turns no lights on.
    fn loses_kind(&self, tokens: &[Token], found: &Match) -> bool {
        let is_taken =
            |word: &str| found.words.iter().any(|(taken, took)| taken == word && *took != Took::Nothing);
        category_of(&found.intent) == Some(Category::HomeControl)
            && tokens.iter().any(|token| self.grammar.says_what_kind(&token.word) && !is_taken(&token.word))
    }

    /// What a rule makes of the words from some place on, which are `joined` by spaces.
    pub(super) fn ruled(&self, ruled: Ruled, joined: &Rc<str>, words: &[&str]) -> Rc<RuledPieces> {
        self.spend(RULE_STEPS);
        let known =
            |here: &RuledHere| here.iter().find(|(by, _)| *by == ruled).map(|(_, found)| Rc::clone(found));
        if let Some(found) = self.caches.ruled.borrow().get(joined).and_then(known) {
            return found;
        }
        let by = Reckoning { prefer: ruled.prefer, ..self.reckoning() };
        let found = rules::all(ruled.rule, words, &by);
        self.spend(RULE_STEPS * found.iter().map(|(_, used)| used).sum::<usize>());
        let found = Rc::new(found);
        self.caches.ruled.borrow_mut().entry(Rc::clone(joined)).or_default().push((ruled, Rc::clone(&found)));
        found
    }

    /// What `read` makes of some tokens of `text`, which is asked for once.
    pub(crate) fn once(
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
