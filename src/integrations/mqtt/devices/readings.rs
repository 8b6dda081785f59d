//! What only tells: sensors, binary sensors, and numbers and choices that are read but not set by voice.

use super::appliance::{Appliance, Inputs, NONE, Refused, Shown, Told, UNKNOWN, told_number};
use super::fields::{ConfigError, Fields};
use super::template::TemplateError;
use crate::domain::device::DeviceCommand;
use serde_json::json;
use std::time::Duration;

/// Longest state, as at Home Assistant.
const STATE_MAX_CHARS: usize = 255;

/// A sensor, a number or a choice.
#[derive(Debug)]
pub struct Reading {
    inputs: Inputs<()>,
    unit: Option<String>,
    precision: Option<usize>,
    options: Option<Vec<String>>,
    state: String,
}

impl Reading {
    /// As its payload describes it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn new(fields: &Fields) -> Result<Self, ConfigError> {
        let precision = fields.number("suggested_display_precision")?;
        Ok(Self {
            inputs: Inputs::read(fields, &[((), "state_topic", &["value_template"])])?,
            unit: fields.text("unit_of_measurement")?,
            // Cannot cut or change the sign: it is between 0 and 10.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            precision: precision.map(|digits| digits.clamp(0.0, 10.0) as usize),
            options: fields.texts("options")?,
            state: UNKNOWN.into(),
        })
    }
}

impl Appliance for Reading {
    fn topics(&self) -> Vec<&str> {
        self.inputs.topics()
    }

    fn take(&mut self, at: usize, payload: &str) -> Result<(), TemplateError> {
        let Some(((), value)) = self.inputs.value(at, payload)? else { return Ok(()) };
        self.state = match (value.as_str(), self.precision) {
            (NONE | "null", _) => UNKNOWN.into(),
            (value, Some(digits)) => {
                told_number(value).map_or_else(|| value.to_owned(), |number| format!("{number:.digits$}"))
            }
            (value, None) => value.chars().take(STATE_MAX_CHARS).collect(),
        };
        Ok(())
    }

    fn shown(&self) -> Shown {
        Shown::new(
            self.state.as_str(),
            [("unit_of_measurement", json!(self.unit)), ("options", json!(self.options))],
        )
    }

    fn tell(&mut self, _command: &DeviceCommand) -> Told {
        Err(Refused::Unsupported("be told anything"))
    }

    fn assume(&mut self, _command: &DeviceCommand) {}
}

/// A binary sensor.
#[derive(Debug)]
pub struct Contact {
    inputs: Inputs<()>,
    payloads: (String, String),
    off_delay: Option<Duration>,
    on: Option<bool>,
}

impl Contact {
    /// As its payload describes it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn new(fields: &Fields) -> Result<Self, ConfigError> {
        let seconds = fields.number_in("off_delay", 0.0, 0.0, 1e6)?;
        Ok(Self {
            inputs: Inputs::read(fields, &[((), "state_topic", &["value_template"])])?,
            payloads: (fields.text_or("payload_on", "ON")?, fields.text_or("payload_off", "OFF")?),
            off_delay: (seconds > 0.0).then(|| Duration::from_secs_f64(seconds)),
            on: None,
        })
    }
}

impl Appliance for Contact {
    fn topics(&self) -> Vec<&str> {
        self.inputs.topics()
    }

    fn take(&mut self, at: usize, payload: &str) -> Result<(), TemplateError> {
        let Some(((), value)) = self.inputs.value(at, payload)? else { return Ok(()) };
        if value == self.payloads.0 {
            self.on = Some(true);
        } else if value == self.payloads.1 {
            self.on = Some(false);
        } else if value == NONE {
            self.on = None;
        }
        Ok(())
    }

    fn shown(&self) -> Shown {
        Shown::new(self.on.map_or(UNKNOWN, |on| if on { "on" } else { "off" }), [])
    }

    fn tell(&mut self, _command: &DeviceCommand) -> Told {
        Err(Refused::Unsupported("be told anything"))
    }

    fn assume(&mut self, _command: &DeviceCommand) {}

    fn off_delay(&self) -> Option<Duration> {
        self.off_delay.filter(|_| self.on == Some(true))
    }

    fn went_off(&mut self) {
        self.on = Some(false);
    }
}
