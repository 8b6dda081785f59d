//! Lists, alarms, reminders, memory, and the questions about what was done: typed, with the real binary.

use crate::support::{Broker, Hark, Running, named, only, parse_events, text, wait_for};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

/// Everything in one conversation; the words of every answer.
fn talk(hark: &Hark, lines: &[&str]) -> (Vec<String>, Vec<Value>) {
    let mut command = hark.command(&["ask", "--json", "--session", "test"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.join("\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let events = parse_events(&text(&output.stdout));
    let replies = named(&events, "reply");
    let replies = replies.iter().map(|reply| reply["text"].as_str().unwrap().to_owned()).collect();
    (replies, events)
}

#[test]
fn a_shopping_list_outlives_the_program() {
    let hark = Hark::new();
    let (said, _) = talk(
        &hark,
        &["add eggs and butter to the shopping list", "check off the milk from my shopping list"],
    );
    assert_eq!(
        said,
        ["Added eggs and butter to your shopping list.", "Checked milk off your shopping list."]
    );
    let (said, _) = talk(
        &hark,
        &[
            "what's on the shopping list",
            "is butter on my shopping list",
            "create a list called holiday",
            "put a towel on the holiday list",
            "what lists do i have",
            "clear the shopping list",
            "undo that",
            "put socks on the wish list",
        ],
    );
    assert_eq!(
        said,
        [
            "There are four things on your shopping list: bread, tomatoes, eggs and butter.",
            "Yes, butter is on your shopping list.",
            "You have a holiday list now.",
            "Added a towel to your holiday list.",
            "There are four lists: packing, shopping, to do and holiday.",
            "Cleared your shopping list.",
            "Put bread, tomatoes, eggs and butter back on your shopping list.",
            "Sorry, there is no list called wish.",
        ]
    );
}

#[test]
fn alarms_and_reminders_are_kept_told_and_taken_away() {
    let hark = Hark::new();
    let (said, events) = talk(
        &hark,
        &["wake me up every weekday at half past six", "remind me to call my mother in three hours"],
    );
    assert_eq!(said[0], "Set an alarm for six thirty in the morning every weekday.");
    assert!(said[1].ends_with(": call my mother."), "{said:?}");
    assert_eq!(named(&events, "action")[0]["tool"], "alarm.set");
    let list: Value = serde_json::from_str(&text(&hark.run(&["timers", "list", "--json"]).stdout)).unwrap();
    assert_eq!(list[0]["kind"], "alarm");
    assert_eq!(list[0]["recurrence"], "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=6;BYMINUTE=30");
    assert_eq!((&list[1]["kind"], &list[1]["name"]), (&"reminder".into(), &"call my mother".into()));
    let (said, _) = talk(
        &hark,
        &[
            "what alarms do i have",
            "cancel the reminder about my mother",
            "what reminders do i have",
            "snooze",
            "cancel all my alarms",
            "take that back",
        ],
    );
    assert_eq!(
        said,
        [
            "Your alarm is set for six thirty in the morning every weekday.",
            "Cancelled the reminder: call my mother.",
            "There are no reminders.",
            "Sorry, nothing is ringing.",
            "Cancelled the alarm.",
            "The alarm is back.",
        ]
    );
    assert!(text(&hark.run(&["timers", "list"]).stdout).contains("alarm"));
}

#[test]
fn a_reminder_rings_with_its_words_even_after_a_kill() {
    let broker = Broker::start();
    let hark = Hark::new();
    let url = format!("mqtt.url=mqtt://127.0.0.1:{}", broker.port);
    let all = broker.subscribe("hark/#");
    let start = || {
        let none = ["--set", "audio.input_device=none", "--set", "audio.output_device=none"];
        let mut command = hark.command(&[&["run", "--json", "--set", &url][..], &none].concat());
        Running(command.stdout(Stdio::null()).spawn().unwrap())
    };
    let daemon = start();
    all.wait("the daemon", |line| line == "hark/hark/availability online");
    broker.publish("hark/hark/ask", "remind me to check the oven in four seconds");
    all.wait("the promise", |line| line.starts_with("hark/hark/answer "));
    drop(daemon); // SIGKILL
    let _daemon = start();
    let rings = |line: &str| line.contains("\"finished\"") && line.contains("check the oven");
    all.wait("the reminder", rings);
    all.wait("what is said", |line| line.contains("\"reply\"") && line.contains("Reminder"));
    broker.publish("hark/hark/ask", "snooze for three seconds");
    all.wait("the second ring", |line| {
        rings(line) && all.lines().iter().filter(|line| rings(line)).count() == 2
    });
    broker.publish("hark/hark/ask", "stop");
    all.wait("the acknowledgement", |line| line.contains("\"acknowledged\""));
    broker.publish("hark/hark/ask", "turn on the lamp in two seconds");
    all.wait("what was to be done later", |line| line.contains("\"home.turn_on\"") && line.contains("Lamp"));
    // It is taken off the disk while it is carried out.
    wait_for("no timer to be left", Duration::from_secs(30), || {
        text(&hark.run(&["timers", "list"]).stdout).contains("no timers").then_some(())
    });
}

#[test]
fn what_was_done_is_taken_back_and_explained() {
    let hark = Hark::new();
    let (said, events) = talk(
        &hark,
        &["why did you do that", "turn on the lamp", "why did you do that", "undo that", "undo that"],
    );
    assert_eq!(said[0], "There is nothing to explain yet.");
    assert_eq!(
        said[2],
        "I read “turn on the lamp”, which is one of my sentences for “turn on”, so the lamp went from off to on."
    );
    assert_eq!(said[3], "The lamp is off again.");
    assert_eq!(said[4], "Sorry, there is nothing to undo.");
    let intents = named(&events, "intent");
    assert_eq!(intents[2]["slots"]["story"]["parts"][0]["intent"], "turn on");
    let outcomes: Vec<_> = named(&events, "turn").iter().map(|turn| turn["outcome"].clone()).collect();
    assert_eq!(outcomes, ["done", "done", "done", "done", "failed"]);
}

#[test]
fn facts_are_remembered_over_restarts_and_seen_on_the_command_line() {
    let hark = Hark::new();
    let event = hark.events(&["ask", "remember that the spare key is under the pot"]);
    assert_eq!(only(&event, "reply")["text"], "I'll remember that the spare key is under the pot.");
    let event = hark.events(&["ask", "where is the spare key?"]);
    assert_eq!(only(&event, "reply")["text"], "The spare key is under the pot.");
    let list: Value =
        serde_json::from_str(&text(&hark.run(&["remember", "search", "keys", "--json"]).stdout)).unwrap();
    assert_eq!(list[0]["text"], "the spare key is under the pot");
    let (said, _) = talk(
        &hark,
        &[
            "forget everything about the spare key",
            "where is the spare key",
            "undo that",
            "where did i put the spare key",
        ],
    );
    assert_eq!(said[0], "I have forgotten: the spare key is under the pot.");
    assert_eq!(said[1], "Sorry, I was told nothing about spare key.");
    assert_eq!(said[3], "The spare key is under the pot.");
    let id = list[0]["id"].to_string();
    assert!(hark.run(&["remember", "forget", &id]).status.success());
    assert_eq!(hark.run(&["remember", "forget", &id]).status.code(), Some(2));
    assert_eq!(text(&hark.run(&["remember", "list"]).stdout).trim(), "nothing");
}

#[test]
fn music_and_messages() {
    let hark = Hark::new();
    let (said, _) = talk(
        &hark,
        &[
            "play some jazz on the radio",
            "what's playing",
            "pause",
            "set the radio volume to 20 percent",
            "broadcast dinner is ready",
        ],
    );
    assert_eq!(
        said[..4],
        [
            "Playing some jazz on the radio.",
            "The radio plays some jazz.",
            "Paused the radio.",
            "The radio is at 20 percent."
        ]
    );
    assert!(said[4..].contains(&"dinner is ready".to_owned()), "{said:?}");
}
