//! What a plan must be beyond its schema, and how it becomes one that can be carried out.

use super::arguments::validated;
use super::reference::Reference;
use super::step_values;
use hark_core::plan::{Plan, Step};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What is wrong with a plan that satisfies its schema: ids that come twice, steps that wait for what is not there
/// or for each other, arguments that their tool does not take.
pub fn mistakes(plan: &Value, reference: &Reference) -> Vec<String> {
    let steps = plan["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut found = Vec::new();
    let taken: Vec<BTreeSet<String>> = steps
        .iter()
        .map(|step| step_values::needed(&step["args"], step["only_if"]["step"].as_str()))
        .collect();
    let taken_in_args = |step: &Value| !step_values::needed(&step["args"], None).is_empty();
    let mut waits: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (number, step) in (1..).zip(steps) {
        let mut needs: Vec<&str> =
            step["depends_on"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let taken = &taken[number - 1];
        needs.extend(taken.iter().map(String::as_str));
        if waits.insert(step["id"].as_str().unwrap_or_default(), needs).is_some() {
            found.push(format!("step {number} has the id of another step"));
        }
        let tool = step["tool"].as_str().unwrap_or_default();
        // What is taken from results is checked when it is there.
        if !taken_in_args(step)
            && let Err(error) = validated(tool, reference.arguments(tool), &step["args"])
        {
            found.push(format!("step {number}: {error}"));
        }
    }
    for (number, step) in (1..).zip(steps) {
        let needs = waits.get(step["id"].as_str().unwrap_or_default());
        if needs.into_iter().flatten().any(|need| !waits.contains_key(need)) {
            found.push(format!("step {number} depends on a step that is not there"));
        }
    }
    if found.is_empty() && !comes_to_an_end(waits) {
        found.push("steps depend on each other in a circle".into());
    }
    found
}

/// Whether taking away steps that wait for nothing takes all away.
fn comes_to_an_end(mut waits: BTreeMap<&str, Vec<&str>>) -> bool {
    loop {
        let ready: BTreeSet<&str> =
            waits.iter().filter(|(_, needs)| needs.is_empty()).map(|(id, _)| *id).collect();
        if ready.is_empty() {
            return waits.is_empty();
        }
        waits.retain(|id, _| !ready.contains(id));
        for needs in waits.values_mut() {
            needs.retain(|need| !ready.contains(need));
        }
    }
}

/// The plan that a valid answer is, under an id of its own; arguments without what is null. `None` for the fallback.
pub fn plan_of(value: &Value, id: &str) -> Option<Plan> {
    #[derive(Deserialize)]
    struct Proposal {
        summary: String,
        steps: Vec<Step>,
    }
    let Proposal { summary, mut steps } = serde_json::from_value(value.clone()).ok()?;
    for step in &mut steps {
        step.args.retain(|_, value| !value.is_null());
        for id in step_values::needed_by(step) {
            if !step.depends_on.contains(&id) {
                step.depends_on.push(id);
            }
        }
    }
    Some(Plan { id: id.to_owned(), summary, steps, tainted: false })
}
