//! What has befallen an input stream: noted by the device's thread, asked by the microphone.

use cpal::ErrorKind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Pause after an error of a lost stream: its thread would report thousands a second until it is closed.
const ERROR_PAUSE: Duration = Duration::from_millis(2);

/// What has befallen the stream, as its own thread notes it.
#[derive(Debug, Default)]
pub(super) struct StreamErrors {
    pub(super) xruns: AtomicU64,
    lost: Mutex<Option<String>>,
}

impl StreamErrors {
    /// Called by the device's thread, outside of the data callback.
    pub(super) fn note(&self, error: &cpal::Error) {
        match error.kind() {
            ErrorKind::Xrun => self.note_xrun(),
            // The stream goes on, elsewhere or with less priority.
            ErrorKind::DeviceChanged | ErrorKind::RealtimeDenied => {}
            _ => {
                self.lose(error);
                std::thread::sleep(ERROR_PAUSE);
            }
        }
    }

    /// Sound was lost but the stream goes on.
    pub(super) fn note_xrun(&self) {
        self.xruns.fetch_add(1, Ordering::Relaxed);
    }

    /// The stream is over; the first reason stays.
    pub(super) fn lose(&self, why: &impl std::fmt::Display) {
        self.lock().get_or_insert_with(|| why.to_string());
    }

    /// Why it is over.
    pub(super) fn lost(&self) -> Option<String> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<String>> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
