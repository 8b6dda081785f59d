//! Calls of tools that a model makes in place of an answer: right when each names a tool that is offered and has
//! arguments this tool takes. Nothing of what it wrote is repeated to anybody.

use super::arguments::validated;
use super::reference::{Checked, Reference};
use hark_core::model::{Completion, ModelCall, ModelError, ToolSpec};

/// Names of offered tools that are told at most.
const MAX_NAMES: usize = 60;
/// Calls of one step that are looked at; more are a mistake.
const MAX_CALLS: usize = 16;

/// The calls of an answer, where tools are offered.
pub(super) fn calls(answer: &Result<Completion, ModelError>, offer: &[ToolSpec]) -> Vec<ModelCall> {
    match answer {
        Ok(completion) if !offer.is_empty() => completion.calls.clone(),
        _ => Vec::new(),
    }
}

/// What is wrong with calls.
pub(super) fn mistakes(calls: &[ModelCall], offer: &[ToolSpec], reference: &Reference) -> Vec<String> {
    if calls.len() > MAX_CALLS {
        return vec![format!("{} calls at once are more than {MAX_CALLS}", calls.len())];
    }
    let wrong = |(number, call): (usize, &ModelCall)| {
        let Some(spec) = offered(offer, &call.tool) else {
            return Some(format!("call {number} names a tool that is not offered"));
        };
        let checked = match reference.arguments(&spec.name) {
            Some(schema) => validated(&spec.name, Some(schema), &call.args),
            // Not a tool of the house, such as the question to the person.
            None => validated(&spec.name, Checked::new(spec.schema.clone()).ok().as_ref(), &call.args),
        };
        checked.err().map(|error| format!("call {number}: {error}"))
    };
    (1..).zip(calls).filter_map(wrong).collect()
}

/// What the tools take that were called wrongly, or which there are, for the next attempt.
pub(super) fn reinforced(calls: &[ModelCall], offer: &[ToolSpec], reference: &Reference) -> String {
    let mut lines: Vec<String> = Vec::new();
    for call in calls.iter().take(MAX_CALLS) {
        let line = match offered(offer, &call.tool) {
            Some(spec) => reference
                .line(&spec.name)
                .map_or_else(|| format!("- {}\n  arguments: {}", spec.name, spec.schema), str::to_owned),
            None => {
                let names: Vec<&str> = offer.iter().take(MAX_NAMES).map(|spec| spec.name.as_str()).collect();
                format!("The tools there are: {}.", names.join(", "))
            }
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.join("\n")
}

fn offered<'a>(offer: &'a [ToolSpec], name: &str) -> Option<&'a ToolSpec> {
    offer.iter().find(|spec| spec.name == name)
}
