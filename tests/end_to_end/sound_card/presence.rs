//! Hark's own entities in Home Assistant, over a real broker: what is set is so, is told, and is so after a restart;
//! what a node does not have goes away.

use crate::support::sound_card::SoundCard;
use crate::support::{Broker, Hark, Running, Subscription, flite, text, wait_for};
use serde_json::Value;
use std::process::Stdio;
use std::time::Duration;

const DISCOVERY: &str = "homeassistant/device/hark_hark/config";

fn start(hark: &Hark, broker: &Broker, settings: &[&str]) -> Running {
    let url = format!("mqtt.url=mqtt://127.0.0.1:{}", broker.port);
    let mut command = hark.command(&["run", "--json", "--set", &url]);
    for setting in settings {
        command.args(["--set", setting]);
    }
    // No sound server and no card: devices are looked for all the same.
    command.env("PULSE_SERVER", "unix:/nowhere").stdout(Stdio::null()).stderr(Stdio::null());
    Running(command.spawn().unwrap())
}

/// The last thing that was said on a topic of the node.
fn last(all: &Subscription, entity: &str) -> Option<String> {
    let begin = format!("hark/hark/{entity}/state ");
    all.lines().iter().rev().find_map(|line| line.strip_prefix(&begin).map(str::to_owned))
}

fn becomes(all: &Subscription, entity: &str, state: &str) {
    wait_for(&format!("{entity} to be {state}"), Duration::from_secs(60), || {
        (last(all, entity).as_deref() == Some(state)).then_some(())
    });
}

fn online(all: &Subscription, times: usize) {
    wait_for("the node", Duration::from_secs(60), || {
        let lines = all.lines();
        let online = lines.iter().filter(|line| *line == "hark/hark/availability online").count();
        let idle = lines.iter().filter(|line| line.starts_with("hark/hark/endpointing/state ")).count();
        (online >= times && idle >= times).then_some(())
    });
}

const CHANGES: [(&str, &str); 12] = [
    ("mic_mute", "ON"),
    ("speaker_mute", "ON"),
    ("do_not_disturb", "ON"),
    ("wake_sound", "OFF"),
    ("follow_up", "OFF"),
    ("volume", "35"),
    ("mic_gain", "6"),
    ("wake_sensitivity", "65"),
    ("finished_speaking_silence", "900"),
    ("wake_word", "okay_nabu"),
    ("voice", "espeak"),
    ("endpointing", "silence"),
];

#[test]
fn settings_are_changed_at_once_told_and_kept() {
    let (hark, broker) = (Hark::new(), Broker::start());
    let all = broker.subscribe("hark/#");
    let daemon = start(&hark, &broker, &[]);
    online(&all, 1);
    for (entity, state) in CHANGES {
        broker.publish(&format!("hark/hark/{entity}/set"), state);
        becomes(&all, entity, state);
    }

    let refused = [
        ("volume", "101"),
        ("mic_gain", "31"),
        ("wake_sensitivity", "0"),
        ("finished_speaking_silence", "12.5"),
        ("wake_word", "hey_nobody"),
        ("voice", "../../etc/passwd"),
        ("endpointing", "never"),
        ("follow_up", "maybe"),
    ];
    let errors = |all: &Subscription| {
        all.lines()
            .iter()
            .filter(|line| line.contains("/event ") && line.contains("\"event\":\"error\""))
            .count()
    };
    for (entity, payload) in refused {
        let before = errors(&all);
        broker.publish(&format!("hark/hark/{entity}/set"), payload);
        wait_for("the refusal", Duration::from_secs(30), || (errors(&all) > before).then_some(()));
    }
    assert!(daemon.terminate().success());
    let shown = text(&hark.run(&["config", "show"]).stdout);
    for kept in ["# volume_percent = 35", "# wake_word = \"okay_nabu\"", "# voice = \"espeak\""] {
        assert!(shown.contains(kept), "{kept} in {shown}");
    }

    let after = broker.subscribe("hark/#");
    let daemon = start(&hark, &broker, &[]);
    wait_for("the node", Duration::from_secs(60), || {
        after.lines().iter().any(|line| line == "hark/hark/state muted").then_some(())
    });
    for (entity, state) in CHANGES {
        becomes(&after, entity, state);
    }
    drop(daemon);

    let again = broker.subscribe("hark/#");
    let _daemon = start(&hark, &broker, &["speaking.volume_percent=77"]);
    becomes(&again, "volume", "77");
    becomes(&again, "mic_gain", "6");
}

#[test]
fn a_restart_is_a_new_start_by_itself_or_by_systemd() {
    let (hark, broker) = (Hark::new(), Broker::start());
    let all = broker.subscribe("hark/#");
    let mut daemon = start(&hark, &broker, &[]);
    online(&all, 1);
    broker.publish("hark/hark/restart/set", "PRESS");
    online(&all, 2);
    assert!(daemon.0.try_wait().unwrap().is_none(), "it has taken its own place");

    broker.publish("hark/hark/language/set", "de");
    online(&all, 3);
    becomes(&all, "language", "de");
    broker.publish("hark/hark/update/set", "INSTALL");
    all.wait("that there is nothing to install", |line| line.contains("no newer version"));
    assert!(daemon.terminate().success());

    let url = format!("mqtt.url=mqtt://127.0.0.1:{}", broker.port);
    let mut command = hark.command(&["run", "--set", &url, "--set", "audio.input_device=none"]);
    command.env("NOTIFY_SOCKET", hark.path("notify")).stdout(Stdio::null()).stderr(Stdio::null());
    let under_systemd = broker.subscribe("hark/#");
    let mut daemon = Running(command.spawn().unwrap());
    wait_for("the node", Duration::from_secs(60), || {
        under_systemd.lines().iter().any(|line| line == "hark/hark/state idle").then_some(())
    });
    broker.publish("hark/hark/restart/set", "PRESS");
    let status = wait_for("the end", Duration::from_secs(30), || daemon.0.try_wait().unwrap());
    assert_eq!(status.code(), Some(75), "which systemd/hark.service starts again");
}

#[test]
fn what_is_switched_off_leaves_home_assistant_and_the_broker() {
    let (hark, broker) = (Hark::new(), Broker::start());
    let all = broker.subscribe("hark/#");
    let daemon = start(&hark, &broker, &[]);
    online(&all, 1);
    becomes(&all, "mic_gain", "0");
    assert!(daemon.terminate().success());
    let component = |key: &str| {
        let discovery: Value = serde_json::from_str(&broker.retained(DISCOVERY)).unwrap();
        discovery["cmps"][key].clone()
    };
    assert_eq!(component("mic_gain")["unique_id"], "hark_hark_mic_gain");

    let all = broker.subscribe("hark/#");
    let _daemon = start(&hark, &broker, &["audio.input_device=none", "speaking.voice=none"]);
    all.wait("the deletion", |line| line.trim_end() == "hark/hark/mic_gain/state");
    all.wait("the node", |line| line.starts_with("hark/hark/timers_active/state OFF"));
    assert_eq!(component("mic_gain"), serde_json::json!({ "p": "number" }));
    assert_eq!(component("voice"), serde_json::json!({ "p": "select" }));
    let fresh = broker.subscribe("hark/#");
    fresh.wait("what is kept", |line| line.starts_with("hark/hark/volume/state "));
    let kept = fresh.lines();
    for entity in ["mic_gain", "mic_mute", "wake_word", "voice", "microphone_problem", "endpointing"] {
        assert!(!kept.iter().any(|line| line.starts_with(&format!("hark/hark/{entity}/state"))), "{entity}");
    }
}

#[test]
fn what_is_due_is_told_and_a_button_takes_timers_away() {
    let (hark, broker) = (Hark::new(), Broker::start());
    let all = broker.subscribe("hark/#");
    let _daemon = start(&hark, &broker, &["audio.input_device=none"]);
    becomes(&all, "next_timer", "None");
    becomes(&all, "timers_active", "OFF");
    broker.publish("hark/hark/ask", "set a timer for ten minutes");
    becomes(&all, "timers_active", "ON");
    let at = wait_for("the time", Duration::from_secs(30), || {
        last(&all, "next_timer").filter(|state| state != "None")
    });
    assert!(at.ends_with('Z') && at.contains('T'), "{at}");
    broker.publish("hark/hark/ask", "wake me up at seven in the morning");
    wait_for("the alarm", Duration::from_secs(30), || {
        last(&all, "next_alarm").filter(|state| state != "None")
    });
    broker.publish("hark/hark/cancel_timers/set", "PRESS");
    becomes(&all, "next_timer", "None");
    becomes(&all, "timers_active", "OFF");
    assert_ne!(last(&all, "next_alarm").as_deref(), Some("None"), "an alarm is no timer");
}

#[test]
fn another_wake_word_wakes_at_once_and_a_muted_speaker_answers_without_a_sound() {
    if !SoundCard::available() {
        eprintln!("left out: pulseaudio is not installed");
        return;
    }
    let (hark, card, broker) = (Hark::new(), SoundCard::start(), Broker::start());
    let all = broker.subscribe("hark/#");
    let _daemon = hark.live_in(&card, &broker, &["echo.enabled=false"]);
    online(&all, 1);
    becomes(&all, "microphone_problem", "OFF");
    let request = hark.path("request.wav");
    flite("rms", "hey jarvis, what time is it", &request);
    let count = |name: &str| {
        let event = format!("\"event\":\"{name}\"");
        all.lines().iter().filter(|line| line.contains("/event ") && line.contains(&event)).count()
    };
    let heard = |what: &str, times: usize| {
        wait_for(what, Duration::from_secs(40), || (count("reply") >= times).then_some(()));
    };

    broker.publish("hark/hark/wake_word/set", "hey_mycroft");
    becomes(&all, "wake_word", "hey_mycroft");
    card.play_into_room(&request);
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(count("wake"), 0, "that is not its word any more");

    broker.publish("hark/hark/wake_word/set", "hey_jarvis");
    becomes(&all, "wake_word", "hey_jarvis");
    broker.publish("hark/hark/speaker_mute/set", "ON");
    becomes(&all, "speaker_mute", "ON");
    card.play_into_room(&request);
    heard("an answer in words", 1);
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!((count("wake"), count("speaking_started")), (1, 0));

    broker.publish("hark/hark/speaker_mute/set", "OFF");
    becomes(&all, "speaker_mute", "OFF");
    card.play_into_room(&request);
    heard("an answer", 2);
    wait_for("its sound", Duration::from_secs(20), || (count("speaking_started") == 1).then_some(()));
}
