//! Makes pipelines: voice activity, wake words, recogniser and the sentences of the home, as they are configured. Each pipeline
//! has engines of its own, so that several hear at once.

use crate::app::audio::engines::Engines;
use crate::app::audio::recogniser::{self, Made};
use crate::app::audio::speakers::SpeakerRegistry;
use crate::app::language::live_grammar::LiveGrammar;
use crate::app::language::vocabulary::Vocabulary;
use hark_config::Config;
use hark_config::endpoint::EndpointMode;
use hark_core::ports::HomeView;
use hark_core::{Fault, FaultKind};
use hark_home::HomeRegistry;
use hark_models::manifest::{ArtifactState, Manifest};
use hark_models::onnx::OnnxRuntime;
use hark_stt::endpoint::likelihood::smart_turn::SmartTurn;
use hark_stt::endpoint::likelihood::smart_turn_worker::SmartTurnWorker;
use hark_stt::pipeline::{AudioPipeline, PipelineParts, PipelineSettings};
use hark_stt::stt::Recogniser;
use hark_stt::stt::grammar::RequestAmong;
use hark_stt::stt::unavailable::UnavailableRecogniser;
use hark_stt::stt::worker::SttMode;
use hark_stt::vad::{SileroVad, Vad};
use hark_stt::wake::WakeDetector;
use hark_tts::pronunciations::PronouncingNames;
use std::sync::Arc;

/// See the module. Holds no engine itself.
#[derive(Clone)]
pub(crate) struct PipelineFactory {
    pub(crate) config: Config,
    pub(crate) manifest: Arc<Manifest>,
    pub(crate) home: Arc<HomeRegistry>,
    /// The language that is spoken here.
    pub(crate) sentences: Arc<LiveGrammar>,
    pub(crate) request_among: RequestAmong,
    pub(crate) vocabulary: Arc<Vocabulary>,
    pub(crate) speakers: Arc<SpeakerRegistry>,
}

impl PipelineFactory {
    /// A pipeline that waits for the wake words.
    ///
    /// # Errors
    /// `MissingPart` naming the model or library, with its fix.
    pub(crate) fn pipeline(&self, mode: SttMode) -> Result<AudioPipeline, Fault> {
        self.assemble(self.wake()?, mode, true)
    }

    /// A pipeline of another microphone than the node's, which listens only when it is told to.
    ///
    /// # Errors
    /// As [`PipelineFactory::pipeline`].
    pub(crate) fn pipeline_without_wake_words(&self, mode: SttMode) -> Result<AudioPipeline, Fault> {
        self.assemble(None, mode, false)
    }

    fn assemble(
        &self,
        wake: Option<WakeDetector>,
        mode: SttMode,
        is_node: bool,
    ) -> Result<AudioPipeline, Fault> {
        let (vad, recogniser) = (self.vad()?, self.recogniser(mode)?);
        let (grammar, speakers) = (Some(self.sentences.clone() as _), self.speakers.listener(is_node)?);
        let smart_turn = self.smart_turn(mode)?;
        let parts = PipelineParts { vad, wake, recogniser, grammar, speakers, smart_turn };
        AudioPipeline::new(parts, PipelineSettings::new(&self.config, mode))
    }

    /// Voice activity alone.
    pub(crate) fn vad(&self) -> Result<Box<dyn Vad>, Fault> {
        let onnx = OnnxRuntime::load(&self.manifest.path("onnxruntime")?)?;
        Ok(Box::new(SileroVad::load(onnx, &self.manifest.path("silero_vad")?)?))
    }

    /// Smart Turn, where it is wanted and there.
    fn smart_turn(&self, mode: SttMode) -> Result<Option<SmartTurnWorker>, Fault> {
        let wanted = &self.config.endpoint;
        let part = self.manifest.part("smart_turn")?;
        let is_there = !matches!(self.manifest.state(part, false), ArtifactState::Missing { .. });
        if !wanted.smart_turn || wanted.mode != EndpointMode::Likelihood || !is_there {
            return Ok(None);
        }
        let model = self.manifest.path("smart_turn")?;
        let onnx = OnnxRuntime::load(&self.manifest.path("onnxruntime")?)?;
        SmartTurnWorker::new(SmartTurn::load(onnx, &model)?, mode).map(Some)
    }

    /// The wake words alone; none when they are switched off.
    pub(crate) fn wake(&self) -> Result<Option<WakeDetector>, Fault> {
        self.engines().wake()
    }

    /// The recogniser alone. It learns the names of the home as they change.
    pub(crate) fn recogniser(&self, mode: SttMode) -> Result<Box<dyn Recogniser>, Fault> {
        let grammar = || self.sentences.now().map_err(|faults| faults[0].clone());
        let first = grammar()?;
        let from = recogniser::Ingredients {
            stt: &self.config.stt,
            manifest: &self.manifest,
            home: &self.home.home(),
            languages: [&self.config.speaking.language]
                .into_iter()
                .chain(&self.config.intent.languages)
                .cloned()
                .collect(),
            grammar: first.clone(),
            sentences: self.sentences.clone(),
            request_among: self.request_among.clone(),
            state_dir: &self.config.paths.state_dir()?,
            mode,
        };
        let engines = self.engines();
        let pronounce = PronouncingNames::new(engines.pronounce()?, engines.names.clone());
        let made = recogniser::build(&from, Arc::new(pronounce));
        let Made { recogniser, rebuilder } = match made {
            // There is no place for its files, neither on the disk nor in memory.
            Err(fault) if fault.kind == FaultKind::Unavailable => {
                tracing::error!("nothing that is said can be understood: {fault}");
                return Ok(Box::new(UnavailableRecogniser(fault)));
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
        Engines::new(&self.config, &self.manifest, &self.home.home())
    }
}
