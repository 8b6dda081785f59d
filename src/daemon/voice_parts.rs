//! The voice with its output: a speaker that is found again when it is lost, or none, or a recording.

use super::echo_feed::Taps;
use super::health::Health;
use super::speaker_supervisor::{RING_MS, Supervisor};
use super::workshop::Workshop;
use crate::domain::{Event, Fault};
use crate::speaking::device::Speaker;
use crate::speaking::playback::{PlaybackSource, playback};
use crate::speaking::voice_thread::{SpeakingEvent, VoiceHandle, VoiceThread};
use std::sync::Arc;

/// Ends with its thread when dropped.
pub(super) struct VoiceParts {
    thread: VoiceThread,
    /// Held because dropping it closes the device.
    _speaker: Option<Speaker>,
    supervisor: Option<Supervisor>,
}

impl VoiceParts {
    /// Speaks on the speaker of the configuration, which must be there.
    pub(super) fn on_speaker(workshop: &Workshop) -> Result<Self, Fault> {
        let (speaker, feeder) = Speaker::open(&workshop.config.audio.output_device, RING_MS)?;
        let thread = start(workshop, Some(feeder))?;
        Ok(Self { thread, _speaker: Some(speaker), supervisor: None })
    }

    /// Speaks into the returned source, which the caller empties at its own pace.
    pub(super) fn on_recording(workshop: &Workshop, rate_hz: u32) -> Result<(Self, PlaybackSource), Fault> {
        let (feeder, source) = playback(rate_hz, 1, RING_MS);
        let thread = start(workshop, Some(feeder))?;
        Ok((Self { thread, _speaker: None, supervisor: None }, source))
    }

    /// Speaks on the speaker of the configuration while it is there, and finds it again when it is lost.
    /// What it plays is copied to `taps`.
    pub(super) fn supervised(workshop: &Workshop, taps: Taps, health: &Arc<Health>) -> Result<Self, Fault> {
        let thread = start(workshop, None)?;
        let name = workshop.config.audio.output_device.clone();
        let supervisor = match name.as_str() {
            "none" => None,
            _ => {
                let mailbox = workshop.mailbox.clone();
                Some(Supervisor::start(name, thread.handle(), mailbox, taps, health.clone())?)
            }
        };
        Ok(Self { thread, _speaker: None, supervisor })
    }

    /// For giving orders.
    pub(super) fn handle(&self) -> VoiceHandle {
        self.thread.handle()
    }
}

impl Drop for VoiceParts {
    fn drop(&mut self) {
        // The speaker goes before the thread that feeds it.
        self.supervisor = None;
    }
}

fn start(
    workshop: &Workshop,
    feeder: Option<crate::speaking::playback::PlaybackFeeder>,
) -> Result<VoiceThread, Fault> {
    let mailbox = workshop.mailbox.clone();
    VoiceThread::start(workshop.voice()?, feeder, workshop.config.speaking.volume_percent, move |event| {
        let event = match event {
            SpeakingEvent::Started { turn } => Event::SpeakingStarted { turn },
            SpeakingEvent::Ended { turn, reason } => Event::SpeakingEnded { turn, reason },
            SpeakingEvent::Fault(fault) => Event::Fault { fault },
        };
        if let Err(full) = mailbox.push(event) {
            tracing::error!("an event of the voice was lost: {full}");
        }
    })
}
