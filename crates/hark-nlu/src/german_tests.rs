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
    }
}

const ROWS: &[(&str, &str, &str)] = &[
    ("Schalte die Küchenlampe ein", "HassTurnOn", r#"{"name":"Küchenlampe"}"#),
    ("Kannst du bitte die Stehlampe ausschalten?", "HassTurnOff", r#"{"name":"Stehlampe"}"#),
    ("Mach das Licht in der Küche an", "HassTurnOn", r#"{"area":"Küche","domain":"light"}"#),
    ("Licht aus", "HassTurnOff", r#"{"domain":"light"}"#),
    ("Sag allen, dass das Essen fertig ist", "HassBroadcast", r#"{"message":"das Essen fertig ist"}"#),
    ("Sag allen Bescheid, wir fahren los", "HassBroadcast", r#"{"message":"wir fahren los"}"#),
    ("Durchsage: das Essen ist fertig!", "HassBroadcast", r#"{"message":"das essen ist fertig"}"#),
    ("Mach eine Durchsage, dass wir losfahren", "HassBroadcast", r#"{"message":"wir losfahren"}"#),
    (
        "Sag in der Küche, dass ich gleich komme",
        "HassBroadcast",
        r#"{"area":"Küche","message":"ich gleich komme"}"#,
    ),
    ("Sag hier, dass Ruhe ist", "HassBroadcast", r#"{"message":"Ruhe ist","where":"here"}"#),
    ("schalte alle Lichter aus", "HassTurnOff", r#"{"domain":"light"}"#),
    ("mach alle Lampen im Erdgeschoss aus", "HassTurnOff", r#"{"domain":"light","floor":"Erdgeschoss"}"#),
    (
        "Stell das Licht im Wohnzimmer auf 35%",
        "HassLightSet",
        r#"{"area":"Wohnzimmer","brightness":35,"domain":"light"}"#,
    ),
    (
        "dimme die Stehlampe auf fünfundzwanzig Prozent",
        "HassLightSet",
        r#"{"name":"Stehlampe","brightness":25}"#,
    ),
    ("mach die Stehlampe rot", "HassLightSet", r#"{"name":"Stehlampe","color":"red"}"#),
    (
        "mach die Stehlampe etwas heller",
        "HarkLightSetRelative",
        r#"{"name":"Stehlampe","brightness_step":"up"}"#,
    ),
    (
        "stell das Thermostat auf 21,5 Grad",
        "HassClimateSetTemperature",
        r#"{"name":"Thermostat","temperature":21.5}"#,
    ),
    (
        "stelle die Heizung im Bad auf zweiundzwanzig Grad",
        "HassClimateSetTemperature",
        r#"{"area":"Bad","temperature":22}"#,
    ),
    ("mir ist kalt", "HarkClimateSetTemperatureRelative", r#"{"temperature_step":"up"}"#),
    ("wie warm ist es im Bad", "HassClimateGetTemperature", r#"{"area":"Bad"}"#),
    ("öffne den Rollladen links", "HassTurnOn", r#"{"name":"Rollladen links"}"#),
    (
        "fahre die Rollläden im Wohnzimmer runter",
        "HassTurnOff",
        r#"{"area":"Wohnzimmer","device_class":"shutter","domain":"cover"}"#,
    ),
    (
        "fahr den Rollladen links auf 40 Prozent",
        "HassSetPosition",
        r#"{"name":"Rollladen links","position":40}"#,
    ),
    ("stopp den Rollladen links", "HassStopMoving", r#"{"name":"Rollladen links"}"#),
    ("schließ die Haustür ab", "HassTurnOn", r#"{"name":"Haustür"}"#),
    (
        "ist die Haustür abgeschlossen",
        "HassGetState",
        r#"{"name":"Haustür","state":"locked","domain":"lock"}"#,
    ),
    (
        "ist das Badfenster offen",
        "HassGetState",
        r#"{"name":"Badfenster","state":"on","device_class":"window","domain":"binary_sensor"}"#,
    ),
    (
        "welche Lampen sind in der Küche an",
        "HassGetState",
        r#"{"domain":"light","area":"Küche","state":"on"}"#,
    ),
    // ---- anders gesagt
    ("mach mal die Küchenleuchte an", "HassTurnOn", r#"{"name":"Küchenlampe"}"#),
    ("knips die Lampe in der Küche aus", "HassTurnOff", r#"{"area":"Küche","domain":"light"}"#),
    ("Stehlampe heller", "HarkLightSetRelative", r#"{"name":"Stehlampe","brightness_step":"up"}"#),
    ("Rollladen links auf 20 Prozent", "HassSetPosition", r#"{"name":"Rollladen links","position":20}"#),
    // ---- Wecker und Erinnerungen
    ("weck mich morgen um halb sieben", "HarkSetAlarm", r#"{"when":"1970-01-02T06:30:00"}"#),
    ("verschieb den Wecker auf acht Uhr", "HarkMoveAlarm", r#"{"time":"08:00:00/20:00:00"}"#),
    ("stell den Wecker eine halbe Stunde später", "HarkMoveAlarm", r#"{"minutes":30,"direction":"later"}"#),
    ("weck mich lieber um halb acht", "HarkMoveAlarm", r#"{"time":"07:30:00/19:30:00"}"#),
    (
        "zieh den Sport Wecker um zehn Minuten vor",
        "HarkMoveAlarm",
        r#"{"name":"sport","minutes":10,"direction":"earlier"}"#,
    ),
    ("stell den Wecker aus", "HarkCancelAlarm", "{}"),
    ("wann klingelt der Wecker", "HarkAlarmStatus", "{}"),
    (
        "erinnere mich morgen um acht an den Mülleimer",
        "HarkSetReminder",
        r#"{"when":"1970-01-02T08:00:00","message":"den Mülleimer"}"#,
    ),
    (
        "verschieb die Erinnerung an den Friseur auf morgen",
        "HarkMoveReminder",
        r#"{"message":"den Friseur","to":"1970-01-02"}"#,
    ),
    ("verschieb die Erinnerung um zwei Stunden", "HarkMoveReminder", r#"{"hours":2,"direction":"later"}"#),
    ("mach den Timer drei Minuten länger", "HassIncreaseTimer", r#"{"minutes":3}"#),
    ("den zweiten", "HarkChoose", r#"{"place":2}"#),
    // ---- Musik
    ("mach leiser", "HassSetVolumeRelative", r#"{"volume_step":"down"}"#),
    ("spiel etwas Musik von Mozart", "HassMediaSearchAndPlay", r#"{"search_query":"mozart"}"#),
    ("stell den Wecker für die Eier auf sechs Minuten", "HassStartTimer", r#"{"name":"eier","minutes":6}"#),
    ("was steht noch auf dem Einkaufszettel", "HarkListRead", "{}"),
    ("wieviel Uhr ist es", "HassGetCurrentTime", "{}"),
    ("wo ist Anna", "HassGetState", r#"{"name":"Anna","domain":"person"}"#),
    ("aktiviere die Szene Kinoabend", "HassTurnOn", r#"{"name":"Kinoabend","domain":"scene"}"#),
    ("stell einen Timer auf 10 Minuten", "HassStartTimer", r#"{"minutes":10}"#),
    ("Timer für anderthalb Stunden", "HassStartTimer", r#"{"hours":1,"minutes":30}"#),
    (
        "starte einen Pizza Timer für eine Stunde und fünf Minuten",
        "HassStartTimer",
        r#"{"name":"pizza","hours":1,"minutes":5}"#,
    ),
    ("brich den Timer ab", "HassCancelTimer", "{}"),
    ("stoppe den zehn Minuten Timer", "HassCancelTimer", r#"{"start_minutes":10}"#),
    ("ändere den Pizza Timer auf zehn Minuten", "HarkChangeTimer", r#"{"name":"pizza","minutes":10}"#),
    ("mach es auf zehn Minuten", "HarkFollowMove", r#"{"minutes":10}"#),
    ("zehn Minuten", "HarkFollowAnswer", r#"{"minutes":10}"#),
    ("verlängere den Pizza Timer um drei Minuten", "HassIncreaseTimer", r#"{"name":"pizza","minutes":3}"#),
    ("wie lange läuft der Timer noch", "HassTimerStatus", "{}"),
    ("wie spät ist es", "HassGetCurrentTime", "{}"),
    ("welcher Tag ist heute", "HassGetCurrentDate", "{}"),
    ("setz Milch und Brot auf die Einkaufsliste", "HassShoppingListAddItem", r#"{"item":"Milch und Brot"}"#),
    (
        "schreib Schrauben auf die Liste Baumarkt",
        "HassListAddItem",
        r#"{"item":"Schrauben","name":"Baumarkt"}"#,
    ),
    ("vergiss es", "HassNevermind", "{}"),
    // ---- what leans on the request before
    ("und in der Küche", "HarkFollowSame", r#"{"area":"Küche"}"#),
    ("noch etwas mehr", "HarkFollowMore", r#"{"amount":"more"}"#),
    ("schalt es wieder aus", "HarkFollowIt", r#"{"action":"off"}"#),
    ("mach es blau", "HarkFollowIt", r#"{"color":"blue"}"#),
    ("stell es auf 30 Prozent", "HarkFollowIt", r#"{"value":30,"unit":"percent"}"#),
    ("wie wird es morgen", "HarkFollowWhen", r#"{"when":"1970-01-02"}"#),
    ("die andere", "HarkFollowOther", "{}"),
];

#[test]
fn sentences_mean_what_they_should() {
    let sentences = german();
    let grammar = Grammar::new(&sentences, &home());
    let mut wrong = Vec::new();
    for (text, intent, slots) in ROWS {
        let slots: Value = serde_json::from_str(slots).unwrap();
        let found = grammar.understand(text, "de");
        let same = found.intents.len() == 1
            && found.intents[0].name == *intent
            && Value::Object(found.intents[0].slots.clone()) == slots;
        if !same {
            wrong.push(format!("{text}\n  expected {intent} {slots}\n  found {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
