//! "Why did you do that": what the last request was understood as, by which route, and what came of it,
//! kept from its turn and told by the response template of `HarkWhy`.

use super::Machine;
use super::state::Turn;
use hark_core::Intent;
use hark_core::public_event::{Origin, Outcome};
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
    receipts: Vec<Value>,
}

impl Machine {
    /// Remembers what a turn was about; questions about the turn before do not take its place.
    pub(super) fn tell_later(&mut self, turn: &Turn, outcome: Outcome) {
        let asks = turn.understood.iter().any(|intent| intent.name == ASKS);
        let nothing = turn.heard.is_empty() || matches!(outcome, Outcome::DryRun | Outcome::NothingSaid);
        if turn.origin == Origin::Internal || asks || nothing {
            return;
        }
        let receipts = turn.work.iter().map(|work| match &work.receipt {
            None => json!({"ok": null}),
            Some(receipt) => json!({
                "ok": receipt.ok, "changed": receipt.changed,
                "entities": receipt.detail.get("entities"), "message": receipt.detail.get("message"),
            }),
        });
        let story = Story {
            heard: turn.heard.clone(),
            typed: turn.origin != Origin::Voice && turn.microphone.is_none(),
            intents: turn.understood.clone(),
            receipts: receipts.collect(),
        };
        self.talks.open(&turn.origin).story = Some(story);
    }

    /// Gives the question what it asks for.
    pub(super) fn put_story_in(&self, origin: &Origin, intents: &mut [Intent]) {
        for intent in intents.iter_mut().filter(|intent| intent.name == ASKS) {
            let story = self.story(origin).map_or(Value::Null, Story::told);
            intent.slots.insert("story".to_owned(), story);
        }
    }
}

impl Story {
    /// The words of the request.
    pub(super) fn heard(&self) -> &str {
        &self.heard
    }

    /// Whether it was taken for this intent and no other.
    pub(super) fn is_of(&self, intent: &str) -> bool {
        self.intents.len() == 1 && self.intents[0].name == intent
    }

    fn told(&self) -> Value {
        let known = self.intents.iter().filter(|intent| intent.name != "out_of_scope");
        let parts = known.enumerate().map(|(at, intent)| {
            let mut part = match self.receipts.get(at) {
                Some(Value::Object(receipt)) => receipt.clone(),
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
    use super::super::tests::{acted, replies, run, settings, turn, typed, understood};
    use super::*;
    use hark_core::timer::TimerChange;
    use hark_core::{Event, Part, Reply};

    fn done(n: u32) -> Event {
        Event::Replied { turn: turn(n), text: "words".into(), language: "en".into(), speaks: false }
    }

    /// The story in the last answer.
    fn story(effects: &[hark_core::Effect]) -> Value {
        match replies(effects).pop() {
            Some(Reply::Parts { parts }) => match parts.as_slice() {
                [Part::Answer { intent }] => intent.slots["story"].clone(),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_last_request_is_told_and_a_question_about_it_does_not_replace_it() {
        let mut machine = Machine::new(settings());
        let asked =
            |n, ms| vec![(ms, typed("why")), (ms + 1, understood(n, &["HarkWhy"])), (ms + 2, done(n))];
        assert_eq!(story(&run(&mut machine, asked(1, 0))), Value::Null, "nothing came before");
        let both = vec![
            (10, typed("lamp and lock")),
            (11, understood(2, &["HassTurnOn", "HassTurnOff"])),
            (12, acted(2, 1, false, "offline")),
            (13, acted(2, 0, true, "")),
            (14, done(2)),
        ];
        run(&mut machine, both);
        for (n, ms) in [(3, 20), (4, 30)] {
            let told = story(&run(&mut machine, asked(n, ms)));
            assert_eq!((&told["heard"], &told["route"]), (&json!("lamp and lock"), &json!("template")));
            let parts: Vec<_> =
                told["parts"].as_array().unwrap().iter().map(|p| (&p["intent"], &p["ok"])).collect();
            assert_eq!(parts, [(&json!("turn on"), &json!(true)), (&json!("turn off"), &json!(false))]);
        }
        run(&mut machine, vec![(40, typed("gibberish")), (41, understood(5, &[])), (42, done(5))]);
        let told = story(&run(&mut machine, asked(6, 50)));
        assert_eq!((&told["heard"], &told["parts"]), (&json!("gibberish"), &json!([])));
    }

    #[test]
    fn what_was_to_be_done_later_is_done_as_a_request() {
        use hark_core::timer::{Timer, TimerKind, TimerState};
        let mut machine = Machine::new(settings());
        let command = Timer {
            kind: TimerKind::Command,
            name: Some("turn off the lamp".into()),
            state: TimerState::Running,
            ..super::super::tests::timer("a")
        };
        let finished = |timer: &Timer| Event::Timer { change: TimerChange::Finished, timer: timer.clone() };
        let effects = run(&mut machine, vec![(0, finished(&command))]);
        let asked = effects.iter().any(|effect| {
            matches!(effect, hark_core::Effect::Understand { text, .. } if text == "turn off the lamp")
        });
        assert!(asked && !machine.ringing.rings(), "{effects:?}");
        let missed = Timer { state: TimerState::Ringing, ..command };
        run(&mut machine, vec![(1, understood(1, &[])), (2, done(1)), (3, finished(&missed))]);
        assert!(machine.ringing.rings(), "too late to be done: it is told");
    }

    #[test]
    fn what_is_snoozed_rings_no_more() {
        let mut machine = Machine::new(settings());
        let timer = super::super::tests::timer("a");
        let change = |change, timer: &hark_core::timer::Timer| Event::Timer { change, timer: timer.clone() };
        run(&mut machine, vec![(0, change(TimerChange::Finished, &timer)), (1, done(1))]);
        assert!(machine.ringing.rings());
        let snoozed = hark_core::timer::Timer { state: hark_core::timer::TimerState::Running, ..timer };
        run(&mut machine, vec![(2, change(TimerChange::Updated, &snoozed))]);
        assert!(!machine.ringing.rings());
    }

    #[test]
    fn names_of_intents_are_said_as_words() {
        assert_eq!(spoken("HassTurnOn"), "turn on");
        assert_eq!(spoken("HarkListRead"), "list read");
        assert_eq!(spoken("Other"), "other");
    }
}
