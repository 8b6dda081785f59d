//! Home Assistant's MQTT device discovery: one message that describes this node and its entities.
//!
//! Format: home-assistant.io/integrations/mqtt, section "Device discovery payload". The sections and the
//! platform have their short names (`dev`, `o`, `cmps`, `p`) as in the documentation's examples; every
//! other key is written in full.

use super::outbound::{ACTIVITIES, ROUTES, route_name, state_name};
use super::topics::{Topic, Topics};
use crate::domain::public_event::HarkState;
use serde_json::{Map, Value, json};

/// What Home Assistant is told about this node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NodeInfo {
    /// Version of Hark.
    pub version: String,
    /// Declared name of the area the node stands in, if it has one.
    pub area: Option<String>,
}

/// All states, in the order of a turn.
pub const STATES: [HarkState; 6] = [
    HarkState::Idle,
    HarkState::Listening,
    HarkState::Processing,
    HarkState::Responding,
    HarkState::Muted,
    HarkState::Error,
];

/// The discovery payload.
pub fn payload(topics: &Topics, about: &NodeInfo) -> Value {
    let node = topics.node();
    let name = if node == "hark" { "Hark".to_owned() } else { format!("Hark {node}") };
    let mut device = json!({
        "identifiers": [format!("hark_{node}")],
        "name": name,
        "manufacturer": "Hark",
        "model": "Voice assistant",
        "sw_version": about.version,
    });
    if let (Some(area), Some(device)) = (&about.area, device.as_object_mut()) {
        device.insert("suggested_area".into(), json!(area));
    }
    json!({
        "dev": device,
        "o": { "name": "Hark", "sw_version": about.version },
        "cmps": components(topics),
        "availability_topic": topics.path(Topic::Availability),
        "payload_available": "online",
        "payload_not_available": "offline",
        "qos": 1,
    })
}

/// One component an entity; the key is the entity's name in topics and ids.
fn components(topics: &Topics) -> Value {
    let entities =
        voice_entities(topics).into_iter().chain(word_entities(topics)).chain(diagnostic_entities(topics));
    Value::Object(entities.collect())
}

/// What people use.
fn voice_entities(topics: &Topics) -> [(String, Value); 7] {
    let path = |topic| topics.path(topic);
    [
        entity(
            topics,
            "sensor",
            "state",
            "State",
            "mdi:account-voice",
            json!({
                "state_topic": path(Topic::State),
                "device_class": "enum",
                "options": STATES.map(state_name),
            }),
        ),
        entity(
            topics,
            "sensor",
            "last_transcript",
            "Last transcript",
            "mdi:text-recognition",
            json!({
                "state_topic": path(Topic::LastTranscriptState),
                "json_attributes_topic": path(Topic::LastTranscriptAttributes),
                "entity_category": "diagnostic",
            }),
        ),
        entity(
            topics,
            "sensor",
            "last_response",
            "Last response",
            "mdi:message-reply-text",
            json!({
                "state_topic": path(Topic::LastResponseState),
                "json_attributes_topic": path(Topic::LastResponseAttributes),
                "entity_category": "diagnostic",
            }),
        ),
        entity(
            topics,
            "switch",
            "mic_mute",
            "Mic mute",
            "mdi:microphone-off",
            json!({
                "state_topic": path(Topic::MicMuteState),
                "command_topic": path(Topic::MicMuteSet),
                "payload_on": "ON",
                "payload_off": "OFF",
            }),
        ),
        entity(
            topics,
            "number",
            "volume",
            "Volume",
            "mdi:volume-high",
            json!({
                "state_topic": path(Topic::VolumeState),
                "command_topic": path(Topic::VolumeSet),
                "min": 0,
                "max": 100,
                "step": 1,
                "mode": "slider",
                "unit_of_measurement": "%",
            }),
        ),
        entity(
            topics,
            "button",
            "listen_now",
            "Listen now",
            "mdi:ear-hearing",
            json!({
                "command_topic": path(Topic::ListenNowSet),
                "payload_press": "PRESS",
            }),
        ),
        entity(
            topics,
            "button",
            "stop",
            "Stop",
            "mdi:stop",
            json!({
                "command_topic": path(Topic::StopSet),
                "payload_press": "PRESS",
            }),
        ),
    ]
}

/// What goes in and comes out in words, and what became of it.
fn word_entities(topics: &Topics) -> [(String, Value); 7] {
    let path = |topic| topics.path(topic);
    let told = |key: &str, name: &str, icon: &str, topic, mut own: Value| {
        own["state_topic"] = json!(path(topic));
        own["entity_category"] = json!("diagnostic");
        entity(topics, "sensor", key, name, icon, own)
    };
    let routes = json!({ "device_class": "enum", "options": ROUTES.map(route_name) });
    let milliseconds =
        json!({ "device_class": "duration", "unit_of_measurement": "ms", "state_class": "measurement" });
    let ask = json!({
        "command_topic": path(Topic::Ask),
        // What Hark took down: a PIN is not in it.
        "state_topic": path(Topic::LastTranscriptState),
        "max": 255,
    });
    let activity = json!({ "state_topic": path(Topic::ActivityState), "event_types": ACTIVITIES });
    [
        entity(
            topics,
            "switch",
            "do_not_disturb",
            "Do not disturb",
            "mdi:bell-sleep",
            json!({
                "state_topic": path(Topic::DoNotDisturbState),
                "command_topic": path(Topic::DoNotDisturbSet),
                "payload_on": "ON",
                "payload_off": "OFF",
            }),
        ),
        entity(
            topics,
            "notify",
            "say",
            "Say this",
            "mdi:bullhorn",
            json!({ "command_topic": path(Topic::Say) }),
        ),
        entity(topics, "text", "ask", "Ask this", "mdi:chat-question", ask),
        entity(topics, "event", "activity", "Activity", "mdi:pulse", activity),
        told("last_intent", "Last intent", "mdi:head-cog", Topic::LastIntentState, json!({})),
        told("last_route", "Last route", "mdi:directions-fork", Topic::LastRouteState, routes),
        told("latency", "Latency", "mdi:timer-sand", Topic::LatencyState, milliseconds),
    ]
}

/// How the node itself is.
fn diagnostic_entities(topics: &Topics) -> [(String, Value); 5] {
    let problem = |key: &str, name: &str, icon: &str, topic| {
        let own = json!({
            "state_topic": topics.path(topic),
            "device_class": "problem",
            "payload_on": "ON",
            "payload_off": "OFF",
            "entity_category": "diagnostic",
        });
        entity(topics, "binary_sensor", key, name, icon, own)
    };
    let number = |key: &str, name: &str, icon: &str, topic, mut own: Value| {
        own["state_topic"] = json!(topics.path(topic));
        own["entity_category"] = json!("diagnostic");
        entity(topics, "sensor", key, name, icon, own)
    };
    let duration = json!({ "device_class": "duration", "unit_of_measurement": "s" });
    let size = json!({
        "device_class": "data_size",
        "unit_of_measurement": "MiB",
        "state_class": "measurement",
        "suggested_display_precision": 0,
    });
    let total = json!({ "state_class": "total_increasing" });
    [
        problem(
            "microphone_problem",
            "Microphone problem",
            "mdi:microphone-question",
            Topic::MicrophoneProblemState,
        ),
        problem("speaker_problem", "Speaker problem", "mdi:speaker-off", Topic::SpeakerProblemState),
        number("xruns", "Xruns", "mdi:waveform", Topic::XrunsState, total),
        number("uptime", "Uptime", "mdi:timer-outline", Topic::UptimeState, duration),
        number("memory", "Memory", "mdi:memory", Topic::MemoryState, size),
    ]
}

fn entity(topics: &Topics, platform: &str, key: &str, name: &str, icon: &str, own: Value) -> (String, Value) {
    let mut all = Map::new();
    all.insert("p".into(), json!(platform));
    all.insert("name".into(), json!(name));
    all.insert("unique_id".into(), json!(format!("hark_{}_{key}", topics.node())));
    let object = device_slug(topics.node());
    all.insert("default_entity_id".into(), json!(format!("{platform}.{object}_{key}")));
    all.insert("icon".into(), json!(icon));
    if let Value::Object(own) = own {
        all.extend(own);
    }
    (key.to_owned(), Value::Object(all))
}

/// The node as the beginning of an entity id, which may hold no `-` and no `_` twice running.
fn device_slug(node: &str) -> String {
    let parts = node.split(['-', '_']).filter(|part| !part.is_empty());
    let slug = parts.collect::<Vec<_>>().join("_");
    match slug.as_str() {
        "" | "hark" => "hark".to_owned(),
        other => format!("hark_{other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    // Keys Home Assistant's MQTT integration accepts, from the "Configuration variables" of
    // home-assistant.io/integrations/{sensor,binary_sensor,switch,number,button,notify,text,event}.mqtt and the schemas in its source
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
            other => panic!("platform {other} has no list here"),
        }
    }

    fn described(node: &str) -> (Topics, Value) {
        let topics = Topics::new(node, "homeassistant").unwrap();
        let about = NodeInfo { version: "1.2.3".into(), area: Some("Kitchen".into()) };
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
                "sensor.hark_last_transcript",
                "sensor.hark_last_response",
                "switch.hark_mic_mute",
                "number.hark_volume",
                "button.hark_listen_now",
                "button.hark_stop",
                "switch.hark_do_not_disturb",
                "notify.hark_say",
                "text.hark_ask",
                "event.hark_activity",
                "sensor.hark_last_intent",
                "sensor.hark_last_route",
                "sensor.hark_latency",
                "binary_sensor.hark_microphone_problem",
                "binary_sensor.hark_speaker_problem",
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
        let paths: BTreeSet<_> =
            super::super::topics::TABLE.iter().map(|row| topics.path(row.topic)).collect();
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
}
