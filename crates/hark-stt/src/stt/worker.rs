//! Runs a recogniser for the audio pipeline: on the thread `hark-stt` when the sound is live, so that decoding never
//! delays the pipeline; in line when a recording is played in lock-step, so that the outcome is always the same.

use super::utterance::{RecogniserCall, SttReport, UtteranceDecoder};
use super::{Interrupter, Recogniser};
use hark_core::{Fault, FaultKind};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Jobs that may wait for the thread. When it is full, jobs wait in the pipeline's outbox, where the
/// samples of one utterance are joined: nothing is dropped and the pipeline never blocks.
const JOB_QUEUE: usize = 32;
/// Reports that may wait for the pipeline. A partial that does not fit is dropped, the next one replaces
/// it; anything else waits.
const REPORT_QUEUE: usize = 16;
/// Without a job for this long the recogniser gives back what only an utterance needs.
const RELEASE_MEMORY_AFTER: Duration = Duration::from_secs(60);

/// How the pipeline and the recogniser share time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SttMode {
    /// The recogniser has its own thread; its reports come when they come.
    Live,
    /// Every call returns when the recogniser is done: the outcome does not depend on the machine.
    LockStep,
}

/// A recogniser at call for the pipeline. One utterance is `start`, `feed` …, then `finish` or `cancel`;
/// reports of an utterance that was cancelled or replaced never show up. At a pause that may be the end
/// `draft` has the call of `finish` done while the silence is still being waited out; `resume` takes that
/// back when the person goes on.
pub struct RecogniserRunner {
    execution: Execution,
    drafts: u64,
    /// The sound of the utterance so far; `None` when sound is not kept.
    sound: Option<Vec<f32>>,
}

enum Execution {
    Inline { decoder: UtteranceDecoder, reports: VecDeque<SttReport> },
    Thread(Worker),
}

impl RecogniserRunner {
    /// Puts a recogniser to call.
    ///
    /// # Errors
    /// When its thread cannot be started.
    pub fn new(recogniser: Box<dyn Recogniser>, mode: SttMode) -> Result<Self, Fault> {
        let interrupt = recogniser.interrupter();
        let decoder = UtteranceDecoder::new(recogniser);
        let execution = match mode {
            SttMode::LockStep => Execution::Inline { decoder, reports: VecDeque::new() },
            SttMode::Live => Execution::Thread(Worker::spawn(decoder, interrupt)?),
        };
        Ok(Self { execution, drafts: 0, sound: None })
    }

    /// Keeps the sound of utterances from the next one on.
    pub fn keep_sound(&mut self) {
        self.sound = Some(Vec::new());
    }

    /// The sound of the utterance so far, with what was before it; `None` when sound is not kept.
    pub fn sound(&self) -> Option<Vec<f32>> {
        self.sound.clone()
    }

    /// The same, and it is forgotten.
    pub fn take_sound(&mut self) -> Option<Vec<f32>> {
        self.sound.as_mut().map(std::mem::take)
    }

    /// An utterance may begin at any moment.
    pub fn prepare(&mut self) {
        self.call(RecogniserCall::Prepare);
    }

    /// Begins an utterance, dropping one that was not finished. `before` is sound from before it, see
    /// [`Recogniser::preroll`].
    pub fn start(&mut self, before: &[f32]) {
        if let Some(sound) = &mut self.sound {
            sound.clear();
            sound.extend_from_slice(before);
        }
        self.call(RecogniserCall::Start(before.to_vec()));
    }

    /// Takes samples of the utterance: mono at 16 kHz.
    pub fn feed(&mut self, samples: &[f32]) {
        if let Some(sound) = &mut self.sound {
            sound.extend_from_slice(samples);
        }
        match &mut self.execution {
            Execution::Inline { decoder, reports } => reports.extend(decoder.feed(samples)),
            Execution::Thread(worker) => worker.feed(samples),
        }
    }

    /// The utterance may be over: what a draft will need can begin.
    pub fn anticipate_end(&mut self) {
        self.call(RecogniserCall::AnticipateEnd);
    }

    /// The next words so far decide about something: they are looked at harder.
    pub fn rescore(&mut self) {
        self.call(RecogniserCall::Rescore);
    }

    /// Recognises the utterance as if it ended here; a [`SttReport::Draft`] with the number that is
    /// returned follows. What is fed from here on counts only after `resume`.
    pub fn draft(&mut self) -> u64 {
        self.drafts += 1;
        self.call(RecogniserCall::Draft(self.drafts));
        self.drafts
    }

    /// The utterance goes on, with all that was fed since the draft.
    pub fn resume(&mut self) {
        self.call(RecogniserCall::Resume);
    }

    /// Ends the utterance; its transcript follows as a report, the draft's if there is one.
    pub fn finish(&mut self) {
        self.call(RecogniserCall::Finish);
    }

    /// Ends the utterance and throws it away.
    pub fn cancel(&mut self) {
        self.take_sound();
        self.call(RecogniserCall::Cancel);
    }

    fn call(&mut self, call: RecogniserCall) {
        match &mut self.execution {
            Execution::Inline { decoder, reports } => {
                if matches!(call, RecogniserCall::Start(_) | RecogniserCall::Cancel) {
                    reports.clear();
                }
                reports.extend(decoder.call(&call));
            }
            Execution::Thread(worker) => worker.enqueue(call),
        }
    }

    /// The next report, if there is one.
    pub fn poll(&mut self) -> Option<SttReport> {
        match &mut self.execution {
            Execution::Inline { reports, .. } => reports.pop_front(),
            Execution::Thread(worker) => worker.poll(),
        }
    }

    /// The next report; waits for it at most this long.
    pub fn wait(&mut self, at_most: Duration) -> Option<SttReport> {
        match &mut self.execution {
            Execution::Inline { reports, .. } => reports.pop_front(),
            Execution::Thread(worker) => worker.wait(at_most),
        }
    }
}

/// What is still worth doing; lets the thread skip the rest.
#[derive(Default)]
struct CurrentUtterance {
    /// The utterance; 0 for none.
    utterance: AtomicU64,
    /// The draft; 0 for none.
    draft: AtomicU64,
}

impl CurrentUtterance {
    fn is(&self, utterance: u64) -> bool {
        utterance == self.utterance.load(Ordering::Acquire)
    }
}

struct Job {
    utterance: u64,
    call: RecogniserCall,
}

/// The pipeline's side of the thread `hark-stt`, whose purpose is decoding. It ends when the job queue is
/// dropped, and is joined then.
struct Worker {
    /// None only while dropping.
    jobs: Option<SyncSender<Job>>,
    /// None only while dropping: a thread that waits to report is freed by it.
    reports: Option<Receiver<(u64, SttReport)>>,
    /// Jobs that did not fit into the queue yet.
    outbox: VecDeque<Job>,
    utterance: u64,
    current: Arc<CurrentUtterance>,
    /// Ends a `finish` whose words are not needed any more.
    interrupt: Option<Interrupter>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    fn spawn(decoder: UtteranceDecoder, interrupt: Option<Interrupter>) -> Result<Self, Fault> {
        let (jobs, job_queue) = sync_channel(JOB_QUEUE);
        let (report_queue, reports) = sync_channel(REPORT_QUEUE);
        let current = Arc::new(CurrentUtterance::default());
        let shared = Arc::clone(&current);
        let thread = std::thread::Builder::new()
            .name("hark-stt".into())
            .spawn(move || run(decoder, &job_queue, &report_queue, &shared))
            .map_err(|error| {
                Fault::new(FaultKind::Failed, "stt", format!("no thread for the recogniser: {error}"), "")
            })?;
        Ok(Self {
            jobs: Some(jobs),
            reports: Some(reports),
            outbox: VecDeque::new(),
            utterance: 0,
            current,
            interrupt,
            thread: Some(thread),
        })
    }

    fn enqueue(&mut self, call: RecogniserCall) {
        match call {
            RecogniserCall::Start(_) => {
                self.outbox.clear();
                self.utterance += 1;
                self.current.utterance.store(self.utterance, Ordering::Release);
            }
            RecogniserCall::Cancel => {
                self.outbox.clear();
                self.current.utterance.store(0, Ordering::Release);
            }
            RecogniserCall::Draft(number) => self.current.draft.store(number, Ordering::Release),
            RecogniserCall::Resume => self.current.draft.store(0, Ordering::Release),
            RecogniserCall::Feed(_)
            | RecogniserCall::AnticipateEnd
            | RecogniserCall::Rescore
            | RecogniserCall::Finish
            | RecogniserCall::ReleaseMemory
            | RecogniserCall::Prepare => {}
        }
        if let (RecogniserCall::Start(_) | RecogniserCall::Cancel | RecogniserCall::Resume, Some(interrupt)) =
            (&call, &self.interrupt)
        {
            interrupt();
        }
        self.outbox.push_back(Job { utterance: self.utterance, call });
        self.send();
    }

    fn feed(&mut self, samples: &[f32]) {
        if let Some(Job { call: RecogniserCall::Feed(waiting), .. }) = self.outbox.back_mut() {
            waiting.extend_from_slice(samples);
            self.send();
        } else {
            self.enqueue(RecogniserCall::Feed(samples.to_vec()));
        }
    }

    /// Moves what fits from the outbox into the queue.
    fn send(&mut self) {
        let Some(jobs) = &self.jobs else { return };
        while let Some(job) = self.outbox.pop_front() {
            match jobs.try_send(job) {
                Ok(()) => {}
                Err(TrySendError::Full(job)) => return self.outbox.push_front(job),
                // The thread is gone; `poll` tells.
                Err(TrySendError::Disconnected(_)) => return self.outbox.clear(),
            }
        }
    }

    fn poll(&mut self) -> Option<SttReport> {
        self.send();
        loop {
            match self.reports.as_ref()?.try_recv() {
                Ok((utterance, report)) if self.current.is(utterance) => return Some(report),
                Ok(_) => {}
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => return self.gone(),
            }
        }
    }

    fn wait(&mut self, at_most: Duration) -> Option<SttReport> {
        let until = Instant::now() + at_most;
        loop {
            self.send();
            // Short waits, because jobs in the outbox must be sent in between.
            let wait = until.saturating_duration_since(Instant::now()).min(Duration::from_millis(10));
            match self.reports.as_ref()?.recv_timeout(wait) {
                Ok((utterance, report)) if self.current.is(utterance) => return Some(report),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) if Instant::now() >= until => return None,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.gone(),
            }
        }
    }

    /// A fault for each utterance that the dead thread leaves without an answer.
    fn gone(&mut self) -> Option<SttReport> {
        (self.current.utterance.swap(0, Ordering::AcqRel) != 0).then(|| {
            let what = "the recogniser's thread has ended";
            SttReport::Failed(Fault::new(FaultKind::Failed, "stt", what, "restart hark"))
        })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.current.utterance.store(0, Ordering::Release);
        if let Some(interrupt) = &self.interrupt {
            interrupt();
        }
        self.reports = None;
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the engine was reported when it happened.
            let _ = thread.join();
        }
    }
}

/// The thread: does the jobs of the current utterance and skips all others.
fn run(
    mut decoder: UtteranceDecoder,
    jobs: &Receiver<Job>,
    reports: &SyncSender<(u64, SttReport)>,
    current: &CurrentUtterance,
) {
    loop {
        let job = match jobs.recv_timeout(RELEASE_MEMORY_AFTER) {
            Err(RecvTimeoutError::Timeout) => {
                decoder.call(&RecogniserCall::ReleaseMemory);
                jobs.recv().map_err(|_| RecvTimeoutError::Disconnected)
            }
            job => job,
        };
        let Ok(Job { utterance, call }) = job else { return };
        let report = match &call {
            RecogniserCall::Prepare => decoder.call(&call),
            _ if !current.is(utterance) => decoder.call(&RecogniserCall::Cancel),
            // The person went on before its turn came.
            RecogniserCall::Draft(number) if *number != current.draft.load(Ordering::Acquire) => None,
            call => decoder.call(call),
        };
        let sent = match report {
            None => continue,
            Some(report @ SttReport::Partial { .. }) => match reports.try_send((utterance, report)) {
                Err(TrySendError::Disconnected(_)) => false,
                Ok(()) | Err(TrySendError::Full(_)) => true,
            },
            Some(report) => reports.send((utterance, report)).is_ok(),
        };
        if !sent {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted::ScriptedRecogniser;
    use hark_core::Transcript;

    const PATIENCE: Duration = Duration::from_secs(10);

    fn transcript(lane: &mut RecogniserRunner) -> Transcript {
        loop {
            match lane.wait(PATIENCE).expect("a report") {
                SttReport::Transcript(transcript) => return transcript,
                SttReport::Partial { .. } | SttReport::Draft { .. } => {}
                SttReport::Failed(fault) => panic!("{fault}"),
            }
        }
    }

    #[test]
    fn both_modes_hear_the_whole_utterance() {
        for mode in [SttMode::LockStep, SttMode::Live] {
            let (recogniser, log) = ScriptedRecogniser::new();
            let mut lane = RecogniserRunner::new(Box::new(recogniser), mode).expect("lane");
            lane.start(&[]);
            for _ in 0..500 {
                lane.feed(&[0.1; 512]);
            }
            lane.finish();
            assert_eq!(transcript(&mut lane).text, "256000 samples", "{mode:?}");
            assert_eq!(log.lock().expect("log").samples.len(), 256_000);
        }
    }

    #[test]
    fn a_draft_is_the_transcript_unless_the_person_goes_on() {
        for mode in [SttMode::LockStep, SttMode::Live] {
            let (recogniser, log) = ScriptedRecogniser::new();
            let mut lane = RecogniserRunner::new(Box::new(recogniser), mode).expect("lane");
            lane.start(&[]);
            lane.feed(&[0.1; 500]);
            let number = lane.draft();
            lane.feed(&[0.0; 100]);
            let Some(SttReport::Draft { number: made, recognition }) = lane.wait(PATIENCE) else {
                panic!("a draft, {mode:?}")
            };
            assert_eq!((made, recognition.heard.as_str()), (number, "500 samples"), "{mode:?}");
            lane.finish();
            assert_eq!(transcript(&mut lane).text, "500 samples", "{mode:?}");
            assert_eq!(log.lock().expect("log").samples.len(), 500, "no call is done twice");

            lane.start(&[]);
            lane.feed(&[0.1; 500]);
            lane.draft();
            lane.feed(&[0.0; 100]);
            lane.resume();
            lane.feed(&[0.1; 200]);
            lane.finish();
            assert_eq!(transcript(&mut lane).text, "800 samples", "{mode:?}");
        }
    }

    #[test]
    fn a_recogniser_that_drafts_goes_on_with_what_came_since() {
        for mode in [SttMode::LockStep, SttMode::Live] {
            let (mut recogniser, log) = ScriptedRecogniser::new();
            recogniser.drafts = true;
            let mut lane = RecogniserRunner::new(Box::new(recogniser), mode).expect("lane");
            lane.start(&[]);
            lane.feed(&[0.1; 500]);
            lane.draft();
            assert!(matches!(lane.wait(PATIENCE), Some(SttReport::Draft { .. })), "{mode:?}");
            lane.feed(&[0.0; 100]);
            lane.resume();
            lane.feed(&[0.1; 200]);
            lane.draft();
            let Some(SttReport::Draft { recognition, .. }) = lane.wait(PATIENCE) else {
                panic!("a draft, {mode:?}")
            };
            assert_eq!(recognition.heard, "800 samples", "{mode:?}");
            lane.finish();
            assert_eq!(transcript(&mut lane).text, "800 samples", "{mode:?}");
            assert_eq!(log.lock().expect("log").samples.len(), 800, "no sample is fed twice, {mode:?}");
            lane.start(&[]);
            lane.feed(&[0.1; 300]);
            lane.draft();
            lane.cancel();
            lane.start(&[]);
            lane.feed(&[0.1; 400]);
            lane.finish();
            assert_eq!(transcript(&mut lane).text, "400 samples", "{mode:?}");
        }
    }

    #[test]
    fn a_draft_that_came_too_late_is_not_made() {
        let (mut recogniser, log) = ScriptedRecogniser::new();
        recogniser.feed_delay = Duration::from_millis(20);
        let mut lane = RecogniserRunner::new(Box::new(recogniser), SttMode::Live).expect("lane");
        lane.start(&[]);
        lane.feed(&[0.1; 500]);
        lane.draft();
        lane.resume();
        lane.finish();
        assert!(matches!(lane.wait(PATIENCE), Some(SttReport::Transcript(t)) if t.text == "500 samples"));
        assert_eq!(log.lock().expect("log").samples.len(), 500, "nothing was fed twice");
    }

    #[test]
    fn words_so_far_say_how_much_they_are_of() {
        let (recogniser, _log) = ScriptedRecogniser::new();
        let mut lane = RecogniserRunner::new(Box::new(recogniser), SttMode::LockStep).expect("lane");
        lane.start(&[]);
        let mut looks = Vec::new();
        for _ in 0..30 {
            lane.feed(&[0.1; 512]);
            looks.extend(std::iter::from_fn(|| lane.poll()));
        }
        let looks: Vec<(String, usize)> = looks
            .into_iter()
            .map(|report| match report {
                SttReport::Partial { partial, samples } => (partial.text, samples),
                other => panic!("{other:?}"),
            })
            .collect();
        // The scripted recogniser has its first words after half a second; a look is at two blocks.
        let expected: Vec<_> = (8..=15).map(|look| ("1 halves".to_owned(), look * 1024)).collect();
        assert_eq!(looks, expected);
    }

    #[test]
    fn the_next_look_alone_is_a_hard_one() {
        let (recogniser, log) = ScriptedRecogniser::new();
        let mut lane = RecogniserRunner::new(Box::new(recogniser), SttMode::LockStep).expect("lane");
        lane.start(&[]);
        for block in 0..12 {
            if block == 5 {
                lane.rescore();
                lane.rescore();
            }
            lane.feed(&[0.1; 512]);
        }
        assert_eq!(log.lock().expect("log").rescored_at, [6 * 512]);
        // One that was asked for and not made goes with its utterance.
        lane.rescore();
        lane.start(&[]);
        lane.feed(&[0.1; 1024]);
        assert_eq!(log.lock().expect("log").rescored_at.len(), 1);
    }

    #[test]
    fn feeding_a_slow_recogniser_does_not_block() {
        let (mut recogniser, _log) = ScriptedRecogniser::new();
        recogniser.feed_delay = Duration::from_millis(2);
        let mut lane = RecogniserRunner::new(Box::new(recogniser), SttMode::Live).expect("lane");
        lane.start(&[]);
        let begun = Instant::now();
        for _ in 0..1000 {
            lane.feed(&[0.1; 512]);
        }
        let took = begun.elapsed();
        assert!(took < Duration::from_millis(500), "took {took:?}");
        lane.finish();
        assert_eq!(transcript(&mut lane).text, "512000 samples");
    }

    #[test]
    fn a_cancelled_utterance_leaves_no_report() {
        let (mut recogniser, log) = ScriptedRecogniser::new();
        recogniser.feed_delay = Duration::from_millis(1);
        let mut lane = RecogniserRunner::new(Box::new(recogniser), SttMode::Live).expect("lane");
        lane.start(&[]);
        for _ in 0..100 {
            lane.feed(&[0.1; 512]);
        }
        lane.finish();
        lane.cancel();
        assert_eq!(lane.wait(Duration::from_millis(200)), None);
        lane.start(&[]);
        lane.feed(&[0.1; 100]);
        lane.finish();
        assert_eq!(transcript(&mut lane).text, "100 samples");
        assert!(log.lock().expect("log").samples.len() <= 51_300);
    }

    #[test]
    fn failures_are_reported_once_and_the_next_utterance_may_work() {
        for mode in [SttMode::LockStep, SttMode::Live] {
            let (mut recogniser, _log) = ScriptedRecogniser::new();
            recogniser.fail_first_feed = true;
            let mut lane = RecogniserRunner::new(Box::new(recogniser), mode).expect("lane");
            lane.start(&[]);
            lane.feed(&[0.1; 100]);
            lane.feed(&[0.1; 100]);
            lane.finish();
            assert!(matches!(lane.wait(PATIENCE), Some(SttReport::Failed(_))), "{mode:?}");
            assert_eq!(lane.wait(Duration::from_millis(50)), None);
            lane.start(&[]);
            lane.feed(&[0.1; 100]);
            lane.finish();
            assert_eq!(transcript(&mut lane).text, "100 samples");
        }
    }

    #[test]
    fn dropping_a_busy_lane_joins_its_thread() {
        let (mut recogniser, log) = ScriptedRecogniser::new();
        recogniser.feed_delay = Duration::from_millis(1);
        let mut lane = RecogniserRunner::new(Box::new(recogniser), SttMode::Live).expect("lane");
        lane.start(&[]);
        for _ in 0..2000 {
            lane.feed(&[0.1; 512]);
        }
        drop(lane);
        assert_eq!(Arc::strong_count(&log), 1, "the recogniser is gone");
    }
}
