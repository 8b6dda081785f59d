//! Another time for the same: "what about tomorrow", "and on friday", "make it eight".

use super::{Before, text};
use crate::domain::Intent;
use crate::domain::calendar::{Recurrence, When};
use chrono::NaiveTime;
use serde_json::Value;

/// Intents that have a time even when none was said.
const TIMED: [&str; 6] = [
    "HassGetWeather",
    "HarkSetAlarm",
    "HarkSetReminder",
    "HarkAlarmStatus",
    "HarkReminderStatus",
    "HassGetCurrentDate",
];

/// Slots that hold a moment or a day.
const SLOTS: [&str; 3] = ["when", "date", "day"];

/// The same at another time. A day alone keeps the time of day, a time of day alone keeps the day.
pub fn when(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let done = &before.done.intent;
    let slot = SLOTS.into_iter().find(|slot| done.slots.contains_key(*slot));
    let mut slots = done.slots.clone();
    if let Some(time) = text(&intent.slots, "time").and_then(|time| time.parse::<NaiveTime>().ok()) {
        if let Some(every) = text(&slots, "recurrence").and_then(Recurrence::parse) {
            let every = Recurrence { time: Some(time), ..every };
            slots.insert("recurrence".to_owned(), Value::from(every.to_string()));
            return Some(Intent { slots, ..done.clone() });
        }
        let slot = slot?;
        let day = When::parse(text(&slots, slot)?)?.start().date();
        slots.insert(slot.to_owned(), Value::from(When::Moment(day.and_time(time)).to_string()));
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
