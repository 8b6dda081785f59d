//! Replies that are spoken while they are still being written.

use super::voice_thread::{Mailbox, Order, VoiceHandle};
use hark_core::{Fault, TurnId};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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

/// A reply being written. Dropping it finishes it.
pub struct SpeechStream {
    text: Arc<ReplyText>,
    mailbox: Arc<Mailbox>,
}

impl SpeechStream {
    /// Adds a piece of text, split anywhere between two characters. Answers whether anybody listens:
    /// `false` when the reply was stopped or could not be said, so that its writer can stop too, or
    /// when 256 KiB are waiting. `ahead`: how the text goes on behind the piece, as far as the writer knows, without
    /// being sure that it is to be said; it only tells where a phrase ends.
    pub fn push(&self, piece: &str, ahead: &str) -> bool {
        let mut page = self.text.lock();
        if page.closed {
            return false;
        }
        if page.waiting.len() + piece.len() > MAX_WAITING_BYTES {
            tracing::warn!("a reply is written faster than it can be taken; a piece of it was refused");
            return false;
        }
        page.waiting.push_str(piece);
        ahead.clone_into(&mut page.ahead);
        drop(page);
        self.mailbox.tell();
        true
    }

    /// Has all that was pushed spoken now, although more will come: for a writer who has to think,
    /// such as a language model that waits for a tool. Otherwise the last words wait for what follows,
    /// because only that tells where their sentence ends.
    pub fn flush(&self) {
        self.text.lock().flushed = true;
        self.mailbox.tell();
    }

    /// Whether the reply was stopped or could not be said.
    pub fn is_closed(&self) -> bool {
        self.text.lock().closed
    }

    /// The reply is whole; its end is reported when it has been spoken.
    pub fn finish(self) {
        // Dropping does it.
    }
}

impl Drop for SpeechStream {
    fn drop(&mut self) {
        self.text.lock().finished = true;
        self.mailbox.tell();
    }
}

impl VoiceHandle {
    /// Begins a reply whose text comes piece by piece; it is spoken after what is queued, phrase by
    /// phrase as they are complete. Its end is reported exactly once.
    ///
    /// # Errors
    /// When the queue is full; then nothing will be reported.
    pub fn say_stream(&self, turn: TurnId, language: impl Into<String>) -> Result<SpeechStream, Fault> {
        let text = Arc::new(ReplyText::default());
        self.order(Order::Say { turn, text: Arc::clone(&text), language: language.into() })?;
        Ok(SpeechStream { text, mailbox: Arc::clone(self.mailbox()) })
    }

    /// Makes the sound of a likely reply without playing it, while nothing else is to be made. A `say`
    /// of the same text then begins with it. One reply is kept: a different one takes its place (a
    /// blank one throws it away), and so do a stop and the end of whatever is said instead. At most
    /// its first phrases are made. Returns at once, never fails: without it `say` only takes longer.
    pub fn prepare(&self, text: impl Into<String>, language: impl Into<String>) {
        self.mailbox().lock().likely = Some((text.into(), language.into()));
        self.mailbox().tell();
    }
}

#[cfg(test)]
mod tests;
