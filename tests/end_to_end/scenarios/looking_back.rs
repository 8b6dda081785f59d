//! Afterwards: the story of a turn, its replay, the journal, and what is kept of a conversation.

use crate::support::{Hark, named, parse_events, text};
use serde_json::Value;
use std::io::Write;
use std::process::{Output, Stdio};

/// Says these lines in one conversation.
fn say(hark: &Hark, session: &str, lines: &str) -> Vec<Value> {
    let mut command = hark.command(&["ask", "--json", "--session", session]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    parse_events(&text(&output.stdout))
}

/// Ids of the turns that were closed, in order.
fn turns(events: &[Value]) -> Vec<String> {
    named(events, "turn").iter().map(|turn| turn["turn"].as_str().unwrap().to_owned()).collect()
}

fn replay(hark: &Hark, turn: &str, more: &[&str]) -> Output {
    hark.run(&[&["replay", turn], more].concat())
}

#[test]
fn a_replay_tells_the_same_also_where_a_turn_leans_on_the_ones_before() {
    let hark = Hark::new();
    let said =
        "turn on the bedroom light\nturn it off again\nunlock the front door\nyes\nwobble the frobnicator\n";
    let events = say(&hark, "evening", said);
    let turns = turns(&events);
    assert_eq!(turns.len(), 5);
    for turn in &turns {
        let output = replay(&hark, turn, &["--json"]);
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((output.status.code(), &told["same"]), (Some(0), &Value::Bool(true)), "{told:#}");
        assert!(told["events"].as_u64().unwrap() >= 3 && told["inputs"].as_u64().unwrap() >= 2, "{told:#}");
    }
    let last = replay(&hark, "last", &[]);
    assert!(text(&last.stdout).contains("the same today"), "{}", text(&last.stdout));
    assert_eq!(replay(&hark, "nowhere-1", &[]).status.code(), Some(2));
}

#[test]
fn a_replay_shows_both_sides_of_a_difference() {
    let hark = Hark::new();
    let turn = turns(&say(&hark, "evening", "turn on the bedroom light\n")).remove(0);
    // What was recorded is altered, as if the machine had decided something else then.
    let db = rusqlite::Connection::open(hark.path("hark.db")).unwrap();
    let changed = db
        .execute(
            "UPDATE turns SET events = replace(events, '\"outcome\":\"done\"', '\"outcome\":\"failed\"')",
            [],
        )
        .unwrap();
    assert_eq!(changed, 1);
    drop(db);
    let output = replay(&hark, &turn, &["--json"]);
    assert_eq!(output.status.code(), Some(1));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["same"], false);
    let sides = told["differences"].as_array().unwrap();
    assert_eq!(sides.len(), 2, "{told:#}");
    assert_eq!(
        (&sides[0]["recorded"]["outcome"], &sides[1]["today"]["outcome"]),
        (&"failed".into(), &"done".into())
    );
    let output = replay(&hark, &turn, &[]);
    let shown = text(&output.stdout);
    assert!(
        shown.contains("- recorded  turn         failed") && shown.contains("+ today     turn         done"),
        "{shown}"
    );
    assert!(text(&output.stderr).contains("comes out differently"));
}

/// Lines of the journal, in order.
fn journal(hark: &Hark) -> Vec<Value> {
    let Ok(files) = std::fs::read_dir(hark.path("journal")) else { return Vec::new() };
    let mut files: Vec<_> = files.flatten().map(|file| file.path()).collect();
    files.sort();
    files.iter().flat_map(|file| parse_events(&std::fs::read_to_string(file).unwrap())).collect()
}

#[test]
fn the_journal_has_a_line_a_turn_with_its_fields() {
    let hark = Hark::new();
    say(&hark, "evening", "turn on the bedroom light\nhow are you\n");
    let lines = journal(&hark);
    assert_eq!(lines.len(), 2, "{lines:#?}");
    let fields: Vec<&str> = lines[0].as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "time",
        "session",
        "mode",
        "persona",
        "verbosity",
        "replay",
        "request",
        "response",
        "replay_policy",
        "route",
        "timings",
        "attempts",
    ];
    assert_eq!(fields, expected);
    let first = lines.iter().find(|line| line["request"] == "turn on the bedroom light").unwrap();
    assert_eq!(
        (&first["session"], &first["route"], &first["attempts"]),
        (&"evening".into(), &"template".into(), &0.into())
    );
    assert!(!first["response"].as_str().unwrap().is_empty());
    assert_eq!(first["replay"]["enabled"], false);
    let file = std::fs::read_dir(hark.path("journal")).unwrap().flatten().next().unwrap().file_name();
    let day = &first["time"].as_str().unwrap()[..10];
    assert_eq!(file.to_string_lossy(), format!("{day}.ndjson"));
    hark.events(&["ask", "what time is it", "--set", "journal.enabled=false"]);
    assert_eq!(journal(&hark).len(), 2);
}

#[test]
fn a_conversation_is_kept_under_its_name() {
    let hark = Hark::new();
    say(&hark, "evening", "turn on the bedroom light\n");
    say(&hark, "evening", "no, I meant the kitchen\n");
    hark.events(&["ask", "what time is it"]);
    let db = rusqlite::Connection::open(hark.path("hark.db")).unwrap();
    let mut statement = db.prepare("SELECT session, request, tag FROM entries ORDER BY seq").unwrap();
    let rows: Vec<[String; 3]> = statement
        .query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let row = |session: &str, request: &str, tag: &str| [session, request, tag].map(str::to_owned);
    assert_eq!(rows[0], row("evening", "turn on the bedroom light", "instruction"));
    assert_eq!(rows[1], row("evening", "no, I meant the kitchen", "correction"));
    assert!(rows[2][0].starts_with("ask-") && rows[2][2] == "question", "{:?}", rows[2]);
}
