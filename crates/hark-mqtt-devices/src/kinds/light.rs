//! Lights of the default schema: a topic of its own for each entity they can do.

use super::colour;
use super::light_state::{LightState, level_of};
use crate::device_kind::{
    CommandMessage, CommandResult, DeviceKind, EntityState, Inputs, NONE, Refused, command_message,
    number_value, parse_number,
};
use crate::fields::{ConfigError, Fields, Target};
use crate::template::TemplateError;
use hark_core::device::{DeviceCommand, LightSetting};
use minijinja::Value;

/// When a light is turned on besides being set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnCommand {
    First,
    Last,
    /// A brightness is the only way.
    Brightness,
}

/// What a topic of it tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    State,
    Brightness,
    Rgb,
    Hs,
    Xy,
    ColorTemp,
    ColorMode,
    Effect,
}

/// A light of the default schema.
#[derive(Debug)]
pub struct Light {
    inputs: Inputs<Input>,
    command: Target,
    brightness: Option<Target>,
    /// How it takes colours, the best way first.
    colours: Vec<(Form, Target)>,
    color_temp: Option<Target>,
    payloads: (String, String),
    on_command: OnCommand,
    scale: f64,
    in_kelvin: bool,
    optimistic: bool,
    state: LightState,
}

/// How a colour is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Rgb,
    Rgbw,
    Rgbww,
    Hs,
    Xy,
}

const FORMS: &[(Form, &str, &str, &str)] = &[
    (Form::Rgb, "rgb", "rgb_command_topic", "rgb_command_template"),
    (Form::Hs, "hs", "hs_command_topic", "hs_command_template"),
    (Form::Xy, "xy", "xy_command_topic", "xy_command_template"),
    (Form::Rgbw, "rgbw", "rgbw_command_topic", "rgbw_command_template"),
    (Form::Rgbww, "rgbww", "rgbww_command_topic", "rgbww_command_template"),
];

impl Light {
    /// A light as its payload describes it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn new(fields: &Fields) -> Result<Self, ConfigError> {
        let inputs = Inputs::read(
            fields,
            &[
                (Input::State, "state_topic", &["state_value_template", "value_template"]),
                (Input::Brightness, "brightness_state_topic", &["brightness_value_template"]),
                (Input::Rgb, "rgb_state_topic", &["rgb_value_template"]),
                (Input::Rgb, "rgbw_state_topic", &["rgbw_value_template"]),
                (Input::Rgb, "rgbww_state_topic", &["rgbww_value_template"]),
                (Input::Hs, "hs_state_topic", &["hs_value_template"]),
                (Input::Xy, "xy_state_topic", &["xy_value_template"]),
                (Input::ColorTemp, "color_temp_state_topic", &["color_temp_value_template"]),
                (Input::ColorMode, "color_mode_state_topic", &["color_mode_value_template"]),
                (Input::Effect, "effect_state_topic", &["effect_value_template"]),
            ],
        )?;
        let mut colours = Vec::new();
        let mut modes = Vec::new();
        for (form, mode, topic, template) in FORMS {
            if let Some(target) = fields.target(topic, &[template])? {
                colours.push((*form, target));
                modes.push((*mode).to_owned());
            }
        }
        let color_temp = fields.target("color_temp_command_topic", &["color_temp_command_template"])?;
        let brightness = fields.target("brightness_command_topic", &["brightness_command_template"])?;
        modes.extend(color_temp.is_some().then(|| "color_temp".to_owned()));
        if modes.is_empty() {
            modes.push(if brightness.is_some() { "brightness" } else { "onoff" }.to_owned());
        }
        let on_command = match fields.text("on_command_type")?.as_deref() {
            None | Some("last") => OnCommand::Last,
            Some("first") => OnCommand::First,
            Some("brightness") => OnCommand::Brightness,
            Some(other) => {
                return Err(ConfigError::Unknown {
                    key: "on_command_type",
                    value: other.chars().take(40).collect(),
                });
            }
        };
        Ok(Self {
            command: fields.needed_target("command_topic", &[])?,
            payloads: (fields.text_or("payload_on", "ON")?, fields.text_or("payload_off", "OFF")?),
            on_command,
            scale: fields.number_in("brightness_scale", 255.0, 1.0, 1e9)?,
            in_kelvin: fields.flag("color_temp_kelvin", false)?,
            optimistic: fields.flag("optimistic", !inputs.has(Input::State))?,
            state: LightState::new(fields, modes)?,
            inputs,
            brightness,
            colours,
            color_temp,
        })
    }

    fn set(&mut self, setting: &LightSetting) -> CommandResult {
        let mut orders = Vec::new();
        if self.on_command == OnCommand::First {
            orders.push(self.on()?);
        }
        let mut level = setting.brightness_percent.map(level_of);
        if self.on_command == OnCommand::Brightness && level.is_none() {
            level = Some(self.state.brightness.unwrap_or(255));
        }
        if let Some(rgb) = setting.rgb {
            orders.push(self.coloured(rgb, level)?);
        }
        if let Some(kelvin) = setting.kelvin {
            let target =
                self.color_temp.as_ref().ok_or(Refused::Unsupported("change its colour temperature"))?;
            let kelvin = f64::from(kelvin);
            orders.push(command_message(
                target,
                number_value(if self.in_kelvin { kelvin } else { colour::mired(kelvin) }),
                &[],
            )?);
        }
        let mut sent = None;
        if let Some(level) = level {
            if let Some(target) = &self.brightness {
                let number = (f64::from(level) / 255.0 * self.scale).round().clamp(1.0, self.scale);
                sent = Some((number, level));
                orders.push(command_message(target, number_value(number), &[])?);
            } else if self.colours.is_empty() {
                return Err(Refused::Unsupported("be dimmed"));
            } else if setting.rgb.is_none() {
                orders.push(self.coloured(self.state.rgb.unwrap_or([255; 3]), Some(level))?);
            }
        }
        if self.on_command == OnCommand::Last {
            orders.push(self.on()?);
        }
        self.state.ask(setting, sent);
        Ok(orders)
    }

    fn on(&self) -> Result<CommandMessage, Refused> {
        command_message(&self.command, self.payloads.0.as_str(), &[])
    }

    /// A colour in the light's form; where there is no brightness of its own it is in the colour.
    fn coloured(&self, rgb: [u8; 3], level: Option<u8>) -> Result<CommandMessage, Refused> {
        let (form, target) = self.colours.first().ok_or(Refused::Unsupported("change its colour"))?;
        let [red, green, blue] = match &self.brightness {
            Some(_) => rgb,
            None => colour::dimmed(rgb, level.or(self.state.brightness).unwrap_or(255)),
        };
        let parts =
            [("red", red), ("green", green), ("blue", blue)].map(|(name, part)| (name, Value::from(part)));
        let whites =
            |names: &[&'static str]| names.iter().map(|name| (*name, Value::from(0))).collect::<Vec<_>>();
        match form {
            Form::Rgb => command_message(target, format!("{red},{green},{blue}"), &parts),
            Form::Rgbw => command_message(
                target,
                format!("{red},{green},{blue},0"),
                &[&parts[..], &whites(&["white"])].concat(),
            ),
            Form::Rgbww => {
                let whites = whites(&["cold_white", "warm_white"]);
                command_message(target, format!("{red},{green},{blue},0,0"), &[&parts[..], &whites].concat())
            }
            Form::Hs => {
                let (hue, sat) = colour::rgb_to_hs(rgb);
                command_message(
                    target,
                    format!("{hue:?},{sat:?}"),
                    &[("hue", Value::from(hue)), ("sat", Value::from(sat))],
                )
            }
            Form::Xy => {
                let (x, y) = colour::rgb_to_xy(rgb);
                command_message(
                    target,
                    format!("{x:?},{y:?}"),
                    &[("x", Value::from(x)), ("y", Value::from(y))],
                )
            }
        }
    }

    /// Red, green and blue with whatever follows; the brightness is in them when it has no topic.
    fn take_rgb(&mut self, value: &str) {
        let parts: Vec<f64> = value.split(',').filter_map(parse_number).collect();
        let [red, green, blue, ..] = parts.as_slice() else { return };
        let rgb = [*red, *green, *blue].map(colour::byte);
        if self.inputs.has(Input::Brightness) {
            self.state.set_rgb(rgb);
        } else if let Some((rgb, level)) = colour::full(rgb) {
            self.state.set_rgb(rgb);
            // What the colour was dimmed to is rounded in each of its parts.
            let asked = self.state.brightness.filter(|asked| asked.abs_diff(level) <= 1);
            self.state.brightness = Some(asked.unwrap_or(level));
        }
    }
}

impl DeviceKind for Light {
    fn topics(&self) -> Vec<&str> {
        self.inputs.topics()
    }

    fn take(&mut self, at: usize, payload: &str) -> Result<(), TemplateError> {
        let Some((input, value)) = self.inputs.value(at, payload)? else { return Ok(()) };
        let pair = || {
            let mut parts = value.split(',').filter_map(parse_number);
            parts.next().zip(parts.next())
        };
        match input {
            Input::State if value == self.payloads.0 => self.state.on = Some(true),
            Input::State if value == self.payloads.1 => self.state.on = Some(false),
            Input::State if value == NONE => self.state.on = None,
            Input::State => {}
            Input::Brightness => {
                if let Some(level) = parse_number(&value) {
                    self.state.set_level(level, self.scale);
                }
            }
            Input::Rgb => self.take_rgb(&value),
            Input::Hs => {
                if let Some((hue, saturation)) = pair() {
                    self.state.set_rgb(colour::hs_to_rgb(hue, saturation));
                }
            }
            Input::Xy => {
                if let Some((x, y)) = pair() {
                    self.state.set_xy(x, y);
                }
            }
            Input::ColorTemp => match (parse_number(&value), self.in_kelvin) {
                (Some(kelvin), true) => self.state.set_kelvin(kelvin),
                (Some(mired), false) => self.state.set_mired(mired),
                (None, _) => {}
            },
            Input::ColorMode => self.state.mode = Some(value).filter(|mode| mode != NONE),
            Input::Effect => self.state.effect = Some(value).filter(|effect| effect != NONE),
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
                Ok(vec![command_message(&self.command, self.payloads.1.as_str(), &[])?])
            }
            _ => Err(Refused::Unsupported("do that")),
        }
    }

    fn assume(&mut self, command: &DeviceCommand) {
        let tells = |input| self.inputs.has(input) && !self.optimistic;
        match command {
            DeviceCommand::TurnOff if !tells(Input::State) => self.state.on = Some(false),
            DeviceCommand::TurnOn if !tells(Input::State) => self.state.on = Some(true),
            DeviceCommand::Light(setting) => {
                let colour_tells = [Input::Rgb, Input::Hs, Input::Xy].into_iter().any(tells);
                let level_tells = tells(Input::Brightness) || self.brightness.is_none() && tells(Input::Rgb);
                let untold = LightSetting {
                    brightness_percent: setting.brightness_percent.filter(|_| !level_tells),
                    rgb: setting.rgb.filter(|_| !colour_tells),
                    kelvin: setting.kelvin.filter(|_| !tells(Input::ColorTemp)),
                };
                let on = if tells(Input::State) { self.state.on } else { Some(true) };
                self.state.assume(&untold);
                self.state.on = on;
            }
            _ => {}
        }
    }
}
