//! Conditions, lengths and exceptions: "when the washing machine is done", "for ten minutes", "except the lamp". No tool
//! carries them out, so a request that changes something in the home and has one is refused as a whole, and the part is
//! named. One that the sentence template itself has ("tell me when the timer is done"), or that is content ("remind me to
//! turn off the oven if it is on"), is none.

mod of_clause;

use super::grammar::{Match, Part, Reader, Took};
use super::intent::{category_of, leans_on_another};
use super::narrative;
use super::request_framing::{self, Speech};
use super::rules;
use super::text::Token;
use hark_core::automation::intent::COMMAND;
use hark_core::intent::refusal;
use hark_core::{Category, Intent, Slots};
use hark_language::{Phrases, phrases};
use serde_json::Value;

/// Most readings that are tried without a qualifier, and most that are tried in every way.
const MAX_READ: usize = 40;
const MAX_IN_FULL: usize = 3;

/// Most qualifiers that are looked for.
const MAX_QUALIFIERS: usize = 8;

/// Steps of looking whether one begins at a word.
const STEPS_A_WORD: usize = 16;

/// Words of a name at most with which a clause begins.
const MAX_WORDS_OF_NAME: usize = 3;

/// Words in which a subject and its verb stand at most: "I am".
const MAX_WORDS_OF_SUBJECT: usize = 2;

/// Words at most before the end of a length: "half an hour".
const MAX_BEFORE_UNIT: usize = 3;

/// Words at most from what begins the hours that something is to last to what ends them.
const HOURS_APART: usize = 6;

/// Words at most of what stays as it is, with that it does.
const MAX_WORDS_THAT_STAY: usize = 7;

/// Words at most between what tells that a length has passed, and the length.
const ELAPSED_BEFORE: usize = 4;

/// What a part of a request says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// When it is to be done.
    When,
    /// Whenever it is to be done.
    EachTime,
    /// If what it is to be done.
    If,
    /// If what it is not to be done.
    Unless,
    /// As long as what it is to last.
    During,
    /// Until when it is to last.
    Until,
    /// At which turn of the day.
    Moment,
    /// How long it is to last.
    Lasting,
    /// From when to when.
    Hours,
    /// To what it is not to be done.
    Except,
    /// Another condition.
    Condition,
}

impl Kind {
    /// Key of the reason why it is refused.
    fn reason(self) -> &'static str {
        match self {
            Self::Lasting | Self::Hours => refusal::DURATION,
            Self::Except => refusal::EXCEPTION,
            _ => refusal::CONDITION,
        }
    }
}

/// A part of a request that says when, how long or to what not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Qualifier {
    /// What it says.
    pub kind: Kind,
    /// First word of the part.
    pub start: usize,
    /// The words that make it one, by which it is found in a template.
    pub mark: (usize, usize),
    /// Word after the part, where that is known.
    pub end: Option<usize>,
    /// "For a minute": people say so out of courtesy as well.
    pub courteous: bool,
}

impl Qualifier {
    /// Whether it says when: what is waited for, or a turn of the day ("at sunset").
    pub fn says_when(&self) -> bool {
        self.waits() || self.kind == Kind::Moment
    }

    /// Whether it says on what something waits.
    pub fn waits(&self) -> bool {
        matches!(self.kind, Kind::When | Kind::EachTime | Kind::If | Kind::Unless)
    }
}

/// The qualifiers of one sentence.
pub(super) struct Qualifiers<'s> {
    speech: Speech<'s>,
    pub words: Vec<&'s str>,
    pub found: Vec<Qualifier>,
}

impl<'s> Qualifiers<'s> {
    /// Finds everything that may be one.
    pub fn of(reader: &'s Reader<'s>, text: &'s str, tokens: &'s [Token]) -> Self {
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let speech = Speech { reader, text, tokens };
        let mut all = Self { speech, words, found: Vec::new() };
        let mut at = 0;
        while at < all.words.len() && all.found.len() < MAX_QUALIFIERS && reader.spend(STEPS_A_WORD) {
            at = match (all.courtesy(at), all.qualifier(at)) {
                (Some(end), qualifier) if qualifier.is_none_or(|it| !it.courteous) => end,
                (_, Some(qualifier)) => {
                    all.found.push(qualifier);
                    qualifier.mark.1
                }
                _ => at + 1,
            };
        }
        all
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The first one, where no template took the sentence.
    pub fn any(&self) -> Option<Intent> {
        self.found.iter().find(|it| !it.courteous).map(|it| self.refusal(it))
    }

    /// The refusal of a sentence that was read: something in the home would change, and a qualifier was left out.
    pub fn refuse(&self, read: &[Match]) -> Option<Intent> {
        let acts = read.iter().any(changes_the_home);
        let at_home = read.iter().any(|found| category_of(&found.intent) == Some(Category::HomeControl));
        let found = self.left_out(read).find(|it| acts && (at_home || !it.courteous))?;
        Some(self.refusal(found))
    }

    /// Whether every qualifier is a part of what was read.
    pub fn are_taken(&self, read: &Match) -> bool {
        self.left_out(std::slice::from_ref(read)).next().is_none()
    }

    /// Those that are no part of what was read.
    fn left_out<'q>(&'q self, read: &'q [Match]) -> impl Iterator<Item = &'q Qualifier> {
        let lexicon = self.speech.reader.grammar.lexicon();
        let (said, closing) = (&lexicon.qualifiers, lexicon.discourse.closing);
        let taken = move |mark: &[&str]| {
            let ends = |phrases| phrases::starts(phrases, mark) == Some(mark.len());
            let an_end = ends(said.ends) || ends(said.hours_begin);
            read.iter().map(|found| times_taken(found, mark, an_end, closing)).sum::<usize>()
        };
        self.found.iter().filter(move |it| {
            let mark = &self.words[it.mark.0..it.mark.1];
            let said =
                self.found.iter().filter(|other| self.words[other.mark.0..other.mark.1] == *mark).count();
            said > taken(mark)
        })
    }

    /// The refusal of what was read from parts of a sentence: also where only a timer is left of a thing that should do
    /// something for so long.
    pub fn refuse_filled(&self, found: &Match) -> Option<Intent> {
        let grammar = self.speech.reader.grammar;
        let only_timed = || {
            let left_out = |word: &&str| !found.words.iter().any(|(other, _)| other == word);
            let thing = |word: &&str| left_out(word) && grammar.says_what_kind(word);
            let timed = category_of(&found.intent) == Some(Category::Timer) && self.words.iter().any(thing);
            let lasts = |it: &&Qualifier| it.kind.reason() == refusal::DURATION;
            self.found.iter().find(lasts).filter(|_| timed).map(|it| self.refusal(it))
        };
        // What is left out of it was passed over.
        let except = || {
            let except = |it: &&Qualifier| it.kind == Kind::Except;
            self.found.iter().find(except).map(|it| self.refusal(it))
        };
        // "Give me the lamp for ninety seconds" asks for no timer of that name, where nobody said "timer".
        let named_as_a_thing = || {
            let name = found.slots.get("name").and_then(Value::as_str)?;
            let is_said = |word: &String| self.words.contains(&word.as_str());
            let is_timer = category_of(&found.intent) == Some(Category::Timer);
            let adds = found.words.iter().any(|(word, _)| !is_said(word));
            (is_timer && adds && grammar.is_thing(name))
                .then(|| refused(refusal::ACT, self.speech.text.trim(), Slots::new()))
        };
        self.refuse(std::slice::from_ref(found)).or_else(only_timed).or_else(except).or_else(named_as_a_thing)
    }

    /// The refusal of a sentence that no template took, but that would change the home without its qualifier.
    pub fn refuse_unread(&self) -> Option<Intent> {
        if self.found.is_empty() || narrative::is_told(&self.words, self.speech.reader.grammar.lexicon()) {
            return None;
        }
        let cuts = self.found.iter().flat_map(|it| self.ends(it).into_iter().map(move |end| (it, end)));
        let mut tried = cuts.take(MAX_READ).enumerate();
        let acts =
            |number: usize, it: &Qualifier, end| self.acts_without(it.start, end, number < MAX_IN_FULL);
        let (_, (qualifier, end)) = tried.find(|(number, (it, end))| acts(*number, it, *end))?;
        Some(self.refusal(&Qualifier { end: Some(end), ..*qualifier }))
    }

    /// The same where what is left without it is a sentence of its own, which is quickly seen.
    pub fn refuse_beside_a_sentence(&self) -> Option<Intent> {
        let first_end = |it: &Qualifier| it.end.or_else(|| self.ends(it).first().copied());
        let it = self.found.iter().filter(|it| !it.courteous).find_map(|it| {
            let end = first_end(it).filter(|end| self.acts_without(it.start, *end, false))?;
            Some(Qualifier { end: Some(end), ..*it })
        })?;
        Some(self.refusal(&it))
    }

    /// Where the part may end: the likely places first, and of these the nearest.
    pub fn ends(&self, it: &Qualifier) -> Vec<usize> {
        if let Some(end) = it.end {
            return vec![end];
        }
        let talk = &self.speech.reader.grammar.lexicon().discourse;
        let (likely, others): (Vec<usize>, Vec<usize>) = (it.mark.1 + 1..=self.words.len())
            .filter(|end| !self.is_within_amount(*end) && !self.joins(*end - 1))
            .filter(|end| !self.speech.is_within_time(it.mark.1, *end))
            // "If we *start* using more", "when the *vacuum* is stuck".
            .filter(|end| {
                *end > it.mark.1 + 1
                    || *end == self.words.len()
                    || !talk.not_before.contains(self.words[*end - 1])
            })
            .partition(|end| self.is_likely_end(*end));
        // "Except the lamp, the kitchen and the hall": what is left out is all that follows, where it can be.
        let likely: Vec<usize> =
            if it.kind == Kind::Except { likely.into_iter().rev().collect() } else { likely };
        likely.into_iter().chain(others.into_iter().rev()).collect()
    }

    /// Whether a word joins requests, and is no end of one.
    fn joins(&self, at: usize) -> bool {
        self.speech.reader.grammar.lexicon().requests.connectors.contains(self.words[at])
    }

    /// Whether a place is between a number and its unit: "ten | degrees".
    fn is_within_amount(&self, at: usize) -> bool {
        let numbers = &self.speech.reader.grammar.lexicon().numbers;
        let is_number = numbers.number(&self.words[at - 1..at]).is_some();
        let unit = self
            .words
            .get(at)
            .is_some_and(|unit| numbers.degrees.contains(unit) || numbers.percent.contains(unit));
        is_number && unit
    }

    /// Whether a clause only says what a person does meanwhile, and is no condition: "*while I look for my glasses*", or another
    /// with a length beside it, "for five minutes, *till I get my shoes on*".
    pub fn only_tells(&self, it: &Qualifier) -> bool {
        let lexicon = self.speech.reader.grammar.lexicon();
        let lasts = |other: &Qualifier| {
            matches!((it.kind, other.kind), (_, Kind::Lasting) | (Kind::During, Kind::Until))
        };
        let (mark, said) = (&self.words[it.mark.0..it.mark.1], &self.words[it.mark.1..]);
        let states = |word: &&str| lexicon.discourse.states.contains(word);
        // "While I am away" could be a condition.
        let does = phrases::starts(lexicon.qualifiers.meanwhile, mark) == Some(mark.len())
            && !said.iter().take(MAX_WORDS_OF_SUBJECT).any(states);
        let somebody = phrases::starts(lexicon.discourse.speakers, said).is_some();
        // "Is the window open *before I go to work*" is about now.
        let is_sooner = it.kind == Kind::Condition
            && it.start > 0
            && somebody
            && phrases::starts(lexicon.time.sooner, mark) == Some(mark.len());
        let says_nothing = somebody || self.speech.says_nothing(said);
        let is_meanwhile = matches!(it.kind, Kind::During | Kind::Until)
            && says_nothing
            && (it.kind == Kind::During && does || self.found.iter().any(lasts));
        is_sooner || is_meanwhile
    }

    /// Whether it says from when to when ("between seven and nine", "from ten to six"), and nothing is waited for that it could
    /// limit.
    pub fn is_span(&self, it: &Qualifier) -> bool {
        let limits = |other: &Qualifier| matches!(other.kind, Kind::Condition | Kind::Except);
        match it.kind {
            Kind::Hours => !self.limits_what_happens(it),
            _ => self.is_between(it) && self.found.iter().all(limits),
        }
    }

    /// Whether it says from when to when, and something that happens is waited for, which it limits.
    pub fn limits_what_happens(&self, it: &Qualifier) -> bool {
        let happens = |other: &Qualifier| matches!(other.kind, Kind::When | Kind::EachTime);
        self.says_hours(it) && self.found.iter().any(happens)
    }

    /// Whether it says hours: "from ten to six", "between ten and six".
    pub fn says_hours(&self, it: &Qualifier) -> bool {
        it.kind == Kind::Hours || self.is_between(it)
    }

    fn is_between(&self, it: &Qualifier) -> bool {
        let between = self.speech.reader.grammar.lexicon().time.between;
        let mark = &self.words[it.mark.0..it.mark.1];
        it.kind == Kind::Condition && phrases::starts(between, mark) == Some(mark.len())
    }

    /// Whether a clause may well end here: at the end, at a comma, before a verb.
    pub fn is_likely_end(&self, at: usize) -> bool {
        let is_clause = || self.found.iter().any(|it| it.start == at && it.waits());
        at == self.words.len() || self.pauses_before(at) || self.begins_request(at) || is_clause()
    }

    /// Whether the words before and behind a part are a request that changes the home.
    fn acts_without(&self, start: usize, end: usize, in_full: bool) -> bool {
        let reader = self.speech.reader;
        let rest = [&self.words[..start], &self.words[end..]].concat();
        let (text, tokens) = request_framing::spoken(&rest, reader);
        let acts = |found: &Match| found.wild_words == 0 && changes_the_home(found);
        if in_full {
            return reader.read(&text, &tokens).is_some_and(|read| read.matches.iter().any(acts));
        }
        // "When the dishwasher is done tell me."
        let tells = || reader.part(Part::Notice, false, &text, &tokens).is_some();
        reader.exactly(&text, &tokens).is_some_and(|found| acts(&found)) || tells()
    }

    /// Where a courtesy that begins here ends. One that a condition could begin with ends there, too.
    fn courtesy(&self, at: usize) -> Option<usize> {
        let lexicon = self.speech.reader.grammar.lexicon();
        let (rest, said) = (&self.words[at..], &lexicon.qualifiers);
        if let Some(length) = phrases::starts(said.questions, rest) {
            return Some(at + length);
        }
        let length = [said.none, lexicon.discourse.trails, lexicon.discourse.leads]
            .into_iter()
            .filter_map(|phrases| phrases::starts(phrases, rest))
            .max()?;
        let end = at + length;
        let whole = self.begins_qualifier(at).is_none()
            || end == self.words.len()
            || self.pauses_before(end)
            || self.begins_request(end)
            || lexicon.requests.connectors.contains(self.words[end])
            || self.courtesy(end).is_some();
        whole.then_some(end)
    }

    /// Whether the words from here on may be a request.
    fn begins_request(&self, at: usize) -> bool {
        let (rest, talk) = (&self.words[at..], &self.speech.reader.grammar.lexicon().discourse);
        let is_verb = |word: Option<&&str>| word.is_some_and(|word| talk.verbs.contains(word));
        // "When the door opens | *garage light on*".
        let closes = |at: usize| rest.get(at).is_some_and(|word| talk.closing.contains(word));
        let is_thing = |at: usize| self.speech.reader.grammar.is_thing(&rest[..at].join(" "));
        is_verb(rest.first())
            || (1..=MAX_WORDS_OF_NAME).any(|at| closes(at) && is_thing(at))
            || phrases::starts(talk.requests, rest).is_some()
            || phrases::starts(talk.leads, rest).is_some_and(|length| length > 1 || is_verb(rest.get(length)))
    }

    fn qualifier(&self, at: usize) -> Option<Qualifier> {
        let lexicon = self.speech.reader.grammar.lexicon();
        let (rest, before) = (&self.words[at..], &self.words[..at]);
        let plain = |kind, length| Qualifier {
            kind,
            start: at,
            mark: (at, at + length),
            end: None,
            courteous: false,
        };
        let marked = || self.begins_qualifier(at).map(|(kind, length)| plain(kind, length));
        let moment = phrases::starts(lexicon.qualifiers.moments, rest).map(|length| {
            let start = at - phrases::ends(lexicon.time.at, before).unwrap_or(0);
            let reader = self.speech.reader;
            let by = reader.reckoning();
            let day = rules::longest(rules::Rule::Date, &rest[length..], &by).map_or(0, |(_, used)| used);
            Qualifier { start, end: Some(at + length + day), ..plain(Kind::Moment, length) }
        });
        let hours = || self.hours(at).map(|length| plain(Kind::Hours, length));
        moment.or_else(marked).or_else(hours).or_else(|| self.lasting(at))
    }

    /// How many words begin the hours that something is to last, "from nine to half past ten", where those follow.
    fn hours(&self, at: usize) -> Option<usize> {
        let lexicon = self.speech.reader.grammar.lexicon();
        let (from, to) = (lexicon.qualifiers.hours_begin, lexicon.qualifiers.hours_end);
        let length = phrases::starts(from, &self.words[at..])?;
        let last = self.words.len().min(at + length + HOURS_APART);
        let ends = |place: usize| {
            let rest = &self.words[place..];
            phrases::starts(to, rest).is_some_and(|length| {
                lexicon.numbers.number(&rest[length..]).is_some()
                    || phrases::starts(lexicon.qualifiers.moments, &rest[length..]).is_some()
            })
        };
        (at + length + 1..last).any(ends).then_some(length)
    }

    /// The kind and the words of a condition or an exception.
    fn begins_qualifier(&self, at: usize) -> Option<(Kind, usize)> {
        let (rest, before) = (&self.words[at..], &self.words[..at]);
        let lexicon = self.speech.reader.grammar.lexicon();
        let said = &lexicon.qualifiers;
        let goes_on = |phrases: Phrases| phrases::starts(phrases, rest).filter(|length| *length < rest.len());
        let number = |length: &usize| lexicon.numbers.number(&rest[*length..]).is_some();
        let talk = &lexicon.discourse;
        // "Once everybody's gone" is a clause as "once everybody has gone" is.
        let clause = |length: &usize| {
            let behind = &rest[*length..];
            phrases::starts(said.clauses, behind).is_some()
                || self.begins_with_a_name(behind)
                || behind.first().and_then(|first| talk.contraction(first)).is_some_and(|(stem, _)| {
                    said.clauses.contains(stem) || self.speech.reader.grammar.is_thing(stem)
                })
        };
        // "*Should Alice leave*, lock the door", and not "what time should Alice leave".
        let named = |length: &usize| self.begins_with_a_name(&rest[*length..]);
        let asks = || before.iter().any(|word| talk.questions.contains(word));
        let many = || before.iter().any(|word| said.many.contains(word));
        // "When I *leave* for work" leaves nothing out.
        let says_who = || phrases::ends(talk.speakers, before).is_some();
        let corrects = || before.last().is_some_and(|word| said.corrected.contains(word));
        // A subject within the mark goes on with its verb: "should it start raining".
        let has_subject = |length: &usize| {
            let last = rest[length - 1];
            *length > 1 && (lexicon.requests.pronouns.contains(last) || said.clauses.contains(last))
        };
        // "If so, turn …".
        let answers = |length: &usize| {
            [said.so, said.not_so].into_iter().any(|it| phrases::starts(it, &rest[*length..]).is_some())
        };
        // "I've heard this before, play the next one."
        let over = |length: &usize| {
            let says = phrases::starts(said.saying, &rest[*length..]).is_some();
            self.begins_request(at + length) && !has_subject(length) && !answers(length) && !says
                || self.pauses_before(at + length)
        };
        let marks = [
            (Kind::Condition, said.conditions),
            (Kind::When, said.when),
            (Kind::EachTime, said.each_time),
            (Kind::If, said.if_so),
            (Kind::Unless, said.unless),
            (Kind::During, said.during),
            (Kind::Until, said.until),
        ];
        // "After ten minutes" is as late as "in ten minutes", "during ten minutes" as long as "for ten minutes".
        let later = |length: &usize| {
            [said.later, said.lasting].into_iter().any(|marks| phrases::starts(marks, rest) == Some(*length))
                && rules::length(&rest[*length..], lexicon).is_some()
        };
        // "Until ten *past* seven."
        let within_time = |kind, length: &usize| {
            kind == Kind::Condition && *length == 1 && self.speech.is_within_time(0, at)
        };
        let marked =
            marks.into_iter().chain((at == 0).then_some((Kind::If, said.given))).map(|(kind, phrases)| {
                let length = goes_on(phrases).filter(|it| !over(it) && !later(it));
                (kind, length.filter(|it| !within_time(kind, it)))
            });
        let by = self.speech.reader.reckoning();
        let days = |length: &usize| rules::is_days(&rest[*length..], &by);
        // "Only the kitchen ones stay up."
        let stays = |length: &usize| {
            let words = &rest[*length..rest.len().min(*length + MAX_WORDS_THAT_STAY)];
            (1..words.len()).any(|at| phrases::starts(said.stays, &words[at..]).is_some())
        };
        let others = [
            (Kind::Except, goes_on(said.day_exceptions).filter(days)),
            (Kind::Except, goes_on(said.only).filter(stays)),
            (Kind::Except, goes_on(said.exceptions).filter(|_| many() || !corrects())),
            (Kind::Except, goes_on(said.but).filter(|_| many() && !says_who())),
            (Kind::Condition, goes_on(said.limits).filter(number)),
            (Kind::When, goes_on(said.before_clause).filter(clause)),
            (Kind::If, goes_on(said.inverted).filter(|length| named(length) && !asks())),
        ];
        let found = others.into_iter().chain(marked).filter_map(|(kind, length)| Some((kind, length?)));
        found.max_by_key(|(_, length)| *length)
    }

    /// Whether some words begin with the name of a person or a thing, and go on: "the minute *alice* leaves".
    fn begins_with_a_name(&self, words: &[&str]) -> bool {
        let most = MAX_WORDS_OF_NAME.min(words.len().saturating_sub(1));
        (1..=most).any(|length| self.speech.reader.grammar.is_thing(&words[..length].join(" ")))
    }

    /// "For ten minutes", "ten minutes", "all day". What has lasted is none: "i've been cooking for two hours".
    fn lasting(&self, at: usize) -> Option<Qualifier> {
        let lexicon = self.speech.reader.grammar.lexicon();
        let rest = &self.words[at..];
        let before = phrases::starts(lexicon.qualifiers.lasting, rest).unwrap_or(0);
        let length = if before == 0 {
            rules::length(rest, lexicon)
        } else {
            rules::length_behind(&rest[before..], lexicon)
        };
        let (before, used) = match length {
            Some((_, used)) => (before, used),
            None => (0, phrases::starts(lexicon.qualifiers.unmeasured, rest)?),
        };
        let end = at + before + used;
        let courteous = phrases::starts(lexicon.discourse.trails, rest) == Some(before + used);
        let near = &self.words[at.saturating_sub(ELAPSED_BEFORE)..at];
        let elapsed =
            (0..near.len()).any(|at| phrases::starts(lexicon.qualifiers.elapsed, &near[at..]).is_some());
        // "In ten minutes" is a time, and "ten minutes before that".
        let told = [lexicon.time.sooner, lexicon.time.afterwards]
            .into_iter()
            .any(|marks| phrases::starts(marks, &self.words[end..]).is_some());
        let later = before == 0 && (told || phrases::ends(lexicon.time.hence, &self.words[..at]).is_some());
        // "An hour" of "half an hour" is no length of its own.
        let goes_over = |from: usize| {
            rules::length(&self.words[from..], lexicon).is_some_and(|(_, used)| from + used > at)
        };
        // Nor is "six minute" of "a six minute timer".
        let of_ring = || self.words.get(end).is_some_and(|noun| lexicon.requests.ring(noun).is_some());
        let is_part = before == 0 && ((at.saturating_sub(MAX_BEFORE_UNIT)..at).any(goes_over) || of_ring());
        // "Unlock the door *a sec*" is no length of one second.
        let is_politeness = courteous && length.is_some();
        (!elapsed && !later && !is_part && !is_politeness).then_some(Qualifier {
            kind: Kind::Lasting,
            start: at,
            mark: (at + before, end),
            end: Some(end),
            courteous,
        })
    }

    /// Whether a comma or its like stands before a word.
    pub fn pauses_before(&self, at: usize) -> bool {
        at > 0 && at < self.words.len() && self.speech.pauses_before(at)
    }

    pub fn refusal(&self, it: &Qualifier) -> Intent {
        let tokens = self.speech.tokens;
        let pause = || (it.mark.1 + 1..tokens.len()).find(|at| self.is_likely_end(*at));
        let end = it.end.or_else(pause).unwrap_or(tokens.len());
        let part = self.speech.text[tokens[it.start].start..tokens[end - 1].end].trim();
        let vague = self.speech.reader.grammar.lexicon().qualifiers.vague;
        let is_vague = (it.mark.1..end).any(|at| phrases::starts(vague, &self.words[at..end]).is_some());
        let reason = if is_vague { refusal::MEASURE } else { it.kind.reason() };
        refused(reason, part, Slots::new())
    }
}

/// The refusal of a request for a part of it.
pub(super) fn refused(reason: &str, part: &str, slots: Slots) -> Intent {
    let mut refused = refusal::of(reason, part.to_owned());
    refused.slots.extend(slots);
    refused
}

/// Whether it changes something in the home, or may: what leans on another request, a yes, what is to be done later, and
/// sentences of the owner's own.
fn changes_the_home(found: &Match) -> bool {
    match category_of(&found.intent) {
        Some(Category::HomeControl | Category::Media) => found.intent != "HassBroadcast",
        Some(_) => {
            matches!(found.intent.as_str(), "HarkConfirm" | "HarkScheduleCommand")
                || found.slots.contains_key(COMMAND)
        }
        None => true,
    }
}

/// How often some words are part of a template, or of its content. What begins a title is its title: "play when doves cry".
/// The end of something, "until eight" or "from seven to eight", is not the time to begin it.
fn times_taken(found: &Match, mark: &[&str], an_end: bool, closing: Phrases) -> usize {
    // Messages, items and names belong to nobody but the person.
    let content = !changes_the_home(found) && !leans_on_another(&found.intent);
    // "Put the radio *on* if nobody watches the telly" plays nothing.
    let begins = |at: usize| {
        let before = at.checked_sub(1).map(|before| &found.words[before]);
        before.is_none_or(|(word, took)| *took != Took::AsItIs && !closing.contains(word))
    };
    let taken = |at: usize| match found.words[at].1 {
        Took::Meant => true,
        Took::Ruled => content || !an_end,
        Took::AsItIs => content || begins(at),
        Took::Nearly | Took::Nothing => false,
    };
    let same = |window: &[(String, Took)]| window.iter().zip(mark).all(|((word, _), said)| word == said);
    let windows = found.words.windows(mark.len()).enumerate();
    windows.filter(|(at, window)| same(window) && taken(*at)).count()
}
