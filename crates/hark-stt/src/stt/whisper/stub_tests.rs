//! whisper.cpp itself on a model without weights: mechanics and timing, no recognition.
//!
//! The file has tiny.en's real dimensions and vocabulary, so that the encoder and one step of the
//! decoder cost what they cost with weights; its text is always empty.
#![cfg(feature = "whisper")]

use super::decoder::{Decoder, Purpose};
use super::hallucination::HallucinationLimits;
use super::recogniser::{PartialMode, WhisperRecogniser, WhisperSettings};
use super::test_models::{STUB_HEADER, model_file, stub};
use super::{WhisperError, open};
use crate::stt::Recogniser;
use crate::testing::shared;
use hark_core::{Fault, FaultKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn settings(model: &Path) -> WhisperSettings {
    WhisperSettings {
        model: model.to_owned(),
        threads: 2,
        min_context_frames: 256,
        partial_ms: 500,
        languages: vec!["en".into(), "de".into()],
        names: ["Kitchen", "Living room", "Ceiling light"].map(str::to_owned).to_vec(),
        prompt_tokens: 48,
        guards: HallucinationLimits { min_confidence: 0.3, max_no_speech: 0.6 },
        partial_mode: PartialMode::Background,
    }
}

/// The shared file, or one of the same dimensions without its vocabulary.
fn model() -> (PathBuf, Option<tempfile::NamedTempFile>) {
    // The file of tiny.en's dimensions and vocabulary without weights, when this machine has it.
    match shared("whisper/for-tests-ggml-tiny.en.bin") {
        Some(path) => (path, None),
        None => {
            let file = model_file(&stub(&STUB_HEADER));
            (file.path().to_owned(), Some(file))
        }
    }
}

/// Something like a voice: a tone that swells and falls.
fn sound(seconds: usize) -> Vec<f32> {
    (0..seconds * 16_000)
        .map(|at| {
            let t = at as f32 / 16_000.0;
            (t * 900.0).sin() * (t * 12.0).sin() * 0.3
        })
        .collect()
}

fn loaded(settings: &WhisperSettings) -> (Box<dyn Decoder>, Arc<AtomicBool>) {
    let interrupt = Arc::new(AtomicBool::new(false));
    (open(settings, interrupt.clone()).unwrap(), interrupt)
}

/// Median of the times `work` takes.
fn median(times: usize, mut work: impl FnMut()) -> Duration {
    let mut took: Vec<Duration> = (0..times)
        .map(|_| {
            let begun = Instant::now();
            work();
            begun.elapsed()
        })
        .collect();
    took.sort();
    took[took.len() / 2]
}

#[test]
fn an_utterance_runs_through_and_is_rejected_because_nothing_was_written() {
    let (path, _file) = model();
    let mut pipeline =
        WhisperRecogniser::new(&WhisperSettings { partial_mode: PartialMode::LockStep, ..settings(&path) })
            .unwrap();
    for _ in 0..2 {
        pipeline.start().unwrap();
        for block in sound(3).chunks(8000) {
            pipeline.feed(block).unwrap();
            assert_eq!(pipeline.partial(), None);
        }
        let transcript = pipeline.finish().unwrap().transcript;
        assert_eq!(transcript.rejected.as_deref(), Some("no words were recognised"));
        assert_eq!((transcript.engine.as_str(), transcript.language.as_str()), ("whisper", "en"));
    }
    pipeline.start().unwrap();
    pipeline.feed(&[f32::NAN, f32::INFINITY, 0.5]).unwrap();
    assert!(pipeline.finish().unwrap().transcript.rejected.is_some());
}

/// Least processor time of this thread that `work` takes: what it costs, whatever else the machine does.
fn cost(times: usize, mut work: impl FnMut()) -> Duration {
    let costs = (0..times).map(|_| {
        let before = processor_time();
        work();
        processor_time() - before
    });
    costs.min().unwrap()
}

/// How long after the flag was raised, `after` ms into a decode of this sound, the decode ended; `None`
/// when it was over before that.
fn interrupted(
    decoder: &mut dyn Decoder,
    interrupt: &Arc<AtomicBool>,
    sound: &[f32],
    after: u64,
) -> Option<Duration> {
    let flag = interrupt.clone();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(after));
        flag.store(true, Ordering::Release);
        Instant::now()
    });
    let decoded = decoder.decode(sound, Purpose::Last).unwrap();
    let ended = Instant::now();
    let raised = stopper.join().unwrap();
    interrupt.store(false, Ordering::Release);
    decoded.is_none().then(|| ended.saturating_duration_since(raised))
}

#[test]
fn a_decode_is_interrupted_also_in_the_encoder() {
    let (path, _file) = model();
    let (mut decoder, interrupt) = loaded(&WhisperSettings { threads: 1, ..settings(&path) });
    let sound = sound(12);
    let whole = cost(1, || drop(decoder.decode(&sound, Purpose::Last).unwrap()));
    // 20 ms lie well inside the encoder, which takes some half a second on one core.
    let broken_off = cost(5, || {
        interrupted(decoder.as_mut(), &interrupt, &sound, 20).expect("12 s are not decoded in 20 ms");
    });
    assert!(broken_off * 2 < whole, "{broken_off:?} of {whole:?}");
    // And it can be used again.
    assert!(decoder.decode(&sound[..16_000], Purpose::Last).unwrap().is_some());
}

#[test]
fn cancelling_does_not_wait() {
    let (path, _file) = model();
    let mut pipeline = WhisperRecogniser::new(&settings(&path)).unwrap();
    let sound = sound(29);
    let begun = Instant::now();
    pipeline.start().unwrap();
    pipeline.feed(&sound).unwrap();
    pipeline.finish().unwrap();
    let whole = begun.elapsed();
    let begun = Instant::now();
    for _ in 0..5 {
        pipeline.start().unwrap();
        pipeline.feed(&sound).unwrap();
        // The partial of 29 s is in the middle of its encoder by now.
        std::thread::sleep(Duration::from_millis(60));
        pipeline.cancel();
    }
    let five = begun.elapsed();
    assert!(five < whole * 2, "cancel waited: five took {five:?}, one decode takes {whole:?}");
}

#[test]
fn less_sound_costs_less() {
    let (path, _file) = model();
    // One thread: two of them wait for each other when the machine is busy, whatever the length.
    let (mut decoder, _interrupt) = loaded(&WhisperSettings { threads: 1, ..settings(&path) });
    let mut cost = |seconds| {
        let sound = sound(seconds);
        cost(3, || {
            decoder.decode(&sound, Purpose::Last).unwrap().unwrap();
        })
    };
    let (short, long) = (cost(2), cost(14));
    assert!(short * 3 < long * 2, "2 s cost {short:?}, 14 s cost {long:?}");
}

/// Time this thread has had a processor.
fn processor_time() -> Duration {
    rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime).try_into().unwrap()
}

#[test]
#[ignore = "a measurement: run it with --nocapture on a quiet machine"]
fn timing_by_length() {
    let (path, _file) = model();
    for (prompt_tokens, threads) in [(0, 2), (0, 1), (48, 1), (223, 1)] {
        let names = (0..100).map(|number| format!("Ceiling light {number}")).collect();
        let settings = WhisperSettings { names, prompt_tokens, threads, ..settings(&path) };
        let (mut decoder, interrupt) = loaded(&settings);
        for seconds in [2, 4, 8] {
            let sound = sound(seconds);
            let before = processor_time();
            let partial = median(5, || drop(decoder.decode(&sound, Purpose::Partial).unwrap().unwrap()));
            let busy = (processor_time() - before) / 5;
            let last = median(5, || drop(decoder.decode(&sound, Purpose::Last).unwrap().unwrap()));
            let stops = [5, 20, 40].map(|after| interrupted(decoder.as_mut(), &interrupt, &sound, after));
            eprintln!(
                "{threads} threads, prompt of {prompt_tokens}, {seconds} s: partial {partial:.1?} (processor of the \
                 calling thread {busy:.1?}), last {last:.1?}, interrupted {stops:.1?}"
            );
        }
    }
}

#[test]
fn what_is_no_model_is_a_missing_part_with_its_fix() {
    let refused = |path: &Path| {
        let error = WhisperRecogniser::new(&settings(path)).err().unwrap();
        let fault = Fault::from(error);
        assert_eq!((fault.kind, fault.part.as_str()), (FaultKind::MissingPart, "stt"));
        assert!(fault.fix.contains("hark models pull whisper_base"), "{fault}");
        fault.message
    };
    assert!(refused(Path::new("/nowhere/ggml.bin")).contains("/nowhere/ggml.bin"));
    let text = model_file(b"no model at all, but a text that is long enough for a header and more than that");
    assert!(refused(text.path()).contains("first bytes"));
    let whole = stub(&STUB_HEADER);
    let cut = model_file(&whole[..whole.len() / 2]);
    assert!(refused(cut.path()).contains("ends too early"));
    // Whole in form, but its one tensor is none of Whisper's.
    let mut odd = whole;
    for field in [1u32, 1, 0, 1] {
        odd.extend(field.to_le_bytes());
    }
    odd.extend(b"x\0\0\0\0");
    let odd = model_file(&odd);
    assert!(refused(odd.path()).contains("1 of 167 tensors"));
}

#[test]
fn what_whisper_cpp_refuses_is_told_with_its_reason() {
    // All tensors there are, by number, with names it does not know.
    let mut strange = stub(&STUB_HEADER);
    for number in 0..167 {
        for field in [1u32, 3, 0, 1] {
            strange.extend(field.to_le_bytes());
        }
        strange.extend(format!("{number:03}").as_bytes());
        strange.extend([0; 4]);
    }
    let strange = model_file(&strange);
    let error = WhisperRecogniser::new(&settings(strange.path())).err().unwrap();
    assert!(matches!(&error, WhisperError::Refused { why, .. } if why.contains("unknown tensor")), "{error}");
}

#[test]
fn a_model_of_many_languages_says_which_or_that_it_is_unsure() {
    let mut header = STUB_HEADER;
    header[1] = 51_865;
    let file = model_file(&stub(&header));
    let (mut decoder, _interrupt) = loaded(&settings(file.path()));
    let decoded = decoder.decode(&sound(1), Purpose::Partial).unwrap().unwrap();
    // Without weights all languages are alike.
    assert_eq!(decoded.language, "unknown");
}
