//! Values that a step of a plan takes from the results of earlier steps: `${ID.FIELD}` in its arguments, and the
//! condition under which it is done. Results are data: they fill a place, and are never read for places themselves.

use hark_core::Slots;
use hark_core::plan::{Comparison, Step, StepCondition};
use serde_json::Value;
use std::collections::BTreeSet;

const OPENS: &str = "${";
const CLOSES: &str = "}";

/// A place in a text: what stands before it, id and field, and the rest behind it.
fn next_place(text: &str) -> Option<(&str, (&str, &str), &str)> {
    let (before, rest) = text.split_once(OPENS)?;
    let (place, behind) = rest.split_once(CLOSES)?;
    let (id, field) = place.trim().split_once('.')?;
    Some((before, (id.trim(), field.trim()), behind))
}

/// Ids of the steps whose results are taken.
pub fn needed(args: &Value, only_if: Option<&str>) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    collect(args, &mut ids);
    ids.extend(only_if.map(str::to_owned));
    ids
}

fn collect(value: &Value, ids: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let mut rest = text.as_str();
            while let Some((_, (id, _), behind)) = next_place(rest) {
                ids.insert(id.to_owned());
                rest = behind;
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, ids)),
        Value::Object(values) => values.values().for_each(|value| collect(value, ids)),
        _ => {}
    }
}

/// Ids of the steps whose results a step takes.
pub fn needed_by(step: &Step) -> BTreeSet<String> {
    needed(&Value::Object(step.args.clone()), step.only_if.as_ref().map(|condition| condition.step.as_str()))
}

/// The arguments with values in all places.
///
/// # Errors
/// What is missing in which result.
pub fn filled<'r>(args: &Slots, result_of: impl Fn(&str) -> Option<&'r Value>) -> Result<Slots, String> {
    args.iter().map(|(name, value)| Ok((name.clone(), fill(value, &result_of)?))).collect()
}

fn fill<'r>(value: &Value, result_of: &impl Fn(&str) -> Option<&'r Value>) -> Result<Value, String> {
    match value {
        Value::String(text) => fill_text(text, result_of),
        Value::Array(values) => values.iter().map(|value| fill(value, result_of)).collect(),
        Value::Object(values) => {
            let filled = values.iter().map(|(name, value)| Ok((name.clone(), fill(value, result_of)?)));
            filled.collect::<Result<_, String>>().map(Value::Object)
        }
        other => Ok(other.clone()),
    }
}

/// A text that is one place becomes its value, of whatever kind; within a longer text it is written out.
fn fill_text<'r>(text: &str, result_of: &impl Fn(&str) -> Option<&'r Value>) -> Result<Value, String> {
    let taken = |id: &str, field: &str| {
        let result = result_of(id).ok_or_else(|| format!("step {id} has no result"))?;
        at(result, field).ok_or_else(|| format!("the result of step {id} has no {field}"))
    };
    let (mut rest, mut filled) = (text, String::new());
    while let Some((before, (id, field), behind)) = next_place(rest) {
        let value = taken(id, field)?;
        if before.is_empty() && behind.is_empty() && filled.is_empty() {
            return Ok(value.clone());
        }
        filled.push_str(before);
        filled.push_str(&written(value));
        rest = behind;
    }
    filled.push_str(rest);
    Ok(Value::String(filled))
}

/// The arguments with other ids in their places, where they are of these.
pub fn renamed(args: &Slots, ids: &[String], name: &impl Fn(&String) -> String) -> Slots {
    args.iter().map(|(key, value)| (key.clone(), rename(value, ids, name))).collect()
}

fn rename(value: &Value, ids: &[String], name: &impl Fn(&String) -> String) -> Value {
    match value {
        Value::String(text) => {
            let (mut rest, mut done) = (text.as_str(), String::new());
            while let Some((before, (id, field), behind)) = next_place(rest) {
                let id = ids.iter().find(|known| *known == id).map_or_else(|| id.to_owned(), name);
                done.push_str(&format!("{before}{OPENS}{id}.{field}{CLOSES}"));
                rest = behind;
            }
            Value::String(done + rest)
        }
        Value::Array(values) => values.iter().map(|value| rename(value, ids, name)).collect(),
        Value::Object(values) => Value::Object(renamed(values, ids, name)),
        other => other.clone(),
    }
}

/// The value at a path of names and positions.
fn at<'v>(result: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(result, |value, name| match value {
        Value::Array(values) => values.get(name.parse::<usize>().ok()?),
        Value::Object(values) => values.get(name),
        _ => None,
    })
}

fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(written).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// Whether a condition holds of a result.
///
/// # Errors
/// Why that cannot be told: nothing is there, or no number is.
pub fn holds(condition: &StepCondition, result: Option<&Value>) -> Result<bool, String> {
    let StepCondition { step, field, is, value } = condition;
    let found = result
        .and_then(|result| at(result, field))
        .ok_or_else(|| format!("the result of step {step} has no {field}"))?;
    let numbers =
        || number(found).zip(number(value)).ok_or_else(|| format!("{field} of step {step} is no number"));
    Ok(match is {
        Comparison::Equal => is_same(found, value),
        Comparison::Different => !is_same(found, value),
        Comparison::Above => numbers().map(|(found, value)| found > value)?,
        Comparison::Below => numbers().map(|(found, value)| found < value)?,
        Comparison::Contains => match found {
            Value::Array(values) => values.iter().any(|one| is_same(one, value)),
            other => written(other).to_lowercase().contains(&written(value).to_lowercase()),
        },
    })
}

/// A number, also one in a text, as states of the home are.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()).filter(|number: &f64| number.is_finite())
}

fn is_same(a: &Value, b: &Value) -> bool {
    match (number(a), number(b)) {
        (Some(a), Some(b)) => (a - b).abs() < f64::EPSILON * a.abs().max(1.0),
        _ => a == b || written(a).eq_ignore_ascii_case(&written(b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn slots(value: Value) -> Slots {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn values_of_results_fill_their_places() {
        let result = json!({"temperature": 21.5, "unit": "°C", "items": ["milk", "eggs"], "entities": [{"name": "Lamp"}]});
        let of = |id: &str| (id == "1").then_some(&result);
        for (args, expected) in [
            (json!({"value": "${1.temperature}"}), json!({"value": 21.5})),
            (json!({"text": "It is ${1.temperature} ${1.unit}."}), json!({"text": "It is 21.5 °C."})),
            (json!({"item": "${1.items}"}), json!({"item": ["milk", "eggs"]})),
            (json!({"item": "buy ${1.items}"}), json!({"item": "buy milk, eggs"})),
            (json!({"who": ["${1.entities.0.name}", 3]}), json!({"who": ["Lamp", 3]})),
            (json!({"text": "${no place} {"}), json!({"text": "${no place} {"})),
        ] {
            assert_eq!(filled(&slots(args.clone()), of).unwrap(), slots(expected), "{args}");
        }
        for args in [json!({"a": "${2.x}"}), json!({"a": "${1.x}"}), json!({"a": "${1.items.9}"})] {
            assert!(filled(&slots(args.clone()), of).is_err(), "{args}");
        }
        let ids = ["1".to_owned()];
        let args = renamed(&slots(json!({"a": "x ${1.b} ${2.c}"})), &ids, &|id| format!("7-{id}"));
        assert_eq!(args, slots(json!({"a": "x ${7-1.b} ${2.c}"})));
        let needs = needed(&json!({"a": "${1.x} ${2.y}", "b": [{"c": "${3.z}"}]}), Some("4"));
        assert_eq!(needs.into_iter().collect::<Vec<_>>(), ["1", "2", "3", "4"]);
    }

    #[test]
    fn what_a_result_says_is_never_a_place() {
        let result = json!({"text": "${2.secret}"});
        let of = |id: &str| (id == "1").then_some(&result);
        let args = slots(json!({"a": "said ${1.text}", "b": "${1.text}"}));
        assert_eq!(filled(&args, of).unwrap(), slots(json!({"a": "said ${2.secret}", "b": "${2.secret}"})));
    }

    #[test]
    fn conditions_are_told_of_results() {
        let result = json!({"temperature": "21.5", "state": "On", "items": ["Milk"], "open": true});
        let told = |field: &str, is, value: Value| {
            let condition = StepCondition { step: "1".into(), field: field.into(), is, value };
            holds(&condition, Some(&result)).ok()
        };
        for (field, is, value, expected) in [
            ("temperature", Comparison::Above, json!(20), Some(true)),
            ("temperature", Comparison::Below, json!("20"), Some(false)),
            ("temperature", Comparison::Equal, json!(21.5), Some(true)),
            ("state", Comparison::Equal, json!("on"), Some(true)),
            ("state", Comparison::Different, json!("on"), Some(false)),
            ("items", Comparison::Contains, json!("milk"), Some(true)),
            ("state", Comparison::Contains, json!("f"), Some(false)),
            ("open", Comparison::Equal, json!(true), Some(true)),
            ("state", Comparison::Above, json!(3), None),
            ("nothing", Comparison::Equal, json!(3), None),
        ] {
            assert_eq!(told(field, is, value.clone()), expected, "{field} {value}");
        }
    }
}
