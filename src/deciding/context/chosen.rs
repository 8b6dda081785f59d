//! Which of several timers, alarms or reminders is meant, after a request could not tell: "the pizza one", "the seven
//! o'clock one", "the first".

use super::{Before, text};
use crate::domain::Intent;
use crate::domain::tool::error_code;
use serde_json::Value;

/// Slots that tell which one is meant.
const TELLING: [&str; 6] = ["id", "name", "message", "when", "start_minutes", "start_hours"];

/// Places in the order in which they were offered.
const PLACES: [(&str, usize); 9] = [
    ("first", 0),
    ("second", 1),
    ("third", 2),
    ("erste", 0),
    ("ersten", 0),
    ("zweite", 1),
    ("zweiten", 1),
    ("dritte", 2),
    ("dritten", 2),
];

/// The same request, about the one that was chosen.
pub fn chosen(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let done = before.done;
    let detail = &done.receipt.as_ref().filter(|receipt| !receipt.ok)?.detail;
    (detail["error"] == error_code::AMBIGUOUS).then_some(())?;
    // Things of the home that are called the same were offered by their names.
    let offered = detail["candidates"].as_array().filter(|all| all.iter().all(Value::is_object))?;
    let mut slots = done.intent.slots.clone();
    slots.retain(|slot, _| !TELLING.contains(&slot.as_str()));
    if let Some(place) = text(&intent.slots, "place") {
        let (_, at) = PLACES.iter().find(|(known, _)| *known == place)?;
        slots.insert("id".to_owned(), offered.get(*at)?.get("id")?.clone());
        return Some(Intent { slots, ..done.intent.clone() });
    }
    let told: Vec<(&String, &Value)> =
        intent.slots.iter().filter(|(slot, _)| TELLING.contains(&slot.as_str())).collect();
    for (slot, value) in &told {
        // A reminder is called by its words.
        let is_reminder = done.intent.name.ends_with("Reminder");
        let slot = if *slot == "name" && is_reminder { "message" } else { slot.as_str() };
        slots.insert(slot.to_owned(), (*value).clone());
    }
    (!told.is_empty()).then(|| Intent { slots, ..done.intent.clone() })
}
