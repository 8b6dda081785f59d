//! A new vocabulary without a deaf moment: the new decoder is built on another thread and waits in a
//! slot until the recogniser begins its next utterance.

use super::build::{Listener, Recipe};
use super::error::GrammarError;
use crate::domain::Fault;
use crate::domain::ports::SpeechGrammar;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// Holds at most one listener; the latest order wins.
#[derive(Clone, Default)]
pub(super) struct Slot {
    fresh: Arc<Mutex<Option<Listener>>>,
    orders: Arc<AtomicU64>,
}

impl Slot {
    /// The listener that waits, if any.
    pub(super) fn take(&self) -> Option<Listener> {
        // A thread that panicked cannot have left the option half written.
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Puts a listener in unless a later order was given meanwhile.
    fn put(&self, order: u64, listener: Listener) {
        let mut fresh = self.fresh.lock().unwrap_or_else(PoisonError::into_inner);
        if self.orders.load(Ordering::Acquire) == order {
            *fresh = Some(listener);
        }
    }
}

/// Rebuilds the vocabulary of one recogniser. Cheap to clone, usable from any thread.
#[derive(Clone)]
pub struct Rebuilder {
    recipe: Arc<Recipe>,
    slot: Slot,
}

impl Rebuilder {
    pub(super) fn new(recipe: Arc<Recipe>, slot: Slot) -> Self {
        Self { recipe, slot }
    }

    /// Builds for `grammar` on a thread named `hark-vocabulary`; the recogniser goes on with the old
    /// sentences and takes the new ones with its next `start`. The handle gives the outcome.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn rebuild(&self, grammar: Arc<dyn SpeechGrammar>) -> Result<JoinHandle<Result<(), Fault>>, Fault> {
        let order = self.slot.orders.fetch_add(1, Ordering::AcqRel) + 1;
        let Self { recipe, slot } = self.clone();
        let work = move || {
            slot.put(order, recipe.build(grammar)?);
            Ok(())
        };
        let thread = thread::Builder::new().name("hark-vocabulary".to_owned());
        Ok(thread.spawn(work).map_err(GrammarError::Thread)?)
    }
}
