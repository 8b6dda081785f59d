//! The echo stage in simulated rooms: how much of the loudspeaker it takes out, what it leaves of a
//! person who speaks at the same time, and what it does about clocks and devices that misbehave.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a failed step fails the test")]

mod support;

use hark::config;
use hark::domain::VAD_BLOCK_SAMPLES;
use hark::hearing::echo::{EchoReport, EchoStage, Played};
use hark::hearing::vad::{SileroVad, Vad};
use hark::inference::onnx::OnnxRuntime;
use std::time::{Duration, Instant};
use support::room::{self, BEDROOM, KITCHEN, LIVING_ROOM, Room, convolve, decibels, mix, power};

/// Samples of 10 ms, of a second.
const STEP: usize = 160;
const SECOND: usize = 16_000;

/// The stage works in blocks of 4 ms.
const BLOCK: usize = 64;

/// By how much the stage is late: the canceller's blocks of 64 samples.
const LATE: usize = 64;

/// Noise of the microphone in dB of full scale.
const NOISE_DB: f32 = -65.0;

const STORY: &str = "The forecast for tomorrow is cloudy with some rain in the afternoon and a high of \
    sixteen degrees. On Wednesday it will be mostly sunny, with a light wind from the south west. \
    You have three things in your calendar: the dentist at nine, lunch with Maria at half past twelve, \
    and the parents' evening at seven. The washing machine has finished.";

/// Speech of one of flite's voices, about 0.1 rms while it speaks.
fn speech(voice: &str, words: &str) -> Vec<f32> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("speech.wav");
    support::flite(voice, words, &path);
    let mut reader = hound::WavReader::open(&path).unwrap();
    let samples: Vec<f32> = reader.samples::<i16>().map(|s| f32::from(s.unwrap()) / 32768.0).collect();
    let loudness = power(&samples).sqrt();
    samples.iter().map(|sample| sample * 0.08 / loudness).collect()
}

/// A loudspeaker, a microphone, and what lies between them.
struct Scene {
    /// What is played, at 16 kHz.
    far: Vec<f32>,
    /// What is heard of it.
    echo: Vec<f32>,
    /// What a person says, as the microphone hears it.
    near: Vec<f32>,
    /// Speed of the loudspeaker's clock.
    speed: f64,
    /// Time between handing sound over and its sounding.
    latency: Duration,
    /// How wrong the moments are, at most.
    jitter: Duration,
}

impl Scene {
    /// `far` in a room, at the microphone as loud as it is played: 0 dB echo return loss.
    fn new(room: &Room, far: Vec<f32>) -> Self {
        Self::with_clock(room, far, 1.0)
    }

    fn with_clock(room: &Room, far: Vec<f32>, speed: f64) -> Self {
        let mut sound = room::play_at(&far, speed);
        room::distort(&mut sound, std::env::var("D").map_or(0.2, |d| d.parse().unwrap()));
        let mut echo = convolve(&sound, &room.impulse_response(500));
        let gain = (power(&far) / power(&echo)).sqrt();
        echo.iter_mut().for_each(|sample| *sample *= gain);
        let latency = Duration::from_millis(20);
        Self { far, echo, near: Vec::new(), speed, latency, jitter: Duration::ZERO }
    }

    fn heard(&self) -> Vec<f32> {
        let sound = mix(&self.echo, &self.near);
        mix(&sound, &room::noise(sound.len(), NOISE_DB))
    }

    /// Runs the stage over it; answers what comes out, in place with what went in.
    fn run(&self, stage: &mut EchoStage) -> Vec<f32> {
        self.run_with(stage, &self.heard(), |_, _| {})
    }

    /// As [`Scene::run`], with a look at the stage every 10 ms.
    fn run_with(
        &self,
        stage: &mut EchoStage,
        heard: &[f32],
        mut look: impl FnMut(usize, EchoReport),
    ) -> Vec<f32> {
        stage.speaker_opened(16_000);
        let begun = Instant::now() + Duration::from_secs(10);
        let mut wobble = room::noise(2 * heard.len() / STEP + 2, 0.0).into_iter();
        let mut off = || self.jitter.as_secs_f64() * f64::from(wobble.next().unwrap_or(0.0));
        let moment = |seconds: f64| begun + Duration::from_secs_f64(1.0 + seconds);
        let (mut out, mut samples, mut handed) = (Vec::new(), Vec::new(), 0);
        for (step, block) in heard.chunks_exact(STEP).enumerate() {
            let now_s = (step + 1) as f64 * 0.01;
            // The device has asked for everything that sounds up to its latency from now.
            let due = ((now_s + self.latency.as_secs_f64()) * 16_000.0 * self.speed) as usize;
            while handed + STEP <= due {
                let sounds_at = moment(handed as f64 / (16_000.0 * self.speed) + off());
                let samples = self.far.get(handed..handed + STEP).unwrap_or(&[]);
                let samples = if samples.iter().all(|s| *s == 0.0) { &[] } else { samples };
                stage.played(&Played { first: handed as u64, frames: STEP, sounds_at, samples });
                handed += STEP;
            }
            samples.extend_from_slice(block);
            stage.process(&mut samples, Some(moment(now_s + off())));
            out.append(&mut samples);
            look(step, stage.report());
        }
        let whole = heard.len() / STEP * STEP;
        assert_eq!(out.len(), whole / BLOCK * BLOCK, "a sample was lost or doubled");
        out.drain(..LATE);
        out.resize(out.len() + LATE, 0.0);
        out
    }
}

fn stage() -> EchoStage {
    EchoStage::new(&config::echo::Echo::default())
}

/// By how many dB `after` is weaker than `before` from one second to another.
fn erle_db(before: &[f32], after: &[f32], seconds: std::ops::Range<f64>) -> f32 {
    let place = |s: f64| ((s * SECOND as f64) as usize).min(after.len());
    let range = place(seconds.start)..place(seconds.end);
    decibels(power(&before[range.clone()]) / power(&after[range]))
}

fn silero() -> SileroVad {
    let model = |name: &str| support::root().join("models/cache").join(name);
    let runtime = OnnxRuntime::load(&model("libonnxruntime.so")).expect("ONNX Runtime");
    SileroVad::load(runtime, &model("silero_vad_16k_op15.onnx")).expect("Silero")
}

/// How many blocks of 32 ms sound like speech, from a second on.
fn voiced(samples: &[f32], from_s: f64) -> (usize, usize) {
    let mut vad = silero();
    let blocks = samples.as_chunks::<VAD_BLOCK_SAMPLES>().0;
    let first = (from_s * SECOND as f64) as usize / VAD_BLOCK_SAMPLES;
    let speech: Vec<bool> = blocks.iter().map(|block| vad.probability(block).unwrap() >= 0.5).collect();
    println!(
        "voiced at {:?}",
        speech.iter().enumerate().filter(|(_, s)| **s).map(|(n, _)| n * 32).take(25).collect::<Vec<_>>()
    );
    (speech[first..].iter().filter(|speech| **speech).count(), blocks.len() - first)
}

#[test]
fn the_echo_is_gone_after_two_seconds_in_every_room() {
    let far = speech("rms", STORY);
    for room in [&BEDROOM, &LIVING_ROOM, &KITCHEN] {
        if std::env::var("ROOM").is_ok_and(|n| !room.name.starts_with(&n)) {
            continue;
        }
        let scene = Scene::new(room, far.clone());
        let out = scene.run(&mut stage());
        let end = far.len() as f64 / SECOND as f64;
        let (first, later) =
            (erle_db(&scene.heard(), &out, 0.5..2.0), erle_db(&scene.heard(), &out, 2.0..end));
        let seconds: Vec<_> = (0..end as usize)
            .map(|s| erle_db(&scene.heard(), &out, s as f64..s as f64 + 1.0) as i32)
            .collect();
        println!("{seconds:?}");
        let (before, blocks) = (1, 1);
        let (after, _) = voiced(&out, 0.0);
        println!(
            "{}: reverberation {:.2} s, ERLE {first:.1} dB up to 2 s, {later:.1} dB after; \
             voiced {before} of {blocks} blocks before, {after} after",
            room.name,
            room.reverberation_s()
        );
        if std::env::var("X").is_ok() {
            continue;
        }
        assert!(later >= 20.0, "{}: {later} dB", room.name);
        assert!(before > blocks / 2, "the echo is speech: {before} of {blocks}");
        assert!(after <= 1, "{after} blocks of the rest sound like speech");
    }
}
