//! What people say around their requests, and instead of them.

use super::test_home::grammar;
use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use hark_core::ports::Understand;
use serde_json::{Value, json};

fn now() -> NaiveDateTime {
    // A Saturday.
    NaiveDate::from_ymd_opt(2026, 11, 21).unwrap().and_time(NaiveTime::from_hms_opt(14, 0, 0).unwrap())
}

/// Intent and slots of the only request in a text.
fn meant(text: &str) -> Option<(String, Value)> {
    let found = grammar().understand_at(text, "en", now());
    match found.intents.as_slice() {
        [intent] if found.ambiguous.is_empty() && found.missed.is_empty() => {
            Some((intent.name.clone(), Value::Object(intent.slots.clone())))
        }
        _ => None,
    }
}

fn check(rows: &[(&str, &str, Value)]) {
    for (text, intent, slots) in rows {
        assert_eq!(meant(text), Some(((*intent).to_owned(), slots.clone())), "{text}");
    }
}

#[test]
fn hesitating_and_beginning_again_changes_nothing() {
    check(&[
        ("turn on, uh, the lamp", "HassTurnOn", json!({"name": "Lamp"})),
        ("um turn off the the office light", "HassTurnOff", json!({"name": "Office light"})),
        ("hmm close the erm bedroom blinds", "HassTurnOff", json!({"name": "Bedroom blinds"})),
    ]);
}

#[test]
fn courtesies_before_and_behind_change_nothing() {
    check(&[
        ("i was wondering if you could turn on the lamp", "HassTurnOn", json!({"name": "Lamp"})),
        ("turn the lamp off again would you", "HassTurnOff", json!({"name": "Lamp"})),
        ("would you mind locking the back door", "HassTurnOn", json!({"name": "Back door"})),
        ("any chance you could open the curtains", "HassTurnOn", json!({"name": "Curtains"})),
        (
            "is the front door locked by any chance",
            "HassGetState",
            json!({"name": "Front door", "domain": "lock", "state": "locked"}),
        ),
    ]);
}

#[test]
fn remarks_that_stand_apart_change_nothing() {
    check(&[
        ("turn on the lamp, alice has a headache", "HassTurnOn", json!({"name": "Lamp"})),
        ("turn on the lamp, granny is cold", "HassTurnOn", json!({"name": "Lamp"})),
        ("lamp on, tom's still out in the kitchen", "HassTurnOn", json!({"name": "Lamp"})),
        ("turn on the lamp, we're going out for the afternoon", "HassTurnOn", json!({"name": "Lamp"})),
        ("turn on the lamp, i don't want to miss the news", "HassTurnOn", json!({"name": "Lamp"})),
        ("turn on the lamp so granny doesn't trip", "HassTurnOn", json!({"name": "Lamp"})),
        (
            "put margarine on the shopping list, the doctor says butter is bad",
            "HassShoppingListAddItem",
            json!({"item": "margarine"}),
        ),
        (
            "wake me at half six tomorrow, actually seven's fine",
            "HarkSetAlarm",
            json!({"when": "2026-11-22T07:00:00"}),
        ),
        (
            "lock everything except the back door",
            "HassTurnOn",
            json!({"domain": "lock", "except": [{"name": "Back door"}]}),
        ),
    ]);
    // Neither a scene that is over nor a place with something in it is a request of its own.
    assert_eq!(meant("movie night's over"), None);
    assert_eq!(meant("turn the bedroom tv on").map(|found| found.1), None);
}

#[test]
fn who_corrects_themselves_means_what_they_said_last() {
    check(&[
        ("turn on the lamp, no, the office light", "HassTurnOn", json!({"name": "Office light"})),
        (
            "dim the counter light to twenty i mean thirty percent",
            "HassLightSet",
            json!({"name": "Counter light", "brightness": 30}),
        ),
        ("switch on the office light no the basement one", "HassTurnOn", json!({"name": "Basement light"})),
        ("open the curtains sorry close the curtains", "HassTurnOff", json!({"name": "Curtains"})),
        ("turn the lamp on no wait off", "HassTurnOff", json!({"name": "Lamp"})),
    ]);
}

#[test]
fn a_reason_is_no_request_and_tells_the_place() {
    check(&[
        (
            "it's dark in the office so can you turn the lights on",
            "HassTurnOn",
            json!({"area": "Office", "domain": "light"}),
        ),
        (
            "the sun is in my eyes could you close the bedroom blinds",
            "HassTurnOff",
            json!({"name": "Bedroom blinds"}),
        ),
        ("i'm going to bed turn off the lamp", "HassTurnOff", json!({"name": "Lamp"})),
        ("turn off the lamp i'm going to bed", "HassTurnOff", json!({"name": "Lamp"})),
        (
            "we don't watch the television any more switch it off",
            "HassTurnOff",
            json!({"name": "Television"}),
        ),
    ]);
}

#[test]
fn a_comma_stands_between_reason_and_request() {
    check(&[
        (
            "i'm going down to the basement, some light please",
            "HassTurnOn",
            json!({"area": "Basement", "domain": "light"}),
        ),
        (
            "i'm boiling, turn the heating down",
            "HarkClimateSetTemperatureRelative",
            json!({"name": "Thermostat", "temperature_step": "down"}),
        ),
        ("ten more minutes please, snooze", "HarkSnooze", json!({"minutes": 10})),
        ("the back door shouldn't be open, lock it", "HassTurnOn", json!({"name": "Back door"})),
    ]);
}

#[test]
fn what_the_home_has_is_not_said_to_be_unknown() {
    let unknown = |text: &str| grammar().understand_at(text, "en", now()).unknown.map(|thing| thing.name);
    assert_eq!(unknown("turn the attic lamp off").as_deref(), Some("attic lamp"));
    for text in
        ["lower the temperature by two degrees in the attic", "turn the lights off in the attic please"]
    {
        assert_eq!(unknown(text).as_deref(), Some("attic"), "{text}");
    }
    for text in ["brighten the garage door to a quarter", "turn off the lights in the meantime"] {
        assert_eq!(unknown(text), None, "{text}");
    }
}

#[test]
fn what_others_do_or_is_only_intended_is_no_request() {
    for text in [
        "she said can you turn on the lamp",
        "they asked me could you please close the curtains",
        "i'm going to close the curtains",
        "he told me to lock the front door",
        "start the engine and turn it off",
        "stop it you two",
    ] {
        assert_eq!(meant(text), None, "{text}");
    }
}

#[test]
fn wishes_are_requests() {
    check(&[
        ("the lamp doesn't have to be on", "HassTurnOff", json!({"name": "Lamp"})),
        ("i don't need the lamp anymore", "HassTurnOff", json!({"name": "Lamp"})),
        ("get the coffee machine going", "HassTurnOn", json!({"name": "Coffee machine"})),
        (
            "i could do with some light in the office",
            "HassTurnOn",
            json!({"area": "Office", "domain": "light"}),
        ),
        ("make sure the back door is locked", "HassTurnOn", json!({"name": "Back door"})),
        ("make sure the garage door is shut", "HassTurnOff", json!({"name": "Garage door"})),
        ("let the bedroom blinds down", "HassTurnOff", json!({"name": "Bedroom blinds"})),
        (
            "bring the lamp down a little",
            "HarkLightSetRelative",
            json!({"name": "Lamp", "brightness_step": "down"}),
        ),
        (
            "it's pitch dark in the basement",
            "HarkLightSetRelative",
            json!({"area": "Basement", "domain": "light", "brightness_step": "up"}),
        ),
        (
            "i'm freezing in the office",
            "HarkClimateSetTemperatureRelative",
            json!({"area": "Office", "temperature_step": "up"}),
        ),
        (
            "turn the heating up by two degrees",
            "HarkClimateSetTemperatureRelative",
            json!({"name": "Thermostat", "temperature_step": 2}),
        ),
        (
            "open the bedroom blinds about a third",
            "HassSetPosition",
            json!({"name": "Bedroom blinds", "position": 33, "domain": "cover"}),
        ),
    ]);
}

#[test]
fn the_weather_of_another_day_is_asked_with_the_day() {
    check(&[
        ("what's the weather tomorrow", "HassGetWeather", json!({"when": "2026-11-22"})),
        ("will it rain on monday", "HassGetWeather", json!({"when": "2026-11-23"})),
        ("do i need an umbrella tomorrow", "HassGetWeather", json!({"when": "2026-11-22"})),
        ("what's the weather", "HassGetWeather", json!({})),
    ]);
}

#[test]
fn what_only_says_why_is_no_request_of_its_own() {
    check(&[
        ("it's getting dark in the office switch the lamp on please", "HassTurnOn", json!({"name": "Lamp"})),
        ("turn the heating back on it's freezing", "HassTurnOn", json!({"name": "Thermostat"})),
    ]);
}

#[test]
fn what_is_set_beside_a_thing_is_set_of_it() {
    let found = grammar().understand_at("turn the lamp on and set the brightness to forty", "en", now());
    let [_, level] = found.intents.as_slice() else { panic!("{found:?}") };
    assert_eq!(level.slots.get("name"), Some(&json!("Lamp")), "{level:?}");
}

#[test]
fn a_reminder_holds_no_other_request() {
    let found = grammar().understand_at(
        "remind me in twenty minutes to take the bread out and tell me the time",
        "en",
        now(),
    );
    let messages: Vec<&Value> = found.intents.iter().filter_map(|it| it.slots.get("message")).collect();
    assert_eq!((found.intents.len(), messages), (2, vec![&json!("take the bread out")]), "{found:?}");
}

#[test]
fn another_of_what_was_asked_for_is_one() {
    let text = "set a five minute timer for the eggs and a ten minute one for the pasta";
    let found = grammar().understand_at(text, "en", now());
    let names: Vec<&Value> = found.intents.iter().filter_map(|it| it.slots.get("name")).collect();
    assert_eq!(names, [&json!("eggs"), &json!("pasta")], "{found:?}");
}

#[test]
fn a_kind_in_the_plural_is_no_name() {
    assert_eq!(meant("lights"), None);
}

#[test]
fn one_of_several_in_a_place_is_one() {
    let single = |text: &str| {
        let found = grammar().understand_at(text, "en", now());
        let [only] = found.intents.as_slice() else { panic!("{text}: {found:?}") };
        only.single
    };
    for text in ["turn on a light in the kitchen", "turn on one of the lights in the kitchen"] {
        assert!(single(text), "{text}");
    }
    for text in ["turn on the lights in the kitchen", "turn on all the lights in the kitchen"] {
        assert!(!single(text), "{text}");
    }
}
