//! What is known of how much a model can look back on, and what a server says of a prompt that was too long for it. Kept by
//! the provider; `window` finds it out.

use super::wire::openai;
use serde_json::Value;
use std::time::Instant;

/// Prompts that fit into this, in tokens, fit into every model that is in use: nothing is asked for them.
pub(super) const SMALLEST: usize = 2_000;

/// What is known of one model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// Tokens; `None` where the server does not tell.
    pub(super) tokens: Option<usize>,
    /// What estimates of tokens were off by.
    pub(super) scale: f32,
    /// When its server was asked.
    pub(super) asked: Instant,
}

/// What a server says of a prompt that was too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLong {
    /// Tokens it has room for.
    pub(super) window: usize,
    /// Tokens the prompt had, where it tells.
    pub(super) prompt: Option<usize>,
}

impl TooLong {
    /// Reads the body of a refusal: llama.cpp's fields, or the sentence that OpenAI and vLLM have.
    pub(super) fn read(body: &str) -> Option<Self> {
        let frame: Value = serde_json::from_str(body).ok()?;
        let field = |name: &str| frame.pointer(&format!("/error/{name}")).and_then(number);
        if let Some(window) = field("n_ctx") {
            return Some(Self { window, prompt: field("n_prompt_tokens") });
        }
        let says = openai::trouble(&frame)?.to_lowercase();
        let behind = says.split_once("maximum context length is ")?.1;
        let mut numbers = behind.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
        let window = numbers.next()?.parse().ok()?;
        Some(Self { window, prompt: numbers.next().and_then(|digits| digits.parse().ok()) })
    }
}

/// A number of tokens, as servers tell it.
pub(super) fn number(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok()).filter(|number| *number > 0)
}
