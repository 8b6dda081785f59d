//! The home tools in the demo home.

use super::*;

#[tokio::test]
async fn a_light_goes_on_and_the_receipt_says_from_what_to_what() {
    let house = house();
    let receipt = house.ok("home.turn_on", json!({"name": "the kitchen ceiling"})).await;
    assert!(receipt.changed);
    let expected = json!({
        "count": 1,
        "entities": [{"id": "light.kitchen_ceiling", "name": "Kitchen ceiling", "domain": "light",
                      "area": "Kitchen", "from": "off", "to": "on"}],
        "name": "Kitchen ceiling", "domain": "light",
    });
    assert_eq!(receipt.detail, expected);
    assert_eq!(house.state("light.kitchen_ceiling"), "on");
    let again = house.ok("home.turn_on", json!({"name": "kitchen ceiling"})).await;
    assert!(!again.changed);
    assert_eq!(again.detail["entities"][0]["from"], "on");
}

#[tokio::test]
async fn a_room_a_floor_a_kind() {
    let house = house();
    let receipt = house.ok("home.turn_on", json!({"area": "the kitchen", "domain": "light"})).await;
    assert_eq!(names(&receipt), ["Kitchen ceiling", "Counter light"]);
    assert_eq!(
        (receipt.detail["area"].as_str(), receipt.detail["count"].as_u64()),
        (Some("Kitchen"), Some(2))
    );
    let receipt = house.ok("home.turn_on", json!({"floor": "upstairs", "domain": "light"})).await;
    assert!(names(&receipt).contains(&"Desk lamp"));
    house.ok("home.turn_off", json!({"domain": "light"})).await;
    let home = house.tools.services().home.registry().home();
    assert!(home.entities.iter().filter(|e| e.id.domain() == "light").all(|e| e.state == "off"));
}

#[tokio::test]
async fn without_a_place_the_area_of_the_node_is_meant() {
    let house = Built { area: "The Office", ..Built::default() }.house();
    let receipt = house.ok("home.turn_on", json!({"domain": "light"})).await;
    assert_eq!(names(&receipt), ["Office light", "Desk lamp"]);
    assert_eq!(receipt.detail["area"], "Office");
    let receipt = house.ok("home.light_set", json!({"color": "blue"})).await;
    assert_eq!(names(&receipt), ["Office light", "Desk lamp"]);
    let receipt = house.ok("home.turn_off", json!({"domain": "light", "name": "all"})).await;
    assert!(names(&receipt).len() > 10);
    assert_eq!(receipt.detail["count"], 2, "the others were off already");
}

#[test]
fn an_area_that_is_none_is_told_at_the_start() {
    let registry = Arc::new(HomeRegistry::new(file::example(true).unwrap()));
    let services = Services::new(
        HomeControl::new(registry, Vec::new()),
        Persistence {
            timers: Arc::new(Timers::load(Arc::new(InMemoryTimers::default()), 0).unwrap()),
            automations: Arc::new(Automations::new(Arc::<InMemoryAutomations>::default(), Zone::Local)),
            lists: Arc::new(InMemoryLists::default()),
            undo: hark_home::undo::UndoLog::default(),
            memory: Memory::new(Arc::new(InMemoryFacts::default())),
            documents: Arc::new(InMemoryDocuments::default()),
            speakers: Arc::new(InMemorySpeakers::default()),
            pin: hark_home::pin::PinPad::without_pin(),
        },
        Arc::new(Knob(AtomicU8::new(0), Mutex::default())),
        Arc::new(|| chrono::Local::now().fixed_offset()),
        (
            &HomeConfig { area: "attic".into(), ..HomeConfig::default() },
            &Permissions::default(),
            &ToolsConfig::default(),
            "en",
        ),
    );
    let Err(fault) = services else { panic!("there is no attic") };
    assert!(fault.message.contains("attic") && fault.fix.contains("kitchen"), "{fault}");
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let house = house();
    for (args, key) in [
        (json!({"name": "death star"}), "name"),
        (json!({"area": "attic", "domain": "light"}), "area"),
        (json!({"floor": "roof", "domain": "light"}), "floor"),
        (json!({"area": "garage", "domain": "fan"}), "what"),
    ] {
        let (code, receipt) = house.fails("home.turn_on", args.clone()).await;
        assert_eq!(code, error_code::NOT_FOUND, "{args}");
        assert!(receipt.detail.get(key).is_some(), "{args}: {}", receipt.detail);
    }
    let (code, _) = house.fails("home.turn_on", json!({})).await;
    assert_eq!(code, error_code::BAD_ARGUMENT);
}

#[tokio::test]
async fn what_cannot_do_it_is_unsupported() {
    let house = house();
    for (tool, args) in [
        ("home.turn_on", json!({"name": "power use"})),
        ("home.turn_off", json!({"name": "movie night"})),
        ("home.light_set", json!({"name": "kettle", "brightness": 50})),
        ("home.light_set", json!({"name": "basement light", "brightness": 50})),
        ("home.light_set", json!({"name": "lamp", "color": "red"})),
        ("home.set_position", json!({"name": "lamp", "position": 50})),
        ("home.climate_set_temperature", json!({"name": "lamp", "temperature": 20})),
        ("home.climate_get_temperature", json!({"name": "lamp"})),
        ("home.climate_get_temperature", json!({"name": "power use"})),
        ("volume.set", json!({"area": "kitchen", "name": "kitchen ceiling", "volume_level": 20})),
    ] {
        let (code, receipt) = house.fails(tool, args.clone()).await;
        let expected = if tool == "volume.set" { error_code::NOT_FOUND } else { error_code::UNSUPPORTED };
        assert_eq!(code, expected, "{tool} {args}");
        assert!(!receipt.changed);
    }
}

#[tokio::test]
async fn brightness_colour_and_temperature() {
    let house = house();
    let receipt =
        house.ok("home.light_set", json!({"area": "kitchen", "brightness": 50, "color": "Red"})).await;
    assert_eq!(
        (receipt.detail["brightness"].as_u64(), receipt.detail["color"].as_str()),
        (Some(50), Some("red"))
    );
    for id in ["light.kitchen_ceiling", "light.kitchen_counter"] {
        let light = house.entity(id);
        assert_eq!((light.state.as_str(), &light.attributes["brightness"]), ("on", &json!(128)));
        assert_eq!(light.attributes["rgb_color"], json!([255, 0, 0]));
    }
    house.ok("home.light_set", json!({"name": "bedroom light", "temperature": 2700})).await;
    assert_eq!(house.entity("light.bedroom").attributes["color_temp_kelvin"], json!(2700));
    house.ok("home.light_set", json!({"area": "kitchen", "brightness": 0})).await;
    assert_eq!(house.state("light.kitchen_ceiling"), "off");
    for args in [
        json!({"area": "kitchen"}),
        json!({"color": "red", "temperature": 3000}),
        json!({"name": "bedroom light", "temperature": 1500}),
    ] {
        let (code, _) = house.fails("home.light_set", args.clone()).await;
        assert_eq!(code, error_code::BAD_ARGUMENT, "{args}");
    }
}

#[tokio::test]
async fn covers_move_to_a_position() {
    let house = house();
    let receipt = house.ok("home.set_position", json!({"name": "kitchen blinds", "position": 30})).await;
    assert_eq!((receipt.detail["position"].as_u64(), receipt.changed), (Some(30), true));
    assert_eq!(house.entity("cover.kitchen_blinds").attributes["current_position"], json!(30));
    house.ok("home.turn_off", json!({"area": "bedroom", "domain": "cover"})).await;
    let (code, _) = house.fails("home.set_position", json!({"name": "kitchen blinds"})).await;
    assert_eq!(code, error_code::BAD_ARGUMENT);
    let receipt = house.ok("home.stop_moving", json!({"name": "kitchen blinds"})).await;
    assert_eq!((receipt.detail["count"].as_u64(), receipt.changed), (Some(1), false));
    let (code, _) = house.fails("home.stop_moving", json!({"name": "lamp"})).await;
    assert_eq!(code, error_code::UNSUPPORTED);
}

#[tokio::test]
async fn heating() {
    let house = Built { area: "bedroom", ..Built::default() }.house();
    let receipt = house.ok("home.climate_set_temperature", json!({"temperature": 19.5})).await;
    assert_eq!(names(&receipt), ["Bedroom radiator"]);
    assert_eq!(
        (receipt.detail["temperature"].as_f64(), receipt.detail["unit"].as_str()),
        (Some(19.5), Some("°C"))
    );
    let receipt = house.ok("home.climate_get_temperature", json!({})).await;
    let expected = json!({"name": "Bedroom radiator", "temperature": 18.5, "target": 19.5, "unit": "°C"});
    assert_eq!(receipt.detail, expected);
    let (code, _) = house.fails("home.climate_set_temperature", json!({"temperature": 60})).await;
    assert_eq!(code, error_code::BAD_ARGUMENT);
}

#[tokio::test]
async fn the_temperature_of_a_place_comes_from_what_is_there() {
    let house = house();
    let cases = [
        (json!({}), "Thermostat"),
        (json!({"area": "bedroom"}), "Bedroom radiator"),
        (json!({"area": "office"}), "Office temperature"),
        (json!({"name": "outside temperature"}), "Outside temperature"),
        (json!({"floor": "upstairs"}), "Bedroom radiator"),
    ];
    for (args, name) in cases {
        let receipt = house.ok("home.climate_get_temperature", args.clone()).await;
        assert_eq!(receipt.detail["name"], name, "{args}");
    }
    let (code, _) = house.fails("home.climate_get_temperature", json!({"area": "garage"})).await;
    assert_eq!(code, error_code::NOT_FOUND);
    let office = Built { area: "office", ..Built::default() }.house();
    let receipt = office.ok("home.climate_get_temperature", json!({})).await;
    assert_eq!(receipt.detail["name"], "Office temperature");
    let garage = Built { area: "garage", ..Built::default() }.house();
    let receipt = garage.ok("home.climate_get_temperature", json!({})).await;
    assert_eq!(receipt.detail["name"], "Thermostat");
}

#[tokio::test]
async fn states_are_told_as_they_are_said() {
    let house = house();
    let cases = [
        (json!({"name": "kitchen window"}), "open"),
        (json!({"name": "front door"}), "locked"),
        (json!({"name": "kitchen blinds"}), "open"),
        (json!({"name": "leak sensor"}), "dry"),
        (json!({"name": "alice"}), "home"),
        (json!({"name": "Robert", "domain": "person"}), "away"),
        (json!({"name": "power use"}), "430"),
    ];
    for (args, state) in cases {
        let receipt = house.ok("home.get_state", args.clone()).await;
        assert_eq!(receipt.detail["state"], state, "{args}");
    }
    let receipt = house.ok("home.get_state", json!({"name": "power use", "response": "one"})).await;
    assert_eq!(receipt.detail["unit"], "W");
}

#[tokio::test]
async fn yes_no_any_all_which_how_many() {
    let house = house();
    let ask = async |args: Value| house.ok("home.get_state", args).await.detail;
    let one =
        ask(json!({"name": "front door", "domain": "lock", "state": "locked", "response": "one_yesno"}))
            .await;
    assert_eq!(one["answer"], true);
    let one = ask(json!({"name": "lamp", "state": "on"})).await;
    assert_eq!((one["answer"].clone(), one["count"].clone()), (json!(false), json!(0)));
    let windows = json!({"device_class": "window", "state": "open", "response": "any"});
    let any = ask(windows).await;
    assert_eq!((any["answer"].clone(), any["matched"].clone()), (json!(true), json!(["Kitchen window"])));
    assert_eq!(any["entities"].as_array().unwrap().len(), 4);
    let all = ask(json!({"domain": "lock", "state": "locked", "response": "all"})).await;
    assert_eq!(all["answer"], true);
    let all = ask(json!({"domain": "cover", "state": "closed", "response": "all"})).await;
    assert_eq!(all["answer"], false);
    house.ok("home.turn_on", json!({"area": "kitchen", "domain": "light"})).await;
    let many = ask(json!({"domain": "light", "state": "on", "response": "how_many"})).await;
    assert_eq!(many["count"], 2);
    let which = ask(json!({"domain": "light", "state": "on", "area": "kitchen", "response": "which"})).await;
    assert_eq!(which["matched"], json!(["Kitchen ceiling", "Counter light"]));
    let raw = ask(json!({"domain": "binary_sensor", "device_class": "window", "state": "on"})).await;
    assert_eq!(raw["matched"], json!(["Kitchen window"]));
}

#[tokio::test]
async fn a_question_means_the_whole_home_wherever_it_is_asked() {
    let house = Built { area: "garage", ..Built::default() }.house();
    let receipt = house.ok("home.get_state", json!({"domain": "lock", "state": "locked"})).await;
    assert_eq!(receipt.detail["count"], 2);
}

#[tokio::test]
async fn two_of_three_is_not_done() {
    let house = Built { deaf: "light.standing", ..Built::default() }.house();
    let (code, receipt) =
        house.fails("home.turn_on", json!({"area": "living room", "domain": "light"})).await;
    assert_eq!(code, error_code::PARTIAL);
    assert!(receipt.changed);
    assert_eq!(receipt.detail["done"], json!(["Living room light", "Lamp"]));
    assert_eq!(receipt.detail["failed"][0]["error"], error_code::TIMEOUT);
    assert_eq!(receipt.detail["failed"][0]["name"], "Standing light");
    assert_eq!(names(&receipt), ["Living room light", "Lamp"]);
    assert_eq!(receipt.detail["area"], "Living room");
}

#[tokio::test]
async fn no_confirmation_is_a_time_out_and_unreachable_is_offline() {
    let house = Built { deaf: "light.", ..Built::default() }.house();
    let (code, receipt) = house.fails("home.turn_on", json!({"name": "lamp"})).await;
    assert_eq!((code.as_str(), receipt.changed), (error_code::TIMEOUT, false));
    let lamp = house.entity("light.lamp");
    house.tools.services().home.registry().report(&lamp.id, UNAVAILABLE, lamp.attributes);
    let (code, _) = house.fails("home.turn_on", json!({"name": "lamp"})).await;
    assert_eq!(code, error_code::OFFLINE);
    let (code, _) = house.fails("home.get_state", json!({"name": "lamp"})).await;
    assert_eq!(code, error_code::OFFLINE);
}

#[tokio::test]
async fn scenes_and_scripts() {
    let house = house();
    let receipt = house.ok("home.turn_on", json!({"name": "movie night"})).await;
    assert!(receipt.changed);
    assert_eq!(house.state("media_player.living_room_tv"), "on");
    house.ok("home.turn_on", json!({"name": "bedtime", "domain": "script"})).await;
    assert_eq!(house.state("media_player.living_room_tv"), "off");
}

#[tokio::test]
async fn volume_of_players() {
    let house = house();
    let receipt = house.ok("volume.set", json!({"name": "the radio", "volume_level": 25})).await;
    assert_eq!(receipt.detail["volume_level"], 25);
    assert_eq!(house.entity("media_player.kitchen_radio").attributes["volume_level"], json!(0.25));
    let receipt = house.ok("volume.change", json!({"area": "kitchen", "volume_step": "up"})).await;
    assert_eq!(receipt.detail["volume_level"], 35);
    let receipt = house.ok("volume.change", json!({"name": "radio", "volume_step": -50})).await;
    assert_eq!(receipt.detail["volume_level"], 0);
    assert_eq!(house.tools.services().node.volume_percent(), 80, "the node is another thing");
}
