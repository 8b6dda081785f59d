//! Vacuums and lawn mowers.

use crate::device_kind::{
    CommandResult, DeviceKind, EntityState, Inputs, NONE, Refused, UNKNOWN, command_message_if,
};
use crate::fields::{ConfigError, Fields, Target};
use crate::template::TemplateError;
use hark_core::device::DeviceCommand;
use serde_json::Value;

/// States of a vacuum.
const VACUUM: &[&str] = &["cleaning", "docked", "paused", "idle", "returning", "error"];

/// States of a lawn mower.
const MOWER: &[&str] = &["mowing", "docked", "paused", "returning", "error"];

/// A vacuum or a lawn mower.
#[derive(Debug)]
pub struct Robot {
    inputs: Inputs<()>,
    start: (Option<Target>, String),
    dock: (Option<Target>, String),
    states: &'static [&'static str],
    optimistic: bool,
    state: String,
}

impl Robot {
    /// A vacuum as its payload describes it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn vacuum(fields: &Fields) -> Result<Self, ConfigError> {
        let inputs = Inputs::read(fields, &[((), "state_topic", &["value_template"])])?;
        let command = fields.target("command_topic", &[])?;
        Ok(Self {
            start: (command.clone(), fields.text_or("payload_start", "start")?),
            dock: (command, fields.text_or("payload_return_to_base", "return_to_base")?),
            states: VACUUM,
            optimistic: !inputs.has(()),
            inputs,
            state: UNKNOWN.into(),
        })
    }

    /// A lawn mower as its payload describes it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn lawn_mower(fields: &Fields) -> Result<Self, ConfigError> {
        let inputs = Inputs::read(fields, &[((), "activity_state_topic", &["activity_value_template"])])?;
        Ok(Self {
            start: (
                fields.target("start_mowing_command_topic", &["start_mowing_command_template"])?,
                "start_mowing".into(),
            ),
            dock: (fields.target("dock_command_topic", &["dock_command_template"])?, "dock".into()),
            states: MOWER,
            optimistic: fields.flag("optimistic", !inputs.has(()))?,
            inputs,
            state: UNKNOWN.into(),
        })
    }
}

impl DeviceKind for Robot {
    fn topics(&self) -> Vec<&str> {
        self.inputs.topics()
    }

    fn take(&mut self, at: usize, payload: &str) -> Result<(), TemplateError> {
        let Some(((), mut value)) = self.inputs.value(at, payload)? else { return Ok(()) };
        if let Ok(Value::Object(reported)) = serde_json::from_str(&value) {
            let Some(state) = reported.get("state") else { return Ok(()) };
            value = state.as_str().unwrap_or(NONE).to_owned();
        }
        if self.states.contains(&value.as_str()) {
            self.state = value;
        } else if value.eq_ignore_ascii_case(NONE) {
            self.state = UNKNOWN.into();
        }
        Ok(())
    }

    fn state(&self) -> EntityState {
        EntityState::new(self.state.as_str(), [])
    }

    fn command(&mut self, command: &DeviceCommand) -> CommandResult {
        match command {
            DeviceCommand::Start => {
                command_message_if(self.start.0.as_ref(), self.start.1.as_str(), &[], "be started")
            }
            DeviceCommand::Dock => {
                command_message_if(self.dock.0.as_ref(), self.dock.1.as_str(), &[], "go home")
            }
            DeviceCommand::CleanArea(_) => Err(Refused::Unsupported("be sent to one room")),
            _ => Err(Refused::Unsupported("do that")),
        }
    }

    fn assume(&mut self, command: &DeviceCommand) {
        if self.optimistic {
            self.state = match command {
                DeviceCommand::Start => self.states[0].into(),
                _ => "returning".into(),
            };
        }
    }
}
