//! Another time for the same: "what about tomorrow", "and on friday", "make it eight".

use super::{Before, Done, by_id, text};
use chrono::{Datelike, NaiveTime, Timelike};
use hark_core::automation::Until;
use hark_core::automation::intent::{CANCEL, CHANGE_END, RESTORE_LATER};
use hark_core::calendar::{Recurrence, When, time_near};
use hark_core::{Intent, Slots};
use serde_json::Value;

/// What a time of day is near to where none is known.
const NOON: NaiveTime = match NaiveTime::from_hms_opt(12, 0, 0) {
    Some(noon) => noon,
    None => NaiveTime::MIN,
};

/// Intents that have a time even when none was said.
const TIMED: [&str; 7] = [
    "HassGetWeather",
    "HarkSetAlarm",
    "HarkSetReminder",
    "HarkScheduleCommand",
    "HarkAlarmStatus",
    "HarkReminderStatus",
    "HassGetCurrentDate",
];

/// Intents that set or change what rings, the one that changes it again, and its name in receipts.
const RINGING: [(&str, &str, &str); 9] = [
    ("HarkSetAlarm", "HarkMoveAlarm", "alarm"),
    ("HarkMoveAlarm", "HarkMoveAlarm", "alarm"),
    ("HarkSetReminder", "HarkMoveReminder", "reminder"),
    ("HarkScheduleCommand", "HarkMoveReminder", "reminder"),
    ("HarkMoveReminder", "HarkMoveReminder", "reminder"),
    ("HassStartTimer", "HarkChangeTimer", "timer"),
    ("HarkChangeTimer", "HarkChangeTimer", "timer"),
    ("HassIncreaseTimer", "HarkChangeTimer", "timer"),
    ("HassDecreaseTimer", "HarkChangeTimer", "timer"),
];

/// What a part of an hour is called in slots, with its seconds; the largest first.
const UNITS: [(&str, u64); 3] = [("hours", 3600), ("minutes", 60), ("seconds", 1)];

/// Slots that hold a length of time.
const LENGTH: [&str; 3] = ["hours", "minutes", "seconds"];

/// Slots that hold a moment or a day.
const SLOTS: [&str; 3] = ["when", "date", "day"];

/// What was set, at another time: "make it half past six instead", "push it back an hour". What rings nothing is asked
/// for at that time.
pub fn moved(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let done = before.done;
    let said = |slot: &str| intent.slots.contains_key(slot);
    // "Another five": of the unit that was said before.
    if said("count") {
        return moved_in_unit("count", unit_of(&done.intent)?, intent, before);
    }
    if matches!(done.intent.name.as_str(), RESTORE_LATER | CHANGE_END) {
        return lasts(intent, before);
    }
    let Some((_, name, key)) = RINGING.iter().find(|(name, ..)| *name == done.intent.name) else {
        return when(intent, before);
    };
    // What was not set can still be.
    let Some(receipt) = done.receipt.as_ref().filter(|receipt| receipt.ok) else {
        return when(intent, before);
    };
    let by = LENGTH.into_iter().any(said);
    let told = match *key {
        "timer" => by,
        "reminder" => said("time") || said("when") || by,
        _ => said("time") || said("when") || by && said("direction"),
    };
    let id = receipt.detail[*key]["id"].as_str().filter(|_| told)?;
    let mut slots = Slots::new();
    slots.insert("id".to_owned(), id.into());
    // By how much a timer is to be longer or shorter is an intent of its own: "take ten minutes off that".
    let is_timer = *key == "timer";
    let name = match text(&intent.slots, "direction").filter(|_| is_timer) {
        Some("earlier") => "HassDecreaseTimer",
        Some(_) => "HassIncreaseTimer",
        None => name,
    };
    let is_kept = |slot: &str| slot != "wrong" && !(is_timer && slot == "direction");
    for (slot, value) in intent.slots.iter().filter(|(slot, _)| is_kept(slot)) {
        slots.insert(if slot == "when" { "to" } else { slot }.to_owned(), value.clone());
    }
    // "Half an hour, I mean" is meant as it was said first.
    if by && !is_timer && !said("direction") {
        slots.insert("direction".to_owned(), "from_now".into());
    }
    Some(Intent { name: name.to_owned(), slots, response: None, ..done.intent.clone() })
}

/// What was set, by as many of a unit as a slot says.
fn moved_in_unit(slot: &str, unit: &str, intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let mut with_unit = intent.clone();
    let value = with_unit.slots.remove(slot)?;
    with_unit.slots.insert(unit.to_owned(), value);
    moved(&with_unit, before)
}

/// The unit in which a length of time was said.
fn unit_of(done: &Intent) -> Option<&'static str> {
    if done.name == RESTORE_LATER {
        let seconds = done.slots.get("until")?.get("seconds")?.as_u64()?;
        return UNITS.iter().find(|(_, length)| seconds % length == 0).map(|(unit, _)| *unit);
    }
    let lasts = matches!(done.name.as_str(), "HassStartTimer" | "HarkChangeTimer");
    UNITS.iter().rev().map(|(unit, _)| *unit).find(|unit| lasts && done.slots.contains_key(*unit))
}

/// Another end of what was to last for some time.
fn lasts(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let done = before.done;
    let detail = &done.receipt.as_ref().filter(|receipt| receipt.ok)?.detail;
    let id = detail["automation"]["id"].as_str()?;
    let length = UNITS.iter().filter_map(|(unit, length)| Some(intent.slots.get(*unit)?.as_u64()? * length));
    let seconds = length.sum::<u64>();
    let time = || {
        done.intent.slots.get("until")?;
        let known = end_of(done).unwrap_or(NOON);
        Some(Until::Time { time: time_near(text(&intent.slots, "time")?, known)? })
    };
    let until = match (seconds, text(&intent.slots, "when").and_then(When::parse)) {
        (0, Some(When::Moment(at))) => Until::Moment { at },
        (0, _) => time()?,
        (seconds, _) => match text(&intent.slots, "direction") {
            Some("earlier") => Until::Later { seconds: -i64::try_from(seconds).ok()? },
            Some(_) => Until::Later { seconds: i64::try_from(seconds).ok()? },
            None => Until::Seconds { seconds },
        },
    };
    let mut slots = Slots::from_iter([("id".to_owned(), id.into())]);
    slots.insert("until".to_owned(), serde_json::to_value(until).ok()?);
    Some(Intent { name: CHANGE_END.to_owned(), slots, response: None, ..done.intent.clone() })
}

/// The time of day at which what was to last ends.
fn end_of(done: &Done) -> Option<NaiveTime> {
    let receipt = done.receipt.as_ref()?;
    NaiveTime::parse_from_str(receipt.detail["automation"]["when"]["time"].as_str()?, "%H:%M").ok()
}

/// So much longer or shorter what was to last for some time lasts: "add ten minutes".
pub fn later(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let sign = match intent.name.as_str() {
        // "Another half an hour."
        "HassIncreaseTimer" | "HarkSnooze" => 1,
        "HassDecreaseTimer" => -1,
        _ => return None,
    };
    let done = before.done;
    let is_end = matches!(done.intent.name.as_str(), RESTORE_LATER | CHANGE_END);
    let detail = &done.receipt.as_ref().filter(|receipt| receipt.ok && is_end)?.detail;
    let seconds: i64 = UNITS
        .iter()
        .filter_map(|(unit, length)| Some(intent.slots.get(*unit)?.as_i64()? * length.cast_signed()))
        .sum();
    let until = serde_json::to_value(Until::Later { seconds: sign * seconds }).ok()?;
    let id = detail["automation"]["id"].as_str().filter(|_| seconds > 0)?;
    let slots = Slots::from_iter([("id".to_owned(), id.into()), ("until".to_owned(), until)]);
    Some(Intent { name: CHANGE_END.to_owned(), slots, response: None, ..done.intent.clone() })
}

/// What was to last for some time stays: "actually leave it on".
pub fn keep(_: &Intent, before: &Before<'_>) -> Option<Intent> {
    let done = before.done;
    let detail = &done.receipt.as_ref().filter(|receipt| receipt.ok)?.detail;
    let id = Some(&detail["automation"]["id"]).filter(|id| id.is_string())?;
    Some(by_id(CANCEL, id, &done.intent))
}

/// The time or the length that was asked for, because a request did not say it.
pub fn answered(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let done = before.done;
    let receipt = done.receipt.as_ref()?;
    if receipt.ok {
        return of_day(intent, before);
    }
    let detail = &receipt.detail;
    let asked = match detail["missing"].as_str()? {
        "when" => &["when"][..],
        _ => &LENGTH,
    };
    let told: Vec<(&String, &Value)> =
        intent.slots.iter().filter(|(slot, _)| asked.contains(&slot.as_str())).collect();
    let mut slots = done.intent.slots.clone();
    slots.extend(told.iter().map(|(slot, value)| ((*slot).clone(), (*value).clone())));
    (!told.is_empty()).then(|| Intent { slots, ..done.intent.clone() })
}

/// "At nine in the morning" behind what was set for a day.
fn of_day(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let slots = &before.done.intent.slots;
    let known = SLOTS.into_iter().find_map(|slot| When::parse(text(slots, slot)?));
    let (Some(When::Day(day)), Some(When::Moment(at))) =
        (known, text(&intent.slots, "when").and_then(When::parse))
    else {
        return None;
    };
    let mut intent = intent.clone();
    intent.slots.insert("when".to_owned(), When::Moment(day.and_time(at.time())).to_string().into());
    moved(&intent, before)
}

/// A bare number is the hour of what rings at a time of day ("change it to eight"), and of a length of time as many of its
/// units ("make it ten").
pub fn number(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    if let Some(unit) = unit_of(&before.done.intent) {
        intent.slots.get("value").filter(|value| value.is_u64())?;
        return moved_in_unit("value", unit, intent, before);
    }
    let hour = intent.slots.get("value").and_then(Value::as_u64).filter(|hour| (1..=12).contains(hour))?;
    (!intent.slots.contains_key("unit")).then_some(())?;
    let hour = hour % 12;
    let mut intent = intent.clone();
    intent.slots = Slots::new();
    intent.slots.insert("time".to_owned(), format!("{hour:02}:00:00/{:02}:00:00", hour + 12).into());
    moved(&intent, before)
}

/// Another part of the day: "no, in the morning" keeps the hour that was said.
pub fn part_of_day(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let done = &before.done.intent;
    let known = SLOTS.into_iter().find_map(|slot| When::parse(text(&done.slots, slot)?));
    let time = known.filter(|known| known.has_time())?.start().time();
    let half_day = if text(&intent.slots, "part")? == "morning" { 0 } else { 12 };
    let mut intent = intent.clone();
    let said = format!("{:02}:{:02}:00", time.hour() % 12 + half_day, time.minute());
    intent.slots = Slots::from_iter([("time".to_owned(), said.into())]);
    moved(&intent, before)
}

/// The same hour at another minute: "make that half past", "ten to". Of two the nearer is meant, else the later.
pub fn minute(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let done = &before.done.intent;
    let known = SLOTS.into_iter().find_map(|slot| When::parse(text(&done.slots, slot)?));
    let known = known.filter(When::has_time).map(|known| known.start().time());
    let known = known.or_else(|| end_of(before.done))?;
    let minute = u32::try_from(intent.slots.get("minute")?.as_u64()?).ok()?;
    let hours = [known.hour(), (known.hour() + 23) % 24];
    let at = |hour: u32| NaiveTime::from_hms_opt(hour, minute, 0);
    let apart = |time: &NaiveTime| {
        let minutes = (*time - known).num_minutes().abs();
        minutes.min(24 * 60 - minutes)
    };
    let time = hours.into_iter().filter_map(at).min_by_key(apart)?;
    let mut intent = intent.clone();
    intent.slots = Slots::from_iter([("time".to_owned(), time.format("%H:%M:%S").to_string().into())]);
    moved(&intent, before)
}

/// Another day of the week for what comes again on one: "every Thursday at eight", "*make that Wednesday*".
pub fn on_another_day(intent: &Intent, done: &Done) -> Option<Intent> {
    let every = Recurrence::parse(text(&done.intent.slots, "recurrence")?)?;
    let said = text(&intent.slots, "when").filter(|_| intent.name == "HarkFollowMove").and_then(When::parse);
    let ([(count, _)], Some(When::Day(day))) = (every.days.as_slice(), said) else { return None };
    let every = Recurrence { days: vec![(*count, day.weekday())], ..every };
    let slots = [("recurrence", every.to_string()), ("instead", "yes".to_owned())];
    let slots = slots.into_iter().map(|(slot, value)| (slot.to_owned(), value.into())).collect();
    Some(Intent { name: "HarkFollowEvery".to_owned(), slots, ..intent.clone() })
}

/// The same again and again, at the time that was said: "make it on weekdays only".
pub fn every(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let done = &before.done.intent;
    ["HarkSetAlarm", "HarkSetReminder", "HarkScheduleCommand"].contains(&done.name.as_str()).then_some(())?;
    let slot = |slot: &&str| text(&done.slots, slot).is_some();
    let known = SLOTS.into_iter().find(slot);
    let time = known.and_then(|slot| When::parse(text(&done.slots, slot)?)).filter(|known| known.has_time());
    let again = || Some(Recurrence::parse(text(&done.slots, "recurrence")?)?.time);
    let time = time.map(|known| Some(known.start().time())).or_else(again)?;
    let said = Recurrence::parse(text(&intent.slots, "recurrence")?)?;
    // "Every morning" of what was set for nine is not at the hour at which mornings begin.
    let every = Recurrence { time, ..Some(said).filter(|said| said.time.is_none() || said.time == time)? };
    let mut slots = done.slots.clone();
    known.and_then(|slot| slots.remove(slot));
    slots.insert("recurrence".to_owned(), every.to_string().into());
    Some(Intent { slots, response: None, ..done.clone() })
}

/// The same at another time. A day alone keeps the time of day, a time of day alone keeps the day.
pub fn when(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let done = &before.done.intent;
    // "Make it Tuesday", "and at ten": what was changed is changed again.
    let changes = RINGING.iter().any(|(name, change, _)| *name == done.name && name == change);
    if changes && before.done.receipt.as_ref().is_some_and(|receipt| receipt.ok) {
        return moved(intent, before);
    }
    let slot = SLOTS.into_iter().find(|slot| done.slots.contains_key(*slot));
    let mut slots = done.slots.clone();
    if let Some(said) = text(&intent.slots, "time") {
        if let Some(every) = text(&slots, "recurrence").and_then(Recurrence::parse) {
            let time = time_near(said, every.time.unwrap_or(NOON))?;
            let every = Recurrence { time: Some(time), later: Vec::new(), ..every };
            slots.insert("recurrence".to_owned(), Value::from(every.to_string()));
            return Some(Intent { slots, ..done.clone() });
        }
        let slot = slot?;
        let known = When::parse(text(&slots, slot)?)?;
        let near = if known.has_time() { known.start().time() } else { NOON };
        let at = known.start().date().and_time(time_near(said, near)?);
        slots.insert(slot.to_owned(), Value::from(When::Moment(at).to_string()));
        return Some(Intent { slots, ..done.clone() });
    }
    let said = When::parse(text(&intent.slots, "when")?)?;
    let slot = slot.or(TIMED.contains(&done.name.as_str()).then_some("when"))?;
    let known = text(&slots, slot).and_then(When::parse);
    let new = match (known, said) {
        (Some(When::Moment(at)), When::Day(day)) => When::Moment(day.and_time(at.time())),
        _ => said,
    };
    slots.insert(slot.to_owned(), Value::from(new.to_string()));
    Some(Intent { slots, ..done.clone() })
}
