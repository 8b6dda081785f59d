//! Names that are not said exactly, and several requests in one sentence, with the English sentences.

use super::test_home::{english, grammar, home};
use super::{Grammar, Similar};
use hark_core::home::{Entity, Home};
use hark_core::ports::Understand;
use serde_json::{Map, Value};
use std::sync::Arc;

fn light(id: &str, name: &str, area: &str, aliases: &[&str]) -> Entity {
    Entity {
        id: id.into(),
        name: name.to_owned(),
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        area: Some(area.to_owned()),
        device_class: None,
        state: "off".to_owned(),
        attributes: Map::new(),
        source: "demo".to_owned(),
    }
}

/// The small home with things whose names are alike.
fn crowded() -> Grammar {
    let mut home: Home = home();
    home.entities.extend([
        light("light.desk_left", "Left desk lamp", "office", &["desk lamp"]),
        light("light.desk_right", "Right desk lamp", "office", &["desk lamp"]),
        light("fan.bath", "Bathroom fan", "bedroom", &[]),
        light("light.reading", "Reading light", "bedroom", &[]),
        light("switch.heated", "Heated towel rail", "bedroom", &[]),
    ]);
    Grammar::new(english(), &home)
}

/// Text, name that is meant, words of the reason.
const NEARLY: &[(&str, &str, &str)] = &[
    ("turn on the office lite", "Office light", "sounds like"),
    ("turn on the offis light", "Office light", "sounds like"),
    ("turn off the standing lied", "Standing light", "sounds like"),
    ("turn on the coffee mashine", "Coffee machine", "sounds like"),
    ("turn on the ceeling fan", "Ceiling fan", "sounds like"),
    ("turn on the seeling van", "Ceiling fan", "sounds like"),
    ("turn on the redding light", "Reading light", "sounds like"),
    ("turn on the heeted towl rail", "Heated towel rail", "sounds like"),
    ("turn off the counter lights", "Counter light", "another form of"),
    ("turn off the light counter", "Counter light", "another form of"),
    ("turn off the machine of coffee", "Coffee machine", "another form of"),
    ("turn on the fan in the bathroom", "Bathroom fan", "another form of"),
    ("turn on the coffee", "Coffee machine", "part of"),
    ("turn on the towel rail", "Heated towel rail", "part of"),
    ("turn on the counter", "Counter light", "part of"),
];

#[test]
fn names_may_be_said_nearly() {
    let grammar = crowded();
    let mut wrong = Vec::new();
    for (text, name, why) in NEARLY {
        let found = grammar.understand(text, "en");
        let right = found.intents.len() == 1
            && found.ambiguous.is_empty()
            && found.intents[0].slots.get("name") == Some(&Value::from(*name))
            && found.intents[0].why.contains(why)
            && found.intents[0].confidence < 1.0;
        if !right {
            wrong.push(format!("{text}: {name}, {why}\n  {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_near_nothing_stays_unknown() {
    let grammar = crowded();
    for text in [
        "turn on the moon",
        "turn on the landing light",
        "turn on the phone",
        "turn off my car",
        "turn on the subtitles",
        "open the wine",
        "what is the best lamp to buy",
        "turn on the closed captions",
        "close the deal",
        "lock the fridge",
    ] {
        let found = grammar.understand(text, "en");
        assert!(found.intents.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn a_tie_is_not_guessed() {
    let grammar = crowded();
    for (text, candidates) in [
        ("turn on the desk lamp", &["Left desk lamp", "Right desk lamp"][..]),
        ("turn on the desk", &["Left desk lamp", "Right desk lamp"]),
        ("turn on the dest lamp", &["Left desk lamp", "Right desk lamp"]),
        ("turn on the fan", &["Ceiling fan", "Bathroom fan"]),
    ] {
        let found = grammar.understand(text, "en");
        if text == "turn on the fan" && found.ambiguous.is_empty() {
            // A sentence about all fans of the place comes first.
            assert_eq!(found.intents[0].slots.get("domain"), Some(&Value::from("fan")), "{found:?}");
            continue;
        }
        assert_eq!(found.ambiguous.len(), 1, "{text}: {found:?}");
        let names: Vec<&str> = found.ambiguous[0].candidates.iter().map(String::as_str).collect();
        assert_eq!(names, candidates, "{text}");
        assert_eq!((found.ambiguous[0].intent, found.ambiguous[0].slot.as_str()), (0, "name"));
    }
}

#[test]
fn what_stands_where_the_speaker_is_settles_a_tie() {
    let mut home = home();
    home.entities.extend([
        light("light.a", "Left desk lamp", "office", &["desk lamp"]),
        light("light.b", "Bedside desk lamp", "bedroom", &["desk lamp"]),
    ]);
    let context = Map::from_iter([("area".to_owned(), Value::from("Bedroom"))]);
    let grammar = Grammar::with_context(english(), &home, context);
    let found = grammar.understand("turn on the desk lamp", "en");
    assert!(found.ambiguous.is_empty(), "{found:?}");
    assert_eq!(found.intents[0].slots["name"], "Bedside desk lamp");
}

#[test]
fn as_many_as_were_counted_are_meant_where_so_many_are_called_so() {
    let mut home = home();
    home.entities.extend([
        light("light.left", "Left lamp", "office", &[]),
        light("light.right", "Right lamp", "office", &[]),
    ]);
    let grammar = Grammar::new(english(), &home);
    let names = |text| {
        let found = grammar.understand(text, "en").intents;
        found.iter().map(|it| it.slots.get("name").cloned()).collect::<Vec<_>>()
    };
    assert_eq!(
        names("put the two lamps in the office on"),
        [Some("Left lamp".into()), Some("Right lamp".into())]
    );
    assert_eq!(names("turn on both lamps in the office").len(), 2);
    for of_the_room in ["turn on the lights in the office", "turn on the three lights in the office"] {
        assert_eq!(names(of_the_room), [None], "{of_the_room}");
    }
}

#[test]
fn a_door_is_asked_about_unless_it_was_named() {
    for (text, asked) in [
        ("unlock the front door", 0),
        ("unlock the frond door", 1),
        ("open the garach door", 1),
        ("open the roof", 1),
        ("lock the frond door", 1),
    ] {
        let found = grammar().understand(text, "en");
        assert_eq!(found.intents.len(), 1, "{text}: {found:?}");
        let candidates: Vec<usize> = found.ambiguous.iter().map(|doubt| doubt.candidates.len()).collect();
        assert_eq!(candidates, vec![1; asked], "{text}: {found:?}");
    }
}

#[test]
fn a_like_meaning_is_found_by_who_knows_meanings() {
    assert!(grammar().understand("turn off the tube", "en").intents.is_empty());
    let similar: Similar = Arc::new(|said, names| {
        let like = |name: &&str| if said == "tube" && *name == "tv" { 0.85 } else { 0.1 };
        names.iter().map(like).collect()
    });
    let grammar = Grammar::new(english(), &home()).with_similarity(similar);
    let found = grammar.understand("turn off the tube", "en");
    assert_eq!(found.intents[0].slots["name"], "Television", "{found:?}");
    assert!(found.intents[0].why.contains("\"tube\" means"), "{found:?}");
}

/// Text, intents with their slots, the part that is not understood.
type Several = (&'static str, &'static [(&'static str, &'static str)], &'static str);

const SEVERAL: &[Several] = &[
    (
        "turn off the counter light and the ceiling fan",
        &[("HassTurnOff", r#"{"name":"Counter light"}"#), ("HassTurnOff", r#"{"name":"Ceiling fan"}"#)],
        "",
    ),
    (
        "turn the lamp and the ceiling fan off",
        &[("HassTurnOff", r#"{"name":"Lamp"}"#), ("HassTurnOff", r#"{"name":"Ceiling fan"}"#)],
        "",
    ),
    (
        "turn on the counter light and set it to 50 percent",
        &[
            ("HassTurnOn", r#"{"name":"Counter light"}"#),
            ("HassLightSet", r#"{"name":"Counter light","brightness":50}"#),
        ],
        "",
    ),
    (
        "turn off the tv then lock the front door",
        &[("HassTurnOff", r#"{"name":"Television"}"#), ("HassTurnOn", r#"{"name":"Front door"}"#)],
        "",
    ),
    (
        "turn off the tv, lock the front door and close the curtains",
        &[
            ("HassTurnOff", r#"{"name":"Television"}"#),
            ("HassTurnOn", r#"{"name":"Front door"}"#),
            ("HassTurnOff", r#"{"name":"Curtains"}"#),
        ],
        "",
    ),
    (
        "turn off the counter light, the lamp and the television",
        &[
            ("HassTurnOff", r#"{"name":"Counter light"}"#),
            ("HassTurnOff", r#"{"name":"Lamp"}"#),
            ("HassTurnOff", r#"{"name":"Television"}"#),
        ],
        "",
    ),
    (
        "turn on the kitchen lights and the office lights",
        &[
            ("HassTurnOn", r#"{"area":"Kitchen","domain":"light"}"#),
            ("HassTurnOn", r#"{"area":"Office","domain":"light"}"#),
        ],
        "",
    ),
    (
        "turn off the kitchen lights and the office lights",
        &[
            ("HassTurnOff", r#"{"area":"Kitchen","domain":"light"}"#),
            ("HassTurnOff", r#"{"area":"Office","domain":"light"}"#),
        ],
        "",
    ),
    (
        "turn off the lamp, the office lights and the kitchen lights please",
        &[
            ("HassTurnOff", r#"{"name":"Lamp"}"#),
            ("HassTurnOff", r#"{"area":"Office","domain":"light"}"#),
            ("HassTurnOff", r#"{"area":"Kitchen","domain":"light"}"#),
        ],
        "",
    ),
    (
        "switch off the lamp and counter light",
        &[("HassTurnOff", r#"{"name":"Lamp"}"#), ("HassTurnOff", r#"{"name":"Counter light"}"#)],
        "",
    ),
    (
        "turn off the kitchen lights and the office lights on",
        &[
            ("HassTurnOff", r#"{"area":"Kitchen","domain":"light"}"#),
            ("HassTurnOn", r#"{"area":"Office","domain":"light"}"#),
        ],
        "",
    ),
    (
        "set the lamp to 20 percent and the counter light to 80 percent",
        &[
            ("HassLightSet", r#"{"name":"Lamp","brightness":20}"#),
            ("HassLightSet", r#"{"name":"Counter light","brightness":80}"#),
        ],
        "",
    ),
    (
        "set a timer for five minutes and turn off the lamp",
        &[("HassStartTimer", r#"{"minutes":5}"#), ("HassTurnOff", r#"{"name":"Lamp"}"#)],
        "",
    ),
    (
        "turn on the lamb and the offis light",
        &[("HassTurnOn", r#"{"name":"Lamp"}"#), ("HassTurnOn", r#"{"name":"Office light"}"#)],
        "",
    ),
    (
        "turn on the lamp and make me a sandwich",
        &[("HassTurnOn", r#"{"name":"Lamp"}"#)],
        "make me a sandwich",
    ),
    ("sing a song and turn off the lamp", &[("HassTurnOff", r#"{"name":"Lamp"}"#)], "sing a song"),
];

#[test]
fn one_sentence_may_be_several_requests() {
    let mut wrong = Vec::new();
    for (text, intents, missed) in SEVERAL {
        let found = grammar().understand(text, "en");
        let names: Vec<(&str, Value)> = found
            .intents
            .iter()
            .map(|found| (found.name.as_str(), Value::Object(found.slots.clone())))
            .collect();
        let expected: Vec<(&str, Value)> =
            intents.iter().map(|(name, slots)| (*name, serde_json::from_str(slots).unwrap())).collect();
        if names != expected || found.missed.join("|") != *missed {
            wrong.push(format!("{text}\n  {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn other_words_for_all_of_a_name_are_the_name() {
    let grammar = crowded();
    for (text, name) in [
        ("turn off the telly", "Television"),
        ("switch off the tv set", "Television"),
        ("turn on the lamp over the worktop", "Counter light"),
        ("turn on the coffee maker", "Coffee machine"),
        ("turn on the overhead fan", "Ceiling fan"),
        ("turn off the standing lamp", "Standing light"),
    ] {
        let found = grammar.understand(text, "en");
        let names: Vec<&Value> = found.intents.iter().filter_map(|intent| intent.slots.get("name")).collect();
        assert_eq!(names, [name], "{text}: {found:?}");
        assert!(found.ambiguous.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn what_the_home_does_not_have_is_never_another_thing() {
    // Everything is alike to somebody who only looks at the whole.
    let similar: Similar = Arc::new(|_, names| names.iter().map(|_| 0.79).collect());
    let grammar = crowded().with_similarity(similar);
    for (text, name, sure) in [
        ("turn on the bed light", "bed light", true),
        ("switch off the lava lamp", "lava lamp", true),
        ("please turn off my porch lamp", "porch lamp", true),
        ("set the wardrobe lamp to 50 percent", "wardrobe lamp", true),
        ("turn on the washing machine", "washing machine", false),
        ("turn on the humidifier", "humidifier", true),
    ] {
        let found = grammar.understand(text, "en");
        assert!(found.intents.is_empty(), "{text}: {found:?}");
        let unknown = found.unknown.as_ref().map(|thing| (thing.name.as_str(), thing.sure));
        assert_eq!(unknown, Some((name, sure)), "{text}: {found:?}");
    }
}

#[test]
fn a_thing_of_another_room_is_not_meant() {
    for text in ["turn on the bedroom television", "turn off the television in the kitchen"] {
        let found = grammar().understand(text, "en");
        let names: Vec<&Value> = found.intents.iter().filter_map(|intent| intent.slots.get("name")).collect();
        assert!(!names.contains(&&Value::from("Television")), "{text}: {found:?}");
    }
    let found = grammar().understand("turn on the television in the living room", "en");
    assert_eq!(found.intents[0].slots["name"], "Television", "{found:?}");
}

#[test]
fn what_is_said_before_a_request_does_not_hide_it() {
    for (text, intent) in [
        ("can you tell me what time it is", "HassGetCurrentTime"),
        ("hi can you please turn on the counter light", "HassTurnOn"),
        ("let me know what alarms are set", "HarkAlarmStatus"),
        ("i want the lights off", "HassTurnOff"),
    ] {
        let found = grammar().understand(text, "en");
        let names: Vec<&str> = found.intents.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(names, [intent], "{text}: {found:?}");
    }
}
