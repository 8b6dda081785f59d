//! Corrections in a turn of their own, and joined conditions.

use super::test_home::grammar;
use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use hark_core::ports::{NEXT_TURN, Understand};
use hark_core::{Intent, Understanding};
use serde_json::{Value, json};

fn now() -> NaiveDateTime {
    // A Saturday.
    NaiveDate::from_ymd_opt(2026, 11, 21).unwrap().and_time(NaiveTime::from_hms_opt(14, 0, 0).unwrap())
}

fn understood(text: &str) -> Understanding {
    grammar().understand_at(text, "en", now())
}

/// Intents and slots of a request and what corrects it in the next turn.
fn corrected(before: &str, behind: &str) -> Vec<(String, Value)> {
    let found = understood(&format!("{before}{NEXT_TURN}{behind}"));
    assert!(found.missed.is_empty(), "{before} / {behind}: {found:?}");
    found.intents.into_iter().map(|intent| (intent.name, Value::Object(intent.slots))).collect()
}

#[test]
fn what_was_meant_takes_the_place_of_what_is_of_its_kind() {
    for (before, behind, intent, slots) in [
        (
            "lamp on please",
            "sorry dear, I meant the counter light",
            "HassTurnOn",
            json!({"name": "Counter light"}),
        ),
        ("turn off the office light", "no, the lamp I mean", "HassTurnOff", json!({"name": "Lamp"})),
        (
            "add eggs to the to do list",
            "no, put them on the shopping list instead",
            "HassShoppingListAddItem",
            json!({"item": "eggs"}),
        ),
        (
            "put olive oil on the shopping list",
            "sunflower oil, I should have said",
            "HassShoppingListAddItem",
            json!({"item": "sunflower oil"}),
        ),
        (
            "Thursday evening at eight remind me to put the bins out",
            "no hang on, it's Wednesday",
            "HarkSetReminder",
            json!({"when": "2026-11-25T20:00:00", "message": "put the bins out"}),
        ),
        (
            "set the lamp to thirty percent",
            "sorry, forty",
            "HassLightSet",
            json!({"name": "Lamp", "brightness": 40}),
        ),
    ] {
        assert_eq!(corrected(before, behind), [(intent.to_owned(), slots)], "{before} / {behind}");
    }
}

#[test]
fn the_second_of_two_turns_says_more_of_the_first() {
    let [(intent, slots)] = corrected("set a timer for one hour", "and a quarter").try_into().unwrap();
    assert_eq!((intent.as_str(), slots), ("HassStartTimer", json!({"hours": 1, "minutes": 15})));
    for (behind, repeats, said) in [
        ("every time, not just once", json!(true), "whenever the garage door opens"),
        ("only once", Value::Null, "the next time the garage door opens"),
    ] {
        let before = if repeats.is_null() { "whenever" } else { "when" };
        let found = corrected(&format!("{before} the garage door opens lamp on"), behind);
        assert_eq!((&found[0].1["repeats"], &found[0].1["said_when"]), (&repeats, &json!(said)), "{behind}");
    }
    let found = corrected("turn on the lamp", "and the rest of the lights in there");
    let rest = json!({"area": "Living room", "domain": "light", "except": [{"name": "Lamp"}]});
    assert_eq!(found[1], ("HassTurnOn".to_owned(), rest));
    let found =
        corrected("if the patio door opens turn on the kitchen lights", "actually just the lamp will do");
    assert_eq!(found[0].1["intents"][0]["slots"], json!({"name": "Lamp"}));
    let found = corrected("every morning at seven lamp on", "make it half past eight on sundays");
    let every: Vec<&Value> = found.iter().map(|(_, slots)| &slots["recurrence"]).collect();
    let (others, sundays) = ("MO,TU,WE,TH,FR,SA;BYHOUR=7;BYMINUTE=0", "SU;BYHOUR=8;BYMINUTE=30");
    let weekly = |rest: &str| json!(format!("FREQ=WEEKLY;BYDAY={rest}"));
    assert_eq!(every, [&weekly(others), &weekly(sundays)]);
}

#[test]
fn remarks_around_a_correction_are_none_of_it() {
    for (before, behind, intent, slots) in [
        (
            "set a timer for twelve minutes for the eggs",
            "no, granny likes them soft, make it six",
            "HassStartTimer",
            json!({"minutes": 6, "name": "eggs"}),
        ),
        (
            "put butter on the shopping list",
            "no, margarine, the doctor says butter is bad",
            "HassShoppingListAddItem",
            json!({"item": "margarine"}),
        ),
        (
            "set the thermostat to twenty five",
            "that's far too much, twenty two",
            "HassClimateSetTemperature",
            json!({"name": "Thermostat", "temperature": 22}),
        ),
        (
            "add milk to the to do list",
            "no, the shopping list",
            "HassShoppingListAddItem",
            json!({"item": "milk"}),
        ),
    ] {
        assert_eq!(corrected(before, behind), [(intent.to_owned(), slots)], "{before} / {behind}");
    }
    let found = corrected("every day at seven lamp on", "not at weekends though, granny is cold");
    assert_eq!(found[0].1["recurrence"], "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=7;BYMINUTE=0");
}

#[test]
fn what_was_to_be_done_at_once_is_done_later() {
    let found = corrected("turn on the lamp", "not now, do it at eight tonight");
    assert_eq!(found[0].0, "HarkScheduleCommand");
    assert_eq!(found[0].1["when"], "2026-11-21T20:00:00");
    let found = corrected("when it gets dark turn on the lamp", "rather the counter light and only at half");
    assert_eq!(found[0].1["trigger"]["kind"], "sun");
    assert_eq!(found[0].1["intents"][0]["slots"], json!({"name": "Counter light", "brightness": 50}));
}

#[test]
fn what_is_to_be_done_then_as_well_waits_for_the_same() {
    let found = corrected("tell me when the front door is unlocked", "and put the lamp on then as well");
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0].1["trigger"], found[1].1["trigger"]);
    assert_eq!(found[1].1["intents"][0]["slots"], json!({"name": "Lamp"}));
}

#[test]
fn what_is_corrected_is_no_part_of_what_is_put_off_or_put_on_a_list() {
    let found = understood("in ten minutes, no, fifteen, turn on the lamp");
    assert_eq!(found.intents[0].slots["minutes"], 15);
    let found = understood("in ten minutes, no, make it fifteen, turn it on");
    assert_eq!(found.intents[0].slots["minutes"], 15);
    let found = understood("put a swimsuit on the shopping list no on the packing list");
    assert_eq!(
        Value::Object(found.intents[0].slots.clone()),
        json!({"item": "a swimsuit", "name": "packing"})
    );
}

#[test]
fn a_request_at_a_time_comes_again_with_the_one_before_it() {
    for text in [
        "every evening at nine turn on the lamp and turn it off at ten",
        "every evening at nine turn on the lamp and at ten turn it off",
    ] {
        let found = understood(text);
        let times: Vec<&Value> = found.intents.iter().map(|intent| &intent.slots["recurrence"]).collect();
        let at = |hour| format!("FREQ=DAILY;BYHOUR={hour};BYMINUTE=0");
        assert_eq!(times, [&json!(at(21)), &json!(at(22))], "{text}");
        assert_eq!(found.intents[1].slots["conversation_command"], "turn the lamp off", "{text}");
    }
    let found = understood("every saturday at eight turn on the lamp and tomorrow at nine turn on the tv");
    assert_eq!(found.intents[1].slots["when"], "2026-11-22T09:00:00");
}

#[test]
fn what_waits_is_edited_as_well() {
    let found =
        corrected("turn on the lamp when the garage door opens", "make that the office light instead");
    assert_eq!(found[0].1["intents"][0]["slots"], json!({"name": "Office light"}));
    assert_eq!(found[0].1["trigger"]["condition"]["question"]["name"], "Garage door");
}

#[test]
fn words_that_correct_nothing_are_no_edit() {
    let found = understood(&format!("turn on the lamp{NEXT_TURN}the office light is nice"));
    assert!(!found.intents.iter().any(|intent| intent.slots.get("name") == Some(&json!("Office light"))));
}

#[test]
fn conditions_are_joined() {
    let condition = |text: &str| {
        let found = understood(text);
        found.intents.first().map(|it| it.slots["trigger"]["condition"].clone()).unwrap_or_default()
    };
    let locked =
        |name: &str| json!({"kind": "state", "question": {"name": name, "state": "unlocked"}, "not": false});
    let both = [locked("Front door"), locked("Back door")];
    assert_eq!(
        condition("when either the front door or the back door is unlocked turn on the lamp"),
        json!({"kind": "any", "conditions": both})
    );
    assert_eq!(
        condition("when the front door is unlocked and the back door is unlocked turn on the lamp"),
        json!({"kind": "all", "conditions": both})
    );
}

#[test]
fn the_same_is_asked_again_of_something_else() {
    for (before, behind, last) in [
        (
            "remind me tomorrow at six to take the bins out",
            "and at seven as well",
            json!({"when": "2026-11-21T19:00:00", "message": "take the bins out"}),
        ),
        ("set an alarm for seven", "and another one at twenty past", json!({"when": "2026-11-22T07:20:00"})),
        (
            "add a toothbrush to the packing list",
            "and sunscreen",
            json!({"item": "sunscreen", "name": "packing"}),
        ),
        ("what's twelve times four", "and twelve times five", json!({"expression": "12 * 5"})),
    ] {
        let found = corrected(before, behind);
        assert_eq!(found.len(), 2, "{before} / {behind}: {found:?}");
        assert_eq!(found[0].0, found[1].0, "{before} / {behind}");
        assert_ne!(found[0].1, found[1].1, "{before} / {behind}");
        let is_in = |(slot, value): (&String, &Value)| slot == "when" || found[1].1.get(slot) == Some(value);
        assert!(last.as_object().unwrap().iter().all(is_in), "{before} / {behind}: {found:?}");
    }
}

#[test]
fn a_request_of_its_own_is_no_item_of_the_one_before() {
    let found = understood(&format!("put bananas on the shopping list{NEXT_TURN}and close the curtains"));
    let items: Vec<&Value> = found.intents.iter().filter_map(|intent| intent.slots.get("item")).collect();
    assert!(items.iter().all(|item| **item == "bananas"), "{found:?}");
}

#[test]
fn it_in_a_condition_is_what_was_spoken_of_before() {
    let found = corrected("turn on the coffee machine", "tell me when it's done");
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[1].1["trigger"]["condition"]["question"]["name"], "Coffee machine");
}

#[test]
fn what_is_behind_so_is_done_when_it_says() {
    let found = understood("our guests come at seven so at quarter to seven turn on the lamp");
    assert_eq!(found.intents.len(), 1, "{found:?}");
    assert_eq!(found.intents[0].slots["when"], "2026-11-21T18:45:00");
}

#[test]
fn what_takes_back_what_was_done_waits_alone() {
    let found = understood("turn on the lamp and turn it off when the curtains are closed");
    let names: Vec<&str> = found.intents.iter().map(|intent| intent.name.as_str()).collect();
    assert_eq!(names, ["HassTurnOn", "HarkAutomate"], "{found:?}");
    let both = understood("turn on the lamp and close the curtains when the tv is off");
    assert_eq!(both.intents.len(), 1, "{both:?}");
}

#[test]
fn a_time_may_be_told_by_that_of_the_request_before() {
    for (text, when) in [
        (
            "set an alarm for eight and turn the coffee machine on five minutes before that",
            "2026-11-22T07:55:00",
        ),
        ("turn on the lamp at eight and the office light ten minutes later", "2026-11-21T20:10:00"),
    ] {
        let found = understood(text);
        let times: Vec<Option<&Value>> = found.intents.iter().map(|it| it.slots.get("when")).collect();
        assert_eq!(times.last(), Some(&Some(&json!(when))), "{text}: {found:?}");
    }
}

#[test]
fn what_is_waited_for_is_corrected() {
    let waits = |before: &str, behind: &str| {
        let found = corrected(before, behind);
        let [(_, slots)] = found.as_slice() else { panic!("{before} / {behind}: {found:?}") };
        (slots["when"].clone(), slots["trigger"]["kind"].clone())
    };
    let (time, sun) = (json!("2026-11-21T20:00:00"), json!("sun"));
    assert_eq!(waits("turn on the lamp when it gets dark", "no, at eight tonight"), (time, Value::Null));
    assert_eq!(waits("turn on the lamp at eight", "no, when it gets dark"), (Value::Null, sun));
}

#[test]
fn the_end_of_the_second_request_is_not_that_of_the_first() {
    let found = understood(&format!("turn on the radio{NEXT_TURN}mute it for two minutes"));
    let names: Vec<&str> = found.intents.iter().map(|intent| intent.name.as_str()).collect();
    assert_ne!(names.first(), Some(&"HassTurnOn"), "{found:?}");
}

#[test]
fn how_it_is_asks_for_nothing_beside_a_request() {
    for text in ["lamp on please i'm baking", "lamp on for ten minutes please it is stuffy"] {
        let found = understood(text);
        assert!(!found.intents.iter().any(|it| it.name.starts_with("HarkClimate")), "{text}: {found:?}");
    }
}

#[test]
fn what_somebody_says_corrects_nothing() {
    let found = understood("what happens when i say lamp on");
    assert!(!found.intents.iter().any(|intent| intent.name == "HassTurnOn"), "{found:?}");
}

#[test]
fn a_place_behind_two_kinds_is_that_of_both() {
    let found = understood("turn off all the lights and switches in the kitchen");
    let areas: Vec<Option<&Value>> = found.intents.iter().map(|intent| intent.slots.get("area")).collect();
    assert_eq!(areas, [Some(&json!("Kitchen")), Some(&json!("Kitchen"))], "{found:?}");
}

#[test]
fn one_is_of_the_kind_that_was_named_before() {
    let found = corrected("close the bedroom blinds", "and open the ones in the living room");
    let opens = found.last().unwrap();
    assert_eq!((opens.0.as_str(), &opens.1["device_class"]), ("HassTurnOn", &json!("blind")), "{found:?}");
    let found = understood("turn on the lamp at six tomorrow, no, seven");
    assert_eq!(found.intents[0].slots["when"], "2026-11-22T07:00:00", "{found:?}");
}

#[test]
fn what_is_taken_back_in_the_same_breath_is_not_done() {
    let read = |text: &str| {
        let found = understood(text);
        let [only] = found.intents.as_slice() else { panic!("{text}: {found:?}") };
        (only.name.clone(), only.response.clone())
    };
    for text in ["turn on the lamp, oh never mind", "turn on the lamp never mind", "lamp on, no, forget it"] {
        assert_eq!(read(text), ("HarkRefused".to_owned(), Some("taken_back".to_owned())), "{text}");
    }
    assert_eq!(read("turn on the lamp, actually don't, i'll have water").0, "HarkRefused");
    assert_eq!(read("remind me at nine to tell Tom to forget it").0, "HarkSetReminder");
}

#[test]
fn what_is_asked_behind_what_was_taken_back_is_done_alone() {
    for text in [
        "turn on the lamp, no don't, turn on the tv",
        "turn on the lamp, forget that, the tv",
        "turn on the lamp, i've changed my mind, turn on the tv",
    ] {
        let found = understood(text);
        let [only] = found.intents.as_slice() else { panic!("{text}: {found:?}") };
        assert_eq!((only.name.as_str(), &only.slots["name"]), ("HassTurnOn", &json!("Television")), "{text}");
    }
    let found = understood("turn the ceiling fan on for ten minutes, no, fifteen");
    assert_eq!(found.intents[1].slots["until"]["seconds"], 900, "{found:?}");
    let found = corrected("remind me at six to fetch Emma", "it's seven, not six");
    assert_eq!(found[0].1["when"], "2026-11-21T19:00:00", "{found:?}");
    let found = understood("set the heating to twenty degrees, no, twenty one");
    assert_eq!(found.intents[0].slots["temperature"], 21, "{found:?}");
    let found = understood("set a timer for ten minutes, er, fifteen");
    assert_eq!(found.intents[0].slots["minutes"], 15, "{found:?}");
    let found = understood("add bread and bin bags to the shopping list, no wait not bin bags");
    assert_eq!(found.intents[0].slots["item"], "bread", "{found:?}");
    let found = understood("wake me at seven tomorrow, actually no, quarter past");
    assert_eq!(found.intents[0].slots["when"], "2026-11-22T07:15:00", "{found:?}");
    let found = understood("remind me at four, no five, to ring the dentist");
    assert_eq!(found.intents[0].slots["message"], "ring the dentist", "{found:?}");
}

#[test]
fn a_correction_is_no_part_of_what_is_to_be_told() {
    let found = understood("remind me friday at two to ring the dentist wait no thursday");
    let slots = json!({"when": "2026-11-26T14:00:00", "message": "ring the dentist"});
    assert_eq!(Value::Object(found.intents[0].slots.clone()), slots);
    let found = understood("wake me six thirty tomorrow oops it's sunday let's say nine");
    assert_eq!(found.intents[0].slots["when"], "2026-11-22T09:00:00", "{found:?}");
}

#[test]
fn if_so_makes_a_question_what_has_to_be_so() {
    for text in [
        "is the kitchen window open if so turn on the lamp",
        "is the kitchen window open cause if so turn on the lamp",
        "is the lamp on and if so turn on the tv",
    ] {
        let names: Vec<String> = understood(text).intents.into_iter().map(|intent| intent.name).collect();
        assert_eq!(names, ["HarkAutomate"], "{text}");
    }
}

#[test]
fn it_of_what_is_put_off_is_spoken_of_then() {
    let found = understood("in ten minutes turn on the lamp and leave it on for five minutes");
    let [only] = found.intents.as_slice() else { panic!("{found:?}") };
    let command = &only.slots["conversation_command"];
    assert_eq!(command, "turn on the lamp and leave it on for five minutes");
}

#[test]
fn a_remark_about_what_was_done_asks_for_nothing_again() {
    let found = understood(&format!("brighter{NEXT_TURN}no that was too bright"));
    let names: Vec<&str> = found.intents.iter().map(|intent| intent.name.as_str()).collect();
    assert_ne!(names, ["HarkLightSetRelative"], "{found:?}");
}

#[test]
fn what_is_said_before_a_correction_is_passed_over() {
    let lamp = json!({"name": "Lamp"});
    for (before, behind, intent, slots) in [
        ("in ten minutes turn on the lamp", "hang on, why wait, do it now", "HassTurnOn", lamp.clone()),
        (
            "remind me at sunset to water the plants",
            "forget the sunset, do it at eight tonight",
            "HarkSetReminder",
            json!({"when": "2026-11-21T20:00:00", "message": "water the plants"}),
        ),
        ("turn on the counter light", "wrong light, the lamp", "HassTurnOn", lamp.clone()),
        ("turn on the office light", "he's asleep in there, do the lamp instead", "HassTurnOn", lamp),
    ] {
        assert_eq!(corrected(before, behind), [(intent.to_owned(), slots)], "{before} / {behind}");
    }
}

#[test]
fn of_two_numbers_with_a_pause_to_think_the_second_is_meant() {
    let found = understood("start a timer for twelve, er, fifteen minutes");
    let [timer] = found.intents.as_slice() else { panic!("{found:?}") };
    assert_eq!(timer.slots["minutes"], 15);
    let found = understood("start a timer for twelve, er, minutes");
    assert_eq!(found.intents[0].slots["minutes"], 12);
}

#[test]
fn no_word_is_left_out_of_what_goes_on_a_list() {
    let grammar = grammar();
    let effort = hark_core::Effort::default();
    let filled = |text: &str| grammar.fill_within("HassShoppingListAddItem", text, None, now(), &effort);
    let items: Vec<Value> = ["we need washing up liquid", "we need washing powder"]
        .into_iter()
        .filter_map(|text| filled(text)?.slots.get("item").cloned())
        .collect();
    assert!(items.iter().all(|item| item != "washing liquid"), "{items:?}");
    // "Cancel the pasta" is more than "cancel".
    assert!(grammar.fill_within("HarkCancel", "cancel the pasta", None, now(), &effort).is_none());
}

#[test]
fn one_of_a_kind_in_another_place_is_one() {
    for behind in ["I meant the one in the kitchen", "I meant the kitchen one"] {
        let found = understood(&format!("turn on the lamp{NEXT_TURN}{behind}"));
        let [only] = found.intents.as_slice() else { panic!("{behind}: {found:?}") };
        assert_eq!(
            Value::Object(only.slots.clone()),
            json!({"area": "Kitchen", "domain": "light"}),
            "{behind}"
        );
        assert!(only.single, "{behind}");
    }
}

#[test]
fn what_is_asked_for_too_is_what_the_rule_does_too() {
    let of_kind = corrected("turn on the living room light when the tv is on", "and the counter light too");
    assert_eq!(of_kind[1].1["said"], "turn on the counter light", "{of_kind:?}");
    for (behind, does) in [
        ("and turn on the counter light as well", json!({"name": "Counter light"})),
        ("and the lamp too", json!({"name": "Lamp"})),
    ] {
        let found = corrected("turn on the office light when the tv is on", behind);
        let rules: Vec<(&Value, &Value)> =
            found.iter().map(|(_, slots)| (&slots["said_when"], &slots["intents"][0]["slots"])).collect();
        let when = json!("when the tv is on");
        assert_eq!(rules, [(&when, &json!({"name": "Office light"})), (&when, &does)], "{behind}");
    }
}

#[test]
fn the_door_is_what_opens_and_shuts_and_the_heating_what_is_turned() {
    for behind in ["and turn it back on when it closes", "and turn it back on when it's closed"] {
        let found = corrected("when the patio door opens turn the heating off", behind);
        let [_, (_, again)] = found.as_slice() else { panic!("{behind}: {found:?}") };
        assert_eq!(again["trigger"]["condition"]["question"]["name"], "Patio door", "{behind}");
        assert_eq!(again["intents"][0]["slots"], json!({"name": "Thermostat"}), "{behind}");
    }
}

#[test]
fn what_only_points_is_no_item() {
    for text in ["add it to the shopping list", "put that on the list"] {
        assert!(understood(text).intents.is_empty(), "{text}");
    }
}

#[test]
fn of_several_that_are_whole_only_the_last_lasts() {
    let found = understood("lamp on, coffee machine on for half an hour and close the bedroom blinds");
    let acts: Vec<(&str, Option<&Value>)> =
        found.intents.iter().map(|intent| (intent.name.as_str(), intent.slots.get("name"))).collect();
    let name = |name: &'static str| Some(json!(name));
    let expected = [
        ("HassTurnOn", name("Coffee machine")),
        ("HarkRestoreLater", None),
        ("HassTurnOn", name("Lamp")),
        ("HassTurnOff", name("Bedroom blinds")),
    ];
    assert!(acts.iter().map(|(act, name)| (*act, name.cloned())).eq(expected), "{acts:?}");
}

#[test]
fn a_rule_that_is_asked_about_is_not_made() {
    let found = understood("what are you going to do when alice leaves");
    assert_eq!(found.intents[0].slots, json!({"name": "Alice"}).as_object().unwrap().clone());
}

#[test]
fn a_thing_of_another_kind_is_not_taken_for_what_stands_elsewhere() {
    assert!(understood("turn the tv on in the kitchen").intents.is_empty());
}

#[test]
fn a_rule_is_limited_by_the_next_turn() {
    let rule = "every time somebody moves in the kitchen turn on the counter light";
    for limit in ["only after ten at night though", "but only after ten at night"] {
        let found = corrected(rule, limit);
        let [(_, rule)] = found.as_slice() else { panic!("{limit}: {found:?}") };
        assert_eq!(
            rule["only_if"],
            json!([{"kind": "hours", "from": "22:00:00", "to": "06:00:00"}]),
            "{limit}"
        );
        assert_eq!(rule["repeats"], true, "{limit}");
    }
}

#[test]
fn an_exception_in_the_next_turn_is_left_out() {
    for except in ["except the kitchen", "except the kitchen, they're asleep"] {
        let found = corrected("turn on all the lights", except);
        let [(_, slots)] = found.as_slice() else { panic!("{except}: {found:?}") };
        assert_eq!(slots["except"], json!([{"area": "Kitchen"}]), "{except}");
    }
}

#[test]
fn a_number_in_the_next_turn_is_no_part_of_a_length() {
    assert!(corrected("set a timer for six minutes", "four, i like them runny").is_empty());
}

#[test]
fn what_comes_again_does_so_for_all_at_one_hour() {
    let found = understood("every night at eleven lock the front door and close the bedroom blinds");
    let often: Vec<&Value> = found.intents.iter().map(|it| &it.slots["recurrence"]).collect();
    assert_eq!(often, [&json!("FREQ=DAILY;BYHOUR=23;BYMINUTE=0"); 2], "{found:?}");
}

#[test]
fn of_two_numbers_with_a_unit_one_stays() {
    let found = corrected(
        "if it gets below three degrees outside turn the heating up",
        "make it two degrees not three",
    );
    let [(_, rule)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(rule["trigger"]["condition"]["question"]["below"], 2, "{rule:?}");
}

#[test]
fn what_is_meant_stands_behind_a_pause() {
    let found = corrected("add oat milk and teabags to the shopping list", "not oat milk, soya");
    let [(_, slots)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(slots["item"], "soya and teabags");
    let found = understood("add nappies, no wait, add wipes to the shopping list");
    assert_eq!(found.intents[0].slots["item"], "wipes", "{found:?}");
}

#[test]
fn what_is_to_be_done_too_when_it_happens_is_of_the_rule() {
    let found = corrected("tell me if the tv goes off", "and put the counter light on as well when it does");
    let [(_, told), (_, too)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(told["trigger"], too["trigger"]);
    assert_eq!(too["intents"][0]["slots"], json!({"name": "Counter light"}));
}

#[test]
fn somebody_who_is_somewhere_is_a_remark() {
    let found = understood("turn on the lamp for five minutes, my mate's in the kitchen");
    assert_eq!(found.intents.len(), 2, "{found:?}");
}

#[test]
fn a_number_with_a_unit_takes_the_place_of_the_only_one() {
    let found = corrected("when it drops under five outside turn the heating on", "make that three degrees");
    let [(_, rule)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(rule["trigger"]["condition"]["question"]["below"], 3, "{rule:?}");
}

#[test]
fn so_long_beside_what_is_waited_for_stands_beside_the_same() {
    for (first, then, minutes) in [
        ("when the sun comes up turn on the lamp", "make it half an hour after", 30),
        ("turn on the lamp half an hour before sunset", "make it an hour before", -60),
    ] {
        let found = corrected(first, then);
        let [(_, rule)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(rule["trigger"]["offset_minutes"], minutes, "{rule:?}");
        assert!(!rule["said_when"].as_str().is_some_and(|said| said.contains("hour an hour")), "{rule:?}");
    }
}

#[test]
fn a_value_is_put_right_in_one_breath_without_a_pause() {
    for (text, intent, slots) in [
        (
            "set the thermostat to nineteen no make it twenty degrees",
            "HassClimateSetTemperature",
            json!({"name": "Thermostat", "temperature": 20}),
        ),
        ("set a timer for ten minutes no make it fifteen", "HassStartTimer", json!({"minutes": 15})),
    ] {
        let found = grammar().understand(text, "en");
        let [only] = found.intents.as_slice() else { panic!("{text}: {found:?}") };
        assert_eq!((only.name.as_str(), json!(only.slots)), (intent, slots), "{text}");
    }
}

#[test]
fn what_is_to_be_done_to_them_is_done_to_nothing_else() {
    let found = understood(&format!("kitchen lights on{NEXT_TURN}make them a bit warmer"));
    let everywhere = |intent: &Intent| intent.slots.keys().all(|slot| slot == "domain");
    assert!(!found.intents.iter().any(everywhere), "{found:?}");
}
