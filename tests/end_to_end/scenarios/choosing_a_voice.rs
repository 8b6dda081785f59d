//! Trying voices: `hark say` lists them, speaks with one of them, and says how to get what is missing.

use crate::support::{Hark, root, run, text};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Piper voice of the tests: a tone for each phoneme.
fn tiny_voice(hark: &Hark) -> PathBuf {
    run(Command::new("python3").arg(root().join("tests/support/tiny_voice.py")).arg(hark.path("voices")));
    hark.path("voices/tiny.onnx")
}

fn seconds(file: &Path) -> f64 {
    let reader = hound::WavReader::open(file).unwrap();
    f64::from(reader.duration()) / f64::from(reader.spec().sample_rate)
}

fn rate_hz(file: &Path) -> u32 {
    hound::WavReader::open(file).unwrap().spec().sample_rate
}

#[test]
fn the_voices_are_listed_with_how_to_get_them() {
    let hark = Hark::new();
    let output = hark.run(&["say", "--list-voices"]);
    let list = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for line in [
        "hibari   hibari_heart ",
        "piper    piper_de_thorsten",
        "espeak   de ",
        "espeak   en-us ",
        "hark models pull piper_de_thorsten",
    ] {
        assert!(list.contains(line), "{line:?} in {list}");
    }
    let voices = hark.events(&["say", "--list-voices"]);
    let german = voices.iter().find(|voice| voice["name"] == "de").unwrap();
    assert_eq!((&german["engine"], german["get"].is_null()), (&"espeak".into(), true));
}

#[cfg(feature = "piper")]
#[test]
fn a_piper_voice_is_tried_by_its_path_and_chosen_by_configuration() {
    let hark = Hark::new();
    let voice = tiny_voice(&hark);
    let voice = voice.to_str().unwrap();
    let say = |args: &[&str], file: &str| {
        let output = hark.run(&[&["say", "It is 14:05.", "--out", file], args].concat());
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        hark.path(file)
    };
    let tried = say(&["--voice", voice], "tried.wav");
    let chosen = say(&["--set", &format!("speaking.voice={voice}")], "chosen.wav");
    let renamed = say(&["--set", &format!("speaking.piper_voice={voice}")], "renamed.wav");
    assert_eq!(std::fs::read(&chosen).unwrap(), std::fs::read(renamed).unwrap());
    let espeak = say(&["--voice", "espeak"], "espeak.wav");
    let (tried_s, chosen_s) = (seconds(&tried), seconds(&chosen));
    // "It is two oh five p m." are some 14 sounds of 10 ms with a pad behind each.
    assert!((0.2..0.8).contains(&tried_s) && (tried_s - chosen_s).abs() < 0.01, "{tried_s} and {chosen_s}");
    assert_eq!(rate_hz(&tried), 22_050);
    assert!((0.8..3.0).contains(&seconds(&espeak)), "{}", seconds(&espeak));
}

#[test]
fn english_is_spoken_by_the_natural_voice_and_other_languages_by_espeak() {
    let hark = Hark::new();
    let say = |args: &[&str], file: &str| {
        let output = hark.run(&[&["say", "Hallo, 14:05 in London.", "--out", file], args].concat());
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        let file = hark.path(file);
        (rate_hz(&file), seconds(&file))
    };
    let (english, espeak) = (say(&[], "english.wav"), say(&["--voice", "espeak"], "espeak.wav"));
    assert_eq!((english.0, espeak.0), (24_000, 22_050));
    assert_ne!(english.1, espeak.1);
    // The same words in German take as long as when espeak-ng says them by itself.
    let own = say(&["--set", "speaking.language=de"], "own.wav");
    let german = say(&["--voice", "de"], "german.wav");
    assert!(own.0 == 24_000 && (own.1 - german.1).abs() < 0.02, "{own:?} and {german:?}");
}

#[test]
fn another_language_is_another_espeak_voice() {
    let hark = Hark::new();
    for (voice, file) in [("de", "de.wav"), ("en-gb", "gb.wav"), ("espeak", "own.wav")] {
        let output = hark.run(&["say", "14:05", "--voice", voice, "--out", file]);
        assert!(output.status.success(), "{voice}: {}", text(&output.stderr));
    }
    let samples = |file: &str| std::fs::read(hark.path(file)).unwrap();
    assert_ne!(samples("de.wav"), samples("own.wav"));
    assert_ne!(samples("gb.wav"), samples("own.wav"));
}

#[test]
fn a_voice_that_is_not_here_says_how_to_get_it() {
    let hark = Hark::new();
    let fails = |args: &[&str], code: i32, words: &[&str]| {
        let output = hark.run(&[&["say", "hello", "--out", "x.wav"], args].concat());
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {message}");
        for word in words {
            assert!(message.contains(word), "{args:?} names {word:?}: {message}");
        }
    };
    fails(&["--voice", "klingon"], 2, &["klingon", "--list-voices"]);
    if !root().join("models/cache/de_DE-thorsten-medium.onnx").exists() {
        let pull = "hark models pull piper_de_thorsten piper_de_thorsten_config";
        fails(&["--voice", "de_DE-thorsten-medium"], 3, &["piper_de_thorsten", pull]);
        fails(&["--set", "speaking.voice=piper_de_thorsten"], 3, &[pull, "speaking.voice"]);
    }
    for no_name in ["piper", ""] {
        let set = format!("speaking.voice={no_name}");
        fails(&["--set", &set], 2, &["speaking.voice", "--list-voices"]);
    }
    if cfg!(feature = "piper") {
        std::fs::write(hark.path("broken.onnx"), b"no model").unwrap();
        fails(&["--voice", "./broken.onnx"], 3, &["broken.onnx.json"]);
    }
}
