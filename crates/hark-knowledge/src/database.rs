//! The SQLite file of the index: its schema, and how it is opened. Migrations are only ever added at the end;
//! `user_version` counts those that were applied.

use crate::{KnowledgeError, sqlite_vec_extension};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, TransactionBehavior};
use std::path::Path;
use std::time::Duration;

/// How long SQLite waits for another process that holds the lock.
const BUSY_MS: u64 = 5_000;

/// Pages that are kept in memory, in KiB.
const CACHE_KIB: i64 = 8 * 1024;

/// One step each; the place in the list is its number, starting at 1.
const STEPS: &[&str] = &[
    // 1: documents, passages, windows (what is embedded together), the bit codes of windows in blocks, BM25.
    "CREATE TABLE meta (
        name  TEXT PRIMARY KEY,
        value TEXT NOT NULL
     ) STRICT;
     CREATE TABLE roots (
        path      TEXT PRIMARY KEY,
        is_folder INTEGER NOT NULL CHECK (is_folder IN (0, 1))
     ) STRICT;
     CREATE TABLE documents (
        id              INTEGER PRIMARY KEY AUTOINCREMENT,
        path            TEXT NOT NULL UNIQUE,
        kind            TEXT NOT NULL,
        title           TEXT NOT NULL,
        size_bytes      INTEGER NOT NULL,
        modified_ns     INTEGER NOT NULL,
        sha256          BLOB NOT NULL,
        state           TEXT NOT NULL CHECK (state IN ('pending', 'ready', 'failed')),
        problem         TEXT NOT NULL DEFAULT '',
        fix             TEXT NOT NULL DEFAULT '',
        indexed_unix_ms INTEGER NOT NULL,
        seen            INTEGER NOT NULL DEFAULT 0
     ) STRICT;
     CREATE INDEX documents_pending ON documents (id) WHERE state = 'pending';
     CREATE TABLE passages (
        id         INTEGER PRIMARY KEY AUTOINCREMENT,
        document   INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        place      INTEGER NOT NULL,
        heading    TEXT NOT NULL,
        text       TEXT NOT NULL,
        pages      TEXT NOT NULL,
        start_byte INTEGER NOT NULL,
        end_byte   INTEGER NOT NULL,
        embedded   INTEGER NOT NULL DEFAULT 0 CHECK (embedded IN (0, 1)),
        UNIQUE (document, place)
     ) STRICT;
     CREATE INDEX passages_pending ON passages (document) WHERE embedded = 0;
     CREATE TABLE windows (
        id         INTEGER PRIMARY KEY AUTOINCREMENT,
        passage    INTEGER NOT NULL REFERENCES passages (id) ON DELETE CASCADE,
        start_byte INTEGER NOT NULL,
        end_byte   INTEGER NOT NULL,
        vector     BLOB NOT NULL,
        words      BLOB NOT NULL
     ) STRICT;
     CREATE INDEX windows_of_passage ON windows (passage);
     CREATE TABLE code_blocks (
        id           INTEGER PRIMARY KEY AUTOINCREMENT,
        document     INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        first_window INTEGER NOT NULL,
        codes        BLOB NOT NULL
     ) STRICT;
     CREATE INDEX code_blocks_of_document ON code_blocks (document);
     CREATE VIRTUAL TABLE passages_index USING fts5 (
        title, heading, text, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
     );
     CREATE TRIGGER passages_removed AFTER DELETE ON passages BEGIN
        DELETE FROM passages_index WHERE rowid = old.id;
     END;",
];

/// The version a fully migrated file has.
const LATEST: u32 = STEPS.len() as u32;

/// Opens or creates the index for writing.
///
/// # Errors
/// When it cannot be made, opened or migrated, is damaged, or is newer than this program.
pub(crate) fn open_writer(path: &Path) -> Result<Connection, KnowledgeError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|error| KnowledgeError::Open {
            path: path.to_owned(),
            why: format!("its folder cannot be made: {error}"),
        })?;
    }
    let mut db = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
    let prepare = |db: &mut Connection| {
        db.pragma_update(None, "journal_mode", "wal")?;
        // The index can be made again; a power cut may cost the last batches, never the file.
        db.pragma_update(None, "synchronous", "normal")?;
        db.pragma_update(None, "foreign_keys", true)?;
        version(db)
    };
    let found = prepare(&mut db).map_err(|error| KnowledgeError::of_open(path, &error))?;
    if found > LATEST {
        return Err(KnowledgeError::TooNew { path: path.to_owned(), found, known: LATEST });
    }
    migrate(&mut db).map_err(|error| KnowledgeError::of_open(path, &error))?;
    Ok(db)
}

/// Opens the index for searching, also while another connection writes.
///
/// # Errors
/// When it is not there, cannot be opened, or has another version.
pub(crate) fn open_reader(path: &Path) -> Result<Connection, KnowledgeError> {
    if !path.exists() {
        return Err(KnowledgeError::Absent { path: path.to_owned() });
    }
    // A connection that may only read cannot set up the shared memory of the log.
    let db = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let fail = |error: rusqlite::Error| KnowledgeError::of_open(path, &error);
    db.pragma_update(None, "query_only", true).map_err(fail)?;
    let found = version(&db).map_err(fail)?;
    match found.cmp(&LATEST) {
        std::cmp::Ordering::Greater => {
            Err(KnowledgeError::TooNew { path: path.to_owned(), found, known: LATEST })
        }
        std::cmp::Ordering::Less => {
            // It was never opened for writing by this program.
            drop(db);
            drop(open_writer(path)?);
            open_reader(path)
        }
        std::cmp::Ordering::Equal => Ok(db),
    }
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, KnowledgeError> {
    sqlite_vec_extension::register();
    let fail = |error: rusqlite::Error| KnowledgeError::of_open(path, &error);
    let db = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(fail)?;
    db.busy_timeout(Duration::from_millis(BUSY_MS)).map_err(fail)?;
    db.pragma_update(None, "cache_size", -CACHE_KIB).map_err(fail)?;
    Ok(db)
}

fn version(db: &Connection) -> rusqlite::Result<u32> {
    db.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Applies the steps that are missing, each in a transaction together with its number.
fn migrate(db: &mut Connection) -> rusqlite::Result<()> {
    let done = version(db)?;
    for (number, step) in (1_u32..).zip(STEPS).filter(|(number, _)| *number > done) {
        let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have been quicker while this one waited for the lock.
        if version(&transaction)? < number {
            transaction.execute_batch(step)?;
            transaction.pragma_update(None, "user_version", number)?;
        }
        transaction.commit()?;
    }
    Ok(())
}

/// The encoder that the vectors of the index are of, and their dimension.
pub(crate) fn encoder(db: &Connection) -> rusqlite::Result<Option<(String, usize)>> {
    let sql = "SELECT (SELECT value FROM meta WHERE name = 'encoder'), (SELECT value FROM meta WHERE name = 'dimension')";
    let found: Option<(Option<String>, Option<String>)> =
        db.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((Some(name), Some(dimension))) = found else { return Ok(None) };
    Ok(dimension.parse().ok().map(|dimension| (name, dimension)))
}

/// A column that holds a count or a number of bytes.
pub(crate) fn size(row: &Row<'_>, column: usize) -> rusqlite::Result<usize> {
    let number: i64 = row.get(column)?;
    usize::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
}

/// A count or a number of bytes, for a column.
pub(crate) fn integer(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_open_changes_nothing_and_a_newer_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/knowledge.db");
        let db = open_writer(&path).unwrap();
        db.execute("INSERT INTO meta VALUES ('encoder', 'x'), ('dimension', '8')", []).unwrap();
        let vec: String = db.query_row("SELECT vec_version()", [], |row| row.get(0)).unwrap();
        assert!(vec.starts_with('v'));
        drop(db);
        assert_eq!(encoder(&open_writer(&path).unwrap()).unwrap(), Some(("x".to_owned(), 8)));
        open_writer(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
        assert!(matches!(open_writer(&path), Err(KnowledgeError::TooNew { found: 99, .. })));
        assert!(matches!(open_reader(&path), Err(KnowledgeError::TooNew { .. })));
    }

    #[test]
    fn what_is_no_database_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.db");
        std::fs::write(&path, "no database at all, but long enough to look at".repeat(30)).unwrap();
        assert!(matches!(open_writer(&path), Err(KnowledgeError::BadIndex { .. })));
        assert!(matches!(open_reader(&folder.path().join("none.db")), Err(KnowledgeError::Absent { .. })));
    }
}
