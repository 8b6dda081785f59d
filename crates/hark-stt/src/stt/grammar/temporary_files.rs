//! Temporary files that PocketSphinx reads once. They live in a private folder that is removed on drop.

use super::error::GrammarError;
use hark_config::paths::make_dir;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The folders; dropping it removes them.
pub(super) struct TemporaryFiles {
    /// In the order in which they are tried; each is made when it is needed.
    folders: Vec<PathBuf>,
}

impl TemporaryFiles {
    /// Files in `work_dir`, and where its disk takes none in memory: a house with a full disk is to hear.
    pub(super) fn within(work_dir: &Path) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let mut folders = vec![work_dir.join(format!("grammar-{}-{number}", std::process::id()))];
        // Others may write there, so the name is random.
        let name = format!("hark-grammar-{}", uuid::Uuid::new_v4());
        let elsewhere = [PathBuf::from("/dev/shm"), PathBuf::from("/run"), std::env::temp_dir()];
        folders.extend(elsewhere.into_iter().map(|place| place.join(&name)));
        Self { folders }
    }

    /// Writes a file and tells where it is.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<PathBuf, GrammarError> {
        let mut first = None;
        for folder in &self.folders {
            let path = folder.join(name);
            match make_dir(folder, 0o700).and_then(|()| fs::write(&path, text)) {
                Ok(()) => return Ok(path),
                Err(source) => first = first.or(Some((path, source))),
            }
        }
        let (path, source) =
            first.unwrap_or_else(|| (PathBuf::from(name), io::Error::from(io::ErrorKind::NotFound)));
        Err(GrammarError::NoTemporaryFolder { path, source })
    }
}

impl Drop for TemporaryFiles {
    fn drop(&mut self) {
        for folder in &self.folders {
            // Most were never made, and nothing depends on it: a leftover folder is only untidy.
            let _ = fs::remove_dir_all(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_disk_takes_nothing_files_are_in_memory_and_go_with_it() {
        let dir = tempfile::TempDir::new().unwrap();
        let here = TemporaryFiles::within(dir.path());
        assert!(here.write("a", "text").unwrap().starts_with(dir.path()));
        // A file in the place of the folder.
        let taken = dir.path().join("taken");
        fs::write(&taken, "").unwrap();
        let elsewhere = TemporaryFiles::within(&taken);
        let path = elsewhere.write("a", "text").unwrap();
        assert!(!path.starts_with(dir.path()), "{}", path.display());
        assert_eq!(fs::read_to_string(&path).unwrap(), "text");
        drop(elsewhere);
        assert!(!path.exists());
    }
}
