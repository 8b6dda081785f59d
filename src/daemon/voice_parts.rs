//! The voice with its output: a speaker that is found again when it is lost, or none, or a recording.

use super::echo_feed::Taps;
use super::mailbox::Mailbox;
use super::workshop::Workshop;
use crate::domain::{Event, Fault};
use crate::speaking::device::{Speaker, SpeakerState};
use crate::speaking::playback::{PlaybackSource, playback};
use crate::speaking::voice_thread::{SpeakingEvent, VoiceHandle, VoiceThread};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Sound that may wait in the playback ring.
const RING_MS: u32 = 500;
/// How often the speaker is asked how it is.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Longest pause between two attempts to open a lost speaker.
const LONGEST_BACK_OFF: Duration = Duration::from_secs(30);

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
    pub(super) fn supervised(workshop: &Workshop, taps: Taps) -> Result<Self, Fault> {
        let thread = start(workshop, None)?;
        let name = workshop.config.audio.output_device.clone();
        let supervisor = match name.as_str() {
            "none" => None,
            _ => Some(Supervisor::start(name, thread.handle(), workshop.mailbox.clone(), taps)?),
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

/// Opens the speaker, watches it, opens it again.
struct Supervisor {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Supervisor {
    fn start(name: String, voice: VoiceHandle, mailbox: Arc<Mailbox>, taps: Taps) -> Result<Self, Fault> {
        let (stop, stopped) = channel();
        let thread = std::thread::Builder::new()
            .name("hark-speaker".into())
            .spawn(move || supervise(&name, &voice, &mailbox, &taps, &stopped))
            .map_err(|error| super::live::no_thread("hark-speaker", &error))?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already printed; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

fn supervise(name: &str, voice: &VoiceHandle, mailbox: &Mailbox, taps: &Taps, stopped: &Receiver<()>) {
    let mut back_off = super::live::BackOff::new(LONGEST_BACK_OFF);
    let mut speaker: Option<Speaker> = None;
    loop {
        let lost = speaker.as_ref().and_then(|speaker| match speaker.state() {
            SpeakerState::Running => None,
            SpeakerState::Failed { message } => {
                Some(super::live::device_lost("speaker", speaker.name(), &message))
            }
        });
        if let Some(fault) = lost {
            voice.attach(None);
            speaker = None;
            super::live::report(mailbox, fault);
        }
        if speaker.is_none() {
            match Speaker::open(name, RING_MS) {
                Ok((mut opened, feeder)) => {
                    if let Some(tap) = opened.take_tap() {
                        // An ear that has ended needs none.
                        let _ = taps.send(tap);
                    }
                    tracing::info!("speaker {} at {} Hz", opened.name(), opened.rate_hz());
                    voice.attach(Some(feeder));
                    speaker = Some(opened);
                    back_off.reset();
                }
                Err(fault) => {
                    if back_off.is_first() {
                        super::live::report(mailbox, fault.recoverable());
                    }
                    back_off.grow();
                }
            }
        }
        let nap = if speaker.is_some() { LOOK_EVERY } else { back_off.pause() };
        match stopped.recv_timeout(nap) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
