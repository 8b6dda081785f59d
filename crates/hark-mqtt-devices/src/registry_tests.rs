//! Announcing, replacing, removing, and malformed messages.

use super::super::testing::TestRegistry;
use super::*;
use serde_json::json;
use std::time::Duration;

fn ids(registry: &TestRegistry) -> Vec<String> {
    registry.registry.ids().into_iter().map(|id| id.0).collect()
}

#[test]
fn names_come_from_the_device_and_the_entity() {
    let table = [
        (json!({"name": "Lamp"}), "Lamp", "switch.lamp"),
        (json!({"name": "Relay", "dev": {"name": "Box"}}), "Box Relay", "switch.box_relay"),
        (json!({"name": null, "dev": {"name": "Box"}}), "Box", "switch.box"),
        (json!({"dev": {"name": "Box"}}), "Box", "switch.box"),
        (json!({"dev_cla": "outlet", "dev": {"name": "Box"}}), "Box outlet", "switch.box_outlet"),
        (json!({"name": "Box relay", "dev": {"name": "box"}}), "Box relay", "switch.box_relay"),
        (json!({"name": "Boxes", "dev": {"name": "Box"}}), "Box Boxes", "switch.box_boxes"),
        (json!({}), "the key", "switch.the_key"),
        (json!({"name": "Küche ½", "obj_id": "Mein Licht"}), "Küche ½", "switch.mein_licht"),
        (json!({"name": "X", "def_ent_id": "switch.other"}), "X", "switch.other"),
        (json!({"name": "★"}), "★", "switch.the_key"),
    ];
    for (mut payload, name, id) in table {
        payload["cmd_t"] = json!("c");
        let registry = TestRegistry::with("switch/the_key", &payload);
        assert_eq!(ids(&registry), [id], "{payload}");
        assert_eq!(registry.entity(id).name, name, "{payload}");
    }
}

#[test]
fn what_sets_a_device_up_is_not_for_the_home() {
    for more in [json!({"ent_cat": "config"}), json!({"entity_category": "diagnostic"}), json!({"en": false})]
    {
        let mut payload = json!({"name": "X", "cmd_t": "c"});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert!(ids(&TestRegistry::with("switch/x", &payload)).is_empty(), "{payload}");
    }
    for domain in ["notify", "device_automation", "tag", "camera", "nonsense"] {
        assert!(
            ids(&TestRegistry::with(&format!("{domain}/x"), &json!({"name": "X", "cmd_t": "c"}))).is_empty()
        );
    }
    let mut own = TestRegistry::new();
    let changes = own.announce("device/hark_hark", &json!({"cmps": {"a": {"p": "switch", "cmd_t": "c"}}}));
    assert_eq!(changes, Changes::default());
}

#[test]
fn a_changed_announcement_replaces_and_an_empty_one_takes_away() {
    let mut registry = TestRegistry::new();
    let first =
        registry.announce("switch/a", &json!({"name": "One", "cmd_t": "c", "stat_t": "s1", "avty_t": "up"}));
    assert_eq!(first.described, BTreeSet::from(["switch.one".into()]));
    assert_eq!(first.subscribe, BTreeSet::from(["s1".into(), "up".into()]));
    let again =
        registry.announce("switch/a", &json!({"name": "One", "cmd_t": "c", "stat_t": "s1", "avty_t": "up"}));
    assert_eq!(again, Changes::default(), "a repetition is no news");
    let second =
        registry.announce("switch/a", &json!({"name": "Two", "cmd_t": "c", "stat_t": "s2", "avty_t": "up"}));
    assert_eq!(second.described, BTreeSet::from(["switch.two".into()]));
    assert_eq!(second.gone, BTreeSet::from(["switch.one".into()]));
    assert_eq!(second.unsubscribe, BTreeSet::from(["s1".into()]));
    assert_eq!(second.subscribe, BTreeSet::from(["s2".into(), "up".into()]));
    let renamed = registry.announce("switch/a", &json!({"name": "Two", "cmd_t": "other", "stat_t": "s2"}));
    assert_eq!((renamed.described.len(), renamed.gone.len()), (1, 0), "the same one, described anew");
    let last = registry.take("homeassistant/switch/a/config", b"");
    assert_eq!(last.gone, BTreeSet::from(["switch.two".into()]));
    assert_eq!(last.unsubscribe, BTreeSet::from(["s2".into()]));
    assert_eq!(
        (registry.registry.len(), registry.registry.topic_index.len(), registry.registry.announced.len()),
        (0, 0, 0)
    );
}

#[test]
fn a_device_loses_the_entities_it_names_no_more() {
    let device = |cmps| json!({"dev": {"name": "Box"}, "o": {"name": "x"}, "stat_t": "s", "cmps": cmps});
    let mut registry = TestRegistry::new();
    let both = json!({"a": {"p": "switch", "name": "A", "cmd_t": "a"}, "b": {"p": "sensor", "name": "B", "val_tpl": "{{ value_json.b }}"}});
    registry.announce("device/box", &device(both));
    assert_eq!(ids(&registry), ["sensor.box_b", "switch.box_a"]);
    registry.say("s", r#"{"b": 5}"#);
    assert_eq!(registry.state("sensor.box_b"), "5");
    let one = json!({"a": {"p": "switch"}, "b": {"p": "sensor", "name": "B"}});
    let changes = registry.announce("device/box", &device(one));
    assert_eq!(changes.gone, BTreeSet::from(["switch.box_a".into()]));
    assert_eq!(ids(&registry), ["sensor.box_b"]);
}

#[test]
fn one_bad_entity_leaves_the_others_of_its_device() {
    let mut registry = TestRegistry::new();
    let changes = registry.announce(
        "device/box",
        &json!({"dev": {"name": "Box"}, "cmps": {
            "good": {"p": "switch", "name": "Good", "cmd_t": "c"},
            "wild": {"p": "switch", "name": "Wild", "cmd_t": "a/#"},
            "thief": {"p": "switch", "name": "Thief", "cmd_t": "c", "stat_t": "hark/hark/ask"},
            "bomb": {"p": "sensor", "name": "Bomb", "stat_t": "s", "val_tpl": "{{ 'x' * 99999999 }}"},
        }}),
    );
    assert_eq!(ids(&registry), ["switch.box_good"]);
    let why: Vec<String> = changes.problems.iter().map(|problem| problem.why.clone()).collect();
    assert!(
        why.len() == 3 && why[1].contains("thief") && why[0].contains("wild") && why[0].contains("wildcard"),
        "{why:?}"
    );
    assert!(changes.problems[0].topic.ends_with("device/box/config"));
}

#[test]
fn the_same_entity_on_two_topics_is_there_once_and_namesakes_get_ids_of_their_own() {
    let mut registry = TestRegistry::new();
    registry.announce("switch/a", &json!({"name": "X", "cmd_t": "c", "uniq_id": "1"}));
    let twice = registry.announce("switch/b", &json!({"name": "X", "cmd_t": "c", "uniq_id": "1"}));
    assert_eq!((twice.problems.len(), registry.registry.len()), (1, 1));
    registry.announce("switch/c", &json!({"name": "X", "cmd_t": "c", "uniq_id": "2"}));
    registry.announce("light/d", &json!({"name": "X", "cmd_t": "c", "uniq_id": "1"}));
    assert_eq!(ids(&registry), ["light.x", "switch.x", "switch.x_2"]);
}

#[test]
fn after_a_break_what_the_broker_keeps_no_more_is_gone() {
    let mut registry = TestRegistry::new();
    let announce = |registry: &mut TestRegistry, path: &str, retained| {
        let payload = json!({"name": path.replace('/', " "), "cmd_t": "c"}).to_string();
        let topic = format!("homeassistant/{path}/config");
        registry.registry.take(&topic, payload.as_bytes(), retained, registry.now, &mut Changes::default());
    };
    announce(&mut registry, "switch/kept", true);
    announce(&mut registry, "switch/lost", true);
    announce(&mut registry, "switch/never", false);
    registry.registry.connected();
    announce(&mut registry, "switch/kept", true);
    let mut changes = Changes::default();
    registry.registry.sweep(&mut changes);
    assert_eq!(changes.gone, BTreeSet::from(["switch.switch_lost".into()]));
    assert_eq!(registry.registry.len(), 2);
}

#[test]
fn one_topic_serves_many_and_each_takes_what_is_its_own() {
    let mut registry = TestRegistry::new();
    for (key, template) in [("a", "{{ value_json.a }}"), ("b", "{{ value_json.b.c }}")] {
        registry
            .announce(&format!("sensor/{key}"), &json!({"name": key, "stat_t": "s", "val_tpl": template}));
    }
    let changes = registry.take("s", br#"{"a": 1}"#);
    assert_eq!(changes.changed, BTreeSet::from(["sensor.a".into()]));
    assert!(changes.problems[0].why.starts_with("b: "), "{changes:?}");
    for payload in [&b"\xff\xfe"[..], &vec![b'x'; PAYLOAD_MAX_BYTES + 1]] {
        let changes = registry.take("s", payload);
        assert_eq!((changes.changed.len(), changes.problems.len()), (0, 1));
    }
    assert_eq!(registry.take("s", b""), Changes::default());
    assert_eq!(registry.take("nobody/listens", b"x"), Changes::default());
}

#[test]
fn entities_and_topics_are_bounded() {
    let mut registry = TestRegistry::new();
    let mut refused = 0;
    for number in 0..ENTITIES_MAX + 50 {
        let payload = json!({"name": format!("S {number}"), "stat_t": format!("s/{number}")});
        refused += registry.announce(&format!("sensor/n{number}"), &payload).problems.len();
    }
    assert_eq!((registry.registry.len(), refused), (ENTITIES_MAX, 50));
    let (mut now, mut reported) = (registry.now, 0);
    for number in 0..10_000 {
        now += Duration::from_micros(100);
        let mut changes = Changes::default();
        registry.registry.take(&format!("s/{}", number % 100), b"21.5", false, now, &mut changes);
        reported += changes.changed.len();
    }
    assert_eq!(reported, 10_000);
}

#[test]
fn a_command_to_what_is_not_there_says_so() {
    let mut registry = TestRegistry::with("switch/a", &json!({"name": "A", "cmd_t": "c"}));
    let entity = registry.entity("switch.a");
    registry.take("homeassistant/switch/a/config", b"");
    assert_eq!(
        registry.registry.command(&entity, &DeviceCommand::TurnOn),
        Err(DeviceError::Offline("A".into()))
    );
}

proptest::proptest! {
    #[test]
    fn nothing_anybody_publishes_makes_it_panic(
        domain in "(light|switch|cover|lock|climate|fan|sensor|vacuum|valve|siren|scene|device)",
        entries in proptest::collection::vec(("(cmd_t|stat_t|schema|name|bri_scl|dev|avty|~|val_tpl|modes|pos_t|spd_rng_max|cmps|set_pos_t|temp_cmd_t|pct_cmd_t)",
            "(\"~/x\"|\"json\"|null|true|0|-1|1e308|\\[\\]|\\[1,\"a\"\\]|\\{\\}|\\{\"p\":\"light\"\\}|\"\\{\\{ value \\}\\}\"|\"+\"|\"s\")"), 0..8),
        message in "\\PC{0,30}",
    ) {
        let fields: Vec<String> = entries.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        let mut registry = TestRegistry::new();
        registry.take(&format!("homeassistant/{domain}/x/config"), format!("{{{}}}", fields.join(",")).as_bytes());
        for topic in ["s", "~/x", "x", "[]x"] {
            registry.take(topic, message.as_bytes());
        }
        for id in registry.registry.ids() {
            let entity = registry.entity(&id.0);
            for command in [DeviceCommand::TurnOn, DeviceCommand::Position(50), DeviceCommand::Percentage(50), DeviceCommand::Temperature(20.0)] {
                let _ = registry.registry.command(&entity, &command);
            }
        }
    }
}

#[test]
fn a_sensor_is_heard_through_whichever_gateway_is_near() {
    let mut registry = TestRegistry::new();
    let of = |what: &str| {
        json!({"name": what, "stat_t": "+/+/BTtoMQTT/AABBCC", "val_tpl": format!("{{{{ value_json.{what} | is_defined }}}}"),
            "dev": {"ids": ["AABBCC"], "name": "Thermometer"}})
    };
    let first = registry.announce("sensor/omg-temp", &of("temp"));
    assert_eq!(first.subscribe, BTreeSet::from(["+/+/BTtoMQTT/AABBCC".into()]));
    registry.announce("sensor/omg-hum", &of("hum"));
    registry.say("home/kitchen/BTtoMQTT/AABBCC", r#"{"temp":21.5}"#);
    registry.say("home/attic/BTtoMQTT/AABBCC", r#"{"hum":40}"#);
    registry.take("home/attic/BTtoMQTT/DDEEFF", br#"{"hum":1}"#);
    assert_eq!(registry.state("sensor.thermometer_temp"), "21.5");
    assert_eq!(registry.state("sensor.thermometer_hum"), "40");
    assert!(
        registry.registry.has_subscriber("home/x/BTtoMQTT/AABBCC")
            && !registry.registry.has_subscriber("home/BTtoMQTT/AABBCC")
    );
    let one = registry.take("homeassistant/sensor/omg-temp/config", b"");
    assert!(one.unsubscribe.is_empty(), "the other one listens still");
    let both = registry.take("homeassistant/sensor/omg-hum/config", b"");
    assert_eq!(both.unsubscribe, BTreeSet::from(["+/+/BTtoMQTT/AABBCC".into()]));
    for topic in ["#", "hark/+/ask", "hark/hark/ask", "+/hark/#"] {
        let refused = registry.announce("sensor/spy", &json!({"name": "Spy", "stat_t": topic}));
        assert!(refused.problems[0].why.contains("Hark takes its commands there"), "{topic}");
    }
    for number in 0..600 {
        let topic = format!("gateway/+/{number}");
        registry
            .announce(&format!("sensor/n{number}"), &json!({"name": format!("N{number}"), "stat_t": topic}));
    }
    assert_eq!(registry.registry.len(), 512, "each is compared with every message");
}

#[test]
fn what_is_announced_often_works_or_is_named_as_left_out() {
    let mut registry = TestRegistry::new();
    let zigbee = |more: serde_json::Value| {
        let mut payload = json!({"availability": [{"topic": "zigbee2mqtt/bridge/state", "value_template": "{{ value_json.state }}"}],
            "device": {"identifiers": ["zigbee2mqtt_0x1"], "name": "Hall", "model": "M", "via_device": "zigbee2mqtt_bridge_0x0"},
            "origin": {"name": "Zigbee2MQTT", "sw": "2.1.0", "url": "https://www.zigbee2mqtt.io"}});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        payload
    };
    let announced = [
        (
            "valve/0x1/valve",
            zigbee(
                json!({"name": "Valve", "command_topic": "z/v/set", "state_topic": "z/v", "reports_position": false,
            "value_template": "{{ value_json.state }}", "payload_open": "OPEN", "payload_close": "CLOSE"}),
            ),
        ),
        (
            "number/0x1/timeout",
            zigbee(
                json!({"name": "Timeout", "command_topic": "z/n/set", "command_template": "{\"t\": {{ value }} }",
            "state_topic": "z/n", "value_template": "{{ value_json.t }}", "min": 0, "max": 60, "unit_of_measurement": "s"}),
            ),
        ),
        (
            "select/0x1/effect",
            zigbee(json!({"name": "Effect", "command_topic": "z/s/set", "state_topic": "z/s",
            "value_template": "{{ value_json.e }}", "options": ["blink", "breathe"]})),
        ),
        (
            "alarm_control_panel/k/config_panel",
            zigbee(json!({"name": "Panel", "command_topic": "z/k/set", "state_topic": "z/k",
            "code": "REMOTE_CODE_TEXT", "code_arm_required": false, "supported_features": ["arm_home", "arm_away"]})),
        ),
        (
            "vacuum/rockrobo",
            json!({"name": "Rover", "schema": "state", "~": "valetudo/r", "cmd_t": "~/command", "stat_t": "~/state",
            "send_cmd_t": "~/custom", "set_fan_spd_t": "~/fan", "fanspd_lst": ["min", "max"], "sup_feat": ["start", "stop", "return_home"]}),
        ),
        (
            "lawn_mower/m",
            json!({"name": "Mower", "act_stat_t": "m/a", "strt_mw_cmd_t": "m/s", "dock_cmd_t": "m/d", "pause_mw_command_topic": "m/p"}),
        ),
        ("text/0x1/note", zigbee(json!({"name": "Note", "command_topic": "z/t/set", "state_topic": "z/t"}))),
        (
            "event/0x1/action",
            zigbee(json!({"name": "Action", "state_topic": "z/e", "event_types": ["single", "double"]})),
        ),
        (
            "device_automation/0x1/action_single",
            zigbee(json!({"automation_type": "trigger", "type": "action", "subtype": "single",
            "payload": "single", "topic": "z/e/action"})),
        ),
        (
            "update/0x1/update",
            zigbee(
                json!({"name": null, "state_topic": "z/u", "command_topic": "z/u/set", "entity_category": "config"}),
            ),
        ),
        (
            "sensor/0x1/linkquality",
            zigbee(json!({"name": "Linkquality", "state_topic": "z/l", "entity_category": "diagnostic",
            "enabled_by_default": false})),
        ),
    ];
    for (path, payload) in &announced {
        assert_eq!(registry.announce(path, payload).problems, [], "{path}");
    }
    let mut kinds: Vec<String> = registry.registry.ids().iter().map(|id| id.domain().to_owned()).collect();
    kinds.sort();
    let works = ["alarm_control_panel", "event", "lawn_mower", "number", "select", "text", "vacuum", "valve"];
    assert_eq!(kinds, works);
    let left_out = registry.registry.left_out_text();
    for named in ["kind device_automation", "for setting devices up", "switched off"] {
        assert!(left_out.contains(named), "{named}: {left_out}");
    }
    assert_eq!(
        registry.registry.left_out().values().sum::<usize>() + registry.registry.len(),
        announced.len(),
        "nothing is silent"
    );
    registry.say("zigbee2mqtt/bridge/state", r#"{"state":"online"}"#);
    registry.say("z/v", r#"{"state":"open"}"#);
    assert_eq!(registry.state("valve.hall_valve"), "open");
    registry.say("z/n", r#"{"t":30}"#);
    assert_eq!(registry.state("number.hall_timeout"), "30");
    registry.say("m/a", "mowing");
    assert_eq!(registry.state("lawn_mower.mower"), "mowing");
}
