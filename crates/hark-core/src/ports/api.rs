//! What programs and the dashboard may ask of a running Hark: data in, data out. Implemented by the daemon, used by
//! the integration that speaks HTTP and WebSocket.

use super::super::automation::Automation;
use super::super::configuration::ConfigurationFile;
use super::super::delegation::TaskReport;
use super::super::documents::Documents;
use super::super::event::Event;
use super::super::fault::Fault;
use super::super::home::Home;
use super::super::house::{NameChange, NodeCard};
use super::super::ids::{AutomationId, TimerId, TurnId};
use super::super::inspection::{Finding, ServerState, SoundDevices, ToolState};
use super::super::intent::Slots;
use super::super::memory::{Entity, WhichFacts};
use super::super::model_files::ModelFiles;
use super::super::ports::{Fact, ReceiptFuture, StoredList};
use super::super::public_event::{Envelope, HarkState};
use super::super::session::{KeptExchange, KeptSession};
use super::super::setup::Setup;
use super::super::speaker::Speakers;
use super::super::teaching::{Correction, Lesson};
use super::super::timer::Timer;
use super::super::tool::Risk;
use super::super::training::WakeTraining;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// An answer that is not there at once.
pub type ApiFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartState {
    /// It works.
    Well,
    /// It is wanted and does not work.
    Problem,
    /// It is not wanted.
    Off,
}

/// A part with its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartHealth {
    /// As the documentation names it: `microphone`, `mqtt` …
    pub name: String,
    /// How it is.
    pub state: PartState,
    /// What is wrong, when more is known.
    pub fault: Option<Fault>,
}

/// The last fault a part has reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedFault {
    /// When, RFC 3339.
    pub at: String,
    /// What.
    pub fault: Fault,
}

/// How Hark is.
#[derive(Debug, Clone, PartialEq)]
pub struct HealthReport {
    /// What it does now.
    pub state: HarkState,
    /// Every part that can be in trouble.
    pub parts: Vec<PartHealth>,
    /// The last fault of each part that has reported one since the start, the newest first.
    pub faults: Vec<ReportedFault>,
    /// Version of the program.
    pub version: String,
    /// Seconds since the start.
    pub uptime_s: f64,
}

/// The home as `hark home` shows it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct House {
    /// What there is.
    pub home: Home,
    /// What is announced on MQTT and not for the home: how many for which reason.
    pub left_out: BTreeMap<String, usize>,
    /// Messages on MQTT that could not be taken.
    pub refused: u64,
    /// The last of them: its topic, and why.
    pub last_problem: Option<String>,
    /// What keeps a source away.
    pub faults: Vec<Fault>,
}

/// A turn as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptTurn {
    /// Which.
    pub id: TurnId,
    /// When it began, RFC 3339.
    pub at: String,
    /// The conversation it belongs to.
    pub session: String,
    /// Its public events as JSON objects, in order.
    pub events: Vec<Value>,
}

/// A language model that can be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelChoice {
    /// Name at its provider.
    pub name: String,
    /// Who runs it.
    pub provider: String,
    /// It is the one that is asked.
    pub chosen: bool,
}

/// A wake word, or something like it, at the microphone of this node.
#[derive(Debug, Clone, PartialEq)]
pub struct HeardWakeWord {
    /// When, RFC 3339.
    pub at: String,
    /// Which.
    pub word: String,
    /// How like it.
    pub score: f32,
    /// Why it did not wake; `None` where it did.
    pub why: Option<String>,
}

/// How the echo of the loudspeaker fared over a second in which it was loud.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EchoFigure {
    /// Echo return loss enhancement: decibels of it that were taken out. Falls towards 0 when a person speaks, too.
    pub erle_db: f32,
    /// How far behind the loudspeaker the echo is, ms.
    pub delay_ms: i32,
    /// Speed of the loudspeaker's clock against the microphone's, parts per million.
    pub drift_ppm: f32,
    /// The canceller does not know the room yet.
    pub is_learning: bool,
    /// When that was, seconds ago.
    pub age_s: f64,
}

/// What the microphone of this node hears at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Meter {
    /// Sound comes and is listened to; else level, speech and wake say nothing.
    pub is_open: bool,
    /// Level as it comes in, dB of full scale, −100 ..= 0.
    pub level_dbfs: f32,
    /// Probability that it is speech.
    pub speech: f32,
    /// The highest score of a wake word.
    pub wake: f32,
    /// The newest figure of the echo; `None` before anything loud was played.
    pub echo: Option<EchoFigure>,
}

/// What comes next of the events.
#[derive(Debug, Clone)]
pub enum EventNews {
    /// An event.
    Event(Arc<Envelope>),
    /// So many were not read in time and are lost to this reader.
    Missed(u64),
    /// There will be none any more.
    Ended,
}

/// Every public event from the moment it was asked for. A reader that is slow misses some and is told so; it never
/// holds anybody up.
pub trait EventFeed: Send {
    /// The next one; may be given up while it is waited for, and nothing is lost by that.
    fn next(&mut self) -> ApiFuture<'_, EventNews>;
}

/// To whom belongs what somebody says into a microphone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Speaker {
    /// The conversation.
    pub session: String,
    /// The answer is said aloud on this node as well.
    pub aloud: bool,
}

/// Hears a microphone that is not the node's own, such as a browser's. Its engines are opened with the first sound
/// and given back when it is dropped; nothing here waits for them.
pub trait RemoteMicrophone: Send {
    /// Takes the next samples: 16 kHz mono s16. What is heard comes as public events of the conversation, each request
    /// with a turn of its own.
    ///
    /// # Errors
    /// When more sound waits than may; then these samples are not heard.
    fn hear(&mut self, speaker: &Speaker, samples: Vec<i16>) -> Result<(), Fault>;
    /// The microphone is switched off: what was said until here is all.
    fn pause(&mut self);
}

/// Something that is held until the engines of a remote microphone are given back, and dropped then.
pub type EnginePermit = Box<dyn Send>;

/// See the module. What returns at once waits for nobody; everything else is a future.
pub trait Api: Send + Sync {
    /// How Hark is.
    fn health(&self) -> HealthReport;
    /// Everything that is counted, in Prometheus' text format 0.0.4.
    fn metrics(&self) -> ApiFuture<'_, String>;
    /// The newest turns before one of them (which is not among them), or of all; the newest first. `None`: there is
    /// no turn `before`.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn turns(&self, most: u32, before: Option<TurnId>)
    -> ApiFuture<'_, Result<Option<Vec<KeptTurn>>, Fault>>;
    /// One turn, `None` when it is not kept.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn turn(&self, id: TurnId) -> ApiFuture<'_, Result<Option<KeptTurn>, Fault>>;
    /// What was said in a turn, as a WAV file; `None` when no sound of it is kept.
    ///
    /// # Errors
    /// When it cannot be read.
    fn sound(&self, turn: TurnId) -> ApiFuture<'_, Result<Option<Vec<u8>>, Fault>>;
    /// Keeps what was meant with a turn that was taken wrongly.
    ///
    /// # Errors
    /// `BadInput` where the turn is not kept, or what was meant is not understood; another fault where it cannot be written.
    fn teach(&self, correction: Correction) -> ApiFuture<'_, Result<Lesson, Fault>>;
    /// The last wake words since the start, and what was nearly one; the newest first.
    fn heard_wake_words(&self) -> Vec<HeardWakeWord>;
    /// What is heard at the moment.
    fn meter(&self) -> Meter;
    /// The home as it is now.
    fn home(&self) -> Arc<Home>;
    /// The same with what its sources say besides.
    fn house(&self) -> House;
    /// Every timer, alarm and reminder.
    fn timers(&self) -> ApiFuture<'_, Result<Vec<Timer>, Fault>>;
    /// Takes a timer away; `None` when there is none of this id.
    ///
    /// # Errors
    /// When it could not be written.
    fn cancel_timer(&self, id: TimerId) -> ApiFuture<'_, Result<Option<Timer>, Fault>>;
    /// What the household told, the newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn facts(&self, which: WhichFacts, most: usize) -> ApiFuture<'_, Result<Vec<Fact>, Fault>>;
    /// Whom and what the household told of, each with the number of facts, the most frequent first.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn told_of(&self, most: usize) -> ApiFuture<'_, Result<Vec<(Entity, u64)>, Fault>>;
    /// Forgets one fact; answers whether it was there.
    ///
    /// # Errors
    /// When it could not be written.
    fn forget(&self, id: i64) -> ApiFuture<'_, Result<bool, Fault>>;
    /// People who are known by their voice; its calls wait for the disk.
    fn speakers(&self) -> Arc<dyn Speakers>;
    /// The household's documents; its calls wait for the disk.
    fn documents(&self) -> Arc<dyn Documents>;
    /// The configuration in force, an object of sections. Secrets are in files of which only the names are in it.
    fn configuration(&self) -> Value;
    /// The file it is read from, and written to; its calls wait for the disk.
    fn configuration_file(&self) -> Arc<dyn ConfigurationFile>;
    /// The first five minutes, and whatever of them is done again.
    fn setup(&self) -> Arc<dyn Setup>;
    /// Wake words of the owner's.
    fn wake_training(&self) -> Arc<dyn WakeTraining>;
    /// Models and libraries on the disk; its calls wait for the disk.
    fn model_files(&self) -> Arc<dyn ModelFiles>;
    /// What `hark doctor` finds; takes as long as that, and engines are loaded for it. One at a time.
    ///
    /// # Errors
    /// When it is being looked already, or it could not be.
    fn examine(&self) -> ApiFuture<'_, Result<Vec<Finding>, Fault>>;
    /// Microphones and speakers of this machine.
    ///
    /// # Errors
    /// When it is being looked already, or it could not be.
    fn sound_devices(&self) -> ApiFuture<'_, Result<SoundDevices, Fault>>;
    /// Every tool as it stands here.
    fn tools(&self) -> Vec<ToolState>;
    /// Risk of a tool's mildest use; `None` when there is no such tool.
    fn tool_risk(&self, tool: &str) -> Option<Risk>;
    /// Has a tool look behind the gate, without a turn. For those of [`Risk::Read`] only: what changes something is a turn.
    fn look(&self, tool: &str, args: Slots) -> ReceiptFuture;
    /// Those of them that other programs may call (`mcp.serve`) and that can do something now.
    fn served_tools(&self) -> Vec<ToolState>;
    /// Every MCP server whose tools join them.
    fn mcp_servers(&self) -> Vec<ServerState>;
    /// The task that was handed to another program and runs, asks, or was the last.
    fn task(&self) -> Option<TaskReport>;
    /// The household's lists with what is on them.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn lists(&self) -> ApiFuture<'_, Result<Vec<StoredList>, Fault>>;
    /// What is done when something happens, in the order it was asked for.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn automations(&self) -> ApiFuture<'_, Result<Vec<Automation>, Fault>>;
    /// Takes one of them away; `None` when there is none of this id.
    ///
    /// # Errors
    /// When it could not be written.
    fn remove_automation(&self, id: AutomationId) -> ApiFuture<'_, Result<Option<Automation>, Fault>>;
    /// Conversations, the one used last first, at most so many.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn sessions(&self, most: usize) -> ApiFuture<'_, Result<Vec<KeptSession>, Fault>>;
    /// The last requests of a conversation, the oldest first; `None` when there is none of this name.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn session(&self, name: &str, most: usize) -> ApiFuture<'_, Result<Option<Vec<KeptExchange>>, Fault>>;
    /// Clears a conversation: nothing said in it is told to a language model any more, and its settings are gone. Its turns
    /// stay. Answers whether it was there.
    ///
    /// # Errors
    /// When it could not be written.
    fn clear_session(&self, name: &str) -> ApiFuture<'_, Result<bool, Fault>>;
    /// The nodes of the house on the broker, this one among them, each with whether it is there.
    ///
    /// # Errors
    /// When the broker does not answer.
    fn nodes(&self) -> ApiFuture<'_, Result<Vec<(NodeCard, bool)>, Fault>>;
    /// Writes a name into the home's file, and has it read anew.
    ///
    /// # Errors
    /// When there is no such thing or no such file, the name cannot be, or it could not be written.
    fn rename(&self, change: NameChange) -> ApiFuture<'_, Result<(), Fault>>;
    /// Ends this process, to be started again.
    fn restart(&self);
    /// The language models that can be asked; empty without any.
    ///
    /// # Errors
    /// When they should be known and are not.
    fn models(&self) -> ApiFuture<'_, Result<Vec<ModelChoice>, Fault>>;
    /// Has a text said on this node; false when it was only shown, because it is quiet or there is no voice.
    ///
    /// # Errors
    /// When it cannot be taken on now.
    fn say(&self, text: &str) -> Result<bool, Fault>;
    /// Whether a request is the wish to stop and nothing else, which overtakes all others.
    fn is_stop(&self, text: &str) -> bool;
    /// What a request answers that is a yes or no and nothing else; `None` when it is something else.
    fn yes_or_no(&self, text: &str) -> Option<bool>;
    /// Puts an event in front of the turn machine.
    ///
    /// # Errors
    /// When it is busy beyond measure; then the event is refused.
    fn push(&self, event: Event) -> Result<(), Fault>;
    /// Opens a microphone that is not the node's own. `permit` is dropped when its engines are.
    ///
    /// # Errors
    /// When there is no thread for it.
    fn remote_microphone(&self, permit: EnginePermit) -> Result<Box<dyn RemoteMicrophone>, Fault>;
    /// How answers are wanted in a conversation: `chat`, `voice`, `focus`, or empty when nobody has said.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn mode(&self, session: &str) -> ApiFuture<'_, Result<String, Fault>>;
    /// Keeps that; `chat` is kept as empty.
    ///
    /// # Errors
    /// When it could not be written.
    fn keep_mode(&self, session: &str, mode: &str) -> ApiFuture<'_, Result<(), Fault>>;
    /// Every public event from now on.
    fn events(&self) -> Box<dyn EventFeed>;
}
