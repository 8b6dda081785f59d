//! The end of the daemon, which any part may ask for.

use crate::app::event_queue::EventQueue;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends the daemon from anywhere.
pub(crate) struct Shutdown {
    restart: AtomicBool,
    event_queue: Arc<EventQueue>,
}

impl Shutdown {
    pub(crate) fn new(event_queue: Arc<EventQueue>) -> Self {
        Self { restart: AtomicBool::new(false), event_queue }
    }

    /// Ends it, to be started again.
    pub(crate) fn restart(&self) {
        self.restart.store(true, Ordering::Release);
        self.event_queue.close();
    }

    /// Whether it shall be started again.
    pub(crate) fn restarts(&self) -> bool {
        self.restart.load(Ordering::Acquire)
    }
}
