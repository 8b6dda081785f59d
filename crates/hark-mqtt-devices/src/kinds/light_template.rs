//! Lights of the template schema: what is sent and what is told is written by templates throughout.

use super::colour;
use super::light_state::{LightState, level_of};
use crate::device_kind::{CommandMessage, CommandResult, DeviceKind, EntityState, Refused, parse_number};
use crate::fields::{ConfigError, Fields};
use crate::template::{Template, TemplateError};
use hark_core::device::{DeviceCommand, LightSetting};
use minijinja::Value;

/// A light of the template schema.
#[derive(Debug)]
pub struct TemplateLight {
    state_topic: Option<String>,
    command_topic: String,
    on: Template,
    off: Template,
    reads: Reads,
    in_kelvin: bool,
    optimistic: bool,
    state: LightState,
}

/// What reads each entity from a message.
#[derive(Debug)]
struct Reads {
    state: Option<Template>,
    brightness: Option<Template>,
    rgb: Option<[Template; 3]>,
    color_temp: Option<Template>,
    effect: Option<Template>,
}

impl TemplateLight {
    /// A light as its payload describes it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn new(fields: &Fields) -> Result<Self, ConfigError> {
        let needed = |key: &'static str| fields.template(key)?.ok_or(ConfigError::Missing(key));
        let rgb = match (
            fields.template("red_template")?,
            fields.template("green_template")?,
            fields.template("blue_template")?,
        ) {
            (Some(red), Some(green), Some(blue)) => Some([red, green, blue]),
            _ => None,
        };
        let reads = Reads {
            state: fields.template("state_template")?,
            brightness: fields.template("brightness_template")?,
            rgb,
            color_temp: fields.template("color_temp_template")?,
            effect: fields.template("effect_template")?,
        };
        let mut modes = Vec::new();
        modes.extend(reads.rgb.is_some().then(|| "hs".to_owned()));
        modes.extend(reads.color_temp.is_some().then(|| "color_temp".to_owned()));
        if modes.is_empty() {
            modes.push(if reads.brightness.is_some() { "brightness" } else { "onoff" }.to_owned());
        }
        let state_topic = fields.filter("state_topic")?;
        let tells = state_topic.is_some() && reads.state.is_some();
        Ok(Self {
            command_topic: fields.topic("command_topic")?.ok_or(ConfigError::Missing("command_topic"))?,
            on: needed("command_on_template")?,
            off: needed("command_off_template")?,
            in_kelvin: fields.flag("color_temp_kelvin", false)?,
            optimistic: fields.flag("optimistic", !tells)?,
            state: LightState::new(fields, modes)?,
            state_topic,
            reads,
        })
    }

    fn set(&mut self, setting: &LightSetting) -> CommandResult {
        let mut variables = vec![("state", Value::from("on"))];
        if let Some(percent) = setting.brightness_percent {
            if self.state.modes.iter().all(|mode| mode == "onoff") {
                return Err(Refused::Unsupported("be dimmed"));
            }
            variables.push(("brightness", Value::from(level_of(percent))));
        }
        if let Some(rgb) = setting.rgb {
            if !self.state.is_coloured() {
                return Err(Refused::Unsupported("change its colour"));
            }
            let (hue, saturation) = colour::rgb_to_hs(rgb);
            variables.extend(["red", "green", "blue"].into_iter().zip(rgb.map(Value::from)));
            variables.extend([("hue", Value::from(hue)), ("sat", Value::from(saturation))]);
        }
        if let Some(kelvin) = setting.kelvin {
            if !self.state.can("color_temp") {
                return Err(Refused::Unsupported("change its colour temperature"));
            }
            let kelvin = f64::from(kelvin);
            let reported = if self.in_kelvin { kelvin } else { colour::mired(kelvin) };
            variables.push(("color_temp", crate::device_kind::number_value(reported)));
        }
        let payload = self.on.write(&variables)?;
        let sent = setting.brightness_percent.map(level_of).map(|level| (f64::from(level), level));
        self.state.ask(setting, sent);
        Ok(vec![CommandMessage { topic: self.command_topic.clone(), payload }])
    }
}

impl DeviceKind for TemplateLight {
    fn topics(&self) -> Vec<&str> {
        self.state_topic.as_deref().into_iter().collect()
    }

    fn take(&mut self, _at: usize, payload: &str) -> Result<(), TemplateError> {
        if let Some(template) = &self.reads.state {
            match template.read(payload)?.as_str() {
                "on" => self.state.on = Some(true),
                "off" => self.state.on = Some(false),
                "None" => self.state.on = None,
                _ => {}
            }
        }
        // A message may hold a part of it all: what does not fit is not told.
        let number = |template: &Option<Template>| {
            template.as_ref().and_then(|template| parse_number(&template.read(payload).ok()?))
        };
        if let Some(level) = number(&self.reads.brightness) {
            self.state.set_level(level, 255.0);
        }
        if let Some(parts) = &self.reads.rgb {
            let parts: Vec<f64> =
                parts.iter().filter_map(|part| parse_number(&part.read(payload).ok()?)).collect();
            if let [red, green, blue] = parts.as_slice() {
                self.state.set_rgb([*red, *green, *blue].map(colour::byte));
            }
        }
        match (number(&self.reads.color_temp), self.in_kelvin) {
            (Some(kelvin), true) => self.state.set_kelvin(kelvin),
            (Some(mired), false) => self.state.set_mired(mired),
            (None, _) => {}
        }
        if let Some(effect) = self.reads.effect.as_ref().and_then(|template| template.read(payload).ok()) {
            self.state.effect = Some(effect).filter(|effect| !effect.is_empty());
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
                let payload = self.off.write(&[("state", Value::from("off"))])?;
                Ok(vec![CommandMessage { topic: self.command_topic.clone(), payload }])
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
