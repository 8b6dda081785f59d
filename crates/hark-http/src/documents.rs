//! Documents on HTTP: the handlers and their objects. What is asked of the index waits for the disk, on a thread for that.

use super::access::guard::Operator;
use super::api_error::ApiError;
use super::request_input;
use super::server_state::SharedState;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::Uri;
use hark_core::documents::{self, DocumentState, Documents, FoundPassage, IndexChange};
use hark_core::{Fault, FaultKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// Longest path, bytes, as the system has it.
const MAX_PATH_BYTES: usize = 4096;

type Answer<T> = Result<Json<T>, ApiError>;

/// How far a document is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StateWord {
    /// Some of it is found by its words only, not yet by its meaning.
    Pending,
    /// All of it is indexed.
    Ready,
    /// It could not be read.
    Failed,
}

/// A document Hark looks things up in.
#[derive(Debug, Serialize, JsonSchema)]
struct Document {
    /// The file.
    path: String,
    /// The title it gives itself, or its file name.
    title: String,
    /// `text`, `markdown`, `html`, `pdf` or `epub`.
    kind: String,
    /// Size of the file.
    bytes: u64,
    /// How many passages it has.
    passages: usize,
    /// When it was read, in milliseconds since 1970.
    indexed_unix_ms: i64,
    state: StateWord,
    /// Why it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// What to do about that.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

/// The index in numbers.
#[derive(Debug, Serialize, JsonSchema)]
struct Status {
    /// Documents, whatever their state.
    documents: usize,
    /// Documents that could not be read.
    failed: usize,
    /// Passages of all documents.
    passages: usize,
    /// Passages that are found by their words only so far.
    pending_passages: usize,
    /// Bytes of the index on the disk.
    disk_bytes: u64,
    /// Files and folders that are kept in step.
    roots: Vec<String>,
}

/// Documents Hark looks things up in, by path.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Listing {
    documents: Vec<Document>,
    status: Status,
}

/// A file or folder to be read in.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AddRequest {
    /// Absolute path on the machine Hark runs on.
    #[schemars(length(min = 1, max = 4096))]
    path: String,
}

/// What adding or removing came to.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Change {
    /// Whether it is over; else it goes on in the background, and the list tells how far it is.
    done: bool,
    /// Documents that were read.
    indexed: usize,
    /// Documents that were known as they are.
    unchanged: usize,
    /// Documents that were taken out of the index.
    removed: usize,
    /// Documents that could not be read; the list says why.
    failed: usize,
}

/// A passage that was found.
#[derive(Debug, Serialize, JsonSchema)]
struct Passage {
    /// The document.
    path: String,
    /// Its title.
    title: String,
    /// The headings the passage stands under; empty without any.
    heading: String,
    /// Page, from 1, where the document has pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u32>,
    /// Where the passage begins in the document: bytes in its text in UTF-8, of a PDF in that of its page, of an EPUB in that of
    /// its chapter.
    start_byte: usize,
    /// Where it ends, counted alike.
    end_byte: usize,
    /// The passage.
    passage: String,
    /// The sentence of it that answers best.
    answer: String,
    /// Where that begins: bytes in `passage`.
    answer_start: usize,
    /// Where it ends, counted alike.
    answer_end: usize,
    /// How sure it is that this answers the question, 0 to 1.
    confidence: f32,
    /// Whether that is enough to say it.
    answers: bool,
}

/// What was found, the best first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Found {
    results: Vec<Passage>,
}

pub(super) async fn list(State(app): State<SharedState>) -> Answer<Listing> {
    let (all, status) = aside(&app, |it| Ok((it.list()?, it.status()?))).await?;
    Ok(Json(Listing { documents: all.into_iter().map(Document::from).collect(), status: status.into() }))
}

pub(super) async fn add(State(app): State<SharedState>, request: Request) -> Answer<Change> {
    let operator = request.extensions().get::<Operator>().copied().unwrap_or_default();
    let request: AddRequest = request_input::json(request, &app).await?;
    let path = path(&request.path)?;
    Ok(Json(aside(&app, move |it| it.add(&path, operator.0)).await?.into()))
}

pub(super) async fn remove(State(app): State<SharedState>, request: Request) -> Answer<Change> {
    let operator = request.extensions().get::<Operator>().copied().unwrap_or_default();
    let [asked] = request_input::query(request.uri(), ["path"])?;
    let path = path(&asked.unwrap_or_default())?;
    Ok(Json(aside(&app, move |it| it.remove(&path, operator.0)).await?.into()))
}

pub(super) async fn search(State(app): State<SharedState>, uri: Uri) -> Answer<Found> {
    let [asked] = request_input::query(&uri, ["q"])?;
    let missing = || ApiError::bad_request("`q` is missing", "say what is asked: ?q=WORDS");
    let asked = request_input::text("q", &asked.ok_or_else(missing)?)
        .map_err(|_| ApiError::bad_request("`q` is no question", "send a text of one line"))?;
    let found = aside(&app, move |it| it.search(&asked)).await?;
    Ok(Json(Found { results: found.into_iter().map(Passage::from).collect() }))
}

/// An absolute path: this program's folder says nothing to who asks.
fn path(asked: &str) -> Result<PathBuf, ApiError> {
    let path = PathBuf::from(asked);
    match path.is_absolute() && asked.len() <= MAX_PATH_BYTES && !asked.contains('\0') {
        true => Ok(path),
        false => Err(ApiError::bad_request("`path` is no absolute path", "send the whole path, from / on")),
    }
}

async fn aside<T: Send + 'static>(
    app: &SharedState,
    work: impl FnOnce(Arc<dyn Documents>) -> Result<T, Fault> + Send + 'static,
) -> Result<T, ApiError> {
    let documents = app.api.documents();
    let done = tokio::task::spawn_blocking(move || work(documents)).await;
    let done = done.unwrap_or_else(|error| {
        Err(Fault::new(FaultKind::Failed, "documents", format!("it broke off: {error}"), "ask again"))
    });
    Ok(done?)
}

impl From<documents::Document> for Document {
    fn from(it: documents::Document) -> Self {
        Self {
            path: it.path,
            title: it.title,
            kind: it.kind,
            bytes: it.bytes,
            passages: it.passages,
            indexed_unix_ms: it.indexed_unix_ms,
            state: match it.state {
                DocumentState::Pending => StateWord::Pending,
                DocumentState::Ready => StateWord::Ready,
                DocumentState::Failed => StateWord::Failed,
            },
            problem: it.problem,
            fix: it.fix,
        }
    }
}

impl From<documents::DocumentStatus> for Status {
    fn from(it: documents::DocumentStatus) -> Self {
        let documents::DocumentStatus { documents, failed, passages, pending_passages, disk_bytes, roots } =
            it;
        Self { documents, failed, passages, pending_passages, disk_bytes, roots }
    }
}

impl From<IndexChange> for Change {
    fn from(it: IndexChange) -> Self {
        let IndexChange { done, indexed, unchanged, removed, failed } = it;
        Self { done, indexed, unchanged, removed, failed }
    }
}

impl From<FoundPassage> for Passage {
    fn from(it: FoundPassage) -> Self {
        Self {
            path: it.path,
            title: it.title,
            heading: it.heading,
            page: it.page,
            start_byte: it.start_byte,
            end_byte: it.end_byte,
            passage: it.passage,
            answer: it.answer,
            answer_start: it.answer_start,
            answer_end: it.answer_end,
            confidence: it.confidence,
            answers: it.answers,
        }
    }
}
