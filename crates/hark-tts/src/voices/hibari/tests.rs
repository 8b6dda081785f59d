//! The real voice on the real ONNX Runtime, with phonemes of both phonemisers.

use super::*;
use crate::phonemes::english::English;
use crate::voices::espeak::Espeak;
use crate::voices::test_speech::say;
use hark_core::FaultKind;
use std::ops::ControlFlow;

const CACHE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/cache");

fn cache(file: &str) -> PathBuf {
    Path::new(CACHE).join(file)
}

fn open_at(rate_wpm: u32) -> Hibari {
    open_with(English::Own(crate::phonemes::phonemiser::tests::phonemiser()), rate_wpm)
}

fn open_with(english: English, rate_wpm: u32) -> Hibari {
    let runtime = OnnxRuntime::load(&cache("libonnxruntime.so")).unwrap();
    Hibari::open(runtime, &cache("hibari_heart.onnx"), reader(english), rate_wpm).unwrap()
}

fn reader(english: English) -> EnglishReader {
    EnglishReader::open(&cache("hibari_vocab.json"), "en-US", english).unwrap()
}

#[test]
fn a_sentence_becomes_speech_of_a_sensible_length_each_time_the_same() {
    let mut voice = open_at(170);
    let samples = say(&mut voice, "I turned on the kitchen lights.", "en");
    let seconds = samples.len() as f32 / voice.rate_hz() as f32;
    let rms = (samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len() as f32).sqrt();
    assert!((1.2..3.0).contains(&seconds), "{seconds} s");
    assert!((0.01..0.3).contains(&rms), "{rms}");
    assert_eq!(samples, say(&mut voice, "I turned on the kitchen lights.", "en"));
}

#[test]
fn phonemes_are_those_of_its_alphabet() {
    let espeak = Espeak::open(&cache("espeak-ng-data"), 170, 50).unwrap();
    for (voice, said) in [
        (open_at(170), "ðə kˈɪʧᵊn lˈIt ɪz ˌɔn, ˌOkˈA?"),
        (open_with(English::Espeak(espeak), 170), "ðə kˈɪʧən lˈIt ɪz ˈɔn, OkˈA?"),
    ] {
        assert_eq!(voice.reader.phonemes("The kitchen light is on, okay?").unwrap(), said);
        let phonemes = voice.reader.phonemes("which fire burned the boy's little house?").unwrap();
        assert_eq!(voice.reader.ids(&phonemes).len(), phonemes.chars().count(), "{phonemes}");
    }
}

#[test]
fn the_speed_is_heard() {
    let text = "The washing machine has finished.";
    let (slow, fast) = (say(&mut open_at(120), text, "en").len(), say(&mut open_at(260), text, "en").len());
    assert!(slow > fast * 3 / 2, "{slow} and {fast}");
}

#[test]
fn nothing_to_say_is_no_sound_and_long_words_are_survived() {
    let mut voice = open_at(170);
    assert!(say(&mut voice, "", "en").is_empty() && say(&mut voice, " … ?!", "en").is_empty());
    let long = say(&mut voice, &"all the lights are on and the doors are locked ".repeat(30), "en");
    assert!(long.len() > 24_000 * 40, "{}", long.len());
    assert!(!say(&mut voice, &"supercalifragilistic".repeat(40), "en").is_empty());
}

#[test]
fn breaking_ends_it_within_a_piece() {
    let mut pieces = 0;
    open_at(170)
        .synthesise(
            "The lights are on and the doors are locked and the heating is down.",
            "en",
            &mut |piece| {
                pieces += usize::from(!piece.is_empty());
                if pieces == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        )
        .unwrap();
    assert_eq!(pieces, 2);
}

#[test]
fn a_model_of_another_kind_is_a_missing_part() {
    let runtime = OnnxRuntime::load(&cache("libonnxruntime.so")).unwrap();
    for (model, named) in [("silero_vad_16k_op15.onnx", "ids, speed"), ("none.onnx", "none.onnx")] {
        let english = English::Own(crate::phonemes::phonemiser::tests::phonemiser());
        let fault = Hibari::open(runtime, &cache(model), reader(english), 170).err().unwrap();
        assert_eq!(fault.kind, FaultKind::MissingPart);
        assert!(fault.message.contains(named), "{fault}");
    }
}
