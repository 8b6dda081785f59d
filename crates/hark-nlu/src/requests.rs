//! Several requests in one sentence, also where they share words: "turn off the tv then lock the door",
//! "turn off the kitchen light and the fan", "turn the lamp and the fan off", "turn on the light and set it
//! to 50 percent", "a timer for five minutes and another for ten". Several of a kind: `multi_value.rs`.

mod plain_words;
mod reading;
mod shared_words;
mod times;

use super::grammar::{Match, Reader, Took};
use super::intent::leans_on_another;
use super::narrative;
use super::number_spans;
use super::qualifiers::Qualifiers;
use super::request_framing::{Speech, spoken};
use super::rules::{self, Rule};
use super::text::Token;
use hark_core::automation::intent::OF_IT;
use hark_language::{Lexicon, Phrases, phrases};
use std::cell::{OnceCell, RefCell};
use std::collections::HashSet;
use times::{as_often, at_time_in_front, in_order_of_time};

pub use reading::{Reading, Words};

/// Most requests in one sentence.
const MAX_REQUESTS: usize = 6;

/// Words at most of an area.
const MAX_AREA_WORDS: usize = 3;

/// Words at most of the name of a thing.
const MAX_NAME_WORDS: usize = 4;

/// Words that a shared ending has at most: "off", "to fifty percent", "to come on at nine tomorrow".
const MAX_ENDING: usize = 6;

/// Whether it means nothing alone.
fn follows(found: &Match) -> bool {
    leans_on_another(&found.intent)
}

/// Slots of a place.
const PLACES: [&str; 2] = ["area", "floor"];

/// Reads some tokens of a text as one request.
pub type Parse<'p> = &'p dyn Fn(&str, &[Token], Words) -> Option<Match>;

/// What of a sentence was read without success: its beginning and end, the request before it, how many it may be.
type Tried = (usize, usize, Option<(usize, usize)>, usize);

/// A sentence with where it can be taken apart.
pub(super) struct Sentence<'s> {
    text: &'s str,
    pub tokens: &'s [Token],
    lexicon: &'static Lexicon,
    reader: &'s Reader<'s>,
    parse: Parse<'s>,
    /// Which words a request may have that is put together of words from two places.
    words: Words,
    /// Whether a request may begin where nothing joins it to the one before it: with a verb or the name of a thing, or behind a
    /// word that ends one.
    unjoined: bool,
    /// Where it can be taken apart, once that was looked for.
    joints: OnceCell<Vec<(usize, usize)>>,
    /// What is not tried again.
    in_vain: RefCell<HashSet<Tried>>,
}

impl Speech<'_> {
    /// Several things that are asked for behind the reason why: "i'm going to bed so turn off the lamp and lock the door".
    pub fn several_with_reason(&self) -> Option<Reading> {
        let words = self.words();
        if narrative::is_told(&words, self.lexicon()) {
            return None;
        }
        let exactly = |text: &str, tokens: &[Token], _: Words| self.reader.tamely(text, tokens);
        (1..words.len()).take_while(|_| !self.reader.is_spent()).find_map(|at| {
            let length = self.therefore(&words, at)?;
            let request = self.without_trails(&words[at + length..]);
            let (text, tokens) = spoken(request, self.reader);
            let reason = self.composed(&words[..at].join(" "));
            if reason.is_some() { None } else { all(&text, &tokens, self.reader, &exactly) }
        })
    }
}

/// Two or more requests, all of which are understood.
pub fn all(text: &str, tokens: &[Token], reader: &Reader<'_>, parse: Parse<'_>) -> Option<Reading> {
    let sentence = Sentence::new(text, tokens, reader, parse, Words::Known);
    let in_order = in_order_of_time(sentence.from(0, None, MAX_REQUESTS)?, reader);
    let matches = at_time_in_front(as_often(in_order, reader), reader);
    (matches.len() > 1).then_some(Reading { matches, missed: Vec::new() })
}

/// The same where nothing need stand between them: "lock the doors close the garage".
pub fn unjoined(text: &str, tokens: &[Token], reader: &Reader<'_>, parse: Parse<'_>) -> Option<Reading> {
    let sentence = Sentence { unjoined: true, ..Sentence::new(text, tokens, reader, parse, Words::Known) };
    let matches = sentence.from(0, None, MAX_REQUESTS)?;
    (matches.len() > 1).then_some(Reading { matches, missed: Vec::new() })
}

/// Two or more requests of which at least one is understood.
pub fn some(text: &str, tokens: &[Token], reader: &Reader<'_>, parse: Parse<'_>) -> Option<Reading> {
    let sentence = Sentence::new(text, tokens, reader, parse, Words::Known);
    let lexicon = sentence.lexicon;
    // What is corrected is not done without the correction.
    let speech = Speech { reader, text, tokens };
    let words = speech.words();
    let corrects = |at: usize| {
        speech.pauses_before(at) && phrases::starts(lexicon.discourse.corrections, &words[at..]).is_some()
    };
    if (1..words.len()).any(corrects) {
        return None;
    }
    let mut best: Option<Reading> = None;
    // The part that is understood may itself be several requests: the shortest missed part wins.
    for (at, after) in sentence.joints(0) {
        let rest = tokens.len() - after;
        let (head, tail) =
            (sentence.upto(0, at, None, MAX_REQUESTS), || sentence.from(after, None, MAX_REQUESTS));
        let found = match head {
            Some(matches) => Some((matches, sentence.said(after, tokens.len()))),
            None if rest > 0 => tail().map(|matches| (matches, sentence.said(0, at))),
            None => None,
        };
        // What only leans on the part that means nothing means nothing either.
        let alone = |matches: &Vec<Match>| !matches.iter().all(follows);
        let Some((matches, missed)) = found.filter(|(matches, _)| alone(matches)) else { continue };
        // What is not understood may say what is not to be done, or to what not: "but keep the bread".
        if limits(&missed, reader) {
            continue;
        }
        // "It" in what is understood may be what is not: "start the engine and warm it up".
        let after_missed = sentence.said(0, at) == missed;
        let says_it =
            || tokens[after..].iter().any(|token| lexicon.requests.pronouns.contains(token.word.as_str()));
        // "At nine … and the heating to twenty" may be at nine, too.
        if after_missed && (says_it() || says_when(&missed, reader)) {
            continue;
        }
        if best.as_ref().is_none_or(|known| missed.len() < known.missed[0].len()) {
            best = Some(Reading { matches, missed: vec![missed] });
        }
    }
    best
}

/// Whether words that mean nothing say when, or for how long, something is to be done.
fn says_when(missed: &str, reader: &Reader<'_>) -> bool {
    let tokens = reader.tokenise(missed);
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    let by = reader.reckoning();
    let is_time =
        |at: usize| rules::longest(Rule::Datetime, &words[at..], &by).is_some_and(|(_, used)| used > 1);
    !Qualifiers::of(reader, missed, &tokens).is_empty() || (0..words.len()).any(is_time)
}

/// Whether words that mean nothing may take back a part of what is beside them: they deny, leave something out, or speak
/// of "it".
fn limits(missed: &str, reader: &Reader<'_>) -> bool {
    let lexicon = reader.grammar.lexicon();
    let tokens = reader.tokenise(missed);
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    let said = &lexicon.qualifiers;
    let is_limit =
        |word: &&str| lexicon.requests.negations.contains(word) || lexicon.requests.pronouns.contains(word);
    let leaves_out = |at: usize| {
        [said.exceptions, said.but, said.only]
            .into_iter()
            .any(|it| phrases::starts(it, &words[at..]).is_some())
    };
    words.iter().any(is_limit) || (0..words.len()).any(leaves_out)
}

impl<'s> Sentence<'s> {
    pub fn new(
        text: &'s str,
        tokens: &'s [Token],
        reader: &'s Reader<'s>,
        parse: Parse<'s>,
        words: Words,
    ) -> Self {
        let lexicon = reader.grammar.lexicon();
        reader.expect_parts(tokens);
        let (joints, in_vain) = (OnceCell::new(), RefCell::default());
        Self { text, tokens, lexicon, reader, parse, words, unjoined: false, joints, in_vain }
    }

    /// Places where one request can end and the next begin: the word between them, and the word after.
    pub fn joints(&self, start: usize) -> Vec<(usize, usize)> {
        let all = self.joints.get_or_init(|| self.all_joints());
        self.reader.spend(all.len());
        all.iter().filter(|(at, _)| *at > start).copied().collect()
    }

    fn all_joints(&self) -> Vec<(usize, usize)> {
        let mut joints = Vec::new();
        self.reader.spend(self.tokens.len());
        let joins = |at: usize| {
            self.tokens
                .get(at)
                .is_some_and(|token| self.lexicon.requests.connectors.contains(token.word.as_str()))
        };
        let mut at = 1;
        while at < self.tokens.len() {
            let mut after = at;
            // "Three hundred and eight" is one number.
            while joins(after) && !number_spans::is_inside(self.text, self.tokens, self.lexicon, after) {
                after += 1;
            }
            let (last, next) = (&self.tokens[at - 1], &self.tokens[at]);
            let comma = self.text[last.end.min(next.start)..next.start].contains([',', ';', '.'])
                && !number_spans::is_one_number(self.text, last, next);
            let talk = &self.lexicon.discourse;
            let verb = at > 1 && talk.verbs.contains(&next.word) && !talk.not_before.contains(&last.word);
            // "On nineteen" is a value.
            let closed = talk.closing.contains(&last.word)
                && self.lexicon.numbers.number(&[next.word.as_str()]).is_none();
            // "Turn on | the lamp" is one.
            let is = |phrases: Phrases, at: usize| phrases.contains(&self.tokens[at].word);
            let opens = at == 1 || !closed || is(talk.closing, at - 2);
            let begun = is(talk.verbs, at - 1) && opens || closed && at > 1 && is(talk.verbs, at - 2);
            // "Lock the doors lights off."
            let kinds = || [last, next].iter().all(|it| self.reader.grammar.says_what_kind(&it.word));
            // "Bedroom light at fifty *blinds down*", "telly on hdmi two *volume at twenty*".
            let is_subject = || {
                self.reader.grammar.says_what_kind(&next.word)
                    || self.lexicon.things.alone.contains(&next.word)
            };
            let behind_value = || self.ends_a_value(at) && is_subject();
            let named = || {
                !begun && (kinds() || self.begins_with_a_thing(at) && !self.is_of_place(at) || behind_value())
            };
            let apart = self.unjoined && (verb || closed && !begun || named());
            if (after > at || comma || apart) && after < self.tokens.len() {
                joints.push((at, after));
            }
            at = after.max(at + 1);
        }
        joints
    }

    /// Whether a number or its unit stands before a word.
    fn ends_a_value(&self, at: usize) -> bool {
        let (numbers, last) = (&self.lexicon.numbers, self.tokens[at - 1].word.as_str());
        numbers.number(&[last]).is_some() || numbers.degrees.contains(last) || numbers.percent.contains(last)
    }

    /// Whether the words before a place are an area that says which is meant behind it: "turn the bedroom | telly on", and not
    /// "lights on in the bedroom | telly off".
    fn is_of_place(&self, at: usize) -> bool {
        let words: Vec<&str> = self.tokens[..at].iter().map(|token| token.word.as_str()).collect();
        let is = |phrases: Phrases, at: usize| phrases.contains(words[at]);
        let (within, articles) = (self.lexicon.discourse.within, self.lexicon.things.articles);
        (at.saturating_sub(MAX_AREA_WORDS)..at).any(|from| {
            let first = if from > 0 && is(articles, from - 1) { from - 1 } else { from };
            let is_behind = first > 0 && is(within, first - 1);
            !is_behind && self.reader.grammar.is_area(&words[from..].join(" "))
        })
    }

    /// Whether the name of a thing begins at a word, behind what may be the end of a request: "lamp to thirty *extractor fan* on".
    fn begins_with_a_thing(&self, at: usize) -> bool {
        let names = |from: usize| {
            (from + 1..=self.tokens.len().min(from + MAX_NAME_WORDS))
                .rev()
                .find(|to| self.names_a_thing(from, *to))
        };
        self.reader.spend(MAX_NAME_WORDS * MAX_NAME_WORDS);
        let last = &self.tokens[at - 1].word;
        let goes_over = |from: usize| names(from).is_some_and(|to| to > at);
        !self.lexicon.things.small_words.contains(last)
            && names(at).is_some()
            && !(at.saturating_sub(MAX_NAME_WORDS)..at).any(goes_over)
    }

    fn said(&self, from: usize, to: usize) -> String {
        self.text[self.tokens[from].start..self.tokens[to - 1].end].to_owned()
    }

    pub fn plain(&self, from: usize, to: usize) -> Option<Match> {
        let tokens = self.tokens.get(from..to).filter(|tokens| !tokens.is_empty())?;
        let time_first = || {
            let fronted = Speech { reader: self.reader, text: self.text, tokens }.with_time_first()?;
            (self.parse)(&fronted, &self.reader.tokenise(&fronted), Words::Any)
        };
        (self.parse)(self.text, tokens, Words::Any).or_else(time_first)
    }

    /// The requests from a word to the end. `before` is the request that was read before, for shared words.
    fn from(&self, start: usize, before: Option<(usize, usize)>, most: usize) -> Option<Vec<Match>> {
        self.upto(start, self.tokens.len(), before, most)
    }

    fn upto(
        &self,
        start: usize,
        end: usize,
        before: Option<(usize, usize)>,
        most: usize,
    ) -> Option<Vec<Match>> {
        let tried = (start, end, before, most);
        if start >= end || most == 0 || self.in_vain.borrow().contains(&tried) {
            return None;
        }
        // A name alone, as "the lamp" is, is no request.
        let is_one = |found: &Match| !(self.unjoined && follows(found));
        if let Some(whole) = self.one(before, (start, end)).filter(is_one) {
            return Some(vec![whole]);
        }
        for (at, after) in self.joints(start).into_iter().filter(|(_, after)| *after < end) {
            // "The lamp and the desk lamp off": a thing alone has the verb of the next.
            let shared = || self.nearest_ending((start, at), (after, end));
            let bare = self.is_bare(start, at).then(shared).flatten();
            // "The front and back doors": what is said of a name only in part may have its rest from the next.
            let own = || {
                let own = self.one(before, (start, at))?;
                let in_part = own.words.iter().any(|(_, took)| *took == Took::Nearly);
                let whole = in_part.then(shared).flatten().filter(|it| it.intent == own.intent);
                Some(whole.unwrap_or(own))
            };
            let first = bare.or_else(own).or_else(shared);
            let Some(first) = first.filter(is_one) else { continue };
            // What leaned on the words before has no verb of its own to lend.
            let own = |found: Match| !follows(&found) && found.intent == first.intent;
            let lender = match (self.plain(start, at).is_some_and(own), before) {
                (false, Some(before)) => before,
                _ => (start, at),
            };
            if let Some(rest) = self.upto(after, end, Some(lender), most - 1) {
                let first = self.with_place_of(first, after, rest.first());
                return Some(std::iter::once(first).chain(rest).collect());
            }
        }
        self.in_vain.borrow_mut().insert(tried);
        None
    }

    /// What is done to all things of a kind, in the place of the next kind where both have one verb: "close all the blinds *and
    /// the curtains on the ground floor*".
    fn with_place_of(&self, mut first: Match, next_start: usize, next: Option<&Match>) -> Match {
        let of_kind = |found: &Match| {
            let kind = ["domain", "device_class"].iter().any(|slot| found.slots.contains_key(*slot));
            kind && found.slots.get("name").is_none_or(|name| name == "all")
        };
        let is_placed = |found: &Match| PLACES.iter().any(|slot| found.slots.contains_key(*slot));
        let has_verb = self.lexicon.discourse.verbs.contains(&self.tokens[next_start].word);
        if let Some(next) = next
            && next.intent == first.intent
            && !has_verb
            && of_kind(&first)
            && of_kind(next)
            && !is_placed(&first)
        {
            let place = next.slots.iter().filter(|(slot, _)| PLACES.contains(&slot.as_str()));
            first.slots.extend(place.map(|(slot, value)| (slot.clone(), value.clone())));
        }
        first
    }

    /// A request that stands alone or leans on the one before it. One that names its thing is preferred to
    /// a follow-up, which would have to be completed with what was done.
    pub fn one(&self, before: Option<(usize, usize)>, (start, end): (usize, usize)) -> Option<Match> {
        let alone = self.plain(start, end);
        let corrects = before.is_some() && self.corrects(start, end);
        let leaning = before.filter(|_| !corrects && !self.holds_request(start, end)).and_then(|before| {
            match alone.as_ref().filter(|alone| !follows(alone) && !alone.slots.contains_key(OF_IT)) {
                // "The kitchen lights" turns them on, but not behind "turn off the hall lights and": where the same can be
                // asked again, it is.
                Some(alone) => self
                    .again(before, (start, end))
                    .filter(|again| again.intent != alone.intent && again.score >= alone.score),
                None => self.leaning(before, (start, end)),
            }
        });
        let is_of_later =
            |alone: &Match| before.is_some_and(|before| self.is_of_later(before, (start, end), alone));
        let alone = alone.filter(|alone| !(is_of_later(alone) || corrects && follows(alone)));
        let timed = before.and_then(|before| {
            self.at_time_from(before, (start, end)).or_else(|| self.at_moment_of(before, (start, end)))
        });
        timed.or(leaning).or(alone).or_else(|| {
            self.with_any_words(&format!("{} {}", self.said(start, end), self.unit_of(start, end)?))
        })
    }
}
