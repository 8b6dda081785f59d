//! What a tool says about itself: the form of a line in the table, and its JSON Schema.

use super::args::Args;
use super::outcome::{Failure, Prepared};
use super::services::Services;
use hark_core::Risk;
use hark_core::model::ToolSpec;
use hark_home::colours::COLOURS;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Looks at the arguments and decides what is to be done; changes nothing itself.
pub type Prepare = fn(&Arc<Services>, &Args) -> Result<Prepared, Failure>;

/// Whether the tool can work here; else why not, and what to do about it.
pub type Ready = fn(&Services) -> Result<(), Failure>;

/// The [`Ready`] of a tool that needs nothing.
pub fn always(_parts: &Services) -> Result<(), Failure> {
    Ok(())
}

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
    /// What its results may hold.
    pub outside: Outside,
    /// What the owner permits or not: one of [`TOOL_PERMISSIONS`]. For a dangerous tool also the act that is asked about.
    ///
    /// [`TOOL_PERMISSIONS`]: hark_config::permissions::TOOL_PERMISSIONS
    pub permission: &'static str,
    /// Group it belongs to.
    pub agent: &'static str,
    /// Time it may take where that is less than `tools.timeout_ms`; `None`: as much as that.
    pub timeout_ms: Option<u32>,
    /// Whether it can work here.
    pub ready: Ready,
    /// The code behind it.
    pub prepare: Prepare,
}

/// Whether a tool's result may contain text from outside the household, which must not decide what is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// Only what was asked, reckoned, or is Hark's own.
    Never,
    /// Pages, files, the clipboard, what programs say, lists that others write on.
    Always,
    /// Names and states of the home: where they come from devices and services, and not from the home's file.
    Home,
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

impl Outside {
    /// As `contracts/tools.json` names it.
    fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Always => "always",
            Self::Home => "home",
        }
    }
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

    /// Words that tell of it, of all languages.
    fn triggers(&self) -> Vec<String> {
        let languages = hark_language::all();
        let words = languages.iter().filter_map(|language| language.tools.triggers.get(self.name));
        words.flat_map(|words| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).collect()
    }

    /// The tool as a model is told of it.
    pub fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.to_owned(),
            description: self.description.to_owned(),
            schema: self.args_schema(),
            results: self.result.iter().map(|field| field.name.to_owned()).collect(),
            risk: self.risk,
            triggers: self.triggers(),
            agent: self.agent.to_owned(),
            outside: false,
        }
    }

    /// What is wrong with the detail of a success; `None` when it is what the table promises.
    pub fn misfit(&self, detail: &Map<String, Value>) -> Option<String> {
        let unknown = detail.keys().find(|key| !self.result.iter().any(|field| field.name == *key));
        if let Some(key) = unknown {
            return Some(format!("{key} is not in its result"));
        }
        self.result.iter().find_map(|field| match detail.get(field.name) {
            None if field.required => Some(format!("{} is missing", field.name)),
            Some(value) if !is_a(value, field.kind) => Some(format!("{} is no {}", field.name, field.kind)),
            _ => None,
        })
    }

    /// The tool as `contracts/tools.json` shows it.
    pub fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "description": self.description,
            "risk": self.risk,
            "outside": self.outside.name(),
            "permission": self.permission,
            "agent": self.agent,
            "timeout_ms": self.timeout_ms,
            "args": self.args_schema(),
            "result": self.result_schema(),
        })
    }
}

/// Whether a value is of a JSON type.
fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

impl Arg {
    fn schema(&self) -> Value {
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
