//! Alarm panels.

use super::appliance::{Appliance, Inputs, NONE, Refused, Shown, Told, UNKNOWN, order};
use super::fields::{ConfigError, Fields, Target};
use super::template::TemplateError;
use crate::domain::device::DeviceCommand;
use minijinja::Value;

/// States it can be told to be in, with the key of the word that does it and what that is by default.
const ARMED: &[(&str, &str, &str)] = &[
    ("armed_home", "payload_arm_home", "ARM_HOME"),
    ("armed_away", "payload_arm_away", "ARM_AWAY"),
    ("armed_night", "payload_arm_night", "ARM_NIGHT"),
    ("armed_vacation", "payload_arm_vacation", "ARM_VACATION"),
    ("armed_custom_bypass", "payload_arm_custom_bypass", "ARM_CUSTOM_BYPASS"),
    ("disarmed", "payload_disarm", "DISARM"),
];

/// States besides these.
const OTHER: &[&str] = &["pending", "triggered", "arming", "disarming"];

/// An alarm panel.
#[derive(Debug)]
pub struct Alarm {
    inputs: Inputs<()>,
    command: Target,
    payloads: Vec<(&'static str, String)>,
    /// Arming and disarming want a code, which nobody should say aloud.
    wants_code: (bool, bool),
    optimistic: bool,
    state: String,
}

impl Alarm {
    /// As its payload describes it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn new(fields: &Fields) -> Result<Self, ConfigError> {
        let inputs = Inputs::read(fields, &[((), "state_topic", &["value_template"])])?;
        let payloads = ARMED.iter().map(|(state, key, default)| Ok((*state, fields.text_or(key, default)?)));
        let has_code = fields.value("code").is_some();
        let wants = |key| Ok(has_code && fields.flag(key, true)?);
        Ok(Self {
            command: fields.needed_target("command_topic", &["command_template"])?,
            payloads: payloads.collect::<Result<_, ConfigError>>()?,
            wants_code: (wants("code_arm_required")?, wants("code_disarm_required")?),
            optimistic: !inputs.has(()),
            inputs,
            state: UNKNOWN.into(),
        })
    }
}

impl Appliance for Alarm {
    fn topics(&self) -> Vec<&str> {
        self.inputs.topics()
    }

    fn take(&mut self, at: usize, payload: &str) -> Result<(), TemplateError> {
        let Some(((), value)) = self.inputs.value(at, payload)? else { return Ok(()) };
        if ARMED.iter().any(|(state, ..)| *state == value) || OTHER.contains(&value.as_str()) {
            self.state = value;
        } else if value == NONE {
            self.state = UNKNOWN.into();
        }
        Ok(())
    }

    fn shown(&self) -> Shown {
        Shown::new(self.state.as_str(), [])
    }

    fn tell(&mut self, command: &DeviceCommand) -> Told {
        let DeviceCommand::Arm(wanted) = command else { return Err(Refused::Unsupported("do that")) };
        if *wanted == "disarmed" && self.wants_code.1 {
            return Err(Refused::Unsupported("be disarmed without its code"));
        }
        if *wanted != "disarmed" && self.wants_code.0 {
            return Err(Refused::Unsupported("be armed without its code"));
        }
        let found = self.payloads.iter().find(|(state, _)| state == wanted);
        let (_, payload) = found.ok_or(Refused::Unsupported("be armed like that"))?;
        let variables = [("action", Value::from(payload.as_str())), ("code", Value::from(()))];
        Ok(vec![order(&self.command, payload.as_str(), &variables)?])
    }

    fn assume(&mut self, command: &DeviceCommand) {
        if let DeviceCommand::Arm(state) = command
            && self.optimistic
        {
            self.state.clone_from(state);
        }
    }
}
