//! What happens and leaves no state: scenes and buttons.

use super::appliance::{Appliance, Refused, Shown, Told, UNKNOWN, order};
use super::fields::{ConfigError, Fields, Target};
use super::template::TemplateError;
use hark_core::device::DeviceCommand;

/// A scene or a button. Its state is when it was last used, as at Home Assistant.
#[derive(Debug)]
pub struct Moment {
    command: Target,
    payload: String,
    last: Option<String>,
    times: u64,
}

impl Moment {
    /// As its payload describes it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn new(fields: &Fields, domain: &str) -> Result<Self, ConfigError> {
        let payload = match domain {
            "scene" => fields.text_or("payload_on", "ON")?,
            _ => fields.text_or("payload_press", "PRESS")?,
        };
        let command = fields.needed_target("command_topic", &["command_template"])?;
        Ok(Self { command, payload, last: None, times: 0 })
    }
}

impl Appliance for Moment {
    fn topics(&self) -> Vec<&str> {
        Vec::new()
    }

    fn take(&mut self, _at: usize, _payload: &str) -> Result<(), TemplateError> {
        Ok(())
    }

    fn shown(&self) -> Shown {
        // The number tells two uses within one tick of the clock apart.
        Shown::new(self.last.as_deref().unwrap_or(UNKNOWN), [("activations", self.times.into())])
    }

    fn tell(&mut self, command: &DeviceCommand) -> Told {
        match command {
            DeviceCommand::Activate | DeviceCommand::Press => {
                Ok(vec![order(&self.command, self.payload.as_str(), &[])?])
            }
            _ => Err(Refused::Unsupported("do that")),
        }
    }

    fn assume(&mut self, _command: &DeviceCommand) {
        self.times += 1;
        self.last = Some(chrono::Utc::now().to_rfc3339());
    }
}
