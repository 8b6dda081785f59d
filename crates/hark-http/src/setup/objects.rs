//! Objects of setting up as they are on the wire.

use hark_core::setup::{self, Loudness, NetworkService, SoundTest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A language the household may speak.
#[derive(Debug, Serialize, JsonSchema)]
struct Language {
    /// What `speaking.language` holds.
    code: String,
    /// What it calls itself.
    name: String,
}

/// A voice that is here.
#[derive(Debug, Serialize, JsonSchema)]
struct Voice {
    /// What `speaking.voice` holds.
    name: String,
    /// What it is; in English.
    description: String,
}

/// A wake word there is a model of.
#[derive(Debug, Serialize, JsonSchema)]
struct WakeWord {
    /// What `wake.words` holds.
    name: String,
    /// As it is said.
    spoken: String,
}

/// A room.
#[derive(Debug, Serialize, JsonSchema)]
struct Room {
    id: String,
    /// What `home.area` holds.
    name: String,
}

/// What can be chosen from, by the configuration as it is by now.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Choices {
    languages: Vec<Language>,
    /// Those that speak the language of the household; `espeak` and `none` can always be had besides.
    voices: Vec<Voice>,
    wake_words: Vec<WakeWord>,
    /// None where only the demonstration has some.
    rooms: Vec<Room>,
    /// A sentence to try a voice with, in the language of the household.
    sample: String,
    /// A request to try everything with, in the language of the household.
    request: String,
}

/// What is looked for.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ServiceWord {
    HomeAssistant,
    MqttBroker,
    /// Ollama, on this machine.
    LanguageModel,
}

/// What is looked for on the network.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchRequest {
    service: ServiceWord,
    /// Every address of the network is asked for an open port; only of language models, which do not announce themselves.
    #[serde(default)]
    pub(super) everywhere: bool,
}

impl SearchRequest {
    pub(super) fn service(&self) -> NetworkService {
        match self.service {
            ServiceWord::HomeAssistant => NetworkService::HomeAssistant,
            ServiceWord::MqttBroker => NetworkService::MqttBroker,
            ServiceWord::LanguageModel => NetworkService::LanguageModel,
        }
    }
}

/// Something on the network.
#[derive(Debug, Serialize, JsonSchema)]
struct FoundOne {
    /// What it calls itself; empty where it says nothing.
    name: String,
    url: String,
}

/// What a search came to.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Found {
    services: Vec<FoundOne>,
    /// Addresses that `everywhere` would ask besides.
    not_asked: usize,
}

/// Which device is tried.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TestWord {
    Speaker,
    Microphone,
}

/// Which audio device to test.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SoundTestRequest {
    test: TestWord,
    /// As `/api/v1/devices` names it, or `auto`.
    pub(super) device: String,
}

impl SoundTestRequest {
    pub(super) fn test(&self) -> SoundTest {
        match self.test {
            TestWord::Speaker => SoundTest::Speaker,
            TestWord::Microphone => SoundTest::Microphone,
        }
    }
}

/// How loud a recording was.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum LoudnessWord {
    /// Nothing that could be speech near a microphone.
    Quiet,
    Good,
    /// Cut off.
    Loud,
}

/// What a device did.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SoundTested {
    /// Loudest sample of a recording, dB of full scale.
    peak_dbfs: Option<f32>,
    loudness: Option<LoudnessWord>,
    /// It was played to its end.
    played: bool,
    /// What does not work; empty where all does.
    message: String,
    /// What helps.
    fix: String,
}

/// How a wake word was heard.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WakeTried {
    /// Scores that were enough.
    heard: Vec<f64>,
    /// How often it should be heard.
    times: usize,
    /// The best of the scores that were not enough.
    nearest: Option<f64>,
    /// A `wake.threshold` with which that one would have been; null where none would help.
    lower_threshold: Option<f64>,
}

/// Where Home Assistant is, and what lets Hark in.
// Without `Debug`: it holds a secret.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HomeAssistantRequest {
    pub(super) url: String,
    /// A long-lived access token; without one that which is there counts, at the configured address only.
    #[serde(default)]
    pub(super) token: String,
    /// It is written also where it does not work yet.
    #[serde(default)]
    pub(super) keep: bool,
}

/// Where a broker is, and what lets Hark in.
// Without `Debug`: it holds a secret.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BrokerRequest {
    pub(super) url: String,
    #[serde(default)]
    pub(super) username: String,
    /// Without one that which is there counts, at the configured address and for the configured name only.
    #[serde(default)]
    pub(super) password: String,
    /// It is written also where it does not work yet.
    #[serde(default)]
    pub(super) keep: bool,
}

/// Rooms by their names.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RoomsRequest {
    #[schemars(length(min = 1, max = 50))]
    pub(super) names: Vec<String>,
}

/// A server of language models.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerRequest {
    pub(super) url: String,
}

/// A model of a server.
#[derive(Debug, Serialize, JsonSchema)]
struct ServedModel {
    name: String,
    /// Bytes on its disk, where it tells.
    size_bytes: Option<u64>,
}

/// The models of a server.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ModelsFound {
    /// What `llm.provider` holds for it.
    provider: String,
    models: Vec<ServedModel>,
}

/// Which language model is asked.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelRequest {
    pub(super) url: String,
    /// As `/api/v1/setup/models` tells it.
    pub(super) provider: String,
    pub(super) model: String,
}

/// What a choice came to, which is written by now.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Connected {
    /// What answered; in English.
    told: String,
    /// Why it does not work, where it was kept all the same.
    trouble: Option<String>,
    /// Keys that wait for a restart, those of changes before among them.
    needs_restart: Vec<String>,
}

impl From<setup::SetupChoices> for Choices {
    fn from(choices: setup::SetupChoices) -> Self {
        let language = |it: setup::LanguageChoice| Language { code: it.code, name: it.name };
        let voice = |it: setup::VoiceChoice| Voice { name: it.name, description: it.description };
        let word = |it: setup::WakeWordChoice| WakeWord { name: it.name, spoken: it.spoken };
        let room = |it: hark_core::home::Area| Room { id: it.id.to_string(), name: it.name };
        Self {
            languages: choices.languages.into_iter().map(language).collect(),
            voices: choices.voices.into_iter().map(voice).collect(),
            wake_words: choices.wake_words.into_iter().map(word).collect(),
            rooms: choices.areas.into_iter().map(room).collect(),
            sample: choices.sample,
            request: choices.request,
        }
    }
}

impl From<setup::FoundServices> for Found {
    fn from(found: setup::FoundServices) -> Self {
        let one = |it: setup::FoundService| FoundOne { name: it.name, url: it.url };
        Self { services: found.services.into_iter().map(one).collect(), not_asked: found.not_asked }
    }
}

impl From<setup::SoundTestResult> for SoundTested {
    fn from(result: setup::SoundTestResult) -> Self {
        let setup::SoundTestResult { peak_dbfs, loudness, played, message, fix } = result;
        let word = |it| match it {
            Loudness::Quiet => LoudnessWord::Quiet,
            Loudness::Good => LoudnessWord::Good,
            Loudness::Loud => LoudnessWord::Loud,
        };
        Self { peak_dbfs, loudness: loudness.map(word), played, message, fix }
    }
}

impl From<setup::WakeTrial> for WakeTried {
    fn from(trial: setup::WakeTrial) -> Self {
        // Two digits are said; more are noise of the conversion.
        let told = |score: f32| (f64::from(score) * 100.0).round() / 100.0;
        Self {
            heard: trial.heard.iter().copied().map(told).collect(),
            times: trial.times,
            nearest: trial.nearest.map(told),
            lower_threshold: trial.lower_threshold.map(told),
        }
    }
}

impl From<setup::ServerModels> for ModelsFound {
    fn from(found: setup::ServerModels) -> Self {
        let model =
            |it: hark_core::model::ModelListing| ServedModel { name: it.name, size_bytes: it.size_bytes };
        Self { provider: found.provider, models: found.models.into_iter().map(model).collect() }
    }
}

impl From<setup::SetUp> for Connected {
    fn from(done: setup::SetUp) -> Self {
        Self {
            told: done.told,
            trouble: done.trouble.map(|fault| fault.to_string()),
            needs_restart: done.change.needs_restart,
        }
    }
}
