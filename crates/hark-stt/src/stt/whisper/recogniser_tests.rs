//! The recogniser around a scripted decoder: interruption and waiting.

use super::decoder::Purpose;
use super::recogniser::{PartialMode, WhisperRecogniser};
use super::testing::{Script, recogniser};
use crate::stt::Recogniser;
use std::time::{Duration, Instant};

const SENTENCE: &str = "Turn on the kitchen light, please.";
const LONG: Duration = Duration::from_secs(20);
/// Less than a decode of [`LONG`], and more than a busy machine makes of a call that does not wait for it.
const AT_ONCE: Duration = Duration::from_secs(10);

/// Speaks `ms` milliseconds into the recogniser, as loud blocks of 100 ms.
fn speak(pipeline: &mut WhisperRecogniser, ms: usize) {
    for _ in 0..ms / 100 {
        pipeline.feed(&[0.1; 1600]).unwrap();
    }
}

fn timed<T>(call: impl FnOnce() -> T) -> (T, Duration) {
    let begun = Instant::now();
    (call(), begun.elapsed())
}

#[test]
fn partials_grow_settle_and_end_in_the_transcript() {
    let script = Script { text: SENTENCE, ..Script::default() };
    let calls = script.calls.clone();
    let mut pipeline = recogniser(script);
    pipeline.start().unwrap();
    assert_eq!(pipeline.partial(), None);
    let mut seen = Vec::new();
    for _ in 0..5 {
        speak(&mut pipeline, 500);
        seen.extend(pipeline.partial().map(|partial| (partial.text, partial.stable)));
    }
    let seen: Vec<(&str, usize)> = seen.iter().map(|(text, stable)| (text.as_str(), *stable)).collect();
    assert_eq!(
        seen,
        [
            ("turn on the", 0),
            ("turn on the kitchen light", 11),
            ("turn on the kitchen light please", 25),
            ("turn on the kitchen light please", 32)
        ]
    );
    let found = pipeline.finish().unwrap();
    assert_eq!(found.transcript.text, "turn on the kitchen light please");
    assert_eq!((found.transcript.engine.as_str(), found.transcript.rejected), ("whisper", None));
    let last = calls.lock().unwrap().asked.last().copied();
    assert_eq!(last, Some((40_000, Purpose::Last)), "the whole utterance is decoded once more");
}

#[test]
fn nothing_but_finish_waits_for_a_decode() {
    let script =
        Script { text: SENTENCE, takes: LONG, partial_mode: PartialMode::Background, ..Script::default() };
    let calls = script.calls.clone();
    let mut pipeline = recogniser(script);
    for _ in 0..3 {
        let (started, took) = timed(|| pipeline.start());
        started.unwrap();
        assert!(took < AT_ONCE, "start took {took:?}");
        let before = calls.lock().unwrap().asked.len();
        speak(&mut pipeline, 2000);
        while calls.lock().unwrap().asked.len() == before {
            std::thread::sleep(Duration::from_millis(1));
        }
        let (fed, took) = timed(|| pipeline.feed(&[0.1; 16_000]));
        fed.unwrap();
        assert!(took < AT_ONCE, "feed took {took:?}");
        let (partial, took) = timed(|| pipeline.partial());
        assert!(partial.is_none() && took < AT_ONCE, "partial took {took:?}");
    }
    let ((), took) = timed(|| pipeline.cancel());
    assert!(took < AT_ONCE, "cancel took {took:?}");
    let ((), took) = timed(|| drop(pipeline));
    assert!(took < AT_ONCE, "drop took {took:?}");
    assert_eq!(calls.lock().unwrap().finished, 0);
}

#[test]
fn finish_interrupts_a_partial_and_decodes_the_whole_once() {
    let script = Script {
        text: SENTENCE,
        takes: Duration::from_millis(150),
        partial_mode: PartialMode::Background,
        ..Script::default()
    };
    let calls = script.calls.clone();
    let mut pipeline = recogniser(script);
    pipeline.start().unwrap();
    speak(&mut pipeline, 2000);
    while calls.lock().unwrap().asked.is_empty() {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(pipeline.finish().unwrap().transcript.text, "turn on the kitchen light please");
    let calls = calls.lock().unwrap();
    assert_eq!((calls.asked.len(), calls.finished), (2, 1), "the partial was not waited for");
}

#[test]
fn a_finish_under_way_ends_early_when_its_words_are_not_wanted_any_more() {
    let script =
        Script { text: SENTENCE, takes: LONG, partial_mode: PartialMode::Background, ..Script::default() };
    let calls = script.calls.clone();
    let mut pipeline = recogniser(script);
    let interrupt = pipeline.interrupter().unwrap();
    interrupt();
    pipeline.start().unwrap();
    pipeline.feed(&[0.1; 12_000]).unwrap();
    interrupt();
    let other = std::thread::spawn(move || {
        while calls.lock().unwrap().asked.is_empty() {
            std::thread::sleep(Duration::from_millis(1));
        }
        interrupt();
        Instant::now()
    });
    let transcript = pipeline.finish().unwrap().transcript;
    let late = other.join().unwrap().elapsed();
    assert!(late < AT_ONCE, "finish ended {late:?} after it was interrupted");
    assert!(transcript.rejected.unwrap().contains("interrupted"));
    // The utterance may go on with the same sound.
    pipeline.start().unwrap();
    pipeline.feed(&[0.1; 16_000]).unwrap();
    pipeline.cancel();
}

#[test]
fn an_utterance_must_be_begun_and_can_be_dropped_at_any_time() {
    let mut pipeline = recogniser(Script { text: SENTENCE, ..Script::default() });
    assert!(pipeline.feed(&[0.1; 512]).is_err());
    assert!(pipeline.finish().is_err());
    assert_eq!(pipeline.partial(), None);
    pipeline.cancel();
    pipeline.start().unwrap();
    pipeline.cancel();
    assert!(pipeline.feed(&[0.1; 512]).is_err());
    pipeline.start().unwrap();
    speak(&mut pipeline, 1000);
    pipeline.start().unwrap();
    speak(&mut pipeline, 600);
    let found = pipeline.finish().unwrap();
    assert_eq!(found.transcript.text, "turn on", "sound of the first utterance does not mix in");
    assert!(pipeline.finish().is_err());
}

#[test]
fn a_person_who_goes_on_after_a_pause_keeps_the_words_so_far() {
    let script = Script { text: SENTENCE, ..Script::default() };
    let calls = script.calls.clone();
    let mut pipeline = recogniser(script);
    pipeline.start().unwrap();
    speak(&mut pipeline, 1500);
    let first = pipeline.finish().unwrap().transcript.text;
    let decodes = calls.lock().unwrap().asked.len();
    // The same sound and more, at once: what was decoded of it is not decoded again.
    pipeline.start().unwrap();
    pipeline.feed(&vec![0.1; 24_000 + 1600]).unwrap();
    assert_eq!(pipeline.partial().unwrap().text, first);
    assert_eq!(calls.lock().unwrap().asked.len(), decodes);
    speak(&mut pipeline, 500);
    let partial = pipeline.partial().unwrap();
    assert_eq!((partial.text.len(), partial.stable), (32, first.len()));
    pipeline.cancel();
    // The same after an utterance whose words were not needed.
    pipeline.start().unwrap();
    pipeline.feed(&vec![0.1; 24_000]).unwrap();
    let words = pipeline.partial().unwrap().text;
    pipeline.begin_finish(LONG).unwrap();
    pipeline.stop();
    let decodes = calls.lock().unwrap().asked.len();
    pipeline.start().unwrap();
    pipeline.feed(&vec![0.1; 24_000 + 1600]).unwrap();
    assert_eq!(pipeline.partial().unwrap().text, words);
    assert_eq!(calls.lock().unwrap().asked.len(), decodes);
    // Another sound: nothing of the last utterance is kept.
    pipeline.start().unwrap();
    pipeline.feed(&vec![0.2; 1600]).unwrap();
    assert_eq!(pipeline.partial(), None);
}

#[test]
fn silence_is_rejected_without_a_decode() {
    let script = Script { text: SENTENCE, ..Script::default() };
    let calls = script.calls.clone();
    let mut pipeline = recogniser(script);
    for sound in [vec![], vec![0.1; 100], vec![0.0; 16_000], vec![f32::NAN; 16_000]] {
        pipeline.start().unwrap();
        pipeline.feed(&sound).unwrap();
        let transcript = pipeline.finish().unwrap().transcript;
        assert!(transcript.rejected.is_some() && transcript.text.is_empty(), "{transcript:?}");
    }
    assert!(calls.lock().unwrap().asked.is_empty());
}

#[test]
fn a_decode_that_fails_is_a_fault_and_the_next_utterance_may_work() {
    let mut pipeline = recogniser(Script { fails: true, ..Script::default() });
    for _ in 0..2 {
        pipeline.start().unwrap();
        speak(&mut pipeline, 1500);
        assert_eq!(pipeline.partial(), None, "a partial that fails is none");
        let fault = pipeline.finish().unwrap_err();
        assert!(fault.message.contains("scripted failure"), "{fault}");
    }
}

#[test]
fn a_thread_that_died_is_told_and_nobody_waits_for_it() {
    let mut pipeline = recogniser(Script { panics: true, ..Script::default() });
    pipeline.start().unwrap();
    speak(&mut pipeline, 400);
    let fault = pipeline.finish().unwrap_err();
    assert!(fault.message.contains("thread"), "{fault}");
    pipeline.start().unwrap();
    assert!(pipeline.feed(&[0.1; 512]).is_err());
    assert_eq!(pipeline.partial(), None);
}
