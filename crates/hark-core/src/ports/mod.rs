//! Traits through which folders use each other without knowing each other.

pub mod api;
pub mod configuration;
pub mod documents;
pub mod external_tools;
pub mod inspection;
pub mod model_files;
pub mod screen;
pub mod setup;
pub mod teaching;
pub mod tool_host;
pub mod training;

pub use crate::speech::Completeness;

use super::automation::Automation;
use super::classification::SlotSpan;
use super::effort::Effort;
use super::fault::{Fault, FaultKind};
use super::home::{Area, Entity, Home, Person};
use super::house::{Audience, Confirmed};
use super::ids::{EntityId, TimerId, TurnId};
use super::intent::{Intent, Slots, Understanding};
use super::model::ToolSpec;
use super::pin::{PinCode, PinVerdict};
use super::timer::{Ring, Timer};
use super::tool::{Receipt, Risk, ToolCall};
use chrono::NaiveDateTime;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;

pub use super::memory::{Fact, FactStore};

/// A sentence the templates accept, found near what the recogniser heard.
#[derive(Debug, Clone, PartialEq)]
pub struct Acceptance {
    /// The accepted sentence, spoken form: lower-case words, numbers as words.
    pub words: Vec<String>,
    /// Sum of the edit costs from the given words; 0.0 is an exact match.
    pub cost: f32,
}

/// Costs of making heard words fit a template. A cost is in the unit "one word wrong".
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EditCosts {
    /// A heard word is left out.
    pub delete: f32,
    /// A word that was not heard is put in.
    pub insert: f32,
    /// A heard word is replaced.
    pub substitute: f32,
    /// Give up above this sum.
    pub limit: f32,
}

/// A place between the words of the home's sentences; the number means something to the grammar only.
pub type Place = u64;

/// The sentences a home can be told, for the grammar recogniser. Implemented by `hark-nlu`.
pub trait SpeechGrammar: Send + Sync {
    /// `count` sentences in spoken form, the same ones for the same seed.
    fn sample(&self, count: usize, seed: u64) -> Vec<Vec<String>>;
    /// Every word that can occur in spoken form.
    fn vocabulary(&self) -> Vec<String>;
    /// The cheapest accepted sentence within the limit, `None` when there is none.
    fn accept(&self, words: &[&str], costs: &EditCosts) -> Option<Acceptance>;
    /// Whether words of `text`, in written or spoken form, stand where any others could: then a recogniser
    /// that knows only examples of such words must not be sure of them. `None` when it is not one sentence.
    fn is_open(&self, text: &str) -> Option<bool>;
    /// Where every sentence begins; `None` when nothing can be said. Places form a graph without
    /// circles.
    fn first(&self) -> Option<Place>;
    /// Every word that can follow at a place, and the place after it. A word can come more than once.
    fn follow(&self, place: Place, visit: &mut dyn FnMut(&str, Place));
    /// Whether a sentence can end at a place.
    fn ends(&self, place: Place) -> bool;
}

/// Tells sentences of the home from their beginnings. Implemented by `hark-nlu`.
pub trait Completes: Send + Sync {
    /// How far `text`, in written or spoken form, is a sentence.
    fn completeness(&self, text: &str) -> Completeness;
    /// Of the sentences that begin with `text`, the share that goes on, 0.0 ..= 1.0: 0 where `text` can only be the end,
    /// 1 where it cannot be. `None` when no sentence begins so, or nothing is known of it.
    fn share_going_on(&self, _text: &str) -> Option<f32> {
        None
    }
}

/// What a request may mean that no template accepts.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Name of the intent.
    pub intent: String,
    /// Of this, 0 to 1.
    pub probability: f32,
    /// The words that fill slots, where a tagger has marked them.
    pub spans: Option<Vec<SlotSpan>>,
}

/// Tells what a request may mean, the likeliest first; none where nothing is likely enough.
pub type Candidates<'c> = &'c dyn Fn(&str, &Effort) -> Vec<Candidate>;

/// Parts a text of two turns: a request, and what was said behind it.
pub const NEXT_TURN: char = '\n';

/// Finds out what a text means. Implemented by `hark-nlu`.
pub trait Understand: Send + Sync {
    /// Never fails: a text that means nothing gives no intents and the reason. `now` is the local wall
    /// clock, from which "tomorrow" and "at seven" are reckoned.
    /// When `effort`, which others may share, is spent, nothing is understood, and the reason says so.
    fn understand_within(
        &self,
        text: &str,
        language: &str,
        now: NaiveDateTime,
        effort: &Effort,
    ) -> Understanding;

    /// What a text means of which only parts are in sentences: each request in it that no template accepts is one of its
    /// `candidates`. `None` where the text is one request alone, or a part of it still means nothing.
    fn understand_parts(
        &self,
        _text: &str,
        _now: NaiveDateTime,
        _: &Effort,
        _candidates: Candidates<'_>,
    ) -> Option<Understanding> {
        None
    }

    /// As `understand_within`, with an effort of its own.
    fn understand_at(&self, text: &str, language: &str, now: NaiveDateTime) -> Understanding {
        self.understand_within(text, language, now, &Effort::default())
    }

    /// The same where no time of day matters; times are reckoned from the beginning of 1970.
    fn understand(&self, text: &str, language: &str) -> Understanding {
        self.understand_at(text, language, NaiveDateTime::default())
    }

    /// The intent with what the text says of its slots, for whoever already knows that it is meant; `None`
    /// when they are not to be found, could be several, or `effort` is spent.
    ///
    /// `marks`: where a tagger has marked the words that fill slots, each of these, in order, has to fill one.
    fn fill_within(
        &self,
        _intent: &str,
        _text: &str,
        _marks: Option<&[SlotSpan]>,
        _now: NaiveDateTime,
        _: &Effort,
    ) -> Option<Intent> {
        None
    }

    /// The same with an effort of its own.
    fn fill_at(&self, intent: &str, text: &str, now: NaiveDateTime) -> Option<Intent> {
        self.fill_within(intent, text, None, now, &Effort::default())
    }
}

/// Phonemes of a word. Implemented by `hark-tts` (espeak-ng), used by the grammar recogniser.
pub trait Pronounce: Send + Sync {
    /// International Phonetic Alphabet of `word` in `language` (ISO 639-1).
    ///
    /// # Errors
    /// When the voice data of the language is missing.
    fn ipa(&self, word: &str, language: &str) -> Result<String, Fault>;
}

/// The receiving end of a synthesis: gets mono samples, answers `Break` to abort.
pub type PcmSink<'a> = &'a mut dyn FnMut(&[f32]) -> ControlFlow<()>;

/// A voice. Implemented by `hark-tts`.
pub trait Voice: Send {
    /// Rate of the samples it makes.
    fn rate_hz(&self) -> u32;
    /// Synthesises `text`, handing over samples as they are made.
    ///
    /// # Errors
    /// When the language has no voice or the engine fails; aborting is not an error.
    fn synthesise(&mut self, text: &str, language: &str, sink: PcmSink<'_>) -> Result<(), Fault>;
}

/// A future that a tool call runs in.
pub type ReceiptFuture = Pin<Box<dyn Future<Output = Receipt> + Send>>;

/// Runs tools behind the permission gate. Implemented by `hark-tools`.
pub trait Tools: Send + Sync {
    /// Never fails: what goes wrong is in the receipt. Unknown tools are a failed receipt too.
    fn run(&self, call: ToolCall) -> ReceiptFuture;
    /// The tools that these run in another way: they answer whatever else is asked.
    fn inner(&self) -> Option<&dyn Tools> {
        None
    }
    /// Whether there is a PIN: then digits that can be one are shown nowhere.
    fn has_pin(&self) -> bool {
        self.inner().is_some_and(Tools::has_pin)
    }
    /// Looks at a PIN that somebody presented; counts wrong ones. Waits for the disk.
    fn present_pin(&self, pin: &PinCode) -> PinVerdict {
        self.inner().map_or(PinVerdict::Wrong, |tools| tools.present_pin(pin))
    }
    /// What fields are called whose values nobody is to read.
    fn secret_names(&self) -> Vec<String> {
        self.inner().map(Tools::secret_names).unwrap_or_default()
    }
    /// What stands in the place of such a value; the tools know what it stands for.
    fn hide(&self, value: &str) -> String {
        self.inner().map_or_else(String::new, |tools| tools.hide(value))
    }
    /// What a text means that the household has given a meaning of its own: "movie time". `None` for any other.
    fn routine(&self, text: &str) -> Option<Intent> {
        self.inner().and_then(|tools| tools.routine(text))
    }
    /// Risk of a tool's mildest use; `None` when there is no such tool.
    fn risk(&self, tool: &str) -> Option<Risk>;
    /// Whether a call that may have been carried out already can be carried out again without doing more than once.
    fn may_repeat(&self, tool: &str, args: &Slots) -> bool {
        self.inner().is_some_and(|tools| tools.may_repeat(tool, args))
    }
    /// Every tool that can work here, as a model is told of it.
    fn reference(&self) -> Vec<ToolSpec> {
        self.inner().map(Tools::reference).unwrap_or_default()
    }
}

/// The home as it is now. Implemented by `hark-home`.
pub trait HomeView: Send + Sync {
    /// A snapshot; cheap to clone.
    fn home(&self) -> Arc<Home>;
}

/// How an entity is, in the words of its device.
#[derive(Debug, Clone, PartialEq)]
pub struct StateReport {
    /// Which.
    pub id: EntityId,
    /// Its state, such as `on`; `unavailable` when it cannot be reached.
    pub state: String,
    /// All its attributes.
    pub attributes: Map<String, Value>,
}

/// Where a source of the home (Home Assistant, MQTT devices) tells what there is. Implemented by
/// `hark-home`. A source is named as in `Entity::source`; what other sources and the home's file say
/// stays. Calls may come from any thread and return quickly.
pub trait HomeSink: Send + Sync {
    /// Everything of this source as it is now, names and states; what it had before and is not in `part`
    /// is gone.
    fn replace(&self, source: &str, part: Home);
    /// Adds entities of this source, or replaces those of the same id, and takes some away. `areas` are added
    /// to those of the source, in place of those of the same id.
    fn update(&self, source: &str, areas: Vec<Area>, change: Vec<Entity>, gone: &[EntityId]);
    /// The people this source knows, as they are now.
    fn people(&self, source: &str, persons: Vec<Person>);
    /// How entities are now; those that are not known are passed over. Names stay.
    fn report_all(&self, reports: Vec<StateReport>);
    /// This source cannot be reached, or was not yet: everything of it is `unavailable` until it tells again.
    fn away(&self, source: &str);
}

/// Where timers are kept. Implemented by `hark-store`. A returned `Ok` means it is on the disk.
pub trait TimerStore: Send + Sync {
    /// Whether another program has written since the last time this was asked.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn changed_elsewhere(&self) -> Result<bool, Fault>;
    /// All timers, in the order they were set.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn load(&self) -> Result<Vec<Timer>, Fault>;
    /// Inserts or replaces one timer.
    ///
    /// # Errors
    /// When it could not be written.
    fn save(&self, timer: &Timer) -> Result<(), Fault>;
    /// Takes one timer away; taking away what is not there is fine.
    ///
    /// # Errors
    /// When it could not be written.
    fn remove(&self, timer: &Timer) -> Result<(), Fault>;
    /// Puts the second of each pair in the place of the first, `None` takes it away; all in one step, of which
    /// a power cut leaves everything or nothing. A pair whose first is no longer what is kept (another program
    /// was quicker) is passed over: its place in the answer is `false`. What becomes `Ringing` is noted as a
    /// [`Ring`] in the same step.
    ///
    /// # Errors
    /// When it could not be written; then nothing has changed.
    fn replace(&self, changes: &[(Timer, Option<Timer>)]) -> Result<Vec<bool>, Fault>;
    /// Notes that the world knows of a ring. It survives the death of the program at once, a power cut a little later.
    ///
    /// # Errors
    /// When it could not be written.
    fn told(&self, timer: &TimerId, due_unix_ms: i64) -> Result<(), Fault>;
    /// The last ring of every timer that there is and that has rung.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn rings(&self) -> Result<Vec<Ring>, Fault>;
}

/// Where automations are kept.
pub trait AutomationStore: Send + Sync {
    /// All of them, in the order they were set.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn automations(&self) -> Result<Vec<Automation>, Fault>;
    /// Adds one; one of the same name is replaced.
    ///
    /// # Errors
    /// When it could not be written.
    fn add_automation(&self, automation: &Automation) -> Result<(), Fault>;
    /// Puts `after` in the place of `before`, `None` takes it away. Whether it was still there as `before`: another
    /// program may have been quicker.
    ///
    /// # Errors
    /// When it could not be written; then nothing has changed.
    fn replace_automation(&self, before: &Automation, after: Option<&Automation>) -> Result<bool, Fault>;
}

/// Something that can be taken back, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptUndo {
    /// The turn that did it.
    pub turn: TurnId,
    /// Counts the turns in the order in which they began.
    pub order: i64,
    /// When it was done, milliseconds since the Unix epoch.
    pub at_unix_ms: i64,
    /// What was done, as JSON.
    pub change: String,
}

/// Keeps what can be taken back over a restart.
pub trait UndoStore: Send + Sync {
    /// All of it that was done since `since_unix_ms`, in the order in which it was done.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn undo_steps(&self, since_unix_ms: i64) -> Result<Vec<KeptUndo>, Fault>;
    /// Keeps more of it, of all the last `most` that were done since `since_unix_ms`. Does not wait for the disk, only
    /// while the queue to it is full; what could not be written is logged.
    fn keep_undo(&self, steps: Vec<KeptUndo>, most: usize, since_unix_ms: i64);
    /// Forgets what a turn did. Does not wait for the disk, only while the queue to it is full; what could not be written is
    /// logged.
    fn forget_undo(&self, turn: &TurnId);
}

/// A future of the nodes that confirmed an announcement.
pub type ConfirmedFuture = Pin<Box<dyn Future<Output = Result<Vec<Confirmed>, Fault>> + Send>>;

/// Settings of this node that a tool may change. Implemented by the daemon.
pub trait NodeControls: Send + Sync {
    /// Whether there is a node that they are for. A command that does not stay has none: nobody would hear its volume.
    fn is_running(&self) -> bool {
        true
    }
    /// Volume now, 0–100.
    fn volume_percent(&self) -> u8;
    /// Sets the volume; answers what it is now.
    fn set_volume(&self, percent: u8) -> u8;
    /// Switches "do not disturb" of this node: nothing is said on it unasked.
    ///
    /// # Errors
    /// When there is no node, or it cannot be taken on now.
    fn set_do_not_disturb(&self, _on: bool) -> Result<(), Fault> {
        let fix = "start it with hark run";
        Err(Fault::new(FaultKind::Unavailable, "node", "no Hark runs here that could be disturbed", fix))
    }
    /// Has a text said on this node, unasked.
    ///
    /// # Errors
    /// When it cannot be taken on now.
    fn announce(&self, text: &str) -> Result<(), Fault>;
    /// Has a text said to an audience; who has confirmed it, this node among them where it is meant too. Where there
    /// are no other nodes it is said here.
    fn announce_to(&self, text: &str, _to: Audience) -> ConfirmedFuture {
        let here = || vec![Confirmed { id: String::new(), node: "here".into(), spoken: true }];
        let done = self.announce(text).map(|()| here());
        Box::pin(async move { done })
    }
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListItem {
    /// What it says.
    pub text: String,
    /// It has been seen to.
    pub done: bool,
}

/// A list as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredList {
    /// Its name.
    pub name: String,
    /// What is on it, in order.
    pub items: Vec<ListItem>,
}

/// Where lists are kept. Implemented by `hark-store`. A returned `Ok` means it is on the disk.
pub trait ListStore: Send + Sync {
    /// All lists with their items, in the order they were made.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn lists(&self) -> Result<Vec<StoredList>, Fault>;
    /// Keeps a list as it is now, whole or not at all; makes it when there is none of exactly this name.
    ///
    /// # Errors
    /// When it could not be written.
    fn save_list(&self, list: &StoredList) -> Result<(), Fault>;
    /// Takes a list away with all that is on it; taking away what is not there is fine.
    ///
    /// # Errors
    /// When it could not be written.
    fn remove_list(&self, name: &str) -> Result<(), Fault>;
}
