//! The steps of `hark setup` behind the port the page asks. Sound is tried by another process of this program, so that a
//! device that breaks or hangs there takes nothing from who listens here.

use super::connections::Attempt;
use super::{LOOKING, language_model, rooms, wake};
use crate::app::audio::voices;
use crate::app::faults::Faults;
use crate::app::service::background::aside;
use crate::app::service::broadcast::Broadcast;
use crate::app::service::health::Health;
use crate::app::service::inspection::Inspection;
use crate::app::settings::configuration::LiveConfiguration;
use hark_config::Config;
use hark_config::paths::credentials_dir;
use hark_core::api::{ApiFuture, EventFeed, EventNews};
use hark_core::configuration::{ConfigurationChange, ConfigurationFile, KeyChange, Refusal};
use hark_core::ports::HomeView;
use hark_core::setup::{
    BrokerChoice, FoundService, FoundServices, HomeAssistantChoice, LanguageChoice, NetworkService,
    ServerModels, SetUp, Setup, SetupChoices, SoundTest, SoundTestResult, VoiceChoice, WakeTrial,
    WakeWordChoice,
};
use hark_core::{Fault, FaultKind, PublicEvent};
use hark_discovery::{Service, browse};
use hark_home::HomeRegistry;
use hark_language::Lexicon;
use hark_models::manifest::Manifest;
use serde::Serialize;
use std::sync::{Arc, PoisonError};

/// See the module. Cloned for what waits on another thread.
#[derive(Clone)]
pub(crate) struct LiveSetup {
    pub(crate) configuration: Arc<LiveConfiguration>,
    pub(crate) inspection: Arc<Inspection>,
    /// What it found whole once is not read through again.
    pub(crate) manifest: Arc<Manifest>,
    pub(crate) home: Arc<HomeRegistry>,
    pub(crate) health: Arc<Health>,
    pub(crate) broadcast: Arc<Broadcast>,
}

impl LiveSetup {
    /// The configuration as the file has it by now.
    fn config(&self) -> Result<Config, Fault> {
        let loaded = self.configuration.file().load();
        Ok(loaded.map_err(|problems| hark_config::fault_of(&problems))?.config)
    }

    fn look_up(&self) -> Result<SetupChoices, Fault> {
        let config = self.config()?;
        let language = |it: &Lexicon| LanguageChoice {
            code: it.code.to_owned(),
            name: if it.setup.name.is_empty() { it.code.to_owned() } else { it.setup.name.clone() },
        };
        let voice = |it: voices::VoiceEntry| VoiceChoice { name: it.name, description: it.description };
        let word = |name: String| WakeWordChoice { spoken: wake::spoken(&name), name };
        let spoken = &config.speaking.language;
        let texts = texts(&config);
        Ok(SetupChoices {
            languages: hark_language::all().into_iter().map(language).collect(),
            voices: voices::speaking(&self.manifest, spoken).into_iter().map(voice).collect(),
            wake_words: wake::words(&config, &self.manifest).into_iter().map(word).collect(),
            areas: if rooms::is_demo(&config) { Vec::new() } else { self.home.home().areas.clone() },
            sample: texts.text("voice_sample", &[]),
            request: texts.text("test_request", &[]),
        })
    }

    /// Writes keys, and puts in force what can be at once.
    fn write(
        &self,
        keys: impl IntoIterator<Item = (&'static str, impl Serialize)>,
    ) -> Result<ConfigurationChange, Refusal> {
        let change =
            |(key, value): (&str, _)| KeyChange { key: key.into(), value: serde_json::to_value(value).ok() };
        let changes: Vec<KeyChange> = keys.into_iter().map(change).collect();
        self.configuration.change(&changes)
    }

    /// Tries a connection and writes it where it works, or shall be kept all the same.
    async fn connect(&self, attempt: Attempt, keep: bool) -> Result<SetUp, Refusal> {
        let (told, trouble) = match attempt.probe().await {
            Ok(told) => (told, None),
            Err(fault) if keep => (String::new(), Some(fault)),
            Err(fault) => return Err(fault.into()),
        };
        let this = self.clone();
        let change = aside_refused(move || this.write(attempt.keep()?)).await?;
        Ok(SetUp { told, trouble, change })
    }

    fn write_rooms(&self, names: &[String]) -> Result<(), Refusal> {
        let config = self.config()?;
        let head = texts(&config).text("home_file", &[]);
        let keys = rooms::add(&config, self.configuration.file(), names, &head)?;
        if !keys.is_empty() {
            return self.write(keys)?.not_applied.map_or(Ok(()), |fault| Err(fault.into()));
        }
        let reload = self.configuration.reload();
        let mut reload = reload.lock().unwrap_or_else(PoisonError::into_inner);
        let first = |mut faults: Faults| Refusal::Failed(faults.swap_remove(0));
        reload.as_mut().map_or(Ok(()), |reload| reload.run().map(drop).map_err(first))
    }
}

/// What is asked and said in the language of the household, else in the usual one.
fn texts(config: &Config) -> &'static hark_language::setup::Setup {
    let known = |tag: &str| hark_language::known(tag).filter(|language| !language.setup.texts.is_empty());
    let usual = || hark_language::of(&Config::default().speaking.language);
    &known(&config.speaking.language).unwrap_or_else(usual).setup
}

/// Does what waits for the disk where that may take its time.
async fn aside_refused<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    aside(move || Ok(work())).await?
}

/// A web address as it is written: `http` in front where nothing is.
fn whole(url: &str, scheme: &str) -> Result<String, Fault> {
    let url = url.trim().trim_end_matches('/');
    if url.is_empty() || url.contains(char::is_whitespace) || url.contains(char::is_control) {
        let fix = format!("write it like {scheme}192.168.1.5");
        return Err(Fault::new(FaultKind::BadInput, "setup", "that is no address", fix));
    }
    Ok(if url.contains("://") { url.to_owned() } else { format!("{scheme}{url}") })
}

impl Setup for LiveSetup {
    fn choices(&self) -> ApiFuture<'_, Result<SetupChoices, Fault>> {
        let this = self.clone();
        aside(move || this.look_up())
    }

    fn find(&self, what: NetworkService, everywhere: bool) -> ApiFuture<'_, Result<FoundServices, Fault>> {
        let announced = |service| {
            aside(move || {
                let found = browse(service, LOOKING)?.into_iter();
                let services = found.map(|one| FoundService { name: one.name, url: one.url }).collect();
                Ok(FoundServices { services, not_asked: 0 })
            })
        };
        match what {
            NetworkService::HomeAssistant => announced(Service::HomeAssistant),
            NetworkService::MqttBroker => announced(Service::MqttBroker),
            NetworkService::LanguageModel => Box::pin(async move {
                let (here, others) = language_model::machines();
                let mut urls = language_model::asked(&[here]).await;
                let mut not_asked = others.len();
                if everywhere {
                    urls.extend(language_model::asked(&others).await);
                    not_asked = 0;
                }
                let service = |url| FoundService { name: String::new(), url };
                Ok(FoundServices { services: urls.into_iter().map(service).collect(), not_asked })
            }),
        }
    }

    fn try_sound(&self, test: SoundTest, device: String) -> ApiFuture<'_, Result<SoundTestResult, Fault>> {
        Box::pin(async move {
            let flag = match test {
                SoundTest::Speaker => "--play",
                SoundTest::Microphone => "--record",
            };
            self.inspection.sound(&format!("{flag}={device}")).await
        })
    }

    fn try_wake_word(&self) -> ApiFuture<'_, Result<WakeTrial, Fault>> {
        let mut events = self.broadcast.feed();
        Box::pin(async move {
            if !self.health.is_microphone_open() {
                let fix = "choose one in the step before, and restart Hark";
                return Err(Fault::new(FaultKind::Unavailable, "microphone", "no microphone is open", fix));
            }
            let mut trial = WakeTrial { times: wake::TIMES, ..WakeTrial::default() };
            let listen = async {
                while trial.heard.len() < wake::TIMES {
                    let envelope = match events.next().await {
                        EventNews::Event(envelope) => envelope,
                        EventNews::Missed(_) => continue,
                        EventNews::Ended => return,
                    };
                    match envelope.event {
                        PublicEvent::Wake { score, .. } => wake::note(&mut trial, score, true),
                        PublicEvent::WakeRejected { score, .. } => wake::note(&mut trial, score, false),
                        _ => {}
                    }
                }
            };
            // What was heard by then counts.
            let _ = tokio::time::timeout(wake::LISTENING, listen).await;
            let in_force = self.configuration.in_force()["wake"]["threshold"].as_f64();
            let threshold = in_force.map_or(self.config()?.wake.threshold, |value| value as f32);
            trial.lower_threshold = wake::lower_threshold(&trial, threshold);
            Ok(trial)
        })
    }

    fn home_assistant(&self, choice: HomeAssistantChoice) -> ApiFuture<'_, Result<SetUp, Refusal>> {
        Box::pin(async move {
            let config = self.config()?;
            let (url, folder) = (whole(&choice.url, "http://")?, config.paths.state_dir()?);
            let attempt = Attempt::home_assistant(&config.homeassistant, &folder, &url, choice.token.trim())?;
            self.connect(attempt, choice.keep).await
        })
    }

    fn broker(&self, choice: BrokerChoice) -> ApiFuture<'_, Result<SetUp, Refusal>> {
        Box::pin(async move {
            let config = self.config()?;
            let (url, folder) = (whole(&choice.url, "mqtt://")?, config.paths.state_dir()?);
            let secret = (choice.username.trim(), choice.password.as_str());
            let attempt = Attempt::broker(&config.mqtt, &folder, &url, secret)?;
            self.connect(attempt, choice.keep).await
        })
    }

    fn add_rooms(&self, names: Vec<String>) -> ApiFuture<'_, Result<(), Refusal>> {
        let this = self.clone();
        Box::pin(aside_refused(move || this.write_rooms(&names)))
    }

    fn models_at(&self, url: String) -> ApiFuture<'_, Result<ServerModels, Fault>> {
        Box::pin(async move {
            let url = whole(&url, "http://")?;
            let (provider, models) = language_model::models_at(&self.config()?, &url).await?;
            Ok(ServerModels { provider: language_model::provider_name(provider).to_owned(), models })
        })
    }

    fn use_model(
        &self,
        url: String,
        provider: String,
        model: String,
    ) -> ApiFuture<'_, Result<SetUp, Refusal>> {
        Box::pin(async move {
            let (this, url) = (self.clone(), whole(&url, "http://")?);
            let keys = language_model::keys(&provider, &url, &model);
            let change = aside_refused(move || this.write(keys)).await?;
            let config = self.config()?;
            Ok(match hark_agent::probe(&config, credentials_dir().as_deref()).await {
                Ok(told) => SetUp { told, trouble: None, change },
                Err(fault) => SetUp { told: String::new(), trouble: Some(fault), change },
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_made_whole() {
        assert_eq!(whole(" 10.0.0.2:8123/ ", "http://").unwrap(), "http://10.0.0.2:8123");
        assert_eq!(whole("mqtts://a", "mqtt://").unwrap(), "mqtts://a");
        for bad in ["", "  ", "a b", "a\u{1b}b"] {
            assert!(whole(bad, "http://").is_err(), "{bad:?}");
        }
    }
}
