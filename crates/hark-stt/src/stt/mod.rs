//! Speech recognition engines behind the trait [`Recogniser`], and [`worker`], which runs one for the pipeline.

pub mod cascade;
pub mod grammar;
mod grammar_dfa;
pub mod moonshine;
pub mod unavailable;
pub mod utterance;
pub mod whisper;
pub mod worker;

use hark_core::{Beginning, Fault, Transcript};
use std::sync::Arc;

/// Words so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Partial {
    /// Lower-case words.
    pub text: String,
    /// How many characters of it will not change.
    pub stable: usize,
    /// As in [`Words`](hark_core::Words).
    pub beginning: Option<Beginning>,
    /// As in [`Words`](hark_core::Words).
    pub opening: Option<f32>,
}

/// What an utterance was recognised as.
#[derive(Debug, Clone, PartialEq)]
pub struct Recognition {
    /// The words the engine stands by, or why it stands by none.
    pub transcript: Transcript,
    /// What it heard before that was fitted to a sentence of the home: it tells whether the person has
    /// finished.
    pub heard: String,
}

/// A streaming recogniser. One utterance is `start`, any number of `feed`, then `finish` or `cancel`.
pub trait Recogniser: Send {
    /// An utterance may begin at any moment: an engine may load what it dropped in [`Recogniser::release_memory`].
    fn prepare(&mut self) {}
    /// Begins an utterance, dropping one that was not finished.
    ///
    /// # Errors
    /// When the engine refuses.
    fn start(&mut self) -> Result<(), Fault>;
    /// Takes sound from before the utterance, mono at 16 kHz, right after `start`: an engine that judges
    /// better when it knows the room may use it, but it is no part of what was said.
    fn preroll(&mut self, _samples: &[f32]) {}
    /// Takes mono samples at 16 kHz in −1.0 ..= 1.0.
    ///
    /// # Errors
    /// When no utterance was begun or the engine refuses.
    fn feed(&mut self, samples: &[f32]) -> Result<(), Fault>;
    /// The utterance may be over: an engine may begin the work that `finish` will need. More may still be fed.
    fn anticipate_end(&mut self) {}
    /// Words so far, when there are any.
    fn partial(&mut self) -> Option<Partial>;
    /// The same with slower, more exact scores, asked for where a decision depends on them (barge-in).
    fn rescored_partial(&mut self) -> Option<Partial> {
        self.partial()
    }
    /// What `finish` would say if the utterance ended here; more may be fed. `None` from an engine that
    /// must finish to know.
    fn draft(&mut self) -> Option<Result<Recognition, Fault>> {
        None
    }
    /// Ends the utterance.
    ///
    /// # Errors
    /// When no utterance was begun or the engine refuses. Speech it does not stand by is no error:
    /// it is a transcript with `rejected` set.
    fn finish(&mut self) -> Result<Recognition, Fault>;
    /// Ends the utterance and throws it away.
    fn cancel(&mut self);
    /// Called when there has been no utterance for a while: releases memory that only an utterance needs.
    fn release_memory(&mut self) {}
    /// What ends a `finish` under way early, for an engine whose `finish` may take long: the words are
    /// not wanted any more, and a rejected transcript is returned. When none is under way it does nothing.
    fn interrupter(&self) -> Option<Interrupter> {
        None
    }
}

/// Ends a `finish` under way early; may be called from any thread and never waits.
pub type Interrupter = Arc<dyn Fn() + Send + Sync>;
