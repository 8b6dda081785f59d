//! How long it takes to compile, parse and accept sentences: the English templates with a home of 500
//! entities, and 1,000 generated templates with the same home.

use criterion::{Criterion, criterion_group, criterion_main};
use hark::domain::home::{Area, Entity, Floor, Home};
use hark::domain::ports::{EditCosts, SpeechGrammar, Understand};
use hark::understanding::{Grammar, Sentences};
use std::fmt::Write;
use std::hint::black_box;
use std::path::PathBuf;

const COSTS: EditCosts = EditCosts { delete: 0.8, insert: 1.0, substitute: 1.2, limit: 2.5 };

const PLACES: [&str; 25] = [
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
    "workshop",
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
const THINGS: [(&str, &str); 20] = [
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

fn home() -> Home {
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

fn english() -> Sentences {
    let dir = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/models/sentences"));
    Sentences::load(&[dir], "en").unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// A thousand templates of the usual shapes: names, areas, numbers, optional and alternative words.
fn generated() -> Sentences {
    let mut text = String::from(
        "language: en\nlists:\n  level:\n    range: { from: 0, to: 100 }\nskip_words: [please]\nintents:\n",
    );
    for index in 0..200 {
        let verb = format!("verb{}", (b'a' + index as u8 % 26) as char).repeat(1 + index / 26);
        let _ = write!(
            text,
            "  Intent{index}:\n    data:\n      - sentences:\n          - \"(turn|switch) {verb} [the] {{name}}\"\n          \
             - \"(turn|switch) [all] [the] lights {verb} (in|of) [the] {{area}}\"\n          \
             - \"[set] [the] {{name}} {verb} [to] {{level}} [percent]\"\n          \
             - \"{verb} ([the] {{name}};[in [the] {{area}}])\"\n          \
             - \"(what|which) {verb} (is|are) [the] {{name}} [in [the] {{area}}]\"\n"
        );
    }
    Sentences::from_text("generated.yaml", &text, "en").unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn bench(criterion: &mut Criterion, name: &str, sentences: &Sentences, exact: &str, near: &[(&str, &str)]) {
    let home = home();
    let grammar = Grammar::new(sentences, &home);
    eprintln!("{name}: templates, nodes, states, words: {:?}", grammar.size());
    criterion.bench_function(&format!("{name}: compile"), |b| {
        b.iter(|| Grammar::new(black_box(sentences), black_box(&home)));
    });
    assert!(!grammar.understand(exact, "en").intents.is_empty(), "{exact}");
    criterion.bench_function(&format!("{name}: parse"), |b| {
        b.iter(|| grammar.understand(black_box(exact), "en"));
    });
    let words: Vec<&str> = exact.split(' ').collect();
    criterion.bench_function(&format!("{name}: accept exact"), |b| {
        b.iter(|| grammar.accept(black_box(&words), &COSTS));
    });
    for (kind, text) in near {
        let words: Vec<&str> = text.split(' ').collect();
        eprintln!("{text} -> {:?}", grammar.accept(&words, &COSTS));
        criterion.bench_function(&format!("{name}: accept {kind}"), |b| {
            b.iter(|| grammar.accept(black_box(&words), &COSTS));
        });
    }
    criterion.bench_function(&format!("{name}: sample 1000"), |b| {
        b.iter(|| grammar.sample(black_box(1000), 1));
    });
}

fn benches(criterion: &mut Criterion) {
    let near = [
        ("two words replaced", "turn of the library leading light"),
        ("one word missing", "set the kitchen to thirty five percent"),
        ("two words wrong", "turn the the library reading dim off"),
        ("nothing near", "the library of the garden is what the thirty fan of"),
    ];
    bench(criterion, "english x 500", &english(), "turn off the library reading light", &near);
    let near = [
        ("one word left out", "turn verbc the library reading lamp"),
        ("two words wrong", "turn the the library reading verbd"),
        ("nothing near", "the library of the garden is what the thirty fan of"),
    ];
    bench(criterion, "1000 x 500", &generated(), "switch verbc the library reading light", &near);
}

criterion_group! {
    name = understanding;
    config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_secs(2))
        .warm_up_time(std::time::Duration::from_millis(500));
    targets = benches
}
criterion_main!(understanding);
