//! The context that goes to a model with a request. It is gathered once a task from all sources in parallel, each within a
//! budget of its own (`ContextSources`). A source that fails or is late is left out, and an event says what became of each.

use super::ModelTaskParts;
use crate::contracts::harmless;
use crate::dialog_act;
use crate::history_policy::reason;
use hark_core::Task;
use hark_core::context::ContextPart;
use hark_core::model::{Message, Role};
use hark_core::session::{
    EntryTag, FOCUS, ReplayPolicy, ReplayReason, Replayed, SaidBefore, SessionSettings, Verbosity,
    session_name,
};
use serde_json::{Value, json};
use std::future::Future;
use std::pin::Pin;

/// Everything that was found for a task. What is missing was not there, late, or failed; `parts` says which.
#[derive(Debug, Clone, Default)]
pub struct Gathered {
    /// How the conversation is answered.
    pub settings: Option<SessionSettings>,
    /// What was said before in it.
    pub replayed: Option<Replayed>,
    /// What was told that the request may be about, a line a fact.
    pub facts: Vec<String>,
    /// Passages of the household's documents that answer it, each with its source.
    pub passages: Vec<String>,
    /// Things of the home that it names, a line each.
    pub things: Vec<String>,
    /// There are names or states among those that the household has not chosen.
    pub things_from_outside: bool,
    /// The area this device stands in.
    pub area: Option<String>,
    /// Whose voice it is.
    pub person: Option<String>,
    /// What became of each source.
    pub parts: Vec<ContextPart>,
}

/// Gathers the context that goes to a model with a request.
pub trait ContextSources: Send + Sync {
    /// Asks every source at once and waits for none longer than its budget. `reason`: why earlier turns belong into the
    /// prompt by its words; `named`: the conversation has a name, and being taken up again after a rest is a reason too
    /// (`history_policy::with_resumed`); `is_question`: documents are looked into.
    fn gather(
        &self,
        task: &Task,
        reason: Option<ReplayReason>,
        named: bool,
        is_question: bool,
    ) -> GatheredFuture;
}

/// What comes of it.
pub type GatheredFuture = Pin<Box<dyn Future<Output = Gathered> + Send>>;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct PromptContext {
    language: String,
    persona: String,
    verbosity: Verbosity,
    focused: bool,
    /// The request asks something, by its words.
    asks: bool,
    strength: String,
    replay: String,
    policy: Option<ReplayPolicy>,
    /// The last turns, as messages.
    turns: Vec<Message>,
    found: Gathered,
}

impl PromptContext {
    pub(super) async fn of(parts: &ModelTaskParts, task: &Task) -> Self {
        let language = if task.language == "unknown" { String::new() } else { task.language.clone() };
        let mut context = Self { language, ..Self::default() };
        let named = !session_name::is_generated(&task.session);
        let known = hark_language::known(&task.language).map(|language| vec![language]);
        // In an unknown language it may be any that is spoken here.
        let languages = known
            .or_else(|| context.language.is_empty().then(|| parts.languages.clone()))
            .unwrap_or_default();
        let reason = reason(&task.text, &languages);
        // What is to be done needs no document, and its calls would be those of a task that has read one.
        let tag = dialog_act::tag(&task.text, &languages);
        context.asks = tag == EntryTag::Question;
        let is_question = tag != EntryTag::Instruction;
        let mut found = parts.context.gather(task, reason, named, is_question).await;
        if let Some(settings) = found.settings.take() {
            context.focused = settings.mode == FOCUS;
            context.verbosity = settings.verbosity;
            context.persona = settings.persona;
        }
        // What this request wants comes before what was said for all.
        if let Some(wanted) = dialog_act::wanted_length(&task.text, &languages) {
            context.verbosity = wanted;
        }
        if context.focused {
            context.verbosity = Verbosity::Short;
        }
        if let Some(replayed) = found.replayed.take() {
            context.replay = replayed.earlier;
            context.turns = replayed.latest.iter().flat_map(messages).collect();
            context.strength = replayed.instruction;
            context.policy = Some(replayed.policy);
        }
        context.found = found;
        context
    }

    /// What was replayed, for the journal.
    pub(super) fn policy(&self) -> Option<&ReplayPolicy> {
        self.policy.as_ref()
    }

    /// The last turns of the conversation, as messages.
    pub(super) fn turns(&self) -> &[Message] {
        &self.turns
    }

    /// What became of each source.
    pub(super) fn parts(&self) -> &[ContextPart] {
        &self.found.parts
    }

    /// Whether something stands in every prompt that others may have written: what was told, and documents.
    pub(super) fn is_from_outside(&self) -> bool {
        !self.found.facts.is_empty() || !self.found.passages.is_empty()
    }

    /// Whether the things that an answer is shown have names or states that the household has not chosen.
    pub(super) fn names_from_outside(&self) -> bool {
        self.found.things_from_outside && !self.found.things.is_empty()
    }

    /// Data for a prompt, with what was told and what documents say.
    pub(super) fn with_found(&self, data: &[(String, String)]) -> Vec<(String, String)> {
        let lists =
            [("memory", self.found.facts.join("\n")), ("documents", self.found.passages.join("\n\n"))];
        with(data, lists)
    }

    /// The same with the things of the home that were named.
    pub(super) fn with_things(&self, data: &[(String, String)]) -> Vec<(String, String)> {
        with(data, [("home", self.found.things.join("\n"))])
    }

    pub(super) fn language(&self) -> &str {
        &self.language
    }

    /// Whether the request asks something, by its words.
    pub(super) fn asks(&self) -> bool {
        self.asks
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
            "area": self.found.area, "person": self.found.person,
        })
    }
}

/// A turn as messages, without what could end a message or begin another one.
fn messages(turn: &SaidBefore) -> Vec<Message> {
    let mut messages = vec![Message::new(Role::User, harmless(&turn.request))];
    if !turn.reply.is_empty() {
        messages.push(Message::new(Role::Assistant, harmless(&turn.reply)));
    }
    messages
}

/// Data with more behind it; what is empty is left out.
fn with<const N: usize>(data: &[(String, String)], more: [(&str, String); N]) -> Vec<(String, String)> {
    let more = more.into_iter().filter(|(_, text)| !text.is_empty());
    data.iter().cloned().chain(more.map(|(name, text)| (name.to_owned(), text))).collect()
}
