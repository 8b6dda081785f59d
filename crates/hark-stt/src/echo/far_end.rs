//! What the loudspeaker plays, kept for some seconds at its own rate and read at 16 kHz from any place
//! and at any speed: places are fractions of a frame, so a loudspeaker whose clock runs 100 ppm fast is
//! read 100 ppm faster.

use hark_core::SAMPLE_RATE_HZ;
use std::f64::consts::PI;

/// What is kept, in seconds: more than any device holds back.
const KEPT_S: u32 = 4;

/// Zero crossings of the sinc on either side of the sample.
const ZERO_CROSSINGS: f64 = 10.0;

/// Where the filter's slope is centred, as part of the lower of the two Nyquist frequencies.
const CUTOFF: f64 = 0.92;

/// Rows of the table for one step of a frame; between them the filter is interpolated. Errors stay
/// under −80 dB.
const PHASES: usize = 128;

/// Quieter is silence: half a step of 16 bits.
const SILENCE: f32 = 1.5e-5;

/// One stream of the loudspeaker.
#[derive(Debug)]
pub(super) struct FarEnd {
    rate_hz: u32,
    /// The newest frames, frame `n` at `n & mask`.
    kept: Vec<f32>,
    mask: u64,
    /// Number of the frame after the newest.
    end: u64,
    /// Number of the frame after the newest that was not silent.
    sound_end: u64,
    /// Frames looked at on either side of a place.
    reach: usize,
    /// `PHASES + 1` rows of `2 * reach` weights.
    rows: Vec<f32>,
    /// The frames one reading needs.
    window: Vec<f32>,
}

impl FarEnd {
    /// An empty stream at `rate_hz`.
    pub(super) fn new(rate_hz: u32) -> Self {
        let rate_hz = rate_hz.max(1);
        let size = u64::from(rate_hz * KEPT_S).next_power_of_two();
        let cutoff = CUTOFF * (f64::from(SAMPLE_RATE_HZ) / f64::from(rate_hz)).min(1.0);
        let reach = (ZERO_CROSSINGS / cutoff).ceil() as usize;
        let rows = (0..=PHASES).flat_map(|phase| row(phase as f64 / PHASES as f64, reach, cutoff)).collect();
        let (kept, window) = (vec![0.0; size as usize], Vec::new());
        Self { rate_hz, kept, mask: size - 1, end: 0, sound_end: 0, reach, rows, window }
    }

    pub(super) fn rate_hz(&self) -> u32 {
        self.rate_hz
    }

    /// The place up to which everything needed is there.
    pub(super) fn readable_until(&self) -> f64 {
        self.end as f64 - self.reach as f64
    }

    /// Appends frames `first ..`; without samples they are silence. What was left out before is
    /// silence too; frames that were there before are not taken again.
    pub(super) fn push(&mut self, first: u64, frames: usize, samples: &[f32]) {
        if first < self.end {
            return;
        }
        self.append_silence(first - self.end);
        if samples.is_empty() {
            self.append_silence(frames as u64);
        } else {
            self.append(samples);
            self.sound_end = self.end;
        }
    }

    /// Wipes out only what may hold sound, so a loudspeaker that has never played takes no memory.
    fn append_silence(&mut self, frames: u64) {
        let end = self.end + frames;
        let clean_from = if self.sound_end > 0 { self.sound_end + self.kept.len() as u64 } else { 0 };
        for frame in self.end..end.min(clean_from) {
            self.kept[(frame & self.mask) as usize] = 0.0;
        }
        self.end = end;
    }

    fn append(&mut self, samples: &[f32]) {
        for sample in samples {
            self.kept[(self.end & self.mask) as usize] = *sample;
            self.end += 1;
        }
    }

    /// Whether nothing but silence was played from this place on, as far as is known.
    pub(super) fn silent_from(&self, place: f64) -> bool {
        place - self.reach as f64 >= self.sound_end as f64
    }

    /// Whether the newest that was played is sound, so that more of it is to come.
    pub(super) fn ends_in_sound(&self) -> bool {
        self.sound_end > 0 && self.sound_end == self.end
    }

    /// Reads 16 kHz samples from `place` on, `step` frames apart; silence where nothing is known.
    /// Answers whether there was any sound.
    pub(super) fn read(&mut self, place: f64, step: f64, out: &mut [f32]) -> bool {
        if self.silent_from(place) {
            out.fill(0.0);
            return false;
        }
        let first = place.floor() as i64 - self.reach as i64 + 1;
        let last = (place + step * out.len() as f64).ceil() as i64 + self.reach as i64;
        self.window.clear();
        for frame in first..=last {
            let sample = self.frame(frame);
            self.window.push(sample);
        }
        let mut loudest = 0.0_f32;
        let width = 2 * self.reach;
        for (index, sample) in out.iter_mut().enumerate() {
            let here = place + step * index as f64;
            let whole = here.floor();
            let start = (whole as i64 - self.reach as i64 + 1 - first) as usize;
            let phase = (here - whole) * PHASES as f64;
            let (row, between) = (phase as usize, (phase - phase.floor()) as f32);
            let rows = &self.rows[row * width..(row + 2) * width];
            let (lower, upper) = rows.split_at(width);
            *sample = dot(&self.window[start..start + width], lower, upper, between);
            loudest = loudest.max(sample.abs());
        }
        loudest > SILENCE
    }

    fn frame(&self, number: i64) -> f32 {
        let known =
            number >= 0 && number < self.end as i64 && number >= self.end as i64 - self.kept.len() as i64;
        if known { self.kept[(number as u64 & self.mask) as usize] } else { 0.0 }
    }
}

/// The frames under weights between two rows. Eight sums side by side: the compiler may not reorder a
/// single one, and one after the other takes longer than the canceller.
fn dot(frames: &[f32], lower: &[f32], upper: &[f32], between: f32) -> f32 {
    let mut sums = [0.0_f32; 8];
    let (frames, frames_left) = frames.as_chunks::<8>();
    let (lower, lower_left) = lower.as_chunks::<8>();
    let (upper, upper_left) = upper.as_chunks::<8>();
    for ((frames, lower), upper) in frames.iter().zip(lower).zip(upper) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            *sum += frames[lane] * (lower[lane] + (upper[lane] - lower[lane]) * between);
        }
    }
    let left = frames_left.iter().zip(lower_left).zip(upper_left);
    let left: f32 = left.map(|((frame, lower), upper)| frame * (lower + (upper - lower) * between)).sum();
    sums.iter().sum::<f32>() + left
}

/// Weights for a place `fraction` of a frame behind the frame in the middle: a sinc under a
/// Blackman window.
fn row(fraction: f64, reach: usize, cutoff: f64) -> Vec<f32> {
    let weight = |tap: usize| {
        let distance = tap as f64 + 1.0 - reach as f64 - fraction;
        let angle = PI * cutoff * distance;
        let sinc = if angle.abs() < 1e-9 { 1.0 } else { angle.sin() / angle };
        let across = PI * distance / reach as f64;
        let window =
            if across.abs() >= PI { 0.0 } else { 0.42 + 0.5 * across.cos() + 0.08 * (2.0 * across).cos() };
        sinc * window
    };
    let weights: Vec<f64> = (0..2 * reach).map(weight).collect();
    // A constant stays the same constant, whatever the phase.
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| (weight / sum) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(frequency_hz: f64, rate_hz: f64, samples: usize) -> Vec<f32> {
        (0..samples).map(|n| (2.0 * PI * frequency_hz * n as f64 / rate_hz).sin() as f32).collect()
    }

    #[test]
    fn any_rate_is_read_at_sixteen_khz_in_place() {
        for rate_hz in [8_000, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000] {
            let mut far = FarEnd::new(rate_hz);
            for (n, piece) in tone(1000.0, f64::from(rate_hz), rate_hz as usize / 4).chunks(777).enumerate() {
                far.push(n as u64 * 777, piece.len(), piece);
            }
            let step = f64::from(rate_hz) / 16_000.0;
            let mut out = [0.0; 1600];
            assert!(far.read(step * 400.0, step, &mut out));
            let expected = tone(1000.0, 16_000.0, 2000);
            let worst = out.iter().zip(&expected[400..]).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(worst < 5e-4, "{rate_hz}: off by {worst}");
        }
    }

    #[test]
    fn what_sixteen_khz_cannot_hold_is_left_out() {
        let mut far = FarEnd::new(48_000);
        far.push(0, 24_000, &tone(10_500.0, 48_000.0, 24_000));
        let mut out = [0.0; 1600];
        far.read(3000.0, 3.0, &mut out);
        let loudest = out.iter().fold(0.0_f32, |a, b| a.max(b.abs()));
        assert!(loudest < 2e-3, "alias of {loudest}");
    }

    #[test]
    fn a_clock_that_runs_fast_is_read_faster() {
        let (mut far, drift) = (FarEnd::new(48_000), 1.0 + 200e-6);
        // The device plays 48 009.6 frames a second and calls it 48 000.
        far.push(0, 96_000, &tone(1000.0, 48_000.0 * drift, 96_000));
        let mut out = [0.0; 24_000];
        far.read(600.0, 3.0 * drift, &mut out);
        let expected = tone(1000.0, 16_000.0, 30_000);
        let shift = 200.0 / drift;
        let at = |n: usize| (2.0 * PI * 1000.0 * (n as f64 + shift) / 16_000.0).sin() as f32;
        let worst = (0..24_000).map(|n| (out[n] - at(n)).abs()).fold(0.0, f32::max);
        assert!(worst < 5e-4 && expected.len() == 30_000, "off by {worst}");
    }

    #[test]
    fn gaps_repeats_and_the_future_are_silence() {
        let mut far = FarEnd::new(16_000);
        assert!(far.silent_from(20.0) && !far.ends_in_sound());
        far.push(0, 100, &[0.5; 100]);
        far.push(300, 100, &[0.5; 100]);
        far.push(350, 100, &[0.9; 100]);
        let mut out = [1.0; 400];
        assert!(far.ends_in_sound() && far.read(20.0, 1.0, &mut out));
        assert!(out[100..240].iter().all(|sample| *sample == 0.0), "the gap");
        assert!((out[330] - 0.5).abs() < 1e-3, "a repeated piece is not taken");
        assert!(out[392..].iter().all(|sample| *sample == 0.0), "what is not known yet");
        assert!(far.silent_from(500.0));
        assert!(!far.read(500.0, 1.0, &mut out));
        // A gap longer than the memory, and places that are long forgotten.
        far.push(1 << 40, 100, &[0.5; 100]);
        assert!(!far.read(20.0, 1.0, &mut out));
        assert!(far.read((1_u64 << 40) as f64, 1.0, &mut out));
        assert!(!far.read(-50.0, 1.0, &mut out));
    }
}
