//! Setting up a running Hark: what can be chosen from, what is on the network, and what is tried before it is written.
//! Implemented by the daemon, used by the page; `hark setup` in a terminal takes the same steps.

use super::super::configuration::{ConfigurationChange, Refusal};
use super::super::fault::Fault;
use super::super::home::Area;
use super::super::model::ModelListing;
use serde::{Deserialize, Serialize};
use std::future::Future;
use std::pin::Pin;

/// What takes its time.
pub type SetupFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A language the household may speak.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanguageChoice {
    /// Such as `de`; what `speaking.language` holds.
    pub code: String,
    /// What it calls itself.
    pub name: String,
}

/// A voice that speaks the language of the household.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoiceChoice {
    /// What `speaking.voice` holds.
    pub name: String,
    /// What it is, for people; in English.
    pub description: String,
}

/// A wake word there is a model of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WakeWordChoice {
    /// What `wake.words` holds.
    pub name: String,
    /// As it is said.
    pub spoken: String,
}

/// What can be chosen from, by the configuration as it is by now.
#[derive(Debug, Clone, PartialEq)]
pub struct SetupChoices {
    /// Languages.
    pub languages: Vec<LanguageChoice>,
    /// Voices that are here; neither espeak nor silence, which always can be had.
    pub voices: Vec<VoiceChoice>,
    /// Wake words: those that come with Hark and those that are configured.
    pub wake_words: Vec<WakeWordChoice>,
    /// Rooms of the home; none where only the demonstration has some.
    pub areas: Vec<Area>,
    /// A sentence to try a voice with, in the language of the household.
    pub sample: String,
    /// A request to try everything with, in the language of the household.
    pub request: String,
}

/// What is looked for on the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkService {
    /// It announces itself by mDNS.
    HomeAssistant,
    /// So does a broker.
    MqttBroker,
    /// Ollama, which only an open port tells of.
    LanguageModel,
}

/// Something that was found, or is configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundService {
    /// What it calls itself; empty where it says nothing. Text of another machine.
    pub name: String,
    /// Where it is.
    pub url: String,
}

/// What a search came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FoundServices {
    /// What is there.
    pub services: Vec<FoundService>,
    /// Number of addresses of the local network that were not asked, because only this machine was to be asked.
    pub not_asked: usize,
}

/// Which device is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SoundTest {
    /// Two tones are played.
    Speaker,
    /// It is recorded for some seconds, and played back on the configured speaker.
    Microphone,
}

/// How loud a recording was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loudness {
    /// Nothing that could be speech near a microphone.
    Quiet,
    /// As it should be.
    Good,
    /// Cut off.
    Loud,
}

/// What a device did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SoundTestResult {
    /// Loudest sample of a recording, dB of full scale.
    pub peak_dbfs: Option<f32>,
    /// What that means.
    pub loudness: Option<Loudness>,
    /// It was played to its end.
    pub played: bool,
    /// What does not work; empty where all does.
    pub message: String,
    /// What helps.
    pub fix: String,
}

/// Where Home Assistant is, and what lets Hark in.
// Without `Debug`: it holds a secret.
#[derive(Clone, PartialEq, Eq)]
pub struct HomeAssistantChoice {
    /// Its address.
    pub url: String,
    /// A long-lived access token; empty for the one that is there, at the configured address only.
    pub token: String,
    /// It is written also where it does not work yet.
    pub keep: bool,
}

/// Where a broker is, and what lets Hark in.
// Without `Debug`: it holds a secret.
#[derive(Clone, PartialEq, Eq)]
pub struct BrokerChoice {
    /// Its address.
    pub url: String,
    /// Empty: none.
    pub username: String,
    /// Empty for the one that is there, at the configured address only.
    pub password: String,
    /// It is written also where it does not work yet.
    pub keep: bool,
}

/// What a choice came to that is written by now.
#[derive(Debug, Clone, PartialEq)]
pub struct SetUp {
    /// What answered; in English.
    pub told: String,
    /// Why it does not work, where it was kept all the same.
    pub trouble: Option<Fault>,
    /// What was written.
    pub change: ConfigurationChange,
}

/// The models of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerModels {
    /// What `llm.provider` holds for it.
    pub provider: String,
    /// What it has.
    pub models: Vec<ModelListing>,
}

/// How a wake word was heard.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WakeTrial {
    /// Scores that were enough.
    pub heard: Vec<f32>,
    /// How often it should be heard.
    pub times: usize,
    /// The best of the scores that were not enough.
    pub nearest: Option<f32>,
    /// A `wake.threshold` with which that one would have been.
    pub lower_threshold: Option<f32>,
}

/// See the module.
pub trait Setup: Send + Sync {
    /// What can be chosen from.
    ///
    /// # Errors
    /// When the configuration or the models cannot be read.
    fn choices(&self) -> SetupFuture<'_, Result<SetupChoices, Fault>>;
    /// Looks for something on the network; `everywhere` asks every address of it for an open port, where that is the only way.
    ///
    /// # Errors
    /// When the network cannot be asked.
    fn find(&self, what: NetworkService, everywhere: bool) -> SetupFuture<'_, Result<FoundServices, Fault>>;
    /// Tries a device, by its name in the configuration.
    ///
    /// # Errors
    /// When it cannot be tried; what does not work about the device is a result.
    fn try_sound(&self, test: SoundTest, device: String) -> SetupFuture<'_, Result<SoundTestResult, Fault>>;
    /// Waits for the wake word at the microphone of the running Hark, until it was heard often enough or the time is over.
    ///
    /// # Errors
    /// When no microphone is open.
    fn try_wake_word(&self) -> SetupFuture<'_, Result<WakeTrial, Fault>>;
    /// Tries Home Assistant, and writes it.
    ///
    /// # Errors
    /// When it does not work and is not to be kept, or cannot be written.
    fn home_assistant(&self, choice: HomeAssistantChoice) -> SetupFuture<'_, Result<SetUp, Refusal>>;
    /// Tries a broker, and writes it.
    ///
    /// # Errors
    /// When it does not work and is not to be kept, or cannot be written.
    fn broker(&self, choice: BrokerChoice) -> SetupFuture<'_, Result<SetUp, Refusal>>;
    /// Writes rooms into the home's file, which is made where there is none, and has it read anew.
    ///
    /// # Errors
    /// When a name cannot be, or it cannot be written.
    fn add_rooms(&self, names: Vec<String>) -> SetupFuture<'_, Result<(), Refusal>>;
    /// The models of a server.
    ///
    /// # Errors
    /// When none answers there.
    fn models_at(&self, url: String) -> SetupFuture<'_, Result<ServerModels, Fault>>;
    /// Writes which model is asked, and asks it.
    ///
    /// # Errors
    /// When it cannot be written.
    fn use_model(
        &self,
        url: String,
        provider: String,
        model: String,
    ) -> SetupFuture<'_, Result<SetUp, Refusal>>;
}
