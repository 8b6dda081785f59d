//! Somebody speaks while Hark speaks: in a room with a virtual sound card, measured on the sound itself.
//! The loudspeaker is not heard by the microphone here, as after perfect echo cancellation.

use crate::support::sound_card::{RATE_HZ, Recording, SoundCard};
use crate::support::{
    Broker, Hark, LONG_REPLY, Running, Subscription, flite, named, parse_events, root, run, shared_data, text,
};
use hark_core::audio::Earcon;
use hark_models::onnx::OnnxRuntime;
use hark_stt::vad::{GateChange, SileroVad, SpeechGate, Vad};
use hark_tts::earcons;
use serde_json::Value;
use std::process::Command;
use std::time::{Duration, Instant};

/// Sound quieter than this is silence.
const SILENCE: f32 = 1e-3;

pub(crate) struct Room {
    pub(crate) card: SoundCard,
    pub(crate) broker: Broker,
    all: Subscription,
    pub(crate) hark: Hark,
    _daemon: Running,
}

impl Room {
    pub(crate) fn new(settings: &[&str]) -> Self {
        let (card, broker, hark) = (SoundCard::start(), Broker::start(), Hark::new());
        let all = broker.subscribe("hark/#");
        // Nothing comes back from the loudspeaker here: what is tested begins behind the echo stage.
        let daemon = hark.live_in(&card, &broker, &[&["echo.enabled=false"], settings].concat());
        all.wait("the daemon to listen", |line| line == "hark/hark/state idle");
        Self { card, broker, all, hark, _daemon: daemon }
    }

    /// Has a long text said, and waits until it is well under way.
    fn let_it_speak(&self) {
        let before = self.events("speaking_started").len();
        self.broker.publish("hark/hark/say", LONG_REPLY);
        self.wait_for("speaking_started", before);
        std::thread::sleep(Duration::from_millis(1500));
    }

    pub(crate) fn events(&self, name: &str) -> Vec<Value> {
        let lines = self.all.lines();
        let events = lines.iter().filter_map(|line| line.strip_prefix("hark/hark/event "));
        events
            .map(|event| serde_json::from_str::<Value>(event).unwrap())
            .filter(|event| event["event"] == name)
            .collect()
    }

    /// The event of this name after the first `before` of them.
    pub(crate) fn wait_for(&self, name: &str, before: usize) -> Value {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            if let Some(event) = self.events(name).get(before) {
                return event.clone();
            }
            assert!(Instant::now() < end, "waited for {name}: {:#?}", self.all.lines());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn decisions(&self) -> Vec<String> {
        self.events("barge_in").iter().map(|event| event["decision"].as_str().unwrap().to_owned()).collect()
    }
}

/// Highest level of each 10 ms, with the time of its end after `from` in milliseconds.
fn levels(recording: Recording, from: Instant) -> Vec<(f64, f32)> {
    let begun = recording.begun;
    let shift = if begun > from {
        (begun - from).as_secs_f64() * 1000.0
    } else {
        -((from - begun).as_secs_f64() * 1000.0)
    };
    let samples = recording.stop();
    let peak = |piece: &[f32]| piece.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
    let pieces = samples.chunks(RATE_HZ as usize / 100).map(peak);
    pieces.zip(1..).map(|(peak, n)| (f64::from(n) * 10.0 + shift, peak)).collect()
}

fn loudest(levels: &[(f64, f32)], from: f64, to: f64) -> f32 {
    let within = levels.iter().filter(|(at, _)| (from..to).contains(at));
    within.fold(0.0, |loudest, (_, level)| loudest.max(*level))
}

#[test]
fn a_request_interrupts_a_long_answer_and_is_understood() {
    let room = Room::new(&[]);
    let wav = room.hark.path("request.wav");
    for (voice, words, tool) in [
        ("slt", "turn on the living room light", "home.turn_on"),
        ("kal16", "turn off the kitchen light", "home.turn_off"),
        ("awb", "what time is it", "datetime.time"),
    ] {
        flite(voice, words, &wav);
        room.let_it_speak();
        let (told, acted, ended) =
            (room.decisions().len(), room.events("action").len(), room.events("speaking_ended").len());
        let start = Instant::now();
        let (speaker, air) = (room.card.record_speaker(), room.card.record_room());
        room.card.play_into_room(&wav);
        let action = room.wait_for("action", acted);
        assert_eq!(action["tool"], tool, "{words}: {action}");
        assert_eq!(room.wait_for("speaking_ended", ended)["reason"], "barge_in");
        let decisions = room.decisions().split_off(told);
        // A busy machine may let the voice come back before it has made out the words.
        let (first, last) = (decisions.first().map(String::as_str), decisions.last().map(String::as_str));
        assert_eq!((first, last), (Some("duck"), Some("stop")), "{words}: {decisions:?}");
        let (speaker, air) = (levels(speaker, start), levels(air, start));
        let onset = air.iter().find(|(_, level)| *level > 0.02).unwrap().0;
        let before = loudest(&speaker, onset - 1000.0, onset);
        // Ducked to an eighth; which sounds fall into the window is left to chance.
        let ducked = loudest(&speaker, onset + 400.0, onset + 550.0);
        let stopped = speaker.windows(15).find(|w| w[0].0 > onset && w.iter().all(|(_, l)| *l < SILENCE));
        let stopped = stopped.map_or(f64::INFINITY, |silence| silence[0].0 - onset);
        let duck_ms = room.events("barge_in")[told]["latency_ms"].as_f64().unwrap();
        println!(
            "{voice}: before {before:.3}, ducked {ducked:.3}, silent {stopped:.0} ms after the speech began; told duck {duck_ms:.0} ms"
        );
        assert!(ducked < before / 4.0, "{words}: {before} then {ducked}");
        assert!(stopped < 2_000.0, "{words}: {stopped} ms");
        room.all.wait("the end", |_| room.events("speaking_ended").len() > ended + 1);
    }
}

#[test]
fn other_speech_makes_it_quieter_for_a_moment() {
    let room = Room::new(&[]);
    let wav = room.hark.path("television.wav");
    match shared_data().map(|data| data.join("speech/librivox-0870.wav")) {
        Some(book) => {
            let status = Command::new("sox").arg("-D").arg(book).arg(&wav).args(["trim", "0", "6"]).status();
            assert!(status.unwrap().success());
        }
        None => flite("rms", "mister quilter is the apostle of the middle classes and we are glad", &wav),
    }
    room.let_it_speak();
    room.card.play_into_room(&wav);
    assert_eq!(room.wait_for("speaking_ended", 0)["reason"], "done");
    let decisions = room.decisions();
    assert!(decisions.len() >= 2, "{decisions:?}");
    assert!(decisions.chunks(2).all(|pair| pair == ["duck", "resume"]), "{decisions:?}");
    assert!(room.events("action").is_empty() && room.events("wake").is_empty());
}

#[test]
fn stop_works_in_every_style_and_other_words_only_where_they_may() {
    for style in ["wake_word", "off"] {
        let room = Room::new(&[&format!("barge_in.style={style}")]);
        let (request, stop) = (room.hark.path("request.wav"), room.hark.path("stop.wav"));
        flite("slt", "turn on the living room light", &request);
        flite("slt", "stop", &stop);
        room.let_it_speak();
        room.card.play_into_room(&request);
        assert!(room.decisions().is_empty() && room.events("action").is_empty(), "{style}");
        assert!(room.events("speaking_ended").is_empty(), "{style}");
        room.card.play_into_room(&stop);
        let reason = if style == "off" { "stop" } else { "barge_in" };
        assert_eq!(room.wait_for("speaking_ended", 0)["reason"], reason);
    }
}

/// A short sound of Hark's own must not begin a request, echo cancellation or not.
#[test]
fn no_short_sound_is_taken_for_speech() {
    let cache = root().join("models/cache");
    let runtime = OnnxRuntime::load(&cache.join("libonnxruntime.so")).unwrap();
    let mut vad = SileroVad::load(runtime, &cache.join("silero_vad_16k_op15.onnx")).unwrap();
    let settings = hark_config::vad::Vad { min_speech_ms: 60, ..Default::default() };
    for earcon in [Earcon::Wake, Earcon::Done, Earcon::Error, Earcon::Timer] {
        for loudness in [0.1, 1.0, 3.0] {
            vad.reset();
            let mut gate = SpeechGate::new(&settings);
            let mut sound = vec![0.0; 16_000];
            sound.extend(earcons::render(earcon, 16_000).iter().map(|sample| sample * loudness));
            sound.extend([0.0; 16_000]);
            for block in sound.as_chunks().0 {
                let probability = vad.probability(block).unwrap();
                assert_eq!(gate.push(probability), GateChange::None, "{earcon:?} at {loudness}");
            }
        }
    }
}

/// "Shall I unlock the back door?" needs no second wake word, and silence is an answer too.
#[test]
fn a_question_is_answered_without_a_wake_word_and_asked_only_once() {
    let room = Room::new(&["speaking.follow_up_ms=2000"]);
    let (request, yes) = (room.hark.path("request.wav"), room.hark.path("yes.wav"));
    flite("rms", "hey jarvis, unlock the back door", &request);
    flite("kal16", "yes", &yes);

    room.card.play_into_room(&request);
    room.wait_for("speaking_ended", 0);
    room.card.play_into_room(&yes);
    let action = room.wait_for("action", 1);
    assert_eq!(action["receipt"]["ok"], true, "{action}");
    assert_eq!(action["receipt"]["changed"], true, "{action}");
    room.wait_for("speaking_ended", 1);

    flite("rms", "hey jarvis, unlock the front door", &request);
    room.card.play_into_room(&request);
    room.wait_for("speaking_ended", 2);
    room.all.wait("the silence to end it", |line| line.contains("nothing_said"));
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(room.events("speaking_started").len(), 3, "nothing more is said");
    let states: Vec<Value> = room.events("state").iter().map(|event| event["state"].clone()).collect();
    assert_eq!(states.last().map(Value::as_str), Some(Some("idle")), "{states:?}");
}

/// The loudspeaker is as loud at the microphone as the person: what comes back interrupts nobody, and a
/// request is understood to its first word.
#[test]
fn somebody_no_louder_than_hark_itself_is_understood_over_it() {
    let hark = Hark::new();
    let hear = |words: Option<(&str, &str)>| {
        let wav = hark.path("over.wav");
        match words {
            Some((voice, words)) => {
                let spoken = hark.path("spoken.wav");
                flite(voice, words, &spoken);
                run(Command::new("sox")
                    .arg("-D")
                    .arg(&spoken)
                    .arg(&wav)
                    .args(["norm", "-3", "pad", "6", "3"]));
            }
            None => drop(run(Command::new("sox")
                .args(["-n", "-r", "16000", "-c", "1", "-b", "16"])
                .arg(&wav)
                .args(["trim", "0", "12"]))),
        }
        let output =
            run(hark.command(&["hear", "--json", "--saying", LONG_REPLY, "--echo-db", "0"]).arg(&wav));
        parse_events(&text(&output.stdout))
    };
    let decisions = |events: &[Value]| -> Vec<String> {
        named(events, "barge_in").iter().map(|event| event["decision"].as_str().unwrap().to_owned()).collect()
    };
    let events = hear(None);
    assert_eq!(decisions(&events), Vec::<String>::new(), "nobody speaks");
    for (voice, words, intent) in [
        ("slt", "turn on the living room light", "HassTurnOn"),
        ("awb", "turn off the kitchen lights", "HassTurnOff"),
    ] {
        let events = hear(Some((voice, words)));
        assert_eq!(decisions(&events), ["duck", "stop"], "{voice}: {words}");
        assert_eq!(named(&events, "intent")[0]["name"], intent, "{voice}: {words}: {events:#?}");
    }
}
