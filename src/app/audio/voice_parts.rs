//! The voice with its output: a speaker that is found again when it is lost, or none, or a recording.

use crate::app::audio::echo_feed::Taps;
use crate::app::audio::speaker_supervisor::{RING_MS, Supervisor};
use crate::app::builder::App;
use crate::app::service::health::Health;
use hark_core::{Event, Fault};
use hark_tts::device::Speaker;
use hark_tts::playback::{PlaybackSource, playback};
use hark_tts::voice_thread::{SpeakingEvent, VoiceHandle, VoiceThread};
use std::sync::Arc;

/// Ends with its thread when dropped.
pub(crate) struct VoiceParts {
    thread: VoiceThread,
    /// Held because dropping it closes the device.
    _speaker: Option<Speaker>,
    supervisor: Option<Supervisor>,
}

impl VoiceParts {
    /// Speaks on the speaker of the configuration, which must be there.
    pub(crate) fn on_speaker(app: &App) -> Result<Self, Fault> {
        let (speaker, feeder) = Speaker::open(&app.config.audio.output_device, RING_MS)?;
        let thread = start(app, Some(feeder))?;
        Ok(Self { thread, _speaker: Some(speaker), supervisor: None })
    }

    /// Speaks into the returned source, which the caller empties at its own pace.
    pub(crate) fn on_recording(app: &App, rate_hz: u32) -> Result<(Self, PlaybackSource), Fault> {
        let (feeder, source) = playback(rate_hz, 1, RING_MS);
        let thread = start(app, Some(feeder))?;
        Ok((Self { thread, _speaker: None, supervisor: None }, source))
    }

    /// Speaks on the speaker of the configuration while it is there, and finds it again when it is lost.
    /// What it plays is copied to `taps`.
    pub(crate) fn supervised(app: &App, taps: Taps, health: &Arc<Health>) -> Result<Self, Fault> {
        let thread = start(app, None)?;
        let name = app.config.audio.output_device.clone();
        let supervisor = match name.as_str() {
            "none" => None,
            _ => {
                let event_queue = app.event_queue.clone();
                Some(Supervisor::start(name, thread.handle(), event_queue, taps, health.clone())?)
            }
        };
        Ok(Self { thread, _speaker: None, supervisor })
    }

    /// For giving orders.
    pub(crate) fn handle(&self) -> VoiceHandle {
        self.thread.handle()
    }
}

impl Drop for VoiceParts {
    fn drop(&mut self) {
        // The speaker goes before the thread that feeds it.
        self.supervisor = None;
    }
}

fn start(app: &App, feeder: Option<hark_tts::playback::PlaybackFeeder>) -> Result<VoiceThread, Fault> {
    let event_queue = app.event_queue.clone();
    VoiceThread::start(app.voice()?, feeder, app.config.speaking.volume_percent, move |event| {
        let event = match event {
            SpeakingEvent::Started { turn } => Event::SpeakingStarted { turn },
            SpeakingEvent::Ended { turn, reason } => Event::SpeakingEnded { turn, reason },
            SpeakingEvent::Fault(fault) => Event::Fault { fault },
        };
        if let Err(full) = event_queue.push(event) {
            tracing::error!("an event of the voice was lost: {full}");
        }
    })
}
