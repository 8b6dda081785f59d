//! A Hark that lets itself be set up: everything works, except what is named "broken".

use hark_core::api::ApiFuture;
use hark_core::configuration::{ConfigurationChange, Mistake, Refusal};
use hark_core::home::Area;
use hark_core::model::ModelListing;
use hark_core::model_files::{FileState, ModelFile, ModelFiles, PullProgress, PullStage, PullState};
use hark_core::setup::{
    BrokerChoice, FoundService, FoundServices, HomeAssistantChoice, LanguageChoice, Loudness, NetworkService,
    ServerModels, SetUp, Setup, SetupChoices, SoundTest, SoundTestResult, VoiceChoice, WakeTrial,
    WakeWordChoice,
};
use hark_core::training::{TrainedWord, TrainingProgress, TrainingStage, TrainingState, WakeTraining};
use hark_core::{Fault, FaultKind};
use std::sync::{Arc, Mutex};

/// What was asked of it.
#[derive(Clone, Default)]
pub struct FakeSetup(pub Arc<Mutex<Vec<String>>>);

impl FakeSetup {
    fn note(&self, what: String) {
        self.0.lock().unwrap().push(what);
    }

    fn set_up(&self, what: String, keep: bool) -> Result<SetUp, Refusal> {
        let is_broken = what.contains("broken");
        self.note(what);
        let trouble =
            is_broken.then(|| Fault::new(FaultKind::Unavailable, "setup", "it does not answer", "start it"));
        match trouble {
            Some(fault) if !keep => Err(fault.into()),
            trouble => {
                let change = ConfigurationChange {
                    needs_restart: vec!["mqtt.url".into()],
                    ..ConfigurationChange::default()
                };
                Ok(SetUp { told: "it lets Hark in".into(), trouble, change })
            }
        }
    }
}

impl Setup for FakeSetup {
    fn choices(&self) -> ApiFuture<'_, Result<SetupChoices, Fault>> {
        let choices = SetupChoices {
            languages: vec![LanguageChoice { code: "de".into(), name: "Deutsch".into() }],
            voices: vec![VoiceChoice { name: "hibari_heart".into(), description: "a voice".into() }],
            wake_words: vec![WakeWordChoice { name: "hey_jarvis".into(), spoken: "hey jarvis".into() }],
            areas: vec![Area { id: "hall".into(), name: "Hall".into(), aliases: vec![], floor: None }],
            sample: "Good evening.".into(),
            request: "what time is it".into(),
        };
        Box::pin(async { Ok(choices) })
    }

    fn find(&self, what: NetworkService, everywhere: bool) -> ApiFuture<'_, Result<FoundServices, Fault>> {
        self.note(format!("find {what:?} {everywhere}"));
        let one = FoundService { name: "House".into(), url: "http://10.0.0.2:8123".into() };
        Box::pin(async { Ok(FoundServices { services: vec![one], not_asked: 253 }) })
    }

    fn try_sound(&self, test: SoundTest, device: String) -> ApiFuture<'_, Result<SoundTestResult, Fault>> {
        self.note(format!("sound {test:?} {device}"));
        let result = SoundTestResult {
            peak_dbfs: Some(-20.0),
            loudness: Some(Loudness::Good),
            played: true,
            message: String::new(),
            fix: String::new(),
        };
        Box::pin(async { Ok(result) })
    }

    fn try_wake_word(&self) -> ApiFuture<'_, Result<WakeTrial, Fault>> {
        let trial =
            WakeTrial { heard: vec![0.9], times: 2, nearest: Some(0.45), lower_threshold: Some(0.36) };
        Box::pin(async { Ok(trial) })
    }

    fn home_assistant(&self, choice: HomeAssistantChoice) -> ApiFuture<'_, Result<SetUp, Refusal>> {
        let done = self.set_up(format!("home {} {}", choice.url, choice.token), choice.keep);
        Box::pin(async { done })
    }

    fn broker(&self, choice: BrokerChoice) -> ApiFuture<'_, Result<SetUp, Refusal>> {
        let done = self.set_up(format!("broker {} {}", choice.url, choice.username), choice.keep);
        Box::pin(async { done })
    }

    fn add_rooms(&self, names: Vec<String>) -> ApiFuture<'_, Result<(), Refusal>> {
        self.note(format!("rooms {}", names.join(", ")));
        let mistake =
            || Mistake { key: "home.file".into(), message: "twice".into(), fix: "other names".into() };
        let refused = names.iter().any(|name| name == "broken").then(|| Refusal::Mistakes(vec![mistake()]));
        Box::pin(async { refused.map_or(Ok(()), Err) })
    }

    fn models_at(&self, url: String) -> ApiFuture<'_, Result<ServerModels, Fault>> {
        self.note(format!("models {url}"));
        let model = ModelListing { name: "qwen3:8b".into(), provider: url, size_bytes: Some(5_000_000_000) };
        Box::pin(async { Ok(ServerModels { provider: "ollama".into(), models: vec![model] }) })
    }

    fn use_model(
        &self,
        url: String,
        provider: String,
        model: String,
    ) -> ApiFuture<'_, Result<SetUp, Refusal>> {
        let done = self.set_up(format!("model {url} {provider} {model}"), true);
        Box::pin(async { done })
    }
}

/// A training that is done when it is looked at for the second time.
pub struct FakeTraining(Mutex<TrainingState>);

impl Default for FakeTraining {
    fn default() -> Self {
        Self(Mutex::new(TrainingState::Idle))
    }
}

impl WakeTraining for FakeTraining {
    fn state(&self) -> TrainingState {
        let mut state = self.0.lock().unwrap();
        let now = state.clone();
        if let TrainingState::Running { phrase, .. } = &now {
            *state = TrainingState::Done(TrainedWord {
                phrase: phrase.clone(),
                file: "/state/wake/hey_house.json".into(),
                missed: 2,
                said: 108,
                near_wakes: 1,
                near: 90,
                false_wakes: 0,
                other_speech_hours: 0.25,
            });
        }
        now
    }

    fn start(&self, phrase: &str) -> Result<(), Fault> {
        let mut state = self.0.lock().unwrap();
        if matches!(*state, TrainingState::Running { .. }) {
            return Err(Fault::new(FaultKind::Unavailable, "wake", "one is trained already", "wait for it"));
        }
        let progress = TrainingProgress { stage: TrainingStage::Learning, done: 3, of: 9 };
        *state = TrainingState::Running { phrase: phrase.into(), progress };
        Ok(())
    }

    fn cancel(&self) {
        *self.0.lock().unwrap() = TrainingState::Cancelled { phrase: "hey house".into() };
    }
}

/// One voice; a pull stands still after half of it.
pub struct FakeModels(Mutex<PullState>);

impl Default for FakeModels {
    fn default() -> Self {
        Self(Mutex::new(PullState::Idle))
    }
}

impl ModelFiles for FakeModels {
    fn list(&self) -> Result<Vec<ModelFile>, Fault> {
        Ok(vec![ModelFile {
            id: "hibari_emma".into(),
            role: "voice".into(),
            purpose: "a voice".into(),
            licence: "Apache-2.0".into(),
            version: "1".into(),
            language: Some("en-GB".into()),
            size_bytes: Some(1000),
            is_optional: true,
            state: FileState::Corrupt { why: "has 7 bytes, not 1000".into() },
            needs: vec!["hibari_tagger".into()],
        }])
    }

    fn pull_state(&self) -> PullState {
        self.0.lock().unwrap().clone()
    }

    fn pull(&self, ids: &[String]) -> Result<(), Fault> {
        if ids.iter().any(|id| id == "nothing") {
            return Err(Fault::new(FaultKind::BadInput, "models", "there is no `nothing`", "see the list"));
        }
        let id = ids[0].clone();
        let progress = PullProgress { id, stage: PullStage::Downloading, done_bytes: 500, total_bytes: 1000 };
        *self.0.lock().unwrap() = PullState::Running { ids: ids.to_vec(), progress };
        Ok(())
    }

    fn cancel_pull(&self) {
        let fault = Fault::new(FaultKind::MissingPart, "models", "no source has it", "look at the network");
        *self.0.lock().unwrap() = PullState::Failed { ids: vec!["hibari_emma".into()], fault };
    }
}
