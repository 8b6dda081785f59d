//! State machine of one recogniser: start, partials, drafts (a result before the end is certain), resume, finish.
//! Called by [`super::worker`], on the thread `hark-stt` or in line.

use super::{Partial, Recogniser, Recognition};
use hark_core::{Fault, SAMPLE_RATE_HZ, Transcript};

/// Audio between two looks at the words so far: 64 ms, two blocks. Whether speech over Hark is for
/// it is decided by them within 800 ms.
const PARTIAL_SAMPLES: usize = SAMPLE_RATE_HZ as usize * 64 / 1000;

/// What is asked of the recogniser.
pub(super) enum RecogniserCall {
    /// With sound from before the utterance.
    Start(Vec<f32>),
    /// Nothing was asked for a while.
    ReleaseMemory,
    /// An utterance may begin.
    Prepare,
    Feed(Vec<f32>),
    /// The utterance may be over soon.
    AnticipateEnd,
    /// The next words so far decide about something.
    Rescore,
    Draft(u64),
    Resume,
    Finish,
    Cancel,
}

/// What the recogniser has to say about the utterance at hand.
#[derive(Debug, Clone, PartialEq)]
pub enum SttReport {
    /// Words so far, at every look at them, and how many samples of the utterance they are of.
    Partial { partial: Partial, samples: usize },
    /// What it would be if it ended where the draft of this number was asked for.
    Draft { number: u64, recognition: Recognition },
    /// The utterance's last word.
    Transcript(Transcript),
    /// The engine failed; the utterance is over.
    Failed(Fault),
}

enum DecodingState {
    Idle,
    Running,
    /// The utterance may still go on; `finished` when the recogniser had to finish for the draft.
    Drafted {
        transcript: Transcript,
        finished: bool,
    },
}

/// A recogniser and what is needed to report its words now and then and to take a draft back.
pub(super) struct UtteranceDecoder {
    recogniser: Box<dyn Recogniser>,
    state: DecodingState,
    /// All samples of the utterance: an engine that had to finish for a draft that was wrong gets them
    /// once more.
    utterance: Vec<f32>,
    /// How many of them the recogniser has had.
    decoded: usize,
    /// Sound from before it.
    before: Vec<f32>,
    samples_since_partial: usize,
    /// Whether the next look at the words so far is a hard one.
    rescore_next: bool,
}

impl UtteranceDecoder {
    pub(super) fn new(recogniser: Box<dyn Recogniser>) -> Self {
        Self {
            recogniser,
            state: DecodingState::Idle,
            utterance: Vec::new(),
            decoded: 0,
            before: Vec::new(),
            samples_since_partial: 0,
            rescore_next: false,
        }
    }

    pub(super) fn call(&mut self, call: &RecogniserCall) -> Option<SttReport> {
        match call {
            RecogniserCall::Start(before) => {
                self.before.clone_from(before);
                self.utterance.clear();
                self.start()
            }
            RecogniserCall::Feed(samples) => self.feed(samples),
            RecogniserCall::AnticipateEnd => {
                if matches!(self.state, DecodingState::Running) {
                    self.recogniser.anticipate_end();
                }
                None
            }
            RecogniserCall::Rescore => {
                self.rescore_next = true;
                None
            }
            RecogniserCall::Prepare => {
                self.recogniser.prepare();
                None
            }
            RecogniserCall::Draft(number) => self.draft(*number),
            RecogniserCall::Resume => self.resume(),
            RecogniserCall::Finish => self.finish(),
            RecogniserCall::ReleaseMemory => {
                self.recogniser.release_memory();
                None
            }
            RecogniserCall::Cancel => {
                if matches!(
                    self.state,
                    DecodingState::Running | DecodingState::Drafted { finished: false, .. }
                ) {
                    self.recogniser.cancel();
                }
                self.state = DecodingState::Idle;
                None
            }
        }
    }

    fn start(&mut self) -> Option<SttReport> {
        (self.decoded, self.samples_since_partial, self.rescore_next) = (0, 0, false);
        match self.recogniser.start() {
            Ok(()) => {
                self.recogniser.preroll(&self.before);
                self.state = DecodingState::Running;
                None
            }
            Err(fault) => {
                self.state = DecodingState::Idle;
                Some(SttReport::Failed(fault))
            }
        }
    }

    pub(super) fn feed(&mut self, samples: &[f32]) -> Option<SttReport> {
        if matches!(self.state, DecodingState::Idle) {
            return None;
        }
        self.utterance.extend_from_slice(samples);
        match self.state {
            DecodingState::Running => self.decode(),
            DecodingState::Idle | DecodingState::Drafted { .. } => None,
        }
    }

    /// Hands the recogniser what it has not had of the utterance.
    fn decode(&mut self) -> Option<SttReport> {
        let fresh = &self.utterance[self.decoded..];
        let count = fresh.len();
        self.decoded = self.utterance.len();
        if let Err(fault) = self.recogniser.feed(fresh) {
            self.recogniser.cancel();
            self.state = DecodingState::Idle;
            return Some(SttReport::Failed(fault));
        }
        self.samples_since_partial += count;
        if self.samples_since_partial < PARTIAL_SAMPLES && !self.rescore_next {
            return None;
        }
        self.samples_since_partial = 0;
        let partial = match std::mem::take(&mut self.rescore_next) {
            true => self.recogniser.rescored_partial(),
            false => self.recogniser.partial(),
        }?;
        Some(SttReport::Partial { partial, samples: self.decoded })
    }

    fn draft(&mut self, number: u64) -> Option<SttReport> {
        if !matches!(self.state, DecodingState::Running) {
            return None;
        }
        let (drafted, finished) = match self.recogniser.draft() {
            Some(drafted) => (drafted, false),
            None => (self.recogniser.finish(), true),
        };
        match drafted {
            Ok(recognition) => {
                self.state = DecodingState::Drafted { transcript: recognition.transcript.clone(), finished };
                Some(SttReport::Draft { number, recognition })
            }
            Err(fault) => {
                self.recogniser.cancel();
                self.state = DecodingState::Idle;
                Some(SttReport::Failed(fault))
            }
        }
    }

    fn resume(&mut self) -> Option<SttReport> {
        match self.state {
            DecodingState::Drafted { finished: true, .. } => self.start().or_else(|| self.decode()),
            DecodingState::Drafted { finished: false, .. } => {
                self.state = DecodingState::Running;
                self.decode()
            }
            DecodingState::Idle | DecodingState::Running => None,
        }
    }

    fn finish(&mut self) -> Option<SttReport> {
        match std::mem::replace(&mut self.state, DecodingState::Idle) {
            DecodingState::Idle => None,
            // An unfinished one is ended by the next `start`; now the words are awaited.
            DecodingState::Drafted { transcript, .. } => Some(SttReport::Transcript(transcript)),
            DecodingState::Running => {
                let finished = self.recogniser.finish();
                Some(finished.map_or_else(SttReport::Failed, |found| SttReport::Transcript(found.transcript)))
            }
        }
    }
}
