//! What a model is told of the conversation: gathered once a task. A source that fails is left out and told in the log.

use super::ModelTaskParts;
use crate::history_policy::reason;
use hark_core::Task;
use hark_core::session::{FOCUS, ReplayPolicy, Verbosity};
use serde_json::{Value, json};

/// How conversations are called that begin by themselves; all others were named by somebody.
const UNNAMED: [&str; 6] = ["voice-", "ask-", "api-", "ws-", "mqtt", "hark"];

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Context {
    language: String,
    persona: String,
    verbosity: Verbosity,
    focused: bool,
    strength: String,
    replay: String,
    policy: Option<ReplayPolicy>,
    /// What was told that the request may be about.
    memory: Vec<String>,
}

impl Context {
    pub(super) fn of(parts: &ModelTaskParts, task: &Task) -> Self {
        let language = if task.language == "unknown" { String::new() } else { task.language.clone() };
        let mut context = Self { language, memory: (parts.memory)(task), ..Self::default() };
        let Some(sessions) = &parts.sessions else { return context };
        match sessions.settings(&task.session) {
            Ok(settings) => {
                context.focused = settings.mode == FOCUS;
                context.verbosity = if context.focused { Verbosity::Short } else { settings.verbosity };
                context.persona = settings.persona;
            }
            Err(fault) => tracing::warn!("the conversation is answered without its settings: {fault}"),
        }
        let named = !UNNAMED.iter().any(|kind| task.session.starts_with(kind));
        let known = hark_language::known(&task.language).map(|language| vec![language]);
        // In an unknown language it may be any that is spoken here.
        let languages = known
            .or_else(|| context.language.is_empty().then(|| parts.languages.clone()))
            .unwrap_or_default();
        match sessions.replay(&task.session, reason(&task.text, &languages, named, false)) {
            Ok(replayed) => {
                context.replay = replayed.text;
                context.strength = replayed.instruction;
                context.policy = Some(replayed.policy);
            }
            Err(fault) => tracing::warn!("the conversation is answered without what came before: {fault}"),
        }
        context
    }

    /// What was replayed, for the journal.
    pub(super) fn policy(&self) -> Option<&ReplayPolicy> {
        self.policy.as_ref()
    }

    /// Whether what was told stands in the prompts.
    pub(super) fn has_memory(&self) -> bool {
        !self.memory.is_empty()
    }

    /// Data for a prompt, and what was told.
    pub(super) fn with_memory(&self, data: &[(String, String)]) -> Vec<(String, String)> {
        let told = self.has_memory().then(|| ("memory".to_owned(), self.memory.join("\n")));
        data.iter().cloned().chain(told).collect()
    }

    pub(super) fn language(&self) -> &str {
        &self.language
    }

    /// Whether the person is at work.
    pub(super) fn is_focused(&self) -> bool {
        self.focused
    }

    /// The variables of a prompt about `request`.
    pub(super) fn vars(&self, request: &str, data: &[(String, String)]) -> Value {
        let data: Vec<Value> = data.iter().map(|(name, text)| json!({"name": name, "text": text})).collect();
        json!({
            "request": request, "language": self.language, "persona": self.persona,
            "verbosity": self.verbosity, "strength": self.strength, "replay": self.replay, "data": data,
        })
    }
}
