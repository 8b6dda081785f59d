//! Owns the Moonshine model and its thread `hark-moonshine`: loads it while the person still speaks, decodes an utterance
//! in the background, scores given sentences, and unloads it after a time without use. Called by the grammar recogniser.

use super::beam_search::{EncodedUtterance, MoonshineResult};
use super::error::MoonshineError;
use super::prefix_tree::PrefixTree;
use super::tokeniser::Tokeniser;
use hark_core::SAMPLE_RATE_HZ;
use hark_core::ports::SpeechGrammar;
use hark_models::memory;
use hark_models::moonshine_sessions::MoonshineModel;
use hark_models::onnx::OnnxRuntime;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// Shorter utterances are nothing the model can take: 0.2 s.
const MIN_SAMPLES: usize = SAMPLE_RATE_HZ as usize / 5;
/// Silence after what was listened to ahead that changes nothing: 0.1 s.
const MAX_TRAILING_SILENCE: usize = SAMPLE_RATE_HZ as usize / 10;

/// What the listener is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoonshineFiles {
    /// ONNX Runtime.
    pub runtime: PathBuf,
    pub encoder: PathBuf,
    pub decoder: PathBuf,
    /// The table of word pieces.
    pub tokens: PathBuf,
}

/// A speech model with the sentences of one home.
pub struct MoonshineRescorer {
    files: MoonshineFiles,
    tokens: Arc<Tokeniser>,
    tree: Option<PrefixTree>,
    loaded: Option<LoadedModel>,
    /// What the thread `hark-moonshine` is at, whose purpose is to run the model.
    job: Option<Job>,
}

/// What listens.
struct LoadedModel {
    model: MoonshineModel,
    /// The utterance last listened to.
    heard: Option<EncodedUtterance>,
}

/// Opening the model, and listening if there are samples.
struct Job {
    thread: JoinHandle<Result<Outcome, MoonshineError>>,
    stop: Arc<AtomicBool>,
    samples: usize,
}

impl Job {
    /// Whether it is about an utterance of this many samples.
    fn covers(&self, samples: usize) -> bool {
        let after = samples.checked_sub(self.samples);
        self.samples > 0
            && !self.stop.load(Ordering::Relaxed)
            && after.is_some_and(|after| after <= MAX_TRAILING_SILENCE)
    }
}

struct Outcome {
    loaded: LoadedModel,
    tree: PrefixTree,
    result: Option<MoonshineResult>,
}

impl MoonshineRescorer {
    /// Looks whether the files are there and reads the table; the model is opened by `prepare`.
    ///
    /// # Errors
    /// When a file is missing or the table is broken.
    pub fn new(files: MoonshineFiles, grammar: Arc<dyn SpeechGrammar>) -> Result<Self, MoonshineError> {
        for path in [&files.runtime, &files.encoder, &files.decoder] {
            std::fs::File::open(path)
                .map_err(|source| MoonshineError::File { path: path.to_owned(), source })?;
        }
        let tokens = Arc::new(Tokeniser::load(&files.tokens)?);
        let tree = Some(PrefixTree::new(grammar, tokens.clone()));
        Ok(Self { files, tokens, tree, loaded: None, job: None })
    }

    /// Listens for other sentences from now on.
    ///
    /// # Errors
    /// When what was under way failed.
    pub fn set_grammar(&mut self, grammar: Arc<dyn SpeechGrammar>) -> Result<(), MoonshineError> {
        self.abort();
        self.result()?;
        self.tree = Some(PrefixTree::new(grammar, self.tokens.clone()));
        Ok(())
    }

    /// Opens the model unless it is open: an utterance has begun. Does not wait.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn prepare(&mut self) -> Result<(), MoonshineError> {
        // What it found of another utterance is of no use any more.
        self.abort();
        match self.is_loaded() {
            true => Ok(()),
            false => self.start_thread(Vec::new()),
        }
    }

    /// Lets go of the model; `prepare` opens it again.
    ///
    /// # Errors
    /// When what was under way failed.
    pub fn unload(&mut self) -> Result<(), MoonshineError> {
        // One that is only now being opened is for an utterance to come.
        if self.job.as_ref().is_some_and(|job| job.samples > 0) {
            self.abort();
            self.result()?;
        }
        if self.loaded.take().is_some() {
            memory::give_back();
        }
        Ok(())
    }

    /// Whether the model is open or being opened.
    pub fn is_loaded(&self) -> bool {
        self.loaded.is_some() || self.job.is_some()
    }

    /// Begins to find out what an utterance is, mono at 16 kHz, and gives up what was under way. Does not
    /// wait: `found` does. Nothing is done about one that is too short.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn decode(&mut self, samples: &[f32]) -> Result<(), MoonshineError> {
        match samples.len() < MIN_SAMPLES {
            true => Ok(()),
            false => self.start_thread(samples.to_vec()),
        }
    }

    /// The same for an utterance that is over: when only silence came after what is being listened to, that
    /// goes on.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn decode_final(&mut self, samples: &[f32]) -> Result<(), MoonshineError> {
        match &self.job {
            Some(job) if job.covers(samples.len()) => Ok(()),
            _ => self.decode(samples),
        }
    }

    /// Aborts the decoding under way; its result is not needed. Does not wait.
    pub fn abort(&mut self) {
        if let Some(job) = &self.job {
            job.stop.store(true, Ordering::Relaxed);
        }
    }

    /// What was found; waits for it. `None` when nothing was listened to or that was given up.
    ///
    /// # Errors
    /// When the model cannot be opened or run.
    pub fn result(&mut self) -> Result<Option<MoonshineResult>, MoonshineError> {
        let Some(job) = self.job.take() else { return Ok(None) };
        let Outcome { loaded, tree, result } = job.thread.join().map_err(|_| MoonshineError::Lost)??;
        (self.loaded, self.tree) = (Some(loaded), Some(tree));
        Ok(result)
    }

    /// How likely the model finds each of some sentences for the utterance last listened to; `None` for
    /// one it cannot spell, and for all when there was no utterance.
    ///
    /// # Errors
    /// When the model cannot be run.
    pub fn score(&mut self, sentences: &[Vec<String>]) -> Result<Vec<Option<f32>>, MoonshineError> {
        match &mut self.loaded {
            Some(LoadedModel { model, heard: Some(heard) }) => {
                Ok(heard.score(model, &self.tokens, sentences)?)
            }
            _ => Ok(vec![None; sentences.len()]),
        }
    }

    /// Starts the thread, which first waits for the one before it.
    fn start_thread(&mut self, samples: Vec<f32>) -> Result<(), MoonshineError> {
        self.abort();
        let before = self.job.take();
        let (loaded, tree) = (self.loaded.take(), self.tree.take());
        let (files, tokens) = (self.files.clone(), self.tokens.clone());
        let stop = Arc::new(AtomicBool::new(false));
        let (length, told) = (samples.len(), stop.clone());
        let work = move || {
            let (loaded, tree) = match before {
                Some(job) => {
                    let outcome = job.thread.join().map_err(|_| MoonshineError::Lost)??;
                    (Some(outcome.loaded), Some(outcome.tree))
                }
                None => (loaded, tree),
            };
            let mut loaded = loaded.map_or_else(|| files.open(), Ok)?;
            let mut tree = tree.ok_or(MoonshineError::Lost)?;
            let result = loaded.decode(&samples, &mut tree, &tokens, &told)?;
            Ok(Outcome { loaded, tree, result })
        };
        let thread = thread::Builder::new().name("hark-moonshine".to_owned()).spawn(work);
        self.job = Some(Job { thread: thread.map_err(MoonshineError::Thread)?, stop, samples: length });
        Ok(())
    }
}

impl LoadedModel {
    /// `None` when there is nothing to listen to or `stop` was set meanwhile.
    fn decode(
        &mut self,
        samples: &[f32],
        tree: &mut PrefixTree,
        tokens: &Tokeniser,
        stop: &AtomicBool,
    ) -> Result<Option<MoonshineResult>, MoonshineError> {
        self.heard = None;
        if samples.is_empty() || stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let begun = Instant::now();
        let heard = EncodedUtterance::new(&mut self.model, samples)?;
        let encoded_ms = begun.elapsed().as_millis();
        let result = heard.search(&mut self.model, tree, tokens, stop)?;
        let (ms, given_up) = (begun.elapsed().as_millis(), result.is_none());
        tracing::debug!(samples = samples.len(), encoded_ms, ms, given_up, "Moonshine listened");
        self.heard = Some(heard);
        Ok(result)
    }
}

impl MoonshineFiles {
    fn open(&self) -> Result<LoadedModel, MoonshineError> {
        let runtime = OnnxRuntime::load(&self.runtime)?;
        Ok(LoadedModel {
            model: MoonshineModel::open(runtime, &self.encoder, &self.decoder, 1)?,
            heard: None,
        })
    }
}

impl Drop for MoonshineRescorer {
    fn drop(&mut self) {
        self.abort();
        // An error cannot be reported any more.
        let _ = self.result();
    }
}
