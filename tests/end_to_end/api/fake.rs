//! A Hark that answers every typed request with an echo, behind the real interface.

use super::fake_setup::{FakeModels, FakeSetup, FakeTraining};
use hark_config::dashboard::Dashboard as Settings;
use hark_core::api::{
    Api, ApiFuture, EchoFigure, EnginePermit, EventFeed, EventNews, HealthReport, HeardWakeWord, House,
    KeptTurn, Meter, ModelChoice, PartHealth, PartState, RemoteMicrophone, ReportedFault, Speaker,
};
use hark_core::automation::{Action, Automation, SunEvent, Trigger};
use hark_core::configuration::{
    ConfigurationChange, ConfigurationFile, ConfigurationState, KeyChange, KeySource, KeyState, Mistake,
    Refusal,
};
use hark_core::delegation::{TaskNews, TaskReport, TaskState};
use hark_core::documents::{Document, DocumentState, DocumentStatus, Documents, FoundPassage, IndexChange};
use hark_core::home::{Area, Entity, Home};
use hark_core::house::{NameChange, NodeCard};
use hark_core::inspection::{Finding, ServerState, SoundDevice, SoundDevices, ToolState};
use hark_core::memory;
use hark_core::model_files::ModelFiles;
use hark_core::ports::{Fact, ListItem, ReceiptFuture, StoredList};
use hark_core::public_event::{HarkState, Origin, Outcome, Timings};
use hark_core::session::{KeptExchange, KeptSession};
use hark_core::setup::Setup;
use hark_core::speaker::{EnrolledSpeaker, Enrolment, Speakers};
use hark_core::speech::Transcript;
use hark_core::timer::{Timer, TimerKind, TimerState};
use hark_core::training::WakeTraining;
use hark_core::{
    AutomationId, Correction, Envelope, Event, Fault, FaultKind, Lesson, PublicEvent, Receipt, ReceiptId,
    Risk, Slots, Stamp, TimerId, TurnId,
};
use hark_http::Dashboard;
use hark_http::limits::Limits;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

/// See the module.
pub struct Fake {
    pub events: broadcast::Sender<Arc<Envelope>>,
    pub pushed: Mutex<Vec<Event>>,
    pub said: Mutex<Vec<String>>,
    /// How answers are wanted, by conversation.
    pub modes: Mutex<BTreeMap<String, String>>,
    /// The calls to remote microphones.
    pub microphones: Arc<Mutex<Vec<MicrophoneCall>>>,
    /// Ears cannot take any more.
    pub is_deaf: Arc<AtomicBool>,
    /// Changes of the configuration.
    pub file: Arc<FakeFile>,
    /// How often it was told to start again.
    pub restarts: AtomicU64,
    /// What was set up.
    pub setup: FakeSetup,
    training: Arc<FakeTraining>,
    models: Arc<FakeModels>,
    turns: AtomicU64,
}

impl Fake {
    fn new() -> Self {
        Self {
            events: broadcast::Sender::new(1024),
            pushed: Mutex::default(),
            said: Mutex::default(),
            modes: Mutex::default(),
            microphones: Arc::default(),
            is_deaf: Arc::default(),
            file: Arc::default(),
            restarts: AtomicU64::new(0),
            setup: FakeSetup::default(),
            training: Arc::default(),
            models: Arc::default(),
            turns: AtomicU64::new(0),
        }
    }

    /// Has something happen.
    pub fn publish(&self, turn: Option<&str>, origin: Option<Origin>, event: PublicEvent) {
        let mut envelope = Envelope::new(event, turn.map(TurnId::from), Stamp::default(), "now".into());
        envelope.origin = origin;
        let _ = self.events.send(Arc::new(envelope));
    }
}

/// A call to a remote microphone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MicrophoneCall {
    Opened,
    Heard(Speaker, Vec<i16>),
    Paused,
    Gone,
}

struct FakeMicrophone {
    news: Arc<Mutex<Vec<MicrophoneCall>>>,
    is_deaf: Arc<AtomicBool>,
    _place: EnginePermit,
}

impl RemoteMicrophone for FakeMicrophone {
    fn hear(&mut self, speaker: &Speaker, samples: Vec<i16>) -> Result<(), Fault> {
        if self.is_deaf.load(Ordering::SeqCst) {
            return Err(Fault::new(FaultKind::Unavailable, "microphone", "too much waits", "speak again"));
        }
        self.news.lock().unwrap().push(MicrophoneCall::Heard(speaker.clone(), samples));
        Ok(())
    }

    fn pause(&mut self) {
        self.news.lock().unwrap().push(MicrophoneCall::Paused);
    }
}

impl Drop for FakeMicrophone {
    fn drop(&mut self) {
        self.news.lock().unwrap().push(MicrophoneCall::Gone);
    }
}

/// The answer to a request, some time later and beside others.
fn answer(fake: &Fake, events: &broadcast::Sender<Arc<Envelope>>, text: String, origin: Origin) {
    let turn = format!("t-{}", fake.turns.fetch_add(1, Ordering::SeqCst));
    let events = events.clone();
    std::thread::spawn(move || {
        let tell = |event| {
            let mut envelope =
                Envelope::new(event, Some(turn.as_str().into()), Stamp::default(), "now".into());
            envelope.origin = Some(origin.clone());
            let _ = events.send(Arc::new(envelope));
            std::thread::sleep(Duration::from_millis(2));
        };
        tell(PublicEvent::Transcript(Transcript {
            text: text.clone(),
            engine: "typed".into(),
            confidence: 1.0,
            language: "en".into(),
            rejected: None,
            why: None,
            speaker: None,
        }));
        tell(PublicEvent::Reply { text: format!("echo: {text}"), language: "en".into(), ends: true });
        if text != "never ends" {
            let outcome = Outcome::Done;
            tell(PublicEvent::Turn { timings_ms: Timings::default(), route: None, attempts: 0, outcome });
        }
    });
}

fn kept(id: u32) -> KeptTurn {
    let events = vec![
        json!({ "event": "transcript", "turn": id.to_string(), "t_ms": 1.0, "at": "now", "text": "what time is it" }),
        json!({ "event": "turn", "turn": id.to_string(), "t_ms": 2.0, "at": "now", "outcome": "done", "route": "template" }),
    ];
    KeptTurn { id: TurnId(id.to_string()), at: "now".into(), session: "voice".into(), events }
}

fn timer() -> Timer {
    Timer {
        id: "tea".into(),
        kind: TimerKind::Timer,
        name: Some("tea".into()),
        area: None,
        duration_ms: 180_000,
        created_unix_ms: 1_790_000_000_000,
        due_unix_ms: 1_790_000_180_000,
        remaining_ms: 0,
        state: TimerState::Running,
        recurrence: None,
        wall: None,
        skipped: None,
    }
}

fn automation() -> Automation {
    Automation {
        id: AutomationId("7".into()),
        said: "turn on the porch light".into(),
        said_when: "at sunset".into(),
        language: "en".into(),
        created_unix_ms: 1_790_000_000_000,
        trigger: Trigger::Sun { event: SunEvent::Sunset, offset_minutes: 0, from_day: None },
        only_if: vec![],
        repeats: true,
        action: Action::Intents { intents: vec![] },
        expires_unix_ms: None,
        was_true: false,
        were_true: Vec::new(),
        true_since_unix_ms: None,
        acting_since_unix_ms: None,
        held_since_unix_ms: None,
        next_unix_ms: Some(1_790_000_180_000),
    }
}

/// A file with every key at its default, which takes every change but one of `vad.threshold`.
#[derive(Default)]
pub struct FakeFile(pub Mutex<Vec<KeyChange>>);

impl ConfigurationFile for FakeFile {
    fn state(&self) -> ConfigurationState {
        let state = |key: &hark_config::keys::Key| {
            let value = serde_json::to_value(&key.default).unwrap();
            let (source, at_once) = (KeySource::Default, key.path() == "wake.threshold");
            KeyState {
                key: key.path(),
                configured: value.clone(),
                in_force: value,
                source,
                line: None,
                at_once,
            }
        };
        let keys = hark_config::keys::keys().map(state).collect();
        ConfigurationState { file: "/etc/hark/hark.toml".into(), keys, mistakes: vec![] }
    }

    fn change(&self, changes: &[KeyChange]) -> Result<ConfigurationChange, Refusal> {
        let refused = |change: &&KeyChange| change.key == "vad.threshold";
        let mistake = |change: &KeyChange| Mistake {
            key: change.key.clone(),
            message: "out of range".into(),
            fix: "use 0.05 to 0.95".into(),
        };
        let mistakes: Vec<Mistake> = changes.iter().filter(refused).map(mistake).collect();
        if !mistakes.is_empty() {
            return Err(Refusal::Mistakes(mistakes));
        }
        self.0.lock().unwrap().extend(changes.iter().cloned());
        Ok(ConfigurationChange {
            file: "/etc/hark/hark.toml".into(),
            needs_restart: changes.iter().map(|change| change.key.clone()).collect(),
            not_applied: None,
        })
    }
}

impl Api for Fake {
    fn health(&self) -> HealthReport {
        let fault = Fault::new(FaultKind::Unavailable, "mqtt", "connection refused", "start the broker");
        HealthReport {
            state: HarkState::Idle,
            parts: vec![PartHealth {
                name: "mqtt".into(),
                state: PartState::Problem,
                fault: Some(fault.clone()),
            }],
            faults: vec![ReportedFault { at: "now".into(), fault }],
            version: "1".into(),
            uptime_s: 1.5,
        }
    }

    fn metrics(&self) -> ApiFuture<'_, String> {
        Box::pin(async { "hark_up 1\n".to_owned() })
    }

    fn turns(
        &self,
        most: u32,
        before: Option<TurnId>,
    ) -> ApiFuture<'_, Result<Option<Vec<KeptTurn>>, Fault>> {
        let newest = match before {
            None => 30,
            Some(id) => match id.0.parse::<u32>() {
                Ok(id @ 1..=30) => id - 1,
                _ => return Box::pin(async { Ok(None) }),
            },
        };
        let turns = (1..=newest).rev().take(most as usize).map(kept).collect();
        Box::pin(async { Ok(Some(turns)) })
    }

    fn turn(&self, id: TurnId) -> ApiFuture<'_, Result<Option<KeptTurn>, Fault>> {
        let turn = id.0.parse().ok().filter(|id| (1..=30).contains(id)).map(kept);
        Box::pin(async { Ok(turn) })
    }

    fn sound(&self, turn: TurnId) -> ApiFuture<'_, Result<Option<Vec<u8>>, Fault>> {
        let sound = (turn.0 == "7").then(|| b"RIFFsound of 7".to_vec());
        Box::pin(async { Ok(sound) })
    }

    fn teach(&self, correction: Correction) -> ApiFuture<'_, Result<Lesson, Fault>> {
        let Correction::Turn { meant, .. } = correction else { panic!("{correction:?}") };
        Box::pin(async { Ok(Lesson { text: "turn it on".into(), meant, known: false, note: None }) })
    }

    fn heard_wake_words(&self) -> Vec<HeardWakeWord> {
        let heard = |why: Option<&str>| HeardWakeWord {
            at: "now".into(),
            word: "hey_jarvis".into(),
            score: 0.5,
            why: why.map(str::to_owned),
        };
        vec![heard(Some("below the threshold")), heard(None)]
    }

    fn meter(&self) -> Meter {
        let echo =
            EchoFigure { erle_db: 31.256, delay_ms: 40, drift_ppm: -2.5, is_learning: false, age_s: 1.5 };
        Meter { is_open: true, level_dbfs: -32.5, speech: 0.25, wake: 0.125, echo: Some(echo) }
    }

    fn house(&self) -> House {
        House { home: Home::clone(&self.home()), ..House::default() }
    }

    fn home(&self) -> Arc<Home> {
        let area =
            |id: &str, name: &str| Area { id: id.into(), name: name.into(), aliases: vec![], floor: None };
        let entity = |id: &str, area: &str| Entity {
            id: id.into(),
            name: id.into(),
            aliases: vec!["lamp".into()],
            area: Some(area.into()),
            device_class: None,
            state: "on".into(),
            attributes: json!({ "brightness": 128 }).as_object().cloned().unwrap_or_default(),
            source: "demo".into(),
        };
        Arc::new(Home {
            areas: vec![area("kitchen", "Kitchen"), area("hall", "Hall")],
            entities: vec![
                entity("light.a", "kitchen"),
                entity("switch.b", "kitchen"),
                entity("light.c", "hall"),
            ],
            ..Home::default()
        })
    }

    fn timers(&self) -> ApiFuture<'_, Result<Vec<Timer>, Fault>> {
        Box::pin(async { Ok(vec![timer()]) })
    }

    fn cancel_timer(&self, id: TimerId) -> ApiFuture<'_, Result<Option<Timer>, Fault>> {
        Box::pin(async move { Ok((id.0 == "tea").then(timer)) })
    }

    fn told_of(&self, _most: usize) -> ApiFuture<'_, Result<Vec<(memory::Entity, u64)>, Fault>> {
        let kind = memory::EntityKind::Thing;
        Box::pin(async move { Ok(vec![(memory::Entity { key: "key".into(), name: "key".into(), kind }, 1)]) })
    }

    fn facts(&self, _which: memory::WhichFacts, _most: usize) -> ApiFuture<'_, Result<Vec<Fact>, Fault>> {
        let text = "the key is under the mat".into();
        let fact = Fact { id: 7, text, told_unix_ms: 1_790_000_000_000, ..Fact::default() };
        Box::pin(async { Ok(vec![fact]) })
    }

    fn forget(&self, id: i64) -> ApiFuture<'_, Result<bool, Fault>> {
        Box::pin(async move { Ok(id == 7) })
    }

    fn speakers(&self) -> Arc<dyn Speakers> {
        Arc::new(Voices)
    }

    fn documents(&self) -> Arc<dyn Documents> {
        Arc::new(Shelf)
    }

    fn configuration(&self) -> Value {
        json!({ "mqtt": { "password_file": "/etc/hark/password" } })
    }

    fn configuration_file(&self) -> Arc<dyn ConfigurationFile> {
        self.file.clone()
    }

    fn setup(&self) -> Arc<dyn Setup> {
        Arc::new(self.setup.clone())
    }

    fn model_files(&self) -> Arc<dyn ModelFiles> {
        self.models.clone()
    }

    fn wake_training(&self) -> Arc<dyn WakeTraining> {
        self.training.clone()
    }

    fn examine(&self) -> ApiFuture<'_, Result<Vec<Finding>, Fault>> {
        let finding = |check: &str, ok, fix: &str| Finding {
            check: check.into(),
            ok,
            message: "looked at".into(),
            fix: fix.into(),
        };
        Box::pin(
            async move { Ok(vec![finding("models", true, ""), finding("mqtt", false, "start the broker")]) },
        )
    }

    fn sound_devices(&self) -> ApiFuture<'_, Result<SoundDevices, Fault>> {
        let device = SoundDevice {
            name: "hw:0".into(),
            description: "a microphone".into(),
            lowest_rate_hz: 8000,
            highest_rate_hz: 48_000,
            channels: 2,
            default: true,
        };
        Box::pin(async { Ok(SoundDevices { microphones: vec![device], speakers: vec![] }) })
    }

    fn tools(&self) -> Vec<ToolState> {
        vec![ToolState {
            name: "home.turn_on".into(),
            description: "Turns devices on.".into(),
            risk: Risk::Write,
            permission: "home".into(),
            is_available: true,
            why: String::new(),
            fix: String::new(),
            arguments: json!({"type": "object"}),
        }]
    }

    fn tool_risk(&self, tool: &str) -> Option<Risk> {
        match tool {
            "notes.search" => Some(Risk::Read),
            "notes.create" => Some(Risk::Write),
            _ => None,
        }
    }

    fn look(&self, tool: &str, args: Slots) -> ReceiptFuture {
        let receipt = Receipt {
            id: ReceiptId("r".into()),
            ok: args.get("words").is_some(),
            changed: false,
            detail: json!({"tool": tool, "args": args, "fix": "say what is looked for"}),
            tainted: true,
        };
        Box::pin(async { receipt })
    }

    fn served_tools(&self) -> Vec<ToolState> {
        self.tools()
    }

    fn task(&self) -> Option<TaskReport> {
        let news = TaskNews {
            task: "7".into(),
            goal: "fix the tests".into(),
            program: "Claude Code".into(),
            workspace: "website".into(),
            state: TaskState::Asking,
            text: "Which port?".into(),
            conversation: "desk".into(),
            language: "en".into(),
        };
        let lines = vec!["I look around.".into(), "Which port?".into()];
        Some(TaskReport { news, lines, file: "server.py".into() })
    }

    fn mcp_servers(&self) -> Vec<ServerState> {
        Vec::new()
    }

    fn lists(&self) -> ApiFuture<'_, Result<Vec<StoredList>, Fault>> {
        let items = vec![ListItem { text: "milk".into(), done: false }];
        Box::pin(async { Ok(vec![StoredList { name: "shopping".into(), items }]) })
    }

    fn automations(&self) -> ApiFuture<'_, Result<Vec<Automation>, Fault>> {
        Box::pin(async { Ok(vec![automation()]) })
    }

    fn remove_automation(&self, id: AutomationId) -> ApiFuture<'_, Result<Option<Automation>, Fault>> {
        Box::pin(async move { Ok((id.0 == "7").then(automation)) })
    }

    fn sessions(&self, _most: usize) -> ApiFuture<'_, Result<Vec<KeptSession>, Fault>> {
        let session = KeptSession {
            name: "desk".into(),
            opened_unix_ms: 1_790_000_000_000,
            used_unix_ms: 1_790_000_001_000,
            requests: 1,
        };
        Box::pin(async { Ok(vec![session]) })
    }

    fn session(&self, name: &str, _most: usize) -> ApiFuture<'_, Result<Option<Vec<KeptExchange>>, Fault>> {
        let said = KeptExchange {
            turn: "7".into(),
            at: "now".into(),
            request: "what time is it".into(),
            reply: "Noon.".into(),
        };
        let found = (name == "desk").then(|| vec![said]);
        Box::pin(async { Ok(found) })
    }

    fn clear_session(&self, name: &str) -> ApiFuture<'_, Result<bool, Fault>> {
        let found = name == "desk";
        Box::pin(async move { Ok(found) })
    }

    fn nodes(&self) -> ApiFuture<'_, Result<Vec<(NodeCard, bool)>, Fault>> {
        let card = NodeCard { node: "hark".into(), area: Some("Kitchen".into()), version: "1".into() };
        Box::pin(async { Ok(vec![(card, true)]) })
    }

    fn rename(&self, change: NameChange) -> ApiFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            match change.id.as_str() {
                "light.a" => Ok(()),
                _ => Err(Fault::new(FaultKind::BadInput, "home", "there is no such thing", "see the ids")),
            }
        })
    }

    fn restart(&self) {
        self.restarts.fetch_add(1, Ordering::SeqCst);
    }

    fn models(&self) -> ApiFuture<'_, Result<Vec<ModelChoice>, Fault>> {
        Box::pin(async { Ok(vec![ModelChoice { name: "m".into(), provider: "p".into(), chosen: true }]) })
    }

    fn say(&self, text: &str) -> Result<bool, Fault> {
        self.said.lock().unwrap().push(text.into());
        Ok(true)
    }

    fn is_stop(&self, text: &str) -> bool {
        hark_dialog::instincts::is_stop(text, &[hark_language::of("en")])
    }

    fn yes_or_no(&self, text: &str) -> Option<bool> {
        hark_dialog::instincts::yes_or_no(text, &[hark_language::of("en")])
    }

    fn push(&self, event: Event) -> Result<(), Fault> {
        if let Event::Typed { text, origin, .. } = &event {
            if text == "too much" {
                return Err(Fault::new(FaultKind::Unavailable, "daemon", "refused", "ask again in a moment"));
            }
            answer(self, &self.events, text.clone(), origin.clone());
        }
        self.pushed.lock().unwrap().push(event);
        Ok(())
    }

    fn remote_microphone(&self, place: EnginePermit) -> Result<Box<dyn RemoteMicrophone>, Fault> {
        self.microphones.lock().unwrap().push(MicrophoneCall::Opened);
        Ok(Box::new(FakeMicrophone {
            news: self.microphones.clone(),
            is_deaf: self.is_deaf.clone(),
            _place: place,
        }))
    }

    fn mode(&self, session: &str) -> ApiFuture<'_, Result<String, Fault>> {
        let mode = self.modes.lock().unwrap().get(session).cloned().unwrap_or_default();
        Box::pin(async move { Ok(mode) })
    }

    fn keep_mode(&self, session: &str, mode: &str) -> ApiFuture<'_, Result<(), Fault>> {
        self.modes.lock().unwrap().insert(session.into(), mode.into());
        Box::pin(async { Ok(()) })
    }

    fn events(&self) -> Box<dyn EventFeed> {
        Box::new(Feed(self.events.subscribe()))
    }
}

struct Feed(broadcast::Receiver<Arc<Envelope>>);

impl EventFeed for Feed {
    fn next(&mut self) -> ApiFuture<'_, EventNews> {
        Box::pin(async move {
            match self.0.recv().await {
                Ok(envelope) => EventNews::Event(envelope),
                Err(RecvError::Lagged(count)) => EventNews::Missed(count),
                Err(RecvError::Closed) => EventNews::Ended,
            }
        })
    }
}

/// The interface on a port of its own.
pub struct Server {
    pub fake: Arc<Fake>,
    pub address: SocketAddr,
    pub faults: Arc<Mutex<Vec<Fault>>>,
    pub dashboard: Dashboard,
    pub runtime: Runtime,
}

impl Server {
    pub fn start() -> Self {
        Self::with(|_, _| {})
    }

    pub fn with(change: impl FnOnce(&mut Settings, &mut Limits)) -> Self {
        let mut settings =
            Settings { listen: "127.0.0.1:0".into(), requests_per_minute: 60_000, ..Settings::default() };
        let mut limits = Limits::default();
        change(&mut settings, &mut limits);
        let (fake, faults) = (Arc::new(Fake::new()), Arc::new(Mutex::new(Vec::new())));
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let told = faults.clone();
        let sink = Arc::new(move |fault| told.lock().unwrap().push(fault));
        let dashboard =
            Dashboard::start(&settings, limits, fake.clone(), sink, runtime.handle()).unwrap().unwrap();
        let address = match settings.address().unwrap().port() {
            0 => runtime.block_on(dashboard.listening()).unwrap(),
            _ => settings.address().unwrap(),
        };
        Self { fake, address, faults, dashboard, runtime }
    }
}

/// Anna's voice is known.
struct Voices;

impl Speakers for Voices {
    fn people(&self) -> Result<Vec<EnrolledSpeaker>, Fault> {
        Ok(vec![EnrolledSpeaker { name: "Anna".into(), samples: 3, told_unix_ms: 1_790_000_000_000 }])
    }

    fn enrol_last(&self, _name: &str, _now_unix_ms: i64) -> Result<Enrolment, Fault> {
        Ok(Enrolment::NotHeard)
    }

    fn enrol(&self, name: &str, sound: &[f32], told_unix_ms: i64) -> Result<Enrolment, Fault> {
        if sound.len() < 1600 {
            return Ok(Enrolment::TooShort);
        }
        Ok(Enrolment::Enrolled(EnrolledSpeaker { name: name.into(), samples: 1, told_unix_ms }))
    }

    fn forget(&self, name: &str) -> Result<bool, Fault> {
        Ok(name == "Anna")
    }
}

/// One manual, in the one folder that is open to everybody.
struct Shelf;

const MANUALS: &str = "/home/them/manuals";

impl Shelf {
    fn allowed(path: &Path, is_owner: bool) -> Result<(), Fault> {
        let outside =
            || Fault::new(FaultKind::BadInput, "documents", "outside", "use a folder of knowledge.folders");
        (is_owner || path.starts_with(MANUALS)).then_some(()).ok_or_else(outside)
    }
}

impl Documents for Shelf {
    fn search(&self, question: &str) -> Result<Vec<FoundPassage>, Fault> {
        assert_eq!(question, "error E5");
        Ok(vec![FoundPassage {
            path: format!("{MANUALS}/boiler.pdf"),
            title: "Boiler manual".into(),
            heading: "Errors".into(),
            page: Some(12),
            start_byte: 2048,
            end_byte: 2096,
            passage: "E4 is … E5 means that the pressure is too low.".into(),
            answer: "E5 means that the pressure is too low.".into(),
            answer_start: 10,
            answer_end: 48,
            confidence: 0.8,
            answers: true,
        }])
    }

    fn list(&self) -> Result<Vec<Document>, Fault> {
        let document = |name: &str, state, problem: Option<&str>| Document {
            path: format!("{MANUALS}/{name}"),
            title: "Boiler manual".into(),
            kind: "pdf".into(),
            bytes: 120_000,
            passages: 40,
            indexed_unix_ms: 1_790_000_000_000,
            state,
            problem: problem.map(str::to_owned),
            fix: problem.map(|_| "save it anew".to_owned()),
        };
        Ok(vec![
            document("boiler.pdf", DocumentState::Ready, None),
            document("broken.pdf", DocumentState::Failed, Some("it is damaged")),
        ])
    }

    fn status(&self) -> Result<DocumentStatus, Fault> {
        Ok(DocumentStatus {
            documents: 2,
            failed: 1,
            roots: vec![MANUALS.into()],
            ..DocumentStatus::default()
        })
    }

    fn add(&self, path: &Path, is_owner: bool) -> Result<IndexChange, Fault> {
        Self::allowed(path, is_owner)?;
        Ok(IndexChange { done: true, indexed: 1, ..IndexChange::default() })
    }

    fn remove(&self, path: &Path, is_owner: bool) -> Result<IndexChange, Fault> {
        Self::allowed(path, is_owner)?;
        Ok(IndexChange { done: true, removed: 1, ..IndexChange::default() })
    }
}
