//! What is left of a turn: its record, its words in the conversation, its line in the journal.

use super::*;
use crate::app::language::pin_guard;
use hark_config::journal::JournalConfig;
use hark_config::memory::Memory as Settings;
use hark_core::pin::{MASK, PinVerdict};
use hark_core::public_event::Timings;
use hark_core::session::ReplayReason;
use hark_core::{MicrophoneId, RemoteSpeech, Route, Transcript};
use hark_store::Store;
use std::path::Path;
use tempfile::TempDir;

struct Desk {
    dir: TempDir,
    runtime: tokio::runtime::Runtime,
    keeping: Keeping,
}

fn desk(journal: bool) -> Desk {
    let dir = TempDir::new().unwrap();
    let store = Store::open(&dir.path().join("hark.db")).unwrap();
    let files = Arc::new(Journal::new(dir.path().join("journal"), &JournalConfig::default()));
    let keeping = Keeping {
        turns: Turns::new(store.clone()),
        sessions: SessionStore::new(store.clone(), Settings::default()),
        journal: journal.then_some(files),
        recordings: Recordings::new(dir.path().join("recordings"), &JournalConfig::default()),
        event_queue: Arc::default(),
        most: 100,
        memory: Memory::new(Arc::new(store)),
        keep_statements: true,
    };
    Desk { dir, runtime: tokio::runtime::Runtime::new().unwrap(), keeping }
}

impl Desk {
    fn recorder(&self) -> Recorder {
        Recorder::new(self.keeping.clone(), self.runtime.handle().clone(), SessionNames::of_one("home"))
    }
}

/// Every line of the journal.
fn lines(dir: &Path) -> Vec<Value> {
    let Ok(files) = std::fs::read_dir(dir.join("journal")) else { return Vec::new() };
    let text: String = files.flatten().map(|file| std::fs::read_to_string(file.path()).unwrap()).collect();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn transcript(text: &str) -> PublicEvent {
    PublicEvent::Transcript(Transcript {
        text: text.into(),
        engine: "typed".into(),
        confidence: 1.0,
        language: "en".into(),
        rejected: None,
        why: None,
        speaker: None,
    })
}

/// Publishes a turn of these events, closed.
fn publish(recorder: &mut Recorder, turn: &str, origin: Origin, events: Vec<PublicEvent>, outcome: Outcome) {
    let closing = PublicEvent::Turn {
        timings_ms: Timings::default(),
        route: Some(Route::Template),
        attempts: 1,
        outcome,
    };
    for event in events.into_iter().chain([closing]) {
        let at = "2026-11-22T17:00:00.000+01:00".into();
        let mut envelope = Envelope::new(event, Some(turn.into()), Stamp::default(), at);
        envelope.origin = Some(origin.clone());
        recorder.published(&envelope);
    }
}

fn reply(text: &str) -> PublicEvent {
    PublicEvent::Reply { text: text.into(), language: "en".into(), ends: true }
}

#[test]
fn a_turn_leaves_record_conversation_and_journal() {
    let desk = desk(true);
    let mut recorder = desk.recorder();
    publish(&mut recorder, "1", Origin::Cli, vec![transcript("turn it on"), reply("Done.")], Outcome::Done);
    // Before the disk has it.
    let replayed = desk.keeping.sessions.replay("home", Some(ReplayReason::Session)).unwrap();
    assert_eq!(replayed.text, "User: turn it on\nHark: Done.\n");
    let mut open = transcript("and the kitchen");
    if let PublicEvent::Transcript(transcript) = &mut open {
        transcript.language = "en".into();
    }
    let at = "2026-11-22T17:00:02.000+01:00".into();
    let mut envelope = Envelope::new(open, Some("2".into()), Stamp::default(), at);
    envelope.origin = Some(Origin::Cli);
    recorder.published(&envelope);
    let told = vec![PublicEvent::Replay(replayed.policy.clone()), reply("On.")];
    publish(&mut recorder, "2", Origin::Cli, told, Outcome::Done);
    publish(&mut recorder, "3", Origin::Api("web".into()), vec![transcript("hello")], Outcome::Done);
    let late =
        PublicEvent::Evaluation { label: "x".into(), metrics: Default::default(), alert: None, flag: None };
    let at = "2026-11-22T17:00:09.000+01:00".into();
    recorder.published(&Envelope::new(late, Some("2".into()), Stamp::default(), at));
    assert!(recorder.open.is_empty(), "what comes after the end opens nothing");
    recorder.finish();

    let kept = desk.keeping.turns.by_id(&"2".into()).unwrap().unwrap();
    assert_eq!(
        (kept.session.as_str(), &kept.events.last().unwrap()["event"]),
        ("home", &"evaluation".into())
    );
    assert_eq!(desk.keeping.sessions.policy_of(&"2".into()).unwrap(), Some(replayed.policy));
    assert_eq!(desk.keeping.sessions.entries("home").unwrap().len(), 2);
    assert_eq!(desk.keeping.sessions.entries("web").unwrap().len(), 1);
    let mut lines = lines(desk.dir.path());
    lines.sort_by_key(|line| line["request"].to_string());
    let told: Vec<(&str, &str, &str)> = lines
        .iter()
        .map(|line| {
            let text = |key: &str| line[key].as_str().unwrap();
            (text("request"), text("response"), text("session"))
        })
        .collect();
    assert_eq!(
        told,
        [("and the kitchen", "On.", "home"), ("hello", "", "web"), ("turn it on", "Done.", "home")]
    );
    assert_eq!(lines[0]["replay"], serde_json::json!({"enabled": true, "count": 1, "session": true}));
    assert_eq!((&lines[0]["mode"], &lines[2]["replay"]["enabled"]), (&"chat".into(), &false.into()));
}

#[test]
fn tries_and_silence_are_nothing_to_come_back_to() {
    let desk = desk(false);
    let mut recorder = desk.recorder();
    for (turn, outcome) in [("1", Outcome::DryRun), ("2", Outcome::Elsewhere), ("3", Outcome::NothingSaid)] {
        publish(&mut recorder, turn, Origin::Voice, vec![transcript("turn it on")], outcome);
    }
    publish(&mut recorder, "4", Origin::Internal, vec![reply("Your timer is over.")], Outcome::Done);
    recorder.finish();
    assert_eq!(desk.keeping.sessions.entries("home").unwrap(), []);
    assert_eq!(desk.keeping.turns.newest(9).unwrap().len(), 4);
    assert!(lines(desk.dir.path()).is_empty(), "the journal is switched off");
}

#[test]
fn no_pin_comes_into_journal_or_conversation() {
    let desk = desk(true);
    let mut recorder = desk.recorder();
    for (turn, said) in [("1", "4217"), ("2", "four two one seven"), ("3", "the pin is 4217")] {
        let typed = Event::Typed { text: said.into(), origin: Origin::Cli, speak: false, dry_run: false };
        let (event, _) =
            pin_guard::without_pin(typed, &[hark_language::of("en")], |_| true, |_| PinVerdict::Wrong);
        recorder.event(Stamp::default(), &event, true, None);
        let Event::Typed { text, .. } = event else { panic!("{event:?}") };
        publish(
            &mut recorder,
            turn,
            Origin::Cli,
            vec![transcript(&text), reply("That is wrong.")],
            Outcome::Failed,
        );
    }
    recorder.finish();
    let lines = lines(desk.dir.path());
    assert_eq!(lines.len(), 3);
    let kept = desk.keeping.turns.newest(9).unwrap();
    let entries = desk.keeping.sessions.entries("home").unwrap();
    for shown in [format!("{lines:?}"), format!("{kept:?}"), format!("{entries:?}")] {
        assert!(shown.contains(MASK) && !shown.contains("4217") && !shown.contains("four two"), "{shown}");
    }
}

#[test]
fn pictures_are_not_kept_for_a_replay() {
    let desk = desk(false);
    let mut recorder = desk.recorder();
    let origin = Origin::Api("web".into());
    let picture = Picture { media_type: "image/png".into(), base64: "iVBORw0KGgo=".into() };
    let event = Event::Pictures { origin: origin.clone(), pictures: vec![picture] };
    recorder.event(Stamp::default(), &event, true, None);
    publish(&mut recorder, "1", origin.clone(), vec![transcript("what is this")], Outcome::Done);
    recorder.finish();
    let record = desk.keeping.turns.by_id(&"1".into()).unwrap().unwrap();
    let (_, kept): (Stamp, Event) = serde_json::from_value(record.inputs[0].clone()).unwrap();
    let bare = Picture { media_type: "image/png".into(), base64: String::new() };
    assert_eq!(kept, Event::Pictures { origin, pictures: vec![bare] }, "only that there was one");
}

#[test]
fn the_journal_tells_how_each_answer_was_wanted() {
    let desk = desk(true);
    let mut recorder = desk.recorder();
    let origin = || Origin::Api("web".into());
    let asked = |speak| Event::Typed { text: "hello".into(), origin: origin(), speak, dry_run: false };
    let focus = |on| Event::Focus { origin: origin(), on };
    let steps = [
        vec![asked(false)],
        vec![asked(true)],
        vec![focus(true), asked(false)],
        vec![focus(false), asked(false)],
    ];
    for (number, events) in steps.iter().enumerate() {
        events.iter().for_each(|event| recorder.event(Stamp::default(), event, true, None));
        publish(
            &mut recorder,
            &number.to_string(),
            origin(),
            vec![transcript(&number.to_string())],
            Outcome::Done,
        );
    }
    recorder.finish();
    let mut lines = lines(desk.dir.path());
    lines.sort_by_key(|line| line["request"].to_string());
    let modes: Vec<&str> = lines.iter().map(|line| line["mode"].as_str().unwrap()).collect();
    assert_eq!(modes, ["chat", "voice", "focus", "chat"]);
}

#[test]
fn turns_are_kept_in_the_order_in_which_they_closed() {
    let desk = desk(false);
    let mut recorder = desk.recorder();
    let ids: Vec<String> = (0..60).map(|number| format!("t-{number:02}")).collect();
    for id in &ids {
        publish(&mut recorder, id, Origin::Cli, vec![transcript("hello"), reply("Hello.")], Outcome::Done);
    }
    recorder.finish();
    let mut kept: Vec<String> =
        desk.keeping.turns.newest(99).unwrap().into_iter().map(|turn| turn.id.0).collect();
    kept.reverse();
    assert_eq!(kept, ids);
}

/// What was heard, up to its closed turn.
fn hear(recorder: &mut Recorder, turn: &str, sound: Option<Vec<f32>>) {
    let PublicEvent::Transcript(words) = transcript("turn it on") else { panic!("a transcript") };
    recorder.event(Stamp::default(), &Event::Transcript { transcript: words }, true, sound);
    publish(recorder, turn, Origin::Voice, vec![transcript("turn it on"), reply("On.")], Outcome::Done);
}

#[test]
fn sound_is_kept_with_its_turn_and_with_no_other() {
    let desk = desk(false);
    let mut recorder = desk.recorder();
    hear(&mut recorder, "said", Some(vec![0.5; 320]));
    hear(&mut recorder, "with-a-pin", None);
    publish(&mut recorder, "typed", Origin::Cli, vec![transcript("hello")], Outcome::Done);
    let PublicEvent::Transcript(words) = transcript("hello") else { panic!("a transcript") };
    let afar = RemoteSpeech::Transcript { transcript: words };
    let afar =
        Event::RemoteSpeech { microphone: MicrophoneId(1), origin: Origin::Api("web".into()), heard: afar };
    recorder.event(Stamp::default(), &afar, true, Some(vec![0.75; 320]));
    publish(&mut recorder, "afar", Origin::Api("web".into()), vec![transcript("hello")], Outcome::Done);
    // Words that nobody took: not for Hark.
    recorder.event(Stamp::default(), &Event::Tick, true, None);
    publish(&mut recorder, "typed-later", Origin::Cli, vec![transcript("hello")], Outcome::Done);
    recorder.finish();
    let first = |turn: &str| {
        let sound = desk.keeping.recordings.read(&turn.into()).unwrap()?;
        Some(hound::WavReader::new(&sound[..]).unwrap().samples::<i16>().next().unwrap().unwrap())
    };
    assert_eq!((first("said"), first("afar")), (Some(16_383), Some(24_575)));
    assert_eq!((first("with-a-pin"), first("typed"), first("typed-later")), (None, None, None));
    let kept = desk.keeping.turns.by_id(&"said".into()).unwrap().unwrap();
    assert!(!format!("{kept:?}").contains("0.5"), "no sound is among the events of a turn");
}

#[test]
fn a_disk_that_takes_no_sound_is_told_and_the_turn_is_kept() {
    let desk = desk(false);
    std::fs::write(desk.dir.path().join("recordings"), "not a folder").unwrap();
    let mut recorder = desk.recorder();
    hear(&mut recorder, "said", Some(vec![0.5; 320]));
    recorder.finish();
    assert!(desk.keeping.turns.by_id(&"said".into()).unwrap().is_some());
    let told = desk.keeping.event_queue.pop(std::time::Instant::now());
    let Some(Event::Fault { fault }) = told else { panic!("a fault, not {told:?}") };
    assert!(fault.part == "recordings" && fault.recoverable, "{fault:?}");
}
