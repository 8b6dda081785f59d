//! One utterance after the other with one recogniser: words so far, drafts, and the last word.

use super::worker::SttReport;
use super::{Partial, Recogniser};
use crate::domain::{SAMPLE_RATE_HZ, Transcript};
use std::time::Instant;

/// Audio between two looks at the words so far: 64 ms, two blocks. Whether speech over Hark is for
/// it is decided by them within 800 ms.
const PARTIAL_SAMPLES: usize = SAMPLE_RATE_HZ as usize * 64 / 1000;

/// What is asked of the recogniser.
#[derive(Debug)]
pub(super) enum Work {
    /// With sound from before the utterance.
    Start(Vec<f32>),
    /// Nothing was asked for a while.
    Rest,
    Feed(Vec<f32>),
    /// The utterance may be over soon.
    Foresee,
    Draft(u64),
    Resume,
    Finish,
    Cancel,
}

enum State {
    Idle,
    Running,
    /// The utterance may still go on.
    Drafted {
        transcript: Transcript,
        recogniser: Drafter,
    },
}

/// How a recogniser stands after a draft.
#[derive(PartialEq)]
enum Drafter {
    /// It goes on with what was fed since, so many samples.
    Waits { samples: usize },
    /// It had to finish, and gets all samples once more.
    Finished,
}

/// A recogniser and what is needed to report its words sparingly and to take a draft back.
pub(super) struct Session {
    recogniser: Box<dyn Recogniser>,
    state: State,
    /// All samples of the utterance: an engine that had to finish for a draft that was wrong gets them
    /// once more.
    utterance: Vec<f32>,
    /// Sound from before it.
    before: Vec<f32>,
    samples_since_partial: usize,
    last_partial: Partial,
}

impl Session {
    pub(super) fn new(recogniser: Box<dyn Recogniser>) -> Self {
        Self {
            recogniser,
            state: State::Idle,
            utterance: Vec::new(),
            before: Vec::new(),
            samples_since_partial: 0,
            last_partial: Partial::default(),
        }
    }

    pub(super) fn work(&mut self, work: &Work) -> Option<SttReport> {
        let begun = Instant::now();
        let report = self.done(work);
        if let Work::Draft(_) | Work::Resume | Work::Finish = work {
            let (samples, ms) = (self.utterance.len(), begun.elapsed().as_millis());
            tracing::debug!(?work, samples, ms, "the recogniser was asked");
        }
        report
    }

    fn done(&mut self, work: &Work) -> Option<SttReport> {
        match work {
            Work::Start(before) => {
                self.before.clone_from(before);
                self.utterance.clear();
                self.last_partial = Partial::default();
                self.start()
            }
            Work::Feed(samples) => self.feed(samples),
            Work::Foresee => {
                if matches!(self.state, State::Running) {
                    self.recogniser.foresee_end();
                }
                None
            }
            Work::Draft(number) => self.draft(*number),
            Work::Resume => self.resume(),
            Work::Finish => self.finish(),
            Work::Rest => {
                self.recogniser.rest();
                None
            }
            Work::Cancel => {
                if !matches!(self.state, State::Idle | State::Drafted { recogniser: Drafter::Finished, .. }) {
                    self.recogniser.cancel();
                }
                self.state = State::Idle;
                None
            }
        }
    }

    fn start(&mut self) -> Option<SttReport> {
        self.samples_since_partial = 0;
        match self.recogniser.start() {
            Ok(()) => {
                self.recogniser.precede(&self.before);
                self.state = State::Running;
                None
            }
            Err(fault) => {
                self.state = State::Idle;
                Some(SttReport::Failed(fault))
            }
        }
    }

    pub(super) fn feed(&mut self, samples: &[f32]) -> Option<SttReport> {
        if matches!(self.state, State::Idle) {
            return None;
        }
        self.utterance.extend_from_slice(samples);
        match &mut self.state {
            State::Running => return self.decode(samples.len()),
            State::Drafted { recogniser: Drafter::Waits { samples: waiting }, .. } => {
                *waiting += samples.len()
            }
            State::Idle | State::Drafted { .. } => {}
        }
        None
    }

    /// Hands the last `count` samples of the utterance to the recogniser.
    fn decode(&mut self, count: usize) -> Option<SttReport> {
        let fresh = &self.utterance[self.utterance.len() - count..];
        if let Err(fault) = self.recogniser.feed(fresh) {
            self.recogniser.cancel();
            self.state = State::Idle;
            return Some(SttReport::Failed(fault));
        }
        self.samples_since_partial += count;
        if self.samples_since_partial < PARTIAL_SAMPLES {
            return None;
        }
        self.samples_since_partial = 0;
        let partial = self.recogniser.partial()?;
        if partial == self.last_partial {
            return None;
        }
        self.last_partial.clone_from(&partial);
        Some(SttReport::Partial(partial))
    }

    fn draft(&mut self, number: u64) -> Option<SttReport> {
        if !matches!(self.state, State::Running) {
            return None;
        }
        let (drafted, recogniser) = match self.recogniser.draft() {
            Some(drafted) => (drafted, Drafter::Waits { samples: 0 }),
            None => (self.recogniser.finish(), Drafter::Finished),
        };
        match drafted {
            Ok(recognition) => {
                self.state = State::Drafted { transcript: recognition.transcript.clone(), recogniser };
                Some(SttReport::Draft { number, recognition })
            }
            Err(fault) => {
                self.recogniser.cancel();
                self.state = State::Idle;
                Some(SttReport::Failed(fault))
            }
        }
    }

    fn resume(&mut self) -> Option<SttReport> {
        let State::Drafted { recogniser, .. } = &self.state else { return None };
        match *recogniser {
            Drafter::Waits { samples } => {
                self.state = State::Running;
                self.decode(samples)
            }
            Drafter::Finished => self.start().or_else(|| self.decode(self.utterance.len())),
        }
    }

    fn finish(&mut self) -> Option<SttReport> {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Idle => None,
            // One that waits to go on is ended by the next `start`: now somebody waits for the words.
            State::Drafted { transcript, .. } => Some(SttReport::Transcript(transcript)),
            State::Running => {
                let finished = self.recogniser.finish();
                Some(finished.map_or_else(SttReport::Failed, |found| SttReport::Transcript(found.transcript)))
            }
        }
    }
}
