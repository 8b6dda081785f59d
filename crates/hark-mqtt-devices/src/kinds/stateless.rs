//! Entities without a state: scenes and buttons.

use crate::device_kind::{CommandResult, DeviceKind, EntityState, Refused, UNKNOWN, command_message};
use crate::fields::{ConfigError, Fields, Target};
use crate::template::TemplateError;
use hark_core::device::DeviceCommand;

/// A scene or a button. Its state is when it was last used, as at Home Assistant.
#[derive(Debug)]
pub struct StatelessEntity {
    command: Target,
    payload: String,
    last: Option<String>,
    times: u64,
}

impl StatelessEntity {
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

impl DeviceKind for StatelessEntity {
    fn topics(&self) -> Vec<&str> {
        Vec::new()
    }

    fn take(&mut self, _at: usize, _payload: &str) -> Result<(), TemplateError> {
        Ok(())
    }

    fn state(&self) -> EntityState {
        // The number tells two uses within one tick of the clock apart.
        EntityState::new(self.last.as_deref().unwrap_or(UNKNOWN), [("activations", self.times.into())])
    }

    fn command(&mut self, command: &DeviceCommand) -> CommandResult {
        match command {
            DeviceCommand::Activate | DeviceCommand::Press => {
                Ok(vec![command_message(&self.command, self.payload.as_str(), &[])?])
            }
            _ => Err(Refused::Unsupported("do that")),
        }
    }

    fn assume(&mut self, _command: &DeviceCommand) {
        self.times += 1;
        self.last = Some(chrono::Utc::now().to_rfc3339());
    }
}
