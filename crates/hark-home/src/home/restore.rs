//! Taking a change back: what a device has to be told to be again as it was.

use super::command::{self, DeviceCommand, LightSetting, MediaCommand};
use super::values::VALUED;
use hark_core::home::Entity;
use serde_json::Value;

/// The commands that bring `now` back to `before`, only for what is different; empty when nothing is, or
/// when it cannot be taken back (a pressed button, a scene's own state).
pub fn restore(before: &Entity, now: &Entity) -> Vec<DeviceCommand> {
    use DeviceCommand as C;
    let differs = |key: &str| !same(before, now, key);
    let moved = before.state != now.state;
    let mut commands = Vec::new();
    match before.id.domain() {
        "light" => commands.extend(light(before, now)),
        "cover" | "valve" => {
            match percent(before, "current_position") {
                // It was on its way: it goes on.
                _ if moved && before.state == "opening" => commands.push(C::Open),
                _ if moved && before.state == "closing" => commands.push(C::Close),
                Some(position) if moved || differs("current_position") => {
                    commands.push(C::Position(position));
                }
                None if moved && before.state.starts_with("open") => commands.push(C::Open),
                None if moved && before.state.starts_with("clos") => commands.push(C::Close),
                _ => {}
            }
            let tilt = percent(before, "current_tilt_position");
            commands.extend(tilt.filter(|_| differs("current_tilt_position")).map(C::Tilt));
        }
        "lock" if moved && before.state.starts_with("lock") => commands.push(C::Lock),
        "lock" if moved && before.state.starts_with("unlock") => commands.push(C::Unlock),
        "fan" => match percent(before, "percentage") {
            _ if before.state == "off" && moved => commands.push(C::TurnOff),
            Some(speed) if speed > 0 && (moved || differs("percentage")) => {
                commands.push(C::Percentage(speed));
            }
            _ if moved => commands.push(C::TurnOn),
            _ => commands.extend(preset(before, now)),
        },
        "climate" => {
            if moved {
                commands.push(C::HvacMode(before.state.clone()));
            }
            if let Some(target) = before.number("temperature").filter(|_| differs("temperature")) {
                commands.push(C::Temperature(target));
            }
            if let Some(mode) = before.text("fan_mode").filter(|_| differs("fan_mode")) {
                commands.push(C::FanMode(mode.to_owned()));
            }
            commands.extend(preset(before, now));
        }
        "media_player" => commands.extend(player(before, now)),
        "vacuum" | "lawn_mower" if moved => match before.state.as_str() {
            "cleaning" | "mowing" => commands.push(C::Start),
            _ => commands.push(C::Dock),
        },
        "alarm_control_panel"
            if moved && (before.state.starts_with("armed") || before.state == "disarmed") =>
        {
            commands.push(C::Arm(before.state.clone()));
        }
        "humidifier" => commands.extend(humidifier(before, now)),
        "water_heater" => {
            if moved {
                commands.push(C::Mode(before.state.clone()));
            }
            if let Some(target) = before.number("temperature").filter(|_| differs("temperature")) {
                commands.push(C::Temperature(target));
            }
        }
        domain if VALUED.contains(&domain) => {
            let is_known = !matches!(before.state.as_str(), "unknown" | "unavailable");
            commands.extend((moved && is_known).then(|| C::Value(before.state.clone())));
        }
        // What was done to a to-do list is remembered as a change of it, not as how it was.
        "todo" | "scene" | "script" | "button" | "input_button" => {}
        _ if moved && before.state == "off" => commands.push(C::TurnOff),
        _ if moved && before.state == "on" => commands.push(C::TurnOn),
        _ => {}
    }
    commands
}

/// What it was set to, and whether it was on.
fn humidifier(before: &Entity, now: &Entity) -> Vec<DeviceCommand> {
    let mut commands = Vec::new();
    if !same(before, now, "humidity") {
        commands.extend(percent(before, "humidity").map(DeviceCommand::Humidity));
    }
    if !same(before, now, "mode") {
        commands.extend(before.text("mode").map(|mode| DeviceCommand::Mode(mode.to_owned())));
    }
    match before.state.as_str() {
        "off" if now.state != "off" => commands.push(DeviceCommand::TurnOff),
        "on" if now.state != "on" => commands.push(DeviceCommand::TurnOn),
        _ => {}
    }
    commands
}

/// The preset it had, where it has another one now.
fn preset(before: &Entity, now: &Entity) -> Option<DeviceCommand> {
    let had = before.text("preset_mode").unwrap_or("none");
    let has_presets = before.attributes.contains_key("preset_modes");
    (has_presets && now.text("preset_mode").unwrap_or("none") != had)
        .then(|| DeviceCommand::Preset(had.to_owned()))
}

/// A light that was on comes back with its brightness and colour.
fn light(before: &Entity, now: &Entity) -> Option<DeviceCommand> {
    let same = |key: &str| same(before, now, key);
    let shade = ["brightness", "rgb_color", "color_temp_kelvin"];
    if before.state == now.state && (before.state == "off" || shade.iter().all(|key| same(key))) {
        return None;
    }
    if before.state != "on" {
        return (before.state == "off").then_some(DeviceCommand::TurnOff);
    }
    let rgb = match before.attributes.get("rgb_color") {
        Some(Value::Array(parts)) => {
            let part = |at: usize| parts.get(at)?.as_u64().and_then(|part| u8::try_from(part).ok());
            part(0).zip(part(1)).zip(part(2)).map(|((red, green), blue)| [red, green, blue])
        }
        _ => None,
    };
    let setting = LightSetting {
        brightness_percent: before
            .number("brightness")
            .map(|level| command::percent(level / 255.0 * 100.0).max(1)),
        rgb,
        kelvin: before.number("color_temp_kelvin").map(kelvin).filter(|_| rgb.is_none()),
    };
    let plain = setting == LightSetting::default();
    Some(if plain { DeviceCommand::TurnOn } else { DeviceCommand::Light(setting) })
}

/// What a player was told last: at most its power or playing, and each setting.
fn player(before: &Entity, now: &Entity) -> Vec<DeviceCommand> {
    use DeviceCommand::Media;
    let differs = |key: &str| !same(before, now, key);
    let flag = |key| before.attributes.get(key).and_then(Value::as_bool).unwrap_or(false);
    let mut commands = Vec::new();
    if let Some(level) = before.number("volume_level").filter(|_| differs("volume_level")) {
        commands.push(DeviceCommand::Volume(command::percent(level * 100.0)));
    }
    if differs("is_volume_muted") {
        commands.push(Media(MediaCommand::Mute(flag("is_volume_muted"))));
    }
    if differs("shuffle") {
        commands.push(Media(MediaCommand::Shuffle(flag("shuffle"))));
    }
    if differs("repeat") {
        commands.push(Media(MediaCommand::Repeat(match before.text("repeat") {
            Some("all") => "all",
            Some("one") => "one",
            _ => "off",
        })));
    }
    if let Some(source) = before.text("source").filter(|_| differs("source")) {
        commands.push(Media(MediaCommand::Source(source.to_owned())));
    }
    if before.state != now.state {
        commands.extend(match before.state.as_str() {
            "off" | "standby" => Some(DeviceCommand::TurnOff),
            "playing" | "buffering" => Some(Media(MediaCommand::Play)),
            "paused" => Some(Media(MediaCommand::Pause)),
            "on" | "idle" if matches!(now.state.as_str(), "playing" | "paused" | "buffering") => {
                Some(Media(MediaCommand::Stop))
            }
            "on" | "idle" => Some(DeviceCommand::TurnOn),
            _ => None,
        });
    }
    // A player that says nothing of its track is at the first.
    let track = |entity: &Entity| entity.number("media_track").unwrap_or(1.0);
    if before.state == now.state && track(now) > track(before) {
        commands.push(Media(MediaCommand::Previous));
    } else if before.state == now.state && track(now) < track(before) {
        commands.push(Media(MediaCommand::Next));
    }
    commands
}

/// Whether an attribute is the same; 21 and 21.0 are.
fn same(before: &Entity, now: &Entity, key: &str) -> bool {
    let (before, now) = (before.attributes.get(key), now.attributes.get(key));
    let numbers = before.and_then(Value::as_f64).zip(now.and_then(Value::as_f64));
    numbers.map_or(before == now, |(before, now)| (before - now).abs() < 1e-6)
}

fn percent(entity: &Entity, key: &str) -> Option<u8> {
    entity.number(key).map(command::percent)
}

fn kelvin(kelvin: f64) -> u16 {
    // Cannot cut or change the sign: it is between 1000 and 10000.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let kelvin = kelvin.round().clamp(1000.0, 10_000.0) as u16;
    kelvin
}

#[cfg(test)]
mod tests {
    use super::super::command::{Action, Actions};
    use super::super::virtual_devices::VirtualDevices;
    use super::super::{HomeControl, HomeRegistry, file};
    use super::*;
    use crate::permission_gate::{Approval, PermissionGate};
    use hark_config::permissions::Permissions;
    use hark_core::EntityId;
    use hark_core::ports::HomeView;
    use std::sync::Arc;
    use std::time::Duration;

    /// Tells virtual devices something, takes it back, and compares.
    #[tokio::test]
    async fn what_was_done_to_a_virtual_device_is_taken_back() {
        use DeviceCommand as C;
        let light =
            |percent, rgb, kelvin| C::Light(LightSetting { brightness_percent: percent, rgb, kelvin });
        let cases: Vec<(&str, Vec<DeviceCommand>, DeviceCommand)> = vec![
            ("light.lamp", vec![], C::TurnOn),
            ("light.bedside", vec![light(Some(40), Some([10, 200, 30]), None)], C::TurnOff),
            (
                "light.bedside",
                vec![light(Some(40), None, Some(2700))],
                light(Some(90), Some([255, 0, 0]), None),
            ),
            ("cover.kitchen_blinds", vec![C::Position(30)], C::Close),
            ("cover.garage_door", vec![], C::Open),
            ("lock.front_door", vec![], C::Unlock),
            ("fan.bedroom", vec![], C::Percentage(70)),
            ("fan.bedroom", vec![C::Percentage(30)], C::TurnOff),
            ("climate.living_room", vec![], C::Temperature(25.5)),
            ("climate.living_room", vec![], C::TurnOff),
            ("media_player.kitchen_radio", vec![], C::Volume(90)),
            ("media_player.kitchen_radio", vec![C::Media(MediaCommand::Play)], C::Media(MediaCommand::Pause)),
            ("media_player.kitchen_radio", vec![C::Media(MediaCommand::Play)], C::Media(MediaCommand::Next)),
            ("media_player.kitchen_radio", vec![], C::Media(MediaCommand::Mute(true))),
            ("media_player.living_room_tv", vec![], C::TurnOn),
            ("vacuum.robot", vec![], C::Start),
            ("lawn_mower.garden", vec![C::Start], C::Dock),
            ("valve.garden_tap", vec![], C::Open),
            ("switch.kettle", vec![C::TurnOn], C::TurnOff),
        ];
        for (id, first, command) in cases {
            let registry = Arc::new(HomeRegistry::new(file::example(true).unwrap()));
            let devices = Arc::new(VirtualDevices::new(Arc::clone(&registry)));
            let control = HomeControl::new(Arc::clone(&registry), vec![devices]);
            let id = EntityId::from(id);
            let tell = async |command: DeviceCommand| {
                let entity = registry.entity(&id).unwrap();
                let actions = Actions { home: registry.home(), list: vec![Action { entity, command }] };
                let cleared = PermissionGate::new(&Permissions::default(), "en")
                    .pass(actions, Approval::Yes, None)
                    .unwrap();
                let done = control.carry_out(cleared, Duration::from_secs(1)).await;
                assert_eq!(done[0].error, None, "{id}");
            };
            for command in first {
                tell(command).await;
            }
            let before = registry.entity(&id).unwrap();
            tell(command.clone()).await;
            let now = registry.entity(&id).unwrap();
            assert_ne!(before, now, "{id} {command:?}");
            let back = restore(&before, &now);
            assert!(!back.is_empty(), "{id} {command:?}");
            for command in back {
                tell(command).await;
            }
            let after = registry.entity(&id).unwrap();
            assert_eq!(after.state, before.state, "{id} {command:?}");
            assert!(restore(&before, &after).is_empty(), "{id} {command:?}: {before:?} {after:?}");
        }
    }
}
