//! "Why did you do that": what the last request was understood as, by which route, and what came of it,
//! kept from its turn and told by the response template of `HarkWhy`.

use super::Machine;
use super::state::Turn;
use crate::domain::Intent;
use crate::domain::public_event::{Origin, Outcome};
use serde_json::{Map, Value, json};

/// The intent that asks for it.
const ASKS: &str = "HarkWhy";

/// What the machine remembers of a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Story {
    heard: String,
    typed: bool,
    intents: Vec<Intent>,
    /// One each intent, from its receipt: `ok`, `changed`, `entities`, `message`; `ok` is null when no tool
    /// was needed.
    deeds: Vec<Value>,
}

impl Machine {
    /// Remembers what a turn was about; questions about the turn before do not take its place.
    pub(super) fn tell_later(&mut self, turn: &Turn, outcome: Outcome) {
        let asks = turn.understood.iter().any(|intent| intent.name == ASKS);
        let nothing = turn.heard.is_empty() || matches!(outcome, Outcome::DryRun | Outcome::NothingSaid);
        if turn.origin == Origin::Internal || asks || nothing {
            return;
        }
        let deeds = turn.work.iter().map(|work| match &work.receipt {
            None => json!({"ok": null}),
            Some(receipt) => json!({
                "ok": receipt.ok, "changed": receipt.changed,
                "entities": receipt.detail.get("entities"), "message": receipt.detail.get("message"),
            }),
        });
        self.story = Some(Story {
            heard: turn.heard.clone(),
            typed: turn.origin != Origin::Voice,
            intents: turn.understood.clone(),
            deeds: deeds.collect(),
        });
    }

    /// Gives the question what it asks for.
    pub(super) fn put_story_in(&self, intents: &mut [Intent]) {
        for intent in intents.iter_mut().filter(|intent| intent.name == ASKS) {
            let story = self.story.as_ref().map_or(Value::Null, Story::told);
            intent.slots.insert("story".to_owned(), story);
        }
    }
}

impl Story {
    fn told(&self) -> Value {
        let known = self.intents.iter().filter(|intent| intent.name != "out_of_scope");
        let parts = known.enumerate().map(|(at, intent)| {
            let mut part = match self.deeds.get(at) {
                Some(Value::Object(deed)) => deed.clone(),
                _ => Map::from_iter([("ok".to_owned(), Value::Null)]),
            };
            part.insert("intent".to_owned(), json!(spoken(&intent.name)));
            part.insert("slots".to_owned(), Value::Object(intent.slots.clone()));
            part.insert("why".to_owned(), json!(intent.why));
            Value::Object(part)
        });
        json!({
            "heard": self.heard, "typed": self.typed,
            "route": self.intents.first().map(|intent| intent.route),
            "parts": parts.collect::<Vec<_>>(),
        })
    }
}

/// `HassTurnOn` as people say it: "turn on".
fn spoken(intent: &str) -> String {
    let bare = intent.strip_prefix("Hass").or_else(|| intent.strip_prefix("Hark")).unwrap_or(intent);
    let mut words = String::new();
    for letter in bare.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_intents_are_said_as_words() {
        assert_eq!(spoken("HassTurnOn"), "turn on");
        assert_eq!(spoken("HarkListRead"), "list read");
        assert_eq!(spoken("Other"), "other");
    }
}
