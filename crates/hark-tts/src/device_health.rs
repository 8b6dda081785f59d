//! What has befallen an output stream: noted where it is fed, asked by `device`.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long errors may go on with no sound taken between them before the device counts as lost.
/// PulseAudio's ALSA plugin gives some for the first milliseconds after opening.
pub(super) const ERRORS_FOR: Duration = Duration::from_millis(500);

/// What the stream's callbacks leave for `Loudspeaker::state`.
#[derive(Default)]
pub(super) struct Health {
    pub(super) xruns: AtomicU64,
    /// Set once; only the error callback writes it, and only when the stream is lost.
    failure: Mutex<Option<String>>,
}

impl Health {
    /// The stream is over; the first reason stays.
    pub(super) fn fail(&self, error: &impl std::fmt::Display) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert_with(|| error.to_string());
    }

    /// Why it is over.
    pub(super) fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sound came too late but the stream goes on.
    pub(super) fn note_xrun(&self) {
        self.xruns.fetch_add(1, Ordering::Relaxed);
    }
}
