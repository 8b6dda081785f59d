//! To which servers a prompt went, what of it, and what that took: for the trace of a turn, and to tell what left the house.

use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};

/// A server that was sent a prompt, whether it answered or not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Delivery {
    /// Its name as configured.
    pub server: String,
    /// Name of the model.
    pub model: String,
    /// It does not stand in the house.
    pub outside: bool,
    /// Characters of the prompt that were left out, because the model cannot look back on more.
    pub left_out: usize,
    /// Tokens of the prompt, as the server counts; `None` where it does not tell.
    pub prompt_tokens: Option<u32>,
    /// Tokens of it that the server had read before.
    pub cached_tokens: Option<u32>,
    /// Tokens of the answer, thoughts among them.
    pub answer_tokens: Option<u32>,
    /// What it costs, in millionths of a cent; `None` where no price is configured.
    pub micro_cents: Option<u64>,
}

/// All deliveries of one prompt; copies share it. Whoever asks reads it when there is an answer, or none.
#[derive(Debug, Clone, Default)]
pub struct Deliveries(Arc<Mutex<Vec<Delivery>>>);

impl Deliveries {
    /// Notes one that begins; answers its place.
    pub fn begin(&self, delivery: Delivery) -> usize {
        self.with(|all| {
            all.push(delivery);
            all.len() - 1
        })
    }

    /// Notes more of the one at a place.
    pub fn complete(&self, place: usize, note: impl FnOnce(&mut Delivery)) {
        self.with(|all| all.get_mut(place).map(note));
    }

    /// All so far, which are forgotten here.
    pub fn take(&self) -> Vec<Delivery> {
        self.with(std::mem::take)
    }

    fn with<T>(&self, work: impl FnOnce(&mut Vec<Delivery>) -> T) -> T {
        // Nothing that holds it can leave it half changed.
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A prompt is the same wherever it went.
impl PartialEq for Deliveries {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// One kind of what stands in a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptPart {
    /// `instructions`, `tools`, `earlier turns`, `request`, `calls`, `pictures`, or what quoted material is called, such as
    /// `memory`, `documents`, `home`.
    pub what: String,
    /// Characters of it.
    pub chars: usize,
    /// What of it has a name: facts in their words, documents with their pages, things of the home with their states.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<String>,
}

/// A prompt as it went to a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptSent {
    /// The contract it was made by.
    pub contract: String,
    /// To whom it went, and what that took.
    #[serde(flatten)]
    pub delivery: Delivery,
    /// Tools in it.
    pub tools: usize,
    /// What was in it, by kind.
    pub parts: Vec<PromptPart>,
}
