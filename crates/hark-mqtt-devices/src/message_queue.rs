//! Queue of messages from the connection to the device registry. Putting in never waits.
//!
//! Overflow policy. Of one topic the last few messages wait, of a discovery topic the last one: a device that floods its
//! topic loses states that newer ones have replaced, and other devices lose nothing. When too many topics or bytes wait,
//! a message on a further topic is dropped and counted.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Most messages of one topic that wait: a device may tell one entity after the other on it.
const MAX_PER_TOPIC: usize = 8;

/// Most topics with something waiting.
const TOPICS_MAX: usize = 16_384;

/// Most bytes that wait.
const BYTES_MAX: usize = 32 * 1024 * 1024;

/// Largest message; what is larger is told in its place.
const MESSAGE_MAX_BYTES: usize = super::fields::PAYLOAD_MAX_BYTES + 1;

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoming {
    /// Where it came.
    pub topic: String,
    /// What it says.
    pub payload: Vec<u8>,
    /// It lay there before Hark subscribed.
    pub retained: bool,
}

/// What the connection tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// It stands.
    Up,
    /// It is lost.
    Down,
}

#[derive(Debug, Default)]
struct Inner {
    waiting: HashMap<String, VecDeque<(Vec<u8>, bool)>>,
    /// Topics in the order in which something came.
    order: VecDeque<String>,
    bytes: usize,
    link: VecDeque<Link>,
    /// When something came last.
    last: Option<Instant>,
    overtaken: u64,
    lost: u64,
}

/// Messages that wait.
#[derive(Debug, Default)]
pub struct MessageQueue {
    inner: Mutex<Inner>,
    changed: Notify,
}

impl MessageQueue {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic while the lock was held leaves a queue that is still a queue.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a message in; any thread, never waits.
    pub fn put(&self, topic: &str, payload: &[u8], retained: bool) {
        self.lock().put(topic, payload, retained);
        self.changed.notify_one();
    }

    /// The connection stands or is lost. What came over a lost one is worth nothing any more.
    pub fn link(&self, link: Link) {
        let mut inner = self.lock();
        inner.last = Some(Instant::now());
        if link == Link::Down {
            inner.waiting.clear();
            inner.order.clear();
            inner.bytes = 0;
        }
        if inner.link.back() != Some(&link) {
            inner.link.push_back(link);
        }
        // Only the last of each is news.
        while inner.link.len() > 2 {
            inner.link.pop_front();
        }
        drop(inner);
        self.changed.notify_one();
    }

    /// Resolves when something was put in since the last time.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    /// The next word of the connection.
    pub fn take_link(&self) -> Option<Link> {
        self.lock().link.pop_front()
    }

    /// The next messages, at most about so many.
    pub fn take(&self, most: usize) -> Vec<Incoming> {
        let mut inner = self.lock();
        let mut taken = Vec::new();
        while taken.len() < most {
            let Some(topic) = inner.order.pop_front() else { break };
            for (payload, retained) in inner.waiting.remove(&topic).unwrap_or_default() {
                inner.bytes -= payload.len();
                taken.push(Incoming { topic: topic.clone(), payload, retained });
            }
        }
        taken
    }

    /// Whether nothing waits and nothing came for so long.
    pub fn is_quiet(&self, time: Duration) -> bool {
        let inner = self.lock();
        let is_read = inner.order.is_empty() && inner.link.is_empty();
        is_read && inner.last.is_some_and(|last| last.elapsed() >= time)
    }

    /// Messages that newer ones overtook, and messages that were given up.
    pub fn given_up(&self) -> (u64, u64) {
        let inner = self.lock();
        (inner.overtaken, inner.lost)
    }
}

impl Inner {
    fn put(&mut self, topic: &str, payload: &[u8], retained: bool) {
        self.last = Some(Instant::now());
        let is_new = !self.waiting.contains_key(topic);
        let payload = &payload[..payload.len().min(MESSAGE_MAX_BYTES)];
        if is_new && self.waiting.len() >= TOPICS_MAX || self.bytes + payload.len() > BYTES_MAX {
            self.lost += 1;
            return;
        }
        if is_new {
            self.order.push_back(topic.to_owned());
        }
        let most = if topic.ends_with("/config") { 1 } else { MAX_PER_TOPIC };
        let waiting = self.waiting.entry(topic.to_owned()).or_default();
        self.bytes += payload.len();
        waiting.push_back((payload.to_vec(), retained));
        if waiting.len() > most
            && let Some((old, _)) = waiting.pop_front()
        {
            self.bytes -= old.len();
            self.overtaken += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_on_one_topic_keeps_its_newest_and_all_of_the_others() {
        let message_queue = MessageQueue::default();
        message_queue.put("quiet", b"1", true);
        for number in 0..10_000 {
            message_queue.put("loud", number.to_string().as_bytes(), false);
        }
        message_queue.put("a/config", b"old", true);
        message_queue.put("a/config", b"new", true);
        let taken = message_queue.take(100);
        let of = |topic: &str| taken.iter().filter(|one| one.topic == topic).collect::<Vec<_>>();
        assert_eq!(of("quiet").len(), 1);
        assert_eq!(of("loud").len(), MAX_PER_TOPIC);
        assert_eq!(of("loud").last().unwrap().payload, b"9999");
        assert_eq!(of("a/config")[0].payload, b"new");
        assert_eq!(message_queue.given_up(), (10_000 - 8 + 1, 0));
        assert!(message_queue.take(100).is_empty());
        assert_eq!(message_queue.lock().bytes, 0);
    }

    #[test]
    fn what_waits_is_bounded_in_topics_and_bytes() {
        let message_queue = MessageQueue::default();
        for number in 0..TOPICS_MAX + 5 {
            message_queue.put(&number.to_string(), b"x", false);
        }
        assert_eq!(message_queue.given_up(), (0, 5));
        let message_queue = MessageQueue::default();
        let large = vec![b'x'; 10 * 1024 * 1024];
        for number in 0..200 {
            message_queue.put(&number.to_string(), &large, false);
        }
        assert!(message_queue.lock().bytes <= BYTES_MAX && message_queue.given_up().1 > 0);
    }

    #[test]
    fn a_lost_connection_takes_what_waits_with_it() {
        let message_queue = MessageQueue::default();
        message_queue.put("a", b"1", false);
        message_queue.link(Link::Down);
        message_queue.link(Link::Up);
        message_queue.link(Link::Down);
        message_queue.link(Link::Up);
        assert!(message_queue.take(10).is_empty());
        assert_eq!(
            (message_queue.take_link(), message_queue.take_link(), message_queue.take_link()),
            (Some(Link::Down), Some(Link::Up), None)
        );
    }
}
