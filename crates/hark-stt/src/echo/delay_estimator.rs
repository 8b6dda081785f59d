//! Estimates the delay between the loudspeaker's signal and its echo by cross-correlation of the two signals. The time
//! stamps of devices are off by 10 ms and more; the signals are not.

use realfft::num_complex::Complex;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use std::sync::Arc;

/// Samples of the microphone that are looked at: half a second.
pub(super) const MICROPHONE_SAMPLES: usize = 8192;

/// The longest lag that is found, and how far before its own reference an echo is found, in samples.
pub(super) const MAX_DELAY_SAMPLES: usize = 6592;
pub(super) const MAX_ADVANCE_SAMPLES: usize = 1600;

/// Samples of the loudspeaker that are looked at for that.
pub(super) const REFERENCE_SAMPLES: usize = MAX_DELAY_SAMPLES + MICROPHONE_SAMPLES + MAX_ADVANCE_SAMPLES;

/// How much of each frequency's power is taken away before comparing. Without any, the pitch of a voice makes
/// many places look alike; with all of it, frequencies that hold nothing but noise count as much as the voice.
const WHITENING: f32 = 0.8;

/// How far the best place must stand out of all others, in times their root mean square. The best of so many
/// by chance reaches four.
const MIN_PEAK_RATIO: f32 = 9.0;

/// Around the best place, what belongs to it.
const PEAK: usize = 16;

/// Compares the signals of half a second.
pub(super) struct DelayEstimator {
    forward: Arc<dyn RealToComplex<f32>>,
    inverse: Arc<dyn ComplexToReal<f32>>,
    samples: Vec<f32>,
    played: Vec<Complex<f32>>,
    heard: Vec<Complex<f32>>,
}

impl DelayEstimator {
    pub(super) fn new() -> Self {
        let mut planner = RealFftPlanner::new();
        let (forward, inverse) =
            (planner.plan_fft_forward(REFERENCE_SAMPLES), planner.plan_fft_inverse(REFERENCE_SAMPLES));
        let (samples, played, heard) =
            (forward.make_input_vec(), forward.make_output_vec(), forward.make_output_vec());
        Self { forward, inverse, samples, played, heard }
    }

    /// Takes the sound whose echo is looked for, [`REFERENCE_SAMPLES`] samples.
    pub(super) fn set_played(&mut self, played: &[f32; REFERENCE_SAMPLES]) {
        self.samples.copy_from_slice(played);
        if self.forward.process(&mut self.samples, &mut self.played).is_err() {
            // Only refused for a wrong length. Nothing is found in silence.
            self.played.fill(Complex::default());
        }
    }

    /// How many samples the echo in `heard`, the last [`MICROPHONE_SAMPLES`] samples, is behind what was played, which ends
    /// [`MAX_ADVANCE_SAMPLES`] later. `None` when there is no clear echo.
    pub(super) fn find(&mut self, heard: &[f32]) -> Option<f64> {
        self.samples.fill(0.0);
        self.samples[..MICROPHONE_SAMPLES].copy_from_slice(heard.get(..MICROPHONE_SAMPLES)?);
        self.forward.process(&mut self.samples, &mut self.heard).ok()?;
        for (heard, played) in self.heard.iter_mut().zip(&self.played) {
            let product = *played * heard.conj();
            *heard = product / (product.norm().powf(WHITENING) + f32::MIN_POSITIVE);
        }
        // A real signal has real first and last values.
        let last = self.heard.len() - 1;
        (self.heard[0], self.heard[last]) = (Complex::default(), Complex::default());
        self.inverse.process(&mut self.heard, &mut self.samples).ok()?;
        peak(&self.samples[..=MAX_DELAY_SAMPLES + MAX_ADVANCE_SAMPLES])
            .map(|place| MAX_DELAY_SAMPLES as f64 - place)
    }
}

/// Which part of the power of `heard` is `played`, so many samples later, 0 ..= 1; both as [`DelayEstimator`] takes them.
pub(super) fn share(played: &[f32], heard: &[f32], lag: f64) -> f32 {
    let from = (MAX_DELAY_SAMPLES as f64 - lag).round().max(0.0) as usize;
    let Some(played) = played.get(from..from + heard.len()) else { return 0.0 };
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let together = product(played, heard);
    together * together / (product(played, played) * product(heard, heard)).max(f32::MIN_POSITIVE)
}

/// The place of the one value that stands out, between samples.
fn peak(values: &[f32]) -> Option<f64> {
    let (best, most) = values.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let others = values.iter().enumerate().filter(|(place, _)| place.abs_diff(best) > PEAK);
    let (power, count) = others.fold((0.0, 0), |(sum, count), (_, value)| (sum + value * value, count + 1));
    let clear = most > MIN_PEAK_RATIO * (power / count.max(1) as f32).sqrt();
    let (before, after) = (*values.get(best.checked_sub(1)?)?, *values.get(best + 1)?);
    let curve = before - 2.0 * most + after;
    let between = if curve < 0.0 { 0.5 * (before - after) / curve } else { 0.0 };
    clear.then_some(best as f64 + f64::from(between))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{flite, noise};

    #[test]
    fn an_echo_is_found_wherever_it_is_and_nothing_is_found_where_there_is_none() {
        let mut finder = DelayEstimator::new();
        let voice = flite("rms", "The forecast for tomorrow is cloudy with some rain in the afternoon.");
        let other = flite("slt", "Turn off the light in the kitchen, please, and set a timer.");
        let played = voice[4000..].first_chunk::<REFERENCE_SAMPLES>().unwrap();
        finder.set_played(played);
        for lag in [-800_i32, 0, 37, 640, 3200, 6400] {
            let from = 4000 + MAX_DELAY_SAMPLES - usize::try_from(lag.max(0)).unwrap()
                + usize::try_from((-lag).max(0)).unwrap();
            // A person as loud as the echo, and the noise of the microphone.
            let person = other[4000..].iter().zip(noise(MICROPHONE_SAMPLES, 0.001));
            let heard: Vec<f32> = (voice[from..].iter().zip(person))
                .map(|(echo, (person, noise))| 0.5 * echo + 0.4 * person + noise)
                .collect();
            let found = finder.find(&heard).expect("an echo");
            assert!((found - f64::from(lag)).abs() < 1.0, "{found} instead of {lag}");
            let part = share(played, &heard, found);
            assert!((0.1..0.9).contains(&part), "beside somebody as loud: {part}");
            assert!(share(played, &other[4000..4000 + MICROPHONE_SAMPLES], found) < 0.05, "somebody alone");
        }
        assert_eq!(finder.find(&other[4000..]), None, "somebody else speaks");
        assert_eq!(finder.find(&noise(MICROPHONE_SAMPLES, 0.1)), None);
        assert_eq!(finder.find(&[0.0; MICROPHONE_SAMPLES]), None);
        finder.set_played(&[0.0; REFERENCE_SAMPLES]);
        assert_eq!(finder.find(&other[4000..]), None);
    }
}
