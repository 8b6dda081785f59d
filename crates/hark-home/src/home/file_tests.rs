//! The shipped home is sound, and every kind of mistake is named with its line and a fix.

use super::*;

fn problems(text: &str) -> Vec<Problem> {
    parse(text, true).unwrap_err()
}

/// The one problem of a text, as it is shown.
fn only(text: &str) -> String {
    let found = problems(text);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(!found[0].fix.is_empty());
    found[0].to_string()
}

#[test]
fn the_shipped_home_has_something_of_everything() {
    let home = example(true).unwrap();
    let moving = ["vacuum", "lawn_mower", "valve", "todo"];
    let usual = ["light", "switch", "fan", "cover", "lock", "climate", "media_player", "scene", "script"];
    for domain in usual.iter().chain(&moving).chain(&["sensor", "binary_sensor"]) {
        assert!(home.entities.iter().any(|entity| entity.id.domain() == *domain), "{domain}");
    }
    for wanted in ["Kitchen ceiling", "Living room light", "Standing light", "Basement light", "Lamp"] {
        assert!(home.entities.iter().any(|entity| entity.name == wanted), "{wanted}");
    }
    assert!(home.entities.iter().all(|entity| entity.source == SOURCE_DEMO && entity.state != UNAVAILABLE));
    assert!(home.floors.len() >= 2 && home.persons.len() >= 2 && !home.lists.is_empty());
    for area in &home.areas {
        let name = format!("{} light", area.name);
        let entities = home.entities.iter().filter(|entity| entity.area.as_ref() == Some(&area.id));
        assert!(entities.count() > 0, "nothing in {name}");
    }
}

#[test]
fn without_demo_the_names_are_there_but_nothing_can_be_reached() {
    let home = example(false).unwrap();
    assert!(home.entities.iter().all(|entity| entity.source == SOURCE_FILE && entity.state == UNAVAILABLE));
}

#[test]
fn everything_of_an_entity_is_read() {
    let text = r#"
        [[area]]
        id = "kitchen"
        name = "Kitchen"
        [[entity]]
        id = "light.big"
        name = " Big light "
        aliases = ["the sun"]
        area = "kitchen"
        device_class = "x"
        state = "on"
        attributes = { brightness = 0x10, level = 0.5, modes = ["rgb"], deep = { yes = true }, on = 2026-01-02 }
    "#;
    let home = parse(text, true).unwrap();
    let entity = &home.entities[0];
    assert_eq!((entity.name.as_str(), entity.state.as_str()), ("Big light", "on"));
    assert_eq!(entity.aliases, ["the sun"]);
    assert_eq!(entity.device_class.as_deref(), Some("x"));
    let expected = serde_json::json!({
        "brightness": 16, "level": 0.5, "modes": ["rgb"], "deep": {"yes": true}, "on": "2026-01-02"
    });
    assert_eq!(Value::Object(entity.attributes.clone()), expected);
}

#[test]
fn an_empty_file_is_an_empty_home() {
    assert_eq!(parse("", true).unwrap(), Home::default());
}

#[test]
fn five_mistakes_are_five_problems_in_the_order_of_the_lines() {
    let text = "[[area]]\nid = \"kitchen\"\nnmae = \"Kitchen\"\n\n[[entity]]\nid = \"lihgt.a\"\nname = \"A\"\n\
                area = \"kitchn\"\naliases = \"b\"\n";
    let found = problems(text);
    let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
    let expected = [
        "line 1: area[1].name: is missing; add name = \"…\"",
        "line 3: area[1].nmae: is not a known key; did you mean `name`?",
        "line 6: entity[1].id: `lihgt` is not a known domain; did you mean `light`?",
        "line 8: entity[1].area: there is no area `kitchn`; did you mean `kitchen`?",
        "line 9: entity[1].aliases: is string and not a list of texts; write aliases = [\"…\", \"…\"]",
    ];
    assert_eq!(shown, expected);
    let fault = to_fault("home.toml", &found);
    assert_eq!(fault.kind, FaultKind::BadConfiguration);
    assert!(expected.iter().all(|line| fault.message.contains(line)) && fault.message.contains("5 problem"));
}

#[test]
fn each_kind_of_mistake_is_named() {
    let light = "[[entity]]\nid = \"light.a\"\nname = \"A\"\n";
    let cases = [
        ("floor = 3", "floor: is integer and not a table of a list"),
        ("[[entity]]\nid = \"Light.A\"\nname = \"A\"", "no entity id"),
        ("[[entity]]\nid = \"light\"\nname = \"A\"", "no entity id"),
        ("[[person]]\nname = \"\"", "person[1].name: is empty"),
        ("[[floor]]\nid = \"a\"\nname = \"A\"\nlevel = \"up\"", "not a whole number"),
        ("[[list]]\nname = \"A\"\nitems = [\"\"]", "has an empty text"),
        ("[house]\n", "house: is not a known key"),
    ];
    for (text, expected) in cases {
        let shown = only(text);
        assert!(shown.contains(expected), "{text}: {shown}");
    }
    let twice = format!("{light}{}", light.replace("\"A\"", "\"B\""));
    assert!(only(&twice).contains("`light.a` is there twice"));
    let same_name = format!("{light}{}", light.replace("light.a", "light.b"));
    assert!(only(&same_name).contains("is the name of entity[1]"));
    let areas =
        "[[area]]\nid = \"a\"\nname = \"Hall\"\n[[area]]\nid = \"b\"\nname = \"B\"\naliases = [\"the hall\"]";
    assert!(only(areas).starts_with("line 7: area[2].aliases: `the hall` is a name of area[1] too"));
    assert!(only(&format!("{light}attributes = 3")).contains("not a table"));
}

#[test]
fn a_home_described_for_home_assistant_is_read_as_it_is() {
    let home = parse(
        "[[entity]]\nid = \"sensor.price_per_kW today\"\nname = \"Price\"\n\
         [[entity]]\nid = \"binary_sensor.a\"\nname = \"Phone\"\ndevice_class = \"battery\"\n\
         [[entity]]\nid = \"binary_sensor.b\"\nname = \"Phone\"\nattributes = { device_class = \"plug\" }\n\
         [[entity]]\nid = \"todo.chores\"\nname = \"Chores\"\nstate = \"\"\n\
         [[entity]]\nid = \"person.ada\"\nname = \"Ada\"\nstate = \"Work\"\n\
         [[person]]\nname = \"Ada\"\nstate = \"home\"\n",
        true,
    )
    .unwrap();
    assert_eq!(home.entities[0].id.0, "sensor.price_per_kw_today");
    assert_eq!(home.entities[2].device_class.as_deref(), Some("plug"));
    assert_eq!(home.entities.len(), 4);
    assert_eq!(home.persons, [Person { name: "Ada".into(), state: "home".into() }]);
}

#[test]
fn scenes_may_only_set_what_is_there() {
    let scene = |states: &str| {
        format!(
            "[[entity]]\nid = \"light.a\"\nname = \"A\"\n[[entity]]\nid = \"scene.s\"\nname = \"S\"\n\
             attributes = {{ states = {states} }}"
        )
    };
    assert!(parse(&scene("{ \"light.a\" = \"on\" }"), true).is_ok());
    assert!(parse(&scene("{ \"light.a\" = { state = \"on\", brightness = 3 } }"), true).is_ok());
    assert!(only(&scene("{ \"light.aa\" = \"on\" }")).contains("did you mean `light.a`?"));
    assert!(only(&scene("{ \"scene.s\" = \"on\" }")).contains("is a scene or script"));
    assert!(only(&scene("{ \"light.a\" = 4 }")).contains("has no state"));
    assert!(only(&scene("[]")).contains("is not a table"));
}

#[test]
fn broken_toml_is_told_with_its_line() {
    let found = problems("[[entity]]\nid = \"light.a\"\nname = \n");
    assert!(found.iter().any(|problem| problem.line == 3), "{found:#?}");
}

#[test]
fn a_missing_file_is_told_with_its_path() {
    let fault = load(Path::new("/nowhere/home.toml"), true).unwrap_err();
    assert!(fault.message.contains("/nowhere/home.toml") && fault.kind == FaultKind::BadConfiguration);
}

proptest::proptest! {
    /// No text makes the reader panic; what it accepts has unique ids.
    #[test]
    fn any_text_is_read_or_refused(text in "(\\[\\[(entity|area|floor)\\]\\]\n|(id|name|area|state) = \"[a-c.]{0,4}\"\n|.{0,9}\n){0,12}") {
        if let Ok(home) = parse(&text, true) {
            let mut ids: Vec<_> = home.entities.iter().map(|entity| entity.id.0.clone()).collect();
            ids.sort();
            ids.dedup();
            proptest::prop_assert_eq!(ids.len(), home.entities.len());
        }
    }
}
