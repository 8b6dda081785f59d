//! Discovery topics and payloads, as they are published and as they should not be.

use super::*;
use serde_json::json;

fn at(topic: &str) -> Option<DiscoveryTopic> {
    parse_topic("homeassistant", topic)
}

fn read(component: &str, payload: &Value) -> Vec<Component> {
    let place = DiscoveryTopic { component: component.into(), object_id: "thing".into() };
    components(&place, payload.to_string().as_bytes()).unwrap()
}

#[test]
fn topics_with_and_without_a_node_are_known_and_others_are_not() {
    let found = Some(DiscoveryTopic { component: "light".into(), object_id: "lamp-1".into() });
    assert_eq!(at("homeassistant/light/lamp-1/config"), found);
    assert_eq!(at("homeassistant/light/0x00158d00/lamp-1/config"), found);
    assert_eq!(at("homeassistant/device/x/config").unwrap().component, "device");
    for topic in [
        "homeassistant/light/config",
        "homeassistant/light/a/b/c/config",
        "homeassistant/light/a b/config",
        "homeassistant/light//config",
        "homeassistant/light/x/state",
        "other/light/x/config",
        "homeassistantx/light/x/config",
        "homeassistant/status",
    ] {
        assert_eq!(at(topic), None, "{topic}");
    }
}

#[test]
fn a_device_hands_its_settings_down_to_its_entities() {
    let found = read(
        "device",
        &json!({
            "~": "desk",
            "dev": {"ids": ["1"], "name": "Desk", "sa": "Office"},
            "o": {"name": "maker"},
            "avty_t": "~/lwt", "qos": 1, "stat_t": "~/state",
            "cmps": {
                "lamp": {"p": "light", "cmd_t": "~/lamp/set", "name": null},
                "temp": {"p": "sensor", "stat_t": "~/temp", "name": "Temperature"},
                "gone": {"p": "sensor"},
                "broken": 5,
            },
        }),
    );
    let [lamp, temp] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((lamp.domain.as_str(), lamp.key.as_str()), ("light", "lamp"));
    assert_eq!(lamp.fields.topic("command_topic"), Ok(Some("desk/lamp/set".into())));
    assert_eq!(lamp.fields.topic("state_topic"), Ok(Some("desk/state".into())));
    assert_eq!(lamp.fields.topic("availability_topic"), Ok(Some("desk/lwt".into())));
    assert!(lamp.fields.has("name") && lamp.fields.text("name") == Ok(None));
    assert_eq!(lamp.device, Device { name: Some("Desk".into()), area: Some("Office".into()) });
    assert_eq!(temp.fields.topic("state_topic"), Ok(Some("desk/temp".into())));
}

#[test]
fn what_hark_says_of_itself_is_no_device() {
    assert!(
        read("device", &json!({"o": {"name": "Hark"}, "cmps": {"x": {"p": "switch", "cmd_t": "a"}}}))
            .is_empty()
    );
    assert!(read("sensor", &json!({"migrate_discovery": true})).is_empty(), "it moves to its device");
}

#[test]
fn payloads_that_are_none_say_why() {
    let place = DiscoveryTopic { component: "light".into(), object_id: "x".into() };
    let of = |payload: &[u8]| components(&place, payload);
    assert_eq!(of(b""), Ok(Vec::new()));
    assert_eq!(of(&[0xff, 0xfe]), Err(ConfigError::NotText));
    assert_eq!(of(&vec![b' '; PAYLOAD_MAX_BYTES + 1]), Err(ConfigError::TooLong(PAYLOAD_MAX_BYTES + 1)));
    for payload in ["[]", "5", "{", "null", &"{\"a\":".repeat(5000)] {
        assert!(matches!(of(payload.as_bytes()), Err(ConfigError::NotJson(_))), "{payload:.20}");
    }
    let device = DiscoveryTopic { component: "device".into(), object_id: "x".into() };
    assert_eq!(components(&device, b"{}"), Err(ConfigError::Missing("components")));
}

#[test]
fn topics_with_wildcards_and_wrong_values_are_refused() {
    let fields = |value: Value| Fields::new(value.as_object().cloned().unwrap());
    for topic in ["a/+/b", "#", "$SYS/x", "a\u{0}b", "a\nb"] {
        let fields = fields(json!({"state_topic": topic}));
        assert!(matches!(fields.topic("state_topic"), Err(ConfigError::BadTopic { .. })), "{topic:?}");
        let may_be_heard = matches!(topic, "a/+/b" | "#");
        assert_eq!(fields.filter("state_topic").is_ok(), may_be_heard, "{topic:?}");
    }
    for filter in ["a/b+", "#/a", "a#", "a/+b/c"] {
        let fields = fields(json!({"state_topic": filter}));
        assert!(fields.filter("state_topic").is_err(), "{filter}");
    }
    let fields = fields(
        json!({"a": [1], "b": {"c": 1}, "n": "1e999", "m": "12.5", "f": "maybe", "t": true, "l": "x"}),
    );
    assert!(fields.text("a").is_err() && fields.text("b").is_err() && fields.number("n").is_err());
    assert!(fields.flag("f", true).is_err());
    assert_eq!(fields.number("m"), Ok(Some(12.5)));
    assert_eq!(fields.text("t"), Ok(Some("True".into())));
    assert_eq!(fields.texts("l"), Ok(Some(vec!["x".into()])));
    assert_eq!(name(" a\n b\u{7} "), Some("a b".into()));
    assert_eq!(name("\n"), None);
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_it_panic(payload: Vec<u8>, device: bool) {
        let component = if device { "device" } else { "light" };
        let place = DiscoveryTopic { component: component.into(), object_id: "x".into() };
        let _ = components(&place, &payload);
    }
}
