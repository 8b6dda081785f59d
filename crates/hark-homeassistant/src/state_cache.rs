//! Cache of entity states between the WebSocket connection and [`super::home_sync`]: the newest state of each wanted
//! entity, and flags for what has to be read again. Memory is bounded by the number of entities, not of changes.

use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Largest attribute that is kept, bytes of its texts; larger ones are images and forecasts.
const MAX_ATTRIBUTE_BYTES: usize = 8 << 10;

/// Most attributes of an entity.
const MAX_ATTRIBUTES: usize = 100;

/// Longest state Home Assistant has.
const MAX_STATE_CHARACTERS: usize = 255;

/// Most items of a to-do list.
const MAX_ITEMS: usize = 1000;

/// What the events of a subscription are about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Topic {
    /// Names, places, exposure or what there is.
    Registry,
    /// States, in the short form of `subscribe_entities`.
    States,
    /// The items of a to-do list.
    Items(String),
}

/// State and attributes of an entity.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CachedState {
    /// Such as `on`.
    pub state: String,
    /// All but those of [`KNOWN_ELSEWHERE`] and oversized ones.
    pub attributes: Map<String, Value>,
}

/// Attributes that are known from elsewhere, or of no use in speech.
const KNOWN_ELSEWHERE: &[&str] =
    &["friendly_name", "icon", "entity_picture", "entity_picture_local", "attribution"];

impl CachedState {
    /// A state with the attributes that are kept.
    pub fn new(state: &str, attributes: Map<String, Value>) -> Self {
        let mut made = Self { state: cut(state), attributes: Map::new() };
        made.add(attributes);
        made
    }

    fn add(&mut self, attributes: Map<String, Value>) {
        for (key, value) in attributes {
            let fits = self.attributes.len() < MAX_ATTRIBUTES || self.attributes.contains_key(&key);
            if fits && !KNOWN_ELSEWHERE.contains(&key.as_str()) && bytes(&value) <= MAX_ATTRIBUTE_BYTES {
                self.attributes.insert(key, value);
            } else {
                self.attributes.shift_remove(&key);
            }
        }
    }
}

fn cut(state: &str) -> String {
    state.chars().take(MAX_STATE_CHARACTERS).collect()
}

/// About how large a value is.
fn bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(|item| bytes(item) + 8).sum(),
        Value::Object(object) => object.iter().map(|(key, value)| key.len() + bytes(value) + 8).sum(),
        _ => 8,
    }
}

/// What has happened since the last look.
#[derive(Debug, Default, PartialEq)]
pub struct StateChanges {
    /// Entities that are different, as they are now.
    pub states: Vec<(String, CachedState)>,
    /// Entities that have no state any more.
    pub gone: Vec<String>,
    /// To-do lists that are different, with their items.
    pub items: Vec<(String, Vec<Value>)>,
    /// The registries have to be read again.
    pub registry: bool,
    /// Something is different about an entity that is kept: it may not be exposed any more.
    pub own: bool,
}

#[derive(Default)]
struct Inner {
    /// Entities that are kept.
    wanted: HashSet<String>,
    states: HashMap<String, CachedState>,
    changed: HashSet<String>,
    items: HashMap<String, Vec<Value>>,
    registry: bool,
    own: bool,
}

/// The cache.
#[derive(Default)]
pub struct StateCache {
    inner: Mutex<Inner>,
    changed_signal: Notify,
}

impl StateCache {
    /// Keeps the states of these entities from now on, and of no others.
    pub fn keep_only(&self, ids: impl IntoIterator<Item = String>) {
        let mut inner = self.lock();
        inner.wanted = ids.into_iter().collect();
        let Inner { wanted, states, changed, items, .. } = &mut *inner;
        states.retain(|id, _| wanted.contains(id));
        changed.retain(|id| wanted.contains(id));
        items.retain(|id, _| wanted.contains(id));
    }

    /// Waits until something has happened.
    pub async fn wait(&self) {
        self.changed_signal.notified().await;
    }

    /// An entity as it is now, when that is known.
    pub fn state(&self, id: &str) -> Option<CachedState> {
        self.lock().states.get(id).cloned()
    }

    /// What has happened since the last time this was asked.
    pub fn take(&self) -> StateChanges {
        let mut inner = self.lock();
        let mut news = StateChanges {
            registry: std::mem::take(&mut inner.registry),
            own: std::mem::take(&mut inner.own),
            items: std::mem::take(&mut inner.items).into_iter().collect(),
            ..StateChanges::default()
        };
        for id in std::mem::take(&mut inner.changed) {
            match inner.states.get(&id) {
                Some(state) => news.states.push((id, state.clone())),
                None => news.gone.push(id),
            }
        }
        news
    }

    /// Takes in an event. What has another form than it should have is passed over.
    pub fn put(&self, topic: &Topic, event: Value) {
        let mut inner = self.lock();
        match topic {
            Topic::Registry => {
                inner.registry = true;
                let about = event.pointer("/data/entity_id").and_then(Value::as_str);
                inner.own |= about.is_some_and(|id| inner.wanted.contains(id));
            }
            Topic::States => inner.states(event),
            Topic::Items(id) => {
                let Value::Object(mut event) = event else { return };
                let Some(Value::Array(mut items)) = event.remove("items") else { return };
                items.truncate(MAX_ITEMS);
                inner.items.insert(id.clone(), items);
            }
        }
        drop(inner);
        self.changed_signal.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// `a`: whole states, `c`: what is different in a state, `r`: entities without a state.
    fn states(&mut self, event: Value) {
        let Value::Object(mut event) = event else { return };
        let mut part = |key| match event.remove(key) {
            Some(Value::Object(part)) => part,
            _ => Map::new(),
        };
        let (whole, different) = (part("a"), part("c"));
        for (id, short) in whole {
            if let Value::Object(mut short) = short
                && self.wanted.contains(&id)
            {
                let state = short.get("s").and_then(Value::as_str).unwrap_or("unknown").to_owned();
                let attributes = object(short.remove("a"));
                self.states.insert(id.clone(), CachedState::new(&state, attributes));
                self.changed.insert(id);
            }
        }
        for (id, short) in different {
            if let Some(known) = self.states.get_mut(&id) {
                apply(known, short);
                self.changed.insert(id);
            }
        }
        if let Some(Value::Array(gone)) = event.remove("r") {
            for id in gone.iter().filter_map(Value::as_str).filter(|id| self.wanted.contains(*id)) {
                self.states.remove(id);
                self.changed.insert(id.to_owned());
            }
        }
    }
}

/// `+`: what is new, `-`: attributes that are gone.
fn apply(known: &mut CachedState, short: Value) {
    let Value::Object(mut short) = short else { return };
    if let Some(Value::Object(mut less)) = short.remove("-")
        && let Some(Value::Array(keys)) = less.remove("a")
    {
        for key in keys.iter().filter_map(Value::as_str) {
            known.attributes.shift_remove(key);
        }
    }
    if let Some(Value::Object(mut more)) = short.remove("+") {
        if let Some(state) = more.get("s").and_then(Value::as_str) {
            known.state = cut(state);
        }
        known.add(object(more.remove("a")));
    }
}

fn object(value: Option<Value>) -> Map<String, Value> {
    match value {
        Some(Value::Object(object)) => object,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home_snapshot::tests::any_json;
    use proptest::prelude::*;
    use serde_json::json;

    fn state_cache(wanted: &[&str]) -> StateCache {
        let state_cache = StateCache::default();
        state_cache.keep_only(wanted.iter().map(|id| (*id).to_owned()));
        state_cache
    }

    fn put(state_cache: &StateCache, event: Value) {
        state_cache.put(&Topic::States, event);
    }

    #[test]
    fn differences_are_put_together_and_only_the_newest_is_told() {
        let state_cache = state_cache(&["light.a", "light.b"]);
        let whole = json!({"a": {"light.a": {"s": "on", "a": {"brightness": 3, "friendly_name": "A", "x": 1}, "lc": 1.5},
            "light.else": {"s": "on", "a": {}}}});
        put(&state_cache, whole);
        let state =
            CachedState::new("on", Map::from_iter([("brightness".into(), json!(3)), ("x".into(), json!(1))]));
        assert_eq!(state_cache.take().states, [("light.a".to_owned(), state)]);
        for level in 0..10_000 {
            let state = if level % 2 == 0 { "off" } else { "on" };
            put(
                &state_cache,
                json!({"c": {"light.a": {"+": {"s": state, "a": {"brightness": level}}, "-": {"a": ["x"]}}}}),
            );
        }
        let state = CachedState::new("on", Map::from_iter([("brightness".into(), json!(9999))]));
        assert_eq!(state_cache.take().states, [("light.a".to_owned(), state)]);
        put(&state_cache, json!({"r": ["light.a", "light.else"]}));
        assert_eq!(state_cache.take().gone, ["light.a"]);
        assert_eq!(state_cache.take(), StateChanges::default());
    }

    #[test]
    fn registries_and_lists_are_marked() {
        let state_cache = state_cache(&["todo.shopping"]);
        state_cache.put(&Topic::Registry, json!({"data": {"action": "create", "entity_id": "light.else"}}));
        state_cache.put(&Topic::Items("todo.shopping".into()), json!({"items": [{"summary": "milk"}]}));
        let news = state_cache.take();
        assert!(news.registry && !news.own);
        assert_eq!(news.items, [("todo.shopping".to_owned(), vec![json!({"summary": "milk"})])]);
        state_cache
            .put(&Topic::Registry, json!({"data": {"action": "update", "entity_id": "todo.shopping"}}));
        let news = state_cache.take();
        assert!(news.registry && news.own);
        assert_eq!(state_cache.take(), StateChanges::default());
    }

    #[test]
    fn memory_is_bounded_by_what_is_wanted() {
        let state_cache = state_cache(&["light.a"]);
        let many: Map<String, Value> = (0..5000).map(|at| (format!("k{at}"), json!(at))).collect();
        put(&state_cache, json!({"a": {"light.a": {"s": "x".repeat(9000), "a": many}}}));
        put(&state_cache, json!({"c": {"light.a": {"+": {"a": {"big": "x".repeat(9000)}}}}}));
        for at in 0..2000 {
            put(&state_cache, json!({"a": {format!("light.{at}"): {"s": "on"}}}));
        }
        let news = state_cache.take();
        assert_eq!(news.states.len(), 1);
        let state = &news.states[0].1;
        assert_eq!((state.state.len(), state.attributes.len()), (MAX_STATE_CHARACTERS, MAX_ATTRIBUTES));
        assert!(!state.attributes.contains_key("big"));
    }

    proptest! {
        #[test]
        fn no_event_makes_it_panic(event in any_json("a|c|r|s|\\+|-|light.a|items")) {
            let state_cache = state_cache(&["light.a", "a"]);
            put(&state_cache, json!({"a": {"light.a": {"s": "on", "a": {}}}}));
            for topic in [Topic::States, Topic::Registry, Topic::Items("a".into())] {
                state_cache.put(&topic, event.clone());
            }
            state_cache.take();
        }
    }
}
