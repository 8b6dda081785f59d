//! Checked access to the discovery payload of one entity: topics are valid, templates compile, numbers are numbers. The
//! first error is the reason why the entity is not taken.

use super::template::{Template, TemplateError};
use serde_json::{Map, Value};

/// Longest discovery payload that is looked at; a device with many entities has some tens of kilobytes.
pub const PAYLOAD_MAX_BYTES: usize = 256 * 1024;

/// Longest topic MQTT allows.
const TOPIC_MAX_BYTES: usize = 65_535;

/// Most choices (modes, options) of one entity.
const CHOICES_MAX: usize = 256;

/// Why a discovery payload is not taken.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ConfigError {
    /// More than any device has.
    #[error("it has {0} bytes; at most {max} are taken", max = PAYLOAD_MAX_BYTES)]
    TooLong(usize),
    /// Not text.
    #[error("it is not UTF-8 text")]
    NotText,
    /// Not JSON, or JSON nested too deeply.
    #[error("it is not a JSON object: {0}")]
    NotJson(String),
    /// A key that must be there.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A value of the wrong kind.
    #[error("`{key}` is not {expected}")]
    Unexpected {
        /// Which key.
        key: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A topic that cannot be published to or subscribed.
    #[error("`{key}` is no topic: {why}")]
    BadTopic {
        /// Which key.
        key: String,
        /// What is wrong.
        why: &'static str,
    },
    /// A template that is not taken.
    #[error("`{key}`: {why}")]
    BadTemplate {
        /// Which key.
        key: String,
        /// What is wrong.
        why: TemplateError,
    },
    /// More than there is room for.
    #[error("there are {0} already, which is as many as are taken")]
    TooMany(&'static str),
    /// Announced on another topic before.
    #[error("an entity with this `unique_id` is announced on another topic already")]
    Duplicate,
    /// Something of a kind that Hark does not know.
    #[error("`{key}` = {value:?} is not known")]
    Unknown {
        /// Which key.
        key: &'static str,
        /// What stands there.
        value: String,
    },
}

type Checked<T> = Result<T, ConfigError>;

/// A topic that may be published to.
///
/// # Errors
/// What is wrong with it.
pub fn check_topic(topic: &str) -> Result<(), &'static str> {
    if topic.contains(['+', '#']) { Err("it holds a wildcard") } else { check_filter(topic) }
}

/// A topic that may be subscribed, with or without wildcards.
///
/// # Errors
/// What is wrong with it.
pub fn check_filter(topic: &str) -> Result<(), &'static str> {
    if topic.is_empty() {
        return Err("it is empty");
    }
    if topic.len() > TOPIC_MAX_BYTES {
        return Err("it is too long");
    }
    let levels = topic.split('/').count();
    let is_wrong = |(at, level): (usize, &str)| match level {
        "+" => false,
        "#" => at + 1 < levels,
        level => level.contains(['+', '#']),
    };
    if topic.split('/').enumerate().any(is_wrong) {
        return Err("its wildcards are not whole levels");
    }
    if topic.starts_with('$') {
        return Err("it belongs to the broker");
    }
    if topic
        .contains(|c: char| c.is_control() || matches!(c, '\u{fdd0}'..='\u{fdef}' | '\u{fffe}' | '\u{ffff}'))
    {
        return Err("it holds a control character");
    }
    Ok(())
}

/// A value of a payload as text, as Home Assistant has it: `true` is `True`, 1.0 is `1.0`.
pub fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(true) => Some("True".into()),
        Value::Bool(false) => Some("False".into()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Where a value comes from: a topic, and what is made of its messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// The topic.
    pub topic: String,
    /// What is made of a message.
    pub template: Option<Template>,
}

impl Source {
    /// The value of a message.
    ///
    /// # Errors
    /// When the template does not fit the message.
    pub fn read(&self, payload: &str) -> Result<String, TemplateError> {
        match &self.template {
            Some(template) => template.read(payload),
            None => Ok(payload.to_owned()),
        }
    }
}

/// Where a value goes: a topic, and how it is written there.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// The topic.
    pub topic: String,
    /// How a value is written.
    pub template: Option<Template>,
}

impl Target {
    /// Whether its payload holds this variable.
    pub fn uses(&self, variable: &str) -> bool {
        self.template.as_ref().is_some_and(|template| template.uses(variable))
    }

    /// The payload of a value; `more` are further variables of the template beside `value`.
    ///
    /// # Errors
    /// When the template does not fit.
    pub fn write(
        &self,
        value: impl Into<minijinja::Value>,
        more: &[(&str, minijinja::Value)],
    ) -> Result<String, TemplateError> {
        let value = value.into();
        let Some(template) = &self.template else { return Ok(value.to_string()) };
        let mut variables = vec![("value", value)];
        variables.extend(more.iter().cloned());
        template.write(&variables)
    }
}

/// The payload of one entity, with keys in full and the base topic put in.
#[derive(Debug, Clone, PartialEq)]
pub struct Fields {
    map: Map<String, Value>,
}

impl Fields {
    /// Fields of this payload.
    pub fn new(map: Map<String, Value>) -> Self {
        Self { map }
    }

    /// A value that is there and not null.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    /// Whether a key is there, null or not.
    pub fn has(&self, key: &str) -> bool {
        self.map.contains_key(key)
    }

    /// A text; numbers and truth values are written out.
    ///
    /// # Errors
    /// When it is a list or an object.
    pub fn text(&self, key: &str) -> Checked<Option<String>> {
        match self.value(key) {
            None => Ok(None),
            Some(value) => as_text(value).map(Some).ok_or_else(|| unexpected(key, "a text")),
        }
    }

    /// A text, or what stands for it.
    ///
    /// # Errors
    /// As [`Fields::text`].
    pub fn text_or(&self, key: &str, default: &str) -> Checked<String> {
        Ok(self.text(key)?.unwrap_or_else(|| default.to_owned()))
    }

    /// Yes or no.
    ///
    /// # Errors
    /// When it is neither.
    pub fn flag(&self, key: &str, default: bool) -> Checked<bool> {
        let expected = || unexpected(key, "true or false");
        match self.value(key) {
            None => Ok(default),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(Value::Number(number)) => Ok(number.as_f64() != Some(0.0)),
            Some(Value::String(text)) => match text.trim().to_lowercase().as_str() {
                "true" | "yes" | "on" | "1" => Ok(true),
                "false" | "no" | "off" | "0" => Ok(false),
                _ => Err(expected()),
            },
            Some(_) => Err(expected()),
        }
    }

    /// A number.
    ///
    /// # Errors
    /// When it is none.
    pub fn number(&self, key: &str) -> Checked<Option<f64>> {
        let number = match self.value(key) {
            None => return Ok(None),
            Some(Value::Number(number)) => number.as_f64(),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(_) => None,
        };
        number.filter(|number: &f64| number.is_finite()).map(Some).ok_or_else(|| unexpected(key, "a number"))
    }

    /// A number within a range, or what stands for it.
    ///
    /// # Errors
    /// When it is none, or outside of the range.
    pub fn number_in(&self, key: &str, default: f64, low: f64, high: f64) -> Checked<f64> {
        let number = self.number(key)?.unwrap_or(default);
        if (low..=high).contains(&number) {
            Ok(number)
        } else {
            Err(unexpected(key, "a number that makes sense here"))
        }
    }

    /// Texts of a list; a single one counts as a list of one.
    ///
    /// # Errors
    /// When something of it is no text, or there are too many.
    pub fn texts(&self, key: &str) -> Checked<Option<Vec<String>>> {
        let expected = || unexpected(key, "a list of texts");
        match self.value(key) {
            None => Ok(None),
            Some(Value::Array(list)) if list.len() > CHOICES_MAX => {
                Err(unexpected(key, "a list of at most 256 texts"))
            }
            Some(Value::Array(list)) => {
                list.iter().map(as_text).collect::<Option<Vec<_>>>().map(Some).ok_or_else(expected)
            }
            Some(value) => as_text(value).map(|text| Some(vec![text])).ok_or_else(expected),
        }
    }

    /// A topic to publish to.
    ///
    /// # Errors
    /// When it holds a wildcard or is no topic otherwise.
    pub fn topic(&self, key: &str) -> Checked<Option<String>> {
        self.checked_topic(key, check_topic)
    }

    /// A topic to subscribe, which may hold wildcards.
    ///
    /// # Errors
    /// When it is none.
    pub fn filter(&self, key: &str) -> Checked<Option<String>> {
        self.checked_topic(key, check_filter)
    }

    fn checked_topic(
        &self,
        key: &str,
        check: impl Fn(&str) -> Result<(), &'static str>,
    ) -> Checked<Option<String>> {
        let Some(topic) = self.text(key)?.filter(|topic| !topic.is_empty()) else { return Ok(None) };
        match check(&topic) {
            Ok(()) => Ok(Some(topic)),
            Err(why) => Err(ConfigError::BadTopic { key: key.to_owned(), why }),
        }
    }

    /// A template.
    ///
    /// # Errors
    /// When it is not taken.
    pub fn template(&self, key: &str) -> Checked<Option<Template>> {
        let Some(source) = self.text(key)?.filter(|source| !source.is_empty()) else { return Ok(None) };
        match Template::new(&source) {
            Ok(template) => Ok(Some(template)),
            Err(why) => Err(ConfigError::BadTemplate { key: key.to_owned(), why }),
        }
    }

    /// Where a value comes from; the first of the template's keys that is there counts.
    ///
    /// # Errors
    /// As its parts.
    pub fn source(&self, topic: &str, templates: &[&str]) -> Checked<Option<Source>> {
        let Some(topic) = self.filter(topic)? else { return Ok(None) };
        Ok(Some(Source { topic, template: self.first_template(templates)? }))
    }

    /// Where a value goes.
    ///
    /// # Errors
    /// As its parts.
    pub fn target(&self, topic: &str, templates: &[&str]) -> Checked<Option<Target>> {
        let Some(topic) = self.topic(topic)? else { return Ok(None) };
        Ok(Some(Target { topic, template: self.first_template(templates)? }))
    }

    /// Where a value must go.
    ///
    /// # Errors
    /// When it is missing, or as its parts.
    pub fn needed_target(&self, topic: &'static str, templates: &[&str]) -> Checked<Target> {
        self.target(topic, templates)?.ok_or(ConfigError::Missing(topic))
    }

    fn first_template(&self, keys: &[&str]) -> Checked<Option<Template>> {
        for key in keys {
            if let Some(template) = self.template(key)? {
                return Ok(Some(template));
            }
        }
        Ok(None)
    }
}

fn unexpected(key: &str, expected: &'static str) -> ConfigError {
    ConfigError::Unexpected { key: key.to_owned(), expected }
}
