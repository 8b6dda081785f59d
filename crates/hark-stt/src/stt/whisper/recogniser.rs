//! The recogniser: sound in, words out, decoded on a thread of its own.

use super::decoder::{Decoded, Decoder, Purpose};
use super::desk::Desk;
use super::error::WhisperError;
use super::guards::{Guards, nothing, soundless};
use crate::stt::{Interrupter, Partial, Recogniser, Recognition};
use hark_config::stt::Stt;
use hark_core::audio::ms_to_samples;
use hark_core::{Fault, Transcript};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// When partials are decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// While sound comes in; asking for a partial never waits and gives the newest there is.
    Background,
    /// When a partial is asked for, which waits: the outcome does not depend on the machine.
    InStep,
}

/// How the recogniser works.
#[derive(Debug, Clone, PartialEq)]
pub struct WhisperSettings {
    /// The model file, in whisper.cpp's ggml format.
    pub model: PathBuf,
    /// Threads of one decode.
    pub threads: u32,
    /// Least encoder frames of a decode (50 a second).
    pub least_context: u32,
    /// New sound between two partials, milliseconds; 0 for none.
    pub partial_ms: u32,
    /// Names the prompt is made of, the most important first.
    pub names: Vec<String>,
    /// Most tokens of the prompt; the model has its own limit too.
    pub prompt_tokens: u32,
    /// When a text is rejected.
    pub guards: Guards,
    /// When partials are decoded.
    pub pace: Pace,
}

impl WhisperSettings {
    /// The settings of the section `stt` with a model file and the names of the home.
    pub fn new(stt: &Stt, model: PathBuf, names: Vec<String>, pace: Pace) -> Self {
        Self {
            model,
            threads: threads(stt.whisper_threads),
            least_context: stt.whisper_least_context,
            partial_ms: stt.whisper_partial_ms,
            names,
            prompt_tokens: stt.whisper_prompt_tokens,
            guards: Guards { min_confidence: stt.min_confidence, max_no_speech: stt.whisper_no_speech },
            pace,
        }
    }
}

/// Threads of a decode: what is configured, or for 0 half of the processors, 1 to 4. ggml's threads
/// wait for each other by spinning, many hundred times a decode; when one of them must wait for a
/// processor, all do.
fn threads(configured: u32) -> u32 {
    if configured > 0 {
        return configured;
    }
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(processors / 2).unwrap_or(1).clamp(1, 4)
}

/// Whisper for one home.
///
/// `start`, `feed`, `partial` and `cancel` never wait for a decode. `finish` interrupts a partial that
/// is being decoded and decodes the whole utterance once.
pub struct WhisperRecogniser {
    desk: Arc<Desk>,
    guards: Guards,
    pace: Pace,
    thread: Option<JoinHandle<()>>,
    /// Why the utterance at hand needed no decode.
    unheard: Option<String>,
}

impl WhisperRecogniser {
    /// Loads the model and starts the thread; takes some tenths of a second.
    ///
    /// # Errors
    /// `NotBuilt` without the feature `whisper`; when the model is missing, broken or refused.
    pub fn new(settings: &WhisperSettings) -> Result<Self, WhisperError> {
        let interrupt = Arc::new(AtomicBool::new(false));
        let decoder = super::open(settings, Arc::clone(&interrupt))?;
        Self::with_decoder(decoder, interrupt, settings)
    }

    /// A recogniser on a decoder of one's own; `interrupt` is the flag by which it can be interrupted.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn with_decoder(
        decoder: Box<dyn Decoder>,
        interrupt: Arc<AtomicBool>,
        settings: &WhisperSettings,
    ) -> Result<Self, WhisperError> {
        let step = ms_to_samples(settings.partial_ms.into()) as usize;
        let desk = Arc::new(Desk::new(step, interrupt));
        let shared = Arc::clone(&desk);
        let thread = std::thread::Builder::new()
            .name("hark-whisper".to_owned())
            .spawn(move || work(&shared, decoder))
            .map_err(WhisperError::Thread)?;
        let (guards, pace) = (settings.guards, settings.pace);
        Ok(Self { desk, guards, pace, thread: Some(thread), unheard: None })
    }

    /// Ends the utterance without waiting for its words: they are decoded from `delay` on, in the
    /// background, until [`WhisperRecogniser::wait`] asks for them or `cancel` stops that.
    ///
    /// # Errors
    /// When no utterance was begun.
    pub fn begin_finish(&mut self, delay: Duration) -> Result<(), WhisperError> {
        let mut unheard = None;
        let look = |samples: &[f32]| {
            unheard = soundless(samples);
            unheard.as_ref().map(|_| Decoded::default())
        };
        self.desk.finish(Instant::now() + delay, look)?;
        self.unheard = unheard;
        Ok(())
    }

    /// Ends the utterance: its words are not needed. Unlike after `cancel`, what was decoded of its
    /// sound is kept for a next utterance that begins with the same sound.
    pub fn stop(&mut self) {
        self.desk.stop();
    }

    /// The words of an utterance after [`WhisperRecogniser::begin_finish`]; waits for them.
    ///
    /// # Errors
    /// When the decode failed.
    pub fn wait(&mut self) -> Result<Transcript, WhisperError> {
        let (outcome, samples) = self.desk.outcome();
        match (self.unheard.take(), outcome) {
            (Some(why), _) => Ok(nothing(why)),
            (None, Err(interrupted @ WhisperError::Interrupted)) => Ok(nothing(interrupted.to_string())),
            (None, outcome) => Ok(self.guards.transcript(&outcome?, samples)),
        }
    }
}

impl Recogniser for WhisperRecogniser {
    fn start(&mut self) -> Result<(), Fault> {
        self.desk.start();
        Ok(())
    }

    fn feed(&mut self, samples: &[f32]) -> Result<(), Fault> {
        Ok(self.desk.feed(samples, self.pace == Pace::Background)?)
    }

    fn partial(&mut self) -> Option<Partial> {
        if self.pace == Pace::InStep {
            self.desk.wait_for_partial();
        }
        self.desk.partial()
    }

    fn finish(&mut self) -> Result<Recognition, Fault> {
        self.begin_finish(Duration::ZERO)?;
        let transcript = self.wait()?;
        let heard = transcript.text.clone();
        Ok(Recognition { transcript, heard })
    }

    fn cancel(&mut self) {
        self.desk.cancel();
    }

    fn interrupter(&self) -> Option<Interrupter> {
        let desk = Arc::clone(&self.desk);
        Some(Arc::new(move || desk.interrupt()))
    }
}

impl Drop for WhisperRecogniser {
    fn drop(&mut self) {
        self.desk.close();
        if let Some(thread) = self.thread.take() {
            // What it panicked of was told when it happened.
            let _ = thread.join();
        }
    }
}

/// The thread `hark-whisper`, whose purpose is decoding; it ends when the recogniser is dropped.
fn work(desk: &Desk, mut decoder: Box<dyn Decoder>) {
    /// Tells those who wait, also when the decoder panics.
    struct Leaving<'d>(&'d Desk);
    impl Drop for Leaving<'_> {
        fn drop(&mut self) {
            self.0.leave();
        }
    }
    let _leaving = Leaving(desk);
    warm_up(decoder.as_mut());
    while let Some(job) = desk.next_job() {
        let begun = Instant::now();
        let result = decoder.decode(&job.samples, job.purpose);
        let ms = begun.elapsed().as_millis();
        let interrupted = matches!(result, Ok(None));
        tracing::debug!(samples = job.samples.len(), purpose = ?job.purpose, ms, interrupted, "decoded");
        desk.deliver(&job, result);
    }
}

/// The first decode touches all memory for the first time: better before anybody waits for it.
fn warm_up(decoder: &mut dyn Decoder) {
    if let Err(error) = decoder.decode(&[0.0; 1600], Purpose::Last) {
        tracing::warn!(%error, "Whisper's first decode failed");
    }
}
