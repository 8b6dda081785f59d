//! Connects the device registry to the broker and to the home: reads the message queue, reports changes to the home, and
//! sends commands. Runs as a task on the tokio runtime.

use super::entity::SOURCE;
use super::message_queue::{Incoming, Link, MessageQueue};
use super::registry::{Changes, DeviceRegistry, Problem};
use super::subscriptions::{Request, Subscriptions};
use super::{DeviceCounts, OwnTopics, discovery_message};
use hark_core::EntityId;
use hark_core::device::{DeviceBackend, DeviceCodes, DeviceCommand, DeviceError, SendFuture};
use hark_core::home::Entity;
use hark_core::ports::HomeSink;
use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Messages that are read in one go, between two looks at the other tasks.
const BATCH: usize = 64;

/// Pause between two looks at what waits, so that a flood is read in batches of which only the newest count.
const PAUSE: Duration = Duration::from_millis(10);

/// How often it is looked whether something has expired.
const TICK: Duration = Duration::from_secs(1);

/// After this long without a message what the broker keeps has come, for those who do not stay.
const SETTLED_AFTER_SILENCE: Duration = Duration::from_millis(150);

/// How long after a connection was made what the broker keeps has come.
const SETTLED_AFTER: Duration = Duration::from_secs(10);

/// Tells whether the broker has taken a message; false when it was given up.
pub type Delivery = Pin<Box<dyn Future<Output = bool> + Send>>;

/// The connection to the broker, as devices use it. Any thread, never waits.
pub trait Outlet: Send + Sync {
    /// Has the connection look what [`Devices::next_request`] wants.
    fn wake(&self);

    /// Publishes at least once, as soon as there is a connection.
    fn publish(&self, topic: String, payload: Vec<u8>);

    /// Publishes at least once, now; `None` without a connection, because a command that arrives later than it was
    /// meant is worse than none.
    fn deliver(&self, topic: String, payload: Vec<u8>, retain: bool) -> Option<Delivery>;
}

/// The devices of MQTT discovery: a source of the home, and the backend of its entities.
pub struct Devices {
    home: Arc<dyn HomeSink>,
    registry: Mutex<DeviceRegistry>,
    message_queue: MessageQueue,
    subscriptions: Mutex<Subscriptions>,
    filters: Vec<String>,
    /// Where Home Assistant says that it has started.
    status_topic: String,
    /// Where commands go; set when the connection is started.
    outlet: OnceLock<Arc<dyn Outlet>>,
    /// Held while the home is told, so that it hears everything in the order in which it happened.
    telling: Mutex<()>,
    /// Messages that could not be taken.
    refused: AtomicU64,
    last_problem: Mutex<Option<Problem>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic while the lock was held leaves devices that are still devices.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl std::fmt::Debug for Devices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Devices").field("counts", &self.counts()).finish_non_exhaustive()
    }
}

impl Devices {
    /// Devices that are announced below `prefix`, beside a node with these topics.
    pub fn new(prefix: &str, own: OwnTopics, home: Arc<dyn HomeSink>) -> Self {
        let status_topic = own.status.clone();
        Self {
            home,
            registry: Mutex::new(DeviceRegistry::new(prefix, own)),
            message_queue: MessageQueue::default(),
            subscriptions: Mutex::new(Subscriptions::default()),
            filters: discovery_message::filters(prefix).to_vec(),
            status_topic,
            outlet: OnceLock::new(),
            telling: Mutex::new(()),
            refused: AtomicU64::new(0),
            last_problem: Mutex::new(None),
        }
    }

    /// Codes of devices that want one, from now on.
    pub fn set_codes(&self, codes: DeviceCodes) {
        lock(&self.registry).set_codes(codes);
    }

    /// Where commands go from now on; only the first call counts.
    pub fn attach(&self, outlet: Arc<dyn Outlet>) {
        let _ = self.outlet.set(outlet);
    }

    /// The connection stands: asks for everything.
    pub fn connected(&self) {
        lock(&self.subscriptions).connected(&self.filters);
        self.message_queue.link(Link::Up);
    }

    /// The connection is lost.
    pub fn disconnected(&self) {
        lock(&self.subscriptions).disconnected();
        self.message_queue.link(Link::Down);
    }

    /// A message that is too large ended the connection.
    pub fn oversized(&self) {
        for topic in lock(&self.subscriptions).oversized(Instant::now()) {
            let why =
                "what the broker keeps there is too large; it is not listened to until Hark starts again";
            self.warn(Problem { topic, why: why.into() });
        }
    }

    /// A message came that is none of Hark's own.
    pub fn put(&self, topic: &str, payload: &[u8], retained: bool) {
        self.message_queue.put(topic, payload, retained);
    }

    /// Reads everything that waits, at once; for programs without the task of [`Devices::run`].
    pub fn read_now(&self) {
        let mut changes = Changes::default();
        loop {
            let batch = self.message_queue.take(BATCH);
            if batch.is_empty() {
                break;
            }
            self.read(batch, false, &mut changes);
        }
        self.apply(changes);
    }

    /// What would be sent for a command, as topics with payloads; nothing is.
    ///
    /// # Errors
    /// When there is no such device, or it cannot do this.
    pub fn command_messages(
        &self,
        entity: &Entity,
        command: &DeviceCommand,
    ) -> Result<Vec<(String, String)>, DeviceError> {
        let (messages, _) = lock(&self.registry).command(entity, command)?;
        Ok(messages.into_iter().map(|message| (message.topic, message.payload)).collect())
    }

    /// What the broker is to be asked for next.
    pub fn next_request(&self) -> Option<Request> {
        lock(&self.subscriptions).next(Instant::now())
    }

    /// Waits until what the broker keeps has come: nothing more came for a moment; at most `limit`.
    pub async fn settled(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if self.message_queue.is_quiet(SETTLED_AFTER_SILENCE) && lock(&self.subscriptions).is_idle() {
                return;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// How they stand.
    pub fn counts(&self) -> DeviceCounts {
        let (overtaken, lost) = self.message_queue.given_up();
        let registry = lock(&self.registry);
        DeviceCounts {
            entities: registry.len(),
            left_out: registry.left_out(),
            refused: self.refused.load(Ordering::Relaxed),
            overtaken,
            lost,
            last_problem: lock(&self.last_problem)
                .as_ref()
                .map(|problem| format!("{}: {}", problem.topic, problem.why)),
        }
    }

    /// Reads what comes in, for ever.
    pub async fn run(self: Arc<Self>) {
        let mut up_since: Option<Instant> = None;
        let mut is_swept = true;
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = self.message_queue.changed() => {}
                () = tokio::time::sleep(PAUSE), if lock(&self.subscriptions).is_stepping() => self.wake(),
                _ = ticks.tick() => {
                    let settles = !is_swept && up_since.is_some_and(|since| since.elapsed() >= SETTLED_AFTER);
                    is_swept |= settles;
                    self.tick(settles);
                }
            }
            while let Some(link) = self.message_queue.take_link() {
                up_since = (link == Link::Up).then(Instant::now);
                is_swept = link == Link::Down;
                self.note_link(&link);
            }
            self.read_waiting(up_since).await;
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Time goes by; with `settles` what the broker keeps has come by now.
    fn tick(&self, settles: bool) {
        let mut changes = Changes::default();
        let mut registry = lock(&self.registry);
        registry.tick(Instant::now(), &mut changes);
        if settles {
            registry.sweep(&mut changes);
        }
        let asks = settles && registry.has_unknown_state();
        drop(registry);
        if settles {
            lock(&self.subscriptions).settled();
        }
        self.apply(changes);
        if let Some(outlet) = self.outlet.get().filter(|_| asks) {
            // Zigbee2MQTT keeps no states at the broker: it tells them when Home Assistant starts.
            outlet.publish(self.status_topic.clone(), b"online".to_vec());
        }
    }

    /// Reads everything that waits, telling the home once at the end.
    async fn read_waiting(&self, up_since: Option<Instant>) {
        let mut changes = Changes::default();
        let is_settled = up_since.is_some_and(|since| since.elapsed() >= SETTLED_AFTER);
        // Bounded, so that a flood does not keep the home from hearing of anything.
        for _ in 0..64 {
            let batch = self.message_queue.take(BATCH);
            if batch.is_empty() {
                break;
            }
            self.read(batch, is_settled, &mut changes);
            tokio::task::yield_now().await;
        }
        self.apply(changes);
    }

    fn read(&self, batch: Vec<Incoming>, is_settled: bool, changes: &mut Changes) {
        let now = Instant::now();
        let mut registry = lock(&self.registry);
        for Incoming { topic, payload, retained } in batch {
            let is_wanted = registry.has_subscriber(&topic) || registry.is_discovery(&topic);
            registry.take(&topic, &payload, retained, now, changes);
            if !is_wanted && is_settled {
                lock(&self.subscriptions).unwanted(&topic);
            }
        }
    }

    fn note_link(&self, link: &Link) {
        if *link == Link::Down {
            if lock(&self.registry).len() > 0 {
                self.home.away(SOURCE);
            }
            return;
        }
        let mut registry = lock(&self.registry);
        registry.connected();
        let changes = Changes { described: registry.ids(), ..Changes::default() };
        drop(registry);
        self.apply(changes);
    }

    /// Tells the broker and the home what is different.
    fn apply(&self, changes: Changes) {
        let Changes { described, mut changed, gone, subscribe, unsubscribe, problems } = changes;
        for problem in problems {
            self.warn(problem);
        }
        if !subscribe.is_empty() || !unsubscribe.is_empty() {
            lock(&self.subscriptions).change(subscribe, unsubscribe);
            self.wake();
        }
        changed.retain(|id| !described.contains(id));
        let now = Instant::now();
        if !described.is_empty() || !gone.is_empty() {
            let _in_order = lock(&self.telling);
            let registry = lock(&self.registry);
            let entities: Vec<Entity> = described.iter().filter_map(|id| registry.entity(id, now)).collect();
            let areas = registry.areas(&described);
            drop(registry);
            let gone: Vec<EntityId> = gone.into_iter().filter(|id| !described.contains(id)).collect();
            tracing::debug!(described = entities.len(), gone = gone.len(), "devices of MQTT discovery");
            self.home.update(SOURCE, areas, entities, &gone);
        }
        self.report(&changed);
    }

    fn report(&self, ids: &BTreeSet<EntityId>) {
        if ids.is_empty() {
            return;
        }
        let _in_order = lock(&self.telling);
        let registry = lock(&self.registry);
        let now = Instant::now();
        let reports = ids.iter().filter_map(|id| registry.report(id, now)).collect();
        drop(registry);
        self.home.report_all(reports);
    }

    fn warn(&self, problem: Problem) {
        let refused = self.refused.fetch_add(1, Ordering::Relaxed) + 1;
        // A flood of garbage must not become a flood of log lines.
        if refused <= 20 || refused.is_power_of_two() {
            let topic: String = problem.topic.chars().take(120).collect();
            tracing::warn!(topic, refused, "a device's message is not taken: {}", problem.why);
        }
        *lock(&self.last_problem) = Some(problem);
    }

    /// Has the connection look what it is to ask for.
    fn wake(&self) {
        if let Some(outlet) = self.outlet.get() {
            outlet.wake();
        }
    }

    /// Sends the messages of a command; each with what tells of its delivery.
    fn post(&self, entity: &Entity, command: &DeviceCommand) -> Result<Vec<Delivery>, DeviceError> {
        let offline = || DeviceError::Offline(entity.name.clone());
        let outlet = self.outlet.get().ok_or_else(offline)?;
        let (messages, retain) = lock(&self.registry).command(entity, command)?;
        let send = |message: super::device_kind::CommandMessage| {
            outlet.deliver(message.topic, message.payload.into_bytes(), retain).ok_or_else(offline)
        };
        messages.into_iter().map(send).collect()
    }

    /// The broker has all messages of a command.
    fn delivered(&self, id: &EntityId, command: &DeviceCommand) {
        lock(&self.registry).assume(id, command);
        self.report(&BTreeSet::from([id.clone()]));
    }
}

/// [`Devices`] as the home knows them.
pub struct Backend(pub Arc<Devices>);

impl DeviceBackend for Backend {
    fn source(&self) -> &'static str {
        SOURCE
    }

    fn send(&self, entity: &Entity, command: &DeviceCommand) -> SendFuture {
        let devices = Arc::clone(&self.0);
        let posted = devices.post(entity, command);
        let (id, name, command) = (entity.id.clone(), entity.name.clone(), command.clone());
        Box::pin(async move {
            for delivery in posted? {
                if !delivery.await {
                    return Err(DeviceError::Offline(name));
                }
            }
            devices.delivered(&id, &command);
            Ok(())
        })
    }
}
