//! The thread that llama.cpp runs on. Requests wait in a queue, one model is loaded at a time, and it is let go of when it was not used
//! for a while.

use crate::session::Session;
use crate::{Error, Listener, Request, Settings, loading};
use hark_telemetry::vitals;
use llama_cpp_2::llama_backend::LlamaBackend;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::Instant;

/// Requests that may wait; one more is refused as [`Error::Busy`].
const WAITING: usize = 16;
/// How far its thread, and those that llama.cpp makes from it, stand behind the others: who listens and speaks goes first.
const STANDS_BACK: u8 = 5;

struct Job {
    request: Request,
    listener: Box<dyn Listener>,
}

/// A thread that llama.cpp runs on, from any thread. Dropping it stops the answer at hand and waits for that.
pub struct Engine {
    jobs: Option<SyncSender<Job>>,
    stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Why a model is put away.
enum Next {
    /// Another one is asked for.
    Other(Job),
    /// Nothing was asked for a while.
    Idle,
    /// The engine is let go of.
    Over,
}

impl Engine {
    /// Starts the thread. No model is loaded before the first request.
    ///
    /// # Errors
    /// When llama.cpp cannot run here, or there is no thread.
    pub fn start(settings: Settings) -> Result<Self, Error> {
        let backend = loading::backend()?;
        let (jobs, queue) = sync_channel(WAITING);
        let stopping = Arc::new(AtomicBool::new(false));
        let stopped = stopping.clone();
        let thread = std::thread::Builder::new()
            .name("hark-llama".into())
            .spawn(move || run(backend, settings, &queue, &stopped))
            .map_err(|error| Error::Failed(error.to_string()))?;
        Ok(Self { jobs: Some(jobs), stopping, thread: Some(thread) })
    }

    /// Asks; the listener hears everything else. Returns at once.
    pub fn ask(&self, request: Request, listener: Box<dyn Listener>) {
        let Some(jobs) = &self.jobs else { return listener.end(Err(Error::Stopped)) };
        match jobs.try_send(Job { request, listener }) {
            Ok(()) => {}
            Err(TrySendError::Full(job)) => job.listener.end(Err(Error::Busy)),
            Err(TrySendError::Disconnected(job)) => job.listener.end(Err(Error::Stopped)),
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // It has told its listener of a panic by going away.
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}

fn run(backend: &LlamaBackend, settings: Settings, queue: &Receiver<Job>, stopping: &AtomicBool) {
    vitals::stand_back(STANDS_BACK);
    let mut next = queue.recv().ok();
    while let Some(job) = next {
        next = match serve(backend, settings, queue, stopping, job) {
            Next::Other(job) => Some(job),
            Next::Idle => queue.recv().ok(),
            Next::Over => None,
        };
    }
}

/// Loads the model of a request and answers it and the next ones for the same, until something else is to be done.
fn serve(
    backend: &LlamaBackend,
    settings: Settings,
    queue: &Receiver<Job>,
    stopping: &AtomicBool,
    first: Job,
) -> Next {
    let path: PathBuf = first.request.model.clone();
    let begun = Instant::now();
    let model = match loading::open(backend, &path) {
        Ok(model) => model,
        Err(error) => {
            first.listener.end(Err(error));
            return Next::Idle;
        }
    };
    let mut session = match Session::new(backend, &model, &path, settings) {
        Ok(session) => session,
        Err(error) => {
            first.listener.end(Err(error));
            return Next::Idle;
        }
    };
    let (took_ms, threads) = (begun.elapsed().as_millis(), loading::threads(settings.threads));
    tracing::info!(
        model = %path.display(), window = session.window(), threads, took_ms, "a language model was loaded"
    );
    let is_stopped = || stopping.load(Ordering::SeqCst);
    let mut job = first;
    loop {
        let Job { request, mut listener } = job;
        let outcome = if listener.is_gone() || is_stopped() {
            Err(Error::Stopped)
        } else {
            session.answer(&request, &mut *listener, &is_stopped)
        };
        listener.end(outcome);
        let next = match settings.idle {
            Some(idle) => queue.recv_timeout(idle),
            None => queue.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        job = match next {
            Ok(next) if next.request.model == path => next,
            Ok(other) => return Next::Other(other),
            Err(RecvTimeoutError::Disconnected) => return Next::Over,
            Err(RecvTimeoutError::Timeout) => {
                tracing::info!(model = %path.display(), "a language model was let go of");
                return Next::Idle;
            }
        };
    }
}
