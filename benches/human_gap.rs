//! The human gap, measured on the sound itself: `cargo bench --bench human_gap [-- COUNT]`. flite's people
//! speak commands into the virtual room, the real program answers on the virtual loudspeaker, both are
//! recorded, and the time from the last audible sample of the request to the first one of the reply is
//! printed with its median and 95th percentile. The commands are not among those the recogniser was
//! tuned on; a command that was not understood is listed and left out of the times.

// A bench that cannot set up its room cannot go on.
#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../tests/support/mod.rs"]
mod support;

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use support::sound_card::{RATE_HZ, SoundCard};
use support::{Hark, Running, flite, median_and_p95, wait_for};

const VOICES: [&str; 4] = ["slt", "rms", "awb", "kal16"];
const COMMANDS: [&str; 25] = [
    "turn on the living room light",
    "turn off the kitchen lights",
    "what time is it",
    "switch on the lamp",
    "turn off the standing light",
    "set the bedroom light to fifty percent",
    "set a timer for ten minutes",
    "turn on the hallway light",
    "turn off all the lights in the office",
    "turn the bedside lamp red",
    "what is the date today",
    "turn on the counter light",
    "turn off the dining table light",
    "is the front door locked",
    "switch off the living room light",
    "turn on the basement light",
    "turn off the lamp",
    "turn on the kids room light",
    "cancel the timer",
    "turn off the bedroom light",
    "turn on the kitchen lights",
    "turn off the hallway light",
    "set the volume to sixty percent",
    "turn on the standing light",
    "turn off the basement light",
];
/// What counts as sound: −44 dB of full scale in the request, −40 dB in the reply.
const REQUEST_LEVEL: f32 = 0.006;
const REPLY_LEVEL: f32 = 0.01;
const TURN_LIMIT: Duration = Duration::from_secs(10);

fn main() {
    let asked = std::env::args().skip(1).find_map(|argument| argument.parse::<usize>().ok());
    let card = SoundCard::start();
    let hark = Hark::new();
    let events: Arc<Mutex<Vec<Value>>> = Arc::default();
    let mut command = hark.command(&["run", "--json"]);
    let mut child = command.envs(card.env()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (output, seen) = (child.stdout.take().unwrap(), events.clone());
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            seen.lock().unwrap().extend(serde_json::from_str::<Value>(&line));
        }
    });
    let daemon = Running(child);
    let has = |name: &str| events.lock().unwrap().iter().any(|event| event["event"] == name);
    wait_for("the daemon", Duration::from_secs(30), || has("state").then_some(()));
    // The engines warm up and the devices open.
    std::thread::sleep(Duration::from_secs(2));

    let mut gaps = Vec::new();
    for (index, words) in COMMANDS.iter().cycle().take(asked.unwrap_or(50)).enumerate() {
        // Another voice when the list comes round again.
        let voice = VOICES[(index + index / COMMANDS.len()) % VOICES.len()];
        events.lock().unwrap().clear();
        let gap_ms = ask(&card, &hark, voice, words, &has);
        let events = events.lock().unwrap();
        let reply = events.iter().find(|event| event["event"] == "reply");
        let understood = events.iter().any(|event| event["event"] == "turn" && event["outcome"] == "done");
        let reply = reply.map_or("no reply", |reply| reply["text"].as_str().unwrap_or_default());
        match gap_ms.filter(|_| understood) {
            Some(gap_ms) => {
                println!("{gap_ms:6.0} ms  {voice:5}  {words} -> {reply}");
                gaps.push(gap_ms);
            }
            None => println!("not done  {voice:5}  {words} -> {reply}"),
        }
    }
    daemon.terminate();
    let (count, times) = (gaps.len(), median_and_p95(&mut gaps));
    println!("{count} of {} answered: {times}", asked.unwrap_or(50));
}

/// Speaks one command and measures the gap on the two recordings; `None` when no reply sounded.
fn ask(card: &SoundCard, hark: &Hark, voice: &str, words: &str, has: &dyn Fn(&str) -> bool) -> Option<f64> {
    let request = hark.path("request.wav");
    flite(voice, &format!("hey jarvis, {words}"), &request);
    let (room, speaker) = (card.record_room(), card.record_speaker());
    let offset = seconds(room.begun, speaker.begun);
    card.play_into_room(&request);
    let until = Instant::now() + TURN_LIMIT;
    while !has("turn") && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    let (room, speaker) = (room.stop(), speaker.stop());
    let ended = room.iter().rposition(|sample| sample.abs() > REQUEST_LEVEL)? as f64 / f64::from(RATE_HZ);
    let from = ((ended - offset).max(0.0) * f64::from(RATE_HZ)) as usize;
    let began = from + speaker.get(from..)?.iter().position(|sample| sample.abs() > REPLY_LEVEL)?;
    Some((began as f64 / f64::from(RATE_HZ) + offset - ended) * 1000.0)
}

/// Seconds from the first instant to the second, negative when it was before.
fn seconds(from: Instant, to: Instant) -> f64 {
    to.saturating_duration_since(from).as_secs_f64() - from.saturating_duration_since(to).as_secs_f64()
}
