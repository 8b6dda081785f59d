//! Lights of all three schemas, announced and told as the projects that build them do it.

use crate::testing::{TestRegistry, brightness, colour, kelvin};
use hark_core::device::{DeviceCommand, DeviceError, LightSetting};
use serde_json::{Value, json};

/// The shape of a colour bulb at Zigbee2MQTT.
fn zigbee_bulb() -> Value {
    json!({
        "availability": [
            {"topic": "zigbee2mqtt/bridge/state", "value_template": "{{ value_json.state }}"},
            {"topic": "zigbee2mqtt/desk/availability", "value_template": "{{ value_json.state }}"}
        ],
        "availability_mode": "all",
        "brightness": true, "brightness_scale": 254,
        "command_topic": "zigbee2mqtt/desk/set", "state_topic": "zigbee2mqtt/desk",
        "device": {"identifiers": ["zigbee2mqtt_0x01"], "name": "Desk", "suggested_area": "Office"},
        "effect": true, "effect_list": ["blink"],
        "max_mireds": 500, "min_mireds": 153,
        "name": null, "object_id": "desk", "default_entity_id": "light.desk",
        "origin": {"name": "Zigbee2MQTT", "sw": "2.0.0"},
        "schema": "json", "supported_color_modes": ["xy", "color_temp"],
        "unique_id": "0x01_light_zigbee2mqtt"
    })
}

#[test]
fn a_zigbee_bulb_tells_and_is_told_in_json() {
    let mut registry = TestRegistry::with("light/0x01/light", &zigbee_bulb());
    let id = "light.desk";
    assert_eq!(
        (registry.entity(id).name.as_str(), registry.entity(id).area.as_deref()),
        ("Desk", Some("office"))
    );
    assert_eq!(registry.state(id), "unavailable", "nobody said that it is there");
    registry.say("zigbee2mqtt/bridge/state", r#"{"state":"online"}"#);
    registry.say("zigbee2mqtt/desk/availability", r#"{"state":"online"}"#);
    assert_eq!(registry.state(id), "unknown");
    registry.say(
        "zigbee2mqtt/desk",
        r#"{"state":"ON","brightness":127,"color":{"x":0.7006,"y":0.2993},"color_mode":"xy","color_temp":370,"linkquality":90}"#,
    );
    assert_eq!((registry.state(id).as_str(), registry.attribute(id, "brightness")), ("on", json!(128)));
    assert_eq!(registry.attribute(id, "rgb_color"), json!([255, 0, 0]));
    assert_eq!(registry.attribute(id, "color_temp_kelvin"), Value::Null, "it shows a colour");
    assert_eq!(registry.command(id, &DeviceCommand::TurnOff), [r#"zigbee2mqtt/desk/set {"state":"OFF"}"#]);
    assert_eq!(
        registry.command(id, &brightness(40)),
        [r#"zigbee2mqtt/desk/set {"state":"ON","brightness":102}"#]
    );
    registry.say("zigbee2mqtt/desk", r#"{"state":"ON","brightness":102}"#);
    assert_eq!(registry.attribute(id, "brightness"), json!(102));
    assert_eq!(
        registry.command(id, &kelvin(2700)),
        [r#"zigbee2mqtt/desk/set {"state":"ON","color_temp":370}"#]
    );
    registry.say("zigbee2mqtt/desk", r#"{"color_temp":370,"color_mode":"color_temp"}"#);
    assert_eq!(registry.attribute(id, "color_temp_kelvin"), json!(2700));
    assert_eq!(registry.attribute(id, "rgb_color"), Value::Null);
    assert_eq!(
        registry.command(id, &colour([0, 0, 255])),
        [r#"zigbee2mqtt/desk/set {"state":"ON","color":{"x":0.1355,"y":0.0399}}"#]
    );
    registry.say("zigbee2mqtt/desk", r#"{"color":{"x":0.14,"y":0.04,"hue":240},"color_mode":"xy"}"#);
    assert_eq!(registry.attribute(id, "rgb_color"), json!([0, 0, 255]), "the rounding of what was asked for");
    registry.say("zigbee2mqtt/desk/availability", r#"{"state":"offline"}"#);
    assert_eq!(registry.state(id), "unavailable");
}

#[test]
fn a_json_light_of_esphome_with_whites_and_one_with_flags_of_old() {
    let mut registry = TestRegistry::with(
        "light/lamp/lamp",
        &json!({"schema": "json", "color_mode": true, "sup_clrm": ["rgbww"], "brightness": true,
            "name": "Lamp", "stat_t": "lamp/light/lamp/state", "cmd_t": "lamp/light/lamp/command",
            "avty_t": "lamp/status", "uniq_id": "ESPlightlamp", "dev": {"ids": "abc", "name": "Lamp"}}),
    );
    let id = "light.lamp";
    registry.say("lamp/status", "online");
    registry.say(
        "lamp/light/lamp/state",
        r#"{"color_mode":"rgbww","state":"ON","brightness":255,"color":{"r":255,"g":128,"b":0,"c":0,"w":0}}"#,
    );
    assert_eq!(registry.attribute(id, "rgb_color"), json!([255, 128, 0]));
    assert_eq!(
        registry.command(id, &colour([0, 255, 0])),
        [r#"lamp/light/lamp/command {"state":"ON","color":{"r":0,"g":255,"b":0,"c":0,"w":0}}"#]
    );
    let mut registry = TestRegistry::with(
        "light/old/config_of_old",
        &json!({"schema": "json", "cmd_t": "c", "stat_t": "s", "hs": true, "brightness": true, "brightness_scale": 100}),
    );
    let id = "light.config_of_old";
    assert_eq!(
        registry.command(id, &colour([255, 0, 255])),
        [r#"c {"state":"ON","color":{"h":300.0,"s":100.0}}"#]
    );
    assert_eq!(registry.command(id, &brightness(33)), [r#"c {"state":"ON","brightness":33}"#]);
    registry.say("s", r#"{"state":"on","color":{"h":"300","s":100},"brightness":"33"}"#);
    assert_eq!(registry.attribute(id, "brightness"), json!(84));
    assert_eq!(registry.attribute(id, "rgb_color"), json!([255, 0, 255]));
    assert_eq!(registry.state(id), "on");
}

#[test]
fn a_tasmota_bulb_has_a_topic_for_each_thing() {
    let mut registry = TestRegistry::with(
        "light/ABC_LI_1",
        &json!({
            "name": "Bulb", "~": "tasmota_ABC/", "cmd_t": "~cmnd/POWER", "stat_t": "~tele/STATE",
            "val_tpl": "{{value_json.POWER}}", "pl_off": "OFF", "pl_on": "ON",
            "avty_t": "~tele/LWT", "pl_avail": "Online", "pl_not_avail": "Offline",
            "uniq_id": "ABC_LI_1", "device": {"identifiers": ["ABC"]},
            "bri_cmd_t": "~cmnd/Dimmer", "bri_stat_t": "~tele/STATE", "bri_scl": 100, "on_cmd_type": "brightness",
            "bri_val_tpl": "{{value_json.Dimmer}}",
            "rgb_cmd_t": "~cmnd/Color2", "rgb_stat_t": "~tele/STATE",
            "rgb_val_tpl": "{{value_json.Color.split(',')[0:3]|join(',')}}",
            "clr_temp_cmd_t": "~cmnd/CT", "clr_temp_stat_t": "~tele/STATE", "clr_temp_val_tpl": "{{value_json.CT}}"
        }),
    );
    let id = "light.bulb";
    registry.say("tasmota_ABC/tele/LWT", "Online");
    registry.say("tasmota_ABC/tele/STATE", r#"{"POWER":"ON","Dimmer":50,"Color":"255,0,0,0,0","CT":370}"#);
    assert_eq!((registry.state(id).as_str(), registry.attribute(id, "brightness")), ("on", json!(128)));
    assert_eq!(registry.attribute(id, "rgb_color"), json!([255, 0, 0]));
    assert_eq!(registry.attribute(id, "color_temp_kelvin"), json!(2703));
    assert_eq!(registry.command(id, &DeviceCommand::TurnOn), ["tasmota_ABC/cmnd/Dimmer 50"]);
    assert_eq!(registry.command(id, &DeviceCommand::TurnOff), ["tasmota_ABC/cmnd/POWER OFF"]);
    assert_eq!(registry.command(id, &brightness(70)), ["tasmota_ABC/cmnd/Dimmer 70"]);
    assert_eq!(
        registry.command(id, &colour([0, 128, 255])),
        ["tasmota_ABC/cmnd/Color2 0,128,255", "tasmota_ABC/cmnd/Dimmer 50"]
    );
    assert_eq!(
        registry.command(id, &kelvin(2700)),
        ["tasmota_ABC/cmnd/CT 370", "tasmota_ABC/cmnd/Dimmer 50"]
    );
    registry.say("tasmota_ABC/tele/STATE", r#"{"POWER":"ON","Dimmer":70,"Color":"0,128,255,0,0","CT":370}"#);
    assert_eq!(
        registry.attribute(id, "color_temp_kelvin"),
        json!(2700),
        "the rounding of what was asked for"
    );
}

#[test]
fn a_wled_strip_takes_colours_in_hexadecimal_and_is_dimmed_on_its_main_topic() {
    let mut registry = TestRegistry::with(
        "light/wled",
        &json!({
            "name": "Strip", "stat_t": "wled/strip/g", "cmd_t": "wled/strip",
            "stat_val_tpl": "{{ 'OFF' if value == '0' else 'ON' }}",
            "rgb_stat_t": "wled/strip/c", "rgb_cmd_t": "wled/strip/col",
            "bri_cmd_t": "wled/strip", "bri_stat_t": "wled/strip/g", "bri_val_tpl": "{{value}}",
            "rgb_cmd_tpl": "{{'#%02x%02x%02x' | format(red, green, blue)}}",
            "rgb_val_tpl": "{{value[1:3]|int(base=16)}},{{value[3:5]|int(base=16)}},{{value[5:7]|int(base=16)}}",
            "on_cmd_type": "brightness", "avty_t": "wled/strip/status"
        }),
    );
    let id = "light.strip";
    registry.say("wled/strip/status", "online");
    registry.say("wled/strip/g", "200");
    registry.say("wled/strip/c", "#FF8000");
    assert_eq!((registry.state(id).as_str(), registry.attribute(id, "brightness")), ("on", json!(200)));
    assert_eq!(registry.attribute(id, "rgb_color"), json!([255, 128, 0]));
    assert_eq!(registry.command(id, &colour([0, 255, 16])), ["wled/strip/col #00ff10", "wled/strip 200"]);
    assert_eq!(registry.command(id, &DeviceCommand::TurnOff), ["wled/strip OFF"]);
    registry.say("wled/strip/g", "0");
    assert_eq!((registry.state(id).as_str(), registry.attribute(id, "brightness")), ("off", json!(200)));
}

#[test]
fn colours_go_out_in_the_form_a_light_takes() {
    let base = json!({"name": "L", "cmd_t": "c", "stat_t": "s"});
    let reported = |more: Value, command: &DeviceCommand| {
        let mut payload = base.clone();
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        TestRegistry::with("light/l", &payload).command("light.l", command)
    };
    let red = colour([255, 0, 0]);
    assert_eq!(reported(json!({"hs_cmd_t": "hs"}), &red), ["hs 0.0,100.0", "c ON"]);
    assert_eq!(reported(json!({"xy_cmd_t": "xy"}), &red), ["xy 0.7006,0.2993", "c ON"]);
    assert_eq!(reported(json!({"rgb_cmd_t": "rgb", "on_cmd_type": "first"}), &red), ["c ON", "rgb 255,0,0"]);
    assert_eq!(reported(json!({"rgbw_cmd_t": "w"}), &red), ["w 255,0,0,0", "c ON"]);
    assert_eq!(
        reported(json!({"rgbww_cmd_t": "w", "rgbww_cmd_tpl": "{{red}}/{{cold_white}}"}), &red),
        ["w 255/0", "c ON"]
    );
    let dim_red = DeviceCommand::Light(LightSetting {
        brightness_percent: Some(50),
        rgb: Some([255, 0, 0]),
        kelvin: None,
    });
    assert_eq!(
        reported(json!({"rgb_cmd_t": "rgb"}), &dim_red),
        ["rgb 128,0,0", "c ON"],
        "the colour holds the brightness"
    );
    assert_eq!(
        reported(json!({"rgb_cmd_t": "rgb", "bri_cmd_t": "b"}), &dim_red),
        ["rgb 255,0,0", "b 128", "c ON"]
    );
    assert_eq!(reported(json!({"rgb_cmd_t": "rgb"}), &brightness(50)), ["rgb 128,128,128", "c ON"]);
    assert_eq!(
        reported(json!({"clr_temp_cmd_t": "t", "clr_temp_k": true}), &kelvin(4000)),
        ["t 4000", "c ON"]
    );
    assert_eq!(
        reported(json!({"bri_cmd_t": "b", "bri_scl": 15}), &brightness(1)),
        ["b 1", "c ON"],
        "never off"
    );
    assert_eq!(
        reported(json!({"bri_cmd_t": "b", "bri_cmd_tpl": "{\"dim\": {{ value }}}"}), &brightness(50)),
        ["b {\"dim\": 128}", "c ON"]
    );
}

#[test]
fn what_a_light_cannot_do_is_said() {
    let mut plain = TestRegistry::with("light/l", &json!({"name": "L", "cmd_t": "c", "stat_t": "s"}));
    for command in [brightness(50), colour([1, 2, 3]), kelvin(3000), DeviceCommand::Open] {
        let refused = plain.try_command("light.l", &command);
        assert!(matches!(refused, Err(DeviceError::Unsupported { .. })), "{command:?} {refused:?}");
    }
    assert_eq!(plain.attribute("light.l", "supported_color_modes"), json!(["onoff"]));
    let mut json_light = TestRegistry::with("light/l", &json!({"schema": "json", "name": "L", "cmd_t": "c"}));
    for command in [brightness(50), colour([1, 2, 3]), kelvin(3000)] {
        assert!(matches!(json_light.try_command("light.l", &command), Err(DeviceError::Unsupported { .. })));
    }
}

#[test]
fn a_template_light_writes_and_reads_its_own_language() {
    let mut registry = TestRegistry::with(
        "light/t",
        &json!({
            "schema": "template", "name": "T", "cmd_t": "c", "stat_t": "s",
            "cmd_on_tpl": "on,{{ brightness|d }},{{ red|d }}-{{ green|d }}-{{ blue|d }},{{ color_temp|d }}",
            "cmd_off_tpl": "off",
            "stat_tpl": "{{ value.split(',')[0] }}",
            "bri_tpl": "{{ value.split(',')[1] }}",
            "r_tpl": "{{ value.split(',')[2].split('-')[0] }}",
            "g_tpl": "{{ value.split(',')[2].split('-')[1] }}",
            "b_tpl": "{{ value.split(',')[2].split('-')[2] }}"
        }),
    );
    let id = "light.t";
    registry.say("s", "on,255,255-128-0");
    assert_eq!(
        (registry.state(id).as_str(), registry.attribute(id, "rgb_color")),
        ("on", json!([255, 128, 0]))
    );
    assert_eq!(registry.command(id, &DeviceCommand::TurnOn), ["c on,,--,"]);
    assert_eq!(registry.command(id, &brightness(50)), ["c on,128,--,"]);
    assert_eq!(registry.command(id, &colour([1, 2, 3])), ["c on,,1-2-3,"]);
    assert_eq!(registry.command(id, &DeviceCommand::TurnOff), ["c off"]);
    registry.say("s", "off");
    assert_eq!(registry.state(id), "off", "what a message does not hold stays");
    assert_eq!(registry.attribute(id, "brightness"), json!(255));
}

#[test]
fn a_light_that_tells_nothing_is_taken_at_its_word() {
    for (schema, more) in [
        ("default", json!({"bri_cmd_t": "b", "rgb_cmd_t": "r"})),
        ("json", json!({"sup_clrm": ["rgb"]})),
        (
            "template",
            json!({"cmd_on_tpl": "on", "cmd_off_tpl": "off", "bri_tpl": "x", "r_tpl": "1", "g_tpl": "1", "b_tpl": "1"}),
        ),
    ] {
        let mut payload = json!({"schema": schema, "name": "L", "cmd_t": "c"});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let mut registry = TestRegistry::with("light/l", &payload);
        let id = "light.l";
        assert_eq!(registry.state(id), "unknown", "{schema}");
        let setting = DeviceCommand::Light(LightSetting {
            brightness_percent: Some(40),
            rgb: Some([1, 2, 3]),
            kelvin: None,
        });
        for command in [DeviceCommand::TurnOn, setting, DeviceCommand::TurnOff] {
            registry.command(id, &command);
            registry.assume(id, &command);
            let on = if command == DeviceCommand::TurnOff { "off" } else { "on" };
            assert_eq!(registry.state(id), on, "{schema}");
        }
        assert_eq!(registry.attribute(id, "brightness"), json!(102), "{schema}");
        assert_eq!(registry.attribute(id, "rgb_color"), json!([1, 2, 3]), "{schema}");
    }
    let mut tells = TestRegistry::with("light/l", &json!({"name": "L", "cmd_t": "c", "stat_t": "s"}));
    tells.assume("light.l", &DeviceCommand::TurnOn);
    assert_eq!(tells.state("light.l"), "unknown", "what tells is waited for");
}

#[test]
fn nonsense_of_a_light_changes_nothing() {
    let mut registry = TestRegistry::with(
        "light/l",
        &json!({"name": "L", "cmd_t": "c", "stat_t": "s", "bri_cmd_t": "b", "bri_stat_t": "bs", "rgb_cmd_t": "r",
            "rgb_stat_t": "rs", "clr_temp_cmd_t": "t", "clr_temp_stat_t": "ts", "hs_stat_t": "hs", "xy_stat_t": "xy"}),
    );
    registry.say("s", "ON");
    let before = registry.entity("light.l");
    for topic in ["bs", "rs", "ts", "hs", "xy"] {
        for payload in ["", "x", "NaN", "-1", "0", "inf", "1e400", ",", "1,", "a,b,c", "{}", "[1,2,3]"] {
            registry.say(topic, payload);
        }
    }
    registry.say("s", "MAYBE");
    assert_eq!(registry.entity("light.l"), before);
    let mut registry =
        TestRegistry::with("light/l", &json!({"schema": "json", "name": "L", "cmd_t": "c", "stat_t": "s"}));
    for payload in ["x", "5", "[]", "{\"state\":", "\"ON\""] {
        assert_eq!(registry.take("s", payload.as_bytes()).problems.len(), 1, "{payload}");
    }
    registry.say(
        "s",
        r#"{"state":5,"brightness":"x","color":{"r":"a"},"color_temp":[],"color_mode":1,"effect":{}}"#,
    );
    assert_eq!(registry.state("light.l"), "unknown");
}
