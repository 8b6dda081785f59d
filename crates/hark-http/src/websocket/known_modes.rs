//! The modes in which conversations are answered, and those of recent ones.

use serde::Deserialize;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How answers are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerMode {
    /// As text.
    #[default]
    Chat,
    /// Aloud as well.
    Voice,
    /// As text without anything beside the answer.
    Focus,
}

impl AnswerMode {
    /// As clients name it, and as it is kept.
    pub fn name(self) -> &'static str {
        match self {
            AnswerMode::Chat => "chat",
            AnswerMode::Voice => "voice",
            AnswerMode::Focus => "focus",
        }
    }

    /// The one of this name; anything else is the usual one.
    pub(crate) fn named(name: &str) -> Self {
        [AnswerMode::Voice, AnswerMode::Focus]
            .into_iter()
            .find(|mode| mode.name() == name)
            .unwrap_or_default()
    }
}

/// Conversations whose mode is at hand; those of others are looked up.
const MAX_KNOWN: usize = 1024;

/// Modes of recent conversations.
#[derive(Debug, Default)]
pub(crate) struct KnownModes(Mutex<HashMap<String, AnswerMode>>);

impl KnownModes {
    /// The mode of a conversation that was spoken in lately.
    pub(crate) fn known(&self, session: &str) -> Option<AnswerMode> {
        self.lock().get(session).copied()
    }

    /// Notes how answers are wanted from now on.
    pub(crate) fn note(&self, session: &str, mode: AnswerMode) {
        let mut known = self.lock();
        if known.len() >= MAX_KNOWN && !known.contains_key(session) {
            known.clear();
        }
        known.insert(session.to_owned(), mode);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, AnswerMode>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
