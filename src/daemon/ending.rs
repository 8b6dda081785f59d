//! The end of the daemon, which any part may ask for.

use super::mailbox::Mailbox;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends the daemon from anywhere.
pub(super) struct Ending {
    restart: AtomicBool,
    mailbox: Arc<Mailbox>,
}

impl Ending {
    pub(super) fn new(mailbox: Arc<Mailbox>) -> Self {
        Self { restart: AtomicBool::new(false), mailbox }
    }

    /// Ends it, to be started again.
    pub(super) fn restart(&self) {
        self.restart.store(true, Ordering::Release);
        self.mailbox.close();
    }

    /// Whether it shall be started again.
    pub(super) fn restarts(&self) -> bool {
        self.restart.load(Ordering::Acquire)
    }
}
