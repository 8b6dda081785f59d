//! What hearing costs: every stage alone, then the pipeline as a whole.

use crate::app::builder::App;
use crate::cli::benchmarks::samples::{Row, Samples, Unit, ms};
use hark_config::echo::Echo;
use hark_core::audio::samples_to_ms;
use hark_core::{Fault, FaultKind, SAMPLE_RATE_HZ, VAD_BLOCK_SAMPLES};
use hark_stt::capture::capture_ring;
use hark_stt::echo::{EchoStage, Played};
use hark_stt::stt::worker::SttMode;
use hark_stt::{HearingEvent, PipelineCommand, PositionedEvent};
use std::time::{Duration, Instant};

/// What the usual sound card brings.
const DEVICE_HZ: u32 = 48_000;
/// Sound from the device in one block of 32 ms, two channels.
const DEVICE_BLOCK: usize = (DEVICE_HZ as usize * VAD_BLOCK_SAMPLES / SAMPLE_RATE_HZ as usize) * 2;
/// One hop of the wake word models: 80 ms.
const WAKE_HOP_SAMPLES: usize = 1280;
/// A pipeline without a wake word in the sound listens this long.
const WINDOW_MS: u64 = 60_000;

/// All rows of hearing. `sounds` are at 16 kHz.
pub(crate) fn rows(app: &App, sounds: &[Vec<f32>]) -> Result<Vec<Row>, Fault> {
    let mut rows = vec![capture()?];
    rows.extend(echo(&app.config.echo, sounds));
    rows.push(vad(app, sounds)?);
    rows.extend(wake(app, sounds)?);
    rows.push(recogniser(app, sounds)?);
    rows.extend(pipeline(app, sounds)?);
    Ok(rows)
}

fn capture() -> Result<Row, Fault> {
    let failed = |error: hark_audio::resample::RateError| {
        Fault::new(FaultKind::Failed, "bench", error.to_string(), "")
    };
    let (mut writer, mut reader) = capture_ring(DEVICE_HZ, 2, 1000).map_err(failed)?;
    let block: Vec<f32> = (0..DEVICE_BLOCK).map(|n| ((n * 37 % 1000) as f32 / 500.0 - 1.0) * 0.3).collect();
    let (mut samples, mut out) = (Samples::default(), Vec::new());
    for _ in 0..500 {
        out.clear();
        samples.time(|| {
            writer.push(&block);
            reader.read(&mut out);
        });
    }
    Ok(samples.row("capture_block", "ring, mix and resample 48 kHz stereo, 32 ms of sound", Unit::Us))
}

/// The sounds are played by the loudspeaker and come back quieter a little later. No row when the echo is
/// not cancelled.
fn echo(config: &Echo, sounds: &[Vec<f32>]) -> Option<Row> {
    if !config.enabled {
        return None;
    }
    /// The way through the air, in samples.
    const AIR: usize = 160;
    let begun = Instant::now();
    let at = |sample: usize| begun + Duration::from_secs_f64(sample as f64 / f64::from(SAMPLE_RATE_HZ));
    let mut stage = EchoStage::new(config);
    stage.speaker_opened(SAMPLE_RATE_HZ);
    let played: Vec<f32> = sounds.concat();
    let (mut samples, mut heard) = (Samples::default(), Vec::new());
    for (index, block) in played.as_chunks::<VAD_BLOCK_SAMPLES>().0.iter().enumerate() {
        let first = index * VAD_BLOCK_SAMPLES;
        let echo = (first..first + block.len()).map(|n| n.checked_sub(AIR).map_or(0.0, |n| played[n] * 0.3));
        heard.clear();
        heard.extend(echo);
        samples.time(|| {
            let sounds_at = at(first);
            stage.played(&Played { first: first as u64, frames: block.len(), sounds_at, samples: block });
            stage.process(&mut heard, Some(at(first + block.len())));
        });
    }
    Some(samples.row("echo_block", "echo cancellation while Hark speaks, 32 ms of sound", Unit::Us))
}

fn vad(app: &App, sounds: &[Vec<f32>]) -> Result<Row, Fault> {
    let mut vad = app.pipelines().vad()?;
    let mut samples = Samples::default();
    for block in sounds.iter().flat_map(|sound| sound.as_chunks::<VAD_BLOCK_SAMPLES>().0) {
        samples.time(|| vad.probability(block))?;
    }
    Ok(samples.row("vad_block", "voice activity, 32 ms of sound", Unit::Us))
}

/// None when the wake word is switched off.
fn wake(app: &App, sounds: &[Vec<f32>]) -> Result<Option<Row>, Fault> {
    let Some(mut wake) = app.pipelines().wake()? else { return Ok(None) };
    let (mut samples, mut reports) = (Samples::default(), Vec::new());
    for hop in sounds.iter().flat_map(|sound| sound.as_chunks::<WAKE_HOP_SAMPLES>().0) {
        samples.time(|| wake.push(hop, &mut reports))?;
        reports.clear();
    }
    Ok(Some(samples.row("wake_hop", "wake words, 80 ms of sound", Unit::Us)))
}

/// Whole recordings, as if all of each were one request.
fn recogniser(app: &App, sounds: &[Vec<f32>]) -> Result<Row, Fault> {
    let mut recogniser = app.pipelines().recogniser(SttMode::LockStep)?;
    let mut samples = Samples::default();
    for sound in sounds {
        let begun = Instant::now();
        recogniser.start()?;
        for block in sound.chunks(VAD_BLOCK_SAMPLES) {
            recogniser.feed(block)?;
        }
        recogniser.finish()?;
        let seconds = sound.len() as f64 / f64::from(SAMPLE_RATE_HZ);
        samples.push(begun.elapsed().as_secs_f64() / seconds);
    }
    Ok(samples.row("recogniser_real_time_factor", "recogniser, from start to finish", Unit::OfRealTime))
}

/// What the pipeline as a whole shows.
#[derive(Default)]
struct PipelineTimes {
    block: Samples,
    first_partial: Samples,
    transcript: Samples,
}

/// One recording's request as it goes on.
#[derive(Default)]
struct Request {
    /// Position at which speech was certain, in samples.
    speech: Option<u64>,
    partial: bool,
    /// The moment of the endpoint.
    ended: Option<Instant>,
}

/// The whole pipeline in lock-step, as `hark hear` runs it.
fn pipeline(app: &App, sounds: &[Vec<f32>]) -> Result<[Row; 3], Fault> {
    let mut pipeline = app.pipeline(SttMode::LockStep)?;
    let (mut times, mut heard) = (PipelineTimes::default(), Vec::new());
    let has_wake_word = app.pipelines().wake()?.is_some();
    for sound in sounds {
        let mut request = Request::default();
        if !has_wake_word {
            pipeline.command(PipelineCommand::Listen { window_ms: WINDOW_MS, short_answer: false });
        }
        for block in sound.chunks(VAD_BLOCK_SAMPLES) {
            let awake = pipeline.meter().listening;
            let begun = Instant::now();
            pipeline.process(block, &mut heard);
            let took = begun.elapsed();
            if !awake && heard.is_empty() {
                times.block.push(took.as_secs_f64() * 1e6);
            }
            heard.drain(..).for_each(|heard| times.note(&mut request, heard, begun, took));
        }
        pipeline.finish(&mut heard);
        heard.clear();
        pipeline.command(PipelineCommand::Sleep);
    }
    Ok([
        times.block.row(
            "ear_block",
            "the pipeline asleep (voice activity, wake word), 32 ms of sound",
            Unit::Us,
        ),
        times.first_partial.row("first_partial", "from certain speech to the first words", Unit::Ms),
        times.transcript.row("endpoint_to_transcript", "from the endpoint to the transcript", Unit::Ms),
    ])
}

impl PipelineTimes {
    /// `begun` and `took` are those of the block that brought it.
    fn note(&mut self, request: &mut Request, heard: PositionedEvent, begun: Instant, took: Duration) {
        match heard.event {
            HearingEvent::SpeechStarted => {
                *request = Request { speech: Some(heard.position_samples), ..Request::default() };
            }
            HearingEvent::Partial(_) if !std::mem::replace(&mut request.partial, true) => {
                if let Some(speech) = request.speech {
                    // Sound that had to pass, and computing.
                    let sound_ms = samples_to_ms(heard.position_samples.saturating_sub(speech)) as f64;
                    self.first_partial.push(sound_ms + ms(took));
                }
            }
            HearingEvent::SpeechEnded { .. } => request.ended = Some(begun),
            HearingEvent::Transcript(_) => {
                if let Some(ended) = request.ended.take() {
                    self.transcript.push(ms(ended.elapsed()));
                }
            }
            _ => {}
        }
    }
}
