//! The microphone and the ear alone, for the live meter.

use super::workshop::Workshop;
use crate::domain::{Fault, FaultKind};
use crate::hearing::capture::{Microphone, MicrophoneState};
use crate::hearing::ear::Meter;
use crate::hearing::stt::worker::SttMode;
use crate::hearing::{EarCommand, HearingEvent};
use std::time::{Duration, Instant};

/// How often the meter is shown.
const SHOW_EVERY: Duration = Duration::from_millis(100);
/// How often the ring is emptied.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// An ear that is opened for the meter waits this long for speech before it is opened again.
const WINDOW_MS: u64 = 60_000;

/// What is shown.
#[derive(Debug, Clone)]
pub enum Shown {
    /// The meter now.
    Meter(Meter),
    /// Something was heard.
    Heard(HearingEvent),
}

/// Hears until `show` answers false; every request is recognised, without a wake word.
///
/// # Errors
/// When there is no microphone, or it is lost, or an engine is missing.
pub fn listen(workshop: &Workshop, mut show: impl FnMut(Shown) -> bool) -> Result<(), Fault> {
    let audio = &workshop.config.audio;
    let (mut microphone, mut reader) = Microphone::open(&audio.input_device, audio.input_ring_ms)?;
    let mut ear = workshop.ear(SttMode::Live)?;
    let (mut samples, mut heard) = (Vec::new(), Vec::new());
    let mut next_show = Instant::now();
    loop {
        if !ear.meter().listening {
            ear.command(EarCommand::Listen { window_ms: WINDOW_MS, short_answer: false });
        }
        samples.clear();
        reader.read(&mut samples);
        ear.process(&samples, &mut heard);
        for heard in heard.drain(..) {
            if !show(Shown::Heard(heard.event)) {
                return Ok(());
            }
        }
        if Instant::now() >= next_show {
            next_show += SHOW_EVERY;
            if let MicrophoneState::Lost(message) = microphone.state() {
                let fix = "plug it in again, and look at `hark devices`";
                let message = format!("{} was lost: {message}", microphone.name());
                return Err(Fault::new(FaultKind::Unavailable, "microphone", message, fix));
            }
            if !show(Shown::Meter(ear.meter())) {
                return Ok(());
            }
        }
        std::thread::sleep(LOOK_EVERY);
    }
}
