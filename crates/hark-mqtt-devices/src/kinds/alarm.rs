//! Alarm panels.

use crate::device_kind::{
    CommandResult, DeviceKind, EntityState, Inputs, NONE, Refused, UNKNOWN, command_message,
};
use crate::fields::{ConfigError, Fields, Target};
use crate::template::TemplateError;
use hark_core::device::DeviceCommand;
use hark_net::codes;
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

/// What stands for a code that the panel knows and Hark does not: digits, or any text.
const REMOTE_CODES: &[&str] = &["REMOTE_CODE", "REMOTE_CODE_TEXT"];

/// States besides these.
const OTHER: &[&str] = &["pending", "triggered", "arming", "disarming"];

/// An alarm panel.
#[derive(Debug)]
pub struct Alarm {
    inputs: Inputs<()>,
    command: Target,
    payloads: Vec<(&'static str, String)>,
    /// Arming and disarming want a code.
    wants_code: (bool, bool),
    /// The code, where the panel announces it: it is then checked here, not by the panel. That it is known so does
    /// not authorise a command: the household has to have entered it for Hark.
    own_code: Option<String>,
    /// What its codes look like, where it checks them itself: `number` or `text`.
    code_format: Option<&'static str>,
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
        let code = fields.text("code")?;
        let wants = |key| Ok(code.is_some() && fields.flag(key, true)?);
        Ok(Self {
            command: fields.needed_target("command_topic", &["command_template"])?,
            payloads: payloads.collect::<Result<_, ConfigError>>()?,
            wants_code: (wants("code_arm_required")?, wants("code_disarm_required")?),
            code_format: match code.as_deref() {
                Some("REMOTE_CODE") => Some("number"),
                Some("REMOTE_CODE_TEXT") => Some("text"),
                _ => None,
            },
            own_code: code.filter(|code| !REMOTE_CODES.contains(&code.as_str())),
            optimistic: !inputs.has(()),
            inputs,
            state: UNKNOWN.into(),
        })
    }
}

impl DeviceKind for Alarm {
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

    fn state(&self) -> EntityState {
        EntityState::new(self.state.as_str(), [])
    }

    fn command(&mut self, command: &DeviceCommand) -> CommandResult {
        self.command_with_code(command, None)
    }

    fn command_with_code(&mut self, command: &DeviceCommand, code: Option<&str>) -> CommandResult {
        let DeviceCommand::Arm(wanted) = command else { return Err(Refused::Unsupported("do that")) };
        let needs_code = if *wanted == "disarmed" { self.wants_code.1 } else { self.wants_code.0 };
        if needs_code {
            let given = code.ok_or(Refused::NoCode)?;
            let misfit = self.code_format.and_then(|format| codes::misfit(format, given));
            if misfit.is_some() || self.own_code.as_deref().is_some_and(|own| given != own) {
                return Err(Refused::Code(misfit));
            }
        }
        let found = self.payloads.iter().find(|(state, _)| state == wanted);
        let (_, payload) = found.ok_or(Refused::Unsupported("be armed like that"))?;
        let variables = [("action", Value::from(payload.as_str())), ("code", Value::from(code))];
        Ok(vec![command_message(&self.command, payload.as_str(), &variables)?])
    }

    fn assume(&mut self, command: &DeviceCommand) {
        if let DeviceCommand::Arm(state) = command
            && self.optimistic
        {
            self.state.clone_from(state);
        }
    }
}
