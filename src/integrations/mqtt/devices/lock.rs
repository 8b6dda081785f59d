//! Locks.

use super::appliance::{Appliance, Inputs, NONE, Refused, Shown, Told, UNKNOWN, order};
use super::fields::{ConfigError, Fields, Target};
use super::template::TemplateError;
use crate::domain::device::DeviceCommand;

/// States of a lock, with the key of the payload that stands for each and what it is by default.
const STATES: &[(&str, &str, &str)] = &[
    ("locked", "state_locked", "LOCKED"),
    ("unlocked", "state_unlocked", "UNLOCKED"),
    ("locking", "state_locking", "LOCKING"),
    ("unlocking", "state_unlocking", "UNLOCKING"),
    ("jammed", "state_jammed", "JAMMED"),
];

/// A lock.
#[derive(Debug)]
pub struct Lock {
    inputs: Inputs<()>,
    command: Target,
    payloads: (String, String),
    states: Vec<(&'static str, String)>,
    /// It wants a code, which nobody should say aloud.
    has_code: bool,
    optimistic: bool,
    state: &'static str,
}

impl Lock {
    /// As its payload describes it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn new(fields: &Fields) -> Result<Self, ConfigError> {
        let inputs = Inputs::read(fields, &[((), "state_topic", &["value_template"])])?;
        let states = STATES.iter().map(|(state, key, default)| Ok((*state, fields.text_or(key, default)?)));
        Ok(Self {
            command: fields.needed_target("command_topic", &["command_template"])?,
            payloads: (fields.text_or("payload_lock", "LOCK")?, fields.text_or("payload_unlock", "UNLOCK")?),
            states: states.collect::<Result<_, ConfigError>>()?,
            has_code: fields.value("code_format").is_some(),
            optimistic: fields.flag("optimistic", !inputs.has(()))?,
            inputs,
            state: UNKNOWN,
        })
    }
}

impl Appliance for Lock {
    fn topics(&self) -> Vec<&str> {
        self.inputs.topics()
    }

    fn take(&mut self, at: usize, payload: &str) -> Result<(), TemplateError> {
        let Some(((), value)) = self.inputs.value(at, payload)? else { return Ok(()) };
        if let Some((state, _)) = self.states.iter().find(|(_, payload)| *payload == value) {
            self.state = state;
        } else if value == NONE {
            self.state = UNKNOWN;
        }
        Ok(())
    }

    fn shown(&self) -> Shown {
        Shown::new(self.state, [])
    }

    fn tell(&mut self, command: &DeviceCommand) -> Told {
        let payload = match command {
            DeviceCommand::Lock | DeviceCommand::Unlock if self.has_code => {
                return Err(Refused::Unsupported("be locked or unlocked without its code"));
            }
            DeviceCommand::Lock => &self.payloads.0,
            DeviceCommand::Unlock => &self.payloads.1,
            _ => return Err(Refused::Unsupported("do that")),
        };
        Ok(vec![order(&self.command, payload.as_str(), &[("code", minijinja::Value::from(()))])?])
    }

    fn assume(&mut self, command: &DeviceCommand) {
        if self.optimistic {
            self.state = if *command == DeviceCommand::Lock { "locked" } else { "unlocked" };
        }
    }
}
