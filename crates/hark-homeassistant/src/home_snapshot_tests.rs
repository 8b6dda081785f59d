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
        config: json!({"latitude": 52.37, "longitude": 4.9}),
        states,
        entities,
        devices: json!([{"id": "d1", "area_id": "kitchen", "name": "Lamp"}, {"id": 3}]),
        areas: json!([{"area_id": "kitchen", "name": "Kitchen", "aliases": ["galley", null], "floor_id": "ground"},
            {"area_id": "hall", "name": "Hall", "aliases": []}, {"area_id": "x"}]),
        floors: json!([{"floor_id": "ground", "name": "Ground floor", "aliases": [], "level": null}]),
        exposure: exposing(&["person.alice", "switch.yaml", "sensor.outside"], true),
    }
}

fn exposing(ids: &[&str], expose_new: bool) -> Exposure {
    let listed: Map<String, Value> =
        ids.iter().map(|id| ((*id).to_owned(), json!({"conversation": true}))).collect();
    Exposure::new(json!({"exposed_entities": listed}), &json!({"expose_new": expose_new}))
}

fn with(exposure: Exposure) -> Answers {
    Answers { exposure, ..answers() }
}

fn names_in(snapshot: &HomeSnapshot) -> Vec<&str> {
    snapshot.home.entities.iter().map(|entity| entity.name.as_str()).collect()
}

#[test]
fn exposed_entities_are_known_by_name_place_and_alias() {
    let selection = select(answers());
    assert_eq!(selection.registered(), ["light.kitchen", "light.hall", "light.hidden", "camera.door"]);
    let details = json!({"light.kitchen": {"aliases": ["big light", null, "Kitchen light", " big light "]}, "light.hall": null});
    let snapshot = selection.snapshot(&[details]);
    assert_eq!(
        names_in(&snapshot),
        ["Kitchen light", "Original", "Hidden", "Without registry", "Outside", "Door camera"],
        "what is hidden and was exposed all the same is exposed"
    );
    let kitchen = &snapshot.home.entities[0];
    assert_eq!(
        (kitchen.area.as_deref(), kitchen.aliases.as_slice()),
        (Some("kitchen"), &["big light".to_owned()][..])
    );
    assert_eq!(
        snapshot.home.entities[1].area.as_deref(),
        Some("hall"),
        "its own area goes before its device's"
    );
    assert_eq!(snapshot.persons, [("person.alice".to_owned(), "Alice".to_owned())]);
    assert_eq!(snapshot.home.areas[0].aliases, ["galley"]);
    assert_eq!(snapshot.home.areas[0].floor.as_deref(), Some("ground"));
    assert_eq!((snapshot.home.areas.len(), snapshot.home.floors.len()), (2, 1));
    assert!(!kitchen.attributes.contains_key("friendly_name"));
}

#[test]
fn nodes_of_ours_are_no_devices() {
    let mut ours = answers();
    ours.devices = json!([{"id": "d1", "area_id": null, "manufacturer": "Hark", "identifiers": [["mqtt", "hark_kitchen"]]}]);
    assert!(!names_in(&select(ours).snapshot(&[])).contains(&"Kitchen light"));
    let mut other = answers();
    other.devices =
        json!([{"id": "d1", "manufacturer": "Hark", "identifiers": [["hue", "hark_kitchen"], 7]}]);
    assert!(names_in(&select(other).snapshot(&[])).contains(&"Kitchen light"));
}

#[test]
fn without_the_limit_to_what_is_exposed_only_hidden_and_technical_things_are_left_out() {
    let snapshot = select(with(Exposure::everything())).snapshot(&[]);
    let all = ["Kitchen light", "Original", "Private", "Without registry", "Kept back", "Outside", "Power"];
    assert_eq!(names_in(&snapshot), all);
}

#[test]
fn what_is_not_told_is_not_exposed() {
    let known = |exposure| names_in(&select(with(exposure)).snapshot(&[])).join(", ");
    let nothing = || Exposure::new(Value::Null, &Value::Null);
    assert_eq!(known(nothing()), "Hidden, Door camera", "only what was chosen, where that can be seen");
    let no_list = Exposure::new(Value::Null, &json!({"expose_new": true}));
    assert_eq!(known(no_list), "Kitchen light, Original, Hidden, Door camera");
    assert_eq!(known(exposing(&["switch.yaml"], false)), "Hidden, Without registry, Door camera");
    assert!(!nothing().is_told() && exposing(&[], true).is_told());
}

#[test]
fn older_versions_list_what_is_not_exposed_too() {
    let listed = json!({"exposed_entities": {"light.kitchen": {"conversation": false}, "sensor.power": {"conversation": true},
        "switch.yaml": {"conversation": false}}});
    let snapshot = select(with(Exposure::new(listed, &json!({"expose_new": true})))).snapshot(&[]);
    assert_eq!(names_in(&snapshot), ["Original", "Hidden", "Power", "Door camera"]);
}

/// What a real Home Assistant answered (registered entities before it had started, when nothing is chosen yet by
/// itself), and what its own `async_should_expose` said of each entity.
#[test]
fn exposure_is_decided_as_the_core_decides_it() {
    let cases: Value = serde_json::from_str(include_str!("exposure_cases.json")).unwrap();
    for case in cases.as_array().unwrap() {
        let rows = case["rows"].as_array().unwrap();
        let id = |row: &Value| row["entity_id"].as_str().unwrap().to_owned();
        let listed: Vec<String> = rows.iter().filter(|row| row["listed"] == true).map(id).collect();
        let listed: Vec<&str> = listed.iter().map(String::as_str).collect();
        let state = |row: &Value| json!({"entity_id": row["entity_id"], "state": "on", "attributes": {"device_class": row["device_class"]}});
        let entry = |row: &Value| {
            let mut entry = row["entry"].as_object()?.clone();
            entry.insert("entity_id".into(), row["entity_id"].clone());
            Some(Value::Object(entry))
        };
        let answers = Answers {
            config: json!({"latitude": 100.0, "longitude": 4.9}),
            states: rows.iter().map(state).collect(),
            entities: rows.iter().filter_map(entry).collect(),
            exposure: exposing(&listed, case["expose_new"] == true),
            ..Answers::default()
        };
        let shown = select(answers).snapshot(&[]).ids();
        let wrong = rows.iter().filter(|row| shown.contains(&id(row)) != (row["exposed"] == true));
        let wrong: Vec<&Value> = wrong.collect();
        assert!(wrong.is_empty() && rows.len() > 150, "{}: {wrong:#?}", case["what"]);
    }
}

#[test]
fn the_number_of_entities_is_bounded() {
    let many: Vec<_> = (0..6000)
        .map(|at| json!({"entity_id": format!("light.l{at}"), "state": "on", "attributes": {}}))
        .collect();
    let exposure = Exposure::everything();
    let answers = Answers { states: Value::from(many), exposure, ..Answers::default() };
    assert_eq!(select(answers).snapshot(&[]).home.entities.len(), MAX_ENTITIES);
}

const KEYS: &str =
    "entity_id|state|attributes|area_id|name|aliases|options|conversation|exposed_entities|light.a";

/// Any JSON whose names and texts are from this pattern.
pub(crate) fn any_json(key: &'static str) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![Just(json!(null)), Just(json!(1)), key.prop_map(Value::from)];
    leaf.prop_recursive(5, 40, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_answer_makes_it_panic(one in any_json(KEYS), other in any_json(KEYS), exposed_only: bool) {
        for at in 0..5 {
            let mut answers = answers();
            answers.exposure = match exposed_only {
                true => Exposure::new(one.clone(), &other),
                false => Exposure::everything(),
            };
            let place = [&mut answers.states, &mut answers.entities, &mut answers.devices, &mut answers.areas,
                &mut answers.floors].into_iter().nth(at).unwrap();
            *place = one.clone();
            select(answers).snapshot(std::slice::from_ref(&other));
        }
    }
}

#[test]
fn the_house_stands_where_home_assistant_says() {
    let location = select(answers()).snapshot(&[]).home.location.unwrap();
    assert_eq!((location.latitude, location.longitude), (52.37, 4.9));
    let nowhere = Answers { config: json!({"latitude": 100.0, "longitude": 4.9}), ..answers() };
    assert_eq!(select(nowhere).snapshot(&[]).home.location, None);
}
