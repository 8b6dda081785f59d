//! The German sentences: another language is a folder of files.

use super::test_home::english;
use super::{Grammar, Sentences};
use hark_core::home::{Area, Entity, Floor, Home, HomeList, Person};
use hark_core::ports::{SpeechGrammar, Understand};
use serde_json::{Value, json};
use std::path::PathBuf;

pub(super) fn german() -> Sentences {
    let dir = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/languages/de/sentences"));
    Sentences::load(&[dir], "de").unwrap_or_else(|problems| {
        let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
        panic!("{}", all.join("\n"))
    })
}

pub(super) fn home() -> Home {
    let areas = [("kueche", "Küche"), ("wohnzimmer", "Wohnzimmer"), ("bad", "Bad")];
    let entities = [
        ("light.kueche", "Küchenlampe", "kueche", ""),
        ("light.stehlampe", "Stehlampe", "wohnzimmer", ""),
        ("cover.links", "Rollladen links", "wohnzimmer", "shutter"),
        ("lock.haustuer", "Haustür", "", ""),
        ("climate.bad", "Thermostat", "bad", ""),
        ("sensor.aussen", "Außentemperatur", "", "temperature"),
        ("binary_sensor.fenster", "Badfenster", "bad", "window"),
        ("scene.kino", "Kinoabend", "", ""),
    ];
    let none = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Home {
        floors: vec![Floor { id: "eg".into(), name: "Erdgeschoss".into(), aliases: Vec::new(), level: 0 }],
        areas: areas
            .iter()
            .map(|(id, name)| Area {
                id: (*id).into(),
                name: (*name).into(),
                aliases: Vec::new(),
                floor: Some("eg".into()),
            })
            .collect(),
        entities: entities
            .iter()
            .map(|(id, name, area, class)| Entity {
                id: (*id).into(),
                name: (*name).into(),
                aliases: Vec::new(),
                area: none(area),
                device_class: none(class),
                state: "off".into(),
                attributes: serde_json::Map::new(),
                source: "demo".into(),
            })
            .collect(),
        persons: vec![Person { name: "Anna".into(), state: "home".into() }],
        lists: vec![HomeList { name: "Baumarkt".into(), items: Vec::new() }],
        says: Default::default(),
        location: None,
    }
}

#[test]
fn other_things_are_not_understood() {
    let grammar = Grammar::new(&german(), &home());
    for text in ["wie hoch ist der Eiffelturm", "spiel Schach mit mir", "turn on the lamp"] {
        assert!(grammar.understand(text, "de").intents.is_empty(), "{text}");
    }
}

#[test]
fn the_recogniser_learns_german_sentences_too() {
    let grammar = Grammar::new(&german(), &home());
    let samples = grammar.sample(300, 3);
    assert_eq!(samples.len(), 300);
    for words in samples {
        assert!(!grammar.understand(&words.join(" "), "de").intents.is_empty(), "{words:?}");
    }
}

#[test]
fn several_timers_are_set_at_once() {
    let grammar = Grammar::new(&german(), &home());
    let minutes = |all: &[u64]| all.iter().map(|one| json!({ "minutes": one })).collect::<Vec<_>>();
    let two = vec![json!({"name": "pizza", "minutes": 12}), json!({"name": "nudel", "minutes": 8})];
    for (text, expected) in [
        ("Stell zwei Timer, einen auf fünf Minuten und einen auf zehn", minutes(&[5, 10])),
        ("stelle drei Timer auf 5, 10 und 15 Minuten", minutes(&[5, 10, 15])),
        ("stell einen Timer auf fünf Minuten und noch einen auf zehn", minutes(&[5, 10])),
        ("einen Pizza Timer auf 12 Minuten und einen Nudel Timer auf 8", two),
    ] {
        let found = grammar.understand(text, "de").intents;
        let slots: Vec<Value> = found.iter().map(|found| Value::Object(found.slots.clone())).collect();
        assert_eq!(slots, expected, "{text}: {found:?}");
        assert!(found.iter().all(|found| found.name == "HassStartTimer"), "{text}: {found:?}");
    }
}

#[test]
fn nothing_is_left_unsaid() {
    let sentences = german();
    let responses = sentences.responses();
    for group in ["replies", "errors"] {
        for key in english().responses()[group].keys() {
            assert!(responses[group].contains_key(key), "{group} {key}");
        }
    }
    // The words around results of tools, those that the program has in English.
    for key in
        ["done", "empty", "none", "and", "more", "cut", "sorry", "helps", "did_not_work", "yes", "days"]
    {
        assert!(!responses["summary"][key].contains("{%"), "summary {key} is no template");
    }
    for intent in sentences.intents() {
        assert!(responses.get(intent).is_some_and(|keys| keys.contains_key("default")), "{intent}");
    }
}

#[test]
fn replies_are_german_sentences() {
    let lamp = json!({"entities": [{"name": "Stehlampe", "from": "off", "to": "on", "state": "on"}], "count": 1,
        "matched": ["Stehlampe"], "answer": true});
    let timer = json!({"timer": {"name": "pizza", "hours": 1, "minutes": 1, "seconds": 0,
        "left_hours": 0, "left_minutes": 2, "left_seconds": 5}});
    let date = json!({"weekday": "Saturday", "day": 21, "month": "November"});
    let sentences = german();
    for (intent, key, slots, result, text) in [
        ("HassTurnOn", "default", json!({}), &lamp, "Stehlampe ist an."),
        (
            "HassTurnOff",
            "everywhere",
            json!({"domain": "light"}),
            &json!({"count": 4}),
            "4 Lichter sind aus.",
        ),
        ("HassGetState", "one_yesno", json!({}), &lamp, "Ja, Stehlampe ist an."),
        ("HassGetState", "any", json!({"domain": "light"}), &json!({"count": 0}), "Nein, kein Licht."),
        (
            "HassStartTimer",
            "default",
            json!({}),
            &timer,
            "Pizza-Timer auf eine Stunde und eine Minute gestellt.",
        ),
        (
            "HassPauseTimer",
            "default",
            json!({}),
            &timer,
            "Pizza-Timer angehalten, noch 2 Minuten und 5 Sekunden.",
        ),
        ("HassGetCurrentTime", "default", json!({}), &json!({"hour": 14, "minute": 5}), "Es ist 14 Uhr 5."),
        ("HassGetCurrentDate", "default", json!({}), &date, "Heute ist Samstag, der 21. November."),
    ] {
        let mut environment = minijinja::Environment::new();
        environment.set_undefined_behavior(minijinja::UndefinedBehavior::Chainable);
        let context =
            minijinja::Value::from(minijinja::value::Serde(json!({"slots": slots, "result": result})));
        let said = environment.render_str(&sentences.responses()[intent][key], context).unwrap();
        assert_eq!(said.split_whitespace().collect::<Vec<_>>().join(" "), text);
    }
}

#[test]
fn names_are_near_by_the_endings_of_the_language() {
    let mut home = home();
    let lamp = home.entities[0].clone();
    home.entities.push(Entity { id: "light.klein".into(), name: "Kleine Lampe".into(), ..lamp });
    let grammar = Grammar::new(&german(), &home);
    let found = grammar.understand("schalte die Lampen kleinen ein", "de").intents;
    let [only] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(only.slots["name"], "Kleine Lampe");
    assert!(only.why.contains("another form of"), "{}", only.why);
}
