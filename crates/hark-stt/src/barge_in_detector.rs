//! Detects speech over Hark's own output: voice activity with a minimum length, on sound from which the echo has been
//! cancelled. Owned by [`crate::pipeline`]; what counts as an interruption is decided in `turn/barge_in_decision.rs` of hark-dialog.

use super::endpoint::{EndpointChange, Endpointer};
use hark_config as config;
use hark_core::VAD_BLOCK_SAMPLES;
use hark_core::audio::{ms_to_samples, samples_to_ms};

/// After an interruption that was not for Hark the next one begins after this much silence: a
/// television that goes on is not looked at word by word.
const PAUSE_MS: u64 = 192;

/// Waits for speech of a minimum length.
pub(super) struct BargeInDetector {
    endpointer: Endpointer,
    threshold_off: f32,
    /// Samples of silence still wanted before speech counts.
    pause_left: u64,
}

impl BargeInDetector {
    /// Watches from position `from` on; `vad` says what speech is, `endpoint` when it will be over.
    /// `after_pause`: speech that was dismissed is still going on, so a pause must come first.
    pub(super) fn new(
        vad: &config::vad::Vad,
        endpoint: &config::endpoint::EndpointConfig,
        from: u64,
        after_pause: bool,
    ) -> Self {
        Self {
            endpointer: Endpointer::new(vad, endpoint, from, u64::MAX),
            threshold_off: vad.threshold_off,
            pause_left: if after_pause { ms_to_samples(PAUSE_MS) } else { 0 },
        }
    }

    /// Takes the speech probability of the block that ends at `end`; answers where speech began, when
    /// it is certain now.
    pub(super) fn block(&mut self, end: u64, probability: f32) -> Option<u64> {
        if self.pause_left > 0 {
            let block = VAD_BLOCK_SAMPLES as u64;
            let silent = probability < self.threshold_off;
            self.pause_left =
                if silent { self.pause_left.saturating_sub(block) } else { ms_to_samples(PAUSE_MS) };
            return None;
        }
        match self.endpointer.block(end, probability) {
            EndpointChange::SpeechStarted { onset } => Some(onset),
            _ => None,
        }
    }

    /// Follows the speech that has begun.
    pub(super) fn into_endpointer(self) -> Endpointer {
        self.endpointer
    }
}

/// Milliseconds between two positions.
pub(super) fn ago_ms(now: u64, then: u64) -> u64 {
    samples_to_ms(now.saturating_sub(then))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: u64 = VAD_BLOCK_SAMPLES as u64;

    fn run(after_pause: bool, script: &[(usize, f32)]) -> Vec<(u64, u64)> {
        let vad = config::vad::Vad { threshold: 0.5, threshold_off: 0.35, min_speech_ms: 160 };
        let mut watch = BargeInDetector::new(&vad, &Default::default(), 0, after_pause);
        let blocks = script.iter().flat_map(|(count, probability)| std::iter::repeat_n(*probability, *count));
        let found = blocks.zip(1..).map(|(probability, n)| (n, watch.block(n * BLOCK, probability)));
        found.filter_map(|(n, onset)| Some((n, onset? / BLOCK))).collect()
    }

    #[test]
    fn speech_of_160_ms_is_an_interruption_and_a_cough_is_none() {
        assert_eq!(run(false, &[(10, 0.1), (4, 0.9), (10, 0.1), (5, 0.9)]), [(29, 24)]);
    }

    #[test]
    fn who_was_not_meant_is_listened_to_again_after_a_pause() {
        assert_eq!(run(true, &[(50, 0.9), (5, 0.1), (50, 0.9)]), []);
        assert_eq!(run(true, &[(50, 0.9), (6, 0.1), (6, 0.9)]), [(61, 56)]);
    }
}
