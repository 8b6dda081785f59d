//! Files that are there while parts are pulled.

use std::fs;
use std::path::PathBuf;

/// Files that are needed for this pull only; they are removed with it.
#[derive(Default)]
pub(super) struct Temporary {
    pub(super) unpacked: Vec<PathBuf>,
    pub(super) wheels: Vec<PathBuf>,
}

impl Temporary {
    /// Leaves the wheels that are here, so that the next pull needs only what is missing.
    pub(super) fn keep_wheels(&mut self) {
        self.wheels.clear();
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        for path in self.unpacked.iter().chain(&self.wheels) {
            let _ = fs::remove_file(path);
        }
    }
}
