//! Bad input, missing parts, wrong configuration: clear words, the promised exit code, no panic.

use crate::support::{Hark, flite, named, run, text};
use std::path::Path;
use std::process::Command;

fn fails(hark: &Hark, args: &[&str], code: i32, words: &[&str]) {
    let output = hark.run(args);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {message}");
    for word in words {
        assert!(message.contains(word), "{args:?} names {word:?}: {message}");
    }
    assert!(!message.contains("panicked"), "{message}");
}

#[test]
fn recordings_that_are_none_are_named_with_a_fix() {
    let hark = Hark::new();
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(hark.path(name), bytes).unwrap();
    };
    write("empty.wav", b"");
    write("text.wav", b"this is a letter, not a recording");
    write("song.mp3", b"ID3\x03\x00\x00\x00\x00\x00\x00");
    write("header.wav", b"RIFF\x24\x00\x00\x00WAVEfmt ");
    for name in ["absent.wav", "empty.wav", "text.wav", "song.mp3", "header.wav"] {
        fails(&hark, &["hear", name], 2, &[name, "fix"]);
    }
}

#[test]
fn odd_recordings_are_heard_as_far_as_they_go() {
    let hark = Hark::new();
    let speech = hark.path("speech.wav");
    flite("slt", "hey jarvis, turn on the living room light", &speech);
    let sox = |name: &str, format: &[&str], effects: &[&str]| {
        let file = hark.path(name);
        run(Command::new("sox").arg("-D").arg(&speech).args(format).arg(&file).args(effects));
        file
    };
    let understood = |file: &Path| {
        let events = hark.events(&["hear", file.to_str().unwrap()]);
        named(&events, "intent").iter().any(|intent| intent["name"] == "HassTurnOn")
    };
    assert!(understood(&sox("stereo44.wav", &["-r", "44100", "-c", "2"], &[])));
    assert!(understood(&sox("float48.wav", &["-r", "48000", "-e", "floating-point", "-b", "32"], &[])));
    assert!(understood(&sox("deep24.wav", &["-b", "24"], &[])));
    assert!(understood(&sox("clipped.wav", &[], &["gain", "9"])));
    // Telephone rate: only that it is heard without complaint; half the spectrum is missing.
    understood(&sox("narrow8k8bit.wav", &["-r", "8000", "-b", "8"], &[]));
    let silence = hark.path("silence.wav");
    run(Command::new("sox").args(["-n", "-r", "16000", "-c", "1"]).arg(&silence).args(["trim", "0", "5"]));
    assert!(hark.events(&["hear", silence.to_str().unwrap()]).is_empty());

    let whole = std::fs::read(&speech).unwrap();
    let cut = hark.path("cut.wav");
    std::fs::write(&cut, &whole[..whole.len() - 20_000]).unwrap();
    let output = hark.run(&["hear", cut.to_str().unwrap(), "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let events = crate::support::parse_events(&text(&output.stdout));
    let warning = crate::support::only(&events, "error")["message"].as_str().unwrap().to_owned();
    assert!(warning.contains("cut.wav") && warning.contains("cut off"), "{warning}");
}

#[test]
fn five_mistakes_in_the_configuration_are_all_named() {
    let hark = Hark::new();
    std::fs::write(
        hark.path("hark.toml"),
        "[wake]\ntreshold = 0.5\nthreshold = 7.0\n[vad]\nthreshold_off = 0.9\n[audio]\npre_roll_ms = \"long\"\n\
         [spaeking]\nvoice = \"espeak\"\n",
    )
    .unwrap();
    fails(
        &hark,
        &["config", "check"],
        2,
        &["wake.treshold", "wake.threshold", "vad.threshold_off", "audio.pre_roll_ms", "spaeking"],
    );
    fails(&hark, &["ask", "what time is it"], 2, &["wake.treshold"]);
}

#[test]
fn a_missing_and_a_wrong_model_are_named_with_their_fix() {
    let hark = Hark::new();
    let models = hark.path("models");
    run(Command::new("cp").arg("-rL").arg(crate::support::root().join("models")).arg(&models));
    let recording = hark.path("speech.wav");
    flite("slt", "hey jarvis", &recording);
    let hear = |words: &[&str]| {
        let output = hark
            .command(&["hear", recording.to_str().unwrap()])
            .env("HARK_MODELS_DIR", &models)
            .output()
            .unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{message}");
        words.iter().for_each(|word| assert!(message.contains(word), "{word:?} in {message}"));
    };
    let model = models.join("cache/hey_jarvis.tflite");
    let mut bytes = std::fs::read(&model).unwrap();
    bytes[1000] ^= 1;
    std::fs::write(&model, &bytes).unwrap();
    hear(&["hey_jarvis.tflite", "sha256", "hark models pull"]);
    std::fs::remove_file(&model).unwrap();
    hear(&["hey_jarvis", "hark models pull"]);
}

#[test]
fn a_broker_that_is_not_there_is_reported_and_everything_else_works() {
    let hark = Hark::new();
    let port = crate::support::free_port();
    let url = format!("mqtt.url=mqtt://127.0.0.1:{port}");
    let output = hark.run(&["doctor", "--set", &url]);
    let report = text(&output.stdout);
    assert!(report.contains("mqtt") && report.contains(&port.to_string()), "{report}");
    assert_eq!(output.status.code(), Some(1), "{report}");
}

#[test]
fn usage_mistakes_exit_with_two() {
    let hark = Hark::new();
    for args in
        [&["frobnicate"][..], &["hear"], &["home", "show", "atlantis"], &["timers", "cancel", "nothing"]]
    {
        assert_eq!(hark.run(args).status.code(), Some(2), "{args:?}");
    }
}
