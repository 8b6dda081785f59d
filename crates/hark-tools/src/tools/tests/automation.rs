//! What is asked about before it is done, what is left out, and what waits for something.

use super::*;
use serde_json::json;

#[tokio::test]
async fn of_several_things_the_only_one_that_would_change_is_meant() {
    let house = house();
    let (code, receipt) = house.fails("home.turn_on", json!({"domain": "light", "single": true})).await;
    assert_eq!(code, error_code::AMBIGUOUS);
    assert_eq!(receipt.detail["names"].as_array().unwrap().len(), 16);
    house.ok("home.turn_on", json!({"name": "desk lamp"})).await;
    let receipt = house.ok("home.turn_off", json!({"domain": "light", "single": true})).await;
    assert_eq!(names(&receipt), ["Desk lamp"]);
    let at_home = Built { area: "Kitchen", ..Built::default() }.house();
    let receipt = at_home.ok("home.turn_on", json!({"domain": "light", "single": true})).await;
    assert_eq!(receipt.detail["count"], 2, "where the node stands all are the light");
}

#[tokio::test]
async fn many_things_change_only_after_a_yes() {
    let house = Built { most_at_once: 10, ..Built::default() }.house();
    let all = json!({"domain": "light", "name": "all"});
    let (code, receipt) = house.fails("home.turn_on", all.clone()).await;
    assert_eq!(code, error_code::NEEDS_APPROVAL);
    assert_eq!((&receipt.detail["count"], &receipt.detail["domain"]), (&json!(16), &json!("light")));
    assert_eq!(house.state("light.lamp"), "off");
    assert!(house.call("home.turn_on", all.clone(), true).await.ok);
    // Nothing would change: nothing to ask about.
    house.ok("home.turn_on", all).await;
    // It is nothing dangerous: it takes a yes where such things are never done, and none where nothing is asked about.
    for (policy, code) in
        [(DangerPolicy::Deny, Some(error_code::NEEDS_APPROVAL)), (DangerPolicy::Allow, None)]
    {
        let house = Built { most_at_once: 10, policy, ..Built::default() }.house();
        let receipt = house.call("home.turn_on", json!({"domain": "light", "name": "all"}), false).await;
        assert_eq!(receipt.detail["error"].as_str(), code);
    }
}

#[tokio::test]
async fn exceptions_are_left_out_and_what_is_no_thing_here_is_told() {
    let house = house();
    let args = json!({"domain": "light", "area": "kitchen", "except": [{"name": "counter light"}]});
    assert_eq!(names(&house.ok("home.turn_on", args).await), ["Kitchen ceiling"]);
    let args =
        json!({"domain": "light", "floor": "upstairs", "except": [{"area": "office"}, {"area": "bathroom"}]});
    let receipt = house.ok("home.turn_on", args).await;
    assert_eq!(names(&receipt), ["Bedroom light", "Bedside lamp", "Kids room light"]);
    let args = json!({"domain": "light", "area": "kitchen", "except": [{"name": "sauna"}]});
    assert_eq!(house.fails("home.turn_on", args).await.0, error_code::NOT_FOUND);
    let args = json!({"domain": "light", "area": "kitchen", "except": [{"area": "kitchen"}]});
    assert_eq!(house.fails("home.turn_on", args).await.0, error_code::NOT_FOUND);
}

#[tokio::test]
async fn what_is_on_already_has_an_end_and_no_more_than_one() {
    let house = house();
    let lasts = |seconds: u64| json!({"until": {"kind": "seconds", "seconds": seconds}});
    let left = |receipt: &Receipt| receipt.detail["automation"]["when"]["left_minutes"].clone();
    house.in_turn("on", "home.turn_on", json!({"name": "lamp"})).await;
    house.in_turn("first", "home.turn_on", json!({"name": "lamp"})).await;
    assert_eq!(left(&house.in_turn("first", "home.restore_later", lasts(600)).await), 10);
    house.in_turn("second", "home.turn_on", json!({"name": "lamp"})).await;
    let later = house.in_turn("second", "home.restore_later", lasts(1200)).await;
    assert_eq!(left(&later), 20);
    assert_eq!(house.ok("automation.list", json!({})).await.detail["count"], 1, "the first end is gone");
    let id = &later.detail["automation"]["id"];
    assert_eq!(names(&house.ok("automation.restore", json!({ "id": id })).await), ["Lamp"]);
}

#[tokio::test]
async fn what_an_earlier_request_changed_ends_where_that_is_named() {
    let house = house();
    house.in_turn("first", "home.turn_on", json!({"name": "lamp"})).await;
    let until = |turn: &str| json!({"until": {"kind": "seconds", "seconds": 600}, "of_turn": turn});
    for (turn, count) in [("another", 0), ("first", 1)] {
        let receipt = house.in_turn("second", "home.restore_later", until(turn)).await;
        assert_eq!(receipt.detail["count"], count, "{turn}");
    }
}

#[tokio::test]
async fn what_was_to_last_for_some_time_ends_unless_somebody_changed_it() {
    let house = house();
    let until = json!({"until": {"kind": "seconds", "seconds": 600}, "said_when": "for ten minutes"});
    let receipt = house.ok("home.restore_later", until.clone()).await;
    assert_eq!(receipt.detail["count"], 0, "nothing was changed");
    house.ok("home.turn_on", json!({"name": "lamp"})).await;
    house.ok("home.turn_on", json!({"name": "desk lamp"})).await;
    let receipt = house.ok("home.restore_later", until).await;
    assert_eq!(receipt.detail["count"], 2);
    let id = receipt.detail["automation"]["id"].clone();
    let moved = house
        .ok("automation.change_end", json!({"id": id, "until": {"kind": "seconds", "seconds": 1200}}))
        .await;
    assert_eq!(moved.detail["automation"]["when"]["left_minutes"], 20);
    let listed = house.ok("automation.list", json!({"name": "Desk lamp"})).await;
    assert_eq!(listed.detail["count"], 1);
    // Somebody has dimmed the desk lamp since: it stays.
    house.ok("home.light_set", json!({"name": "desk lamp", "brightness": 40})).await;
    assert_eq!(names(&house.ok("automation.restore", json!({"id": id})).await), ["Lamp"]);
    assert_eq!(
        (house.state("light.lamp").as_str(), house.state("light.office_desk").as_str()),
        ("off", "on")
    );
}

#[tokio::test]
async fn what_waits_is_kept_asked_about_listed_and_forgotten() {
    let house = house();
    let trigger = json!({"kind": "becomes", "condition": {
        "kind": "state", "question": {"name": "Kettle", "state": "on"}}});
    let intent = json!({"name": "HassTurnOn", "slots": {"name": "Lamp"}, "confidence": 1.0, "route": "template", "why": ""});
    let add = json!({"said": "turn on the lamp", "said_when": "if the kettle is on", "trigger": trigger, "intents": [intent]});
    let with = |key: &str, value: Value| {
        let mut args = add.clone();
        args[key] = value;
        args
    };
    // It is not so now: asked about, dropped, or kept after a yes.
    let (code, receipt) = house.fails("automation.add", with("at_once", json!("ask"))).await;
    assert_eq!(
        (code.as_str(), &receipt.detail["watched"][0]["state"]),
        (error_code::NEEDS_APPROVAL, &json!("off"))
    );
    let receipt = house.ok("automation.add", with("at_once", json!("drop"))).await;
    assert_eq!((&receipt.detail["carry_out"], receipt.changed), (&json!(false), false));
    assert!(house.call("automation.add", with("at_once", json!("ask")), true).await.changed);
    house.ok("home.turn_on", json!({"name": "kettle"})).await;
    let receipt = house.ok("automation.add", with("at_once", json!("ask"))).await;
    assert_eq!(receipt.detail["carry_out"], true);
    assert_eq!(house.ok("automation.list", json!({})).await.detail["count"], 1);
    let (code, _) = house.fails("automation.cancel", json!({"words": "the sauna"})).await;
    assert_eq!(code, error_code::NOT_FOUND);
    assert_eq!(house.ok("automation.cancel", json!({"words": "the kettle"})).await.detail["count"], 1);
    for (key, value) in [
        ("intents", json!([])),
        ("intents", json!("turn on the lamp")),
        ("trigger", json!({"kind": "never"})),
        ("trigger", json!({"kind": "sun", "event": "noon"})),
        ("only_if", json!([{"kind": "hours", "from": "25:00:00", "to": "06:00:00"}])),
    ] {
        let (code, receipt) = house.fails("automation.add", with(key, value)).await;
        assert_eq!((code.as_str(), &receipt.detail["argument"]), (error_code::BAD_ARGUMENT, &json!(key)));
    }
    let nowhere = json!({"kind": "becomes", "condition": {
        "kind": "state", "question": {"name": "Sauna", "state": "on"}}});
    assert_eq!(house.fails("automation.add", with("trigger", nowhere)).await.0, error_code::NOT_FOUND);
}

#[tokio::test]
async fn what_waits_is_clear_and_approved_before_it_is_kept() {
    let house = house();
    let later = |call: Value| json!({"when": "2026-11-22T21:00:00", "conversation_command": "the request", "calls": [call]});
    // Which fan is asked now, and not when that is done.
    let fan = |place: Value| {
        let mut args = json!({"domain": "fan", "single": true});
        args["area"] = place;
        later(json!({"tool": "home.turn_on", "args": args}))
    };
    let (code, receipt) = house.fails("schedule.command", fan(Value::Null)).await;
    assert_eq!(
        (code.as_str(), receipt.detail["names"].as_array().unwrap().len()),
        (error_code::AMBIGUOUS, 2)
    );
    assert!(house.ok("schedule.command", fan(json!("Bathroom"))).await.changed);
    let unlock = later(json!({"tool": "home.turn_off", "args": {"name": "front door", "domain": "lock"}}));
    let (code, receipt) = house.fails("schedule.command", unlock.clone()).await;
    assert_eq!(
        (code.as_str(), &receipt.detail["act"], &receipt.detail["later"]),
        (error_code::NEEDS_APPROVAL, &json!("unlock"), &json!(true))
    );
    assert_eq!(house.state("lock.front_door"), "locked");
    assert!(house.call("schedule.command", unlock, true).await.changed);
    assert_eq!(house.state("lock.front_door"), "locked", "it is kept, and not done");
    // Also where it is within what waits for something.
    let call = json!({"tool": "home.turn_off", "args": {"name": "front door", "domain": "lock"}});
    let within = json!({"minutes": 5, "conversation_command": "the request", "calls": [
        {"tool": "timer.start", "args": {"minutes": 5, "calls": [call]}}]});
    assert_eq!(house.fails("timer.start", within).await.0, error_code::NEEDS_APPROVAL);
    // What is not known, or cannot be done now, is no reason to keep nothing.
    let unknown = later(json!({"tool": "no.such", "args": {}}));
    assert!(house.ok("schedule.command", unknown).await.changed);
    let gone = later(json!({"tool": "home.turn_on", "args": {"name": "sauna"}}));
    assert!(house.ok("schedule.command", gone).await.changed);
    let (code, _) = house.fails("schedule.command", later(json!("unlock"))).await;
    assert_eq!(code, error_code::BAD_ARGUMENT);
    // Each of them is listed by what it is cancelled by.
    let listed = house.ok("automation.list", json!({})).await.detail;
    let id = &listed["automations"][0]["id"];
    assert_eq!(house.ok("automation.cancel", json!({"id": id})).await.detail["count"], 1);
    let left = house.ok("automation.list", json!({})).await.detail;
    assert_eq!(left["count"].as_u64().unwrap() + 1, listed["count"].as_u64().unwrap());
}
