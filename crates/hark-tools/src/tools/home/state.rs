//! `home.get_state`: what is it, is it so, are any, are all, which, how many.

use super::common::target;
use crate::names::{means_all, normal};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared};
use crate::tools::services::Services;
use hark_core::home::Entity;
use hark_core::ports::HomeView;
use hark_core::tool::error_code;
use hark_home::command::percent;
use hark_home::question::{Limits, can_be, is_so, state_words};
use hark_home::select::{Scope, area_name, select, with_persons};
use hark_home::{DeviceError, UNAVAILABLE};
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
        if let Some(level) = level(entity) {
            shown["level"] = json!(level);
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
    let limits = Limits::of(&home, args.slots(), &asked, here.as_deref())?;
    let limits = limits
        .ok_or_else(|| Failure::new(error_code::OFFLINE, "what it is compared with tells no number"))?;
    let (matched, others): (Vec<&Entity>, Vec<&Entity>) =
        known.into_iter().partition(|entity| is_so(entity, state, limits));
    if state.is_some() || limits != Limits::default() {
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

/// How bright, fast, loud or far open it is, percent, where it is on and has such a level.
fn level(entity: &Entity) -> Option<u8> {
    let (key, full) = match entity.id.domain() {
        "light" => ("brightness", 255.0),
        "fan" => ("percentage", 100.0),
        "media_player" => ("volume_level", 1.0),
        _ => return None,
    };
    entity.number(key).filter(|_| entity.is_active()).map(|level| percent(level / full * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_told_of_what_is_known_to_be_on() {
        let level_of = |state: &str| {
            let lamp = json!({
                "id": "light.desk", "name": "desk lamp", "state": state, "attributes": {"brightness": 255}
            });
            level(&serde_json::from_value(lamp).unwrap())
        };
        assert_eq!(level_of("on"), Some(100));
        for state in ["off", "unavailable", "unknown"] {
            assert_eq!(level_of(state), None, "{state}");
        }
    }
}
