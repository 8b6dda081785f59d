//! More and less: "a bit more", "less", "even warmer".

use super::target::Target;
use super::{Before, changed_time};
use hark_core::automation::intent::{CHANGE_END, IT, RESTORE_LATER};
use hark_core::{Intent, Route, Slots};
use serde_json::Value;

/// Asks how long timers have left, and what waits.
const TIMER_STATUS: &str = "HassTimerStatus";
const AUTOMATIONS: &str = "HarkAutomationList";

/// The slot of a light's white and the reply about it, and by how much it is made warmer or cooler, kelvin.
const WHITE: &str = "temperature";
const WHITE_STEP: f64 = 500.0;

/// Slot of words that say which way, and not "more of the same".
const ABSOLUTE: &str = "absolute";

/// A quantity that can be more or less: what sets it, what changes it, and the slot of the change.
struct Quantity {
    /// The intent that sets it, with the slot that makes it this quantity.
    set: (&'static str, &'static str),
    /// The intent that changes it.
    change: &'static str,
    /// The slot of the change: `up`, `down` or a number.
    step: &'static str,
    /// The domain of what has it.
    domain: &'static str,
}

const QUANTITIES: [Quantity; 5] = [
    Quantity {
        set: ("HassLightSet", "brightness"),
        change: "HarkLightSetRelative",
        step: "brightness_step",
        domain: "light",
    },
    Quantity {
        set: ("HassClimateSetTemperature", "temperature"),
        change: "HarkClimateSetTemperatureRelative",
        step: "temperature_step",
        domain: "climate",
    },
    Quantity {
        set: ("HassSetPosition", "position"),
        change: "HarkSetPositionRelative",
        step: "position_step",
        domain: "cover",
    },
    Quantity {
        set: ("HassFanSetSpeed", "percentage"),
        change: "HarkFanSetSpeedRelative",
        step: "percentage_step",
        domain: "fan",
    },
    Quantity {
        set: ("HassSetVolume", "volume_level"),
        change: "HassSetVolumeRelative",
        step: "volume_step",
        domain: "media_player",
    },
];

/// Whether an intent changes a quantity by a step from what it is.
pub fn is_step(intent: &str) -> bool {
    QUANTITIES.iter().any(|quantity| quantity.change == intent)
}

/// "a bit more", "less", "even more": of what was set or changed last.
pub fn more(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let less = intent.slots.get("amount").and_then(Value::as_str) == Some("less");
    let done = &before.done.intent;
    // "Two more".
    if let Some(count) = intent.slots.get("count") {
        let changes = |quantity: &&Quantity| [quantity.change, quantity.set.0].contains(&done.name.as_str());
        let quantity = QUANTITIES.iter().find(changes)?;
        let count = if less { turned(count)? } else { count.clone() };
        let mut slots = Slots::new();
        Target::of(&done.slots, None).put(&mut slots);
        slots.insert(quantity.step.to_owned(), count);
        return Some(Intent { name: quantity.change.to_owned(), slots, response: None, ..done.clone() });
    }
    if let Some(set) = intent.slots.get("times").and_then(|times| multiplied(done, times.as_f64()?)) {
        return Some(set);
    }
    if let Some(quantity) = QUANTITIES.iter().find(|quantity| quantity.change == done.name) {
        // More of the same, or back; "still too bright" is down whichever way it went before.
        let step = done.slots.get(quantity.step)?;
        let is_turned = if intent.slots.contains_key(ABSOLUTE) { goes_up(step)? == less } else { less };
        let step = if is_turned { turned(step)? } else { step.clone() };
        let mut slots = done.slots.clone();
        slots.insert(quantity.step.to_owned(), step);
        return Some(Intent { slots, ..done.clone() });
    }
    // Timers are lengthened and shortened by what was said before.
    if matches!(done.name.as_str(), "HassIncreaseTimer" | "HassDecreaseTimer") && !less {
        return Some(done.clone());
    }
    let domain = before.done.target.domain.as_deref();
    let quantity = QUANTITIES
        .iter()
        .find(|quantity| quantity.set.0 == done.name && done.slots.contains_key(quantity.set.1))
        .or_else(|| {
            let switched = matches!(done.name.as_str(), "HassTurnOn" | "HassTurnOff");
            QUANTITIES.iter().find(|quantity| switched && Some(quantity.domain) == domain)
        })?;
    let mut slots = Slots::new();
    Target::of(&done.slots, None).put(&mut slots);
    slots.insert(quantity.step.to_owned(), Value::from(if less { "down" } else { "up" }));
    Some(Intent { name: quantity.change.to_owned(), slots, response: None, ..done.clone() })
}

/// What was set, with so many times the value: "half that". Degrees are no share of anything.
fn multiplied(done: &Intent, times: f64) -> Option<Intent> {
    let is_share = |quantity: &&Quantity| quantity.domain != "climate" && quantity.set.0 == done.name;
    let (_, slot) = QUANTITIES.iter().find(is_share)?.set;
    let percent = (done.slots.get(slot)?.as_f64()? * times).round().min(100.0);
    let mut slots = done.slots.clone();
    slots.insert(slot.to_owned(), Value::from(percent as i64));
    Some(Intent { slots, ..done.clone() })
}

/// Whether a step makes it more.
fn goes_up(step: &Value) -> Option<bool> {
    step.as_str().map(|way| way == "up").or_else(|| Some(step.as_f64()? > 0.0))
}

/// The other way round.
fn turned(step: &Value) -> Option<Value> {
    match step {
        Value::String(way) if way == "up" => Some(Value::from("down")),
        Value::String(way) if way == "down" => Some(Value::from("up")),
        Value::Number(number) => {
            number.as_i64().map(|number| Value::from(-number)).or(Some(Value::from(-number.as_f64()?)))
        }
        _ => None,
    }
}

/// "Turn it down" of what was spoken of last, where something else than sound can be more or less of it.
fn of_it(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let volume = QUANTITIES.last().filter(|_| intent.slots.contains_key(IT))?;
    let done = before.done;
    let domain = intent.slots.get("domain").and_then(Value::as_str).or(done.target.domain.as_deref());
    let has = |quantity: &&Quantity| {
        let name = done.intent.name.as_str();
        quantity.change == name || quantity.set.0 == name || Some(quantity.domain) == domain
    };
    let quantity = QUANTITIES.iter().find(has).filter(|quantity| quantity.domain != volume.domain)?;
    let mut slots = Slots::new();
    match intent.slots.get("name") {
        Some(name) => drop(slots.insert("name".to_owned(), name.clone())),
        None => done.target.put(&mut slots),
    }
    slots.insert(quantity.step.to_owned(), intent.slots.get(volume.step)?.clone());
    Some(Intent { name: quantity.change.to_owned(), slots, response: None, ..intent.clone() })
}

/// "A bit cooler" of a light whose white was set: another white, and no other heating.
fn white(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let done = &before.done.intent;
    let is_relative = intent.name == "HarkClimateSetTemperatureRelative" && !Target::is_in(&intent.slots);
    let kelvin = done.slots.get(WHITE).filter(|_| is_relative && done.name == "HassLightSet")?.as_f64()?;
    let warmer = goes_up(intent.slots.get("temperature_step")?)?;
    let kelvin = if warmer { kelvin - WHITE_STEP } else { kelvin + WHITE_STEP };
    let mut slots = Slots::new();
    Target::of(&done.slots, None).put(&mut slots);
    slots.insert(WHITE.to_owned(), Value::from(kelvin.round() as i64));
    Some(Intent { slots, response: Some(WHITE.to_owned()), ..done.clone() })
}

/// What is clicked on behind something done on a page is on that page, and not anywhere on the screen.
fn on_page(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let is_there = intent.name == "HarkInputClick" && intent.slots.contains_key("text");
    (is_there && before.done.intent.name.starts_with("HarkBrowser")).then(|| Intent {
        name: "HarkBrowserClick".to_owned(),
        response: None,
        ..intent.clone()
    })
}

/// A change that names nothing ("a bit brighter", "set the volume to twenty") is of what was spoken of last, if that has
/// it.
pub fn lean(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    // "How long has it got left" of what goes back after some time.
    let lasts = [RESTORE_LATER, CHANGE_END].contains(&before.done.intent.name.as_str());
    let asks_end = intent.name == TIMER_STATUS && intent.slots.is_empty() && lasts;
    let end = || asks_end.then(|| Intent { name: AUTOMATIONS.to_owned(), response: None, ..intent.clone() });
    let of_it =
        || of_it(intent, before).or_else(|| white(intent, before)).or_else(|| on_page(intent, before));
    if let Some(of_end) = changed_time::later(intent, before).or_else(end).or_else(of_it) {
        let why = super::why(intent, before);
        return Some(Intent { why, route: Route::Context, ..of_end });
    }
    let sets =
        |quantity: &Quantity| quantity.set.0 == intent.name && intent.slots.contains_key(quantity.set.1);
    let quantity = QUANTITIES.iter().find(|quantity| quantity.change == intent.name || sets(quantity))?;
    let done = before.done;
    let same = done.intent.name == quantity.change
        || done.intent.name == quantity.set.0
        || done.target.domain.as_deref() == Some(quantity.domain);
    if Target::is_in(&intent.slots) || !done.target.is_named() || !same {
        return None;
    }
    let mut slots = intent.slots.clone();
    done.target.put(&mut slots);
    let why = super::why(intent, before);
    Some(Intent { slots, why, route: Route::Context, ..intent.clone() })
}
