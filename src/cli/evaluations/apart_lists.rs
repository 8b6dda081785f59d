//! Lists of requests that are kept apart from training (`models/intent/held_out/apart`): what each should come to, and
//! whether it did. A line: what is said `|` intent and slots; `;` between several that are right, `+` between the requests
//! of one sentence, `*` for anything. Slots that are not named may be there too. `#` begins a comment.

use super::conversation::Turn;
use super::figures::Verdict;
use hark_core::public_event::Outcome;
use hark_core::{Fault, FaultKind, Intent, Risk};
use hark_dialog::intent_tools;
use hark_tools::tools::table;
use serde_json::Value;
use std::path::Path;

/// A request that is wanted: its intent, and slots with the text they should have.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Wanted {
    intent: String,
    slots: Vec<(String, String)>,
}

/// A line of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// What is said.
    pub(super) text: String,
    alternatives: Vec<Vec<Wanted>>,
}

/// The lines of a file that say something; without a `|` nothing is wanted of them.
///
/// # Errors
/// When it cannot be read.
pub(super) fn read(file: &Path) -> Result<Vec<Line>, Fault> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        let message = format!("{}: {error}", file.display());
        Fault::new(
            FaultKind::MissingPart,
            "eval",
            message,
            "give the models folder of the project: --set paths.models_dir=models",
        )
    })?;
    Ok(text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).map(line).collect())
}

fn line(line: &str) -> Line {
    let (text, alternatives) = line.split_once(" | ").unwrap_or((line, ""));
    let alternatives = alternatives.split(" ; ").map(|row| row.split(" + ").filter_map(wanted).collect());
    let alternatives = alternatives.filter(|row: &Vec<Wanted>| !row.is_empty()).collect();
    Line { text: text.trim().to_owned(), alternatives }
}

/// "HassTurnOn area=Living room domain=light": a value goes on to the next word with a `=`.
fn wanted(said: &str) -> Option<Wanted> {
    let mut words = said.split_whitespace();
    let mut wanted = Wanted { intent: words.next()?.to_owned(), slots: Vec::new() };
    for word in words {
        match (word.split_once('='), wanted.slots.last_mut()) {
            (Some((slot, value)), _) => wanted.slots.push((slot.to_owned(), value.to_owned())),
            (None, Some((_, value))) => *value += &format!(" {word}"),
            (None, None) => {}
        }
    }
    Some(wanted)
}

impl Line {
    /// The kind of request that is wanted first, for counting.
    pub(super) fn intent(&self) -> Option<&str> {
        self.alternatives.first()?.first().map(|wanted| wanted.intent.as_str())
    }

    /// Whether the intents are right, whatever their slots.
    pub(super) fn has_intents(&self, turn: &Turn) -> bool {
        self.alternatives.iter().any(|row| same_intents(row, &turn.intents))
    }

    /// What was understood, judged: with its slots where something is wanted, else whether it was left alone.
    pub(super) fn judge(&self, turn: &Turn) -> Verdict {
        let is_right = match self.alternatives.is_empty() {
            true => turn.intents.is_empty(),
            false => self
                .alternatives
                .iter()
                .any(|row| same_intents(row, &turn.intents) && filled(row, &turn.intents)),
        };
        match is_right {
            true => Verdict::Right,
            // What is not understood is only guessed at, to be asked about.
            false if turn.outcome == Some(Outcome::NotUnderstood) => Verdict::Wrong,
            false if turn.intents.iter().any(changes_something) => Verdict::Harmful,
            false => Verdict::Wrong,
        }
    }
}

fn same_intents(wanted: &[Wanted], found: &[Intent]) -> bool {
    wanted.len() == found.len() && wanted.iter().zip(found).all(|(wanted, found)| wanted.intent == found.name)
}

fn filled(wanted: &[Wanted], found: &[Intent]) -> bool {
    wanted.iter().zip(found).all(|(wanted, found)| {
        let mut slots = wanted.slots.iter();
        slots.all(|(slot, value)| is_it(found.slots.get(slot).unwrap_or(&Value::Null), value))
    })
}

fn is_it(value: &Value, wanted: &str) -> bool {
    let said = value.as_str().map_or_else(|| value.to_string(), str::to_owned).to_lowercase();
    let number = |text: &str| text.parse::<f64>().ok();
    match wanted.to_lowercase().split('*').collect::<Vec<_>>().as_slice() {
        [whole] => said == *whole || number(&said).is_some_and(|it| Some(it) == number(whole)),
        [.., end] => said.ends_with(end),
        [] => false,
    }
}

/// Whether the tool that serves an intent does more than look.
pub(super) fn changes_something(intent: &Intent) -> bool {
    let tool = intent_tools::tool_of(intent).and_then(table::find);
    tool.is_some_and(|tool| tool.risk != Risk::Read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::Route;
    use serde_json::json;

    fn found(intents: &[(&str, Value)]) -> Turn {
        let intent = |(name, slots): &(&str, Value)| Intent {
            name: (*name).to_owned(),
            slots: slots.as_object().unwrap().clone(),
            confidence: 1.0,
            route: Route::Template,
            why: String::new(),
            response: None,
            single: false,
        };
        Turn { intents: intents.iter().map(intent).collect(), ..Turn::default() }
    }

    #[test]
    fn intents_and_named_slots_decide() {
        let line = line(
            "some light | HassTurnOn area=Living room domain=light ; HarkLightSetRelative area=Living room",
        );
        let light = json!({"area": "Living room", "domain": "light", "more": 1});
        assert_eq!(line.intent(), Some("HassTurnOn"));
        assert_eq!(line.judge(&found(&[("HassTurnOn", light.clone())])), Verdict::Right);
        let other = json!({"area": "Kitchen", "domain": "light"});
        assert_eq!(line.judge(&found(&[("HassTurnOn", other.clone())])), Verdict::Harmful);
        assert!(line.has_intents(&found(&[("HassTurnOn", other)])));
        assert_eq!(
            line.judge(&found(&[("HassTurnOn", light.clone()), ("HassTurnOn", light)])),
            Verdict::Harmful
        );
        assert_eq!(line.judge(&found(&[("HassGetState", json!({}))])), Verdict::Wrong);
        assert_eq!(line.judge(&found(&[])), Verdict::Wrong);
    }

    #[test]
    fn numbers_and_ends_of_texts_are_compared() {
        assert!(is_it(&json!(50), "50") && is_it(&json!("50.0"), "50") && !is_it(&json!(5), "50"));
        assert!(is_it(&json!("2027-01-01T07:00:00"), "*T07:00:00") && !is_it(&Value::Null, "x"));
        assert!(is_it(&json!("any"), "*"));
    }

    #[test]
    fn what_asks_for_nothing_is_right_when_it_is_left_alone() {
        let line = line("what's the balance on my savings account");
        assert_eq!(line.judge(&found(&[])), Verdict::Right);
        assert_eq!(line.judge(&found(&[("HassGetState", json!({}))])), Verdict::Wrong);
        assert_eq!(line.judge(&found(&[("HassTurnOn", json!({}))])), Verdict::Harmful);
        let guessed = Turn { outcome: Some(Outcome::NotUnderstood), ..found(&[("HassTurnOn", json!({}))]) };
        assert_eq!(line.judge(&guessed), Verdict::Wrong);
    }
}
