//! The virtual sound card as a room in which the loudspeaker is heard: the way of the echo, the real daemon, people
//! who interrupt it, and what the loudspeaker and the daemon's own log show of that.

use super::sound_card::{RATE_HZ, SoundCard};
use super::{Broker, Hark, Running, Subscription, room, wait_for};
use serde_json::Value;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// How the loudspeaker is heard at the microphone.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// How much later than it is played; with a drift or a gain [`CARRIED_MS`] more.
    pub delay_ms: u32,
    /// How loud, against what is played.
    pub gain_db: f32,
    /// By a clock that is so much fast.
    pub drift_ppm: f64,
}

/// Quieter is silence: −55 dB of full scale.
const SILENCE: f32 = 0.0018;

/// How much is kept between the loudspeaker and the room by what makes a drift, so that it never runs dry.
const CARRIED_MS: u32 = 100;

/// A pause of the voice this short is not taken for silence, in frames of 10 ms.
const SILENT_PIECES: usize = 6;

/// Frames of 10 ms.
const PIECE: usize = RATE_HZ as usize / 100;

/// The way while it is there, with the processes that it takes; a plain one the server does alone.
struct Echo(Vec<Child>);

impl Echo {
    fn begin(card: &SoundCard, way: Way) -> Self {
        if (way.drift_ppm, way.gain_db) == (0.0, 0.0) {
            let latency = format!("latency_msec={}", way.delay_ms);
            card.pactl(&[
                "load-module",
                "module-loopback",
                "source=spk.monitor",
                "sink=room",
                "adjust_time=0",
                &latency,
            ]);
            return Self(Vec::new());
        }
        let stream = |program: &str, latency_ms: u32, device: &str| {
            let mut command = card.command(program);
            command.args(["--raw", "--format=float32le", "--channels=1"]);
            command.arg(format!("--rate={RATE_HZ}")).arg(format!("--latency-msec={latency_ms}"));
            command.arg(format!("--device={device}"));
            command
        };
        let mut from = stream("parec", 10, "spk.monitor").stdout(Stdio::piped()).spawn().unwrap();
        let mut to = stream("pacat", CARRIED_MS, "room").stdin(Stdio::piped()).spawn().unwrap();
        let (heard, sounds) = (from.stdout.take().unwrap(), to.stdin.take().unwrap());
        std::thread::spawn(move || carry(heard, sounds, way));
        Self(vec![from, to])
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Plays what is heard, until one of both ends.
fn carry(mut heard: impl Read, mut sounds: impl Write, way: Way) {
    let (gain, step) = (hark_audio::amplitude_of_db(way.gain_db), 1.0 + way.drift_ppm * 1e-6);
    let mut waiting = vec![0.0_f32; way.delay_ms as usize * PIECE / 10 + 4];
    let (mut place, mut bytes) = (1.0_f64, [0_u8; PIECE * 4]);
    while heard.read_exact(&mut bytes).is_ok() {
        waiting.extend(bytes.as_chunks::<4>().0.iter().map(|sample| f32::from_le_bytes(*sample) * gain));
        let mut out = Vec::with_capacity(bytes.len());
        while place as usize + 2 < waiting.len() {
            let near = &waiting[place as usize - 1..place as usize + 3];
            out.extend(between(near, place.fract() as f32).to_le_bytes());
            place += step;
        }
        let done = place as usize - 1;
        waiting.drain(..done);
        place -= done as f64;
        if sounds.write_all(&out).is_err() {
            return;
        }
    }
}

/// The value between the second and the third of four samples, on the cubic through them.
fn between(near: &[f32], part: f32) -> f32 {
    let [a, b, c, d] = [near[0], near[1], near[2], near[3]];
    let slope = c - a / 3.0 - b / 2.0 - d / 6.0;
    b + part * (slope + part * ((a + c) / 2.0 - b + part * ((d - a) / 6.0 + (b - c) / 2.0)))
}

/// A room with a daemon in it.
pub struct EchoRoom {
    pub card: SoundCard,
    pub hark: Hark,
    broker: Broker,
    all: Subscription,
    _daemon: Running,
    way: Way,
    echo: Option<Echo>,
    log: PathBuf,
    /// Lines of the log that were read.
    read: usize,
}

impl EchoRoom {
    /// The daemon listens, and nothing has been said yet.
    pub fn new(way: Way) -> Self {
        let (card, broker, hark) = (SoundCard::start(), Broker::start(), Hark::new());
        let all = broker.subscribe("hark/#");
        let log = hark.path("hark.log");
        let url = format!("mqtt.url=mqtt://127.0.0.1:{}", broker.port);
        let mut command = hark.command(&["run", "--set", "intent.learn=false", "--set", &url]);
        command.envs(card.env()).env("HARK_LOG", "debug").stdout(Stdio::null());
        let daemon = Running(command.stderr(File::create(&log).unwrap()).spawn().unwrap());
        let echo = Some(Echo::begin(&card, way));
        all.wait("the daemon to listen", |line| line == "hark/hark/state idle");
        std::thread::sleep(Duration::from_secs(2));
        Self { card, hark, broker, all, _daemon: daemon, way, echo, log, read: 0 }
    }

    /// The sound server ends without a warning and comes back; the daemon finds it again.
    pub fn restart_server(&mut self) {
        self.card.kill();
        self.card.revive();
        self.echo = Some(Echo::begin(&self.card, self.way));
        std::thread::sleep(Duration::from_secs(12));
    }

    pub fn events(&self, name: &str) -> Vec<Value> {
        let lines = self.all.lines();
        let events = lines.iter().filter_map(|line| line.strip_prefix("hark/hark/event "));
        let events = events.map(|event| serde_json::from_str::<Value>(event).unwrap());
        events.filter(|event| event["event"] == name).collect()
    }

    /// Has this said, and waits until it sounds.
    pub fn say(&self, words: &str) {
        let before = self.events("speaking_started").len();
        self.broker.publish("hark/hark/say", words);
        wait_for("the voice", Duration::from_secs(20), || {
            (self.events("speaking_started").len() > before).then_some(())
        });
    }

    /// Waits until nothing is said or heard any more.
    pub fn wait_until_idle(&self) {
        wait_for("silence", Duration::from_secs(90), || {
            let idle = self.events("state").last().is_none_or(|state| state["state"] == "idle");
            let count = |name| self.events(name).len();
            (idle && count("speaking_started") == count("speaking_ended")).then_some(())
        });
    }

    /// How often the daemon decided `decision` of interruptions.
    pub fn decisions(&self, decision: &str) -> usize {
        self.events("barge_in").iter().filter(|event| event["decision"] == decision).count()
    }

    /// Milliseconds from the beginning of the speech to the newest decision about an interruption, as the daemon tells them.
    pub fn decided_after_ms(&self) -> Option<f64> {
        self.events("barge_in").last()?["latency_ms"].as_f64()
    }

    /// Plays a request over what is being said, and waits for three seconds. Milliseconds from its first sound in the
    /// room until the loudspeaker is silent, if the daemon stopped for it. What it says to the request may follow soon.
    pub fn interrupt(&self, request: &Path) -> Option<f64> {
        let before = self.decisions("stop");
        let (speaker, air) = (self.card.record_speaker(), self.card.record_room());
        let start = Instant::now();
        let mut person = self.card.begin_to_play_into_room(request);
        while self.decisions("stop") == before && start.elapsed() < Duration::from_secs(3) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let decided = Instant::now();
        assert!(person.wait().unwrap().success(), "paplay");
        std::thread::sleep(Duration::from_millis(400));
        let apart_s = seconds(speaker.begun, air.begun);
        let decided_at = (seconds(speaker.begun, decided) * 100.0) as usize;
        let (played, heard) = (speaker.stop(), air.stop());
        let told = self.events("barge_in");
        told.iter().filter(|event| event["decision"] == "stop").nth(before)?;
        let said_s = place_of(request, &heard) as f64 / f64::from(RATE_HZ) + apart_s;
        let from = (said_s * 100.0) as usize;
        let silent: Vec<bool> =
            played.chunks(PIECE).map(|piece| piece.iter().all(|sample| sample.abs() < SILENCE)).collect();
        // It is told with a few milliseconds' delay, and the device has some more to play.
        let decided = from.max(decided_at.saturating_sub(5));
        // A pause that lasted until the decision was silence before it.
        let paused = (from..decided).rev().take_while(|piece| silent.get(*piece) == Some(&true)).count();
        let first = decided - paused;
        let mut from_there = silent.windows(SILENT_PIECES).skip(first);
        let stopped = first + from_there.position(|pieces| pieces.iter().all(|silent| *silent))?;
        Some((stopped - from) as f64 * 10.0)
    }

    /// How many decibels of the echo were taken out in the seconds of speech since the last call.
    pub fn taken_out_db(&mut self) -> Vec<f32> {
        let log = std::fs::read_to_string(&self.log).unwrap();
        let new: Vec<&str> = log.lines().skip(self.read).collect();
        self.read += new.len();
        let told = new.iter().filter_map(|line| line.split_once(" dB of the echo taken out"));
        told.filter_map(|(before, _)| before.rsplit(' ').next()?.parse().ok()).collect()
    }

    /// The newest line of the log about the echo.
    pub fn newest(&self) -> String {
        let log = std::fs::read_to_string(&self.log).unwrap();
        let line = log.lines().rfind(|line| line.contains("echo taken out"));
        line.and_then(|line| line.split_once("DEBUG"))
            .map_or_else(String::new, |(_, said)| said.trim().to_owned())
    }

    /// How often the two streams were aligned anew.
    pub fn realigned(&self) -> usize {
        let log = std::fs::read_to_string(&self.log).unwrap();
        log.lines().filter(|line| line.contains("aligned anew")).count()
    }
}

/// The sample at which the recording in the file begins within `heard`.
fn place_of(wav: &Path, heard: &[f32]) -> usize {
    let mut reader = hound::WavReader::open(wav).unwrap();
    let mut said: Vec<f32> = reader.samples::<i16>().map(|sample| f32::from(sample.unwrap())).collect();
    said.reverse();
    let alike = room::convolve(heard, &said);
    let last = alike.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(last, _)| last);
    (last + 1).saturating_sub(said.len())
}

/// Seconds from the first instant to the second, negative when it was before.
fn seconds(from: Instant, to: Instant) -> f64 {
    to.saturating_duration_since(from).as_secs_f64() - from.saturating_duration_since(to).as_secs_f64()
}

/// Speaks a request into a WAV file, as loud as Hark and without silence before it.
pub fn request(hark: &Hark, voice: &str, words: &str) -> PathBuf {
    let (spoken, wav) = (hark.path("spoken.wav"), hark.path("request.wav"));
    super::flite(voice, words, &spoken);
    let mut sox = std::process::Command::new("sox");
    sox.arg("-D").arg(&spoken).args(["-r", "48000"]).arg(&wav);
    super::run(sox.args(["silence", "1", "0.01", "1%", "norm", "-3", "pad", "0", "0.5"]));
    wav
}
