//! Deduplicates incoming messages: tells one that the broker delivers again (its acknowledgement may have been lost) from
//! one that was sent again on purpose. Also remembers the ids that senders give, so that each id counts once.

use super::inbound::message_id;
use super::topics::Topic;
use sha2::{Digest, Sha256};
use std::collections::VecDeque;

/// Identifies a message, also after a restart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageKey {
    /// The packet it came in.
    pub packet: u16,
    /// A hash of its topic and words.
    pub content: u64,
    /// A hash of its topic and the id its sender gave it.
    pub id: Option<u64>,
}

/// Deliveries that are remembered until it is known that the broker has their acknowledgement. Brokers let far fewer
/// be under way.
const MAX_UNSETTLED: usize = 256;

/// Ids given by senders that are remembered.
const MAX_IDS: usize = 1024;

/// One delivery with QoS 1; whether the broker knows that it arrived is not known yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Unsettled {
    /// The place of its acknowledgement among all; `None` until that is written.
    acknowledged: Option<u64>,
    packet: u16,
    content: u64,
}

/// Recent deliveries and ids.
#[derive(Debug, Default)]
pub struct Deduplicator {
    open: VecDeque<Unsettled>,
    /// Acknowledgements that were written.
    acknowledged: u64,
    /// Acknowledgements up to this one were written on earlier connections: whether they arrived is not proved by
    /// anything that happens on this one.
    earlier: u64,
    ids: VecDeque<u64>,
}

impl Deduplicator {
    /// With what is known of the time before this start.
    pub fn of(known: &[MessageKey]) -> Self {
        let mut seen = Self::default();
        for known in known {
            seen.remember(known.packet, known.content);
            if let Some(id) = known.id {
                seen.remember_id(id);
            }
        }
        seen
    }

    /// Whether this is a repetition (flag `dup`, same packet id, same words) of a delivery whose acknowledgement
    /// may have been lost; remembers it if not. To be called once for every message, in their order.
    pub fn is_duplicate(&mut self, publish: &rumqttc::Publish) -> bool {
        if publish.pkid == 0 {
            return false;
        }
        let content = content_hash(publish);
        let known = |open: &&mut Unsettled| open.packet == publish.pkid && open.content == content;
        if publish.dup
            && let Some(open) = self.open.iter_mut().find(known)
        {
            // It is to be acknowledged again.
            open.acknowledged = None;
            return true;
        }
        self.remember(publish.pkid, content);
        false
    }

    fn remember(&mut self, packet: u16, content: u64) {
        // The broker uses a packet id again only once it has let go of the message before.
        self.open.retain(|open| open.packet != packet);
        if self.open.len() == MAX_UNSETTLED {
            self.open.pop_front();
        }
        self.open.push_back(Unsettled { acknowledged: None, packet, content });
    }

    /// The acknowledgement of this packet was written.
    pub fn acknowledged(&mut self, packet: u16) {
        self.acknowledged += 1;
        for open in self.open.iter_mut().filter(|open| open.packet == packet) {
            open.acknowledged = Some(self.acknowledged);
        }
    }

    /// A new connection begins; `resumed`: the broker still knows this client. Where it does not, nothing is
    /// delivered again.
    pub fn connected(&mut self, resumed: bool) {
        self.earlier = self.acknowledged;
        if !resumed {
            self.open.clear();
        }
    }

    /// A mark behind everything that was acknowledged so far, for a message of our own that is being written now.
    pub fn mark(&self) -> u64 {
        self.acknowledged
    }

    /// The broker has answered what was written at this mark. Acknowledgements written before it have arrived as
    /// well, on the same connection: those deliveries do not come again, and what looks like them is new.
    pub fn settled(&mut self, mark: u64) {
        let earlier = self.earlier;
        self.open.retain(|open| open.acknowledged.is_none_or(|number| number > mark || number <= earlier));
    }

    /// Whether a message carries an id that came before on this topic; remembers it if not. Senders that send
    /// again when in doubt give one.
    pub fn has_known_id(&mut self, topic: Topic, publish: &rumqttc::Publish) -> bool {
        // Others have ids that several messages share, as all who confirm an announcement do.
        let counts_once = matches!(topic, Topic::Ask | Topic::Say | Topic::Teach | Topic::Announce);
        let Some(id) = counts_once.then(|| id_hash(publish)).flatten() else { return false };
        if self.ids.contains(&id) {
            return true;
        }
        self.remember_id(id);
        false
    }

    fn remember_id(&mut self, id: u64) {
        if self.ids.len() == MAX_IDS {
            self.ids.pop_front();
        }
        self.ids.push_back(id);
    }
}

/// A hash of topic and words; the same after a restart, and with another version of Hark.
pub fn content_hash(publish: &rumqttc::Publish) -> u64 {
    hash(&publish.topic, &publish.payload)
}

/// A hash of topic and the id the sender gave, if it gave one.
pub fn id_hash(publish: &rumqttc::Publish) -> Option<u64> {
    message_id(&publish.payload).map(|id| hash(&publish.topic, id.as_bytes()))
}

fn hash(topic: &[u8], rest: &[u8]) -> u64 {
    // No topic holds a zero.
    let hash = Sha256::new().chain_update(topic).chain_update([0]).chain_update(rest).finalize();
    hash.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
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
        let mut seen = Deduplicator::default();
        assert!(!seen.is_duplicate(&delivered(1, "toggle the light", false)));
        assert!(seen.is_duplicate(&delivered(1, "toggle the light", true)));
        assert!(seen.is_duplicate(&delivered(1, "toggle the light", true)), "however often");
        assert!(!seen.is_duplicate(&delivered(1, "toggle the light", false)), "said twice is meant twice");
        assert!(!seen.is_duplicate(&delivered(2, "toggle the light", true)));
        assert!(!seen.is_duplicate(&delivered(1, "something else", true)));
        let free = |dup| delivered(0, "x", dup);
        assert!(!seen.is_duplicate(&free(false)) && !seen.is_duplicate(&free(true)));
    }

    #[test]
    fn what_the_broker_has_let_go_of_is_no_repetition() {
        let mut seen = Deduplicator::default();
        assert!(!seen.is_duplicate(&delivered(1, "toggle", false)));
        seen.acknowledged(1);
        let mark = seen.mark();
        assert!(!seen.is_duplicate(&delivered(2, "toggle", false)));
        seen.settled(mark);
        // Its first delivery under the old packet id was lost with the connection.
        assert!(!seen.is_duplicate(&delivered(1, "toggle", true)), "meant twice");
        assert!(seen.is_duplicate(&delivered(2, "toggle", true)), "not acknowledged before the mark");
        // Another message took the packet id: the first was settled, whatever the words.
        assert!(!seen.is_duplicate(&delivered(2, "other", false)));
        assert!(!seen.is_duplicate(&delivered(2, "toggle", true)));
    }

    #[test]
    fn what_happens_on_a_new_connection_proves_nothing_of_the_old_one() {
        let mut seen = Deduplicator::default();
        assert!(!seen.is_duplicate(&delivered(7, "toggle", false)));
        seen.acknowledged(7);
        seen.connected(true);
        let mark = seen.mark();
        seen.settled(mark);
        assert!(seen.is_duplicate(&delivered(7, "toggle", true)), "its acknowledgement was lost");
        seen.acknowledged(7);
        let mark = seen.mark();
        seen.settled(mark);
        assert!(!seen.is_duplicate(&delivered(7, "toggle", true)), "that of the repetition was not");
    }

    #[test]
    fn a_broker_that_has_forgotten_this_client_delivers_nothing_again() {
        let mut seen = Deduplicator::default();
        assert!(!seen.is_duplicate(&delivered(7, "toggle", false)));
        seen.connected(false);
        assert!(!seen.is_duplicate(&delivered(7, "toggle", true)));
    }

    #[test]
    fn what_came_before_the_start_is_known() {
        let message = |dup| {
            let mut publish = delivered(7, r#"{"text": "toggle", "id": "a"}"#, dup);
            publish.topic = "hark/hark/ask".into();
            publish
        };
        let known =
            MessageKey { packet: 7, content: content_hash(&message(false)), id: id_hash(&message(false)) };
        let known = [known, MessageKey { packet: 8, id: None, ..known }];
        let mut seen = Deduplicator::of(&known);
        seen.connected(true);
        assert!(seen.is_duplicate(&message(true)));
        let mut seen = Deduplicator::of(&known);
        assert!(!seen.is_duplicate(&message(false)), "sent again, and not delivered again");
        assert!(seen.has_known_id(Topic::Ask, &message(false)), "under the same id");
    }

    #[test]
    fn an_id_is_good_for_once_and_for_its_topic() {
        let mut seen = Deduplicator::default();
        let sent = |topic: &str, payload: &str| Publish::new(topic, QoS::AtLeastOnce, payload);
        let with =
            |topic: &str, id: &str| sent(topic, &format!("{{\"text\": \"toggle\", \"id\": \"{id}\"}}"));
        assert!(!seen.has_known_id(Topic::Ask, &with("ask", "a")));
        assert!(seen.has_known_id(Topic::Ask, &with("ask", "a")));
        assert!(!seen.has_known_id(Topic::Ask, &with("ask", "b")));
        assert!(!seen.has_known_id(Topic::Say, &with("say", "a")));
        for _ in 0..2 {
            assert!(!seen.has_known_id(Topic::Confirmed, &with("confirmed", "a")), "every node confirms");
            assert!(!seen.has_known_id(Topic::Ask, &sent("ask", "toggle")), "the same words count twice");
        }
        for number in 0..5_000 {
            assert!(!seen.has_known_id(Topic::Ask, &with("ask", &format!("n{number}"))));
            assert!(!seen.is_duplicate(&delivered(1 + number % 60_000, "toggle", false)));
        }
        assert!(seen.ids.len() == MAX_IDS && seen.open.len() == MAX_UNSETTLED, "bounded");
    }
}
