//! Cepstra and their normalisation: what makes quiet, loud and differently coloured recordings alike.
//!
//! The acoustic model expects cepstra whose mean over the utterance is zero. The mean is not known
//! before the end, so it is estimated as the utterance goes on: from what was heard so far, and from
//! an expectation that counts like some frames (the mean of earlier utterances through this
//! microphone that were understood). The zeroth coefficient is the level, so this is gain control too.

/// Coefficients of a frame of the acoustic model.
pub(super) const CEPSTRA: usize = 13;

/// One frame: 10 ms of sound.
pub(super) type Cepstrum = [f32; CEPSTRA];

/// The mean an average microphone gives (`cmninit` of the en-us model's `feat.params`).
const EXPECTED: Cepstrum =
    [41.00, -5.29, -0.12, 5.09, 2.48, -4.07, -1.37, -1.78, -5.08, -2.05, -6.45, -1.42, 1.17];

/// Frames of an utterance from which its mean is worth remembering: 1 s.
const MIN_KEPT_FRAMES: f32 = 100.0;

/// How far the expectation may come from [`EXPECTED`]: microphones and voices differ by less, noise does not.
const REACH: f32 = 12.0;

/// A running mean of cepstra.
#[derive(Debug, Clone)]
pub(super) struct MeanEstimate {
    expected: Cepstrum,
    expected_weight: f32,
    sum: Cepstrum,
    frames: f32,
}

impl MeanEstimate {
    /// `expected_weight`: how many frames the expectation is worth.
    pub(super) fn new(expected_weight: f32) -> Self {
        Self { expected: EXPECTED, expected_weight, sum: [0.0; CEPSTRA], frames: 0.0 }
    }

    /// The utterance was understood: what was learnt from it becomes the expectation when there was enough of it.
    /// From noise and from speech that could not be made out nothing is learnt: it would spoil the next request.
    pub(super) fn keep(&mut self) {
        if self.frames > MIN_KEPT_FRAMES {
            self.expected = self.mean();
            for (expected, usual) in self.expected.iter_mut().zip(&EXPECTED) {
                *expected = expected.clamp(usual - REACH, usual + REACH);
            }
        }
    }

    /// Begins an utterance.
    pub(super) fn start(&mut self) {
        self.sum = [0.0; CEPSTRA];
        self.frames = 0.0;
    }

    /// Takes frames in.
    pub(super) fn observe(&mut self, frames: &[Cepstrum]) {
        for frame in frames {
            for (sum, value) in self.sum.iter_mut().zip(frame) {
                *sum += value;
            }
            self.frames += 1.0;
        }
    }

    /// The estimate now.
    pub(super) fn mean(&self) -> Cepstrum {
        let total = self.frames + self.expected_weight;
        let mut mean = self.expected;
        if total > 0.0 {
            for (value, sum) in mean.iter_mut().zip(&self.sum) {
                *value = (*value * self.expected_weight + sum) / total;
            }
        }
        mean
    }

    /// Subtracts the estimate.
    pub(super) fn normalise(&self, frames: &[Cepstrum]) -> Vec<Cepstrum> {
        let mean = self.mean();
        frames
            .iter()
            .map(|frame| {
                let mut frame = *frame;
                frame.iter_mut().zip(&mean).for_each(|(value, mean)| *value -= mean);
                frame
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_of_a_recording_is_learnt_and_kept() {
        let mut mean = MeanEstimate::new(10.0);
        mean.start();
        assert!((mean.mean()[0] - EXPECTED[0]).abs() < 1e-3);
        let loud = [[49.0; CEPSTRA]; 40];
        mean.observe(&loud);
        assert!((mean.mean()[0] - (41.0 * 10.0 + 49.0 * 40.0) / 50.0).abs() < 1e-3);
        mean.keep();
        mean.start();
        assert!((mean.mean()[0] - EXPECTED[0]).abs() < 1e-3, "too short to be remembered");
        mean.observe(&[[49.0; CEPSTRA]; 990]);
        mean.start();
        assert!((mean.mean()[0] - EXPECTED[0]).abs() < 1e-3, "not understood");
        mean.observe(&[[49.0; CEPSTRA]; 990]);
        mean.keep();
        mean.start();
        assert!((mean.mean()[0] - 48.92).abs() < 0.01);
        mean.observe(&[[90.0; CEPSTRA]; 990]);
        mean.keep();
        mean.start();
        assert!((mean.mean()[0] - (EXPECTED[0] + REACH)).abs() < 0.01, "not further than that");
        let flat = mean.normalise(&[mean.mean()]);
        assert!(flat[0].iter().all(|value| value.abs() < 1e-3));
    }
}
