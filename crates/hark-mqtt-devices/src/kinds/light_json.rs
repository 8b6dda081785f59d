//! Lights of the JSON schema: one message holds everything.

use super::colour;
use super::light_state::{LightState, level_of};
use crate::device_kind::{CommandMessage, CommandResult, DeviceKind, EntityState, Inputs, Refused};
use crate::fields::{ConfigError, Fields};
use crate::template::TemplateError;
use hark_core::device::{DeviceCommand, LightSetting};
use serde_json::{Map, Value, json};

/// A light of the JSON schema.
#[derive(Debug)]
pub struct JsonLight {
    inputs: Inputs<()>,
    command_topic: String,
    scale: f64,
    in_kelvin: bool,
    optimistic: bool,
    state: LightState,
}

impl JsonLight {
    /// A light as its payload describes it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn new(fields: &Fields) -> Result<Self, ConfigError> {
        let inputs = Inputs::read(fields, &[((), "state_topic", &[])])?;
        Ok(Self {
            command_topic: fields.topic("command_topic")?.ok_or(ConfigError::Missing("command_topic"))?,
            scale: fields.number_in("brightness_scale", 255.0, 1.0, 1e9)?,
            in_kelvin: fields.flag("color_temp_kelvin", false)?,
            optimistic: fields.flag("optimistic", !inputs.has(()))?,
            state: LightState::new(fields, modes(fields)?)?,
            inputs,
        })
    }

    fn set(&mut self, setting: &LightSetting) -> CommandResult {
        let mut message = Map::new();
        message.insert("state".into(), json!("ON"));
        let mut sent = None;
        if let Some(percent) = setting.brightness_percent {
            if self.state.modes.iter().all(|mode| mode == "onoff") {
                return Err(Refused::Unsupported("be dimmed"));
            }
            let level = level_of(percent);
            let number = (f64::from(level) / 255.0 * self.scale).round().clamp(1.0, self.scale.max(1.0));
            message.insert("brightness".into(), whole(number));
            sent = Some((number, level));
        }
        if let Some(rgb) = setting.rgb {
            message
                .insert("color".into(), self.coloured(rgb).ok_or(Refused::Unsupported("change its colour"))?);
        }
        if let Some(kelvin) = setting.kelvin {
            if !self.state.can("color_temp") {
                return Err(Refused::Unsupported("change its colour temperature"));
            }
            let kelvin = f64::from(kelvin);
            message.insert(
                "color_temp".into(),
                whole(if self.in_kelvin { kelvin } else { colour::mired(kelvin) }),
            );
        }
        self.state.ask(setting, sent);
        Ok(vec![self.order(message)])
    }

    fn coloured(&self, [red, green, blue]: [u8; 3]) -> Option<Value> {
        let rgb = [red, green, blue];
        let form = ["rgb", "rgbw", "rgbww", "hs", "xy"].into_iter().find(|mode| self.state.can(mode))?;
        Some(match form {
            "rgb" => json!({"r": red, "g": green, "b": blue}),
            "rgbw" => json!({"r": red, "g": green, "b": blue, "w": 0}),
            "rgbww" => json!({"r": red, "g": green, "b": blue, "c": 0, "w": 0}),
            "hs" => {
                let (hue, saturation) = colour::rgb_to_hs(rgb);
                json!({"h": hue, "s": saturation})
            }
            _ => {
                let (x, y) = colour::rgb_to_xy(rgb);
                json!({"x": x, "y": y})
            }
        })
    }

    fn order(&self, message: Map<String, Value>) -> CommandMessage {
        CommandMessage { topic: self.command_topic.clone(), payload: Value::Object(message).to_string() }
    }

    fn take_colour(&mut self, colour: &Value) {
        let part = |keys: &[&str]| keys.iter().find_map(|key| number(colour.get(key)?));
        if let (Some(x), Some(y)) = (part(&["x"]), part(&["y"])) {
            self.state.set_xy(x, y);
        } else if let (Some(hue), Some(saturation)) = (part(&["h", "hue"]), part(&["s", "saturation"])) {
            self.state.set_rgb(colour::hs_to_rgb(hue, saturation));
        } else if let (Some(red), Some(green), Some(blue)) = (part(&["r"]), part(&["g"]), part(&["b"])) {
            self.state.set_rgb([red, green, blue].map(colour::byte));
        }
    }
}

/// Modes of a JSON light, by `supported_color_modes` or, as of old, by a flag each.
fn modes(fields: &Fields) -> Result<Vec<String>, ConfigError> {
    if let Some(modes) = fields.texts("supported_color_modes")?.filter(|modes| !modes.is_empty()) {
        return Ok(modes);
    }
    let mut modes = Vec::new();
    for mode in ["rgb", "hs", "xy", "color_temp"] {
        if fields.flag(mode, false)? {
            modes.push(mode.to_owned());
        }
    }
    if modes.is_empty() {
        modes.push(if fields.flag("brightness", false)? { "brightness" } else { "onoff" }.to_owned());
    }
    Ok(modes)
}

fn whole(number: f64) -> Value {
    // Scales and colour temperatures are far inside of the range.
    #[allow(clippy::cast_possible_truncation)]
    let number = number as i64;
    json!(number)
}

/// A number, also one written as a text.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => crate::device_kind::parse_number(text),
        value => value.as_f64().filter(|number| number.is_finite()),
    }
}

impl DeviceKind for JsonLight {
    fn topics(&self) -> Vec<&str> {
        self.inputs.topics()
    }

    fn take(&mut self, at: usize, payload: &str) -> Result<(), TemplateError> {
        let Some(((), text)) = self.inputs.value(at, payload)? else { return Ok(()) };
        let reported: Map<String, Value> = serde_json::from_str(&text)
            .map_err(|error| TemplateError::Unfit(format!("it is not a JSON object: {error}")))?;
        match reported.get("state") {
            Some(Value::String(state)) if state.eq_ignore_ascii_case("on") => self.state.on = Some(true),
            Some(Value::String(state)) if state.eq_ignore_ascii_case("off") => self.state.on = Some(false),
            Some(Value::Null) => self.state.on = None,
            _ => {}
        }
        if let Some(level) = reported.get("brightness").and_then(number) {
            self.state.set_level(level, self.scale);
        }
        if let Some(colour) = reported.get("color") {
            self.take_colour(colour);
        }
        if let Some(temperature) = reported.get("color_temp").and_then(number) {
            if self.in_kelvin {
                self.state.set_kelvin(temperature);
            } else {
                self.state.set_mired(temperature);
            }
        }
        if let Some(mode) = reported.get("color_mode").and_then(Value::as_str) {
            self.state.mode = Some(mode.to_owned());
        }
        if let Some(effect) = reported.get("effect") {
            self.state.effect = effect.as_str().map(str::to_owned);
        }
        Ok(())
    }

    fn state(&self) -> EntityState {
        self.state.state()
    }

    fn command(&mut self, command: &DeviceCommand) -> CommandResult {
        match command {
            DeviceCommand::TurnOn => self.set(&LightSetting::default()),
            DeviceCommand::Light(setting) => self.set(setting),
            DeviceCommand::TurnOff => {
                Ok(vec![self.order([("state".to_owned(), json!("OFF"))].into_iter().collect())])
            }
            _ => Err(Refused::Unsupported("do that")),
        }
    }

    fn assume(&mut self, command: &DeviceCommand) {
        if self.optimistic {
            self.state.assume_told(command);
        }
    }
}
