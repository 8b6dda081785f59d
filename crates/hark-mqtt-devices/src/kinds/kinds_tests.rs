//! Devices of every kind but lights, announced and told as the projects that build them do it.

use crate::testing::TestRegistry;
use hark_core::device::{DeviceCodes, DeviceCommand as C, DeviceError};
use serde_json::{Value, json};
use std::time::Duration;

#[test]
fn switches_with_words_of_their_own() {
    let mut tasmota = TestRegistry::with(
        "switch/ABC_RL_1",
        &json!({"name": "Heater", "~": "heater/", "cmd_t": "~cmnd/POWER", "stat_t": "~tele/STATE",
            "val_tpl": "{{value_json.POWER}}", "pl_off": "OFF", "pl_on": "ON", "ret": true}),
    );
    tasmota.say("heater/tele/STATE", r#"{"Time":"x","POWER":"ON","Wifi":{"AP":1}}"#);
    assert_eq!(tasmota.state("switch.heater"), "on");
    assert_eq!(tasmota.command("switch.heater", &C::TurnOff), ["heater/cmnd/POWER OFF"]);
    let entity = tasmota.entity("switch.heater");
    assert!(tasmota.registry.command(&entity, &C::TurnOff).unwrap().1, "the broker keeps it");
    let mut zigbee = TestRegistry::with(
        "switch/0x2/switch_auto",
        &json!({"name": "Auto", "command_topic": "z/fan/set/auto", "state_topic": "z/fan",
            "value_template": "{% if value_json.auto %} true {% else %} false {% endif %}",
            "payload_on": "true", "payload_off": "false"}),
    );
    zigbee.say("z/fan", r#"{"auto":true}"#);
    assert_eq!(zigbee.state("switch.auto"), "on");
    assert_eq!(zigbee.command("switch.auto", &C::TurnOff), ["z/fan/set/auto false"]);
    let mut odd = TestRegistry::with(
        "switch/odd",
        &json!({"name": "Odd", "cmd_t": "c", "stat_t": "s", "pl_on": 1, "pl_off": 0, "stat_on": "yes", "stat_off": "no",
            "cmd_tpl": "{\"set\": {{ value }}}"}),
    );
    odd.say("s", "yes");
    assert_eq!(odd.state("switch.odd"), "on");
    odd.say("s", "None");
    assert_eq!(odd.state("switch.odd"), "unknown");
    assert_eq!(odd.command("switch.odd", &C::TurnOn), ["c {\"set\": 1}"]);
    let mut siren = TestRegistry::with("siren/s", &json!({"name": "S", "cmd_t": "c", "stat_t": "s"}));
    siren.say("s", r#"{"state":"ON","tone":"loud"}"#);
    assert_eq!(siren.state("siren.s"), "on");
    assert_eq!(siren.command("siren.s", &C::TurnOff), [r#"c {"state":"OFF"}"#]);
}

#[test]
fn a_blind_with_a_position_and_its_movement() {
    let mut registry = TestRegistry::with(
        "cover/0x3/cover",
        &json!({
            "name": null, "device": {"name": "Blind"}, "command_topic": "z/blind/set", "state_topic": "z/blind",
            "position_topic": "z/blind", "set_position_topic": "z/blind/set",
            "set_position_template": "{ \"position\": {{ position }} }", "position_template": "{{ value_json.position }}",
            "state_opening": "UP", "state_closing": "DOWN", "state_stopped": "STOP",
            "value_template": "{% if \"motor_state\" in value_json and value_json.motor_state %} {{ value_json.motor_state }} {% else %} STOP {% endif %}",
            "tilt_command_topic": "z/blind/set/tilt", "tilt_status_topic": "z/blind",
            "tilt_status_template": "{{ value_json.tilt }}"
        }),
    );
    let id = "cover.blind";
    assert_eq!(registry.attribute(id, "current_position"), Value::Null);
    assert!(registry.entity(id).attributes.contains_key("current_position"), "it can stop on the way");
    registry.say("z/blind", r#"{"position":0,"motor_state":"STOP"}"#);
    assert_eq!(registry.state(id), "closed", "from its first message on");
    registry.say("z/blind", r#"{"position":100,"motor_state":"STOP","tilt":50}"#);
    assert_eq!(
        (registry.state(id).as_str(), registry.attribute(id, "current_position")),
        ("open", json!(100))
    );
    assert_eq!(registry.attribute(id, "current_tilt_position"), json!(50));
    assert_eq!(registry.command(id, &C::Close), ["z/blind/set CLOSE"]);
    registry.say("z/blind", r#"{"position":60,"motor_state":"DOWN"}"#);
    assert_eq!(registry.state(id), "closing");
    assert_eq!(registry.command(id, &C::Stop), ["z/blind/set STOP"]);
    registry.say("z/blind", r#"{"position":0,"motor_state":"STOP"}"#);
    assert_eq!(registry.state(id), "closed");
    assert_eq!(registry.command(id, &C::Position(30)), ["z/blind/set { \"position\": 30 }"]);
    assert!(matches!(registry.try_command(id, &C::Lock), Err(DeviceError::Unsupported { .. })));
}

#[test]
fn covers_of_other_kinds() {
    // ESPHome's, counted the other way round and without a state of its own.
    let mut registry = TestRegistry::with(
        "cover/garage",
        &json!({"name": "Garage", "dev_cla": "garage", "cmd_t": "c", "pos_t": "p", "set_pos_t": "sp",
            "pos_open": 0, "pos_clsd": 255, "pl_open": null, "avty_t": "up"}),
    );
    let id = "cover.garage";
    registry.say("up", "online");
    registry.say("p", "255");
    assert_eq!(
        (registry.state(id).as_str(), registry.attribute(id, "current_position")),
        ("closed", json!(0))
    );
    assert_eq!(registry.entity(id).device_class.as_deref(), Some("garage"));
    assert_eq!(registry.command(id, &C::Position(33)), ["sp 171"]);
    registry.say("p", "171");
    assert_eq!(registry.attribute(id, "current_position"), json!(33), "the rounding of what was asked for");
    assert_eq!(registry.command(id, &C::Open), ["sp 0"], "it has no word for it");
    registry.say("p", r#"{"position": 0, "tilt_position": 5}"#);
    assert_eq!(
        (registry.state(id).as_str(), registry.attribute(id, "current_position")),
        ("open", json!(100))
    );
    // Without any message it is taken at its word; without a position it does not stop on the way.
    let mut plain = TestRegistry::with("cover/p", &json!({"name": "P", "cmd_t": "c"}));
    assert_eq!(plain.command("cover.p", &C::Open), ["c OPEN"]);
    plain.assume("cover.p", &C::Open);
    assert_eq!(plain.state("cover.p"), "open");
    assert!(matches!(plain.try_command("cover.p", &C::Position(5)), Err(DeviceError::Unsupported { .. })));
    let mut stopped = TestRegistry::with("cover/p", &json!({"name": "P", "cmd_t": "c", "stat_t": "s"}));
    for (said, state) in
        [("closing", "closing"), ("stopped", "closed"), ("opening", "opening"), ("stopped", "open")]
    {
        stopped.say("s", said);
        assert_eq!(stopped.state("cover.p"), state);
    }
    let mut apart =
        TestRegistry::with("cover/q", &json!({"name": "Q", "cmd_t": "c", "stat_t": "s", "pos_t": "p"}));
    for (topic, said, state) in [
        ("s", "stopped", "open"),
        ("p", "0", "closed"),
        ("s", "opening", "opening"),
        ("p", "20", "opening"),
        ("s", "stopped", "open"),
        ("p", "0", "closed"),
    ] {
        apart.say(topic, said);
        assert_eq!(apart.state("cover.q"), state, "{topic} {said}");
    }
    // Valves: with words, and with a position.
    let mut valve = TestRegistry::with("valve/v", &json!({"name": "V", "cmd_t": "c", "stat_t": "s"}));
    valve.say("s", "open");
    assert_eq!(valve.state("valve.v"), "open");
    assert_eq!(valve.command("valve.v", &C::Close), ["c CLOSE"]);
    let mut valve =
        TestRegistry::with("valve/v", &json!({"name": "V", "cmd_t": "c", "stat_t": "s", "pos": true}));
    valve.say("s", r#"{"state":"opening","position":10}"#);
    assert_eq!(
        (valve.state("valve.v").as_str(), valve.attribute("valve.v", "current_position")),
        ("opening", json!(10))
    );
    valve.say("s", "100");
    assert_eq!(valve.state("valve.v"), "open");
    assert_eq!(valve.command("valve.v", &C::Close), ["c 0"]);
    assert_eq!(valve.command("valve.v", &C::Position(40)), ["c 40"]);
}

#[test]
fn locks_and_alarm_panels_and_their_codes() {
    let mut lock = TestRegistry::with(
        "lock/0x4/lock",
        &json!({"name": "Door", "command_topic": "z/door/set", "state_topic": "z/door", "value_template": "{{ value_json.state }}",
            "payload_lock": "LOCK", "payload_unlock": "UNLOCK", "state_locked": "LOCK", "state_unlocked": "UNLOCK"}),
    );
    lock.say("z/door", r#"{"state":"LOCK"}"#);
    assert_eq!(lock.state("lock.door"), "locked");
    assert_eq!(lock.command("lock.door", &C::Unlock), ["z/door/set UNLOCK"]);
    let mut coded = TestRegistry::with(
        "lock/l",
        &json!({"name": "L", "cmd_t": "c", "code_format": "^\\d{4}$",
            "cmd_tpl": "{\"action\": \"{{ value }}\", \"code\": \"{{ code }}\"}"}),
    );
    assert!(matches!(coded.try_command("lock.l", &C::Unlock), Err(DeviceError::NeedsCode(_))));
    coded.registry.set_codes(codes("lock.l", "0042"));
    assert_eq!(coded.command("lock.l", &C::Unlock), [r#"c {"action": "UNLOCK", "code": "0042"}"#]);
    assert_eq!(coded.command("lock.l", &C::Lock), [r#"c {"action": "LOCK", "code": "0042"}"#]);
    coded.registry.set_codes(codes("lock.l", "42"));
    let wrong = coded.try_command("lock.l", &C::Unlock);
    let why = |refused: Result<Vec<(String, String)>, DeviceError>| refused.unwrap_err().to_string();
    assert!(why(wrong).contains(r"look like ^\d{4}$"));
    // What it is told has no place for a code: then the gate of dangerous acts is all that is asked.
    let mut deaf =
        TestRegistry::with("lock/l", &json!({"name": "L", "cmd_t": "c", "code_format": "^\\d{4}$"}));
    assert_eq!(deaf.command("lock.l", &C::Unlock), ["c UNLOCK"]);
    let mut alarm =
        TestRegistry::with("alarm_control_panel/a", &json!({"name": "A", "cmd_t": "c", "stat_t": "s"}));
    alarm.say("s", "armed_away");
    assert_eq!(alarm.state("alarm_control_panel.a"), "armed_away");
    assert_eq!(alarm.command("alarm_control_panel.a", &C::Arm("disarmed".into())), ["c DISARM"]);
    assert_eq!(alarm.command("alarm_control_panel.a", &C::Arm("armed_home".into())), ["c ARM_HOME"]);
    let mut coded = TestRegistry::with(
        "alarm_control_panel/a",
        &json!({"name": "A", "cmd_t": "c", "code": "1234", "cod_arm_req": false, "cmd_tpl": "{\"do\": \"{{ action }}\"}"}),
    );
    assert_eq!(
        coded.command("alarm_control_panel.a", &C::Arm("armed_home".into())),
        ["c {\"do\": \"ARM_HOME\"}"]
    );
    let disarm = C::Arm("disarmed".into());
    let refused = coded.try_command("alarm_control_panel.a", &disarm);
    assert!(matches!(refused, Err(DeviceError::NeedsCode(_))), "announced is not entered");
    coded.registry.set_codes(codes("alarm_control_panel.a", "4321"));
    let wrong = coded.try_command("alarm_control_panel.a", &disarm);
    assert!(matches!(wrong, Err(DeviceError::WrongCode { wanted: None, .. })), "{wrong:?}");
    coded.registry.set_codes(codes("alarm_control_panel.a", "1234"));
    assert_eq!(coded.command("alarm_control_panel.a", &disarm), ["c {\"do\": \"DISARM\"}"]);
    // A keypad as Zigbee2MQTT suggests it: the panel checks the code.
    let mut remote = TestRegistry::with(
        "alarm_control_panel/k",
        &json!({"name": "K", "command_topic": "z/k/set", "state_topic": "z/k", "code": "REMOTE_CODE",
            "command_template": "{\"arm_mode\":{\"mode\":\"{{ action | lower }}\",\"code\":\"{{ code }}\"}}"}),
    );
    let id = "alarm_control_panel.k";
    assert!(remote.try_command(id, &C::Arm("armed_away".into())).is_err());
    remote.registry.set_codes(codes(id, "0815"));
    let armed = r#"z/k/set {"arm_mode":{"mode":"arm_away","code":"0815"}}"#;
    assert_eq!(remote.command(id, &C::Arm("armed_away".into())), [armed]);
    remote.registry.set_codes(codes(id, "open sesame"));
    assert!(why(remote.try_command(id, &disarm)).contains("digits only"));
    remote.registry.set_codes(codes(id, "0815"));
    let off = r#"z/k/set {"arm_mode":{"mode":"disarm","code":"0815"}}"#;
    assert_eq!(remote.command(id, &disarm), [off]);
}

fn codes(entity: &str, code: &str) -> DeviceCodes {
    DeviceCodes::new([(entity.into(), code.into())].into())
}

#[test]
fn slats_and_presets() {
    // A venetian blind as ESPHome has it, its slats counted from -90 to 90 degrees.
    let mut blind = TestRegistry::with(
        "cover/b",
        &json!({"name": "B", "cmd_t": "c", "stat_t": "s", "tilt_cmd_t": "t", "tilt_status_t": "ts",
            "tilt_min": -90, "tilt_max": 90, "tilt_cmd_tpl": "{\"tilt\": {{ value }}, \"of\": {{ tilt_position }}}"}),
    );
    let id = "cover.b";
    assert!(blind.entity(id).attributes.contains_key("current_tilt_position"), "it can be tilted");
    assert_eq!(blind.command(id, &C::Tilt(25)), [r#"t {"tilt": -45, "of": 25}"#]);
    blind.say("ts", "-45");
    assert_eq!(blind.attribute(id, "current_tilt_position"), json!(25));
    blind.say("ts", "90");
    assert_eq!(blind.attribute(id, "current_tilt_position"), json!(100));
    // Zigbee2MQTT's, which never tells its tilt.
    let mut mute = TestRegistry::with(
        "cover/m",
        &json!({"name": "M", "cmd_t": "c", "tilt_command_topic": "z/m/set/tilt"}),
    );
    assert_eq!(mute.command("cover.m", &C::Tilt(100)), ["z/m/set/tilt 100"]);
    mute.assume("cover.m", &C::Tilt(100));
    assert_eq!(
        (mute.attribute("cover.m", "current_tilt_position"), mute.state("cover.m").as_str()),
        (json!(100), "unknown")
    );
    let mut plain = TestRegistry::with("cover/p", &json!({"name": "P", "cmd_t": "c"}));
    assert!(matches!(plain.try_command("cover.p", &C::Tilt(5)), Err(DeviceError::Unsupported { .. })));
    let mut radiator = TestRegistry::with(
        "climate/r",
        &json!({"name": "R", "mode_cmd_t": "m", "preset_mode_command_topic": "z/r/set/preset",
            "preset_modes": ["eco", "boost"], "preset_mode_state_topic": "z/r",
            "preset_mode_value_template": "{{ value_json.preset }}"}),
    );
    radiator.say("z/r", r#"{"preset":"eco"}"#);
    assert_eq!(radiator.attribute("climate.r", "preset_mode"), json!("eco"));
    assert_eq!(radiator.attribute("climate.r", "preset_modes"), json!(["none", "eco", "boost"]));
    assert_eq!(radiator.command("climate.r", &C::Preset("boost".into())), ["z/r/set/preset boost"]);
    let mut fan = TestRegistry::with(
        "fan/f",
        &json!({"name": "F", "cmd_t": "c", "pr_mode_cmd_t": "p", "pr_modes": ["auto", "sleep"],
            "pr_mode_cmd_tpl": "{\"mode\": \"{{ value }}\"}"}),
    );
    assert_eq!(fan.command("fan.f", &C::Preset("sleep".into())), [r#"p {"mode": "sleep"}"#]);
    fan.assume("fan.f", &C::Preset("sleep".into()));
    assert_eq!(
        (fan.attribute("fan.f", "preset_mode"), fan.state("fan.f").as_str()),
        (json!("sleep"), "unknown")
    );
}

#[test]
fn a_thermostat() {
    let mut registry = TestRegistry::with(
        "climate/0x5/climate",
        &json!({
            "name": null, "device": {"name": "Radiator"}, "temperature_unit": "C", "temp_step": 0.5,
            "min_temp": "5", "max_temp": "30", "modes": ["off", "heat", "auto"],
            "mode_state_topic": "z/r", "mode_state_template": "{{ value_json.system_mode }}", "mode_command_topic": "z/r/set/system_mode",
            "current_temperature_topic": "z/r", "current_temperature_template": "{{ value_json.local_temperature }}",
            "temperature_command_topic": "z/r/set/occupied_heating_setpoint", "temperature_state_topic": "z/r",
            "temperature_state_template": "{{ value_json.occupied_heating_setpoint }}",
            "action_topic": "z/r",
            "action_template": "{% set values = {None:None,'idle':'idle','heat':'heating'} %}{{ values[value_json.running_state] }}",
            "fan_modes": ["low", "high"], "fan_mode_command_topic": "z/r/set/fan_mode", "fan_mode_state_topic": "z/r",
            "fan_mode_state_template": "{{ value_json.fan_mode }}"
        }),
    );
    let id = "climate.radiator";
    registry.say("z/r", r#"{"system_mode":"heat","local_temperature":20.5,"occupied_heating_setpoint":21,"running_state":"heat","fan_mode":"low"}"#);
    assert_eq!(registry.state(id), "heat");
    for (key, value) in [
        ("temperature", json!(21.0)),
        ("current_temperature", json!(20.5)),
        ("hvac_action", json!("heating")),
        ("min_temp", json!(5.0)),
        ("max_temp", json!(30.0)),
        ("fan_mode", json!("low")),
        ("hvac_modes", json!(["off", "heat", "auto"])),
    ] {
        assert_eq!(registry.attribute(id, key), value, "{key}");
    }
    assert_eq!(registry.command(id, &C::Temperature(22.5)), ["z/r/set/occupied_heating_setpoint 22.5"]);
    assert_eq!(registry.command(id, &C::HvacMode("auto".into())), ["z/r/set/system_mode auto"]);
    assert_eq!(registry.command(id, &C::FanMode("high".into())), ["z/r/set/fan_mode high"]);
    assert_eq!(registry.command(id, &C::TurnOff), ["z/r/set/system_mode off"]);
    assert_eq!(registry.command(id, &C::TurnOn), ["z/r/set/system_mode heat"]);
    let mut power = TestRegistry::with(
        "climate/a",
        &json!({"name": "A", "pow_cmd_t": "p", "pl_on": "1", "pl_off": "0", "mode_cmd_t": "m"}),
    );
    assert_eq!(power.command("climate.a", &C::TurnOff), ["p 0"]);
    power.assume("climate.a", &C::TurnOff);
    assert_eq!(power.state("climate.a"), "off");
    power.assume("climate.a", &C::TurnOn);
    assert_eq!(power.state("climate.a"), "heat", "the first it is turned on to among those it has");
    assert!(matches!(
        power.try_command("climate.a", &C::Temperature(20.0)),
        Err(DeviceError::Unsupported { .. })
    ));
}

#[test]
fn fans_count_their_speeds() {
    let mut registry = TestRegistry::with(
        "fan/0x6/fan",
        &json!({
            "name": null, "device": {"name": "Fan"}, "state_topic": "z/f", "state_value_template": "{{ value_json.fan_state }}",
            "command_topic": "z/f/set/fan_state", "percentage_state_topic": "z/f", "percentage_command_topic": "z/f/set/fan_mode",
            "percentage_value_template": "{{ {'off':0, 'low':1, 'medium':2, 'high':3}[value_json.fan_mode] | default('None') }}",
            "percentage_command_template": "{{ {0:'off', 1:'low', 2:'medium', 3:'high'}[value] | default('') }}",
            "speed_range_min": 1, "speed_range_max": 3, "preset_mode_state_topic": "z/f", "preset_modes": ["auto"],
            "preset_mode_value_template": "{{ value_json.fan_mode if value_json.fan_mode in ['auto'] else 'None' | default('None') }}"
        }),
    );
    let id = "fan.fan";
    registry.say("z/f", r#"{"fan_state":"OFF","fan_mode":"off"}"#);
    assert_eq!((registry.state(id).as_str(), registry.attribute(id, "percentage")), ("off", json!(0)));
    assert_eq!(registry.command(id, &C::Percentage(50)), ["z/f/set/fan_state ON", "z/f/set/fan_mode medium"]);
    registry.say("z/f", r#"{"fan_state":"ON","fan_mode":"medium"}"#);
    assert_eq!((registry.state(id).as_str(), registry.attribute(id, "percentage")), ("on", json!(50)));
    assert_eq!(registry.command(id, &C::Percentage(100)), ["z/f/set/fan_mode high"]);
    assert_eq!(registry.command(id, &C::Percentage(0)), ["z/f/set/fan_state OFF"]);
    registry.say("z/f", r#"{"fan_state":"ON","fan_mode":"low"}"#);
    assert_eq!(registry.attribute(id, "percentage"), json!(33));
    registry.say("z/f", r#"{"fan_state":"ON","fan_mode":"auto"}"#);
    assert_eq!(
        (registry.attribute(id, "preset_mode"), registry.attribute(id, "percentage")),
        (json!("auto"), Value::Null)
    );
    let mut plain = TestRegistry::with("fan/p", &json!({"name": "P", "cmd_t": "c"}));
    assert!(matches!(plain.try_command("fan.p", &C::Percentage(5)), Err(DeviceError::Unsupported { .. })));
    assert_eq!(plain.command("fan.p", &C::TurnOn), ["c ON"]);
    plain.assume("fan.p", &C::TurnOn);
    assert_eq!(plain.state("fan.p"), "on");
}

#[test]
fn robots_scenes_and_buttons() {
    let mut vacuum =
        TestRegistry::with("vacuum/v", &json!({"name": "V", "cmd_t": "c", "stat_t": "s", "schema": "state"}));
    vacuum.say("s", r#"{"state":"docked","battery_level":100}"#);
    assert_eq!(vacuum.state("vacuum.v"), "docked");
    assert_eq!(vacuum.command("vacuum.v", &C::Start), ["c start"]);
    assert_eq!(vacuum.command("vacuum.v", &C::Dock), ["c return_to_base"]);
    assert!(vacuum.try_command("vacuum.v", &C::CleanArea("kitchen".into())).is_err());
    let mut mower = TestRegistry::with(
        "lawn_mower/m",
        &json!({"name": "M", "activity_state_topic": "s", "start_mowing_command_topic": "g", "dock_command_topic": "d"}),
    );
    mower.say("s", "mowing");
    assert_eq!(mower.state("lawn_mower.m"), "mowing");
    assert_eq!(mower.command("lawn_mower.m", &C::Start), ["g start_mowing"]);
    assert_eq!(mower.command("lawn_mower.m", &C::Dock), ["d dock"]);
    let mut scene = TestRegistry::with(
        "scene/s",
        &json!({"name": "Film night", "cmd_t": "c", "pl_on": r#"{"scene_recall":3}"#}),
    );
    assert_eq!(scene.command("scene.film_night", &C::Activate), [r#"c {"scene_recall":3}"#]);
    let before = scene.entity("scene.film_night");
    scene.assume("scene.film_night", &C::Activate);
    assert_ne!(scene.entity("scene.film_night"), before, "the change proves it");
    let mut button = TestRegistry::with("button/b", &json!({"name": "B", "cmd_t": "c"}));
    assert_eq!(button.command("button.b", &C::Press), ["c PRESS"]);
}

#[test]
fn what_happened_last_what_is_newer_and_what_a_sign_says() {
    let mut registry = TestRegistry::with(
        "event/bell",
        &json!({"name": null, "dev": {"name": "Doorbell"}, "stat_t": "ev", "evt_typ": ["press", "hold"]}),
    );
    assert_eq!(registry.state("event.doorbell_event"), "unknown");
    for (said, state) in [(r#"{"event_type":"press"}"#, "press"), ("hold", "hold"), ("nonsense", "hold")] {
        registry.say("ev", said);
        assert_eq!(registry.state("event.doorbell_event"), state, "{said}");
    }
    let mut bulb = TestRegistry::with(
        "update/bulb",
        &json!({"name": "Firmware", "dev": {"name": "Bulb"}, "stat_t": "u", "l_ver_t": "l", "cmd_t": "c", "payload_install": "go"}),
    );
    let id = "update.bulb_firmware";
    for (topic, said, state) in [
        ("u", "1.9", "unknown"),
        ("l", "1.10", "on"),
        ("u", r#"{"installed_version":"1.10","latest_version":"1.10"}"#, "off"),
        ("l", "1.2", "off"),
        ("l", "nightly", "on"),
    ] {
        bulb.say(topic, said);
        assert_eq!(bulb.state(id), state, "{topic} {said}");
    }
    assert!(bulb.try_command(id, &C::TurnOn).is_err(), "it is not installed by voice");
    let mut sign =
        TestRegistry::with("text/sign", &json!({"name": "Door sign", "cmd_t": "c", "stat_t": "t"}));
    sign.say("t", "back at five");
    assert_eq!(sign.state("text.door_sign"), "back at five");
}

#[test]
fn sensors_tell_in_words_and_numbers() {
    let mut registry = TestRegistry::with(
        "sensor/0x7/temperature",
        &json!({"device": {"name": "Hall"}, "device_class": "temperature", "state_topic": "z/h", "unit_of_measurement": "°C",
            "value_template": "{{ value_json.temperature }}", "suggested_display_precision": 1, "expire_after": 60}),
    );
    let id = "sensor.hall_temperature";
    assert_eq!(registry.entity(id).name, "Hall temperature");
    assert_eq!(registry.state(id), "unavailable", "what expires has to tell first");
    registry.say("z/h", r#"{"temperature":21.46}"#);
    assert_eq!(
        (registry.state(id).as_str(), registry.attribute(id, "unit_of_measurement")),
        ("21.5", json!("°C"))
    );
    registry.wait(Duration::from_secs(59));
    assert_eq!(registry.state(id), "21.5");
    assert!(registry.wait(Duration::from_secs(1)).changed.contains(&id.into()));
    assert_eq!(registry.state(id), "unavailable");
    let mut contact = TestRegistry::with(
        "binary_sensor/0x8/contact",
        &json!({"name": "Door", "state_topic": "z/d", "value_template": "{{ value_json.contact }}",
            "payload_on": false, "payload_off": true, "device_class": "door"}),
    );
    contact.say("z/d", r#"{"contact":false}"#);
    assert_eq!(contact.state("binary_sensor.door"), "on");
    contact.say("z/d", r#"{"contact":true}"#);
    assert_eq!(contact.state("binary_sensor.door"), "off");
    let mut motion =
        TestRegistry::with("binary_sensor/m", &json!({"name": "M", "stat_t": "s", "off_dly": 5}));
    motion.say("s", "ON");
    motion.wait(Duration::from_secs(4));
    assert_eq!(motion.state("binary_sensor.m"), "on");
    motion.wait(Duration::from_secs(1));
    assert_eq!(motion.state("binary_sensor.m"), "off");
    let mut number = TestRegistry::with(
        "number/n",
        &json!({"name": "N", "stat_t": "s", "cmd_t": "c", "unit_of_meas": "W"}),
    );
    number.say("s", "40");
    assert_eq!(number.state("number.n"), "40");
    assert!(number.try_command("number.n", &C::TurnOn).is_err());
    assert_eq!(number.command("number.n", &C::Value("12.0".into())), ["c 12"]);
    assert!(number.try_command("number.n", &C::Value("far".into())).is_err());
    number.assume("number.n", &C::Value("12".into()));
    assert_eq!(number.state("number.n"), "40", "it tells of itself");
    let limits = ["min", "max", "step"].map(|key| number.attribute("number.n", key));
    assert_eq!(limits, [json!(1.0), json!(100.0), json!(1.0)], "as at Home Assistant when nothing is said");
    number.say("s", "None");
    assert_eq!(number.state("number.n"), "unknown");
    let mut upside_down = TestRegistry::new();
    let changes = upside_down.announce("number/u", &json!({"name": "U", "cmd_t": "c", "min": 9, "max": 1}));
    assert_eq!(changes.problems.len(), 1, "nothing could be set");
    let mut silent = TestRegistry::with(
        "text/t",
        &json!({"name": "T", "cmd_t": "c", "cmd_tpl": r#"{"text": "{{ value }}"}"#, "ptrn": "[a-z]+", "max": 8}),
    );
    let hello = C::Value("hello".into());
    assert_eq!(silent.command("text.t", &hello), [r#"c {"text": "hello"}"#]);
    silent.assume("text.t", &hello);
    assert_eq!(silent.state("text.t"), "hello");
    let limits = ["min", "max", "pattern"].map(|key| silent.attribute("text.t", key));
    assert_eq!(limits, [json!(0.0), json!(8.0), json!("[a-z]+")]);
    let mut looks = TestRegistry::with("select/l", &json!({"name": "L", "stat_t": "s", "ops": ["a"]}));
    assert!(looks.try_command("select.l", &C::Value("a".into())).is_err(), "there is no topic to tell it on");
    let mut choice =
        TestRegistry::with("select/s", &json!({"name": "S", "stat_t": "s", "cmd_t": "c", "ops": ["a", "b"]}));
    choice.say("s", "b");
    assert_eq!(
        (choice.state("select.s").as_str(), choice.attribute("select.s", "options")),
        ("b", json!(["a", "b"]))
    );
    choice.say("s", &"long ".repeat(100));
    assert_eq!(choice.state("select.s").chars().count(), 255);
}

#[test]
fn a_humidifier_with_target_and_modes() {
    // As Zigbee2MQTT and Tasmota scripts announce one; every value in one state message.
    let mut registry = TestRegistry::with(
        "humidifier/0x7/humidifier",
        &json!({"name": null, "device": {"name": "Bedroom humidifier"}, "device_class": "humidifier",
            "cmd_t": "z/h/set", "stat_t": "z/h", "stat_val_tpl": "{{ value_json.state }}",
            "hum_cmd_t": "z/h/set", "hum_cmd_tpl": "{\"target\": {{ value }}}",
            "hum_stat_t": "z/h", "hum_state_tpl": "{{ value_json.target }}",
            "curr_hum_t": "z/h", "curr_hum_tpl": "{{ value_json.humidity }}",
            "mode_cmd_t": "z/h/set/mode", "mode_stat_t": "z/h", "mode_stat_tpl": "{{ value_json.mode }}",
            "modes": ["auto", "sleep", "high"], "min_hum": 30, "max_hum": 80,
            "act_t": "z/h", "act_tpl": "{{ value_json.action }}"}),
    );
    let id = "humidifier.bedroom_humidifier";
    registry.say("z/h", r#"{"state":"ON","target":45,"humidity":38.5,"mode":"auto","action":"humidifying"}"#);
    assert_eq!(registry.state(id), "on");
    let shown = |registry: &TestRegistry, key| registry.attribute(id, key);
    assert_eq!(shown(&registry, "humidity").as_f64(), Some(45.0));
    assert_eq!(shown(&registry, "current_humidity"), json!(38.5));
    assert_eq!((shown(&registry, "mode"), shown(&registry, "action")), (json!("auto"), json!("humidifying")));
    assert_eq!(shown(&registry, "min_humidity").as_f64(), Some(30.0));
    assert_eq!(registry.command(id, &C::Humidity(50)), [r#"z/h/set {"target": 50}"#]);
    assert_eq!(registry.command(id, &C::Mode("sleep".into())), ["z/h/set/mode sleep"]);
    assert_eq!(registry.command(id, &C::TurnOff), ["z/h/set OFF"]);
    registry.say("z/h", r#"{"state":"OFF","target":"None","humidity":"x","mode":"None"}"#);
    assert_eq!((shown(&registry, "humidity"), shown(&registry, "mode")), (Value::Null, Value::Null));
    assert_eq!(shown(&registry, "current_humidity"), json!(38.5), "what is no number is passed over");
    let plain = json!({"name": "P", "cmd_t": "c", "hum_cmd_t": "h"});
    let mut plain = TestRegistry::with("humidifier/p", &plain);
    assert!(plain.try_command("humidifier.p", &C::Mode("auto".into())).is_err());
    plain.assume("humidifier.p", &C::Humidity(40));
    assert_eq!(plain.attribute("humidifier.p", "humidity").as_f64(), Some(40.0), "it never tells");
}

#[test]
fn a_water_heater() {
    let mut registry = TestRegistry::with(
        "water_heater/b",
        &json!({"name": "Boiler", "mode_cmd_t": "b/mode/set", "mode_stat_t": "b", "mode_stat_tpl": "{{ value_json.mode }}",
            "temp_cmd_t": "b/temp/set", "temp_stat_t": "b", "temp_stat_tpl": "{{ value_json.set }}",
            "curr_temp_t": "b", "curr_temp_tpl": "{{ value_json.now }}",
            "modes": ["off", "eco", "performance"], "min_temp": 40, "max_temp": 65}),
    );
    let id = "water_heater.boiler";
    registry.say("b", r#"{"mode":"eco","set":50,"now":47.5}"#);
    assert_eq!(registry.state(id), "eco");
    assert_eq!(registry.attribute(id, "operation_list"), json!(["off", "eco", "performance"]));
    assert_eq!(registry.attribute(id, "current_temperature"), json!(47.5));
    assert_eq!(registry.command(id, &C::Temperature(55.0)), ["b/temp/set 55.0"]);
    assert_eq!(registry.command(id, &C::Mode("performance".into())), ["b/mode/set performance"]);
    assert_eq!(registry.command(id, &C::TurnOff), ["b/mode/set off"]);
}
