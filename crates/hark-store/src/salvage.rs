//! Recovers what can be read of a damaged database, table by table. The damaged files are only read, from a copy: SQLite
//! writes beside what it opens.

use super::database_files::with_suffix;
use super::migrations;
use super::salvaged::{Salvage, Saved};
use hark_config::paths::private;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OpenFlags, TransactionBehavior, params_from_iter};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Copies what can be read of the database at `path` into `into`, which has every table and no rows.
///
/// # Errors
/// When `into` cannot be written to.
pub(super) fn copy(path: &Path, into: &mut Connection) -> rusqlite::Result<Salvage> {
    let Some(source) = Source::open(path) else { return Ok(Salvage::default()) };
    let from = &source.db;
    let there = migrations::tables(from).unwrap_or_default();
    let version: i64 = from.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap_or(0);
    let version = u32::try_from(version).ok().filter(|known| (1..=migrations::LATEST).contains(known));
    let expected = migrations::tables_at(version.unwrap_or(migrations::LATEST))?;
    if there.is_disjoint(&expected) {
        return Ok(Salvage::default());
    }
    into.pragma_update(None, "foreign_keys", false)?;
    let step = into.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut tables = Vec::new();
    for table in migrations::tables(&step)? {
        let is_there = there.contains(&table);
        if !is_there && !expected.contains(&table) {
            continue;
        }
        let (rows, is_whole) = if is_there { copy_table(from, &step, &table)? } else { (0, false) };
        tables.push(Saved { table, rows, is_whole });
    }
    drop_orphans(&step)?;
    keep_counting(from, &step)?;
    step.commit()?;
    into.pragma_update(None, "foreign_keys", true)?;
    Ok(Salvage { tables })
}

/// Rows saved, and whether those are all. A damaged page ends a reading: what is behind it is read from the end on, and
/// what lies between several by leaps.
fn copy_table(from: &Connection, into: &Connection, table: &str) -> rusqlite::Result<(u64, bool)> {
    let columns = |db: &Connection| -> rusqlite::Result<BTreeSet<String>> {
        db.prepare("SELECT name FROM pragma_table_info(?1)")?.query_map([table], |row| row.get(0))?.collect()
    };
    let Ok(there) = columns(from) else { return Ok((0, false)) };
    let names: Vec<String> = columns(into)?.intersection(&there).map(|name| format!("\"{name}\"")).collect();
    if names.is_empty() {
        return Ok((0, false));
    }
    let marks = vec!["?"; names.len()].join(", ");
    let insert = format!("INSERT OR IGNORE INTO \"{table}\" ({}) VALUES ({marks})", names.join(", "));
    let select = format!("SELECT rowid, {} FROM \"{table}\"", names.join(", "));
    let mut copying = Copying { from, into, insert, is_whole: true };
    let up = format!("{select} WHERE rowid >= ?1 ORDER BY rowid");
    let (mut next, is_read) = copying.run(&up, i64::MIN)?;
    if !is_read {
        copying.is_whole = false;
        let (last, _) = copying.run(&format!("{select} WHERE rowid <= ?1 ORDER BY rowid DESC"), i64::MAX)?;
        let mut leap = 1;
        next = next.max(0);
        while let Some(at) = next.checked_add(leap).filter(|at| *at < last) {
            let (reached, is_read) = copying.run(&up, at)?;
            if is_read {
                break;
            }
            (next, leap) = if reached > at { (reached, 1) } else { (at, leap.saturating_mul(2)) };
        }
    }
    let rows =
        into.query_row(&format!("SELECT count(*) FROM \"{table}\""), [], |row| row.get::<_, i64>(0))?;
    Ok((u64::try_from(rows).unwrap_or(0), copying.is_whole))
}

struct Copying<'a> {
    from: &'a Connection,
    into: &'a Connection,
    insert: String,
    is_whole: bool,
}

impl Copying<'_> {
    /// Copies rows in the order of the query; the number of the last one that was read (`start` without any), and whether
    /// the reading came to its end.
    fn run(&mut self, query: &str, start: i64) -> rusqlite::Result<(i64, bool)> {
        let mut last = start;
        let Ok(mut query) = self.from.prepare(query) else { return Ok((last, false)) };
        let columns = query.column_count();
        let Ok(mut rows) = query.query([start]) else { return Ok((last, false)) };
        let mut insert = self.into.prepare_cached(&self.insert)?;
        loop {
            let Ok(row) = rows.next() else { return Ok((last, false)) };
            let Some(row) = row else { return Ok((last, true)) };
            last = row.get(0).unwrap_or(last);
            let values: Option<Vec<Value>> = (1..columns).map(|at| readable(row.get_ref(at).ok()?)).collect();
            let Some(values) = values else {
                self.is_whole = false;
                continue;
            };
            match insert.execute(params_from_iter(values)) {
                // Refused, because a value cannot be there; or read already, from the other end.
                Ok(0) => self.is_whole = false,
                Ok(_) => {}
                // A value that no such column can hold: the row is damaged.
                Err(error) if is_of_a_value(&error) => self.is_whole = false,
                Err(error) => return Err(error),
            }
        }
    }
}

/// A value, unless it is a text that is none.
fn readable(value: ValueRef<'_>) -> Option<Value> {
    match value {
        ValueRef::Text(text) => Some(Value::Text(std::str::from_utf8(text).ok()?.to_owned())),
        ValueRef::Null => Some(Value::Null),
        ValueRef::Integer(number) => Some(Value::Integer(number)),
        ValueRef::Real(number) => Some(Value::Real(number)),
        ValueRef::Blob(bytes) => Some(Value::Blob(bytes.to_owned())),
    }
}

fn is_of_a_value(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode as Code;
    matches!(error.sqlite_error_code(), Some(Code::ConstraintViolation | Code::TypeMismatch))
}

/// What belongs to a row that was not saved belongs to nothing.
fn drop_orphans(into: &Connection) -> rusqlite::Result<()> {
    loop {
        let orphans: Vec<(String, i64)> = into
            .prepare("SELECT DISTINCT \"table\", rowid FROM pragma_foreign_key_check")?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        if orphans.is_empty() {
            return Ok(());
        }
        for (table, row) in orphans {
            into.execute(&format!("DELETE FROM \"{table}\" WHERE rowid = ?1"), [row])?;
        }
    }
}

/// Numbers that were given are not given again, also where it is not known how many were: names are made of them.
fn keep_counting(from: &Connection, into: &Connection) -> rusqlite::Result<()> {
    let read = |db: &Connection| -> rusqlite::Result<Vec<(String, i64)>> {
        db.prepare("SELECT name, seq FROM sqlite_sequence")?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect()
    };
    let mut counted = read(from).unwrap_or_default();
    if !counted.iter().any(|(name, _)| name == "requests") {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        counted.push(("requests".to_owned(), i64::try_from(seconds).unwrap_or(i64::MAX)));
    }
    let known = read(into)?;
    for (name, last) in counted.into_iter().filter(|(_, last)| (0..i64::MAX / 2).contains(last)) {
        match known.iter().find(|(other, _)| *other == name) {
            Some((_, reached)) if *reached >= last => continue,
            Some(_) => into.execute("UPDATE sqlite_sequence SET seq = ?2 WHERE name = ?1", (&name, last))?,
            None => into.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", (&name, last))?,
        };
    }
    Ok(())
}

/// A database that is read and not touched.
struct Source {
    db: Connection,
    _copy: Option<CopyOfFiles>,
}

impl Source {
    /// A copy of it with a head that is right; where there is no place for a copy, itself. `None` when it cannot be read
    /// as a database.
    fn open(path: &Path) -> Option<Self> {
        if let Ok(copy) = CopyOfFiles::make(path) {
            if let Err(error) = mend_head(&copy.database()) {
                tracing::warn!(%error, "the head of a damaged database is read as it is");
            }
            return Some(Self { db: read_only(&copy.database())?, _copy: Some(copy) });
        }
        Some(Self { db: read_only(path).or_else(|| immutable(path))?, _copy: None })
    }
}

fn read_only(path: &Path) -> Option<Connection> {
    readable_schema(Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?)
}

/// Where not even the index of the log can be made; what is only in the log is not seen then.
fn immutable(path: &Path) -> Option<Connection> {
    let escaped = path.to_str()?.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    readable_schema(Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags).ok()?)
}

fn readable_schema(db: Connection) -> Option<Connection> {
    let counted = db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0));
    counted.is_ok_and(|count| count > 0).then_some(db)
}

/// The files of a database in a folder of their own, which goes when this is dropped.
struct CopyOfFiles(PathBuf);

impl CopyOfFiles {
    /// In the first folder that takes it.
    fn make(path: &Path) -> io::Result<Self> {
        let name = format!("hark-salvage-{}", uuid::Uuid::now_v7());
        let places = [std::env::temp_dir(), PathBuf::from("/dev/shm"), PathBuf::from("/run")];
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for place in places {
            let copy = Self(place.join(&name));
            match copy.fill(path) {
                Ok(()) => return Ok(copy),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn database(&self) -> PathBuf {
        self.0.join("hark.db")
    }

    fn fill(&self, path: &Path) -> io::Result<()> {
        let mut folder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
        folder.create(&self.0)?;
        for suffix in ["", "-wal"] {
            let mut from = match fs::File::open(with_suffix(path, suffix)) {
                Err(error) if !suffix.is_empty() && error.kind() == io::ErrorKind::NotFound => continue,
                from => from?,
            };
            let to = with_suffix(&self.database(), suffix);
            let mut to = private(fs::OpenOptions::new().write(true).create_new(true)).open(to)?;
            io::copy(&mut from, &mut to)?;
        }
        Ok(())
    }
}

impl Drop for CopyOfFiles {
    fn drop(&mut self) {
        // It may be that it was never made.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Puts the head of a database as Hark makes it: what stands there is the same in all of them, but for numbers that
/// SQLite finds out again. <https://www.sqlite.org/fileformat2.html#the_database_header>
fn mend_head(path: &Path) -> io::Result<()> {
    const PAGE: u64 = 4096;
    let mut head = [0_u8; 100];
    head[..16].copy_from_slice(b"SQLite format 3\0");
    // Pages of 4096 bytes, a log, nothing reserved, and how much of a page a row may fill.
    head[16..24].copy_from_slice(&[0x10, 0, 2, 2, 0, 64, 32, 32]);
    // Format 4, UTF-8. The count of changes is another than the one the size is of: the size of the file counts.
    head[44..48].copy_from_slice(&4_u32.to_be_bytes());
    head[56..60].copy_from_slice(&1_u32.to_be_bytes());
    head[24..28].copy_from_slice(&2_u32.to_be_bytes());
    head[92..96].copy_from_slice(&1_u32.to_be_bytes());
    let mut file = fs::OpenOptions::new().read(true).write(true).open(path)?;
    if file.metadata()?.len() < PAGE {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    // The version is the one number that nothing else tells.
    file.seek(SeekFrom::Start(60))?;
    file.read_exact(&mut head[60..64])?;
    file.rewind()?;
    file.write_all(&head)
}
