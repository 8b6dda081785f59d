//! What is known of the tools, as prompts and schemas want it: made once, and anew only when the tools change.
//! A schema says with `x-filled` which part of it depends on the tools: `intents`, `tools` or `arguments`.

use super::{Contract, Terms, prompt, signature};
use hark_core::model::ToolSpec;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What every question is that no tool serves.
pub const GENERAL: &str = "answer.general";
/// Small talk.
pub const CONVERSATION: &str = "answer.conversation";
/// In front of a tool's name in an intent.
pub const TOOL_PREFIX: &str = "tool.";
/// Where a schema says what is filled in.
const FILLED: &str = "x-filled";
/// Most selections of tools whose words are kept.
const MAX_KEPT: usize = 32;

/// A schema, ready to check with, and as prompts show it.
pub struct Checked {
    schema: Value,
    validator: jsonschema::Validator,
    shown: String,
    /// Most characters, of a text.
    most_chars: usize,
}

impl Checked {
    /// # Errors
    /// Why it is no JSON Schema 2020-12.
    pub(super) fn new(schema: Value) -> Result<Self, String> {
        let validator = jsonschema::draft202012::new(&schema).map_err(|error| error.to_string())?;
        let mut bare = schema.clone();
        if let Some(object) = bare.as_object_mut() {
            object.remove("$schema");
        }
        let most_chars = schema["maxLength"].as_u64().and_then(|most| usize::try_from(most).ok());
        Ok(Self { schema, validator, shown: bare.to_string(), most_chars: most_chars.unwrap_or(usize::MAX) })
    }

    /// The schema itself.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    pub(super) fn validator(&self) -> &jsonschema::Validator {
        &self.validator
    }

    /// In one line, for a prompt.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    pub(super) fn most_chars(&self) -> usize {
        self.most_chars
    }
}

/// One tool.
struct Known {
    /// Its line in a prompt.
    line: String,
    /// Its line with its arguments, each in a word or two: what one of many needs.
    brief: String,
    /// Its line with the schema of its arguments.
    whole: String,
    /// Its own schema; `None` when it is none.
    own: Option<Checked>,
    /// The schema of what a model takes out of a request: everything may be null or missing.
    extracted: Option<Arc<Checked>>,
}

/// See the module.
pub struct Reference {
    tools: Vec<ToolSpec>,
    known: BTreeMap<String, Known>,
    /// What the contracts say before anything is filled in.
    templates: BTreeMap<Contract, Arc<Checked>>,
    /// By contract and the tools that are offered.
    made: Mutex<BTreeMap<Selection, Arc<Filled>>>,
}

/// A contract and the tools it is about; `None`: all.
type Selection = (Contract, Option<Vec<String>>);

/// Tools and schema of one prompt.
pub(super) struct Filled {
    pub(super) tools: String,
    pub(super) schema: Arc<Checked>,
}

impl Reference {
    pub(super) fn new(tools: Vec<ToolSpec>, terms: &BTreeMap<Contract, Terms>) -> Self {
        let known = tools.iter().map(|tool| (tool.name.clone(), Known::of(tool))).collect();
        let templates =
            terms.iter().map(|(contract, terms)| (*contract, Arc::clone(&terms.schema))).collect();
        Self { tools, known, templates, made: Mutex::default() }
    }

    /// The tools there are.
    pub fn tools(&self) -> &[ToolSpec] {
        &self.tools
    }

    /// Those whose descriptions are no text from outside, which is shown to a model only where it is asked for.
    fn own(&self) -> impl Iterator<Item = &ToolSpec> {
        self.tools.iter().filter(|tool| !tool.outside)
    }

    /// One of them.
    pub fn tool(&self, name: &str) -> Option<&ToolSpec> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Everything a request can be: `tool.<name>` of every tool of Hark's own, `answer.general`, `answer.conversation`.
    pub fn intents(&self) -> Vec<String> {
        let tools = self.own().map(|tool| format!("{TOOL_PREFIX}{}", tool.name));
        tools.chain([GENERAL.to_owned(), CONVERSATION.to_owned()]).collect()
    }

    /// The schema of a tool's arguments, ready to check with.
    pub fn arguments(&self, tool: &str) -> Option<&Checked> {
        self.known.get(tool)?.own.as_ref()
    }

    /// A tool with its arguments as a prompt shows it.
    pub(super) fn line(&self, tool: &str) -> Option<&str> {
        Some(&self.known.get(tool)?.whole)
    }

    /// Tools and schema for a contract. `only`: of these tools; `None`: of all of Hark's own.
    ///
    /// # Errors
    /// When it is about a tool that is not there, or whose schema cannot be used.
    pub(super) fn filled(&self, contract: Contract, only: Option<&[String]>) -> Result<Arc<Filled>, String> {
        let selection = (contract, only.map(<[String]>::to_vec));
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(filled) = made.get(&selection) {
            return Ok(Arc::clone(filled));
        }
        let filled = Arc::new(self.fill(contract, only)?);
        if made.len() >= MAX_KEPT {
            made.clear();
        }
        made.insert(selection, Arc::clone(&filled));
        Ok(filled)
    }

    fn fill(&self, contract: Contract, only: Option<&[String]>) -> Result<Filled, String> {
        let Some(template) = self.templates.get(&contract) else {
            return Err(format!("there is no contract {}", contract.name()));
        };
        let offered: Vec<&ToolSpec> = match only {
            None => self.own().collect(),
            Some(names) => self.tools.iter().filter(|tool| names.contains(&tool.name)).collect(),
        };
        let about_one =
            matches!(contract, Contract::ToolArgumentExtraction | Contract::ToolArgumentVerification);
        if about_one && offered.len() != 1 {
            return Err(format!("{} is about exactly one tool that is there", contract.name()));
        }
        let lines = offered.iter().filter_map(|tool| self.known.get(&tool.name));
        let lines: Vec<&str> = lines
            .map(|known| match contract {
                _ if about_one => known.whole.as_str(),
                Contract::Plan => &known.brief,
                _ => &known.line,
            })
            .collect();
        let schema = match marked(template.schema()).as_deref() {
            None => Arc::clone(template),
            Some("arguments") => {
                let extracted =
                    offered.first().and_then(|tool| self.known.get(&tool.name)?.extracted.clone());
                extracted.ok_or("the tool's schema cannot be used")?
            }
            Some(what) => {
                let names: Vec<String> = match what {
                    "intents" if only.is_none() => self.intents(),
                    "intents" => offered
                        .iter()
                        .map(|tool| format!("{TOOL_PREFIX}{}", tool.name))
                        .chain([GENERAL.to_owned(), CONVERSATION.to_owned()])
                        .collect(),
                    _ => offered.iter().map(|tool| tool.name.clone()).collect(),
                };
                if names.is_empty() {
                    return Err("there is no tool to choose from".into());
                }
                Arc::new(Checked::new(with_names(template.schema(), &names))?)
            }
        };
        Ok(Filled { tools: lines.join("\n"), schema })
    }
}

impl Known {
    fn of(tool: &ToolSpec) -> Self {
        // A tool may come from outside with a description of its own making.
        let line =
            format!("- {}: {}", prompt::inline(&tool.name, 64), prompt::inline(&tool.description, 300));
        let results = match tool.results.is_empty() {
            true => String::new(),
            false => format!("\n  result: {}", tool.results.join(", ")),
        };
        let brief = format!("{line}\n  arguments: {}{results}", signature::of(&tool.schema));
        let whole = format!("{line}\n  arguments: {}", prompt::inline(&tool.schema.to_string(), 4000));
        let extracted = Checked::new(nullable(&tool.schema)).ok().map(Arc::new);
        Self { line, brief, whole, own: Checked::new(tool.schema.clone()).ok(), extracted }
    }
}

/// What a schema, or a part of it, wants filled in.
fn marked(schema: &Value) -> Option<String> {
    match schema {
        Value::Object(object) => {
            let here = object.get(FILLED).and_then(Value::as_str).map(str::to_owned);
            here.or_else(|| object.values().find_map(marked))
        }
        Value::Array(list) => list.iter().find_map(marked),
        _ => None,
    }
}

/// The schema with a choice of names where it is marked.
fn with_names(schema: &Value, names: &[String]) -> Value {
    match schema {
        Value::Object(object) => {
            let mut filled: Map<String, Value> = object
                .iter()
                .filter(|(key, _)| *key != FILLED)
                .map(|(key, value)| (key.clone(), with_names(value, names)))
                .collect();
            if object.contains_key(FILLED) {
                filled.insert("enum".into(), json!(names));
            }
            Value::Object(filled)
        }
        Value::Array(list) => list.iter().map(|item| with_names(item, names)).collect(),
        other => other.clone(),
    }
}

/// Whether a schema allows null.
pub(super) fn may_be_null(property: &Value) -> bool {
    let says = |value: &Value| match value {
        Value::String(name) => name == "null",
        Value::Array(names) => names.iter().any(|name| name == "null"),
        _ => false,
    };
    let any = |key: &str| property[key].as_array().is_some_and(|all| all.iter().any(may_be_null));
    says(&property["type"]) || any("anyOf") || any("oneOf")
}

/// The schema of what a model takes out of a request: nothing is required and everything may be null.
pub(super) fn nullable(schema: &Value) -> Value {
    let mut loose = schema.clone();
    let Some(object) = loose.as_object_mut() else { return json!({"type": "object", "maxProperties": 0}) };
    object.remove("required");
    object.remove("minProperties");
    object.insert("type".into(), json!("object"));
    object.insert("additionalProperties".into(), json!(false));
    match object.get_mut("properties").and_then(Value::as_object_mut) {
        Some(properties) => {
            for property in properties.values_mut().filter(|property| !may_be_null(property)) {
                *property = json!({"anyOf": [property.take(), {"type": "null"}]});
            }
        }
        None => {
            object.insert("properties".into(), json!({}));
        }
    }
    loose
}
