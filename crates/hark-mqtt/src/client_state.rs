//! What the client task and those who have messages sent share: topics, what waits to be sent, how the connection stands.

use super::discovery::{self, NodeInfo};
use super::outbound::Message;
use super::outbox::Outbox;
use super::refusals::Refusals;
use super::topics::{Topic, Topics};
use hark_core::fault::Fault;
use hark_core::house::NodeCard;
use hark_mqtt_devices::Devices;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// State shared by the client task and [`crate::Mqtt`].
#[derive(Debug)]
pub struct ClientState {
    /// Topics of this node.
    pub topics: Topics,
    /// What waits to be sent.
    pub outbox: Arc<Outbox>,
    /// The devices that others announce; `None` when Hark does not drive them.
    pub devices: Option<Arc<Devices>>,
    /// Here for the devices only, beside the daemon: takes no commands and announces nothing.
    pub devices_only: bool,
    /// Address of the broker, for people.
    pub broker: String,
    /// Messages from outside that were not acted on.
    pub refused: AtomicU64,
    /// Times the connection could not be made or broke.
    pub outages: AtomicU64,
    /// Topics of states this node does not have.
    pub(super) absent: BTreeSet<String>,
    /// How often refused messages are told.
    pub refusals: Mutex<Refusals>,
    discovery: Vec<u8>,
    card: Vec<u8>,
    link: Mutex<(bool, Option<Fault>)>,
}

impl ClientState {
    /// `announce`: whether Home Assistant is told of this node, or told to forget it.
    pub fn new(
        topics: Topics,
        about: NodeInfo,
        announce: bool,
        broker: String,
        devices: Option<Arc<Devices>>,
    ) -> Self {
        let outbox = Arc::new(Outbox::default());
        if let Some(devices) = &devices {
            devices.attach(Arc::clone(&outbox) as _);
        }
        let discovery = match announce {
            true => discovery::payload(&topics, &about).to_string().into_bytes(),
            false => Vec::new(),
        };
        let absent = discovery::absent_states(&topics, &about.equipment);
        let card = NodeCard { node: topics.node().to_owned(), area: about.area, version: about.version };
        let card = serde_json::to_vec(&card).unwrap_or_default();
        Self {
            topics,
            outbox,
            devices,
            devices_only: false,
            broker,
            refused: AtomicU64::new(0),
            outages: AtomicU64::new(0),
            absent,
            refusals: Mutex::new(Refusals::new(Instant::now())),
            discovery,
            card,
            link: Mutex::new((false, None)),
        }
    }

    /// What one who is here for the devices only shares.
    pub fn for_devices_only(topics: Topics, broker: String, devices: Arc<Devices>) -> Self {
        Self { devices_only: true, ..Self::new(topics, NodeInfo::default(), false, broker, Some(devices)) }
    }

    /// Whether there is a connection, and what does not work.
    pub fn link(&self) -> (bool, Option<Fault>) {
        self.link.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes how the connection stands.
    pub fn set_link(&self, connected: bool, problem: Option<Fault>) {
        // While it is away it cannot be told so.
        if connected && !self.devices_only {
            let state = if problem.is_some() { "ON" } else { "OFF" };
            self.put(vec![Message::new(&self.topics, Topic::BrokerProblemState, state)]);
        }
        *self.link.lock().unwrap_or_else(PoisonError::into_inner) = (connected, problem);
    }

    /// Has messages sent, but not what this node has nothing to tell of.
    pub fn put(&self, mut messages: Vec<Message>) {
        messages.retain(|message| !self.absent.contains(&message.path));
        self.outbox.put(messages);
    }

    /// What a connection begins with: here we are, and who we are.
    pub fn greeting(&self) -> Vec<Message> {
        if self.devices_only {
            return Vec::new();
        }
        let nothing = |path: &String| Message {
            path: path.clone(),
            payload: Vec::new(),
            at_least_once: true,
            retain: true,
            ticket: None,
        };
        let mut greeting = vec![
            Message::new(&self.topics, Topic::Availability, "online"),
            Message::new(&self.topics, Topic::Node, self.card.clone()),
            Message::new(&self.topics, Topic::Discovery, self.discovery.clone()),
        ];
        greeting.extend(self.absent.iter().map(nothing));
        greeting
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    fn shared(equipment: discovery::Equipment, devices_only: bool) -> ClientState {
        let topics = Topics::new("hark", "homeassistant").unwrap();
        let about = NodeInfo { equipment, ..NodeInfo::default() };
        let shared =
            ClientState { devices_only, ..ClientState::new(topics, about, true, "mqtt://b".into(), None) };
        shared.outbox.connected(shared.greeting());
        shared
    }

    fn sent(shared: &ClientState) -> Vec<(String, String)> {
        let messages = std::iter::from_fn(|| shared.outbox.take());
        messages.map(|message| (message.path, String::from_utf8(message.payload).unwrap())).collect()
    }

    #[test]
    fn what_the_broker_keeps_from_hark_is_told_and_no_longer_when_it_is_well() {
        let states = |devices_only| {
            let shared = shared(discovery::Equipment::full(), devices_only);
            sent(&shared);
            let refused =
                Error::SubscriptionRefused { broker: "mqtt://b".into(), topic: "hark/hark/ask".into() };
            shared.set_link(true, Some(refused.while_trying()));
            shared.set_link(true, None);
            shared.set_link(false, None);
            sent(&shared).into_iter().map(|(path, state)| format!("{path} {state}")).collect::<Vec<_>>()
        };
        assert_eq!(
            states(false),
            ["hark/hark/broker_problem/state ON", "hark/hark/broker_problem/state OFF"]
        );
        assert!(states(true).is_empty(), "a visitor speaks for nobody");
    }

    #[test]
    fn what_a_node_does_not_have_is_cleared_and_never_told() {
        let equipment = discovery::Equipment { speaker: false, ..discovery::Equipment::full() };
        let shared = shared(equipment, false);
        let volume = || Message::new(&shared.topics, Topic::VolumeState, "80");
        let greeting = sent(&shared);
        assert!(greeting.contains(&(volume().path, String::new())), "{greeting:?}");
        shared.put(vec![volume(), Message::new(&shared.topics, Topic::State, "idle")]);
        assert_eq!(sent(&shared), [("hark/hark/state".to_owned(), "idle".to_owned())]);
    }
}
