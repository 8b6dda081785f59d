//! Leaves out the silence before and behind the sound of a phrase, so that sound begins at once and
//! the pauses between phrases are what they are set to.

/// Below this level (−48 dB of full scale) counts as silence.
const LEVEL: f32 = 0.004;

/// At most this much is left out in front, and all but the last two milliseconds of it.
const IN_MAX_MS: u32 = 500;
const IN_KEEP_MS: u32 = 2;

/// What is kept of the silence behind: a voice does not end with a knock.
const OUT_KEEP_MS: u32 = 20;

/// Longest silence that is held back because it may be the end; longer ones are part of the sound.
const OUT_MAX_MS: u32 = 1_000;

/// Trims one phrase.
#[derive(Debug)]
pub(super) struct Trim {
    /// Samples that may still be left out in front; 0 once sound has begun.
    left: usize,
    keep: usize,
    /// Silence that is held back until sound follows.
    held: usize,
    out_keep: usize,
    out_max: usize,
}

impl Trim {
    /// For samples at `rate_hz`.
    pub(super) fn new(rate_hz: u32) -> Self {
        let samples = |ms: u32| (u64::from(rate_hz) * u64::from(ms) / 1000) as usize;
        Self {
            left: samples(IN_MAX_MS),
            keep: samples(IN_KEEP_MS),
            held: 0,
            out_keep: samples(OUT_KEEP_MS),
            out_max: samples(OUT_MAX_MS),
        }
    }

    /// Takes the next piece of the phrase and hands on what of it is to be played.
    pub(super) fn piece(&mut self, piece: &[f32], mut play: impl FnMut(&[f32])) {
        let piece = self.lead_in(piece);
        let Some(last) = piece.iter().rposition(|sample| sample.abs() >= LEVEL) else {
            self.held += piece.len();
            if self.held > self.out_max {
                self.release(&mut play);
            }
            return;
        };
        self.release(&mut play);
        play(&piece[..=last]);
        self.held = piece.len() - last - 1;
    }

    /// The phrase is over: hands on what is kept of the silence behind it.
    pub(super) fn finish(&mut self, mut play: impl FnMut(&[f32])) {
        self.held = self.held.min(self.out_keep);
        self.release(&mut play);
    }

    fn release(&mut self, play: &mut impl FnMut(&[f32])) {
        if self.held > 0 {
            // Under the level nobody hears a difference from silence.
            play(&vec![0.0; self.held]);
            self.held = 0;
        }
    }

    fn lead_in<'a>(&mut self, piece: &'a [f32]) -> &'a [f32] {
        if self.left == 0 {
            return piece;
        }
        let quiet = piece.iter().take(self.left).take_while(|sample| sample.abs() < LEVEL).count();
        if quiet == piece.len() {
            self.left -= quiet;
            return &[];
        }
        self.left = 0;
        &piece[quiet.saturating_sub(self.keep)..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trimmed(pieces: &[&[f32]]) -> Vec<f32> {
        let (mut trim, mut out) = (Trim::new(1000), Vec::new());
        for piece in pieces {
            trim.piece(piece, |samples| out.extend_from_slice(samples));
        }
        trim.finish(|samples| out.extend_from_slice(samples));
        out
    }

    #[test]
    fn silence_before_and_behind_goes_and_silence_within_stays() {
        let (quiet, loud) = ([0.001; 100], [0.5; 10]);
        let out = trimmed(&[&quiet, &quiet, &loud, &quiet, &loud, &quiet, &quiet]);
        assert_eq!(out.len(), 10 + 100 + 10 + OUT_KEEP_MS as usize);
        assert_eq!((out[0], out[9], out[109], out[110]), (0.5, 0.5, 0.0, 0.5));
        let within = [&quiet[..], &loud, &quiet, &loud, &quiet].concat();
        let out = trimmed(&[&within]);
        assert_eq!(out.len(), IN_KEEP_MS as usize + 10 + 100 + 10 + OUT_KEEP_MS as usize);
        assert_eq!(out[1 + IN_KEEP_MS as usize], 0.5);
    }

    #[test]
    fn long_silence_is_part_of_the_sound_and_nothing_is_nothing() {
        let (quiet, loud) = ([0.0; 700], [0.5; 10]);
        assert_eq!(trimmed(&[&loud, &quiet, &quiet, &loud]).len(), 1420);
        // 500 ms are left out in front; the rest waits, and of that little stays.
        assert_eq!(trimmed(&[&quiet]).len(), OUT_KEEP_MS as usize);
        assert_eq!(trimmed(&[]), Vec::<f32>::new());
    }
}
