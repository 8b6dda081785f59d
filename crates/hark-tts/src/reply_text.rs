//! The text of a reply that is spoken while it is still being written.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A reply may have this much text waiting to be spoken; what is pushed beyond it is refused.
const MAX_WAITING_BYTES: usize = 256 * 1024;

/// The text of a reply between the one who writes it and the voice.
#[derive(Debug, Default)]
pub(super) struct ReplyText {
    page: Mutex<Page>,
}

#[derive(Debug, Default)]
struct Page {
    waiting: String,
    /// How it goes on, as far as that is known, although it may not be said.
    ahead: String,
    /// What is there is a whole, whatever comes.
    flushed: bool,
    /// Nothing more will be written.
    finished: bool,
    /// Nobody will speak any more of it.
    closed: bool,
}

/// A piece of a reply.
pub(super) struct Written {
    pub(super) text: String,
    /// What is known to follow, and not to be said yet.
    pub(super) ahead: String,
    /// It is to be spoken to its end now.
    pub(super) flushed: bool,
    /// Nothing more will come.
    pub(super) finished: bool,
}

impl ReplyText {
    /// A reply that is there as a whole.
    pub(super) fn whole(text: String) -> Self {
        Self { page: Mutex::new(Page { waiting: text, finished: true, ..Page::default() }) }
    }

    /// Adds a piece; `false` when nobody will speak it, or too much is waiting.
    pub(super) fn push(&self, piece: &str, ahead: &str) -> bool {
        let mut page = self.lock();
        if page.closed {
            return false;
        }
        if page.waiting.len() + piece.len() > MAX_WAITING_BYTES {
            tracing::warn!("a reply is written faster than it can be taken; a piece of it was refused");
            return false;
        }
        page.waiting.push_str(piece);
        ahead.clone_into(&mut page.ahead);
        true
    }

    /// What is there is a whole.
    pub(super) fn flush(&self) {
        self.lock().flushed = true;
    }

    /// Nothing more will be written.
    pub(super) fn finish(&self) {
        self.lock().finished = true;
    }

    /// Whether nobody will speak any more of it.
    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// What was written since the last call.
    pub(super) fn take(&self) -> Written {
        let mut page = self.lock();
        let text = std::mem::take(&mut page.waiting);
        let flushed = std::mem::take(&mut page.flushed) || page.finished;
        Written { text, ahead: page.ahead.clone(), flushed, finished: page.finished }
    }

    /// What is still to come will not be spoken.
    pub(super) fn close(&self) {
        let mut page = self.lock();
        page.closed = true;
        page.waiting = String::new();
    }

    /// Plain data behind the lock: it is whole even if a holder panicked.
    fn lock(&self) -> MutexGuard<'_, Page> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
