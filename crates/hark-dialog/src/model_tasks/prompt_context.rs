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
use hark_language::Lexicon;
use serde::Serialize;
use serde_json::{Value, json};
use std::future::Future;
use std::pin::Pin;

/// A passage of a document as a model is told it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PassageTold {
    /// The document, with the page where there is one.
    pub source: String,
    /// The text.
    pub text: String,
}

/// Everything that was found for a task. What is missing was not there, late, or failed; `parts` says which.
#[derive(Debug, Clone, Default)]
pub struct Gathered {
    /// How the conversation is answered.
    pub settings: Option<SessionSettings>,
    /// What was said before in it.
    pub replayed: Option<Replayed>,
    /// What was told that the request may be about, a line a fact.
    pub facts: Vec<String>,
    /// Names of whom and what this conversation was about, the latest first.
    pub recent: Vec<String>,
    /// Passages of the household's documents that answer it.
    pub passages: Vec<PassageTold>,
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
    /// (`history_policy::with_resumed`); `is_answered`: it ends in an answer and not in something done, and documents are
    /// looked into.
    fn gather(
        &self,
        task: &Task,
        reason: Option<ReplayReason>,
        named: bool,
        is_answered: bool,
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
    /// The context of a task; `wants_answer`: by what kind of request it is, it goes a way on which nothing is done.
    pub(super) async fn of(parts: &ModelTaskParts, task: &Task, wants_answer: bool) -> Self {
        let language = if task.language == "unknown" { String::new() } else { task.language.clone() };
        let mut context = Self { language, ..Self::default() };
        let named = !session_name::is_generated(&task.session);
        let known = hark_language::known(&task.language).map(|language| vec![language]);
        // In an unknown language it may be any that is spoken here.
        let languages = known
            .or_else(|| context.language.is_empty().then(|| parts.languages.clone()))
            .unwrap_or_default();
        let reason = reason(&task.text, &languages);
        // What is to be done needs no document, and its calls would be those of a task that has read one; "explain to me why …"
        // only sounds like it.
        let tag = dialog_act::tag(&task.text, &languages);
        context.asks = tag == EntryTag::Question;
        let is_answered = wants_answer || tag != EntryTag::Instruction;
        let mut found = parts.context.gather(task, reason, named, is_answered).await;
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
        // Names that were told are text of others, and of no use where none of them can be meant.
        if !refers_back(&task.text, &languages) {
            found.recent.clear();
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

    /// Whether the names of this conversation go into an answer.
    pub(super) fn has_recent(&self) -> bool {
        !self.found.recent.is_empty()
    }

    /// Data for a prompt, with what was told and what documents say.
    pub(super) fn with_found(&self, mut data: Vec<Data>) -> Vec<Data> {
        let found = &self.found;
        data.extend(Data::list("memory", &found.facts));
        let sources = found.passages.iter().map(|it| it.source.clone()).collect();
        let texts = found.passages.iter().map(|it| format!("{}:\n{}", it.source, it.text));
        data.extend(Data::new("documents", texts.collect::<Vec<_>>().join("\n\n"), sources));
        data
    }

    /// The same with the things of the home that were named.
    pub(super) fn with_things(&self, mut data: Vec<Data>) -> Vec<Data> {
        data.extend(Data::list("home", &self.found.things));
        data
    }

    /// The same with whom and what the conversation was about, which "she" and "there" may be.
    pub(super) fn with_recent(&self, mut data: Vec<Data>) -> Vec<Data> {
        data.extend(Data::list("spoken of lately", &self.found.recent));
        data
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
    pub(super) fn vars(&self, request: &str, data: &[Data]) -> Value {
        json!({
            "request": request, "language": self.language, "persona": self.persona,
            "verbosity": self.verbosity, "strength": self.strength, "replay": self.replay, "data": data,
            "area": self.found.area, "person": self.found.person,
        })
    }
}

/// Quoted material of a prompt.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Data {
    name: String,
    text: String,
    /// What is in it, by name, for the trace: facts in their words, documents with their pages.
    items: Vec<String>,
}

impl Data {
    /// Material in which nothing has a name of its own.
    pub(super) fn text(name: &str, text: String) -> Self {
        Self { name: name.to_owned(), text, items: Vec::new() }
    }

    /// `None` for an empty text.
    fn new(name: &str, text: String, items: Vec<String>) -> Option<Self> {
        (!text.is_empty()).then(|| Self { name: name.to_owned(), text, items })
    }

    /// One line each.
    fn list(name: &str, lines: &[String]) -> Option<Self> {
        Self::new(name, lines.join("\n"), lines.to_vec())
    }
}

/// Whether a word of a request stands for somebody or something that was spoken of: "she", "that".
fn refers_back(text: &str, languages: &[&'static Lexicon]) -> bool {
    languages.iter().any(|language| {
        let (memory, requests) = (&language.memory, &language.requests);
        [requests.pronouns, requests.person_pronouns].into_iter().any(|list| memory.has_any(list, text))
            || text.split(|c: char| !c.is_alphanumeric()).any(|word| memory.is_pronoun(word))
    })
}

/// A turn as messages, without what could end a message or begin another one.
fn messages(turn: &SaidBefore) -> Vec<Message> {
    let mut messages = vec![Message::new(Role::User, harmless(&turn.request))];
    if !turn.reply.is_empty() {
        messages.push(Message::new(Role::Assistant, harmless(&turn.reply)));
    }
    messages
}
