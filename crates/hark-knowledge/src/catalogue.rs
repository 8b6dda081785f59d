//! What the index tells of itself: documents, status, progress and reports.

use crate::KnowledgeError;
use crate::database::{self, size};
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};

/// Failures that a [`Report`] names; all are in [`crate::Knowledge::list`].
const MAX_NAMED_FAILURES: usize = 100;

/// What is told between two batches. The answer [`ControlFlow::Break`](std::ops::ControlFlow::Break) stops; a later call goes on from there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// The document at hand.
    pub path: PathBuf,
    /// Passages of it that have vectors.
    pub passages_done: usize,
    /// Passages of it.
    pub passages: usize,
}

/// What a call did.
#[derive(Debug, Default)]
pub struct Report {
    /// Documents that were read, new or changed.
    pub indexed: usize,
    /// Documents that are as they were.
    pub unchanged: usize,
    /// Documents that are gone from the disk and were forgotten.
    pub forgotten: usize,
    /// How many could not be read.
    pub failed: usize,
    /// Why, of the first hundred.
    pub failures: Vec<KnowledgeError>,
    /// Whether the hook stopped it.
    pub stopped: bool,
}

/// How far a document is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentState {
    /// Found by its words; some of its passages have no vectors yet.
    Pending,
    /// All of it is indexed.
    Ready,
    /// It could not be read.
    Failed {
        /// What happened.
        problem: String,
        /// What to do about it.
        fix: String,
    },
}

/// A document of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The file.
    pub path: PathBuf,
    /// The title it gives itself, or its file name.
    pub title: String,
    /// `text`, `markdown`, `html`, `pdf` or `epub`.
    pub kind: String,
    /// Bytes of the file.
    pub size_bytes: u64,
    /// How many passages it has.
    pub passages: usize,
    /// When it was read, in milliseconds since 1970.
    pub indexed_unix_ms: i64,
    /// How far it is.
    pub state: DocumentState,
}

/// The index in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// Documents, whatever their state.
    pub documents: usize,
    /// Documents that could not be read.
    pub failed: usize,
    /// Passages.
    pub passages: usize,
    /// Passages that have no vectors yet.
    pub pending_passages: usize,
    /// Vectors.
    pub windows: usize,
    /// Bytes of the file and its log.
    pub disk_bytes: u64,
    /// The encoder of the vectors; `None` before the first document.
    pub encoder: Option<String>,
    /// Files and folders that are kept in step.
    pub roots: Vec<PathBuf>,
}

impl Report {
    pub(crate) fn fail(&mut self, error: KnowledgeError) {
        self.failed += 1;
        if self.failures.len() < MAX_NAMED_FAILURES {
            self.failures.push(error);
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.indexed += other.indexed;
        self.unchanged += other.unchanged;
        self.forgotten += other.forgotten;
        self.failed += other.failed;
        self.stopped |= other.stopped;
        let room = MAX_NAMED_FAILURES.saturating_sub(self.failures.len());
        self.failures.extend(other.failures.into_iter().take(room));
    }
}

pub(crate) fn list(db: &Connection) -> Result<Vec<Document>, KnowledgeError> {
    let read = || -> rusqlite::Result<Vec<Document>> {
        let mut all = db.prepare_cached(
            "SELECT path, title, kind, size_bytes, indexed_unix_ms, state, problem, fix,
                (SELECT count(*) FROM passages p WHERE p.document = d.id) FROM documents d ORDER BY path",
        )?;
        let rows = all.query_map([], |row| {
            let state: String = row.get(5)?;
            let state = match state.as_str() {
                "ready" => DocumentState::Ready,
                "pending" => DocumentState::Pending,
                _ => DocumentState::Failed { problem: row.get(6)?, fix: row.get(7)? },
            };
            Ok(Document {
                path: PathBuf::from(row.get::<_, String>(0)?),
                title: row.get(1)?,
                kind: row.get(2)?,
                size_bytes: row.get::<_, i64>(3)?.unsigned_abs(),
                indexed_unix_ms: row.get(4)?,
                passages: size(row, 8)?,
                state,
            })
        })?;
        rows.collect()
    };
    read().map_err(KnowledgeError::of_sql("list its documents"))
}

pub(crate) fn status(db: &Connection, path: &Path) -> Result<Status, KnowledgeError> {
    let fail = KnowledgeError::of_sql("tell its status");
    let sql =
        "SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM documents WHERE state = 'failed'),
               (SELECT count(*) FROM passages), (SELECT count(*) FROM passages WHERE embedded = 0),
               (SELECT count(*) FROM windows)";
    let mut status = db
        .query_row(sql, [], |row| {
            Ok(Status {
                documents: size(row, 0)?,
                failed: size(row, 1)?,
                passages: size(row, 2)?,
                pending_passages: size(row, 3)?,
                windows: size(row, 4)?,
                ..Status::default()
            })
        })
        .map_err(&fail)?;
    status.encoder = database::encoder(db).map_err(&fail)?.map(|(name, _)| name);
    status.roots = roots(db).map_err(&fail)?.into_iter().map(|(path, _)| path).collect();
    let log = PathBuf::from(format!("{}-wal", path.display()));
    status.disk_bytes = [path, &log].iter().filter_map(|file| fs::metadata(file).ok()).map(|m| m.len()).sum();
    Ok(status)
}

pub(crate) fn roots(db: &Connection) -> rusqlite::Result<Vec<(PathBuf, bool)>> {
    let mut all = db.prepare_cached("SELECT path, is_folder FROM roots ORDER BY path")?;
    let rows = all.query_map([], |row| Ok((PathBuf::from(row.get::<_, String>(0)?), row.get(1)?)))?;
    rows.collect()
}

/// Page marks as text: `0:3 812:4`.
pub(crate) fn pages_to_text(pages: &[(usize, u32)]) -> String {
    pages.iter().map(|(at, page)| format!("{at}:{page}")).collect::<Vec<_>>().join(" ")
}

/// The page that a byte of a passage is on.
pub(crate) fn page_at(pages: &str, byte: usize) -> Option<u32> {
    let marks = pages.split(' ').filter_map(|mark| mark.split_once(':'));
    let parsed = marks.filter_map(|(at, page)| Some((at.parse::<usize>().ok()?, page.parse().ok()?)));
    parsed.take_while(|(at, _)| *at <= byte).last().map(|(_, page)| page)
}
