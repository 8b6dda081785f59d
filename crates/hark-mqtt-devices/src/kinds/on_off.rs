//! Entities that are on or off: switches, sirens.

use crate::device_kind::{
    CommandResult, DeviceKind, EntityState, Inputs, NONE, Refused, UNKNOWN, command_message,
};
use crate::fields::{ConfigError, Fields, Target};
use crate::template::TemplateError;
use hark_core::device::DeviceCommand;
use minijinja::Value;
use serde_json::json;

/// Something that is on or off.
#[derive(Debug)]
pub struct OnOff {
    inputs: Inputs<()>,
    command: Target,
    /// A siren without a template of its own takes JSON.
    is_siren: bool,
    payloads: (String, String),
    states: (String, String),
    optimistic: bool,
    on: Option<bool>,
}

impl OnOff {
    /// As its payload describes it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn new(fields: &Fields, domain: &str) -> Result<Self, ConfigError> {
        let inputs =
            Inputs::read(fields, &[((), "state_topic", &["state_value_template", "value_template"])])?;
        let payloads = (fields.text_or("payload_on", "ON")?, fields.text_or("payload_off", "OFF")?);
        Ok(Self {
            command: fields.needed_target("command_topic", &["command_template"])?,
            is_siren: domain == "siren",
            states: (fields.text_or("state_on", &payloads.0)?, fields.text_or("state_off", &payloads.1)?),
            payloads,
            optimistic: fields.flag("optimistic", !inputs.has(()))?,
            inputs,
            on: None,
        })
    }

    fn switch(&self, on: bool) -> CommandResult {
        let payload = if on { &self.payloads.0 } else { &self.payloads.1 };
        if self.is_siren && self.command.template.is_none() {
            return Ok(vec![command_message(&self.command, json!({"state": payload}).to_string(), &[])?]);
        }
        let state = [("state", Value::from(payload.as_str()))];
        Ok(vec![command_message(&self.command, payload.as_str(), &state)?])
    }
}

impl DeviceKind for OnOff {
    fn topics(&self) -> Vec<&str> {
        self.inputs.topics()
    }

    fn take(&mut self, at: usize, payload: &str) -> Result<(), TemplateError> {
        let Some(((), mut value)) = self.inputs.value(at, payload)? else { return Ok(()) };
        if self.is_siren
            && let Ok(serde_json::Value::Object(reported)) = serde_json::from_str(&value)
            && let Some(state) = reported.get("state").and_then(crate::fields::as_text)
        {
            value = state;
        }
        if value == self.states.0 {
            self.on = Some(true);
        } else if value == self.states.1 {
            self.on = Some(false);
        } else if value == NONE {
            self.on = None;
        }
        Ok(())
    }

    fn state(&self) -> EntityState {
        let state = self.on.map_or(UNKNOWN, |on| if on { "on" } else { "off" });
        EntityState::new(state, [])
    }

    fn command(&mut self, command: &DeviceCommand) -> CommandResult {
        match command {
            DeviceCommand::TurnOn => self.switch(true),
            DeviceCommand::TurnOff => self.switch(false),
            _ => Err(Refused::Unsupported("do that")),
        }
    }

    fn assume(&mut self, command: &DeviceCommand) {
        if self.optimistic {
            self.on = Some(*command == DeviceCommand::TurnOn);
        }
    }
}
