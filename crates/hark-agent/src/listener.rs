//! Whoever listens to an answer, and what they have heard of it: once they have heard words, there is no second try.

use super::error::StreamError;
use hark_core::model::{ModelError, PieceSink};
use std::ops::ControlFlow;

/// A sink, if there is one, and whether words went into it.
pub(super) struct Listener {
    sink: Option<PieceSink>,
    heard: bool,
}

impl Listener {
    /// Nobody has heard anything yet.
    pub(super) fn new(sink: Option<PieceSink>) -> Self {
        Self { sink, heard: false }
    }

    /// Whether words were handed over already.
    pub(super) fn has_heard(&self) -> bool {
        self.heard
    }

    /// Hands over words.
    ///
    /// # Errors
    /// `Stopped`.
    pub(super) fn hand(&mut self, words: &str) -> Result<(), ModelError> {
        let Some(sink) = self.sink.as_mut().filter(|_| !words.is_empty()) else { return Ok(()) };
        self.heard = true;
        match sink(words) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(ModelError::Stopped),
        }
    }
}

/// Why one request came to nothing.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Failure {
    /// Trying the same again would change nothing.
    Final(ModelError),
    /// Trying again after this long may help; `None`: after a wait of our own choice.
    Passing(ModelError, Option<std::time::Duration>),
    /// The stream is of no use.
    Stream(StreamError),
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        Self::Final(error)
    }
}

impl From<StreamError> for Failure {
    fn from(error: StreamError) -> Self {
        Self::Stream(error)
    }
}
