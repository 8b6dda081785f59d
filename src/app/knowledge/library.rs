//! The household's documents behind the port [`Documents`]. Searching opens the index for reading at the first question.
//! In the daemon the thread `hark-knowledge` alone writes it, from the first document on, while nobody speaks; a command
//! beside no daemon writes it itself.

use super::encoder::DocumentEncoder;
use super::settings;
use crate::app::effect_runner::Listener;
use crate::app::event_queue::EventQueue;
use crate::app::faults::report;
use crate::app::language::learning::Pace;
use hark_config::{Config, paths};
use hark_core::documents::{Document, DocumentState, DocumentStatus, Documents, FoundPassage, IndexChange};
use hark_core::{Fault, FaultKind};
use hark_knowledge as knowledge;
use hark_knowledge::{Answer, Counts, Hit, Knowledge, Searcher, Settings, Watch, WatchEvent};
use hark_models::memory;
use hark_telemetry::vitals;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::runtime::Handle;

/// The part of faults, and of the health report.
pub(crate) const PART: &str = "documents";
/// How long somebody waits for documents to be read before it is told that it goes on.
const ANSWERS_WITHIN: Duration = Duration::from_secs(3);

/// See the module.
pub(crate) struct Library {
    index: PathBuf,
    settings: Settings,
    models_dir: PathBuf,
    /// Read and kept in step from the start on.
    folders: Vec<PathBuf>,
    /// What others than the owner may add.
    open_roots: Vec<PathBuf>,
    follow: bool,
    reader: Mutex<Option<Reader>>,
    writer: Mutex<Writer>,
    pace: Arc<Pace>,
    /// As health shows it, without a look at the disk.
    seen: Mutex<Seen>,
}

struct Reader {
    searcher: Searcher,
    encoder: Option<DocumentEncoder>,
}

/// Who writes the index.
enum Writer {
    /// Whoever asks: no daemon runs.
    Caller,
    /// The daemon, which has not needed to yet.
    Waiting(Arc<EventQueue>),
    /// The thread of the daemon.
    Thread(Watch),
    /// The daemon is ending.
    Ended,
}

#[derive(Default, Clone)]
struct Seen {
    status: DocumentStatus,
    fault: Option<Fault>,
}

impl Library {
    /// The documents of a configuration; nothing is opened yet.
    ///
    /// # Errors
    /// When there is not even a place for the index.
    pub(crate) fn new(config: &Config) -> Result<Self, Fault> {
        let folders: Vec<PathBuf> = config.knowledge.folders.iter().map(|it| paths::expand(it)).collect();
        let roots = config.tools.file_roots.iter().map(|root| paths::expand(root));
        Ok(Self {
            index: settings::index(config)?,
            settings: settings::of(config),
            models_dir: config.paths.models_dir()?,
            open_roots: folders.iter().cloned().chain(roots).collect(),
            folders,
            follow: config.knowledge.watch,
            reader: Mutex::default(),
            writer: Mutex::new(Writer::Caller),
            pace: Arc::default(),
            seen: Mutex::default(),
        })
    }

    /// Becomes the daemon's: what there is is brought in step on threads of its own, and trouble is reported. The listener
    /// is told when somebody speaks.
    pub(crate) fn start(self: &Arc<Self>, runtime: &Handle, event_queue: Arc<EventQueue>) -> Listener {
        *lock(&self.writer) = Writer::Waiting(event_queue.clone());
        if !self.folders.is_empty() || self.index.exists() {
            let library = self.clone();
            runtime.spawn_blocking(move || library.begin(&event_queue));
        }
        let pace = self.pace.clone();
        Box::new(move |envelope| pace.note(envelope))
    }

    fn begin(self: &Arc<Self>, event_queue: &EventQueue) {
        let begun = self.with_thread(|watch| {
            for folder in &self.folders {
                watch.add(folder)?;
            }
            Ok(())
        });
        if let Err(fault) = begun {
            self.note_trouble(&fault);
            report(event_queue, fault.recoverable());
        }
    }

    /// Ends the thread, after the passages at hand.
    pub(crate) fn end(&self) {
        self.pace.end();
        let writer = std::mem::replace(&mut *lock(&self.writer), Writer::Ended);
        drop(writer);
    }

    /// Whether there is anything to look after.
    pub(crate) fn is_wanted(&self) -> bool {
        let seen = lock(&self.seen);
        !self.folders.is_empty() || seen.status.documents > 0 || seen.fault.is_some()
    }

    /// What is wrong with the index or with documents.
    pub(crate) fn trouble(&self) -> Option<Fault> {
        lock(&self.seen).fault.clone()
    }

    /// The index in numbers, as it was seen last.
    pub(crate) fn seen(&self) -> DocumentStatus {
        lock(&self.seen).status.clone()
    }

    fn note_trouble(&self, fault: &Fault) {
        tracing::error!("{fault}");
        lock(&self.seen).fault = Some(fault.clone());
    }

    /// Has the daemon's thread do something; it is started when it is not there yet.
    fn with_thread<T>(
        self: &Arc<Self>,
        ask: impl FnOnce(&Watch) -> Result<T, knowledge::KnowledgeError>,
    ) -> Result<T, Fault> {
        let mut writer = lock(&self.writer);
        if let Writer::Waiting(event_queue) = &*writer {
            let watch = self.watch(event_queue.clone())?;
            *writer = Writer::Thread(watch);
        }
        match &*writer {
            Writer::Thread(watch) => ask(watch).map_err(named),
            _ => Err(Fault::new(FaultKind::Unavailable, PART, "Hark is ending", "ask again when it runs")),
        }
    }

    fn watch(self: &Arc<Self>, event_queue: Arc<EventQueue>) -> Result<Watch, Fault> {
        let encoder = DocumentEncoder::new(&self.models_dir)?;
        let resting = encoder.resting();
        let knowledge = self.open()?;
        let pace = self.pace.clone();
        let mut is_nice = false;
        let pause = move || {
            if !std::mem::replace(&mut is_nice, true) {
                vitals::stand_back(19);
            }
            // Broken off at the end of the program, which stops the thread, too.
            let _ = pace.stand_back();
        };
        let library: Weak<Self> = Arc::downgrade(self);
        let told = move |event: WatchEvent| {
            let Some(library) = library.upgrade() else { return };
            match event {
                WatchEvent::Progress(progress) => {
                    tracing::debug!(path = %progress.path.display(), "{} of {}", progress.passages_done, progress.passages);
                }
                WatchEvent::InStep(found) => {
                    let knowledge::Report { indexed, forgotten, failed, .. } = found;
                    tracing::info!(indexed, forgotten, failed, "the documents are in step");
                    resting.rest();
                    memory::give_back();
                    library.look();
                }
                WatchEvent::Failed(error) => {
                    library.look();
                    report(&event_queue, named(error).recoverable());
                }
            }
        };
        Watch::start(knowledge, Box::new(encoder), self.follow, Box::new(pause), Box::new(told))
            .map_err(named)
    }

    fn open(&self) -> Result<Knowledge, Fault> {
        if let Some(folder) = self.index.parent() {
            paths::ensure_dir(folder)?;
        }
        Knowledge::open(&self.index, self.settings.clone()).map_err(named)
    }

    /// Sees what health shows.
    fn look(&self) {
        let looked = self.status().and_then(|status| {
            let fault = if status.failed == 0 { None } else { self.unreadable(&status)? };
            Ok(Seen { status, fault })
        });
        match looked {
            Ok(seen) => *lock(&self.seen) = seen,
            Err(fault) => self.note_trouble(&fault),
        }
    }

    fn unreadable(&self, status: &DocumentStatus) -> Result<Option<Fault>, Fault> {
        let first = self.list()?.into_iter().find(|document| document.state == DocumentState::Failed);
        Ok(first.map(|first| {
            let problem = first.problem.unwrap_or_default();
            let message = format!("{} of {} cannot be read: {problem}", status.failed, status.documents);
            let fix = first.fix.unwrap_or_default();
            Fault::new(FaultKind::BadInput, PART, message, fix).recoverable()
        }))
    }

    /// Works with the index as a reader; `None` where there is none.
    fn read<T>(&self, work: impl FnOnce(&mut Reader) -> Result<T, Fault>) -> Result<Option<T>, Fault> {
        let mut reader = lock(&self.reader);
        if reader.is_none() {
            if !self.index.exists() {
                return Ok(None);
            }
            let searcher = Searcher::open(&self.index, self.settings.clone()).map_err(named)?;
            *reader = Some(Reader { searcher, encoder: None });
        }
        let Some(open) = &mut *reader else { return Ok(None) };
        let done = work(open);
        if done.is_err() {
            // The file may have been put in another's place; it is opened again.
            *reader = None;
        }
        done.map(Some)
    }

    /// Whether others than the owner may name a path: what the configuration opens, and no way out of it by a link.
    fn allowed(&self, path: &Path, is_owner: bool) -> Result<(), Fault> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let (asked, climbs) = (real(path), path.components().any(|part| part.as_os_str() == ".."));
        if is_owner || !climbs && self.open_roots.iter().any(|root| asked.starts_with(real(root))) {
            return Ok(());
        }
        let message = format!("{} is outside the folders that may be read", path.display());
        let fix = "put it into a folder of knowledge.folders or tools.file_roots, or ask with the operator's token or `hark docs add`";
        Err(Fault::new(FaultKind::BadInput, PART, message, fix))
    }

    /// What came of it, if that is known soon.
    fn wait(answer: &Answer) -> Result<IndexChange, Fault> {
        match answer.recv_timeout(ANSWERS_WITHIN) {
            Ok(Ok(counts)) => Ok(change(counts)),
            Ok(Err(fault)) => Err(as_part(fault)),
            Err(_) => Ok(IndexChange::default()),
        }
    }

    fn is_daemons(&self) -> bool {
        !matches!(*lock(&self.writer), Writer::Caller)
    }
}

/// The port, where the library can start its thread.
pub(crate) struct HouseholdDocuments(pub(crate) Arc<Library>);

impl Documents for HouseholdDocuments {
    fn search(&self, question: &str) -> Result<Vec<FoundPassage>, Fault> {
        self.0.search(question)
    }

    fn list(&self) -> Result<Vec<Document>, Fault> {
        self.0.list()
    }

    fn status(&self) -> Result<DocumentStatus, Fault> {
        self.0.status()
    }

    fn add(&self, path: &Path, is_owner: bool) -> Result<IndexChange, Fault> {
        let library = &self.0;
        library.allowed(path, is_owner)?;
        if library.is_daemons() {
            return Library::wait(&library.with_thread(|watch| watch.add(path))?);
        }
        let mut encoder = DocumentEncoder::new(&library.models_dir)?;
        let go_on = &mut |_: &knowledge::Progress| ControlFlow::Continue(());
        let added = library.open()?.add(path, &mut encoder, go_on).map_err(named)?;
        Ok(change(Counts::from(&added)))
    }

    fn remove(&self, path: &Path, is_owner: bool) -> Result<IndexChange, Fault> {
        let library = &self.0;
        library.allowed(path, is_owner)?;
        if library.is_daemons() {
            return Library::wait(&library.with_thread(|watch| watch.remove(path))?);
        }
        let forgotten = library.open()?.remove(path).map_err(named)?;
        Ok(change(Counts { forgotten, ..Counts::default() }))
    }
}

impl Library {
    fn search(&self, question: &str) -> Result<Vec<FoundPassage>, Fault> {
        let found = self.read(|reader| {
            if reader.searcher.status().map_err(named)?.passages == 0 {
                return Ok(Vec::new());
            }
            let encoder = match &mut reader.encoder {
                Some(encoder) => encoder,
                none => none.insert(DocumentEncoder::new(&self.models_dir)?),
            };
            reader.searcher.search(encoder, question).map_err(named)
        })?;
        Ok(found.into_iter().flatten().map(passage).collect())
    }

    fn list(&self) -> Result<Vec<Document>, Fault> {
        let all = self.read(|reader| reader.searcher.list().map_err(named))?;
        Ok(all.into_iter().flatten().map(document).collect())
    }

    fn status(&self) -> Result<DocumentStatus, Fault> {
        let status = self.read(|reader| reader.searcher.status().map_err(named))?.unwrap_or_default();
        Ok(DocumentStatus {
            documents: status.documents,
            failed: status.failed,
            passages: status.passages,
            pending_passages: status.pending_passages,
            disk_bytes: status.disk_bytes,
            roots: status.roots.iter().map(|root| root.display().to_string()).collect(),
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The fault of an error under the name the part has in health.
fn named(error: knowledge::KnowledgeError) -> Fault {
    as_part(Fault::from(error))
}

fn as_part(fault: Fault) -> Fault {
    match fault.kind {
        // A missing model is told by the part that it is of.
        FaultKind::MissingPart => fault,
        _ => Fault { part: PART.to_owned(), ..fault },
    }
}

fn change(counts: Counts) -> IndexChange {
    let Counts { indexed, unchanged, forgotten: removed, failed } = counts;
    IndexChange { done: true, indexed, unchanged, removed, failed }
}

fn passage(hit: Hit) -> FoundPassage {
    FoundPassage {
        path: hit.path.display().to_string(),
        title: hit.title,
        heading: hit.heading,
        page: hit.page,
        start_byte: hit.start_byte,
        end_byte: hit.end_byte,
        passage: hit.passage,
        answer: hit.answer,
        answer_start: hit.answer_range.start,
        answer_end: hit.answer_range.end,
        confidence: hit.confidence,
        answers: hit.answers,
    }
}

fn document(it: knowledge::Document) -> Document {
    let (state, problem, fix) = match it.state {
        knowledge::DocumentState::Pending => (DocumentState::Pending, None, None),
        knowledge::DocumentState::Ready => (DocumentState::Ready, None, None),
        knowledge::DocumentState::Failed { problem, fix } => {
            (DocumentState::Failed, Some(problem), Some(fix))
        }
    };
    Document {
        path: it.path.display().to_string(),
        title: it.title,
        kind: it.kind,
        bytes: it.size_bytes,
        passages: it.passages,
        indexed_unix_ms: it.indexed_unix_ms,
        state,
        problem,
        fix,
    }
}
