//! What several sources say becomes one home, and goes again.

use super::super::{HomeRegistry, UNAVAILABLE, file};
use hark_core::EntityId;
use hark_core::home::{Area, Entity, Home, Person};
use hark_core::ports::{HomeSink, HomeView, StateReport};
use serde_json::{Map, json};

const FILE: &str = r#"
[[floor]]
id = "ground"
name = "Ground floor"
[[area]]
id = "cooking"
name = "Kitchen"
aliases = ["cooking room"]
floor = "ground"
[[entity]]
id = "light.ceiling"
name = "Big light"
aliases = ["sun"]
area = "cooking"
[[entity]]
id = "switch.pump"
name = "Pump"
[[person]]
name = "Alice"
state = "home"
"#;

fn registry() -> HomeRegistry {
    HomeRegistry::new(file::parse(FILE, false).unwrap())
}

fn thing(id: &str, name: &str, area: Option<&str>, state: &str) -> Entity {
    Entity {
        id: id.into(),
        name: name.into(),
        aliases: Vec::new(),
        area: area.map(str::to_owned),
        device_class: None,
        state: state.into(),
        attributes: Map::new(),
        source: "else".into(),
    }
}

fn room(id: &str, name: &str) -> Area {
    Area { id: id.into(), name: name.into(), aliases: vec!["galley".into()], floor: None }
}

fn part(entities: Vec<Entity>) -> Home {
    let areas = vec![room("k1", "kitchen"), room("hall", "Hall")];
    Home { areas, entities, ..Home::default() }
}

fn report(id: &str, state: &str) -> StateReport {
    StateReport { id: id.into(), state: state.into(), attributes: Map::from_iter([("a".into(), json!(1))]) }
}

fn states(registry: &HomeRegistry) -> Vec<(String, String, String)> {
    let entities = &registry.home().entities;
    entities.iter().map(|one| (one.id.0.clone(), one.state.clone(), one.source.clone())).collect()
}

fn state(registry: &HomeRegistry, id: &str) -> String {
    registry.entity(&EntityId::from(id)).map_or("gone".into(), |entity| entity.state)
}

#[test]
fn a_thing_of_the_file_keeps_its_name_and_place_and_is_what_its_source_says() {
    let registry = registry();
    let real = thing("light.ceiling", "Ceiling lamp 3", Some("hall"), "on");
    let other = thing("light.hall", "Hall", Some("hall"), "off");
    registry.replace("homeassistant", part(vec![real, other]));
    let home = registry.home();
    let light = &home.entities[0];
    assert_eq!((light.name.as_str(), light.area.as_deref()), ("Big light", Some("cooking")));
    assert_eq!(light.aliases, ["sun", "Ceiling lamp 3"]);
    assert_eq!((light.state.as_str(), light.source.as_str()), ("on", "homeassistant"));
    // The kitchen of the file and theirs are one; what only they have is added.
    let areas: Vec<_> = home.areas.iter().map(|area| (area.id.as_str(), area.aliases.join(","))).collect();
    assert_eq!(areas, [("cooking", "cooking room,galley".into()), ("hall", "galley".to_owned())]);
    assert_eq!(registry.entity(&"light.hall".into()).unwrap().area.as_deref(), Some("hall"));
    // What no source has stays as the file has it.
    assert_eq!(registry.entity(&"switch.pump".into()).unwrap().source, "file");
    registry.replace("homeassistant", part(vec![]));
    assert!(registry.entity(&"light.hall".into()).is_none());
    assert_eq!(registry.entity(&"light.ceiling".into()).unwrap().name, "Big light");
    assert_eq!(state(&registry, "light.ceiling"), UNAVAILABLE);
}

#[test]
fn one_thing_in_two_sources_is_there_once_and_works_while_one_of_them_does() {
    let registry = registry();
    registry.update(
        "mqtt",
        vec![room("k", "Kitchen")],
        vec![thing("light.0x1", "Lamp", Some("k"), "off")],
        &[],
    );
    let theirs = thing("light.lamp", "Lamp", Some("k1"), "on");
    let namesake = thing("light.lamp_2", "Lamp", Some("k1"), "off");
    let far = thing("light.lamp_3", "Lamp", Some("hall"), "off");
    registry.replace("homeassistant", part(vec![theirs, namesake, far]));
    let lamps = |registry: &HomeRegistry| {
        let mut all: Vec<_> =
            states(registry).into_iter().filter(|(id, ..)| id.starts_with("light.")).collect();
        all.retain(|(id, ..)| id != "light.ceiling");
        all.into_iter().map(|(id, state, source)| format!("{id} {state} {source}")).collect::<Vec<_>>()
    };
    let ours =
        ["light.lamp on homeassistant", "light.lamp_2 off homeassistant", "light.lamp_3 off homeassistant"];
    assert_eq!(lamps(&registry), ours);
    registry.away("homeassistant");
    assert!(lamps(&registry).contains(&"light.0x1 off mqtt".to_owned()), "{:?}", lamps(&registry));
    assert_eq!(state(&registry, "light.lamp_3"), UNAVAILABLE);
}

#[test]
fn states_survive_what_other_sources_do_and_away_ends_them() {
    let registry = registry();
    registry.replace("homeassistant", part(vec![thing("light.hall", "Hall", None, "off")]));
    registry.update(
        "mqtt",
        vec![],
        vec![thing("light.a", "A", None, "off"), thing("light.b", "B", None, "off")],
        &[],
    );
    registry.report_all(vec![
        report("light.hall", "on"),
        report("light.a", "on"),
        report("light.nowhere", "on"),
    ]);
    registry.update("mqtt", vec![], vec![thing("light.b", "Bee", None, "on")], &[]);
    for id in ["light.hall", "light.a", "light.b"] {
        assert_eq!(state(&registry, id), "on", "{id}");
    }
    registry.update("mqtt", vec![], vec![], &["light.a".into()]);
    assert_eq!(state(&registry, "light.a"), "gone");
    registry.away("homeassistant");
    assert_eq!(state(&registry, "light.hall"), UNAVAILABLE);
    registry.update("mqtt", vec![], vec![thing("light.c", "C", None, "on")], &[]);
    assert_eq!(state(&registry, "light.hall"), UNAVAILABLE);
    registry.replace("homeassistant", part(vec![thing("light.hall", "Hall", None, "on")]));
    assert_eq!(state(&registry, "light.hall"), "on");
}

#[test]
fn only_what_can_be_said_counts_as_vocabulary() {
    let registry = registry();
    let mut vocabulary = registry.vocabulary();
    let mut woken = || {
        let changed = vocabulary.has_changed().unwrap();
        vocabulary.mark_unchanged();
        changed
    };
    registry.replace("homeassistant", part(vec![thing("light.hall", "Hall", None, "off")]));
    assert!(woken());
    registry.replace("homeassistant", part(vec![thing("light.hall", "Hall", None, "on")]));
    registry.report_all(vec![report("light.hall", "off")]);
    registry.away("homeassistant");
    let alice = |state: &str| vec![Person { name: "Alice".into(), state: state.into() }];
    registry.people("homeassistant", alice("not_home"));
    assert!(!woken());
    assert_eq!(registry.home().persons[0].state, "not_home");
    registry.people("homeassistant", alice("Harbour"));
    assert!(woken(), "a place nobody was at before");
    registry.replace("homeassistant", part(vec![thing("light.hall", "Corridor", None, "on")]));
    assert!(woken());
}
