//! Between the loudspeaker and the pipeline: hands what is played to the echo stage, whichever loudspeaker
//! is open just now.

use hark_config::echo::Echo;
use hark_core::SAMPLE_RATE_HZ;
use hark_core::api::EchoFigure;
use hark_stt::echo::{EchoReport, EchoStage, Played, ResidualEcho};
use hark_tts::tap::TapReader;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

/// Where whoever opens a loudspeaker puts its tap. Never more than one waits for each opening.
pub(crate) type Taps = Sender<TapReader>;

/// Quieter is hardly an echo that anything can be taken out of: the ends of words, in dB of full scale.
const LOUD_DB: f32 = -40.0;

/// The echo stage with its loudspeaker; belongs to the pipeline's thread.
pub(crate) struct EchoFeed {
    stage: EchoStage,
    opened: Receiver<TapReader>,
    tap: Option<TapReader>,
    taken: Taken,
    /// The figure of the last second that was loud, until it is taken.
    measured: Option<EchoFigure>,
}

/// What the microphone heard while the voice was loud, and what was left of it, over a second: sums of squares.
#[derive(Default)]
struct Taken {
    heard: f32,
    left: f32,
    samples: usize,
}

impl EchoFeed {
    /// The feed, and where to put taps.
    pub(crate) fn new(config: &Echo) -> (Self, Taps) {
        let (taps, opened) = channel();
        (
            Self {
                stage: EchoStage::new(config),
                opened,
                tap: None,
                taken: Taken::default(),
                measured: None,
            },
            taps,
        )
    }

    /// Whether some of the echo is still in what [`EchoFeed::clean`] cleaned last.
    pub(crate) fn residual_echo(&self) -> ResidualEcho {
        self.stage.report().residual()
    }

    /// What [`EchoFeed::clean`] cleaned last, for its words.
    pub(crate) fn words(&self) -> &[f32] {
        self.stage.words()
    }

    /// Lets the loudspeaker rest longer while nobody speaks.
    pub(crate) fn set_unhurried(&self, unhurried: bool) {
        if let Some(tap) = &self.tap {
            tap.set_unhurried(unhurried);
        }
    }

    /// What the loudspeaker played meanwhile, 16 kHz mono.
    pub(crate) fn played(&self) -> &[f32] {
        self.stage.played_meanwhile()
    }

    /// Cleans what was captured up to `captured_until`.
    pub(crate) fn clean(&mut self, samples: &mut Vec<f32>, captured_until: Option<Instant>) {
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
        let heard = sum_of_squares(samples);
        self.stage.process(samples, captured_until);
        let report = self.stage.report();
        if report.playing && report.played_db > LOUD_DB {
            self.measured = self.taken.note(heard, samples, &report).or(self.measured);
        }
    }

    /// How the echo fared over the last second that was loud; once for each.
    pub(crate) fn take_measured(&mut self) -> Option<EchoFigure> {
        self.measured.take()
    }
}

impl Taken {
    /// Tells once a second how the echo fares.
    fn note(&mut self, heard: f32, left: &[f32], report: &EchoReport) -> Option<EchoFigure> {
        self.heard += heard;
        self.left += sum_of_squares(left);
        self.samples += left.len();
        if self.samples < SAMPLE_RATE_HZ as usize {
            return None;
        }
        let Self { heard, left, .. } = std::mem::take(self);
        let decibels = 10.0 * (heard.max(1e-6) / left.max(1e-6)).log10();
        let EchoReport { delay_ms, drift_ppm, learning, .. } = report;
        tracing::debug!(delay_ms, drift_ppm, learning, "{decibels:.1} dB of the echo taken out");
        Some(EchoFigure {
            erle_db: decibels,
            delay_ms: *delay_ms,
            drift_ppm: *drift_ppm,
            is_learning: *learning,
            age_s: 0.0,
        })
    }
}

fn sum_of_squares(samples: &[f32]) -> f32 {
    samples.iter().map(|sample| sample * sample).sum()
}
