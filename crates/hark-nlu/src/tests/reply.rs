//! The English responses, rendered with receipts as the tools give them.

use super::Sentences;
use super::test_home::english;
use hark_core::tool::error_code;
use serde_json::{Value, json};

pub(super) fn render(group: &str, key: &str, slots: Value, result: Value) -> String {
    render_in(english(), group, key, slots, result)
}

pub(super) fn render_in(
    sentences: &Sentences,
    group: &str,
    key: &str,
    slots: Value,
    result: Value,
) -> String {
    let responses = sentences.responses();
    let template = responses.get(group).and_then(|keys| keys.get(key));
    let template = template.unwrap_or_else(|| panic!("no {group} {key}"));
    let mut environment = minijinja::Environment::new();
    environment.set_undefined_behavior(minijinja::UndefinedBehavior::Lenient);
    let timer = json!({"name": "Pizza", "hours": 0, "minutes": 5, "seconds": 0, "late_minutes": 3});
    let context = json!({"slots": slots, "result": result, "intent": group, "area": null, "timer": timer,
        "candidates": ["Lamp", "Desk light"], "text": "sing", "name": "Lava lamp", "typed": "soon"});
    let context = minijinja::Value::from(minijinja::value::Serde(context));
    let text =
        environment.render_str(template, context).unwrap_or_else(|error| panic!("{group} {key}: {error:#}"));
    assert_eq!(text.split_whitespace().collect::<Vec<_>>().join(" "), text, "blanks of {group} {key}");
    text
}

fn entity(name: &str, from: &str, to: &str) -> Value {
    json!({"id": "light.x", "name": name, "domain": "light", "area": "Kitchen", "from": from, "to": to})
}

fn state(name: &str, domain: &str, state: &str, unit: &str) -> Value {
    let unit = if unit.is_empty() { Value::Null } else { json!(unit) };
    json!({"id": "x.y", "name": name, "domain": domain, "area": null, "state": state, "unit": unit})
}

#[test]
fn switching_is_told_in_plain_words() {
    let one =
        json!({"entities": [entity("Kitchen ceiling", "off", "on")], "count": 1, "name": "Kitchen ceiling"});
    let same = json!({"entities": [entity("Lamp", "on", "on")], "count": 1});
    let two =
        json!({"entities": [entity("Lamp", "off", "on"), entity("Desk light", "off", "on")], "count": 2});
    let four = json!({"entities": [], "count": 4, "area": "Kitchen", "domain": "light"});
    let lights = json!({"area": "Kitchen", "domain": "light"});
    for (intent, key, slots, result, text) in [
        ("HassTurnOn", "default", json!({"name": "Kitchen ceiling"}), &one, "Turned on the kitchen ceiling."),
        ("HassTurnOn", "default", json!({"name": "Lamp"}), &same, "The lamp is already on."),
        ("HassTurnOn", "default", json!({}), &two, "Turned on the lamp and the desk light."),
        ("HassTurnOff", "default", lights.clone(), &four, "Turned off four lights in the kitchen."),
        (
            "HassTurnOff",
            "default",
            json!({"domain": "light", "floor": "Upstairs"}),
            &four,
            "Turned off four lights upstairs.",
        ),
        (
            "HassTurnOn",
            "cover",
            json!({"domain": "cover", "device_class": "window", "name": "all"}),
            &four,
            "Opened four windows.",
        ),
        ("HassTurnOff", "cover", json!({}), &one, "Closed the kitchen ceiling."),
        ("HassTurnOn", "lock", json!({"domain": "lock"}), &four, "Locked four locks."),
        ("HassTurnOn", "scene", json!({"name": "Movie night"}), &one, "Kitchen ceiling is set."),
        ("HassTurnOn", "script", json!({"name": "Good night"}), &json!({"count": 1}), "Started good night."),
        ("HassToggle", "default", json!({}), &one, "The kitchen ceiling is on now."),
        ("HassLightSet", "color", json!({"color": "red"}), &one, "Set the kitchen ceiling to red."),
        (
            "HassLightSet",
            "brightness",
            json!({"brightness": 0}),
            &one,
            "Set the kitchen ceiling to 0 percent.",
        ),
        (
            "HassLightSet",
            "temperature",
            json!({"temperature": 2700}),
            &one,
            "Set the kitchen ceiling to 2700 kelvin.",
        ),
    ] {
        assert_eq!(render(intent, key, slots, result.clone()), text);
    }
    let position = json!({"entities": [entity("Blinds", "open", "open")], "count": 1, "position": 30});
    assert_eq!(render("HassSetPosition", "default", json!({}), position), "Set the blinds to 30 percent.");
    let climate = json!({"entities": [], "count": 0, "temperature": 21.5, "unit": "°C"});
    assert_eq!(
        render("HassClimateSetTemperature", "default", json!({"area": "Office"}), climate),
        "Set the temperature in the office to 21.5 degrees."
    );
}

#[test]
fn what_moves_and_turns_is_told() {
    let rover = json!({"entities": [entity("Rover", "docked", "cleaning")], "count": 1});
    let none = json!({"entities": [], "count": 0});
    let fan = json!({"entities": [entity("Ceiling fan", "on", "on")], "count": 1, "percentage": 40});
    let still = json!({"entities": [entity("Ceiling fan", "off", "off")], "count": 1, "percentage": 0});
    let stopped = json!({"entities": [entity("Ceiling fan", "on", "off")], "count": 1, "percentage": 0});
    let lamp = json!({"entities": [entity("Lamp", "on", "on")], "count": 1, "brightness": 60});
    let slats = json!({"entities": [entity("Blinds", "open", "open")], "count": 1, "tilt": 40});
    let heating = json!({"entities": [entity("Thermostat", "heat", "heat")], "count": 1, "temperature": 22, "mode": "fan_only", "fan_mode": "auto"});
    let up = json!({"brightness_step": "up", "domain": "light", "area": "Kitchen"});
    for (intent, slots, result, text) in [
        ("HassVacuumStart", json!({}), &rover, "Rover is starting to clean."),
        ("HassVacuumReturnToBase", json!({}), &none, "The vacuum is going back to its base."),
        ("HassVacuumCleanArea", json!({"area": "Office"}), &rover, "Rover is going to clean the office."),
        ("HassLawnMowerStartMowing", json!({}), &none, "The mower is starting to mow."),
        ("HassLawnMowerDock", json!({}), &none, "The mower is going back to its dock."),
        ("HassFanSetSpeed", json!({"percentage": 40}), &fan, "Set the ceiling fan to 40 percent."),
        ("HarkFanSetSpeedRelative", json!({}), &fan, "Set the ceiling fan to 40 percent."),
        ("HarkFanSetSpeedRelative", json!({"percentage_step": "down"}), &still, "The ceiling fan is off."),
        ("HarkFanSetSpeedRelative", json!({"percentage_step": -50}), &stopped, "Turned off the ceiling fan."),
        (
            "HarkFanSetSpeedRelative",
            json!({"percentage_step": -10, "domain": "fan"}),
            &json!({"count": 3}),
            "Turned down three fans.",
        ),
        (
            "HarkFanSetSpeedRelative",
            json!({"percentage_step": "up", "domain": "fan"}),
            &json!({"count": 2, "entities": [entity("Ceiling fan", "off", "on"), entity("Office fan", "off", "on")]}),
            "Turned up the ceiling fan and the office fan.",
        ),
        ("HarkLightSetRelative", json!({}), &lamp, "Set the lamp to 60 percent."),
        ("HarkLightSetRelative", up, &json!({"count": 4}), "Brightened four lights in the kitchen."),
        ("HarkSetPositionRelative", json!({}), &json!({"count": 2, "domain": "cover"}), "Moved two devices."),
        ("HarkClimateSetTemperatureRelative", json!({}), &heating, "Set the thermostat to 22 degrees."),
        ("HarkClimateSetMode", json!({}), &heating, "Set the thermostat to fan only."),
        ("HassClimateSetFanMode", json!({}), &heating, "Set the fan of the thermostat to auto."),
        ("HarkSetPreset", json!({"preset": "eco"}), &heating, "Set the thermostat to eco."),
        (
            "HassHumidifierSetpoint",
            json!({"humidity": 45, "area": "Bedroom"}),
            &none,
            "Set the humidity in the bedroom to 45 percent.",
        ),
        ("HarkSetTilt", json!({}), &slats, "Tilted the blinds to 40 percent."),
        ("HarkAlarmPanelSet", json!({"mode": "night"}), &none, "The alarm is set for night."),
        ("HarkAlarmPanelSet", json!({"mode": "disarmed"}), &none, "The alarm is off."),
    ] {
        assert_eq!(render(intent, "default", slots, result.clone()), text);
    }
}

#[test]
fn questions_are_answered() {
    let lamp = json!({"entities": [state("Lamp", "light", "on", "")], "matched": ["Lamp"], "count": 1, "answer": true});
    let none = json!({"entities": [], "matched": [], "count": 0, "answer": false});
    let two = json!({"entities": [], "matched": ["Lamp", "Desk light"], "count": 2, "answer": false});
    let lights = json!({"domain": "light", "state": "on", "area": "Kitchen"});
    let sensor =
        json!({"entities": [state("Outside temperature", "sensor", "8.5", "°C")], "count": 0, "matched": []});
    let window = json!({"entities": [state("Kitchen window", "binary_sensor", "on", "")], "answer": false, "count": 0});
    let gone = json!({"entities": [state("Lamp", "light", "unavailable", "")], "answer": false, "count": 0});
    let people =
        json!({"entities": [state("Alice", "person", "not_home", "")], "matched": ["Alice"], "count": 1});
    let person = json!({"domain": "person", "state": "home"});
    let batteries = json!({"domain": "binary_sensor", "device_class": "battery", "state": "on"});
    let smoke = json!({"domain": "binary_sensor", "device_class": "smoke", "state": "off"});
    let phone = json!({"entities": [], "matched": ["Phone"], "count": 1, "answer": true});
    let contact = json!({"domain": "binary_sensor", "state": "off"});
    for (key, slots, result, text) in [
        ("one_yesno", json!({"state": "on"}), &lamp, "Yes, the lamp is on."),
        ("one_yesno", contact, &window, "No, the kitchen window is open."),
        ("one_yesno", json!({"state": "on"}), &gone, "No, I can't reach the lamp at the moment."),
        ("one", json!({}), &sensor, "The outside temperature is 8.5 degrees."),
        ("any", lights.clone(), &lamp, "Yes, the lamp is on."),
        ("any", lights.clone(), &none, "No, no lights in the kitchen are on."),
        ("all", lights.clone(), &lamp, "Yes, all lights in the kitchen are on."),
        ("all", lights.clone(), &none, "No, no light in the kitchen is on."),
        ("all", lights.clone(), &two, "No, only the lamp and the desk light are on."),
        ("which", lights.clone(), &two, "Two are on: the lamp and the desk light."),
        ("which", lights.clone(), &lamp, "Only the lamp is on."),
        ("which", lights.clone(), &none, "No light in the kitchen is on."),
        ("which", person.clone(), &people, "Alice is home."),
        ("which", person.clone(), &none, "Nobody is home."),
        ("any", person.clone(), &people, "Yes, Alice is home."),
        ("how_many", lights.clone(), &two, "Two lights in the kitchen are on."),
        ("how_many", lights, &lamp, "One light in the kitchen is on."),
        ("how_many", person, &none, "No people are home."),
        ("any", batteries.clone(), &none, "No, no batteries are low."),
        ("which", batteries, &phone, "Only the phone is low."),
        ("all", smoke, &none, "No, no smoke sensor is clear."),
        ("where", json!({}), &people, "Alice is away."),
    ] {
        assert_eq!(render("HassGetState", key, slots, result.clone()), text);
    }
    let climate = json!({"name": "Thermostat", "temperature": 20.5, "target": 21, "unit": "°C"});
    let default = render("HassClimateGetTemperature", "default", json!({"area": "Office"}), climate.clone());
    assert_eq!(default, "It's 20.5 degrees in the office.");
    let target = render("HassClimateGetTemperature", "target", json!({}), climate);
    assert_eq!(target, "The thermostat is set to 21 degrees.");
    let weather = json!({"temperature": 12.6, "unit": "°C", "condition": "partly cloudy"});
    assert_eq!(render("HassGetWeather", "default", json!({}), weather), "It's partly cloudy and 13 degrees.");
}

#[test]
fn the_clock_is_read_as_people_do() {
    for (hour, minute, text) in [
        (14, 5, "It's five past two."),
        (0, 0, "It's midnight."),
        (12, 0, "It's noon."),
        (9, 0, "It's nine o'clock."),
        (23, 30, "It's half past eleven."),
        (23, 45, "It's a quarter to twelve."),
        (7, 15, "It's a quarter past seven."),
        (12, 31, "It's twenty nine minutes to one."),
        (3, 1, "It's one minute past three."),
        (0, 20, "It's twenty past twelve."),
    ] {
        let result = json!({"hour": hour, "minute": minute, "time": "x"});
        assert_eq!(render("HassGetCurrentTime", "default", json!({}), result), text);
    }
    let date =
        json!({"date": "2026-11-21", "weekday": "Saturday", "day": 21, "month": "November", "year": 2026});
    let said = render("HassGetCurrentDate", "default", json!({}), date.clone());
    assert_eq!(said, "It's Saturday, the twenty first of November.");
    assert_eq!(render("HassGetCurrentDate", "day", json!({}), date), "It's Saturday.");
}

#[test]
fn timers_are_told_by_name_and_time() {
    let timer = |name: Value, minutes: u32, left: u32, paused: bool| {
        json!({"id": "t", "name": name, "hours": 0, "minutes": minutes, "seconds": 0, "total_seconds": 60 * minutes,
            "left_hours": 0, "left_minutes": left, "left_seconds": 12, "total_left_seconds": 60 * left + 12, "paused": paused})
    };
    let pizza = json!({"timer": timer(json!("Pizza"), 5, 2, false)});
    let plain = json!({"timer": timer(Value::Null, 1, 0, true)});
    let minutes = json!({"minutes": 5});
    for (intent, slots, result, text) in [
        ("HassStartTimer", json!({}), &pizza, "Set the pizza timer for five minutes."),
        ("HassStartTimer", json!({}), &plain, "Set a timer for one minute."),
        ("HassCancelTimer", json!({}), &pizza, "Cancelled the pizza timer."),
        ("HassPauseTimer", json!({}), &plain, "Paused the timer, with twelve seconds left."),
        (
            "HassUnpauseTimer",
            json!({}),
            &pizza,
            "The pizza timer runs again, with two minutes and twelve seconds left.",
        ),
        (
            "HassIncreaseTimer",
            minutes.clone(),
            &pizza,
            "Added five minutes. The pizza timer has two minutes and twelve seconds left.",
        ),
        ("HassDecreaseTimer", minutes, &plain, "Took off five minutes. The timer has twelve seconds left."),
        ("HassCancelAllTimers", json!({}), &json!({"count": 2}), "Cancelled two timers."),
        ("HassCancelAllTimers", json!({}), &json!({"count": 0}), "There are no timers."),
        ("HassTimerStatus", json!({}), &json!({"timers": [], "count": 0}), "There are no timers."),
    ] {
        assert_eq!(render(intent, "default", slots, result.clone()), text);
    }
    let both =
        json!({"timers": [timer(json!("Pizza"), 5, 2, false), timer(Value::Null, 10, 0, true)], "count": 2});
    assert_eq!(
        render("HassTimerStatus", "default", json!({}), both),
        "You have two timers. Two minutes and twelve seconds left on the pizza timer. \
         Twelve seconds left on the ten minute timer, which is paused."
    );
}

#[test]
fn failures_and_fixed_replies_are_sentences() {
    for code in error_code::ALL {
        let asked = json!({"error": code, "action": "unlock", "name": "Front door"});
        let mut told = asked.clone();
        told["message"] = json!("the moon is far away");
        for result in [told, asked] {
            let text = render("errors", code, json!({}), result);
            assert!(text.ends_with(['.', '?']), "{text}");
        }
    }
    let keys: Vec<&String> = english().responses()["replies"].keys().collect();
    for key in &keys {
        let text = render("replies", key, json!({}), json!({"action": "unlock", "name": "Front door"}));
        assert!(text.ends_with(['.', '?']), "{text}");
    }
    assert!(keys.len() >= 11, "{keys:?}");
}

#[test]
fn every_response_renders_even_with_an_empty_receipt_detail_for_its_kind() {
    for (group, keys) in english().responses() {
        for (key, template) in keys {
            let parsed = minijinja::Environment::new().template_from_str(template).map(|_| ());
            assert!(parsed.is_ok(), "{group} {key}: {parsed:?}");
        }
    }
}
