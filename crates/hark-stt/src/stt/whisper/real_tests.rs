//! whisper.cpp with real weights, on recordings of people: run where both are here (`make whisper`), passed over elsewhere.
#![cfg(feature = "whisper")]

use super::decoder::Purpose;
use super::open;
use super::recogniser::{PartialMode, WhisperRecogniser, WhisperSettings};
use crate::recording::Recording;
use crate::stt::Recogniser;
use crate::testing::{noise, shared, silence};
use hark_config::stt::Stt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The models that were pulled, of those whose names are given.
fn models(names: &[&str]) -> Vec<PathBuf> {
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/cache");
    let paths = names.iter().map(|name| cache.join(format!("ggml-{name}.bin")));
    let found: Vec<PathBuf> = paths.filter(|path| path.exists()).collect();
    if found.is_empty() {
        eprintln!("passed over: none of {names:?} is in models/cache (make whisper)");
    }
    found
}

fn settings(model: &Path) -> WhisperSettings {
    let names = ["Kitchen", "Office", "Basement light", "Standing light", "Lamp"].map(str::to_owned).to_vec();
    let languages = vec!["en".to_owned(), "de".to_owned()];
    let stt = Stt { whisper_min_context_frames: 512, ..Stt::default() };
    WhisperSettings::new(&stt, model.to_owned(), languages, names, PartialMode::LockStep)
}

/// The sound of a recording; `None` where it is not here.
fn sound(name: &str) -> Option<Vec<f32>> {
    let mut recording = Recording::open(&shared(name)?).unwrap();
    let mut samples = Vec::new();
    while recording.read(&mut samples).unwrap() {}
    Some(samples)
}

fn heard(recogniser: &mut WhisperRecogniser, samples: &[f32]) -> hark_core::Transcript {
    recogniser.start().unwrap();
    recogniser.feed(samples).unwrap();
    recogniser.finish().unwrap().transcript
}

#[test]
fn people_are_heard_word_by_word() {
    for model in models(&["base", "tiny.en"]) {
        let mut recogniser = WhisperRecogniser::new(&settings(&model)).unwrap();
        for (name, said) in [
            ("commands/rhasspy3-turn_on_the_lamp.wav", "turn on the lamp"),
            ("commands/what-time-is-it.wav", "what time is it"),
            ("commands/turn-off-all-lights-in-the-office.wav", "turn off all lights in the office"),
        ] {
            let Some(sound) = sound(name) else { continue };
            let transcript = heard(&mut recogniser, &sound);
            assert_eq!((transcript.text.as_str(), transcript.rejected), (said, None), "{}", model.display());
            assert_eq!(transcript.language, "en");
        }
    }
}

#[test]
fn where_nobody_speaks_no_text_comes() {
    for model in models(&["base", "tiny.en"]) {
        let mut recogniser = WhisperRecogniser::new(&settings(&model)).unwrap();
        let quiet = [silence(2000), noise(16_000, 0.003), noise(48_000, 0.05)];
        for sound in quiet.into_iter().chain(sound("vad/music.wav")).chain(sound("vad/silence.wav")) {
            let transcript = heard(&mut recogniser, &sound);
            assert!(transcript.rejected.is_some(), "{}: {transcript:?}", model.display());
        }
    }
}

#[test]
fn settled_words_are_those_of_the_end() {
    let Some(sound) = sound("commands/turn-off-all-lights-in-the-office.wav") else { return };
    for model in models(&["base"]) {
        let mut recogniser = WhisperRecogniser::new(&settings(&model)).unwrap();
        recogniser.start().unwrap();
        let mut settled = String::new();
        for block in sound.chunks(512) {
            recogniser.feed(block).unwrap();
            if let Some(partial) = recogniser.partial() {
                settled = partial.text.chars().take(partial.stable).collect();
            }
        }
        let text = recogniser.finish().unwrap().transcript.text;
        assert!(!settled.is_empty() && text.starts_with(&settled), "{settled:?} of {text:?}");
    }
}

#[test]
fn a_decode_stops_soon_after_it_was_cancelled() {
    for model in models(&["base"]) {
        let interrupt = Arc::new(AtomicBool::new(false));
        let settings = WhisperSettings { threads: 1, ..settings(&model) };
        let mut decoder = open(&settings, interrupt.clone()).unwrap();
        let sound = noise(160_000, 0.1);
        let flag = interrupt.clone();
        let stopper = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(40));
            flag.store(true, Ordering::Release);
            Instant::now()
        });
        let decoded = decoder.decode(&sound, Purpose::Last).unwrap();
        let took = stopper.join().unwrap().elapsed();
        assert!(decoded.is_none(), "10 s of sound were decoded in 40 ms");
        eprintln!("stopped {took:.1?} after the flag was raised");
        interrupt.store(false, Ordering::Release);
        assert!(decoder.decode(&sound[..16_000], Purpose::Partial).unwrap().is_some());
    }
}
