//! Where the pipeline's sound comes from: a microphone that is found again when it is lost.
//!
//! Opening and closing wait for the sound system and may hang with it, so each has a thread of its own
//! and the pipeline goes on meanwhile.

use crate::app::audio::detached_close;
use crate::app::audio::device_backoff::{LOST, NEVER_THERE};
use crate::app::event_queue::EventQueue;
use crate::app::faults::{device_lost, report};
use crate::app::service::health::{DeviceHealth, Growth, Health, Part};
use hark_config::audio::Audio;
use hark_core::Fault;
use hark_net::backoff::Backoff;
use hark_stt::capture::{CaptureReader, Microphone, MicrophoneState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

/// How often the microphone is asked how it is.
const CHECK_EVERY: Duration = Duration::from_millis(200);
/// How long the start of the daemon waits to know whether there is a microphone.
const FIRST_ATTEMPT: Duration = Duration::from_millis(1500);
/// How long the end of the daemon waits for the device to be closed.
const CLOSING: Duration = Duration::from_secs(1);

type Opened = Result<(Microphone, CaptureReader), Fault>;

/// See the module. Dropping it closes the device.
pub(crate) struct MicrophoneSource {
    /// Name in the configuration.
    name: String,
    ring_ms: u32,
    /// Factor on what it brings.
    gain: f32,
    device: Device,
    health: Arc<Health>,
    /// For the watchdog, beside the blocks of sound: a machine that has no microphone is not restarted
    /// for ever, for a restart would not find one either. A microphone that opens and brings nothing
    /// is no progress.
    progress: Arc<AtomicU64>,
    backoff: Backoff,
    /// The last attempt found nothing to open.
    in_vain: bool,
    /// The trouble was told; it is not told again before sound has come.
    told: bool,
    next_check: Instant,
}

enum Device {
    /// There shall be none.
    Unwanted,
    /// Looked for again at that time.
    Away(Instant),
    /// A thread tries.
    Opening(Receiver<Opened>),
    Open(Box<Open>),
}

struct Open {
    microphone: Microphone,
    reader: CaptureReader,
    xruns: Growth,
    dropped: Growth,
    /// It has brought sound.
    heard: bool,
}

impl MicrophoneSource {
    /// Begins to open the microphone of the configuration.
    pub(crate) fn start(audio: &Audio, health: Arc<Health>, progress: Arc<AtomicU64>) -> Self {
        let now = Instant::now();
        let wanted = audio.wants_microphone();
        let mut source = Self {
            name: audio.input_device.clone(),
            ring_ms: audio.input_ring_ms,
            gain: factor(audio.input_gain_db),
            device: if wanted { Device::Away(now) } else { Device::Unwanted },
            health,
            progress,
            backoff: Backoff::new(NEVER_THERE),
            in_vain: false,
            told: false,
            next_check: now,
        };
        if wanted {
            source.health.note(Part::Microphone, DeviceHealth::Problem);
            source.device = source.begin_to_open();
        }
        source
    }

    /// Waits until the first attempt has ended, but not for long.
    pub(crate) fn settle(&mut self, event_queue: &EventQueue) {
        if let Device::Opening(attempt) = &self.device {
            // Otherwise `check` takes it when it comes.
            if let Ok(opened) = attempt.recv_timeout(FIRST_ATTEMPT) {
                self.opened(opened, event_queue);
            }
        }
        if let Device::Open(open) = &mut self.device {
            // What came while the engines were loading is no loss: nobody was listening yet.
            open.reader.discard();
            open.dropped.since_last(open.reader.dropped_frames());
        }
    }

    /// Appends what was captured since the last look; answers whether there is an open microphone.
    pub(crate) fn read(&mut self, samples: &mut Vec<f32>, event_queue: &EventQueue) -> bool {
        let now = Instant::now();
        if now >= self.next_check {
            self.next_check = now + CHECK_EVERY;
            self.check(now, event_queue);
        }
        let Device::Open(open) = &mut self.device else { return false };
        let from = samples.len();
        open.reader.read(samples);
        if self.gain != 1.0 {
            samples[from..].iter_mut().for_each(|sample| *sample = (*sample * self.gain).clamp(-1.0, 1.0));
        }
        true
    }

    /// Adds so many decibels to what the microphone brings from now on.
    pub(crate) fn set_gain(&mut self, decibels: i8) {
        self.gain = factor(decibels);
    }

    /// Tells the microphone whether its sound may come a little late for now.
    pub(crate) fn set_unhurried(&self, unhurried: bool) {
        if let Device::Open(open) = &self.device {
            open.reader.set_unhurried(unhurried);
        }
    }

    /// When the newest sample was captured; a stand-in has no such moment.
    pub(crate) fn captured_until(&self) -> Option<Instant> {
        match &self.device {
            Device::Open(open) => open.reader.captured_until(),
            _ => None,
        }
    }

    fn check(&mut self, now: Instant, event_queue: &EventQueue) {
        match &mut self.device {
            Device::Unwanted => self.count_progress(),
            Device::Away(next) => {
                let due = now >= *next;
                if self.in_vain {
                    self.count_progress();
                }
                if due {
                    self.device = self.begin_to_open();
                }
            }
            Device::Opening(attempt) => match attempt.try_recv() {
                Ok(opened) => self.opened(opened, event_queue),
                Err(TryRecvError::Empty) => {}
                // The thread panicked, or could not be started: printed already.
                Err(TryRecvError::Disconnected) => self.wait(now),
            },
            Device::Open(open) => match open.microphone.state() {
                MicrophoneState::Running => self.note_sound(),
                MicrophoneState::Lost(why) => self.lose(now, &why, event_queue),
            },
        }
    }

    fn count_progress(&self) {
        self.progress.fetch_add(1, Ordering::Relaxed);
    }

    fn begin_to_open(&self) -> Device {
        let (name, ring_ms) = (self.name.clone(), self.ring_ms);
        let (sender, attempt) = channel::<Opened>();
        let open = move || {
            // When nobody waits any more, the device comes back and is closed here.
            drop(sender.send(Microphone::open(&name, ring_ms)));
        };
        if let Err(error) = std::thread::Builder::new().name("hark-opening".into()).spawn(open) {
            tracing::error!("no thread to open the microphone with: {error}");
        }
        Device::Opening(attempt)
    }

    fn opened(&mut self, opened: Opened, event_queue: &EventQueue) {
        match opened {
            Ok((microphone, reader)) => {
                tracing::info!("microphone {} at {} Hz", microphone.name(), microphone.rate_hz());
                self.in_vain = false;
                self.health.set_microphone_open(true);
                let (xruns, dropped) = (Growth::default(), Growth::default());
                self.device =
                    Device::Open(Box::new(Open { microphone, reader, xruns, dropped, heard: false }));
            }
            Err(fault) => {
                self.in_vain = true;
                if !std::mem::replace(&mut self.told, true) {
                    report(event_queue, fault.recoverable());
                }
                self.wait(Instant::now());
            }
        }
    }

    fn wait(&mut self, now: Instant) {
        self.device = Device::Away(now + self.backoff.next_wait());
    }

    /// The open microphone runs; when it brings sound, all is well.
    fn note_sound(&mut self) {
        let Device::Open(open) = &mut self.device else { return };
        self.health.input_xruns.add(open.xruns.since_last(open.microphone.xruns()));
        let frames = open.dropped.since_last(open.reader.dropped_frames());
        if frames > 0 {
            self.health.input_xruns.raise();
            tracing::warn!(frames, "the pipeline was too slow: sound was lost");
        }
        if open.reader.captured_frames() == 0 {
            return;
        }
        self.backoff = Backoff::new(LOST);
        if !std::mem::replace(&mut open.heard, true) {
            self.told = false;
            self.health.note(Part::Microphone, DeviceHealth::Well);
        }
    }

    fn lose(&mut self, now: Instant, why: &str, event_queue: &EventQueue) {
        self.health.set_microphone_open(false);
        self.health.note(Part::Microphone, DeviceHealth::Problem);
        let lost = std::mem::replace(&mut self.device, Device::Away(now));
        if let Device::Open(open) = lost {
            if !std::mem::replace(&mut self.told, true) {
                report(event_queue, device_lost("microphone", open.microphone.name(), why));
            }
            detached_close::close(open, Duration::ZERO);
        }
        self.wait(now);
    }
}

/// What decibels multiply a sample by.
fn factor(decibels: i8) -> f32 {
    hark_audio::amplitude_of_db(f32::from(decibels))
}

impl Drop for MicrophoneSource {
    fn drop(&mut self) {
        if let Device::Open(open) = std::mem::replace(&mut self.device, Device::Unwanted) {
            detached_close::close(open, CLOSING);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decibels_are_factors_of_amplitude() {
        for (decibels, expected) in [(0, 1.0), (20, 10.0), (-20, 0.1), (6, 1.995)] {
            assert!((factor(decibels) - expected).abs() < 0.001, "{decibels}");
        }
    }
}
