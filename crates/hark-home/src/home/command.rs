//! What switching words mean for a device, and when what it is told is dangerous. Whether it can do it
//! stands in [`capability`], which state proves it in [`state_proof`].
//!
//! [`capability`]: super::capability
//! [`state_proof`]: super::state_proof

use super::super::permission_gate::{Danger, Guarded};
use super::backend::DeviceError;
pub use hark_core::device::{DeviceCommand, LightSetting, MediaCommand};
use hark_core::home::{Entity, Home};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Kinds of covers that are an entrance.
const SECURE_COVERS: &[&str] = &["garage", "gate", "door"];

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

/// The nearest whole percentage.
pub fn percent(level: f64) -> u8 {
    // Cannot cut or change the sign: it is between 0 and 100.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let percent = level.round().clamp(0.0, 100.0) as u8;
    percent
}

/// Domains that are simply on or off, whatever else they can do.
pub const ON_OFF: &[&str] = &[
    "light",
    "switch",
    "fan",
    "media_player",
    "climate",
    "input_boolean",
    "humidifier",
    "remote",
    "siren",
    "water_heater",
    "automation",
];

/// Domains that understand [`Switch`].
pub const SWITCHABLE: &[&str] = &[
    "light",
    "switch",
    "fan",
    "cover",
    "lock",
    "climate",
    "media_player",
    "scene",
    "script",
    "valve",
    "vacuum",
    "lawn_mower",
    "button",
    "input_button",
    "input_boolean",
    "humidifier",
    "remote",
    "siren",
    "water_heater",
    "automation",
];

/// What a switching word means for this entity as it is now.
///
/// # Errors
/// `Unsupported` when it means nothing for it.
pub fn switched(entity: &Entity, switch: Switch) -> Result<DeviceCommand, DeviceError> {
    use DeviceCommand as C;
    let unsupported = |what| Err(DeviceError::Unsupported { name: entity.name.clone(), what });
    let (on, off) = match entity.id.domain() {
        domain if ON_OFF.contains(&domain) => (C::TurnOn, C::TurnOff),
        "cover" | "valve" => (C::Open, C::Close),
        "vacuum" | "lawn_mower" => (C::Start, C::Dock),
        "button" | "input_button" if switch == Switch::On => return Ok(C::Press),
        "button" | "input_button" => return unsupported("be turned off"),
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
        "cover" | "valve" => matches!(entity.state.as_str(), "open" | "opening"),
        "vacuum" | "lawn_mower" => matches!(entity.state.as_str(), "cleaning" | "mowing"),
        "lock" => matches!(entity.state.as_str(), "locked" | "locking"),
        _ => entity.is_active(),
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
    let one = |action, entity: &Entity| vec![Danger::new(action, &entity.id.0, &entity.name)];
    match &action.command {
        DeviceCommand::Unlock => one("unlock", entity),
        DeviceCommand::Open if is_secure(entity) => one("open", entity),
        // Any opening counts: where the door stands now may have changed since it was looked at.
        DeviceCommand::Position(position) | DeviceCommand::Tilt(position)
            if is_secure(entity) && *position > 0 =>
        {
            one("open", entity)
        }
        DeviceCommand::Arm(state) if !state.starts_with("armed") => one("disarm", entity),
        DeviceCommand::Activate => scene_dangers(entity, home),
        _ => Vec::new(),
    }
}

fn scene_dangers(scene: &Entity, home: &Home) -> Vec<Danger> {
    if let Some(Value::Array(touched)) = scene.attributes.get("entity_id") {
        return touched.iter().filter_map(Value::as_str).filter_map(|id| touched_danger(id, home)).collect();
    }
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
            "alarm_control_panel" if !state.starts_with("armed") => "disarm",
            "cover" if opens && is_secure(entity) => "open",
            _ => continue,
        };
        found.push(Danger::new(action, id, &entity.name));
    }
    found
}

/// What may happen to a thing that a scene of Home Assistant touches: it tells which things, not into which
/// states it brings them, so the worst is assumed.
fn touched_danger(id: &str, home: &Home) -> Option<Danger> {
    let known = home.entities.iter().find(|entity| entity.id.0 == id);
    let action = match id.split('.').next() {
        Some("lock") => "unlock",
        Some("alarm_control_panel") => "disarm",
        // One that Hark may not know could be a garage door.
        Some("cover") if known.is_none_or(is_secure) => "open",
        _ => return None,
    };
    let name = known.map_or(id, |entity| &entity.name).to_owned();
    Some(Danger::new(action, id, name))
}

fn is_secure(entity: &Entity) -> bool {
    entity.id.domain() == "cover"
        && entity.device_class.as_deref().is_some_and(|class| SECURE_COVERS.contains(&class))
}

/// Brightness in Home Assistant's attribute (0–255) of a percentage.
pub fn brightness_255(percent: u8) -> u8 {
    let scaled = (u32::from(percent.min(100)) * 255 + 50) / 100;
    u8::try_from(scaled).unwrap_or(u8::MAX)
}

/// State and attributes a scene gives one entity: `"on"`, or `{ state = "on", brightness = 120 }`.
pub(super) fn scene_target(target: &Value) -> Option<(&str, Map<String, Value>)> {
    match target {
        Value::String(state) if !state.is_empty() => Some((state, Map::new())),
        Value::Object(object) => {
            let state = object.get("state")?.as_str().filter(|state| !state.is_empty())?;
            let mut attributes = object.clone();
            attributes.shift_remove("state");
            Some((state, attributes))
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
