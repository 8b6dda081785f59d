//! Requests of one conversation, one after the other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::OwnedMutexGuard;

/// Serialises requests by conversation, so that an answer belongs to its request.
#[derive(Default)]
pub(super) struct Conversations(Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>);

impl Conversations {
    /// Waits until the requests before are answered; the next one waits for what is returned.
    pub(super) async fn turn_of(&self, session: &str) -> OwnedMutexGuard<()> {
        let lock = {
            let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            open.retain(|_, lock| lock.strong_count() > 0);
            match open.get(session).and_then(Weak::upgrade) {
                Some(lock) => lock,
                None => {
                    let lock = Arc::default();
                    open.insert(session.to_owned(), Arc::downgrade(&lock));
                    lock
                }
            }
        };
        lock.lock_owned().await
    }
}
