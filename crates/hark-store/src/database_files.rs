//! The files of the database: readable by their owner only, locked while the database is open, renamed and never deleted.

use super::error::StoreError;
use hark_config::paths::private;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How long a program waits for another one that opens the database; longer than any takes, unless it hangs.
const OPENING_MS: u64 = 5_000;

/// A lock file beside the database: shared by every program that has the database open, exclusive for one that replaces
/// it. The system releases it when a program dies.
#[derive(Debug)]
pub(super) struct DatabaseLock {
    file: fs::File,
    path: PathBuf,
    /// A program has had the database open before, as it is here now.
    pub(super) was_open: bool,
}

impl DatabaseLock {
    /// Opens the file; nothing is locked yet.
    pub(super) fn note(database: &Path) -> Result<Self, StoreError> {
        Self::of(database, was_open(database))
    }

    fn of(database: &Path, was_open: bool) -> Result<Self, StoreError> {
        let path = with_suffix(database, ".lock");
        match private(fs::OpenOptions::new().write(true).create(true).truncate(false)).open(&path) {
            Ok(file) => Ok(Self { file, path, was_open }),
            Err(error) => Err(StoreError::Open { path, why: error.to_string() }),
        }
    }

    pub(super) fn is_exclusive(&self) -> bool {
        self.file.try_lock().is_ok()
    }

    /// Waits while another program replaces the database.
    pub(super) fn share(&self) -> Result<(), StoreError> {
        let failed = |error: io::Error| StoreError::Open {
            path: self.path.clone(),
            why: format!("it cannot be locked: {error}"),
        };
        // A lock that is held is turned into the other kind.
        self.file.lock_shared().map_err(failed)
    }
}

pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The folder that a file is in.
pub(super) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether the database is there and a program has had it open: then it is not empty.
pub(super) fn was_open(database: &Path) -> bool {
    database.exists() && with_suffix(database, ".lock").exists()
}

/// The exclusive lock: `None` when a program has the database open, or none ever had. To be held for a moment only.
pub(super) fn lock_exclusive(database: &Path) -> Option<fs::File> {
    let file = fs::File::open(with_suffix(database, ".lock")).ok()?;
    file.try_lock().is_ok().then_some(file)
}

/// Waits until no other program opens, makes or mends the database. One does so at a time: SQLite refuses at once to
/// change the kind of its log while another program writes, and a file that is being made looks like a damaged one.
/// `None` where that cannot be known or takes too long. To be held while the database is opened, no longer.
pub(super) fn lock_for_opening(database: &Path) -> Option<fs::File> {
    let path = with_suffix(database, ".opening");
    let make = private(fs::OpenOptions::new().write(true).create(true).truncate(false)).open(&path);
    // Who may only read the folder waits as well.
    let file = make.or_else(|_| fs::File::open(&path)).ok()?;
    let end = Instant::now() + Duration::from_millis(OPENING_MS);
    while file.try_lock().is_err() {
        if Instant::now() >= end {
            tracing::warn!(path = %path.display(), "another program has been opening the database for long; not waited for");
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Some(file)
}

/// Makes the file where there is none, and notes that it is about to be opened. The second lock is for the time of
/// opening it.
pub(super) fn lock_and_prepare(path: &Path) -> Result<(DatabaseLock, Option<fs::File>), StoreError> {
    let made = fs::create_dir_all(folder(path));
    made.map_err(|error| StoreError::Open { path: path.to_owned(), why: error.to_string() })?;
    let opening = lock_for_opening(path);
    let was_open = was_open(path);
    prepare(path)?;
    Ok((DatabaseLock::of(path, was_open)?, opening))
}

/// Makes an empty file where there is none. Its folder is there.
pub(super) fn prepare(path: &Path) -> Result<(), StoreError> {
    let cannot = |error: io::Error| StoreError::Open { path: path.to_owned(), why: error.to_string() };
    let file = private(fs::OpenOptions::new().write(true).create(true).truncate(false)).open(path);
    file.and_then(|file| file.sync_all()).map_err(cannot)?;
    sync_folder(path).map_err(cannot)
}

/// A new name survives a power cut only when its folder's entry does.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    fs::File::open(folder(path)).and_then(|dir| dir.sync_all())
}

/// Renames the database and its log to a name with the time; the log goes first: a log left beside another database
/// could be replayed into it. `what` says why, as in `damaged`.
pub(super) fn set_aside(path: &Path, what: &str) -> Result<PathBuf, StoreError> {
    let unix_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let mut kept_as = with_suffix(path, &format!(".{what}-{unix_ms}"));
    let mut number = 1;
    while kept_as.exists() {
        number += 1;
        kept_as = with_suffix(path, &format!(".{what}-{unix_ms}-{number}"));
    }
    for suffix in ["-wal", "-shm", ""] {
        let from = with_suffix(path, suffix);
        match fs::rename(&from, with_suffix(&kept_as, suffix)) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => {
                let why = format!("it cannot be renamed: {error}");
                return Err(StoreError::Open { path: from, why });
            }
        }
    }
    Ok(kept_as)
}

/// The database with its log and index of the log, where they are there.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    for suffix in ["-wal", "-shm", "-journal", ""] {
        match fs::remove_file(with_suffix(path, suffix)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Why nothing can be written into a folder, found out by trying, and how to mend that.
pub(super) fn why_unwritable(folder: &Path) -> (String, String) {
    const BYTES: usize = 64 * 1024;
    let probe = folder.join(format!(".hark-write-test-{}", std::process::id()));
    let written = private(fs::OpenOptions::new().write(true).create_new(true))
        .open(&probe)
        .and_then(|mut file| file.write_all(&[0x5a; BYTES]).and_then(|()| file.sync_all()));
    let _ = fs::remove_file(&probe);
    let shown = folder.display();
    match written.map_err(|error| error.kind()) {
        Err(ErrorKind::StorageFull | ErrorKind::QuotaExceeded) => (
            "the disk is full".to_owned(),
            format!("make room (`df -h {shown}` shows how much there is), then restart Hark"),
        ),
        Err(ErrorKind::ReadOnlyFilesystem) => (
            "the disk is read-only".to_owned(),
            format!(
                "mount it to be written to (`findmnt -T {shown}`, and `dmesg` tells of a failing disk), then restart Hark"
            ),
        ),
        // Said aloud as well.
        Err(kind) => (
            format!("nothing can be written: {kind}"),
            format!(
                "make {shown} a folder this user can write to, or set paths.state_dir, then restart Hark"
            ),
        ),
        Ok(()) => (
            "the database cannot be opened".to_owned(),
            format!("look at what is in its place in {shown}, move that away, then restart Hark"),
        ),
    }
}
