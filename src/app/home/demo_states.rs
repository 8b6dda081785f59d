//! What virtual devices are like, in the state folder: a home without real ones stays as it was left. Only what differs
//! from the home's file is kept, so that the file counts for everything else.

use crate::app::home::cache::read;
use hark_config::Config;
use hark_config::write_private;
use hark_core::home::{Entity, Home};
use hark_core::ports::HomeView;
use hark_core::{EntityId, Fault};
use hark_home::{HomeRegistry, SOURCE_DEMO};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

const FILE: &str = "home-demo.json";
/// Changes are gathered for so long before they are written.
const GATHER: Duration = Duration::from_millis(300);

/// What differs of a device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Kept {
    state: String,
    /// Null for one that is gone.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    attributes: Map<String, Value>,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct DemoStates {
    file: PathBuf,
    /// The devices as the home's file has them.
    usual: HashMap<EntityId, Entity>,
}

impl DemoStates {
    /// Those of this configuration.
    ///
    /// # Errors
    /// When there is not even a place for them.
    pub(crate) fn of(config: &Config) -> Result<Self, Fault> {
        Ok(Self { file: config.paths.state_dir()?.join(FILE), usual: HashMap::new() })
    }

    /// Puts the virtual devices of a home, as its file has it, into the state they were left in.
    pub(crate) fn put_over(&mut self, home: &mut Home) {
        let kept: BTreeMap<EntityId, Kept> = read(&self.file).unwrap_or_default();
        for entity in home.entities.iter_mut().filter(|entity| entity.source == SOURCE_DEMO) {
            self.usual.insert(entity.id.clone(), entity.clone());
            let Some(kept) = kept.get(&entity.id) else { continue };
            entity.state.clone_from(&kept.state);
            for (key, value) in &kept.attributes {
                if value.is_null() {
                    entity.attributes.shift_remove(key);
                } else {
                    entity.attributes.insert(key.clone(), value.clone());
                }
            }
        }
    }

    /// Keeps them from now on.
    pub(crate) fn follow(self, home: &Arc<HomeRegistry>, runtime: &Handle) -> Following {
        let change = Arc::new(Change::default());
        let noted = change.clone();
        home.observe(Arc::new(move |change| {
            if change.after.source == SOURCE_DEMO {
                noted.is_there.store(true, Ordering::Release);
                noted.told.notify_one();
            }
        }));
        let writer = Arc::new(StateWriter { states: self, home: home.clone(), change });
        let writing = writer.clone();
        let task = runtime.spawn(async move {
            loop {
                writing.change.told.notified().await;
                tokio::time::sleep(GATHER).await;
                let writer = writing.clone();
                // A failure is in the log; the next change tries again.
                let _ = tokio::task::spawn_blocking(move || writer.write()).await;
            }
        });
        Following { writer, task }
    }

    fn differing(&self, home: &Home) -> BTreeMap<EntityId, Kept> {
        let differs = |now: &Entity| {
            let usual = self.usual.get(&now.id)?;
            let changed =
                now.attributes.iter().filter(|(key, value)| usual.attributes.get(*key) != Some(value));
            let gone = usual.attributes.keys().filter(|key| !now.attributes.contains_key(*key));
            let gone = gone.map(|key| (key.clone(), Value::Null));
            let attributes: Map<String, Value> =
                changed.map(|(key, value)| (key.clone(), value.clone())).chain(gone).collect();
            let is_usual = now.state == usual.state && attributes.is_empty();
            (!is_usual).then(|| (now.id.clone(), Kept { state: now.state.clone(), attributes }))
        };
        home.entities.iter().filter(|entity| entity.source == SOURCE_DEMO).filter_map(differs).collect()
    }
}

#[derive(Debug, Default)]
struct Change {
    is_there: AtomicBool,
    told: Notify,
}

struct StateWriter {
    states: DemoStates,
    home: Arc<HomeRegistry>,
    change: Arc<Change>,
}

impl StateWriter {
    /// Writes what has changed since the last time, if anything has.
    fn write(&self) {
        if !self.change.is_there.swap(false, Ordering::AcqRel) {
            return;
        }
        let text = serde_json::json!(self.states.differing(&self.home.home())).to_string();
        if let Err(error) = write_private(&self.states.file, &text) {
            tracing::warn!(file = %self.states.file.display(), %error, "the demo home cannot be kept");
        }
    }
}

/// Keeps states for as long as it lives.
pub(crate) struct Following {
    writer: Arc<StateWriter>,
    task: JoinHandle<()>,
}

impl Drop for Following {
    fn drop(&mut self) {
        self.task.abort();
        self.writer.write();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_home::file;

    #[test]
    fn devices_are_as_they_were_left_and_as_their_file_says_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::default();
        config.paths.state_dir = folder.path().display().to_string();
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let open = || {
            let mut home = file::example(true).unwrap();
            let mut states = DemoStates::of(&config).unwrap();
            states.put_over(&mut home);
            let home = Arc::new(HomeRegistry::new(home));
            (home.clone(), states.follow(&home, runtime.handle()))
        };
        let id = EntityId::from("light.kitchen_ceiling");
        let (home, following) = open();
        let mut attributes = home.entity(&id).unwrap().attributes;
        let (gone, _) = attributes.iter().next().map(|(key, value)| (key.clone(), value.clone())).unwrap();
        attributes.shift_remove(&gone);
        attributes.insert("effect".into(), "rainbow".into());
        home.report(&id, "on", attributes.clone());
        drop(following);
        let (home, following) = open();
        let left = home.entity(&id).unwrap();
        assert_eq!((left.state.as_str(), &left.attributes), ("on", &attributes));
        let usual = file::example(true).unwrap();
        let others =
            |home: &Home| home.entities.iter().filter(|one| one.id != id).cloned().collect::<Vec<_>>();
        assert_eq!(others(&home.home()), others(&usual));
        drop(following);
        std::fs::write(folder.path().join(FILE), "{").unwrap();
        assert_eq!(open().0.entity(&id).unwrap().state, "off", "a damaged file is none");
    }
}
