//! How soon the voice sounds, and how soon it is silent again: the real voice thread and ring, with a
//! loop in the place of the device.

use crate::app::audio::voice_parts::VoiceParts;
use crate::app::builder::App;
use crate::cli::benchmarks::samples::{Row, Samples, Unit, ms};
use hark_core::{Fault, FaultKind};
use hark_tts::playback::PlaybackSource;
use std::time::{Duration, Instant};

const RATE_HZ: u32 = 48_000;
/// A device asks for this much at a time.
const PERIOD: Duration = Duration::from_millis(10);
const PERIOD_SAMPLES: usize = 480;
/// For the first sound the ring is looked at this often, so that the device's period does not count.
const LOOK: Duration = Duration::from_micros(250);
const ROUNDS: usize = 20;
/// The voice sounds this long before it is stopped.
const BEFORE_STOP: Duration = Duration::from_millis(250);
/// Longest wait for sound or silence.
const LIMIT: Duration = Duration::from_secs(5);
const TEXT: &str = "I turned on the living room light, and this sentence goes on for a while after that.";

/// Two rows; none when the voice is switched off.
pub(crate) fn rows(app: &App) -> Result<Vec<Row>, Fault> {
    if app.voice()?.is_none() {
        return Ok(Vec::new());
    }
    let (parts, mut speaker) = VoiceParts::on_recording(app, RATE_HZ)?;
    let voice = parts.handle();
    let (mut first, mut stop) = (Samples::default(), Samples::default());
    for round in 0..ROUNDS {
        let asked = Instant::now();
        voice.say(format!("bench-{round}").as_str().into(), TEXT, "en")?;
        first.push(ms(wait_for_sound(&mut speaker, asked)?));
        play(&mut speaker, BEFORE_STOP);
        let stopped = Instant::now();
        voice.stop();
        stop.push(ms(wait_for_silence(&mut speaker, stopped)?));
        // The worker takes note before the next round.
        voice.settle();
    }
    Ok(vec![
        first.row("voice_first_audio", "from the order to speak to the first sound in the ring", Unit::Ms),
        stop.row("voice_stop", "from the order to stop to silence, at a period of 10 ms", Unit::Ms),
    ])
}

fn is_silent(samples: &[f32]) -> bool {
    samples.iter().all(|sample| *sample == 0.0)
}

fn no_sound() -> Fault {
    Fault::new(FaultKind::Failed, "bench", "the voice does not do as it is told", "look at `hark doctor`")
}

fn wait_for_sound(speaker: &mut PlaybackSource, asked: Instant) -> Result<Duration, Fault> {
    while asked.elapsed() < LIMIT {
        let mut one = [0.0; 1];
        speaker.fill(&mut one);
        if !is_silent(&one) {
            return Ok(asked.elapsed());
        }
        std::thread::sleep(LOOK);
    }
    Err(no_sound())
}

fn play(speaker: &mut PlaybackSource, span: Duration) {
    let end = Instant::now() + span;
    while Instant::now() < end {
        speaker.fill(&mut [0.0; PERIOD_SAMPLES]);
        std::thread::sleep(PERIOD);
    }
}

/// Until the end of the last period that still sounds.
fn wait_for_silence(speaker: &mut PlaybackSource, stopped: Instant) -> Result<Duration, Fault> {
    while stopped.elapsed() < LIMIT {
        std::thread::sleep(PERIOD);
        let mut period = [0.0; PERIOD_SAMPLES];
        speaker.fill(&mut period);
        let sounding = period.iter().rposition(|sample| *sample != 0.0).map_or(0, |last| last + 1);
        if sounding < PERIOD_SAMPLES {
            let rest = Duration::from_secs_f64(sounding as f64 / f64::from(RATE_HZ));
            return Ok(stopped.elapsed() + rest);
        }
    }
    Err(no_sound())
}
