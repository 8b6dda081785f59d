//! Media players, fans, robots, valves, modes, alarm panels, relative steps.

use super::*;

fn attribute(house: &House, id: &str, key: &str) -> Value {
    house.entity(id).attributes.get(key).cloned().unwrap_or(Value::Null)
}

const TV: &str = "media_player.living_room_tv";
const RADIO: &str = "media_player.kitchen_radio";

#[tokio::test]
async fn music_is_found_played_paused_and_resumed() {
    let house = house();
    let receipt = house.ok("media.search_and_play", json!({"search_query": "some jazz"})).await;
    assert_eq!(names(&receipt), ["Radio"], "the speaker, not the television");
    assert_eq!(house.state(RADIO), "playing");
    assert_eq!(attribute(&house, RADIO, "media_title"), "some jazz");
    let receipt = house.ok("media.now_playing", json!({})).await;
    let expected =
        json!({"players": [{"name": "Radio", "state": "playing", "title": "some jazz"}], "count": 1});
    assert_eq!(receipt.detail["players"], expected["players"]);
    let receipt = house.ok("media.pause", json!({})).await;
    assert_eq!((names(&receipt), house.state(RADIO).as_str()), (vec!["Radio"], "paused"));
    house.ok("media.unpause", json!({})).await;
    assert_eq!(house.state(RADIO), "playing");
    house.ok("media.next", json!({})).await;
    assert_eq!(attribute(&house, RADIO, "media_track"), 2);
    house.ok("media.previous", json!({"area": "kitchen"})).await;
    assert_eq!(attribute(&house, RADIO, "media_track"), 1);
    house.ok("media.stop", json!({})).await;
    assert_eq!(house.state(RADIO), "idle");
    for tool in ["media.pause", "media.unpause", "media.stop", "media.next"] {
        let (code, _) = house.fails(tool, json!({})).await;
        assert_eq!(code, error_code::NOT_FOUND, "{tool}: nothing plays");
    }
}

#[tokio::test]
async fn what_plays_is_kept_on_a_list_and_taken_off_again() {
    let house = house();
    let (code, _) = house.fails("media.keep", json!({})).await;
    assert_eq!(code, error_code::NOT_FOUND, "nothing plays");
    house.ok("media.search_and_play", json!({"search_query": "yesterday"})).await;
    let receipt = house.ok("media.keep", json!({})).await;
    assert!(receipt.changed);
    assert_eq!(
        (&receipt.detail["list"], &receipt.detail["title"]),
        (&json!("Favourite songs"), &json!("yesterday"))
    );
    let again = house.ok("media.keep", json!({})).await;
    assert!(!again.changed, "it is there already");
    house.ok("media.keep", json!({"list": "running"})).await;
    let read = house.ok("list.read", json!({"name": "running"})).await;
    assert_eq!(read.detail["items"], json!(["yesterday"]));
    house.ok("undo.last", json!({})).await;
    let (code, _) = house.fails("list.read", json!({"name": "running"})).await;
    assert_eq!(code, error_code::NOT_FOUND, "the list was made for it, and is gone with it");
}

#[tokio::test]
async fn a_film_goes_to_the_television_and_a_named_player_wins() {
    let house = house();
    let receipt =
        house.ok("media.search_and_play", json!({"search_query": "alien", "media_class": "movie"})).await;
    assert_eq!(names(&receipt), ["Television"]);
    assert_eq!(attribute(&house, TV, "media_content_type"), "movie");
    let receipt =
        house.ok("media.search_and_play", json!({"search_query": "the news", "name": "the telly"})).await;
    assert_eq!(names(&receipt), ["Television"]);
    let bedroom = json!({"search_query": "jazz", "area": "bedroom"});
    let (code, _) = house.fails("media.search_and_play", bedroom).await;
    assert_eq!(code, error_code::NOT_FOUND);
}

#[tokio::test]
async fn the_player_of_this_room_is_meant() {
    let living = Built { area: "living room", ..Built::default() }.house();
    living.ok("media.search_and_play", json!({"search_query": "jazz"})).await;
    assert_eq!(living.state(TV), "playing", "the only one here");
    living.ok("media.search_and_play", json!({"search_query": "news", "name": "radio"})).await;
    let receipt = living.ok("media.pause", json!({})).await;
    assert_eq!(names(&receipt), ["Television"], "not the radio in the kitchen");
    let receipt = living.ok("media.pause", json!({"area": "all"})).await;
    assert_eq!(names(&receipt), ["Radio"]);
}

#[tokio::test]
async fn players_are_muted_shuffled_and_switched() {
    let house = house();
    house.ok("media.mute", json!({"name": "tv"})).await;
    assert_eq!(attribute(&house, TV, "is_volume_muted"), true);
    let receipt = house.ok("media.unmute", json!({})).await;
    assert_eq!(
        (names(&receipt), attribute(&house, TV, "is_volume_muted")),
        (vec!["Television"], json!(false))
    );
    let (code, _) = house.fails("media.unmute", json!({})).await;
    assert_eq!(code, error_code::NOT_FOUND);
    house.ok("media.search_and_play", json!({"search_query": "jazz"})).await;
    house.ok("media.shuffle", json!({"shuffle": true})).await;
    house.ok("media.repeat", json!({"repeat": "one"})).await;
    assert_eq!(
        (attribute(&house, RADIO, "shuffle"), attribute(&house, RADIO, "repeat")),
        (json!(true), json!("one"))
    );
    let receipt = house.ok("media.select_source", json!({"source": "hdmi two"})).await;
    assert_eq!((names(&receipt), &receipt.detail["source"]), (vec!["Television"], &json!("HDMI 2")));
    assert_eq!(attribute(&house, TV, "source"), "HDMI 2");
    let (code, _) = house.fails("media.select_source", json!({"source": "laser disc"})).await;
    assert_eq!(code, error_code::NOT_FOUND);
    let (code, receipt) =
        house.fails("media.select_source", json!({"source": "laser disc", "name": "tv"})).await;
    assert_eq!(code, error_code::BAD_ARGUMENT);
    assert!(receipt.detail["message"].as_str().unwrap().contains("Antenna"), "says what there is");
}

#[tokio::test]
async fn fans_have_speeds() {
    let house = house();
    let receipt = house.ok("home.fan_set_speed", json!({"area": "bedroom", "percentage": 40})).await;
    assert_eq!((names(&receipt), &receipt.detail["percentage"]), (vec!["Ceiling fan"], &json!(40)));
    let receipt = house.ok("home.fan_step", json!({"name": "ceiling fan", "percentage_step": "up"})).await;
    assert_eq!(receipt.detail["percentage"], 60);
    house.ok("home.fan_step", json!({"name": "ceiling fan", "percentage_step": -100})).await;
    assert_eq!(house.state("fan.bedroom"), "off");
    let receipt = house.ok("home.fan_step", json!({"name": "ceiling fan", "percentage_step": "down"})).await;
    assert_eq!((receipt.changed, house.state("fan.bedroom").as_str()), (false, "off"));
    house.ok("home.turn_on", json!({"name": "ceiling fan"})).await;
    assert_eq!(attribute(&house, "fan.bedroom", "percentage"), 50);
    let (code, _) = house.fails("home.fan_set_speed", json!({"name": "kettle", "percentage": 40})).await;
    assert_eq!(code, error_code::UNSUPPORTED);
}

#[tokio::test]
async fn robots_go_out_and_come_home() {
    let house = Built { area: "office", ..Built::default() }.house();
    house.ok("home.vacuum_start", json!({})).await;
    assert_eq!(house.state("vacuum.robot"), "cleaning");
    house.ok("home.vacuum_dock", json!({"name": "vacuum cleaner"})).await;
    assert_eq!(house.state("vacuum.robot"), "docked");
    let receipt = house.ok("home.vacuum_clean_area", json!({"area": "the kitchen"})).await;
    assert_eq!((names(&receipt), &receipt.detail["cleans"]), (vec!["Robot vacuum"], &json!("Kitchen")));
    assert_eq!(attribute(&house, "vacuum.robot", "cleaning_area"), "Kitchen");
    let (code, _) = house.fails("home.vacuum_clean_area", json!({"area": "ballroom"})).await;
    assert_eq!(code, error_code::NOT_FOUND);
    house.ok("home.mower_start", json!({})).await;
    assert_eq!(house.state("lawn_mower.garden"), "mowing");
    house.ok("home.turn_off", json!({"name": "lawn mower"})).await;
    assert_eq!(house.state("lawn_mower.garden"), "docked");
}

#[tokio::test]
async fn valves_open_and_close() {
    let house = house();
    house.ok("home.turn_on", json!({"name": "garden tap"})).await;
    assert_eq!(house.state("valve.garden_tap"), "open");
    house.ok("home.toggle", json!({"name": "garden tap"})).await;
    assert_eq!(house.state("valve.garden_tap"), "closed");
    let (code, _) = house.fails("home.set_position", json!({"name": "garden tap", "position": 30})).await;
    assert_eq!(code, error_code::UNSUPPORTED, "it cannot stop on the way");
}

#[tokio::test]
async fn a_bit_more_starts_from_what_is() {
    let house = house();
    house.ok("home.light_set", json!({"name": "lamp", "brightness": 50})).await;
    let receipt = house.ok("home.light_step", json!({"name": "lamp", "brightness_step": "up"})).await;
    assert_eq!(receipt.detail["brightness"], 70);
    let receipt = house.ok("home.light_step", json!({"name": "lamp", "brightness_step": -100})).await;
    assert_eq!((&receipt.detail["brightness"], house.state("light.lamp").as_str()), (&json!(1), "on"));
    let receipt = house.ok("home.light_step", json!({"area": "living room", "brightness_step": "up"})).await;
    assert_eq!(names(&receipt), ["Lamp"], "the others are off and stay so");
    let receipt =
        house.ok("home.position_step", json!({"name": "kitchen blinds", "position_step": "down"})).await;
    assert_eq!(receipt.detail["position"], 80);
    let receipt = house.ok("home.climate_step", json!({"area": "bedroom", "temperature_step": "up"})).await;
    assert_eq!(receipt.detail["temperature"], 19);
    let receipt = house.ok("home.climate_step", json!({"name": "thermostat", "temperature_step": 20})).await;
    assert_eq!(receipt.detail["temperature"], 30, "no warmer than it can");
}

#[tokio::test]
async fn heating_has_modes() {
    let house = house();
    house.ok("home.climate_set_mode", json!({"name": "thermostat", "mode": "off"})).await;
    assert_eq!(house.state("climate.living_room"), "off");
    house.ok("home.climate_set_mode", json!({"area": "living room", "mode": "Heat"})).await;
    assert_eq!(house.state("climate.living_room"), "heat");
    let (code, receipt) =
        house.fails("home.climate_set_mode", json!({"name": "thermostat", "mode": "dry"})).await;
    assert_eq!(code, error_code::BAD_ARGUMENT, "{}", receipt.detail);
    house.ok("home.climate_set_fan_mode", json!({"name": "thermostat", "fan_mode": "low"})).await;
    assert_eq!(attribute(&house, "climate.living_room", "fan_mode"), "low");
}

#[tokio::test]
async fn an_alarm_system_is_armed_freely_and_disarmed_after_a_yes() {
    let text = "[[entity]]\nid = \"alarm_control_panel.home\"\nname = \"Alarm\"\n";
    let house = Built { home: text, ..Built::default() }.house();
    house.ok("home.alarm_panel_set", json!({"mode": "night"})).await;
    assert_eq!(house.state("alarm_control_panel.home"), "armed_night");
    let (code, receipt) = house.fails("home.alarm_panel_set", json!({"mode": "disarmed"})).await;
    assert_eq!((code.as_str(), &receipt.detail["action"]), (error_code::NEEDS_APPROVAL, &json!("disarm")));
    assert!(house.call("home.alarm_panel_set", json!({"mode": "disarmed"}), true).await.ok);
    assert_eq!(house.state("alarm_control_panel.home"), "disarmed");
}

#[tokio::test]
async fn slats_and_presets_are_set_proven_and_taken_back() {
    let text = r#"
[[entity]]
id = "cover.office"
name = "Office blind"
state = "open"
attributes = { current_position = 100, current_tilt_position = 0 }
[[entity]]
id = "climate.office"
name = "Office heating"
state = "heat"
attributes = { preset_modes = ["none", "eco", "boost"], preset_mode = "none" }
[[entity]]
id = "fan.office"
name = "Office fan"
state = "on"
"#;
    let house = Built { home: text, ..Built::default() }.house();
    let receipt = house.ok("home.set_tilt", json!({"name": "office blind", "tilt": 40})).await;
    assert_eq!(receipt.detail["tilt"], 40);
    assert_eq!(attribute(&house, "cover.office", "current_tilt_position"), 40);
    house.ok("undo.last", json!({})).await;
    assert_eq!(attribute(&house, "cover.office", "current_tilt_position"), 0);
    house.ok("home.set_preset", json!({"name": "office heating", "preset": "Eco"})).await;
    assert_eq!(attribute(&house, "climate.office", "preset_mode"), "eco");
    house.ok("undo.last", json!({})).await;
    assert_eq!(attribute(&house, "climate.office", "preset_mode"), "none");
    let (code, _) = house.fails("home.set_preset", json!({"name": "office heating", "preset": "away"})).await;
    assert_eq!(code, error_code::BAD_ARGUMENT);
    let (code, _) = house.fails("home.set_preset", json!({"name": "office fan", "preset": "sleep"})).await;
    assert_eq!(code, error_code::UNSUPPORTED);
}

#[tokio::test]
async fn humidifiers_and_water_heaters_are_set_proven_and_taken_back() {
    let text = r#"
[[entity]]
id = "humidifier.bedroom"
name = "Bedroom humidifier"
state = "on"
attributes = { humidity = 40, min_humidity = 30, max_humidity = 80, available_modes = ["auto", "Sleep"], mode = "auto" }
[[entity]]
id = "water_heater.boiler"
name = "Boiler"
state = "eco"
attributes = { temperature = 50.0, min_temp = 40, max_temp = 65, operation_list = ["off", "eco", "performance"] }
"#;
    let house = Built { home: text, ..Built::default() }.house();
    let humid = "humidifier.bedroom";
    let receipt = house.ok("home.humidifier_set_humidity", json!({"humidity": 55})).await;
    assert_eq!((names(&receipt), &receipt.detail["humidity"]), (vec!["Bedroom humidifier"], &json!(55)));
    assert_eq!(attribute(&house, humid, "humidity"), 55);
    house.ok("undo.last", json!({})).await;
    assert_eq!(attribute(&house, humid, "humidity"), 40);
    let beyond = json!({"name": "bedroom humidifier", "humidity": 90});
    let (code, receipt) = house.fails("home.humidifier_set_humidity", beyond).await;
    assert_eq!(code, error_code::BAD_ARGUMENT, "{}", receipt.detail);
    house.ok("home.set_preset", json!({"name": "bedroom humidifier", "preset": "sleep"})).await;
    assert_eq!(attribute(&house, humid, "mode"), "Sleep", "in its own spelling");
    house.ok("undo.last", json!({})).await;
    assert_eq!(attribute(&house, humid, "mode"), "auto");
    let (code, _) =
        house.fails("home.humidifier_set_mode", json!({"name": "bedroom humidifier", "mode": "x"})).await;
    assert_eq!(code, error_code::BAD_ARGUMENT);
    house.ok("home.humidifier_set_mode", json!({"name": "boiler", "mode": "performance"})).await;
    assert_eq!(house.state("water_heater.boiler"), "performance");
    house.ok("undo.last", json!({})).await;
    assert_eq!(house.state("water_heater.boiler"), "eco");
    house.ok("home.climate_set_temperature", json!({"name": "boiler", "temperature": 60})).await;
    assert_eq!(attribute(&house, "water_heater.boiler", "temperature"), 60.0);
    house.ok("undo.last", json!({})).await;
    assert_eq!(attribute(&house, "water_heater.boiler", "temperature"), 50.0);
}

#[tokio::test]
async fn numbers_choices_and_texts_are_set_and_taken_back() {
    const HOME: &str = r#"
        [[area]]
        id = "bath"
        name = "Bath"
        [[entity]]
        id = "select.washer"
        name = "Washing mode"
        area = "bath"
        state = "Cotton 60"
        attributes = { options = ["Eco 40-60", "Cotton 60"] }
        [[entity]]
        id = "input_number.distance"
        name = "Target distance"
        state = "10.0"
        attributes = { min = 0, max = 100, step = 2.5, unit_of_measurement = "cm" }
        [[entity]]
        id = "text.display"
        name = "Display"
        state = "unknown"
        attributes = { min = 1, max = 10 }
        [[entity]]
        id = "light.lamp"
        name = "Lamp"
        area = "bath"
    "#;
    let house = Built { home: HOME, ..Built::default() }.house();
    let set = |name: &str, value: Value| json!({"name": name, "value": value});
    for (name, value, id, state) in [
        ("washing mode", json!("ECO"), "select.washer", "Eco 40-60"),
        ("target distance", json!(42.5), "input_number.distance", "42.5"),
        ("target distance", json!("40 cm"), "input_number.distance", "40"),
        ("display", json!("Hello"), "text.display", "Hello"),
    ] {
        let receipt = house.ok("home.set_value", set(name, value)).await;
        assert_eq!((receipt.changed, house.state(id).as_str()), (true, state), "{}", receipt.detail);
        assert_eq!(receipt.detail["value"], state);
    }
    for (name, value, code) in [
        ("target distance", json!(41), error_code::BAD_ARGUMENT),
        ("target distance", json!("far"), error_code::BAD_ARGUMENT),
        ("washing mode", json!("wool"), error_code::BAD_ARGUMENT),
        ("display", json!("much too long"), error_code::BAD_ARGUMENT),
        ("lamp", json!("1"), error_code::UNSUPPORTED),
        ("oven", json!("1"), error_code::NOT_FOUND),
        ("display", json!(["x"]), error_code::BAD_ARGUMENT),
    ] {
        assert_eq!(house.fails("home.set_value", set(name, value)).await.0, code, "{name}");
    }
    house.ok("undo.last", json!({})).await;
    assert_eq!(house.state("select.washer"), "Cotton 60", "all of one turn");
    assert_eq!(house.state("input_number.distance"), "10.0");
    assert_eq!(house.state("text.display"), "Hello", "nobody knows what stood there before");
    let deaf = Built { home: HOME, deaf: "select.", ..Built::default() }.house();
    assert_eq!(deaf.fails("home.set_value", set("washing mode", json!("eco"))).await.0, error_code::TIMEOUT);
}

#[tokio::test]
async fn a_password_comes_to_its_device_under_a_name_and_is_in_no_receipt() {
    const HOME: &str = "[[entity]]\nid = \"text.guest\"\nname = \"Guest password\"\nstate = \"oldsecret\"\n\
                        attributes = { mode = \"password\", min = 6 }\n";
    let house = Built { home: HOME, ..Built::default() }.house();
    let secrets = || house.tools.services().home.registry().secrets();
    let real = || secrets().reveal(&house.state("text.guest"));
    assert_eq!(real().as_deref(), Some("oldsecret"));
    let set = |value: String| json!({"name": "guest password", "value": value});
    let receipt = house.ok("home.set_value", set(house.tools.hide("hunter2"))).await;
    assert_eq!(real().as_deref(), Some("hunter2"));
    let (code, refused) = house.fails("home.set_value", set(house.tools.hide("short"))).await;
    assert_eq!(code, error_code::BAD_ARGUMENT, "{}", refused.detail);
    let asked = house.ok("home.get_state", json!({"name": "guest password"})).await;
    assert_eq!(asked.detail["state"], "secret");
    let undone = house.ok("undo.last", json!({})).await;
    assert_eq!(real().as_deref(), Some("oldsecret"));
    let old = format!("secret{}", "a".repeat(16));
    let (code, gone) = house.fails("home.set_value", set(old)).await;
    assert_eq!(code, error_code::FAILED, "the name of an earlier start");
    for receipt in [receipt, refused, asked, undone, gone] {
        let told = receipt.detail.to_string();
        assert!(!["hunter2", "oldsecret", "short"].iter().any(|secret| told.contains(secret)), "{told}");
    }
    assert_eq!(house.tools.secret_names(), ["Guest password"]);
}
