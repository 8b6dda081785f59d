//! Keeps the index in step with the disk: the thread `hark-knowledge` owns the index for writing, sees changes in the
//! roots, and takes requests of others. The composition root starts it.

use crate::KnowledgeError;
use crate::catalogue::{Progress, Report};
use crate::encoder::Encoder;
use crate::files::absolute;
use crate::index::Knowledge;
use hark_core::Fault;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Changed paths that are remembered; where there are more, every root is gone through.
const MAX_CHANGED: usize = 1_000;

/// A folder that never is quiet is read after so many times the quiet it should have.
const MAX_DEBOUNCES: u32 = 10;

/// How long the thread waits where nothing is to be done; a message wakes it.
const IDLE: Duration = Duration::from_secs(3_600);

/// What the thread tells, on the thread.
#[derive(Debug)]
pub enum WatchEvent {
    /// A batch of a document has its vectors.
    Progress(Progress),
    /// The roots, or what of them changed, are in step; also when nothing had to be done.
    InStep(Report),
    /// What was asked to be added could not be, or the index failed; the thread goes on.
    Failed(KnowledgeError),
}

/// What came of adding or removing: numbers of documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Read, new or changed.
    pub indexed: usize,
    /// As they were.
    pub unchanged: usize,
    /// Forgotten.
    pub forgotten: usize,
    /// Could not be read.
    pub failed: usize,
}

impl From<&Report> for Counts {
    fn from(report: &Report) -> Self {
        let Report { indexed, unchanged, forgotten, failed, .. } = *report;
        Self { indexed, unchanged, forgotten, failed }
    }
}

/// Gets [`Counts`] when it is done.
pub type Answer = Receiver<Result<Counts, Fault>>;

type Asker = Sender<Result<Counts, Fault>>;

/// Gets what the thread tells.
pub type WatchCallback = Box<dyn FnMut(WatchEvent) + Send>;

enum Message {
    /// Something is in what was seen.
    Seen,
    Add(PathBuf, Asker),
    Remove(PathBuf, Asker),
    Refresh,
    Stop,
}

/// The thread. Dropping it stops and joins it, at the next batch at the latest; what is left is taken up when it starts
/// again.
#[derive(Debug)]
pub struct Watch {
    messages: Sender<Message>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Message")
    }
}

impl Watch {
    /// Starts the thread. It brings the roots in step, and then, where `follow` is set, watches them. Before each batch it
    /// asks `pause`, as it does at the beginning, which may block for as long as others need the processor.
    ///
    /// # Errors
    /// When there is no thread, or the system gives no way to watch.
    pub fn start(
        knowledge: Knowledge,
        encoder: Box<dyn Encoder + Send>,
        follow: bool,
        pause: Box<dyn FnMut() + Send>,
        callback: WatchCallback,
    ) -> Result<Self, KnowledgeError> {
        let (messages, inbox) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::default();
        let watcher = match follow {
            true => Some(watcher(messages.clone(), Arc::clone(&seen), knowledge.path())?),
            false => None,
        };
        let stopping = Arc::clone(&stop);
        let work = move || {
            let keeper = Keeper { knowledge, encoder, watcher, seen, pause, callback, stop: stopping };
            keeper.run(&inbox);
        };
        let thread = std::thread::Builder::new()
            .name("hark-knowledge".into())
            .spawn(work)
            .map_err(|error| KnowledgeError::NoThread { name: "hark-knowledge", why: error.to_string() })?;
        Ok(Self { messages, stop, thread: Some(thread) })
    }

    /// Has a file or folder added, and watched.
    ///
    /// # Errors
    /// When the thread has ended. What comes of it is told to the callback, and to whoever waits for the answer.
    pub fn add(&self, path: &Path) -> Result<Answer, KnowledgeError> {
        let (asker, answer) = channel();
        self.send(Message::Add(path.to_owned(), asker))?;
        Ok(answer)
    }

    /// Has a file or folder removed from the index.
    ///
    /// # Errors
    /// As [`Watch::add`].
    pub fn remove(&self, path: &Path) -> Result<Answer, KnowledgeError> {
        let (asker, answer) = channel();
        self.send(Message::Remove(path.to_owned(), asker))?;
        Ok(answer)
    }

    /// Has every root gone through.
    ///
    /// # Errors
    /// As [`Watch::add`].
    pub fn refresh(&self) -> Result<(), KnowledgeError> {
        self.send(Message::Refresh)
    }

    /// Stops and joins the thread.
    pub fn stop(self) {}

    fn send(&self, message: Message) -> Result<(), KnowledgeError> {
        self.messages.send(message).map_err(|_| KnowledgeError::Closed)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // The thread may have ended.
        let _ = self.messages.send(Message::Stop);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread of the documents ended in a panic");
        }
    }
}

fn watcher(
    messages: Sender<Message>,
    seen: Arc<Mutex<Seen>>,
    index: &Path,
) -> Result<RecommendedWatcher, KnowledgeError> {
    notify::recommended_watcher(handler(messages, seen))
        .map_err(|error| KnowledgeError::Watch { path: index.to_owned(), why: error.to_string() })
}

/// Notes what the system tells, and wakes the thread once until it has taken that: the thread may be at work for hours.
fn handler(
    messages: Sender<Message>,
    seen: Arc<Mutex<Seen>>,
) -> impl FnMut(notify::Result<notify::Event>) + Send + 'static {
    move |event| {
        if seen.lock().unwrap_or_else(PoisonError::into_inner).note(event) {
            // The thread may have ended.
            let _ = messages.send(Message::Seen);
        }
    }
}

/// What the system told and the thread has not taken yet.
#[derive(Default)]
struct Seen {
    paths: BTreeSet<PathBuf>,
    all: bool,
    error: Option<notify::Error>,
    is_told: bool,
}

impl Seen {
    /// Whether the thread is to be woken.
    fn note(&mut self, event: notify::Result<notify::Event>) -> bool {
        match event {
            Ok(event) if event.need_rescan() => self.all = true,
            // To read a document is one, too.
            Ok(event) if event.kind.is_access() => return false,
            Ok(event) => self.paths.extend(event.paths),
            Err(error) => {
                // What was missed is found by going through everything.
                self.all = true;
                self.error.get_or_insert(error);
            }
        }
        self.all |= self.paths.len() > MAX_CHANGED;
        if self.all {
            self.paths.clear();
        }
        !std::mem::replace(&mut self.is_told, true)
    }
}

/// What was seen in the roots and not looked at yet.
#[derive(Default)]
struct Changes {
    paths: BTreeSet<PathBuf>,
    all: bool,
    first: Option<Instant>,
    last: Option<Instant>,
}

impl Changes {
    fn is_empty(&self) -> bool {
        self.paths.is_empty() && !self.all
    }

    fn note(&mut self, paths: Vec<PathBuf>, all: bool) {
        self.paths.extend(paths);
        self.all |= all || self.paths.len() > MAX_CHANGED;
        if self.all {
            self.paths.clear();
        }
        let now = Instant::now();
        self.first.get_or_insert(now);
        self.last = Some(now);
    }

    /// How long to wait for more.
    fn wait(&self, debounce: Duration) -> Duration {
        let (Some(first), Some(last)) = (self.first, self.last) else { return IDLE };
        let due = (last + debounce).min(first + debounce * MAX_DEBOUNCES);
        due.saturating_duration_since(Instant::now())
    }
}

fn answer(asker: &Asker, result: &Result<Report, KnowledgeError>) {
    // Nobody may be waiting.
    let _ = asker.send(result.as_ref().map(Counts::from).map_err(Fault::from));
}

struct Keeper {
    knowledge: Knowledge,
    encoder: Box<dyn Encoder + Send>,
    watcher: Option<RecommendedWatcher>,
    seen: Arc<Mutex<Seen>>,
    pause: Box<dyn FnMut() + Send>,
    callback: WatchCallback,
    stop: Arc<AtomicBool>,
}

impl Keeper {
    fn run(mut self, inbox: &Receiver<Message>) {
        // What may rest here lowers the priority of the thread, too.
        (self.pause)();
        // Watched before they are gone through, so that no change falls between the two.
        self.watch_roots();
        self.go_through(None);
        let mut changes = Changes::default();
        while !self.stop.load(Ordering::Relaxed) {
            let debounce = self.knowledge.settings().debounce;
            let wait = if changes.is_empty() { IDLE } else { changes.wait(debounce) };
            match inbox.recv_timeout(wait) {
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(Message::Seen) => self.see(&mut changes),
                Ok(Message::Refresh) => self.go_through(None),
                Ok(Message::Add(path, asker)) => {
                    let added = self.work(|knowledge, encoder, hook| knowledge.add(&path, encoder, hook));
                    self.watch_roots();
                    answer(&asker, &added);
                    self.tell(added);
                    // What changed before it was watched.
                    changes.note(vec![absolute(&path).unwrap_or(path)], false);
                }
                Ok(Message::Remove(path, asker)) => {
                    let removed = self.knowledge.remove(&path);
                    let removed = removed.map(|forgotten| Report { forgotten, ..Report::default() });
                    answer(&asker, &removed);
                    self.tell(removed);
                }
                Err(RecvTimeoutError::Timeout) if !changes.is_empty() => {
                    let changes = std::mem::take(&mut changes);
                    self.go_through((!changes.all).then_some(changes.paths));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Brings these in step, or everything.
    fn go_through(&mut self, paths: Option<BTreeSet<PathBuf>>) {
        let report = self.work(|knowledge, encoder, hook| {
            let Some(paths) = paths else { return knowledge.refresh(encoder, hook) };
            let mut report = Report::default();
            for path in paths {
                if report.stopped {
                    break;
                }
                report.merge(knowledge.refresh_path(&path, encoder, hook)?);
            }
            Ok(report)
        });
        self.tell(report);
    }

    fn work<T>(
        &mut self,
        work: impl FnOnce(
            &mut Knowledge,
            &mut dyn Encoder,
            &mut dyn FnMut(&Progress) -> ControlFlow<()>,
        ) -> Result<T, KnowledgeError>,
    ) -> Result<T, KnowledgeError> {
        let Self { knowledge, encoder, pause, callback, stop, .. } = self;
        let mut hook = |progress: &Progress| {
            pause();
            callback(WatchEvent::Progress(progress.clone()));
            match stop.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        work(knowledge, encoder.as_mut(), &mut hook)
    }

    fn tell(&mut self, result: Result<Report, KnowledgeError>) {
        let event = match result {
            Ok(report) => WatchEvent::InStep(report),
            Err(error) => WatchEvent::Failed(error),
        };
        (self.callback)(event);
    }

    fn see(&mut self, changes: &mut Changes) {
        let seen = std::mem::take(&mut *self.seen.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(error) = seen.error {
            let path = error.paths.first().cloned().unwrap_or_else(|| self.knowledge.path().to_owned());
            (self.callback)(WatchEvent::Failed(KnowledgeError::Watch { path, why: error.to_string() }));
        }
        let roots = self.knowledge.roots().unwrap_or_default();
        let is_rooted = |path: &PathBuf| {
            let holds =
                |(root, is_folder): &(PathBuf, bool)| path == root || *is_folder && path.starts_with(root);
            roots.iter().any(holds)
        };
        let paths: Vec<PathBuf> = seen.paths.into_iter().filter(is_rooted).collect();
        if seen.all || !paths.is_empty() {
            changes.note(paths, seen.all);
        }
    }

    /// Watches every root; one that is watched already stays so.
    fn watch_roots(&mut self) {
        let roots = match self.knowledge.roots() {
            Ok(roots) => roots,
            Err(error) => return (self.callback)(WatchEvent::Failed(error)),
        };
        let Some(watcher) = &mut self.watcher else { return };
        for (root, is_folder) in roots {
            // A file that is saved anew is another file of the same name, so its folder is watched.
            let (at, mode) = match (is_folder, root.parent()) {
                (false, Some(parent)) => (parent, RecursiveMode::NonRecursive),
                _ => (root.as_path(), RecursiveMode::Recursive),
            };
            if let Err(error) = watcher.watch(at, mode) {
                let failed = KnowledgeError::Watch { path: root.clone(), why: error.to_string() };
                (self.callback)(WatchEvent::Failed(failed));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{AccessKind, Flag, ModifyKind};
    use notify::{Event, EventKind};

    #[test]
    fn what_is_seen_while_the_thread_works_wakes_it_once_and_has_a_limit() {
        let (messages, inbox) = channel();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let mut handler = handler(messages, Arc::clone(&seen));
        let at = |kind, name: usize| Ok(Event::new(kind).add_path(PathBuf::from(format!("/in/{name}"))));
        let modified = EventKind::Modify(ModifyKind::Any);
        for name in 0..2 * MAX_CHANGED {
            handler(at(EventKind::Access(AccessKind::Any), name));
        }
        assert_eq!(inbox.try_iter().count(), 0, "it reads documents itself");
        for name in 0..MAX_CHANGED {
            handler(at(modified, name));
        }
        assert_eq!((inbox.try_iter().count(), seen.lock().unwrap().paths.len()), (1, MAX_CHANGED));
        handler(at(modified, MAX_CHANGED));
        handler(at(modified, 0));
        let taken = std::mem::take(&mut *seen.lock().unwrap());
        assert!(inbox.try_iter().next().is_none() && taken.all && taken.paths.is_empty());
        // Taken once, the thread is woken again.
        handler(Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan)));
        handler(Err(notify::Error::generic("gone")));
        let taken = std::mem::take(&mut *seen.lock().unwrap());
        assert!(inbox.try_iter().count() == 1 && taken.all && taken.error.is_some());
    }
}
