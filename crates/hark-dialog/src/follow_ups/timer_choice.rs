//! Which of several timers, alarms, reminders, events or notes is meant, after a request could not tell: "the pizza one", "the seven
//! o'clock one", "the first".

use super::{Before, Done, by_id};
use hark_core::automation::intent::CANCEL;
use hark_core::tool::error_code;
use hark_core::{Intent, Slots};
use serde_json::Value;

/// Slots that tell which one is meant.
const TELLING: [&str; 6] = ["id", "name", "message", "when", "start_minutes", "start_hours"];

/// The same request, about the one that was chosen.
pub fn chosen(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let done = before.done;
    let detail = &done.receipt.as_ref().filter(|receipt| !receipt.ok)?.detail;
    (detail["error"] == error_code::AMBIGUOUS).then_some(())?;
    // Things of the home that are called the same were offered by their names.
    let offered = detail["candidates"].as_array().filter(|all| all.iter().all(Value::is_object))?;
    let mut slots = done.intent.slots.clone();
    slots.retain(|slot, _| !TELLING.contains(&slot.as_str()));
    if let Some(place) = intent.slots.get("place").and_then(Value::as_i64) {
        slots.insert("id".to_owned(), at(offered, place)?.get("id")?.clone());
        return Some(Intent { slots, ..done.intent.clone() });
    }
    let told: Vec<(&String, &Value)> =
        intent.slots.iter().filter(|(slot, _)| TELLING.contains(&slot.as_str())).collect();
    for (slot, value) in &told {
        let slot = if *slot == "name" { called_by(&done.intent.name) } else { slot.as_str() };
        slots.insert(slot.to_owned(), (*value).clone());
    }
    (!told.is_empty()).then(|| Intent { slots, ..done.intent.clone() })
}

/// The slot of what a thing is called by, in an intent about it.
fn called_by(intent: &str) -> &'static str {
    match intent {
        _ if intent.ends_with("Reminder") => "message",
        _ if intent.starts_with("HarkCalendar") => "words",
        _ if intent.starts_with("HarkNote") => "title",
        _ if intent.starts_with("HarkTodo") => "item",
        _ => "name",
    }
}

/// Takes away one of several that wait or ring.
pub const FOLLOW_CANCEL: &str = "HarkFollowCancel";

/// What rings, in the names of intents about it, with the intent that takes it away and the slot of what it is called.
const KINDS: [(&str, &str, &str); 3] = [
    ("Timer", "HassCancelTimer", "name"),
    ("Alarm", "HarkCancelAlarm", "name"),
    ("Reminder", "HarkCancelReminder", "message"),
];

/// "Cancel the pasta one" of what rings, where such was spoken of.
pub fn cancelled(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let about = &before.done.intent.name;
    let (_, cancels, called) = KINDS.iter().find(|(kind, ..)| about.contains(kind))?;
    let named = |slot: &String| if slot == "name" { (*called).to_owned() } else { slot.clone() };
    let slots = intent.slots.iter().map(|(slot, value)| (named(slot), value.clone())).collect();
    Some(Intent { name: (*cancels).to_owned(), slots, response: None, ..intent.clone() })
}

/// What cancels what rings or waits for a time and was moved last; like another intent.
pub fn cancel_moved(done: &Done, like: &Intent) -> Option<Intent> {
    let (kind, cancels, _) = KINDS.iter().find(|(kind, ..)| done.intent.name == format!("HarkMove{kind}"))?;
    let receipt = done.receipt.as_ref().filter(|receipt| receipt.ok)?;
    Some(by_id(cancels, &receipt.detail[kind.to_lowercase().as_str()]["id"], like))
}

/// "Cancel the coffee one" of whatever waits or rings and is called so.
pub fn cancelled_by_words(intent: &Intent) -> Option<Intent> {
    let words = intent.slots.get("name").filter(|_| intent.name == FOLLOW_CANCEL)?;
    let slots = Slots::from_iter([("words".to_owned(), words.clone())]);
    Some(Intent { name: CANCEL.to_owned(), slots, response: None, ..intent.clone() })
}

/// What was offered at a place: 1 is the first, -1 the last.
fn at(offered: &[Value], place: i64) -> Option<&Value> {
    let place = if place < 0 { i64::try_from(offered.len()).ok()? + place } else { place - 1 };
    offered.get(usize::try_from(place).ok()?)
}
