//! Conversations that have a name, and what of them a language model is told.

use super::fault::Fault;
use super::serde_helpers::is_false;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A conversation as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptSession {
    /// Its name.
    pub name: String,
    /// When it began, milliseconds since the Unix epoch.
    pub opened_unix_ms: i64,
    /// When something was said in it last.
    pub used_unix_ms: i64,
    /// Requests that are kept of it.
    pub requests: u64,
}

/// A request of a conversation with its reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptExchange {
    /// The turn.
    pub turn: String,
    /// When it began, RFC 3339.
    pub at: String,
    /// What was asked.
    pub request: String,
    /// What was answered; may be empty.
    pub reply: String,
}

/// What a turn was, told without a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryTag {
    /// Asks something.
    Question,
    /// Wants something done.
    Instruction,
    /// Puts something right.
    Correction,
    /// Is about the conversation.
    Meta,
    /// Anything else.
    Other,
}

/// Why earlier turns are told to a model; without a reason none are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayReason {
    /// The request goes on from the one before.
    Continuation,
    /// It asks what was meant.
    Clarification,
    /// A named session is taken up again.
    Session,
}

/// How much the earlier turns can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextStrength {
    /// Answer directly.
    Strong,
    /// Assume little.
    Moderate,
    /// Say so when unsure.
    Weak,
}

/// What was replayed and what not; as the journal tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayPolicy {
    /// Turns there were.
    pub entries_available: usize,
    /// Turns the filter took away.
    pub entries_filtered: usize,
    /// Kinds of those.
    pub filtered_types: Vec<EntryTag>,
    /// Turns that were told.
    pub entries_used: usize,
    /// Characters that were told.
    pub chars_used: usize,
    /// The budget took some away.
    pub trimmed: bool,
    /// Why; null: nothing was replayed.
    pub reason: Option<ReplayReason>,
    /// How much they can be relied on.
    pub context_strength: ContextStrength,
    /// Text from outside the house may be in what was told.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tainted: bool,
}

impl ReplayPolicy {
    /// Nothing was replayed of so many turns.
    pub fn nothing(entries_available: usize) -> Self {
        Self {
            entries_available,
            entries_filtered: 0,
            filtered_types: Vec::new(),
            entries_used: 0,
            chars_used: 0,
            trimmed: false,
            reason: None,
            context_strength: ContextStrength::Weak,
            tainted: false,
        }
    }
}

/// Earlier turns as a model is told them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replayed {
    /// One line after the other; empty when nothing is replayed.
    pub text: String,
    /// What the strength means for the answer, one sentence.
    pub instruction: String,
    /// How it came about.
    pub policy: ReplayPolicy,
    /// The last turns, whatever they were about, the oldest first: they are messages of every request. None of them told
    /// text from outside, which would mark every call of the task.
    #[serde(default)]
    pub latest: Vec<SaidBefore>,
    /// Of `text` what was said before those.
    #[serde(default)]
    pub earlier: String,
}

/// A turn of before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaidBefore {
    /// What was asked.
    pub request: String,
    /// What was answered; may be empty.
    pub reply: String,
}

/// How long answers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verbosity {
    /// One sentence, two at most.
    #[default]
    Short,
    /// As long as it needs.
    Long,
}

/// The mode of a conversation whose person is at work: they want the answer and nothing else.
pub const FOCUS: &str = "focus";

/// What is kept of a conversation besides its turns.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SessionSettings {
    /// As whom Hark speaks; empty: itself.
    pub persona: String,
    /// How long answers are.
    pub verbosity: Verbosity,
    /// `chat`, `voice` or `focus`; empty: as the request came.
    pub mode: String,
    /// Which earlier turns a language model is told.
    pub replay: ReplayChoice,
}

/// Which earlier turns of a conversation a language model is told, where the person decides it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayChoice {
    /// As the request tells.
    #[default]
    Auto,
    /// All that fit.
    Session,
    /// So many of the last.
    Last(u32),
}

impl ReplayChoice {
    /// Reads `auto`, `session` or `last:N`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "" | "auto" => Some(Self::Auto),
            "session" => Some(Self::Session),
            _ => {
                let number = text.strip_prefix("last:")?.parse().ok()?;
                (1..=MAX_REPLAYED).contains(&number).then_some(Self::Last(number))
            }
        }
    }
}

impl fmt::Display for ReplayChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Session => f.write_str("session"),
            Self::Last(number) => write!(f, "last:{number}"),
        }
    }
}

/// Turns that can be asked for at most.
const MAX_REPLAYED: u32 = 100;

/// A change of how a language model answers in a conversation; `None`: as before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Style {
    /// As whom Hark speaks; empty: itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
    /// How long answers are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verbosity: Option<Verbosity>,
    /// Which earlier turns a language model is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<ReplayChoice>,
    /// It was said in words, and counts everywhere unless the conversation has a name; a command is for its conversation.
    #[serde(default, skip_serializing_if = "is_false")]
    pub in_words: bool,
}

/// How conversations are called that begin by themselves.
pub mod session_name {
    /// In front of the name of a spoken conversation.
    pub const VOICE: &str = "voice-";
    /// Of a request from the command line.
    pub const ASK: &str = "ask-";
    /// Of a recording.
    pub const HEAR: &str = "hear-";
    /// Of a request over HTTP.
    pub const API: &str = "api-";
    /// Of a WebSocket.
    pub const WEBSOCKET: &str = "ws-";
    /// All requests over MQTT that name no conversation.
    pub const MQTT: &str = "mqtt";
    /// All other requests to a daemon.
    pub const DAEMON: &str = "hark";

    /// Whether the program made this name, and no person.
    pub fn is_generated(name: &str) -> bool {
        [VOICE, ASK, HEAR, API, WEBSOCKET].iter().any(|prefix| name.starts_with(prefix))
            || [MQTT, DAEMON].contains(&name)
    }
}

/// Lower-case words with one blank before, between and after them: how requests are compared with phrases.
pub fn spoken(text: &str) -> String {
    let mut spoken = String::from(" ");
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’') {
        let word: String =
            word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        if !word.is_empty() {
            spoken.push_str(&word);
            spoken.push(' ');
        }
    }
    spoken
}

/// Conversations. Implemented by `hark-store`.
pub trait Sessions: Send + Sync {
    /// The earlier turns of a conversation, as `reason` wants them.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn replay(&self, session: &str, reason: Option<ReplayReason>) -> Result<Replayed, Fault>;
    /// Settings of a conversation; what was not set in it is as everywhere.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn settings(&self, session: &str) -> Result<SessionSettings, Fault>;
    /// Keeps how a conversation is answered, or how all are that have nothing of their own. Answers whether it is all.
    ///
    /// # Errors
    /// When it could not be written.
    fn keep_style(&self, session: &str, style: &Style) -> Result<bool, Fault>;
    /// Keeps the mode of a conversation; empty: as requests come.
    ///
    /// # Errors
    /// When it could not be written.
    fn keep_mode(&self, session: &str, mode: &str) -> Result<(), Fault>;
}
