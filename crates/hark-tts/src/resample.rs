//! From the voice's sample rate to the loudspeaker's: a polyphase filter for one fixed ratio.
//!
//! Both rates are known and locked, so the ratio is an exact fraction and every output sample is a
//! dot product with one row of a table. Pieces may have any length, the first output sample belongs
//! to the first input sample (no start delay), and the length comes out exact to the sample; a
//! resampler that works in fixed chunks would add a chunk of waiting before the first sound.

use std::f64::consts::PI;

/// Zero crossings of the sinc on either side. With the window below: images and aliases under −70 dB.
const ZERO_CROSSINGS: f64 = 16.0;

/// Where the filter's slope is centred, as part of the lower of the two Nyquist frequencies.
const CUTOFF: f64 = 0.93;

/// Shape of the Kaiser window.
const KAISER_BETA: f64 = 8.0;

/// A stream of mono samples on its way from one rate to another.
#[derive(Debug)]
pub struct Resampler {
    /// Output samples and input samples of one period of the pattern: `from : to`, reduced.
    up: u64,
    down: u64,
    /// Input samples looked at on either side of an output sample; 0 when the rates are equal.
    reach: usize,
    /// `up` rows of `2 * reach` coefficients.
    rows: Vec<f32>,
    /// Input that is still needed; the first one has the index `first` (`reach` zeros come before 0).
    window: Vec<f32>,
    first: i64,
    taken: u64,
    made: u64,
}

impl Resampler {
    /// A stream from `from_hz` to `to_hz`, both above 0. The table has `to_hz / gcd` rows, so the
    /// usual sound rates make small ones.
    pub fn new(from_hz: u32, to_hz: u32) -> Self {
        let (from_hz, to_hz) = (from_hz.max(1), to_hz.max(1));
        let divisor = gcd(from_hz, to_hz);
        let (up, down) = (u64::from(to_hz / divisor), u64::from(from_hz / divisor));
        let cutoff = CUTOFF * (up as f64 / down as f64).min(1.0);
        let reach = if up == down { 0 } else { (ZERO_CROSSINGS / cutoff).ceil() as usize };
        let mut rows = Vec::with_capacity(up as usize * 2 * reach);
        if reach > 0 {
            for phase in 0..up {
                push_row(&mut rows, phase as f64 / up as f64, reach, cutoff);
            }
        }
        let mut resampler = Self { up, down, reach, rows, window: Vec::new(), first: 0, taken: 0, made: 0 };
        resampler.reset();
        resampler
    }

    /// Forgets the stream and is ready for another.
    pub fn reset(&mut self) {
        self.window.clear();
        self.window.resize(self.reach, 0.0);
        self.first = -(self.reach as i64);
        (self.taken, self.made) = (0, 0);
    }

    /// Takes `input` and appends what can be made from the stream so far to `output`.
    pub fn process(&mut self, input: &[f32], output: &mut Vec<f32>) {
        self.taken += input.len() as u64;
        if self.reach == 0 {
            output.extend_from_slice(input);
            return;
        }
        self.window.extend_from_slice(input);
        self.make(u64::MAX, output);
    }

    /// Ends the stream: appends the rest, so that in all `ceil(input · to / from)` samples were
    /// made, and is ready for another stream.
    pub fn finish(&mut self, output: &mut Vec<f32>) {
        if self.reach > 0 {
            let length = (self.taken * self.up).div_ceil(self.down);
            self.window.resize(self.window.len() + self.reach, 0.0);
            self.make(length, output);
        }
        self.reset();
    }

    fn make(&mut self, limit: u64, output: &mut Vec<f32>) {
        let width = 2 * self.reach;
        while self.made < limit {
            let position = self.made * self.down;
            let (index, phase) = ((position / self.up) as i64, (position % self.up) as usize);
            // The window never starts behind the oldest sample needed, so this is not negative.
            let start = (index - self.reach as i64 + 1 - self.first) as usize;
            let Some(samples) = self.window.get(start..start + width) else { break };
            let row = &self.rows[phase * width..(phase + 1) * width];
            output.push(samples.iter().zip(row).map(|(sample, weight)| sample * weight).sum());
            self.made += 1;
        }
        let next = ((self.made * self.down / self.up) as i64 - self.reach as i64 + 1 - self.first) as usize;
        let done = next.min(self.window.len());
        self.window.drain(..done);
        self.first += done as i64;
    }
}

/// Coefficients for a point `fraction` of a sample behind the sample in the middle.
fn push_row(rows: &mut Vec<f32>, fraction: f64, reach: usize, cutoff: f64) {
    let start = rows.len();
    for tap in 0..2 * reach {
        let distance = tap as f64 + 1.0 - reach as f64 - fraction;
        let angle = PI * cutoff * distance;
        let sinc = if angle.abs() < 1e-9 { 1.0 } else { angle.sin() / angle };
        let edge = 1.0 - (distance / reach as f64).powi(2);
        let window = if edge <= 0.0 { 0.0 } else { bessel_i0(KAISER_BETA * edge.sqrt()) };
        rows.push((sinc * window) as f32);
    }
    // A constant input must come out as the same constant, whatever the phase.
    let sum: f32 = rows[start..].iter().sum();
    rows[start..].iter_mut().for_each(|weight| *weight /= sum);
}

/// Modified Bessel function of the first kind, order 0, by its power series.
fn bessel_i0(x: f64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for k in 1..40 {
        term *= (x / (2.0 * f64::from(k))).powi(2);
        sum += term;
    }
    sum
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tone(frequency_hz: f32, rate_hz: u32, samples: usize) -> Vec<f32> {
        let step = 2.0 * PI * f64::from(frequency_hz) / f64::from(rate_hz);
        (0..samples).map(|n| (n as f64 * step).sin() as f32).collect()
    }

    fn resample(input: &[f32], from_hz: u32, to_hz: u32, piece: usize) -> Vec<f32> {
        let (mut resampler, mut output) = (Resampler::new(from_hz, to_hz), Vec::new());
        for piece in input.chunks(piece) {
            resampler.process(piece, &mut output);
        }
        resampler.finish(&mut output);
        output
    }

    #[test]
    fn a_tone_stays_the_same_tone_in_place() {
        for (from_hz, to_hz) in [(22_050, 48_000), (22_050, 44_100), (22_050, 16_000), (24_000, 24_000)] {
            let output = resample(&tone(1000.0, from_hz, from_hz as usize), from_hz, to_hz, 777);
            let expected = tone(1000.0, to_hz, to_hz as usize);
            assert_eq!(output.len(), expected.len());
            let worst =
                (200..output.len() - 200).map(|n| (output[n] - expected[n]).abs()).fold(0.0, f32::max);
            assert!(worst < 3e-4, "{from_hz} to {to_hz}: {worst}");
        }
    }

    #[test]
    fn what_the_lower_rate_cannot_hold_is_filtered_out() {
        let output = resample(&tone(10_000.0, 22_050, 22_050), 22_050, 16_000, 500);
        let loudest = output[500..output.len() - 500].iter().fold(0.0_f32, |a, s| a.max(s.abs()));
        assert!(loudest < 3e-4, "{loudest}");
    }

    #[test]
    fn can_be_used_again_after_the_end() {
        let (mut resampler, input) = (Resampler::new(22_050, 48_000), tone(500.0, 22_050, 3000));
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for output in [&mut first, &mut second] {
            resampler.process(&input, output);
            resampler.finish(output);
        }
        assert_eq!(first, second);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn cutting_into_pieces_changes_nothing(
            length in 0_usize..3000,
            piece in 1_usize..900,
            rates in prop::sample::select(vec![(22_050_u32, 48_000_u32), (48_000, 16_000), (16_000, 44_100), (8_000, 8_000)]),
        ) {
            let input = tone(700.0, rates.0, length);
            let whole = resample(&input, rates.0, rates.1, length.max(1));
            prop_assert_eq!(&whole, &resample(&input, rates.0, rates.1, piece));
            prop_assert_eq!(whole.len() as u64, (length as u64 * u64::from(rates.1)).div_ceil(u64::from(rates.0)));
        }
    }
}
