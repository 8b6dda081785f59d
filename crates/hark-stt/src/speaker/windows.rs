//! What the speaker encoder hears of an utterance: pauses are left out, then windows of a power mel spectrogram as
//! Resemblyzer computes it with librosa (40 bands, 25 ms of sound each 10 ms). `models/speaker/frontend.py` is the same in
//! Python.

use hark_core::SAMPLE_RATE_HZ;
use hark_models::mel;
use hark_models::speaker_encoder::{BANDS, WINDOW_FRAMES};
use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};
use std::sync::Arc;

/// Samples of a frame's spectrum.
const FRAME: usize = 400;
/// Samples from one frame to the next.
const HOP: usize = 160;
/// Frames from one window to the next: 1.3 windows a second.
const STEP: usize = 77;
/// Pauses are found in blocks of so many samples.
const BLOCK: usize = 512;
/// Blocks of so many decibels below the loud ones are a pause …
const QUIET_DB: f32 = 30.0;
/// … but for so many blocks before and behind speech.
const MARGIN: usize = 2;
/// What is quieter is raised to this level on average; the model was trained so.
const LEVEL_DBFS: f32 = -30.0;
/// Less speech than this says too little of a voice.
const MIN: usize = SAMPLE_RATE_HZ as usize * 6 / 10;
/// More speech than this says no more of it.
const MAX: usize = SAMPLE_RATE_HZ as usize * 8;

/// Makes windows of sound.
pub struct Windows {
    spectrum: Arc<dyn RealToComplex<f32>>,
    hann: Vec<f32>,
    /// `BANDS` filters of `mel::BINS` weights.
    filters: Vec<f32>,
}

impl Default for Windows {
    fn default() -> Self {
        let turn = |at: usize| std::f64::consts::TAU * at as f64 / FRAME as f64;
        Self {
            spectrum: RealFftPlanner::new().plan_fft_forward(FRAME),
            hann: (0..FRAME).map(|at| (0.5 - 0.5 * turn(at).cos()) as f32).collect(),
            filters: mel::filters(BANDS as u32),
        }
    }
}

impl Windows {
    /// The windows of an utterance (16 kHz mono), each of `WINDOW_FRAMES × BANDS` numbers; `None` where too little was said.
    pub fn of(&self, sound: &[f32]) -> Option<Vec<f32>> {
        if sound.len() < MIN {
            return None;
        }
        let mut speech = without_pauses(sound);
        speech.truncate(MAX);
        if speech.len() < MIN {
            return None;
        }
        let gain = gain(sound);
        speech.iter_mut().for_each(|sample| *sample *= gain);
        let starts = starts(speech.len());
        let frames = starts.last().map_or(0, |start| start + WINDOW_FRAMES);
        speech.resize(speech.len().max(frames * HOP), 0.0);
        let bands = self.frames(&speech, frames);
        let window = |start: usize| &bands[start * BANDS..(start + WINDOW_FRAMES) * BANDS];
        Some(starts.into_iter().flat_map(window).copied().collect())
    }

    /// Mel bands of the first `count` frames, each round its place.
    fn frames(&self, sound: &[f32], count: usize) -> Vec<f32> {
        let mut windowed = vec![0.0_f32; FRAME];
        let mut bins = vec![Complex::default(); FRAME / 2 + 1];
        let mut bands = Vec::with_capacity(count * BANDS);
        for frame in 0..count {
            let first = (frame * HOP) as isize - (FRAME / 2) as isize;
            for (at, (sample, weight)) in windowed.iter_mut().zip(&self.hann).enumerate() {
                let place = usize::try_from(first + at as isize).ok();
                *sample = weight * place.and_then(|place| sound.get(place)).copied().unwrap_or(0.0);
            }
            if self.spectrum.process(&mut windowed, &mut bins).is_err() {
                // Only for buffers of another length than was planned.
                bins.fill(Complex::default());
            }
            let filters = self.filters.chunks_exact(mel::BINS as usize);
            bands.extend(filters.map(|filter| {
                filter.iter().zip(&bins).map(|(weight, bin)| weight * bin.norm_sqr()).sum::<f32>()
            }));
        }
        bands
    }
}

fn power(sound: &[f32]) -> f32 {
    sound.iter().map(|sample| sample * sample).sum::<f32>() / sound.len().max(1) as f32
}

/// What raises sound to `LEVEL_DBFS`; at least 1.
fn gain(sound: &[f32]) -> f32 {
    (hark_audio::amplitude_of_db(LEVEL_DBFS) / (power(sound) + 1e-12).sqrt()).max(1.0)
}

/// The blocks that are not `QUIET_DB` below the loud ones, and those round them.
fn without_pauses(sound: &[f32]) -> Vec<f32> {
    let blocks: Vec<&[f32]> = sound.chunks_exact(BLOCK).collect();
    let powers: Vec<f32> = blocks.iter().map(|block| power(block)).collect();
    let mut sorted = powers.clone();
    sorted.sort_by(f32::total_cmp);
    let Some(loud) = sorted.get(sorted.len().saturating_sub(1) * 95 / 100) else { return Vec::new() };
    let least = loud * 10_f32.powf(-QUIET_DB / 10.0);
    let is_kept = |at: usize| {
        let round = at.saturating_sub(MARGIN)..(at + MARGIN + 1).min(powers.len());
        powers[round].iter().any(|power| *power > least)
    };
    (0..blocks.len()).filter(|at| is_kept(*at)).flat_map(|at| blocks[at]).copied().collect()
}

/// First frames of the windows over so many samples; the last is left out unless three quarters of it are sound.
fn starts(samples: usize) -> Vec<usize> {
    let frames = (samples + 1).div_ceil(HOP);
    let end = (frames + STEP + 1).saturating_sub(WINDOW_FRAMES).max(1);
    let mut starts: Vec<usize> = (0..end).step_by(STEP).collect();
    if let Some(last) = starts.last().filter(|_| starts.len() > 1)
        && samples.saturating_sub(last * HOP) * 4 < WINDOW_FRAMES * HOP * 3
    {
        starts.pop();
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// `probe` of `models/speaker/frontend.py`.
    fn probe() -> Vec<f32> {
        let tau = std::f64::consts::TAU;
        let mut turned = 0.0;
        (0..4 * 16_000)
            .map(|at| {
                turned += 120.0 + 40.0 * (tau * f64::from(at) / 9000.0).sin();
                let phase = tau * turned / 16_000.0;
                let voice: f64 =
                    (1..20).map(|number| (f64::from(number) * phase).sin() / f64::from(number)).sum();
                let is_pause = at > 12_000 && at < 20_000;
                let level = if is_pause { 0.0 } else { 0.02 * (1.0 + (tau * f64::from(at) / 4000.0).sin()) };
                (voice * level) as f32
            })
            .collect()
    }

    #[test]
    fn windows_are_those_of_the_python_package() {
        let wanted: Value = serde_json::from_str(include_str!("windows.json")).unwrap();
        let made = Windows::default().of(&probe()).unwrap();
        let size = WINDOW_FRAMES * BANDS;
        assert_eq!(made.len(), size * wanted["windows"].as_u64().unwrap() as usize);
        let sum = wanted["sum"].as_f64().unwrap();
        let ours: f64 = made.iter().map(|band| f64::from(*band)).sum();
        assert!((ours - sum).abs() < sum * 1e-4, "{ours} and {sum}");
        for value in wanted["values"].as_array().unwrap() {
            let at = |place: usize| value[place].as_u64().unwrap() as usize;
            let (window, frame, band) = (at(0), at(1), at(2));
            let (ours, theirs) =
                (f64::from(made[window * size + frame * BANDS + band]), value[3].as_f64().unwrap());
            assert!(
                (ours - theirs).abs() < 1e-3 * theirs + 1e-7,
                "{window} {frame} {band}: {ours} and {theirs}"
            );
        }
    }

    #[test]
    fn too_little_speech_has_no_windows() {
        let windows = Windows::default();
        assert!(windows.of(&[]).is_none() && windows.of(&[0.1; 9_000]).is_none());
        let mut click = vec![0.0; 32_000];
        click[10_000..12_000].fill(0.5);
        assert!(windows.of(&click).is_none(), "a click in silence");
    }

    #[test]
    fn long_speech_is_heard_in_part() {
        let long: Vec<f32> = (0..16_000 * 30).map(|at| (at as f32 * 0.05).sin() * 0.1).collect();
        let made = Windows::default().of(&long).unwrap();
        assert_eq!(made.len() / (WINDOW_FRAMES * BANDS), 9);
    }
}
