//! Detects silence from the signal level. Silero's probability stays up for 50 to 130 ms after the last sound; in a quiet
//! room the level shows the end at once. In noise the level shows nothing and voice activity decides.

use hark_core::SAMPLE_RATE_HZ;

/// Samples of a frame: 8 ms, a quarter of a VAD block.
pub const FRAME_SAMPLES: usize = 128;
const FRAME_MS: u64 = FRAME_SAMPLES as u64 * 1000 / SAMPLE_RATE_HZ as u64;

/// The noise floor is not taken to be lower: microphones differ below it, and it is inaudible.
const MIN_FLOOR_DBFS: f32 = -60.0;
/// The floor follows a louder room by this much a frame: 12.5 dB a second.
const FLOOR_RISE_DB: f32 = 0.1;
/// The loudest sound is forgotten by this much a frame: 6 dB a second.
const PEAK_FALL_DB: f32 = 0.05;
/// Speech must stand out by this much for its end to show in the level.
const MIN_RANGE_DB: f32 = 20.0;
/// Share of the range between floor and peak, in decibels, that counts as quiet.
const QUIET_SHARE: f32 = 0.3;
/// What is louder than the floor by this much is a sound; the room's own noise varies by less.
const MIN_SNR_DB: f32 = 8.0;

/// Follows the level in frames of 8 ms.
#[derive(Debug, Clone)]
pub struct SilenceDetector {
    floor_dbfs: f32,
    peak_dbfs: f32,
    level_dbfs: f32,
    quiet_frames: u64,
}

impl Default for SilenceDetector {
    fn default() -> Self {
        let level_dbfs = MIN_FLOOR_DBFS;
        Self { floor_dbfs: level_dbfs, peak_dbfs: level_dbfs, level_dbfs, quiet_frames: 0 }
    }
}

impl SilenceDetector {
    /// Takes the next frame of 16 kHz samples, of [`FRAME_SAMPLES`] or any length near it.
    pub fn frame(&mut self, samples: &[f32]) {
        let power = samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len().max(1) as f32;
        let level = (10.0 * power.max(f32::MIN_POSITIVE).log10()).max(MIN_FLOOR_DBFS);
        self.floor_dbfs = level.min(self.floor_dbfs + FLOOR_RISE_DB);
        self.peak_dbfs = level.max(self.peak_dbfs - PEAK_FALL_DB);
        let range = self.peak_dbfs - self.floor_dbfs;
        let quiet = range >= MIN_RANGE_DB && level < self.floor_dbfs + QUIET_SHARE * range;
        self.level_dbfs = level;
        self.quiet_frames = if quiet { self.quiet_frames + 1 } else { 0 };
    }

    /// Whether the last frame is louder than the room usually is.
    pub fn above_noise_floor(&self) -> bool {
        self.level_dbfs > self.floor_dbfs + MIN_SNR_DB
    }

    /// Milliseconds since the last frame that stood out; 0 where the level shows nothing.
    pub fn silence_ms(&self) -> u64 {
        self.quiet_frames * FRAME_MS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn after(samples: &[f32]) -> u64 {
        let mut quiet = SilenceDetector::default();
        samples.chunks_exact(FRAME_SAMPLES).for_each(|frame| quiet.frame(frame));
        quiet.silence_ms()
    }

    /// White noise of this level.
    fn noise(dbfs: f32, count: usize) -> Vec<f32> {
        testing::noise(count, hark_audio::amplitude_of_db(dbfs) * 3.0_f32.sqrt())
    }

    #[test]
    fn the_end_of_a_sentence_shows_within_a_frame_or_two() {
        for voice in ["slt", "rms", "awb"] {
            let mut speech = testing::flite(voice, "turn on the kitchen light");
            let end = speech.iter().rposition(|sample| sample.abs() > 0.006).expect("sound") + 1;
            speech.truncate(end);
            speech.extend(testing::silence(200));
            for room in [-100.0, -45.0] {
                let mut heard = noise(room, speech.len());
                heard.iter_mut().zip(&speech).for_each(|(noise, speech)| *noise += speech);
                let heard = [noise(room, 16_000), heard].concat();
                let found = after(&heard);
                assert!((176..=280).contains(&found), "{voice} in {room} dBFS: {found} ms of 200");
            }
        }
    }

    #[test]
    fn within_a_sentence_only_short_stops_are_quiet() {
        let speech = testing::flite("slt", "set the bedroom light to fifty percent");
        let mut quiet = SilenceDetector::default();
        let from = speech.iter().position(|sample| sample.abs() > 0.05).expect("sound");
        let to = speech.iter().rposition(|sample| sample.abs() > 0.05).expect("sound");
        for frame in speech[from..to].chunks_exact(FRAME_SAMPLES) {
            quiet.frame(frame);
            assert!(quiet.silence_ms() < 120, "{} ms", quiet.silence_ms());
        }
    }

    #[test]
    fn where_speech_does_not_stand_out_nothing_is_said() {
        assert_eq!(after(&noise(-30.0, 32_000)), 0);
        assert_eq!(after(&testing::silence(2000)), 0);
        assert_eq!(after(&[noise(-20.0, 16_000), noise(-35.0, 16_000)].concat()), 0);
    }
}
