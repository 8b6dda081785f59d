//! The real piper-rs on the real ONNX Runtime, with a tiny voice that says each phoneme as a tone.

use super::*;
use crate::scene::{RATE_HZ, at_least_once, ended, gaps, scene, started};
use crate::voice_loop::SENTENCE_PAUSE_MS;
use crate::voices::test_speech::say;
use hark_core::FaultKind;
use hark_core::public_event::SpeakingEnd::{Done, Stop};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::process::Command;
use std::time::Instant;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The folder of a voice made for one test.
fn made(speakers: u32) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let script = Path::new(ROOT).join("tests/support/tiny_voice.py");
    let status = Command::new("python3").arg(script).arg(folder.path()).arg(speakers.to_string()).status();
    assert!(status.unwrap().success());
    folder
}

fn espeak() -> Espeak {
    Espeak::open(&Path::new(ROOT).join("models/cache/espeak-ng-data"), 170, 50).unwrap()
}

fn open(folder: &Path, rate_wpm: u32) -> Result<Piper, Fault> {
    let library = Path::new(ROOT).join("models/cache/libonnxruntime.so");
    Piper::open(OnnxRuntime::load(&library).unwrap(), &folder.join("tiny.onnx"), espeak(), rate_wpm)
}

fn settings(folder: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join("tiny.onnx.json")).unwrap()).unwrap()
}

/// The phonemes of the tones that sound: 200 Hz and 30 Hz more for each phoneme behind "a".
fn heard_phonemes(samples: &[f32], rate_hz: u32, folder: &Path) -> String {
    let settings = settings(folder);
    let ids = settings["phoneme_id_map"].as_object().unwrap();
    let first = ids["a"][0].as_i64().unwrap();
    let symbol =
        |id: i64| ids.iter().find(|(_, ids)| ids[0] == id).map_or("?", |(symbol, _)| symbol.as_str());
    let block = rate_hz as usize / 1000;
    let loud = |block: &[f32]| block.iter().any(|sample| sample.abs() > 0.05);
    let blocks: Vec<bool> = samples.chunks(block).map(loud).collect();
    let (mut phonemes, mut at) = (String::new(), 0);
    while at < blocks.len() {
        let long = blocks[at..].iter().take_while(|loud| **loud).count();
        if long >= 6 {
            let tone = &samples[(at + 2) * block..(at + long - 2) * block];
            let id = first + ((pitch_hz(tone, rate_hz) - 200.0) / 30.0).round() as i64;
            phonemes.push_str(symbol(id));
        }
        at += long.max(1);
    }
    phonemes
}

/// Frequency of a pure tone: each sample of one is half the sum of its neighbours over a cosine.
fn pitch_hz(tone: &[f32], rate_hz: u32) -> f64 {
    let (mut along, mut power) = (0.0_f64, 0.0_f64);
    for three in tone.windows(3) {
        along += f64::from(three[1]) * f64::from(three[0] + three[2]);
        power += 2.0 * f64::from(three[1]).powi(2);
    }
    (along / power).clamp(-1.0, 1.0).acos() * f64::from(rate_hz) / std::f64::consts::TAU
}

#[test]
fn phonemes_are_spoken_in_order() {
    let folder = made(1);
    let mut voice = open(folder.path(), 170).unwrap();
    assert_eq!(voice.rate_hz(), 22_050);
    assert_eq!(Piper::language_of(&folder.path().join("tiny.onnx")).unwrap(), "en-us");
    for (text, language, expected) in [
        ("kitchen", "en", "kɪtʃən"),
        ("Light on, please!", "en", "laɪtɔnpliz"),
        ("tomato", "en-GB", "təmeɪɾoʊ"),
        ("Licht", "de", "lɪct"),
        ("", "en", ""),
        ("?!", "en", ""),
    ] {
        let samples = say(&mut voice, text, language);
        assert_eq!(heard_phonemes(&samples, 22_050, folder.path()), expected, "{text:?} in {language}");
    }
    assert_eq!(voice.phonemes("Is it on, now? Yes.", "en").unwrap(), "ɪz ɪɾ ˈɔn, nˈaʊ? jˈɛs.");
}

#[test]
fn speed_and_speakers_are_heard() {
    let folder = made(2);
    let slow = say(&mut open(folder.path(), 170).unwrap(), "kitchen", "en");
    let fast = say(&mut open(folder.path(), 340).unwrap(), "kitchen", "en");
    assert!(fast.len().abs_diff(slow.len() / 2) < 50, "{} and {}", fast.len(), slow.len());
    assert_eq!(heard_phonemes(&slow, 22_050, folder.path()), "kɪtʃən");
}

#[test]
fn an_abort_is_obeyed_before_and_within_the_sound() {
    let folder = made(1);
    let mut voice = open(folder.path(), 170).unwrap();
    for wanted in [0, 2] {
        let mut pieces = 0;
        voice
            .synthesise(&"and so on ".repeat(20), "en", &mut |piece| {
                pieces += usize::from(!piece.is_empty());
                if pieces < wanted { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })
            .unwrap();
        assert_eq!(pieces, wanted);
    }
}

#[test]
fn what_is_missing_is_named_with_how_to_get_it() {
    let folder = made(1);
    for missing in ["tiny.onnx.json", "tiny.onnx"] {
        std::fs::remove_file(folder.path().join(missing)).unwrap();
        let fault = open(folder.path(), 170).err().unwrap();
        assert_eq!(fault.kind, FaultKind::MissingPart);
        assert!(fault.message.contains(missing) && fault.fix.contains("hark models pull"), "{fault}");
    }
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let folder = made(1);
    let whole = settings(folder.path());
    let file = folder.path().join("tiny.onnx.json");
    let wrong: [(&str, Value); 12] = [
        ("/audio/sample_rate", json!(0)),
        ("/audio/sample_rate", json!(4_000_000_000_u64)),
        ("/audio", json!(null)),
        ("/espeak/voice", json!(7)),
        ("/inference/length_scale", json!(-1)),
        ("/inference/noise_w", json!(1e30)),
        ("/phoneme_type", json!("text")),
        ("/phoneme_id_map", json!({})),
        ("/phoneme_id_map/a", json!([])),
        ("/phoneme_id_map/a", json!([-5])),
        ("/phoneme_id_map/a", json!([99_999_999_999_i64])),
        ("/num_speakers", json!("two")),
    ];
    for (place, value) in wrong {
        let mut settings = whole.clone();
        *settings.pointer_mut(place).unwrap() = value.clone();
        std::fs::write(&file, settings.to_string()).unwrap();
        let fault = open(folder.path(), 170).err().unwrap_or_else(|| panic!("{place} = {value}"));
        assert!(fault.message.contains("tiny.onnx.json") && !fault.fix.is_empty(), "{place}: {fault}");
    }
    for text in ["", "{", "[]", "{\"audio\": {}}", "\u{feff}{}"] {
        std::fs::write(&file, text).unwrap();
        assert!(open(folder.path(), 170).is_err(), "{text:?}");
    }
    // Numbers that the model takes and the settings do not promise to be right.
    let mut settings = whole.clone();
    settings["espeak"]["voice"] = json!("klingon");
    std::fs::write(&file, settings.to_string()).unwrap();
    let fault = open(folder.path(), 170).err().unwrap();
    assert!(fault.message.contains("klingon"), "{fault}");
}

#[test]
fn a_model_of_another_kind_is_refused() {
    let folder = made(1);
    let silero = Path::new(ROOT).join("models/cache/silero_vad_16k_op15.onnx");
    let model = folder.path().join("tiny.onnx");
    for content in [std::fs::read(silero).unwrap(), b"no model".to_vec(), Vec::new()] {
        std::fs::write(&model, content).unwrap();
        let fault = open(folder.path(), 170).err().unwrap();
        assert!(fault.message.contains("tiny.onnx") && !fault.fix.is_empty(), "{fault}");
    }
    let two = made(2);
    std::fs::copy(two.path().join("tiny.onnx"), &model).unwrap();
    let fault = open(folder.path(), 170).err().unwrap();
    assert!(fault.message.contains("sid"), "one speaker promised, two there: {fault}");
}

#[test]
fn a_reply_is_played_phrase_by_phrase_without_holes() {
    let folder = made(1);
    at_least_once(|| {
        let mut scene = scene(Box::new(open(folder.path(), 170).unwrap()));
        scene.say("a", "The kitchen light is on. It is 21.5 °C. Good night!");
        let (heard, told) = scene.play_in_real_time();
        let waited = heard.iter().position(|sample| *sample > 0.01).unwrap() / (RATE_HZ as usize / 1000);
        println!("first sound after {waited} ms (blocks of 10 ms), gaps {:?} ms", gaps(&heard));
        assert_eq!(told, [started("a"), ended("a", Done)]);
        let expected = "ðəkɪtʃənlaɪtɪzɔnɪɾɪztwɛntiwʌnpɔɪntfaɪvdᵻɡɹizsɛlsɪəsɡʊdnaɪt";
        assert_eq!(heard_phonemes(&heard, RATE_HZ, folder.path()), expected);
        // The voice's own silence at the end of a phrase (its mark) adds little.
        let pauses: Vec<usize> = gaps(&heard).into_iter().filter(|gap| *gap > 200).collect();
        let even = pauses.iter().all(|gap| gap.abs_diff(SENTENCE_PAUSE_MS as usize) <= 40);
        if even && pauses.len() == 2 { Ok(()) } else { Err(format!("{pauses:?}")) }
    });
}

#[test]
fn a_stopped_reply_is_not_heard_again_and_the_next_one_is() {
    let folder = made(1);
    let mut scene = scene(Box::new(open(folder.path(), 170).unwrap()));
    scene.say("a", &"Nine nice night nurses nursing nicely. ".repeat(20));
    assert!(heard_phonemes(&scene.play(400), RATE_HZ, folder.path()).starts_with("naɪn"));
    let asked = Instant::now();
    scene.voice.stop();
    scene.say("b", "Zoo.");
    let heard = scene.play(600);
    println!("from stop to the next reply settled: {:?}", asked.elapsed());
    assert_eq!(heard_phonemes(&heard, RATE_HZ, folder.path()).trim_start_matches(['n', 'a', 'ɪ']), "zu");
    assert_eq!(scene.told(), [started("a"), ended("a", Stop), started("b"), ended("b", Done)]);
}

#[test]
#[ignore = "a measurement: run it with --nocapture on a quiet machine"]
fn how_soon_a_prepared_reply_sounds() {
    let folder = made(1);
    let mut scene = scene(Box::new(open(folder.path(), 170).unwrap()));
    let mut waits = Vec::new();
    for turn in 0..8 {
        scene.voice.prepare("The light is on.", "en");
        scene.voice.settle();
        let asked = Instant::now();
        scene.say(&turn.to_string(), "The light is on.");
        let mut first = [0.0];
        while first[0] == 0.0 {
            scene.source.fill(&mut first);
        }
        waits.push(asked.elapsed());
        scene.voice.stop();
        scene.play(50);
    }
    waits.sort();
    println!("from say() to the first sample, prepared: {:?}, median {:?}", waits[0], waits[4]);
}

#[test]
fn espeak_is_shared_by_voices_and_recogniser() {
    let folder = made(1);
    let expected = {
        let mut voice = open(folder.path(), 170).unwrap();
        (say(&mut voice, "The kitchen light", "en"), espeak().ipa("Küche", "de").unwrap())
    };
    let path = folder.path();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut voice = open(path, 170).unwrap();
                for _ in 0..20 {
                    assert_eq!(say(&mut voice, "The kitchen light", "en"), expected.0);
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..100 {
                assert_eq!(espeak().ipa("Küche", "de").unwrap(), expected.1);
            }
        });
        for _ in 0..10 {
            let mut samples = 0;
            espeak()
                .synthesise("Guten Abend", "de", &mut |piece| {
                    samples += piece.len();
                    ControlFlow::Continue(())
                })
                .unwrap();
            assert!(samples > 5_000);
        }
    });
}
