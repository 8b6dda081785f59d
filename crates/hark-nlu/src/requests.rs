//! Several requests in one sentence, also where they share words: "turn off the tv then lock the door",
//! "turn off the kitchen light and the fan", "turn the lamp and the fan off", "turn on the light and set it
//! to 50 percent", "a timer for five minutes and another for ten". Several of a kind: `several.rs`.

use super::grammar::{Match, Reader};
use super::intent::{category_of, leans_on_another};
use super::number_spans;
use super::request_framing::Speech;
use super::rules::{self, Prefer, Reckoning, Rule};
use super::text::Token;
use chrono::{NaiveDateTime, TimeDelta, Timelike};
use hark_core::Category;
use hark_core::automation::intent::{COMMAND, OF_IT};
use hark_core::calendar::When;
use hark_language::{Lexicon, phrases};
use std::cell::{OnceCell, RefCell};
use std::collections::HashSet;

/// Most requests in one sentence.
const MAX_REQUESTS: usize = 4;

/// Words that a shared ending has at most: "off", "to fifty percent", "to come on at nine tomorrow".
const MAX_ENDING: usize = 6;

/// Whether it means nothing alone.
fn follows(found: &Match) -> bool {
    leans_on_another(&found.intent)
}

/// The moment that a request names.
fn moment(found: &Match) -> Option<NaiveDateTime> {
    match found.slots.get("when").and_then(|when| When::parse(when.as_str()?))? {
        When::Moment(at) => Some(at),
        _ => None,
    }
}

/// What a sentence was read as.
#[derive(Debug)]
pub struct Reading {
    /// The requests, in order.
    pub matches: Vec<Match>,
    /// Parts that mean nothing, as they were said.
    pub missed: Vec<String>,
}

/// Which words of a request count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Some may be any.
    Any,
    /// Those of sentences and names; what has others is of no use, and need not be found.
    Known,
}

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
    /// Whether a request may begin where nothing joins it to the one before it: with a verb, or behind a word that ends one.
    unjoined: bool,
    /// Where it can be taken apart, once that was looked for.
    joints: OnceCell<Vec<(usize, usize)>>,
    /// What is not tried again.
    in_vain: RefCell<HashSet<Tried>>,
}

/// Words at most of a number that has no unit: "six and a half".
const MAX_NUMBER_WORDS: usize = 4;

/// Two or more requests, all of which are understood.
pub fn all(text: &str, tokens: &[Token], reader: &Reader<'_>, parse: Parse<'_>) -> Option<Reading> {
    let sentence = Sentence::new(text, tokens, reader, parse, Words::Known);
    let matches = in_order_of_time(sentence.from(0, None, MAX_REQUESTS)?, reader);
    (matches.len() > 1).then_some(Reading { matches, missed: Vec::new() })
}

/// Requests whose times follow on each other where they can: "at six in the morning …, at ten … and at eleven at night" is
/// ten in the morning.
fn in_order_of_time(mut matches: Vec<Match>, reader: &Reader<'_>) -> Vec<Match> {
    let mut last: Option<NaiveDateTime> = None;
    for found in &mut matches {
        let Some(at) = moment(found) else { continue };
        if let Some(before) = last.filter(|before| at < *before) {
            let text = found.said();
            let later = reader.from_time(before, |reader| {
                let tokens = reader.tokenise(&text);
                reader.exactly(&text, &tokens).or_else(|| reader.several_later(&text, &tokens))
            });
            let follows = |later: &Match| {
                later.intent == found.intent
                    && moment(later).is_some_and(|at| at > before && at - before <= TimeDelta::hours(12))
            };
            if let Some(later) = later.filter(follows) {
                *found = later;
            }
        }
        last = moment(found);
    }
    matches
}

/// The same where nothing need stand between them: "lock the doors close the garage".
pub fn unjoined(text: &str, tokens: &[Token], reader: &Reader<'_>, parse: Parse<'_>) -> Option<Reading> {
    let sentence = Sentence { unjoined: true, ..Sentence::new(text, tokens, reader, parse, Words::Known) };
    let matches = sentence.from(0, None, MAX_REQUESTS)?;
    // A name alone, as "the lamp" is, is no request.
    let alone = matches.iter().all(|found| !leans_on_another(&found.intent));
    (alone && matches.len() > 1).then_some(Reading { matches, missed: Vec::new() })
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
        if after_missed
            && tokens[after..].iter().any(|token| lexicon.requests.pronouns.contains(token.word.as_str()))
        {
            continue;
        }
        if best.as_ref().is_none_or(|known| missed.len() < known.missed[0].len()) {
            best = Some(Reading { matches, missed: vec![missed] });
        }
    }
    best
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
            let apart = self.unjoined && (verb || closed);
            if (after > at || comma || apart) && after < self.tokens.len() {
                joints.push((at, after));
            }
            at = after.max(at + 1);
        }
        joints
    }

    fn said(&self, from: usize, to: usize) -> String {
        self.text[self.tokens[from].start..self.tokens[to - 1].end].to_owned()
    }

    pub fn plain(&self, from: usize, to: usize) -> Option<Match> {
        if from < to { (self.parse)(self.text, &self.tokens[from..to], Words::Any) } else { None }
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
        if let Some(whole) = self.one(before, (start, end)) {
            return Some(vec![whole]);
        }
        for (at, after) in self.joints(start).into_iter().filter(|(_, after)| *after < end) {
            // "The lamp and the desk lamp off": a thing alone has the verb of the next.
            let shared = || self.nearest_ending((start, at), (after, end));
            let bare = self.is_bare(start, at).then(shared).flatten();
            let first = bare.or_else(|| self.one(before, (start, at))).or_else(shared);
            let Some(first) = first else { continue };
            // What leaned on the words before has no verb of its own to lend.
            let own = |found: Match| !follows(&found) && found.intent == first.intent;
            let lender = match (self.plain(start, at).is_some_and(own), before) {
                (false, Some(before)) => before,
                _ => (start, at),
            };
            if let Some(rest) = self.upto(after, end, Some(lender), most - 1) {
                return Some(std::iter::once(first).chain(rest).collect());
            }
        }
        self.in_vain.borrow_mut().insert(tried);
        None
    }

    /// A request that stands alone or leans on the one before it. One that names its thing is preferred to
    /// a follow-up, which would have to be completed with what was done.
    pub fn one(&self, before: Option<(usize, usize)>, (start, end): (usize, usize)) -> Option<Match> {
        let alone = self.plain(start, end);
        let words: Vec<&str> = self.tokens[start..end].iter().map(|token| token.word.as_str()).collect();
        // "No, half five" is instead of what was said, and not beside it.
        let corrections = self.lexicon.discourse.corrections;
        let said: Vec<&str> = self.tokens[..start].iter().map(|token| token.word.as_str()).collect();
        let corrects =
            phrases::starts(corrections, &words).is_some() || phrases::ends(corrections, &said).is_some();
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
        let alone = alone.filter(|alone| before.is_none() || !corrects || !follows(alone));
        let timed = before.and_then(|before| self.at_moment_of(before, (start, end)));
        timed.or(leaning).or(alone).or_else(|| {
            self.with_any_words(&format!("{} {}", self.said(start, end), self.unit_of(start, end)?))
        })
    }

    /// A request at a time of day, on the day that was said of the one before it: "tomorrow at six, and … at seven". A time
    /// without an hour is in the hour behind that: "and … at half past".
    fn at_moment_of(&self, before: (usize, usize), (start, end): (usize, usize)) -> Option<Match> {
        let words: Vec<&str> = self.tokens.iter().map(|token| token.word.as_str()).collect();
        let by = Reckoning { lexicon: self.lexicon, now: self.reader.now, prefer: Prefer::default() };
        let date = |at: usize| Some((at, rules::longest(Rule::Date, &words[at..], &by)?.1));
        let time = |at: usize| {
            let from = at + phrases::starts(self.lexicon.time.at, &words[at..end])?;
            let whole = rules::longest(Rule::Time, &words[from..end], &by).map_or(0, |(_, used)| used);
            let open = rules::without_hour(&words[from..end], self.lexicon).filter(|used| *used > whole);
            let used = open.unwrap_or(whole);
            (used > 0).then_some((from + used, open.is_some()))
        };
        let (time_end, is_open) = (start..end).find_map(time)?;
        if (start..end).any(|at| date(at).is_some()) {
            return None;
        }
        let day = (before.0..before.1).find_map(date).map(|(at, used)| {
            let part = phrases::find(self.lexicon.time.parts, &words[at + used..before.1]);
            words[at..at + used + part.map_or(0, |(_, used)| used)].join(" ")
        });
        if day.is_none() && !is_open {
            return None;
        }
        let first = moment(&self.plain(before.0, before.1)?)?;
        let next_hour = first + TimeDelta::hours(1);
        let hours = [first, next_hour].map(|at| self.lexicon.numbers.integer_words(u64::from(at.hour12().1)));
        let hours = if is_open { hours.as_slice() } else { &[String::new()] };
        hours.iter().find_map(|hour| {
            let day = day.as_deref().unwrap_or_default();
            let text =
                [&words[start..time_end], &[hour.as_str(), day], &words[time_end..end]].concat().join(" ");
            let fits = |at: NaiveDateTime| {
                at.date() == first.date() && (!is_open || (first..=next_hour).contains(&at))
            };
            self.with_any_words(&text).filter(|found| moment(found).is_some_and(fits))
        })
    }

    /// Whether a request with a verb of its own begins among some words: then they share none with another as a whole.
    fn holds_request(&self, start: usize, end: usize) -> bool {
        let verbs = &self.lexicon.discourse.verbs;
        self.joints(start).iter().any(|(_, after)| *after < end && verbs.contains(&self.tokens[*after].word))
    }

    /// The unit that a number at the end shares with another: "for five minutes and one for ten". It is the next
    /// that is said, else the last that was.
    fn unit_of(&self, start: usize, end: usize) -> Option<&str> {
        let words: Vec<&str> = self.tokens[start..end].iter().map(|token| token.word.as_str()).collect();
        let longest = words.len().saturating_sub(MAX_NUMBER_WORDS);
        (longest..words.len()).find(|from| self.lexicon.numbers.parse(&words[*from..]).is_some())?;
        let is_unit =
            |token: &&Token| phrases::find(self.lexicon.time.units, &[token.word.as_str()]).is_some();
        let behind = self.tokens[end..].iter().find(is_unit);
        let unit = behind.or_else(|| self.tokens[..start].iter().rev().find(is_unit))?;
        Some(&unit.word)
    }

    /// The ways to complete a request with words of another: as it was said, without "another", with the unit.
    fn wordings(&self, start: usize, end: usize) -> Vec<String> {
        let words: Vec<&str> = self.tokens[start..end].iter().map(|token| token.word.as_str()).collect();
        let one = phrases::starts(self.lexicon.requests.one_of_them, &words).filter(|one| start + one < end);
        // "One for ten" before "one": no timer is called "one".
        let starts = [one.map(|one| start + one), Some(start)];
        let unit = self.unit_of(start, end).map_or_else(String::new, |unit| format!(" {unit}"));
        let mut all = Vec::new();
        if one.is_none() {
            // "Eight minutes for the pasta and twelve for the sauce."
            all.extend(self.with_unit_behind(start, end));
        }
        for said in starts.into_iter().flatten().map(|start| self.said(start, end)) {
            if !unit.is_empty() {
                all.push(format!("{said}{unit}"));
            }
            all.push(said);
        }
        let plain = self.without_trails(&words);
        if !plain.is_empty() && plain != words.join(" ") {
            all.push(plain);
        }
        all
    }

    /// Some words without what only trails behind something: "off *again* at ten".
    fn without_trails(&self, words: &[&str]) -> String {
        let mut kept = Vec::new();
        let mut at = 0;
        while at < words.len() {
            match phrases::starts(self.lexicon.discourse.trails, &words[at..]) {
                Some(length) => at += length,
                None => {
                    kept.push(words[at]);
                    at += 1;
                }
            }
        }
        kept.join(" ")
    }

    /// A part that begins with a number that has no unit, with the unit that was said before.
    fn with_unit_behind(&self, start: usize, end: usize) -> Option<String> {
        let words: Vec<&str> = self.tokens[start..end].iter().map(|token| token.word.as_str()).collect();
        let (_, used) = self.lexicon.numbers.whole(&words).filter(|(_, used)| *used < words.len())?;
        let is_unit = |word: &str| phrases::find(self.lexicon.time.units, &[word]).is_some();
        let unit = self.tokens[..start].iter().rev().find(|token| is_unit(&token.word))?;
        (!words.iter().any(|word| is_unit(word)))
            .then(|| [&words[..used], &[unit.word.as_str()], &words[used..]].concat().join(" "))
    }

    /// What a request is with each beginning of the one before it.
    fn begun(
        &self,
        before: (usize, usize),
        (start, end): (usize, usize),
    ) -> impl Iterator<Item = Match> + '_ {
        let rests = self.wordings(start, end).into_iter();
        // "At eight, and off at midnight": what is put off has words of its own.
        let later = self.plain(before.0, before.1).is_some_and(|found| {
            found.slots.contains_key(COMMAND) || category_of(&found.intent) == Some(Category::HomeControl)
        });
        let begun = rests.flat_map(move |rest| {
            (before.0 + 1..before.1).filter_map(move |cut| {
                let text = format!("{} {rest}", self.said(before.0, cut));
                self.composed(&text).or_else(|| if later { self.put_off(&text) } else { None })
            })
        });
        // "Please ten minutes" is an answer, not what was to be completed.
        begun.filter(|found| !follows(found))
    }

    /// A request that shares its beginning with the one before it and asks for the same.
    fn again(&self, before: (usize, usize), part: (usize, usize)) -> Option<Match> {
        let asked = self.plain(before.0, before.1)?.intent;
        let mut found = self.begun(before, part).filter(|found| found.intent == asked);
        let first = found.next()?;
        // "Tomorrow at six and at seven": the day that was said is that of both.
        let same_day = moment(&first).and_then(|at| {
            found.filter(|other| moment(other).is_some_and(|then| then.time() == at.time())).last()
        });
        Some(same_day.unwrap_or(first))
    }

    /// A request that shares its beginning with the one before it, best one that asks for the same ("switch off" of
    /// "switch off the lamp", not "switch"), or speaks of its thing as "it".
    fn leaning(&self, before: (usize, usize), (start, end): (usize, usize)) -> Option<Match> {
        let later = self.later_of_all(before, (start, end));
        let again = later.or_else(|| self.again(before, (start, end)));
        if let Some(found) = again.or_else(|| self.begun(before, (start, end)).next()) {
            return Some(found);
        }
        if let Some(found) = self.another(before, (start, end)) {
            return Some(found);
        }
        if let Some(found) = self.gapped(before, (start, end)) {
            return Some(found);
        }
        let it = (start..end)
            .find(|at| self.lexicon.requests.pronouns.contains(self.tokens[*at].word.as_str()))?;
        // What has a name is meant first: "desk light on, make it red".
        let named = (before.0..before.1).find_map(|from| {
            (from + 1..=before.1).rev().find(|to| self.names_a_thing(from, *to)).map(|to| self.said(from, to))
        });
        for thing in named.into_iter().chain((before.0 + 1..before.1).map(|cut| self.said(cut, before.1))) {
            let head = if it > start { self.said(start, it) } else { String::new() };
            let tail = if it + 1 < end { self.said(it + 1, end) } else { String::new() };
            if let Some(found) = self.composed(&format!("{head} {thing} {tail}")) {
                return Some(found);
            }
        }
        None
    }

    /// What is done later to all things that have the verb of the request before: "turn the lamp and the kettle on and off
    /// again at ten".
    fn later_of_all(&self, before: (usize, usize), (start, end): (usize, usize)) -> Option<Match> {
        let joints = self.joints(0);
        let (at, _) = joints.iter().find(|(_, after)| *after == before.0)?;
        let first = joints.iter().map(|(_, after)| *after).filter(|after| after < at).max().unwrap_or(0);
        let verb = self.lexicon.discourse.verbs.contains(&self.tokens[first].word);
        self.names_a_thing(first + usize::from(verb), *at).then_some(())?;
        let words: Vec<&str> = self.tokens[start..end].iter().map(|token| token.word.as_str()).collect();
        let by = Reckoning { lexicon: self.lexicon, now: self.reader.now, prefer: Prefer::default() };
        // What only says when belongs to what stands before it.
        let is_only_time =
            rules::longest(Rule::Datetime, &words, &by).is_some_and(|(_, used)| used == words.len());
        (!is_only_time).then_some(())?;
        let rest = self.without_trails(&words);
        (before.0 + 1..before.1).find_map(|cut| {
            let text = format!("{} {rest}", self.said(first, cut));
            self.reader.several_later(&text, &self.reader.tokenise(&text))
        })
    }

    /// The request before with another thing and another number: "turn the lamp off in ten minutes and the fan in twenty".
    fn gapped(&self, before: (usize, usize), (start, end): (usize, usize)) -> Option<Match> {
        let words: Vec<&str> = self.tokens.iter().map(|token| token.word.as_str()).collect();
        let is_number = |at: usize| self.lexicon.numbers.number(&words[at..at + 1]).is_some();
        ((start..end).any(is_number) && (before.0..before.1).any(is_number)).then_some(())?;
        let speech = Speech { reader: self.reader, text: self.text, tokens: self.tokens };
        let said = &words[before.0..before.1];
        (start + 1..end).filter(|cut| self.names_a_thing(start, *cut)).find_map(|cut| {
            let is_shared = said.contains(&words[cut]) && cut + 1 < end;
            let number = &words[cut + usize::from(is_shared)..end];
            speech.put_in(said, &words[start..cut], &[]).iter().find_map(|with_thing| {
                let with_thing: Vec<&str> = with_thing.split(' ').collect();
                speech.put_in(&with_thing, number, &[]).iter().find_map(|text| self.with_any_words(text))
            })
        })
    }

    /// A request for another of what was asked for before: "a five minute timer and a ten minute *one* for the pasta".
    fn another(&self, before: (usize, usize), (start, end): (usize, usize)) -> Option<Match> {
        let words = |from: usize, to: usize| self.tokens[from..to].iter().map(|token| token.word.as_str());
        let said: Vec<&str> = words(start, end).collect();
        let one = said.iter().rposition(|word| self.lexicon.discourse.one.contains(word))?;
        phrases::find(self.lexicon.time.units, &said[one.checked_sub(1)?..one])?;
        let nouns = self.lexicon.requests.several.iter().filter_map(|(_, one)| one.split(' ').next_back());
        let noun = nouns.into_iter().find(|noun| words(before.0, before.1).any(|word| word == *noun))?;
        self.with_any_words(&[&said[..one], &[noun], &said[one + 1..]].concat().join(" "))
    }

    /// A request whose words may be any, made of words from two places.
    fn with_any_words(&self, text: &str) -> Option<Match> {
        (self.parse)(text, &self.reader.tokenise(text), Words::Any).filter(|found| !follows(found))
    }

    /// A request that shares its ending with the next, which ends where another may begin.
    fn nearest_ending(&self, first: (usize, usize), (after, end): (usize, usize)) -> Option<Match> {
        let ends = self.joints(after).into_iter().map(|(at, _)| at).filter(|at| *at < end);
        ends.chain([end]).find_map(|end| self.ending(first, (after, end)))
    }

    /// Whether some words only name a thing or a place.
    fn is_bare(&self, start: usize, end: usize) -> bool {
        self.names_a_thing(start, end) || self.reader.grammar.is_place(&self.said(start, end).to_lowercase())
    }

    fn names_a_thing(&self, start: usize, end: usize) -> bool {
        let mut words: Vec<&str> = self.tokens[start..end].iter().map(|token| token.word.as_str()).collect();
        if words.first().is_some_and(|first| self.lexicon.things.articles.contains(first)) {
            words.remove(0);
        }
        self.reader.grammar.is_thing(&words.join(" "))
    }

    /// A request that shares its ending with the next: "turn the lamp and the fan off".
    pub fn ending(&self, first: (usize, usize), next: (usize, usize)) -> Option<Match> {
        // A request with a verb of its own lends nothing.
        let talk = &self.lexicon.discourse;
        let words: Vec<&str> = self.tokens[next.0..next.1].iter().map(|token| token.word.as_str()).collect();
        let led = phrases::starts(talk.therefore, &words).or_else(|| phrases::starts(talk.leads, &words));
        let is_request = words.get(led.unwrap_or(0)).is_some_and(|word| talk.verbs.contains(word));
        if is_request || self.holds_request(next.0, next.1) {
            return None;
        }
        let most = MAX_ENDING.min((next.1 - next.0).saturating_sub(1));
        let head = self.said(first.0, first.1);
        let denies = |token: &Token| self.lexicon.requests.negations.contains(token.word.as_str());
        if self.tokens[next.0..next.1].iter().any(denies) {
            return None;
        }
        // A name is that of the next alone.
        let endings = || (1..=most).take_while(|words| !self.names_a_thing(next.1 - words, next.1));
        let next_alone = self.plain(next.0, next.1);
        let later = next_alone.as_ref().is_some_and(|next| next.slots.contains_key(COMMAND));
        let with_ending = |words: usize| {
            let text = format!("{head} {}", self.said(next.1 - words, next.1));
            if later { self.put_off(&text) } else { self.composed(&text) }
        };
        // "The kitchen and the bedroom *lights off*": the lights of both.
        let of_kind = |found: &Match| {
            next_alone.as_ref().is_some_and(|next| {
                let domain = next.slots.get("domain");
                domain.is_some() && found.intent == next.intent && found.slots.get("domain") == domain
            })
        };
        let same = || endings().filter_map(with_ending).find(of_kind);
        same().or_else(|| endings().find_map(with_ending))
    }

    /// What is to be done later.
    fn put_off(&self, text: &str) -> Option<Match> {
        let found = (self.parse)(text, &self.reader.tokenise(text), Words::Any)?;
        (found.slots.contains_key(COMMAND) && !found.slots.contains_key(OF_IT)).then_some(found)
    }

    fn composed(&self, text: &str) -> Option<Match> {
        let found = (self.parse)(text, &self.reader.tokenise(text), self.words);
        found.filter(|found| self.words == Words::Any || found.wild_words == 0)
    }
}
