//! Registries and states of the form Home Assistant gives them, and of other forms.

use super::*;
use proptest::prelude::*;
use serde_json::json;

/// A home with one of everything that matters.
pub(crate) fn answers() -> Answers {
    let entry = |id: &str, area: Value, device: Value, hidden: Value, category: Value, options: Value| {
        json!({"entity_id": id, "area_id": area, "device_id": device, "hidden_by": hidden,
            "entity_category": category, "options": options, "name": null, "original_name": "Original",
            "disabled_by": null, "labels": [], "platform": "demo"})
    };
    let null = Value::Null;
    let no = json!({"conversation": {"should_expose": false}});
    let yes = json!({"conversation": {"should_expose": true}});
    let entities = json!([
        entry("light.kitchen", null.clone(), json!("d1"), null.clone(), null.clone(), json!({})),
        entry("light.hall", json!("hall"), json!("d1"), null.clone(), null.clone(), json!({})),
        entry("light.hidden", null.clone(), null.clone(), json!("user"), null.clone(), yes.clone()),
        entry("light.private", null.clone(), null.clone(), null.clone(), null.clone(), no),
        entry("sensor.signal", null.clone(), null.clone(), null.clone(), json!("diagnostic"), json!({})),
        entry("camera.door", null.clone(), null.clone(), null.clone(), null.clone(), yes),
        {"entity_id": 7}, null,
    ]);
    let state = |id: &str, state: &str, attributes: Value| json!({"entity_id": id, "state": state, "attributes": attributes});
    let states = json!([
        state("light.kitchen", "off", json!({"friendly_name": "Kitchen light", "supported_color_modes": ["onoff"]})),
        state("light.hall", "unavailable", json!({})),
        state("light.hidden", "on", json!({"friendly_name": "Hidden"})),
        state("light.private", "on", json!({"friendly_name": "Private"})),
        state("switch.yaml", "on", json!({"friendly_name": "Without\nregistry"})),
        state("switch.kept_back", "on", json!({"friendly_name": "Kept back"})),
        state("sensor.signal", "-70", json!({"device_class": "temperature"})),
        state("sensor.outside", "12", json!({"device_class": "temperature", "friendly_name": "Outside"})),
        state("sensor.power", "12", json!({"device_class": "power", "friendly_name": "Power"})),
        state("camera.door", "idle", json!({"friendly_name": "Door camera"})),
        state("person.alice", "home", json!({"friendly_name": "Alice"})),
        state("Light.Bad Id", "on", json!({})), 7, {"entity_id": "light.x", "state": 7},
    ]);
    Answers {
        states,
        entities,
        devices: json!([{"id": "d1", "area_id": "kitchen", "name": "Lamp"}, {"id": 3}]),
        areas: json!([{"area_id": "kitchen", "name": "Kitchen", "aliases": ["galley", null], "floor_id": "ground"},
            {"area_id": "hall", "name": "Hall", "aliases": []}, {"area_id": "x"}]),
        floors: json!([{"floor_id": "ground", "name": "Ground floor", "aliases": [], "level": null}]),
        exposed: json!({"exposed_entities": {"person.alice": {"conversation": true}, "light.kitchen": {"conversation": true},
            "switch.kept_back": {}, "light.hall": {}}}),
        expose_new: json!({"expose_new": true}),
    }
}

fn names_in(picture: &Picture) -> Vec<&str> {
    picture.home.entities.iter().map(|entity| entity.name.as_str()).collect()
}

#[test]
fn exposed_entities_are_known_by_name_place_and_alias() {
    let selection = select(answers(), true);
    assert_eq!(selection.registered(), ["light.kitchen", "light.hall", "camera.door"]);
    let details = json!({"light.kitchen": {"aliases": ["big light", null, "Kitchen light", " big light "]}, "light.hall": null});
    let picture = selection.picture(&[details]);
    assert_eq!(
        names_in(&picture),
        ["Kitchen light", "Original", "Without registry", "Outside", "Door camera"]
    );
    let kitchen = &picture.home.entities[0];
    assert_eq!(
        (kitchen.area.as_deref(), kitchen.aliases.as_slice()),
        (Some("kitchen"), &["big light".to_owned()][..])
    );
    assert_eq!(
        picture.home.entities[1].area.as_deref(),
        Some("hall"),
        "its own area goes before its device's"
    );
    assert_eq!(picture.persons, [("person.alice".to_owned(), "Alice".to_owned())]);
    assert_eq!(picture.home.areas[0].aliases, ["galley"]);
    assert_eq!(picture.home.areas[0].floor.as_deref(), Some("ground"));
    assert_eq!((picture.home.areas.len(), picture.home.floors.len()), (2, 1));
    assert!(!kitchen.attributes.contains_key("friendly_name"));
}

#[test]
fn nodes_of_ours_are_no_devices() {
    let mut ours = answers();
    ours.devices = json!([{"id": "d1", "area_id": null, "manufacturer": "Hark", "identifiers": [["mqtt", "hark_kitchen"]]}]);
    assert!(!names_in(&select(ours, true).picture(&[])).contains(&"Kitchen light"));
    let mut other = answers();
    other.devices =
        json!([{"id": "d1", "manufacturer": "Hark", "identifiers": [["hue", "hark_kitchen"], 7]}]);
    assert!(names_in(&select(other, true).picture(&[])).contains(&"Kitchen light"));
}

#[test]
fn without_the_limit_to_what_is_exposed_only_hidden_and_technical_things_are_left_out() {
    let picture = select(answers(), false).picture(&[]);
    let all = ["Kitchen light", "Original", "Private", "Without registry", "Kept back", "Outside", "Power"];
    assert_eq!(names_in(&picture), all);
}

#[test]
fn a_token_that_may_not_see_the_list_goes_by_the_options_and_the_rule() {
    let refused = || Answers { exposed: Value::Null, expose_new: Value::Null, ..answers() };
    let picture = select(refused(), true).picture(&[]);
    assert_eq!(
        names_in(&picture),
        ["Kitchen light", "Original", "Without registry", "Kept back", "Outside", "Door camera"]
    );
    let nothing_new = Answers { expose_new: json!({"expose_new": false}), ..refused() };
    assert_eq!(names_in(&select(nothing_new, true).picture(&[])), ["Door camera"]);
}

#[test]
fn older_versions_list_what_is_not_exposed_too() {
    let listed = json!({"exposed_entities": {"light.kitchen": {"conversation": false}, "sensor.power": {"conversation": true}}});
    let picture = select(Answers { exposed: listed, ..answers() }, true).picture(&[]);
    assert!(!names_in(&picture).contains(&"Kitchen light") && names_in(&picture).contains(&"Power"));
}

#[test]
fn the_number_of_entities_is_bounded() {
    let many: Vec<_> = (0..6000)
        .map(|at| json!({"entity_id": format!("light.l{at}"), "state": "on", "attributes": {}}))
        .collect();
    let answers = Answers { states: Value::from(many), ..Answers::default() };
    assert_eq!(select(answers, true).picture(&[]).home.entities.len(), MAX_ENTITIES);
}

fn any_json() -> impl Strategy<Value = Value> {
    let key = "entity_id|state|attributes|area_id|name|aliases|options|conversation|exposed_entities|light.a";
    let leaf = prop_oneof![Just(json!(null)), Just(json!(1)), key.prop_map(Value::from)];
    leaf.prop_recursive(4, 30, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_answer_makes_it_panic(one in any_json(), other in any_json(), exposed_only: bool) {
        for at in 0..6 {
            let mut answers = answers();
            let place = [&mut answers.states, &mut answers.entities, &mut answers.devices, &mut answers.areas,
                &mut answers.floors, &mut answers.exposed].into_iter().nth(at).unwrap();
            *place = one.clone();
            select(answers, exposed_only).picture(std::slice::from_ref(&other));
        }
    }
}
