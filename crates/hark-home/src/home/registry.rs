//! The registry of the home: a snapshot that is cheap to take, and notifications of changes. Several sources contribute,
//! each its own part.

use super::super::names::normal;
use super::UNAVAILABLE;
use super::merge::{Part, merge, vocabulary_of};
use super::secrets::Secrets;
use hark_core::EntityId;
use hark_core::home::{Area, Entity, Home, Person};
use hark_core::ports::{HomeSink, HomeView, StateReport};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::watch;

/// An entity before and after it changed.
#[derive(Debug, Clone, PartialEq)]
pub struct EntityChange {
    /// As it was.
    pub before: Entity,
    /// As it is.
    pub after: Entity,
}

/// Told of every change of a state, outside the lock: it may read the registry.
pub type Observer = Arc<dyn Fn(&EntityChange) + Send + Sync>;

/// Most names of things that have left which are remembered.
const MAX_LEFT: usize = 1000;

/// The home as it is now.
pub struct HomeRegistry {
    inner: RwLock<Inner>,
    observers: RwLock<Vec<Observer>>,
    /// Counts reports, so that a task that waits for a state is woken.
    reports: watch::Sender<u64>,
    /// Counts changes of what can be said.
    vocabulary: watch::Sender<u64>,
    secrets: Arc<Secrets>,
}

struct Inner {
    /// What the home's file says.
    base: Home,
    parts: BTreeMap<String, Part>,
    /// All of it, with the states as they are now.
    home: Arc<Home>,
    /// Where each entity stands in `home`.
    places: HashMap<EntityId, usize>,
    /// Names, in the form of [`normal`], of what was in the home and is not any more, with how it was called.
    left: HashMap<String, String>,
    /// Of `home`.
    vocabulary: u64,
    secrets: Arc<Secrets>,
}

impl HomeRegistry {
    /// A registry that begins with this home.
    pub fn new(home: Home) -> Self {
        let secrets = Arc::<Secrets>::default();
        let mut inner = Inner {
            secrets: Arc::clone(&secrets),
            base: home,
            parts: BTreeMap::new(),
            home: Arc::default(),
            places: HashMap::new(),
            left: HashMap::new(),
            vocabulary: 0,
        };
        inner.merge(&|_| true);
        Self {
            inner: RwLock::new(inner),
            observers: RwLock::new(Vec::new()),
            reports: watch::channel(0).0,
            vocabulary: watch::channel(0).0,
            secrets,
        }
    }

    /// Placeholders of secret values: the states of password fields.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Takes what the home's file says now. States are kept. The vocabulary is notified even when
    /// no name has changed.
    pub fn replace_base(&self, home: Home) {
        let changes = {
            let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
            inner.base = home;
            inner.merge(&|_| false)
        };
        self.tell(&changes);
        self.vocabulary.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Adds an observer of changes.
    pub fn observe(&self, observer: Observer) {
        self.observers.write().unwrap_or_else(PoisonError::into_inner).push(observer);
    }

    /// A receiver that wakes at every report, also at one that changed nothing.
    pub fn reports(&self) -> watch::Receiver<u64> {
        self.reports.subscribe()
    }

    /// A receiver that wakes when something else can be said than before: things, places, people and lists
    /// come or go, or have other names. States never wake it.
    pub fn vocabulary(&self) -> watch::Receiver<u64> {
        self.vocabulary.subscribe()
    }

    /// Whether every source there is can be reached: what is not known now does not exist.
    pub fn is_complete(&self) -> bool {
        let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
        !inner.parts.values().any(|part| part.away)
    }

    /// What a source told last, as it told it; `None` when it has told nothing.
    pub fn part(&self, source: &str) -> Option<Home> {
        let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
        inner.parts.get(source).map(|part| part.home.clone())
    }

    /// Whether the check is true of a name that a source gave to a thing, a place, a person or a list, and not the
    /// home's file; sources that are trusted count as the file.
    pub fn any_name_of_others(&self, trusted: &[String], check: impl Fn(&str) -> bool) -> bool {
        let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
        let own = |name: &str| names(&inner.base).any(|known| known == name);
        let others = inner.parts.iter().filter(|(source, _)| !trusted.contains(source));
        others.flat_map(|(_, part)| names(&part.home)).any(|name| check(name) && !own(name))
    }

    /// One entity as it is now.
    pub fn entity(&self, id: &EntityId) -> Option<Entity> {
        let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
        inner.places.get(id).map(|at| inner.home.entities[*at].clone())
    }

    /// How something was called that had this name and has left the home since the start.
    pub fn left(&self, name: &str) -> Option<String> {
        let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
        inner.left.get(&normal(name)).cloned()
    }

    /// What a device says about itself: its state and all its attributes. Answers the change, `None`
    /// when nothing is different or no such entity is known.
    pub fn report(&self, id: &EntityId, state: &str, attributes: Map<String, Value>) -> Option<EntityChange> {
        let report = StateReport { id: id.clone(), state: state.to_owned(), attributes };
        self.take(vec![report]).pop()
    }

    fn take(&self, reports: Vec<StateReport>) -> Vec<EntityChange> {
        let changes = {
            let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
            reports.into_iter().filter_map(|report| inner.report(report)).collect::<Vec<_>>()
        };
        self.tell(&changes);
        changes
    }

    /// Changes what sources tell, and tells what is different. `fresh`: whose states are those of its part.
    fn change(&self, work: impl FnOnce(&mut BTreeMap<String, Part>), fresh: &dyn Fn(&Entity) -> bool) {
        let (changes, says_more) = {
            let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
            work(&mut inner.parts);
            let vocabulary = inner.vocabulary;
            (inner.merge(fresh), inner.vocabulary != vocabulary)
        };
        self.tell(&changes);
        if says_more {
            self.vocabulary.send_modify(|count| *count = count.wrapping_add(1));
        }
    }

    fn tell(&self, changes: &[EntityChange]) {
        if !changes.is_empty() {
            let observers = self.observers.read().unwrap_or_else(PoisonError::into_inner).clone();
            for (observer, change) in
                observers.iter().flat_map(|one| changes.iter().map(move |change| (one, change)))
            {
                observer(change);
            }
        }
        self.reports.send_modify(|count| *count = count.wrapping_add(1));
    }
}

impl Inner {
    fn report(&mut self, report: StateReport) -> Option<EntityChange> {
        let at = *self.places.get(&report.id)?;
        let known = &self.home.entities[at];
        if known.state == report.state && known.attributes == report.attributes {
            return None;
        }
        let before = known.clone();
        let mut after = Entity { state: report.state, attributes: report.attributes, ..before.clone() };
        self.cover(&mut after);
        if before == after {
            return None;
        }
        Arc::make_mut(&mut self.home).entities[at] = after.clone();
        Some(EntityChange { before, after })
    }

    /// Replaces a secret value by its placeholder.
    fn cover(&self, entity: &mut Entity) {
        if entity.is_secret() && ![UNAVAILABLE, "unknown"].contains(&entity.state.as_str()) {
            entity.state = self.secrets.hide(&entity.state);
        }
    }

    /// Puts the parts together anew; entities that are not `fresh` stay in the state they are in.
    fn merge(&mut self, fresh: &dyn Fn(&Entity) -> bool) -> Vec<EntityChange> {
        let mut home = merge(&self.base, &self.parts);
        let mut changes = Vec::new();
        for now in &mut home.entities {
            self.cover(now);
            let Some(before) = self.places.get(&now.id).map(|at| &self.home.entities[*at]) else { continue };
            let away = self.parts.get(&now.source).is_some_and(|part| part.away);
            if before.source == now.source && !fresh(now) {
                now.attributes.clone_from(&before.attributes);
                if !away {
                    now.state.clone_from(&before.state);
                }
            }
            if before.state != now.state || before.attributes != now.attributes {
                changes.push(EntityChange { before: before.clone(), after: now.clone() });
            }
        }
        let places: HashMap<_, _> =
            home.entities.iter().enumerate().map(|(at, one)| (one.id.clone(), at)).collect();
        let gone = self.home.entities.iter().filter(|one| !places.contains_key(&one.id));
        for (name, gone) in gone.flat_map(|one| names_of(one).map(move |name| (name, one))) {
            if self.left.len() < MAX_LEFT {
                self.left.insert(normal(name), gone.name.clone());
            }
        }
        if !self.left.is_empty() {
            home.entities.iter().flat_map(names_of).for_each(|name| drop(self.left.remove(&normal(name))));
        }
        self.places = places;
        self.vocabulary = vocabulary_of(&home);
        self.home = Arc::new(home);
        changes
    }
}

/// Its name and what else it is called.
fn names_of(entity: &Entity) -> impl Iterator<Item = &String> {
    std::iter::once(&entity.name).chain(&entity.aliases)
}

impl HomeSink for HomeRegistry {
    fn replace(&self, source: &str, part: Home) {
        self.change(
            |parts| drop(parts.insert(source.to_owned(), Part { home: part, away: false })),
            &|entity| entity.source == source,
        );
    }

    fn update(&self, source: &str, areas: Vec<Area>, change: Vec<Entity>, gone: &[EntityId]) {
        let fresh: Vec<EntityId> = change.iter().map(|entity| entity.id.clone()).collect();
        self.change(
            |parts| {
                let part = parts.entry(source.to_owned()).or_default();
                part.away = false;
                part.home.areas.retain(|known| areas.iter().all(|area| area.id != known.id));
                part.home.areas.extend(areas);
                part.home.entities.retain(|known| !gone.contains(&known.id));
                for entity in change {
                    match part.home.entities.iter_mut().find(|known| known.id == entity.id) {
                        Some(known) => *known = entity,
                        None => part.home.entities.push(entity),
                    }
                }
            },
            &|entity| entity.source == source && fresh.contains(&entity.id),
        );
    }

    fn people(&self, source: &str, persons: Vec<Person>) {
        self.change(|parts| parts.entry(source.to_owned()).or_default().home.persons = persons, &|_| false);
    }

    fn report_all(&self, reports: Vec<StateReport>) {
        self.take(reports);
    }

    fn away(&self, source: &str) {
        self.change(
            |parts| {
                let part = parts.entry(source.to_owned()).or_default();
                part.away = true;
                for person in &mut part.home.persons {
                    UNAVAILABLE.clone_into(&mut person.state);
                }
            },
            &|_| false,
        );
    }
}

impl HomeView for HomeRegistry {
    fn home(&self) -> Arc<Home> {
        Arc::clone(&self.inner.read().unwrap_or_else(PoisonError::into_inner).home)
    }
}

/// Every name of a home.
fn names(home: &Home) -> impl Iterator<Item = &str> {
    let things = home.entities.iter().flat_map(|it| it.aliases.iter().chain([&it.name]));
    let areas = home.areas.iter().flat_map(|it| it.aliases.iter().chain([&it.name]));
    let floors = home.floors.iter().flat_map(|it| it.aliases.iter().chain([&it.name]));
    let people = home.persons.iter().map(|it| &it.name);
    let lists = home.lists.iter().map(|it| &it.name);
    things.chain(areas).chain(floors).chain(people).chain(lists).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn a_report_changes_the_picture_tells_observers_and_leaves_old_snapshots_alone() {
        let registry = HomeRegistry::new(file::example(true).unwrap());
        let told = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&told);
        registry.observe(Arc::new(move |change: &EntityChange| log.lock().unwrap().push(change.clone())));
        let before = registry.home();
        let id = EntityId::from("light.kitchen_ceiling");
        let entity = registry.entity(&id).unwrap();
        assert!(registry.report(&id, &entity.state, entity.attributes.clone()).is_none());
        let change = registry.report(&id, "on", entity.attributes.clone()).unwrap();
        assert_eq!((change.before.state.as_str(), change.after.state.as_str()), ("off", "on"));
        assert_eq!(*told.lock().unwrap(), vec![change]);
        assert_eq!(registry.entity(&id).unwrap().state, "on");
        assert_eq!(before.entities.iter().find(|e| e.id == id).unwrap().state, "off");
        assert!(registry.report(&"light.nowhere".into(), "on", Map::new()).is_none());
    }
}
