//! Files that PocketSphinx reads once, in a folder of their own that goes when they do.

use super::error::GrammarError;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The folder; dropping it removes it.
pub(super) struct PassingFiles {
    folder: PathBuf,
}

impl PassingFiles {
    /// An empty folder in `work_dir`.
    pub(super) fn create(work_dir: &Path) -> Result<Self, GrammarError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("grammar-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let folder = work_dir.join(name);
        fs::create_dir_all(&folder).map_err(|source| GrammarError::File { path: folder.clone(), source })?;
        Ok(Self { folder })
    }

    /// Writes a file and tells where it is.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<PathBuf, GrammarError> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(|source| GrammarError::File { path: path.clone(), source })?;
        Ok(path)
    }
}

impl Drop for PassingFiles {
    fn drop(&mut self) {
        // Nothing depends on it: a leftover folder is only untidy.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
