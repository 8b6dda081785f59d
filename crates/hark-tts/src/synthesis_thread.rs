//! The thread `hark-synthesis`: makes one phrase after the other, while the voice thread plays.
//!
//! It has one job at a time and a voice that nobody else touches. A job that is aborted ends as soon
//! as the voice lets go of it (espeak-ng within milliseconds, a neural voice with its phrase); what it
//! still hands over carries the job's number, by which it is thrown away.

use super::error::SpeakingError;
use super::language::Language;
use super::mailbox::Mailbox;
use super::normalise::spoken;
use hark_core::Fault;
use hark_core::ports::Voice;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Something that became of a job.
#[derive(Debug)]
pub(super) enum Made {
    /// Samples, in order.
    Piece { job: u64, samples: Vec<f32> },
    /// Nothing more will come; an abort is no fault.
    Done { job: u64, result: Result<(), Fault> },
}

struct Job {
    number: u64,
    text: String,
    language: String,
}

#[derive(Default)]
struct Jobs {
    job: Option<Job>,
    made: Vec<Made>,
    closing: bool,
}

/// What the two threads share.
struct Shared {
    jobs: Mutex<Jobs>,
    /// A job is there, or the thread shall end.
    work: Condvar,
    /// Jobs up to this number are not wanted any more.
    aborted: AtomicU64,
}

impl Shared {
    /// Plain data behind the lock: it is whole even if a holder panicked.
    fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_aborted(&self, job: u64) -> bool {
        job <= self.aborted.load(Ordering::Acquire)
    }
}

/// The voice thread's end. Dropping it aborts and joins.
pub(super) struct Maker {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    rate_hz: u32,
    last: u64,
    /// The job that is not known to be done.
    current: Option<u64>,
}

impl Maker {
    /// Starts the thread. News go to the mailbox of the voice thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn start(voice: Box<dyn Voice>, mailbox: Arc<Mailbox>) -> Result<Self, SpeakingError> {
        let shared =
            Arc::new(Shared { jobs: Mutex::default(), work: Condvar::new(), aborted: AtomicU64::new(0) });
        let rate_hz = voice.rate_hz();
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("hark-synthesis".into())
            .spawn(move || work(voice, &theirs, &mailbox))
            .map_err(|error| SpeakingError::Thread { message: error.to_string() })?;
        Ok(Self { shared, thread: Some(thread), rate_hz, last: 0, current: None })
    }

    /// Rate of the samples.
    pub(super) fn rate_hz(&self) -> u32 {
        self.rate_hz
    }

    /// The job it is at, or whose end was not collected yet.
    pub(super) fn current(&self) -> Option<u64> {
        self.current
    }

    /// Gives a job to an idle maker; answers its number.
    pub(super) fn give(&mut self, text: &str, language: &str) -> u64 {
        self.last += 1;
        self.current = Some(self.last);
        let job = Job { number: self.last, text: text.to_owned(), language: language.to_owned() };
        self.shared.lock().job = Some(job);
        self.shared.work.notify_one();
        self.last
    }

    /// Gives up what it is at; the end of the job still comes.
    pub(super) fn abort(&self) {
        self.shared.aborted.store(self.last, Ordering::Release);
    }

    /// What was made since the last call.
    pub(super) fn collect(&mut self) -> Vec<Made> {
        let made = std::mem::take(&mut self.shared.lock().made);
        let done =
            made.iter().any(|made| matches!(made, Made::Done { job, .. } if Some(*job) == self.current));
        if done {
            self.current = None;
        }
        made
    }
}

impl Drop for Maker {
    fn drop(&mut self) {
        self.abort();
        self.shared.lock().closing = true;
        self.shared.work.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already printed; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

fn work(mut voice: Box<dyn Voice>, shared: &Shared, mailbox: &Mailbox) {
    Language::load_all();
    while let Some(job) = next_job(shared) {
        // A voice that panics has lost one phrase, not the thread.
        let made = catch_unwind(AssertUnwindSafe(|| make(voice.as_mut(), &job, shared, mailbox)));
        let result = made.unwrap_or_else(|_| Err(SpeakingError::Panicked.into()));
        hand_over(shared, mailbox, Made::Done { job: job.number, result });
    }
}

fn next_job(shared: &Shared) -> Option<Job> {
    let mut jobs = shared.lock();
    loop {
        if jobs.closing {
            return None;
        }
        if let Some(job) = jobs.job.take() {
            return Some(job);
        }
        jobs = shared.work.wait(jobs).unwrap_or_else(PoisonError::into_inner);
    }
}

fn make(voice: &mut dyn Voice, job: &Job, shared: &Shared, mailbox: &Mailbox) -> Result<(), Fault> {
    let words = spoken(&job.text, &job.language);
    if !words.contains(char::is_alphanumeric) || shared.is_aborted(job.number) {
        return Ok(());
    }
    voice.synthesise(&words, &job.language, &mut |samples| {
        if shared.is_aborted(job.number) {
            return ControlFlow::Break(());
        }
        hand_over(shared, mailbox, Made::Piece { job: job.number, samples: samples.to_vec() });
        ControlFlow::Continue(())
    })
}

fn hand_over(shared: &Shared, mailbox: &Mailbox, made: Made) {
    shared.lock().made.push(made);
    mailbox.tell();
}
