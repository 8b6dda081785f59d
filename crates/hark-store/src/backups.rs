//! Backups of the database: whole copies in the folder `backups` beside it, a few of them, made while it is sound. Made once
//! a day and before a migration; restored by hand (`hark store restore`).

use super::backup_list::{PREFIX, SUFFIX, TIME_FORMAT, dir};
use super::database_files::{self, DatabaseLock, set_aside, with_suffix};
use super::error::StoreError;
use super::integrity;
use chrono::Utc;
use hark_config::paths::{make_dir, private};
use hark_core::Fault;
use rusqlite::{Connection, OpenFlags};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use super::backup_list::{Backup, list};

/// Backups that are kept.
const MAX_BACKUPS: usize = 5;

/// What all of them may take together; the newest is kept in any case.
const MAX_BYTES: u64 = 1 << 30;

/// Room that is left on the disk besides a backup.
const MIN_FREE_BYTES: u64 = 64 << 20;

/// Makes one of the database at `database`, which may be in use, and forgets the oldest ones.
///
/// # Errors
/// When it cannot be read or is damaged, or there is no room.
pub fn make(database: &Path) -> Result<Backup, Fault> {
    let db = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .map_err(|error| StoreError::of_sqlite(database, error))?;
    Ok(make_of(&db, database)?)
}

/// As [`make`], of an open database.
pub(super) fn make_of(db: &Connection, database: &Path) -> Result<Backup, StoreError> {
    let cannot = |why: String| StoreError::NoBackup { path: database.to_owned(), why };
    let of_file = |error: io::Error| cannot(error.to_string());
    let dir = dir(database);
    make_dir(&dir, 0o700).map_err(of_file)?;
    let size = fs::metadata(database).map_err(of_file)?.len();
    let disk = rustix::fs::statvfs(&dir).map_err(|error| of_file(error.into()))?;
    if disk.f_bavail.saturating_mul(disk.f_frsize) < size.saturating_add(MIN_FREE_BYTES) {
        return Err(cannot("there is too little room on the disk".to_owned()));
    }
    let name = format!("{PREFIX}{}{SUFFIX}", Utc::now().format(TIME_FORMAT));
    let (path, unfinished) = (dir.join(&name), dir.join(format!("{name}.unfinished")));
    let made = fill(db, &unfinished).map_err(|why| {
        let _ = database_files::remove(&unfinished);
        cannot(why)
    });
    made.and_then(|()| fs::rename(&unfinished, &path).map_err(of_file))?;
    database_files::sync_folder(&path).map_err(of_file)?;
    prune(database).map_err(of_file)?;
    let made = list(database).into_iter().find(|backup| backup.name == name);
    made.ok_or_else(|| cannot("it is not there".to_owned()))
}

/// Writes a whole copy that is sound, or nothing that counts.
fn fill(db: &Connection, path: &Path) -> Result<(), String> {
    database_files::remove(path).map_err(|error| error.to_string())?;
    // Made here with private rights; SQLite takes an empty file for one that is not there.
    let file = private(fs::OpenOptions::new().write(true).create_new(true)).open(path);
    let file = file.map_err(|error| error.to_string())?;
    let name = path.to_str().ok_or("its path is no text")?;
    db.execute("VACUUM INTO ?1", [name]).map_err(|error| error.to_string())?;
    if let Some(why) = check_file(path).map_err(|error| error.to_string())? {
        return Err(why);
    }
    file.sync_all().map_err(|error| error.to_string())
}

fn check_file(path: &Path) -> rusqlite::Result<Option<String>> {
    integrity::damage(&Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?)
}

fn prune(database: &Path) -> io::Result<()> {
    let mut total = 0;
    for (at, backup) in list(database).into_iter().enumerate() {
        total += backup.bytes;
        if at >= MAX_BACKUPS || at > 0 && total > MAX_BYTES {
            fs::remove_file(&backup.path)?;
        }
    }
    Ok(())
}

/// Puts a backup in the place of the database, by its name, or the newest; what was there is kept under another name,
/// which is answered with it.
///
/// # Errors
/// When there is none, it is damaged, a program has the database open, or it cannot be written.
pub fn restore(database: &Path, name: Option<&str>) -> Result<(Backup, Option<PathBuf>), Fault> {
    let all = list(database);
    let Some(backup) = all.iter().find(|backup| name.is_none_or(|name| backup.name == name)) else {
        let names: Vec<&str> = all.iter().map(|backup| backup.name.as_str()).collect();
        return Err(StoreError::NoSuchBackup { dir: dir(database), there: names.join(", ") }.into());
    };
    let in_use = DatabaseLock::note(database)?;
    if !in_use.is_exclusive() {
        return Err(StoreError::InUse { path: database.to_owned() }.into());
    }
    let looked = check_file(&backup.path).map_err(|error| StoreError::of_sqlite(&backup.path, error))?;
    if let Some(why) = looked {
        return Err(StoreError::damaged(&backup.path, why).into());
    }
    let cannot = |error: io::Error| StoreError::Open { path: database.to_owned(), why: error.to_string() };
    let new = with_suffix(database, ".new");
    database_files::remove(&new).map_err(cannot)?;
    let write = || {
        let mut to = private(fs::OpenOptions::new().write(true).create_new(true)).open(&new)?;
        io::copy(&mut fs::File::open(&backup.path)?, &mut to)?;
        to.sync_all()
    };
    write().map_err(cannot)?;
    let before = if database.exists() { Some(set_aside(database, "replaced")?) } else { None };
    fs::rename(&new, database).and_then(|()| database_files::sync_folder(database)).map_err(cannot)?;
    Ok((backup.clone(), before))
}
