//! Builds the parts from the configuration: one place that knows which engine stands behind which port.

use super::clock::wall_unix_ms;
use super::controls::Controls;
use super::mailbox::Mailbox;
use super::recorder::Recorder;
use crate::acting::home::file as home_file;
use crate::acting::home::registry::HomeRegistry;
use crate::acting::timers::Timers;
use crate::acting::tools::Toolbox;
use crate::config::wake::WakeEngine;
use crate::config::{Config, paths};
use crate::deciding::replies::Replies;
use crate::deciding::turn::{Machine, Settings};
use crate::domain::home::Home;
use crate::domain::ports::{HomeView, Pronounce, SpeechGrammar, Voice};
use crate::domain::{Fault, FaultKind};
use crate::hearing::ear::{Ear, EarParts, EarSettings};
use crate::hearing::stt::grammar::GrammarRecogniser;
use crate::hearing::vad::SileroVad;
use crate::inference::litert::LiteRt;
use crate::inference::manifest::Manifest;
use crate::inference::onnx::OnnxRuntime;
use crate::remembering::store::Store;
use crate::remembering::timers::StoredTimers;
use crate::remembering::turns::Turns;
use crate::speaking::voices::espeak::Espeak;
use crate::understanding::{Grammar, Sentences};
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Faults = Vec<Fault>;

/// Name of the database in the state folder.
const DATABASE: &str = "hark.db";

/// Everything but sound: what a typed request needs.
pub struct Workshop {
    /// The configuration in force.
    pub config: Config,
    /// Where tools and MQTT run.
    pub runtime: tokio::runtime::Runtime,
    /// The queue in front of the turn machine.
    pub mailbox: Arc<Mailbox>,
    /// The templates with the names of the home.
    pub grammar: Arc<Grammar>,
    /// The home.
    pub home: Arc<HomeRegistry>,
    /// Timers.
    pub timers: Arc<Timers>,
    /// Models on the disk.
    pub manifest: Manifest,
    replies: Arc<Replies>,
    tools: Arc<Toolbox>,
    store: Store,
}

impl Workshop {
    /// Builds it.
    ///
    /// # Errors
    /// Everything that is wrong with templates, home and store.
    pub fn open(config: Config) -> Result<Self, Faults> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("hark-async")
            .enable_all()
            .build()
            .map_err(|error| one("daemon", format!("cannot start the runtime: {error}")))?;
        let models_dir = config.paths.models_dir().map_err(|fault| vec![fault])?;
        let manifest = Manifest::load(&models_dir).map_err(|fault| vec![fault])?;
        let home = Arc::new(HomeRegistry::new(load_home(&config)?));
        let sentences = load_sentences(&models_dir, &config.speaking.language)?;
        let replies = Arc::new(Replies::new(sentences.responses())?);
        let grammar = Arc::new(Grammar::new(&sentences, &home.home()));
        let store = open_store(&config).map_err(|fault| vec![fault])?;
        let timers = Arc::new(load_timers(&store).map_err(|fault| vec![fault])?);
        let mailbox = Arc::new(Mailbox::default());
        let controls = Arc::new(Controls::new(config.speaking.volume_percent, mailbox.clone()));
        let tools = Arc::new(Toolbox::new(&config, home.clone(), timers.clone(), controls));
        Ok(Self { config, runtime, mailbox, grammar, home, timers, manifest, replies, tools, store })
    }

    /// A turn machine at rest, with ids no other start has used.
    pub fn machine(&self) -> Machine {
        let config = &self.config;
        Machine::new(Settings {
            id_prefix: uuid::Uuid::now_v7().simple().to_string(),
            language: config.speaking.language.clone(),
            listen_window_ms: config.endpoint.nothing_said_ms.into(),
            approval_window_ms: config.permissions.approval_window_ms.into(),
            ring_max_ms: config.home.ring_max_ms.into(),
            volume_percent: config.speaking.volume_percent,
            earcons: config.speaking.earcons,
        })
    }
}
