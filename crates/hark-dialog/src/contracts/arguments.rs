//! Arguments of tools: what a model took out of a request is only used when it is enough and right.

use super::check;
use super::outcome::Outcome;
use super::reference::{Checked, may_be_null};
use hark_core::Slots;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Something is wrong on the way from a request to its answer, told the same way every time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct PipelineError {
    /// `unknown_tool`, `invalid_arguments`, `unusable_schema`.
    pub kind: String,
    /// What happened, without the words of a model.
    pub message: String,
    /// What to do about it.
    pub fix: String,
}

impl PipelineError {
    /// An error of this kind.
    pub fn new(kind: &str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { kind: kind.to_owned(), message: message.into(), fix: fix.into() }
    }
}

/// What follows from the checks of arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// The tool can run.
    Run,
    /// Take the arguments out of the request once more.
    Extract,
    /// Ask the person this; empty: what is missing is not known.
    Ask(String),
    /// Let it be.
    Cancel,
}

/// A tool without arguments runs with `{}`; nothing is taken out of the request.
pub fn takes_none(schema: &Value) -> bool {
    schema["properties"].as_object().is_none_or(Map::is_empty)
}

/// Whether a tool must not run with these arguments: of the required ones that cannot be null more than half are
/// null, or all arguments are. What is missing counts as null.
pub fn too_little(schema: &Value, args: &Value) -> bool {
    let Some(properties) = schema["properties"].as_object().filter(|all| !all.is_empty()) else {
        return false;
    };
    let is_null = |name: &str| args.get(name).is_none_or(Value::is_null);
    if properties.keys().all(|name| is_null(name)) {
        return true;
    }
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    let required: Vec<&str> = required
        .iter()
        .filter_map(Value::as_str)
        .filter(|name| properties.get(*name).is_none_or(|property| !may_be_null(property)))
        .collect();
    let null = required.iter().filter(|name| is_null(name)).count();
    null * 2 > required.len()
}

/// The arguments as the tool gets them, without what is null.
///
/// # Errors
/// When they do not satisfy the tool's schema; always the same words for the same arguments.
pub fn validated(tool: &str, schema: Option<&Checked>, args: &Value) -> Result<Slots, PipelineError> {
    let Some(schema) = schema else {
        let message = format!("the schema of {tool} cannot be used");
        return Err(PipelineError::new("unusable_schema", message, "correct the tool's description"));
    };
    let Some(all) = args.as_object() else {
        let message = format!("the arguments of {tool} are not an object");
        return Err(PipelineError::new("invalid_arguments", message, "say what is wanted in other words"));
    };
    let given: Map<String, Value> = all
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let given = Value::Object(given);
    let mistakes = check::mistakes(&given, schema);
    match given {
        Value::Object(given) if mistakes.is_empty() => Ok(given),
        _ => {
            let message = format!("the arguments of {tool} are not right: {}", mistakes.join("; "));
            Err(PipelineError::new("invalid_arguments", message, "say what is wanted in other words"))
        }
    }
}

/// What follows from taking arguments out; `asked`: the person has been asked for them already.
pub fn after_extraction(outcome: &Outcome, asked: bool) -> Next {
    match (outcome.fallback, asked) {
        (false, _) => Next::Run,
        (true, false) => Next::Ask(String::new()),
        (true, true) => Next::Cancel,
    }
}

/// What follows from the verification of arguments that were taken out `tries` times. When it could not be told
/// whether they are right: once more, then a question, then nothing.
pub fn after_verification(outcome: &Outcome, tries: u32) -> Next {
    let question = || outcome.value["question"].as_str().unwrap_or_default().to_owned();
    match outcome.value["verdict"].as_str() {
        Some("ok") => Next::Run,
        Some("clarify") => Next::Ask(question()),
        Some("abort") => Next::Cancel,
        _ if tries <= 1 => Next::Extract,
        _ if tries == 2 => Next::Ask(question()),
        _ => Next::Cancel,
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference::nullable;
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "a": {"type": "string"}, "b": {"type": "integer"}, "c": {"type": "boolean"},
                "d": {"type": ["string", "null"]}, "e": {"type": "string"},
            },
            "required": ["a", "b", "c", "d"],
            "additionalProperties": false,
        })
    }

    #[test]
    fn a_tool_does_not_run_with_too_little() {
        for (args, expected) in [
            (json!({"a": "x", "b": 1, "c": true}), false),
            // One of three that cannot be null is not more than half, two are.
            (json!({"a": "x", "b": 1, "c": null, "d": null}), false),
            (json!({"a": "x", "b": null, "c": null, "d": "y"}), true),
            (json!({"a": "x"}), true),
            (json!({"a": null, "b": null, "c": null, "d": null, "e": null}), true),
            (json!({}), true),
        ] {
            assert_eq!(too_little(&schema(), &args), expected, "{args}");
        }
    }

    #[test]
    fn exactly_half_is_enough_and_what_may_be_missing_does_not_count() {
        let two =
            json!({"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "required": ["a", "b"]});
        assert!(!too_little(&two, &json!({"a": 1, "b": null})));
        assert!(too_little(&two, &json!({"c": 1})));
        let none = json!({"type": "object", "properties": {"a": {}, "b": {}}});
        assert!(!too_little(&none, &json!({"b": 1})) && too_little(&none, &json!({"a": null})));
        let empty = json!({"type": "object", "properties": {}});
        assert!(takes_none(&empty) && takes_none(&json!({})) && !too_little(&empty, &json!({})));
    }

    #[test]
    fn everything_may_be_null_on_the_way_out_of_a_request() {
        let loose = Checked::new(nullable(&schema())).unwrap();
        for good in [json!({}), json!({"a": null, "b": null}), json!({"a": "x", "d": null})] {
            assert_eq!(check::mistakes(&good, &loose), Vec::<String>::new(), "{good}");
        }
        for bad in [json!({"b": "1"}), json!({"z": null}), json!([])] {
            assert!(!check::mistakes(&bad, &loose).is_empty(), "{bad}");
        }
    }

    #[test]
    fn arguments_are_right_or_the_same_error_every_time() {
        let checked = Checked::new(schema()).unwrap();
        let args = json!({"a": "x", "b": 1, "c": true, "d": "y", "e": null});
        let slots = validated("t", Some(&checked), &args).unwrap();
        assert_eq!(Value::Object(slots), json!({"a": "x", "b": 1, "c": true, "d": "y"}));
        for bad in [json!({"a": 1, "b": 1, "c": true, "d": "y"}), json!({"b": 1}), json!("x")] {
            let first = validated("t", Some(&checked), &bad).unwrap_err();
            assert_eq!(first, validated("t", Some(&checked), &bad).unwrap_err());
            assert_eq!(first.kind, "invalid_arguments");
            assert!(!first.message.is_empty() && !first.fix.is_empty());
        }
        assert_eq!(validated("t", None, &args).unwrap_err().kind, "unusable_schema");
    }
}
