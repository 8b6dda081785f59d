//! Shared state between the Whisper recogniser, which must never wait, and its decoding thread `hark-whisper`.
//!
//! Sound is appended; the thread takes a copy whenever there is something to decode, and stores the result. The end of an
//! utterance sets the flag that interrupts a decode under way, and results of an old utterance are dropped.

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
struct QueueState {
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
    /// The recogniser waits for the outcome.
    awaited: bool,
    /// A decode is under way.
    busy: bool,
    closing: bool,
    /// The thread has ended.
    gone: bool,
}

pub(super) struct DecodeQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
    /// Interrupts the decode under way. Set and cleared only while `state` are held.
    interrupt: Arc<AtomicBool>,
    /// New sound between two partials, in samples; 0 for no partials.
    partial_step: usize,
}

impl DecodeQueue {
    pub(super) fn new(partial_step: usize, interrupt: Arc<AtomicBool>) -> Self {
        Self { state: Mutex::default(), changed: Condvar::new(), interrupt, partial_step }
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        // Nothing panics while the state are half written.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes everything about the utterance at hand worthless.
    fn discard(&self, state: &mut QueueState) {
        state.utterance += 1;
        state.open = false;
        state.partial_wanted = false;
        state.last_due = None;
        state.outcome = None;
        self.interrupt.store(true, Ordering::Release);
        self.changed.notify_all();
    }

    pub(super) fn start(&self) {
        let mut state = self.state();
        let finished = !state.open && !state.samples.is_empty();
        let before = (std::mem::take(&mut state.samples), std::mem::take(&mut state.agreement));
        self.discard(&mut state);
        state.before = finished.then_some(before);
        state.partial_at = 2 * self.partial_step;
        state.open = true;
    }

    pub(super) fn cancel(&self) {
        let mut state = self.state();
        state.samples.clear();
        state.agreement = Agreement::default();
        state.before = None;
        self.discard(&mut state);
    }

    /// Ends the utterance without its words; the next one may still begin with its sound.
    pub(super) fn stop(&self) {
        let mut state = self.state();
        self.discard(&mut state);
    }

    /// Takes sound; orders a partial when there is enough new sound and `partials` says so.
    pub(super) fn feed(&self, samples: &[f32], partials: bool) -> Result<(), WhisperError> {
        let mut state = self.state();
        if state.gone {
            return Err(WhisperError::Gone);
        }
        if !state.open {
            return Err(WhisperError::NotStarted);
        }
        if let Some((before, agreement)) = state.before.take()
            && samples.starts_with(&before)
        {
            state.agreement = agreement;
            state.partial_at = before.len() + self.partial_step;
        }
        state.samples.extend_from_slice(samples);
        if partials {
            self.want_partial(&mut state);
        }
        Ok(())
    }

    fn want_partial(&self, state: &mut QueueState) {
        if state.open && self.partial_step > 0 && state.samples.len() >= state.partial_at {
            state.partial_wanted = true;
            self.changed.notify_all();
        }
    }

    /// The words so far.
    pub(super) fn partial(&self) -> Option<crate::stt::Partial> {
        self.state().agreement.partial()
    }

    /// Orders a partial when one is due and waits for it.
    pub(super) fn wait_for_partial(&self) {
        let mut state = self.state();
        self.want_partial(&mut state);
        while (state.partial_wanted || state.busy) && !state.gone {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the sound and looks at it: `Some` settles the utterance without a decode, `None` orders
    /// one for `due`. A partial under way is interrupted.
    pub(super) fn finish(
        &self,
        due: Instant,
        look: impl FnOnce(&[f32]) -> Option<Decoded>,
    ) -> Result<(), WhisperError> {
        let mut state = self.state();
        if !state.open {
            return Err(WhisperError::NotStarted);
        }
        state.open = false;
        state.partial_wanted = false;
        match look(&state.samples) {
            Some(decoded) => state.outcome = Some(Ok(decoded)),
            None => state.last_due = Some(due),
        }
        self.interrupt.store(true, Ordering::Release);
        self.changed.notify_all();
        Ok(())
    }

    /// Waits for what the utterance came to, after [`DecodeQueue::finish`]; with the number of its samples.
    pub(super) fn outcome(&self) -> (Outcome, usize) {
        let mut state = self.state();
        // It is wanted now, however long it might have waited for others.
        if state.last_due.is_some() {
            state.last_due = Some(Instant::now());
            self.changed.notify_all();
        }
        state.awaited = true;
        while state.outcome.is_none() && !state.gone {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.awaited = false;
        (state.outcome.take().unwrap_or(Err(WhisperError::Gone)), state.samples.len())
    }

    /// Ends the wait for an outcome, if there is one: it is not needed any more.
    pub(super) fn interrupt(&self) {
        let mut state = self.state();
        if state.awaited && state.outcome.is_none() {
            self.discard(&mut state);
            state.outcome = Some(Err(WhisperError::Interrupted));
        }
    }

    /// The thread's side: the next sound to decode; `None` when it is time to end.
    pub(super) fn next_job(&self) -> Option<Job> {
        let mut state = self.state();
        loop {
            if state.closing {
                return None;
            }
            let now = Instant::now();
            let last = state.last_due.is_some_and(|due| due <= now);
            if last || state.partial_wanted {
                state.last_due = state.last_due.filter(|_| !last);
                state.partial_wanted = false;
                state.partial_at = state.samples.len() + self.partial_step;
                state.busy = true;
                self.interrupt.store(false, Ordering::Release);
                let purpose = if last { Purpose::Last } else { Purpose::Partial };
                return Some(Job { utterance: state.utterance, samples: state.samples.clone(), purpose });
            }
            state = match state.last_due {
                Some(due) => {
                    let waited = self.changed.wait_timeout(state, due.saturating_duration_since(now));
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// The thread's side: the result of a job; `None` when it was interrupted.
    pub(super) fn deliver(&self, job: &Job, result: Result<Option<Decoded>, WhisperError>) {
        let mut state = self.state();
        state.busy = false;
        if job.utterance == state.utterance {
            match (job.purpose, result) {
                (_, Ok(None)) => {}
                (Purpose::Partial, Ok(Some(decoded))) => state.agreement.hear(spoken(&decoded)),
                (Purpose::Partial, Err(error)) => tracing::warn!(%error, "no partial from Whisper"),
                (Purpose::Last, Ok(Some(decoded))) => {
                    state.agreement.hear(spoken(&decoded));
                    state.outcome = Some(Ok(decoded));
                }
                (Purpose::Last, Err(error)) => state.outcome = Some(Err(error)),
            }
        }
        self.changed.notify_all();
    }

    /// The thread's side: it has ended.
    pub(super) fn leave(&self) {
        self.state().gone = true;
        self.changed.notify_all();
    }

    /// Tells the thread to end, interrupting what it does.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closing = true;
        self.discard(&mut state);
    }
}

fn spoken(decoded: &Decoded) -> Vec<String> {
    words(&speech_only(&decoded.text))
}
