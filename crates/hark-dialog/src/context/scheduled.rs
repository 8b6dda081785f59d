//! What is to be done later to what was spoken of last: "turn it off again at eleven", "turn it off when Alice leaves". What
//! "it" is can only be told now, so that the words get its name.

use super::{Before, complete, is_follow_up};
use hark_core::automation::intent::{AUTOMATE, COMMAND, OF_IT, TO_IT};
use hark_core::{Intent, Route, Slots};
use serde_json::Value;

/// Most things that are named.
const MAX_NAMES: usize = 4;

/// The same request with the name of what it is about.
pub fn of_it(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let mut slots = intent.slots.clone();
    let of_it = slots.remove(OF_IT)?;
    let and = format!(" {} ", of_it["and"].as_str().unwrap_or(","));
    let words = of_it["words"].as_str()?.replace("{}", &names(before)?.join(&and));
    let slot = if intent.name == AUTOMATE { "said" } else { COMMAND };
    slots.insert(slot.to_owned(), words.into());
    if let Some(intents) = slots.get_mut("intents").and_then(Value::as_array_mut) {
        for value in intents {
            let inner: Intent = serde_json::from_value(value.clone()).ok()?;
            if is_follow_up(&inner.name) {
                *value = serde_json::to_value(complete(&inner, before)?).ok()?;
            }
        }
    }
    Some(Intent { slots, why: super::why(intent, before), route: Route::Context, ..intent.clone() })
}

/// What such a request is where nothing was spoken of: something done to "it".
pub fn alone(intent: &Intent) -> Intent {
    Intent { name: TO_IT.to_owned(), slots: Slots::new(), response: None, ..intent.clone() }
}

/// What the things are called that were spoken of.
fn names<'b>(before: &'b Before<'_>) -> Option<Vec<&'b str>> {
    let done = before.done;
    if let Some(name) = super::text(&done.intent.slots, "name") {
        return Some(vec![name]);
    }
    let entities = done.receipt.as_ref()?.detail["entities"].as_array()?;
    let names: Vec<&str> = entities.iter().filter_map(|entity| entity["name"].as_str()).collect();
    (1..=MAX_NAMES).contains(&names.len()).then_some(names)
}
