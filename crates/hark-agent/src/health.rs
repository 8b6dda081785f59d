//! What is known of how a server does: what failed last, and until when it is passed over.

use hark_core::model::ModelError;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Health(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    trouble: Option<ModelError>,
    doubt: Option<ModelError>,
    /// It is passed over until then.
    down_until: Option<Instant>,
}

impl Health {
    /// What is wrong with it as far as is known.
    pub(super) fn trouble(&self) -> Option<ModelError> {
        self.state().trouble.clone()
    }

    /// What may be wrong with it, though it can work.
    pub(super) fn doubt(&self) -> Option<ModelError> {
        self.state().doubt.clone()
    }

    /// It works, and this may be wrong all the same.
    pub(super) fn is_doubtful(&self, doubt: ModelError) {
        *self.state() = State { doubt: Some(doubt), ..State::default() };
    }

    /// Whether it is to be passed over for now.
    pub(super) fn is_down(&self) -> bool {
        self.state().down_until.is_some_and(|until| Instant::now() < until)
    }

    /// It works, as far as is known.
    pub(super) fn is_well(&self) {
        *self.state() = State::default();
    }

    /// It failed; one that cannot be reached or is slow is passed over for this long.
    pub(super) fn has_failed(&self, error: &ModelError, rest: Duration) {
        let mut state = self.state();
        if matches!(error, ModelError::Unreachable(..) | ModelError::TimedOut(..)) {
            state.down_until = Some(Instant::now() + rest);
        }
        state.trouble = Some(error.clone());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that holds it can leave it half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
