//! Read-only entities: sensors, binary sensors, events, updates.

use crate::device_kind::{
    CommandResult, DeviceKind, EntityState, Inputs, NONE, Refused, UNKNOWN, parse_number,
};
use crate::fields::{ConfigError, Fields, as_text};
use crate::template::TemplateError;
use hark_core::device::DeviceCommand;
use serde_json::{Value, json};
use std::time::Duration;

/// Longest state, as at Home Assistant.
const STATE_MAX_CHARS: usize = 255;

/// A sensor, or what a number, a choice or a text tells.
#[derive(Debug)]
pub struct Sensor {
    inputs: Inputs<()>,
    unit: Option<String>,
    precision: Option<usize>,
    options: Option<Vec<String>>,
    /// What a device says when it does not know.
    reset: String,
    state: String,
}

impl Sensor {
    /// It is now as it was told to be.
    pub fn assume_state(&mut self, state: &str) {
        self.state = state.to_owned();
    }

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
            reset: fields.text_or("payload_reset", NONE)?,
            state: UNKNOWN.into(),
        })
    }
}

impl DeviceKind for Sensor {
    fn topics(&self) -> Vec<&str> {
        self.inputs.topics()
    }

    fn take(&mut self, at: usize, payload: &str) -> Result<(), TemplateError> {
        let Some(((), value)) = self.inputs.value(at, payload)? else { return Ok(()) };
        self.state = match (value.as_str(), self.precision) {
            (NONE | "null", _) => UNKNOWN.into(),
            (value, _) if value == self.reset => UNKNOWN.into(),
            (value, Some(digits)) => {
                parse_number(value).map_or_else(|| value.to_owned(), |number| format!("{number:.digits$}"))
            }
            (value, None) => value.chars().take(STATE_MAX_CHARS).collect(),
        };
        Ok(())
    }

    fn state(&self) -> EntityState {
        EntityState::new(
            self.state.as_str(),
            [("unit_of_measurement", json!(self.unit)), ("options", json!(self.options))],
        )
    }

    fn command(&mut self, _command: &DeviceCommand) -> CommandResult {
        Err(Refused::Unsupported("be told anything"))
    }

    fn assume(&mut self, _command: &DeviceCommand) {}
}

/// A binary sensor.
#[derive(Debug)]
pub struct BinarySensor {
    inputs: Inputs<()>,
    payloads: (String, String),
    off_delay: Option<Duration>,
    on: Option<bool>,
}

impl BinarySensor {
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

impl DeviceKind for BinarySensor {
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

    fn state(&self) -> EntityState {
        EntityState::new(self.on.map_or(UNKNOWN, |on| if on { "on" } else { "off" }), [])
    }

    fn command(&mut self, _command: &DeviceCommand) -> CommandResult {
        Err(Refused::Unsupported("be told anything"))
    }

    fn assume(&mut self, _command: &DeviceCommand) {}

    fn off_delay(&self) -> Option<Duration> {
        self.off_delay.filter(|_| self.on == Some(true))
    }

    fn off_delay_elapsed(&mut self) {
        self.on = Some(false);
    }
}

/// Something that happens, such as a doorbell. Its state is what happened last.
#[derive(Debug)]
pub struct EventEntity {
    inputs: Inputs<()>,
    types: Vec<String>,
    last: Option<String>,
}

impl EventEntity {
    /// As its payload describes it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn new(fields: &Fields) -> Result<Self, ConfigError> {
        let inputs = Inputs::read(fields, &[((), "state_topic", &["value_template"])])?;
        Ok(Self { inputs, types: fields.texts("event_types")?.unwrap_or_default(), last: None })
    }
}

impl DeviceKind for EventEntity {
    fn topics(&self) -> Vec<&str> {
        self.inputs.topics()
    }

    fn take(&mut self, at: usize, payload: &str) -> Result<(), TemplateError> {
        let Some(((), value)) = self.inputs.value(at, payload)? else { return Ok(()) };
        let reported = serde_json::from_str::<Value>(&value).unwrap_or_default();
        let kind = reported.get("event_type").and_then(as_text).unwrap_or(value);
        if self.types.contains(&kind) {
            self.last = Some(kind);
        }
        Ok(())
    }

    fn state(&self) -> EntityState {
        EntityState::new(self.last.as_deref().unwrap_or(UNKNOWN), [("event_types", json!(self.types))])
    }

    fn command(&mut self, _command: &DeviceCommand) -> CommandResult {
        Err(Refused::Unsupported("be told anything"))
    }

    fn assume(&mut self, _command: &DeviceCommand) {}
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    Installed,
    Latest,
}

/// Whether there is something newer for a device: `on` when there is. It is not installed from here.
#[derive(Debug)]
pub struct UpdateEntity {
    inputs: Inputs<Version>,
    installed: Option<String>,
    latest: Option<String>,
}

impl UpdateEntity {
    /// As its payload describes it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn new(fields: &Fields) -> Result<Self, ConfigError> {
        let inputs = Inputs::read(
            fields,
            &[
                (Version::Installed, "state_topic", &["value_template"]),
                (Version::Latest, "latest_version_topic", &["latest_version_template"]),
            ],
        )?;
        Ok(Self { inputs, installed: None, latest: None })
    }

    fn state(&self) -> &'static str {
        match (&self.installed, &self.latest) {
            (Some(installed), Some(latest)) if is_newer(latest, installed) => "on",
            (Some(_), Some(_)) => "off",
            _ => UNKNOWN,
        }
    }
}

/// Whether one version comes after another. What is not made of numbers is newer when it is different.
fn is_newer(latest: &str, installed: &str) -> bool {
    let numbers = |text: &str| -> Option<Vec<u64>> {
        text.trim_start_matches('v').split(['.', '-']).map(|part| part.parse().ok()).collect()
    };
    match (numbers(latest), numbers(installed)) {
        (Some(latest), Some(installed)) => latest > installed,
        _ => latest != installed,
    }
}

impl DeviceKind for UpdateEntity {
    fn topics(&self) -> Vec<&str> {
        self.inputs.topics()
    }

    fn take(&mut self, at: usize, payload: &str) -> Result<(), TemplateError> {
        let Some((which, value)) = self.inputs.value(at, payload)? else { return Ok(()) };
        let reported = serde_json::from_str::<Value>(&value).unwrap_or_default();
        let version = |key| reported.get(key).and_then(as_text);
        match which {
            _ if value == NONE => {}
            Version::Installed if reported.is_object() => {
                self.installed = version("installed_version").or(self.installed.take());
                self.latest = version("latest_version").or(self.latest.take());
            }
            Version::Installed => self.installed = Some(value),
            Version::Latest => self.latest = Some(value),
        }
        Ok(())
    }

    fn state(&self) -> EntityState {
        let versions = [("installed_version", json!(self.installed)), ("latest_version", json!(self.latest))];
        EntityState::new(self.state(), versions)
    }

    fn command(&mut self, _command: &DeviceCommand) -> CommandResult {
        Err(Refused::Unsupported("be installed by voice"))
    }

    fn assume(&mut self, _command: &DeviceCommand) {}
}
