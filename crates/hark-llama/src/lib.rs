//! A language model in this process: llama.cpp reads a GGUF file and answers on the processor. `engine` owns the thread on which all
//! of it happens and what is loaded; `session` has one model with its context and answers one request after the other;
//! `pieces` makes text of tokens. Only one model is loaded at a time. Without the feature `llama` nothing of llama.cpp is built, and
//! [`Engine::start`] says so.
//!
//! ```
//! let settings = hark_llama::Settings { threads: 0, context_tokens: 0, idle: None };
//! assert_eq!(hark_llama::Engine::start(settings).is_ok(), cfg!(feature = "llama"));
//! ```

#[cfg(feature = "llama")]
mod engine;
#[cfg(feature = "llama")]
mod loading;
#[cfg(not(feature = "llama"))]
mod not_built_in;
#[cfg(any(feature = "llama", test))]
mod pieces;
#[cfg(feature = "llama")]
mod sampler;
#[cfg(feature = "llama")]
mod session;

#[cfg(feature = "llama")]
pub use engine::Engine;
#[cfg(not(feature = "llama"))]
pub use not_built_in::Engine;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Instructions.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// Its words. Control tokens of the model in it are taken for plain text.
    pub content: String,
}

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The GGUF file.
    pub model: PathBuf,
    /// The conversation, the instructions first.
    pub messages: Vec<Message>,
    /// JSON Schema that the answer is held to, token by token. One that llama.cpp makes no grammar of is left to the caller.
    pub schema: Option<String>,
    /// Most tokens of the answer.
    pub max_tokens: u32,
    /// 0: the likeliest token every time.
    pub temperature: f32,
    /// Texts that end the answer and are no part of it.
    pub stop: Vec<String>,
}

/// How an answer came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Finished {
    /// Tokens of the prompt.
    pub prompt_tokens: u32,
    /// Tokens of it that were still held from the request before, and not computed again.
    pub reused_tokens: u32,
    /// Tokens of the answer.
    pub answer_tokens: u32,
    /// It was cut off at the most tokens, or at the end of what the model can look back on.
    pub cut_short: bool,
    /// It was held to the schema.
    pub constrained: bool,
}

/// Why there is no answer, or none to its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The program was built without llama.cpp.
    #[error("this Hark was built without llama.cpp")]
    NotBuiltIn,
    /// The processor lacks instructions that llama.cpp was built with.
    #[error("this processor has no {0}, which llama.cpp was built with")]
    Processor(&'static str),
    /// The file cannot be read, or is none that llama.cpp can use.
    #[error("{}: {why}", path.display())]
    Model {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The prompt leaves no room for an answer.
    #[error("a prompt of {prompt} tokens for a model that can look back on {window}")]
    TooLong {
        /// Tokens of the prompt.
        prompt: u32,
        /// Tokens the model can look back on, its answer included.
        window: u32,
    },
    /// As many requests wait as may.
    #[error("too many requests wait for it")]
    Busy,
    /// Nobody listens any more, or the engine is let go of.
    #[error("it was stopped")]
    Stopped,
    /// llama.cpp failed.
    #[error("llama.cpp failed: {0}")]
    Failed(String),
}

/// Hears an answer, on the engine's thread.
pub trait Listener: Send {
    /// The next words; `Break` ends the answer.
    fn piece(&mut self, words: &str) -> ControlFlow<()>;
    /// Whether nobody wants the answer any more. Asked between tokens, and between parts of a prompt.
    fn is_gone(&self) -> bool;
    /// The end. Called once, whatever happens.
    fn end(self: Box<Self>, outcome: Result<Finished, Error>);
}

/// How models are loaded and run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Threads; 0: one a physical core.
    pub threads: u32,
    /// Tokens a model may look back on at most; 0: what it was trained for, 8,192 at most.
    pub context_tokens: u32,
    /// How long a model stays loaded after its last answer; `None`: for ever.
    pub idle: Option<Duration>,
}
