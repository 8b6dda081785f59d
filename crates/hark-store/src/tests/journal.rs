//! What a line of the journal says, and what becomes of its files.

use super::*;
use hark_core::public_event::Outcome;
use hark_core::session::ContextStrength;
use hark_core::{Stamp, Transcript};
use serde_json::{Value, json};
use tempfile::TempDir;

fn closing() -> Envelope {
    let event = PublicEvent::Turn {
        timings_ms: Timings::default(),
        route: Some(Route::Template),
        attempts: 2,
        outcome: Outcome::Done,
    };
    Envelope::new(event, Some("t1".into()), Stamp::default(), "2026-11-22T17:00:01+01:00".into())
}

fn line(time: &str, request: &str) -> Line {
    let words = TurnText { request: request.into(), response: "Yes.".into(), ..TurnText::default() };
    let settings = SessionSettings { mode: "voice".into(), ..SessionSettings::default() };
    Line::new(&closing(), time, "home", settings, &words, None).unwrap()
}

fn journal(dir: &TempDir, settings: &JournalConfig) -> Journal {
    Journal::new(dir.path().join("journal"), settings)
}

fn names(journal: &Journal) -> Vec<String> {
    let entries = fs::read_dir(&journal.dir).unwrap().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into()).collect();
    names.sort();
    names
}

#[test]
fn a_line_has_exactly_the_fields_it_is_said_to_have() {
    let policy = ReplayPolicy {
        entries_available: 8,
        entries_filtered: 2,
        filtered_types: vec![hark_core::session::EntryTag::Meta],
        entries_used: 4,
        chars_used: 3120,
        trimmed: false,
        reason: Some(ReplayReason::Session),
        context_strength: ContextStrength::Moderate,
        tainted: false,
    };
    let words = TurnText { request: "why".into(), response: "So.".into(), ..TurnText::default() };
    let settings = SessionSettings { persona: "a butler".into(), ..SessionSettings::default() };
    let line =
        Line::new(&closing(), "2026-11-22T17:00:00+01:00", "work", settings, &words, Some(policy)).unwrap();
    let expected = json!({
        "time": "2026-11-22T17:00:00+01:00", "session": "work", "mode": "", "persona": "a butler",
        "verbosity": "short",
        "replay": {"enabled": true, "count": 4, "session": true},
        "request": "why", "response": "So.",
        "replay_policy": {
            "entries_available": 8, "entries_filtered": 2, "filtered_types": ["meta"], "entries_used": 4,
            "chars_used": 3120, "trimmed": false, "reason": "session", "context_strength": "moderate",
        },
        "route": "template",
        "timings": {
            "speech_end_to_transcript": null, "transcript_to_intent": null, "intent_to_action": null,
            "to_first_audio": null, "speech_end_to_first_audio": null,
        },
        "attempts": 2,
    });
    assert_eq!(serde_json::to_value(&line).unwrap(), expected);
}

#[test]
fn a_turn_without_a_replay_says_so() {
    let told = serde_json::to_value(line("2026-11-22T17:00:00+01:00", "x")).unwrap();
    assert_eq!(told["replay"], json!({"enabled": false, "count": 0, "session": false}));
    assert_eq!((&told["replay_policy"]["reason"], &told["mode"]), (&Value::Null, &json!("voice")));
    let other = Envelope::new(PublicEvent::SpeechStarted, None, Stamp::default(), String::new());
    assert_eq!(Line::new(&other, "", "", SessionSettings::default(), &TurnText::default(), None), None);
}

#[test]
fn words_come_from_the_events() {
    let reply = |text: &str, ends| PublicEvent::Reply { text: text.into(), language: "en".into(), ends };
    let mut words = TurnText::default();
    let transcript = Transcript {
        text: "why".into(),
        engine: "typed".into(),
        confidence: 1.0,
        language: "en".into(),
        rejected: None,
        why: None,
        speaker: None,
    };
    words.take(&PublicEvent::Transcript(Transcript { rejected: Some("noise".into()), ..transcript.clone() }));
    assert_eq!(words, TurnText::default());
    words.take(&PublicEvent::Transcript(transcript));
    for (text, ends) in
        [("It is", false), (" ten.", false), ("It is ten.", true), ("And", false), (" late.", true)]
    {
        words.take(&reply(text, ends));
    }
    assert_eq!((words.request.as_str(), words.response.as_str()), ("why", "It is ten. And late."));
}

#[test]
fn a_file_a_day_a_line_a_turn() {
    let dir = TempDir::new().unwrap();
    let journal = journal(&dir, &JournalConfig::default());
    journal.append(&line("2026-11-22T23:59:59+01:00", "first\nline")).unwrap();
    journal.append(&line("2026-11-22T23:59:59+01:00", "second")).unwrap();
    journal.append(&line("2026-11-23T00:00:00+01:00", "third")).unwrap();
    assert_eq!(names(&journal), ["2026-11-22.ndjson", "2026-11-23.ndjson"]);
    let text = fs::read_to_string(journal.dir.join("2026-11-22.ndjson")).unwrap();
    let requests: Vec<Value> =
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["request"].clone()).collect();
    assert_eq!(requests, ["first\nline", "second"]);
    assert!(text.ends_with('\n'));
    assert!(journal.append(&line("yesterday", "x")).is_err());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(journal.dir.join("2026-11-22.ndjson")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn after_a_torn_line_the_next_stands_alone() {
    let dir = TempDir::new().unwrap();
    let journal = journal(&dir, &JournalConfig::default());
    let path = journal.dir.join("2026-11-22.ndjson");
    journal.append(&line("2026-11-22T12:00:00+01:00", "first")).unwrap();
    let whole = fs::read(&path).unwrap();
    let mut torn = whole.clone();
    torn.extend_from_slice(&whole[..whole.len() / 2]);
    fs::write(&path, &torn).unwrap();
    journal.append(&line("2026-11-22T12:00:00+01:00", "second")).unwrap();
    journal.append(&line("2026-11-22T12:00:00+01:00", "third")).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let good: Vec<bool> = text.lines().map(|line| serde_json::from_str::<Value>(line).is_ok()).collect();
    assert_eq!(good, [true, false, true, true]);
    assert!(text.as_bytes().starts_with(&torn), "what was torn is left alone");
}

#[test]
fn old_files_go_and_other_files_stay() {
    let dir = TempDir::new().unwrap();
    let journal = journal(&dir, &JournalConfig { keep_days: 3, ..JournalConfig::default() });
    fs::create_dir_all(&journal.dir).unwrap();
    for name in
        ["2026-11-19.ndjson", "2026-11-19.001.ndjson", "2026-11-20.ndjson", "notes.ndjson", "2026-01-01.txt"]
    {
        fs::write(journal.dir.join(name), "{}\n").unwrap();
    }
    journal.append(&line("2026-11-22T12:00:00+01:00", "x")).unwrap();
    assert_eq!(names(&journal), ["2026-01-01.txt", "2026-11-20.ndjson", "2026-11-22.ndjson", "notes.ndjson"]);
}

#[test]
fn the_oldest_go_when_all_are_too_much() {
    let dir = TempDir::new().unwrap();
    let journal = journal(&dir, &JournalConfig { max_megabytes: 1, ..JournalConfig::default() });
    fs::create_dir_all(&journal.dir).unwrap();
    for day in [18, 19, 20] {
        fs::write(journal.dir.join(format!("2026-11-{day}.ndjson")), vec![b'x'; 400_000]).unwrap();
    }
    journal.append(&line("2026-11-22T12:00:00+01:00", "x")).unwrap();
    assert_eq!(names(&journal), ["2026-11-19.ndjson", "2026-11-20.ndjson", "2026-11-22.ndjson"]);
    // A day that takes too much goes on in another file, and its own first part is the oldest then.
    let long = "y".repeat(130_000);
    for _ in 0..12 {
        journal.append(&line("2026-11-22T12:00:00+01:00", &long)).unwrap();
    }
    let left = names(&journal);
    let total: u64 = left.iter().map(|name| fs::metadata(journal.dir.join(name)).unwrap().len()).sum();
    assert!(total <= 1_000_000 && left.len() > 1, "{total} bytes in {left:?}");
    assert!(left.iter().all(|name| name.starts_with("2026-11-22")), "{left:?}");
    assert!(!left.contains(&"2026-11-22.001.ndjson".to_owned()), "{left:?}");
}
