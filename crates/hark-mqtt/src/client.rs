//! The task that keeps the node connected: one [`Connection`] after the other, with growing pauses (back-off) between
//! them, and reports why there is none.

use super::InboundHandlers;
use super::acknowledgement::AckState;
use super::connection::{Connection, End};
use super::discovery::{self, NodeInfo};
use super::error::Error;
use super::outbound::Message;
use super::outbox::Outbox;
use super::refusals::Refusals;
use super::topics::{Topic, Topics};
use hark_core::event::Event;
use hark_core::fault::Fault;
use hark_core::house::NodeCard;
use hark_mqtt_devices::Devices;
use hark_net::backoff::{Backoff, Policy};
use rumqttc::mqttbytes::Error as WireError;
use rumqttc::{
    AckMode, AsyncClient, ConnectReturnCode, ConnectionError, MqttOptions, Outgoing, Packet, StateError,
};
use std::collections::BTreeSet;
use std::mem::Discriminant;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Requests rumqttc's channel holds: more than a session ever hands over at once.
pub const CHANNEL_MESSAGES: usize = 64;

/// A connection that held this long resets the back-off.
const MIN_STABLE: Duration = Duration::from_secs(10);

/// So many short connections in a row mean that the broker closes them on purpose, as for a client id used twice.
const MAX_SHORT_LIVED: u32 = 3;

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
    absent: BTreeSet<String>,
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

/// The task.
pub struct Client {
    options: MqttOptions,
    shared: Arc<ClientState>,
    handlers: InboundHandlers,
    ack_state: AckState,
    backoff: Backoff,
    /// Kinds of errors that were reported in this outage: each is news once.
    reported: Vec<Discriminant<Error>>,
    /// Connections in a row that broke soon after they were made.
    short_lived: u32,
}

impl Client {
    /// A connection with these options; what must not be lost is written into the request_log.
    pub fn new(mut options: MqttOptions, shared: Arc<ClientState>, handlers: InboundHandlers) -> Self {
        options.set_ack_mode(AckMode::Manual);
        Self {
            options,
            shared,
            ack_state: AckState::new(handlers.request_log.clone()),
            handlers,
            backoff: Backoff::new(Policy::CONNECTION),
            reported: Vec::new(),
            short_lived: 0,
        }
    }

    /// Connects again and again until `stop` becomes true.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) {
        loop {
            let builder = AsyncClient::builder(self.options.clone());
            let (client, mut eventloop) = builder.capacity(CHANNEL_MESSAGES).build();
            // Or a command that follows an event waits 40 ms until the broker has acknowledged that.
            let mut network = eventloop.network_options();
            network.set_tcp_nodelay(true);
            eventloop.set_network_options(network);
            let mut connection = Connection::new(client, &self.shared, &self.handlers, &mut self.ack_state);
            let end = connection.run(eventloop, &mut stop).await;
            let lasted = connection.lasted();
            self.shared.outbox.disconnected(connection.into_unacknowledged());
            if let Some(devices) = self.shared.devices.as_ref().filter(|_| lasted.is_some()) {
                devices.disconnected();
            }
            let End::Lost(error) = end else {
                self.shared.set_link(false, None);
                return;
            };
            let is_oversized = self.note_loss(*error, lasted);
            if let Some(devices) = self.shared.devices.as_ref().filter(|_| is_oversized) {
                devices.oversized();
            }
            let wait = self.backoff.next_wait();
            tokio::select! {
                () = self.pause(wait) => {}
                _ = stop.wait_for(|stop| *stop) => return,
            }
            if is_oversized {
                // The broker would deliver the message again; a clean session makes it forget it.
                forget_session(&self.options).await;
            }
        }
    }

    /// Waits; what was taken before the connection broke is acted on meanwhile.
    async fn pause(&mut self, wait: Duration) {
        let over = tokio::time::sleep(wait);
        tokio::pin!(over);
        loop {
            tokio::select! {
                () = &mut over => return,
                acknowledgeable = self.ack_state.ack_queue.next() => {
                    acknowledgeable.into_iter().filter_map(|acknowledgeable| acknowledgeable.event).for_each(|event| (self.handlers.sink)(event));
                }
            }
        }
    }

    /// Counts and reports the end of a session; true when a message that is too large ended it.
    fn note_loss(&mut self, error: ConnectionError, lasted: Option<Duration>) -> bool {
        match lasted {
            Some(lasted) if lasted >= MIN_STABLE => {
                self.backoff.reset();
                self.short_lived = 0;
                self.reported.clear();
            }
            Some(_) => self.short_lived += 1,
            None => self.short_lived = 0,
        }
        self.shared
            .outages
            .fetch_add(u64::from(lasted.is_some() || self.reported.is_empty()), Ordering::Relaxed);
        let repeatedly_closed = self.short_lived >= MAX_SHORT_LIVED;
        let error = explain(error, &self.shared.broker, &self.options.client_id(), repeatedly_closed);
        let is_oversized = matches!(error, Error::MessageTooLarge { .. });
        let kind = std::mem::discriminant(&error);
        let fault = error.while_trying();
        tracing::debug!(%fault, "MQTT connection lost");
        self.shared.set_link(false, Some(fault.clone()));
        if !self.reported.contains(&kind) {
            self.reported.push(kind);
            (self.handlers.sink)(Event::Fault { fault });
        }
        is_oversized
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The task is no more; without this the last thing known would be that all is well.
        if std::thread::panicking() {
            self.shared.set_link(false, Some(Error::TaskDied.into()));
        }
    }
}

/// Says in our words what rumqttc reports.
pub fn explain(error: ConnectionError, broker: &str, client_id: &str, repeatedly_closed: bool) -> Error {
    let broker = broker.to_owned();
    match error {
        ConnectionError::ConnectionRefused(code) => {
            let why = match code {
                ConnectReturnCode::BadUserNamePassword => "wrong user name or password",
                ConnectReturnCode::NotAuthorized => "not authorised",
                ConnectReturnCode::BadClientId => "it does not like the client id",
                ConnectReturnCode::RefusedProtocolVersion => "it does not speak MQTT 3.1.1",
                ConnectReturnCode::ServiceUnavailable | ConnectReturnCode::Success => "it is not available",
            };
            Error::Refused { broker, why }
        }
        ConnectionError::MqttState(StateError::Deserialization(WireError::PayloadSizeLimitExceeded(
            bytes,
        ))) => Error::MessageTooLarge { broker, bytes },
        ConnectionError::Tls(error) => Error::TlsFailed { broker, why: error.to_string() },
        error if repeatedly_closed => {
            Error::RepeatedlyClosed { broker, client_id: client_id.to_owned(), why: error.to_string() }
        }
        error => Error::Unreachable { broker, why: error.to_string() },
    }
}

/// Connects once with a clean session, so that the broker drops what it keeps for this client.
async fn forget_session(options: &MqttOptions) {
    let mut options = options.clone();
    options.set_clean_session(true);
    let (client, mut eventloop) = AsyncClient::builder(options).capacity(4).build();
    let pass = async {
        loop {
            match eventloop.poll().await {
                Ok(rumqttc::Event::Incoming(Packet::ConnAck(_))) => {
                    if client.try_disconnect().is_err() {
                        return;
                    }
                }
                Ok(rumqttc::Event::Outgoing(Outgoing::Disconnect)) | Err(_) => return,
                Ok(_) => {}
            }
        }
    };
    // A failure shows again at the next connection; nothing to report here.
    let _ = tokio::time::timeout(Duration::from_secs(10), pass).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_connections_in_a_row_point_to_a_twin() {
        let broken = || ConnectionError::MqttState(StateError::ConnectionAborted);
        let fault = Fault::from(explain(broken(), "mqtt://b", "hark-kitchen", true));
        assert!(fault.message.contains("hark-kitchen") && fault.fix.contains("mqtt.node"), "{fault}");
        let fault = Fault::from(explain(broken(), "mqtt://b", "hark-kitchen", false));
        assert!(fault.message.contains("mqtt://b") && fault.fix.contains("mqtt.url"), "{fault}");
    }

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

    #[test]
    fn a_refusal_names_what_to_check() {
        let refused = ConnectionError::ConnectionRefused(ConnectReturnCode::BadUserNamePassword);
        let fault = explain(refused, "mqtt://b", "id", false).while_trying();
        assert!(fault.recoverable && fault.fix.contains("mqtt.password_file"), "{fault}");
    }
}
