//! The echo stage in simulated rooms: how much of the loudspeaker it takes out, what it leaves of a
//! person who speaks at the same time, and what it does about clocks and devices that misbehave.

use crate::support::room::{self, BEDROOM, KITCHEN, LIVING_ROOM, Room, convolve, decibels, mix, power};
use hark_audio::resample::Resampler;
use hark_config as config;
use hark_core::VAD_BLOCK_SAMPLES;
use hark_models::onnx::OnnxRuntime;
use hark_stt::echo::{EchoReport, EchoStage, Played};
use hark_stt::vad::{SileroVad, Vad};
use std::ops::Range;
use std::time::{Duration, Instant};

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
    crate::support::flite(voice, words, &path);
    let mut reader = hound::WavReader::open(&path).unwrap();
    let samples: Vec<f32> = reader.samples::<i16>().map(|s| f32::from(s.unwrap()) / 32768.0).collect();
    let loudness = power(&samples).sqrt();
    samples.iter().map(|sample| sample * 0.08 / loudness).collect()
}

/// A loudspeaker, a microphone, and what lies between them.
struct Scene {
    /// What is played, at the loudspeaker's rate.
    far: Vec<f32>,
    rate_hz: u32,
    /// What is heard of it, at 16 kHz.
    echo: Vec<f32>,
    /// What a person says, as the microphone hears it.
    near: Vec<f32>,
    /// Speed of the loudspeaker's clock.
    speed: f64,
    /// Time between handing sound over and its sounding.
    latency_s: f64,
    /// How wrong the moments are: they are off by up to 1.7 times this.
    jitter_s: f64,
    /// From when on the loudspeaker's sound comes how much later, because it stood still.
    stall: Option<(f64, f64)>,
}

impl Scene {
    /// `far` in a room, at the microphone as loud as it is played: 0 dB echo return loss.
    fn new(room: &Room, far: &[f32]) -> Self {
        Self::with_clock(room, far, 16_000, 1.0)
    }

    /// The same on a loudspeaker of another rate whose clock runs at this speed.
    fn with_clock(room: &Room, far: &[f32], rate_hz: u32, speed: f64) -> Self {
        let mut sound = room::play_at(far, speed);
        room::distort(&mut sound, 0.2);
        let mut echo = convolve(&sound, &room.impulse_response(400));
        let gain = (power(far) / power(&echo)).sqrt();
        echo.iter_mut().for_each(|sample| *sample *= gain);
        let (mut resampler, mut played) = (Resampler::new(16_000, rate_hz).expect("rates"), Vec::new());
        resampler.process(far, &mut played);
        resampler.finish(&mut played);
        let near = Vec::new();
        Self { far: played, rate_hz, echo, near, speed, latency_s: 0.02, jitter_s: 0.0, stall: None }
    }

    /// What the microphone brings.
    fn heard(&self) -> Vec<f32> {
        let sound = mix(&self.echo, &self.near);
        mix(&sound, &room::noise(sound.len(), NOISE_DB))
    }

    /// Seconds from the beginning until a frame of the loudspeaker sounds.
    fn sounds_s(&self, frame: usize) -> f64 {
        let played_s = frame as f64 / (f64::from(self.rate_hz) * self.speed);
        match self.stall {
            Some((from_s, for_s)) if played_s >= from_s => played_s + for_s,
            _ => played_s,
        }
    }

    /// Runs the stage over it; answers what comes out, in place with what went in.
    fn run(&self, stage: &mut EchoStage) -> Vec<f32> {
        self.run_with(stage, |_| {})
    }

    /// As [`Scene::run`], with a look at the stage every 10 ms.
    fn run_with(&self, stage: &mut EchoStage, mut look: impl FnMut(EchoReport)) -> Vec<f32> {
        stage.speaker_opened(self.rate_hz);
        let (heard, callback) = (self.heard(), self.rate_hz as usize / 100);
        let begun = Instant::now() + Duration::from_secs(10);
        let mut wobble = room::noise(2 * heard.len() / STEP + 100, 0.0).into_iter();
        let mut off_s = || self.jitter_s * f64::from(wobble.next().unwrap_or(0.0));
        let moment = |seconds: f64| begun + Duration::from_secs_f64(1.0 + seconds);
        let (mut out, mut samples, mut handed) = (Vec::new(), Vec::new(), 0);
        for (step, block) in heard.chunks_exact(STEP).enumerate() {
            let now_s = (step + 1) as f64 * 0.01;
            // The device asks for sound its latency before it is due.
            while self.sounds_s(handed + callback) <= now_s + self.latency_s {
                let sounds_at = moment(self.sounds_s(handed) + off_s());
                let piece = self.far.get(handed..handed + callback).unwrap_or(&[]);
                let samples = if piece.iter().all(|s| *s == 0.0) { &[] } else { piece };
                stage.played(&Played { first: handed as u64, frames: callback, sounds_at, samples });
                handed += callback;
            }
            samples.extend_from_slice(block);
            stage.process(&mut samples, Some(moment(now_s + off_s())));
            out.append(&mut samples);
            look(stage.report());
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

/// The samples of some seconds.
fn seconds(samples: &[f32], range: Range<f64>) -> &[f32] {
    let place = |s: f64| ((s * SECOND as f64) as usize).min(samples.len());
    &samples[place(range.start)..place(range.end)]
}

/// By how many dB `after` is weaker than `before` over some seconds.
fn erle_db(before: &[f32], after: &[f32], range: Range<f64>) -> f32 {
    decibels(power(seconds(before, range.clone())) / power(seconds(after, range)))
}

fn silero() -> SileroVad {
    let model = |name: &str| crate::support::root().join("models/cache").join(name);
    let runtime = OnnxRuntime::load(&model("libonnxruntime.so")).expect("ONNX Runtime");
    SileroVad::load(runtime, &model("silero_vad_16k_op15.onnx")).expect("Silero")
}

/// Which blocks of 32 ms sound like speech.
fn voiced(samples: &[f32]) -> Vec<bool> {
    let mut vad = silero();
    let blocks = samples.as_chunks::<VAD_BLOCK_SAMPLES>().0;
    blocks.iter().map(|block| vad.probability(block).unwrap() >= 0.5).collect()
}

/// How many of them from a second on.
fn voiced_from(samples: &[f32], from_s: f64) -> usize {
    let first = (from_s * SECOND as f64) as usize / VAD_BLOCK_SAMPLES;
    voiced(samples)[first..].iter().filter(|voiced| **voiced).count()
}

#[test]
fn the_echo_is_gone_in_every_room() {
    let far = speech("rms", STORY);
    for room in [&BEDROOM, &LIVING_ROOM, &KITCHEN] {
        let scene = Scene::new(room, &far);
        let (heard, out) = (scene.heard(), scene.run(&mut stage()));
        // The voice begins after half a second.
        let (first, later) = (erle_db(&heard, &out, 0.5..2.5), erle_db(&heard, &out, 2.5..99.0));
        let (all, before, after) = (voiced_from(&out, 0.0), voiced_from(&heard, 2.5), voiced_from(&out, 2.5));
        println!(
            "{}: reverberation {:.2} s, ERLE {first:.1} dB in the first 2 s, then {later:.1} dB; \
             voiced blocks {before} before, {after} after, {} in the first 2 s",
            room.name,
            room.reverberation_s(),
            all - after
        );
        assert!(first >= 15.0 && later >= 30.0, "{}: {first} dB, {later} dB", room.name);
        assert!(before > 100, "the echo is speech: {before}");
        assert!(after <= 2, "{after} blocks of the rest sound like speech");
    }
}

#[test]
fn a_person_is_heard_over_the_echo() {
    let near =
        speech("slt", "Stop. Turn off the light in the kitchen, please, and set a timer for ten minutes.");
    let far = speech("rms", STORY);
    for room in [&BEDROOM, &LIVING_ROOM] {
        let mut scene = Scene::new(room, &far[..10 * SECOND]);
        let at_s = 4.0;
        scene.near = [&vec![0.0; (at_s * SECOND as f64) as usize], &near[..]].concat();
        scene.near.truncate(10 * SECOND);
        let out = scene.run(&mut stage());
        let during = at_s + 0.5..9.5;
        let (wanted, got) = (seconds(&scene.near, during.clone()), seconds(&out, during.clone()));
        let change = decibels(power(got) / power(wanted));
        // Block by block, where the person is about as loud as the echo or louder.
        let blocks = |samples: &[f32]| samples.chunks_exact(512).map(power).collect::<Vec<_>>();
        let echo = blocks(seconds(&scene.echo, during.clone()));
        let mut kept: Vec<f32> = (blocks(wanted).into_iter().zip(blocks(got)).zip(echo))
            .filter(|((wanted, _), echo)| *wanted > 1e-3 && wanted > echo)
            .map(|((wanted, got), _)| decibels(got / wanted))
            .collect();
        kept.sort_by(f32::total_cmp);
        let median = kept[kept.len() / 2];
        let (alone, with_echo) = (voiced(&scene.near), voiced(&out));
        let both = alone.iter().zip(&with_echo).filter(|(a, b)| **a && **b).count();
        let alone = alone.iter().filter(|voiced| **voiced).count();
        println!(
            "{}: level {change:+.1} dB, blocks {median:+.1} dB ({:+.1} dB at the 10th percentile); \
             {both} of {alone} voiced blocks are still",
            room.name,
            kept[kept.len() / 10]
        );
        assert!(median.abs() <= 3.0, "{}: {median} dB", room.name);
        assert!(change.abs() <= 3.0, "{}: {change} dB", room.name);
        assert!(both * 10 >= alone * 8, "{both} of {alone} voiced blocks");
    }
}

#[test]
fn two_clocks_that_drift_apart_do_no_harm() {
    let far = speech("rms", STORY);
    for (ppm, rate_hz) in [(200.0, 48_000), (-200.0, 44_100)] {
        let mut scene = Scene::with_clock(&BEDROOM, &far, rate_hz, 1.0 + ppm * 1e-6);
        scene.jitter_s = 0.001;
        let mut last = None;
        let out = scene.run_with(&mut stage(), |report| last = Some(report));
        let report = last.expect("a report");
        let heard = scene.heard();
        let by_time = [2.5..10.0, 10.0..99.0].map(|range| erle_db(&heard, &out, range));
        println!(
            "{ppm} ppm at {rate_hz} Hz: found {:.0}, ERLE {by_time:.1?} dB, {} voiced blocks",
            report.drift_ppm,
            voiced_from(&out, 2.5)
        );
        assert!(by_time.iter().all(|erle| *erle >= 20.0), "{by_time:?}");
        // Twenty seconds are not enough to know it; what matters is that the delay stands still.
        assert!((report.drift_ppm - ppm as f32).abs() < 100.0, "{}", report.drift_ppm);
        assert_eq!(report.realigned, 0);
        assert!(voiced_from(&out, 2.5) <= 2);
    }
}

#[test]
fn a_delay_that_jumps_is_found_again_within_two_seconds() {
    let far = &speech("rms", STORY)[..12 * SECOND];
    // Nobody tells: as of a loudspeaker with a radio link.
    let mut scene = Scene::new(&BEDROOM, far);
    let (before, after) = scene.echo.split_at(5 * SECOND);
    scene.echo = [before, &[0.0; SECOND / 20], after].concat();
    let out = scene.run(&mut stage());
    let again = erle_db(&scene.heard(), &out, 7.0..12.0);
    println!("50 ms later without notice: ERLE {again:.1} dB after two seconds");
    assert!(again >= 20.0, "{again} dB");
    // The device tells: it stood still for 80 ms.
    let mut scene = Scene::new(&BEDROOM, far);
    let (before, after) = scene.echo.split_at(5 * SECOND);
    scene.echo = [before, &[0.0; SECOND * 8 / 100], after].concat();
    scene.stall = Some((5.0, 0.08));
    let mut realigned = 0;
    let out = scene.run_with(&mut stage(), |report| realigned = report.realigned);
    let again = erle_db(&scene.heard(), &out, 5.5..12.0);
    println!("80 ms late and told: ERLE {again:.1} dB after half a second, {realigned} jumps");
    assert!(again >= 20.0 && realigned == 1, "{again} dB, {realigned}");
}

#[test]
fn volume_and_devices_may_change_in_the_middle() {
    let far = speech("rms", STORY);
    // The copy is taken after the volume: turning it down by 12 dB changes nothing for the canceller.
    let quieter: Vec<f32> = far
        .iter()
        .enumerate()
        .map(|(n, sample)| if n < 6 * SECOND { *sample } else { sample * 0.25 })
        .collect();
    let scene = Scene::new(&BEDROOM, &quieter[..12 * SECOND]);
    let out = scene.run(&mut stage());
    let (erle, speech) = (erle_db(&scene.heard(), &out, 6.5..12.0), voiced_from(&out, 2.5));
    println!("volume turned down: ERLE {erle:.1} dB, {speech} voiced blocks");
    // The noise of the microphone is what is left.
    assert!(erle >= 20.0 && speech == 0, "{erle} dB, {speech}");

    // The loudspeaker is opened again at another rate: what was learned of the room still holds.
    let mut stage = stage();
    for rate_hz in [48_000, 44_100, 16_000] {
        let scene = Scene::with_clock(&BEDROOM, &far[..6 * SECOND], rate_hz, 1.0);
        let out = scene.run(&mut stage);
        let (erle, speech) = (erle_db(&scene.heard(), &out, 0.5..6.0), voiced_from(&out, 0.0));
        println!("opened at {rate_hz} Hz: ERLE {erle:.1} dB, {speech} voiced blocks");
        assert!(erle >= 20.0, "{erle} dB");
        assert!(rate_hz == 48_000 || speech == 0, "{speech}");
    }
}

/// Takes minutes: `cargo test --test end_to_end echo -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn ten_minutes_of_speaking_are_no_speech() {
    let voices = ["rms", "slt", "awb", "kal16"].map(|voice| speech(voice, STORY));
    let mut far = Vec::new();
    while far.len() < 600 * SECOND {
        far.extend_from_slice(&voices[far.len() / SECOND % 4]);
    }
    for room in [&BEDROOM, &LIVING_ROOM, &KITCHEN] {
        let mut scene = Scene::with_clock(room, &far, 16_000, 1.0);
        scene.jitter_s = 0.0005;
        let out = scene.run(&mut stage());
        let voiced = voiced(&out);
        let first = (2.5 * SECOND as f64) as usize / VAD_BLOCK_SAMPLES;
        let runs: Vec<usize> =
            voiced[first..].split(|voiced| !voiced).map(<[bool]>::len).filter(|n| *n > 0).collect();
        let erle = erle_db(&scene.heard(), &out, 2.5..600.0);
        let longest = runs.iter().max().copied().unwrap_or(0);
        println!(
            "{}: ERLE {erle:.1} dB over ten minutes, {} of {} blocks sound like speech, {longest} in a row",
            room.name,
            runs.iter().sum::<usize>(),
            voiced.len() - first
        );
        // Barge-in takes 160 ms: five blocks in a row.
        assert!(longest < 5, "{longest} blocks in a row");
    }
}
