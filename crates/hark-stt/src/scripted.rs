//! Engines that follow a script, for tests of timing: of this crate, and of the program, which includes this file.

use hark_core::{Fault, FaultKind, Transcript, VAD_BLOCK_SAMPLES};
use hark_stt::stt::{Partial, Recogniser, Recognition};
use hark_stt::vad::Vad;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The value of a block's first sample, at most 1, is the probability that it is speech.
pub(crate) struct ScriptedVad;

impl Vad for ScriptedVad {
    fn probability(&mut self, block: &[f32; VAD_BLOCK_SAMPLES]) -> Result<f32, Fault> {
        Ok(block[0].min(1.0))
    }

    fn reset(&mut self) {}
}

/// What a [`ScriptedRecogniser`] was given.
#[derive(Debug, Default)]
pub(crate) struct RecogniserLog {
    /// Samples of all utterances.
    pub samples: Vec<f32>,
    pub cancels: usize,
    /// Samples of the utterance at each rescoring.
    pub rescored_at: Vec<usize>,
}

/// A recogniser for timing tests: its transcript is the number of samples it was fed, its partial the
/// number of half seconds.
pub(crate) struct ScriptedRecogniser {
    log: Arc<Mutex<RecogniserLog>>,
    fed: Option<usize>,
    pub feed_delay: Duration,
    pub fail_first_feed: bool,
    /// Whether it tells a draft without finishing.
    pub drafts: bool,
    /// Utterances of more samples are rejected.
    pub max_samples: usize,
}

impl ScriptedRecogniser {
    pub(crate) fn new() -> (Self, Arc<Mutex<RecogniserLog>>) {
        let log = Arc::new(Mutex::new(RecogniserLog::default()));
        let shared = Arc::clone(&log);
        let recogniser = Self {
            log,
            fed: None,
            feed_delay: Duration::ZERO,
            fail_first_feed: false,
            drafts: false,
            max_samples: usize::MAX,
        };
        (recogniser, shared)
    }

    fn fault(what: &str) -> Fault {
        Fault::new(FaultKind::Failed, "stt", what, "")
    }
}

impl Recogniser for ScriptedRecogniser {
    fn start(&mut self) -> Result<(), Fault> {
        self.fed = Some(0);
        Ok(())
    }

    fn feed(&mut self, samples: &[f32]) -> Result<(), Fault> {
        if std::mem::take(&mut self.fail_first_feed) {
            return Err(Self::fault("scripted failure"));
        }
        std::thread::sleep(self.feed_delay);
        let fed = self.fed.as_mut().ok_or_else(|| Self::fault("not started"))?;
        *fed += samples.len();
        self.log.lock().expect("log").samples.extend_from_slice(samples);
        Ok(())
    }

    fn partial(&mut self) -> Option<Partial> {
        let halves = self.fed? / 8_000;
        (halves > 0).then(|| Partial { text: format!("{halves} halves"), stable: 0, ..Partial::default() })
    }

    fn rescored_partial(&mut self) -> Option<Partial> {
        self.log.lock().expect("log").rescored_at.extend(self.fed);
        self.partial()
    }

    fn draft(&mut self) -> Option<Result<Recognition, Fault>> {
        self.drafts.then(|| {
            let fed = self.fed;
            let drafted = self.finish();
            self.fed = fed;
            drafted
        })
    }

    fn finish(&mut self) -> Result<Recognition, Fault> {
        let fed = self.fed.take().ok_or_else(|| Self::fault("not started"))?;
        let heard = format!("{fed} samples");
        let transcript = Transcript {
            text: heard.clone(),
            engine: "scripted".into(),
            confidence: 1.0,
            language: "en".into(),
            rejected: (fed > self.max_samples).then(|| "too long".to_owned()),
            why: None,
            speaker: None,
        };
        Ok(Recognition { transcript, heard })
    }

    fn cancel(&mut self) {
        self.fed = None;
        self.log.lock().expect("log").cancels += 1;
    }
}
