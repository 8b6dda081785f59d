//! A parameter of a tool: its name, what it may be, and its JSON Schema. The table has them, `args` checks a call by them.

use hark_home::colours::COLOURS;
use serde_json::{Value, json};

/// One argument.
pub struct Arg {
    /// Name of the slot.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// It must be there.
    pub required: bool,
    /// What it means, with its unit.
    pub description: &'static str,
}

/// Longest value of [`Kind::Pairs`], characters.
pub const MAX_PAIR_CHARS: usize = 4096;

/// What an argument may be. Numbers may also come as text ("50"), as slots sometimes do.
pub enum Kind {
    /// 1–100 characters.
    Text,
    /// Words of a person, of at most so many characters.
    Words(usize),
    /// A number, or words of at most so many characters. Comes out as text.
    Value(usize),
    /// A text as it is, of at most so many characters: paths, contents; line breaks and blanks count.
    Raw(usize),
    /// Texts as they are: so many at most, each of so many characters at most.
    Texts(usize, usize),
    /// Texts or numbers by names of the caller's choice: so many at most. Comes out as texts.
    Pairs(usize),
    /// A text as it is, or an object or list of anything; so many bytes at most, as JSON.
    Body(usize),
    /// Yes or no.
    Flag,
    /// A day, moment or span in the form of [`When`].
    ///
    /// [`When`]: hark_core::calendar::When
    When,
    /// A repetition in the form of [`Recurrence`].
    ///
    /// [`Recurrence`]: hark_core::calendar::Recurrence
    Recurrence,
    /// One of these.
    Choice(&'static [&'static str]),
    /// One of the colour names.
    Colour,
    /// A whole number in this range.
    Integer(i64, i64),
    /// A number in this range.
    Number(f64, f64),
    /// `up`, `down`, or a number in this range.
    Step(f64, f64),
}

impl Arg {
    /// An argument that may be missing.
    pub const fn maybe(name: &'static str, kind: Kind, description: &'static str) -> Self {
        Self { name, kind, required: false, description }
    }

    /// An argument that must be there.
    pub const fn must(name: &'static str, kind: Kind, description: &'static str) -> Self {
        Self { name, kind, required: true, description }
    }

    /// Its JSON Schema.
    pub(super) fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({"type": "string", "minLength": 1, "maxLength": 100}),
            Kind::Words(most) => json!({"type": "string", "minLength": 1, "maxLength": most}),
            Kind::Value(most) => json!({"type": ["string", "number"], "minLength": 1, "maxLength": most}),
            Kind::Raw(most) => json!({"type": "string", "minLength": 1, "maxLength": most}),
            Kind::Texts(most, chars) => json!({
                "type": "array", "maxItems": most, "items": {"type": "string", "maxLength": chars},
            }),
            Kind::Pairs(most) => json!({
                "type": "object", "maxProperties": most,
                "additionalProperties": {"type": "string", "maxLength": MAX_PAIR_CHARS},
            }),
            Kind::Body(_) => json!({"type": ["string", "object", "array"]}),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::When | Kind::Recurrence => json!({"type": "string", "minLength": 1}),
            Kind::Choice(choices) => json!({"type": "string", "enum": choices}),
            Kind::Colour => {
                let names: Vec<&str> = COLOURS.iter().map(|(name, _)| *name).collect();
                json!({"type": "string", "enum": names})
            }
            Kind::Integer(low, high) => json!({"type": "integer", "minimum": low, "maximum": high}),
            Kind::Number(low, high) => json!({"type": "number", "minimum": low, "maximum": high}),
            Kind::Step(low, high) => json!({"anyOf": [
                {"type": "string", "enum": ["up", "down"]},
                {"type": "number", "minimum": low, "maximum": high},
            ]}),
        };
        schema["description"] = json!(self.description);
        schema
    }
}
