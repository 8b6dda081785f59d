//! The queue between the rest of Hark and the connection. Putting in never waits.
//!
//! Overflow policy. The broker keeps only the latest retained message, and so does the outbox when it
//! has to: while there is no connection, and when the queue is full, an older state of a topic gives
//! way to the newer. Of the rest the oldest message that may be lost goes first (and is counted), then
//! the oldest of the others.

use super::delivery::{Delivery, Ticket};
use super::outbound::{Message, PAYLOAD_MAX_BYTES};
use hark_mqtt_devices::Outlet;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Most messages that wait.
pub const QUEUE_MAX: usize = 4096;

/// Messages that wait for the connection, and the latest state of every retained topic.
#[derive(Debug, Default)]
pub struct Outbox {
    inner: Mutex<Inner>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    queue: VecDeque<Message>,
    /// Latest retained message by topic: what a new connection begins with.
    latest: BTreeMap<String, Message>,
    connected: bool,
    closed: bool,
    dropped: u64,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic while the lock was held leaves a queue that is still a queue.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts messages in; any thread, never waits.
    pub fn put(&self, messages: Vec<Message>) {
        let mut inner = self.lock();
        if inner.closed {
            return;
        }
        for message in messages {
            inner.put(message);
        }
        drop(inner);
        self.changed.notify_one();
    }

    /// Puts a command to a device in and says where its arrival is told; `None` without a connection, because
    /// a command that arrives later than it was meant is worse than none.
    pub fn deliver(&self, mut message: Message) -> Option<Delivery> {
        let mut inner = self.lock();
        if inner.closed || !inner.connected {
            return None;
        }
        let (ticket, delivery) = Ticket::new();
        message.ticket = Some(ticket);
        inner.put(message);
        drop(inner);
        self.changed.notify_one();
        Some(delivery)
    }

    /// Takes the next message out.
    pub fn take(&self) -> Option<Message> {
        self.lock().queue.pop_front()
    }

    /// Resolves when something was put in since the last time.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    /// A connection is there: it begins with `first`, then every retained state, then what waited.
    pub fn connected(&self, first: Vec<Message>) {
        let mut inner = self.lock();
        inner.connected = true;
        inner.put_states_first(first);
    }

    /// Puts `first` and every retained state in front of the queue again.
    pub fn repeat(&self, first: Vec<Message>) {
        self.lock().put_states_first(first);
        self.changed.notify_one();
    }

    /// The connection is gone; `unacknowledged` were given to it and may not have arrived. Those sent
    /// at least once wait again, in their order, before the others. States are not needed: a new
    /// connection begins with them. Commands to devices are given up.
    pub fn disconnected(&self, unacknowledged: impl DoubleEndedIterator<Item = Message>) {
        let mut inner = self.lock();
        inner.connected = false;
        inner.queue.retain(|message| !message.retain && !message.is_ephemeral());
        for message in unacknowledged.rev() {
            if message.at_least_once && !message.retain && !message.is_ephemeral() {
                inner.queue.push_front(message);
            }
        }
        inner.shrink();
    }

    /// Takes nothing more.
    pub fn close(&self) {
        self.lock().closed = true;
    }

    /// Messages that were given up because the queue was full or they were too large.
    pub fn dropped(&self) -> u64 {
        self.lock().dropped
    }
}

impl Outlet for Outbox {
    fn wake(&self) {
        self.changed.notify_one();
    }

    fn publish(&self, topic: String, payload: Vec<u8>) {
        self.put(vec![Message::to_device(topic, payload, false)]);
    }

    fn deliver(&self, topic: String, payload: Vec<u8>, retain: bool) -> Option<hark_mqtt_devices::Delivery> {
        let delivery = self.deliver(Message::to_device(topic, payload, retain))?;
        Some(Box::pin(delivery.arrived()))
    }
}

impl Inner {
    fn put(&mut self, message: Message) {
        if message.payload.len() > PAYLOAD_MAX_BYTES {
            self.dropped += 1;
            let bytes = message.payload.len();
            tracing::warn!(topic = message.path, bytes, "too large for MQTT, not published");
            return;
        }
        if message.retain && !message.is_ephemeral() {
            self.latest.insert(message.path.clone(), message.clone());
            if !self.connected {
                return;
            }
        }
        self.queue.push_back(message);
        self.shrink();
    }

    fn put_states_first(&mut self, first: Vec<Message>) {
        self.queue.retain(|message| !message.retain || message.is_ephemeral());
        let states = self.latest.values().cloned().collect::<Vec<_>>();
        for message in first.into_iter().chain(states).rev() {
            self.queue.push_front(message);
        }
        self.shrink();
    }

    fn shrink(&mut self) {
        if self.queue.len() <= QUEUE_MAX {
            return;
        }
        let mut newer = std::collections::HashSet::new();
        let mut kept = VecDeque::with_capacity(QUEUE_MAX);
        for message in self.queue.drain(..).rev() {
            if !message.retain || message.is_ephemeral() || newer.insert(message.path.clone()) {
                kept.push_front(message);
            }
        }
        self.queue = kept;
        while self.queue.len() > QUEUE_MAX {
            let losable = self.queue.iter().position(|message| !message.at_least_once);
            let oldest = losable.or_else(|| self.queue.iter().position(|message| !message.retain));
            if self.queue.remove(oldest.unwrap_or(0)).is_some() {
                self.dropped += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn event(text: &str) -> Message {
        Message { path: "e".into(), payload: text.into(), at_least_once: false, retain: false, ticket: None }
    }

    fn answer(text: &str) -> Message {
        Message { path: "a".into(), payload: text.into(), at_least_once: true, retain: false, ticket: None }
    }

    fn state(path: &str, text: &str) -> Message {
        Message { path: path.into(), payload: text.into(), at_least_once: true, retain: true, ticket: None }
    }

    fn all(outbox: &Outbox) -> Vec<String> {
        std::iter::from_fn(|| outbox.take()).map(|m| String::from_utf8(m.payload).unwrap()).collect()
    }

    #[test]
    fn order_is_kept_while_connected() {
        let outbox = Outbox::default();
        outbox.connected(vec![]);
        outbox.put(vec![state("s", "1"), event("2"), state("s", "3"), answer("4")]);
        assert_eq!(all(&outbox), ["1", "2", "3", "4"]);
    }

    #[test]
    fn a_new_connection_begins_with_the_latest_states() {
        let outbox = Outbox::default();
        outbox.put(vec![state("b", "old"), event("waited"), state("b", "new"), state("a", "other")]);
        outbox.connected(vec![state("online", "online")]);
        assert_eq!(all(&outbox), ["online", "other", "new", "waited"]);
        outbox.repeat(vec![state("online", "online")]);
        assert_eq!(all(&outbox), ["online", "other", "new"]);
    }

    #[test]
    fn what_was_not_acknowledged_waits_again_in_order() {
        let outbox = Outbox::default();
        outbox.connected(vec![]);
        outbox.put(vec![answer("3"), event("4"), state("s", "5")]);
        let given = vec![state("s", "0"), answer("1"), event("lost"), answer("2")];
        outbox.disconnected(given.into_iter());
        assert_eq!(all(&outbox), ["1", "2", "3", "4"]);
    }

    #[tokio::test]
    async fn a_ring_is_sent_until_it_has_arrived_and_a_command_only_now() {
        let outbox = Outbox::default();
        let (ticket, ring_told) = Ticket::lasting();
        outbox.put(vec![Message { ticket: Some(ticket), ..answer("ring") }]);
        outbox.connected(vec![]);
        let command_done = outbox.deliver(answer("command")).unwrap();
        let given: Vec<Message> = std::iter::from_fn(|| outbox.take()).collect();
        assert_eq!(given.len(), 2);
        // The connection breaks before the broker has acknowledged them.
        outbox.disconnected(given.into_iter());
        assert!(!command_done.arrived().await, "it is given up");
        outbox.connected(vec![]);
        let again = outbox.take().unwrap();
        assert_eq!((again.payload.as_slice(), outbox.take()), (b"ring".as_slice(), None));
        again.ticket.unwrap().arrived();
        assert!(ring_told.arrived().await);
    }

    #[test]
    fn a_full_queue_gives_up_the_oldest_event_first() {
        let outbox = Outbox::default();
        outbox.put(vec![answer("keep")]);
        for index in 0..QUEUE_MAX + 5 {
            outbox.put(vec![event(&index.to_string())]);
        }
        let left = all(&outbox);
        assert_eq!(left.len(), QUEUE_MAX);
        assert_eq!(left[..2], ["keep", "6"]);
        assert_eq!(outbox.dropped(), 6);
    }

    #[test]
    fn a_full_queue_collapses_states_to_the_latest() {
        let outbox = Outbox::default();
        outbox.connected(vec![]);
        for index in 0..=QUEUE_MAX {
            outbox.put(vec![state("s", &index.to_string())]);
        }
        assert_eq!(all(&outbox), [QUEUE_MAX.to_string()]);
        assert_eq!(outbox.dropped(), 0);
    }

    #[test]
    fn too_large_messages_are_dropped_and_counted() {
        let outbox = Outbox::default();
        outbox.put(vec![event(&"x".repeat(PAYLOAD_MAX_BYTES + 1))]);
        assert_eq!((outbox.take(), outbox.dropped()), (None, 1));
    }

    #[test]
    fn a_closed_outbox_takes_nothing() {
        let outbox = Outbox::default();
        outbox.put(vec![event("1")]);
        outbox.close();
        outbox.put(vec![event("2")]);
        assert_eq!(all(&outbox), ["1"]);
    }

    proptest! {
        #[test]
        fn never_above_its_bound_and_states_never_lost(kinds in prop::collection::vec(0u8..5, 0..1500)) {
            let outbox = Outbox::default();
            let mut last = None;
            for (index, kind) in kinds.iter().enumerate() {
                let text = index.to_string();
                match kind {
                    0 => outbox.put(vec![event(&text)]),
                    1 => outbox.put(vec![answer(&text)]),
                    2 => { outbox.put(vec![state("s", &text)]); last = Some(text); }
                    3 => outbox.connected(vec![]),
                    _ => outbox.disconnected(std::iter::empty()),
                }
                prop_assert!(outbox.lock().queue.len() <= QUEUE_MAX);
            }
            outbox.connected(vec![]);
            let mut seen = None;
            while let Some(message) = outbox.take() {
                if message.retain { seen = String::from_utf8(message.payload).ok(); }
            }
            prop_assert_eq!(seen, last);
        }
    }
}
