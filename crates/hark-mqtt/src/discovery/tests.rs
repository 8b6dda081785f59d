//! The discovery message against Home Assistant's own rules.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

// Keys Home Assistant's MQTT integration accepts, from the "Configuration variables" of
// home-assistant.io/integrations/{sensor,binary_sensor,switch,select,number,button,notify,text,event,update}.mqtt and the schemas in its source
// (homeassistant/components/mqtt/{schemas,sensor,binary_sensor,switch,number,button}.py). It drops keys it does
// not know without a word, so a misspelt one would simply not work.
const ROOT: &[&str] = &[
    "dev",
    "o",
    "cmps",
    "availability",
    "availability_mode",
    "availability_template",
    "availability_topic",
    "payload_available",
    "payload_not_available",
    "state_topic",
    "command_topic",
    "qos",
    "encoding",
];
const DEVICE: &[&str] = &[
    "configuration_url",
    "connections",
    "hw_version",
    "identifiers",
    "manufacturer",
    "model",
    "model_id",
    "name",
    "serial_number",
    "suggested_area",
    "sw_version",
    "via_device",
];
const ORIGIN: &[&str] = &["name", "sw_version", "support_url"];
const ENTITY: &[&str] = &[
    "p",
    "availability",
    "availability_mode",
    "availability_template",
    "availability_topic",
    "payload_available",
    "payload_not_available",
    "default_entity_id",
    "enabled_by_default",
    "encoding",
    "entity_category",
    "entity_picture",
    "icon",
    "json_attributes_template",
    "json_attributes_topic",
    "name",
    "qos",
    "unique_id",
];
const SENSOR: &[&str] = &[
    "device_class",
    "expire_after",
    "force_update",
    "last_reset_value_template",
    "options",
    "state_class",
    "state_topic",
    "suggested_display_precision",
    "unit_of_measurement",
    "value_template",
];
const BINARY_SENSOR: &[&str] = &[
    "device_class",
    "expire_after",
    "force_update",
    "off_delay",
    "payload_off",
    "payload_on",
    "state_topic",
    "value_template",
];
const SWITCH: &[&str] = &[
    "command_template",
    "command_topic",
    "device_class",
    "optimistic",
    "payload_off",
    "payload_on",
    "retain",
    "state_off",
    "state_on",
    "state_topic",
    "value_template",
];
const NUMBER: &[&str] = &[
    "command_template",
    "command_topic",
    "device_class",
    "max",
    "min",
    "mode",
    "optimistic",
    "payload_reset",
    "retain",
    "state_topic",
    "step",
    "unit_of_measurement",
    "value_template",
];
const NOTIFY: &[&str] = &["command_template", "command_topic", "retain"];
const TEXT: &[&str] = &[
    "command_template",
    "command_topic",
    "max",
    "min",
    "mode",
    "pattern",
    "retain",
    "state_topic",
    "value_template",
];
const SELECT: &[&str] = &[
    "command_template",
    "command_topic",
    "optimistic",
    "options",
    "retain",
    "state_topic",
    "value_template",
];
const UPDATE: &[&str] = &[
    "command_topic",
    "device_class",
    "display_precision",
    "latest_version_template",
    "latest_version_topic",
    "payload_install",
    "release_summary",
    "release_url",
    "retain",
    "state_topic",
    "title",
    "value_template",
];
const EVENT: &[&str] = &["device_class", "event_types", "state_topic", "value_template"];
const BUTTON: &[&str] = &["command_template", "command_topic", "device_class", "payload_press", "retain"];

fn platform_keys(platform: &str) -> (&'static [&'static str], &'static [&'static str]) {
    // (what it takes, what it must have)
    match platform {
        "sensor" => (SENSOR, &["state_topic"]),
        "binary_sensor" => (BINARY_SENSOR, &["state_topic"]),
        "switch" => (SWITCH, &["command_topic", "state_topic"]),
        "number" => (NUMBER, &["command_topic", "state_topic"]),
        "notify" => (NOTIFY, &["command_topic"]),
        "text" => (TEXT, &["command_topic", "state_topic"]),
        "event" => (EVENT, &["state_topic"]),
        "button" => (BUTTON, &["command_topic"]),
        "select" => (SELECT, &["command_topic", "state_topic"]),
        "update" => (UPDATE, &["state_topic"]),
        other => panic!("platform {other} has no list here"),
    }
}

fn node_with(equipment: Equipment) -> NodeInfo {
    NodeInfo { version: "1.2.3".into(), area: Some("Kitchen".into()), equipment }
}

fn described(node: &str) -> (Topics, Value) {
    let topics = Topics::new(node, "homeassistant").unwrap();
    let about = node_with(Equipment::full());
    let payload = payload(&topics, &about);
    (topics, payload)
}

fn assert_keys(object: &Value, allowed: &[&[&str]]) {
    for key in object.as_object().unwrap().keys() {
        assert!(allowed.iter().any(|keys| keys.contains(&key.as_str())), "Home Assistant has no {key}");
    }
}

#[test]
fn home_assistant_knows_every_key() {
    let (_, payload) = described("hark");
    assert_keys(&payload, &[ROOT]);
    assert_keys(&payload["dev"], &[DEVICE]);
    assert_keys(&payload["o"], &[ORIGIN]);
    for (key, component) in payload["cmps"].as_object().unwrap() {
        let (allowed, needed) = platform_keys(component["p"].as_str().unwrap());
        assert_keys(component, &[ENTITY, allowed]);
        for needed in needed.iter().chain(&["unique_id", "name", "default_entity_id"]) {
            assert!(component[*needed].is_string(), "{key} has no {needed}");
        }
    }
}

#[test]
fn the_entities_are_those_of_the_interface() {
    let (_, payload) = described("hark");
    let entities: Vec<_> = payload["cmps"]
        .as_object()
        .unwrap()
        .values()
        .map(|component| component["default_entity_id"].as_str().unwrap())
        .collect();
    assert_eq!(
        entities,
        [
            "sensor.hark_state",
            "switch.hark_mic_mute",
            "switch.hark_speaker_mute",
            "switch.hark_do_not_disturb",
            "number.hark_volume",
            "button.hark_listen_now",
            "button.hark_stop",
            "notify.hark_say",
            "text.hark_ask",
            "event.hark_activity",
            "sensor.hark_last_transcript",
            "sensor.hark_last_response",
            "sensor.hark_last_intent",
            "sensor.hark_last_route",
            "sensor.hark_mode",
            "sensor.hark_latency",
            "switch.hark_wake_sound",
            "switch.hark_follow_up",
            "number.hark_mic_gain",
            "number.hark_wake_sensitivity",
            "number.hark_finished_speaking_silence",
            "select.hark_wake_word",
            "select.hark_voice",
            "select.hark_language",
            "select.hark_endpointing",
            "sensor.hark_next_timer",
            "sensor.hark_next_alarm",
            "binary_sensor.hark_timers_active",
            "button.hark_cancel_timers",
            "button.hark_restart",
            "update.hark_update",
            "binary_sensor.hark_microphone_problem",
            "binary_sensor.hark_speaker_problem",
            "binary_sensor.hark_broker_problem",
            "binary_sensor.hark_language_model_problem",
            "sensor.hark_cpu_temperature",
            "sensor.hark_xruns",
            "sensor.hark_uptime",
            "sensor.hark_memory",
        ]
    );
    assert_eq!(payload["cmps"]["state"]["options"], json!(STATES));
    assert_eq!(payload["dev"]["suggested_area"], "Kitchen");
}

#[test]
fn topics_are_ones_hark_serves() {
    let (topics, payload) = described("kitchen");
    let paths: BTreeSet<_> = super::super::topics::TABLE.iter().map(|row| topics.path(row.topic)).collect();
    for component in payload["cmps"].as_object().unwrap().values() {
        for (key, value) in component.as_object().unwrap() {
            if key.ends_with("_topic") {
                assert!(paths.contains(value.as_str().unwrap()), "{key} = {value}");
            }
            if key == "command_topic" {
                assert!(topics.incoming(value.as_str().unwrap()).is_some());
            }
        }
    }
}

proptest! {
    #[test]
    fn ids_are_valid_and_differ_whatever_the_node(node in "[a-z0-9_-]{1,32}") {
        let (_, payload) = described(&node);
        let mut unique = BTreeSet::new();
        for component in payload["cmps"].as_object().unwrap().values() {
            prop_assert!(unique.insert(component["unique_id"].as_str().unwrap()));
            let id = component["default_entity_id"].as_str().unwrap();
            let (domain, object) = id.split_once('.').unwrap();
            prop_assert_eq!(domain, component["p"].as_str().unwrap());
            let is_slug = object.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
                && !object.starts_with('_') && !object.ends_with('_') && !object.contains("__");
            prop_assert!(is_slug, "{}", id);
        }
    }
}

/// What Home Assistant refuses at run time although each key is right by itself, from the `validate` functions in
/// homeassistant/components/mqtt/{sensor,number}.py and the tables in components/{sensor,number}/const.py.
#[test]
fn values_fit_each_other() {
    let units: &[(&str, &[&str])] = &[
        ("temperature", &["°C", "°F", "K"]),
        ("duration", &["d", "h", "min", "s", "ms"]),
        ("data_size", &["B", "kB", "MB", "GB", "MiB", "GiB"]),
    ];
    let (_, payload) = described("hark");
    for (key, component) in payload["cmps"].as_object().unwrap() {
        let text = |name: &str| component[name].as_str();
        match text("device_class").and_then(|class| units.iter().find(|(name, _)| *name == class)) {
            Some((class, units)) => {
                assert!(
                    text("unit_of_measurement").is_some_and(|unit| units.contains(&unit)),
                    "{key}: {class}"
                );
            }
            None if matches!(text("device_class"), Some("enum" | "timestamp")) => {
                assert!(text("unit_of_measurement").is_none() && text("state_class").is_none(), "{key}");
            }
            None => {}
        }
        if text("p") == Some("number") {
            let number = |name: &str| component[name].as_f64().unwrap();
            assert!(number("min") < number("max") && number("step") > 0.0, "{key}");
            assert!(matches!(text("mode"), Some("auto" | "box" | "slider")), "{key}");
        }
        if matches!(text("device_class"), Some("enum")) || text("p") == Some("select") {
            let options = component["options"].as_array().unwrap();
            let distinct: BTreeSet<_> = options.iter().map(|option| option.as_str().unwrap()).collect();
            assert!(!options.is_empty() && distinct.len() == options.len(), "{key}");
        }
        // `config` is for what can be changed, `diagnostic` for what can only be looked at.
        let can_be_set = component.get("command_topic").is_some();
        assert!(text("entity_category") != Some("config") || can_be_set, "{key}");
        assert!(text("entity_category") != Some("diagnostic") || !can_be_set, "{key}");
    }
}

#[test]
fn ranges_and_options_are_those_that_are_taken() {
    let (_, payload) = described("hark");
    let of = |key: &str, name: &str| payload["cmps"][key][name].clone();
    for (key, name, value) in [
        ("mic_gain", "min", json!(-20)),
        ("mic_gain", "max", json!(30)),
        ("finished_speaking_silence", "min", json!(100)),
        ("finished_speaking_silence", "max", json!(3000)),
        ("wake_sensitivity", "min", json!(1)),
        ("wake_sensitivity", "max", json!(95)),
        ("wake_word", "options", json!(["hey_jarvis", "okay_nabu"])),
        ("language", "options", json!(["en", "de"])),
        ("endpointing", "options", json!(["likelihood", "words", "silence"])),
    ] {
        assert_eq!(of(key, name), value, "{key} {name}");
    }
}

#[test]
fn what_is_not_there_has_only_its_platform_and_its_states_are_cleared() {
    let topics = Topics::new("hark", "homeassistant").unwrap();
    type Change = fn(&mut Equipment);
    let cases: [(Change, &[&str], &[&str]); 6] = [
        (|_| {}, &[], &[]),
        (
            |has| has.microphone = false,
            &[
                "mic_mute",
                "listen_now",
                "wake_sound",
                "follow_up",
                "mic_gain",
                "wake_sensitivity",
                "finished_speaking_silence",
                "wake_word",
                "endpointing",
                "microphone_problem",
            ],
            &["listen_now"],
        ),
        (
            |has| has.speaker = false,
            &["speaker_mute", "volume", "say", "wake_sound", "voice", "speaker_problem"],
            &["say"],
        ),
        (|has| has.wake_words.clear(), &["wake_sensitivity", "wake_word"], &[]),
        (|has| has.voices.clear(), &["say", "voice"], &["say"]),
        (
            |has| (has.cpu_temperature, has.language_model) = (false, false),
            &["cpu_temperature", "language_model_problem"],
            &[],
        ),
    ];
    for (change, absent, stateless) in cases {
        let mut equipment = Equipment::full();
        change(&mut equipment);
        let states: BTreeSet<String> = absent
            .iter()
            .filter(|key| !stateless.contains(key))
            .map(|key| format!("hark/hark/{key}/state"))
            .collect();
        assert_eq!(absent_states(&topics, &equipment), states);
        let payload = payload(&topics, &node_with(equipment));
        for (key, component) in payload["cmps"].as_object().unwrap() {
            let is_bare = component.as_object().unwrap().len() == 1;
            assert_eq!(is_bare, absent.contains(&key.as_str()), "{key}");
            assert!(component["p"].is_string());
        }
    }
}
