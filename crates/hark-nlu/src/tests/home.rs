//! A small home for the tests of this folder.

use super::{Grammar, Sentences};
use hark_core::home::{Area, Entity, Floor, Home, HomeList, Person};
use std::path::PathBuf;
use std::sync::OnceLock;

/// The English sentences that come with Hark.
pub fn english() -> &'static Sentences {
    static SENTENCES: OnceLock<Sentences> = OnceLock::new();
    SENTENCES.get_or_init(|| {
        let dir = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/languages/en/sentences"));
        Sentences::load(&[dir], "en").unwrap_or_else(|problems| {
            let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
            panic!("{}", all.join("\n"))
        })
    })
}

/// The English sentences compiled for the small home.
pub fn grammar() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(|| Grammar::new(english(), &home()))
}

/// Two floors, five areas, about twenty-five things.
pub fn home() -> Home {
    let floors = [("ground", "Ground floor"), ("upstairs", "Upstairs")];
    let areas = [
        ("kitchen", "Kitchen", "ground"),
        ("living_room", "Living room", "ground"),
        ("office", "Office", "upstairs"),
        ("bedroom", "Bedroom", "upstairs"),
        ("basement", "Basement", ""),
    ];
    let entities = [
        ("light.kitchen_ceiling", "Kitchen ceiling", "big light", "kitchen", ""),
        ("light.counter", "Counter light", "", "kitchen", ""),
        ("light.standing", "Standing light", "floor lamp", "living_room", ""),
        ("light.lamp", "Lamp", "", "living_room", ""),
        ("light.office", "Office light", "", "office", ""),
        ("light.basement", "Basement light", "", "basement", ""),
        ("switch.coffee", "Coffee machine", "", "kitchen", "outlet"),
        ("fan.bedroom", "Ceiling fan", "", "bedroom", ""),
        ("cover.bedroom", "Bedroom blinds", "", "bedroom", "blind"),
        ("cover.curtains", "Curtains", "", "living_room", "curtain"),
        ("cover.roof_window", "Roof window", "skylight", "bedroom", "window"),
        ("cover.garage", "Garage door", "", "basement", "garage"),
        ("lock.front", "Front door", "", "living_room", ""),
        ("lock.back", "Back door", "", "kitchen", ""),
        ("climate.living", "Thermostat", "heating", "living_room", ""),
        ("media_player.tv", "Television", "TV", "living_room", "tv"),
        ("sensor.outside", "Outside temperature", "", "", "temperature"),
        ("binary_sensor.window", "Kitchen window", "", "kitchen", "window"),
        ("binary_sensor.patio", "Patio door", "", "living_room", "door"),
        ("vacuum.rover", "Rover", "robot", "living_room", ""),
        ("lawn_mower.clippy", "Clippy", "", "", ""),
        ("valve.main", "Main valve", "", "basement", "water"),
        ("binary_sensor.leak", "Kitchen leak", "", "kitchen", "moisture"),
        ("alarm_control_panel.house", "Burglar alarm", "", "", ""),
        ("weather.london", "London", "", "", ""),
        ("select.washing_mode", "Washing mode", "", "basement", ""),
        ("scene.movie", "Movie night", "", "", ""),
        ("script.bedtime", "Good night", "bedtime", "", ""),
    ];
    Home {
        floors: floors.into_iter().map(|(id, name)| floor(id, name)).collect(),
        areas: areas.into_iter().map(|(id, name, floor)| area(id, name, floor)).collect(),
        entities: entities.into_iter().map(entity).collect(),
        persons: vec![Person { name: "Alice".to_owned(), state: "home".to_owned() }],
        lists: vec![HomeList { name: "To do".to_owned(), items: Vec::new() }],
        says: Default::default(),
        location: None,
    }
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn floor(id: &str, name: &str) -> Floor {
    Floor { id: id.to_owned(), name: name.to_owned(), aliases: Vec::new(), level: 0 }
}

fn area(id: &str, name: &str, floor: &str) -> Area {
    Area { id: id.to_owned(), name: name.to_owned(), aliases: Vec::new(), floor: some(floor) }
}

fn entity((id, name, alias, area, class): (&str, &str, &str, &str, &str)) -> Entity {
    Entity {
        id: id.into(),
        name: name.to_owned(),
        aliases: some(alias).into_iter().collect(),
        area: some(area),
        device_class: some(class),
        state: "off".to_owned(),
        attributes: serde_json::Map::new(),
        source: "demo".to_owned(),
    }
}
