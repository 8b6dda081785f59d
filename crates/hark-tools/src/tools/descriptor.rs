//! What a tool says about itself: the form of a line in the table, and its JSON Schema.

use super::args::Args;
use super::outcome::{Failure, Prepared};
use super::parameter::Arg;
use super::services::Services;
use hark_core::model::ToolSpec;
use hark_core::{Risk, Slots};
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

/// What the tools of one agent of this machine have in common; what they tell may come from outside the household.
pub struct Toolset {
    /// As in [`Descriptor`].
    pub permission: &'static str,
    /// As in [`Descriptor`].
    pub agent: &'static str,
    /// As in [`Descriptor`].
    pub ready: Ready,
}

impl Toolset {
    /// One of its tools.
    pub const fn tool(
        &self,
        name: &'static str,
        description: &'static str,
        args: &'static [&'static [Arg]],
        result: &'static [Field],
        risk: Risk,
        prepare: Prepare,
    ) -> Descriptor {
        let Self { permission, agent, ready } = *self;
        let (outside, timeout_ms) = (Outside::Always, None);
        Descriptor {
            name,
            description,
            args,
            result,
            risk,
            outside,
            permission,
            agent,
            timeout_ms,
            ready,
            prepare,
        }
    }
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
    /// Checks the arguments of a call.
    ///
    /// # Errors
    /// As [`Args::check`].
    pub fn check(&self, slots: &Slots) -> Result<Args, Failure> {
        Args::check(self.name, &self.arguments().collect::<Vec<_>>(), slots)
    }

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
