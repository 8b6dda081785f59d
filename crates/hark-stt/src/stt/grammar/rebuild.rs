//! Another vocabulary for a recogniser that goes on listening: a new listener is built on the thread of
//! whoever wants it, and waits in a slot until the recogniser begins its next utterance.

use super::build::{Listener, Recipe};
use hark_core::Fault;
use hark_core::ports::SpeechGrammar;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Holds at most one listener; the latest wins.
#[derive(Clone, Default)]
pub(super) struct Slot(Arc<Mutex<Option<Listener>>>);

impl Slot {
    /// The listener that waits, if any.
    pub(super) fn take(&self) -> Option<Listener> {
        // A thread that panicked cannot have left the option half written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, listener: Listener) {
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(listener);
        // Freed out here, so that a recogniser that looks meanwhile need not wait for it.
        drop(before);
    }
}

/// Rebuilds the vocabulary of one recogniser. Cheap to clone, usable from any thread.
#[derive(Clone)]
pub struct Rebuilder {
    recipe: Arc<Recipe>,
    slot: Weak<Mutex<Option<Listener>>>,
}

impl Rebuilder {
    pub(super) fn new(recipe: Arc<Recipe>, slot: &Slot) -> Self {
        Self { recipe, slot: Arc::downgrade(&slot.0) }
    }

    /// Whether there is still a recogniser that would take what is built.
    pub fn is_wanted(&self) -> bool {
        self.slot.strong_count() > 0
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
        let listener = self.recipe.build(grammar)?;
        if let Some(slot) = self.slot.upgrade() {
            Slot(slot).put(listener);
        }
        Ok(())
    }
}
