//! The trait that every kind of device implements: topics it subscribes to, states from messages, messages from commands.

use super::fields::{ConfigError, Fields, Source, Target};
use super::template::TemplateError;
use hark_core::device::{DeviceCommand, DeviceError};
use serde_json::{Map, Value};
use std::time::Duration;

/// State of an entity that has not reported any yet.
pub const UNKNOWN: &str = "unknown";

/// Payload of a device for an unknown value.
pub const NONE: &str = "None";

/// A message to a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandMessage {
    /// Where it goes.
    pub topic: String,
    /// What it says.
    pub payload: String,
}

/// Why a device is not told something.
#[derive(Debug, Clone, PartialEq)]
pub enum Refused {
    /// It cannot do this; the words go behind "cannot".
    Unsupported(&'static str),
    /// It wants a code, and none was entered for it.
    NoCode,
    /// The code that was entered for it cannot be right; what it has to do, where that is known.
    Code(Option<String>),
    /// Its template does not fit.
    Template(TemplateError),
}

impl Refused {
    /// The error of a receipt, for the device of this name.
    pub fn of(self, name: &str) -> DeviceError {
        let name = name.to_owned();
        match self {
            Self::Unsupported(what) => DeviceError::Unsupported { name, what },
            Self::NoCode => DeviceError::NeedsCode(name),
            Self::Code(wanted) => DeviceError::WrongCode { name, wanted },
            Self::Template(error) => DeviceError::Failed { name, why: error.to_string() },
        }
    }
}

impl From<TemplateError> for Refused {
    fn from(error: TemplateError) -> Self {
        Self::Template(error)
    }
}

/// The messages of a command, or why it is refused.
pub type CommandResult = Result<Vec<CommandMessage>, Refused>;

/// How a device is: its state, and its attributes by Home Assistant's names.
#[derive(Debug, Clone, PartialEq)]
pub struct EntityState {
    /// Such as `on`.
    pub state: String,
    /// Such as `brightness`.
    pub attributes: Map<String, Value>,
}

impl EntityState {
    /// A state with attributes, of which those without a value are left out.
    pub fn new(
        state: impl Into<String>,
        attributes: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> Self {
        let attributes = attributes.into_iter().filter(|(_, value)| !value.is_null());
        Self {
            state: state.into(),
            attributes: attributes.map(|(key, value)| (key.to_owned(), value)).collect(),
        }
    }
}

/// A device of one kind.
pub trait DeviceKind: Send {
    /// Topics it listens to; [`DeviceKind::message`] gets the place in this list.
    fn topics(&self) -> Vec<&str>;

    /// A message came on the topic at this place of the list.
    ///
    /// # Errors
    /// When a template does not fit it; the device stays as it was.
    fn take(&mut self, at: usize, payload: &str) -> Result<(), TemplateError>;

    /// How it is now.
    fn state(&self) -> EntityState;

    /// The messages that carry out a command.
    ///
    /// # Errors
    /// When it cannot do this.
    fn command(&mut self, command: &DeviceCommand) -> CommandResult;

    /// The same for one that may want a code, which is here if it is known.
    ///
    /// # Errors
    /// When it cannot do this, or not without its code.
    fn command_with_code(&mut self, command: &DeviceCommand, _code: Option<&str>) -> CommandResult {
        self.command(command)
    }

    /// Its messages have arrived: what it never tells of itself is now as it was told to be.
    fn assume(&mut self, command: &DeviceCommand);

    /// After this long without a message it goes off by itself.
    fn off_delay(&self) -> Option<Duration> {
        None
    }

    /// The time of [`DeviceKind::off_delay`] is over.
    fn off_delay_elapsed(&mut self) {}
}

/// Topics a device listens to, each with what it is for.
#[derive(Debug, Clone, PartialEq)]
pub struct Inputs<P> {
    list: Vec<(P, Source)>,
}

impl<P: Copy + PartialEq> Inputs<P> {
    /// Reads those that the payload has: for each what it is for, the key of its topic, the keys of its
    /// template.
    ///
    /// # Errors
    /// When one of them is not taken.
    pub fn read(fields: &Fields, rows: &[(P, &str, &[&str])]) -> Result<Self, ConfigError> {
        let mut list = Vec::new();
        for (purpose, topic, templates) in rows {
            list.extend(fields.source(topic, templates)?.map(|source| (*purpose, source)));
        }
        Ok(Self { list })
    }

    /// The topics.
    pub fn topics(&self) -> Vec<&str> {
        self.list.iter().map(|(_, source)| source.topic.as_str()).collect()
    }

    /// Whether the device tells this of itself.
    pub fn has(&self, purpose: P) -> bool {
        self.list.iter().any(|(one, _)| *one == purpose)
    }

    /// What a message on the topic at this place is for, and its value; `None` when it says nothing.
    ///
    /// # Errors
    /// When the template does not fit.
    pub fn value(&self, at: usize, payload: &str) -> Result<Option<(P, String)>, TemplateError> {
        let Some((purpose, source)) = self.list.get(at) else { return Ok(None) };
        let value = source.read(payload)?;
        Ok((!value.is_empty()).then_some((*purpose, value)))
    }
}

/// An order on a target.
///
/// # Errors
/// When the template does not fit.
pub fn command_message(
    target: &Target,
    value: impl Into<minijinja::Value>,
    more: &[(&str, minijinja::Value)],
) -> Result<CommandMessage, Refused> {
    Ok(CommandMessage { topic: target.topic.clone(), payload: target.write(value, more)? })
}

/// The same where there may be no target.
///
/// # Errors
/// `Unsupported` with these words when there is none.
pub fn command_message_if(
    target: Option<&Target>,
    value: impl Into<minijinja::Value>,
    more: &[(&str, minijinja::Value)],
    what: &'static str,
) -> CommandResult {
    Ok(vec![command_message(target.ok_or(Refused::Unsupported(what))?, value, more)?])
}

/// A number a device tells; `None` for what is none.
pub fn parse_number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// A number for a payload: whole ones without a point.
pub fn number_value(number: f64) -> minijinja::Value {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        // Whole and far inside of the range.
        #[allow(clippy::cast_possible_truncation)]
        let whole = number as i64;
        return minijinja::Value::from(whole);
    }
    minijinja::Value::from(number)
}
