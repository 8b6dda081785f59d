//! Makes ears: voice activity, wake words, recogniser and the sentences of the home, as they are configured. Each ear
//! has engines of its own, so that several hear at once.

use super::engines::Engines;
use super::live_grammar::LiveGrammar;
use super::recogniser::{self, Made};
use super::vocabulary::Vocabulary;
use crate::acting::home::HomeRegistry;
use crate::config::Config;
use crate::domain::ports::HomeView;
use crate::domain::{Fault, FaultKind};
use crate::hearing::ear::{Ear, EarParts, EarSettings};
use crate::hearing::stt::Recogniser;
use crate::hearing::stt::deaf::Deaf;
use crate::hearing::stt::worker::SttMode;
use crate::hearing::vad::{SileroVad, Vad};
use crate::hearing::wake::WakeDetector;
use crate::inference::manifest::Manifest;
use crate::inference::onnx::OnnxRuntime;
use std::sync::Arc;

/// See the module. Holds no engine itself.
#[derive(Clone)]
pub(super) struct EarMaker {
    pub(super) config: Config,
    pub(super) manifest: Arc<Manifest>,
    pub(super) home: Arc<HomeRegistry>,
    /// The language that is spoken here.
    pub(super) sentences: Arc<LiveGrammar>,
    pub(super) vocabulary: Arc<Vocabulary>,
}

impl EarMaker {
    /// An ear that waits for the wake words.
    ///
    /// # Errors
    /// `MissingPart` naming the model or library, with its fix.
    pub(super) fn ear(&self, mode: SttMode) -> Result<Ear, Fault> {
        self.with_wake_words(self.wake()?, mode)
    }

    /// An ear that listens only when it is told to.
    ///
    /// # Errors
    /// As [`EarMaker::ear`].
    pub(super) fn ear_without_wake_words(&self, mode: SttMode) -> Result<Ear, Fault> {
        self.with_wake_words(None, mode)
    }

    fn with_wake_words(&self, wake: Option<WakeDetector>, mode: SttMode) -> Result<Ear, Fault> {
        let (vad, recogniser) = (self.vad()?, self.recogniser(mode)?);
        let parts = EarParts { vad, wake, recogniser, grammar: Some(self.sentences.clone()) };
        Ear::new(parts, EarSettings::new(&self.config, mode))
    }

    /// Voice activity alone.
    pub(super) fn vad(&self) -> Result<Box<dyn Vad>, Fault> {
        let onnx = OnnxRuntime::load(&self.manifest.path("onnxruntime")?)?;
        Ok(Box::new(SileroVad::load(onnx, &self.manifest.path("silero_vad")?)?))
    }

    /// The wake words alone; none when they are switched off.
    pub(super) fn wake(&self) -> Result<Option<WakeDetector>, Fault> {
        self.engines().wake()
    }

    /// The recogniser alone. It learns the names of the home as they change.
    pub(super) fn recogniser(&self, mode: SttMode) -> Result<Box<dyn Recogniser>, Fault> {
        let grammar = || self.sentences.now().map_err(|faults| faults[0].clone());
        let first = grammar()?;
        let from = recogniser::Ingredients {
            stt: &self.config.stt,
            manifest: &self.manifest,
            home: &self.home.home(),
            grammar: first.clone(),
            sentences: self.sentences.clone(),
            state_dir: &self.config.paths.state_dir()?,
            mode,
        };
        let made = recogniser::build(&from, Arc::new(self.engines().espeak()?));
        let Made { recogniser, rebuilder } = match made {
            // There is no place for its files, neither on the disk nor in memory.
            Err(fault) if fault.kind == FaultKind::Unavailable => {
                tracing::error!("nothing that is said can be understood: {fault}");
                return Ok(Box::new(Deaf(fault)));
            }
            made => made?,
        };
        if let Some(rebuilder) = rebuilder {
            self.vocabulary.teach(rebuilder.clone());
            // Names that changed while it was built, before anybody could tell it.
            let now = grammar()?;
            if !Arc::ptr_eq(&first, &now) {
                rebuilder.rebuild(now)?;
            }
        }
        Ok(recogniser)
    }

    fn engines(&self) -> Engines<'_> {
        Engines { config: &self.config, manifest: &self.manifest }
    }
}
