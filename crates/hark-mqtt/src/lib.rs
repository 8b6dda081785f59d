//! MQTT: Hark's node on a broker and in Home Assistant, and the connection that devices of MQTT discovery
//! (`hark-mqtt-devices`) use.
//!
//! `client` is the task that keeps the connection to the broker (`broker`, `embedded_broker`) and reconnects; `connection`
//! is one connection, and `receive` its handling of incoming messages. Outgoing: `outbound` turns events into messages,
//! `outbox` is the bounded queue, `delivery` tells when the broker has acknowledged one. Incoming: `inbound` parses
//! commands, `deduplicator` drops those that were delivered twice, `acknowledgement` decides when they are acknowledged
//! and logged. Every topic is in the table of `topics`; `discovery` describes this node to Home Assistant. All of it
//! runs on the tokio runtime (`hark-async`).
//!
//! ```
//! use hark_mqtt::topics::{Topic, Topics};
//!
//! let topics = Topics::new("kitchen", "homeassistant").expect("a node's name");
//! assert_eq!(topics.path(Topic::State), "hark/kitchen/state");
//! ```

mod acknowledgement;
pub mod broker;
#[cfg(feature = "embedded-broker")]
mod broker_proxy;
mod client;
mod client_state;
mod connection;
pub mod contract;
mod deduplicator;
mod delivery;
pub mod discovery;
#[cfg(feature = "embedded-broker")]
pub mod embedded_broker;
pub mod error;
pub mod inbound;
mod nodes;
pub mod outbound;
mod outbox;
mod probe;
mod receive;
mod refusals;
pub mod topics;

pub use acknowledgement::{AckPolicy, IncomingRequest, RequestLog};
pub use deduplicator::MessageKey;
pub use discovery::{Equipment, NodeInfo};
pub use nodes::{Node, nodes};
pub use outbound::Diagnostic;
pub use probe::probe;

use broker::{Broker, Credentials};
use client::Client;
use client_state::ClientState;
use delivery::{Delivery, Ticket};
use error::Error;
use hark_config::{self as config, paths};
use hark_core::command::DaemonCommand;
use hark_core::event::Event;
use hark_core::fault::Fault;
use hark_core::house::{Announcement, Claim, Confirmed};
use hark_core::ports::HomeSink;
use hark_core::public_event::Envelope;
use hark_mqtt_devices::{DeviceCounts, Devices};
use outbound::Message;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use topics::{Topic, Topics};

/// How long a clean exit waits for the broker to acknowledge what is left and `offline`.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(3);

/// Where commands from MQTT go. Called on the connection's task: it must not block.
pub type InboundSink = Arc<dyn Fn(Event) + Send + Sync>;

/// Where orders to the daemon from MQTT go. Called on the connection's task: it must not block.
pub type CommandSink = Arc<dyn Fn(DaemonCommand) + Send + Sync>;

/// Where incoming messages go.
#[derive(Clone)]
pub struct InboundHandlers {
    /// What is for the turn machine.
    pub sink: InboundSink,
    /// What is for the daemon.
    pub commands: CommandSink,
    /// The log that a request is written to before it is acknowledged; without one it is acknowledged at once.
    pub request_log: Option<Arc<dyn RequestLog>>,
}

/// For programs that are no daemon: orders to the daemon are ignored.
impl<F: Fn(Event) + Send + Sync + 'static> From<Arc<F>> for InboundHandlers {
    fn from(sink: Arc<F>) -> Self {
        Self { sink, commands: Arc::new(|_| {}), request_log: None }
    }
}

/// How MQTT stands, for `hark doctor`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Status {
    /// Address of the broker; `None` when MQTT is off.
    pub broker: Option<String>,
    /// There is a connection now.
    pub connected: bool,
    /// Why there is none, or what does not work.
    pub problem: Option<Fault>,
    /// Messages given up because the queue was full or they were too large.
    pub dropped: u64,
    /// Messages from outside that were not acted on.
    pub refused: u64,
    /// Times the connection could not be made or broke.
    pub outages: u64,
    /// The devices that others announce.
    pub devices: DeviceCounts,
}

/// Hark on MQTT. Dropping it without [`Mqtt::shutdown`] breaks the connection off, and the broker
/// publishes the last will.
#[derive(Debug)]
pub struct Mqtt {
    /// `None` when MQTT is off.
    link: Option<Link>,
}

#[derive(Debug)]
struct Link {
    shared: Arc<ClientState>,
    /// Tells the task to finish; it is true from the beginning of a shutdown.
    stop: watch::Sender<bool>,
    /// The task; taken by the shutdown, aborted by a drop without one.
    task: Mutex<Option<JoinHandle<()>>>,
    /// The task that reads what devices say.
    readers: Option<JoinHandle<()>>,
    /// Rings that were published since the last [`Mqtt::rings_delivered`].
    rings: Mutex<Vec<Delivery>>,
}

impl Mqtt {
    /// Starts the connection, and the embedded broker before it if the configuration wants one. Does
    /// not wait for the connection: an absent broker is reported once an outage as a recoverable
    /// [`Event::Fault`] (again only if the reason becomes another) and tried until it is there. Starting the embedded broker blocks for some
    /// tens of milliseconds.
    ///
    /// # Errors
    /// When the configuration is wrong, or the embedded broker cannot listen.
    pub fn start(
        config: &config::mqtt::Mqtt,
        about: NodeInfo,
        inbound: impl Into<InboundHandlers>,
        devices: Option<Arc<Devices>>,
        runtime: Handle,
    ) -> Result<Self, Fault> {
        let topics = Topics::new(&config.node, &config.discovery_prefix)?;
        let broker = Broker::from_config(config)?;
        let Some(address) = broker.address() else { return Ok(Self { link: None }) };
        let credentials = match broker {
            // The embedded broker takes connections without a password.
            Broker::Embedded(_) => None,
            _ => Credentials::find(config, paths::credentials_dir().as_deref())?,
        };
        let authorities = broker::authority_files();
        let options = broker::node_options(&topics, &address, credentials.as_ref(), &authorities)?;
        if let Broker::Embedded(port) = broker {
            start_embedded(port)?;
        }
        let shared =
            Arc::new(ClientState::new(topics, about, config.discovery, address.to_string(), devices.clone()));
        let (stop, stopped) = watch::channel(false);
        let client = Client::new(options, Arc::clone(&shared), inbound.into());
        let task = runtime.spawn(client.run(stopped));
        let readers = devices.map(|devices| runtime.spawn(devices.run()));
        Ok(Self { link: Some(Link::new(shared, stop, task, readers)) })
    }

    /// Joins the broker for its devices only, beside the daemon or without it, under an id of its own: takes no
    /// commands and announces nothing. `None` when there is no MQTT or the embedded broker's port does not
    /// answer; a broker that is away is reported in the status.
    ///
    /// # Errors
    /// When the configuration is wrong.
    pub fn connect_for_devices(
        config: &config::mqtt::Mqtt,
        devices: Arc<Devices>,
        runtime: &Handle,
    ) -> Result<Option<Self>, Fault> {
        let topics = Topics::new(&config.node, &config.discovery_prefix)?;
        let broker = Broker::from_config(config)?;
        let credentials = match broker {
            Broker::Embedded(port) if !is_served(port) => return Ok(None),
            Broker::Embedded(_) => None,
            _ => Credentials::find(config, paths::credentials_dir().as_deref())?,
        };
        let Some(address) = broker.address() else { return Ok(None) };
        let id = format!("{}-{}", broker::client_id(topics.node()), std::process::id());
        let options = broker::base_options(&id, &address, credentials.as_ref(), &broker::authority_files())?;
        let shared = Arc::new(ClientState::for_devices_only(topics, address.to_string(), devices.clone()));
        let (stop, stopped) = watch::channel(false);
        let nothing_comes = InboundHandlers::from(Arc::new(|_: Event| {}));
        let client = Client::new(options, Arc::clone(&shared), nothing_comes);
        let task = runtime.spawn(client.run(stopped));
        let readers = Some(runtime.spawn(devices.run()));
        Ok(Some(Self { link: Some(Link::new(shared, stop, task, readers)) }))
    }

    /// Waits until the devices that are announced are known, at most `limit`; what does not work, if
    /// something does not.
    pub async fn devices_settled(&self, limit: Duration) -> Option<Fault> {
        let Some(Link { shared, .. }) = &self.link else { return None };
        let deadline = tokio::time::Instant::now() + limit;
        loop {
            match (shared.link(), tokio::time::Instant::now() < deadline) {
                ((true, _), _) => break,
                ((false, None), true) => tokio::time::sleep(Duration::from_millis(5)).await,
                ((false, problem), _) => return problem,
            }
        }
        if let Some(devices) = &shared.devices {
            devices.settled(limit).await;
        }
        None
    }

    /// Publishes what an event means on MQTT. Never waits; the overflow policy is that of the outbox:
    /// of retained states the latest stays, of the rest the oldest goes first and is counted.
    pub fn publish(&self, envelope: &Envelope) {
        let Some(link) = &self.link else { return };
        let mut messages = outbound::messages(&link.shared.topics, envelope);
        if outbound::is_ring(&envelope.event) {
            // The event itself and what automations are told: both have to arrive.
            for message in messages.iter_mut().filter(|message| message.at_least_once) {
                let (ticket, delivery) = Ticket::lasting();
                message.ticket = Some(ticket);
                link.rings().push(delivery);
            }
        }
        link.shared.put(messages);
    }

    /// Resolves when the broker has acknowledged every ring that was published since the last call; at once when
    /// MQTT is off. False when one was given up.
    pub fn rings_delivered(&self) -> impl Future<Output = bool> + Send + use<> {
        let rings = self.link.as_ref().map(|link| std::mem::take(&mut *link.rings())).unwrap_or_default();
        async move {
            let mut all = true;
            for ring in rings {
                all &= ring.arrived().await;
            }
            all
        }
    }

    /// Has other nodes say something; whether it could be sent.
    pub fn broadcast(&self, announcement: &Announcement) -> bool {
        self.tell_nodes(Topic::OwnAnnounce, announcement)
    }

    /// Tells that this node has taken on an announcement.
    pub fn confirm(&self, confirmed: &Confirmed) {
        self.tell_nodes(Topic::OwnConfirmed, confirmed);
    }

    /// Tells the other nodes what this one heard (arbitration). Without a connection it is dropped: later it would be
    /// useless.
    pub fn claim(&self, claim: &Claim) {
        self.tell_nodes(Topic::OwnClaim, claim);
    }

    fn tell_nodes(&self, topic: Topic, what: &impl serde::Serialize) -> bool {
        let Some(link) = &self.link else { return false };
        match serde_json::to_vec(what) {
            Ok(json) => link.shared.outbox.deliver(Message::new(&link.shared.topics, topic, json)).is_some(),
            Err(error) => {
                tracing::error!(%error, "cannot be written as JSON for the other nodes");
                false
            }
        }
    }

    /// Publishes how Hark itself is. Never waits; the broker keeps the latest of each kind.
    pub fn diagnose(&self, diagnostic: Diagnostic) {
        if let Some(link) = &self.link {
            link.shared.put(vec![outbound::diagnostic(&link.shared.topics, diagnostic)]);
        }
    }

    /// What does not work, `None` when all is well or MQTT is off.
    pub fn problem(&self) -> Option<Fault> {
        self.status().problem
    }

    /// How MQTT stands.
    pub fn status(&self) -> Status {
        let Some(Link { shared, .. }) = &self.link else { return Status::default() };
        let (connected, problem) = shared.link();
        Status {
            broker: Some(shared.broker.clone()),
            connected,
            problem,
            dropped: shared.outbox.dropped(),
            refused: shared.refused.load(Ordering::Relaxed),
            outages: shared.outages.load(Ordering::Relaxed),
            devices: shared.devices.as_ref().map(|devices| devices.counts()).unwrap_or_default(),
        }
    }

    /// Sends what waits and `offline`, waits for the broker to acknowledge it, and disconnects; at most
    /// three seconds. Nothing is published after it.
    pub async fn shutdown(&self) {
        let Some(link) = &self.link else { return };
        link.shared.outbox.close();
        link.stop.send_replace(true);
        let Some(mut task) = link.take_task() else { return };
        if tokio::time::timeout(SHUTDOWN_LIMIT, &mut task).await.is_err() {
            tracing::warn!("the MQTT broker did not acknowledge in time; its last will says offline");
            task.abort();
        }
    }
}

/// The devices of a configuration; `None` when there is no MQTT, or they are not wanted.
pub fn devices(config: &config::mqtt::Mqtt, home: Arc<dyn HomeSink>) -> Option<Arc<Devices>> {
    // A configuration that is wrong is told of when the connection is started.
    let has_broker = Broker::from_config(config).is_ok_and(|broker| broker != Broker::None);
    let topics = Topics::new(&config.node, &config.discovery_prefix).ok()?;
    let devices = || Arc::new(Devices::new(&config.discovery_prefix, topics.own(), home));
    (has_broker && config.devices).then(devices)
}

impl Link {
    fn new(
        shared: Arc<ClientState>,
        stop: watch::Sender<bool>,
        task: JoinHandle<()>,
        readers: Option<JoinHandle<()>>,
    ) -> Self {
        Self { shared, stop, task: Mutex::new(Some(task)), readers, rings: Mutex::default() }
    }

    fn rings(&self) -> MutexGuard<'_, Vec<Delivery>> {
        self.rings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_task(&self) -> Option<JoinHandle<()>> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if let Some(task) = self.take_task() {
            task.abort();
        }
        if let Some(readers) = &self.readers {
            readers.abort();
        }
    }
}

#[cfg(feature = "embedded-broker")]
fn start_embedded(port: u16) -> Result<(), Error> {
    embedded_broker::start(port)
}

/// Whether a process, most likely the daemon, serves the embedded broker's port.
fn is_served(port: u16) -> bool {
    std::net::TcpStream::connect_timeout(
        &(std::net::Ipv4Addr::LOCALHOST, port).into(),
        Duration::from_millis(200),
    )
    .is_ok()
}

#[cfg(not(feature = "embedded-broker"))]
fn start_embedded(_port: u16) -> Result<(), Error> {
    Err(Error::NoEmbeddedBroker)
}
