//! Fans.

use crate::device_kind::{
    CommandResult, DeviceKind, EntityState, Inputs, NONE, Refused, UNKNOWN, command_message,
    command_message_if, number_value, parse_number,
};
use crate::fields::{ConfigError, Fields, Target};
use crate::template::TemplateError;
use hark_core::device::DeviceCommand;
use serde_json::json;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    State,
    Percentage,
    Preset,
    Oscillation,
    Direction,
}

/// A fan.
#[derive(Debug)]
pub struct Fan {
    inputs: Inputs<Input>,
    command: Target,
    percentage_command: Option<Target>,
    preset_command: Option<Target>,
    payloads: (String, String),
    resets: (String, String),
    oscillates: String,
    /// Lowest and highest speed above nothing.
    speeds: (f64, f64),
    preset_modes: Option<Vec<String>>,
    optimistic: bool,
    on: Option<bool>,
    percentage: Option<u8>,
    preset: Option<String>,
    oscillating: Option<bool>,
    direction: Option<String>,
    /// The number last sent, and the percentage it stands for.
    asked: Option<(f64, u8)>,
}

impl Fan {
    /// A fan as its payload describes it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn new(fields: &Fields) -> Result<Self, ConfigError> {
        let inputs = Inputs::read(
            fields,
            &[
                (Input::State, "state_topic", &["state_value_template", "value_template"]),
                (Input::Percentage, "percentage_state_topic", &["percentage_value_template"]),
                (Input::Preset, "preset_mode_state_topic", &["preset_mode_value_template"]),
                (Input::Oscillation, "oscillation_state_topic", &["oscillation_value_template"]),
                (Input::Direction, "direction_state_topic", &["direction_value_template"]),
            ],
        )?;
        let speeds = (
            fields.number_in("speed_range_min", 1.0, 1.0, 1e6)?,
            fields.number_in("speed_range_max", 100.0, 1.0, 1e6)?,
        );
        if speeds.0 >= speeds.1 && speeds != (1.0, 1.0) {
            let expected = "a number above `speed_range_min`";
            return Err(ConfigError::Unexpected { key: "speed_range_max".into(), expected });
        }
        Ok(Self {
            command: fields.needed_target("command_topic", &["command_template"])?,
            percentage_command: fields
                .target("percentage_command_topic", &["percentage_command_template"])?,
            preset_command: fields.target("preset_mode_command_topic", &["preset_mode_command_template"])?,
            payloads: (fields.text_or("payload_on", "ON")?, fields.text_or("payload_off", "OFF")?),
            resets: (
                fields.text_or("payload_reset_percentage", NONE)?,
                fields.text_or("payload_reset_preset_mode", NONE)?,
            ),
            oscillates: fields.text_or("payload_oscillation_on", "oscillate_on")?,
            speeds,
            preset_modes: fields.texts("preset_modes")?,
            optimistic: fields.flag("optimistic", !inputs.has(Input::State))?,
            inputs,
            on: None,
            percentage: None,
            preset: None,
            oscillating: None,
            direction: None,
            asked: None,
        })
    }

    /// How many speeds it has.
    fn count(&self) -> f64 {
        self.speeds.1 - self.speeds.0 + 1.0
    }

    fn take_percentage(&mut self, value: &str) {
        if *value == self.resets.0 {
            self.percentage = None;
            return;
        }
        let Some(reported) = parse_number(value) else { return };
        self.percentage = match self.asked {
            Some((number, percentage)) if (number - reported).abs() < 1e-6 => Some(percentage),
            _ => {
                let percent =
                    ((reported - self.speeds.0 + 1.0) / self.count() * 100.0).round().clamp(0.0, 100.0);
                // Cannot cut or change the sign: it is between 0 and 100.
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                let percent = percent as u8;
                Some(percent)
            }
        };
    }

    fn switch(&self, on: bool) -> Result<crate::device_kind::CommandMessage, Refused> {
        command_message(
            &self.command,
            if on { self.payloads.0.as_str() } else { self.payloads.1.as_str() },
            &[],
        )
    }

    fn speed(&mut self, percentage: u8) -> CommandResult {
        let target = self.percentage_command.as_ref().ok_or(Refused::Unsupported("be set to a speed"))?;
        if percentage == 0 {
            return Ok(vec![self.switch(false)?]);
        }
        let number = (self.speeds.0 - 1.0 + self.count() * f64::from(percentage) / 100.0).ceil();
        let speed = command_message(target, number_value(number), &[])?;
        self.asked = Some((number, percentage));
        Ok(match self.on {
            Some(true) => vec![speed],
            _ => vec![self.switch(true)?, speed],
        })
    }
}

impl DeviceKind for Fan {
    fn topics(&self) -> Vec<&str> {
        self.inputs.topics()
    }

    fn take(&mut self, at: usize, payload: &str) -> Result<(), TemplateError> {
        let Some((input, value)) = self.inputs.value(at, payload)? else { return Ok(()) };
        match input {
            Input::State if value == self.payloads.0 => self.on = Some(true),
            Input::State if value == self.payloads.1 => self.on = Some(false),
            Input::State if value == NONE => self.on = None,
            Input::State => {}
            Input::Percentage => self.take_percentage(&value),
            Input::Preset => self.preset = Some(value).filter(|preset| *preset != self.resets.1),
            Input::Oscillation => self.oscillating = Some(value == self.oscillates),
            Input::Direction => self.direction = Some(value),
        }
        Ok(())
    }

    fn state(&self) -> EntityState {
        let state = self.on.map_or(UNKNOWN, |on| if on { "on" } else { "off" });
        let has_speeds = self.percentage_command.is_some();
        let mut shown = EntityState::new(
            state,
            [
                ("preset_mode", json!(self.preset)),
                ("preset_modes", json!(self.preset_modes)),
                ("oscillating", json!(self.oscillating)),
                ("direction", json!(self.direction)),
            ],
        );
        if has_speeds {
            let percentage = if self.on == Some(false) { Some(0) } else { self.percentage };
            // Null when it is not known yet: the key says that it has speeds.
            shown.attributes.insert("percentage".into(), json!(percentage));
            shown.attributes.insert("percentage_step".into(), json!(100.0 / self.count()));
        }
        shown
    }

    fn command(&mut self, command: &DeviceCommand) -> CommandResult {
        match command {
            DeviceCommand::TurnOn => Ok(vec![self.switch(true)?]),
            DeviceCommand::TurnOff => Ok(vec![self.switch(false)?]),
            DeviceCommand::Percentage(percentage) => self.speed((*percentage).min(100)),
            DeviceCommand::Preset(preset) => {
                command_message_if(self.preset_command.as_ref(), preset.as_str(), &[], "be set to a preset")
            }
            _ => Err(Refused::Unsupported("do that")),
        }
    }

    fn assume(&mut self, command: &DeviceCommand) {
        if let DeviceCommand::Preset(preset) = command {
            if self.optimistic || !self.inputs.has(Input::Preset) {
                self.preset = Some(preset.clone());
            }
            return;
        }
        let on = !matches!(command, DeviceCommand::TurnOff | DeviceCommand::Percentage(0));
        if self.optimistic {
            self.on = Some(on);
        }
        if let DeviceCommand::Percentage(percentage) = command
            && (self.optimistic || !self.inputs.has(Input::Percentage))
        {
            self.percentage = Some(*percentage);
        }
    }
}
