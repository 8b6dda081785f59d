//! Pipelines for people at other microphones than the node's, such as a browser's: each a thread with engines of its own,
//! opened with the first sound. Who switches a microphone on wants to be heard, so that no wake word is needed;
//! everything after it is the same [`AudioPipeline`] as in the room.

use crate::app::audio::detached_close::{self, Alive};
use crate::app::event_queue::EventQueue;
use crate::app::faults::no_thread;
use hark_core::api::{EnginePermit, RemoteMicrophone, Speaker};
use hark_core::public_event::{Origin, Outcome};
use hark_core::{
    Envelope, Event, Fault, FaultKind, MicrophoneId, PublicEvent, RemoteSpeech, SAMPLE_RATE_HZ, Words,
};
use hark_stt::pipeline::AudioPipeline;
use hark_stt::{HearingEvent, PipelineCommand, PositionedEvent};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::broadcast;

/// Samples that may wait for a pipeline: 20 s, 640 KiB. It has to open its engines first, and machines are busy at times.
const MAX_WAITING: usize = 20 * SAMPLE_RATE_HZ as usize;
/// What a frame of sound counts at least, in samples: it takes memory of its own.
const LEAST_COUNTED: usize = 32;
/// How often a pipeline that hears somebody looks whether the recogniser has news when no sound comes.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How often one that hears nobody looks whether it is still wanted.
const REST: Duration = Duration::from_secs(1);
/// Without sound for this long a microphone counts as switched off. Networks pause for less.
pub(crate) const OFF_AFTER: Duration = Duration::from_millis(1500);
/// A microphone that stays on is listened to anew after this long, without a word to anybody.
const GO_ON_MS: u64 = 60_000;
/// How long pipelines may take to end with the daemon.
const ENDS_WITHIN: Duration = Duration::from_secs(5);

/// Makes a pipeline without wake words. May take seconds.
pub(crate) type MakePipeline = dyn Fn() -> Result<AudioPipeline, Fault> + Send + Sync;

/// How long pipelines wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MicrophoneTimeouts {
    /// For the first word, in milliseconds of sound.
    pub(crate) window_ms: u64,
    /// For the next sound.
    pub(crate) off_after: Duration,
}

/// Opens pipelines.
pub(crate) struct RemoteMicrophones {
    make: Arc<MakePipeline>,
    /// After a pipeline has gone.
    tidy: Arc<dyn Fn() + Send + Sync>,
    patience: MicrophoneTimeouts,
    event_queue: Arc<EventQueue>,
    events: broadcast::Sender<Arc<Envelope>>,
    numbers: AtomicU64,
    threads: Mutex<Vec<(JoinHandle<()>, detached_close::Ending)>>,
}

impl RemoteMicrophones {
    /// Opens none yet. What becomes of requests is read from `events`.
    pub(crate) fn new(
        make: Arc<MakePipeline>,
        tidy: Arc<dyn Fn() + Send + Sync>,
        patience: MicrophoneTimeouts,
        event_queue: Arc<EventQueue>,
        events: broadcast::Sender<Arc<Envelope>>,
    ) -> Self {
        let (numbers, threads) = (AtomicU64::new(0), Mutex::default());
        Self { make, tidy, patience, event_queue, events, numbers, threads }
    }

    /// A pipeline; `place` is dropped when it holds nothing any more.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub(crate) fn open(&self, place: EnginePermit) -> Result<Box<dyn RemoteMicrophone>, Fault> {
        let (orders, queue) = channel();
        let shared = Arc::new(Shared::default());
        let listening = Listening {
            id: MicrophoneId(self.numbers.fetch_add(1, Ordering::Relaxed)),
            make: self.make.clone(),
            patience: self.patience,
            event_queue: self.event_queue.clone(),
            events: self.events.subscribe(),
            pipeline: None,
            is_on: false,
            is_broken: false,
            speaker: None,
            utterance: None,
            awaited: None,
            heard: Vec::new(),
        };
        let (alive, ending) = detached_close::ending();
        let (told, tidy) = (shared.clone(), self.tidy.clone());
        let life = move || {
            // Lives as long as the thread.
            let _alive: Alive = alive;
            listening.run(&queue, &told);
            tidy();
            drop(place);
        };
        let thread = std::thread::Builder::new().name("hark-remote-mic".into()).spawn(life);
        let thread = thread.map_err(|error| no_thread("hark-remote-mic", &error))?;
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.retain(|(thread, _)| !thread.is_finished());
        threads.push((thread, ending));
        Ok(Box::new(Handle { orders, shared, is_paused: true }))
    }

    /// Waits until those are gone that nobody holds any more.
    pub(crate) fn end(&self) {
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        threads.into_iter().for_each(|(thread, ending)| ending.join_within(thread, ENDS_WITHIN));
    }
}

/// What both sides of a pipeline see.
#[derive(Default)]
struct Shared {
    /// Samples that wait.
    waiting: AtomicUsize,
    /// Nobody wants it any more, nor what still waits.
    gone: AtomicBool,
}

enum Order {
    Sound(Speaker, Vec<i16>),
    Pause,
}

/// The side of whoever brings the sound.
struct Handle {
    /// Bounded by `Shared::waiting`, and there is one pause at most for each sound.
    orders: Sender<Order>,
    shared: Arc<Shared>,
    /// No sound has come since the last pause.
    is_paused: bool,
}

impl RemoteMicrophone for Handle {
    fn hear(&mut self, speaker: &Speaker, samples: Vec<i16>) -> Result<(), Fault> {
        let fix = "speak again in a moment";
        let refused =
            |message: &str| Fault::new(FaultKind::Unavailable, "microphone", message, fix).recoverable();
        if self.shared.waiting.load(Ordering::Acquire) + counted(&samples) > MAX_WAITING {
            return Err(refused("Hark does not keep up with what is said"));
        }
        self.shared.waiting.fetch_add(counted(&samples), Ordering::AcqRel);
        self.is_paused = false;
        let sound = Order::Sound(speaker.clone(), samples);
        self.orders.send(sound).map_err(|_| refused("the pipeline has ended"))
    }

    fn pause(&mut self) {
        if std::mem::replace(&mut self.is_paused, true) {
            return;
        }
        // A pipeline that has ended hears nothing to be paused.
        let _ = self.orders.send(Order::Pause);
    }
}

/// What of [`MAX_WAITING`] a sound takes.
fn counted(samples: &[i16]) -> usize {
    samples.len().max(LEAST_COUNTED)
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.gone.store(true, Ordering::Release);
    }
}

/// The thread's side.
struct Listening {
    id: MicrophoneId,
    make: Arc<MakePipeline>,
    patience: MicrophoneTimeouts,
    event_queue: Arc<EventQueue>,
    events: broadcast::Receiver<Arc<Envelope>>,
    /// With its engines, once they were needed.
    pipeline: Option<AudioPipeline>,
    /// Sound comes.
    is_on: bool,
    /// It could not be opened; that was told, and it is tried again when the microphone is switched on anew.
    is_broken: bool,
    /// Who speaks now.
    speaker: Option<Speaker>,
    /// Whose utterance is open: the turn machine knows of it.
    utterance: Option<Origin>,
    /// The conversation that owes an answer to a question of Hark's.
    awaited: Option<String>,
    heard: Vec<PositionedEvent>,
}

impl Listening {
    fn run(mut self, orders: &Receiver<Order>, shared: &Shared) {
        let mut last = Instant::now();
        while !shared.gone.load(Ordering::Acquire) {
            match orders.recv_timeout(if self.is_on { LOOK_EVERY } else { REST }) {
                Ok(Order::Sound(speaker, samples)) => {
                    self.take(speaker, &samples);
                    shared.waiting.fetch_sub(counted(&samples), Ordering::AcqRel);
                    last = Instant::now();
                }
                Ok(Order::Pause) => self.switch_off(),
                Err(RecvTimeoutError::Timeout) if self.is_on && last.elapsed() >= self.patience.off_after => {
                    self.switch_off();
                }
                Err(RecvTimeoutError::Timeout) => self.hear(&[]),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.tell(RemoteSpeech::Gone);
    }

    fn take(&mut self, speaker: Speaker, samples: &[i16]) {
        self.note_questions();
        self.speaker = Some(speaker);
        if !std::mem::replace(&mut self.is_on, true) {
            self.switch_on();
        }
        let samples: Vec<f32> = samples.iter().map(|sample| f32::from(*sample) / 32_768.0).collect();
        self.hear(&samples);
    }

    /// The person wants to be heard from now on.
    fn switch_on(&mut self) {
        self.begin();
        if self.pipeline.is_none() {
            match (self.make)() {
                Ok(pipeline) => self.pipeline = Some(pipeline),
                Err(fault) => {
                    self.is_broken = true;
                    self.tell(RemoteSpeech::Failed { fault });
                    self.utterance = None;
                    return;
                }
            }
        }
        self.listen(self.patience.window_ms);
    }

    /// What was said until here is all.
    fn switch_off(&mut self) {
        (self.is_on, self.is_broken) = (false, false);
        if let Some(pipeline) = &mut self.pipeline {
            pipeline.finish(&mut self.heard);
        }
        self.report();
        if let Some(pipeline) = &mut self.pipeline {
            pipeline.command(PipelineCommand::Sleep);
        }
    }

    fn hear(&mut self, samples: &[f32]) {
        let Some(pipeline) = self.pipeline.as_mut().filter(|_| !self.is_broken) else { return };
        pipeline.process(samples, &mut self.heard);
        self.report();
    }

    /// Tells what was heard, and goes on listening where an utterance is over.
    fn report(&mut self) {
        let mut is_over = false;
        for PositionedEvent { event, .. } in std::mem::take(&mut self.heard) {
            match event {
                HearingEvent::SpeechStarted => {
                    if self.utterance.is_none() {
                        self.begin();
                    }
                    self.tell(RemoteSpeech::SpeechStarted);
                }
                HearingEvent::Partial(Words { text, stable, .. }) => {
                    self.tell(RemoteSpeech::Partial { text, stable })
                }
                HearingEvent::SpeechEnded { endpoint, silence_ms } => {
                    self.tell(RemoteSpeech::SpeechEnded { endpoint, silence_ms });
                }
                HearingEvent::Sound(samples) => self.event_queue.keep_sound(Some(self.id), samples),
                HearingEvent::Transcript(transcript) => {
                    self.tell(RemoteSpeech::Transcript { transcript });
                    (self.utterance, is_over) = (None, true);
                }
                HearingEvent::NothingSaid => {
                    self.tell(RemoteSpeech::NothingSaid);
                    (self.utterance, is_over) = (None, true);
                }
                HearingEvent::Fault(fault) => self.push(Event::Fault { fault }),
                // There are no wake words, and nothing is watched for.
                HearingEvent::Wake { .. }
                | HearingEvent::WakeRejected { .. }
                | HearingEvent::Interruption { .. }
                | HearingEvent::PauseWeighed { .. }
                | HearingEvent::WentOn => {}
            }
        }
        if is_over && self.is_on {
            self.listen(GO_ON_MS);
        }
    }

    /// An utterance of who speaks now.
    fn begin(&mut self) {
        let Some(Speaker { session, aloud }) = self.speaker.clone() else { return };
        self.utterance = Some(Origin::Api(session));
        self.tell(RemoteSpeech::Listening { speak: aloud });
    }

    fn listen(&mut self, window_ms: u64) {
        let session = self.speaker.as_ref().map(|speaker| &speaker.session);
        let short_answer = session.is_some() && session == self.awaited.as_ref();
        if let Some(pipeline) = &mut self.pipeline {
            pipeline.command(PipelineCommand::Listen { window_ms, short_answer });
        }
    }

    /// Notes whether a yes, a no or a name is awaited: that is a shorter word than others.
    fn note_questions(&mut self) {
        let before = self.awaited.clone();
        loop {
            let envelope = match self.events.try_recv() {
                Ok(envelope) => envelope,
                Err(broadcast::error::TryRecvError::Lagged(_)) => continue,
                Err(_) => break,
            };
            let (Some(Origin::Api(session)), PublicEvent::Turn { outcome, .. }) =
                (&envelope.origin, &envelope.event)
            else {
                continue;
            };
            if matches!(outcome, Outcome::AwaitingApproval | Outcome::AwaitingAnswer) {
                self.awaited = Some(session.clone());
            } else {
                self.awaited.take_if(|awaited| awaited == session);
            }
        }
        // While nobody speaks yet, the next word may be that short from now on.
        if self.awaited != before && self.is_on && self.utterance.is_none() {
            self.listen(GO_ON_MS);
        }
    }

    /// Tells the turn machine, as long as an utterance is open.
    fn tell(&self, heard: RemoteSpeech) {
        if let Some(origin) = self.utterance.clone() {
            self.push(Event::RemoteSpeech { microphone: self.id, origin, heard });
        }
    }

    fn push(&self, event: Event) {
        if let Err(full) = self.event_queue.push(event) {
            tracing::error!("what was heard is lost: {full}");
        }
    }
}

#[cfg(test)]
#[path = "remote_microphone_tests.rs"]
mod tests;
