//! `hark eval` on a few items of each set: it runs, tells what it was run with, and its tables are sane. How good the figures
//! are is not judged here, but for what must hold always: no promise is lost or kept twice.

use crate::support::{Hark, flite, root, text};
use hark_config::stt::Stt;
use hark_home::file;
use hark_nlu::{Grammar, Sentences};
use hark_stt::stt::grammar::{GrammarRecogniser, Tuning};
use hark_tts::voices::espeak::Espeak;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// Runs a set, and reads its report.
fn report(hark: &Hark, args: &[&str]) -> Value {
    let output = hark.run(&[&["eval"], args, &["--json"]].concat());
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["set"], args[0]);
    assert!(report["machine"]["cores"].as_u64().unwrap() > 0 && !report["program"]["features"].is_null());
    assert!(report["command"].as_str().unwrap().starts_with(&format!("hark eval {}", args[0])));
    report
}

/// The row that tells of something.
fn row<'r>(report: &'r Value, what: &str) -> &'r Value {
    let rows = report["rows"].as_array().unwrap();
    rows.iter().find(|row| row["what"] == what).unwrap_or_else(|| panic!("{what}: {report:#}"))
}

/// Right, wrong, harmful and to be read.
fn judged(report: &Value, what: &str) -> [u64; 4] {
    let row = row(report, what);
    ["right", "wrong", "harmful", "unjudged"].map(|verdict| row[verdict].as_u64().unwrap())
}

/// How many of all.
fn share(report: &Value, what: &str) -> (u64, u64) {
    let row = row(report, what);
    (row["count"].as_u64().unwrap(), row["of"].as_u64().unwrap())
}

#[test]
fn typed_requests_are_judged_by_what_they_did() {
    let hark = Hark::new();
    let file = hark.path("requests.yaml");
    let requests = "states:
  - { say: \"turn on the porch light\", now: { light.porch: \"on\" } }
  - { say: \"turn on the porch light\", now: { light.bedroom: \"on\" } }
  - { say: \"blue blue fence of tomorrow\", now: { light.porch: \"on\" } }
  - { say: [\"turn on the porch light\", \"turn it off\"], now: {}, later: \"nothing is left\" }
";
    std::fs::write(&file, requests).unwrap();
    let report = report(&hark, &["paraphrases", "--sample", "4", "--requests", file.to_str().unwrap()]);
    assert_eq!(judged(&report, "states"), [1, 1, 1, 1], "{report:#}");
    assert_eq!(judged(&report, "requests.yaml"), [1, 1, 1, 1]);
    for list in ["en_requests", "en_requests_6", "en_elsewhere", "de_requests"] {
        assert_eq!(judged(&report, list).iter().sum::<u64>(), 4, "{list}");
    }
    // Sentences that no change of the program should break.
    assert!(judged(&report, "en_requests")[0] >= 2 && judged(&report, "de_requests")[0] >= 2, "{report:#}");
    let (right, of) = share(&report, "classifier alone: right intent");
    assert!(right * 2 > of && of > 20, "{right} of {of}");
}

#[test]
fn wake_words_are_said_and_other_sound_is_listened_to() {
    let hark = Hark::new();
    let recordings = hark.path("recordings");
    std::fs::create_dir(&recordings).unwrap();
    flite("slt", "hey jarvis", &recordings.join("hey_jarvis-slt.wav"));
    flite("rms", "turn on the living room light", &recordings.join("other.wav"));
    for left_over in ["hey_jarvis-slt.bare.wav", "other.bare.wav"] {
        std::fs::remove_file(recordings.join(left_over)).unwrap();
    }
    let folder = recordings.to_str().unwrap();
    let report = report(&hark, &["wake", "--sample", "2", "--hours", "0.01", "--recordings", folder]);
    for place in ["near", "3 m, RT60 0.3 s", "3 m, RT60 0.5 s", "3 m, RT60 0.8 s"] {
        let what = format!("hey_jarvis said by synthetic speakers, {place}: missed");
        assert_eq!(share(&report, &what).1, 2, "{report:#}");
    }
    assert_eq!(share(&report, "near hey_jarvis, by synthetic speakers: woken").1, 2);
    assert_eq!(share(&report, "hey_jarvis in recordings (recordings): missed").1, 1);
    for sound in ["synthetic speech", "music-like", "recordings (recordings)"] {
        let row = row(&report, &format!("hey_jarvis woken by {sound}"));
        assert_eq!(row["figure"], "rate");
        let number = |field: &str| row[field].as_f64().unwrap();
        assert!(
            number("hours") > 0.0 && number("high") > number("per_hour") && number("low") >= 0.0,
            "{row}"
        );
    }
}

#[test]
fn recordings_are_judged_by_what_was_understood() {
    let hark = Hark::new();
    let commands = hark.path("commands");
    std::fs::create_dir(&commands).unwrap();
    let words = "turn on the living room light";
    flite("slt", words, &commands.join("turn-on-the-living-room-light.wav"));
    // Its name says something else than what is heard.
    flite("slt", words, &commands.join("turn-off-the-kitchen-lights__slt.wav"));
    for left_over in ["turn-on-the-living-room-light.bare.wav", "turn-off-the-kitchen-lights__slt.bare.wav"] {
        std::fs::remove_file(commands.join(left_over)).unwrap();
    }
    let report = report(&hark, &["people", "--sample", "2", "--data", hark.folder.path().to_str().unwrap()]);
    assert_eq!(judged(&report, "recordings: requests"), [1, 0, 1, 0], "{report:#}");
    let voices = judged(&report, "synthetic voices: requests");
    assert!(voices.iter().sum::<u64>() == 8 && voices[0] >= 4, "{voices:?}");
    assert_eq!(share(&report, "other recordings that wake it"), (0, 0));
}

#[test]
fn requests_over_its_own_voice_stop_it() {
    let hark = Hark::new();
    let report = report(&hark, &["interrupting", "--sample", "1", "--echo-db", "0"]);
    let (stopped, of) = share(&report, "echo 0 dB: requests that stop it");
    assert!(of == 4 && stopped >= 2, "{report:#}");
    assert_eq!(share(&report, "echo 0 dB: other speech that stops it").1, 4);
    let times = row(&report, "echo 0 dB: from first sound to stop");
    assert!((50.0..3000.0).contains(&times["median"].as_f64().unwrap()), "{times}");
}

#[test]
fn a_spoken_command_is_answered_and_its_gap_measured() {
    let report = report(&Hark::new(), &["human-gap", "--count", "2"]);
    let (answered, asked) = share(&report, "commands done and answered aloud");
    assert!(asked == 2 && answered >= 1, "{report:#}");
    let gap = row(&report, "from the last sound of the request to the first sound of the reply");
    assert!((1.0..5000.0).contains(&gap["median"].as_f64().unwrap()), "{gap}");
}

/// What was promised is kept once, whatever the kills meet.
#[test]
fn a_killed_daemon_keeps_its_promises_once() {
    let report = report(&Hark::new(), &["kills", "--count", "4"]);
    let (rang, promised) = share(&report, "promised timers that rang");
    assert!(rang == promised && promised > 0, "{report:#}");
    let (kept, promised) = share(&report, "promised list items that are kept");
    assert_eq!(kept, promised, "{report:#}");
    assert_eq!(share(&report, "timers that rang more than once").0, 0, "{report:#}");
    assert_eq!(share(&report, "list items that are kept more than once").0, 0, "{report:#}");
    assert_eq!(share(&report, "clean exits on SIGTERM"), (1, 1));
}

#[test]
fn a_daemon_under_requests_answers_and_tells_what_it_takes() {
    let report = report(&Hark::new(), &["soak", "--minutes", "0.1"]);
    let (answered, asked) = share(&report, "requests answered");
    assert!(answered > 0 && answered <= asked, "{report:#}");
    for what in ["resident memory", "open handles", "threads"] {
        let row = row(&report, what);
        assert!(row["before"].as_f64().unwrap() > 1.0 && row["after"].as_f64().unwrap() > 1.0, "{row}");
    }
}

#[test]
fn announced_lights_are_told_what_is_typed() {
    let report = report(&Hark::new(), &["fleet", "--devices", "20", "--count", "3"]);
    let times = row(&report, "from typed words to the command message");
    assert_eq!(times["n"], 3);
    assert!((0.5..5000.0).contains(&times["median"].as_f64().unwrap()), "{times}");
}

#[test]
fn what_is_missing_is_told_and_is_no_success() {
    let hark = Hark::new();
    let list = text(&hark.run(&["eval", "list"]).stdout);
    for set in ["paraphrases", "people", "interrupting", "human-gap", "kills", "soak", "fleet"] {
        assert!(list.lines().any(|line| line.starts_with(set)), "{list}");
    }
    let output = hark.command(&["eval", "people"]).env_remove("HARK_REAL_AUDIO").output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("--data FOLDER"), "{}", text(&output.stderr));
    let nowhere = hark.run(&["eval", "paraphrases", "--requests", "nowhere.yaml"]);
    assert_eq!(nowhere.status.code(), Some(3), "{}", text(&nowhere.stderr));
}

#[test]
fn a_report_goes_into_a_document_between_its_marks() {
    let hark = Hark::new();
    let (json, document) = (hark.path("soak.json"), hark.path("document.md"));
    std::fs::write(&document, "By hand.\n<!-- hark eval: begin -->\n<!-- hark eval: end -->\nMore.\n")
        .unwrap();
    let output = hark.run(&["eval", "soak", "--minutes", "0.05", "--out", json.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("resident memory"), "the table is printed as well");
    let (json, document) = (json.to_str().unwrap(), document.to_str().unwrap());
    let output = hark.run(&["eval", "document", json, "--into", document]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let written = std::fs::read_to_string(document).unwrap();
    assert!(written.starts_with("By hand.\n") && written.ends_with("\nMore.\n"), "{written}");
    assert!(written.contains("### soak") && written.contains("| requests answered |"), "{written}");
}

#[test]
fn every_word_of_the_demo_home_can_be_pronounced() {
    let sentences = Sentences::load(&[root().join("models/languages/en/sentences")], "en").unwrap();
    let grammar = Arc::new(Grammar::new(&sentences, &file::example(true).unwrap()));
    let voice = Espeak::open(&root().join("models/cache/espeak-ng-data"), 175, 50).unwrap();
    let work = tempfile::tempdir().unwrap();
    let model = Path::new("/usr/share/pocketsphinx/model/en-us");
    let tuning = Tuning::new(&Stt::default());
    let recogniser = GrammarRecogniser::new(tuning, model, grammar, Arc::new(voice), work.path()).unwrap();
    assert!(recogniser.unpronounceable().is_empty(), "{:?}", recogniser.unpronounceable());
}
