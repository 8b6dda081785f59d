//! The speech model as one utterance after the other needs it: opened while the person still speaks, let
//! go of when it has not been used for a while.

use super::beam::{Finding, Heard};
use super::error::NeuralError;
use super::tokens::Tokens;
use super::tree::Tree;
use crate::domain::SAMPLE_RATE_HZ;
use crate::domain::ports::SpeechGrammar;
use crate::inference::memory;
use crate::inference::onnx::OnnxRuntime;
use crate::inference::speech::SpeechModel;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::{self, JoinHandle};

/// Shorter utterances are nothing the model can take: 0.2 s.
const LEAST_SAMPLES: usize = SAMPLE_RATE_HZ as usize / 5;

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
    tree: Tree,
    model: Option<SpeechModel>,
    opening: Option<JoinHandle<Result<SpeechModel, NeuralError>>>,
    heard: Option<Heard>,
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
        let tree = Tree::new(grammar, tokens.clone());
        Ok(Self { files, tokens, tree, model: None, opening: None, heard: None })
    }

    /// Listens for other sentences from now on.
    pub fn listen_for(&mut self, grammar: Arc<dyn SpeechGrammar>) {
        self.tree = Tree::new(grammar, self.tokens.clone());
    }

    /// Opens the model on a thread of its own unless it is open: it will be needed soon.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn prepare(&mut self) -> Result<(), NeuralError> {
        if self.model.is_some() || self.opening.is_some() {
            return Ok(());
        }
        let files = self.files.clone();
        let thread = thread::Builder::new().name("hark-neural".to_owned());
        self.opening = Some(thread.spawn(move || files.open()).map_err(NeuralError::Thread)?);
        Ok(())
    }

    /// Lets go of the model; `prepare` opens it again.
    pub fn rest(&mut self) {
        self.heard = None;
        // One that is only now being opened is for an utterance to come.
        if self.model.take().is_some() {
            memory::give_back();
        }
    }

    /// Whether the model is open or being opened.
    pub fn is_awake(&self) -> bool {
        self.model.is_some() || self.opening.is_some()
    }

    /// What an utterance is: mono at 16 kHz. `None` when `stop` was set meanwhile, or when the utterance
    /// is too short to be one.
    ///
    /// # Errors
    /// When the model cannot be opened or run.
    pub fn listen(&mut self, samples: &[f32], stop: &AtomicBool) -> Result<Option<Finding>, NeuralError> {
        self.heard = None;
        if samples.len() < LEAST_SAMPLES {
            return Ok(None);
        }
        let model = opened(&mut self.model, &mut self.opening, &self.files)?;
        let heard = Heard::new(model, samples)?;
        let finding = heard.search(model, &mut self.tree, &self.tokens, stop)?;
        self.heard = Some(heard);
        Ok(finding)
    }

    /// How likely the model finds each of some sentences for the utterance last listened to; `None` for
    /// one it cannot spell, and for all when there was no utterance.
    ///
    /// # Errors
    /// When the model cannot be run.
    pub fn score(&mut self, sentences: &[Vec<String>]) -> Result<Vec<Option<f32>>, NeuralError> {
        match (&self.heard, &mut self.model) {
            (Some(heard), Some(model)) => Ok(heard.score(model, &self.tokens, sentences)?),
            _ => Ok(vec![None; sentences.len()]),
        }
    }
}

impl NeuralFiles {
    fn open(&self) -> Result<SpeechModel, NeuralError> {
        let runtime = OnnxRuntime::load(&self.runtime)?;
        Ok(SpeechModel::open(runtime, &self.encoder, &self.decoder, 1)?)
    }
}

/// The open model, waiting for it if need be.
fn opened<'m>(
    model: &'m mut Option<SpeechModel>,
    opening: &mut Option<JoinHandle<Result<SpeechModel, NeuralError>>>,
    files: &NeuralFiles,
) -> Result<&'m mut SpeechModel, NeuralError> {
    if let Some(thread) = opening.take() {
        *model = Some(thread.join().map_err(|_| NeuralError::Lost)??);
    }
    match model {
        Some(model) => Ok(model),
        None => Ok(model.insert(files.open()?)),
    }
}
