//! `hark listen` shows what the microphone hears; `hark bench` measures the stages.

use crate::scenarios::daemon_api::http_with;
use crate::support::sound_card::SoundCard;
use crate::support::{
    Broker, Hark, LONG_REPLY, Running, flite, free_port, parse_events, run, text, wait_for,
};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[test]
fn the_meter_shows_level_voice_and_words_and_ends_on_ctrl_c() {
    if !SoundCard::available() {
        eprintln!("left out: pulseaudio is not installed");
        return;
    }
    let card = SoundCard::start();
    let hark = Hark::new();
    let recording = hark.path("request.wav");
    flite("slt", "turn on the living room light", &recording);
    let mut command = hark.command(&["listen", "--json"]);
    command.envs(card.env()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = command.spawn().unwrap();
    let lines: Arc<Mutex<Vec<Value>>> = Arc::default();
    let (output, seen) = (child.stdout.take().unwrap(), lines.clone());
    let reader = std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            seen.lock().unwrap().push(serde_json::from_str(&line).unwrap());
        }
    });
    let meter = Running(child);
    let has = |check: &dyn Fn(&Value) -> bool| lines.lock().unwrap().iter().any(check).then_some(());
    let patience = Duration::from_secs(40);
    wait_for("sound", patience, || has(&|line| line["heard_ms"].as_u64() > Some(300)));
    card.play_into_room(&recording);
    let words = "turn on the living room light";
    wait_for("the words", patience, || has(&|line| line["words"].as_str().unwrap().contains(words)));
    assert!(has(&|line| line["state"] == "hearing").is_some());
    assert!(has(&|line| line["vad"].as_f64() > Some(0.9)).is_some());
    assert!(has(&|line| line["level_dbfs"].as_f64() > Some(-30.0)).is_some());
    assert!(has(&|line| line["wake"]["hey_jarvis"].is_number()).is_some());
    let peak = |line: &Value| line["peak_dbfs"].as_f64().unwrap() - line["level_dbfs"].as_f64().unwrap();
    assert!(has(&|line| peak(line) > 10.0).is_some(), "the peak is held");

    run(Command::new("kill").args(["-INT", &meter.0.id().to_string()]));
    let mut meter = meter;
    let status = wait_for("the end", patience, || meter.0.try_wait().unwrap());
    assert!(status.success(), "Ctrl-C is a clean end: {status}");
    reader.join().unwrap();
}

#[test]
fn the_running_hark_tells_what_it_takes_out_of_its_own_voice() {
    if !SoundCard::available() {
        eprintln!("left out: pulseaudio is not installed");
        return;
    }
    let (card, broker, hark) = (SoundCard::start(), Broker::start(), Hark::new());
    // The microphone hears the loudspeaker, as loud as it is played.
    card.pactl(&["load-module", "module-loopback", "source=spk.monitor", "sink=room", "latency_msec=20"]);
    let address: SocketAddr = ([127, 0, 0, 1], free_port()).into();
    let all = broker.subscribe("hark/#");
    let _daemon = hark.live_in(&card, &broker, &[&format!("dashboard.listen={address}")]);
    all.wait("the daemon to listen", |line| line == "hark/hark/state idle");
    let name = "hark_echo_return_loss_enhancement_db ";
    let figure = || {
        let (_, text) = http_with(address, "GET", "/api/v1/metrics", None, "");
        let line = text.as_str()?.lines().find_map(|line| line.strip_prefix(name))?.to_owned();
        line.parse::<f64>().ok()
    };
    assert_eq!(figure(), None, "nothing was played");
    broker.publish("hark/hark/say", LONG_REPLY);
    let erle = wait_for("a good figure", Duration::from_secs(60), || figure().filter(|erle| *erle > 15.0));
    println!("{erle:.1} dB");
}

#[test]
fn a_device_is_tried_by_ear() {
    if !SoundCard::available() {
        eprintln!("left out: pulseaudio is not installed");
        return;
    }
    let (card, hark) = (SoundCard::start(), Hark::new());
    let recording = hark.path("sentence.wav");
    flite("slt", "the quick brown fox jumps over the lazy dog, and then it sleeps for a while", &recording);
    let tried = |arguments: &[&str]| -> Value {
        let mut command = hark.command(&[&["devices", "--json"], arguments].concat());
        let output = command.envs(card.env()).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let played = card.record_speaker();
    assert_eq!(tried(&["--play=auto"])["played"], true);
    assert!(played.stop().iter().any(|sample| sample.abs() > 0.02), "two tones came out");
    let silence = tried(&["--record=auto"]);
    assert_eq!((&silence["loudness"], &silence["played"]), (&"quiet".into(), &true.into()), "{silence}");
    let mut playing = card.begin_to_play_into_room(&recording);
    let heard = tried(&["--record=auto"]);
    playing.wait().unwrap();
    assert_eq!(heard["loudness"], "good", "{heard}");
    assert!(heard["peak_dbfs"].as_f64() > Some(-40.0), "{heard}");
    let gone = tried(&["--play=nobody-has-this"]);
    assert_eq!(gone["played"], false);
    assert!(!gone["message"].as_str().unwrap().is_empty() && !gone["fix"].as_str().unwrap().is_empty());
}

#[test]
fn without_a_microphone_the_meter_says_what_to_do() {
    let hark = Hark::new();
    let output = hark.run(&["listen", "--set", "audio.input_device=none"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("hark devices"), "{}", text(&output.stderr));
}

#[test]
fn the_bench_measures_every_station_and_leaves_the_home_alone() {
    let hark = Hark::new();
    let recording = hark.path("request.wav");
    flite("slt", "hey jarvis, turn on the living room light", &recording);
    let output = hark.run(&["bench", recording.to_str().unwrap(), "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report = &parse_events(&text(&output.stdout))[0];
    assert_eq!(report["recordings"], 1);
    assert_eq!(report["requests"]["done"], 1, "{report:#}");
    for name in [
        "start_up",
        "capture_block",
        "echo_block",
        "vad_block",
        "wake_hop",
        "ear_block",
        "recogniser_real_time_factor",
        "first_partial",
        "endpoint_to_transcript",
        "template_parse",
        "template_accept",
        "command_to_receipt",
        "voice_first_audio",
        "voice_stop",
        "speech_end_to_first_audio",
    ] {
        let row = report["rows"].as_array().unwrap().iter().find(|row| row["name"] == name);
        let row = row.unwrap_or_else(|| panic!("{name} in {report:#}"));
        let (median, p95) = (row["median"].as_f64(), row["p95"].as_f64());
        assert!(median.is_some_and(|median| median >= 0.0) && p95 >= median, "{row}");
    }
    assert!(!hark.path("hark.db").exists(), "no turn is kept");
}
