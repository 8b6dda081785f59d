//! The one picture of the home that everybody reads: a snapshot that is cheap to take, and changes
//! that are told when they happened.

use crate::domain::EntityId;
use crate::domain::home::{Entity, Home};
use crate::domain::ports::HomeView;
use serde_json::{Map, Value};
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

/// Told of every change, outside the lock: it may read the registry.
pub type Observer = Arc<dyn Fn(&EntityChange) + Send + Sync>;

/// The home as it is now.
pub struct HomeRegistry {
    home: RwLock<Arc<Home>>,
    observers: RwLock<Vec<Observer>>,
    /// Counts reports, so that whoever waits for a state looks again.
    reports: watch::Sender<u64>,
}

impl HomeRegistry {
    /// A registry that begins with this home.
    pub fn new(home: Home) -> Self {
        let (reports, _) = watch::channel(0);
        Self { home: RwLock::new(Arc::new(home)), observers: RwLock::new(Vec::new()), reports }
    }

    /// Adds somebody who is told of changes.
    pub fn observe(&self, observer: Observer) {
        self.observers.write().unwrap_or_else(PoisonError::into_inner).push(observer);
    }

    /// A receiver that wakes at every report, also at one that changed nothing.
    pub fn reports(&self) -> watch::Receiver<u64> {
        self.reports.subscribe()
    }

    /// One entity as it is now.
    pub fn entity(&self, id: &EntityId) -> Option<Entity> {
        self.home().entities.iter().find(|entity| entity.id == *id).cloned()
    }

    /// What a device says about itself: its state and all its attributes. Answers the change, `None`
    /// when nothing is different or no such entity is known.
    pub fn report(&self, id: &EntityId, state: &str, attributes: Map<String, Value>) -> Option<EntityChange> {
        let change = {
            let mut home = self.home.write().unwrap_or_else(PoisonError::into_inner);
            let at = home.entities.iter().position(|entity| entity.id == *id)?;
            let before = home.entities[at].clone();
            let after = Entity { state: state.to_owned(), attributes, ..before.clone() };
            if before == after {
                None
            } else {
                Arc::make_mut(&mut home).entities[at] = after.clone();
                Some(EntityChange { before, after })
            }
        };
        if let Some(change) = &change {
            let observers = self.observers.read().unwrap_or_else(PoisonError::into_inner).clone();
            for observer in observers {
                observer(change);
            }
        }
        self.reports.send_modify(|count| *count = count.wrapping_add(1));
        change
    }
}

impl HomeView for HomeRegistry {
    fn home(&self) -> Arc<Home> {
        Arc::clone(&self.home.read().unwrap_or_else(PoisonError::into_inner))
    }
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
