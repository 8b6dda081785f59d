//! What a language model is asked, and what it answers. A model is a worker under contract: everything it
//! returns is data to be checked, never followed.

pub mod context;
pub mod delegation;
pub mod delivery;
pub mod plan;
pub mod thinking;

pub use delivery::{Deliveries, Delivery};

use super::tool::Risk;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Hark's own instructions.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// What a tool gave back.
    Tool,
}

/// A picture that goes with a message.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Picture {
    /// Such as `image/png`.
    pub media_type: String,
    /// The file's bytes in base64.
    pub base64: String,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// Its words.
    pub content: String,
    /// Pictures; only of the person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<Picture>,
    /// Tools the model wanted; only of the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ModelCall>,
    /// Id of the call that this answers; only of a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
}

impl Message {
    /// Words alone.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), pictures: Vec::new(), calls: Vec::new(), answers: None }
    }

    /// What a tool gave back to a call.
    pub fn result(call: &str, content: impl Into<String>) -> Self {
        Self { answers: Some(call.to_owned()), ..Self::new(Role::Tool, content) }
    }
}

/// A tool the model wants to have run. Nothing about it is checked yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelCall {
    /// Names the call within its conversation; made up where the provider gives none.
    pub id: String,
    /// Name as in the tool table, such as `home.turn_on`.
    pub tool: String,
    /// Meant to be an object; what cannot be read as JSON is here as a string.
    pub args: Value,
}

/// A tool as a model is told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Name as in the tool table.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments, an object.
    pub schema: Value,
    /// Names of what its result has.
    pub results: Vec<String>,
    /// Risk of its mildest use.
    pub risk: Risk,
    /// Words that tell of it.
    pub triggers: Vec<String>,
    /// Group it belongs to, such as `home`.
    pub agent: String,
    /// Whether its description is untrusted text; a model task that is shown it counts as having read untrusted text.
    pub outside: bool,
}

impl ToolSpec {
    /// Whether one of its words stands in a request.
    pub fn is_told_by(&self, request: &str) -> bool {
        mentions(request, self.triggers.iter().map(String::as_str))
    }
}

/// Whether one of the words, or the words of one that has several, stand in a text, in the plural too. They are whole
/// words: "on" is not in "London".
pub fn mentions<'a>(text: &str, mut words: impl Iterator<Item = &'a str>) -> bool {
    let plain = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
        words.fold(String::from(" "), |text, word| text + &word.to_lowercase() + " ")
    };
    let text = plain(text);
    words.any(|word| text.contains(&plain(word)) || text.contains(&plain(&format!("{word}s"))))
}

/// How hard a request is; each can have a model of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Difficulty {
    /// Small talk, short answers, checks.
    Simple,
    /// Plans, tools in a row.
    Complex,
    /// Pictures.
    Vision,
}

/// What a request is for; each can have a model of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To decide what is wanted, and other small checks.
    Route,
    /// Words for the person.
    Answer,
    /// Steps, and tools one after the other.
    Plan,
    /// Arguments out of a request.
    Extract,
    /// What a picture shows.
    Describe,
}

/// What a model is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    /// The conversation, the instructions first.
    pub messages: Vec<Message>,
    /// Tools it may ask for; empty: none.
    pub tools: Vec<ToolSpec>,
    /// Which model, where its purpose has none of its own.
    pub difficulty: Difficulty,
    /// What it is for.
    pub purpose: Purpose,
    /// The model, or the server, that the person has named for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// JSON Schema the answer must satisfy, for providers that can be told; checked by the caller in any case.
    pub schema: Option<Value>,
    /// Most tokens of the answer; `None` is as configured.
    pub max_tokens: Option<u32>,
    /// 0 for what is to be the same every time (only such answers are cached).
    pub temperature: f32,
    /// To whom it went.
    #[serde(skip)]
    pub deliveries: Deliveries,
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Completion {
    /// Its words, as they came.
    pub text: String,
    /// Tools it wants.
    pub calls: Vec<ModelCall>,
    /// Name of the model that answered.
    pub model: String,
    /// It was cut off at the most tokens.
    pub cut_short: bool,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// No provider is configured.
    #[error("no language model is configured; see [llm]")]
    NotConfigured,
    /// Nobody answers there.
    #[error("the language model at {0} cannot be reached: {1}")]
    Unreachable(String, String),
    /// It took too long.
    #[error("the language model at {0} did not answer within {1} ms")]
    TimedOut(String, u64),
    /// Too many requests, even after waiting.
    #[error("the language model at {0} has no capacity left for us")]
    RateLimited(String),
    /// As much went to providers outside the house today as may.
    #[error("the language model at {0} is not asked any more today: {1} is reached")]
    LimitReached(String, String),
    /// The provider refuses, such as a wrong key.
    #[error("the language model at {0} refuses with status {1}: {2}")]
    Refused(String, u16, String),
    /// The provider does not have this model.
    #[error("{0} has no model {1}; `hark models list` shows what there is")]
    NoSuchModel(String, String),
    /// The provider does not list this model, but these; it may answer to the name all the same.
    #[error("{0} does not list the model {1}, only {2}")]
    NotListed(String, String, String),
    /// Not the protocol, or more than is read.
    #[error("the language model at {0} gave an answer that cannot be used: {1}")]
    BadAnswer(String, String),
    /// Whoever listened has stopped it.
    #[error("it was stopped")]
    Stopped,
}

/// Gets the words of an answer as they come; `Break` ends the request.
pub type PieceSink = Box<dyn FnMut(&str) -> ControlFlow<()> + Send>;

/// A future of an answer. Dropping it ends the request.
pub type CompletionFuture = Pin<Box<dyn Future<Output = Result<Completion, ModelError>> + Send>>;

/// A model a provider has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelListing {
    /// Name as the provider wants it.
    pub name: String,
    /// Name of the provider as configured.
    pub provider: String,
    /// Bytes on its disk, where it tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
}

/// A future of all models, of the providers that answered, with the faults of those that did not.
pub type ListingFuture = Pin<Box<dyn Future<Output = (Vec<ModelListing>, Vec<ModelError>)> + Send>>;

/// Language models. Implemented by `hark-agent`.
pub trait LanguageModel: Send + Sync {
    /// Asks; words go to `sink` as they come, and are in the answer as well. An answer that asks for tools may have
    /// words too.
    fn complete(&self, prompt: Prompt, sink: Option<PieceSink>) -> CompletionFuture;
    /// Every model of every provider.
    fn models(&self) -> ListingFuture;
    /// What is wrong with it as far as is known, without asking; `None` when it works or was not tried yet.
    fn trouble(&self) -> Option<ModelError>;
    /// What may be wrong with it, though it can work, as the last list of models told.
    fn doubt(&self) -> Option<ModelError> {
        None
    }
}
