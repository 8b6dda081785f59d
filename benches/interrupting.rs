//! How soon Hark stops for somebody who interrupts it: `cargo bench --bench interrupting [-- DB …]`. flite's
//! people speak over a long reply, which the microphone hears as loud as the levels say (0 dB: as loud as the
//! people; `none`: not at all). From the first audible sample of the request to the order to stop, on the
//! clock of the recording, with median and 95th percentile; then how often other speech stops it.

// A bench that cannot set up its sound cannot go on.
#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../tests/support/mod.rs"]
mod support;

use serde_json::Value;
use std::path::Path;
use std::process::Command;
use support::{Hark, LONG_REPLY, flite, median_and_p95, named, parse_events, run, text};

const VOICES: [&str; 4] = ["slt", "rms", "awb", "kal16"];
const REQUESTS: [&str; 12] = [
    "turn off the kitchen lights",
    "what time is it",
    "set a timer for ten minutes",
    "turn on the living room light",
    "is the front door locked",
    "cancel",
    "never mind",
    "stop",
    "add milk to the shopping list",
    "close the blinds in the bedroom",
    "hey jarvis, turn off the lamp",
    "play some music",
];
/// Said to somebody else, or by a television.
const OTHER_SPEECH: [&str; 8] = [
    "did you see what the neighbours built in their garden last summer",
    "the minister said yesterday that he would not resign over it",
    "i told her that we should have left the party much earlier",
    "and now let us have a look at the football results",
    "dinner was lovely but a little too salty for me",
    "coming up after the break, an interview with the author",
    "he never called me back about the car",
    "scientists have found water below the surface of the moon",
];
/// Sound that counts as begun: −44 dB of full scale.
const AUDIBLE: f32 = 0.006;
/// Hark has spoken for so long when somebody interrupts.
const LEAD_S: f64 = 6.0;

fn main() {
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument == "none" || argument.parse::<f32>().is_ok())
        .collect();
    let levels = if asked.is_empty() { vec!["0".to_owned(), "none".to_owned()] } else { asked };
    let hark = Hark::new();
    for echo_db in levels {
        println!("echo {echo_db} dB");
        requests(&hark, &echo_db);
        others(&hark, &echo_db);
    }
}

fn requests(hark: &Hark, echo_db: &str) {
    let (mut after_ms, mut spoken) = (Vec::new(), 0);
    for words in REQUESTS {
        for voice in VOICES {
            spoken += 1;
            let (began_ms, events) = hear_over(hark, echo_db, voice, words);
            let stopped = named(&events, "barge_in").into_iter().find(|event| event["decision"] == "stop");
            let meant =
                named(&events, "intent").first().map_or(&Value::Null, |event| &event["name"]).to_string();
            match stopped.and_then(|event| event["audio_ms"].as_f64()) {
                Some(stopped_ms) => {
                    println!("{:6.0} ms  {voice:5}  {words} -> {meant}", stopped_ms - began_ms);
                    after_ms.push(stopped_ms - began_ms);
                }
                None => println!("not stopped {voice:5}  {words} -> {meant}"),
            }
        }
    }
    let within = after_ms.iter().filter(|after| **after <= 800.0).count();
    println!(
        "{} of {spoken} stop it: {}, {within} within 800 ms",
        after_ms.len(),
        median_and_p95(&mut after_ms)
    );
}

fn others(hark: &Hark, echo_db: &str) {
    let (mut stops, mut spoken) = (0, 0);
    for words in OTHER_SPEECH {
        for voice in VOICES {
            spoken += 1;
            let (_, events) = hear_over(hark, echo_db, voice, words);
            if named(&events, "barge_in").iter().any(|event| event["decision"] == "stop") {
                stops += 1;
                println!("stopped by {voice:5}  {words}");
            }
        }
    }
    println!("{stops} of {spoken} pieces of other speech stop it");
}

/// Where in the recording the words begin, in milliseconds, and what Hark made of it.
fn hear_over(hark: &Hark, echo_db: &str, voice: &str, words: &str) -> (f64, Vec<Value>) {
    let (spoken, over) = (hark.path("spoken.wav"), hark.path("over.wav"));
    flite(voice, words, &spoken);
    let pad = LEAD_S.to_string();
    run(Command::new("sox").arg("-D").arg(&spoken).arg(&over).args(["norm", "-3", "pad", &pad, "3"]));
    let mut command = hark.command(&["hear", "--json", "--saying", LONG_REPLY]);
    if echo_db != "none" {
        command.args(["--echo-db", echo_db]);
    }
    let output = run(command.arg(&over));
    (first_audible_ms(&over), parse_events(&text(&output.stdout)))
}

fn first_audible_ms(wav: &Path) -> f64 {
    let mut reader = hound::WavReader::open(wav).unwrap();
    let rate_hz = f64::from(reader.spec().sample_rate);
    let audible = (AUDIBLE * f32::from(i16::MAX)) as i16;
    let at = reader.samples::<i16>().position(|sample| sample.unwrap().abs() > audible).unwrap();
    at as f64 / rate_hz * 1000.0
}
