//! The `hark-pipeline` thread: takes what the microphone brought, hears, tells the turn machine.

use crate::app::audio::arbitration::Claims;
use crate::app::audio::echo_feed::EchoFeed;
use crate::app::audio::microphone_source::MicrophoneSource;
use crate::app::builder::App;
use crate::app::event_queue::EventQueue;
use crate::app::faults::no_thread;
use crate::app::service::health::Health;
use hark_core::audio::samples_to_ms;
use hark_core::{Event, Fault};
use hark_stt::capture::CaptureReader;
use hark_stt::pipeline::{AudioPipeline, PipelineChange};
use hark_stt::stt::worker::SttMode;
use hark_stt::{HearingEvent, PipelineCommand, PositionedEvent};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// The callback cannot wake the thread without a system call, so the thread looks this often, or less
/// often while the pipeline says that it has patience.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// With so much patience nobody speaks, and neither microphone nor loudspeaker need hurry. Waiting for the next
/// hop of the wake engine takes less.
const UNHURRIED: Duration = Duration::from_millis(120);

/// A setting of the pipeline or its microphone that changes.
pub(crate) enum Adjustment {
    /// Of the pipeline.
    Pipeline(PipelineChange),
    /// Decibels that are added to what the microphone brings.
    Gain(i8),
}

/// The thread; dropping it ends it.
pub(crate) struct PipelineThread {
    commands: Sender<PipelineCommand>,
    adjustments: Sender<Adjustment>,
    shared: Arc<Shared>,
    health: Arc<Health>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    /// Blocks of sound really processed, for the watchdog.
    blocks: Arc<AtomicU64>,
    /// Sound from a recording that stands in for a microphone, when there is none.
    stand_in: std::sync::Mutex<Option<CaptureReader>>,
}

impl PipelineThread {
    /// Loads the engines and starts to hear, or to hear nothing when it is `muted`. A microphone that is not there is looked
    /// for again and again. A node that shall have none loads no engine, unless a recording may `stand_in` for it.
    pub(crate) fn start(
        app: &App,
        echo: EchoFeed,
        health: Arc<Health>,
        claims: Claims,
        muted: bool,
        stand_in: bool,
    ) -> Result<Self, Fault> {
        let shared = Arc::new(Shared::default());
        let ((commands, orders), (adjustments, changes)) = (channel(), channel());
        let told = shared.clone();
        let thread = std::thread::Builder::new().name("hark-pipeline".into());
        if !app.config.audio.wants_microphone() && !stand_in {
            let thread = thread
                .spawn(move || hear_nothing((&orders, &changes), &told))
                .map_err(|error| no_thread("hark-pipeline", &error))?;
            return Ok(Self { commands, adjustments, shared, health, thread: Some(thread) });
        }
        // The device opens while the engines load.
        let mut source = MicrophoneSource::start(&app.config.audio, health.clone(), shared.blocks.clone());
        let mut pipeline = app.pipeline(SttMode::Live)?;
        source.settle(&app.event_queue);
        // Before it hears the first sound.
        pipeline.command(PipelineCommand::Mute(muted));
        let event_queue = app.event_queue.clone();
        let shown = health.clone();
        let thread = thread
            .spawn(move || {
                let told = (&*told, &*shown);
                listen(pipeline, echo, source, (&orders, &changes), (&event_queue, &claims), told)
            })
            .map_err(|error| no_thread("hark-pipeline", &error))?;
        Ok(Self { commands, adjustments, shared, health, thread: Some(thread) })
    }

    pub(crate) fn commands(&self) -> Sender<PipelineCommand> {
        self.commands.clone()
    }

    /// For changing its settings.
    pub(crate) fn adjustments(&self) -> Sender<Adjustment> {
        self.adjustments.clone()
    }

    /// Counts blocks that were really processed; without a microphone also the looks for one, so that
    /// a machine without a microphone is not restarted for ever.
    pub(crate) fn progress(&self) -> Arc<AtomicU64> {
        self.shared.blocks.clone()
    }

    pub(crate) fn has_microphone(&self) -> bool {
        self.health.is_microphone_open()
    }

    /// Hears this instead of a microphone, as long as there is none.
    pub(crate) fn stand_in(&self, reader: CaptureReader) {
        *self.shared.stand_in.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(reader);
    }
}

impl Shared {
    fn read_stand_in(&self, samples: &mut Vec<f32>) {
        let mut stand_in = self.stand_in.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(reader) = stand_in.as_mut() {
            reader.read(samples);
        }
    }
}

impl Drop for PipelineThread {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already printed; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

/// The thread of a node without a microphone: counts progress for the watchdog and discards orders.
fn hear_nothing((orders, adjustments): (&Receiver<PipelineCommand>, &Receiver<Adjustment>), shared: &Shared) {
    while !shared.stop.load(Ordering::Acquire) {
        rest(UNHURRIED, orders);
        orders.try_iter().for_each(drop);
        adjustments.try_iter().for_each(drop);
        shared.blocks.fetch_add(1, Ordering::Relaxed);
    }
}

fn listen(
    mut pipeline: AudioPipeline,
    mut echo: EchoFeed,
    mut source: MicrophoneSource,
    (orders, adjustments): (&Receiver<PipelineCommand>, &Receiver<Adjustment>),
    (event_queue, claims): (&EventQueue, &Claims),
    (shared, health): (&Shared, &Health),
) {
    let (mut samples, mut heard) = (Vec::new(), Vec::new());
    let (mut counted, mut had_microphone) = (0, false);
    while !shared.stop.load(Ordering::Acquire) {
        // An order ends the rest. It holds from here on: what has come meanwhile is heard before it.
        let nap = Duration::from_millis(samples_to_ms(pipeline.poll_interval_samples() as u64));
        source.set_unhurried(nap >= UNHURRIED);
        echo.set_unhurried(nap >= UNHURRIED);
        let order = rest(nap, orders);
        samples.clear();
        let has_microphone = source.read(&mut samples, event_queue);
        if !has_microphone {
            shared.read_stand_in(&mut samples);
        }
        echo.clean(&mut samples, source.captured_until());
        pipeline.observe_playback(echo.played(), echo.residual_echo());
        // A request that was cut off by the loss is over: what comes later is not its end.
        if std::mem::replace(&mut had_microphone, has_microphone) && !has_microphone {
            break_off(&mut pipeline, &mut heard);
        }
        pipeline.process_cleaned(&samples, echo.words(), &mut heard);
        if !samples.is_empty() {
            health.meter.note(&pipeline.meter());
        }
        if let Some(figure) = echo.take_measured() {
            health.meter.note_echo(figure);
        }
        for PositionedEvent { event, .. } in heard.drain(..) {
            let woken = match &event {
                HearingEvent::Wake { score, .. } => Some(*score),
                _ => None,
            };
            if let Some(Err(full)) = machine_event(event, event_queue).map(|event| event_queue.push(event)) {
                tracing::error!("what was heard is lost: {full}");
            }
            if let Some(score) = woken {
                claims.heard(score, pipeline.meter().level_dbfs);
            }
        }
        let processed = pipeline.blocks();
        shared.blocks.fetch_add(processed - counted, Ordering::Relaxed);
        counted = processed;
        for order in order.into_iter().chain(orders.try_iter()) {
            pipeline.command(order);
        }
        for adjustment in adjustments.try_iter() {
            match adjustment {
                Adjustment::Pipeline(change) => pipeline.adjust(change),
                Adjustment::Gain(decibels) => source.set_gain(decibels),
            }
        }
    }
}

/// Waits until it is time to look for sound again, or until there is an order.
fn rest(nap: Duration, orders: &Receiver<PipelineCommand>) -> Option<PipelineCommand> {
    match orders.recv_timeout(nap.max(LOOK_EVERY)) {
        Ok(order) => Some(order),
        Err(RecvTimeoutError::Timeout) => None,
        // Nobody is left to give orders: the end is near.
        Err(RecvTimeoutError::Disconnected) => {
            std::thread::sleep(LOOK_EVERY);
            None
        }
    }
}

fn break_off(pipeline: &mut AudioPipeline, heard: &mut Vec<PositionedEvent>) {
    if pipeline.meter().listening {
        pipeline.command(PipelineCommand::Sleep);
        heard.push(PositionedEvent {
            event: HearingEvent::NothingSaid,
            position_samples: pipeline.position_samples(),
        });
    }
}

/// What the pipeline heard, for the turn machine; the sound of an utterance is left in the queue.
pub(crate) fn machine_event(event: HearingEvent, event_queue: &EventQueue) -> Option<Event> {
    Some(match event {
        HearingEvent::Wake { word, score } => Event::Wake { word, score },
        HearingEvent::WakeRejected { word, score, why } => Event::WakeRejected { word, score, why },
        HearingEvent::SpeechStarted => Event::SpeechStarted,
        HearingEvent::SpeechEnded { endpoint, silence_ms } => Event::SpeechEnded { endpoint, silence_ms },
        HearingEvent::Interruption { ago_ms, goes_on } => Event::Interruption { ago_ms, goes_on },
        HearingEvent::Partial(words) => Event::Partial(words),
        HearingEvent::PauseWeighed { evidence, silence_ms, wait_ms } => {
            tracing::debug!(?evidence, silence_ms, wait_ms, "pause");
            return None;
        }
        HearingEvent::WentOn => return None,
        HearingEvent::Sound(samples) => {
            event_queue.keep_sound(None, samples);
            return None;
        }
        HearingEvent::Transcript(transcript) => Event::Transcript { transcript },
        HearingEvent::NothingSaid => Event::NothingSaid,
        HearingEvent::Fault(fault) => Event::Fault { fault },
    })
}
