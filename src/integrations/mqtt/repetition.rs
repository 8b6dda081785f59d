//! Tells a message that is delivered again from one that was sent again. After a break the broker delivers again what
//! it has no acknowledgement for, although it may have been carried out; the same words sent twice are meant twice.

use super::inbound::message_id;
use super::topics::Topic;
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Deliveries that are remembered until it is known that the broker has their acknowledgement. Brokers let far fewer
/// be under way.
const MOST_OPEN: usize = 256;

/// Ids given by senders that are remembered.
const MOST_IDS: usize = 1024;

/// One delivery with QoS 1 that was acknowledged; whether that arrived is not known yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Open {
    /// Its place among all deliveries.
    number: u64,
    packet: u16,
    content: u64,
}

/// What came, and what may come again.
#[derive(Debug, Default)]
pub struct Seen {
    open: VecDeque<Open>,
    received: u64,
    /// Deliveries up to this one came on earlier connections: whether their acknowledgements arrived is not proved by
    /// anything that happens on this one.
    earlier: u64,
    ids: VecDeque<u64>,
}

impl Seen {
    /// Whether this is a repetition (flag `dup`, same packet id, same words) of a delivery whose acknowledgement
    /// may have been lost; remembers it if not. To be called once for every message, in their order.
    pub fn is_repetition(&mut self, publish: &rumqttc::Publish) -> bool {
        if publish.pkid == 0 {
            return false;
        }
        let content = hash(&(&publish.topic, publish.payload.as_ref()));
        let known = |open: &&Open| open.packet == publish.pkid && open.content == content;
        if publish.dup
            && let Some(at) = self.open.iter().position(|open| known(&open))
        {
            // It is acknowledged again, now.
            self.received += 1;
            self.open[at].number = self.received;
            return true;
        }
        // The broker uses a packet id again only once it has let go of the message before.
        self.open.retain(|open| open.packet != publish.pkid);
        if self.open.len() == MOST_OPEN {
            self.open.pop_front();
        }
        self.received += 1;
        self.open.push_back(Open { number: self.received, packet: publish.pkid, content });
        false
    }

    /// A new connection begins.
    pub fn connected(&mut self) {
        self.earlier = self.received;
    }

    /// A mark behind everything that came so far, for a message of our own that is being written now.
    pub fn mark(&self) -> u64 {
        self.received
    }

    /// The broker has answered what was written at this mark. Acknowledgements written before it have arrived as
    /// well, on the same connection: those deliveries do not come again, and what looks like them is new.
    pub fn settled(&mut self, mark: u64) {
        self.open.retain(|open| open.number > mark || open.number <= self.earlier);
    }

    /// Whether a message carries an id that came before on this topic; remembers it if not. Senders that send
    /// again when in doubt give one.
    pub fn has_known_id(&mut self, topic: Topic, payload: &[u8]) -> bool {
        // Others have ids that several messages share, as all who confirm an announcement do.
        let counts_once = matches!(topic, Topic::Ask | Topic::Say | Topic::Teach | Topic::Announce);
        let Some(id) = counts_once.then(|| message_id(payload)).flatten() else { return false };
        let id = hash(&(topic, id));
        if self.ids.contains(&id) {
            return true;
        }
        if self.ids.len() == MOST_IDS {
            self.ids.pop_front();
        }
        self.ids.push_back(id);
        false
    }
}

fn hash(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rumqttc::{Publish, QoS};

    fn delivered(pkid: u16, payload: &str, dup: bool) -> Publish {
        let mut publish = Publish::new("hark/hark/ask", QoS::AtLeastOnce, payload);
        (publish.pkid, publish.dup) = (pkid, dup);
        publish
    }

    #[test]
    fn a_repetition_is_known_by_flag_id_and_content() {
        let mut seen = Seen::default();
        assert!(!seen.is_repetition(&delivered(1, "toggle the light", false)));
        assert!(seen.is_repetition(&delivered(1, "toggle the light", true)));
        assert!(seen.is_repetition(&delivered(1, "toggle the light", true)), "however often");
        assert!(!seen.is_repetition(&delivered(1, "toggle the light", false)), "said twice is meant twice");
        assert!(!seen.is_repetition(&delivered(2, "toggle the light", true)));
        assert!(!seen.is_repetition(&delivered(1, "something else", true)));
        let free = |dup| delivered(0, "x", dup);
        assert!(!seen.is_repetition(&free(false)) && !seen.is_repetition(&free(true)));
    }

    #[test]
    fn what_the_broker_has_let_go_of_is_no_repetition() {
        let mut seen = Seen::default();
        assert!(!seen.is_repetition(&delivered(1, "toggle", false)));
        let mark = seen.mark();
        assert!(!seen.is_repetition(&delivered(2, "toggle", false)));
        seen.settled(mark);
        // Its first delivery under the old packet id was lost with the connection.
        assert!(!seen.is_repetition(&delivered(1, "toggle", true)), "meant twice");
        assert!(seen.is_repetition(&delivered(2, "toggle", true)), "may still be open");
        // Another message took the packet id: the first was settled, whatever the words.
        assert!(!seen.is_repetition(&delivered(2, "other", false)));
        assert!(!seen.is_repetition(&delivered(2, "toggle", true)));
    }

    #[test]
    fn what_happens_on_a_new_connection_proves_nothing_of_the_old_one() {
        let mut seen = Seen::default();
        assert!(!seen.is_repetition(&delivered(7, "toggle", false)));
        seen.connected();
        let mark = seen.mark();
        seen.settled(mark);
        assert!(seen.is_repetition(&delivered(7, "toggle", true)), "its acknowledgement was lost");
        let mark = seen.mark();
        seen.settled(mark);
        assert!(!seen.is_repetition(&delivered(7, "toggle", true)), "that of the repetition was not");
    }

    #[test]
    fn an_id_is_good_for_once_and_for_its_topic() {
        let mut seen = Seen::default();
        let with = |id: &str| format!("{{\"text\": \"toggle\", \"id\": \"{id}\"}}").into_bytes();
        assert!(!seen.has_known_id(Topic::Ask, &with("a")));
        assert!(seen.has_known_id(Topic::Ask, &with("a")));
        assert!(!seen.has_known_id(Topic::Ask, &with("b")) && !seen.has_known_id(Topic::Say, &with("a")));
        for _ in 0..2 {
            assert!(!seen.has_known_id(Topic::Confirmed, &with("a")), "every node confirms");
            assert!(!seen.has_known_id(Topic::Ask, b"toggle"), "without an id the same words count twice");
        }
        for number in 0..5_000 {
            assert!(!seen.has_known_id(Topic::Ask, &with(&format!("n{number}"))));
            assert!(!seen.is_repetition(&delivered(1 + number % 60_000, "toggle", false)));
        }
        assert!(seen.ids.len() == MOST_IDS && seen.open.len() == MOST_OPEN, "bounded");
    }
}
