//! Automatic gain: quiet speech is raised before anything listens to it. How loud people are is learnt from speech alone, so
//! that nothing is raised in a pause, and slowly, so that the gain does not follow words; it never lowers what came in. What
//! would clip is raised less at once.

/// Level of a block of speech that is aimed at: that of a person near a usual microphone.
const TARGET_DBFS: f32 = -26.0;
/// Blocks (32 ms) of a request after which its level counts little for the mean, and of other speech, which may be a
/// television's.
const REQUEST_BLOCKS: f32 = 40.0;
const OTHER_BLOCKS: f32 = 400.0;
/// Most that a block of a request raises and lowers the gain by: 9 and 16 dB a second of speech. Other speech: a quarter.
const RISE_DB: f32 = 0.3;
const FALL_DB: f32 = 0.5;
/// No sample is raised above this.
const CEILING: f32 = 0.95;

/// Raises sound at 16 kHz.
#[derive(Debug)]
pub(crate) struct AutoGain {
    max_db: f32,
    /// Mean level of speech as it came in; `None` before the first.
    speech_dbfs: Option<f32>,
    /// How many blocks it is of, up to those it is a mean of.
    blocks: f32,
    gain_db: f32,
    /// Factor of the last sample.
    factor: f32,
}

impl AutoGain {
    /// Raises by at most `max_db` decibels.
    pub(crate) fn new(max_db: u8) -> Self {
        Self { max_db: max_db.into(), speech_dbfs: None, blocks: 0.0, gain_db: 0.0, factor: 1.0 }
    }

    /// Decibels that sound is raised by.
    pub(crate) fn gain_db(&self) -> f32 {
        self.gain_db
    }

    /// Whether it changes anything at the moment.
    pub(crate) fn raises(&self) -> bool {
        self.gain_db > 0.0 || self.factor > 1.0
    }

    /// Raises the next sound in its two forms, which are of the same moments.
    pub(crate) fn raise(&mut self, voice: &mut [f32], words: &mut [f32]) {
        let peak = voice.iter().chain(&*words).fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
        if peak * decibels(self.gain_db) > CEILING {
            self.gain_db = (20.0 * (CEILING / peak).log10()).max(0.0);
            // At once: a ramp would clip.
            self.factor = self.factor.min(decibels(self.gain_db));
        }
        let (from, to) = (self.factor, decibels(self.gain_db));
        for sound in [voice, words] {
            let step = (to - from) / sound.len().max(1) as f32;
            let raised =
                sound.iter_mut().zip(1_u16..).map(|(sample, at)| (sample, from + step * f32::from(at)));
            raised.for_each(|(sample, factor)| *sample *= factor);
        }
        self.factor = to;
    }

    /// Learns from a block of speech how loud people are; `level_dbfs` is that of the block as it was raised.
    pub(crate) fn learn(&mut self, level_dbfs: f32, is_request: bool) {
        let came_in = level_dbfs - self.gain_db;
        let (most, share) = if is_request { (REQUEST_BLOCKS, 1.0) } else { (OTHER_BLOCKS, 0.25) };
        self.blocks = (self.blocks + 1.0).min(most);
        let mean = self.speech_dbfs.unwrap_or(came_in);
        let mean = mean + (came_in - mean) / self.blocks;
        self.speech_dbfs = Some(mean);
        let wanted = (TARGET_DBFS - mean).clamp(0.0, self.max_db);
        self.gain_db += (wanted - self.gain_db).clamp(-FALL_DB * share, RISE_DB * share);
    }
}

fn decibels(gain_db: f32) -> f32 {
    hark_audio::amplitude_of_db(gain_db)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::VAD_BLOCK_SAMPLES;

    /// A block of a tone of this amplitude, raised, with its level before and after.
    fn block(gain: &mut AutoGain, amplitude: f32) -> ([f32; VAD_BLOCK_SAMPLES], f32) {
        let mut voice: [f32; VAD_BLOCK_SAMPLES] =
            std::array::from_fn(|at| amplitude * (at as f32 * 0.4).sin());
        let mut words = voice;
        gain.raise(&mut voice, &mut words);
        assert_eq!(voice, words);
        let power = voice.iter().map(|sample| sample * sample).sum::<f32>() / voice.len() as f32;
        (voice, 10.0 * power.log10())
    }

    #[test]
    fn quiet_speech_is_raised_slowly_to_the_target_and_loud_speech_is_left() {
        let mut gain = AutoGain::new(30);
        for _ in 0..30 {
            let (_, level) = block(&mut gain, 0.005);
            gain.learn(level, true);
        }
        assert!((5.0..=9.1).contains(&gain.gain_db()), "{} dB after a second", gain.gain_db());
        for _ in 0..300 {
            let (_, level) = block(&mut gain, 0.005);
            gain.learn(level, true);
        }
        let (_, level) = block(&mut gain, 0.005);
        assert!((level - TARGET_DBFS).abs() < 1.0, "{level}");
        let mut loud = AutoGain::new(30);
        for _ in 0..100 {
            let (_, level) = block(&mut loud, 0.3);
            loud.learn(level, true);
        }
        assert_eq!(loud.gain_db(), 0.0);
    }

    #[test]
    fn the_gain_is_bounded_and_nothing_clips() {
        let mut gain = AutoGain::new(12);
        for _ in 0..500 {
            let (_, level) = block(&mut gain, 0.001);
            gain.learn(level, true);
        }
        assert!((gain.gain_db() - 12.0).abs() < 0.1, "{}", gain.gain_db());
        // Somebody shouts.
        let (raised, _) = block(&mut gain, 0.8);
        assert!(raised.iter().all(|sample| sample.abs() <= CEILING + 1e-3));
        assert!(gain.gain_db() < 2.0);
    }

    #[test]
    fn other_speech_counts_less_than_requests() {
        let mut gain = AutoGain::new(30);
        for _ in 0..30 {
            let (_, level) = block(&mut gain, 0.005);
            gain.learn(level, false);
        }
        assert!(gain.gain_db() < 2.5, "{}", gain.gain_db());
    }
}
