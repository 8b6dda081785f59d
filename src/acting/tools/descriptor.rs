//! What a tool says about itself: the form of a line in the table, and its JSON Schema.

use super::args::Args;
use super::outcome::{Failure, Prepared};
use super::parts::Parts;
use crate::acting::home::colours::COLOURS;
use crate::domain::Risk;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Looks at the arguments and decides what is to be done; changes nothing itself.
pub type Prepare = fn(&Arc<Parts>, &Args) -> Result<Prepared, Failure>;

/// One tool.
pub struct Descriptor {
    /// Name, such as `home.turn_on`.
    pub name: &'static str,
    /// What it does, for people and models.
    pub description: &'static str,
    /// Its arguments.
    pub args: &'static [&'static [Arg]],
    /// What a successful receipt's `detail` holds.
    pub result: &'static [Field],
    /// Risk of its mildest use; the gate looks at what it would really do.
    pub risk: Risk,
    /// Words of which one must be heard when the intent is not certain.
    pub triggers: &'static [&'static str],
    /// What the owner permits or not.
    pub permission: &'static str,
    /// Time it may take; `None` is `tools.timeout_ms`.
    pub timeout_ms: Option<u32>,
    /// The code behind it.
    pub prepare: Prepare,
}

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

/// What an argument may be. Numbers may also come as text ("50"), as slots sometimes do.
pub enum Kind {
    /// 1–100 characters.
    Text,
    /// Words of a person, of at most so many characters.
    Words(usize),
    /// Yes or no.
    Flag,
    /// A day, moment or span in the form of [`When`].
    ///
    /// [`When`]: crate::domain::calendar::When
    When,
    /// A repetition in the form of [`Recurrence`].
    ///
    /// [`Recurrence`]: crate::domain::calendar::Recurrence
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

/// One field of a result.
pub struct Field {
    /// Name in `detail`.
    pub name: &'static str,
    /// JSON type.
    pub kind: &'static str,
    /// It is always there.
    pub required: bool,
    /// What it means, with its unit.
    pub description: &'static str,
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
}

impl Field {
    /// A field that may be missing.
    pub const fn maybe(name: &'static str, kind: &'static str, description: &'static str) -> Self {
        Self { name, kind, required: false, description }
    }

    /// A field that is always there.
    pub const fn always(name: &'static str, kind: &'static str, description: &'static str) -> Self {
        Self { name, kind, required: true, description }
    }
}

impl Descriptor {
    /// Every argument.
    pub fn arguments(&self) -> impl Iterator<Item = &'static Arg> {
        self.args.iter().flat_map(|group| group.iter())
    }

    /// JSON Schema of the arguments.
    pub fn args_schema(&self) -> Value {
        let property = |arg: &Arg| (arg.name.to_owned(), arg.schema());
        let properties: Map<String, Value> = self.arguments().map(property).collect();
        let required: Vec<&str> = self.arguments().filter(|arg| arg.required).map(|arg| arg.name).collect();
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }

    /// JSON Schema of a successful receipt's `detail`.
    pub fn result_schema(&self) -> Value {
        let property = |field: &Field| {
            let schema = json!({"type": field.kind, "description": field.description});
            (field.name.to_owned(), schema)
        };
        let properties: Map<String, Value> = self.result.iter().map(property).collect();
        let required: Vec<&str> =
            self.result.iter().filter(|field| field.required).map(|field| field.name).collect();
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }

    /// The tool as `contracts/tools.json` shows it.
    pub fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "description": self.description,
            "risk": self.risk,
            "permission": self.permission,
            "triggers": self.triggers,
            "timeout_ms": self.timeout_ms,
            "args": self.args_schema(),
            "result": self.result_schema(),
        })
    }
}

impl Arg {
    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({"type": "string", "minLength": 1, "maxLength": 100}),
            Kind::Words(most) => json!({"type": "string", "minLength": 1, "maxLength": most}),
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
