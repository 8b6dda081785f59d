//! Errors of the database, and what to do about them.

use super::backup_list;
use super::salvaged::Salvage;
use hark_core::{Fault, FaultKind};
use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// What can go wrong with the memory.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder or file cannot be made or opened.
    #[error("cannot open {path}: {why}")]
    Open { path: PathBuf, why: String },
    /// Nothing has been kept yet; only when opened for reading.
    #[error("there is no database at {path} yet")]
    Absent { path: PathBuf },
    /// The file is damaged; only the daemon mends it. `backup` names the newest.
    #[error("{path} is damaged: {why}")]
    Damaged { path: PathBuf, why: String, backup: Option<String> },
    /// A damaged file was renamed, and what could be read of it is in a new one.
    #[error("{path} was damaged ({why}); it is kept as {kept_as}, and a new one took its place: {saved}")]
    SetAside { path: PathBuf, kept_as: PathBuf, why: String, saved: Salvage, backup: Option<String> },
    /// The database is read into memory, because none can be written.
    #[error("nothing new can be kept in {path}: {why}; {}", known(.saved.as_ref()))]
    NothingKept { path: PathBuf, why: String, fix: String, saved: Option<Salvage> },
    /// Something would have to be kept while nothing can be.
    #[error("{why}")]
    Unkept { why: String, fix: String },
    /// A backup cannot be made.
    #[error("no backup of {path} could be made: {why}")]
    NoBackup { path: PathBuf, why: String },
    /// The backup that is named is not there.
    #[error("there is no such backup in {dir}; there are: {there}")]
    NoSuchBackup { dir: PathBuf, there: String },
    /// Another database cannot be put in place of one that is open.
    #[error("{path} is in use")]
    InUse { path: PathBuf },
    /// The system gives no thread.
    #[error("the thread hark-store cannot be started: {why}")]
    NoThread { why: String },
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

fn known(saved: Option<&Salvage>) -> String {
    saved.map_or_else(|| "there is nothing from before".to_owned(), |saved| format!("from before, {saved}"))
}

/// How the newest backup is put back, where there is one.
fn put_back(backup: Option<&String>) -> String {
    backup.map_or_else(
        || "there is no backup".to_owned(),
        |name| {
            format!("the newest backup is put back with `hark store restore {name}` while Hark is stopped")
        },
    )
}

impl StoreError {
    /// The file at `path` is damaged.
    pub(super) fn damaged(path: &Path, why: String) -> Self {
        let backup = backup_list::list(path).into_iter().next().map(|backup| backup.name);
        Self::Damaged { path: path.to_owned(), why, backup }
    }

    /// SQLite could not open the file.
    pub(super) fn of_sqlite(path: &Path, error: rusqlite::Error) -> Self {
        let why = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => {
                Self::damaged(path, "it is no database, or its head is damaged".into())
            }
            // The unknown is such as an unsupported format, or a table that a step would make and that is there.
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::Unknown) => Self::damaged(path, why),
            _ => Self::Open { path: path.to_owned(), why },
        }
    }

    /// A statement failed. `action` completes "the database refused to".
    pub(super) fn of_call(action: &'static str, source: rusqlite::Error) -> Self {
        let (why, fix) = match source.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => ("the disk is full", "make room: `df -h` shows how much there is"),
            Some(ErrorCode::ReadOnly) => {
                ("the disk is read-only", "mount it to be written to; `dmesg` tells of a failing disk")
            }
            _ => return Self::Sql { action, source },
        };
        Self::Unkept { why: why.to_owned(), fix: fix.to_owned() }
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        use StoreError as E;
        let message = error.to_string();
        let (kind, fix) = match &error {
            E::Open { .. } => (
                FaultKind::Unavailable,
                "check that it is a file this user can write to, in a folder that is there and has room, or set paths.state_dir",
            ),
            E::Absent { .. } => (FaultKind::BadInput, "start Hark once, or check paths.state_dir"),
            E::Damaged { backup, .. } => {
                let back = put_back(backup.as_ref());
                let fix = format!(
                    "stop every Hark and start the daemon again: it keeps the damaged file under another name and saves what can be read of it; or {back}"
                );
                return Self::new(FaultKind::Failed, "store", message, fix);
            }
            E::SetAside { saved, backup, .. } => {
                let back = put_back(backup.as_ref());
                let fix = match saved.is_database() {
                    true => format!("set again what is missing; {back}"),
                    // Tools for damaged databases read no other files.
                    false => format!("{back}; set again what is still wanted"),
                };
                return Self::new(FaultKind::Failed, "store", message, fix).recoverable();
            }
            E::NothingKept { fix, .. } => {
                return Self::new(FaultKind::Unavailable, "store", message, fix.as_str()).recoverable();
            }
            E::Unkept { fix, .. } => {
                return Self::new(FaultKind::Unavailable, "store", message, fix.as_str());
            }
            E::NoBackup { .. } => {
                (FaultKind::Failed, "make room, and look at the database with `hark store status`")
            }
            E::NoSuchBackup { .. } => (FaultKind::BadInput, "`hark store status` shows them"),
            E::InUse { .. } => {
                (FaultKind::Failed, "stop Hark first (`systemctl stop hark`), and every other hark command")
            }
            E::NoThread { .. } => (FaultKind::Failed, "raise the limit of threads (TasksMax in the service)"),
            E::TooNew { .. } => {
                (FaultKind::BadInput, "use the newer Hark that wrote it, or move the file away")
            }
            E::TooOld { .. } => {
                (FaultKind::BadInput, "restart the daemon so that it brings the file up to date")
            }
            E::Sql { .. } => (FaultKind::Unavailable, "check the disk: `df -h` and the kernel log"),
            E::BadRow { .. } => {
                (FaultKind::Failed, "put a backup back: `hark store status` shows which there are")
            }
            E::Closed => (FaultKind::Failed, ""),
        };
        Self::new(kind, "store", message, fix)
    }
}
