//! A wake word of the owner's, trained while Hark runs: one at a time.

use super::super::fault::Fault;
use serde::{Deserialize, Serialize};

/// What is done at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrainingStage {
    /// Synthetic speakers say the word, and much else.
    Speaking,
    /// What tells the word from the rest is looked for.
    Learning,
    /// It is tried on speakers that were not learned from.
    Counting,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainingProgress {
    /// What is done.
    pub stage: TrainingStage,
    /// How much of the stage is done …
    pub done: usize,
    /// … of how much; 0 where that is not known.
    pub of: usize,
}

/// What was counted on synthetic speakers that were not learned from. People are missed more often.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainedWord {
    /// What is said.
    pub phrase: String,
    /// The file for `wake.words`.
    pub file: String,
    /// How often it was missed.
    pub missed: usize,
    /// … of so many times.
    pub said: usize,
    /// How often it was woken by the phrase with another word in it, or a part of it.
    pub near_wakes: usize,
    /// … of so many times.
    pub near: usize,
    /// How often it was woken by other speech.
    pub false_wakes: usize,
    /// … of so many hours.
    pub other_speech_hours: f64,
}

/// How the training stands.
#[derive(Debug, Clone, PartialEq)]
pub enum TrainingState {
    /// Nothing is or was trained since the start.
    Idle,
    /// It goes on.
    Running {
        /// The word.
        phrase: String,
        /// How far it is.
        progress: TrainingProgress,
    },
    /// The last one was ended by a person.
    Cancelled {
        /// The word.
        phrase: String,
    },
    /// The last one is done.
    Done(TrainedWord),
    /// The last one did not work.
    Failed {
        /// The word.
        phrase: String,
        /// Why.
        fault: Fault,
    },
}

/// See the module.
pub trait WakeTraining: Send + Sync {
    /// How it stands.
    fn state(&self) -> TrainingState;
    /// Begins with a word.
    ///
    /// # Errors
    /// When one is trained already, or it cannot be begun.
    fn start(&self, phrase: &str) -> Result<(), Fault>;
    /// Ends the one that goes on; nothing where none does.
    fn cancel(&self);
}
