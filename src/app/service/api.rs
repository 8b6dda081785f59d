//! What programs may ask of the running daemon: the port [`Api`] over the parts there are.

use crate::app::audio::remote_microphone::{MicrophoneTimeouts, OFF_AFTER, RemoteMicrophones};
use crate::app::audio::wake_training::BackgroundTraining;
use crate::app::builder::App;
use crate::app::event_queue::EventQueue;
use crate::app::features::features;
use crate::app::home::{names, sources};
use crate::app::intercom::Intercom;
use crate::app::knowledge::library::{self, HouseholdDocuments, Library};
use crate::app::language::spoken_languages::lexicons;
use crate::app::language::teacher::Teacher;
use crate::app::models::pulls::BackgroundPulls;
use crate::app::service::background::aside;
use crate::app::service::broadcast::Broadcast;
use crate::app::service::health::{DeviceHealth, Health};
use crate::app::service::inspection::Inspection;
use crate::app::settings::choices;
use crate::app::settings::configuration::LiveConfiguration;
use crate::app::setup::live::LiveSetup;
use crate::app::shutdown::Shutdown;
use hark_config::Config;
use hark_core::api::{
    Api, ApiFuture, EnginePermit, EventFeed, HealthReport, HeardWakeWord, House, KeptTurn, Meter,
    ModelChoice, PartHealth, PartState, RemoteMicrophone,
};
use hark_core::automation::Automation;
use hark_core::configuration::ConfigurationFile;
use hark_core::delegation::TaskReport;
use hark_core::documents::Documents;
use hark_core::home::Home;
use hark_core::house::{NameChange, NodeCard};
use hark_core::inspection::{Finding, ServerState, SoundDevices, ToolState};
use hark_core::memory::{Entity, WhichFacts};
use hark_core::model::{LanguageModel, ModelListing};
use hark_core::model_files::ModelFiles;
use hark_core::origin::{Origin, Requester};
use hark_core::ports::{Fact, HomeView, ReceiptFuture, StoredList, Tools};
use hark_core::session::{KeptExchange, KeptSession, Sessions};
use hark_core::setup::Setup;
use hark_core::speaker::Speakers;
use hark_core::timer::Timer;
use hark_core::training::WakeTraining;
use hark_core::{
    AutomationId, Correction, Event, Fault, FaultKind, Lesson, Risk, Slots, TimerId, ToolCall, TurnId,
};
use hark_dialog::instincts;
use hark_home::HomeRegistry;
use hark_home::lists::ListError;
use hark_home::timers::{TimerError, Timers};
use hark_homeassistant::StatusView;
use hark_memory::Memory;
use hark_models::manifest::Manifest;
use hark_models::memory;
use hark_mqtt::Mqtt;
use hark_mqtt_devices::Devices;
use hark_store::recordings::Recordings;
use hark_store::sessions::SessionStore;
use hark_store::store::Store;
use hark_store::turns::{TurnRecord, Turns};
use hark_stt::stt::worker::SttMode;
use hark_telemetry::metrics::Exposition;
use hark_telemetry::vitals;
use hark_tools::tools::{self, Services};
use serde_json::Value;
use std::sync::Arc;

/// How answers are wanted when nobody says.
const USUAL_MODE: &str = "chat";

/// The daemon as programs see it.
pub(crate) struct LiveApi {
    config: Config,
    configuration: Arc<LiveConfiguration>,
    inspection: Arc<Inspection>,
    wake_training: Arc<BackgroundTraining>,
    manifest: Arc<Manifest>,
    pulls: Arc<BackgroundPulls>,
    tools: Arc<dyn Tools>,
    services: Arc<Services>,
    mcp: Option<Arc<hark_mcp::Servers>>,
    health: Arc<Health>,
    mqtt: Arc<Mqtt>,
    mqtt_devices: Option<Arc<Devices>>,
    homeassistant: Option<StatusView>,
    home: Arc<HomeRegistry>,
    timers: Arc<Timers>,
    store: Store,
    memory: Memory,
    intercom: Arc<Intercom>,
    event_queue: Arc<EventQueue>,
    broadcast: Arc<Broadcast>,
    model: Option<Arc<dyn LanguageModel>>,
    library: Arc<Library>,
    sessions: SessionStore,
    recordings: Recordings,
    teacher: Arc<Teacher>,
    remote_microphones: Arc<RemoteMicrophones>,
    ending: Arc<Shutdown>,
}

/// Pipelines for people at other microphones, with the settings in force when they are opened.
pub(crate) fn remote_microphones(app: &App, broadcast: &Broadcast) -> Arc<RemoteMicrophones> {
    let (pipelines, kept, vocabulary) = (app.pipelines(), app.kept().cloned(), app.vocabulary.clone());
    let make = move || {
        let mut pipelines = pipelines.clone();
        let now = kept.iter().flat_map(|kept| kept.now());
        now.for_each(|setting| choices::put(&mut pipelines.config, &setting));
        pipelines.pipeline_without_wake_words(SttMode::Live)
    };
    let tidy = move || {
        vocabulary.forget_the_gone();
        memory::give_back();
    };
    let window_ms = app.config.endpoint.nothing_said_ms.into();
    let patience = MicrophoneTimeouts { window_ms, off_after: OFF_AFTER };
    let (event_queue, events) = (app.event_queue.clone(), broadcast.sender());
    Arc::new(RemoteMicrophones::new(Arc::new(make), Arc::new(tidy), patience, event_queue, events))
}

impl LiveApi {
    pub(crate) fn new(
        app: &App,
        (health, mqtt, ending): (Arc<Health>, Arc<Mqtt>, Arc<Shutdown>),
        broadcast: Arc<Broadcast>,
        remote_microphones: Arc<RemoteMicrophones>,
        configuration: Arc<LiveConfiguration>,
    ) -> Self {
        Self {
            config: app.config.clone(),
            wake_training: Arc::new(BackgroundTraining::new(
                configuration.file().clone(),
                app.runtime.handle().clone(),
            )),
            inspection: Arc::new(Inspection::new(configuration.file().clone())),
            configuration,
            manifest: app.manifest.clone(),
            pulls: Arc::new(BackgroundPulls::new(app.manifest.clone(), features())),
            tools: app.tools().clone(),
            services: app.services.clone(),
            mcp: app.mcp.clone(),
            health,
            mqtt,
            mqtt_devices: app.mqtt_devices.clone(),
            homeassistant: app.homeassistant.as_ref().map(|it| it.view()),
            home: app.home.clone(),
            timers: app.timers.clone(),
            store: app.store().clone(),
            memory: app.languages.memory.clone(),
            intercom: app.intercom().clone(),
            event_queue: app.event_queue.clone(),
            broadcast,
            model: app.model().cloned(),
            library: app.library.clone(),
            sessions: app.sessions.clone(),
            recordings: app.recordings().clone(),
            teacher: Arc::new(app.teacher()),
            remote_microphones,
            ending,
        }
    }

    fn parts(&self) -> Vec<PartHealth> {
        let last = |name: &str| {
            let faults = self.broadcast.tally.faults();
            faults.into_iter().find(|reported| reported.fault.part == name).map(|reported| reported.fault)
        };
        let device = |name: &str, health| {
            let state = match health {
                DeviceHealth::Off => PartState::Off,
                DeviceHealth::Problem => PartState::Problem,
                DeviceHealth::Well => PartState::Well,
            };
            let fault = if state == PartState::Problem { last(name) } else { None };
            PartHealth { name: name.to_owned(), state, fault }
        };
        let devices = *self.health.watch().borrow();
        let mqtt = self.mqtt.status();
        let has_broker = mqtt.broker.is_some();
        let homeassistant = self.homeassistant.as_ref().map(StatusView::status);
        let trouble = self.model.as_ref().and_then(|model| model.trouble());
        let trouble = trouble.map(|why| {
            Fault::new(FaultKind::Unavailable, "llm", why.to_string(), "see `hark doctor`").recoverable()
        });
        let at_home = homeassistant.as_ref().is_some_and(|status| status.connected);
        vec![
            device("microphone", devices.microphone),
            device("speaker", devices.speaker),
            service("mqtt", has_broker, mqtt.connected, mqtt.problem),
            service(
                "homeassistant",
                homeassistant.is_some(),
                at_home,
                homeassistant.and_then(|status| status.problem),
            ),
            service("language_model", self.model.is_some(), trouble.is_none(), trouble),
            service(library::PART, self.library.is_wanted(), true, self.library.trouble()),
        ]
    }
}

fn service(name: &str, is_wanted: bool, is_connected: bool, fault: Option<Fault>) -> PartHealth {
    let state = match (is_wanted, is_connected && fault.is_none()) {
        (false, _) => PartState::Off,
        (true, true) => PartState::Well,
        (true, false) => PartState::Problem,
    };
    PartHealth { name: name.to_owned(), state, fault }
}

fn told(turn: TurnRecord) -> KeptTurn {
    KeptTurn { id: turn.id, at: turn.at, session: turn.session, events: turn.events }
}

impl Api for LiveApi {
    fn health(&self) -> HealthReport {
        HealthReport {
            state: self.broadcast.tally.state(),
            parts: self.parts(),
            faults: self.broadcast.tally.faults(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            uptime_s: self.health.uptime().as_secs_f64(),
        }
    }

    fn metrics(&self) -> ApiFuture<'_, String> {
        Box::pin(async move {
            let mut text = Exposition::default();
            self.broadcast.tally.expose(&mut text);
            let refused = self.event_queue.refused();
            text.counter("events_refused", "Events the full queue refused.").value(refused);
            let xruns = self.health.xruns();
            text.counter("xruns", "Overruns and underruns of the sound devices.").value(xruns);
            let uptime = self.health.uptime().as_secs_f64();
            text.gauge("uptime_seconds", "Since the start.").value(uptime);
            if let Some(echo) = self.health.meter.read().echo {
                let about = "Echo of the loudspeaker that was taken out, over the last second that was loud.";
                text.gauge("echo_return_loss_enhancement_db", about).value(echo.erle_db);
            }
            let documents = self.library.seen();
            text.gauge("documents", "Documents of the household.").value(documents.documents);
            text.gauge("documents_unreadable", "Those that cannot be read.").value(documents.failed);
            text.gauge("document_passages", "Passages of them.").value(documents.passages);
            if let Some(bytes) = vitals::resident_bytes() {
                text.gauge("resident_memory_bytes", "Memory of the process.").value(bytes);
            }
            if let Some(celsius) = vitals::cpu_celsius() {
                text.gauge("cpu_celsius", "Warmth of the processor.").value(celsius);
            }
            let mut parts = text.gauge("part_up", "1 when a part that is wanted works, else 0.");
            for part in self.parts().iter().filter(|part| part.state != PartState::Off) {
                parts.labelled(("part", &part.name), u8::from(part.state == PartState::Well));
            }
            String::from(text)
        })
    }

    fn turns(
        &self,
        most: u32,
        before: Option<TurnId>,
    ) -> ApiFuture<'_, Result<Option<Vec<KeptTurn>>, Fault>> {
        let turns = Turns::new(self.store.clone());
        aside(move || {
            let found = match before {
                None => Some(turns.newest(most)?),
                Some(before) => turns.before(&before, most)?,
            };
            Ok(found.map(|found| found.into_iter().map(told).collect()))
        })
    }

    fn turn(&self, id: TurnId) -> ApiFuture<'_, Result<Option<KeptTurn>, Fault>> {
        let turns = Turns::new(self.store.clone());
        aside(move || Ok(turns.by_id(&id)?.map(told)))
    }

    fn sound(&self, turn: TurnId) -> ApiFuture<'_, Result<Option<Vec<u8>>, Fault>> {
        let recordings = self.recordings.clone();
        aside(move || recordings.read(&turn))
    }

    fn heard_wake_words(&self) -> Vec<HeardWakeWord> {
        self.broadcast.tally.heard_wake_words()
    }

    fn meter(&self) -> Meter {
        self.health.meter.read()
    }

    fn home(&self) -> Arc<Home> {
        self.home.home()
    }

    fn house(&self) -> House {
        let away = |part: &PartHealth| ["mqtt", "homeassistant"].contains(&part.name.as_str());
        let faults = self.parts().into_iter().filter(away).filter_map(|part| part.fault).collect();
        let tally = self.mqtt_devices.as_ref().map(|devices| devices.counts()).unwrap_or_default();
        sources::house(&self.home.home(), faults, tally)
    }

    fn timers(&self) -> ApiFuture<'_, Result<Vec<Timer>, Fault>> {
        // The lock on them is held over writes to the disk.
        let timers = self.timers.clone();
        aside(move || Ok(timers.all()))
    }

    fn cancel_timer(&self, id: TimerId) -> ApiFuture<'_, Result<Option<Timer>, Fault>> {
        let timers = self.timers.clone();
        aside(move || match timers.cancel(&id) {
            Ok(timer) => Ok(Some(timer)),
            Err(TimerError::NotFound) => Ok(None),
            Err(TimerError::Store(fault)) => Err(fault),
            Err(error) => Err(Fault::new(FaultKind::BadInput, "timers", error.to_string(), "")),
        })
    }

    fn facts(&self, which: WhichFacts, most: usize) -> ApiFuture<'_, Result<Vec<Fact>, Fault>> {
        let memory = self.memory.clone();
        aside(move || memory.list(&which, most))
    }

    fn told_of(&self, most: usize) -> ApiFuture<'_, Result<Vec<(Entity, u64)>, Fault>> {
        let memory = self.memory.clone();
        aside(move || memory.told_of(most))
    }

    fn forget(&self, id: i64) -> ApiFuture<'_, Result<bool, Fault>> {
        let memory = self.memory.clone();
        aside(move || memory.forget_ids(&[id]).map(|gone| !gone.is_empty()))
    }

    fn speakers(&self) -> Arc<dyn Speakers> {
        self.services.speakers.clone()
    }

    fn documents(&self) -> Arc<dyn Documents> {
        Arc::new(HouseholdDocuments(self.library.clone()))
    }

    fn configuration(&self) -> Value {
        self.configuration.in_force()
    }

    fn configuration_file(&self) -> Arc<dyn ConfigurationFile> {
        self.configuration.clone()
    }

    fn setup(&self) -> Arc<dyn Setup> {
        Arc::new(LiveSetup {
            configuration: self.configuration.clone(),
            inspection: self.inspection.clone(),
            manifest: self.manifest.clone(),
            home: self.home.clone(),
            health: self.health.clone(),
            broadcast: self.broadcast.clone(),
        })
    }

    fn wake_training(&self) -> Arc<dyn WakeTraining> {
        self.wake_training.clone()
    }

    fn model_files(&self) -> Arc<dyn ModelFiles> {
        self.pulls.clone()
    }

    fn examine(&self) -> ApiFuture<'_, Result<Vec<Finding>, Fault>> {
        Box::pin(self.inspection.doctor())
    }

    fn sound_devices(&self) -> ApiFuture<'_, Result<SoundDevices, Fault>> {
        Box::pin(self.inspection.devices())
    }

    fn tools(&self) -> Vec<ToolState> {
        tools::overview(&self.services)
    }

    fn tool_risk(&self, tool: &str) -> Option<Risk> {
        self.tools.risk(tool)
    }

    fn look(&self, tool: &str, args: Slots) -> ReceiptFuture {
        self.tools.run(ToolCall {
            index: 0,
            // Of its own: two looks are never one call that came twice.
            turn: TurnId(format!("look-{}", uuid::Uuid::now_v7().simple())),
            tool: tool.to_owned(),
            args,
            approved: false,
            grant: None,
            tainted: false,
            unattended: false,
            requester: Requester::of(&Origin::Api(String::new())),
        })
    }

    fn served_tools(&self) -> Vec<ToolState> {
        let serve = &self.config.mcp.serve;
        let mut tools = tools::overview(&self.services);
        tools.retain(|tool| tool.is_available && serve.contains(&tool.permission));
        tools
    }

    fn teach(&self, correction: Correction) -> ApiFuture<'_, Result<Lesson, Fault>> {
        let teacher = self.teacher.clone();
        aside(move || teacher.teach(&correction))
    }

    fn task(&self) -> Option<TaskReport> {
        self.services.delegation.view().map(|task| task.report())
    }

    fn mcp_servers(&self) -> Vec<ServerState> {
        self.mcp.as_ref().map(|servers| servers.states()).unwrap_or_default()
    }

    fn lists(&self) -> ApiFuture<'_, Result<Vec<StoredList>, Fault>> {
        let services = self.services.clone();
        aside(move || {
            let broken =
                |error: ListError| Fault::new(FaultKind::Failed, "lists", error.to_string(), "ask again");
            services.lists.all().map_err(|error| match error {
                ListError::Store(fault) => fault,
                other => broken(other),
            })
        })
    }

    fn automations(&self) -> ApiFuture<'_, Result<Vec<Automation>, Fault>> {
        let services = self.services.clone();
        aside(move || services.automations.all())
    }

    fn remove_automation(&self, id: AutomationId) -> ApiFuture<'_, Result<Option<Automation>, Fault>> {
        let services = self.services.clone();
        aside(move || services.automations.remove(&id))
    }

    fn models(&self) -> ApiFuture<'_, Result<Vec<ModelChoice>, Fault>> {
        let (model, asked) = (self.model.clone(), self.config.llm.model.clone());
        Box::pin(async move {
            let Some(model) = model else { return Ok(Vec::new()) };
            let (found, faults) = model.models().await;
            if let (true, Some(fault)) = (found.is_empty(), faults.first()) {
                return Err(Fault::new(
                    FaultKind::Unavailable,
                    "llm",
                    fault.to_string(),
                    "see `hark doctor`",
                ));
            }
            let choice = |it: ModelListing| ModelChoice {
                chosen: it.name == asked,
                name: it.name,
                provider: it.provider,
            };
            Ok(found.into_iter().map(choice).collect())
        })
    }

    fn say(&self, text: &str) -> Result<bool, Fault> {
        self.intercom.say(text)
    }

    fn is_stop(&self, text: &str) -> bool {
        instincts::is_stop(text, &lexicons(&self.config))
    }

    fn yes_or_no(&self, text: &str) -> Option<bool> {
        instincts::yes_or_no(text, &lexicons(&self.config))
    }

    fn sessions(&self, most: usize) -> ApiFuture<'_, Result<Vec<KeptSession>, Fault>> {
        let sessions = self.sessions.clone();
        aside(move || sessions.list(most))
    }

    fn session(&self, name: &str, most: usize) -> ApiFuture<'_, Result<Option<Vec<KeptExchange>>, Fault>> {
        let (sessions, name) = (self.sessions.clone(), name.to_owned());
        aside(move || sessions.said(&name, most))
    }

    fn clear_session(&self, name: &str) -> ApiFuture<'_, Result<bool, Fault>> {
        let (sessions, name) = (self.sessions.clone(), name.to_owned());
        aside(move || sessions.clear(&name))
    }

    fn nodes(&self) -> ApiFuture<'_, Result<Vec<(NodeCard, bool)>, Fault>> {
        Box::pin(async {
            let nodes = hark_mqtt::nodes(&self.config.mqtt).await?;
            Ok(nodes.into_iter().map(|node| (node.card, node.online)).collect())
        })
    }

    fn rename(&self, change: NameChange) -> ApiFuture<'_, Result<(), Fault>> {
        let (config, configuration, home) =
            (self.config.clone(), self.configuration.clone(), self.home.home());
        aside(move || names::rename(&config, &configuration, &home, &change))
    }

    fn restart(&self) {
        self.ending.restart();
    }

    fn push(&self, event: Event) -> Result<(), Fault> {
        self.event_queue.push(event).map_err(|full| {
            Fault::new(FaultKind::Unavailable, "daemon", full.to_string(), "ask again in a moment")
        })
    }

    fn remote_microphone(&self, place: EnginePermit) -> Result<Box<dyn RemoteMicrophone>, Fault> {
        self.remote_microphones.open(place)
    }

    fn mode(&self, session: &str) -> ApiFuture<'_, Result<String, Fault>> {
        let (sessions, session) = (self.sessions.clone(), session.to_owned());
        aside(move || Ok(sessions.settings(&session)?.mode))
    }

    fn keep_mode(&self, session: &str, mode: &str) -> ApiFuture<'_, Result<(), Fault>> {
        let (sessions, session) = (self.sessions.clone(), session.to_owned());
        // What everybody starts with needs no keeping, so that the conversation can be forgotten in time.
        let mode = if mode == USUAL_MODE { String::new() } else { mode.to_owned() };
        aside(move || match sessions.settings(&session)?.mode == mode {
            true => Ok(()),
            false => sessions.keep_mode(&session, &mode),
        })
    }

    fn events(&self) -> Box<dyn EventFeed> {
        Box::new(self.broadcast.feed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_a_problem_only_when_it_is_wanted() {
        let fault = || Some(Fault::new(FaultKind::Unavailable, "mqtt", "refused", "start it"));
        assert_eq!(service("mqtt", false, false, None).state, PartState::Off);
        assert_eq!(service("mqtt", true, true, None).state, PartState::Well);
        assert_eq!(service("mqtt", true, false, fault()).state, PartState::Problem);
        assert_eq!(service("mqtt", true, true, fault()).fault, fault());
    }
}
