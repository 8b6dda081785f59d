//! The desk between the recogniser, which must never wait, and the thread that decodes.
//!
//! Sound lies on the desk and grows; the thread takes copies of it whenever there is something to
//! decode and puts results back. Whatever ends an utterance sets the flag that interrupts a decode
//! under way, and results of an utterance that is over are thrown away.

use super::agreement::Agreement;
use super::decoder::{Decoded, Purpose};
use super::error::WhisperError;
use super::text::{speech_only, words};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Sound to decode.
pub(super) struct Job {
    utterance: u64,
    pub(super) samples: Vec<f32>,
    pub(super) purpose: Purpose,
}

/// What an utterance came to.
pub(super) type Outcome = Result<Decoded, WhisperError>;

#[derive(Default)]
struct Papers {
    /// Number of the utterance at hand; a new number makes everything about the last one worthless.
    utterance: u64,
    /// Whether sound may still come.
    open: bool,
    samples: Vec<f32>,
    agreement: Agreement,
    /// The last utterance and its words, when it was heard to its end: the next one often begins with
    /// the same sound, because the person had only paused.
    before: Option<(Vec<f32>, Agreement)>,
    /// Samples from which the next partial is worth a decode.
    partial_at: usize,
    partial_wanted: bool,
    /// When the whole utterance is to be decoded; `None` when that is not (or no longer) to be done.
    last_due: Option<Instant>,
    outcome: Option<Outcome>,
    /// Somebody waits for the outcome.
    awaited: bool,
    /// A decode is under way.
    busy: bool,
    closing: bool,
    /// The thread has ended.
    gone: bool,
}

pub(super) struct Desk {
    papers: Mutex<Papers>,
    news: Condvar,
    /// Interrupts the decode under way. Set and cleared only while `papers` are held.
    interrupt: Arc<AtomicBool>,
    /// New sound between two partials, in samples; 0 for no partials.
    step: usize,
}

impl Desk {
    pub(super) fn new(step: usize, interrupt: Arc<AtomicBool>) -> Self {
        Self { papers: Mutex::default(), news: Condvar::new(), interrupt, step }
    }

    fn papers(&self) -> MutexGuard<'_, Papers> {
        // Nothing panics while the papers are half written.
        self.papers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes everything about the utterance at hand worthless.
    fn discard(&self, papers: &mut Papers) {
        papers.utterance += 1;
        papers.open = false;
        papers.partial_wanted = false;
        papers.last_due = None;
        papers.outcome = None;
        self.interrupt.store(true, Ordering::Release);
        self.news.notify_all();
    }

    pub(super) fn start(&self) {
        let mut papers = self.papers();
        let finished = !papers.open && !papers.samples.is_empty();
        let before = (std::mem::take(&mut papers.samples), std::mem::take(&mut papers.agreement));
        self.discard(&mut papers);
        papers.before = finished.then_some(before);
        papers.partial_at = 2 * self.step;
        papers.open = true;
    }

    pub(super) fn cancel(&self) {
        let mut papers = self.papers();
        papers.samples.clear();
        papers.agreement = Agreement::default();
        papers.before = None;
        self.discard(&mut papers);
    }

    /// Ends the utterance without its words; the next one may still begin with its sound.
    pub(super) fn stop(&self) {
        let mut papers = self.papers();
        self.discard(&mut papers);
    }

    /// Takes sound; orders a partial when there is enough new sound and `partials` says so.
    pub(super) fn feed(&self, samples: &[f32], partials: bool) -> Result<(), WhisperError> {
        let mut papers = self.papers();
        if papers.gone {
            return Err(WhisperError::Gone);
        }
        if !papers.open {
            return Err(WhisperError::NotStarted);
        }
        if let Some((before, agreement)) = papers.before.take()
            && samples.starts_with(&before)
        {
            papers.agreement = agreement;
            papers.partial_at = before.len() + self.step;
        }
        papers.samples.extend_from_slice(samples);
        if partials {
            self.want_partial(&mut papers);
        }
        Ok(())
    }

    fn want_partial(&self, papers: &mut Papers) {
        if papers.open && self.step > 0 && papers.samples.len() >= papers.partial_at {
            papers.partial_wanted = true;
            self.news.notify_all();
        }
    }

    /// The words so far.
    pub(super) fn partial(&self) -> Option<crate::stt::Partial> {
        self.papers().agreement.partial()
    }

    /// Orders a partial when one is due and waits for it.
    pub(super) fn wait_for_partial(&self) {
        let mut papers = self.papers();
        self.want_partial(&mut papers);
        while (papers.partial_wanted || papers.busy) && !papers.gone {
            papers = self.news.wait(papers).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the sound and looks at it: `Some` settles the utterance without a decode, `None` orders
    /// one for `due`. A partial under way is interrupted.
    pub(super) fn finish(
        &self,
        due: Instant,
        look: impl FnOnce(&[f32]) -> Option<Decoded>,
    ) -> Result<(), WhisperError> {
        let mut papers = self.papers();
        if !papers.open {
            return Err(WhisperError::NotStarted);
        }
        papers.open = false;
        papers.partial_wanted = false;
        match look(&papers.samples) {
            Some(decoded) => papers.outcome = Some(Ok(decoded)),
            None => papers.last_due = Some(due),
        }
        self.interrupt.store(true, Ordering::Release);
        self.news.notify_all();
        Ok(())
    }

    /// Waits for what the utterance came to, after [`Desk::finish`]; with the number of its samples.
    pub(super) fn outcome(&self) -> (Outcome, usize) {
        let mut papers = self.papers();
        // It is wanted now, however long it might have waited for others.
        if papers.last_due.is_some() {
            papers.last_due = Some(Instant::now());
            self.news.notify_all();
        }
        papers.awaited = true;
        while papers.outcome.is_none() && !papers.gone {
            papers = self.news.wait(papers).unwrap_or_else(PoisonError::into_inner);
        }
        papers.awaited = false;
        (papers.outcome.take().unwrap_or(Err(WhisperError::Gone)), papers.samples.len())
    }

    /// Ends the wait for an outcome, if there is one: nobody needs it any more.
    pub(super) fn interrupt(&self) {
        let mut papers = self.papers();
        if papers.awaited && papers.outcome.is_none() {
            self.discard(&mut papers);
            papers.outcome = Some(Err(WhisperError::Interrupted));
        }
    }

    /// The thread's side: the next sound to decode; `None` when it is time to end.
    pub(super) fn next_job(&self) -> Option<Job> {
        let mut papers = self.papers();
        loop {
            if papers.closing {
                return None;
            }
            let now = Instant::now();
            let last = papers.last_due.is_some_and(|due| due <= now);
            if last || papers.partial_wanted {
                papers.last_due = papers.last_due.filter(|_| !last);
                papers.partial_wanted = false;
                papers.partial_at = papers.samples.len() + self.step;
                papers.busy = true;
                self.interrupt.store(false, Ordering::Release);
                let purpose = if last { Purpose::Last } else { Purpose::Partial };
                return Some(Job { utterance: papers.utterance, samples: papers.samples.clone(), purpose });
            }
            papers = match papers.last_due {
                Some(due) => {
                    let waited = self.news.wait_timeout(papers, due.saturating_duration_since(now));
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.news.wait(papers).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// The thread's side: the result of a job; `None` when it was interrupted.
    pub(super) fn deliver(&self, job: &Job, result: Result<Option<Decoded>, WhisperError>) {
        let mut papers = self.papers();
        papers.busy = false;
        if job.utterance == papers.utterance {
            match (job.purpose, result) {
                (_, Ok(None)) => {}
                (Purpose::Partial, Ok(Some(decoded))) => papers.agreement.hear(spoken(&decoded)),
                (Purpose::Partial, Err(error)) => tracing::warn!(%error, "no partial from Whisper"),
                (Purpose::Last, Ok(Some(decoded))) => {
                    papers.agreement.hear(spoken(&decoded));
                    papers.outcome = Some(Ok(decoded));
                }
                (Purpose::Last, Err(error)) => papers.outcome = Some(Err(error)),
            }
        }
        self.news.notify_all();
    }

    /// The thread's side: it has ended.
    pub(super) fn leave(&self) {
        self.papers().gone = true;
        self.news.notify_all();
    }

    /// Tells the thread to end, interrupting what it does.
    pub(super) fn close(&self) {
        let mut papers = self.papers();
        papers.closing = true;
        self.discard(&mut papers);
    }
}

fn spoken(decoded: &Decoded) -> Vec<String> {
    words(&speech_only(&decoded.text))
}
