//! One utterance after the other with one recogniser: words so far, drafts, and the last word.

use super::Recogniser;
use super::worker::SttReport;
use hark_core::{SAMPLE_RATE_HZ, Transcript};

/// Audio between two looks at the words so far: 64 ms, two blocks. Whether speech over Hark is for
/// it is decided by them within 800 ms.
const PARTIAL_SAMPLES: usize = SAMPLE_RATE_HZ as usize * 64 / 1000;

/// What is asked of the recogniser.
pub(super) enum Work {
    /// With sound from before the utterance.
    Start(Vec<f32>),
    /// Nothing was asked for a while.
    Rest,
    /// An utterance may begin.
    Prepare,
    Feed(Vec<f32>),
    /// The utterance may be over soon.
    Foresee,
    /// The next words so far decide about something.
    LookHard,
    Draft(u64),
    Resume,
    Finish,
    Cancel,
}

enum State {
    Idle,
    Running,
    /// The utterance may still go on; `finished` when the recogniser had to finish for the draft.
    Drafted {
        transcript: Transcript,
        finished: bool,
    },
}

/// A recogniser and what is needed to report its words now and then and to take a draft back.
pub(super) struct Session {
    recogniser: Box<dyn Recogniser>,
    state: State,
    /// All samples of the utterance: an engine that had to finish for a draft that was wrong gets them
    /// once more.
    utterance: Vec<f32>,
    /// How many of them the recogniser has had.
    decoded: usize,
    /// Sound from before it.
    before: Vec<f32>,
    samples_since_partial: usize,
    /// Whether the next look at the words so far is a hard one.
    hard: bool,
}

impl Session {
    pub(super) fn new(recogniser: Box<dyn Recogniser>) -> Self {
        Self {
            recogniser,
            state: State::Idle,
            utterance: Vec::new(),
            decoded: 0,
            before: Vec::new(),
            samples_since_partial: 0,
            hard: false,
        }
    }

    pub(super) fn work(&mut self, work: &Work) -> Option<SttReport> {
        match work {
            Work::Start(before) => {
                self.before.clone_from(before);
                self.utterance.clear();
                self.start()
            }
            Work::Feed(samples) => self.feed(samples),
            Work::Foresee => {
                if matches!(self.state, State::Running) {
                    self.recogniser.foresee_end();
                }
                None
            }
            Work::LookHard => {
                self.hard = true;
                None
            }
            Work::Prepare => {
                self.recogniser.prepare();
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
                if matches!(self.state, State::Running | State::Drafted { finished: false, .. }) {
                    self.recogniser.cancel();
                }
                self.state = State::Idle;
                None
            }
        }
    }

    fn start(&mut self) -> Option<SttReport> {
        (self.decoded, self.samples_since_partial, self.hard) = (0, 0, false);
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
        match self.state {
            State::Running => self.decode(),
            State::Idle | State::Drafted { .. } => None,
        }
    }

    /// Hands the recogniser what it has not had of the utterance.
    fn decode(&mut self) -> Option<SttReport> {
        let fresh = &self.utterance[self.decoded..];
        let count = fresh.len();
        self.decoded = self.utterance.len();
        if let Err(fault) = self.recogniser.feed(fresh) {
            self.recogniser.cancel();
            self.state = State::Idle;
            return Some(SttReport::Failed(fault));
        }
        self.samples_since_partial += count;
        if self.samples_since_partial < PARTIAL_SAMPLES && !self.hard {
            return None;
        }
        self.samples_since_partial = 0;
        let partial = match std::mem::take(&mut self.hard) {
            true => self.recogniser.look_hard(),
            false => self.recogniser.partial(),
        }?;
        Some(SttReport::Partial { partial, samples: self.decoded })
    }

    fn draft(&mut self, number: u64) -> Option<SttReport> {
        if !matches!(self.state, State::Running) {
            return None;
        }
        let (drafted, finished) = match self.recogniser.draft() {
            Some(drafted) => (drafted, false),
            None => (self.recogniser.finish(), true),
        };
        match drafted {
            Ok(recognition) => {
                self.state = State::Drafted { transcript: recognition.transcript.clone(), finished };
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
        match self.state {
            State::Drafted { finished: true, .. } => self.start().or_else(|| self.decode()),
            State::Drafted { finished: false, .. } => {
                self.state = State::Running;
                self.decode()
            }
            State::Idle | State::Running => None,
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
