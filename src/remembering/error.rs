//! What can go wrong with the memory, and what to do about it.

use crate::domain::{Fault, FaultKind};
use std::path::PathBuf;

/// What can go wrong with the memory.
#[derive(Debug, thiserror::Error)]
pub enum RememberingError {
    /// The folder or file cannot be made or opened.
    #[error("cannot open {path}: {why}")]
    Open { path: PathBuf, why: String },
    /// Nothing has been kept yet; only when opened for reading.
    #[error("there is no database at {path} yet")]
    Absent { path: PathBuf },
    /// The file is damaged; only when opened for reading, since only the owner sets it aside.
    #[error("{path} is damaged: {why}")]
    Damaged { path: PathBuf, why: String },
    /// A damaged file was moved out of the way and an empty one took its place.
    #[error("{path} is damaged ({why}); it was kept as {kept_as} and an empty one took its place")]
    SetAside { path: PathBuf, kept_as: PathBuf, why: String },
    /// The file has migrations this program does not know.
    #[error("{path} has version {found}, this program knows up to {known}")]
    TooNew { path: PathBuf, found: u32, known: u32 },
    /// The file lacks migrations and was opened for reading.
    #[error("{path} has version {found}, this program needs {known}")]
    TooOld { path: PathBuf, found: u32, known: u32 },
    /// A statement failed.
    #[error("the database refused to {action}: {source}")]
    Sql { action: &'static str, source: rusqlite::Error },
    /// A row does not hold what it should.
    #[error("the database holds a {what} that cannot be read: {why}")]
    BadRow { what: &'static str, why: String },
    /// The thread that owns the database has ended.
    #[error("the store has been closed")]
    Closed,
}

impl From<RememberingError> for Fault {
    fn from(error: RememberingError) -> Self {
        use RememberingError as E;
        let message = error.to_string();
        let (kind, fix) = match &error {
            E::Open { .. } => (
                FaultKind::Unavailable,
                "check that the folder exists, is writable for this user and has space, or set paths.state_dir",
            ),
            E::Absent { .. } => (FaultKind::BadInput, "start Hark once, or check paths.state_dir"),
            E::Damaged { .. } => (
                FaultKind::Failed,
                "stop every Hark and start it again: it keeps the damaged file under another name",
            ),
            E::SetAside { .. } => (
                FaultKind::Failed,
                "timers, lists and what was remembered are in the kept file: look at it with `sqlite3 FILE .recover`, and set again what is still wanted",
            ),
            E::TooNew { .. } => {
                (FaultKind::BadInput, "use the newer Hark that wrote it, or move the file away")
            }
            E::TooOld { .. } => {
                (FaultKind::BadInput, "restart the daemon so that it brings the file up to date")
            }
            E::Sql { .. } => (FaultKind::Unavailable, "check the disk: `df -h` and the kernel log"),
            E::BadRow { .. } => (FaultKind::Failed, "move the database file away and restart Hark"),
            E::Closed => (FaultKind::Failed, ""),
        };
        let fault = Fault::new(kind, "store", message, fix);
        match error {
            E::SetAside { .. } => fault.recoverable(),
            _ => fault,
        }
    }
}
