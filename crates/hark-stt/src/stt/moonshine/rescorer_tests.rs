//! The rescorer with the real model and a voice that was recorded from a person (flite's).

use super::{MoonshineError, MoonshineFiles, MoonshineRescorer, MoonshineResult};
use crate::stt::grammar::test_grammar::Sentences;
use crate::testing;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

const SENTENCES: [&str; 5] =
    ["turn on the lamp", "turn off the lamp", "set a timer for fifteen minutes", "what time is it", "stop"];

/// The files of the real model.
pub(in crate::stt) fn files() -> MoonshineFiles {
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/cache");
    MoonshineFiles {
        runtime: cache.join("libonnxruntime.so"),
        encoder: cache.join("moonshine_tiny_en_encoder.ort"),
        decoder: cache.join("moonshine_tiny_en_decoder.ort"),
        tokens: cache.join("moonshine_tiny_en_tokens.bin"),
    }
}

fn listener(sentences: &[&str]) -> MoonshineRescorer {
    MoonshineRescorer::new(files(), Arc::new(Sentences::new(sentences))).expect("the model's files")
}

fn hear(listener: &mut MoonshineRescorer, sound: &[f32]) -> Result<Option<MoonshineResult>, MoonshineError> {
    listener.decode(sound)?;
    listener.result()
}

/// What flite says, at 16 kHz; `None` where flite is not installed.
pub(in crate::stt) fn said(words: &str) -> Option<Vec<f32>> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("said.wav");
    let status = Command::new("flite").args(["-voice", "slt", "-t", words, "-o"]).arg(&file).status().ok()?;
    assert!(status.success());
    let quiet = testing::silence(400);
    Some([&quiet[..], &testing::wav(&file), &quiet].concat())
}

#[test]
fn the_sentence_that_was_said_is_the_likeliest() {
    let mut listener = listener(&SENTENCES);
    for words in SENTENCES {
        let Some(sound) = said(words) else { return println!("skipped: no flite") };
        let result = hear(&mut listener, &sound).unwrap().expect("a result");
        assert_eq!(result.sentences[0].words.join(" "), words, "{result:?}");
        let lists: Vec<Vec<String>> = result.sentences.iter().map(|found| found.words.clone()).collect();
        let scores = listener.score(&lists).unwrap();
        for (found, score) in result.sentences.iter().zip(scores) {
            // The model computes in 8 bits, scaled by all rows of a run together.
            let difference = (found.score - score.unwrap()).abs();
            assert!(difference < 1.5, "{found:?}: {score:?} when asked for alone");
        }
    }
}

#[test]
fn what_is_no_sentence_of_the_home_is_heard_all_the_same() {
    let Some(sound) = said("where did abraham lincoln live") else { return println!("skipped: no flite") };
    let mut listener = listener(&SENTENCES);
    let result = hear(&mut listener, &sound).unwrap().expect("a result");
    let free = &result.free[0];
    assert!(free.text.to_lowercase().contains("abraham lincoln"), "{result:?}");
    let best = result.sentences.first().map_or(f32::NEG_INFINITY, |found| found.score);
    assert!(free.score - best > 10.0, "{result:?}");
}

#[test]
fn how_a_sentence_begins_is_known_while_it_is_still_being_said() {
    let Some(sound) = said("turn off the lamp") else { return println!("skipped: no flite") };
    let mut listener = listener(&SENTENCES);
    let result = hear(&mut listener, &sound[..20_000]).unwrap().expect("a result");
    let [one, two, ..] = &result.prefixes[..] else { panic!("{result:?}") };
    assert_eq!((one.words.join(" "), two.words.join(" ")), ("turn".into(), "turn off".into()));
    assert!(two.gap < 1.0, "{result:?}");
    let Some(sound) = said("where did abraham lincoln live") else { return };
    let result = hear(&mut listener, &sound[..19_200]).unwrap().expect("a result");
    assert!(result.prefixes.iter().all(|it| it.gap > 2.0), "{result:?}");
}

#[test]
fn it_stops_when_it_is_told_to_and_rests_when_nobody_speaks() {
    let mut listener = listener(&SENTENCES);
    let sound: Vec<f32> = (0..32_000).map(|at| (at as f32 * 0.05).sin() * 0.1).collect();
    assert!(!listener.is_loaded());
    listener.prepare().unwrap();
    assert!(listener.is_loaded());
    listener.decode(&sound).unwrap();
    listener.abort();
    assert_eq!(listener.result().unwrap(), None);
    listener.unload().unwrap();
    assert!(!listener.is_loaded());
    let nothing = listener.score(&[vec!["stop".to_owned()]]).unwrap();
    assert_eq!(nothing, [None], "there is no utterance any more");
}

#[test]
fn an_utterance_too_short_for_a_word_is_nothing_and_an_empty_home_has_no_sentences() {
    let mut listener = listener(&[]);
    assert_eq!(hear(&mut listener, &[0.0; 800]).unwrap(), None);
    let result = hear(&mut listener, &[0.0; 16_000]).unwrap().expect("a result");
    assert!(result.sentences.is_empty(), "{result:?}");
}

#[test]
fn missing_and_wrong_files_are_named() {
    let grammar = || Arc::new(Sentences::new(&SENTENCES));
    let missing = MoonshineFiles { decoder: "/nowhere/decoder.ort".into(), ..files() };
    let error = MoonshineRescorer::new(missing, grammar()).err().unwrap();
    assert!(error.to_string().contains("/nowhere/decoder.ort"), "{error}");
    let wrong = MoonshineFiles { encoder: files().tokens, ..files() };
    let mut listener = MoonshineRescorer::new(wrong, grammar()).unwrap();
    let error = hear(&mut listener, &[0.0; 16_000]).err().unwrap();
    assert!(error.to_string().contains("moonshine_tiny_en_tokens.bin"), "{error}");
}

#[test]
fn what_was_begun_ahead_is_used_when_only_silence_follows() {
    let Some(sound) = said("turn off the lamp") else { return println!("skipped: no flite") };
    let speech = &sound[..sound.len() - 4_800];
    let first = |result: Option<MoonshineResult>| result.expect("a result").sentences[0].words.join(" ");
    let mut listener = listener(&SENTENCES);
    // Within a word, then at the end: the second replaces the first.
    listener.decode(&sound[..9_600]).unwrap();
    listener.decode(speech).unwrap();
    listener.decode_final(&sound[..speech.len() + 1_024]).unwrap();
    assert_eq!(first(listener.result().unwrap()), "turn off the lamp");
    // Words that came after it are not left out.
    listener.decode(&sound[..9_600]).unwrap();
    listener.decode_final(speech).unwrap();
    assert_eq!(first(listener.result().unwrap()), "turn off the lamp");
    listener.decode(speech).unwrap();
    listener.unload().unwrap();
    assert!(!listener.is_loaded(), "nobody waits for it any more");
}
