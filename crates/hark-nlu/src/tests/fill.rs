//! Free words for an intent that is known: what is mentioned fills its slots, and nothing is made up.

use super::test_home::grammar;
use chrono::NaiveDateTime;
use hark_core::ports::Understand;
use hark_core::{Effort, SlotSpan};
use serde_json::{Value, json};

#[test]
fn what_is_mentioned_fills_the_slots_and_nothing_else_does() {
    let grammar = grammar();
    for (intent, text, expected) in [
        (
            "HassTurnOn",
            "it's far too dark in the kitchen, get the lights going",
            Some(json!({"area": "Kitchen", "domain": "light"})),
        ),
        (
            "HassTurnOff",
            "nobody needs the lights in the kitchen any longer",
            Some(json!({"area": "Kitchen", "domain": "light"})),
        ),
        // Of a timer nothing was said but how long.
        ("HassStartTimer", "water the flowers for eight minutes", None),
        ("HassStartTimer", "my noodles want a timer of eight minutes", Some(json!({"minutes": 8}))),
        ("HassGetWeather", "will i need an umbrella", Some(json!({}))),
        // Who speaks of a place that is not here does not mean the whole house.
        ("HassTurnOn", "make the attic bright, put its light on", None),
        ("HassTurnOn", "it's so very gloomy, lights on", Some(json!({"domain": "light"}))),
        // Nobody said which.
        ("HassTurnOn", "it is far too dark", None),
        // Whoever says no wants something else.
        ("HassTurnOn", "i don't need light in the kitchen", None),
        ("HassTurnOn", "everything on except the lights in the kitchen", None),
        // A number is never left out, nor a part of one.
        ("HarkSetAlarm", "move my seven a m alarm to eight", None),
        ("HassLightSet", "brightness of the kitchen lights at four hundred percent", None),
        ("HassStartTimer", "two timers, one for five minutes and one for ten minutes", None),
        ("NoSuchIntent", "the lights in the kitchen", None),
        ("HassTurnOn", "", None),
    ] {
        let found = grammar.fill_at(intent, text, NaiveDateTime::default());
        let slots = found.as_ref().map(|found| Value::Object(found.slots.clone()));
        assert_eq!(slots, expected, "{text}: {found:?}");
        assert!(found.is_none_or(|found| found.name == intent));
    }
}

#[test]
fn a_name_that_finds_no_place_makes_it_less_sure() {
    let grammar = grammar();
    let of =
        |text| grammar.fill_at("HassTurnOn", text, NaiveDateTime::default()).map(|found| found.confidence);
    let plain = of("get the lights in the kitchen going").unwrap();
    let more = of("get the lights in the kitchen going seven");
    assert!(more.is_none_or(|more| more < plain), "{more:?} {plain}");
}

#[test]
fn marked_words_fill_slots_or_nothing_does() {
    let grammar = grammar();
    for (intent, text, marks, expected) in [
        // Among words that are in no template.
        (
            "HassTurnOn",
            "kitchen would you be such a dear and sort out the lights",
            &[("area", 0, 1), ("name", 11, 12)][..],
            Some(json!({"area": "Kitchen", "domain": "light"})),
        ),
        // No marked word is passed over.
        ("HassTurnOn", "make the attic bright put its light on", &[("area", 2, 3), ("name", 6, 7)], None),
        ("HassTurnOn", "lights in the whatsit", &[("name", 0, 1), ("area", 3, 4)], None),
        // A place for any words takes the marked ones and no other.
        (
            "HassShoppingListAddItem",
            "we are clean out of purple sprouting so put it on the shopping list",
            &[("item", 5, 7)],
            Some(json!({"item": "purple sprouting"})),
        ),
        (
            "HassShoppingListAddItem",
            "we are clean out of purple sprouting so put it on the shopping list",
            &[],
            None,
        ),
        ("HassTurnOn", "never the lights in the kitchen", &[("name", 2, 3), ("area", 5, 6)], None),
        // Marks of another text.
        ("HassTurnOn", "kitchen lights", &[("name", 5, 6)], None),
    ] {
        let mark =
            |&(slot, start, end): &(&str, usize, usize)| SlotSpan { slot: slot.to_owned(), start, end };
        let marks: Vec<SlotSpan> = marks.iter().map(mark).collect();
        let found =
            grammar.fill_within(intent, text, Some(&marks), NaiveDateTime::default(), &Effort::default());
        let slots = found.as_ref().map(|found| Value::Object(found.slots.clone()));
        assert_eq!(slots, expected, "{text}: {found:?}");
    }
}
