//! One connection from its first look at the home to its end: what happens there is told to the home.

use super::SOURCE;
use super::error::Error;
use super::exposure::Exposure;
use super::inbox::{Inbox, News, State, Topic};
use super::link::Link;
use super::picture::Picture;
use super::sync;
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
const FLUSH: Duration = Duration::from_millis(20);

/// From a change of the registries to their next reading: changes seldom come alone.
const SETTLE: Duration = Duration::from_millis(300);

/// Shortest pause between two readings for what is not known here yet: an integration that loads changes the
/// registries many times.
const PAUSE: Duration = Duration::from_secs(3);

/// How often it is asked what is exposed: Home Assistant tells no change of it for what has no registry entry.
const LOOK: Duration = Duration::from_secs(2);

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

/// Something that is being asked.
type Asking<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;

/// How far a session has come.
pub enum Step<'p> {
    /// The home was read; commands can be taken from here on.
    Read(&'p Picture),
    /// It was told, and its states are followed.
    Followed,
}

/// One connection that is logged in.
pub struct Session<'a> {
    link: Link,
    url: &'a str,
    exposed_only: bool,
    inbox: Arc<Inbox>,
    sink: &'a dyn HomeSink,
    picture: Picture,
    /// Subscription to states.
    states: Option<u64>,
    /// Subscriptions to lists.
    lists: HashMap<String, u64>,
}

impl<'a> Session<'a> {
    /// A session on a connection.
    pub fn new(
        link: Link,
        url: &'a str,
        exposed_only: bool,
        inbox: Arc<Inbox>,
        sink: &'a dyn HomeSink,
    ) -> Self {
        Self {
            link,
            url,
            exposed_only,
            inbox,
            sink,
            picture: Picture::default(),
            states: None,
            lists: HashMap::new(),
        }
    }

    /// Tells the home what is there and what happens, until something goes wrong. `progress` is called each time
    /// the whole home is read.
    pub async fn run(mut self, progress: impl Fn(Step<'_>)) -> Error {
        for event in REGISTRY_EVENTS {
            let message = json!({"type": "subscribe_events", "event_type": event});
            // A token that may not hear one of them hears the others; there is the refresh besides.
            if let Err(unanswered) = self.link.subscribe(message, Topic::Registry).await {
                tracing::debug!(event, ?unanswered, "Home Assistant does not tell of this");
            }
        }
        let mut reading: Option<Asking<Picture>> = Some(self.reading());
        let mut look: Option<Asking<Exposure>> = None;
        let mut due: Option<Instant> = None;
        let (mut read_at, mut looked_at) = (Instant::now(), Instant::now());
        loop {
            let refresh = due.unwrap_or(read_at + REFRESH);
            let is_idle = reading.is_none() && look.is_none();
            tokio::select! {
                picture = under_way(&mut reading) => {
                    (reading, read_at) = (None, Instant::now());
                    match picture {
                        Ok(picture) => {
                            progress(Step::Read(&picture));
                            self.adopt(picture).await;
                            progress(Step::Followed);
                        }
                        Err(error) => return error,
                    }
                }
                exposure = under_way(&mut look) => {
                    (look, looked_at) = (None, Instant::now());
                    match exposure {
                        Ok(exposure) if exposure != self.picture.exposure => due = Some(looked_at),
                        Ok(_) => {}
                        // Whether the connection stands is found out elsewhere; each command asks for itself.
                        Err(error) => tracing::debug!(%error, "what is exposed is not known anew"),
                    }
                }
                () = self.inbox.wait() => {
                    let news = self.inbox.take();
                    if news.registry || !news.gone.is_empty() {
                        let soon = Instant::now() + SETTLE;
                        let next = if news.own { soon } else { soon.max(read_at + PAUSE) };
                        due = Some(due.map_or(next, |due| due.min(next)));
                    }
                    self.report(news);
                    sleep(FLUSH).await;
                }
                () = sleep_until(refresh), if reading.is_none() => {
                    due = None;
                    reading = Some(self.reading());
                }
                () = sleep_until(looked_at + LOOK), if is_idle && self.picture.exposure.is_told() => {
                    look = Some(self.look());
                }
            }
        }
    }

    fn reading(&self) -> Asking<Picture> {
        let (link, url, exposed_only) = (self.link.clone(), self.url.to_owned(), self.exposed_only);
        Box::pin(async move { sync::read(&link, &url, exposed_only).await })
    }

    fn look(&self) -> Asking<Exposure> {
        let (link, url) = (self.link.clone(), self.url.to_owned());
        Box::pin(async move { sync::exposure(&link, &url).await })
    }

    /// Makes a picture the home's, and subscribes to what it shows.
    async fn adopt(&mut self, mut picture: Picture) {
        self.inbox.want(picture.ids());
        for entity in &mut picture.home.entities {
            let id = &entity.id.0;
            // What was heard meanwhile is newer than what was read.
            if let Some(State { state, attributes }) = self.inbox.state(id) {
                (entity.state, entity.attributes) = (state, attributes);
            }
            entity.attributes = complete(std::mem::take(&mut entity.attributes), picture.more.get(id));
        }
        let ids = picture.ids();
        let is_same = self.states.is_some() && ids == self.picture.ids();
        self.sink.replace(SOURCE, picture.home.clone());
        self.picture = picture;
        if !is_same {
            let message = json!({"type": "subscribe_entities", "entity_ids": ids});
            // Without entities all would be meant.
            let states = match ids.is_empty() {
                true => None,
                false => self.link.subscribe(message, Topic::States).await.ok(),
            };
            if let Some(old) = std::mem::replace(&mut self.states, states) {
                self.unsubscribe(old).await;
            }
        }
        self.hear_lists().await;
    }

    async fn hear_lists(&mut self) {
        let wanted: Vec<String> = self.picture.of("todo").map(|list| list.id.0.clone()).collect();
        let wanted: Vec<String> =
            wanted.into_iter().filter(|id| self.picture.more.contains_key(id)).collect();
        let gone: Vec<String> = self.lists.keys().filter(|id| !wanted.contains(id)).cloned().collect();
        for id in gone {
            if let Some(subscription) = self.lists.remove(&id) {
                self.unsubscribe(subscription).await;
            }
        }
        for id in wanted {
            if !self.lists.contains_key(&id) {
                let message = json!({"type": "todo/item/subscribe", "entity_id": id});
                if let Ok(subscription) = self.link.subscribe(message, Topic::Items(id.clone())).await {
                    self.lists.insert(id, subscription);
                }
            }
        }
    }

    async fn unsubscribe(&self, subscription: u64) {
        let message = json!({"type": "unsubscribe_events", "subscription": subscription});
        // A subscription that stays costs a little; nothing depends on it.
        if let Err(unanswered) = self.link.ask(message).await {
            tracing::debug!(?unanswered, "a subscription at Home Assistant stays");
        }
    }

    fn report(&mut self, news: News) {
        let mut states = news.states;
        for (id, items) in news.items {
            let more = Map::from_iter([("items".to_owned(), Value::from(items))]);
            self.picture.more.insert(id.clone(), more);
            if !states.iter().any(|(known, _)| *known == id) {
                states.extend(self.inbox.state(&id).map(|state| (id, state)));
            }
        }
        let gone = news.gone.into_iter().map(|id| (id, State::new(UNAVAILABLE, Map::new())));
        let (mut reports, mut moved) = (Vec::new(), false);
        for (id, state) in states.into_iter().chain(gone) {
            if let Some(at) = self.picture.persons.iter().position(|(person, _)| *person == id) {
                moved = true;
                self.picture.home.persons[at].state = state.state;
            } else {
                let State { state, attributes } = state;
                let attributes = complete(attributes, self.picture.more.get(&id));
                reports.push(StateReport { id: EntityId(id), state, attributes });
            }
        }
        if !reports.is_empty() {
            self.sink.report_all(reports);
        }
        if moved {
            let person = |person: &Person| Person { name: person.name.clone(), state: person.state.clone() };
            self.sink.people(SOURCE, self.picture.home.persons.iter().map(person).collect());
        }
    }
}

async fn under_way<T>(asking: &mut Option<Asking<T>>) -> Result<T, Error> {
    match asking {
        Some(asking) => asking.await,
        None => std::future::pending().await,
    }
}

/// Attributes with what had to be asked for besides, where they do not say it themselves.
fn complete(mut attributes: Map<String, Value>, more: Option<&Map<String, Value>>) -> Map<String, Value> {
    for (key, value) in more.into_iter().flatten() {
        let own = attributes.entry(key.clone()).or_insert(Value::Null);
        if own.is_null() {
            own.clone_from(value);
        }
    }
    attributes
}
