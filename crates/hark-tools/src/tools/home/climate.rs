//! `home.climate_*`: what it is set to, by how much more, in which mode, and how warm it is.

use super::common::{plain, plan, plan_stepped, step, target};
use crate::names::is_one_of;
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared};
use crate::tools::services::Services;
use hark_core::home::{Entity, Home};
use hark_core::ports::HomeView;
use hark_core::tool::error_code;
use hark_home::DeviceError;
use hark_home::UNAVAILABLE;
use hark_home::capability::mode_list;
use hark_home::command::DeviceCommand;
use hark_home::select::{Scope, SelectError, Target, select};
use serde_json::{Map, Value, json};
use std::sync::Arc;

const CLIMATE: &[&str] = &["climate"];

/// What can be set to a temperature.
const HEATS: &[&str] = &["climate", "water_heater"];

/// What has presets, or modes that people call like them.
const PRESETS: &[&str] = &["climate", "fan", "humidifier", "water_heater"];

/// What has modes and no presets.
const WITH_MODES: &[&str] = &["humidifier", "water_heater"];

/// How much "warmer" is, degrees.
const STEP_DEGREES: f64 = 1.0;

/// `home.climate_set_temperature`.
pub fn set_temperature(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let missing = || Failure::wrong_call("temperature", "home.climate_set_temperature needs temperature");
    let temperature = args.number("temperature").ok_or_else(missing)?;
    let home = services.home.registry().home();
    let mut target = target(args);
    if target.name.is_none() {
        target.domain = Some("climate".into());
    }
    // The unit is the device's own; all of a home's have the same.
    let device = home.entities.iter().find(|entity| entity.id.domain() == "climate");
    let unit = device.map_or("°C", unit);
    let about = json!({"temperature": plain(temperature), "unit": unit});
    plan(services, &target, (HEATS, HEATS), about, |_| Ok(DeviceCommand::Temperature(temperature)))
}

/// `home.climate_step`.
pub fn step_temperature(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let by = step(args, "temperature_step", STEP_DEGREES)?;
    plan_stepped(services, args, (CLIMATE, "temperature"), |thermostat| {
        let now = thermostat.number("temperature").or_else(|| thermostat.number("current_temperature"));
        let limit = |key, default| thermostat.number(key).unwrap_or(default);
        // Warmer than the warmest is the warmest.
        let target =
            (now.unwrap_or(20.0) + by).clamp(limit("min_temp", 5.0), limit("max_temp", 95.0).max(5.0));
        (plain(target), DeviceCommand::Temperature(target))
    })
}

/// `home.climate_set_mode`.
pub fn set_mode(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    choose(services, args, ("mode", "hvac_modes"), CLIMATE, DeviceCommand::HvacMode)
}

/// `home.climate_set_fan_mode`.
pub fn set_fan_mode(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    choose(services, args, ("fan_mode", "fan_modes"), CLIMATE, DeviceCommand::FanMode)
}

/// `home.set_preset`.
pub fn set_preset(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    choose_of(services, args, "preset", PRESETS, |device| match mode_list(device.id.domain()) {
        Some(modes) => (modes, DeviceCommand::Mode),
        None => ("preset_modes", DeviceCommand::Preset),
    })
}

/// `home.humidifier_set_mode`.
pub fn set_humidifier_mode(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    choose_of(services, args, "mode", WITH_MODES, |device| {
        (mode_list(device.id.domain()).unwrap_or_default(), DeviceCommand::Mode)
    })
}

/// Sets one of the modes that a device lists under `known`, in its own spelling; without a name that of the first
/// of these domains.
fn choose(
    services: &Arc<Services>,
    args: &Args,
    (slot, known): (&str, &'static str),
    domains: &[&str],
    command: fn(String) -> DeviceCommand,
) -> Result<Prepared, Failure> {
    choose_of(services, args, slot, domains, |_| (known, command))
}

/// The same where it depends on the device under what it lists them, and what it is told.
fn choose_of(
    services: &Arc<Services>,
    args: &Args,
    slot: &str,
    domains: &[&str],
    of: impl Fn(&Entity) -> (&'static str, fn(String) -> DeviceCommand),
) -> Result<Prepared, Failure> {
    let missing = || Failure::new(error_code::BAD_ARGUMENT, format!("{slot} was not said"));
    let mode = args.owned(slot).ok_or_else(missing)?;
    let mut target = target(args);
    if target.name.is_none() {
        target.domain = domains.first().map(|domain| (*domain).to_owned());
    }
    let about = Value::Object(Map::from_iter([(slot.to_owned(), json!(mode))]));
    plan(services, &target, (domains, domains), about, |device| {
        let (known, command) = of(device);
        let modes = device.attributes.get(known).and_then(Value::as_array);
        let spelled = modes.into_iter().flatten().filter_map(Value::as_str);
        let spelled = spelled.into_iter().find(|known| is_one_of(&mode, [*known])).map(str::to_owned);
        Ok(command(spelled.unwrap_or_else(|| mode.to_lowercase().replace(' ', "_"))))
    })
}

/// `home.climate_get_temperature`: a thermostat of the place, else a thermometer of the place; without
/// a place that of this node's area, else the first thermostat of the home.
pub fn get_temperature(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let home = services.home.registry().home();
    let entity = thermometer(&home, &target(args), services.default_area().as_deref())?;
    if entity.state == UNAVAILABLE {
        return Err(DeviceError::Offline(entity.name).into());
    }
    let current = match entity.id.domain() {
        "climate" => entity.number("current_temperature"),
        // Sixty percent of humidity are no degrees.
        _ if entity.device_class.as_deref().is_none_or(|class| class == "temperature") => {
            entity.state.parse().ok()
        }
        _ => None,
    };
    let Some(current) = current.filter(|current: &f64| current.is_finite()) else {
        return Err(DeviceError::Unsupported { name: entity.name, what: "tell the temperature" }.into());
    };
    let mut detail = Map::new();
    detail.insert("name".into(), json!(entity.name));
    detail.insert("temperature".into(), plain(current));
    if let Some(wanted) = entity.number("temperature") {
        detail.insert("target".into(), plain(wanted));
    }
    detail.insert("unit".into(), json!(unit(&entity)));
    Ok(Prepared::Answer(Outcome::answer(Value::Object(detail))))
}

fn thermometer(home: &Home, target: &Target, default_area: Option<&str>) -> Result<Entity, SelectError> {
    if target.name.is_some() {
        let scope = Scope { able: &["climate", "sensor"], default_area, ..Scope::default() };
        return Ok(select(home, target, scope)?.remove(0));
    }
    let of = |domain: &str, class: Option<&str>, area: Option<&str>| {
        let mut target = target.clone();
        target.domain = Some(domain.to_owned());
        target.device_class = class.map(str::to_owned);
        if let Some(area) = area {
            target.area = Some(area.to_owned());
        }
        select(home, &target, Scope::default()).map(|mut found| found.remove(0))
    };
    let here = default_area.filter(|_| target.area.is_none() && target.floor.is_none());
    if let Some(here) = here {
        let found =
            of("climate", None, Some(here)).or_else(|_| of("sensor", Some("temperature"), Some(here)));
        if found.is_ok() {
            return found;
        }
    }
    let first = of("climate", None, None);
    if first.is_ok() { first } else { of("sensor", Some("temperature"), None) }
}

fn unit(entity: &Entity) -> &str {
    entity.text("temperature_unit").or_else(|| entity.text("unit_of_measurement")).unwrap_or("°C")
}
