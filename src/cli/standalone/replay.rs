//! Feeds what was recorded of a turn to today's turn machine, and compares what it tells then with what was told.
//! Nothing is done and nothing is said.

use hark_core::{Effect, Event, Fault, FaultKind, Stamp, TurnId};
use hark_dialog::turn::{Machine, Settings};
use hark_store::turns::TurnRecord;
use serde::Serialize;
use serde_json::Value;

/// Turns before it that the machine may remember something of.
pub const LEAD_UP_TURNS: u32 = 100;
/// How many turns more than the record shows may have been open unseen.
const MAX_UNSEEN: u64 = 32;
/// Fields that every event has around its own.
const AROUND: [&str; 5] = ["turn", "t_ms", "at", "audio_ms", "file"];
/// Events that other parts than the machine tell of a turn as well; they count where the machine tells some.
const OF_OTHERS: [&str; 4] = ["error", "contract", "plan", "step_update"];

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replayed {
    /// The turn.
    pub turn: TurnId,
    /// Today's machine tells the same.
    pub same: bool,
    /// Events that went into the machine, those of turns before it included.
    pub inputs: usize,
    /// Events that were told of the turn.
    pub events: usize,
    /// What differs, in order.
    pub differences: Vec<Difference>,
}

/// One event that is told on one side only.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// Told then, and not today.
    Recorded(Value),
    /// Told today, and not then.
    Today(Value),
}

/// Replays `record`. `before` are turns of the same start that came before it, the oldest first: the machine may
/// have remembered something of them. `settings` are today's; their ids do not matter.
///
/// # Errors
/// When what was recorded cannot be read.
pub fn replay(record: &TurnRecord, before: &[TurnRecord], settings: &Settings) -> Result<Replayed, Fault> {
    let (prefix, number) = parts_of(&record.id)?;
    if record.inputs.is_empty() {
        let message = format!("nothing of turn {} was recorded for a replay", record.id);
        return Err(Fault::new(FaultKind::BadInput, "replay", message, "replay another turn"));
    }
    let alone = best(record, &record.inputs, prefix, number, settings)?;
    let with_lead_up = lead_up(record, before);
    if alone.same || with_lead_up.len() == record.inputs.len() {
        return Ok(alone);
    }
    best(record, &with_lead_up, prefix, number, settings)
}

/// Everything that went into the machine since the oldest of these turns, as far as it is known. Turns that
/// overlapped were recorded with the same beginning.
fn lead_up(record: &TurnRecord, before: &[TurnRecord]) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    let mut segment: &[Value] = &[];
    for turn in before.iter().chain([record]) {
        if !turn.inputs.starts_with(segment) {
            all.extend_from_slice(segment);
        }
        segment = &turn.inputs;
    }
    all.extend_from_slice(segment);
    all
}

/// A fresh machine counts its turns from one: of all ways to number the recorded ones the best counts.
fn best(
    record: &TurnRecord,
    inputs: &[Value],
    prefix: &str,
    number: u64,
    settings: &Settings,
) -> Result<Replayed, Fault> {
    let mut seen = number;
    for input in inputs {
        visit_turns(input, prefix, &mut |number| seen = seen.min(number));
    }
    let mut best: Option<Replayed> = None;
    for unseen in 0..seen.min(MAX_UNSEEN) {
        let offset = seen - 1 - unseen;
        let today = run(record, inputs, prefix, number, offset, settings)?;
        if best.as_ref().is_none_or(|best| today.differences.len() < best.differences.len()) {
            best = Some(today);
        }
        if best.as_ref().is_some_and(|best| best.same) {
            break;
        }
    }
    best.ok_or_else(|| unreadable(&record.id, "its number is 0"))
}

fn run(
    record: &TurnRecord,
    inputs: &[Value],
    prefix: &str,
    number: u64,
    offset: u64,
    settings: &Settings,
) -> Result<Replayed, Fault> {
    let settings = Settings { id_prefix: prefix.to_owned(), ..settings.clone() };
    let mut machine = Machine::new(settings);
    let id = TurnId(format!("{prefix}-{}", number - offset));
    let mut today = Vec::new();
    for input in inputs {
        let mut input = input.clone();
        renumber(&mut input, prefix, offset);
        let (now, event): (Stamp, Event) =
            serde_json::from_value(input).map_err(|error| unreadable(&record.id, &error.to_string()))?;
        for effect in machine.handle(now, event) {
            if let Effect::Publish { turn: Some(turn), event, .. } = effect
                && turn == id
            {
                today.push(serde_json::to_value(event).unwrap_or(Value::Null));
            }
        }
    }
    // What was told after the end, such as how good the answer was, came of no input that was recorded.
    let end = record.events.iter().position(|event| event["event"] == "turn");
    let recorded = record.events.iter().take(end.map_or(usize::MAX, |end| end + 1));
    let recorded: Vec<Value> = recorded.map(bare).collect();
    let told = |name: &Value| today.iter().any(|event| event["event"] == *name);
    let others =
        |event: &Value| OF_OTHERS.iter().any(|name| event["event"] == *name) && !told(&event["event"]);
    let recorded: Vec<Value> = recorded.into_iter().filter(|event| !others(event)).collect();
    let differences = differences(&recorded, &today);
    let (inputs, events) = (inputs.len(), recorded.len());
    Ok(Replayed { turn: record.id.clone(), same: differences.is_empty(), inputs, events, differences })
}

/// An event's own fields.
fn bare(event: &Value) -> Value {
    let mut event = event.clone();
    if let Some(object) = event.as_object_mut() {
        object.retain(|field, _| !AROUND.contains(&field.as_str()));
    }
    event
}

/// What is left when the longest common sequence is taken away, in order.
fn differences(recorded: &[Value], today: &[Value]) -> Vec<Difference> {
    let (rows, columns) = (recorded.len(), today.len());
    // common[r][c]: how long the longest common sequence of what is left from r and c on is.
    let mut common = vec![vec![0_usize; columns + 1]; rows + 1];
    for r in (0..rows).rev() {
        for c in (0..columns).rev() {
            common[r][c] = if alike(&recorded[r], &today[c]) {
                common[r + 1][c + 1] + 1
            } else {
                common[r + 1][c].max(common[r][c + 1])
            };
        }
    }
    let (mut r, mut c, mut found) = (0, 0, Vec::new());
    while r < rows || c < columns {
        if r < rows && c < columns && alike(&recorded[r], &today[c]) {
            (r, c) = (r + 1, c + 1);
        } else if c == columns || (r < rows && common[r + 1][c] >= common[r][c + 1]) {
            found.push(Difference::Recorded(recorded[r].clone()));
            r += 1;
        } else {
            found.push(Difference::Today(today[c].clone()));
            c += 1;
        }
    }
    found
}

/// Equal, but for the last digit that reading a number from text may cost.
fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => match (one.as_f64(), other.as_f64()) {
            (Some(one), Some(other)) => (one - other).abs() <= 1e-9 * one.abs().max(1.0),
            _ => one == other,
        },
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| alike(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| alike(value, other)))
        }
        _ => one == other,
    }
}

/// What all turns of a start share, and the number of this one.
fn parts_of(id: &TurnId) -> Result<(&str, u64), Fault> {
    let parts = id.0.rsplit_once('-').and_then(|(prefix, number)| Some((prefix, number.parse().ok()?)));
    parts.ok_or_else(|| unreadable(id, "its id has no number"))
}

/// What all turns of a start share.
pub fn start_of(id: &TurnId) -> Option<&str> {
    parts_of(id).ok().map(|(prefix, _)| prefix)
}

fn number_in(text: &str, prefix: &str) -> Option<u64> {
    text.strip_prefix(prefix)?.strip_prefix('-')?.parse().ok()
}

/// The number of every turn of this start that is named.
fn visit_turns(value: &Value, prefix: &str, visit: &mut impl FnMut(u64)) {
    match value {
        Value::Object(object) => {
            if let Some(number) =
                object.get("turn").and_then(Value::as_str).and_then(|id| number_in(id, prefix))
            {
                visit(number);
            }
            object.values().for_each(|value| visit_turns(value, prefix, visit));
        }
        Value::Array(list) => list.iter().for_each(|value| visit_turns(value, prefix, visit)),
        _ => {}
    }
}

/// Takes `offset` from the number of every turn that is named.
fn renumber(value: &mut Value, prefix: &str, offset: u64) {
    match value {
        Value::Object(object) => {
            for (key, value) in object.iter_mut() {
                match value.as_str().filter(|_| key == "turn").and_then(|id| number_in(id, prefix)) {
                    Some(number) => *value = format!("{prefix}-{}", number.saturating_sub(offset)).into(),
                    None => renumber(value, prefix, offset),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| renumber(value, prefix, offset)),
        _ => {}
    }
}

fn unreadable(id: &TurnId, why: &str) -> Fault {
    let message = format!("what was recorded of turn {id} cannot be read by this version: {why}");
    Fault::new(FaultKind::BadInput, "replay", message, "replay a turn that this version has recorded")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differences_are_told_in_order() {
        let events = |names: &[&str]| names.iter().map(|name| json!({"event": name})).collect::<Vec<_>>();
        let (recorded, today) = (events(&["a", "b", "c"]), events(&["a", "x", "c", "d"]));
        let expected = [
            Difference::Recorded(json!({"event": "b"})),
            Difference::Today(json!({"event": "x"})),
            Difference::Today(json!({"event": "d"})),
        ];
        assert_eq!(differences(&recorded, &today), expected);
        assert_eq!(differences(&recorded, &recorded), []);
        assert_eq!(differences(&recorded, &[]).len(), 3);
    }

    #[test]
    fn numbers_may_differ_in_what_text_costs_and_no_more() {
        assert!(alike(&json!({"a": [0.1, 1]}), &json!({"a": [0.100_000_000_000_01, 1.0]})));
        assert!(!alike(&json!({"a": 0.1}), &json!({"a": 0.11})));
        assert!(!alike(&json!({"a": 1}), &json!({"a": 1, "b": 2})));
        assert!(!alike(&json!([1]), &json!([1, 1])) && !alike(&json!("1"), &json!(1)));
    }

    #[test]
    fn turns_are_renumbered_where_they_are_named_as_turns() {
        let mut input = json!([{"mono_us": 1}, {"turn": "p-7", "x": {"turn": "p-8"}, "text": "p-7", "y": {"turn": "q-7"}}]);
        let mut seen = Vec::new();
        visit_turns(&input, "p", &mut |number| seen.push(number));
        assert_eq!(seen, [7, 8]);
        renumber(&mut input, "p", 6);
        assert_eq!(
            input[1],
            json!({"turn": "p-1", "x": {"turn": "p-2"}, "text": "p-7", "y": {"turn": "q-7"}})
        );
    }

    #[test]
    fn overlapping_turns_are_fed_once() {
        let turn = |inputs: Value| TurnRecord {
            id: "p-1".into(),
            at: String::new(),
            session: String::new(),
            events: Vec::new(),
            inputs: inputs.as_array().unwrap().clone(),
        };
        let before = [turn(json!([1, 2])), turn(json!([3])), turn(json!([3, 4]))];
        assert_eq!(lead_up(&turn(json!([5])), &before), [1, 2, 3, 4, 5].map(Value::from));
        assert_eq!(lead_up(&turn(json!([3, 4, 6])), &before), [1, 2, 3, 4, 6].map(Value::from));
    }

    #[test]
    fn what_cannot_be_read_is_a_fault() {
        let settings = crate::app::builder::machine_settings(&hark_config::Config::default(), "p");
        let record = |id: &str, inputs: Vec<Value>| TurnRecord {
            id: id.into(),
            at: String::new(),
            session: String::new(),
            events: Vec::new(),
            inputs,
        };
        for bad in [
            record("p-1", vec![]),
            record("p", vec![json!(1)]),
            record("p-1", vec![json!([{}, {"kind": "?"}])]),
        ] {
            let fault = replay(&bad, &[], &settings).unwrap_err();
            assert_eq!(fault.kind, FaultKind::BadInput);
        }
    }
}
