//! When a message with QoS 1 is acknowledged to the broker: after it was carried out, or after it was written to the
//! request log, so that it will be carried out even if the program dies. The log ([`RequestLog`]) belongs to the daemon;
//! the queue of messages that wait to be logged ([`AckQueue`]) is here, and outlives a connection.

use super::deduplicator::{Deduplicator, MessageKey};
use hark_core::event::Event;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// Messages that wait to be written down. With more the connection is not read until there is room, so that the
/// sender feels it; brokers let fewer be under way.
pub const MAX_WAITING: usize = 256;

/// A message with a request in it.
#[derive(Debug, Clone, PartialEq)]
pub struct IncomingRequest {
    /// Identifies it when it is delivered again.
    pub known: MessageKey,
    /// What it asks for.
    pub event: Event,
}

/// A durable log of requests.
pub trait RequestLog: Send + Sync {
    /// Writes messages down and waits for the disk. What is to be handed on then, for each in their order: the
    /// request under the number it can be taken up again by, the request as it is where it could not be written, nothing where
    /// it was handed on before (see [`AckPolicy::AfterStored`]).
    fn keep(&self, arrivals: Vec<IncomingRequest>) -> Vec<Option<Event>>;

    /// The last logged messages, in their order, also from before this start.
    fn known(&self) -> Vec<MessageKey>;
}

/// When a message may be acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AckPolicy {
    /// When it was handed on: later it is useless, or happening twice would be worse than not at all.
    Immediately,
    /// A setting: handed on at once, and acknowledged when it is on the disk. It is idempotent.
    AfterStored,
    /// When it is logged; it is handed on after that.
    AfterLogged,
}

impl AckPolicy {
    /// Of this event.
    pub fn of(event: &Event) -> Self {
        match event {
            Event::Typed { .. } | Event::Say { .. } | Event::Correct { .. } | Event::CancelTimers => {
                Self::AfterLogged
            }
            Event::Set { .. } => Self::AfterStored,
            _ => Self::Immediately,
        }
    }
}

/// A message that may be acknowledged now.
#[derive(Debug, PartialEq)]
pub struct Acknowledgeable {
    /// The packet to acknowledge, where it came on this connection.
    pub packet: u16,
    /// To be handed on.
    pub event: Option<Event>,
}

/// State of incoming QoS 1 messages, over all connections.
#[derive(Default)]
pub struct AckState {
    /// Recognises repeated deliveries.
    pub deduplicator: Deduplicator,
    /// What is not logged yet.
    pub ack_queue: AckQueue,
}

impl AckState {
    /// Over this request log, and what it knows of the time before this start.
    pub fn new(request_log: Option<Arc<dyn RequestLog>>) -> Self {
        let ack_queue = AckQueue::new(request_log);
        Self { deduplicator: Deduplicator::of(&ack_queue.known()), ack_queue }
    }
}

/// The task that writes to the log; gives the events to hand on.
type Writing = JoinHandle<Vec<Option<Event>>>;

/// Messages that wait to be logged, and those that are being written.
#[derive(Default)]
pub struct AckQueue {
    /// `None`: nothing is logged, everything is acknowledged when it was handed on.
    request_log: Option<Arc<dyn RequestLog>>,
    waiting: VecDeque<IncomingRequest>,
    writing: Option<(Vec<IncomingRequest>, Writing)>,
}

impl AckQueue {
    /// An empty queue in front of this request log.
    pub fn new(request_log: Option<Arc<dyn RequestLog>>) -> Self {
        Self { request_log, ..Self::default() }
    }

    /// What may be delivered again after the last start.
    pub fn known(&self) -> Vec<MessageKey> {
        self.request_log.as_ref().map(|request_log| request_log.known()).unwrap_or_default()
    }

    /// Takes a message that is to be logged.
    pub fn put(&mut self, arrival: IncomingRequest) {
        self.waiting.push_back(arrival);
    }

    /// Whether a message is waiting or being written.
    pub fn contains(&self, packet: u16, content: u64) -> bool {
        let writing = self.writing.iter().flat_map(|(writing, _)| writing);
        let mut all = self.waiting.iter().chain(writing).map(|arrival| arrival.known);
        all.any(|known| known.packet == packet && known.content == content)
    }

    /// Whether nothing waits and nothing is being written.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.writing.is_none()
    }

    /// Whether no more should be taken.
    pub fn is_full(&self) -> bool {
        self.waiting.len() >= MAX_WAITING
    }

    /// Writes what waits, all of it at once; resolves when it is safe, with what was written. Never resolves while
    /// there is nothing. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Vec<Acknowledgeable> {
        if self.writing.is_none() && !self.waiting.is_empty() {
            let arrivals: Vec<IncomingRequest> = self.waiting.drain(..).collect();
            let (request_log, batch) = (self.request_log.clone(), arrivals.clone());
            let write = move || match request_log {
                Some(request_log) => request_log.keep(batch),
                None => batch.into_iter().map(unlogged).collect(),
            };
            self.writing = Some((arrivals, tokio::task::spawn_blocking(write)));
        }
        let Some((_, work)) = &mut self.writing else { return std::future::pending().await };
        let written = work.await;
        let arrivals = self.writing.take().map(|(arrivals, _)| arrivals).unwrap_or_default();
        let events = written.unwrap_or_else(|error| {
            tracing::error!(%error, "requests could not be written down; they are acted on all the same");
            arrivals.iter().cloned().map(unlogged).collect()
        });
        let packets = arrivals.iter().map(|arrival| arrival.known.packet);
        packets.zip(events).map(|(packet, event)| Acknowledgeable { packet, event }).collect()
    }
}

/// What is handed on of a message that is not logged.
fn unlogged(arrival: IncomingRequest) -> Option<Event> {
    (AckPolicy::of(&arrival.event) == AckPolicy::AfterLogged).then_some(arrival.event)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use hark_core::Setting;
    use std::sync::Mutex;

    /// Remembers what was written in one go.
    #[derive(Default)]
    struct Notebook(Mutex<Vec<usize>>);

    impl RequestLog for Notebook {
        fn keep(&self, arrivals: Vec<IncomingRequest>) -> Vec<Option<Event>> {
            self.0.lock().unwrap().push(arrivals.len());
            arrivals.into_iter().map(unlogged).collect()
        }

        fn known(&self) -> Vec<MessageKey> {
            Vec::new()
        }
    }

    fn said(packet: u16) -> IncomingRequest {
        let event = Event::Say { text: packet.to_string() };
        IncomingRequest { known: MessageKey { packet, content: 1, id: None }, event }
    }

    #[tokio::test]
    async fn what_waits_is_written_together_and_comes_back_in_its_order() {
        let request_log = Arc::new(Notebook::default());
        let mut ack_queue = AckQueue::new(Some(request_log.clone()));
        ack_queue.put(said(1));
        {
            // Begun and let go, as when a connection breaks.
            let disk = request_log.0.lock().unwrap();
            assert!(ack_queue.next().now_or_never().is_none());
            drop(disk);
        }
        ack_queue.put(said(2));
        let volume = Event::Set { setting: Setting::VolumePercent(5) };
        ack_queue.put(IncomingRequest { event: volume, ..said(3) });
        assert!(ack_queue.contains(1, 1) && ack_queue.contains(2, 1) && !ack_queue.contains(2, 2));
        let packets = |acknowledgeable: Vec<Acknowledgeable>| {
            acknowledgeable.into_iter().map(|it| (it.packet, it.event)).collect::<Vec<_>>()
        };
        let say = |text: &str| Some(Event::Say { text: text.into() });
        assert_eq!(packets(ack_queue.next().await), [(1, say("1"))]);
        assert_eq!(
            packets(ack_queue.next().await),
            [(2, say("2")), (3, None)],
            "a setting was handed on before"
        );
        assert!(ack_queue.is_empty() && *request_log.0.lock().unwrap() == [1, 2]);
    }

    #[test]
    fn only_what_is_worth_something_later_is_written_down() {
        for (event, how) in [
            (Event::Stop, AckPolicy::Immediately),
            (Event::ListenNow, AckPolicy::Immediately),
            (Event::CancelTimers, AckPolicy::AfterLogged),
            (Event::Set { setting: Setting::MicMute(true) }, AckPolicy::AfterStored),
        ] {
            assert_eq!(AckPolicy::of(&event), how, "{event:?}");
        }
    }
}
