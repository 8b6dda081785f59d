//! The recogniser on the real acoustic model. What it understands of people is measured in
//! `hark eval people`; here it is how it behaves.

use super::test_grammar::{Sentences, Speechless};
use super::{GrammarError, GrammarRecogniser, Tuning};
use crate::stt::moonshine::MoonshineFiles;
use crate::stt::moonshine::rescorer_tests::{files, said};
use crate::stt::{Recogniser, Recognition};
use hark_config::stt::Stt;
use hark_core::{Fault, FaultKind};
use std::path::Path;
use std::sync::Arc;

const MODEL: &str = "/usr/share/pocketsphinx/model/en-us";

fn recogniser(sentences: &[&str], model: &str) -> Result<GrammarRecogniser, GrammarError> {
    let work = tempfile::tempdir().unwrap();
    let tuning = Tuning::new(&Stt::default());
    let grammar = Arc::new(Sentences::new(sentences));
    let made = GrammarRecogniser::new(tuning, Path::new(model), grammar, Arc::new(Speechless), work.path());
    assert_eq!(std::fs::read_dir(work.path()).unwrap().count(), 0, "temporary files stay behind");
    made
}

/// Noise of a given level, the same for the same seed.
fn noise(samples: usize, level: f32) -> Vec<f32> {
    let mut state = 12_345u32;
    (0..samples)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 16) as f32 / 32_768.0 - 1.0) * level
        })
        .collect()
}

#[test]
fn sound_without_words_is_rejected_with_a_reason() {
    let mut pipeline =
        recogniser(&["turn on the lamp", "turn off the lamp", "what time is it"], MODEL).unwrap();
    for sound in [vec![], vec![0.0; 100], vec![0.0; 16_000], noise(16_000, 0.01), noise(16_000, 2.0)] {
        pipeline.start().unwrap();
        pipeline.feed(&sound).unwrap();
        let transcript = pipeline.finish().unwrap().transcript;
        assert!(transcript.rejected.is_some(), "{transcript:?}");
        assert!((0.0..=1.0).contains(&transcript.confidence));
    }
    pipeline.start().unwrap();
    pipeline.feed(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY]).unwrap();
    assert!(pipeline.finish().unwrap().transcript.rejected.is_some());
}

#[test]
fn an_utterance_must_be_begun_and_can_be_dropped_at_any_time() {
    let mut pipeline = recogniser(&["turn on the lamp", "stop"], MODEL).unwrap();
    assert!(pipeline.feed(&[0.0; 512]).is_err());
    assert!(pipeline.finish().is_err());
    assert_eq!(pipeline.partial(), None);
    pipeline.cancel();
    pipeline.start().unwrap();
    pipeline.cancel();
    assert!(pipeline.feed(&[0.0; 512]).is_err());
    pipeline.start().unwrap();
    pipeline.feed(&noise(8000, 0.01)).unwrap();
    pipeline.start().unwrap();
    pipeline.feed(&noise(8000, 0.01)).unwrap();
    pipeline.finish().unwrap();
    assert!(pipeline.finish().is_err());
}

#[test]
fn a_missing_model_is_a_missing_part_and_no_sentences_are_a_configuration_fault() {
    let fault = Fault::from(recogniser(&["stop"], "/nowhere").err().unwrap());
    assert_eq!((fault.kind, fault.part.as_str()), (FaultKind::MissingPart, "stt"));
    assert!(fault.message.contains("/nowhere") && fault.fix.contains("pocketsphinx-en-us"));
    let fault = Fault::from(recogniser(&[], MODEL).err().unwrap());
    assert_eq!(fault.kind, FaultKind::BadConfiguration);
}

#[test]
fn words_nobody_can_pronounce_are_named() {
    let pipeline = recogniser(&["turn on the lamp", "turn on the xyzzyx"], MODEL).unwrap();
    assert_eq!(pipeline.unpronounceable(), ["xyzzyx"]);
}

#[test]
fn a_rebuilt_vocabulary_is_taken_at_the_next_start() {
    let mut pipeline = recogniser(&["turn on the lamp"], MODEL).unwrap();
    let rebuilder = pipeline.rebuilder();
    pipeline.start().unwrap();
    let rebuild = |sentences: &'static [&'static str]| {
        let rebuilder = rebuilder.clone();
        let elsewhere = std::thread::spawn(move || rebuilder.rebuild(Arc::new(Sentences::new(sentences))));
        elsewhere.join().unwrap()
    };
    rebuild(&["open the window", "xyzzyx"]).unwrap();
    rebuild(&["lock the door", "qwrtzx"]).unwrap();
    pipeline.feed(&noise(8000, 0.01)).unwrap();
    assert!(pipeline.unpronounceable().is_empty(), "the utterance at hand keeps its vocabulary");
    pipeline.finish().unwrap();
    pipeline.start().unwrap();
    assert_eq!(pipeline.unpronounceable(), ["qwrtzx"], "the latest wins");
    pipeline.cancel();
    assert_eq!(rebuild(&[]).unwrap_err().kind, FaultKind::BadConfiguration);
    pipeline.start().unwrap();
    assert_eq!(pipeline.unpronounceable(), ["qwrtzx"], "a failed rebuild changes nothing");
}

fn with_moonshine(sentences: &[&str], files: MoonshineFiles) -> GrammarRecogniser {
    recogniser(sentences, MODEL).unwrap().with_moonshine(files).unwrap()
}

#[test]
fn a_draft_ends_nothing() {
    let Some(said) = said("turn off the lamp") else { return println!("skipped: no flite") };
    let mut pipeline =
        recogniser(&["turn on the lamp", "turn off the lamp", "what time is it"], MODEL).unwrap();
    let text = |found: Option<Result<Recognition, Fault>>| found.unwrap().unwrap().transcript.text;
    pipeline.start().unwrap();
    for block in said.chunks(3_200) {
        pipeline.feed(block).unwrap();
        assert!(pipeline.draft().is_some_and(|drafted| drafted.is_ok()));
    }
    assert_eq!(text(pipeline.draft()), "turn off the lamp");
    // The next utterance begins without this one having been ended.
    pipeline.start().unwrap();
    pipeline.feed(&said).unwrap();
    let drafted = text(pipeline.draft());
    assert_eq!(
        (drafted.as_str(), pipeline.finish().unwrap().transcript.text.as_str()),
        ("turn off the lamp", "turn off the lamp")
    );
    assert!(pipeline.draft().unwrap().is_err(), "there is no utterance any more");
}

#[test]
fn words_that_are_no_sentence_of_the_home_are_heard_by_the_neural_listener() {
    let Some(said) = said("where did abraham lincoln live") else { return println!("skipped: no flite") };
    let mut pipeline = with_moonshine(&["turn on the lamp", "turn off the lamp", "what time is it"], files());
    for _ in 0..2 {
        pipeline.start().unwrap();
        pipeline.preroll(&noise(4_800, 0.001));
        pipeline.feed(&noise(4_800, 0.001)).unwrap();
        pipeline.feed(&said).unwrap();
        let found = pipeline.finish().unwrap();
        assert_eq!(found.transcript.engine, "neural", "{found:?}");
        assert_eq!(found.transcript.rejected, None);
        assert!(found.transcript.text.to_lowercase().contains("abraham lincoln"), "{found:?}");
        assert!(found.transcript.why.is_some(), "why the grammar's words were not taken");
        // The second time it has let go of the model before.
        pipeline.release_memory();
    }
}

#[test]
fn a_neural_listener_that_breaks_is_left_out_and_the_grammar_goes_on() {
    let broken = MoonshineFiles { encoder: files().tokens, ..files() };
    let mut pipeline = with_moonshine(&["turn on the lamp"], broken);
    for _ in 0..2 {
        pipeline.start().unwrap();
        pipeline.feed(&noise(16_000, 0.1)).unwrap();
        let transcript = pipeline.finish().unwrap().transcript;
        assert!(transcript.rejected.is_some(), "{transcript:?}");
        assert_eq!(transcript.engine, "grammar");
    }
}
