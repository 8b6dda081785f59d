//! One clause: what some words behind "when", "for" or "except" say.

use super::super::edits::which_one;
use super::super::grammar::{Grammar, Match, Part};
use super::super::placed::MAX_PLACE_WORDS;
use super::super::qualifiers::{Kind, Qualifier};
use super::super::request_framing::spoken;
use super::super::rules::{self, Prefer, Reckoning, Rule};
use super::hours::hours_of;
use super::model::{Adds, Clause, Said};
use super::target;
use super::terms::{ONCE, is_motion};
use super::wordings::{affirmed, plainer};
use chrono::NaiveDate;
use hark_core::Slots;
use hark_core::automation::intent::IT;
use hark_core::automation::{Condition, Ring, SunEvent, Trigger, Until};
use hark_core::calendar::{Frequency, Recurrence, When};
use hark_language::{Phrases, phrases, qualifiers as language};
use serde_json::Value;

/// Words that may stand before "before sunset", as "half an hour" does.
const MAX_OFFSET_WORDS: usize = 6;

/// How long before "before sunset" is.
const SHORTLY_MINUTES: f64 = 30.0;

/// Key of a condition that tells a change and not a state: "gets", "rises".
const BECOMES: &str = "becomes";

/// Slot of a timer, alarm or reminder that rings: its kind.
const RINGS: &str = "rings";

/// Slot of what is so, and does not become so.
const NOW: &str = "now";

/// Domain of people.
const PERSON: &str = "person";

/// Words at most that start a routine.
const MAX_SAID_WORDS: usize = 6;

impl Said {
    /// Whether it is about a motion or presence sensor.
    pub(super) fn is_motion(&self) -> bool {
        matches!(&self.condition, Condition::State { question, .. } if is_motion(question))
    }
}

impl Adds {
    /// The question of a condition. Of several: the last about a named thing, else the first about a person or a place.
    fn question(&self) -> Option<&Slots> {
        let (Self::Becomes { said, .. } | Self::Check { said, .. } | Self::During(said)) = self else {
            return None;
        };
        let questions = said.condition.questions();
        let is_person = |question: &Slots| question.get("domain").is_some_and(|domain| domain == PERSON);
        let thing = |question: &&Slots| question.contains_key("name") && !is_person(question);
        let names = |question: &&Slots| question.contains_key("name") || question.contains_key("area");
        let mut all = questions.iter().copied();
        all.clone().rfind(thing).or_else(|| all.find(names)).or(questions.first().copied())
    }

    /// The name of what a condition is about.
    pub(super) fn name(&self) -> Option<&str> {
        self.question()?.get("name").and_then(Value::as_str)
    }

    /// The area that a condition names, or where what it names stands.
    pub(super) fn area(&self, grammar: &Grammar) -> Option<String> {
        let said = self.question()?.get("area").and_then(Value::as_str).map(str::to_owned);
        said.or_else(|| Some(grammar.area_of(self.name()?)?.as_str()?.to_owned()))
    }
}

impl Clause<'_> {
    /// Where it begins, and what it adds.
    pub(super) fn read(&self) -> Option<(usize, Adds)> {
        let start = self.it.start;
        let here = |adds: Adds| Some((start, adds));
        // "For ten minutes, *no, fifteen*" corrects the clause, and not what is left without it.
        let corrections = self.by.reader.grammar.lexicon().discourse.corrections;
        let is_corrected = phrases::starts(corrections, &self.qualifiers.words[self.end..]).is_some();
        if is_corrected && self.qualifiers.pauses_before(self.end) {
            return None;
        }
        if let Some(words) = self.said() {
            return here(Adds::Happens { trigger: Trigger::Said { words }, repeats: true });
        }
        match self.it.kind {
            Kind::Moment => self.sun_limit().or_else(|| self.sun()),
            Kind::Lasting => here(Adds::Until(self.length()?)),
            Kind::Except => {
                let adds = match self.days() {
                    Some(days) => Adds::ExceptDays(days),
                    None => {
                        let said = self.without_trails().join(" ");
                        Adds::Except(self.exceptions().unwrap_or_default(), said)
                    }
                };
                Some((self.behind_pause(), adds))
            }
            Kind::Until => here(Adds::Until(self.until()?)),
            Kind::Hours => here(Adds::Hours(self.hours()?)),
            Kind::Condition => self
                .sun_limit()
                .or_else(|| self.sun())
                .or_else(|| here(Adds::Hours(self.hours()?)))
                .or_else(|| here(Adds::Becomes { said: self.limit()?, repeats: false })),
            Kind::When | Kind::EachTime => {
                let repeats = self.it.kind == Kind::EachTime || self.happens_again();
                if let Some(hours) = self.hours() {
                    return here(Adds::Hours(hours));
                }
                // "Tomorrow when the sun comes up."
                let sun = if self.it.start > 0 { self.sun() } else { None };
                let dated = sun.filter(|(start, _)| *start < self.it.start);
                if dated.is_some() {
                    return dated;
                }
                if let Some((trigger, daily)) = self.sun_of(self.it.mark.1) {
                    return here(Adds::Happens { trigger, repeats: repeats || daily });
                }
                if let Some((start, for_seconds)) = self.delay() {
                    let said = Said { for_seconds, ..self.condition().filter(|said| said.for_seconds == 0)? };
                    return Some((start, Adds::Becomes { said, repeats }));
                }
                here(match self.condition() {
                    Some(said) => Adds::Becomes { said, repeats },
                    None => Adds::Happens { trigger: Trigger::Rings { ring: self.ring()? }, repeats },
                })
            }
            // "If it's dark" is looked at now, "if it gets dark" tells no state and is waited for. What is said to be so "right now"
            // is not waited for, nor looked at later.
            Kind::If => match self.condition() {
                Some(said) if said.becomes => here(Adds::Becomes { said, repeats: self.happens_again() }),
                Some(said) if self.waits_with(|words| words.ever) => {
                    here(Adds::Becomes { said, repeats: true })
                }
                Some(said) => {
                    let now = self.says_now();
                    let otherwise = if now { ONCE } else { "ask" };
                    here(Adds::Check { said, not: false, otherwise, now })
                }
                None => {
                    let rings = || Some((Trigger::Rings { ring: self.ring()? }, false));
                    let (trigger, repeats) = self.sun_of(self.it.mark.1).or_else(rings)?;
                    here(Adds::Happens { trigger, repeats })
                }
            },
            Kind::Unless => here(match self.condition() {
                Some(said) => Adds::Check { said, not: true, otherwise: ONCE, now: false },
                None => Adds::ExceptDays(self.days_that_are()?),
            }),
            Kind::During => here(Adds::During(self.condition()?)),
        }
    }

    /// Where it begins with what is said before it behind a pause: "all the lights, *well*, leave out the lamp".
    fn behind_pause(&self) -> usize {
        let talk = &self.by.reader.grammar.lexicon().discourse;
        let before = &self.qualifiers.words[..self.it.start];
        let from = phrases::without_ends(&[talk.hesitations, talk.corrections, talk.leads], before).len();
        let pauses = 0 < from && from < self.it.start && self.qualifiers.pauses_before(from);
        // "… to the shopping list *oh* not the jam."
        let joins = [talk.hesitations, self.by.reader.grammar.lexicon().requests.connectors];
        let joined = phrases::without_ends(&joins, before).len();
        if pauses { from } else { joined }
    }

    fn words(&self, from: usize) -> &[&str] {
        &self.qualifiers.words[from..self.end]
    }

    fn part(&self, part: Part, words: &[&str]) -> Option<Match> {
        let (text, tokens) = spoken(words, self.by.reader);
        let found = self.by.reader.part(part, self.by.nearly, &text, &tokens)?;
        let is_clear = found.doubts.iter().all(|doubt| doubt.candidates.len() == 1);
        (is_clear && found.wild_words == 0).then_some(found)
    }

    fn condition(&self) -> Option<Said> {
        let said = self.words(self.it.mark.1);
        let read = |words: &[&str]| self.one_condition(words).or_else(|| self.several_conditions(words));
        let plain = phrases::without_ends(&[self.by.reader.grammar.lexicon().time.now], said);
        read(said).or_else(|| if plain.len() < said.len() { read(plain) } else { None })
    }

    /// Whether its change is waited for every time: "when *anyone* opens the garage", but "the next time anyone opens it".
    fn happens_again(&self) -> bool {
        let said = &self.by.reader.grammar.lexicon().qualifiers;
        let is_the_next = phrases::starts(said.the_next, self.words(self.it.start)).is_some();
        !is_the_next && (self.waits_with(|words| words.ever) || self.waits_with(|words| words.anyone))
    }

    /// Whether one of some words stands behind its mark.
    fn waits_with(&self, which: impl Fn(&language::Qualifiers) -> Phrases) -> bool {
        let which = which(&self.by.reader.grammar.lexicon().qualifiers);
        self.words(self.it.mark.1).iter().any(|word| which.contains(word))
    }

    /// Whether it is about now: "if it is open *right now*".
    fn says_now(&self) -> bool {
        let now = self.by.reader.grammar.lexicon().time.now;
        phrases::ends(now, self.words(self.it.mark.1)).is_some()
    }

    /// Two conditions with "and" or "or" between them. The first may leave out its ending, which is then that of the second:
    /// "either the front door or the back door is unlocked".
    fn several_conditions(&self, words: &[&str]) -> Option<Said> {
        let lexicon = self.by.reader.grammar.lexicon();
        let without_both = |words: &[&'_ str]| -> Vec<String> {
            let is_both = |word: &&&str| !lexicon.qualifiers.both.contains(word);
            words.iter().filter(is_both).map(|word| (*word).to_owned()).collect()
        };
        let is_plain = |said: &Said| !said.of_it && !said.there && said.for_seconds == 0;
        let read = |words: &[&str]| self.one_condition(words).filter(is_plain);
        (1..words.len().saturating_sub(1)).find_map(|at| {
            let is_either = lexicon.qualifiers.any_of.contains(words[at]);
            let is_both = lexicon.requests.connectors.contains(words[at]);
            (is_either || is_both).then_some(())?;
            let (first, other) = (without_both(&words[..at]), without_both(&words[at + 1..]));
            let first: Vec<&str> = first.iter().map(String::as_str).collect();
            let other: Vec<&str> = other.iter().map(String::as_str).collect();
            let other_said = read(&other).or_else(|| self.several_conditions(&other))?;
            let completed = || (1..other.len()).find_map(|from| read(&[&first, &other[from..]].concat()));
            let first_said = read(&first).or_else(completed)?;
            let becomes = first_said.becomes || other_said.becomes;
            let conditions = vec![first_said.condition, other_said.condition];
            let condition =
                if is_either { Condition::Any { conditions } } else { Condition::All { conditions } };
            Some(Said { condition, becomes, ..other_said })
        })
    }

    fn one_condition(&self, words: &[&str]) -> Option<Said> {
        let read = |words: &[&str]| {
            let whole = self.part(Part::Condition, words).map(|found| (found, 0));
            whole.or_else(|| self.lasting_condition(words))
        };
        let lexicon = self.by.reader.grammar.lexicon();
        let plainly = |words: &[&str]| {
            read(words).or_else(|| plainer(words, lexicon).iter().find_map(|words| read(words)))
        };
        let affirmed = || Some((plainly(&affirmed(words, lexicon)?)?, true));
        let ((found, for_seconds), denied) = plainly(words).map(|found| (found, false)).or_else(affirmed)?;
        let mut question = found.slots;
        if question.contains_key("sun") {
            let stands = sun_stands(&question)?;
            let condition = if denied { stands.negated() } else { stands };
            return Some(Said { condition, becomes: false, of_it: false, there: false, for_seconds: 0 });
        }
        // That happens, and is at no time so.
        if question.contains_key(RINGS) {
            return None;
        }
        let becomes = found.response.as_deref() == Some(BECOMES) || for_seconds > 0;
        if let Some(condition) = hours_of(&question).filter(|_| !denied) {
            return Some(Said { condition, becomes, of_it: false, there: false, for_seconds });
        }
        let flag = |question: &mut Slots, slot| question.remove(slot) == Some(Value::Bool(true));
        let (not, of_it) = (flag(&mut question, "not") != denied, flag(&mut question, IT));
        let there = flag(&mut question, "there");
        Some(Said { condition: Condition::State { question, not }, becomes, of_it, there, for_seconds })
    }

    /// "The door has been open for five minutes".
    fn lasting_condition(&self, words: &[&str]) -> Option<(Match, u64)> {
        let lexicon = self.by.reader.grammar.lexicon();
        let part = |words: &[&str]| self.part(Part::Condition, words);
        (1..words.len()).rev().find_map(|at| {
            // "Has been on for an hour", "has been on an hour".
            let before = phrases::starts(lexicon.qualifiers.lasting, &words[at..]).unwrap_or(0);
            let (length, used) = rules::length(&words[at + before..], lexicon)?;
            let is_whole = at + before + used == words.len() && length.months == 0;
            // "It's *ever* left open for longer than ten minutes."
            let plain = || plainer(&words[..at], lexicon).iter().find_map(|words| part(words));
            let found = is_whole.then(|| part(&words[..at]).or_else(plain)).flatten()?;
            Some((found, length.total_seconds()))
        })
    }

    /// "At sunset", "half an hour before sunset".
    fn sun(&self) -> Option<(usize, Adds)> {
        let furthest = self.it.start.saturating_sub(MAX_OFFSET_WORDS);
        let at = |start: usize| {
            let (trigger, repeats) = self.sun_of(start)?;
            Some((start, Adds::Happens { trigger, repeats }))
        };
        (furthest..=self.it.start).find_map(at)
    }

    /// "When somebody moves in the hall *after sunset*": beside what is waited for, the sun is a limit.
    fn sun_limit(&self) -> Option<(usize, Adds)> {
        // "After sunset if Alice is home" waits for the sunset, "after sunset if the door opens" for the door.
        let becomes = |other: &Qualifier| {
            let mut ends = self.qualifiers.ends(other).into_iter();
            ends.any(|end| {
                Clause { it: other, end, by: self.by, qualifiers: self.qualifiers }
                    .condition()
                    .is_some_and(|said| said.becomes)
            })
        };
        let is_within = |other: &Qualifier| {
            let mut between = other.mark.1 + 1..=self.it.start;
            other.start < self.it.start && !between.any(|at| self.qualifiers.is_likely_end(at))
        };
        let waits = |other: &Qualifier| match other.kind {
            // "After" itself is none.
            Kind::When | Kind::EachTime => other.mark.1 != self.it.mark.0,
            Kind::If => is_within(other) || becomes(other),
            Kind::Unless => is_within(other),
            _ => false,
        };
        let behind = usize::from(self.it.kind == Kind::Moment);
        let from = self.it.start.checked_sub(behind).filter(|_| self.qualifiers.found.iter().any(waits))?;
        let lexicon = self.by.reader.grammar.lexicon();
        let (words, said) = (&self.qualifiers.words, &lexicon.qualifiers);
        (lexicon.time.at.first() != Some(&words[from])).then_some(())?;
        let (Trigger::Sun { event, offset_minutes, .. }, _) = self.sun_of(from)? else { return None };
        let is_before = offset_minutes < 0;
        let start = phrases::without_ends(&[said.only, said.but], &words[..from]).len();
        Some((start, Adds::Hours(Condition::Sun { up: (event == SunEvent::Sunrise) != is_before })))
    }

    /// The words of a routine: "when I say *movie time*".
    fn said(&self) -> Option<String> {
        matches!(self.it.kind, Kind::When | Kind::EachTime | Kind::If).then_some(())?;
        let words = self.words(self.it.mark.1);
        let lexicon = self.by.reader.grammar.lexicon();
        let said = match phrases::starts(lexicon.qualifiers.saying, words) {
            Some(length) => &words[length..],
            // "Wenn *ich* Filmabend *sage*."
            None => words.get(1..words.len() - phrases::ends(lexicon.qualifiers.saying_behind, words)?)?,
        };
        // "When I say so" are no words of their own.
        let small = [lexicon.things.small_words, lexicon.requests.pronouns, lexicon.discourse.therefore];
        let is_content = |word: &&str| small.iter().all(|words| !words.contains(word));
        let may = (1..=MAX_SAID_WORDS).contains(&said.len()) && said.iter().any(is_content);
        may.then(|| said.join(" "))
    }

    /// "The pasta timer goes off": the name may be any words.
    fn ring(&self) -> Option<Ring> {
        let (text, tokens) = spoken(self.words(self.it.mark.1), self.by.reader);
        let slots = self.by.reader.part(Part::Condition, self.by.nearly, &text, &tokens)?.slots;
        let of = match slots.get(RINGS)?.as_str()? {
            IT => None,
            kind => Some(serde_json::from_value(kind.into()).ok()?),
        };
        let name = slots.get("timer_name").and_then(Value::as_str).map(str::to_owned);
        let day = day_of(&slots)?;
        Some(Ring { of, name, day, timer: None })
    }

    /// The turn of the day that some words name, and whether every one of them is meant.
    fn sun_of(&self, from: usize) -> Option<(Trigger, bool)> {
        let slots = self.part(Part::Condition, self.words(from))?.slots;
        let event = match slots.get("sun")?.as_str()? {
            "sunrise" => SunEvent::Sunrise,
            _ => SunEvent::Sunset,
        };
        let part = |slot: &str, minutes: f64| {
            let number = slots.get(slot).and_then(Value::as_f64);
            number.map_or(0.0, |number| number * minutes)
        };
        let said =
            part("offset_hours", 60.0) + part("offset_minutes", 1.0) + part("offset_seconds", 1.0 / 60.0);
        let (sign, minutes) = match slots.get("earlier") {
            Some(Value::Bool(true)) => (-1.0, if said > 0.0 { said } else { SHORTLY_MINUTES }),
            _ => (1.0, said),
        };
        // Whole minutes of at most some days.
        #[allow(clippy::cast_possible_truncation)]
        let offset_minutes = (minutes.min(10_000.0) * sign).round() as i32;
        let from_day = day_of(&slots)?;
        let repeats = slots.get("daily") == Some(&Value::Bool(true));
        Some((Trigger::Sun { event, offset_minutes, from_day }, repeats))
    }

    /// "After ten", "between nine and eleven".
    fn hours(&self) -> Option<Condition> {
        let slots = self.part(Part::Condition, self.words(self.it.mark.0))?.slots;
        hours_of(&slots).or_else(|| sun_stands(&slots))
    }

    /// "Above 25 degrees".
    fn limit(&self) -> Option<Said> {
        let said = self.one_condition(self.words(self.it.mark.0))?;
        let Condition::State { question, .. } = &said.condition else { return None };
        let is_number = ["above", "below"].iter().any(|slot| question.contains_key(*slot));
        is_number.then_some(said)
    }

    /// How long after what is waited for, and where that begins: "*ten minutes* after the kettle goes off". It has to have been so
    /// for that long then.
    fn delay(&self) -> Option<(usize, u64)> {
        let lexicon = self.by.reader.grammar.lexicon();
        let words = &self.qualifiers.words;
        phrases::starts(lexicon.qualifiers.later, &words[self.it.start..])?;
        let end = self.it.start;
        (end.saturating_sub(MAX_OFFSET_WORDS)..end).find_map(|start| {
            let (length, used) = rules::length(&words[start..end], lexicon)?;
            (start + used == end).then(|| (start, length.total_seconds()))
        })
    }

    fn length(&self) -> Option<Until> {
        let words = self.words(self.it.mark.0);
        let (length, used) = rules::length_behind(words, self.by.reader.grammar.lexicon())?;
        let seconds = length.total_seconds();
        (used == words.len() && length.months == 0 && seconds > 0).then_some(Until::Seconds { seconds })
    }

    /// "Until eight", "until tomorrow at noon", "until sunrise", "until the door is closed".
    fn until(&self) -> Option<Until> {
        let words = self.words(self.it.mark.1);
        let by = |prefer| Reckoning { prefer, ..self.by.reader.reckoning() };
        let whole = |rule, words: &[&str]| {
            let found = rules::all(rule, words, &by(Prefer::Usual));
            let (found, _) = found.into_iter().find(|(_, used)| *used == words.len())?;
            found.into_iter().next().and_then(|(_, value)| Some(value.as_str()?.to_owned()))
        };
        let clock = |words| whole(Rule::Time, words)?.parse().ok().map(|time| Until::Time { time });
        let time = || clock(words);
        // "Until the children go to bed at eight."
        let said_at = || {
            let at = self.by.reader.grammar.lexicon().time.at.first()?;
            let from = words.iter().rposition(|word| word == at)?;
            // "Until eight every morning at six" is until eight.
            let is_time = rules::longest(Rule::Datetime, words, &by(Prefer::Usual)).is_some();
            if is_time { None } else { clock(&words[from..]) }
        };
        let moment = || match When::parse(&whole(Rule::Datetime, words)?)? {
            // "Until sunday evening" ends as that begins.
            When::Moment(at) | When::Span(at, _) => Some(Until::Moment { at }),
            _ => None,
        };
        let sun = || match self.sun_of(self.it.mark.1)? {
            (Trigger::Sun { event, offset_minutes: 0, from_day: None }, false) => Some(Until::Sun { event }),
            _ => None,
        };
        let rings = || Some(Until::Rings { ring: self.ring()? });
        let condition = || {
            let is_plain = |said: &Said| !said.of_it && !said.there;
            let Said { condition, for_seconds, .. } = self.condition().filter(is_plain)?;
            Some(Until::Becomes { condition, for_seconds })
        };
        time().or_else(moment).or_else(sun).or_else(said_at).or_else(condition).or_else(rings)
    }

    /// Its words without courtesies behind them.
    fn without_trails(&self) -> &[&str] {
        let trails = self.by.reader.grammar.lexicon().discourse.trails;
        phrases::without_ends(&[trails], self.words(self.it.mark.1))
    }

    /// The words of days, where all that is left out is some.
    fn days(&self) -> Option<Vec<String>> {
        let words = self.without_trails();
        let by = self.by.reader.reckoning();
        let every = Recurrence::every(Frequency::Daily);
        let (_, used) = rules::other_days(&every, words, &by)?;
        (used == words.len()).then(|| words.iter().map(|word| (*word).to_owned()).collect())
    }

    /// The same where a word says that it is such a day: "unless *it's* the weekend".
    fn days_that_are(&self) -> Option<Vec<String>> {
        let states = self.by.reader.grammar.lexicon().discourse.states;
        let from = phrases::starts(states, self.words(self.it.mark.1))?;
        let by = self.by.reader.reckoning();
        let words = &self.without_trails()[from..];
        rules::is_days(words, &by).then(|| words.iter().map(|word| (*word).to_owned()).collect())
    }

    /// What is left out: one thing or several.
    fn exceptions(&self) -> Option<Vec<Slots>> {
        // The article may be a word of the mark: "but not the lamp".
        let from = |from: usize| {
            let lexicon = self.by.reader.grammar.lexicon();
            let joins = |word: &str| {
                lexicon.requests.connectors.contains(word) || lexicon.qualifiers.any_of.contains(word)
            };
            // "The cellar, the garage and the bathroom".
            let words = self.words(from);
            let pauses = |at: &usize| self.qualifiers.pauses_before(from + at);
            let cuts: Vec<usize> = (1..words.len()).filter(pauses).collect();
            let starts = std::iter::once(0).chain(cuts.iter().copied());
            let ends = cuts.iter().copied().chain([words.len()]);
            let said = starts.zip(ends).map(|(start, end)| &words[start..end]);
            let parts =
                said.flat_map(|words| words.split(|word| joins(word))).filter(|words| !words.is_empty());
            let read = |words: &[&str]| self.part(Part::Target, words);
            let all = parts.map(|words| {
                // "… and except the kitchen".
                let again = phrases::starts(lexicon.qualifiers.exceptions, words).unwrap_or(0);
                let words = phrases::without_ends(&[lexicon.qualifiers.kept_as], &words[again..]);
                let before_one = || {
                    let (one, before) = words.split_last()?;
                    (lexicon.discourse.one.contains(one) && !before.is_empty()).then_some(before)
                };
                // "The one on the desk."
                let which = which_one(words, lexicon);
                let in_place = || (which.len() < words.len()).then_some(which);
                let of_place = || read(&self.with_place_before(in_place()?)?);
                let of_kind = || read(&self.instead_of_one(before_one()?)?);
                // "The office lights …, leave *the ceiling* as it is."
                let bare = &words[usize::from(
                    words.first().is_some_and(|first| lexicon.things.articles.contains(first)),
                )..];
                let here = || read(&self.with_place_before(bare)?);
                let read = here().or_else(|| read(words)).or_else(of_place).or_else(of_kind);
                // "All the doors except *the front*."
                let read = read.or_else(|| self.part(Part::Target, &self.instead_of_one(bare)?));
                let part = || {
                    let placed = || Some(target(&self.part(Part::Target, in_place()?)?.slots));
                    placed().or_else(|| self.part_of_a_name(before_one().or_else(in_place)?))
                };
                read.map(|found| target(&found.slots)).or_else(part)
            });
            all.collect::<Option<Vec<Slots>>>()
        };
        from(self.it.mark.1)
            .or_else(|| (self.it.mark.0 + 1..self.it.mark.1).rev().find_map(from))
            .filter(|all| !all.is_empty())
    }
}

impl<'c> Clause<'c> {
    /// "The front" (one) behind "all the doors": the front door.
    fn instead_of_one(&self, before: &[&'c str]) -> Option<Vec<&'c str>> {
        let grammar = self.by.reader.grammar;
        let said = &self.qualifiers.words[..self.it.start];
        let kind = said.iter().rev().find(|word| grammar.says_what_kind(word))?;
        let endings = grammar.lexicon().things.endings.iter();
        let kind = endings.filter_map(|ending| kind.strip_suffix(ending)).next().unwrap_or(kind);
        Some([before, &[kind]].concat())
    }

    /// "The ceiling" (one) behind "the office lights": what is called "office ceiling".
    fn with_place_before<'w>(&self, which: &[&'w str]) -> Option<Vec<&'w str>>
    where
        'c: 'w,
    {
        let grammar = self.by.reader.grammar;
        let said: &[&'w str] = &self.qualifiers.words[..self.it.start];
        let places = (1..=MAX_PLACE_WORDS).flat_map(|length| said.windows(length));
        places
            .filter(|words| grammar.is_place(&words.join(" ")))
            .map(|place| [place, which].concat())
            .find(|words| grammar.is_thing(&words.join(" ")))
    }

    /// "The bedside" (one): the only thing with this word in its name.
    fn part_of_a_name(&self, before: &[&str]) -> Option<Slots> {
        let reader = self.by.reader;
        let near = reader.nearest_thing(&reader.tokenise(&before.join(" ")))?;
        Some(Slots::from_iter([("name".to_owned(), near.name.into())]))
    }
}

/// Whether slots say where the sun is: "it's dark".
fn sun_stands(slots: &Slots) -> Option<Condition> {
    (slots.get(NOW) == Some(&Value::Bool(true))).then_some(())?;
    Some(Condition::Sun { up: slots.get("sun")? == "sunrise" })
}

/// The day that slots name, if any; `None` where they name another time than one day.
fn day_of(slots: &Slots) -> Option<Option<NaiveDate>> {
    match slots.get("day").and_then(Value::as_str).map(When::parse) {
        None => Some(None),
        Some(Some(When::Day(day))) => Some(Some(day)),
        Some(_) => None,
    }
}
