//! Number, select and text entities.

use super::sensors::Sensor;
use crate::device_kind::{
    CommandResult, DeviceKind, EntityState, Refused, command_message_if, number_value, parse_number,
};
use crate::fields::{ConfigError, Fields, Target};
use crate::template::TemplateError;
use hark_core::device::DeviceCommand;
use serde_json::{Value, json};

/// A number, a choice or a text.
#[derive(Debug)]
pub struct NumberSelectText {
    sensor: Sensor,
    command: Option<Target>,
    is_number: bool,
    optimistic: bool,
    /// What it takes.
    limits: Vec<(&'static str, Value)>,
}

impl NumberSelectText {
    /// As its payload describes it; `domain` is `number`, `select` or `text`.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn new(fields: &Fields, domain: &str) -> Result<Self, ConfigError> {
        let number = |key, default: f64| Ok((key, json!(fields.number(key)?.unwrap_or(default))));
        let limits = match domain {
            "number" => vec![number("min", 1.0)?, number("max", 100.0)?, number("step", 1.0)?],
            "text" => {
                let text = |key| Ok((key, json!(fields.text(key)?)));
                vec![number("min", 0.0)?, number("max", 255.0)?, text("pattern")?, text("mode")?]
            }
            _ => Vec::new(),
        };
        if let [(_, least), (most, greatest), ..] = limits.as_slice()
            && least.as_f64() > greatest.as_f64()
        {
            return Err(ConfigError::Unexpected { key: (*most).to_owned(), expected: "more than `min`" });
        }
        Ok(Self {
            sensor: Sensor::new(fields)?,
            command: fields.target("command_topic", &["command_template"])?,
            is_number: domain == "number",
            optimistic: fields.flag("optimistic", false)?,
            limits,
        })
    }
}

impl DeviceKind for NumberSelectText {
    fn topics(&self) -> Vec<&str> {
        self.sensor.topics()
    }

    fn take(&mut self, at: usize, payload: &str) -> Result<(), TemplateError> {
        self.sensor.take(at, payload)
    }

    fn state(&self) -> EntityState {
        let mut shown = self.sensor.state();
        let limits = self.limits.iter().filter(|(_, value)| !value.is_null());
        shown.attributes.extend(limits.map(|(key, value)| ((*key).to_owned(), value.clone())));
        shown
    }

    fn command(&mut self, command: &DeviceCommand) -> CommandResult {
        const WHAT: &str = "be set to a value";
        let DeviceCommand::Value(value) = command else { return Err(Refused::Unsupported("do that")) };
        let value = match parse_number(value).filter(|_| self.is_number) {
            Some(number) => number_value(number),
            None if self.is_number => return Err(Refused::Unsupported(WHAT)),
            None => minijinja::Value::from(value.as_str()),
        };
        command_message_if(self.command.as_ref(), value, &[], WHAT)
    }

    fn assume(&mut self, command: &DeviceCommand) {
        if let DeviceCommand::Value(value) = command
            && (self.optimistic || self.topics().is_empty())
        {
            self.sensor.assume_state(value);
        }
    }
}
