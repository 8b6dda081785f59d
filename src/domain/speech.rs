//! What the ears hand on: the end of speech, and the words.

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
}
