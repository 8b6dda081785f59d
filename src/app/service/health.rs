//! How the devices are, for whoever shows it: the threads that own devices write, MQTT reads.

use crate::app::audio::sound_meter::SoundMeter;
use hark_telemetry::metrics::Counter;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How a device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum DeviceHealth {
    /// There shall be none.
    #[default]
    Off,
    /// It is away, or brings or takes no sound.
    Problem,
    /// Sound flows.
    Well,
}

/// Which device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Microphone,
    Speaker,
}

/// Both devices at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Devices {
    pub(crate) microphone: DeviceHealth,
    pub(crate) speaker: DeviceHealth,
}

/// Shared by the threads that own devices and those who show how they are.
pub(crate) struct Health {
    devices: watch::Sender<Devices>,
    /// Whether a microphone is open, whatever it brings.
    microphone_open: AtomicBool,
    /// What it hears.
    pub(crate) meter: SoundMeter,
    started: Instant,
    /// Times the microphone's own buffer overran, or the audio pipeline was too slow to empty the ring.
    pub(crate) input_xruns: Counter,
    /// Times the speaker ran dry.
    pub(crate) output_xruns: Counter,
}

impl Default for Health {
    fn default() -> Self {
        Self {
            devices: watch::Sender::default(),
            microphone_open: AtomicBool::new(false),
            meter: SoundMeter::default(),
            started: Instant::now(),
            input_xruns: Counter::default(),
            output_xruns: Counter::default(),
        }
    }
}

impl Health {
    /// Notes how a device is; watchers are woken when that is news.
    pub(crate) fn note(&self, part: Part, health: DeviceHealth) {
        self.devices.send_if_modified(|devices| {
            let place = match part {
                Part::Microphone => &mut devices.microphone,
                Part::Speaker => &mut devices.speaker,
            };
            std::mem::replace(place, health) != health
        });
    }

    /// Both devices, now and whenever one changes.
    pub(crate) fn watch(&self) -> watch::Receiver<Devices> {
        self.devices.subscribe()
    }

    pub(crate) fn set_microphone_open(&self, open: bool) {
        self.microphone_open.store(open, Ordering::Release);
    }

    pub(crate) fn is_microphone_open(&self) -> bool {
        self.microphone_open.load(Ordering::Acquire)
    }

    /// Since the start of the daemon.
    pub(crate) fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// Overruns and underruns of both devices since the start.
    pub(crate) fn xruns(&self) -> u64 {
        self.input_xruns.get() + self.output_xruns.get()
    }
}

/// How much a count has grown that begins anew with every device.
#[derive(Debug, Default)]
pub(crate) struct Growth(u64);

impl Growth {
    /// What came since the last time it was asked.
    pub(crate) fn since_last(&mut self, now: u64) -> u64 {
        now.saturating_sub(std::mem::replace(&mut self.0, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_news_wakes_watchers() {
        let health = Health::default();
        let mut watch = health.watch();
        health.note(Part::Microphone, DeviceHealth::Problem);
        assert!(watch.has_changed().unwrap());
        assert_eq!(watch.borrow_and_update().microphone, DeviceHealth::Problem);
        health.note(Part::Microphone, DeviceHealth::Problem);
        assert!(!watch.has_changed().unwrap());
        health.note(Part::Speaker, DeviceHealth::Well);
        assert_eq!(watch.borrow_and_update().speaker, DeviceHealth::Well);
    }

    #[test]
    fn counts_of_several_devices_add_up() {
        let health = Health::default();
        let mut first = Growth::default();
        health.input_xruns.add(first.since_last(2));
        health.input_xruns.add(first.since_last(3));
        health.input_xruns.add(Growth::default().since_last(4));
        health.output_xruns.raise();
        assert_eq!(health.xruns(), 8);
    }
}
