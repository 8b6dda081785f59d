//! Jinja templates of discovery payloads, on minijinja.
//!
//! A template comes from any client of the broker, so it is not trusted: its length, the steps it may take ([`FUEL`]), what
//! it may print ([`OUTPUT_MAX_BYTES`]) and the memory it may use ([`size_bound`]) are bounded. Numbers,
//! truth values and nothing print as in Python, because payloads are compared with what Home Assistant prints.

pub(super) mod filters;
pub(super) mod size_bound;
pub(super) mod text_filters;
pub(super) mod time_filters;

use hark_core::text::one_line;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, Error as JinjaError, UndefinedBehavior};
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, OnceLock};

/// Longest template.
const SOURCE_MAX_BYTES: usize = 4096;

/// Instructions a template may take; a usual one takes about ten.
const FUEL: u64 = 20_000;

/// Most a template may print.
const OUTPUT_MAX_BYTES: usize = 16 * 1024;

/// Why a template is not taken, or printed nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// Longer than any a device has.
    #[error("the template has {0} bytes; at most {SOURCE_MAX_BYTES} are taken")]
    TooLong(usize),
    /// It could fill the memory.
    #[error("the template {0}")]
    Dangerous(&'static str),
    /// Not a template.
    #[error("the template is wrong: {0}")]
    Wrong(String),
    /// It cannot be filled with this value.
    #[error("the template does not fit the message: {0}")]
    Unfit(String),
}

/// A checked template. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Arc<str>);

impl Template {
    /// Checks a template.
    ///
    /// # Errors
    /// When it is too long, could grow without bound, or is not written rightly.
    pub fn new(source: &str) -> Result<Self, TemplateError> {
        if source.len() > SOURCE_MAX_BYTES {
            return Err(TemplateError::TooLong(source.len()));
        }
        size_bound::check(source).map_err(TemplateError::Dangerous)?;
        engine().template_from_str(source).map_err(|error| TemplateError::Wrong(said(&error)))?;
        Ok(Self(source.into()))
    }

    /// What it makes of a message: `value` is the payload, `value_json` the payload as JSON when it is that. Nothing of
    /// a message that does not have what the template wants to be defined.
    ///
    /// # Errors
    /// When it asks for what the message does not have, or takes too long.
    pub fn read(&self, payload: &str) -> Result<String, TemplateError> {
        let json = match self.0.contains("value_json") {
            true => serde_json::from_str::<serde_json::Value>(payload).ok(),
            false => None,
        };
        let json = json.map(|json| ("value_json", Value::from(Serde(json))));
        self.render([("value", Value::from(payload))].into_iter().chain(json))
    }

    /// What it makes of these variables.
    ///
    /// # Errors
    /// As [`Template::read`].
    pub fn write(&self, variables: &[(&str, Value)]) -> Result<String, TemplateError> {
        self.render(variables.iter().cloned())
    }

    /// Whether it asks for this variable.
    pub fn uses(&self, variable: &str) -> bool {
        engine()
            .template_from_str(&self.0)
            .is_ok_and(|template| template.undeclared_variables(false).contains(variable))
    }

    fn render<'a>(&self, variables: impl Iterator<Item = (&'a str, Value)>) -> Result<String, TemplateError> {
        let unfit = |error: &JinjaError| TemplateError::Unfit(said(error));
        let context = Value::from(variables.collect::<BTreeMap<&str, Value>>());
        let mut output = Bounded(Vec::new());
        let template = engine().template_from_str(&self.0).map_err(|error| unfit(&error))?;
        match template.render_captured_to(context, &mut output) {
            Err(error) if error.detail() == Some(filters::ABSENT) => return Ok(String::new()),
            done => done.map_err(|error| unfit(&error))?,
        };
        Ok(String::from_utf8_lossy(&output.0).trim().to_owned())
    }
}

/// What is printed, up to its bound.
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > OUTPUT_MAX_BYTES {
            return Err(io::Error::other("it prints too much"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn engine() -> &'static Environment<'static> {
    static ENGINE: OnceLock<Environment<'static>> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let mut engine = Environment::new();
        engine.set_fuel(Some(FUEL));
        engine.set_recursion_limit(16);
        // As Jinja: what is missing prints nothing, and has no parts.
        engine.set_undefined_behavior(UndefinedBehavior::Lenient);
        engine.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        filters::add_to(&mut engine);
        text_filters::add_to(&mut engine);
        time_filters::add_to(&mut engine);
        engine
    })
}

/// An error in one short line.
fn said(error: &JinjaError) -> String {
    let text = match error.detail() {
        Some(detail) => format!("{}: {detail}", error.kind()),
        None => error.kind().to_string(),
    };
    one_line(&text, 160)
}

#[cfg(test)]
mod tests;
