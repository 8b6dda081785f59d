//! Typed requests: understanding onward.

use crate::support::{Hark, named, only, parse_events, text};
use std::io::Write;
use std::process::Stdio;

fn lines(hark: &Hark, args: &[&str], input: &str) -> Vec<serde_json::Value> {
    let mut command = hark.command(&[&["ask", "--json"], args].concat());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    parse_events(&text(&output.stdout))
}

#[test]
fn every_line_is_answered() {
    let hark = Hark::new();
    let events = lines(
        &hark,
        &[],
        "what time is it\nturn the bedroom light off\nhow are you\nwobble the frobnicator\n",
    );
    let outcomes: Vec<_> = named(&events, "turn").iter().map(|turn| turn["outcome"].clone()).collect();
    assert_eq!(outcomes, ["done", "done", "done", "not_understood"]);
    assert_eq!(named(&events, "reply").len(), 4);
    assert_eq!(named(&events, "intent")[3]["name"], "out_of_scope");
}

#[test]
fn a_dry_run_changes_nothing() {
    let hark = Hark::new();
    let events = hark.events(&["ask", "turn on the kitchen ceiling", "--dry-run"]);
    assert_eq!(only(&events, "intent")["name"], "HassTurnOn");
    assert!(named(&events, "action").is_empty());
    assert_eq!(only(&events, "turn")["outcome"], "dry_run");
}

#[test]
fn the_front_door_is_unlocked_only_after_a_yes_in_the_same_conversation() {
    let hark = Hark::new();
    let changed = |events: &[serde_json::Value]| {
        named(events, "action").iter().filter(|action| action["receipt"]["changed"] == true).count()
    };
    assert_eq!(changed(&lines(&hark, &[], "unlock the front door\nyes\n")), 0, "two conversations");
    assert_eq!(changed(&lines(&hark, &["--session", "door"], "unlock the front door\nno\nyes\n")), 0);
    let events = lines(&hark, &["--session", "door"], "unlock the front door\nyes\n");
    assert_eq!(changed(&events), 1);
    assert_eq!(named(&events, "turn")[0]["outcome"], "awaiting_approval");
    let forbidden = hark.events(&["ask", "unlock the front door", "--set", "permissions.dangerous=deny"]);
    assert_eq!(only(&forbidden, "action")["receipt"]["detail"]["error"], "forbidden");
}

#[test]
fn timers_outlive_the_program() {
    let hark = Hark::new();
    hark.events(&["ask", "set a pizza timer for ten minutes"]);
    let list = text(&hark.run(&["timers", "list", "--json"]).stdout);
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    assert_eq!(list[0]["name"], "pizza");
    assert_eq!(list[0]["duration_ms"], 600_000);
    let events = hark.events(&["ask", "cancel the pizza timer"]);
    assert_eq!(only(&events, "turn")["outcome"], "done");
    assert_eq!(text(&hark.run(&["timers", "list", "--json"]).stdout).trim(), "[]");
}

#[test]
fn weather_without_a_service_says_so() {
    let events = Hark::new().events(&["ask", "what's the weather"]);
    assert_eq!(only(&events, "action")["receipt"]["detail"]["error"], "not_configured");
    assert_eq!(only(&events, "turn")["outcome"], "failed");
}
