//! Replaces the vocabulary of a recogniser while it runs: a new decoder is built on the caller's thread, and waits until
//! the recogniser begins its next utterance.

use super::builder::{DecoderBuilder, GrammarDecoder};
use hark_core::Fault;
use hark_core::ports::SpeechGrammar;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Holds at most one decoder; the latest wins.
#[derive(Clone, Default)]
pub(super) struct PendingDecoder(Arc<Mutex<Option<GrammarDecoder>>>);

impl PendingDecoder {
    /// The decoder that waits, if any.
    pub(super) fn take(&self) -> Option<GrammarDecoder> {
        // A thread that panicked cannot have left the option half written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, decoder: GrammarDecoder) {
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(decoder);
        // Freed out here, so that a recogniser that looks meanwhile need not wait for it.
        drop(before);
    }
}

/// Rebuilds the vocabulary of one recogniser. Cheap to clone, usable from any thread.
#[derive(Clone)]
pub struct Rebuilder {
    builder: Arc<DecoderBuilder>,
    pending: Weak<Mutex<Option<GrammarDecoder>>>,
}

impl Rebuilder {
    pub(super) fn new(builder: Arc<DecoderBuilder>, pending: &PendingDecoder) -> Self {
        Self { builder, pending: Arc::downgrade(&pending.0) }
    }

    /// Whether there is still a recogniser that would take what is built.
    pub fn is_wanted(&self) -> bool {
        self.pending.strong_count() > 0
    }

    /// Builds for `grammar`, which takes some tenths of a second; the recogniser goes on with the old
    /// sentences meanwhile and takes the new ones with its next `start`. Where it is gone nothing is built.
    ///
    /// # Errors
    /// When a model is missing or broken, or there are no sentences; then the old ones stay.
    pub fn rebuild(&self, grammar: Arc<dyn SpeechGrammar>) -> Result<(), Fault> {
        if !self.is_wanted() {
            return Ok(());
        }
        let decoder = self.builder.build(grammar)?;
        if let Some(pending) = self.pending.upgrade() {
            PendingDecoder(pending).put(decoder);
        }
        Ok(())
    }
}
