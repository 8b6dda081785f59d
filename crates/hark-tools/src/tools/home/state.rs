//! `home.get_state`: what is it, is it so, are any, are all, which, how many.

use super::common::target;
use crate::home::select::{Scope, area_name, select, with_persons};
use crate::home::{DeviceError, UNAVAILABLE};
use crate::names::{means_all, normal};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared};
use crate::tools::services::Services;
use hark_core::home::Entity;
use hark_core::ports::HomeView;
use hark_core::tool::error_code;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Everything that has a state worth asking for, when only a place is said.
const ALL: &[&str] = &[
    "light",
    "switch",
    "fan",
    "cover",
    "valve",
    "lock",
    "climate",
    "media_player",
    "humidifier",
    "sensor",
    "binary_sensor",
    "person",
];

/// `home.get_state`. A question means the whole home unless it says a place.
pub fn get_state(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let home = with_persons(&services.home.registry().home());
    let mut target = target(args);
    let state = args.text("state");
    // "Is anything open": what can be, wherever it is.
    let anything = state.filter(|_| {
        target.name.as_deref().is_none_or(means_all)
            && target.domain.is_none()
            && target.device_class.is_none()
    });
    if anything.is_some() {
        target.name = Some("all".to_owned());
    }
    // Only to tell things of the same name apart; "are any windows open" means the whole home.
    let here = services.default_area();
    let default_area = here.as_deref().filter(|_| target.name.is_some());
    let mut asked = select(&home, &target, Scope { able: &[], sweep: ALL, default_area })?;
    if let Some(state) = anything {
        asked.retain(|entity| can_be(entity, state));
        if asked.is_empty() {
            let message = format!("there is nothing that could be {}", normal(state));
            return Err(Failure::new(error_code::NOT_FOUND, message));
        }
    }
    for secret in asked.iter_mut().filter(|entity| entity.is_secret() && entity.state != UNAVAILABLE) {
        "secret".clone_into(&mut secret.state);
    }
    if asked.iter().all(|entity| entity.state == UNAVAILABLE) {
        return Err(DeviceError::Offline(asked[0].name.clone()).into());
    }
    let mut detail = Map::new();
    let shown = asked.iter().map(|entity| {
        let mut shown = json!({
            "id": entity.id, "name": entity.name, "domain": entity.id.domain(),
            "area": area_name(&home, entity),
            "state": entity.state, "state_text": state_words(entity),
        });
        if let Some(unit) = entity.text("unit_of_measurement") {
            shown["unit"] = json!(unit);
        }
        shown
    });
    detail.insert("entities".into(), shown.collect());
    if let [only] = asked.as_slice() {
        detail.insert("name".into(), json!(only.name));
        detail.insert("state".into(), json!(state_words(only)));
        if let Some(unit) = only.text("unit_of_measurement") {
            detail.insert("unit".into(), json!(unit));
        }
    }
    let (away, known): (Vec<&Entity>, Vec<&Entity>) =
        asked.iter().partition(|entity| entity.state == UNAVAILABLE);
    let is_so = |entity: &&Entity| state.is_none_or(|state| is_in_state(entity, state));
    let (matched, others): (Vec<&Entity>, Vec<&Entity>) = known.into_iter().partition(is_so);
    if state.is_some() {
        let answer = match args.text("response") {
            Some("all") => others.is_empty(),
            _ => !matched.is_empty(),
        };
        detail.insert("answer".into(), json!(answer));
        let other = |entity: &&Entity| json!({"name": entity.name, "state_text": state_words(entity)});
        detail.insert("others".into(), others.iter().map(other).collect());
        detail.insert("unreachable".into(), away.iter().map(|entity| entity.name.as_str()).collect());
    }
    let matched = if state.is_none() { asked.iter().collect() } else { matched };
    detail.insert("count".into(), json!(matched.len()));
    let names: Value = matched.iter().map(|entity| entity.name.as_str()).collect();
    detail.insert("matched".into(), names);
    Ok(Prepared::Answer(Outcome::answer(Value::Object(detail))))
}

/// Whether something is meant by a question that says a state and neither a name nor a kind. Blinds and curtains are not:
/// who asks whether anything is open cares for rain and for burglars.
fn can_be(entity: &Entity, state: &str) -> bool {
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
        return !matches!(entity.state.as_str(), "off" | "standby" | "unavailable" | "unknown");
    }
    normal(&entity.state) == asked || normal(&state_words(entity)) == asked
}
