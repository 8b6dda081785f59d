//! The real voices on the real ONNX Runtime, where they have been pulled.

use super::*;
use crate::phonemes::english::English;
use crate::phonemes::phonemiser::tests::phonemiser;
use crate::voices::espeak::Espeak;
use crate::voices::test_speech::say;
use std::ops::ControlFlow;

const CACHE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/cache");

fn cache(file: &str) -> PathBuf {
    Path::new(CACHE).join(file)
}

fn runtime() -> OnnxRuntime {
    OnnxRuntime::load(&cache("libonnxruntime.so")).unwrap()
}

fn english() -> Reader {
    let english = English::Own(phonemiser());
    Reader::English(EnglishReader::open(&cache("hibari_vocab.json"), "en-US", english).unwrap())
}

/// `None` where the weights have not been pulled; `af_heart` is at 3.
fn open(place: usize, reader: Reader, rate_wpm: u32) -> Option<Kokoro> {
    let (network, voices) = (cache("kokoro.onnx"), cache("kokoro_voices.bin"));
    if !network.is_file() || !voices.is_file() {
        eprintln!("passed over: hark models pull kokoro_network kokoro_voices");
        return None;
    }
    let network = Network::open(runtime(), &network).unwrap();
    Some(Kokoro::open(network, (&voices, place), reader, rate_wpm).unwrap())
}

fn seconds(samples: &[f32]) -> f32 {
    samples.len() as f32 / RATE_HZ as f32
}

#[test]
fn names_say_the_language() {
    for (name, language) in [
        ("af_heart", Some("en-US")),
        ("bm_george", Some("en-GB")),
        ("pf_dora", Some("pt-BR")),
        ("ff_siwis", Some("fr-FR")),
        ("jf_alpha", None),
        ("zm_yunxi", None),
        ("ax_heart", None),
        ("af_", None),
        ("heart", None),
        ("", None),
    ] {
        assert_eq!(language_of(name), language, "{name}");
    }
}

#[test]
fn a_sentence_becomes_speech_of_a_sensible_length_and_speed() {
    let Some(mut voice) = open(3, english(), 170) else { return };
    let samples = say(&mut voice, "I turned on the kitchen lights.", "en");
    let rms = (samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len() as f32).sqrt();
    assert!((1.2..3.0).contains(&seconds(&samples)), "{} s", seconds(&samples));
    assert!((0.01..0.3).contains(&rms), "{rms}");
    let fast = say(&mut open(3, english(), 260).unwrap(), "I turned on the kitchen lights.", "en");
    assert!(samples.len() > fast.len() * 5 / 4, "{} and {}", samples.len(), fast.len());
    assert!(say(&mut voice, "", "en").is_empty() && say(&mut voice, " … ?!", "en").is_empty());
}

#[test]
fn other_languages_have_sounds_for_all_of_their_phonemes() {
    let espeak = Espeak::open(&cache("espeak-ng-data"), 170, 50).unwrap();
    for (language, text) in [
        ("es", "He encendido la luz de la cocina, ¿algo más?"),
        ("fr-FR", "J'ai allumé la lumière dans la cuisine."),
        ("it", "Ho acceso la luce in cucina, ciao!"),
        ("pt-BR", "Acendi a luz da cozinha."),
        ("hi", "मैंने रसोई की बत्ती जला दी है।"),
    ] {
        let reader = OtherReader::open(&cache("hibari_vocab.json"), language, espeak.clone()).unwrap();
        let phonemes = reader.phonemes(text).unwrap();
        let (known, all) = (reader.ids(&phonemes).len(), phonemes.chars().count());
        // What it has no sound for are marks under letters.
        assert!(all > 15 && known + 3 >= all, "{language}: {known} of {phonemes:?}");
    }
}

#[test]
fn a_voice_of_another_language_speaks() {
    let espeak = Espeak::open(&cache("espeak-ng-data"), 170, 50).unwrap();
    let reader = OtherReader::open(&cache("hibari_vocab.json"), "es", espeak).unwrap();
    let Some(mut voice) = open(28, Reader::Other(reader), 170) else { return };
    let samples = say(&mut voice, "He encendido la luz de la cocina.", "en");
    assert!((1.0..4.0).contains(&seconds(&samples)), "{} s", seconds(&samples));
}

#[test]
fn a_long_reply_comes_clause_by_clause_and_can_be_broken_off_between_them() {
    let Some(mut voice) = open(3, english(), 170) else { return };
    let text = "The lights in the kitchen are on, the doors are all locked, and the heating is down to eighteen degrees.";
    let (mut runs, mut pieces) = (0, 0);
    voice
        .synthesise(text, "en", &mut |piece| {
            runs += usize::from(piece.is_empty());
            pieces += usize::from(!piece.is_empty());
            if runs == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert!(runs == 2 && (8..40).contains(&pieces), "{runs} runs, {pieces} pieces");
}

#[test]
fn a_network_of_another_kind_is_a_missing_part() {
    for (network, named) in [("silero_vad_16k_op15.onnx", "tokens, style, speed"), ("none.onnx", "none.onnx")]
    {
        let fault = Network::open(runtime(), &cache(network)).err().unwrap();
        assert_eq!(fault.kind, hark_core::FaultKind::MissingPart);
        assert!(fault.message.contains(named), "{fault}");
    }
}
