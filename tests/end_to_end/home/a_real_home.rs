//! A home with a Home Assistant, asked by typing: what is said is what happened there.

use crate::support::home_assistant::{HomeAssistant, Manner, TOKEN};
use crate::support::{Broker, Hark, Running, named, only, parse_events, text, wait_for};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn hark(server: &HomeAssistant) -> Hark {
    let hark = Hark::new();
    let section = server.configuration(hark.folder.path());
    std::fs::write(
        hark.path("hark.toml"),
        format!("[mqtt]\nbroker = \"none\"\n[tools]\ntimeout_ms = 1500\n{section}"),
    )
    .unwrap();
    hark
}

fn asked(hark: &Hark, words: &str) -> Vec<Value> {
    hark.events(&["ask", words])
}

fn said(events: &[Value]) -> String {
    only(events, "reply")["text"].as_str().unwrap().to_owned()
}

fn receipt(events: &[Value]) -> &Value {
    &only(events, "action")["receipt"]
}

#[test]
fn a_light_is_on_when_home_assistant_has_said_so_and_not_before() {
    let server = HomeAssistant::with_home();
    server.manner("light.kitchen", Manner::Obeys(Duration::from_millis(400)));
    let begun = Instant::now();
    let events = asked(&hark(&server), "turn on the kitchen light");
    assert!(begun.elapsed() > Duration::from_millis(400), "the receipt waits for the state");
    assert_eq!(receipt(&events)["ok"], true, "{events:#?}");
    assert_eq!(server.calls(), ["light.turn_on light.kitchen"]);
    assert_eq!(server.state("light.kitchen"), "on");
    assert!(said(&events).contains("kitchen light"), "{}", said(&events));
}

#[test]
fn what_does_not_happen_is_told_each_in_its_way() {
    let server = HomeAssistant::with_home();
    let hark = hark(&server);
    for (manner, error) in [
        (Manner::Ignores, "timeout"),
        (Manner::Silent, "timeout"),
        (Manner::Refuses("home_assistant_error", "The bulb is loose"), "failed"),
        (Manner::Refuses("unauthorized", "Unauthorized"), "failed"),
        (Manner::Refuses("not_found", "Service light.turn_on not found."), "unsupported"),
        (
            Manner::Refuses(
                "service_validation_error",
                "Entity light.kitchen does not support this service.",
            ),
            "unsupported",
        ),
    ] {
        server.manner("light.kitchen", manner.clone());
        let events = asked(&hark, "turn on the kitchen light");
        assert_eq!(receipt(&events)["detail"]["error"], error, "{manner:?}: {events:#?}");
        assert_eq!(receipt(&events)["ok"], false);
    }
    server.manner("light.kitchen", Manner::Refuses("home_assistant_error", "The bulb is loose"));
    assert!(said(&asked(&hark, "turn on the kitchen light")).contains("The bulb is loose"));
    server.change("light.kitchen", "unavailable", serde_json::json!({}));
    let events = asked(&hark, "turn on the kitchen light");
    assert_eq!(receipt(&events)["detail"]["error"], "offline");
}

#[test]
fn a_code_that_is_missing_or_wrong_is_told_with_where_it_belongs() {
    let server = HomeAssistant::with_home();
    let attributes =
        serde_json::json!({"code_format": "number", "code_arm_required": true, "supported_features": 3});
    server.entity("alarm_control_panel.house", "House alarm", None, "disarmed", attributes);
    server.manner(
        "alarm_control_panel.house",
        Manner::Refuses(
            "service_validation_error",
            "Arming requires a code but none was given for alarm_control_panel.house.",
        ),
    );
    server.entity("lock.door", "Haustür", None, "unlocked", serde_json::json!({"code_format": "^\\d{4}$"}));
    let misfit = "The code for lock.door doesn't match pattern ^\\d{4}$";
    server.manner("lock.door", Manner::Refuses("service_validation_error", misfit));
    let hark = hark(&server);
    let codes = hark.path("codes.toml");
    let file = format!("permissions.device_codes_file={}", codes.display());
    let ask = |words: &str, more: &[&str]| hark.events(&[&["ask", words], more].concat());
    let german = ["--set", "speaking.language=de"];
    let events = ask("arm the house alarm", &[]);
    assert_eq!(receipt(&events)["detail"]["error"], "needs_code", "{events:#?}");
    let missing = "Sorry, the house alarm wants a code, and I have none for it. \
                   Write it into the file of permissions.device_codes_file.";
    assert_eq!(said(&events), missing);
    let words = said(&ask("schließ die Haustür ab", &german));
    assert!(
        words.contains("verlangt einen Code") && words.contains("permissions.device_codes_file"),
        "{words}"
    );

    std::fs::write(&codes, "\"alarm_control_panel.house\" = \"0815\"\n").unwrap();
    server.manner(
        "alarm_control_panel.house",
        Manner::Refuses("service_validation_error", "Invalid alarm code provided"),
    );
    let events = ask("arm the house alarm", &["--set", &file]);
    assert_eq!(receipt(&events)["detail"]["error"], "wrong_code", "{events:#?}");
    assert!(said(&events).contains("does not take the code"), "{}", said(&events));
    assert!(!format!("{events:?}").contains("0815"));
    server.manner("alarm_control_panel.house", Manner::Refuses("home_assistant_error", "The siren is loose"));
    assert_eq!(receipt(&ask("arm the house alarm", &["--set", &file]))["detail"]["error"], "failed");
}

#[test]
fn two_of_three_lights_are_told_as_that() {
    let server = HomeAssistant::with_home();
    server.manner("light.counter", Manner::Refuses("home_assistant_error", "The bulb is loose"));
    let events = asked(&hark(&server), "turn on all the lights");
    let receipt = receipt(&events);
    assert_eq!(
        (&receipt["detail"]["error"], &receipt["changed"]),
        (&"partial".into(), &true.into()),
        "{receipt:#}"
    );
    assert!(said(&events).contains("Counter") || said(&events).contains("counter"), "{}", said(&events));
    assert_eq!((server.state("light.kitchen"), server.state("light.counter")), ("on".into(), "off".into()));
}

#[test]
fn rooms_aliases_and_the_names_of_the_file_are_understood() {
    let server = HomeAssistant::with_home();
    server.alias("light.bed", "reading lamp");
    let hark = hark(&server);
    assert_eq!(receipt(&asked(&hark, "turn on the reading lamp"))["ok"], true);
    assert_eq!(server.state("light.bed"), "on");
    assert_eq!(receipt(&asked(&hark, "set the bedroom lights to 40 percent"))["ok"], true);
    // The owner's file has the last word about names and places.
    let file = hark.path("home.toml");
    std::fs::write(&file, "[[area]]\nid = \"b\"\nname = \"Bedroom\"\naliases = [\"den\"]\n[[entity]]\nid = \"light.counter\"\nname = \"Worktop\"\narea = \"b\"\n").unwrap();
    let file = format!("home.file={}", file.display());
    let events = hark.events(&["ask", "turn on the worktop", "--set", &file]);
    assert_eq!(receipt(&events)["ok"], true, "{events:#?}");
    let events = hark.events(&["ask", "turn off the lights in the den", "--set", &file]);
    assert_eq!(receipt(&events)["ok"], true, "{events:#?}");
    assert_eq!((server.state("light.counter"), server.state("light.bed")), ("off".into(), "off".into()));
    let list = text(&hark.run(&["home", "list", "--set", &file]).stdout);
    assert!(list.contains("Worktop") && list.contains("[homeassistant]"), "{list}");
}

#[test]
fn only_what_is_exposed_to_assist_is_known() {
    let server = HomeAssistant::with_home();
    server.expose("light.bed", false);
    let hark = hark(&server);
    let list = |args: &[&str]| text(&hark.run(&[&["home", "list"], args].concat()).stdout);
    assert!(!list(&[]).contains("light.bed") && list(&[]).contains("light.kitchen"), "{}", list(&[]));
    assert!(list(&["--set", "homeassistant.exposed_only=false"]).contains("light.bed"));
    let events = asked(&hark, "turn on the bed light");
    assert!(!server.calls().iter().any(|call| call.contains("light.bed")), "{events:#?}");
}

#[test]
fn a_lock_there_is_as_dangerous_as_here() {
    let server = HomeAssistant::with_home();
    let events = asked(&hark(&server), "unlock the front door");
    assert_eq!(receipt(&events)["detail"]["error"], "needs_approval");
    assert!(server.calls().is_empty());
}

#[test]
fn the_shopping_list_is_home_assistants_and_hark_keeps_one_when_it_is_away() {
    let server = HomeAssistant::with_home();
    let hark = hark(&server);
    assert!(said(&asked(&hark, "what's on the shopping list")).contains("bread"));
    let events = asked(&hark, "add milk and eggs to the shopping list");
    assert_eq!(receipt(&events)["ok"], true, "{events:#?}");
    assert_eq!(server.open_items("todo.shopping"), ["eggs", "milk", "bread"]);
    assert_eq!(receipt(&asked(&hark, "check off bread on the shopping list"))["ok"], true);
    assert_eq!(server.open_items("todo.shopping"), ["eggs", "milk"]);
    assert_eq!(receipt(&asked(&hark, "remove eggs from the shopping list"))["ok"], true);
    assert_eq!(server.open_items("todo.shopping"), ["milk"]);
    server.open(false);
    drop(server);
    let output = hark.run(&["ask", "add candles to the shopping list", "--json"]);
    let events = parse_events(&text(&output.stdout));
    assert_eq!(receipt(&events)["ok"], true, "{events:#?}");
    let fault = only(&events, "error");
    assert_eq!((fault["part"].as_str(), fault["recoverable"].as_bool()), (Some("homeassistant"), Some(true)));
}

#[test]
fn names_are_understood_while_home_assistant_is_away() {
    let server = HomeAssistant::with_home();
    let hark = hark(&server);
    assert_eq!(receipt(&asked(&hark, "turn on the kitchen light"))["ok"], true);
    drop(server);
    let events = parse_events(&text(&hark.run(&["ask", "turn on the bed light", "--json"]).stdout));
    assert_eq!(receipt(&events)["detail"]["error"], "offline", "{events:#?}");
    assert!(said(&events).contains("bed light doesn't answer"), "{}", said(&events));
}

#[test]
fn the_weather_and_a_sensor_are_asked_there() {
    let server = HomeAssistant::with_home();
    let hark = hark(&server);
    assert!(said(&asked(&hark, "what's the weather")).contains("rainy"));
    assert_eq!(said(&asked(&hark, "where is alice")), "Alice is at home.");
    assert!(said(&asked(&hark, "what is the temperature outside")).contains("7.5"));
    server.change("weather.home", "sunny", serde_json::json!({"temperature": null}));
    assert!(said(&asked(&hark, "what's the weather")).contains("11"), "from the forecast");
    assert_eq!(server.calls(), ["weather.get_forecasts weather.home"]);
}

#[test]
fn a_wrong_token_is_told_once_and_not_tried_again() {
    let server = HomeAssistant::with_home();
    let hark = hark(&server);
    std::fs::write(hark.path("token"), "another").unwrap();
    let events = parse_events(&text(&hark.run(&["ask", "what time is it", "--json"]).stdout));
    let fault = only(&events, "error");
    assert!(fault["message"].as_str().unwrap().contains("token"), "{fault}");
    let doctor = text(&hark.run(&["doctor"]).stdout);
    let line = doctor.lines().find(|line| line.contains("home assistant:")).unwrap();
    assert!(line.starts_with("FAILED") && line.contains("does not accept the token"), "{line}");
    std::fs::write(hark.path("token"), TOKEN).unwrap();
    let doctor = text(&hark.run(&["doctor"]).stdout);
    let line = doctor.lines().find(|line| line.contains("home assistant:")).unwrap();
    assert!(line.starts_with("ok") && line.contains("2026.10.1") && line.contains("2 areas"), "{line}");
}

#[test]
fn doctor_tells_a_machine_that_is_in_another_time_zone() {
    let server = HomeAssistant::with_home();
    let hark = hark(&server);
    for (zone, begins) in [
        ("UTC", "FAILED  time zone: Home Assistant is set to Europe/Amsterdam, this machine to UTC"),
        ("Europe/Berlin", "ok      time zone: Europe/Berlin, as in Home Assistant"),
    ] {
        let doctor = text(&hark.command(&["doctor"]).env("TZ", zone).output().unwrap().stdout);
        let line = doctor.lines().find(|line| line.contains("time zone:")).unwrap();
        assert!(line.starts_with(begins), "{line}");
        assert_eq!(doctor.contains("`timedatectl set-timezone Europe/Amsterdam`"), zone == "UTC", "{doctor}");
    }
}

#[test]
fn a_configuration_that_cannot_work_is_refused_with_its_fix() {
    let server = HomeAssistant::with_home();
    let hark = hark(&server);
    for (setting, part) in [
        ("homeassistant.url=ftp://x", "scheme"),
        ("homeassistant.token_file=/nowhere/token", "no such file"),
        ("homeassistant.token_file=", "long-lived access token"),
    ] {
        let output = hark.run(&["ask", "what time is it", "--set", setting]);
        assert_eq!(output.status.code(), Some(2), "{setting}");
        assert!(text(&output.stderr).contains(part), "{setting}: {}", text(&output.stderr));
    }
}

/// What the running daemon answers, asked by MQTT.
fn daemon(hark: &Hark, broker: &Broker) -> Running {
    let url = format!("mqtt.url=mqtt://127.0.0.1:{}", broker.port);
    let args = [
        "run",
        "--json",
        "--set",
        &url,
        "--set",
        "audio.input_device=none",
        "--set",
        "audio.output_device=none",
        "--set",
        "speaking.voice=none",
    ];
    let mut command = hark.command(&args);
    command.stdout(Stdio::null()).stderr(Stdio::inherit());
    Running(command.spawn().unwrap())
}

#[test]
fn the_daemon_follows_home_assistant_through_its_restart() {
    let server = HomeAssistant::with_home();
    let hark = hark(&server);
    let broker = Broker::start();
    let presence = broker.subscribe("hark/hark/availability");
    let replies = broker.subscribe("hark/hark/answer");
    let running = daemon(&hark, &broker);
    wait_for("a connection", Duration::from_secs(30), || (server.connections() == 1).then_some(()));
    let ask = |words: &str| {
        let before = replies.lines().len();
        broker.publish("hark/hark/ask", words);
        wait_for(words, Duration::from_secs(30), || replies.lines().get(before).cloned())
    };
    // Until the daemon knows what has changed.
    let ask_until = |words: &str, is_right: &dyn Fn(&str) -> bool| {
        wait_for(words, Duration::from_secs(30), || is_right(&ask(words)).then_some(()));
    };
    presence.wait("the daemon", |line| line.ends_with("online"));
    ask("turn on the kitchen light");
    assert_eq!(server.state("light.kitchen"), "on");
    // Somebody presses the switch: the answer is the state there.
    server.change("light.kitchen", "off", serde_json::json!({}));
    ask_until("is the kitchen light on", &|answer| answer.to_lowercase().contains("no"));
    server.open(false);
    server.break_off();
    ask_until("turn on the kitchen light", &|answer| answer.ends_with("doesn't answer."));
    server.remove("light.bed");
    server.open(true);
    wait_for("the connection to come back", Duration::from_secs(30), || {
        (server.connections() >= 2).then_some(())
    });
    ask_until("turn on the kitchen light", &|_| server.state("light.kitchen") == "on");
    ask("turn on the bed light");
    assert!(!server.calls().iter().any(|call| call.contains("light.bed")), "{:?}", server.calls());
    assert!(running.terminate().success());
}

#[test]
fn several_requests_in_one_conversation_and_taking_back() {
    let server = HomeAssistant::with_home();
    let hark = hark(&server);
    let mut child = hark
        .command(&["ask", "--json", "--session", "evening"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let words = "turn on the kitchen light\nundo that\nunlock the front door\nyes\nactivate the cosy scene\n";
    child.stdin.take().unwrap().write_all(words.as_bytes()).unwrap();
    let events = parse_events(&text(&child.wait_with_output().unwrap().stdout));
    let calls = [
        "light.turn_on light.kitchen",
        "light.turn_off light.kitchen",
        "lock.unlock lock.front_door",
        "scene.turn_on scene.cosy",
    ];
    assert_eq!(server.calls(), calls, "{events:#?}");
    let outcomes: Vec<_> = named(&events, "turn").iter().map(|turn| turn["outcome"].clone()).collect();
    assert_eq!(outcomes, ["done", "done", "awaiting_approval", "done", "done"]);
}

/// A conversation in one process, line by line.
struct Evening(std::process::Child);

impl Evening {
    fn begin(hark: &Hark) -> Self {
        let mut command = hark.command(&["ask", "--json", "--session", "evening"]);
        Self(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap())
    }

    fn say(&mut self, words: &str) {
        writeln!(self.0.stdin.as_mut().unwrap(), "{words}").unwrap();
    }

    fn end(mut self) -> Vec<Value> {
        drop(self.0.stdin.take());
        parse_events(&text(&self.0.wait_with_output().unwrap().stdout))
    }
}

#[test]
fn taking_back_leaves_on_a_list_what_others_put_there() {
    let server = HomeAssistant::with_home();
    let hark = hark(&server);
    let item = |uid: &str, summary: &str, status: &str| serde_json::json!({"uid": uid, "summary": summary, "status": status});
    let mut evening = Evening::begin(&hark);
    evening.say("add milk to the shopping list");
    wait_for("the milk", Duration::from_secs(30), || {
        server.open_items("todo.shopping").contains(&"milk".to_owned()).then_some(())
    });
    // Hark is told of the milk before somebody else comes by.
    std::thread::sleep(Duration::from_millis(500));
    let list = vec![
        item("n1", "milk", "needs_action"),
        item("8", "tea", "needs_action"),
        item("9", "soap", "completed"),
    ];
    server.write_list("todo.shopping", list);
    std::thread::sleep(Duration::from_millis(500));
    evening.say("undo that");
    let events = evening.end();
    assert_eq!(server.open_items("todo.shopping"), ["tea"], "{events:#?}");
    let said = named(&events, "reply").last().unwrap()["text"].clone();
    assert_eq!(said, "Took milk off your shopping list again.");
}

/// The owner takes a lock away from voice between question and yes: with a registry entry, where Home Assistant
/// tells of it, and without one, where it does not.
#[test]
fn a_yes_to_what_is_no_longer_exposed_does_nothing_and_says_why() {
    for (id, name) in [("lock.front_door", "Front door"), ("lock.shed", "Shed door")] {
        let server = HomeAssistant::with_home();
        server.unregistered("lock.shed", "Shed door", "locked");
        server.expose("lock.shed", true);
        let hark = hark(&server);
        let mut evening = Evening::begin(&hark);
        evening.say("turn on the kitchen light");
        wait_for("the first request", Duration::from_secs(30), || {
            (server.state("light.kitchen") == "on").then_some(())
        });
        evening.say(&format!("unlock the {name}"));
        std::thread::sleep(Duration::from_millis(1500));
        server.expose(id, false);
        evening.say("yes");
        let events = evening.end();
        let outcomes: Vec<_> = named(&events, "turn").iter().map(|turn| turn["outcome"].clone()).collect();
        assert_eq!(outcomes, ["done", "awaiting_approval", "failed"], "{events:#?}");
        let reason =
            "is not in the home any more: it was removed, or is no longer exposed to voice assistants.";
        let said = named(&events, "reply").last().unwrap()["text"].clone();
        assert_eq!(said, format!("Sorry, the {name} {reason}"));
        assert_eq!(server.calls(), ["light.turn_on light.kitchen"], "{events:#?}");
        assert_eq!(server.state(id), "locked");
    }
}

#[test]
fn numbers_choices_and_texts_are_set() {
    let server = HomeAssistant::with_home();
    let modes = serde_json::json!({"options": ["Eco 40-60", "Cotton 60"]});
    server.entity("select.washer", "Washing mode", None, "Cotton 60", modes);
    let limits = serde_json::json!({"min": 0, "max": 200, "step": 5, "unit_of_measurement": "cm"});
    server.entity("number.distance", "Target distance", None, "10.0", limits);
    let limits = serde_json::json!({"min": 2, "max": 20});
    server.entity("input_text.display", "Display text", None, "", limits);
    for id in ["select.washer", "number.distance", "input_text.display"] {
        server.expose(id, true);
    }
    let hark = hark(&server);
    for (words, id, state, reply) in [
        ("set the washing mode to eco", "select.washer", "Eco 40-60", "Set the washing mode to Eco 40-60."),
        ("set the target distance to 40", "number.distance", "40", "Set the target distance to 40 cm."),
        ("set the display text to Hello", "input_text.display", "Hello", "Set the display text to Hello."),
    ] {
        let events = asked(&hark, words);
        assert_eq!(receipt(&events)["ok"], true, "{events:#?}");
        assert_eq!((server.state(id).as_str(), said(&events).as_str()), (state, reply));
    }
    let calls = server.calls().len();
    for (words, range) in [
        ("set the target distance to 300", "0 to 200 cm in steps of 5"),
        ("set the target distance to 41", "0 to 200 cm in steps of 5"),
        ("set the washing mode to wool", "Eco 40-60 and Cotton 60"),
        ("set the display text to x", "2 to 20 characters"),
    ] {
        let events = asked(&hark, words);
        assert_eq!(receipt(&events)["detail"]["error"], "bad_argument", "{events:#?}");
        assert!(said(&events).contains(range), "{events:#?}");
    }
    assert_eq!(server.calls().len(), calls, "what cannot be is not sent");
    server.manner("select.washer", Manner::Ignores);
    let events = asked(&hark, "set the washing mode to cotton");
    assert_eq!(receipt(&events)["detail"]["error"], "timeout", "{events:#?}");
    server.manner("select.washer", Manner::Obeys(Duration::ZERO));
    let mut evening = Evening::begin(&hark);
    evening.say("set the washing mode to cotton");
    evening.say("undo that");
    let events = evening.end();
    assert_eq!(server.state("select.washer"), "Eco 40-60", "{events:#?}");
}
