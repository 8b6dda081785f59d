//! How much of Whisper's thirty seconds an utterance needs: encoder frames and tokens by its length.

use hark_core::SAMPLE_RATE_HZ;

/// Samples of one encoder frame: Whisper's encoder makes 50 frames a second.
pub const FRAME_SAMPLES: usize = SAMPLE_RATE_HZ as usize / 50;
/// Longest window Whisper can hear: 30 s.
pub const MAX_SAMPLES: usize = 30 * SAMPLE_RATE_HZ as usize;
/// Shortest window it hears well: shorter sound is filled up with silence.
pub const MIN_SAMPLES: usize = SAMPLE_RATE_HZ as usize * 11 / 10;
/// Frames beyond the sound, 0.64 s: the model was trained with silence after the last word and repeats
/// itself when there is none.
const MARGIN_FRAMES: usize = 32;
/// Frames are rounded up to a multiple of this, so that windows of nearly the same length cost the same.
const STEP_FRAMES: usize = 32;
/// Text tokens allowed for a second of sound: twice of what a fast speaker needs.
const TOKENS_A_SECOND: usize = 10;
/// Text tokens allowed for no sound at all.
const FREE_TOKENS: usize = 16;

/// Encoder frames (`audio_ctx`) for a window of this many samples: its own length with a margin, at
/// least `least` (shorter ones make the model unstable), at most `most`, which is what the model has.
pub fn audio_context(samples: usize, least: usize, most: usize) -> usize {
    let frames = samples.div_ceil(FRAME_SAMPLES) + MARGIN_FRAMES;
    frames.next_multiple_of(STEP_FRAMES).max(least).min(most)
}

/// Tokens after which a decode is stopped: more text than this cannot have been said.
pub fn token_limit(samples: usize) -> usize {
    FREE_TOKENS + samples * TOKENS_A_SECOND / SAMPLE_RATE_HZ as usize
}

/// What of an utterance is decoded: its first 30 s, filled up with silence when it is very short.
pub fn of(utterance: &[f32]) -> Vec<f32> {
    let heard = utterance.iter().take(MAX_SAMPLES);
    // What is no number would make the whole spectrogram no numbers.
    let mut window: Vec<f32> = heard.map(|sample| if sample.is_finite() { *sample } else { 0.0 }).collect();
    window.resize(window.len().max(MIN_SAMPLES), 0.0);
    window
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: usize = SAMPLE_RATE_HZ as usize;

    #[test]
    fn frames_follow_the_length_with_a_margin_between_the_bounds() {
        for (samples, least, expected) in [
            (0, 256, 256),
            (2 * SECOND, 256, 256),
            (4 * SECOND, 256, 256),
            (5 * SECOND, 256, 288),
            (8 * SECOND, 256, 448),
            (30 * SECOND, 256, 1500),
            (90 * SECOND, 256, 1500),
            (2 * SECOND, 0, 160),
            (SECOND, 1500, 1500),
        ] {
            assert_eq!(audio_context(samples, least, 1500), expected, "{samples} samples, at least {least}");
        }
        for samples in (0..29 * SECOND).step_by(1000) {
            let frames = audio_context(samples, 0, 1500);
            assert!(frames == 1500 || frames >= samples / FRAME_SAMPLES + MARGIN_FRAMES);
            assert!(frames <= audio_context(samples + 1000, 0, 1500), "more sound never has fewer frames");
        }
    }

    #[test]
    fn a_window_is_neither_too_short_nor_too_long() {
        assert_eq!(of(&[0.5; 100]).len(), MIN_SAMPLES);
        assert_eq!(of(&[0.5; 100])[99..101], [0.5, 0.0]);
        assert_eq!(of(&[f32::NAN, f32::INFINITY, 0.5])[..3], [0.0, 0.0, 0.5]);
        assert_eq!(of(&vec![0.5; 2 * SECOND]).len(), 2 * SECOND);
        assert_eq!(of(&vec![0.5; 40 * SECOND]).len(), MAX_SAMPLES);
        assert_eq!(token_limit(0), 16);
        assert_eq!(token_limit(4 * SECOND), 56);
    }
}
