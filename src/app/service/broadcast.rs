//! Public events for everybody who wants them: a slow reader misses some and is told so, and holds nobody up.

use crate::app::effect_runner::Listener;
use crate::app::service::metrics::Tally;
use hark_core::Envelope;
use hark_core::api::{ApiFuture, EventFeed, EventNews};
use std::sync::Arc;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

/// Events a slow reader may be behind; older ones are lost to it, and it is told so. Shared by all readers, so that
/// memory does not grow with them.
const EVENTS_KEPT: usize = 2048;

/// Tells readers of events, and counts them.
pub(crate) struct Broadcast {
    events: broadcast::Sender<Arc<Envelope>>,
    pub(crate) tally: Tally,
}

impl Broadcast {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { events: broadcast::Sender::new(EVENTS_KEPT), tally: Tally::default() })
    }

    /// Every event from now on.
    pub(crate) fn feed(&self) -> Feed {
        Feed(self.events.subscribe())
    }

    /// Who tells of events beside the effect runner.
    pub(crate) fn sender(&self) -> broadcast::Sender<Arc<Envelope>> {
        self.events.clone()
    }

    /// Called by the effect runner with every public event; never blocks.
    pub(crate) fn listener(self: &Arc<Self>) -> Listener {
        let this = Arc::clone(self);
        Box::new(move |envelope| {
            this.tally.note(envelope);
            if this.events.receiver_count() > 0 {
                // Nobody may listen any more by now; then there is nobody to tell.
                let _ = this.events.send(Arc::new(envelope.clone()));
            }
        })
    }
}

/// Events for one reader.
pub(crate) struct Feed(broadcast::Receiver<Arc<Envelope>>);

impl EventFeed for Feed {
    fn next(&mut self) -> ApiFuture<'_, EventNews> {
        Box::pin(async move {
            match self.0.recv().await {
                Ok(envelope) => EventNews::Event(envelope),
                Err(RecvError::Lagged(count)) => EventNews::Missed(count),
                Err(RecvError::Closed) => EventNews::Ended,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::{PublicEvent, Stamp};

    fn event(number: usize) -> Envelope {
        let event = PublicEvent::Partial { text: number.to_string(), stable: 0 };
        Envelope::new(event, None, Stamp::default(), "now".into())
    }

    #[test]
    fn a_reader_that_sleeps_misses_the_oldest_and_is_told_how_many() {
        let broadcast = Broadcast::new();
        let mut listener = broadcast.listener();
        listener(&event(0));
        let mut feed = broadcast.feed();
        (1..=EVENTS_KEPT + 10).for_each(|number| listener(&event(number)));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            assert!(matches!(feed.next().await, EventNews::Missed(10)));
            let EventNews::Event(first) = feed.next().await else { panic!("an event is next") };
            assert_eq!(*first, event(11));
        });
    }
}
