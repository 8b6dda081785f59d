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

#[test]
fn a_typed_phrase_wakes_and_keeps_the_first_word() {
    let hark = Hark::new();
    let (bare, file) = (hark.path("bare.wav"), hark.path("padded.wav"));
    flite("rms", "good morning house, turn on the kitchen light", &bare);
    crate::support::run(std::process::Command::new("sox").arg(&bare).arg(&file).args(["pad", "0.7", "2"]));
    let phrase = ["--set", "wake.engine=phrase", "--set", "wake.words=[\"good morning house\"]"];
    let events = hark.events(&[&["hear", file.to_str().unwrap()], phrase.as_slice()].concat());
    assert_eq!(named(&events, "wake")[0]["word"], "good morning house");
    assert_eq!(named(&events, "transcript")[0]["text"], "turn on the kitchen light");
    let events = hark.events(&["hear", file.to_str().unwrap()]);
    assert!(named(&events, "wake").is_empty(), "it is not the usual word");
}

#[test]
fn what_only_sounds_like_the_wake_word_is_looked_at_twice() {
    let hark = Hark::new();
    let file = hark.path("hey.wav");
    flite("slt", "hey jarvis what time is it", &file);
    let heard = |look: &str| {
        let look = format!("wake.verify={look}");
        hark.events(&["hear", file.to_str().unwrap(), "--set", &look])
    };
    for look in ["voice", "words"] {
        let events = heard(look);
        assert_eq!(named(&events, "wake").len(), 1, "{look}: {events:#?}");
        assert_eq!(named(&events, "transcript")[0]["text"], "what time is it", "{look}");
    }
}
