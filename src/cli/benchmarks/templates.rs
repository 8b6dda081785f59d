//! A home of 500 entities and 1,000 sentence templates of the usual shapes, for measuring understanding.

use hark_core::Fault;
use hark_core::home::{Area, Entity, Floor, Home};
use hark_nlu::Sentences;
use std::fmt::Write;

/// Names of rooms.
pub(crate) const PLACES: [&str; 25] = [
    "kitchen",
    "bedroom",
    "office",
    "bathroom",
    "hallway",
    "garage",
    "garden",
    "attic",
    "basement",
    "pantry",
    "nursery",
    "library",
    "studio",
    "app",
    "balcony",
    "terrace",
    "cellar",
    "lounge",
    "laundry",
    "gym",
    "guest room",
    "dining room",
    "living room",
    "music room",
    "play room",
];
/// What a room has: domain and name.
pub(crate) const THINGS: [(&str, &str); 20] = [
    ("light", "ceiling"),
    ("light", "lamp"),
    ("light", "spotlight"),
    ("light", "reading light"),
    ("light", "floor lamp"),
    ("light", "strip"),
    ("switch", "plug"),
    ("switch", "heater"),
    ("switch", "humidifier"),
    ("fan", "fan"),
    ("cover", "blinds"),
    ("cover", "curtain"),
    ("cover", "shutter"),
    ("lock", "door"),
    ("climate", "thermostat"),
    ("climate", "radiator"),
    ("media_player", "speaker"),
    ("sensor", "temperature"),
    ("binary_sensor", "window"),
    ("scene", "evening"),
];

/// Says what one of the templates says.
pub const EXACT: &str = "switch verbc the library reading light";
/// Words that nearly fit a template, and words that fit none.
pub const NEAR: [(&str, &str); 3] = [
    ("one word left out", "turn verbc the library reading lamp"),
    ("two words wrong", "turn the the library reading verbd"),
    ("nothing near", "the library of the garden is what the thirty fan of"),
];

/// 25 rooms with 20 things each.
pub fn home() -> Home {
    let entity = |place: &str, (domain, thing): (&str, &str)| Entity {
        id: format!("{domain}.{place}_{thing}").replace(' ', "_").as_str().into(),
        name: format!("{place} {thing}"),
        aliases: Vec::new(),
        area: Some(place.to_owned()),
        device_class: None,
        state: "off".to_owned(),
        attributes: serde_json::Map::new(),
        source: "demo".to_owned(),
    };
    let area = |place: &&str| Area {
        id: (*place).to_owned(),
        name: (*place).to_owned(),
        aliases: Vec::new(),
        floor: Some("ground".to_owned()),
    };
    Home {
        floors: vec![Floor { id: "ground".into(), name: "Ground floor".into(), aliases: vec![], level: 0 }],
        areas: PLACES.iter().map(area).collect(),
        entities: PLACES.iter().flat_map(|place| THINGS.map(|thing| entity(place, thing))).collect(),
        ..Home::default()
    }
}

/// A thousand templates: names, areas, numbers, optional and alternative words.
///
/// # Errors
/// When the template language does not take them.
pub fn sentences() -> Result<Sentences, Vec<Fault>> {
    let mut text = String::from(
        "language: en\nlists:\n  level:\n    range: { from: 0, to: 100 }\nskip_words: [please]\nintents:\n",
    );
    for index in 0..200 {
        let verb = format!("verb{}", (b'a' + index as u8 % 26) as char).repeat(1 + index / 26);
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "  Intent{index}:\n    data:\n      - sentences:\n          - \"(turn|switch) {verb} [the] {{name}}\"\n          \
             - \"(turn|switch) [all] [the] lights {verb} (in|of) [the] {{area}}\"\n          \
             - \"[set] [the] {{name}} {verb} [to] {{level}} [percent]\"\n          \
             - \"{verb} ([the] {{name}};[in [the] {{area}}])\"\n          \
             - \"(what|which) {verb} (is|are) [the] {{name}} [in [the] {{area}}]\"\n"
        );
    }
    Sentences::from_text("generated.yaml", &text, "en")
        .map_err(|problems| problems.into_iter().map(Fault::from).collect())
}
