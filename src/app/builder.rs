//! Builds the parts from the configuration: one place that knows which engine stands behind which port.

use crate::app::audio::engines::Engines;
use crate::app::audio::pipeline_factory::PipelineFactory;
use crate::app::audio::speakers::SpeakerRegistry;
use crate::app::audio::voices;
use crate::app::controls::Controls;
use crate::app::effect_runner::Parts;
use crate::app::event_queue::EventQueue;
use crate::app::external_tools::OtherTools;
use crate::app::faults::{Faults, report};
use crate::app::home::demo_states::{DemoStates, Following};
use crate::app::home::device_codes;
use crate::app::home::sources::{self, load_home};
use crate::app::intercom::Intercom;
use crate::app::knowledge::library::{HouseholdDocuments, Library};
use crate::app::language::languages::{self, Languages};
use crate::app::language::spoken_languages;
use crate::app::language::teacher::Teacher;
use crate::app::language::understanding_thread::ReadingParts;
use crate::app::language::vocabulary::Vocabulary;
use crate::app::models::context::AppContext;
use crate::app::models::describer;
use crate::app::models::factory;
use crate::app::models::worker::ModelWorker;
use crate::app::requests::delegation;
use crate::app::requests::inbox::{Inbox, OnceOnly};
use crate::app::requests::recorder::{Keeping, Recorder};
use crate::app::session_names::{SessionNames, id_prefix};
use crate::app::settings::choices::Choices;
use crate::app::settings::store::SettingsStore;
use crate::app::storage::{
    journal_of, load_timers, open_recordings, open_store, open_store_of_daemon, sessions_of, undo_log,
};
use hark_browser::Browser;
use hark_config::{Config, paths};
use hark_core::home::WATCHED;
use hark_core::model::{LanguageModel, ToolSpec};
use hark_core::ports::{HomeSink, HomeView, Tools, Voice};
use hark_core::{Fault, FaultKind};
use hark_dialog::model_tasks::ModelTasks;
use hark_dialog::turn::{Machine, Settings};
use hark_home::automations::Automations;
use hark_home::pin::PinPad;
use hark_home::timers::Timers;
use hark_home::undo::UndoLog;
use hark_home::virtual_devices::VirtualDevices;
use hark_home::{DeviceBackend, HomeControl, HomeRegistry, select};
use hark_homeassistant::HomeAssistant;
use hark_memory::Memory;
use hark_models::manifest::Manifest;
use hark_mqtt as mqtt;
use hark_mqtt_devices as mqtt_devices;
use hark_ocr::ScreenReader;
use hark_store::journal::Journal;
use hark_store::recordings::Recordings;
use hark_store::sessions::{SessionStore, VoiceSessions};
use hark_store::store::Store;
use hark_store::turns::Turns;
use hark_stt::PipelineCommand;
use hark_stt::pipeline::AudioPipeline;
use hark_stt::stt::worker::SttMode;
use hark_tools::dictionary::{Dictionaries, DictionaryError};
use hark_tools::house_secrets::HouseSecrets;
use hark_tools::tools::{self, CallOrder, Toolbox};
use hark_tts::voice_thread::VoiceHandle;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;
use tokio::runtime::Handle;

/// Everything but sound: what a typed request needs.
pub struct App {
    /// The configuration in force.
    pub config: Config,
    /// Where tools and MQTT run.
    pub runtime: tokio::runtime::Runtime,
    /// The queue in front of the turn machine.
    pub event_queue: Arc<EventQueue>,
    /// The home.
    pub home: Arc<HomeRegistry>,
    /// Home Assistant, when there is one.
    pub homeassistant: Option<HomeAssistant>,
    /// Devices that are announced by MQTT discovery, when they are wanted.
    pub mqtt_devices: Option<Arc<mqtt_devices::Devices>>,
    /// Timers.
    pub timers: Arc<Timers>,
    /// What the tools work with.
    pub services: Arc<tools::Services>,
    /// Servers of other programs' tools.
    pub(crate) mcp: Option<Arc<hark_mcp::Servers>>,
    /// The household's documents.
    pub(crate) library: Arc<Library>,
    /// People who are known by their voice.
    pub(crate) speakers: Arc<SpeakerRegistry>,
    /// Models on the disk.
    pub manifest: Arc<Manifest>,
    /// Kept for as long as its devices are driven.
    _visit: Option<mqtt::Mqtt>,
    _demo_states: Option<Following>,
    /// Languages and classifier.
    pub(crate) languages: Languages,
    /// What follows the names of the home.
    pub(crate) vocabulary: Arc<Vocabulary>,
    tools: Arc<dyn Tools>,
    inbox: Option<Arc<Inbox>>,
    controls: Arc<Controls>,
    store: Store,
    /// Conversations.
    pub(crate) sessions: SessionStore,
    journal: Option<Arc<Journal>>,
    recordings: Recordings,
    settings_kept: Option<(Arc<SettingsStore>, Choices)>,
    /// Works with language models, when one is configured.
    mind: Option<Arc<ModelTasks>>,
}

/// For whom it is built.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AppMode {
    /// A command that does without what others say on MQTT.
    Alone,
    /// A command that looks at the devices on MQTT by itself.
    Visit,
    /// The same for typed requests where no daemon runs: there is no sound, and virtual devices stay as they are left.
    Asking,
    /// The daemon, which keeps the settings people change.
    Daemon,
}

impl AppMode {
    /// Whether requests are carried out.
    fn calls_tools(self) -> bool {
        matches!(self, Self::Daemon | Self::Asking)
    }
}

impl App {
    /// Builds it.
    ///
    /// # Errors
    /// Everything that is wrong with templates, home and store.
    pub fn open(config: Config) -> Result<Self, Faults> {
        Self::open_with(config, AppMode::Alone)
    }

    /// Builds it for the daemon: with the settings that were changed while it ran before.
    ///
    /// # Errors
    /// As [`App::open`].
    pub fn open_keeping(config: Config) -> Result<Self, Faults> {
        Self::open_with(config, AppMode::Daemon)
    }

    /// Builds it for a command that does not stay: with the devices of MQTT, which the daemon would find by
    /// its own connection.
    ///
    /// # Errors
    /// As [`App::open`].
    pub fn open_visiting(config: Config) -> Result<Self, Faults> {
        Self::open_with(config, AppMode::Visit)
    }

    /// Builds it for typed requests where no daemon runs.
    ///
    /// # Errors
    /// As [`App::open`].
    pub fn open_asking(config: Config) -> Result<Self, Faults> {
        Self::open_with(config, AppMode::Asking)
    }

    fn open_with(mut config: Config, mode: AppMode) -> Result<Self, Faults> {
        let runtime = async_runtime()?;
        let models_dir = config.paths.models_dir().map_err(|fault| vec![fault])?;
        let manifest = Arc::new(Manifest::load(&models_dir).map_err(|fault| vec![fault])?);
        languages::load_lexicons(&models_dir)?;
        let event_queue = Arc::new(EventQueue::new(spoken_languages::lexicons(&config)));
        let store = match mode {
            AppMode::Daemon => open_store_of_daemon(&config),
            AppMode::Alone | AppMode::Visit | AppMode::Asking => open_store(&config),
        };
        let store = store.map_err(|fault| vec![fault])?;
        if let Some(fault) = store.trouble() {
            tracing::error!("{fault}");
            report(&event_queue, fault.clone());
        }
        let settings_kept = match mode {
            AppMode::Daemon => Some(put_kept_over(&mut config, &store, &manifest, &event_queue)?),
            AppMode::Alone | AppMode::Visit | AppMode::Asking => None,
        };
        let (home, demo_states) = open_home(&config, mode, runtime.handle())?;
        home.replace(WATCHED, hark_watch::things(&config.watch));
        let homeassistant =
            sources::homeassistant(&config, &home, &event_queue, &runtime).map_err(|fault| vec![fault])?;
        let mqtt_devices = mqtt::devices(&config.mqtt, home.clone());
        let visited = mqtt_devices.as_ref().filter(|_| matches!(mode, AppMode::Visit | AppMode::Asking));
        let (visit, _) = sources::visit_mqtt(&config, visited, &runtime).map_err(|fault| vec![fault])?;
        // Before the names are read, so that no change of them is missed.
        let changes = home.vocabulary();
        let languages = Languages::open(&config, &models_dir, home.clone(), &store)?;
        let vocabulary = Arc::new(Vocabulary::new(languages.grammars.clone(), changes));
        let timers = Arc::new(load_timers(&store).map_err(|fault| vec![fault])?);
        let intercom = Arc::new(Intercom::new(&config, event_queue.clone()));
        let (volume, has_sound) = (config.speaking.volume_percent, mode != AppMode::Asking);
        let controls = Arc::new(Controls::new(volume, has_sound, event_queue.clone(), intercom));
        let backends = device_backends(&config, &home, homeassistant.as_ref(), mqtt_devices.as_ref())?;
        let devices = HomeControl::new(home.clone(), backends);
        let now = Arc::new(|| chrono::Local::now().fixed_offset());
        let settings = (&config.home, &config.permissions, &config.tools, config.speaking.language.as_str());
        let library = Arc::new(Library::new(&config).map_err(|fault| vec![fault])?);
        let speakers =
            Arc::new(SpeakerRegistry::new(&config.speakers, Arc::new(store.clone()), manifest.clone()));
        let kept = kept(&config, mode, &store, &timers, (&library, &speakers), &languages.memory)
            .map_err(|fault| vec![fault])?;
        let parts = tools::Services::new(devices, kept, controls.clone(), now, settings);
        let mut parts = parts.map_err(|fault| vec![fault])?;
        complete(&mut parts, &config, &manifest).map_err(|fault| vec![fault])?;
        let others = OtherTools::open(&config, &models_dir, mode.calls_tools(), runtime.handle())?;
        parts.external = others.sources();
        let toolbox = Toolbox::new(parts);
        let services = toolbox.services().clone();
        let tools: Arc<dyn Tools> = Arc::new(toolbox);
        let inbox = settings_kept.as_ref().map(|(kept, choices)| {
            let request_times = services.request_times.clone();
            let (store, kept, choices) = (store.clone(), kept.clone(), choices.clone());
            Arc::new(Inbox::new(store, kept, choices, &event_queue, tools.clone(), request_times))
        });
        let tools = match &inbox {
            Some(inbox) => Arc::new(OnceOnly { tools, inbox: inbox.clone() }),
            None => tools,
        };
        let tools: Arc<dyn Tools> = Arc::new(CallOrder::new(tools, services.clone()));
        let sessions = sessions_of(&config, &store);
        let journal = journal_of(&config).map_err(|fault| vec![fault])?;
        let recordings = open_recordings(&config).map_err(|fault| vec![fault])?;
        if let Err(fault) = recordings.tidy() {
            report(&event_queue, fault);
        }
        let told = (&languages, &others.skills, &services.documents, mode == AppMode::Daemon);
        let mind = factory::open(&config, &store, &sessions, &tools, &home, told, runtime.handle())?;
        describer::offer(&services, mind.as_ref(), &event_queue);
        languages.answer_from(&services.documents, mind.is_some());
        Ok(Self {
            config,
            runtime,
            event_queue,
            languages,
            vocabulary,
            home,
            homeassistant,
            mqtt_devices,
            _visit: visit,
            _demo_states: demo_states,
            timers,
            services,
            mcp: others.mcp,
            library,
            speakers,
            manifest,
            tools,
            inbox,
            controls,
            store,
            sessions,
            journal,
            recordings,
            settings_kept,
            mind,
        })
    }

    /// A turn machine at rest, with ids no other start has used.
    pub fn machine(&self) -> Machine {
        Machine::new(machine_settings(&self.config, &id_prefix()))
    }
}

impl App {
    /// What announces.
    pub(crate) fn intercom(&self) -> &Arc<Intercom> {
        self.controls.intercom()
    }

    /// The sound of turns.
    pub(crate) fn recordings(&self) -> &Recordings {
        &self.recordings
    }

    /// Requests that were promised; the daemon's only.
    pub(crate) fn inbox(&self) -> Option<&Arc<Inbox>> {
        self.inbox.as_ref()
    }

    /// The sources of the context that goes to a language model with a request.
    pub(crate) fn context(&self) -> AppContext {
        let found = (&self.sessions, &self.services.documents, &self.languages.memory);
        AppContext::new(&self.config, found, &self.home, self.runtime.handle())
    }

    /// The tools that work here, as a language model is told of them.
    pub(crate) fn tool_reference(&self) -> Vec<ToolSpec> {
        self.tools.reference()
    }

    /// The tools behind the gate.
    pub(crate) fn tools(&self) -> &Arc<dyn Tools> {
        &self.tools
    }

    /// What is kept on the disk.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// Declared name of the area this node stands in; as it was configured where the home does not know it.
    pub(crate) fn area_name(&self) -> String {
        let here = self.config.home.area.trim();
        let home = self.home.home();
        select::area(&home, here).map_or_else(|| here.to_owned(), |area| area.name.clone())
    }

    /// Names of the daemon's conversations.
    pub fn daemon_names(&self) -> SessionNames {
        let last = self.sessions.last_spoken().unwrap_or_else(|fault| {
            tracing::warn!("a new spoken conversation begins: {fault}");
            None
        });
        SessionNames::of_daemon(Arc::new(VoiceSessions::new(&self.config.memory, last)))
    }

    /// What the effect runner works with. `names` tells the conversations in the store apart.
    pub fn parts(
        &self,
        voice: Option<VoiceHandle>,
        pipeline: Option<Sender<PipelineCommand>>,
        names: SessionNames,
    ) -> Parts {
        let keeping = Keeping {
            turns: Turns::new(self.store.clone()),
            sessions: self.sessions.clone(),
            journal: self.journal.clone(),
            recordings: self.recordings.clone(),
            event_queue: self.event_queue.clone(),
            most: self.config.memory.keep_turns,
            memory: self.languages.memory.clone(),
            keep_statements: self.config.memory.keep_statements,
        };
        Parts {
            reading_parts: Arc::new(ReadingParts {
                understand: self.languages.router.clone(),
                tools: self.tools.clone(),
                teacher: Arc::new(self.teacher()),
                languages: spoken_languages::lexicons(&self.config),
            }),
            reading: None,
            replies: self.languages.replies.clone(),
            tools: self.tools.clone(),
            timers: self.timers.clone(),
            automations: self.services.automations.clone(),
            voice,
            pipeline,
            runtime: self.runtime.handle().clone(),
            controls: self.controls.clone(),
            delivered: None,
            settings_applier: None,
            inbox: self.inbox.clone(),
            model_worker: self.mind.as_ref().map(|mind| self.model_worker(mind)),
            recorder: Recorder::new(keeping, self.runtime.handle().clone(), names),
        }
    }

    /// Language models, when one is configured.
    pub(crate) fn model(&self) -> Option<&Arc<dyn LanguageModel>> {
        self.mind.as_ref().map(|mind| mind.model())
    }

    fn model_worker(&self, mind: &Arc<ModelTasks>) -> ModelWorker {
        let limit = Duration::from_millis(self.config.route.task_timeout_ms.into());
        let memory = self.config.memory.model_reads.then(|| self.languages.memory.clone());
        ModelWorker::new(mind.clone(), memory, self.runtime.handle(), &self.event_queue, limit)
    }

    /// Keeps what was meant with what was taken wrongly.
    pub fn teacher(&self) -> Teacher {
        Teacher {
            turns: Turns::new(self.store.clone()),
            understand: self.languages.router.clone(),
            home: self.home.clone(),
            paths: self.languages.paths.clone(),
            language: self.config.speaking.language.clone(),
        }
    }

    /// Understands the names of the home as they are now, where no thread follows them.
    pub fn follow_names(&self) {
        for fault in self.vocabulary.catch_up().err().into_iter().flatten() {
            tracing::warn!("the names of before are understood: {fault}");
        }
    }

    /// The pipeline with its engines loaded.
    ///
    /// # Errors
    /// `MissingPart` naming the model or library, with its fix.
    pub fn pipeline(&self, mode: SttMode) -> Result<AudioPipeline, Fault> {
        self.pipelines().pipeline(mode)
    }

    /// What makes pipelines, as they are configured.
    pub(crate) fn pipelines(&self) -> PipelineFactory {
        PipelineFactory {
            config: self.config.clone(),
            manifest: self.manifest.clone(),
            home: self.home.clone(),
            sentences: self.languages.usual().clone(),
            request_among: self.languages.request_among(self.tools.clone()),
            vocabulary: self.vocabulary.clone(),
            speakers: self.speakers.clone(),
        }
    }

    pub(crate) fn engines(&self) -> Engines<'_> {
        Engines::new(&self.config, &self.manifest, &self.home.home())
    }

    /// The voice of the configuration; `None` when it is switched off.
    ///
    /// # Errors
    /// When its data is missing.
    pub fn voice(&self) -> Result<Option<Box<dyn Voice>>, Fault> {
        voices::open(&self.engines())
    }

    /// Settings as they were left, where they are kept.
    pub(crate) fn kept(&self) -> Option<&Arc<SettingsStore>> {
        self.settings_kept.as_ref().map(|(kept, _)| kept)
    }

    /// What can be chosen on this node.
    pub(crate) fn choices(&self) -> Choices {
        match &self.settings_kept {
            Some((_, choices)) => choices.clone(),
            None => Choices::of(&self.config, &self.manifest),
        }
    }
}

/// What changes the things of the home: the virtual ones, Home Assistant and what announces itself over MQTT.
fn device_backends(
    config: &Config,
    home: &Arc<HomeRegistry>,
    homeassistant: Option<&HomeAssistant>,
    mqtt_devices: Option<&Arc<mqtt_devices::Devices>>,
) -> Result<Vec<Arc<dyn DeviceBackend>>, Faults> {
    let mut backends: Vec<Arc<dyn DeviceBackend>> = vec![Arc::new(VirtualDevices::new(home.clone()))];
    let codes = device_codes::load(&config.permissions, paths::credentials_dir().as_deref())
        .map_err(|fault| vec![fault])?;
    if let Some(devices) = mqtt_devices {
        devices.set_codes(codes.clone());
    }
    backends.extend(homeassistant.map(|it| it.backend(codes)));
    backends.extend(mqtt_devices.map(|devices| Arc::new(mqtt_devices::Backend(devices.clone())) as _));
    Ok(backends)
}

/// The dictionaries among the models.
fn dictionaries(manifest: &Arc<Manifest>) -> Dictionaries {
    let manifest = manifest.clone();
    Dictionaries::new(move |language| {
        let id = format!("dictionary_{language}");
        let language = language.to_owned();
        match manifest.part(&id) {
            Ok(_) => manifest.path(&id).map_err(|_| DictionaryError::Missing { language }),
            Err(_) => Err(DictionaryError::NoneFor { language }),
        }
    })
}

/// State of the tools that outlives the program.
fn kept(
    config: &Config,
    mode: AppMode,
    store: &Store,
    timers: &Arc<Timers>,
    (library, speakers): (&Arc<Library>, &Arc<SpeakerRegistry>),
    memory: &Memory,
) -> Result<tools::Persistence, Fault> {
    Ok(tools::Persistence {
        timers: timers.clone(),
        automations: Arc::new(Automations::new(Arc::new(store.clone()), timers.zone())),
        lists: Arc::new(store.clone()),
        // A recording does not take back what the household did.
        undo: if mode.calls_tools() { undo_log(store) } else { UndoLog::default() },
        memory: memory.clone(),
        documents: Arc::new(HouseholdDocuments(library.clone())),
        speakers: speakers.clone(),
        pin: open_pin(config)?,
    })
}

/// The home at the start. For typed requests and the daemon its virtual devices are as they were left, and stay so.
fn open_home(
    config: &Config,
    mode: AppMode,
    runtime: &Handle,
) -> Result<(Arc<HomeRegistry>, Option<Following>), Faults> {
    let mut home = load_home(config)?;
    if !matches!(mode, AppMode::Asking | AppMode::Daemon) {
        return Ok((Arc::new(HomeRegistry::new(home)), None));
    }
    let mut states = DemoStates::of(config).map_err(|fault| vec![fault])?;
    states.put_over(&mut home);
    let home = Arc::new(HomeRegistry::new(home));
    let following = states.follow(&home, runtime);
    Ok((home, Some(following)))
}

/// The settings of before over those of the configuration. What does not count any more is told.
fn put_kept_over(
    config: &mut Config,
    store: &Store,
    manifest: &Manifest,
    event_queue: &EventQueue,
) -> Result<(Arc<SettingsStore>, Choices), Faults> {
    let choices = Choices::of(config, manifest);
    let (kept, faults) = SettingsStore::over(config, store, &choices).map_err(|fault| vec![fault])?;
    faults.into_iter().for_each(|fault| report(event_queue, fault));
    Ok((Arc::new(kept), choices))
}

fn open_pin(config: &Config) -> Result<PinPad, Fault> {
    let credentials = paths::credentials_dir();
    PinPad::open(&config.permissions, credentials.as_deref(), &config.paths.state_dir()?)
}

/// What the turn machine needs to know of the configuration. `id_prefix` is the beginning of turn ids.
pub fn machine_settings(config: &Config, id_prefix: &str) -> Settings {
    Settings {
        id_prefix: id_prefix.to_owned(),
        language: config.speaking.language.clone(),
        languages: spoken_languages::tags(config),
        listen_window_ms: config.endpoint.nothing_said_ms.into(),
        approval_window_ms: config.permissions.approval_window_ms.into(),
        ring_max_ms: config.home.ring_max_ms.into(),
        volume_percent: config.speaking.volume_percent,
        earcons: config.speaking.earcons,
        wake_sound: config.speaking.earcons,
        words_per_minute: config.speaking.rate_wpm,
        barge_in: config.barge_in.clone(),
        follow_up: config.speaking.follow_up,
        follow_up_ms: config.speaking.follow_up_ms.into(),
        context_ms: config.memory.context_ms.into(),
        thinks: config.llm.first().is_configured(),
        models: hark_agent::names(config),
        task_timeout_ms: config.route.task_timeout_ms.into(),
        question_window_ms: config.route.question_window_ms.into(),
        rest_after_ms: config.route.rest_after_ms.into(),
    }
}

fn one(part: &str, message: String) -> Faults {
    vec![Fault::new(FaultKind::Failed, part, message, "see `hark doctor`")]
}

/// The runtime that tools and connections work on.
fn async_runtime() -> Result<tokio::runtime::Runtime, Faults> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("hark-async")
        .enable_all()
        .build()
        .map_err(|error| one("daemon", format!("cannot start the runtime: {error}")))
}

/// Puts in what is more than the tools' own section says.
fn complete(parts: &mut tools::Services, config: &Config, manifest: &Arc<Manifest>) -> Result<(), Fault> {
    parts.secrets = house_secrets(config)?;
    parts.dictionaries = dictionaries(manifest);
    // Their names are the owner's own.
    parts.trusted_sources.push(WATCHED.to_owned());
    parts.set_personal(&config.personal, &config.watch);
    parts.text_reader = Arc::new(ScreenReader::new(manifest.clone()));
    parts.captures = Some(config.paths.state_dir()?.join("captures"));
    parts.delegation = Arc::new(delegation::open(config)?);
    let reach = Arc::new(parts.web.clone());
    parts.browser = Browser::new(&config.browser, config.paths.state_dir()?, reach);
    Ok(())
}

/// What no request may carry out of the house.
fn house_secrets(config: &Config) -> Result<HouseSecrets, Fault> {
    let credentials = paths::credentials_dir();
    Ok(HouseSecrets::in_files(config.secret_files(credentials.as_deref(), &config.paths.state_dir()?)))
}
