//! The one SQLite file and the thread `hark-store` that owns it. Callers hand over work through a
//! bounded queue and wait for the result, so an `Ok` means that it is on the disk.

use super::error::RememberingError;
use super::migrations;
use crate::domain::Fault;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How many calls may wait. A full queue makes the next caller wait as well: nothing is dropped.
const QUEUE_CALLS: usize = 64;

/// How long SQLite waits for another process that holds the lock.
const BUSY_MS: u64 = 5_000;

/// A piece of work for the thread.
type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// Work that is done before what waits in the queue.
#[derive(Default)]
struct Urgent(Mutex<VecDeque<Job>>);

impl std::fmt::Debug for Urgent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Urgent")
    }
}

/// A handle on the database; clones share one thread. The thread ends, and is joined, when [`close`]
/// is called or the last handle is dropped; what was asked before that is done first.
///
/// [`close`]: Store::close
#[derive(Clone, Debug)]
pub struct Store {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// `None` once closed; dropping it is what ends the thread.
    queue: Mutex<Option<SyncSender<Job>>>,
    /// Done before what waits in the queue.
    first: Arc<Urgent>,
    /// Taken by whoever joins.
    thread: Mutex<Option<JoinHandle<()>>>,
    /// What had to be repaired at the start.
    repaired: Option<Fault>,
    /// SQLite's `data_version` when it was last asked for; 0 before that.
    data_version: AtomicI64,
}

impl Store {
    /// Opens or creates the database at `path`, checks it and brings it up to date. A damaged file is
    /// renamed, never deleted, and a fresh one opened; [`Store::repaired`] then tells. Blocks on disk.
    ///
    /// # Errors
    /// When the folder or file cannot be made, opened or written, a newer Hark wrote it, or it is damaged while
    /// another program has it open.
    pub fn open(path: &Path) -> Result<Self, Fault> {
        prepare_file(path)?;
        let in_use = InUse::note(path)?;
        let (db, repaired) = match open_checked(path) {
            Ok(db) => (db, None),
            // Whoever has it open would go on writing to the file of another name.
            Err(damaged @ RememberingError::Damaged { .. }) if !in_use.is_mine_alone() => {
                return Err(damaged.into());
            }
            Err(RememberingError::Damaged { why, .. }) => {
                let kept_as = set_aside(path)?;
                prepare_file(path)?;
                let db = open_checked(path)?;
                let path = path.to_owned();
                (db, Some(Fault::from(RememberingError::SetAside { path, kept_as, why })))
            }
            Err(error) => return Err(error.into()),
        };
        in_use.share()?;
        Ok(Self::serve(db, path, repaired, Some(in_use))?)
    }

    /// Opens an existing database for looking only, also while a daemon writes to it.
    ///
    /// # Errors
    /// When it is not there, cannot be read, or has another shape than this program's.
    pub fn open_read_only(path: &Path) -> Result<Self, Fault> {
        if !path.exists() {
            return Err(RememberingError::Absent { path: path.to_owned() }.into());
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(path, flags).map_err(|error| classify(path, error))?;
        db.busy_timeout(Duration::from_millis(BUSY_MS)).map_err(|error| classify(path, error))?;
        let found = migrations::version(&db).map_err(|error| classify(path, error))?;
        let (path_buf, known) = (path.to_owned(), migrations::LATEST);
        if found > known {
            return Err(RememberingError::TooNew { path: path_buf, found, known }.into());
        }
        if found < known {
            return Err(RememberingError::TooOld { path: path_buf, found, known }.into());
        }
        Ok(Self::serve(db, path, None, None)?)
    }

    /// The fault to be told when the file was damaged and replaced at the start.
    pub fn repaired(&self) -> Option<&Fault> {
        self.shared.repaired.as_ref()
    }

    /// Remembers SQLite's `data_version`, and says whether it is another than before.
    pub(super) fn note_data_version(&self, version: i64) -> bool {
        let before = self.shared.data_version.swap(version, Ordering::Relaxed);
        before != 0 && before != version
    }

    /// Does what was asked before, ends the thread and waits for it; later calls fail.
    pub fn close(&self) {
        self.shared.close();
    }

    fn serve(
        db: Connection,
        path: &Path,
        repaired: Option<Fault>,
        in_use: Option<InUse>,
    ) -> Result<Self, RememberingError> {
        let (queue, jobs) = sync_channel(QUEUE_CALLS);
        let first: Arc<Urgent> = Arc::default();
        let urgent = Arc::clone(&first);
        let thread = std::thread::Builder::new()
            .name("hark-store".into())
            .spawn(move || {
                work(db, &jobs, &urgent);
                drop(in_use);
            })
            .map_err(|error| RememberingError::Open { path: path.to_owned(), why: error.to_string() })?;
        let shared = Shared {
            queue: Mutex::new(Some(queue)),
            first,
            thread: Mutex::new(Some(thread)),
            repaired,
            data_version: AtomicI64::new(0),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Runs `work` on the thread and waits for its result. `action` completes "the database refused to".
    pub(crate) fn call<T, F>(&self, action: &'static str, work: F) -> Result<T, RememberingError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let queue = self.queue()?;
        let (job, result) = job(work);
        Self::wait_for(queue, job, &result, action)
    }

    /// As [`Store::call`], before everything that waits: for what takes microseconds and must not come late.
    pub(crate) fn call_first<T, F>(&self, action: &'static str, work: F) -> Result<T, RememberingError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let queue = self.queue()?;
        let (job, result) = job(work);
        self.shared.first.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(job);
        // An empty job wakes a thread that has nothing to do.
        Self::wait_for(queue, Box::new(|_| {}), &result, action)
    }

    fn queue(&self) -> Result<SyncSender<Job>, RememberingError> {
        let queue = self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner).clone();
        queue.ok_or(RememberingError::Closed)
    }

    fn wait_for<T>(
        queue: SyncSender<Job>,
        job: Job,
        result: &Receiver<rusqlite::Result<T>>,
        action: &'static str,
    ) -> Result<T, RememberingError> {
        queue.send(job).map_err(|_| RememberingError::Closed)?;
        drop(queue);
        let done = result.recv().map_err(|_| RememberingError::Closed)?;
        done.map_err(|source| RememberingError::Sql { action, source })
    }
}

/// Work for the thread, and where its result comes.
fn job<T, F>(work: F) -> (Job, Receiver<rusqlite::Result<T>>)
where
    T: Send + 'static,
    F: FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
{
    let (answer, result) = sync_channel(1);
    let job: Job = Box::new(move |db| {
        // The caller waits for it, so the receiving end is there unless the caller was torn down.
        let _ = answer.send(work(db));
    });
    (job, result)
}

impl Shared {
    fn close(&self) {
        drop(self.queue.lock().unwrap_or_else(PoisonError::into_inner).take());
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread
            && thread.join().is_err()
        {
            tracing::error!("the store's thread ended in a panic");
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.close();
    }
}

/// A file beside the database, locked while the database is open: shared by everybody who has, alone by whoever
/// sets it aside. The system lets go of it when a program dies.
#[derive(Debug)]
struct InUse {
    file: fs::File,
    path: PathBuf,
}

impl InUse {
    /// Opens the file; nothing is locked yet.
    fn note(database: &Path) -> Result<Self, RememberingError> {
        let path = with_suffix(database, ".lock");
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&path) {
            Ok(file) => Ok(Self { file, path }),
            Err(error) => Err(RememberingError::Open { path, why: error.to_string() }),
        }
    }

    fn is_mine_alone(&self) -> bool {
        self.file.try_lock().is_ok()
    }

    /// Waits while somebody sets the database aside.
    fn share(&self) -> Result<(), RememberingError> {
        let failed = |error: std::io::Error| RememberingError::Open {
            path: self.path.clone(),
            why: format!("it cannot be locked: {error}"),
        };
        // A lock that is held is turned into the other kind.
        self.file.lock_shared().map_err(failed)
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The thread: works until every sender is gone, then closes the file (which checkpoints the log).
fn work(mut db: Connection, jobs: &Receiver<Job>, first: &Urgent) {
    while let Ok(job) = jobs.recv() {
        loop {
            // The lock is let go before the work.
            let urgent = first.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(urgent) = urgent else { break };
            urgent(&mut db);
        }
        job(&mut db);
    }
    if let Err((_, error)) = db.close() {
        tracing::warn!(%error, "the database did not close cleanly; its log is replayed at the next start");
    }
}

/// Makes the folder and an empty file only its owner can read: it holds what was said at home.
fn prepare_file(path: &Path) -> Result<(), RememberingError> {
    let cannot =
        |error: std::io::Error| RememberingError::Open { path: path.to_owned(), why: error.to_string() };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        fs::create_dir_all(folder).map_err(cannot)?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(cannot)?.sync_all().map_err(cannot)?;
    // A new file survives a power cut only when its folder's entry does.
    fs::File::open(folder.unwrap_or(Path::new("."))).and_then(|dir| dir.sync_all()).map_err(cannot)
}

fn open_checked(path: &Path) -> Result<Connection, RememberingError> {
    let fail = |error| classify(path, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(path, flags).map_err(fail)?;
    db.busy_timeout(Duration::from_millis(BUSY_MS)).map_err(fail)?;
    let damage = first_damage(&db).map_err(fail)?;
    if let Some(why) = damage {
        return Err(RememberingError::Damaged { path: path.to_owned(), why });
    }
    db.pragma_update(None, "journal_mode", "WAL").map_err(fail)?;
    db.pragma_update(None, "synchronous", "FULL").map_err(fail)?;
    db.pragma_update(None, "foreign_keys", true).map_err(fail)?;
    let found = migrations::version(&db).map_err(fail)?;
    if found > migrations::LATEST {
        return Err(RememberingError::TooNew { path: path.to_owned(), found, known: migrations::LATEST });
    }
    migrations::migrate(&mut db).map_err(fail)?;
    Ok(db)
}

/// SQLite's own quick check; `None` when the file is sound.
fn first_damage(db: &Connection) -> rusqlite::Result<Option<String>> {
    let verdict: String = db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok((verdict != "ok").then_some(verdict))
}

fn classify(path: &Path, error: rusqlite::Error) -> RememberingError {
    let (path, why) = (path.to_owned(), error.to_string());
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => RememberingError::Damaged { path, why },
        _ => RememberingError::Open { path, why },
    }
}

/// Renames the database and its log. The log goes first: a log left beside a fresh database could be
/// replayed into it.
fn set_aside(path: &Path) -> Result<PathBuf, RememberingError> {
    let unix_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let with = |suffix: &str| with_suffix(path, suffix);
    let mut kept_as = with(&format!(".damaged-{unix_ms}"));
    let mut number = 1;
    while kept_as.exists() {
        number += 1;
        kept_as = with(&format!(".damaged-{unix_ms}-{number}"));
    }
    for suffix in ["-wal", "-shm", ""] {
        let from = with(suffix);
        let mut to = kept_as.as_os_str().to_owned();
        to.push(suffix);
        match fs::rename(&from, PathBuf::from(to)) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(RememberingError::Open {
                    path: from,
                    why: format!("it is damaged, and {error}"),
                });
            }
        }
    }
    Ok(kept_as)
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
