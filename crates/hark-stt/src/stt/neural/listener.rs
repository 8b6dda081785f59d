//! The speech model as one utterance after the other needs it: opened while the person still speaks, at
//! work on a thread of its own, let go of when it has not been used for a while.

use super::beam::{Finding, Heard};
use super::error::NeuralError;
use super::tokens::Tokens;
use super::tree::Tree;
use hark_core::SAMPLE_RATE_HZ;
use hark_core::ports::SpeechGrammar;
use hark_models::memory;
use hark_models::onnx::OnnxRuntime;
use hark_models::speech::SpeechModel;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// Shorter utterances are nothing the model can take: 0.2 s.
const LEAST_SAMPLES: usize = SAMPLE_RATE_HZ as usize / 5;
/// Silence after what was listened to ahead that changes nothing: 0.1 s.
const SILENCE_AFTER: usize = SAMPLE_RATE_HZ as usize / 10;

/// What the listener is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeuralFiles {
    /// ONNX Runtime.
    pub runtime: PathBuf,
    pub encoder: PathBuf,
    pub decoder: PathBuf,
    /// The table of word pieces.
    pub tokens: PathBuf,
}

/// A speech model with the sentences of one home.
pub struct NeuralListener {
    files: NeuralFiles,
    tokens: Arc<Tokens>,
    tree: Option<Tree>,
    mind: Option<Mind>,
    /// What the thread `hark-neural` is at, whose purpose is to run the model.
    job: Option<Job>,
}

/// What listens.
struct Mind {
    model: SpeechModel,
    /// The utterance last listened to.
    heard: Option<Heard>,
}

/// Opening the model, and listening if there are samples.
struct Job {
    thread: JoinHandle<Result<Outcome, NeuralError>>,
    stop: Arc<AtomicBool>,
    samples: usize,
}

impl Job {
    /// Whether it is about an utterance of this many samples.
    fn covers(&self, samples: usize) -> bool {
        let after = samples.checked_sub(self.samples);
        self.samples > 0
            && !self.stop.load(Ordering::Relaxed)
            && after.is_some_and(|after| after <= SILENCE_AFTER)
    }
}

struct Outcome {
    mind: Mind,
    tree: Tree,
    finding: Option<Finding>,
}

impl NeuralListener {
    /// Looks whether the files are there and reads the table; the model is opened by `prepare`.
    ///
    /// # Errors
    /// When a file is missing or the table is broken.
    pub fn new(files: NeuralFiles, grammar: Arc<dyn SpeechGrammar>) -> Result<Self, NeuralError> {
        for path in [&files.runtime, &files.encoder, &files.decoder] {
            std::fs::File::open(path)
                .map_err(|source| NeuralError::File { path: path.to_owned(), source })?;
        }
        let tokens = Arc::new(Tokens::load(&files.tokens)?);
        let tree = Some(Tree::new(grammar, tokens.clone()));
        Ok(Self { files, tokens, tree, mind: None, job: None })
    }

    /// Listens for other sentences from now on.
    ///
    /// # Errors
    /// When what was under way failed.
    pub fn listen_for(&mut self, grammar: Arc<dyn SpeechGrammar>) -> Result<(), NeuralError> {
        self.give_up();
        self.found()?;
        self.tree = Some(Tree::new(grammar, self.tokens.clone()));
        Ok(())
    }

    /// Opens the model unless it is open: an utterance has begun. Does not wait.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn prepare(&mut self) -> Result<(), NeuralError> {
        // What it found of another utterance is of no use any more.
        self.give_up();
        match self.is_awake() {
            true => Ok(()),
            false => self.begin(Vec::new()),
        }
    }

    /// Lets go of the model; `prepare` opens it again.
    ///
    /// # Errors
    /// When what was under way failed.
    pub fn rest(&mut self) -> Result<(), NeuralError> {
        // One that is only now being opened is for an utterance to come.
        if self.job.as_ref().is_some_and(|job| job.samples > 0) {
            self.give_up();
            self.found()?;
        }
        if self.mind.take().is_some() {
            memory::give_back();
        }
        Ok(())
    }

    /// Whether the model is open or being opened.
    pub fn is_awake(&self) -> bool {
        self.mind.is_some() || self.job.is_some()
    }

    /// Begins to find out what an utterance is, mono at 16 kHz, and gives up what was under way. Does not
    /// wait: `found` does. Nothing is done about one that is too short.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn listen(&mut self, samples: &[f32]) -> Result<(), NeuralError> {
        match samples.len() < LEAST_SAMPLES {
            true => Ok(()),
            false => self.begin(samples.to_vec()),
        }
    }

    /// The same for an utterance that is over: when only silence came after what is being listened to, that
    /// goes on.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn listen_to_the_end(&mut self, samples: &[f32]) -> Result<(), NeuralError> {
        match &self.job {
            Some(job) if job.covers(samples.len()) => Ok(()),
            _ => self.listen(samples),
        }
    }

    /// Nobody needs to know what is being listened to. Does not wait.
    pub fn give_up(&mut self) {
        if let Some(job) = &self.job {
            job.stop.store(true, Ordering::Relaxed);
        }
    }

    /// What was found; waits for it. `None` when nothing was listened to or that was given up.
    ///
    /// # Errors
    /// When the model cannot be opened or run.
    pub fn found(&mut self) -> Result<Option<Finding>, NeuralError> {
        let Some(job) = self.job.take() else { return Ok(None) };
        let Outcome { mind, tree, finding } = job.thread.join().map_err(|_| NeuralError::Lost)??;
        (self.mind, self.tree) = (Some(mind), Some(tree));
        Ok(finding)
    }

    /// How likely the model finds each of some sentences for the utterance last listened to; `None` for
    /// one it cannot spell, and for all when there was no utterance.
    ///
    /// # Errors
    /// When the model cannot be run.
    pub fn score(&mut self, sentences: &[Vec<String>]) -> Result<Vec<Option<f32>>, NeuralError> {
        match &mut self.mind {
            Some(Mind { model, heard: Some(heard) }) => Ok(heard.score(model, &self.tokens, sentences)?),
            _ => Ok(vec![None; sentences.len()]),
        }
    }

    /// Starts the thread, which first waits for the one before it.
    fn begin(&mut self, samples: Vec<f32>) -> Result<(), NeuralError> {
        self.give_up();
        let before = self.job.take();
        let (mind, tree) = (self.mind.take(), self.tree.take());
        let (files, tokens) = (self.files.clone(), self.tokens.clone());
        let stop = Arc::new(AtomicBool::new(false));
        let (length, told) = (samples.len(), stop.clone());
        let work = move || {
            let (mind, tree) = match before {
                Some(job) => {
                    let outcome = job.thread.join().map_err(|_| NeuralError::Lost)??;
                    (Some(outcome.mind), Some(outcome.tree))
                }
                None => (mind, tree),
            };
            let mut mind = mind.map_or_else(|| files.open(), Ok)?;
            let mut tree = tree.ok_or(NeuralError::Lost)?;
            let finding = mind.listen(&samples, &mut tree, &tokens, &told)?;
            Ok(Outcome { mind, tree, finding })
        };
        let thread = thread::Builder::new().name("hark-neural".to_owned()).spawn(work);
        self.job = Some(Job { thread: thread.map_err(NeuralError::Thread)?, stop, samples: length });
        Ok(())
    }
}

impl Mind {
    /// `None` when there is nothing to listen to or `stop` was set meanwhile.
    fn listen(
        &mut self,
        samples: &[f32],
        tree: &mut Tree,
        tokens: &Tokens,
        stop: &AtomicBool,
    ) -> Result<Option<Finding>, NeuralError> {
        self.heard = None;
        if samples.is_empty() || stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let begun = Instant::now();
        let heard = Heard::new(&mut self.model, samples)?;
        let encoded_ms = begun.elapsed().as_millis();
        let finding = heard.search(&mut self.model, tree, tokens, stop)?;
        let (ms, given_up) = (begun.elapsed().as_millis(), finding.is_none());
        tracing::debug!(samples = samples.len(), encoded_ms, ms, given_up, "the neural listener listened");
        self.heard = Some(heard);
        Ok(finding)
    }
}

impl NeuralFiles {
    fn open(&self) -> Result<Mind, NeuralError> {
        let runtime = OnnxRuntime::load(&self.runtime)?;
        Ok(Mind { model: SpeechModel::open(runtime, &self.encoder, &self.decoder, 1)?, heard: None })
    }
}

impl Drop for NeuralListener {
    fn drop(&mut self) {
        self.give_up();
        // What it failed of has nobody left to be told to.
        let _ = self.found();
    }
}
