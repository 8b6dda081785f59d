//! Humidifiers and dehumidifiers.

use crate::device_kind::{
    CommandResult, DeviceKind, EntityState, Inputs, NONE, Refused, UNKNOWN, command_message,
    command_message_if, parse_number,
};
use crate::fields::{ConfigError, Fields, Target};
use crate::template::TemplateError;
use hark_core::device::DeviceCommand;
use serde_json::json;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    State,
    Target,
    Current,
    Mode,
    Action,
}

/// A humidifier.
#[derive(Debug)]
pub struct Humidifier {
    inputs: Inputs<Input>,
    command: Target,
    target_command: Option<Target>,
    mode_command: Option<Target>,
    /// What turns it on and off.
    payloads: (String, String),
    /// What says that there is no target, and no mode.
    resets: (String, String),
    modes: Option<Vec<String>>,
    /// Lowest and highest target, %.
    limits: (f64, f64),
    optimistic: bool,
    on: Option<bool>,
    target: Option<f64>,
    current: Option<f64>,
    mode: Option<String>,
    action: Option<String>,
}

impl Humidifier {
    /// As its payload describes it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn new(fields: &Fields) -> Result<Self, ConfigError> {
        let inputs = Inputs::read(
            fields,
            &[
                (Input::State, "state_topic", &["state_value_template", "value_template"]),
                (Input::Target, "target_humidity_state_topic", &["target_humidity_state_template"]),
                (Input::Current, "current_humidity_topic", &["current_humidity_template"]),
                (Input::Mode, "mode_state_topic", &["mode_state_template"]),
                (Input::Action, "action_topic", &["action_template"]),
            ],
        )?;
        let mode_command = fields.target("mode_command_topic", &["mode_command_template"])?;
        Ok(Self {
            command: fields.needed_target("command_topic", &["command_template"])?,
            target_command: fields
                .target("target_humidity_command_topic", &["target_humidity_command_template"])?,
            payloads: (fields.text_or("payload_on", "ON")?, fields.text_or("payload_off", "OFF")?),
            resets: (
                fields.text_or("payload_reset_humidity", NONE)?,
                fields.text_or("payload_reset_mode", NONE)?,
            ),
            modes: fields.texts("modes")?.filter(|_| mode_command.is_some()),
            mode_command,
            limits: (
                fields.number_in("min_humidity", 0.0, 0.0, 100.0)?,
                fields.number_in("max_humidity", 100.0, 0.0, 100.0)?,
            ),
            optimistic: fields.flag("optimistic", false)?,
            inputs,
            on: None,
            target: None,
            current: None,
            mode: None,
            action: None,
        })
    }
}

impl DeviceKind for Humidifier {
    fn topics(&self) -> Vec<&str> {
        self.inputs.topics()
    }

    fn take(&mut self, at: usize, payload: &str) -> Result<(), TemplateError> {
        let Some((input, value)) = self.inputs.value(at, payload)? else { return Ok(()) };
        let percent = |before, reset: &str| match value.as_str() {
            NONE => None,
            value if value == reset => None,
            value => parse_number(value).filter(|percent| (0.0..=100.0).contains(percent)).or(before),
        };
        let word = |reset: &str| Some(value.clone()).filter(|value| value != NONE && value != reset);
        match input {
            Input::State if value == self.payloads.0 => self.on = Some(true),
            Input::State if value == self.payloads.1 => self.on = Some(false),
            Input::State if value == NONE => self.on = None,
            Input::State => {}
            Input::Target => self.target = percent(self.target, &self.resets.0),
            Input::Current => self.current = percent(self.current, NONE),
            Input::Mode => self.mode = word(&self.resets.1),
            Input::Action => self.action = word(NONE),
        }
        Ok(())
    }

    fn state(&self) -> EntityState {
        let settable = self.target_command.is_some();
        EntityState::new(
            self.on.map_or(UNKNOWN, |on| if on { "on" } else { "off" }),
            [
                ("humidity", json!(self.target)),
                ("current_humidity", json!(self.current)),
                ("min_humidity", json!(settable.then_some(self.limits.0))),
                ("max_humidity", json!(settable.then_some(self.limits.1))),
                ("mode", json!(self.mode)),
                ("available_modes", json!(self.modes)),
                ("action", json!(self.action)),
            ],
        )
    }

    fn command(&mut self, command: &DeviceCommand) -> CommandResult {
        match command {
            DeviceCommand::TurnOn | DeviceCommand::TurnOff => {
                let on = *command == DeviceCommand::TurnOn;
                let payload = if on { self.payloads.0.as_str() } else { self.payloads.1.as_str() };
                Ok(vec![command_message(&self.command, payload, &[])?])
            }
            DeviceCommand::Humidity(target) => command_message_if(
                self.target_command.as_ref(),
                i64::from(*target),
                &[],
                "be set to a humidity",
            ),
            DeviceCommand::Mode(mode) => {
                command_message_if(self.mode_command.as_ref(), mode.as_str(), &[], "be set to a mode")
            }
            _ => Err(Refused::Unsupported("do that")),
        }
    }

    fn assume(&mut self, command: &DeviceCommand) {
        let untold = |input| self.optimistic || !self.inputs.has(input);
        match command {
            DeviceCommand::TurnOn if untold(Input::State) => self.on = Some(true),
            DeviceCommand::TurnOff if untold(Input::State) => self.on = Some(false),
            DeviceCommand::Humidity(target) if untold(Input::Target) => {
                self.target = Some(f64::from(*target))
            }
            DeviceCommand::Mode(mode) if untold(Input::Mode) => self.mode = Some(mode.clone()),
            _ => {}
        }
    }
}
