//! Keeps the home in step with Home Assistant during one connection: reads it, subscribes to its states and lists, reports
//! changes, and reads it again when a registry changes.

use super::SOURCE;
use super::error::Error;
use super::exposure::Exposure;
use super::home_reader;
use super::home_snapshot::HomeSnapshot;
use super::state_cache::{CachedState, StateCache, StateChanges, Topic};
use super::websocket::ApiHandle;
use hark_core::EntityId;
use hark_core::home::Person;
use hark_core::ports::{HomeSink, StateReport};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

/// Pause between two reports: changes in between are told as one.
const REPORT_INTERVAL: Duration = Duration::from_millis(20);

/// From a change of the registries to their next reading: changes seldom come alone.
const REGISTRY_DEBOUNCE: Duration = Duration::from_millis(300);

/// Shortest pause between two readings for what is not known here yet: an integration that loads changes the
/// registries many times.
const MIN_READ_INTERVAL: Duration = Duration::from_secs(3);

/// How often it is asked what is exposed: Home Assistant tells no change of it for what has no registry entry.
const EXPOSURE_POLL: Duration = Duration::from_secs(2);

/// Registries are read again after this long even if nothing was heard: things without a registry entry come
/// and go without a word.
const REFRESH: Duration = Duration::from_secs(600);

/// State of what has none any more.
const UNAVAILABLE: &str = "unavailable";

/// Events after which names, places or what there is may be different.
const REGISTRY_EVENTS: &[&str] = &[
    "entity_registry_updated",
    "device_registry_updated",
    "area_registry_updated",
    "floor_registry_updated",
    "component_loaded",
    "homeassistant_started",
];

/// A read that is under way.
type PendingRead<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;

/// Progress of the synchronisation.
pub enum SyncProgress<'p> {
    /// The home was read; commands can be taken from here on.
    Read(&'p HomeSnapshot),
    /// It was told, and its states are followed.
    Followed,
}

/// One connection that is logged in.
pub struct HomeSync<'a> {
    api: ApiHandle,
    url: &'a str,
    exposed_only: bool,
    state_cache: Arc<StateCache>,
    sink: &'a dyn HomeSink,
    snapshot: HomeSnapshot,
    /// Subscription to states.
    states: Option<u64>,
    /// Subscriptions to lists.
    lists: HashMap<String, u64>,
}

impl<'a> HomeSync<'a> {
    /// A session on a connection.
    pub fn new(
        api: ApiHandle,
        url: &'a str,
        exposed_only: bool,
        state_cache: Arc<StateCache>,
        sink: &'a dyn HomeSink,
    ) -> Self {
        Self {
            api,
            url,
            exposed_only,
            state_cache,
            sink,
            snapshot: HomeSnapshot::default(),
            states: None,
            lists: HashMap::new(),
        }
    }

    /// Tells the home what is there and what happens, until something goes wrong. `progress` is called each time
    /// the whole home is read.
    pub async fn run(mut self, progress: impl Fn(SyncProgress<'_>)) -> Error {
        for event in REGISTRY_EVENTS {
            let message = json!({"type": "subscribe_events", "event_type": event});
            // A token that may not hear one of them hears the others; there is the refresh besides.
            if let Err(unanswered) = self.api.subscribe(message, Topic::Registry).await {
                tracing::debug!(event, ?unanswered, "Home Assistant does not tell of this");
            }
        }
        let mut reading: Option<PendingRead<HomeSnapshot>> = Some(self.reading());
        let mut exposure_read: Option<PendingRead<Exposure>> = None;
        let mut due: Option<Instant> = None;
        let (mut read_at, mut exposure_read_at) = (Instant::now(), Instant::now());
        loop {
            let refresh = due.unwrap_or(read_at + REFRESH);
            let is_idle = reading.is_none() && exposure_read.is_none();
            tokio::select! {
                snapshot = finished(&mut reading) => {
                    (reading, read_at) = (None, Instant::now());
                    match snapshot {
                        Ok(snapshot) => {
                            progress(SyncProgress::Read(&snapshot));
                            self.apply_snapshot(snapshot).await;
                            progress(SyncProgress::Followed);
                        }
                        Err(error) => return error,
                    }
                }
                exposure = finished(&mut exposure_read) => {
                    (exposure_read, exposure_read_at) = (None, Instant::now());
                    match exposure {
                        Ok(exposure) if exposure != self.snapshot.exposure => due = Some(exposure_read_at),
                        Ok(_) => {}
                        // Whether the connection stands is found out elsewhere; each command asks for itself.
                        Err(error) => tracing::debug!(%error, "what is exposed is not known anew"),
                    }
                }
                () = self.state_cache.wait() => {
                    let changes = self.state_cache.take();
                    if changes.registry || !changes.gone.is_empty() {
                        let soon = Instant::now() + REGISTRY_DEBOUNCE;
                        let next = if changes.own { soon } else { soon.max(read_at + MIN_READ_INTERVAL) };
                        due = Some(due.map_or(next, |due| due.min(next)));
                    }
                    self.report(changes);
                    sleep(REPORT_INTERVAL).await;
                }
                () = sleep_until(refresh), if reading.is_none() => {
                    due = None;
                    reading = Some(self.reading());
                }
                () = sleep_until(exposure_read_at + EXPOSURE_POLL), if is_idle && self.snapshot.exposure.is_told() => {
                    exposure_read = Some(self.read_exposure());
                }
            }
        }
    }

    fn reading(&self) -> PendingRead<HomeSnapshot> {
        let (api, url, exposed_only) = (self.api.clone(), self.url.to_owned(), self.exposed_only);
        Box::pin(async move { home_reader::read(&api, &url, exposed_only).await })
    }

    fn read_exposure(&self) -> PendingRead<Exposure> {
        let (api, url) = (self.api.clone(), self.url.to_owned());
        Box::pin(async move { home_reader::exposure(&api, &url).await })
    }

    /// Makes a snapshot the home's, and subscribes to what it shows.
    async fn apply_snapshot(&mut self, mut snapshot: HomeSnapshot) {
        self.state_cache.keep_only(snapshot.ids());
        for entity in &mut snapshot.home.entities {
            let id = &entity.id.0;
            // What was heard meanwhile is newer than what was read.
            if let Some(CachedState { state, attributes }) = self.state_cache.state(id) {
                (entity.state, entity.attributes) = (state, attributes);
            }
            entity.attributes =
                with_details(std::mem::take(&mut entity.attributes), snapshot.details.get(id));
        }
        let ids = snapshot.ids();
        let is_same = self.states.is_some() && ids == self.snapshot.ids();
        self.sink.replace(SOURCE, snapshot.home.clone());
        self.snapshot = snapshot;
        if !is_same {
            let message = json!({"type": "subscribe_entities", "entity_ids": ids});
            // Without entities all would be meant.
            let states = match ids.is_empty() {
                true => None,
                false => self.api.subscribe(message, Topic::States).await.ok(),
            };
            if let Some(old) = std::mem::replace(&mut self.states, states) {
                self.unsubscribe(old).await;
            }
        }
        self.subscribe_lists().await;
    }

    async fn subscribe_lists(&mut self) {
        let wanted: Vec<String> = self.snapshot.of("todo").map(|list| list.id.0.clone()).collect();
        let wanted: Vec<String> =
            wanted.into_iter().filter(|id| self.snapshot.details.contains_key(id)).collect();
        let gone: Vec<String> = self.lists.keys().filter(|id| !wanted.contains(id)).cloned().collect();
        for id in gone {
            if let Some(subscription) = self.lists.remove(&id) {
                self.unsubscribe(subscription).await;
            }
        }
        for id in wanted {
            if !self.lists.contains_key(&id) {
                let message = json!({"type": "todo/item/subscribe", "entity_id": id});
                if let Ok(subscription) = self.api.subscribe(message, Topic::Items(id.clone())).await {
                    self.lists.insert(id, subscription);
                }
            }
        }
    }

    async fn unsubscribe(&self, subscription: u64) {
        let message = json!({"type": "unsubscribe_events", "subscription": subscription});
        // A subscription that stays costs a little; nothing depends on it.
        if let Err(unanswered) = self.api.ask(message).await {
            tracing::debug!(?unanswered, "a subscription at Home Assistant stays");
        }
    }

    fn report(&mut self, changes: StateChanges) {
        let mut states = changes.states;
        for (id, items) in changes.items {
            let more = Map::from_iter([("items".to_owned(), Value::from(items))]);
            self.snapshot.details.insert(id.clone(), more);
            if !states.iter().any(|(known, _)| *known == id) {
                states.extend(self.state_cache.state(&id).map(|state| (id, state)));
            }
        }
        let gone = changes.gone.into_iter().map(|id| (id, CachedState::new(UNAVAILABLE, Map::new())));
        let (mut reports, mut moved) = (Vec::new(), false);
        for (id, state) in states.into_iter().chain(gone) {
            if let Some(at) = self.snapshot.persons.iter().position(|(person, _)| *person == id) {
                moved = true;
                self.snapshot.home.persons[at].state = state.state;
            } else {
                let CachedState { state, attributes } = state;
                let attributes = with_details(attributes, self.snapshot.details.get(&id));
                reports.push(StateReport { id: EntityId(id), state, attributes });
            }
        }
        if !reports.is_empty() {
            self.sink.report_all(reports);
        }
        if moved {
            let person = |person: &Person| Person { name: person.name.clone(), state: person.state.clone() };
            self.sink.people(SOURCE, self.snapshot.home.persons.iter().map(person).collect());
        }
    }
}

async fn finished<T>(pending: &mut Option<PendingRead<T>>) -> Result<T, Error> {
    match pending {
        Some(pending) => pending.await,
        None => std::future::pending().await,
    }
}

/// Attributes with what had to be asked for besides, where they do not say it themselves.
fn with_details(mut attributes: Map<String, Value>, more: Option<&Map<String, Value>>) -> Map<String, Value> {
    for (key, value) in more.into_iter().flatten() {
        let own = attributes.entry(key.clone()).or_insert(Value::Null);
        if own.is_null() {
            own.clone_from(value);
        }
    }
    attributes
}
