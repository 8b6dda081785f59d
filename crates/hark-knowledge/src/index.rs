//! The index as it is written: documents in, changed, out. One thread owns a [`Knowledge`]; searching has a connection
//! of its own ([`crate::Searcher`]).
//!
//! A document goes in in two steps, each safe against a kill: its passages in one transaction, found by words from then
//! on; then their vectors in batches, each a transaction. What has no vectors yet is taken up again by the next call.

use crate::catalogue::{self, Document, Progress, Report, Status, pages_to_text};
use crate::database::{self, integer, open_writer, size};
use crate::embedding::{Embedder, Window};
use crate::encoder::Encoder;
use crate::extract::{self, Kind};
use crate::files::{absolute, file_title, hash, inside, is_hidden, modified_ns, now_ms, unreadable, utf8};
use crate::{KnowledgeError, Settings, passages};
use rusqlite::{Connection, OptionalExtension, params};
use std::fs::{self, Metadata};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Asked between two batches whether to go on.
pub type Hook<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + 'a;

/// The index, for writing.
#[derive(Debug)]
pub struct Knowledge {
    path: PathBuf,
    settings: Settings,
    db: Connection,
}

/// A row of a document that is indexed.
struct Known {
    id: i64,
    size_bytes: i64,
    modified_ns: i64,
    sha256: Vec<u8>,
}

impl Knowledge {
    /// Opens or creates the index at `path`. Blocks on disk.
    ///
    /// # Errors
    /// When it cannot be made, opened or migrated, is damaged, or was written by a newer program.
    pub fn open(path: &Path, settings: Settings) -> Result<Self, KnowledgeError> {
        Ok(Self { path: path.to_owned(), settings, db: open_writer(path)? })
    }

    /// The file of the index.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The settings it was opened with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Adds a file, or every file of a kind that is read in a folder and those in it (hidden ones excepted), and keeps
    /// it as a root for [`Knowledge::refresh`]. What is unchanged is skipped, what is gone is forgotten.
    ///
    /// # Errors
    /// When `path` is not there or is a file that cannot be read, or the index or encoder fail. A file in a folder that
    /// cannot be read is no error: it is in the report and in [`Knowledge::list`].
    pub fn add(
        &mut self,
        path: &Path,
        encoder: &mut dyn Encoder,
        hook: &mut Hook<'_>,
    ) -> Result<Report, KnowledgeError> {
        let path = &absolute(path)?;
        let metadata = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
        if metadata.is_file() && Kind::of(path).is_none() {
            return Err(KnowledgeError::UnknownKind { path: path.clone() });
        }
        let sql = "INSERT OR REPLACE INTO roots (path, is_folder) VALUES (?1, ?2)";
        let fail = KnowledgeError::of_sql("keep a root");
        self.db.execute(sql, params![utf8(path)?, metadata.is_dir()]).map_err(fail)?;
        // What could not be read is tried again when it is asked for by name.
        let sql = "DELETE FROM documents WHERE path = ?1 AND state = 'failed'";
        self.db.execute(sql, [utf8(path)?]).map_err(KnowledgeError::of_sql("try a document again"))?;
        let mut report = Report::default();
        let go_on = self.take_up(encoder, hook)?;
        if go_on.is_continue() {
            self.root(path, metadata.is_dir(), encoder, hook, &mut report)?;
        } else {
            report.stopped = true;
        }
        match metadata.is_file() && report.failed == 1 {
            true => Err(report.failures.swap_remove(0)),
            false => Ok(report),
        }
    }

    /// Brings every root in step with the disk, and takes up what an earlier call left.
    ///
    /// # Errors
    /// When the index or encoder fail.
    pub fn refresh(
        &mut self,
        encoder: &mut dyn Encoder,
        hook: &mut Hook<'_>,
    ) -> Result<Report, KnowledgeError> {
        let mut report = Report { stopped: self.take_up(encoder, hook)?.is_break(), ..Report::default() };
        for (root, is_folder) in self.roots()? {
            if report.stopped {
                break;
            }
            self.root(&root, is_folder, encoder, hook, &mut report)?;
        }
        Ok(report)
    }

    /// Brings one file of a root in step with the disk: for watching. A file that is gone is forgotten, a folder with
    /// all that was in it.
    ///
    /// # Errors
    /// When the index or encoder fail.
    pub fn refresh_path(
        &mut self,
        path: &Path,
        encoder: &mut dyn Encoder,
        hook: &mut Hook<'_>,
    ) -> Result<Report, KnowledgeError> {
        let mut report = Report::default();
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                self.root(path, true, encoder, hook, &mut report)?;
            }
            Ok(metadata) if Kind::of(path).is_some() && !is_hidden(path) => {
                self.file(path, &metadata, encoder, hook, &mut report)?;
            }
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                // A whole root may be on a disk that is not mounted.
                match self.roots()?.iter().any(|(root, is_folder)| *is_folder && root == path) {
                    true => report.fail(KnowledgeError::Absent { path: path.to_owned() }),
                    false => report.forgotten += self.forget(path)?,
                }
            }
            Err(error) => report.fail(unreadable(path, &error)),
        }
        Ok(report)
    }

    /// Removes a document, or all of a folder, from the index and from the roots; how many documents. The files stay.
    ///
    /// # Errors
    /// When nothing of the kind is in the index, or the index fails.
    pub fn remove(&mut self, path: &Path) -> Result<usize, KnowledgeError> {
        // It may be gone from the disk.
        let path = absolute(path).unwrap_or_else(|_| path.to_owned());
        let forgotten = self.forget(&path)?;
        let fail = KnowledgeError::of_sql("forget a root");
        let roots = self.db.execute("DELETE FROM roots WHERE path = ?1", [utf8(&path)?]).map_err(fail)?;
        if forgotten + roots == 0 { Err(KnowledgeError::Absent { path }) } else { Ok(forgotten) }
    }

    /// The documents, by path.
    ///
    /// # Errors
    /// When the index fails.
    pub fn list(&self) -> Result<Vec<Document>, KnowledgeError> {
        catalogue::list(&self.db)
    }

    /// The index in numbers.
    ///
    /// # Errors
    /// When the index fails.
    pub fn status(&self) -> Result<Status, KnowledgeError> {
        catalogue::status(&self.db, &self.path)
    }

    /// Files and folders that are kept in step, and whether each is a folder.
    pub(crate) fn roots(&self) -> Result<Vec<(PathBuf, bool)>, KnowledgeError> {
        catalogue::roots(&self.db).map_err(KnowledgeError::of_sql("tell its roots"))
    }

    /// A root, or a folder in one.
    fn root(
        &mut self,
        path: &Path,
        is_folder: bool,
        encoder: &mut dyn Encoder,
        hook: &mut Hook<'_>,
        report: &mut Report,
    ) -> Result<(), KnowledgeError> {
        if !is_folder {
            let more = self.refresh_path(path, encoder, hook)?;
            report.merge(more);
            return Ok(());
        }
        if !path.exists() {
            report.fail(KnowledgeError::Absent { path: path.to_owned() });
            return Ok(());
        }
        let walk = self.begin_walk()?;
        let entries = WalkDir::new(path).sort_by_file_name().into_iter();
        let mut complete = true;
        for entry in entries.filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.path())) {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    // What cannot be looked at is not known to be gone.
                    let is_gone = error.io_error().is_some_and(|e| e.kind() == std::io::ErrorKind::NotFound);
                    complete &= is_gone;
                    if !is_gone {
                        let at = error.path().unwrap_or(path).to_owned();
                        report.fail(KnowledgeError::Unreadable { path: at, why: error.to_string() });
                    }
                    continue;
                }
            };
            if !entry.file_type().is_file() || Kind::of(entry.path()).is_none() {
                continue;
            }
            let Ok(metadata) = entry.metadata() else { continue };
            self.file(entry.path(), &metadata, encoder, hook, report)?;
            if report.stopped {
                return Ok(());
            }
        }
        if complete {
            report.forgotten += self.forget_unseen(path, walk)?;
        }
        Ok(())
    }

    /// A file of a kind that is read.
    fn file(
        &mut self,
        path: &Path,
        metadata: &Metadata,
        encoder: &mut dyn Encoder,
        hook: &mut Hook<'_>,
        report: &mut Report,
    ) -> Result<(), KnowledgeError> {
        let name = match utf8(path) {
            Ok(name) => name,
            Err(error) => {
                report.fail(error);
                return Ok(());
            }
        };
        let known = self.known(name)?;
        let size_bytes = i64::try_from(metadata.len()).unwrap_or(i64::MAX);
        let modified_ns = modified_ns(metadata);
        if let Some(known) = &known
            && (known.size_bytes, known.modified_ns) == (size_bytes, modified_ns)
        {
            self.see(known.id, modified_ns)?;
            report.unchanged += 1;
            return Ok(());
        }
        // A file that is too large is not hashed: size and time tell it from another.
        let sha256 = match metadata.len() > self.settings.max_file_bytes {
            true => Vec::new(),
            false => match hash(path) {
                Ok(sha256) => sha256,
                Err(error) => {
                    report.fail(unreadable(path, &error));
                    return Ok(());
                }
            },
        };
        if let Some(known) = known.filter(|known| !sha256.is_empty() && known.sha256 == sha256) {
            self.see(known.id, modified_ns)?;
            report.unchanged += 1;
            return Ok(());
        }
        let row = NewDocument { name, path, size_bytes, modified_ns, sha256 };
        match self.read(&row) {
            Ok(document) => {
                report.indexed += 1;
                report.stopped |= self.embed(document, path, encoder, hook)?.is_break();
                Ok(())
            }
            Err(error @ (KnowledgeError::Sql { .. } | KnowledgeError::NoThread { .. })) => Err(error),
            Err(error) => {
                self.keep_failure(&row, &error)?;
                report.fail(error);
                Ok(())
            }
        }
    }

    /// Reads a file and keeps its passages; the document.
    fn read(&mut self, row: &NewDocument<'_>) -> Result<i64, KnowledgeError> {
        let kind =
            Kind::of(row.path).ok_or_else(|| KnowledgeError::UnknownKind { path: row.path.to_owned() })?;
        let document = extract::extract(row.path, kind, &self.settings)?;
        let cut = passages::split_into_passages(&document, &self.settings);
        let title = document.title.filter(|title| !title.is_empty()).unwrap_or_else(|| file_title(row.path));
        let seen = self.walk()?;
        let mut keep = || -> rusqlite::Result<i64> {
            let transaction = self.db.transaction()?;
            let id = row.insert(&transaction, kind, &title, "pending", ("", ""), seen)?;
            {
                let mut passage = transaction.prepare_cached(
                    "INSERT INTO passages (document, place, heading, text, pages, start_byte, end_byte)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                )?;
                let mut words = transaction.prepare_cached(
                    "INSERT INTO passages_index (rowid, title, heading, text) VALUES (?1, ?2, ?3, ?4)",
                )?;
                for (place, p) in cut.iter().enumerate() {
                    let pages = pages_to_text(&p.pages);
                    passage.execute(params![
                        id,
                        integer(place),
                        p.heading,
                        p.text,
                        pages,
                        integer(p.start),
                        integer(p.end)
                    ])?;
                    words.execute(params![transaction.last_insert_rowid(), title, p.heading, p.text])?;
                }
            }
            transaction.commit()?;
            Ok(id)
        };
        keep().map_err(KnowledgeError::of_sql("keep a document"))
    }

    fn keep_failure(&mut self, row: &NewDocument<'_>, error: &KnowledgeError) -> Result<(), KnowledgeError> {
        let kind = Kind::of(row.path).unwrap_or(Kind::Text);
        let seen = self.walk()?;
        let mut keep = || {
            let transaction = self.db.transaction()?;
            let told = (error.to_string(), error.fix());
            row.insert(&transaction, kind, &file_title(row.path), "failed", (&told.0, &told.1), seen)?;
            transaction.commit()
        };
        keep().map_err(KnowledgeError::of_sql("keep a document that cannot be read"))
    }

    /// Embeds what earlier calls left. Another encoder than that of the index makes all of it left over.
    fn take_up(
        &mut self,
        encoder: &mut dyn Encoder,
        hook: &mut Hook<'_>,
    ) -> Result<ControlFlow<()>, KnowledgeError> {
        let fail = KnowledgeError::of_sql("look for what is left to do");
        let now = (encoder.name().to_owned(), encoder.dimension());
        if database::encoder(&self.db).map_err(&fail)? != Some(now.clone()) {
            self.change_encoder(&now).map_err(KnowledgeError::of_sql("change the encoder"))?;
        }
        let sql = "SELECT id, path FROM documents WHERE state = 'pending' ORDER BY id LIMIT 1";
        loop {
            let next: Option<(i64, String)> =
                self.db.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).optional().map_err(&fail)?;
            let Some((document, path)) = next else { return Ok(ControlFlow::Continue(())) };
            if self.embed(document, Path::new(&path), encoder, hook)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
    }

    fn change_encoder(&mut self, (name, dimension): &(String, usize)) -> rusqlite::Result<()> {
        let transaction = self.db.transaction()?;
        transaction.execute_batch(
            "DELETE FROM code_blocks; DELETE FROM windows; UPDATE passages SET embedded = 0;
             UPDATE documents SET state = 'pending' WHERE state = 'ready';",
        )?;
        let sql = "INSERT OR REPLACE INTO meta (name, value) VALUES ('encoder', ?1), ('dimension', ?2)";
        transaction.execute(sql, params![name, dimension.to_string()])?;
        transaction.commit()
    }

    /// Embeds the passages of a document that have no vectors, in batches.
    fn embed(
        &mut self,
        document: i64,
        path: &Path,
        encoder: &mut dyn Encoder,
        hook: &mut Hook<'_>,
    ) -> Result<ControlFlow<()>, KnowledgeError> {
        let fail = KnowledgeError::of_sql("keep vectors");
        let count = "SELECT count(*), coalesce(sum(embedded), 0) FROM passages WHERE document = ?1";
        let (passages, mut passages_done): (usize, usize) =
            self.db.query_row(count, [document], |row| Ok((size(row, 0)?, size(row, 1)?))).map_err(&fail)?;
        loop {
            let progress = Progress { path: path.to_owned(), passages_done, passages };
            if hook(&progress).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            let batch = self.pending(document).map_err(&fail)?;
            let mut embedder = Embedder::new(encoder, &self.settings);
            let windows: Result<Vec<_>, _> = batch
                .iter()
                .map(|passage| {
                    let windows = embedder.windows(&passage.title, &passage.heading, &passage.text)?;
                    Ok((passage.id, windows))
                })
                .collect();
            passages_done += batch.len();
            self.keep_windows(document, &windows?, passages_done >= passages).map_err(&fail)?;
            if passages_done >= passages {
                return Ok(ControlFlow::Continue(()));
            }
        }
    }

    fn pending(&self, document: i64) -> rusqlite::Result<Vec<PendingPassage>> {
        let sql =
            "SELECT p.id, d.title, p.heading, p.text FROM passages p JOIN documents d ON d.id = p.document
                   WHERE p.document = ?1 AND p.embedded = 0 ORDER BY p.id LIMIT ?2";
        let mut pending = self.db.prepare_cached(sql)?;
        let limit = integer(self.settings.batch_passages.max(1));
        let rows = pending.query_map(params![document, limit], |row| {
            Ok(PendingPassage {
                id: row.get(0)?,
                title: row.get(1)?,
                heading: row.get(2)?,
                text: row.get(3)?,
            })
        })?;
        rows.collect()
    }

    fn keep_windows(
        &mut self,
        document: i64,
        batch: &[(i64, Vec<Window>)],
        is_last: bool,
    ) -> rusqlite::Result<()> {
        let transaction = self.db.transaction()?;
        {
            let mut insert = transaction.prepare_cached(
                "INSERT INTO windows (passage, start_byte, end_byte, vector, words) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            let mut done = transaction.prepare_cached("UPDATE passages SET embedded = 1 WHERE id = ?1")?;
            // AUTOINCREMENT numbers rows of one transaction without gaps.
            let mut first = None;
            let mut codes = Vec::new();
            for (passage, windows) in batch {
                for w in windows {
                    insert.execute(params![passage, integer(w.start), integer(w.end), w.vector, w.words])?;
                    first.get_or_insert(transaction.last_insert_rowid());
                    codes.extend_from_slice(&w.code);
                }
                done.execute([passage])?;
            }
            if let Some(first) = first {
                let sql = "INSERT INTO code_blocks (document, first_window, codes) VALUES (?1, ?2, ?3)";
                transaction.execute(sql, params![document, first, codes])?;
            }
            if is_last {
                transaction.execute("UPDATE documents SET state = 'ready' WHERE id = ?1", [document])?;
            }
        }
        transaction.commit()
    }

    fn known(&self, name: &str) -> Result<Option<Known>, KnowledgeError> {
        let sql = "SELECT id, size_bytes, modified_ns, sha256 FROM documents WHERE path = ?1";
        let read = |row: &rusqlite::Row<'_>| {
            let (id, size_bytes) = (row.get(0)?, row.get(1)?);
            Ok(Known { id, size_bytes, modified_ns: row.get(2)?, sha256: row.get(3)? })
        };
        let found = self.db.query_row(sql, [name], read).optional();
        found.map_err(KnowledgeError::of_sql("look for a document"))
    }

    /// The document was met in this walk.
    fn see(&self, id: i64, modified_ns: i64) -> Result<(), KnowledgeError> {
        let sql = "UPDATE documents SET seen = ?2, modified_ns = ?3 WHERE id = ?1";
        let seen = self.walk()?;
        let done = self.db.execute(sql, params![id, seen, modified_ns]);
        done.map(|_| ()).map_err(KnowledgeError::of_sql("keep that a document is unchanged"))
    }

    /// The number of the walk through a folder that is under way.
    fn walk(&self) -> Result<i64, KnowledgeError> {
        let sql = "SELECT coalesce((SELECT value FROM meta WHERE name = 'walk'), '0')";
        let text: String = self
            .db
            .query_row(sql, [], |row| row.get(0))
            .map_err(KnowledgeError::of_sql("count its walks"))?;
        Ok(text.parse().unwrap_or(0))
    }

    fn begin_walk(&self) -> Result<i64, KnowledgeError> {
        let walk = self.walk()? + 1;
        let sql = "INSERT OR REPLACE INTO meta (name, value) VALUES ('walk', ?1)";
        self.db.execute(sql, [walk.to_string()]).map_err(KnowledgeError::of_sql("count its walks"))?;
        Ok(walk)
    }

    /// Forgets what of a folder was not met in a walk.
    fn forget_unseen(&mut self, folder: &Path, walk: i64) -> Result<usize, KnowledgeError> {
        let (from, to) = inside(utf8(folder)?);
        let sql = "DELETE FROM documents WHERE path >= ?1 AND path < ?2 AND seen < ?3";
        self.db.execute(sql, params![from, to, walk]).map_err(KnowledgeError::of_sql("forget documents"))
    }

    fn forget(&mut self, path: &Path) -> Result<usize, KnowledgeError> {
        let name = utf8(path)?;
        let (from, to) = inside(name);
        let sql = "DELETE FROM documents WHERE path = ?1 OR path >= ?2 AND path < ?3";
        self.db.execute(sql, params![name, from, to]).map_err(KnowledgeError::of_sql("forget documents"))
    }
}

struct PendingPassage {
    id: i64,
    title: String,
    heading: String,
    text: String,
}

struct NewDocument<'a> {
    name: &'a str,
    path: &'a Path,
    size_bytes: i64,
    modified_ns: i64,
    sha256: Vec<u8>,
}

impl NewDocument<'_> {
    /// Takes the place of what was there of this path.
    fn insert(
        &self,
        db: &Connection,
        kind: Kind,
        title: &str,
        state: &str,
        (problem, fix): (&str, &str),
        seen: i64,
    ) -> rusqlite::Result<i64> {
        db.execute("DELETE FROM documents WHERE path = ?1", [self.name])?;
        let (size, modified, sha256) = (self.size_bytes, self.modified_ns, &self.sha256);
        db.execute(
            "INSERT INTO documents (path, kind, title, size_bytes, modified_ns, sha256, state, problem, fix,
                indexed_unix_ms, seen) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            params![
                self.name,
                kind.name(),
                title,
                size,
                modified,
                sha256,
                state,
                problem,
                fix,
                now_ms(),
                seen
            ],
        )?;
        Ok(db.last_insert_rowid())
    }
}
