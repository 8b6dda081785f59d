//! The microphone and the pipeline alone, for the live meter.

use crate::app::audio::microphone_source::MicrophoneSource;
use crate::app::builder::App;
use crate::app::service::health::Health;
use hark_core::{Event, Fault, FaultKind, Words};
use hark_stt::pipeline::Meter;
use hark_stt::stt::worker::SttMode;
use hark_stt::{HearingEvent, PipelineCommand};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often the ring is emptied.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// A pipeline that is opened for the meter waits this long for speech before it is opened again.
const WINDOW_MS: u64 = 60_000;

/// What the pipeline is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Doing {
    /// Waits for speech.
    #[default]
    Waiting,
    /// Hears speech.
    Hearing,
    /// Works out the words.
    Recognising,
    /// There is no microphone at the moment.
    Deaf,
}

/// What is shown: what happened since the last showing.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The loudest block as it came in, dB of full scale, −100 ..= 0.
    pub level_dbfs: f32,
    /// Decibels that it is raised by.
    pub gain_db: f32,
    /// The highest probability of speech.
    pub vad: f32,
    /// Wake words with their highest scores.
    pub wake: Vec<(String, f32)>,
    /// What the pipeline is at.
    pub doing: Doing,
    /// The words so far, the last ones, or what went wrong.
    pub words: String,
    /// Overruns since the start: the device's, and those of a pipeline that was too slow.
    pub xruns: u64,
    /// Samples at 16 kHz that were heard since the start.
    pub heard_samples: u64,
}

/// Hears until `show` answers false or the process is told to end (SIGINT, SIGTERM); every request is
/// recognised, without a wake word. A microphone that is lost is found again. `show` is called every `every`.
///
/// # Errors
/// When there is no microphone at the start, or an engine is missing.
pub fn listen(app: &App, every: Duration, mut show: impl FnMut(&Shown) -> bool) -> Result<(), Fault> {
    let over = Arc::new(AtomicBool::new(false));
    end_on_signal(app, over.clone())?;
    let health = Arc::new(Health::default());
    let mut source = MicrophoneSource::start(&app.config.audio, health.clone(), Arc::default());
    let mut pipeline = app.pipeline(SttMode::Live)?;
    source.settle(&app.event_queue);
    if !health.is_microphone_open() {
        return Err(trouble(app).unwrap_or_else(switched_off));
    }
    let (mut samples, mut heard) = (Vec::new(), Vec::new());
    let mut gauge = Gauge::default();
    let mut next_show = Instant::now();
    while !over.load(Ordering::Acquire) {
        if !pipeline.meter().listening {
            pipeline.command(PipelineCommand::Listen { window_ms: WINDOW_MS, short_answer: false });
        }
        samples.clear();
        let open = source.read(&mut samples, &app.event_queue);
        pipeline.process(&samples, &mut heard);
        heard.drain(..).for_each(|heard| gauge.note(heard.event));
        if !samples.is_empty() {
            gauge.take(&pipeline.meter());
        }
        if let Some(fault) = trouble(app) {
            gauge.words = fault.message;
        }
        if Instant::now() >= next_show {
            next_show = Instant::now() + every;
            if !show(&gauge.read(open, health.xruns(), pipeline.position_samples())) {
                break;
            }
        }
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(())
}

/// What the microphone's owner has reported.
fn trouble(app: &App) -> Option<Fault> {
    match app.event_queue.pop(Instant::now()) {
        Some(Event::Fault { fault }) => Some(fault),
        _ => None,
    }
}

fn switched_off() -> Fault {
    let fix = "set audio.input_device to auto, or to a name that `hark devices` prints";
    Fault::new(FaultKind::MissingPart, "microphone", "no microphone could be opened", fix)
}

/// Collects until it is read.
struct Gauge {
    level_dbfs: f32,
    gain_db: f32,
    vad: f32,
    wake: Vec<(String, f32)>,
    doing: Doing,
    words: String,
}

impl Default for Gauge {
    fn default() -> Self {
        let (doing, words) = (Doing::default(), String::new());
        Self { level_dbfs: -100.0, gain_db: 0.0, vad: 0.0, wake: Vec::new(), doing, words }
    }
}

impl Gauge {
    fn note(&mut self, event: HearingEvent) {
        match event {
            HearingEvent::SpeechStarted => {
                self.doing = Doing::Hearing;
                self.words.clear();
            }
            HearingEvent::SpeechEnded { .. } => self.doing = Doing::Recognising,
            HearingEvent::NothingSaid => self.doing = Doing::Waiting,
            HearingEvent::Partial(Words { text, .. }) => self.words = format!("{text} …"),
            HearingEvent::Transcript(transcript) => {
                self.doing = Doing::Waiting;
                self.words = match transcript.rejected {
                    None => format!("“{}” ({:.2})", transcript.text, transcript.confidence),
                    Some(why) => format!("“{}” rejected: {why}", transcript.text),
                };
            }
            HearingEvent::Fault(fault) => self.words = fault.message,
            HearingEvent::WentOn => self.doing = Doing::Hearing,
            // The meter watches for no interruption, keeps no sound, and shows wake scores by themselves.
            HearingEvent::Wake { .. }
            | HearingEvent::WakeRejected { .. }
            | HearingEvent::Sound(_)
            | HearingEvent::Interruption { .. }
            | HearingEvent::PauseWeighed { .. } => {}
        }
    }

    fn take(&mut self, meter: &Meter) {
        self.level_dbfs = self.level_dbfs.max(meter.level_dbfs);
        self.gain_db = meter.gain_db;
        self.vad = self.vad.max(meter.vad);
        if self.wake.len() == meter.wake.len() {
            self.wake.iter_mut().zip(&meter.wake).for_each(|(kept, now)| kept.1 = kept.1.max(now.1));
        } else {
            self.wake.clone_from(&meter.wake);
        }
    }

    fn read(&mut self, open: bool, xruns: u64, heard_samples: u64) -> Shown {
        let shown = Shown {
            level_dbfs: std::mem::replace(&mut self.level_dbfs, -100.0),
            gain_db: self.gain_db,
            vad: std::mem::take(&mut self.vad),
            wake: self.wake.clone(),
            doing: if open { self.doing } else { Doing::Deaf },
            words: self.words.clone(),
            xruns,
            heard_samples,
        };
        self.wake.iter_mut().for_each(|(_, score)| *score = 0.0);
        shown
    }
}

fn end_on_signal(app: &App, over: Arc<AtomicBool>) -> Result<(), Fault> {
    use tokio::signal::unix::{SignalKind, signal};
    let _inside = app.runtime.enter();
    let failed = |error: std::io::Error| {
        Fault::new(FaultKind::Failed, "listen", format!("cannot wait for signals: {error}"), "")
    };
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    app.runtime.spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        over.store(true, Ordering::Release);
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter(level_dbfs: f32, vad: f32, score: f32) -> Meter {
        let wake = vec![("hey_jarvis".to_owned(), score)];
        Meter { level_dbfs, gain_db: 3.0, vad, wake, listening: true, muted: false }
    }

    #[test]
    fn the_loudest_since_the_last_showing_is_shown() {
        let mut gauge = Gauge::default();
        gauge.take(&meter(-40.0, 0.2, 0.9));
        gauge.take(&meter(-20.0, 0.1, 0.1));
        gauge.take(&meter(-50.0, 0.6, 0.0));
        let shown = gauge.read(true, 3, 512);
        assert_eq!((shown.level_dbfs, shown.vad, shown.wake[0].1), (-20.0, 0.6, 0.9));
        gauge.take(&meter(-50.0, 0.3, 0.2));
        let shown = gauge.read(false, 3, 1024);
        assert_eq!((shown.level_dbfs, shown.vad, shown.wake[0].1), (-50.0, 0.3, 0.2));
        assert_eq!(shown.doing, Doing::Deaf);
    }

    #[test]
    fn a_request_is_followed_from_speech_to_words() {
        let mut gauge = Gauge::default();
        gauge.note(HearingEvent::SpeechStarted);
        let words = Words { text: "turn on".into(), stable: 4, ..Words::default() };
        gauge.note(HearingEvent::Partial(words));
        let shown = gauge.read(true, 0, 0);
        assert_eq!((shown.doing, shown.words.as_str()), (Doing::Hearing, "turn on …"));
        gauge.note(HearingEvent::NothingSaid);
        assert_eq!(gauge.read(true, 0, 0).doing, Doing::Waiting);
    }
}
