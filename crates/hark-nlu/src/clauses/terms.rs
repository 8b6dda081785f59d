//! What the clauses of a request say together: what is waited for, until when, and what has to be so as well.

use super::super::grammar::{Match, Reader};
use super::super::intent::category_of;
use super::super::rules::{self, Prefer, Reckoning, Rule};
use super::super::to_intent::kind_of;
use super::model::{Adds, Composed, OnDay, Terms};
use super::{TARGET, target};
use chrono::{Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike};
use hark_core::automation::intent::COMMAND;
use hark_core::automation::{Condition, Ring, SunEvent, Trigger, Until};
use hark_core::{Category, Intent, Slots};
use serde_json::Value;

/// What is not so now is not waited for.
pub(super) const ONCE: &str = "drop";
/// What is not so now is waited for.
pub(super) const WAITS: &str = "wait";

/// Set something that rings.
pub(super) const SET_RINGS: [&str; 3] = ["HassStartTimer", "HarkSetAlarm", "HarkSetReminder"];

/// Device classes of motion and presence sensors.
const PASSES: [&str; 3] = ["motion", "occupancy", "presence"];

/// Slots of a time.
pub(super) const TIMES: [&str; 2] = ["when", "recurrence"];

/// The domain of what measures.
const SENSOR: &str = "sensor";

/// How long before a part of a day hours may begin that are said to be in it: "between five and seven tonight".
const BEFORE_PART: TimeDelta = TimeDelta::hours(6);

/// Slots of a question that limit a number.
const LIMITS: [&str; 5] = ["above", "below", "at_least", "at_most", "compared"];

impl Terms {
    /// Whether there are no clauses but exceptions.
    pub(super) fn is_plain(&self) -> bool {
        self.trigger.is_none() && self.until.is_none() && self.only_if.is_empty()
    }

    /// The words that say when; `None` where nothing is waited for.
    pub(super) fn said_when(&self) -> Option<String> {
        self.trigger.is_some().then(|| self.said_when.join(" "))
    }

    /// The words that say how long.
    pub(super) fn said_until(&self) -> &str {
        &self.said_until
    }

    /// What has to become so.
    pub(super) fn question(&self) -> Option<&Slots> {
        match &self.trigger {
            Some(Trigger::Becomes { condition: Condition::State { question, .. }, .. }) => Some(question),
            _ => None,
        }
    }

    fn question_mut(&mut self) -> Option<&mut Slots> {
        match &mut self.trigger {
            Some(Trigger::Becomes { condition: Condition::State { question, .. }, .. }) => Some(question),
            _ => None,
        }
    }

    /// The name of the one that has to do something.
    pub(super) fn person(&self) -> Option<&str> {
        self.question()?.get("name").and_then(Value::as_str)
    }

    /// A limit that says no more than "it" is of what was measured before: "… when the humidity is over 70, … when it's under
    /// 55".
    pub(super) fn measure_the_same(&mut self, before: &Slots, reader: &Reader<'_>) {
        if let Some(question) = self.question_mut() {
            measure_as(question, before, reader);
        }
    }

    /// The same of an end: "when the humidity goes over 70 … till it's under 60".
    pub(super) fn measured(&self, mut until: Until, reader: &Reader<'_>) -> Until {
        if let Until::Becomes { condition: Condition::State { question, .. }, .. } = &mut until
            && let Some(before) = self.question()
        {
            measure_as(question, before, reader);
        }
        until
    }

    /// What "it" does, of a second request, is what was set before that rings: "set a timer for ten minutes, and when it goes
    /// off turn on the lamp". Where that stands in front, "it" is else what was done before: "start the mower, and when it's
    /// done turn on the sprinkler".
    pub(super) fn lean_on(&mut self, before: &Composed, is_fronted: bool) {
        if !self.of_it {
            return;
        }
        if before.rings() {
            let ring = Ring { of: None, name: None, day: None, timer: None };
            self.trigger = Some(Trigger::Rings { ring });
        } else if let (true, [only], Some(question)) =
            (is_fronted, before.matches.as_slice(), self.question_mut())
        {
            // "Start the mower" names none.
            let kind = || Some(Slots::from_iter([("domain".to_owned(), kind_of(&only.intent)?.into())]));
            let named = only.slots.contains_key("name").then(|| target(&only.slots));
            let Some(meant) = named.or_else(kind) else { return };
            question.retain(|slot, _| !TARGET.contains(&slot.as_str()));
            question.extend(meant);
        }
    }

    /// Whether it repeats although only "when" is said: motion that is limited to hours or days ("when somebody walks through
    /// the hall between eleven and six").
    pub(super) fn is_standing(&self) -> bool {
        !self.only_if.is_empty() && self.question().is_some_and(is_motion)
    }

    /// Whether it is done each time.
    pub(super) fn repeats(&self) -> bool {
        self.repeats
    }

    /// It is done each time.
    pub(super) fn repeat(&mut self) {
        self.repeats |= self.trigger.is_some();
    }

    /// Makes these terms look at their condition once, and answers those of what is done where it is not so; `None` where
    /// they wait for something.
    pub(super) fn otherwise(&mut self, word: String) -> Option<Self> {
        self.at_once?;
        let Some(Trigger::Becomes { condition, for_seconds: 0 }) = &self.trigger else { return None };
        let plain = self.until.is_none() && self.only_if.is_empty() && !self.repeats;
        let trigger = Trigger::Becomes { condition: condition.clone().negated(), for_seconds: 0 };
        plain.then_some(())?;
        self.at_once = Some(ONCE);
        Some(Self { trigger: Some(trigger), at_once: Some(ONCE), said_when: vec![word], ..Self::default() })
    }

    /// Takes what has to happen; false where something has to happen already. What was to be looked at now is then looked
    /// at when it happens.
    pub(super) fn wait_for(&mut self, trigger: Trigger, words: &str) -> bool {
        self.said_when.push(words.to_owned());
        match self.trigger.replace(trigger) {
            None => true,
            Some(Trigger::Becomes { condition, for_seconds: 0 }) if self.at_once.take().is_some() => {
                self.only_if.push(condition);
                true
            }
            Some(_) => false,
        }
    }

    /// "When Alice comes home and it is dark" waits for Alice, and looks at the sun then: what is so for hours is not waited for.
    pub(super) fn limited_by_dark(&mut self, trigger: Trigger) -> Trigger {
        let Trigger::Becomes { condition: Condition::All { conditions }, for_seconds } = trigger else {
            return trigger;
        };
        let of_sun = |it: &Condition| matches!(it, Condition::Sun { .. });
        let (limits, mut waited): (Vec<_>, Vec<_>) = conditions.into_iter().partition(of_sun);
        let condition = match waited.len() {
            0 => return Trigger::Becomes { condition: Condition::All { conditions: limits }, for_seconds },
            1 => waited.remove(0),
            _ => Condition::All { conditions: waited },
        };
        self.only_if.extend(limits);
        Trigger::Becomes { condition, for_seconds }
    }

    /// Takes the hours in which it is waited for. What would be looked at now has to be so within them: "if the garage is open
    /// after ten" is waited for.
    pub(super) fn within_hours(&mut self, hours: Condition, words: &str) {
        self.said_when.push(words.to_owned());
        self.limit_to_hours(hours);
    }

    fn limit_to_hours(&mut self, hours: Condition) {
        let passes = self.question().is_some_and(is_motion);
        match &mut self.trigger {
            Some(Trigger::Becomes { condition, for_seconds: 0 }) if self.at_once.is_some() && !passes => {
                let conditions = vec![condition.clone(), hours];
                *condition = Condition::All { conditions };
                self.at_once = Some(WAITS);
            }
            _ => {
                self.at_once = self.at_once.filter(|_| !passes);
                self.only_if.push(hours);
            }
        }
    }

    /// Takes what has to be so: now, or when something else has happened that is waited for.
    pub(super) fn check(&mut self, trigger: Trigger, otherwise: &'static str, words: &str) -> bool {
        if self.trigger.is_none() {
            self.at_once = Some(otherwise);
            let is_first = self.wait_for(trigger, words);
            // "*After ten* if the garage is open …"
            let hours = self.only_if.iter().position(|it| matches!(it, Condition::Hours { .. }));
            if let Some(at) = hours {
                let hours = self.only_if.remove(at);
                self.limit_to_hours(hours);
            }
            return is_first;
        }
        let Trigger::Becomes { condition, for_seconds: 0 } = trigger else { return false };
        self.said_when.push(words.to_owned());
        self.only_if.push(condition);
        true
    }

    /// "On at sunset … until eleven" is until eleven in the evening, where both may be meant, "closed … until seven" until
    /// seven in the morning; "on at sunrise … until nine" is until nine in the morning.
    pub(super) fn end_beside_sun(&mut self, closes: bool, reader: &Reader<'_>) {
        let (Some(Trigger::Sun { event, .. }), Some(Until::Time { time })) = (&self.trigger, &mut self.until)
        else {
            return;
        };
        let by = Reckoning { prefer: Prefer::Either, ..reader.reckoning() };
        let tokens = reader.tokenise(&self.said_until);
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let said = (0..words.len()).find_map(|at| rules::longest(Rule::Time, &words[at..], &by));
        let is_open = said.is_some_and(|(found, _)| {
            found.iter().any(|(_, value)| value.as_str().is_some_and(|times| times.contains('/')))
        });
        if is_open {
            *time = match event {
                SunEvent::Sunrise => by_day(*time),
                SunEvent::Sunset if closes => in_morning(*time),
                SunEvent::Sunset => in_the_dark(*time),
            };
        }
    }

    /// Is waited for on one day or in one part of it only; what the sun does then is that of its day.
    pub(super) fn on_day(&mut self, day: OnDay, adds: &mut Adds) {
        let OnDay { from, to, words } = day;
        self.said_when.push(words);
        if let Adds::Happens { trigger: Trigger::Sun { from_day, .. }, .. } = adds {
            *from_day = Some(from.date());
            return;
        }
        self.part_of_day = Some((from, to));
        self.only_if.push(Condition::Days { days: vec![from.weekday()] });
        if to - from < TimeDelta::days(1) {
            self.only_if.push(Condition::Hours { from: from.time(), to: to.time() });
        }
    }

    /// The one day on which it waits, or on which the sun does what it waits for.
    pub(super) fn day(&self) -> Option<NaiveDate> {
        let whole = self.part_of_day.filter(|(from, to)| *to - *from == TimeDelta::days(1));
        let of_sun = match &self.trigger {
            Some(Trigger::Sun { from_day, .. }) => *from_day,
            _ => None,
        };
        whole.map(|(from, _)| from.date()).or(of_sun)
    }

    /// Whether it waits for the sun to rise or set, on no day that is said.
    pub(super) fn waits_for_sun(&self) -> bool {
        matches!(self.trigger, Some(Trigger::Sun { from_day: None, .. }))
    }

    /// A time that is said beside it: behind a sunset it is in the evening.
    pub(super) fn time_beside(&self, time: NaiveTime) -> NaiveTime {
        let is_evening = matches!(&self.trigger, Some(Trigger::Sun { event: SunEvent::Sunset, .. }));
        if is_evening { in_evening(time) } else { time }
    }

    /// When it is not waited for any more, where it is limited to a part of a day. Hours that are said beside that are within it:
    /// "between midnight and five tonight".
    pub(super) fn expires(&mut self) -> Option<NaiveDateTime> {
        let (from, to) = self.part_of_day?;
        let part = Condition::Hours { from: from.time(), to: to.time() };
        let said = self.only_if.iter().find_map(|it| match it {
            Condition::Hours { from, to } if *it != part => Some((*from, *to)),
            _ => None,
        });
        let Some((begin, end)) = said else { return Some(to) };
        self.only_if.retain(|it| *it != part);
        let next = |after: NaiveDateTime, time| {
            let that_day = after.date().and_time(time);
            if that_day < after { that_day + TimeDelta::days(1) } else { that_day }
        };
        Some(next(next(from - BEFORE_PART, begin), end))
    }

    pub(super) fn end(&mut self, until: Until, words: &str) -> bool {
        words.clone_into(&mut self.said_until);
        self.until.replace(until).is_none()
    }
}

/// A limit of which only the number was said is of what was measured before.
fn measure_as(question: &mut Slots, before: &Slots, reader: &Reader<'_>) {
    let has_limit = |question: &Slots| LIMITS.iter().any(|slot| question.contains_key(*slot));
    let name = before.get("name").and_then(Value::as_str);
    let is_sensor = name.and_then(|name| reader.grammar.domain_of(name)) == Some(SENSOR)
        || before.get("domain").is_some_and(|domain| domain == SENSOR);
    let says_what = ["name", "area", "floor"].iter().any(|slot| question.contains_key(*slot));
    let of_air = question.get("device_class").is_some_and(|class| class == "temperature");
    if has_limit(question) && of_air && !says_what && (is_sensor || has_limit(before)) {
        question.retain(|slot, _| !TARGET.contains(&slot.as_str()));
        question.extend(target(before));
    }
}

/// The one of two hours that follows a sunset: "on at sunset and off at eleven". Hours before five are of the night.
fn in_evening(time: NaiveTime) -> NaiveTime {
    if (5..12).contains(&time.hour()) { time + TimeDelta::hours(12) } else { time }
}

/// The hour that comes first behind sunset: "until one" is at night.
fn in_the_dark(time: NaiveTime) -> NaiveTime {
    if (12..17).contains(&time.hour()) { time - TimeDelta::hours(12) } else { in_evening(time) }
}

/// The hour that comes first when the sun is up: "until nine" is in the morning, "until four" in the afternoon.
fn by_day(time: NaiveTime) -> NaiveTime {
    let morning = in_morning(time);
    if (7..12).contains(&morning.hour()) { morning } else { morning + TimeDelta::hours(12) }
}

fn in_morning(time: NaiveTime) -> NaiveTime {
    if time.hour() >= 12 { time - TimeDelta::hours(12) } else { time }
}

/// Whether a question is about a sensor of motion or presence.
pub(super) fn is_motion(question: &Slots) -> bool {
    question.get("device_class").and_then(Value::as_str).is_some_and(|class| PASSES.contains(&class))
}

/// Whether it rings at a time that was said.
pub(super) fn rings_at_a_time(found: &Match) -> bool {
    let rings = matches!(category_of(&found.intent), Some(Category::Reminder));
    rings && !found.slots.contains_key(COMMAND) && TIMES.iter().any(|slot| found.slots.contains_key(*slot))
}

/// A reminder that waits for something rings when that has happened.
pub(super) fn ring_at_once(intent: &mut Intent) {
    let is_timed = ["when", "recurrence", "hours", "minutes", "seconds"];
    if category_of(&intent.name) == Some(Category::Reminder)
        && !is_timed.iter().any(|slot| intent.slots.contains_key(*slot))
    {
        intent.slots.insert("seconds".to_owned(), 1.into());
    }
}
