//! The thread `hark-speaker`: opens the speaker, watches it, opens it again when it is lost.

use crate::app::audio::detached_close::{self, Alive, Ending};
use crate::app::audio::device_backoff::{LOST, NEVER_THERE};
use crate::app::audio::echo_feed::Taps;
use crate::app::event_queue::EventQueue;
use crate::app::faults::{device_lost, no_thread, report};
use crate::app::service::health::{DeviceHealth, Growth, Health, Part};
use hark_core::Fault;
use hark_net::backoff::Backoff;
use hark_tts::device::{Loudspeaker, LoudspeakerState};
use hark_tts::voice_thread::VoiceHandle;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Sound that may wait in the playback ring.
pub(crate) const RING_MS: u32 = 500;

/// How often the speaker is asked how it is.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// A speaker that has played this long works; one that fails before is not told of again.
const PROVEN: Duration = Duration::from_secs(3);
/// How long the end of the daemon waits for the thread, which may be opening or closing the device.
const ENDING: Duration = Duration::from_secs(2);

/// Dropping it closes the speaker and ends the thread.
pub(crate) struct Supervisor {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    ending: Ending,
}

impl Supervisor {
    /// Starts to look for the speaker with this name and to attach it to the voice.
    pub(crate) fn start(
        name: String,
        voice: VoiceHandle,
        event_queue: Arc<EventQueue>,
        taps: Taps,
        health: Arc<Health>,
    ) -> Result<Self, Fault> {
        let (stop, stopped) = channel();
        let (alive, ending) = detached_close::ending();
        health.note(Part::Speaker, DeviceHealth::Problem);
        let keeper = Keeper::new(name, voice, event_queue, taps, health);
        let thread = std::thread::Builder::new()
            .name("hark-speaker".into())
            .spawn(move || keeper.run(&stopped, alive))
            .map_err(|error| no_thread("hark-speaker", &error))?;
        Ok(Self { stop: Some(stop), thread: Some(thread), ending })
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            self.ending.join_within(thread, ENDING);
        }
    }
}

/// What the thread works with.
struct Keeper {
    name: String,
    voice: VoiceHandle,
    event_queue: Arc<EventQueue>,
    taps: Taps,
    health: Arc<Health>,
    open: Option<Open>,
    backoff: Backoff,
    /// The trouble was told; it is not told again before the speaker has worked for a while.
    told: bool,
}

struct Open {
    speaker: Loudspeaker,
    since: Instant,
    xruns: Growth,
}

impl Keeper {
    fn new(
        name: String,
        voice: VoiceHandle,
        event_queue: Arc<EventQueue>,
        taps: Taps,
        health: Arc<Health>,
    ) -> Self {
        let backoff = Backoff::new(NEVER_THERE);
        Self { name, voice, event_queue, taps, health, open: None, backoff, told: false }
    }

    fn run(mut self, stopped: &Receiver<()>, alive: Alive) {
        loop {
            self.look();
            if self.open.is_none() {
                self.try_to_open();
            }
            let nap = if self.open.is_some() { LOOK_EVERY } else { self.backoff.next_wait() };
            match stopped.recv_timeout(nap) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        // Closing may hang with the sound system; until it is over the thread counts as alive.
        self.open = None;
        drop(alive);
    }

    fn look(&mut self) {
        let Some(open) = &mut self.open else { return };
        self.health.output_xruns.add(open.xruns.since_last(open.speaker.xruns()));
        match open.speaker.state() {
            LoudspeakerState::Running => {
                self.health.note(Part::Speaker, DeviceHealth::Well);
                if open.since.elapsed() >= PROVEN {
                    self.told = false;
                    self.backoff = Backoff::new(LOST);
                }
            }
            LoudspeakerState::Failed { message } => self.lose(&message),
        }
    }

    fn lose(&mut self, why: &str) {
        self.voice.attach(None);
        self.health.note(Part::Speaker, DeviceHealth::Problem);
        if let Some(open) = self.open.take() {
            if !std::mem::replace(&mut self.told, true) {
                report(&self.event_queue, device_lost("speaker", open.speaker.name(), why));
            }
            detached_close::close(open.speaker, Duration::ZERO);
        }
    }

    fn try_to_open(&mut self) {
        match Loudspeaker::open(&self.name, RING_MS) {
            Ok((mut speaker, feeder)) => {
                if let Some(tap) = speaker.take_tap() {
                    // A pipeline that has ended needs none.
                    let _ = self.taps.send(tap);
                }
                tracing::info!("speaker {} at {} Hz", speaker.name(), speaker.rate_hz());
                self.voice.attach(Some(feeder));
                self.open = Some(Open { speaker, since: Instant::now(), xruns: Growth::default() });
            }
            Err(fault) => {
                if !std::mem::replace(&mut self.told, true) {
                    report(&self.event_queue, fault.recoverable());
                }
            }
        }
    }
}
