//! No door opens without a yes, on any route.

use super::*;

/// Every way a call can let somebody in, with what is asked and about which door.
fn ways_in() -> Vec<(&'static str, Value, &'static str, &'static str)> {
    vec![
        ("home.turn_off", json!({"name": "front door"}), "unlock", "lock.front_door"),
        ("home.turn_off", json!({"name": "lock.front_door"}), "unlock", "lock.front_door"),
        ("home.turn_off", json!({"domain": "lock", "area": "hallway"}), "unlock", "lock.front_door"),
        ("home.turn_off", json!({"domain": "lock"}), "unlock", "lock.front_door"),
        ("home.turn_off", json!({"domain": "lock", "name": "all"}), "unlock", "lock.back_door"),
        ("home.toggle", json!({"name": "the main door"}), "unlock", "lock.front_door"),
        ("home.turn_on", json!({"name": "garage door"}), "open", "cover.garage_door"),
        ("home.turn_on", json!({"domain": "cover", "device_class": "garage"}), "open", "cover.garage_door"),
        ("home.turn_on", json!({"device_class": "gate"}), "open", "cover.garden_gate"),
        ("home.turn_on", json!({"domain": "cover", "area": "everywhere"}), "open", "cover.garage_door"),
        ("home.turn_on", json!({"domain": "cover", "floor": "ground"}), "open", "cover.garage_door"),
        ("home.toggle", json!({"name": "gate"}), "open", "cover.garden_gate"),
        ("home.set_position", json!({"name": "garage door", "position": 10}), "open", "cover.garage_door"),
        ("home.set_position", json!({"area": "garden", "position": 100}), "open", "cover.garden_gate"),
        ("home.turn_on", json!({"name": "welcome home"}), "unlock", "lock.front_door"),
        ("home.turn_on", json!({"domain": "script"}), "unlock", "lock.front_door"),
        ("home.toggle", json!({"domain": "lock"}), "unlock", "lock.back_door"),
    ]
}

fn doors(house: &House) -> Vec<String> {
    ["lock.front_door", "lock.back_door", "cover.garage_door", "cover.garden_gate"]
        .iter()
        .map(|id| house.state(id))
        .collect()
}

#[tokio::test]
async fn without_a_yes_the_question_is_the_answer_and_nothing_at_all_moves() {
    for (tool, args, action, door) in ways_in() {
        let house = house();
        let before = house.tools.services().home.registry().home();
        // `script.welcome_home` as a toggle means nothing; every listed way reaches the gate.
        let (code, receipt) = house.fails(tool, args.clone()).await;
        assert_eq!(code, error_code::NEEDS_APPROVAL, "{tool} {args}");
        assert_eq!(receipt.detail["action"], action, "{tool} {args}");
        assert!(receipt.detail["entities"].as_array().unwrap().contains(&json!(door)), "{tool} {args}");
        assert!(!receipt.detail["name"].as_str().unwrap().is_empty());
        assert!(!receipt.changed);
        assert_eq!(house.tools.services().home.registry().home(), before, "{tool} {args}");
    }
}

#[tokio::test]
async fn with_a_yes_it_is_done() {
    let house = house();
    for (tool, args, state) in [
        ("home.turn_off", json!({"name": "front door"}), "unlocked"),
        ("home.turn_on", json!({"name": "garage door"}), "open"),
        ("home.turn_on", json!({"name": "garden gate"}), "open"),
    ] {
        let receipt = house.call(tool, args.clone(), true).await;
        assert!(receipt.ok && receipt.changed, "{tool} {args}: {}", receipt.detail);
        assert_eq!(receipt.detail["entities"][0]["to"], state);
    }
    assert_eq!(doors(&house), ["unlocked", "locked", "open", "open"]);
}

#[tokio::test]
async fn with_deny_not_even_a_yes_helps_and_with_allow_none_is_needed() {
    for (tool, args, action, _) in ways_in() {
        let house = Built { policy: DangerPolicy::Deny, ..Built::default() }.house();
        let before = doors(&house);
        let receipt = house.call(tool, args.clone(), true).await;
        assert_eq!(receipt.detail["error"], error_code::FORBIDDEN, "{tool} {args}");
        assert_eq!(receipt.detail["action"], action);
        assert_eq!(doors(&house), before);
    }
    let house = Built { policy: DangerPolicy::Allow, ..Built::default() }.house();
    house.ok("home.turn_off", json!({"name": "front door"})).await;
    house.ok("home.turn_on", json!({"name": "garage door"})).await;
    assert_eq!(doors(&house), ["unlocked", "locked", "open", "closed"]);
}

#[tokio::test]
async fn closing_locking_and_windows_need_no_yes() {
    let house = house();
    house.ok("home.turn_on", json!({"name": "front door"})).await;
    house.ok("home.turn_off", json!({"name": "garage door"})).await;
    house.ok("home.turn_on", json!({"domain": "cover", "device_class": "window", "name": "all"})).await;
    house.ok("home.turn_on", json!({"name": "good night"})).await;
    assert_eq!(doors(&house), ["locked", "locked", "closed", "closed"]);
    assert_eq!(house.state("cover.roof_window"), "open");
}

#[tokio::test]
async fn a_place_alone_never_reaches_a_door() {
    let house = house();
    for tool in ["home.turn_on", "home.turn_off", "home.toggle"] {
        house.ok(tool, json!({"area": "hallway"})).await;
        house.ok(tool, json!({"name": "all"})).await;
        house.ok(tool, json!({"area": "everywhere"})).await;
    }
    assert_eq!(doors(&house), ["locked", "locked", "closed", "closed"]);
}

#[tokio::test]
async fn only_the_executors_flag_counts_as_a_yes() {
    let house = house();
    let (code, _) = house.fails("home.turn_off", json!({"name": "front door", "approved": true})).await;
    assert_eq!(code, error_code::BAD_ARGUMENT);
    assert_eq!(house.state("lock.front_door"), "locked");
}
