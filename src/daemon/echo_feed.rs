//! Between the loudspeaker and the ear: hands what is played to the echo stage, whichever loudspeaker
//! is open just now.

use crate::config::echo::Echo;
use crate::hearing::echo::{EchoReport, EchoStage, Played};
use crate::speaking::tap::TapReader;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

/// Where whoever opens a loudspeaker puts its tap. Never more than one waits for each opening.
pub(super) type Taps = Sender<TapReader>;

/// The echo stage with its loudspeaker; belongs to the ear's thread.
pub(super) struct EchoFeed {
    stage: EchoStage,
    opened: Receiver<TapReader>,
    tap: Option<TapReader>,
    realigned: u64,
}

impl EchoFeed {
    /// The feed, and where to put taps.
    pub(super) fn new(config: &Echo) -> (Self, Taps) {
        let (taps, opened) = channel();
        (Self { stage: EchoStage::new(config), opened, tap: None, realigned: 0 }, taps)
    }

    /// Whether the voice plays and the canceller does not know the room yet.
    pub(super) fn may_leak(&self) -> bool {
        let report = self.stage.report();
        report.playing && report.learning
    }

    /// What [`EchoFeed::clean`] cleaned last, for its words.
    pub(super) fn words(&self) -> &[f32] {
        self.stage.words()
    }

    /// Lets the loudspeaker rest longer while nobody speaks.
    pub(super) fn set_unhurried(&self, unhurried: bool) {
        if let Some(tap) = &self.tap {
            tap.set_unhurried(unhurried);
        }
    }

    /// What the loudspeaker played meanwhile, 16 kHz mono.
    pub(super) fn played(&self) -> &[f32] {
        self.stage.played_meanwhile()
    }

    /// Cleans what was captured up to `captured_until`.
    pub(super) fn clean(&mut self, samples: &mut Vec<f32>, captured_until: Option<Instant>) {
        if let Some(newest) = self.opened.try_iter().last() {
            self.stage.speaker_opened(newest.rate_hz());
            self.tap = Some(newest);
        }
        if let Some(tap) = &mut self.tap {
            tap.read(|piece| {
                self.stage.played(&Played {
                    first: piece.first,
                    frames: piece.frames,
                    sounds_at: piece.sounds_at,
                    samples: piece.samples,
                });
            });
        }
        self.stage.process(samples, captured_until);
        let EchoReport { realigned, drift_ppm, .. } = self.stage.report();
        if realigned > self.realigned {
            tracing::debug!("loudspeaker and microphone aligned anew, drift {drift_ppm:.0} ppm");
        }
        self.realigned = realigned;
    }
}
