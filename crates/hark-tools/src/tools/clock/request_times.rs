//! When logged requests came: times in them are relative to that moment, also when they are carried out after a restart.

use hark_core::TurnId;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The moments, by the turn that such a request opens.
#[derive(Debug, Default)]
pub struct RequestTimes(Mutex<BTreeMap<TurnId, i64>>);

impl RequestTimes {
    /// It came then, in milliseconds since the Unix epoch.
    pub fn note(&self, turn: TurnId, unix_ms: i64) {
        self.lock().insert(turn, unix_ms);
    }

    /// It is done.
    pub fn forget(&self, turn: &TurnId) {
        self.lock().remove(turn);
    }

    /// When it came, milliseconds since the Unix epoch; `None` for a turn of another kind, which is about now.
    pub fn of(&self, turn: &TurnId) -> Option<i64> {
        self.lock().get(turn).copied()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<TurnId, i64>> {
        // Whole after every statement.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
