//! The port to the household's documents: files with text (manuals, leases, letters) that Hark looks things up in.
//! `hark-knowledge` is behind it; tools, the HTTP interface and `hark docs` ask by it. Calls block on the disk.

use crate::Fault;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How far a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentState {
    /// Some of its passages are found by their words only, not yet by their meaning.
    Pending,
    /// All of it is indexed.
    Ready,
    /// It could not be read.
    Failed,
}

/// A document of the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// The file.
    pub path: String,
    /// The title it gives itself, or its file name.
    pub title: String,
    /// `text`, `markdown`, `html`, `pdf` or `epub`.
    pub kind: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// How many passages it has.
    pub passages: usize,
    /// When it was read, in milliseconds since 1970.
    pub indexed_unix_ms: i64,
    /// How far it is.
    pub state: DocumentState,
    /// Why it could not be read.
    pub problem: Option<String>,
    /// What to do about that.
    pub fix: Option<String>,
}

/// The index in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentStatus {
    /// Documents, whatever their state.
    pub documents: usize,
    /// Documents that could not be read.
    pub failed: usize,
    /// Passages of all documents.
    pub passages: usize,
    /// Passages that are found by their words only so far.
    pub pending_passages: usize,
    /// Bytes of the index on the disk.
    pub disk_bytes: u64,
    /// Files and folders that are kept in step.
    pub roots: Vec<String>,
}

/// A passage that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundPassage {
    /// The document.
    pub path: String,
    /// Its title.
    pub title: String,
    /// The headings the passage stands under, "Care > Descaling"; empty without any.
    pub heading: String,
    /// Page, from 1, where the document has pages.
    pub page: Option<u32>,
    /// Where the passage begins in the document: bytes in its text in UTF-8, of a PDF in that of its page, of an EPUB in that of
    /// its chapter.
    pub start_byte: usize,
    /// Where it ends, counted alike.
    pub end_byte: usize,
    /// The passage.
    pub passage: String,
    /// The sentence of it that answers best.
    pub answer: String,
    /// Where that begins: bytes in `passage`.
    pub answer_start: usize,
    /// Where it ends, counted alike.
    pub answer_end: usize,
    /// How sure it is that this answers the question, 0 to 1.
    pub confidence: f32,
    /// Whether that is enough to say it.
    pub answers: bool,
}

/// What adding or removing came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexChange {
    /// Whether it is over; else it goes on in the background, and the numbers count nothing.
    pub done: bool,
    /// Documents that were read.
    pub indexed: usize,
    /// Documents that were known as they are.
    pub unchanged: usize,
    /// Documents that were taken out of the index.
    pub removed: usize,
    /// Documents that could not be read; the list says why.
    pub failed: usize,
}

/// See the module.
pub trait Documents: Send + Sync {
    /// The passages that answer a question best, the best first; none where there are no documents.
    ///
    /// # Errors
    /// When the index or the sentence encoder fail.
    fn search(&self, question: &str) -> Result<Vec<FoundPassage>, Fault>;

    /// Every document, by path.
    ///
    /// # Errors
    /// When the index fails.
    fn list(&self) -> Result<Vec<Document>, Fault>;

    /// The index in numbers.
    ///
    /// # Errors
    /// When the index fails.
    fn status(&self) -> Result<DocumentStatus, Fault>;

    /// Reads a file or folder in and keeps it in step. The owner may name any path, others only what the configuration opens.
    ///
    /// # Errors
    /// When there is no such path, it may not be read, or the index fails.
    fn add(&self, path: &Path, is_owner: bool) -> Result<IndexChange, Fault>;

    /// Takes a file, or all of a folder, out of the index; the files stay.
    ///
    /// # Errors
    /// When nothing of it is in the index, it is not for others than the owner, or the index fails.
    fn remove(&self, path: &Path, is_owner: bool) -> Result<IndexChange, Fault>;
}
