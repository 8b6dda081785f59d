//! `home.light_set`: brightness, colour, colour temperature.

use super::common::{plan, plan_stepped, step, target};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Prepared};
use crate::tools::services::Services;
use hark_core::home::Entity;
use hark_core::tool::error_code;
use hark_home::colours;
use hark_home::command::{DeviceCommand, LightSetting, percent};
use serde_json::{Map, Value, json};
use std::sync::Arc;

const LIGHTS: &[&str] = &["light"];

/// How much "brighter" is, percent points.
const STEP_PERCENT: f64 = 20.0;

/// `home.light_set`. Brightness 0 turns off.
pub fn light_set(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let brightness: Option<u8> = args.integer("brightness");
    let color = args.text("color");
    let kelvin: Option<u16> = args.integer("temperature");
    if brightness.is_none() && color.is_none() && kelvin.is_none() {
        let message = "home.light_set needs brightness, color or temperature";
        return Err(Failure::new(error_code::BAD_ARGUMENT, message));
    }
    if color.is_some() && kelvin.is_some() {
        let message = "a light has either a color or a temperature";
        return Err(Failure::new(error_code::BAD_ARGUMENT, message).with("argument", json!("temperature")));
    }
    let command = match brightness {
        Some(0) => DeviceCommand::TurnOff,
        _ => DeviceCommand::Light(LightSetting {
            brightness_percent: brightness,
            rgb: color.and_then(colours::rgb),
            kelvin,
        }),
    };
    let mut about = Map::new();
    let said = [("brightness", json!(brightness)), ("color", json!(color)), ("temperature", json!(kelvin))];
    about.extend(
        said.into_iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.to_owned(), value)),
    );
    let mut target = target(args);
    // Among the things of a place only lights are meant.
    if target.name.is_none() && target.domain.is_none() {
        target.domain = Some("light".into());
    }
    plan(services, &target, (LIGHTS, LIGHTS), Value::Object(about), |_| Ok(command.clone()))
}

/// `home.light_step`. A step never makes a light darker than 1 %: "dimmer" does not mean off.
pub fn light_step(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let by = step(args, "brightness_step", STEP_PERCENT)?;
    let now = |light: &Entity| match light.number("brightness") {
        _ if light.state == "off" => 0.0,
        Some(level) => level / 255.0 * 100.0,
        None => 100.0,
    };
    plan_stepped(services, args, (LIGHTS, "brightness"), |light| {
        let level = percent(now(light) + by).max(1);
        let setting = LightSetting { brightness_percent: Some(level), ..LightSetting::default() };
        (json!(level), DeviceCommand::Light(setting))
    })
}
