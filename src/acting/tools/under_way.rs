//! Calls that change something and have not ended, in the order in which they came: what takes the last change back
//! waits until those before it have told what they changed.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// The calls that are under way.
#[derive(Debug, Default)]
pub(super) struct UnderWay {
    /// The number of the next one, and those of all that have not ended.
    numbers: Mutex<(u64, BTreeSet<u64>)>,
    ended: Notify,
}

/// One of them; it has ended when this is dropped.
#[derive(Debug)]
pub(super) struct Place {
    number: u64,
    all: Arc<UnderWay>,
}

impl UnderWay {
    /// A call begins.
    pub(super) fn begin(self: &Arc<Self>) -> Place {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let number = numbers.0;
        numbers.0 += 1;
        numbers.1.insert(number);
        Place { number, all: Arc::clone(self) }
    }
}

impl Place {
    /// Waits until every call that began before this one has ended.
    pub(super) async fn first(&self) {
        loop {
            let ended = self.all.ended.notified();
            tokio::pin!(ended);
            // From here on no end is missed.
            ended.as_mut().enable();
            let oldest = self.all.numbers.lock().unwrap_or_else(PoisonError::into_inner).1.first().copied();
            if oldest.is_none_or(|oldest| oldest >= self.number) {
                return;
            }
            ended.await;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.all.numbers.lock().unwrap_or_else(PoisonError::into_inner).1.remove(&self.number);
        self.all.ended.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::{Context, Waker};

    #[tokio::test]
    async fn one_waits_for_those_before_it_and_for_no_others() {
        let all = Arc::new(UnderWay::default());
        let (a, b, c, d) = (all.begin(), all.begin(), all.begin(), all.begin());
        let mut waits = Box::pin(c.first());
        let mut context = Context::from_waker(Waker::noop());
        assert!(waits.as_mut().poll(&mut context).is_pending());
        drop(b);
        drop(d);
        assert!(waits.as_mut().poll(&mut context).is_pending(), "the first one has not ended");
        drop(a);
        waits.await;
    }
}
