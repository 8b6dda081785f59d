//! The voice with its output: a speaker that is found again when it is lost, or none, or a recording.

use crate::app::audio::echo_feed::Taps;
use crate::app::audio::loudspeaker_supervisor::{RING_MS, Supervisor};
use crate::app::builder::App;
use crate::app::service::health::Health;
use hark_core::ports::Voice;
use hark_core::{Event, Fault};
use hark_tts::device::Loudspeaker;
use hark_tts::playback::{PlaybackFeeder, PlaybackSource, playback};
use hark_tts::voice_thread::{SpeakingEvent, VoiceHandle, VoiceThread};
use std::sync::Arc;

/// Ends with its thread when dropped.
pub(crate) struct VoiceParts {
    thread: VoiceThread,
    /// Held because dropping it closes the device.
    _speaker: Option<Loudspeaker>,
    supervisor: Option<Supervisor>,
}

impl VoiceParts {
    /// Speaks on the speaker of the configuration, which must be there.
    pub(crate) fn on_speaker(app: &App) -> Result<Self, Fault> {
        let (speaker, feeder) = Loudspeaker::open(&app.config.audio.output_device, RING_MS)?;
        let thread = start(app, app.voice()?, Some(feeder))?;
        Ok(Self { thread, _speaker: Some(speaker), supervisor: None })
    }

    /// Speaks into the returned source, which the caller empties at its own pace.
    pub(crate) fn on_recording(app: &App, rate_hz: u32) -> Result<(Self, PlaybackSource), Fault> {
        let (feeder, source) = playback(rate_hz, 1, RING_MS);
        let thread = start(app, app.voice()?, Some(feeder))?;
        Ok((Self { thread, _speaker: None, supervisor: None }, source))
    }

    /// Speaks on the speaker of the configuration while it is there, and finds it again when it is lost.
    /// What it plays is copied to `taps`.
    pub(crate) fn supervised(app: &App, taps: Taps, health: &Arc<Health>) -> Result<Self, Fault> {
        let name = app.config.audio.output_device.clone();
        if name == "none" {
            // Nothing is ever said here: a voice would only take memory.
            return Ok(Self { thread: start(app, None, None)?, _speaker: None, supervisor: None });
        }
        let thread = start(app, app.voice()?, None)?;
        let event_queue = app.event_queue.clone();
        let supervisor = Supervisor::start(name, thread.handle(), event_queue, taps, health.clone())?;
        Ok(Self { thread, _speaker: None, supervisor: Some(supervisor) })
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

fn start(
    app: &App,
    voice: Option<Box<dyn Voice>>,
    feeder: Option<PlaybackFeeder>,
) -> Result<VoiceThread, Fault> {
    let event_queue = app.event_queue.clone();
    VoiceThread::start(voice, feeder, app.config.speaking.volume_percent, move |event| {
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
