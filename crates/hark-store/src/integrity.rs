//! Integrity checks of a database: its files, its write-ahead log, its pages, its tables, and the texts in it.

use super::database_files::with_suffix;
use super::migrations;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::fs;
use std::io::Read;
use std::path::Path;

/// A version further ahead than this was never given: the number is damaged.
const MAX_VERSIONS_AHEAD: i64 = 1000;

/// Nothing shorter is a database: this is the smallest page there is.
const MIN_BYTES: u64 = 512;

/// Tables that grow large, of which a text that cannot be read harms only what is told of the past.
const LARGE: &[&str] = &["turns", "entries"];

/// What holds in each row of a table. SQLite knows it as well, but looks at it only in a file that is opened for writing.
const RULES: &[(&str, &str)] = &[
    (
        "timers",
        "state IN ('running', 'paused', 'ringing') AND kind IN ('timer', 'alarm', 'reminder', 'command')",
    ),
    ("list_items", "done IN (0, 1)"),
    ("rings", "told IN (0, 1)"),
    ("requests", "done IN (0, 1)"),
    ("facts", "speaker IN ('owner', 'known', 'unknown') AND private IN (0, 1) AND sure BETWEEN 0 AND 1"),
    ("entities", "kind IN ('person', 'place', 'thing', 'project')"),
    ("statements", "many IN (0, 1)"),
    ("voices", "length(embedding) = 1024"),
];

/// What is wrong with the files, before they are opened. `was_open`: a program has had the database open before;
/// `is_alone`: none has it open now, so that the log stands still.
pub(super) fn files(path: &Path, was_open: bool, is_alone: bool) -> Option<String> {
    let bytes = fs::metadata(path).ok().filter(fs::Metadata::is_file)?.len();
    if bytes == 0 {
        return was_open.then(|| "it is empty".to_owned());
    }
    if bytes < MIN_BYTES {
        return Some("it is too short for a database".to_owned());
    }
    let log = if is_alone { fs::read(with_suffix(path, "-wal")).unwrap_or_default() } else { Vec::new() };
    head_damage(path, bytes, is_alone && log.is_empty()).or_else(|| log_damage(&log))
}

/// What is wrong with the head that SQLite would take for something else: a file that may only be read, or pages whose
/// end is missing and taken for zeros. Where the log is not empty it may hold what the end of the file lacks.
fn head_damage(path: &Path, bytes: u64, has_no_log: bool) -> Option<String> {
    let mut head = [0_u8; 20];
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut head)).ok()?;
    if !head.starts_with(b"SQLite format 3\0") {
        return None;
    }
    if !head[18..20].iter().all(|version| [1, 2].contains(version)) {
        return Some("its head is damaged".to_owned());
    }
    let page_bytes = u64::from(u16::from_be_bytes([head[16], head[17]]));
    let is_cut = has_no_log && page_bytes >= 512 && !bytes.is_multiple_of(page_bytes);
    is_cut.then(|| "its end is missing".to_owned())
}

/// What is wrong with an open database; `None` when it is sound.
///
/// # Errors
/// SQLite's, which may say that it is damaged as well.
pub(super) fn damage(db: &Connection) -> rusqlite::Result<Option<String>> {
    let verdict: String = db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if verdict != "ok" {
        return Ok(Some(verdict));
    }
    if let Some(why) = misfit(db)? {
        return Ok(Some(why));
    }
    for table in migrations::tables(db)?.iter().filter(|table| !LARGE.contains(&table.as_str())) {
        if !has_readable_texts(db, table)? {
            return Ok(Some(format!("a row of {table} cannot be read")));
        }
    }
    let is_of_today = migrations::version(db)? == migrations::LATEST;
    for (table, rule) in RULES.iter().filter(|_| is_of_today) {
        let broken = format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE NOT ({rule}))");
        if db.query_row(&broken, [], |row| row.get(0))? {
            return Ok(Some(format!("a row of {table} holds what it cannot")));
        }
    }
    Ok(None)
}

/// Whether the tables are those of its version.
fn misfit(db: &Connection) -> rusqlite::Result<Option<String>> {
    let version: i64 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let latest = i64::from(migrations::LATEST);
    let there = migrations::tables(db)?;
    let expected = migrations::tables_at(u32::try_from(version.clamp(0, latest)).unwrap_or(0))?;
    let is_ours = ["timers", "turns"].iter().any(|table| there.contains(*table));
    let other = || {
        let some: Vec<&str> = there.iter().map(String::as_str).take(5).collect();
        format!("it is not Hark's: it holds {}", some.join(", "))
    };
    Ok(match version {
        0 if there.is_empty() => None,
        0 if is_ours => Some("the number of its version is lost".to_owned()),
        _ if !is_ours && !there.is_empty() => Some(other()),
        version if !(0..=latest + MAX_VERSIONS_AHEAD).contains(&version) => {
            Some(format!("no Hark ever gave the version {version}"))
        }
        version if version > latest => None,
        _ => {
            let all = migrations::tables_at(migrations::LATEST)?;
            let missing: Vec<&str> = expected.difference(&there).map(String::as_str).collect();
            let is_newer = all.difference(&expected).any(|table| there.contains(table));
            match missing.is_empty() {
                false => Some(format!("it lacks {}", missing.join(", "))),
                true => is_newer.then(|| format!("its tables are newer than its version {version}")),
            }
        }
    })
}

/// SQLite does not look at what is in a text.
fn has_readable_texts(db: &Connection, table: &str) -> rusqlite::Result<bool> {
    let mut all = db.prepare(&format!("SELECT * FROM \"{table}\""))?;
    let columns = all.column_count();
    let mut rows = all.query([])?;
    while let Some(row) = rows.next()? {
        for at in 0..columns {
            if matches!(row.get_ref(at)?, ValueRef::Text(text) if std::str::from_utf8(text).is_err()) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Bytes of the log's head, and of the head of each page in it. <https://www.sqlite.org/walformat.html>
const LOG_HEAD: usize = 32;
const PAGE_HEAD: usize = 24;

/// What is wrong with a log. SQLite reads it up to the first page that is not as it was written, because a power cut
/// tears its end. But before the next change begins, the one before it is on the disk for sure: where two changes or more
/// are whole behind such a page, it was damaged, and what they changed is lost.
fn log_damage(log: &[u8]) -> Option<String> {
    if log.len() <= LOG_HEAD + PAGE_HEAD || log.iter().all(|byte| *byte == 0) {
        return None;
    }
    let number = |at: usize| Some(u32::from_be_bytes(log.get(at..at + 4)?.try_into().ok()?));
    let (magic, page_bytes) = (number(0)?, number(8)? as usize);
    let is_head = magic & !1 == 0x377f_0682 && page_bytes.is_power_of_two() && page_bytes >= 512;
    let sum = LogSum { big_endian: magic & 1 == 1 };
    let head_sum = sum.over(&log[..24], (0, 0));
    if !is_head || head_sum != (number(24)?, number(28)?) {
        return Some("its log cannot be read".to_owned());
    }
    let salts = log.get(16..24)?;
    let mut known = Some(head_sum);
    let mut lost = 0;
    for page in log[LOG_HEAD..].chunks_exact(PAGE_HEAD + page_bytes) {
        let (head, body) = page.split_at(PAGE_HEAD);
        let field = |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let is_of_this_log = head[8..16] == *salts;
        known = known.filter(|_| is_of_this_log).and_then(|before| {
            let now = sum.over(body, sum.over(&head[..8], before));
            (now == (field(16), field(20))).then_some(now)
        });
        let ends_a_change = field(4) != 0;
        lost += usize::from(known.is_none() && is_of_this_log && ends_a_change);
    }
    (lost >= 2).then(|| format!("its log is damaged, and its last {lost} changes cannot be read"))
}

/// The sum over words of four bytes by which SQLite knows a page in its log again.
struct LogSum {
    big_endian: bool,
}

impl LogSum {
    fn over(&self, bytes: &[u8], (mut one, mut two): (u32, u32)) -> (u32, u32) {
        let word = |word: &[u8]| {
            let word = [word[0], word[1], word[2], word[3]];
            if self.big_endian { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) }
        };
        for pair in bytes.chunks_exact(8) {
            one = one.wrapping_add(word(&pair[..4])).wrapping_add(two);
            two = two.wrapping_add(word(&pair[4..])).wrapping_add(one);
        }
        (one, two)
    }
}
