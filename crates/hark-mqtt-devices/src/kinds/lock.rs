//! Locks.

use crate::device_kind::{
    CommandResult, DeviceKind, EntityState, Inputs, NONE, Refused, UNKNOWN, command_message,
};
use crate::fields::{ConfigError, Fields, Target};
use crate::template::TemplateError;
use hark_core::device::DeviceCommand;
use hark_net::codes;

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
    /// What it is told holds a code. One that announces a code and is told none leaves it to who asks; here that is
    /// the gate of dangerous acts.
    wants_code: bool,
    /// What its codes look like, as a regular expression.
    code_format: Option<String>,
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
        let command = fields.needed_target("command_topic", &["command_template"])?;
        let code_format = fields.text("code_format")?;
        Ok(Self {
            wants_code: code_format.is_some() && command.uses("code"),
            code_format,
            command,
            payloads: (fields.text_or("payload_lock", "LOCK")?, fields.text_or("payload_unlock", "UNLOCK")?),
            states: states.collect::<Result<_, ConfigError>>()?,
            optimistic: fields.flag("optimistic", !inputs.has(()))?,
            inputs,
            state: UNKNOWN,
        })
    }
}

impl DeviceKind for Lock {
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

    fn state(&self) -> EntityState {
        EntityState::new(self.state, [])
    }

    fn command(&mut self, command: &DeviceCommand) -> CommandResult {
        self.command_with_code(command, None)
    }

    fn command_with_code(&mut self, command: &DeviceCommand, code: Option<&str>) -> CommandResult {
        let misfit = self.code_format.as_deref().filter(|_| self.wants_code).zip(code);
        let misfit = misfit.and_then(|(format, code)| codes::misfit(format, code));
        if misfit.is_some() {
            return Err(Refused::Code(misfit));
        }
        let payload = match command {
            DeviceCommand::Lock | DeviceCommand::Unlock if self.wants_code && code.is_none() => {
                return Err(Refused::NoCode);
            }
            DeviceCommand::Lock => &self.payloads.0,
            DeviceCommand::Unlock => &self.payloads.1,
            _ => return Err(Refused::Unsupported("do that")),
        };
        Ok(vec![command_message(&self.command, payload.as_str(), &[("code", minijinja::Value::from(code))])?])
    }

    fn assume(&mut self, command: &DeviceCommand) {
        if self.optimistic {
            self.state = if *command == DeviceCommand::Lock { "locked" } else { "unlocked" };
        }
    }
}
