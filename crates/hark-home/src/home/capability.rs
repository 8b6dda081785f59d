//! Whether a device can carry out a command, from what it says about itself.

use super::backend::DeviceError;
use super::command::{DeviceCommand, LightSetting, MediaCommand, ON_OFF};
use super::values::{self, one_of};
use hark_core::home::Entity;
use serde_json::Value;

/// Domains that open and close.
const OPENS: &[&str] = &["cover", "valve"];

/// Whether a device can do this with this value, from what it says about itself.
///
/// # Errors
/// `Unsupported`, `OutOfRange`.
pub fn check(entity: &Entity, command: &DeviceCommand) -> Result<(), DeviceError> {
    use DeviceCommand as C;
    let unsupported = |what| Err(DeviceError::Unsupported { name: entity.name.clone(), what });
    let domain = entity.id.domain();
    match command {
        C::TurnOn | C::TurnOff if !ON_OFF.contains(&domain) => unsupported("be turned on or off"),
        C::Open | C::Close if !OPENS.contains(&domain) => unsupported("be opened or closed"),
        C::Stop if !OPENS.contains(&domain) => unsupported("stop on the way"),
        C::Lock | C::Unlock if domain != "lock" => unsupported("be locked"),
        C::Activate if !matches!(domain, "scene" | "script") => unsupported("be activated"),
        C::Light(setting) => check_light(entity, setting),
        C::Press if !matches!(domain, "button" | "input_button") => unsupported("be pressed"),
        C::Position(_) if !OPENS.contains(&domain) => unsupported("be moved to a position"),
        C::Position(_) if !entity.attributes.contains_key("current_position") => {
            unsupported("stop on the way")
        }
        C::Temperature(_) if !matches!(domain, "climate" | "water_heater") => {
            unsupported("be set to a temperature")
        }
        C::Temperature(target) => {
            let limit = |key, default| entity.attributes.get(key).and_then(Value::as_f64).unwrap_or(default);
            check_range(entity, *target, limit("min_temp", 5.0), limit("max_temp", 35.0), "degrees")
        }
        C::Volume(_) if domain != "media_player" => unsupported("be made louder"),
        C::Percentage(_) if domain != "fan" => unsupported("be set to a speed"),
        C::Percentage(_) if !entity.attributes.contains_key("percentage") => unsupported("be set to a speed"),
        C::Start if !matches!(domain, "vacuum" | "lawn_mower") => unsupported("be started"),
        C::Dock if !matches!(domain, "vacuum" | "lawn_mower") => unsupported("go home"),
        C::CleanArea(_) if domain != "vacuum" => unsupported("clean"),
        C::Tilt(_) if domain != "cover" || !entity.attributes.contains_key("current_tilt_position") => {
            unsupported("be tilted")
        }
        C::Preset(_) if !entity.attributes.contains_key("preset_modes") => unsupported("be set to a preset"),
        C::Preset(preset) => one_of(entity, "preset_modes", preset),
        C::HvacMode(_) | C::FanMode(_) if domain != "climate" => unsupported("be set to a mode"),
        C::HvacMode(mode) => one_of(entity, "hvac_modes", mode),
        C::FanMode(mode) => one_of(entity, "fan_modes", mode),
        C::Humidity(_) if domain != "humidifier" => unsupported("be set to a humidity"),
        C::Humidity(target) => {
            let (low, high) = (entity.number("min_humidity"), entity.number("max_humidity"));
            let range = (low.unwrap_or(0.0), high.unwrap_or(100.0));
            check_range(entity, f64::from(*target), range.0, range.1, "percent")
        }
        C::Mode(mode) => match mode_list(domain).filter(|known| entity.attributes.contains_key(*known)) {
            Some(known) => one_of(entity, known, mode),
            None => unsupported("be set to a mode"),
        },
        C::Arm(_) if domain != "alarm_control_panel" => unsupported("be armed"),
        C::Value(value) => values::check(entity, value),
        C::Items { .. } if domain != "todo" => unsupported("hold a list"),
        C::Media(_) if domain != "media_player" => unsupported("play anything"),
        C::Media(MediaCommand::Source(source)) => one_of(entity, "source_list", source),
        _ => Ok(()),
    }
}

/// The attribute in which a device of this domain lists its modes.
pub fn mode_list(domain: &str) -> Option<&'static str> {
    match domain {
        "humidifier" => Some("available_modes"),
        "water_heater" => Some("operation_list"),
        _ => None,
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
