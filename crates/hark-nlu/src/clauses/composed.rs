//! A request with its clauses put together: what it comes to.

use super::super::grammar::{Grammar, Match, Part, Reader, Took};
use super::super::intent::category_of;
use super::super::rules::{self, Rule};
use super::super::text::Token;
use super::super::to_intent::{is_single, is_whole, kind_of, to_intent};
use super::hours::MORNING;
use super::in_turn::{MAX_NAME_WORDS, are_contrary};
use super::model::{Adds, Composed, Said, Terms};
use super::notices::notice;
use super::terms::{ONCE, SET_RINGS, TIMES, WAITS, ring_at_once, rings_at_a_time};
use super::{SCHEDULED, target};
use chrono::{NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike};
use hark_core::automation::intent::{ANNOUNCE, AUTOMATE, COMMAND, OF_IT, RESTORE_LATER, TO_IT};
use hark_core::automation::{Condition, Trigger, Until};
use hark_core::calendar::{Recurrence, When};
use hark_core::{Ambiguity, Category, Intent, Route, Slots, Understanding};
use hark_language::phrases;
use hark_language::time;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Asks what waits for something to happen.
const ASKS_WHAT_WAITS: &str = "HarkAutomationList";

/// Slot of an announcement with what is announced.
const MESSAGE: &str = "message";

impl Composed {
    pub(super) fn of(matches: Vec<Match>, said: String) -> Self {
        Self { lasting: usize::MAX, matches, said, terms: Terms::default() }
    }

    /// Whether another request does the same to the same thing.
    pub(super) fn does_the_same(&self, other: &Self) -> bool {
        let ([one], [same]) = (self.matches.as_slice(), other.matches.as_slice()) else { return false };
        one.intent == same.intent && target(&one.slots) == target(&same.slots)
    }

    /// What lasts as long as another request says; `None` where one of them says no end, or both do.
    pub(super) fn with_end_of(mut self, other: Self) -> Option<Self> {
        self.terms.end(other.terms.until?, &other.terms.said_until).then_some(self)
    }

    /// Whether it sets something that rings, which waits for nothing else.
    pub(super) fn rings(&self) -> bool {
        self.matches.iter().any(|found| SET_RINGS.contains(&found.intent.as_str()))
    }

    /// Whether it looks now whether something is so.
    pub(super) fn looks(&self) -> bool {
        self.terms.at_once.is_some()
    }

    /// Whether it is not done now.
    pub(super) fn waits(&self) -> bool {
        self.terms.trigger.is_some() || self.is_put_off()
    }

    /// Adds what a clause says; false where it does not go with the request.
    pub(super) fn add(&mut self, adds: Adds, words: &str, reader: &Reader<'_>) -> bool {
        if matches!(adds, Adds::Check { now: false, .. } | Adds::During(_)) {
            self.join_what_is_put_off(reader);
        }
        // "… turn on the lamp, and off at eleven": which eleven that is depends on when it happens.
        let comes_again = |it: &Match| it.slots.contains_key("recurrence");
        let at_some_time =
            |it: &Match| it.slots.contains_key(COMMAND) && (it.moment().is_some() || comes_again(it));
        let waits = matches!(adds, Adds::Happens { .. } | Adds::Becomes { .. });
        let is_timed = waits && self.matches.len() > 1 && self.matches.iter().any(at_some_time);
        if is_timed && self.ends_itself(reader).is_none() {
            return false;
        }
        match adds {
            Adds::Happens { mut trigger, repeats } => {
                let day = self.limit_in_time(matches!(trigger, Trigger::Sun { .. }), reader);
                if let Trigger::Sun { from_day, .. } = &mut trigger {
                    *from_day = from_day.or(day);
                }
                self.terms.repeats |= repeats;
                self.terms.wait_for(trigger, words)
            }
            Adds::Becomes { said, repeats } => {
                self.limit_in_time(false, reader);
                self.terms.repeats |= repeats;
                self.terms.of_it = said.of_it;
                let trigger = self.about(said, reader).map(|trigger| self.terms.limited_by_dark(trigger));
                trigger.is_some_and(|trigger| self.terms.wait_for(trigger, words))
            }
            // What has to be so when a reminder rings is looked at then.
            Adds::Check { now: false, .. } | Adds::During(_) if self.matches.iter().any(rings_at_a_time) => {
                self.remind_by_command(reader) && self.put_off(|command| format!("{words}, {command}"))
            }
            // Said first, so that "it" can be what it is about.
            Adds::Check { now: false, .. } | Adds::During(_)
                if self.put_off(|command| format!("{words}, {command}")) =>
            {
                true
            }
            Adds::Check { said, not, otherwise, .. } => {
                // "If it isn't locked, lock it": what is so already need not be waited for.
                let otherwise = if self.is_about(&said) { ONCE } else { otherwise };
                let tells = self.matches.iter().all(|found| found.intent == ANNOUNCE);
                let otherwise = if tells { WAITS } else { otherwise };
                let said = if not { Said { condition: said.condition.negated(), ..said } } else { said };
                let trigger = self.about(said, reader);
                trigger.is_some_and(|trigger| self.terms.check(trigger, otherwise, words))
            }
            // "Tell me if the power goes over two thousand while the kettle is off": it has to be so when that happens.
            Adds::During(said) if self.terms.trigger.is_some() => {
                let Some(Trigger::Becomes { condition, .. }) = self.about(said, reader) else { return false };
                self.terms.only_if.push(condition);
                self.terms.said_when.push(words.to_owned());
                true
            }
            Adds::During(said) => {
                self.terms.at_once = Some(WAITS);
                let Some(Trigger::Becomes { condition, for_seconds }) = self.about(said, reader) else {
                    return false;
                };
                let over = Until::Becomes { condition: condition.clone().negated(), for_seconds: 0 };
                self.terms.wait_for(Trigger::Becomes { condition, for_seconds }, words)
                    && self.terms.end(over, words)
            }
            Adds::Hours(condition) => {
                self.terms.within_hours(condition, words);
                true
            }
            Adds::Until(until) => {
                let until = self.terms.measured(until, reader);
                self.last_until(until, words, reader)
            }
            // "At ten turn off all the lights *except the porch light*": left out then.
            Adds::Except(..) if self.is_put_off() => {
                let command = self.matches[0].slots.get(COMMAND).and_then(Value::as_str).unwrap_or_default();
                super::compose(reader, &format!("{command} {words}")).is_some_and(|found| is_whole(&found))
                    && self.put_off(|command| format!("{command} {words}"))
            }
            Adds::Except(targets, left_out) => {
                let is_out = self.except_items(&left_out, reader) || self.except(targets, reader);
                self.say_what_is_left_out(words);
                is_out
            }
            Adds::ExceptDays(days) => {
                words.clone_into(&mut self.terms.said_not);
                self.except_days(&days, reader)
            }
        }
    }

    /// Whether a condition is about the one thing that the request is about.
    fn is_about(&self, said: &Said) -> bool {
        let [only] = self.matches.as_slice() else { return false };
        let Condition::State { question, .. } = &said.condition else { return false };
        let name = question.get("name");
        said.of_it || name.is_some() && name == only.slots.get("name")
    }

    /// What has to become so: a condition about "it" is about what the request is about, one about "there" about its place.
    fn about(&self, said: Said, reader: &Reader<'_>) -> Option<Trigger> {
        let Said { mut condition, for_seconds, .. } = said;
        if said.of_it || said.there {
            let [only] = self.matches.as_slice() else { return None };
            let Condition::State { question, .. } = &mut condition else { return None };
            // Only some things can be "in the dock".
            if said.of_it
                && let Some(domains) = question.remove("domain")
            {
                let name = only.slots.get("name").and_then(Value::as_str);
                let domain = name.and_then(|name| reader.grammar.domain_of(name));
                domains.as_str()?.split('|').any(|one| Some(one) == domain).then_some(())?;
            }
            let is_place = |slot: &str| matches!(slot, "area" | "floor");
            let meant = target(&only.slots).into_iter().filter(|(slot, _)| said.of_it || is_place(slot));
            let before = question.len();
            question.extend(meant);
            if said.of_it && question.len() == before {
                question.extend(only.slots.get(MESSAGE).and_then(|told| thing_in(told.as_str()?, reader)));
            }
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
    pub(super) fn tell(&mut self, words: &str) {
        for found in self.matches.iter_mut().filter(|found| found.intent == ANNOUNCE) {
            found.slots.entry(MESSAGE).or_insert_with(|| words.into());
        }
    }

    /// Whether it is a question about the home.
    pub(super) fn asks(&self) -> bool {
        self.matches.iter().all(|found| category_of(&found.intent) == Some(Category::HomeQuery))
    }

    /// Whether all it does is to answer something.
    pub(super) fn only_asks(&self) -> bool {
        self.matches.iter().all(Match::only_asks)
    }

    /// What has to become so, or is asked.
    pub(super) fn question(&self) -> Option<&Slots> {
        let asked = || match self.matches.as_slice() {
            [only] if self.asks() && self.terms.trigger.is_none() => Some(&only.slots),
            _ => None,
        };
        self.terms.question().or_else(asked)
    }

    /// Whether it is put off for a time, or comes again.
    pub(super) fn is_put_off(&self) -> bool {
        matches!(self.matches.as_slice(), [later] if later.slots.contains_key(COMMAND))
    }

    /// One thing of a kind without a place is the one in an area, where there is such a one: "if the *bedroom* gets cold turn the
    /// radiator up".
    pub(super) fn prefer_in(&mut self, area: &str, grammar: &Grammar) {
        let area = Value::from(area);
        for found in &mut self.matches {
            let words: Vec<&str> = found.words.iter().map(|(word, _)| word.as_str()).collect();
            let is_one = is_single(found, &words, grammar.lexicon());
            let domain = found.slots.get("domain").and_then(Value::as_str).or(kind_of(&found.intent));
            let is_there = domain.is_some_and(|domain| grammar.has_in(&area, domain, None));
            let says_where = ["name", "area", "floor"].iter().any(|slot| found.slots.contains_key(*slot));
            if is_one && is_there && !says_where {
                found.slots.insert("area".to_owned(), area.clone());
            }
        }
    }

    /// Has it last until a time where it is taken back then: "close the blinds, and *open them again at seven*". `None` where the
    /// second does something else.
    fn ends_itself(&mut self, reader: &Reader<'_>) -> Option<()> {
        let [first, later] = self.matches.as_slice() else { return None };
        let at = later.moment().filter(|_| !later.says_day(&reader.reckoning()))?;
        let command = later.slots.get(COMMAND)?.as_str()?;
        let act = reader.exactly(command, &reader.tokenise(command))?;
        let is_same = ["name", "area"].iter().all(|slot| act.slots.get(*slot) == first.slots.get(*slot));
        let goes_back = match act.slots.get("action").and_then(Value::as_str) {
            Some("off" | "close") => first.intent == "HassTurnOn",
            Some("on" | "open") => first.intent == "HassTurnOff",
            _ => is_same && are_contrary(&first.intent, &act.intent),
        };
        let words: Vec<&str> = later.words.iter().map(|(word, _)| word.as_str()).collect();
        let lexicon = reader.grammar.lexicon();
        let by = reader.reckoning();
        let time = (0..words.len()).find_map(|from| {
            let (_, used) = rules::longest(Rule::Time, &words[from..], &by)?;
            let mark = phrases::starts(lexicon.time.at, &words[from..]).unwrap_or(0);
            Some(words[from + mark..from + used].join(" "))
        })?;
        let until = format!("{} {time}", lexicon.qualifiers.until.first()?);
        goes_back.then_some(())?;
        self.said = super::promised(reader, first.said());
        self.matches.pop();
        self.terms.end(Until::Time { time: at.time() }, &until).then_some(())
    }

    /// Whether it is put off to a part of a day: "tonight".
    pub(super) fn is_within_a_part(&self) -> bool {
        self.is_put_off() && self.matches.iter().all(|later| matches!(later.when(), Some(When::Span(..))))
    }

    /// Whether it is one request that is put off to a time of day.
    pub(super) fn is_put_off_without_day(&self, reader: &Reader<'_>) -> bool {
        self.is_put_off()
            && self.matches.iter().all(|it| it.moment().is_some() && !it.says_day(&reader.reckoning()))
    }

    /// Whether it says when, or how long.
    pub(super) fn has_terms(&self) -> bool {
        !self.terms.is_plain() || self.is_put_off()
    }

    /// Whether it lasts for some time.
    pub(super) fn lasts(&self) -> bool {
        matches!(self.terms.until, Some(Until::Seconds { .. }))
    }

    /// Whether it comes again.
    pub(super) fn is_each_day(&self) -> bool {
        self.terms.repeats || self.matches.iter().any(|found| found.slots.contains_key("recurrence"))
    }

    /// What is put off for a time, or comes again, has its clauses then.
    pub(super) fn put_off(&mut self, with_clause: impl Fn(&str) -> String) -> bool {
        let [later] = self.matches.as_mut_slice() else { return false };
        let Some(command) = later.slots.get(COMMAND).and_then(Value::as_str) else { return false };
        let command = with_clause(command);
        later.slots.insert(COMMAND.to_owned(), command.into());
        if let Some(words) = later.slots.get_mut(OF_IT).and_then(|it| it.get_mut("words")) {
            *words = with_clause(words.as_str().unwrap_or_default()).into();
        }
        true
    }

    /// What is put off for "it" is done to what has this name: "if the tv is on at midnight turn it off".
    pub(super) fn name_it(&mut self, name: &str) {
        self.matches.iter_mut().for_each(|found| found.name_it(name));
    }

    /// Has a reminder set at its time, to ring at once then; false where its words without the time are no reminder, or an
    /// alarm is set.
    fn remind_by_command(&mut self, reader: &Reader<'_>) -> bool {
        let [only] = self.matches.as_mut_slice() else { return false };
        let is_timed = |took: &Took| *took == Took::Ruled;
        let words = only.words.iter().filter(|(_, took)| !is_timed(took)).map(|(word, _)| word.as_str());
        let command = words.collect::<Vec<_>>().join(" ");
        let told = reader.exactly(&command, &reader.tokenise(&command));
        if !told.is_some_and(|told| told.intent == only.intent && told.slots.contains_key(MESSAGE)) {
            return false;
        }
        only.intent = SCHEDULED.to_owned();
        only.slots.retain(|slot, _| TIMES.contains(&slot.as_str()));
        only.slots.insert(COMMAND.to_owned(), command.into());
        true
    }

    /// "From seven to eight tonight": of two hours that may be meant, it begins at the one before its end; at once where
    /// that is over already.
    fn begin_before(&mut self, until: &Until, now: NaiveDateTime) {
        let ([later], Until::Moment { at: end }) = (self.matches.as_mut_slice(), until) else { return };
        let Some(mut begin) = later.moment() else { return };
        // "From five till ten tomorrow evening" is all of tomorrow.
        if *end - begin > TimeDelta::days(1) {
            begin = end.date().and_time(begin.time());
        }
        let half_a_day_later = begin + TimeDelta::hours(12);
        if begin > *end {
            begin = now + TimeDelta::seconds(1);
        } else if begin.hour() < 12 && half_a_day_later < *end {
            begin = half_a_day_later;
        }
        later.slots.insert("when".to_owned(), When::Moment(begin).to_string().into());
    }

    /// "At night", "on weekdays" beside what is waited for: it is to be done only then, and not put off until then. What the
    /// sun does is at a time of its own; the day of that where one is said, "tomorrow evening when it gets dark".
    fn limit_in_time(&mut self, is_sun: bool, reader: &Reader<'_>) -> Option<NaiveDate> {
        if self.matches.iter().all(|it| matches!(it.when(), Some(When::Span(..)))) {
            self.join_what_is_put_off(reader);
        }
        let [later] = self.matches.as_slice() else { return None };
        let text = |slot: &str| later.slots.get(slot).and_then(Value::as_str);
        let command = text(COMMAND)?.to_owned();
        let mut day = None;
        // "Every evening when it gets dark": the sun says when.
        let time = |every: &Recurrence| if is_sun { None } else { every.time };
        let every = text("recurrence").map(|every| {
            let every = Recurrence::parse(every)?;
            Recurrence { time: time(&every), ..every }.days_of_week()
        });
        let limit = match (text("when").and_then(When::parse), &every) {
            (Some(When::Span(from, _)), None) if is_sun => {
                day = Some(from.date());
                None
            }
            (Some(When::Span(from, to)), None) if !is_sun && from < reader.now + TimeDelta::days(1) => {
                // A night that ends with the day goes on until the morning, an evening does not.
                let parts = reader.grammar.lexicon().time.parts;
                let is_evening = |word: &(String, Took)| parts.get(&word.0) == Some(time::Part::Evening);
                let goes_on = to.time() == NaiveTime::MIN && !later.words.iter().any(is_evening);
                let to = if goes_on { to.date().and_time(MORNING) } else { to };
                // "Tonight", and not "at night".
                self.terms.part_of_day = Some((from, to)).filter(|_| later.says_day(&reader.reckoning()));
                Some(Condition::Hours { from: from.time(), to: to.time() })
            }
            (None, Some(Some(days))) => (days.len() < 7).then(|| Condition::Days { days: days.clone() }),
            _ => return None,
        };
        let tokens = reader.tokenise(&command);
        let act = reader.exactly(&command, &tokens).or_else(|| notice(reader, &command, &tokens));
        let one = act.map(|act| (vec![act], super::promised(reader, command.clone())));
        let several = || super::request_of(reader, &command).map(|found| (found.matches, found.said));
        let (acts, said) = one.or_else(several)?;
        let words = self.said.replacen(&command, "", 1).replacen(&said, "", 1);
        self.terms.said_when.extend(limit.is_some().then(|| words.trim().to_owned()));
        self.terms.only_if.extend(limit);
        self.terms.repeats |= every.is_some();
        // "Tell me" is said as what is told.
        let tells = acts.iter().all(|act| act.intent == ANNOUNCE);
        let said = if tells { String::new() } else { said };
        (self.matches, self.said) = (acts, said);
        day
    }

    /// Something is to last.
    fn last_until(&mut self, until: Until, words: &str, reader: &Reader<'_>) -> bool {
        if self.put_off(|command| format!("{command} {words}")) {
            self.begin_before(&until, reader.now);
            return true;
        }
        // What is told does not last: "let me know if the door is open *for five minutes*".
        let changes_back = |found: &Match| {
            let of_home = matches!(category_of(&found.intent), Some(Category::HomeControl | Category::Media));
            found.intent != ANNOUNCE && of_home || found.intent == TO_IT
        };
        self.matches.iter().all(changes_back) && self.terms.end(until, words)
    }

    /// Has only the last of several requests last, where that is whole by itself: "the lamp on, *the printer on for half an hour*
    /// and …". "The lamp and *the printer*" last as a whole.
    pub(super) fn let_last_one_last(&mut self, reader: &Reader<'_>) {
        let [.., _, last] = self.matches.as_slice() else { return };
        let tokens = reader.tokenise(&self.said);
        let is_whole = (1..tokens.len()).any(|at| {
            let own = reader.exactly(&self.said, &tokens[at..]);
            own.is_some_and(|own| own.intent == last.intent && own.slots == last.slots)
        });
        if is_whole {
            self.matches.rotate_right(1);
            self.lasting = 1;
        }
    }

    pub(super) fn understanding(self, reader: &Reader<'_>) -> Option<Understanding> {
        let language = reader.grammar.language().to_owned();
        let Self { matches, lasting, said, mut terms } = self;
        let mut ambiguous = Vec::new();
        for (index, found) in matches.iter().enumerate() {
            ambiguous.extend(found.doubts.iter().map(|doubt| Ambiguity { intent: index, ..doubt.clone() }));
        }
        terms.end_beside_sun(matches.iter().any(|it| it.intent == "HassTurnOff"), reader);
        let why = format!("{} with what it waits for", matches.first()?.why);
        let lexicon = reader.grammar.lexicon();
        let told_back = |words: &str| lexicon.memory.told_back(words);
        let mut intents: Vec<Intent> = matches.into_iter().map(|found| to_intent(found, lexicon)).collect();
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
                "until": of(until), "said_when": told_back(&terms.said_until), "language": language,
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
        // "What are you going to do *when Alice leaves*" is about what waits for her.
        if let [asks] = intents.as_mut_slice()
            && asks.name == ASKS_WHAT_WAITS
        {
            let name = terms.question().and_then(|question| question.get("name"));
            asks.slots.extend(name.map(|name| ("name".to_owned(), name.clone())));
            return Some(Understanding { intents, ..Understanding::default() });
        }
        // Whoever is asked later which one was meant is not there any more.
        let waits = |intent: &Intent| {
            let category = category_of(&intent.name);
            [RESTORE_LATER, TO_IT].contains(&intent.name.as_str())
                || category.is_some_and(|it| it != Category::Conversation)
        };
        if !ambiguous.is_empty() || !intents.iter().all(waits) {
            return None;
        }
        intents.iter_mut().for_each(ring_at_once);
        let said_when = format!("{} {}", terms.said_when.join(" "), terms.said_not);
        let mut slots = object(json!({
            "said_when": told_back(said_when.trim_end()), "language": language,
            "trigger": of(trigger), "intents": of(&intents),
        }));
        if !said.is_empty() {
            let lasts = Some(&terms.said_until).filter(|words| !terms.said_when.contains(words));
            let said = told_back(&format!("{said} {}", lasts.map_or("", String::as_str)));
            if intents.iter().any(|intent| intent.name == TO_IT) {
                slots.insert(OF_IT.to_owned(), reader.of_it(said.trim_end()));
            }
            slots.insert("said".to_owned(), said.trim_end().into());
        }
        if terms.repeats || terms.is_standing() {
            slots.insert("repeats".to_owned(), true.into());
        }
        if let Some(otherwise) = terms.at_once {
            slots.insert("at_once".to_owned(), otherwise.into());
        }
        if let Some(expires) = terms.expires() {
            slots.insert("expires".to_owned(), of(&expires));
        }
        if !terms.only_if.is_empty() {
            slots.insert("only_if".to_owned(), of(&terms.only_if));
        }
        Some(Understanding { intents: vec![made(AUTOMATE, slots)], ..Understanding::default() })
    }
}

/// What a message is about: "remind me to change *the letterbox battery*". `None` where it names nothing of the home.
fn thing_in(message: &str, reader: &Reader<'_>) -> Option<(String, Value)> {
    let tokens = reader.tokenise(message);
    let spans = (1..=MAX_NAME_WORDS).rev().flat_map(|length| tokens.windows(length));
    let read = |name: &[Token]| reader.part(Part::Target, false, message, name)?.slots.remove("name");
    spans.filter_map(read).next().map(|name| ("name".to_owned(), name))
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
