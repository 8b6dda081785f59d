//! Yes or no to a question about the home: the arguments of `home.get_state` with a state or a number. Asked by
//! `home.get_state`, and by automations whenever the home changes.

use super::select::{Scope, SelectError, Target, select, target_of, with_persons};
use super::{UNAVAILABLE, UNKNOWN};
use crate::names::normal;
use hark_core::Slots;
use hark_core::home::{Entity, Home};
use serde_json::Value;

/// Between states of which any is meant.
const OR: char = '|';

/// What a question is about, in the home as it is.
///
/// # Errors
/// Why it is about nothing.
pub fn asked_about(home: &Home, question: &Slots, here: Option<&str>) -> Result<Vec<Entity>, SelectError> {
    let target = target_of(question);
    let default_area = here.filter(|_| target.name.is_some());
    let scope = Scope { able: &[], sweep: &[], default_area };
    select(&with_persons(home), &target, scope).or_else(|error| {
        // A thermostat measures the room as well as a sensor does.
        let is_temperature = target.name.is_none() && target.device_class.as_deref() == Some("temperature");
        let target = Target { domain: Some("climate".to_owned()), device_class: None, ..target };
        is_temperature.then(|| select(home, &target, scope).ok()).flatten().ok_or(error)
    })
}

/// What a number has to be.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    above: Option<f64>,
    below: Option<f64>,
    at_least: Option<f64>,
    at_most: Option<f64>,
}

impl Limits {
    /// Those that a question about `asked` names; `None` where one is the number of something else that is not known.
    ///
    /// # Errors
    /// Why it is compared with nothing.
    pub fn of(
        home: &Home,
        question: &Slots,
        asked: &[Entity],
        here: Option<&str>,
    ) -> Result<Option<Self>, SelectError> {
        let number = |slot| question.get(slot).and_then(Value::as_f64);
        let limits = Self {
            above: number("above"),
            below: number("below"),
            at_least: number("at_least"),
            at_most: number("at_most"),
        };
        let Some(compared) = question.get("compared").and_then(Value::as_str) else {
            return Ok(Some(limits));
        };
        let others = compared_with(home, question, asked, here)?;
        Ok(mean(&others).map(|other| match compared {
            "below" => Self { below: Some(other), ..limits },
            _ => Self { above: Some(other), ..limits },
        }))
    }

    /// Whether a number keeps to them; one that is not known keeps to none.
    fn hold(self, number: Option<f64>) -> bool {
        let so = |limit: Option<f64>, keeps: fn(f64, f64) -> bool| {
            limit.is_none_or(|limit| number.is_some_and(|number| keeps(number, limit)))
        };
        so(self.above, |number, limit| number > limit)
            && so(self.below, |number, limit| number < limit)
            && so(self.at_least, |number, limit| number >= limit)
            && so(self.at_most, |number, limit| number <= limit)
    }
}

/// Whether it is so; `None` while that is not known, because nothing it is about can be reached.
///
/// # Errors
/// Why it is about nothing.
pub fn holds(home: &Home, question: &Slots, here: Option<&str>) -> Result<Option<bool>, SelectError> {
    let asked = asked_about(home, question, here)?;
    let Some(limits) = Limits::of(home, question, &asked, here)? else { return Ok(None) };
    let state = question.get("state").and_then(Value::as_str);
    let is_known = |entity: &&Entity| !matches!(entity.state.as_str(), UNAVAILABLE | UNKNOWN);
    let mut known = asked.iter().filter(is_known).peekable();
    if known.peek().is_none() {
        return Ok(None);
    }
    let so = |entity: &Entity| is_so(entity, state, limits);
    let of_all = question.get("response").and_then(Value::as_str) == Some("all");
    Ok(Some(if of_all { known.all(so) } else { known.any(so) }))
}

/// What a question compares its number with: the same kind of thing under another name or in another place, else all others
/// of the kind ("warmer outside than inside").
fn compared_with(
    home: &Home,
    question: &Slots,
    asked: &[Entity],
    here: Option<&str>,
) -> Result<Vec<Entity>, SelectError> {
    let value = |slot: &str| question.get(slot).cloned();
    let (name, area) = (value("other_name"), value("other_area"));
    let is_other = name.is_some() || area.is_some();
    let kind = ["domain", "device_class"].map(|slot| (slot, value(slot)));
    let which = [("name", name), ("area", area)].into_iter().chain(kind);
    let other = which.filter_map(|(slot, value)| Some((slot.to_owned(), value?))).collect();
    let mut others = asked_about(home, &other, here)?;
    others.retain(|other| is_other || asked.iter().all(|one| one.id != other.id));
    Ok(others)
}

/// The mean of what entities measure; `None` where none of them tells a number.
fn mean(entities: &[Entity]) -> Option<f64> {
    let numbers: Vec<f64> = entities.iter().filter_map(number_of).collect();
    // No home has so many things.
    #[allow(clippy::cast_precision_loss)]
    let count = numbers.len() as f64;
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / count)
}

/// Whether an entity is in a state, and its number within what is asked for; what is `None` was not asked.
pub fn is_so(entity: &Entity, state: Option<&str>, limits: Limits) -> bool {
    state.is_none_or(|state| state.split(OR).any(|state| is_in_state(entity, state)))
        && limits.hold(number_of(entity))
}

/// What an entity measures: its state, or of a thermostat the temperature of the room.
pub fn number_of(entity: &Entity) -> Option<f64> {
    let measured = entity.number("current_temperature").or_else(|| entity.number("current_humidity"));
    measured.or_else(|| entity.state.trim().parse().ok()).filter(|number: &f64| number.is_finite())
}

/// Whether something is meant by a question that says a state and neither a name nor a kind. Blinds and curtains are not:
/// who asks whether anything is open cares for rain and for burglars.
pub fn can_be(entity: &Entity, state: &str) -> bool {
    let class = entity.device_class.as_deref();
    match (normal(state).as_str(), entity.id.domain()) {
        ("open" | "opened" | "closed" | "shut", "cover") => {
            !matches!(class, Some("blind" | "curtain" | "shutter" | "shade" | "awning" | "damper"))
        }
        ("open" | "opened" | "closed" | "shut", "valve") => true,
        ("open" | "opened" | "closed" | "shut", "binary_sensor") => binary_words(class) == ("open", "closed"),
        ("on" | "off", domain) => {
            matches!(domain, "light" | "switch" | "fan" | "media_player" | "humidifier")
        }
        ("locked" | "unlocked", "lock") => true,
        ("locked" | "unlocked", "binary_sensor") => class == Some("lock"),
        ("open" | "opened" | "closed" | "shut" | "locked" | "unlocked", _) => false,
        _ => true,
    }
}

/// What `on` and `off` of a binary sensor mean, by its device class.
fn binary_words(device_class: Option<&str>) -> (&'static str, &'static str) {
    match device_class {
        Some("door" | "window" | "garage_door" | "opening") => ("open", "closed"),
        Some("lock") => ("unlocked", "locked"),
        Some("moisture") => ("wet", "dry"),
        Some("motion" | "occupancy" | "smoke" | "gas" | "carbon_monoxide" | "sound" | "vibration") => {
            ("detected", "clear")
        }
        Some("presence") => ("home", "away"),
        Some("battery") => ("low", "normal"),
        Some("battery_charging") => ("charging", "not charging"),
        Some("connectivity") => ("connected", "disconnected"),
        Some("plug") => ("plugged in", "unplugged"),
        Some("running") => ("running", "not running"),
        Some("problem") => ("a problem", "okay"),
        Some("safety") => ("unsafe", "safe"),
        Some("tamper") => ("tampered with", "okay"),
        Some("cold") => ("cold", "normal"),
        Some("heat") => ("hot", "normal"),
        Some("light") => ("light", "dark"),
        Some("moving") => ("moving", "still"),
        Some("update") => ("out of date", "up to date"),
        _ => ("on", "off"),
    }
}

/// The state as it is said: a window sensor that is `on` is "open".
pub fn state_words(entity: &Entity) -> String {
    match (entity.id.domain(), entity.state.as_str()) {
        ("binary_sensor", "on") => binary_words(entity.device_class.as_deref()).0.to_owned(),
        ("binary_sensor", "off") => binary_words(entity.device_class.as_deref()).1.to_owned(),
        ("person", "not_home") => "away".to_owned(),
        ("update", "on") => binary_words(Some("update")).0.to_owned(),
        ("update", "off") => binary_words(Some("update")).1.to_owned(),
        (_, state) => state.replace('_', " "),
    }
}

/// Whether an entity is in the state a person asks for.
fn is_in_state(entity: &Entity, asked: &str) -> bool {
    let asked = normal(asked);
    let asked = match asked.as_str() {
        "opened" => "open",
        "shut" => "closed",
        other => other,
    };
    let on_kind = matches!(entity.id.domain(), "media_player" | "climate");
    if asked == "on" && on_kind {
        return entity.is_active();
    }
    normal(&entity.state) == asked || normal(&state_words(entity)) == asked
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every device class of [`binary_words`], and none.
    const CLASSES: [&str; 19] = [
        "door",
        "lock",
        "moisture",
        "motion",
        "presence",
        "battery",
        "battery_charging",
        "connectivity",
        "plug",
        "running",
        "problem",
        "safety",
        "tamper",
        "cold",
        "heat",
        "light",
        "moving",
        "update",
        "",
    ];

    #[test]
    fn german_replies_have_words_for_every_state_of_a_sensor() {
        let german = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/languages/de/sentences/_common.yaml");
        let german = std::fs::read_to_string(german).unwrap();
        for class in CLASSES {
            let (on, off) = binary_words(Some(class));
            for state in [on, off] {
                assert!(german.contains(&format!("'{state}': '")), "{class} has the state {state:?}");
            }
        }
    }
}
