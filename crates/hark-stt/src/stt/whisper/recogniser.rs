//! The Whisper recogniser: decodes on the thread `hark-whisper`, and never waits for it except in `finish`.

use super::decode_queue::DecodeQueue;
use super::decoder::{Decoded, Decoder, Purpose};
use super::error::WhisperError;
use super::hallucination::{HallucinationLimits, rejected, soundless};
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
pub enum PartialMode {
    /// While sound comes in; asking for a partial never waits and gives the newest there is.
    Background,
    /// When a partial is asked for, which waits: the outcome does not depend on the machine.
    LockStep,
}

/// How the recogniser works.
#[derive(Debug, Clone, PartialEq)]
pub struct WhisperSettings {
    /// The model file, in whisper.cpp's ggml format.
    pub model: PathBuf,
    /// Threads of one decode.
    pub threads: u32,
    /// Least encoder frames of a decode (50 a second).
    pub min_context_frames: u32,
    /// New sound between two partials, milliseconds; 0 for none.
    pub partial_ms: u32,
    /// Languages that are spoken here, ISO 639-1, the likeliest first; a model of many languages takes no other into
    /// account. Empty for all.
    pub languages: Vec<String>,
    /// Names the prompt is made of, the most important first.
    pub names: Vec<String>,
    /// Most tokens of the prompt; the model has its own limit too.
    pub prompt_tokens: u32,
    /// When a text is rejected.
    pub guards: HallucinationLimits,
    /// When partials are decoded.
    pub partial_mode: PartialMode,
}

impl WhisperSettings {
    /// The settings of the section `stt` with a model file, and what of the home a recogniser should know.
    pub fn new(
        stt: &Stt,
        model: PathBuf,
        languages: Vec<String>,
        names: Vec<String>,
        partial_mode: PartialMode,
    ) -> Self {
        Self {
            model,
            threads: threads(stt.whisper_threads),
            min_context_frames: stt.whisper_min_context_frames,
            partial_ms: stt.whisper_partial_ms,
            languages,
            names,
            prompt_tokens: stt.whisper_prompt_tokens,
            guards: HallucinationLimits {
                min_confidence: stt.min_confidence,
                max_no_speech: stt.whisper_no_speech,
            },
            partial_mode,
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
    queue: Arc<DecodeQueue>,
    guards: HallucinationLimits,
    partial_mode: PartialMode,
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
        let queue = Arc::new(DecodeQueue::new(step, interrupt));
        let shared = Arc::clone(&queue);
        let thread = std::thread::Builder::new()
            .name("hark-whisper".to_owned())
            .spawn(move || work(&shared, decoder))
            .map_err(WhisperError::Thread)?;
        let (guards, partial_mode) = (settings.guards, settings.partial_mode);
        Ok(Self { queue, guards, partial_mode, thread: Some(thread), unheard: None })
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
        self.queue.finish(Instant::now() + delay, look)?;
        self.unheard = unheard;
        Ok(())
    }

    /// Ends the utterance: its words are not needed. Unlike after `cancel`, what was decoded of its
    /// sound is kept for a next utterance that begins with the same sound.
    pub fn stop(&mut self) {
        self.queue.stop();
    }

    /// The words of an utterance after [`WhisperRecogniser::begin_finish`]; waits for them.
    ///
    /// # Errors
    /// When the decode failed.
    pub fn wait(&mut self) -> Result<Transcript, WhisperError> {
        let (outcome, samples) = self.queue.outcome();
        match (self.unheard.take(), outcome) {
            (Some(why), _) => Ok(rejected(why)),
            (None, Err(interrupted @ WhisperError::Interrupted)) => Ok(rejected(interrupted.to_string())),
            (None, outcome) => Ok(self.guards.transcript(&outcome?, samples)),
        }
    }
}

impl Recogniser for WhisperRecogniser {
    fn start(&mut self) -> Result<(), Fault> {
        self.queue.start();
        Ok(())
    }

    fn feed(&mut self, samples: &[f32]) -> Result<(), Fault> {
        Ok(self.queue.feed(samples, self.partial_mode == PartialMode::Background)?)
    }

    fn partial(&mut self) -> Option<Partial> {
        if self.partial_mode == PartialMode::LockStep {
            self.queue.wait_for_partial();
        }
        self.queue.partial()
    }

    fn finish(&mut self) -> Result<Recognition, Fault> {
        self.begin_finish(Duration::ZERO)?;
        let transcript = self.wait()?;
        let heard = transcript.text.clone();
        Ok(Recognition { transcript, heard })
    }

    fn cancel(&mut self) {
        self.queue.cancel();
    }

    fn interrupter(&self) -> Option<Interrupter> {
        let queue = Arc::clone(&self.queue);
        Some(Arc::new(move || queue.interrupt()))
    }
}

impl Drop for WhisperRecogniser {
    fn drop(&mut self) {
        self.queue.close();
        if let Some(thread) = self.thread.take() {
            // What it panicked of was told when it happened.
            let _ = thread.join();
        }
    }
}

/// The thread `hark-whisper`, whose purpose is decoding; it ends when the recogniser is dropped.
fn work(queue: &DecodeQueue, mut decoder: Box<dyn Decoder>) {
    /// Tells those who wait, also when the decoder panics.
    struct Leaving<'d>(&'d DecodeQueue);
    impl Drop for Leaving<'_> {
        fn drop(&mut self) {
            self.0.leave();
        }
    }
    let _leaving = Leaving(queue);
    warm_up(decoder.as_mut());
    while let Some(job) = queue.next_job() {
        let begun = Instant::now();
        let result = decoder.decode(&job.samples, job.purpose);
        let ms = begun.elapsed().as_millis();
        let interrupted = matches!(result, Ok(None));
        tracing::debug!(samples = job.samples.len(), purpose = ?job.purpose, ms, interrupted, "decoded");
        queue.deliver(&job, result);
    }
}

/// The first decode touches all memory for the first time, so it is done before it is needed.
fn warm_up(decoder: &mut dyn Decoder) {
    if let Err(error) = decoder.decode(&[0.0; 1600], Purpose::Last) {
        tracing::warn!(%error, "Whisper's first decode failed");
    }
}
