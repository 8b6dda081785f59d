//! What a source of the home told last, in the state folder: its names are understood from the first moment
//! on, also while it cannot be reached.

use hark_config::write_private;
use hark_core::home::Home;
use hark_home::UNAVAILABLE;
use serde::de::DeserializeOwned;
use serde_json::Map;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Largest file that is read: names and places of some thousand things.
const MAX_BYTES: u64 = 8 << 20;

/// The file of one source.
#[derive(Debug, Clone)]
pub(crate) struct HomeCache(PathBuf);

impl HomeCache {
    /// In this folder.
    pub(crate) fn new(folder: &Path, source: &str) -> Self {
        Self(folder.join(format!("home-{source}.json")))
    }

    /// What was kept; `None` when nothing was, or it cannot be read.
    pub(crate) fn load(&self) -> Option<Home> {
        read(&self.0)
    }

    /// Keeps names and places, no states. A home without things is not worth it.
    pub(crate) fn keep(&self, home: Option<Home>) {
        let Some(mut home) = home.filter(|home| !home.entities.is_empty()) else { return };
        for entity in &mut home.entities {
            UNAVAILABLE.clone_into(&mut entity.state);
            entity.attributes = Map::new();
        }
        for person in &mut home.persons {
            UNAVAILABLE.clone_into(&mut person.state);
        }
        let text = serde_json::json!(home).to_string();
        if std::fs::read_to_string(&self.0).is_ok_and(|known| known == text) {
            return;
        }
        if let Err(error) = write_private(&self.0, &text) {
            tracing::warn!(file = %self.0.display(), %error, "what is known of the home cannot be kept");
        }
    }
}

/// What a file of the state folder holds; `None` when it is not there, or cannot be read.
pub(crate) fn read<T: DeserializeOwned>(file: &Path) -> Option<T> {
    let mut text = String::new();
    File::open(file).ok()?.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    match serde_json::from_str(&text) {
        Ok(known) => Some(known),
        Err(error) => {
            // It is written anew with the next change.
            tracing::warn!(file = %file.display(), %error, "what is remembered of the home cannot be read");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_home::file;

    #[test]
    fn names_come_back_and_states_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let remembered = HomeCache::new(&folder.path().join("state"), "x");
        assert_eq!(remembered.load(), None);
        let home = file::example(true).unwrap();
        remembered.keep(Some(home.clone()));
        let last = remembered.load().unwrap();
        assert_eq!((&last.areas, last.entities.len()), (&home.areas, home.entities.len()));
        assert!(
            last.entities.iter().all(|entity| entity.state == UNAVAILABLE && entity.attributes.is_empty())
        );
        assert_eq!(last.entities[0].name, home.entities[0].name);
        remembered.keep(Some(Home::default()));
        remembered.keep(None);
        assert!(remembered.load().is_some());
        std::fs::write(&remembered.0, "{").unwrap();
        assert_eq!(remembered.load(), None);
    }
}
