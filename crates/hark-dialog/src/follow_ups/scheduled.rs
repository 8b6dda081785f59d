//! What is to be done later to what was spoken of last: "turn it off again at eleven", "turn it off when Alice leaves". What
//! "it" is can only be told now, so that the words get its name.

use super::{Before, all_completed, complete, is_follow_up};
use hark_core::automation::intent::{AUTOMATE, COMMAND, OF_IT, SEVERAL, TO_IT};
use hark_core::{Intent, Route, Slots};
use serde_json::Value;

/// Most things that are named.
const MAX_NAMES: usize = 4;

/// The same request with the name of what it is about.
pub fn of_it(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let mut slots = intent.slots.clone();
    let of_it = slots.remove(OF_IT)?;
    let and = format!(" {} ", of_it["and"].as_str().unwrap_or(","));
    let names = if of_it[SEVERAL] == true { all_names(before) } else { names(before) };
    let the = of_it["the"].as_str().filter(|the| !the.is_empty());
    let named =
        |name: &str| the.map_or_else(|| name.to_owned(), |the| format!("{the} {}", name.to_lowercase()));
    let names: Vec<String> = names?.into_iter().map(named).collect();
    let words = of_it["words"].as_str()?.replace("{}", &names.join(&and));
    let slot = if intent.name == AUTOMATE { "said" } else { COMMAND };
    slots.insert(slot.to_owned(), words.into());
    if let Some(intents) = slots.get_mut("intents").and_then(Value::as_array_mut) {
        let mut completed = Vec::new();
        for value in std::mem::take(intents) {
            let inner: Intent = serde_json::from_value(value.clone()).ok()?;
            match all_completed(&inner, std::slice::from_ref(before)) {
                Some(all) => completed.extend(all),
                None if is_follow_up(&inner.name) => completed.push(complete(&inner, before)?),
                None => completed.push(inner),
            }
        }
        *intents = serde_json::to_value(completed).ok()?.as_array().cloned()?;
    }
    Some(Intent { slots, why: super::why(intent, before), route: Route::Context, ..intent.clone() })
}

/// What such a request is where nothing was spoken of: something done to "it".
pub fn alone(intent: &Intent) -> Intent {
    Intent { name: TO_IT.to_owned(), slots: Slots::new(), response: None, ..intent.clone() }
}

/// What all things of the last turn are called to which the same was done.
fn all_names<'b>(before: &Before<'b>) -> Option<Vec<&'b str>> {
    let all = before.alike().map(|before| names(&before));
    let all: Vec<&str> = all.collect::<Option<Vec<_>>>()?.concat();
    (1..=MAX_NAMES).contains(&all.len()).then_some(all)
}

/// What the things are called that were spoken of.
fn names<'b>(before: &Before<'b>) -> Option<Vec<&'b str>> {
    let done = before.done;
    if let Some(name) = super::text(&done.intent.slots, "name") {
        return Some(vec![name]);
    }
    // "Every evening at six turn on the lamp", "every night at ten turn *it* off".
    let later = done.intent.slots.get("intents").and_then(Value::as_array);
    let later =
        later.map(|all| all.iter().filter_map(|inner| inner["slots"]["name"].as_str()).collect::<Vec<_>>());
    if let Some(names) = later.filter(|names| !names.is_empty()) {
        return Some(names);
    }
    let entities = done.receipt.as_ref()?.detail["entities"].as_array()?;
    let names: Vec<&str> = entities.iter().filter_map(|entity| entity["name"].as_str()).collect();
    (1..=MAX_NAMES).contains(&names.len()).then_some(names)
}
