//! The same again, or for something else: "and the kitchen", "the fan too", "the other one", "do it again".

use super::Before;
use super::target::Target;
use hark_core::automation::intent::{AUTOMATE, CANCEL};
use hark_core::{Intent, Slots};
use serde_json::{Value, json};

/// A domain, and the response of what is done to it.
const LOCK: &str = "lock";
const COVER: &str = "cover";

/// Puts something on the shopping list, and on a list of another name.
const ADDS: [&str; 2] = ["HassShoppingListAddItem", "HassListAddItem"];

/// Intents that are about a place or a thing even when none was said: "how warm is it", "and upstairs".
const ABOUT_PLACES: [&str; 4] =
    ["HassClimateGetTemperature", "HassClimateSetTemperature", "HassGetWeather", "HassMediaSearchAndPlay"];

/// The same with another thing or place.
pub fn same(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let done = before.done;
    let bare = !done.target.is_named();
    if bare && !ABOUT_PLACES.contains(&done.intent.name.as_str()) {
        return None;
    }
    let mut said = done.target.replaced(&intent.slots)?;
    let mut slots = done.intent.slots.clone();
    // Of what kind the other thing is says only what is done to it.
    let domain = if said.contains_key("name") { said.remove("domain") } else { None };
    Target::of(&said, None).put(&mut slots);
    // "And the office one" is one of what is there.
    let single = done.intent.single || intent.slots.contains_key("one");
    let again = Intent { slots, single, ..done.intent.clone() };
    Some(match domain.as_ref().and_then(Value::as_str) {
        Some(domain) => of_domain(again, domain),
        None => again,
    })
}

/// The same of a thing of another domain: what unlocks a door opens a gate.
fn of_domain(intent: Intent, domain: &str) -> Intent {
    let is_off = match intent.name.as_str() {
        "HassTurnOn" => false,
        "HassTurnOff" => true,
        _ => return intent,
    };
    // A lock is locked by what turns a lamp on.
    let (was_lock, is_lock) =
        (intent.response.as_deref().is_some_and(|it| it.starts_with(LOCK)), domain == LOCK);
    let name = if is_off == (was_lock == is_lock) { "HassTurnOff" } else { "HassTurnOn" };
    let response = match domain {
        LOCK => Some(LOCK.to_owned()),
        COVER | "valve" => Some(COVER.to_owned()),
        _ => None,
    };
    Intent { name: name.to_owned(), response, ..intent }
}

/// One of the things that were switched is not wanted: it is switched back.
pub fn not(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let done = before.done;
    let name = match done.intent.name.as_str() {
        "HassTurnOn" => "HassTurnOff",
        "HassTurnOff" => "HassTurnOn",
        AUTOMATE => return not_later(intent, before),
        _ => return None,
    };
    let said = |slot: &str| intent.slots.get(slot).and_then(Value::as_str);
    let is_meant = |entity: &&Value| {
        let is = |slot: &str, key: &str| {
            said(slot).is_none_or(|said| entity[key].as_str().is_some_and(|it| it.eq_ignore_ascii_case(said)))
        };
        entity["from"] != entity["to"] && is("name", "name") && is("domain", "domain") && is("area", "area")
    };
    let changed = done.receipt.as_ref()?.detail["entities"].as_array()?.iter();
    let meant: Vec<&str> = changed.filter(is_meant).filter_map(|entity| entity["name"].as_str()).collect();
    let [only] = meant.as_slice() else { return None };
    let slots = Slots::from_iter([("name".to_owned(), Value::from(*only))]);
    Some(Intent { name: name.to_owned(), slots, ..done.intent.clone() })
}

/// The one thing that was to be done later is not wanted: that waits no more.
fn not_later(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let done = before.done;
    let [only] = done.intent.slots.get("intents")?.as_array()?.as_slice() else { return None };
    let name = |slots: &Value| slots.get("name").and_then(Value::as_str).map(str::to_lowercase);
    let said = name(&json!(intent.slots));
    (said.is_none() || name(&only["slots"]) == said).then_some(())?;
    let id = done.receipt.as_ref()?.detail["automation"]["id"].as_str()?;
    let slots = Slots::from_iter([("id".to_owned(), Value::from(id))]);
    Some(Intent { name: CANCEL.to_owned(), slots, response: None, ..done.intent.clone() })
}

/// The same with another thing on the list. Of several that were named together only the wrong one is another: "eggs and
/// flour", "not flour, sugar".
pub fn item(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let done = before.done;
    let item = intent.slots.get("item")?;
    let said = done.intent.slots.get("item")?;
    let one_of_several = || {
        let [said, wrong, item] = [Some(said), intent.slots.get("wrong"), Some(item)].map(|it| it?.as_str());
        let (said, wrong) = (format!(" {} ", said?), format!(" {} ", wrong?));
        let item = format!(" {} ", item?);
        said.contains(&wrong).then(|| said.replacen(&wrong, &item, 1).trim().to_owned())
    };
    let mut slots = done.intent.slots.clone();
    slots.insert("item".to_owned(), one_of_several().map_or_else(|| item.clone(), Value::from));
    // "Take milk off the list" is followed by "*put* oat milk on".
    if intent.slots.contains_key("adds") && !ADDS.contains(&done.intent.name.as_str()) {
        let name = ADDS[usize::from(slots.contains_key("name"))].to_owned();
        return Some(Intent { name, slots, response: None, ..done.intent.clone() });
    }
    Some(Intent { slots, ..done.intent.clone() })
}

/// Not that one on the list after all.
pub fn not_item(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let added = item(intent, before)?;
    Some(Intent { name: "HassListRemoveItem".to_owned(), response: None, ..added })
}

/// What is on the list that was spoken of.
pub fn list(_: &Intent, before: &Before<'_>) -> Option<Intent> {
    let done = &before.done.intent;
    done.slots.contains_key("item").then_some(())?;
    let named = done.slots.get("name").map(|name| ("name".to_owned(), name.clone()));
    let slots = named.into_iter().collect();
    Some(Intent { name: "HarkListRead".to_owned(), slots, response: None, ..done.clone() })
}

/// Whether what was spoken of is in a state: "is it on".
pub fn state(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let target = &before.done.target;
    target.is_named().then_some(())?;
    let mut slots = Slots::new();
    target.put(&mut slots);
    slots.insert("state".to_owned(), intent.slots.get("state")?.clone());
    let response = Some("one_yesno".to_owned());
    Some(Intent { name: "HassGetState".to_owned(), slots, response, ..before.done.intent.clone() })
}

/// The one that was offered and not chosen; where none was offered, the other one of its kind in its room.
pub fn other(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let mut again = before.done.intent.clone();
    let said = again.slots.remove("name")?;
    match before.not_chosen {
        // Nobody knows here in which room that one is.
        [_] if intent.slots.contains_key("area") => return None,
        [name] => _ = again.slots.insert("name".to_owned(), Value::from(name.as_str())),
        [] => {
            let receipt = before.done.receipt.as_ref()?;
            let [only] = receipt.detail["entities"].as_array()?.as_slice() else { return None };
            let except = json!([{ "name": said }]);
            let kind =
                [("domain", only["domain"].clone()), ("area", only["area"].clone()), ("except", except)];
            kind.iter().all(|(_, value)| !value.is_null()).then_some(())?;
            again.slots.extend(kind.map(|(slot, value)| (slot.to_owned(), value)));
            // "The other one in the office."
            again
                .slots
                .extend(intent.slots.get_key_value("area").map(|(slot, area)| (slot.clone(), area.clone())));
            (again.single, again.response) = (true, None);
        }
        _ => return None,
    }
    Some(again)
}

/// Exactly the same once more.
pub fn again(_: &Intent, before: &Before<'_>) -> Option<Intent> {
    Some(before.done.intent.clone())
}
