//! What a device can be told, whether it can do it, when that is dangerous, and which state proves it.

use super::super::permissions::{Danger, Guarded};
use super::backend::DeviceError;
use super::demo::scene_target;
use crate::domain::home::{Entity, Home};
use serde_json::Value;
use std::sync::Arc;

/// Kinds of covers that let somebody in.
const SECURE_COVERS: &[&str] = &["garage", "gate", "door"];

/// How a light should be; what is `None` stays.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LightSetting {
    /// 1–100 %.
    pub brightness_percent: Option<u8>,
    /// Red, green, blue.
    pub rgb: Option<[u8; 3]>,
    /// Colour temperature.
    pub kelvin: Option<u16>,
}

/// What a device can be told, in its own terms: "turn on" has become lock, open or activate.
#[derive(Debug, Clone, PartialEq)]
pub enum DeviceCommand {
    /// Light, switch, fan, media player, climate.
    TurnOn,
    /// Light, switch, fan, media player, climate.
    TurnOff,
    /// Cover.
    Open,
    /// Cover.
    Close,
    /// Lock.
    Lock,
    /// Lock.
    Unlock,
    /// Scene, script.
    Activate,
    /// Light; turns it on.
    Light(LightSetting),
    /// Cover: 0 is closed, 100 is open.
    Position(u8),
    /// Climate: target in the unit of the device.
    Temperature(f64),
    /// Media player: 0–100 %.
    Volume(u8),
}

/// The words of Home Assistant's three switching intents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// On, open, lock, activate.
    On,
    /// Off, close, unlock.
    Off,
    /// The other one.
    Toggle,
}

/// Domains that understand [`Switch`].
pub const SWITCHABLE: &[&str] =
    &["light", "switch", "fan", "cover", "lock", "climate", "media_player", "scene", "script"];

/// What a switching word means for this entity as it is now.
///
/// # Errors
/// `Unsupported` when it means nothing for it.
pub fn switched(entity: &Entity, switch: Switch) -> Result<DeviceCommand, DeviceError> {
    use DeviceCommand as C;
    let unsupported = |what| Err(DeviceError::Unsupported { name: entity.name.clone(), what });
    let (on, off) = match entity.id.domain() {
        "light" | "switch" | "fan" | "media_player" | "climate" => (C::TurnOn, C::TurnOff),
        "cover" => (C::Open, C::Close),
        "lock" => (C::Lock, C::Unlock),
        "scene" | "script" if switch == Switch::On => return Ok(C::Activate),
        "scene" | "script" => return unsupported("be turned off"),
        _ => return unsupported("be turned on or off"),
    };
    let is_on = is_on(entity);
    Ok(match switch {
        Switch::On => on,
        Switch::Off => off,
        Switch::Toggle if is_on => off,
        Switch::Toggle => on,
    })
}

/// Whether an entity is in the state "on" puts it in.
fn is_on(entity: &Entity) -> bool {
    match entity.id.domain() {
        "cover" => matches!(entity.state.as_str(), "open" | "opening"),
        "lock" => matches!(entity.state.as_str(), "locked" | "locking"),
        _ => !matches!(entity.state.as_str(), "off" | "standby" | "unavailable" | "unknown"),
    }
}

/// One device and what it is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// The device as it was when this was decided.
    pub entity: Entity,
    /// What it is told.
    pub command: DeviceCommand,
}

/// Everything one tool call tells the home.
#[derive(Debug, Clone, PartialEq)]
pub struct Actions {
    /// The home it was decided in: what a scene sets is looked up here.
    pub home: Arc<Home>,
    /// One each device.
    pub list: Vec<Action>,
}

impl Guarded for Actions {
    fn dangers(&self) -> Vec<Danger> {
        self.list.iter().flat_map(|action| dangers(action, &self.home)).collect()
    }
}

/// What is dangerous in telling a device this.
fn dangers(action: &Action, home: &Home) -> Vec<Danger> {
    let entity = &action.entity;
    let one = |action, entity: &Entity| {
        vec![Danger { action, entity: entity.id.0.clone(), name: entity.name.clone() }]
    };
    match &action.command {
        DeviceCommand::Unlock => one("unlock", entity),
        DeviceCommand::Open if is_secure(entity) => one("open", entity),
        // Any opening counts: where the door stands now may have changed since it was looked at.
        DeviceCommand::Position(position) if is_secure(entity) && *position > 0 => one("open", entity),
        DeviceCommand::Activate => scene_dangers(entity, home),
        _ => Vec::new(),
    }
}

fn scene_dangers(scene: &Entity, home: &Home) -> Vec<Danger> {
    let Some(Value::Object(states)) = scene.attributes.get("states") else { return Vec::new() };
    let mut found = Vec::new();
    for (id, target) in states {
        let Some(entity) = home.entities.iter().find(|entity| entity.id.0 == *id) else { continue };
        let (state, attributes) = scene_target(target).unwrap_or_default();
        let opens = state.starts_with("open")
            || attributes
                .get("current_position")
                .and_then(Value::as_f64)
                .is_some_and(|position| position > 0.0);
        let action = match entity.id.domain() {
            // Whatever does not lock it counts as unlocking.
            "lock" if !state.starts_with("lock") => "unlock",
            "cover" if opens && is_secure(entity) => "open",
            _ => continue,
        };
        found.push(Danger { action, entity: id.clone(), name: entity.name.clone() });
    }
    found
}

fn is_secure(entity: &Entity) -> bool {
    entity.id.domain() == "cover"
        && entity.device_class.as_deref().is_some_and(|class| SECURE_COVERS.contains(&class))
}

/// Whether a device can do this with this value, from what it says about itself.
///
/// # Errors
/// `Unsupported`, `OutOfRange`.
pub fn check(entity: &Entity, command: &DeviceCommand) -> Result<(), DeviceError> {
    use DeviceCommand as C;
    let unsupported = |what| Err(DeviceError::Unsupported { name: entity.name.clone(), what });
    let domain = entity.id.domain();
    match command {
        C::TurnOn | C::TurnOff => match domain {
            "light" | "switch" | "fan" | "media_player" | "climate" => Ok(()),
            _ => unsupported("be turned on or off"),
        },
        C::Open | C::Close if domain != "cover" => unsupported("be opened or closed"),
        C::Lock | C::Unlock if domain != "lock" => unsupported("be locked"),
        C::Activate if !matches!(domain, "scene" | "script") => unsupported("be activated"),
        C::Light(setting) => check_light(entity, setting),
        C::Position(_) if domain != "cover" => unsupported("be moved to a position"),
        C::Position(_) if !entity.attributes.contains_key("current_position") => {
            unsupported("stop on the way")
        }
        C::Temperature(_) if domain != "climate" => unsupported("be set to a temperature"),
        C::Temperature(target) => {
            let limit = |key, default| entity.attributes.get(key).and_then(Value::as_f64).unwrap_or(default);
            check_range(entity, *target, limit("min_temp", 5.0), limit("max_temp", 35.0), "degrees")
        }
        C::Volume(_) if domain != "media_player" => unsupported("be made louder"),
        _ => Ok(()),
    }
}

/// Colour modes that say what a light can do; a light that says nothing is believed everything.
fn check_light(entity: &Entity, setting: &LightSetting) -> Result<(), DeviceError> {
    let unsupported = |what| Err(DeviceError::Unsupported { name: entity.name.clone(), what });
    if entity.id.domain() != "light" {
        return unsupported("be dimmed or coloured");
    }
    if let Some(kelvin) = setting.kelvin {
        let limit = |key, default| entity.attributes.get(key).and_then(Value::as_f64).unwrap_or(default);
        let (low, high) = (limit("min_color_temp_kelvin", 1000.0), limit("max_color_temp_kelvin", 10_000.0));
        check_range(entity, f64::from(kelvin), low, high, "kelvin")?;
    }
    let Some(Value::Array(modes)) = entity.attributes.get("supported_color_modes") else { return Ok(()) };
    let has = |wanted: &[&str]| modes.iter().filter_map(Value::as_str).any(|mode| wanted.contains(&mode));
    let coloured = ["rgb", "rgbw", "rgbww", "hs", "xy"];
    if setting.rgb.is_some() && !has(&coloured) {
        return unsupported("change its colour");
    }
    if setting.kelvin.is_some() && !has(&["color_temp", "rgbww"]) {
        return unsupported("change its colour temperature");
    }
    if setting.brightness_percent.is_some() && !has(&coloured) && !has(&["brightness", "color_temp", "white"])
    {
        return unsupported("be dimmed");
    }
    Ok(())
}

fn check_range(entity: &Entity, value: f64, low: f64, high: f64, unit: &str) -> Result<(), DeviceError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    let range = format!("{low} to {high} {unit}");
    Err(DeviceError::OutOfRange { name: entity.name.clone(), range })
}

/// Brightness in Home Assistant's attribute (0–255) of a percentage.
pub fn brightness_255(percent: u8) -> u8 {
    let scaled = (u32::from(percent.min(100)) * 255 + 50) / 100;
    u8::try_from(scaled).unwrap_or(u8::MAX)
}

/// Whether the state of a device proves that it did what it was told. Devices round and take time:
/// small differences count as done, and so does being on the way.
pub fn proves(command: &DeviceCommand, before: &Entity, now: &Entity) -> bool {
    use DeviceCommand as C;
    let state = now.state.as_str();
    let number = |key| now.attributes.get(key).and_then(Value::as_f64);
    let near = |key, target: f64, within: f64| number(key).is_some_and(|has| (has - target).abs() <= within);
    match command {
        C::TurnOn => !matches!(state, "off" | "standby" | "unavailable" | "unknown"),
        C::TurnOff => matches!(state, "off" | "standby"),
        C::Open => matches!(state, "open" | "opening"),
        C::Close => matches!(state, "closed" | "closing"),
        C::Lock => matches!(state, "locked" | "locking"),
        C::Unlock => matches!(state, "unlocked" | "unlocking" | "open" | "opening"),
        C::Activate => now != before,
        C::Light(setting) => {
            let brightness = setting.brightness_percent.map(brightness_255);
            state == "on"
                && brightness.is_none_or(|target| near("brightness", f64::from(target), 2.0))
                && setting.rgb.is_none_or(|target| has_rgb(now, target))
                && setting.kelvin.is_none_or(|target| near("color_temp_kelvin", f64::from(target), 50.0))
        }
        C::Position(target) => {
            matches!(state, "opening" | "closing") || near("current_position", f64::from(*target), 1.0)
        }
        C::Temperature(target) => near("temperature", *target, 0.05),
        C::Volume(target) => near("volume_level", f64::from(*target) / 100.0, 0.011),
    }
}

fn has_rgb(entity: &Entity, target: [u8; 3]) -> bool {
    let Some(Value::Array(has)) = entity.attributes.get("rgb_color") else { return false };
    let close =
        |(has, target): (&Value, u8)| has.as_f64().is_some_and(|has| (has - f64::from(target)).abs() <= 2.0);
    has.len() == 3 && has.iter().zip(target).all(close)
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
