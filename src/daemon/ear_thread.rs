//! The `hark-ear` thread: empties the capture ring, hears, opens the microphone again when it is lost.

use super::live::{BackOff, device_lost, no_thread, report};
use super::mailbox::Mailbox;
use super::workshop::Workshop;
use crate::domain::{Event, Fault};
use crate::hearing::capture::{CaptureReader, Microphone, MicrophoneState};
use crate::hearing::ear::Ear;
use crate::hearing::stt::worker::SttMode;
use crate::hearing::{EarCommand, Heard, HearingEvent};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The callback cannot wake the thread without a system call, so the thread looks this often.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How often the microphone is asked how it is.
const CHECK_EVERY: Duration = Duration::from_secs(1);
/// A microphone that brings nothing for this long is taken for lost.
const STALLED_AFTER: Duration = Duration::from_secs(3);
/// Longest pause between two attempts to open a lost microphone.
const LONGEST_BACK_OFF: Duration = Duration::from_secs(30);

/// The thread; dropping it ends it.
pub(super) struct EarThread {
    commands: Sender<EarCommand>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    has_microphone: AtomicBool,
    /// Blocks of sound really processed, for the watchdog.
    blocks: Arc<AtomicU64>,
    /// Sound from a recording that stands in for a microphone, when there is none.
    stand_in: std::sync::Mutex<Option<CaptureReader>>,
}

impl EarThread {
    /// Loads the engines and starts to hear. A microphone that is not there is looked for again and again.
    pub(super) fn start(workshop: &Workshop) -> Result<Self, Fault> {
        let ear = workshop.ear(SttMode::Live)?;
        let (commands, orders) = channel();
        let shared = Arc::new(Shared::default());
        let source = Source::new(workshop, shared.clone());
        let (mailbox, told) = (workshop.mailbox.clone(), shared.clone());
        let thread = std::thread::Builder::new()
            .name("hark-ear".into())
            .spawn(move || listen(ear, source, &orders, &mailbox, &told))
            .map_err(|error| no_thread("hark-ear", &error))?;
        Ok(Self { commands, shared, thread: Some(thread) })
    }

    pub(super) fn commands(&self) -> Sender<EarCommand> {
        self.commands.clone()
    }

    /// Counts blocks that were really processed; without a microphone also the looks for one, so that
    /// a machine without a microphone is not restarted for ever.
    pub(super) fn progress(&self) -> Arc<AtomicU64> {
        self.shared.blocks.clone()
    }

    pub(super) fn has_microphone(&self) -> bool {
        self.shared.has_microphone.load(Ordering::Acquire)
    }

    /// Hears this instead of a microphone, as long as there is none.
    pub(super) fn stand_in(&self, reader: CaptureReader) {
        *self.shared.stand_in.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(reader);
    }
}

impl Drop for EarThread {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already printed; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

fn listen(
    mut ear: Ear,
    mut source: Source,
    orders: &Receiver<EarCommand>,
    mailbox: &Mailbox,
    shared: &Shared,
) {
    let (mut samples, mut heard) = (Vec::new(), Vec::new());
    let mut counted = 0;
    while !shared.stop.load(Ordering::Acquire) {
        for order in orders.try_iter() {
            ear.command(order);
        }
        samples.clear();
        source.read(&mut samples, mailbox);
        ear.process(&samples, &mut heard);
        for Heard { event, .. } in heard.drain(..) {
            if let Err(full) = mailbox.push(machine_event(event)) {
                tracing::error!("what was heard is lost: {full}");
            }
        }
        let processed = ear.blocks();
        shared.blocks.fetch_add(processed - counted, Ordering::Relaxed);
        counted = processed;
        std::thread::sleep(LOOK_EVERY);
    }
}

/// What the ear heard, for the turn machine.
pub(super) fn machine_event(event: HearingEvent) -> Event {
    match event {
        HearingEvent::Wake { word, score } => Event::Wake { word, score },
        HearingEvent::WakeRejected { word, score, why } => Event::WakeRejected { word, score, why },
        HearingEvent::SpeechStarted => Event::SpeechStarted,
        HearingEvent::SpeechEnded { endpoint, silence_ms } => Event::SpeechEnded { endpoint, silence_ms },
        HearingEvent::Interruption { ago_ms } => Event::Interruption { ago_ms },
        HearingEvent::Partial { text, stable, completeness } => Event::Partial { text, stable, completeness },
        HearingEvent::Transcript(transcript) => Event::Transcript { transcript },
        HearingEvent::NothingSaid => Event::NothingSaid,
        HearingEvent::Fault(fault) => Event::Fault { fault },
    }
}

/// Where the sound comes from.
struct Source {
    /// Name in the configuration; `None` when there shall be no microphone.
    name: Option<String>,
    ring_ms: u32,
    open: Option<(Microphone, CaptureReader)>,
    shared: Arc<Shared>,
    back_off: BackOff,
    next_check: Instant,
    last_frames: u64,
    last_sound: Instant,
}

impl Source {
    fn new(workshop: &Workshop, shared: Arc<Shared>) -> Self {
        let audio = &workshop.config.audio;
        let mut source = Self {
            name: Some(audio.input_device.clone()).filter(|name| name != "none"),
            ring_ms: audio.input_ring_ms,
            open: None,
            shared,
            back_off: BackOff::new(LONGEST_BACK_OFF),
            next_check: Instant::now(),
            last_frames: 0,
            last_sound: Instant::now(),
        };
        source.check(&workshop.mailbox);
        source
    }

    /// Appends what was captured since the last look.
    fn read(&mut self, samples: &mut Vec<f32>, mailbox: &Mailbox) {
        if Instant::now() >= self.next_check {
            self.check(mailbox);
        }
        if let Some((_, reader)) = &mut self.open {
            reader.read(samples);
            return;
        }
        let mut stand_in = self.shared.stand_in.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(reader) = stand_in.as_mut() {
            reader.read(samples);
        }
    }

    fn check(&mut self, mailbox: &Mailbox) {
        self.next_check = Instant::now() + CHECK_EVERY;
        let Some(name) = self.name.clone() else {
            self.shared.blocks.fetch_add(1, Ordering::Relaxed);
            return;
        };
        if let Some(message) = self.lost() {
            let shown = self.open.take().map_or(name.clone(), |(microphone, _)| microphone.name().to_owned());
            self.shared.has_microphone.store(false, Ordering::Release);
            report(mailbox, device_lost("microphone", &shown, &message));
        }
        if self.open.is_some() {
            return;
        }
        // Looking for a microphone is progress too: a restart would not find it either.
        self.shared.blocks.fetch_add(1, Ordering::Relaxed);
        match Microphone::open(&name, self.ring_ms) {
            Ok((microphone, reader)) => {
                tracing::info!("microphone {} at {} Hz", microphone.name(), microphone.rate_hz());
                self.back_off.reset();
                self.last_frames = reader.captured_frames();
                self.last_sound = Instant::now();
                self.open = Some((microphone, reader));
                self.shared.has_microphone.store(true, Ordering::Release);
            }
            Err(fault) => {
                if self.back_off.is_first() {
                    report(mailbox, fault.recoverable());
                }
                self.back_off.grow();
                self.next_check = Instant::now() + self.back_off.pause();
            }
        }
    }

    /// Why the open microphone is of no use any more.
    fn lost(&mut self) -> Option<String> {
        let (microphone, reader) = self.open.as_mut()?;
        if let MicrophoneState::Lost(message) = microphone.state() {
            return Some(message);
        }
        let frames = reader.captured_frames();
        if frames != self.last_frames {
            self.last_frames = frames;
            self.last_sound = Instant::now();
        }
        let silent = self.last_sound.elapsed();
        (silent > STALLED_AFTER).then(|| format!("no sound for {} s", silent.as_secs()))
    }
}
