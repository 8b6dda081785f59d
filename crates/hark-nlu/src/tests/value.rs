//! Numbers, choices and texts of the home, in both languages.

use super::{Grammar, Sentences};
use hark_core::home::{Entity, Home};
use hark_core::ports::{Completeness, Completes, Understand};
use serde_json::{Map, Value, json};
use std::path::Path;

fn grammar(language: &str, names: [&str; 3]) -> Grammar {
    let languages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/languages");
    let dir = languages.join(language).join("sentences");
    let sentences = Sentences::load(&[dir], language).unwrap();
    let entity = |(id, name): (&str, &str)| Entity {
        id: id.into(),
        name: name.into(),
        aliases: Vec::new(),
        area: None,
        device_class: None,
        state: "1".into(),
        attributes: Map::new(),
        source: "demo".into(),
    };
    let ids = ["select.mode", "input_number.distance", "text.display", "light.lamp"];
    let names = [names[0], names[1], names[2], "Lamp"];
    let entities = ids.into_iter().zip(names).map(entity).collect();
    Grammar::new(&sentences, &Home { entities, ..Home::default() })
}

fn wrong(grammar: &Grammar, language: &str, rows: &[(&str, &str, Value)]) -> Vec<String> {
    let row = |(text, name, value): &(&str, &str, Value)| {
        let found = grammar.understand(text, language);
        let fits = found.intents.first().is_some_and(|intent| {
            let (says, is) = (&intent.slots["value"], value);
            let same = says == is || says.as_f64().is_some() && says.as_f64() == is.as_f64();
            intent.name == "HarkSetValue" && intent.slots["name"] == *name && same
        });
        (!fits).then(|| format!("{text}: {found:?}"))
    };
    rows.iter().filter_map(row).collect()
}

#[test]
fn english() {
    let grammar = grammar("en", ["Washing mode", "Target distance", "Display text"]);
    let (mode, distance, display) = ("Washing mode", "Target distance", "Display text");
    let rows = [
        ("set the washing mode to eco", mode, json!("eco")),
        ("Please change the washing mode to Cotton 60", mode, json!("Cotton 60")),
        ("switch the washing mode to heat pump", mode, json!("heat pump")),
        ("select wool for the washing mode", mode, json!("wool")),
        ("set the target distance to 40", distance, json!(40)),
        ("set the target distance to forty centimetres", distance, json!(40)),
        ("set the target distance to 2.5", distance, json!(2.5)),
        ("raise the target distance to 250 cm", distance, json!("250 cm")),
        ("put the target distance at 300", distance, json!("300")),
        ("set the display text to hello", display, json!("Hello")),
        ("set the display text to Back at 5, call Anna!", display, json!("Back at 5, call Anna")),
        ("write dinner is ready on the display text", display, json!("Dinner is ready")),
    ];
    let wrong = wrong(&grammar, "en", &rows);
    assert!(wrong.is_empty(), "{wrong:#?}");
    let lamp = grammar.understand("set the lamp to eco", "en");
    assert!(lamp.intents.iter().all(|intent| intent.name != "HarkSetValue"), "{lamp:?}");
    for said in ["set the washing mode to eco", "set target distance to forty", "set display text to hello"] {
        let known = matches!(grammar.completeness(said), Completeness::Complete | Completeness::MayContinue);
        assert!(known, "the recogniser knows: {said}");
    }
}

#[test]
fn german() {
    let grammar = grammar("de", ["Waschprogramm", "Zielabstand", "Anzeigetext"]);
    let rows = [
        ("stell das Waschprogramm auf Eco", "Waschprogramm", json!("eco")),
        ("Waschprogramm auf Baumwolle", "Waschprogramm", json!("baumwolle")),
        ("wähle Wolle als Waschprogramm", "Waschprogramm", json!("wolle")),
        ("stelle den Zielabstand auf 40", "Zielabstand", json!(40)),
        ("Zielabstand auf vierzig Zentimeter", "Zielabstand", json!(40)),
        ("erhöhe den Zielabstand auf 250", "Zielabstand", json!("250")),
        ("setz den Anzeigetext auf Hallo", "Anzeigetext", json!("Hallo")),
        ("schreib Essen ist fertig auf den Anzeigetext", "Anzeigetext", json!("Essen ist fertig")),
    ];
    let wrong = wrong(&grammar, "de", &rows);
    assert!(wrong.is_empty(), "{wrong:#?}");
}
