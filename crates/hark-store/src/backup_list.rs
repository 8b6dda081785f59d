//! The backups of a database that are there, by their file names.

use chrono::{DateTime, NaiveDateTime, Utc};
use std::fs;
use std::path::{Path, PathBuf};

const DIR: &str = "backups";
pub(super) const PREFIX: &str = "hark-";
pub(super) const SUFFIX: &str = ".db";
pub(super) const TIME_FORMAT: &str = "%Y%m%dT%H%M%SZ";

/// A backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// Name of the file, by which it is put back.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// When it was made.
    pub made: DateTime<Utc>,
    /// How large it is.
    pub bytes: u64,
}

/// The backups of a database, the newest first.
pub fn list(database: &Path) -> Vec<Backup> {
    let entries = fs::read_dir(dir(database)).into_iter().flatten().flatten();
    let mut all: Vec<Backup> = entries
        .filter_map(|entry| {
            let name = entry.file_name().to_str()?.to_owned();
            let stamp = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
            let made = NaiveDateTime::parse_from_str(stamp, TIME_FORMAT).ok()?.and_utc();
            let bytes = entry.metadata().ok().filter(fs::Metadata::is_file)?.len();
            Some(Backup { path: entry.path(), name, made, bytes })
        })
        .collect();
    all.sort_by(|a, b| b.name.cmp(&a.name));
    all
}

/// The folder they are in.
pub(super) fn dir(database: &Path) -> PathBuf {
    database.with_file_name(DIR)
}
