//! The one SQLite file and the thread `hark-store` that owns it. Callers hand over work through a
//! bounded queue and wait for the result, so an `Ok` means that it is on the disk.

use super::backups::{self, Backup};
use super::database_files::{self, DatabaseLock, with_suffix};
use super::error::StoreError;
use super::salvaged::Salvage;
use super::{integrity, migrations, salvage};
use chrono::{TimeDelta, Utc};
use hark_core::Fault;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

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
    shared: Arc<StoreInner>,
}

#[derive(Debug)]
struct StoreInner {
    /// `None` once closed; dropping it is what ends the thread.
    queue: Mutex<Option<SyncSender<Job>>>,
    /// Done before what waits in the queue.
    first: Arc<Urgent>,
    /// Taken by the caller that joins.
    thread: Mutex<Option<JoinHandle<()>>>,
    /// What is to be told of how it was opened.
    trouble: Option<Fault>,
    /// The file; `None` where it is only in memory.
    path: Option<PathBuf>,
    /// Why nothing new is kept, where it is not.
    unkept: Option<(String, String)>,
    /// SQLite's `data_version` when it was last asked for; 0 before that.
    data_version: AtomicI64,
}

impl Store {
    /// Opens or creates the database at `path`, checks it and brings it up to date. Blocks on disk.
    ///
    /// # Errors
    /// When the folder or file cannot be made, opened or written, a newer Hark wrote it, or it is damaged.
    pub fn open(path: &Path) -> Result<Self, Fault> {
        let (in_use, _opening) = database_files::lock_and_prepare(path)?;
        let db = open_checked(path, &in_use)?;
        Ok(Self::serve(db, Some(path), None, None, Some(in_use))?)
    }

    /// As [`Store::open`], for the daemon: what can be read of a damaged file is saved into a new one, table by table,
    /// and the damaged one renamed, never deleted. [`Store::trouble`] then tells.
    ///
    /// # Errors
    /// As [`Store::open`]; damage only while another program has the file open.
    pub fn open_with_recovery(path: &Path) -> Result<Self, Fault> {
        let (in_use, _opening) = database_files::lock_and_prepare(path)?;
        let (db, trouble) = match open_checked(path, &in_use) {
            // A program that has it open would go on writing to the renamed file.
            Err(StoreError::Damaged { why, .. }) if in_use.is_exclusive() => {
                let (kept_as, saved) = mend(path)?;
                let db = open_checked(path, &in_use)?;
                let told = StoreError::SetAside {
                    path: path.to_owned(),
                    kept_as,
                    why,
                    saved,
                    backup: backups::list(path).into_iter().next().map(|backup| backup.name),
                };
                (db, Some(Fault::from(told)))
            }
            other => (other?, None),
        };
        Ok(Self::serve(db, Some(path), trouble, None, Some(in_use))?)
    }

    /// What can be read of the database at `path`, where none can be written there: everything that was kept is known, and
    /// every call that would keep something new fails. [`Store::trouble`] tells of it.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn open_in_memory(path: &Path) -> Result<Self, Fault> {
        let in_memory = || -> rusqlite::Result<(Connection, Option<Salvage>)> {
            let mut db = Connection::open_in_memory()?;
            migrations::migrate(&mut db)?;
            let saved = if path.is_file() { Some(salvage::copy(path, &mut db)?) } else { None };
            db.pragma_update(None, "query_only", true)?;
            Ok((db, saved))
        };
        let (db, saved) = in_memory().map_err(|error| StoreError::of_sqlite(path, error))?;
        let (why, fix) = database_files::why_unwritable(database_files::folder(path));
        let told =
            StoreError::NothingKept { path: path.to_owned(), why: why.clone(), fix: fix.clone(), saved };
        Ok(Self::serve(db, None, Some(told.into()), Some((why, fix)), None)?)
    }

    /// Opens an existing database for looking only, also while a daemon writes to it.
    ///
    /// # Errors
    /// When it is not there, cannot be read, is damaged, or has another shape than this program's.
    pub fn open_read_only(path: &Path) -> Result<Self, Fault> {
        if !path.exists() {
            return Err(StoreError::Absent { path: path.to_owned() }.into());
        }
        let fail = |error| StoreError::of_sqlite(path, error);
        let _opening = database_files::lock_for_opening(path);
        let alone = database_files::lock_exclusive(path);
        if let Some(why) = integrity::files(path, database_files::was_open(path), alone.is_some()) {
            return Err(StoreError::damaged(path, why).into());
        }
        drop(alone);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(path, flags).map_err(fail)?;
        db.busy_timeout(Duration::from_millis(BUSY_MS)).map_err(fail)?;
        if let Some(why) = integrity::damage(&db).map_err(fail)? {
            return Err(StoreError::damaged(path, why).into());
        }
        let found = migrations::version(&db).map_err(fail)?;
        let (path_buf, known) = (path.to_owned(), migrations::LATEST);
        if found > known {
            return Err(StoreError::TooNew { path: path_buf, found, known }.into());
        }
        if found < known {
            return Err(StoreError::TooOld { path: path_buf, found, known }.into());
        }
        Ok(Self::serve(db, Some(path), None, None, None)?)
    }

    /// The fault to be told of how it was opened: it was damaged and is mended, or nothing new can be kept.
    pub fn trouble(&self) -> Option<&Fault> {
        self.shared.trouble.as_ref()
    }

    /// Makes a backup when the newest one is older than `age`; it, when one was made. Slow, but it blocks no other call.
    ///
    /// # Errors
    /// When it could not be made.
    pub fn back_up(&self, age: TimeDelta) -> Result<Option<Backup>, Fault> {
        let Some(path) = &self.shared.path else { return Ok(None) };
        let newest = backups::list(path).into_iter().next();
        // One of the future was made while the clock was wrong.
        let is_fresh = |backup: &Backup| (TimeDelta::zero()..age).contains(&(Utc::now() - backup.made));
        if newest.as_ref().is_some_and(is_fresh) {
            return Ok(None);
        }
        backups::make(path).map(Some)
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
        path: Option<&Path>,
        trouble: Option<Fault>,
        unkept: Option<(String, String)>,
        in_use: Option<DatabaseLock>,
    ) -> Result<Self, StoreError> {
        let (queue, jobs) = sync_channel(QUEUE_CALLS);
        let first: Arc<Urgent> = Arc::default();
        let urgent = Arc::clone(&first);
        let thread = std::thread::Builder::new()
            .name("hark-store".into())
            .spawn(move || {
                work(db, &jobs, &urgent);
                drop(in_use);
            })
            .map_err(|error| StoreError::NoThread { why: error.to_string() })?;
        let shared = StoreInner {
            queue: Mutex::new(Some(queue)),
            first,
            thread: Mutex::new(Some(thread)),
            trouble,
            path: path.map(Path::to_owned),
            unkept,
            data_version: AtomicI64::new(0),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Runs `work` on the thread and waits for its result. `action` completes "the database refused to".
    pub(crate) fn call<T, F>(&self, action: &'static str, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let queue = self.queue()?;
        let (job, result) = job(work);
        self.wait_for(queue, job, &result, action)
    }

    /// As [`Store::call`], before everything that waits: for what takes microseconds and must not come late.
    pub(crate) fn call_first<T, F>(&self, action: &'static str, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let queue = self.queue()?;
        let (job, result) = job(work);
        self.shared.first.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(job);
        // An empty job wakes a thread that has nothing to do.
        self.wait_for(queue, Box::new(|_| {}), &result, action)
    }

    /// As [`Store::call`], without waiting for the result; a failure is logged.
    pub(crate) fn call_later<F>(&self, action: &'static str, work: F)
    where
        F: FnOnce(&mut Connection) -> rusqlite::Result<()> + Send + 'static,
    {
        let unkept = self.shared.unkept.is_some();
        let failed = move |error: StoreError| {
            // That nothing is kept was told at the start.
            if !unkept {
                tracing::warn!("{}", Fault::from(error));
            }
        };
        let job: Job = Box::new(move |db| {
            if let Err(source) = work(db) {
                failed(StoreError::of_call(action, source));
            }
        });
        let sent = self.queue().and_then(|queue| queue.send(job).map_err(|_| StoreError::Closed));
        if let Err(error) = sent {
            tracing::warn!("{}", Fault::from(error));
        }
    }

    fn queue(&self) -> Result<SyncSender<Job>, StoreError> {
        let queue = self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner).clone();
        queue.ok_or(StoreError::Closed)
    }

    fn wait_for<T>(
        &self,
        queue: SyncSender<Job>,
        job: Job,
        result: &Receiver<rusqlite::Result<T>>,
        action: &'static str,
    ) -> Result<T, StoreError> {
        queue.send(job).map_err(|_| StoreError::Closed)?;
        drop(queue);
        let done = result.recv().map_err(|_| StoreError::Closed)?;
        done.map_err(|source| match (&self.shared.unkept, source.sqlite_error_code()) {
            (Some((why, fix)), Some(ErrorCode::ReadOnly)) => {
                StoreError::Unkept { why: why.clone(), fix: fix.clone() }
            }
            _ => StoreError::of_call(action, source),
        })
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

impl StoreInner {
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

impl Drop for StoreInner {
    fn drop(&mut self) {
        self.close();
    }
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

fn open_checked(path: &Path, in_use: &DatabaseLock) -> Result<Connection, StoreError> {
    let fail = |error| StoreError::of_sqlite(path, error);
    // An empty one that another program has open is being made.
    let is_alone = in_use.is_exclusive();
    if let Some(why) = integrity::files(path, in_use.was_open && is_alone, is_alone) {
        return Err(StoreError::damaged(path, why));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(path, flags).map_err(fail)?;
    db.busy_timeout(Duration::from_millis(BUSY_MS)).map_err(fail)?;
    // What is damaged stays as it is: its log is not written into it.
    let keep_log = |on| db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on).map_err(fail);
    keep_log(true)?;
    if let Some(why) = integrity::damage(&db).map_err(fail)? {
        return Err(StoreError::damaged(path, why));
    }
    keep_log(false)?;
    let found = migrations::version(&db).map_err(fail)?;
    if found > migrations::LATEST {
        return Err(StoreError::TooNew { path: path.to_owned(), found, known: migrations::LATEST });
    }
    if found > 0 && found < migrations::LATEST {
        // It goes on without one, as it did before there were any.
        match backups::make_of(&db, path) {
            Ok(backup) => {
                tracing::info!(name = backup.name, "a backup was made before the database is changed")
            }
            Err(error) => tracing::warn!("{}", Fault::from(error)),
        }
    }
    db.pragma_update(None, "journal_mode", "WAL").map_err(fail)?;
    db.pragma_update(None, "synchronous", "FULL").map_err(fail)?;
    db.pragma_update(None, "foreign_keys", true).map_err(fail)?;
    migrations::migrate(&mut db).map_err(fail)?;
    in_use.share()?;
    Ok(db)
}

/// Files that were in the place of the database at `path` and were renamed: damaged, or replaced by a backup.
pub fn kept_aside(path: &Path) -> Vec<PathBuf> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is_one = |other: &Path| {
        let other = other.file_name().map(|other| other.to_string_lossy().into_owned()).unwrap_or_default();
        let rest = other.strip_prefix(&name).unwrap_or_default();
        let of_log = rest.ends_with("-wal") || rest.ends_with("-shm");
        !of_log && (rest.starts_with(".damaged-") || rest.starts_with(".replaced-"))
    };
    let entries = fs::read_dir(database_files::folder(path)).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| is_one(path)).collect();
    all.sort();
    all
}

/// Puts a new database with what can be read of the damaged one in its place. The damaged one is renamed when the new one
/// is whole on the disk, so that a full disk or a power cut leaves it where it was.
fn mend(path: &Path) -> Result<(PathBuf, Salvage), StoreError> {
    let fail = |error| StoreError::of_sqlite(path, error);
    let of_file = |error: std::io::Error| StoreError::Open { path: path.to_owned(), why: error.to_string() };
    let new = with_suffix(path, ".new");
    database_files::remove(&new).map_err(of_file)?;
    database_files::prepare(&new)?;
    let mut db = Connection::open(&new).map_err(fail)?;
    migrations::migrate(&mut db).map_err(fail)?;
    let saved = salvage::copy(path, &mut db).map_err(fail)?;
    db.close().map_err(|(_, error)| fail(error))?;
    let kept_as = database_files::set_aside(path, "damaged")?;
    fs::rename(&new, path).and_then(|()| database_files::sync_folder(path)).map_err(of_file)?;
    Ok((kept_as, saved))
}

#[cfg(test)]
#[path = "tests/damage.rs"]
mod damage_tests;
#[cfg(test)]
#[path = "tests/store.rs"]
mod tests;
