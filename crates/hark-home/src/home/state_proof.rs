//! Which reported state of a device proves that a command was carried out.

use super::command::{DeviceCommand, MediaCommand, brightness_255};
use super::values;
use crate::lists::merged;
use hark_core::home::Entity;
use hark_core::ports::ListItem;
use serde_json::Value;

/// Whether the state of a device proves that it did what it was told. Devices round and take time:
/// small differences count as done, and so does being on the way.
pub fn proves(command: &DeviceCommand, before: &Entity, now: &Entity) -> bool {
    use DeviceCommand as C;
    let state = now.state.as_str();
    let number = |key| now.number(key);
    let near = |key, target: f64, within: f64| number(key).is_some_and(|has| (has - target).abs() <= within);
    match command {
        C::TurnOn => now.is_active(),
        C::TurnOff => matches!(state, "off" | "standby"),
        C::Open => matches!(state, "open" | "opening"),
        C::Close => matches!(state, "closed" | "closing"),
        C::Stop => !matches!(state, "opening" | "closing"),
        C::Lock => matches!(state, "locked" | "locking"),
        C::Unlock => matches!(state, "unlocked" | "unlocking" | "open" | "opening"),
        C::Activate => now != before,
        C::Light(setting) => {
            let brightness = setting.brightness_percent.map(brightness_255);
            state == "on"
                && brightness.is_none_or(|target| near("brightness", f64::from(target), 2.0))
                && setting.rgb.is_none_or(|target| has_rgb(now, before, target))
                && setting.kelvin.is_none_or(|target| near("color_temp_kelvin", f64::from(target), 50.0))
        }
        C::Position(target) => {
            matches!(state, "opening" | "closing") || near("current_position", f64::from(*target), 1.0)
        }
        // Slats come to rest where they can.
        C::Tilt(target) => near("current_tilt_position", f64::from(*target), 3.0),
        C::Preset(preset) => now.text("preset_mode").unwrap_or("none") == preset,
        C::Temperature(target) => near("temperature", *target, 0.05),
        C::Volume(target) => near("volume_level", f64::from(*target) / 100.0, 0.011),
        // What has no state of its own is done when the command was delivered.
        C::Press => true,
        C::Percentage(0) => state == "off",
        C::Percentage(target) => {
            let step = number("percentage_step").unwrap_or(1.0).max(1.0);
            state == "on" && near("percentage", f64::from(*target), step)
        }
        C::Start => matches!(state, "cleaning" | "mowing" | "starting"),
        C::CleanArea(_) => state == "cleaning",
        C::Dock => matches!(state, "docked" | "returning"),
        C::HvacMode(mode) => state == mode,
        C::FanMode(mode) => now.text("fan_mode") == Some(mode),
        C::Humidity(target) => near("humidity", f64::from(*target), 0.5),
        C::Mode(mode) if now.id.domain() == "water_heater" => {
            state == mode || now.text("operation_mode") == Some(mode)
        }
        C::Mode(mode) => now.text("mode") == Some(mode),
        C::Arm(wanted) => state == wanted || wanted != "disarmed" && state == "arming",
        C::Value(value) => values::is(now, value),
        C::Items { from, to } => {
            let items = items_of(now);
            open(merged(from, to, &items)) == open(items)
        }
        C::Media(command) => proves_media(command, now),
    }
}

fn proves_media(command: &MediaCommand, now: &Entity) -> bool {
    use MediaCommand as M;
    let state = now.state.as_str();
    let is = |key, wanted: bool| now.attributes.get(key).and_then(Value::as_bool) == Some(wanted);
    match command {
        M::Play => matches!(state, "playing" | "buffering"),
        M::Pause => state == "paused",
        M::Stop => !matches!(state, "playing" | "paused" | "buffering"),
        // Players do not say which track it is in a way that could be compared.
        M::Next | M::Previous => true,
        M::Mute(muted) => is("is_volume_muted", *muted),
        M::Shuffle(on) => is("shuffle", *on),
        M::Repeat(mode) => now.text("repeat") == Some(*mode),
        M::Source(source) => now.text("source") == Some(source),
        M::Search { .. } => matches!(state, "playing" | "buffering"),
    }
}

/// What is on a to-do list: its attribute `items`, each `{summary, status}` as Home Assistant has them, or
/// just a text.
pub fn items_of(entity: &Entity) -> Vec<ListItem> {
    let Some(Value::Array(items)) = entity.attributes.get("items") else { return Vec::new() };
    let item = |item: &Value| match item {
        Value::String(text) => Some(ListItem { text: text.clone(), done: false }),
        item => Some(ListItem {
            text: item.get("summary")?.as_str()?.to_owned(),
            done: item.get("status").and_then(Value::as_str) == Some("completed"),
        }),
    };
    items.iter().filter_map(item).collect()
}

/// What is still to be done, in no particular order: services sort lists, and drop what is finished.
fn open(items: Vec<ListItem>) -> Vec<String> {
    let mut open: Vec<String> = items.into_iter().filter(|item| !item.done).map(|item| item.text).collect();
    open.sort_unstable();
    open
}

/// How far a light's colour may be from the one it was told: lamps have colours of their own.
const COLOUR_NEAR: f64 = 25.0;

/// Whether a light has this colour, as near as it can come: lamps that think in hue and saturation lose the
/// brightness of a colour, those with a gamut shift it.
fn has_rgb(now: &Entity, before: &Entity, target: [u8; 3]) -> bool {
    let target = full(target.map(f64::from));
    let Some(has) = rgb(now).map(full) else { return false };
    let far = distance(has, target);
    let moved_there = || rgb(before).is_some_and(|before| far < distance(full(before), target) / 2.0);
    far <= COLOUR_NEAR || moved_there()
}

fn rgb(entity: &Entity) -> Option<[f64; 3]> {
    let Some(Value::Array(has)) = entity.attributes.get("rgb_color") else { return None };
    let parts: Vec<f64> = has.iter().filter_map(Value::as_f64).collect();
    parts.try_into().ok()
}

/// The colour at full brightness.
fn full(rgb: [f64; 3]) -> [f64; 3] {
    let most = rgb.iter().copied().fold(1.0, f64::max);
    rgb.map(|part| part / most * 255.0)
}

fn distance(one: [f64; 3], other: [f64; 3]) -> f64 {
    one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn light(rgb: Value) -> Entity {
        let light = json!({"id": "light.a", "name": "A", "state": "on", "attributes": {"rgb_color": rgb}});
        serde_json::from_value(light).unwrap()
    }

    #[test]
    fn a_colour_is_proved_as_near_as_a_lamp_comes() {
        for (before, target, now, proved) in [
            (json!([255, 0, 0]), [0, 0, 128], json!([0, 0, 255]), true),
            (json!([255, 255, 255]), [0, 255, 0], json!([113, 255, 55]), true),
            (json!(null), [0, 255, 0], json!([10, 255, 3]), true),
            (json!([255, 0, 0]), [0, 0, 255], json!([255, 0, 0]), false),
            (json!([255, 0, 0]), [0, 0, 255], json!(null), false),
            (json!([255, 0, 0]), [0, 0, 255], json!(["x", 0, 0]), false),
            (json!(null), [0, 0, 255], json!([255, 255, 255]), false),
        ] {
            assert_eq!(has_rgb(&light(now.clone()), &light(before), target), proved, "{target:?} {now}");
        }
    }

    #[test]
    fn a_list_is_proved_by_what_is_still_to_be_done() {
        let list = |items: Value| {
            let list = json!({"id": "todo.a", "name": "A", "state": "1", "attributes": {"items": items}});
            serde_json::from_value::<Entity>(list).unwrap()
        };
        let item = |text: &str, done| ListItem { text: text.into(), done };
        let from = vec![item("milk", false), item("tea", false)];
        let to = vec![item("milk", false), item("eggs", false), item("tea", true)];
        let command = DeviceCommand::Items { from, to };
        let now = list(json!(["eggs", "milk"]));
        assert!(proves(&command, &now, &now), "in another order, and without what is finished");
        assert!(proves(&command, &now, &list(json!(["salt", "eggs"]))), "whatever others did meanwhile");
        assert!(!proves(&command, &now, &list(json!(["milk"]))));
        assert!(!proves(&command, &now, &list(json!(["eggs", "milk", "tea"]))));
    }
}
