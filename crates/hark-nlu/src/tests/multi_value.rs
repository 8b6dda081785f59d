//! Several timers in one sentence.

use super::test_home::grammar;
use hark_core::ports::Understand;
use serde_json::{Value, json};

fn of(text: &str) -> Vec<(String, Value)> {
    let found = grammar().understand(text, "en");
    assert!(found.missed.is_empty(), "{text}: {found:?}");
    found.intents.into_iter().map(|it| (it.name, Value::Object(it.slots))).collect()
}

#[test]
fn several_timers_are_set_at_once() {
    let minutes = |all: &[u64]| all.iter().map(|one| json!({ "minutes": one })).collect::<Vec<_>>();
    let pizza_and_pasta =
        vec![json!({"name": "pizza", "minutes": 12}), json!({"name": "pasta", "minutes": 8})];
    for (text, expected) in [
        ("set two timers, one for five minutes and one for ten", minutes(&[5, 10])),
        ("set two timers one for five minutes one for ten minutes", minutes(&[5, 10])),
        ("please set two timers for five and ten minutes", minutes(&[5, 10])),
        ("timers for 5, 10 and 15 minutes", minutes(&[5, 10, 15])),
        ("timers for five ten and fifteen minutes", minutes(&[5, 10, 15])),
        ("set three timers, five, ten and twenty minutes", minutes(&[5, 10, 20])),
        ("set a timer for five minutes and another for ten", minutes(&[5, 10])),
        ("set a timer for five minutes and one for ten minutes", minutes(&[5, 10])),
        ("a pizza timer for 12 minutes and a pasta timer for 8", pizza_and_pasta.clone()),
        ("set a pizza timer for 12 minutes and a pasta timer for 8 minutes", pizza_and_pasta.clone()),
        ("set two timers, one for pizza for 12 minutes and one for pasta for 8", pizza_and_pasta),
        (
            "set two timers one for an hour and twenty minutes and one for 5 minutes",
            vec![json!({"hours": 1, "minutes": 20}), json!({"minutes": 5})],
        ),
    ] {
        let found = of(text);
        let slots: Vec<Value> = found.iter().map(|(_, slots)| slots.clone()).collect();
        assert_eq!(slots, expected, "{text}: {found:?}");
        assert!(found.iter().all(|(name, _)| name == "HassStartTimer"), "{text}: {found:?}");
    }
}

#[test]
fn one_length_is_one_timer_and_a_wrong_count_is_none() {
    assert_eq!(of("set a timer for an hour and twenty minutes").len(), 1);
    assert_eq!(of("cancel all timers").len(), 1);
    for text in ["set three timers for five and ten minutes", "set two timers", "what timers are running"] {
        assert!(of(text).iter().all(|(name, _)| name != "HassStartTimer"), "{text}: {:?}", of(text));
    }
}

#[test]
fn the_day_that_was_said_is_that_of_all() {
    let at = |times: &[&str]| times.iter().map(|time| json!({ "when": time })).collect::<Vec<_>>();
    for (text, expected) in [
        (
            "set two alarms tomorrow morning at 6:30 am and 6:45 am",
            at(&["1970-01-02T06:30:00", "1970-01-02T06:45:00"]),
        ),
        ("wake me tomorrow at six and at seven", at(&["1970-01-02T06:00:00", "1970-01-02T07:00:00"])),
        ("wake me at six and at seven", at(&["1970-01-01T06:00:00", "1970-01-01T07:00:00"])),
    ] {
        let slots: Vec<Value> = of(text).into_iter().map(|(_, slots)| slots).collect();
        assert_eq!(slots, expected, "{text}");
    }
}
