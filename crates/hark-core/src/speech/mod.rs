//! What the audio pipeline hands on: the end of speech, and the words.

pub mod speaker;
pub mod wav;

use super::fault::Fault;
use super::speaker::SpeakerGuess;
use serde::{Deserialize, Serialize};

/// Why the end of speech was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Endpoint {
    /// Silence lasted long enough.
    Silence,
    /// The partial is a whole command that cannot continue.
    Complete,
    /// The hard limit of an utterance was reached, or the recording ended.
    Max,
    /// Listening was stopped from outside.
    Stop,
}

/// The words of an utterance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Transcript {
    /// Lower-case words; empty when nothing was recognised.
    pub text: String,
    /// `grammar`, `whisper`, `typed`.
    pub engine: String,
    /// 0.0 ..= 1.0.
    pub confidence: f32,
    /// ISO 639-1 code, or `unknown`.
    pub language: String,
    /// Set when the engine heard speech but does not stand by any words: the reason, for the trace.
    /// Nothing may act on such a transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejected: Option<String>,
    /// Why this engine's words were taken, when there was a choice of engines: for the trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Whose voice it was, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<SpeakerGuess>,
}

/// Words so far of what is being said.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Words {
    /// In lower case.
    pub text: String,
    /// How many characters of it will not change.
    pub stable: usize,
    /// How far they are a sentence of the home.
    #[serde(default)]
    pub completeness: Completeness,
    /// The beginning of a sentence of the home that the sound may be instead; `None` when nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beginning: Option<Beginning>,
    /// Nepers by which sentences of the home begin as this one seems to more often than any others do, less those by
    /// which it may as well begin otherwise; `None` when nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<f32>,
    /// How much has been said where these words end: sound since the speech began. A recogniser that is
    /// behind tells of less than the clock.
    #[serde(default)]
    pub spoken_ms: u64,
}

/// The likeliest beginning of a sentence of the home for the sound so far.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Beginning {
    /// How many words it has, the one that is being said among them.
    pub words: usize,
    /// Nepers by which it explains the sound better than any sounds of speech in any order do.
    pub gain: f32,
}

/// Which microphone other than the node's own; a number is used once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MicrophoneId(pub u64);

/// What is heard of an utterance at another microphone than the node's, in this order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum RemoteSpeech {
    /// The person is listened to from now on. `speak`: the answer is said aloud on this node as well.
    Listening { speak: bool },
    /// They speak.
    SpeechStarted,
    /// Words so far; the first `stable` characters will not change.
    Partial { text: String, stable: usize },
    /// They have finished; `silence_ms` is how long ago the last voiced block was.
    SpeechEnded { endpoint: Endpoint, silence_ms: u64 },
    /// The words.
    Transcript { transcript: Transcript },
    /// They said nothing.
    NothingSaid,
    /// They cannot be heard.
    Failed { fault: Fault },
    /// Their microphone is gone.
    Gone,
}

/// How far the words so far are a sentence of the home.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Completeness {
    /// No sentence begins like this.
    #[default]
    Unknown,
    /// The beginning of a sentence that is missing words.
    Unfinished,
    /// A sentence that could go on and mean something else.
    MayContinue,
    /// A sentence that cannot go on.
    Complete,
}
