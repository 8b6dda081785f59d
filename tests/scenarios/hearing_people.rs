//! Recordings of real people: what is for Hark is heard, what is not wakes nothing.

use crate::support::{Hark, flite, named, shared_data};
use std::path::PathBuf;

fn recordings(folder: &str) -> Vec<PathBuf> {
    let Some(data) = shared_data() else { return Vec::new() };
    let mut files: Vec<PathBuf> = std::fs::read_dir(data.join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "wav"))
        .collect();
    files.sort();
    files
}

#[test]
fn running_speech_music_and_other_wake_words_wake_nothing() {
    let hark = Hark::new();
    let mut files = [recordings("speech"), recordings("vad"), recordings("wake")].concat();
    files.retain(|path| !path.file_name().unwrap().to_str().unwrap().starts_with("hey_jarvis"));
    let other = hark.path("other.wav");
    flite("rms", "the weather in the living room was turned on by the light of the morning", &other);
    files.push(other);
    let paths: Vec<&str> = files.iter().map(|path| path.to_str().unwrap()).collect();
    let events = hark.events(&[&["hear"], paths.as_slice()].concat());
    for name in ["wake", "transcript", "intent", "action", "reply", "turn"] {
        assert!(named(&events, name).is_empty(), "{name}: {events:#?}");
    }
}

#[test]
fn one_breath_keeps_its_first_word() {
    let hark = Hark::new();
    for voice in ["slt", "rms", "kal16"] {
        let file = hark.path(&format!("{voice}.wav"));
        flite(voice, "hey jarvis turn off the kitchen ceiling", &file);
        let events = hark.events(&["hear", file.to_str().unwrap()]);
        let heard = named(&events, "transcript").first().map(|t| t["text"].as_str().unwrap().to_owned());
        assert_eq!(heard.as_deref(), Some("turn off the kitchen ceiling"), "{voice}");
    }
}

#[test]
fn nothing_said_after_the_wake_word_ends_quietly() {
    let hark = Hark::new();
    let (bare, file) = (hark.path("bare.wav"), hark.path("padded.wav"));
    flite("slt", "hey jarvis", &bare);
    crate::support::run(std::process::Command::new("sox").arg(&bare).arg(&file).args(["pad", "0", "8"]));
    let events = hark.events(&["hear", file.to_str().unwrap()]);
    assert_eq!(named(&events, "turn")[0]["outcome"], "nothing_said");
    assert!(named(&events, "reply").is_empty());
}
