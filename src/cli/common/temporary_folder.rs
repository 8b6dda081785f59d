//! A folder of this process's own below the system's temporary folder, removed when it is dropped.

use hark_core::Fault;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// One process may have several.
static NUMBER: AtomicUsize = AtomicUsize::new(0);

/// See the module.
#[derive(Debug)]
pub(crate) struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Makes it, empty.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn make() -> Result<Self, Fault> {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("hark-{}-{number}", std::process::id()));
        hark_config::paths::ensure_dir(&path)?;
        Ok(Self(path))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!("{} is left behind: {error}", self.0.display());
        }
    }
}
