//! What requests mean in the demo home.

use super::super::command::SWITCHABLE;
use super::super::file;
use super::*;

const SWEEP: &[&str] = &["light"];

fn home() -> Home {
    file::example(true).unwrap()
}

fn target(pairs: &[(&str, &str)]) -> Target {
    let mut target = Target::default();
    for (key, value) in pairs {
        let slot = match *key {
            "name" => &mut target.name,
            "area" => &mut target.area,
            "floor" => &mut target.floor,
            "domain" => &mut target.domain,
            _ => &mut target.device_class,
        };
        *slot = Some((*value).to_owned());
    }
    target
}

fn scope(default_area: Option<&str>) -> Scope<'_> {
    Scope { able: SWITCHABLE, sweep: SWEEP, default_area }
}

fn ids(pairs: &[(&str, &str)], default_area: Option<&str>) -> Result<Vec<String>, SelectError> {
    let found = select(&home(), &target(pairs), scope(default_area))?;
    Ok(found.into_iter().map(|entity| entity.id.0).collect())
}

#[test]
fn by_name_alias_and_id_in_any_spelling() {
    for name in [
        "Kitchen ceiling",
        "the kitchen ceiling",
        "KITCHEN CEILING",
        "the Big Light",
        "light.kitchen_ceiling",
    ] {
        assert_eq!(ids(&[("name", name)], None).unwrap(), ["light.kitchen_ceiling"], "{name}");
    }
    assert_eq!(ids(&[("name", "the moon")], None), Err(SelectError::NoSuchName("the moon".into())));
}

#[test]
fn a_name_with_a_kind_or_place_has_to_fit_them() {
    assert_eq!(ids(&[("name", "front door"), ("domain", "lock")], None).unwrap(), ["lock.front_door"]);
    assert_eq!(ids(&[("name", "radio"), ("area", "kitchen")], None).unwrap().len(), 1);
    let error = ids(&[("name", "radio"), ("area", "bedroom")], None).unwrap_err();
    assert_eq!(error.to_string(), "there is no radio in Bedroom");
    assert!(ids(&[("name", "radio"), ("domain", "light")], None).is_err());
}

#[test]
fn by_area_floor_and_kind() {
    let kitchen = ["light.kitchen_ceiling", "light.kitchen_counter"];
    assert_eq!(ids(&[("area", "Kitchen"), ("domain", "light")], None).unwrap(), kitchen);
    assert_eq!(ids(&[("area", "the lounge"), ("device_class", "curtain")], None).unwrap().len(), 1);
    let upstairs = ids(&[("floor", "upstairs"), ("domain", "light")], None).unwrap();
    assert!(upstairs.contains(&"light.bedside".into()) && !upstairs.contains(&"light.lamp".into()));
    assert!(ids(&[("floor", "upstairs"), ("area", "kitchen"), ("domain", "light")], None).is_err());
    assert_eq!(
        ids(&[("area", "attic"), ("domain", "light")], None),
        Err(SelectError::NoSuchArea("attic".into()))
    );
    assert!(matches!(ids(&[("floor", "roof")], None), Err(SelectError::NoSuchFloor(_))));
    let error = ids(&[("area", "garage"), ("domain", "fan")], None).unwrap_err();
    assert_eq!(error.to_string(), "there is no fan in Garage");
}

#[test]
fn a_kind_alone_is_everywhere_or_in_the_area_of_the_node() {
    let all = ids(&[("domain", "light")], None).unwrap();
    assert_eq!(all.len(), home().entities.iter().filter(|entity| entity.id.domain() == "light").count());
    let here = ids(&[("domain", "light")], Some("kitchen")).unwrap();
    assert_eq!(here, ["light.kitchen_ceiling", "light.kitchen_counter"]);
    for said in [("name", "all"), ("area", "everywhere"), ("floor", "all")] {
        assert_eq!(ids(&[said, ("domain", "light")], Some("kitchen")).unwrap(), all, "{said:?}");
    }
}

#[test]
fn the_only_one_of_its_kind_is_meant_from_anywhere_but_not_one_of_many() {
    let garage = ids(&[("domain", "cover"), ("device_class", "garage")], Some("kitchen"));
    assert_eq!(garage.unwrap(), ["cover.garage_door"]);
    let error = ids(&[("domain", "lock")], Some("office")).unwrap_err();
    assert_eq!(error.to_string(), "there is no lock in Office");
}

#[test]
fn a_place_alone_never_means_locks_and_doors() {
    assert_eq!(ids(&[("area", "hallway")], None).unwrap(), ["light.hallway"]);
    assert!(ids(&[("area", "everywhere")], None).unwrap().iter().all(|id| id.starts_with("light.")));
    assert_eq!(ids(&[], None), Err(SelectError::NothingAsked));
    assert_eq!(ids(&[], Some("kitchen")), Err(SelectError::NothingAsked));
}

#[test]
fn a_device_class_alone_means_only_what_can_be_acted_on() {
    assert_eq!(
        ids(&[("device_class", "window")], None).unwrap(),
        ["cover.living_room_window", "cover.roof_window"]
    );
    let asked = Scope { able: &[], ..Scope::default() };
    let windows = select(&home(), &target(&[("device_class", "window")]), asked).unwrap();
    assert_eq!(windows.len(), 4, "a question means sensors as well");
}

#[test]
fn what_covers_a_window_is_called_by_another_name_and_what_is_only_watched_is_told() {
    let blind = |area: &str| ids(&[("device_class", "blind"), ("area", area), ("domain", "cover")], None);
    assert_eq!(blind("office").unwrap(), ["cover.office_shutter"]);
    assert_eq!(blind("kitchen").unwrap(), ["cover.kitchen_blinds"]);
    assert!(matches!(blind("bathroom"), Err(SelectError::NothingThere { .. })));
    let window = ids(&[("device_class", "window"), ("area", "bedroom"), ("domain", "cover")], None);
    assert_eq!(window, Err(SelectError::OnlyWatched { names: vec!["Bedroom window".into()] }));
}

/// The demo home with a second "Lamp" upstairs, and an alias two lights of one area share.
fn twins() -> Home {
    let mut home = home();
    let mut twin = home.entities.iter().find(|entity| entity.id.0 == "light.lamp").unwrap().clone();
    twin.id = "light.lamp_upstairs".into();
    twin.area = Some("bedroom".into());
    home.entities.push(twin);
    for entity in &mut home.entities {
        if matches!(entity.id.0.as_str(), "light.lamp" | "light.standing") {
            entity.aliases.push("reading lights".into());
        }
    }
    home
}

#[test]
fn twins_are_asked_back_unless_the_place_decides() {
    let home = twins();
    let lamp = |pairs: &[(&str, &str)], here| {
        let found = select(&home, &target(pairs), scope(here))?;
        Ok::<_, SelectError>(found.into_iter().map(|entity| entity.id.0).collect::<Vec<_>>())
    };
    let Err(SelectError::Ambiguous { candidates, .. }) = lamp(&[("name", "lamp")], None) else { panic!() };
    assert_eq!(candidates, ["Lamp in the Living room", "Lamp in the Bedroom"]);
    assert_eq!(lamp(&[("name", "lamp")], Some("bedroom")).unwrap(), ["light.lamp_upstairs"]);
    assert_eq!(lamp(&[("name", "lamp"), ("area", "lounge")], None).unwrap(), ["light.lamp"]);
    assert_eq!(lamp(&[("name", "reading lights")], None).unwrap(), ["light.standing", "light.lamp"]);
    assert!(lamp(&[("name", "lamp")], Some("kitchen")).is_err());
}

#[test]
fn the_one_that_can_do_it_is_meant() {
    let mut home = home();
    let mut sensor = home.entities.iter().find(|entity| entity.id.0 == "sensor.power_use").unwrap().clone();
    sensor.id = "sensor.kettle".into();
    sensor.name = "Kettle".into();
    home.entities.push(sensor);
    let found = select(&home, &target(&[("name", "kettle")]), scope(None)).unwrap();
    assert_eq!(found[0].id.0, "switch.kettle");
}

#[test]
fn persons_can_be_asked_for() {
    let home = with_persons(&home());
    let found = select(&home, &target(&[("name", "alice")]), Scope::default()).unwrap();
    assert_eq!((found[0].id.0.as_str(), found[0].state.as_str()), ("person.alice", "home"));
}

#[test]
fn lookups_take_names_aliases_and_ids() {
    let home = home();
    for name in ["living_room", "The Living Room", "lounge"] {
        assert_eq!(area(&home, name).unwrap().id, "living_room", "{name}");
    }
    assert_eq!(floor(&home, "main floor").unwrap().id, "ground");
    assert!(area(&home, "moon").is_none() && floor(&home, "").is_none());
}
