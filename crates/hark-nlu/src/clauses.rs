//! Requests with clauses: what they wait for ("when the kettle is done"), how long they last ("for ten minutes", "until
//! eight"), and what they leave out ("except the lamp"). A clause is taken out of the words, and what is left is read as
//! any request, so that every clause goes with every request. Words that belong to neither mean that the request was not
//! understood.

use super::grammar::{Match, Part, Reader};
use super::impossible::Impossible;
use super::intent::category_of;
use super::qualifiers::{Kind, Qualifier, Qualifiers};
use super::request_framing::spoken;
use super::rules::{self, Prefer, Reckoning, Rule};
use super::text::Token;
use super::understand::{intent, read};
use chrono::NaiveTime;
use hark_core::automation::intent::{AUTOMATE, RESTORE_LATER};
use hark_core::automation::{Condition, SunEvent, Trigger, Until};
use hark_core::calendar::When;
use hark_core::{Ambiguity, Category, Intent, Route, Slots, Understanding};
use hark_language::phrases;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Most clauses of one request.
const MAX_CLAUSES: usize = 3;

/// Words that may stand before "before sunset", as "half an hour" does.
const MAX_OFFSET_WORDS: usize = 6;

/// Key of a condition that tells a change and not a state: "gets", "rises".
const BECOMES: &str = "becomes";

/// Slots of a condition that name the thing the request is about: "unless it is on".
const IT: &str = "it";

/// When a night ends for which only its beginning was said: "after ten".
const MORNING: NaiveTime = match NaiveTime::from_hms_opt(6, 0, 0) {
    Some(time) => time,
    None => NaiveTime::MIN,
};

/// Slots of a request that say what it is about.
const TARGET: [&str; 5] = ["name", "area", "floor", "domain", "device_class"];

/// A request with its clauses.
struct Composed {
    /// What is to be done.
    matches: Vec<Match>,
    /// How many of them last until `terms.until`; the others stand behind it.
    lasting: usize,
    /// The words of that alone.
    said: String,
    terms: Terms,
}

/// What the clauses say.
#[derive(Debug, Default)]
struct Terms {
    trigger: Option<Trigger>,
    repeats: bool,
    /// Looked at once: what is done where it is not so (`ask`, `drop`).
    at_once: Option<&'static str>,
    only_if: Vec<Condition>,
    until: Option<Until>,
    /// The words that say when, and how long.
    said_when: Vec<String>,
    said_until: String,
}

/// What a condition says.
struct Said {
    condition: Condition,
    /// It tells a change.
    becomes: bool,
    /// It is about what the request is about.
    of_it: bool,
    /// It is about the place where the request is to be carried out.
    there: bool,
    /// It has been so for this long.
    for_seconds: u64,
}

/// What is announced of what somebody wants to be told.
const ANNOUNCE: &str = "HassBroadcast";
const MESSAGE: &str = "message";

/// What is carried out after some time, and its slot.
const LATER: &str = "HassStartTimer";
const COMMAND_KEY: &str = "command";
const COMMAND: &str = "conversation_command";

/// "Let me know when the kettle is done": what is to be told when it has happened. Sentences may take the same words for a
/// question about now.
pub(super) fn notice(reader: &Reader<'_>, text: &str, tokens: &[Token]) -> Option<Understanding> {
    let qualifiers = Qualifiers::of(reader, text, tokens);
    let it =
        qualifiers.found.first().filter(|it| matches!(it.kind, Kind::When | Kind::EachTime | Kind::If))?;
    reader.part(Part::Notice, false, text, &tokens[..it.start])?;
    let refused = || Understanding { intents: vec![qualifiers.refusal(it)], ..Understanding::default() };
    compose(reader, text).or_else(|| Some(refused()))
}

/// What a request with clauses means; `None` where it has none, or a part of it cannot be read.
pub(super) fn compose(reader: &Reader<'_>, text: &str) -> Option<Understanding> {
    // Names that were said exactly first: looking for others takes much longer.
    let found = [false, true].into_iter().find_map(|nearly| {
        let by = Composer { reader, nearly };
        by.with_clauses(text, &reader.tokenise(text), MAX_CLAUSES)
    });
    found?.understanding(reader)
}

/// Takes requests apart into clauses and what is left.
struct Composer<'c> {
    reader: &'c Reader<'c>,
    /// Names in clauses may be said otherwise.
    nearly: bool,
}

impl Composer<'_> {
    /// A request that has a clause.
    fn with_clauses(&self, text: &str, tokens: &[Token], clauses_left: usize) -> Option<Composed> {
        if tokens.is_empty() || clauses_left == 0 {
            return None;
        }
        let qualifiers = Qualifiers::of(self.reader, text, tokens);
        // The last one first: what stands at the end is rarely a part of what stands before it.
        qualifiers.found.iter().rev().find_map(|it| {
            qualifiers.ends(it).into_iter().find_map(|end| {
                let clause = Clause { by: self, qualifiers: &qualifiers, it, end };
                let (start, terms) = clause.read()?;
                if matches!(terms, Adds::Until(_)) && self.goes_on(&qualifiers, end) {
                    return self.with_more_behind(text, tokens, (start, end), terms, clauses_left);
                }
                let mut found = self.request(&without(text, tokens, start, end), clauses_left - 1)?;
                let words = |from: usize| text[tokens[from].start..tokens[end - 1].end].trim();
                if matches!(terms, Adds::Becomes { .. }) {
                    found.tell(words(it.mark.1));
                }
                found.add(terms, words(start), self.reader).then_some(found)
            })
        })
    }

    /// Whether another request follows: "for ten minutes *and* close the blinds".
    fn goes_on(&self, qualifiers: &Qualifiers<'_>, at: usize) -> bool {
        let connectors = self.reader.grammar.lexicon().requests.connectors;
        at + 1 < qualifiers.words.len() && connectors.contains(&qualifiers.words[at])
    }

    /// A request that lasts for some time, and what follows on it: something else, or what is to be done then to the same
    /// thing ("and then turn it off").
    fn with_more_behind(
        &self,
        text: &str,
        tokens: &[Token],
        (start, end): (usize, usize),
        until: Adds,
        clauses_left: usize,
    ) -> Option<Composed> {
        let lexicon = self.reader.grammar.lexicon();
        let is_word = |token: &&Token| lexicon.requests.connectors.contains(&token.word.as_str());
        let more = end + tokens[end..].iter().take_while(is_word).count();
        let (first, next) = (tokens.first()?, tokens.get(more)?);
        let mut found = self.request(&text[first.start..tokens[start].start], clauses_left - 1)?;
        let behind = &text[next.start..];
        let said: Vec<&str> = tokens[more..].iter().map(|token| token.word.as_str()).collect();
        if let Some(it) = said.iter().position(|word| lexicon.requests.pronouns.contains(word)) {
            let Adds::Until(Until::Seconds { seconds }) = until else { return None };
            let [only] = found.matches.as_slice() else { return None };
            let name = only.slots.get("name").and_then(Value::as_str)?;
            let words = [&said[..it], &[name], &said[it + 1..]].concat().join(" ");
            let then = self.reader.exactly(&words, &self.reader.tokenise(&words)).filter(|then| {
                category_of(&then.intent) == Some(Category::HomeControl) && then.wild_words == 0
            })?;
            let slots = [("seconds".to_owned(), seconds.into()), (COMMAND.to_owned(), words.into())];
            let slots = slots.into_iter().collect();
            found.matches.push(Match {
                intent: LATER.to_owned(),
                slots,
                response: Some(COMMAND_KEY.to_owned()),
                ..then
            });
            return Some(found);
        }
        let more = self.request(behind, clauses_left - 1).filter(|more| more.terms.is_plain())?;
        let words = text[tokens[start].start..tokens[end - 1].end].trim();
        found.add(until, words, self.reader).then_some(())?;
        found.lasting = found.matches.len();
        found.matches.extend(more.matches);
        Some(found)
    }

    /// What is left without a clause: a request, which may have others.
    fn request(&self, text: &str, clauses_left: usize) -> Option<Composed> {
        let reader = self.reader;
        let tokens = reader.tokenise(text);
        let qualifiers = Qualifiers::of(reader, text, &tokens);
        let whole = |matches: Vec<Match>| {
            let possible = Impossible::of(reader, text, &tokens).refuse(&matches).is_none();
            let is_timed = qualifiers.is_empty() || !lacks_its_time(&matches);
            let is_whole = possible && qualifiers.refuse(&matches).is_none() && is_timed;
            is_whole.then(|| Composed::of(matches, said(text)))
        };
        let in_full = || read(reader, text, &tokens).filter(|found| found.missed.is_empty());
        let notice = || {
            let found = reader.part(Part::Notice, false, text, &tokens)?;
            let matches = vec![Match { intent: ANNOUNCE.to_owned(), ..found }];
            Some(Composed::of(matches, String::new()))
        };
        notice()
            .or_else(|| reader.exactly(text, &tokens).and_then(|found| whole(vec![found])))
            .or_else(|| self.with_clauses(text, &tokens, clauses_left))
            .or_else(|| whole(in_full()?.matches))
    }
}

/// Whether it is a reminder that says no time; then "when Alice comes home" is its time and no part of its words.
pub(super) fn lacks_its_time(matches: &[Match]) -> bool {
    let timeless = |found: &Match| {
        let timed = ["when", "recurrence", "hours", "minutes", "seconds"];
        category_of(&found.intent) == Some(Category::Reminder)
            && found.slots.contains_key("message")
            && !timed.iter().any(|slot| found.slots.contains_key(*slot))
    };
    matches.iter().any(timeless)
}

/// A request without the ends that nobody says.
fn said(text: &str) -> String {
    text.trim_matches(|c: char| c.is_whitespace() || c.is_ascii_punctuation()).to_owned()
}

/// A text without some of its words.
fn without(text: &str, tokens: &[Token], start: usize, end: usize) -> String {
    let after = tokens.get(end).map_or(text.len(), |token| token.start);
    let before = text[..tokens[start].start].trim_end_matches([' ', ',', ';']);
    format!("{before} {}", text[after..].trim_start_matches([' ', ',', ';'])).trim().to_owned()
}

/// Some words that may be a clause.
struct Clause<'c> {
    by: &'c Composer<'c>,
    qualifiers: &'c Qualifiers<'c>,
    it: &'c Qualifier,
    end: usize,
}

/// What a clause adds.
enum Adds {
    Becomes { said: Said, repeats: bool },
    Sun { trigger: Trigger, repeats: bool },
    Check { said: Said, not: bool, otherwise: &'static str },
    During(Said),
    Hours(Condition),
    Until(Until),
    Except(Vec<Slots>),
}

impl Clause<'_> {
    /// Where it begins, and what it adds.
    fn read(&self) -> Option<(usize, Adds)> {
        let start = self.it.start;
        let here = |adds: Adds| Some((start, adds));
        match self.it.kind {
            Kind::Moment => self.sun(),
            Kind::Lasting => here(Adds::Until(self.length()?)),
            Kind::Except => here(Adds::Except(self.exceptions()?)),
            Kind::Until => here(Adds::Until(self.until()?)),
            Kind::Hours => None,
            Kind::Condition => self.hours().and_then(|hours| here(Adds::Hours(hours))),
            Kind::When | Kind::EachTime => {
                let repeats = self.it.kind == Kind::EachTime;
                if let Some(hours) = self.hours() {
                    return here(Adds::Hours(hours));
                }
                if let Some((trigger, daily)) = self.sun_of(self.it.mark.1) {
                    return here(Adds::Sun { trigger, repeats: repeats || daily });
                }
                here(Adds::Becomes { said: self.condition()?, repeats })
            }
            Kind::If => {
                if let Some((trigger, repeats)) = self.sun_of(self.it.mark.1) {
                    return here(Adds::Sun { trigger, repeats });
                }
                let said = self.condition()?;
                if said.becomes {
                    return here(Adds::Becomes { said, repeats: false });
                }
                here(Adds::Check { said, not: false, otherwise: "ask" })
            }
            Kind::Unless => here(Adds::Check { said: self.condition()?, not: true, otherwise: "drop" }),
            Kind::During => here(Adds::During(self.condition()?)),
        }
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
        let words = self.words(self.it.mark.1);
        let whole = || Some((self.part(Part::Condition, words)?, 0));
        let (found, for_seconds) = whole().or_else(|| self.lasting_condition(words))?;
        let mut question = found.slots;
        if question.contains_key("sun") {
            return None;
        }
        let becomes = found.response.as_deref() == Some(BECOMES) || for_seconds > 0;
        if let Some(condition) = hours_of(&question) {
            return Some(Said { condition, becomes, of_it: false, there: false, for_seconds });
        }
        let flag = |question: &mut Slots, slot| question.remove(slot) == Some(Value::Bool(true));
        let (not, of_it) = (flag(&mut question, "not"), flag(&mut question, IT));
        let there = flag(&mut question, "there");
        Some(Said { condition: Condition::State { question, not }, becomes, of_it, there, for_seconds })
    }

    /// "The door has been open for five minutes".
    fn lasting_condition(&self, words: &[&str]) -> Option<(Match, u64)> {
        let lexicon = self.by.reader.grammar.lexicon();
        (1..words.len()).rev().find_map(|at| {
            let before = phrases::starts(lexicon.qualifiers.lasting, &words[at..])?;
            let (length, used) = rules::length(&words[at + before..], lexicon)?;
            let is_whole = at + before + used == words.len() && length.months == 0;
            let found = is_whole.then(|| self.part(Part::Condition, &words[..at])).flatten()?;
            Some((found, length.total_seconds()))
        })
    }

    /// "At sunset", "half an hour before sunset".
    fn sun(&self) -> Option<(usize, Adds)> {
        let furthest = self.it.start.saturating_sub(MAX_OFFSET_WORDS);
        let at = |start: usize| {
            let (trigger, repeats) = self.sun_of(start)?;
            Some((start, Adds::Sun { trigger, repeats }))
        };
        (furthest..=self.it.start).find_map(at)
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
        let minutes =
            part("offset_hours", 60.0) + part("offset_minutes", 1.0) + part("offset_seconds", 1.0 / 60.0);
        let sign = if slots.get("earlier") == Some(&Value::Bool(true)) { -1.0 } else { 1.0 };
        // Whole minutes of at most some days.
        #[allow(clippy::cast_possible_truncation)]
        let offset_minutes = (minutes.min(10_000.0) * sign).round() as i32;
        let from_day = match slots.get("day").and_then(Value::as_str).map(When::parse) {
            None => None,
            Some(Some(When::Day(day))) => Some(day),
            Some(_) => return None,
        };
        let repeats = slots.get("daily") == Some(&Value::Bool(true));
        Some((Trigger::Sun { event, offset_minutes, from_day }, repeats))
    }

    /// "After ten", "between nine and eleven".
    fn hours(&self) -> Option<Condition> {
        hours_of(&self.part(Part::Condition, self.words(self.it.mark.0))?.slots)
    }

    fn length(&self) -> Option<Until> {
        let words = self.words(self.it.mark.0);
        let (length, used) = rules::length(words, self.by.reader.grammar.lexicon())?;
        let seconds = length.total_seconds();
        (used == words.len() && length.months == 0 && seconds > 0).then_some(Until::Seconds { seconds })
    }

    /// "Until eight", "until tomorrow at noon", "until sunrise", "until the door is closed".
    fn until(&self) -> Option<Until> {
        let words = self.words(self.it.mark.1);
        let by =
            |prefer| Reckoning { lexicon: self.by.reader.grammar.lexicon(), now: self.by.reader.now, prefer };
        let whole = |rule| {
            let found = rules::all(rule, words, &by(Prefer::Usual));
            let (found, _) = found.into_iter().find(|(_, used)| *used == words.len())?;
            found.into_iter().next().and_then(|(_, value)| Some(value.as_str()?.to_owned()))
        };
        let time = || whole(Rule::Time)?.parse().ok().map(|time| Until::Time { time });
        let moment = || match When::parse(&whole(Rule::Datetime)?)? {
            When::Moment(at) => Some(Until::Moment { at }),
            _ => None,
        };
        let sun = || match self.sun_of(self.it.mark.1)? {
            (Trigger::Sun { event, offset_minutes: 0, from_day: None }, false) => Some(Until::Sun { event }),
            _ => None,
        };
        let condition = || {
            let is_plain = |said: &Said| !said.of_it && !said.there && said.for_seconds == 0;
            let said = self.condition().filter(is_plain)?;
            Some(Until::Becomes { condition: said.condition })
        };
        time().or_else(moment).or_else(sun).or_else(condition)
    }

    /// What is left out: one thing or several.
    fn exceptions(&self) -> Option<Vec<Slots>> {
        // The article may be a word of the mark: "but not the lamp".
        let from = |from: usize| {
            let connectors = self.by.reader.grammar.lexicon().requests.connectors;
            let words = self.words(from);
            let parts = words.split(|word| connectors.contains(word));
            let all = parts.map(|words| Some(target(&self.part(Part::Target, words)?.slots)));
            all.collect::<Option<Vec<Slots>>>()
        };
        from(self.it.mark.1)
            .or_else(|| (self.it.mark.0 + 1..self.it.mark.1).rev().find_map(from))
            .filter(|all| !all.is_empty())
    }
}

/// The hours that slots name. Of two that may be meant, the evening begins and the morning ends.
fn hours_of(slots: &Slots) -> Option<Condition> {
    let times = |slot: &str| {
        let times = slots.get(slot)?.as_str()?.split('/').map(|time| time.parse().ok());
        times.collect::<Option<Vec<NaiveTime>>>()
    };
    let from = times("from").and_then(|times| times.last().copied());
    let to = times("to").and_then(|times| times.first().copied());
    match (from, to) {
        (Some(from), to) => Some(Condition::Hours { from, to: to.unwrap_or(MORNING) }),
        (None, Some(to)) => Some(Condition::Hours { from: NaiveTime::MIN, to }),
        (None, None) => None,
    }
}

/// The slots that say what is meant.
fn target(slots: &Slots) -> Slots {
    slots.iter().filter(|(slot, _)| TARGET.contains(&slot.as_str())).map(owned).collect()
}

fn owned((slot, value): (&String, &Value)) -> (String, Value) {
    (slot.clone(), value.clone())
}

/// The opposite of what has to be so.
fn opposite(said: Said) -> Option<Said> {
    let condition = negated(said.condition)?;
    Some(Said { condition, ..said })
}

fn negated(condition: Condition) -> Option<Condition> {
    match condition {
        Condition::State { question, not } => Some(Condition::State { question, not: !not }),
        Condition::Hours { from, to } => Some(Condition::Hours { from: to, to: from }),
    }
}

impl Terms {
    /// Whether there are no clauses but exceptions.
    fn is_plain(&self) -> bool {
        self.trigger.is_none() && self.until.is_none() && self.only_if.is_empty()
    }

    /// Takes what has to happen; false where something has to happen already.
    fn wait_for(&mut self, trigger: Trigger, words: &str) -> bool {
        self.said_when.push(words.to_owned());
        self.trigger.replace(trigger).is_none()
    }

    fn end(&mut self, until: Until, words: &str) -> bool {
        words.clone_into(&mut self.said_until);
        self.until.replace(until).is_none()
    }
}

impl Composed {
    fn of(matches: Vec<Match>, said: String) -> Self {
        Self { lasting: usize::MAX, matches, said, terms: Terms::default() }
    }

    /// Adds what a clause says; false where it does not go with the request.
    fn add(&mut self, adds: Adds, words: &str, reader: &Reader<'_>) -> bool {
        match adds {
            Adds::Sun { trigger, repeats } => {
                self.terms.repeats |= repeats;
                self.terms.wait_for(trigger, words)
            }
            Adds::Becomes { said, repeats } => {
                self.terms.repeats |= repeats;
                let trigger = self.about(said, reader);
                trigger.is_some_and(|trigger| self.terms.wait_for(trigger, words))
            }
            Adds::Check { .. } | Adds::During(_) if self.put_off(words) => true,
            Adds::Check { said, not, otherwise } => {
                self.terms.at_once = Some(otherwise);
                let said = if not { opposite(said) } else { Some(said) };
                let trigger = said.and_then(|said| self.about(said, reader));
                trigger.is_some_and(|trigger| self.terms.wait_for(trigger, words))
            }
            Adds::During(said) => {
                self.terms.at_once = Some("ask");
                let Some(Trigger::Becomes { condition, for_seconds }) = self.about(said, reader) else {
                    return false;
                };
                let over = negated(condition.clone());
                self.terms.wait_for(Trigger::Becomes { condition, for_seconds }, words)
                    && over.is_some_and(|condition| self.terms.end(Until::Becomes { condition }, words))
            }
            Adds::Hours(condition) => {
                self.terms.said_when.push(words.to_owned());
                self.terms.only_if.push(condition);
                true
            }
            Adds::Until(until) => self.last_until(until, words),
            Adds::Except(targets) => self.except(targets),
        }
    }

    /// What has to become so: a condition about "it" is about what the request is about, one about "there" about its place.
    fn about(&self, said: Said, reader: &Reader<'_>) -> Option<Trigger> {
        let Said { mut condition, for_seconds, .. } = said;
        if said.of_it || said.there {
            let [only] = self.matches.as_slice() else { return None };
            let Condition::State { question, .. } = &mut condition else { return None };
            let is_place = |slot: &str| matches!(slot, "area" | "floor");
            let meant = target(&only.slots).into_iter().filter(|(slot, _)| said.of_it || is_place(slot));
            let before = question.len();
            question.extend(meant);
            let name = || only.slots.get("name")?.as_str();
            if said.there && !question.contains_key("area") && !question.contains_key("floor") {
                let area = name().and_then(|name| reader.grammar.area_of(name));
                question.extend(area.map(|area| ("area".to_owned(), area)));
            }
            (question.len() > before).then_some(())?;
        }
        Some(Trigger::Becomes { condition, for_seconds })
    }

    /// Who wants to be told is told what has happened.
    fn tell(&mut self, words: &str) {
        for found in self.matches.iter_mut().filter(|found| found.intent == ANNOUNCE) {
            found.slots.entry(MESSAGE).or_insert_with(|| words.into());
        }
    }

    /// What is put off for a time, or comes again, has its clauses then.
    fn put_off(&mut self, words: &str) -> bool {
        let [later] = self.matches.as_mut_slice() else { return false };
        let Some(command) = later.slots.get(COMMAND).and_then(Value::as_str) else { return false };
        let command = format!("{command} {words}");
        later.slots.insert(COMMAND.to_owned(), command.into());
        true
    }

    /// Something is to last.
    fn last_until(&mut self, until: Until, words: &str) -> bool {
        if self.put_off(words) {
            return true;
        }
        let changes_back = |found: &Match| {
            matches!(category_of(&found.intent), Some(Category::HomeControl | Category::Media))
        };
        self.matches.iter().all(changes_back) && self.terms.end(until, words)
    }

    /// Leaves things out of everything that is done to several.
    fn except(&mut self, targets: Vec<Slots>) -> bool {
        let mut is_used = false;
        let except: Vec<Value> = targets.into_iter().map(Value::Object).collect();
        for found in &mut self.matches {
            let several = found.slots.get("name").is_none_or(|name| name == "all");
            let at_home = [Some(Category::HomeControl), Some(Category::HomeQuery), Some(Category::Media)]
                .contains(&category_of(&found.intent));
            if several && at_home {
                found.slots.insert("except".to_owned(), except.clone().into());
                is_used = true;
            }
        }
        is_used
    }

    fn understanding(self, reader: &Reader<'_>) -> Option<Understanding> {
        let language = reader.grammar.language().to_owned();
        let Self { matches, lasting, said, terms } = self;
        let mut ambiguous = Vec::new();
        for (index, found) in matches.iter().enumerate() {
            ambiguous.extend(found.doubts.iter().map(|doubt| Ambiguity { intent: index, ..doubt.clone() }));
        }
        let why = format!("{} with what it waits for", matches.first()?.why);
        let lexicon = reader.grammar.lexicon();
        let mut intents: Vec<Intent> = matches.into_iter().map(|found| intent(found, lexicon)).collect();
        let made = |name: &str, slots: Map<String, Value>| Intent {
            name: name.to_owned(),
            slots,
            confidence: 1.0,
            route: Route::Template,
            why: why.clone(),
            response: None,
            single: false,
        };
        if let Some(until) = &terms.until {
            let slots = object(json!({
                "until": of(until), "said_when": terms.said_until, "language": language,
            }));
            // What stands behind it may be asked about by its place.
            ambiguous.iter_mut().filter(|doubt| doubt.intent >= lasting).for_each(|doubt| doubt.intent += 1);
            intents.insert(lasting.min(intents.len()), made(RESTORE_LATER, slots));
        }
        let Some(trigger) = &terms.trigger else {
            return terms.only_if.is_empty().then(|| Understanding {
                intents,
                ambiguous,
                ..Understanding::default()
            });
        };
        // Whoever is asked later which one was meant is not there any more.
        let waits = |intent: &Intent| {
            let category = category_of(&intent.name);
            intent.name == RESTORE_LATER || category.is_some_and(|it| it != Category::Conversation)
        };
        if !ambiguous.is_empty() || !intents.iter().all(waits) {
            return None;
        }
        intents.iter_mut().for_each(ring_at_once);
        let mut slots = object(json!({
            "said_when": terms.said_when.join(" "), "language": language,
            "trigger": of(trigger), "intents": of(&intents),
        }));
        if !said.is_empty() {
            slots.insert("said".to_owned(), said.into());
        }
        if terms.repeats {
            slots.insert("repeats".to_owned(), true.into());
        }
        if let Some(otherwise) = terms.at_once {
            slots.insert("at_once".to_owned(), otherwise.into());
        }
        if !terms.only_if.is_empty() {
            slots.insert("only_if".to_owned(), of(&terms.only_if));
        }
        Some(Understanding { intents: vec![made(AUTOMATE, slots)], ..Understanding::default() })
    }
}

/// A reminder that waits for something rings when that has happened.
fn ring_at_once(intent: &mut Intent) {
    let is_timed = ["when", "recurrence", "hours", "minutes", "seconds"];
    if category_of(&intent.name) == Some(Category::Reminder)
        && !is_timed.iter().any(|slot| intent.slots.contains_key(*slot))
    {
        intent.slots.insert("seconds".to_owned(), 1.into());
    }
}

/// Plain data can always be written as JSON.
fn of<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
