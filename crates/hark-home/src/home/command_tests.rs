//! What can be told to what, what is dangerous, and what counts as proof.

use super::super::capability::check;
use super::super::file;
use super::super::state_proof::proves;
use super::*;
use proptest::prelude::*;
use serde_json::json;

fn home() -> Arc<Home> {
    Arc::new(file::example(true).unwrap())
}

fn entity(id: &str) -> Entity {
    home().entities.iter().find(|entity| entity.id.0 == id).unwrap_or_else(|| panic!("{id}")).clone()
}

fn danger_of(id: &str, command: DeviceCommand) -> Vec<(&'static str, String)> {
    let actions = Actions { home: home(), list: vec![Action { entity: entity(id), command }] };
    actions.dangers().into_iter().map(|danger| (danger.action, danger.name)).collect()
}

#[test]
fn switching_words_mean_what_home_assistant_means() {
    use DeviceCommand as C;
    let cases = [
        ("light.lamp", Switch::On, C::TurnOn),
        ("light.lamp", Switch::Toggle, C::TurnOn),
        ("cover.garage_door", Switch::On, C::Open),
        ("cover.kitchen_blinds", Switch::Toggle, C::Close),
        ("lock.front_door", Switch::On, C::Lock),
        ("lock.front_door", Switch::Off, C::Unlock),
        ("lock.front_door", Switch::Toggle, C::Unlock),
        ("scene.dinner", Switch::On, C::Activate),
        ("climate.bedroom", Switch::Toggle, C::TurnOff),
    ];
    for (id, switch, expected) in cases {
        assert_eq!(switched(&entity(id), switch).unwrap(), expected, "{id} {switch:?}");
    }
    for (id, switch) in [("scene.dinner", Switch::Off), ("sensor.power_use", Switch::On)] {
        assert!(matches!(switched(&entity(id), switch), Err(DeviceError::Unsupported { .. })), "{id}");
    }
}

#[test]
fn a_lock_in_a_state_nobody_knows_is_unlocked_by_toggle_only_as_locking() {
    let unknown = Entity { state: "unknown".into(), ..entity("lock.front_door") };
    assert_eq!(switched(&unknown, Switch::Toggle).unwrap(), DeviceCommand::Lock);
}

#[test]
fn what_lets_somebody_in_is_dangerous_and_nothing_else() {
    use DeviceCommand as C;
    assert_eq!(danger_of("lock.front_door", C::Unlock), [("unlock", "Front door".to_owned())]);
    assert_eq!(danger_of("cover.garage_door", C::Open), [("open", "Garage door".to_owned())]);
    assert_eq!(danger_of("cover.garden_gate", C::Position(1)), [("open", "Garden gate".to_owned())]);
    assert_eq!(danger_of("script.welcome_home", C::Activate), [("unlock", "Front door".to_owned())]);
    for (id, command) in [
        ("lock.front_door", C::Lock),
        ("cover.garage_door", C::Close),
        ("cover.garage_door", C::Position(0)),
        ("cover.kitchen_blinds", C::Open),
        ("cover.roof_window", C::Position(50)),
        ("script.good_night", C::Activate),
        ("scene.good_morning", C::Activate),
        ("light.lamp", C::TurnOn),
    ] {
        assert!(danger_of(id, command.clone()).is_empty(), "{id} {command:?}");
    }
}

#[test]
fn a_scene_that_moves_a_gate_or_touches_a_lock_in_another_way_is_dangerous() {
    let mut home = file::example(true).unwrap();
    let scene = home.entities.iter_mut().find(|entity| entity.id.0 == "scene.dinner").unwrap();
    let states = json!({
        "cover.garden_gate": {"state": "closed", "current_position": 30},
        "lock.back_door": "jammed",
        "cover.kitchen_blinds": "open"
    });
    scene.attributes.insert("states".into(), states);
    let list = vec![Action { entity: scene.clone(), command: DeviceCommand::Activate }];
    let dangers = Actions { home: Arc::new(home), list }.dangers();
    let shown: Vec<_> = dangers.iter().map(|danger| (danger.action, danger.entity.as_str())).collect();
    assert_eq!(shown, [("open", "cover.garden_gate"), ("unlock", "lock.back_door")]);
}

#[test]
fn a_scene_of_home_assistant_is_as_dangerous_as_the_worst_it_could_do() {
    let mut home = Home::clone(&home());
    let dangers = |home: &mut Home, touched: Value| {
        let scene = home.entities.iter_mut().find(|entity| entity.id.0 == "scene.dinner").unwrap();
        scene.attributes = Map::from_iter([("entity_id".to_owned(), touched)]);
        let list = vec![Action { entity: scene.clone(), command: DeviceCommand::Activate }];
        let dangers = Actions { home: Arc::new(home.clone()), list }.dangers();
        dangers.into_iter().map(|danger| (danger.action, danger.entity)).collect::<Vec<_>>()
    };
    assert_eq!(dangers(&mut home, json!(["light.lamp", "cover.kitchen_blinds", 7])), []);
    let worst = [("open", "cover.garage_door"), ("unlock", "lock.front_door"), ("open", "cover.not_exposed")];
    let found = dangers(&mut home, json!(worst.map(|(_, id)| id)));
    assert_eq!(found, worst.map(|(action, id)| (action, id.to_owned())));
}

#[test]
fn devices_refuse_what_they_cannot_do() {
    use DeviceCommand as C;
    let light = |brightness_percent, rgb, kelvin| C::Light(LightSetting { brightness_percent, rgb, kelvin });
    let refused = [
        ("light.basement", light(Some(50), None, None)),
        ("light.lamp", light(None, Some([1, 2, 3]), None)),
        ("light.lamp", light(None, None, Some(3000))),
        ("light.standing", light(None, None, Some(3000))),
        ("switch.kettle", light(Some(5), None, None)),
        ("cover.garage_door", C::Position(50)),
        ("light.lamp", C::Position(50)),
        ("light.lamp", C::Temperature(20.0)),
        ("light.lamp", C::Volume(20)),
        ("sensor.power_use", C::TurnOn),
        ("lock.front_door", C::Open),
        ("light.lamp", C::Lock),
        ("light.lamp", C::Activate),
    ];
    for (id, command) in refused {
        let answer = check(&entity(id), &command);
        assert!(matches!(answer, Err(DeviceError::Unsupported { .. })), "{id} {command:?}: {answer:?}");
    }
    let out_of_range = [
        ("climate.bedroom", C::Temperature(31.0)),
        ("climate.bedroom", C::Temperature(6.9)),
        ("light.bedroom", light(None, None, Some(2100))),
    ];
    for (id, command) in out_of_range {
        let error = check(&entity(id), &command).unwrap_err();
        assert_eq!(error.code(), hark_core::tool::error_code::BAD_ARGUMENT, "{id}");
    }
    assert!(check(&entity("light.kitchen_ceiling"), &light(Some(1), Some([0, 0, 0]), Some(2700))).is_ok());
    let silent = Entity { attributes: Map::new(), ..entity("light.lamp") };
    assert!(check(&silent, &light(Some(1), Some([1, 1, 1]), None)).is_ok(), "a light that says nothing");
}

#[test]
fn proof_allows_for_rounding_but_not_for_something_else() {
    let before = entity("light.kitchen_ceiling");
    let now = |state: &str, attributes: Value| {
        let Value::Object(attributes) = attributes else { panic!("an object") };
        Entity { state: state.into(), attributes, ..before.clone() }
    };
    let half = DeviceCommand::Light(LightSetting { brightness_percent: Some(50), ..LightSetting::default() });
    assert!(proves(&half, &before, &now("on", json!({"brightness": 127}))));
    assert!(!proves(&half, &before, &now("on", json!({"brightness": 120}))));
    assert!(!proves(&half, &before, &now("off", json!({"brightness": 128}))));
    assert!(!proves(&half, &before, &now("on", json!({}))));
    let red = DeviceCommand::Light(LightSetting { rgb: Some([255, 0, 0]), ..LightSetting::default() });
    assert!(proves(&red, &before, &now("on", json!({"rgb_color": [254, 1, 0]}))));
    assert!(!proves(&red, &before, &now("on", json!({"rgb_color": [0, 0, 255]}))));
    assert!(!proves(&red, &before, &now("on", json!({"rgb_color": [255, 0]}))));
    assert!(!proves(&DeviceCommand::TurnOn, &before, &now("unavailable", json!({}))));
    assert!(proves(&DeviceCommand::Open, &before, &now("opening", json!({}))));
    assert!(!proves(&DeviceCommand::Activate, &before, &before));
}

proptest! {
    #[test]
    fn brightness_survives_the_way_there_and_back(percent in 0u8..=100) {
        let back = (f64::from(brightness_255(percent)) * 100.0 / 255.0).round();
        prop_assert_eq!(back, f64::from(percent));
    }
}
