//! Smart Turn: the likelihood that a turn is over by its sound alone (pipecat-ai, BSD-2-Clause). It hears a log mel spectrogram of
//! the last eight seconds as Whisper computes it, with silence in front of what is shorter.

use hark_core::SAMPLE_RATE_HZ;
use hark_models::mel;
use hark_models::onnx::{OnnxError, OnnxInput, OnnxModel, OnnxRuntime};
use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};
use std::path::Path;
use std::sync::Arc;

/// Mel bands.
const BANDS: usize = 80;
/// Frames of 10 ms.
const FRAMES: usize = 800;
/// Samples from one frame to the next.
const HOP: usize = 160;
/// Samples of a frame's spectrum.
const WINDOW: usize = 400;
/// Samples it hears.
const SAMPLES: usize = FRAMES * HOP;

/// Input `input_features`, f32 `[1, 80, 800]`; output `logits`, f32 `[1, 1]`, which is a likelihood already.
pub struct SmartTurn {
    model: OnnxModel,
    spectrum: Arc<dyn RealToComplex<f32>>,
    hann: Vec<f32>,
    filters: Vec<f32>,
}

impl SmartTurn {
    /// Loads the model file `smart_turn.onnx`.
    ///
    /// # Errors
    /// When the file is missing or is another model.
    pub fn load(runtime: OnnxRuntime, model: &Path) -> Result<Self, OnnxError> {
        let inputs = [OnnxInput::F32 { name: "input_features", shape: &[1, BANDS, FRAMES] }];
        let turn = |at: usize| std::f64::consts::TAU * at as f64 / WINDOW as f64;
        let mut loaded = Self {
            model: OnnxModel::load(runtime, model, &inputs)?,
            spectrum: RealFftPlanner::new().plan_fft_forward(WINDOW),
            hann: (0..WINDOW).map(|at| (0.5 - 0.5 * turn(at).cos()) as f32).collect(),
            filters: mel::filters(BANDS as u32),
        };
        // A model of another kind shows here.
        loaded.likelihood_of_end(&[0.0; SAMPLE_RATE_HZ as usize])?;
        Ok(loaded)
    }

    /// How likely the turn is over that was heard so far, 0.0 ..= 1.0: 16 kHz mono, up to some silence behind the last word.
    ///
    /// # Errors
    /// When the model fails.
    pub fn likelihood_of_end(&mut self, sound: &[f32]) -> Result<f32, OnnxError> {
        let spectrogram = self.spectrogram(sound);
        self.model.input_mut(0).copy_from_slice(&spectrogram);
        let mut likelihood = [0.0];
        self.model.run(&mut [("logits", &mut likelihood)])?;
        Ok(likelihood[0])
    }

    /// `BANDS` rows of `FRAMES` values.
    fn spectrogram(&self, sound: &[f32]) -> Vec<f32> {
        let mut samples = vec![0.0; SAMPLES.saturating_sub(sound.len())];
        samples.extend_from_slice(&sound[sound.len().saturating_sub(SAMPLES)..]);
        let mean = samples.iter().sum::<f32>() / SAMPLES as f32;
        let variance = samples.iter().map(|sample| (sample - mean).powi(2)).sum::<f32>() / SAMPLES as f32;
        let scale = 1.0 / (variance + 1e-7).sqrt();
        samples.iter_mut().for_each(|sample| *sample = (*sample - mean) * scale);
        let mut windowed = vec![0.0_f32; WINDOW];
        let mut bins = vec![Complex::default(); WINDOW / 2 + 1];
        let mut bands = vec![0.0_f32; BANDS * FRAMES];
        for frame in 0..FRAMES {
            let first = (frame * HOP) as isize - (WINDOW / 2) as isize;
            for (at, (sample, weight)) in windowed.iter_mut().zip(&self.hann).enumerate() {
                *sample = weight * samples[mirrored(first + at as isize)];
            }
            if self.spectrum.process(&mut windowed, &mut bins).is_err() {
                // Only for buffers of another length than was planned.
                bins.fill(Complex::default());
            }
            for (band, filter) in self.filters.chunks_exact(mel::BINS as usize).enumerate() {
                let power: f32 = filter.iter().zip(&bins).map(|(weight, bin)| weight * bin.norm_sqr()).sum();
                bands[band * FRAMES + frame] = power.max(1e-10).log10();
            }
        }
        let floor = bands.iter().copied().fold(f32::MIN, f32::max) - 8.0;
        bands.iter_mut().for_each(|band| *band = (band.max(floor) + 4.0) / 4.0);
        bands
    }
}

/// A place in the sound, which is mirrored at its ends.
fn mirrored(at: isize) -> usize {
    let at = at.unsigned_abs();
    if at < SAMPLES { at } else { 2 * (SAMPLES - 1) - at }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn the_sound_is_mirrored_at_its_ends() {
        assert_eq!([mirrored(-3), mirrored(0), mirrored(SAMPLES as isize)], [3, 0, SAMPLES - 2]);
    }

    #[test]
    fn a_whole_sentence_is_likelier_over_than_its_beginning() {
        let Some(mut model) = testing::smart_turn() else { return };
        let whole = testing::flite("slt", "can I have a large coffee with milk and sugar");
        let mut likelihood =
            |sound: &[f32]| model.likelihood_of_end(&[sound, &testing::silence(200)].concat()).expect("run");
        let (over, begun) = (likelihood(&whole), likelihood(&whole[..whole.len() * 6 / 10]));
        assert!(over > 0.5 && over > begun, "{over}, {begun}");
    }
}
