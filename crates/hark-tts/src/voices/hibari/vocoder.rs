//! From what the hibari network says of each frame to samples: a pulse train of the pitch, filtered by the harmonic part,
//! plus shaped noise, plus a part with a phase of its own, through one inverse short-time Fourier transform.
//!
//! `S = exp(lh)·e^(iπ·tanh θ)·STFT(pulses(f0)) + exp(ln)·Z + exp(lr)·e^(iφ)`, after the published description of hibari.

use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use realfft::num_complex::Complex;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use std::f32::consts::PI;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Rate of the samples.
pub(super) const RATE_HZ: u32 = 24_000;

/// Samples of a frame's transform, and from one frame to the next.
const SIZE: usize = 1200;
const HOP: usize = 300;

/// Frequencies of a frame.
pub(super) const BINS: usize = SIZE / 2 + 1;

/// Hops that a frame reaches over.
const OVERLAP: usize = SIZE / HOP;

/// Frames below this pitch have no pulses.
const LOWEST_PITCH_HZ: f32 = 40.0;

/// Harmonics reach up to here.
const HIGHEST_HARMONIC_HZ: f32 = 11_000.0;

/// Frames of a piece: 200 ms. The sink can end the work between two pieces.
const PIECE_FRAMES: usize = 16;

/// Outputs of the network. The parts are `[BINS, frames]` one row after the other, `f0` is `[frames]`.
pub(super) struct Frames<'a> {
    pub(super) harmonic_level: &'a [f32],
    pub(super) harmonic_phase: &'a [f32],
    pub(super) noise_level: &'a [f32],
    pub(super) free_level: &'a [f32],
    pub(super) free_phase: &'a [f32],
    pub(super) f0: &'a [f32],
}

/// Plans and tables; one for a voice.
pub(super) struct Vocoder {
    forward: Arc<dyn RealToComplex<f32>>,
    inverse: Arc<dyn ComplexToReal<f32>>,
    window: Vec<f32>,
    /// Squares of the window, hop by hop, summed over the frames that reach there.
    window_power: Vec<f32>,
}

impl Vocoder {
    pub(super) fn new() -> Self {
        let mut planner = RealFftPlanner::new();
        let turn = 2.0 * PI / SIZE as f32;
        let window: Vec<f32> = (0..SIZE).map(|n| 0.5 - 0.5 * (turn * n as f32).cos()).collect();
        let window_power = window.iter().map(|value| value * value).collect();
        Self {
            forward: planner.plan_fft_forward(SIZE),
            inverse: planner.plan_fft_inverse(SIZE),
            window,
            window_power,
        }
    }

    /// Makes `frames.f0.len() * HOP` samples and hands them over in pieces. The same frames give the same samples.
    pub(super) fn run(&self, frames: &Frames<'_>, sink: &mut dyn FnMut(&[f32]) -> ControlFlow<()>) {
        let count = frames.f0.len();
        let pulses = pulses(frames.f0);
        let mut noise = Xoshiro256PlusPlus::seed_from_u64(1);
        let (mut block, mut spectrum) = (self.forward.make_input_vec(), self.forward.make_output_vec());
        // What frames have added from the next block on, of which the first hop is whole after each frame.
        let mut sum = vec![0.0_f32; SIZE];
        let mut piece = Vec::with_capacity((PIECE_FRAMES + OVERLAP) * HOP);
        for hop in 0..count + OVERLAP / 2 {
            if hop < count {
                self.pulse_spectrum(&pulses, hop, &mut block, &mut spectrum);
                shape(frames, hop, &mut spectrum, &mut noise);
                // Neither length differs from the plan's, and both ends are real: it cannot fail.
                if self.inverse.process(&mut spectrum, &mut block).is_err() {
                    return;
                }
                for ((sum, sample), window) in sum.iter_mut().zip(&block).zip(&self.window) {
                    *sum += sample * window / SIZE as f32;
                }
            }
            // Sound begins in the middle of the first frame.
            if hop >= OVERLAP / 2 {
                let reaching = hop.saturating_sub(count - 1)..=hop.min(OVERLAP - 1);
                piece.extend(sum[..HOP].iter().enumerate().map(|(at, sample)| {
                    let power: f32 = reaching.clone().map(|k| self.window_power[k * HOP + at]).sum();
                    sample / power.max(1e-11)
                }));
            }
            sum.copy_within(HOP.., 0);
            sum[SIZE - HOP..].fill(0.0);
            if piece.len() >= PIECE_FRAMES * HOP {
                if sink(&piece).is_break() {
                    return;
                }
                piece.clear();
            }
        }
        if !piece.is_empty() {
            // It is over either way.
            let _: ControlFlow<()> = sink(&piece);
        }
    }

    /// The transform of the pulses around the middle of frame `hop`; beyond both ends they are mirrored.
    fn pulse_spectrum(&self, pulses: &[f32], hop: usize, block: &mut [f32], spectrum: &mut [Complex<f32>]) {
        let last = pulses.len() as isize - 1;
        let start = (hop * HOP) as isize - (SIZE / 2) as isize;
        for ((n, value), window) in block.iter_mut().enumerate().zip(&self.window) {
            let at = (start + n as isize).abs();
            let at = if at > last { 2 * last - at } else { at };
            // A unit harmonic then has a magnitude of one in the spectrum.
            *value = pulses[at.clamp(0, last) as usize] * window / (SIZE / 4) as f32;
        }
        if self.forward.process(block, spectrum).is_err() {
            spectrum.fill(Complex::default());
        }
    }
}

/// Turns the spectrum of the pulses into that of the sound of frame `at`.
fn shape(frames: &Frames<'_>, at: usize, spectrum: &mut [Complex<f32>], noise: &mut Xoshiro256PlusPlus) {
    let count = frames.f0.len();
    // What the network says of loudness is bounded, so that no input makes it deafening.
    let level = |log: f32| log.min(7.0).exp();
    for (bin, value) in spectrum.iter_mut().enumerate() {
        let at = bin * count + at;
        let filter =
            Complex::from_polar(level(frames.harmonic_level[at]), PI * frames.harmonic_phase[at].tanh());
        let (re, im): (f32, f32) = (StandardNormal.sample(noise), StandardNormal.sample(noise));
        let free = Complex::from_polar(level(frames.free_level[at]), frames.free_phase[at]);
        *value = *value * filter + Complex::new(re, im) * level(frames.noise_level[at]) + free;
    }
    // The first and the last frequency of a real signal have no phase.
    if let [first, .., last] = spectrum {
        (first.im, last.im) = (0.0, 0.0);
    }
}

/// A band-limited pulse train: every harmonic of the pitch at unit amplitude, as the closed form of the sum of their
/// cosines. `f0` has one value in Hz a frame, and is interpolated between the middles of the frames.
fn pulses(f0: &[f32]) -> Vec<f32> {
    let mut phase = 0.0_f64;
    let mut samples = Vec::with_capacity(f0.len() * HOP);
    for (frame, &here) in f0.iter().enumerate() {
        let before = f0[frame.saturating_sub(1)];
        let after = f0[(frame + 1).min(f0.len() - 1)];
        for n in 0..HOP {
            let from_middle = (n as f32 + 0.5) / HOP as f32 - 0.5;
            let neighbour = if from_middle < 0.0 { before } else { after };
            let pitch = here + (neighbour - here) * from_middle.abs();
            let voiced = pitch > LOWEST_PITCH_HZ;
            let pitch = pitch.max(LOWEST_PITCH_HZ);
            phase = (phase + f64::from(pitch) / f64::from(RATE_HZ)).fract();
            let angle = (phase * std::f64::consts::TAU) as f32;
            let order = (HIGHEST_HARMONIC_HZ / pitch).floor() + 0.5;
            let half = 2.0 * (angle / 2.0).sin();
            // Near a pulse the quotient goes to its limit.
            let pulse = if half.abs() <= 2e-3 { order } else { (order * angle).sin() / half };
            samples.push(if voiced { pulse - 0.5 } else { 0.0 });
        }
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames of a steady tone of `f0` Hz with these levels.
    fn sound(f0: f32, count: usize, harmonic: f32, noise: f32, free: f32) -> Vec<f32> {
        let (harmonic, noise) = (vec![harmonic; BINS * count], vec![noise; BINS * count]);
        let (free, zero, f0) = (vec![free; BINS * count], vec![0.0; BINS * count], vec![f0; count]);
        let frames = Frames {
            harmonic_level: &harmonic,
            harmonic_phase: &zero,
            noise_level: &noise,
            free_level: &free,
            free_phase: &zero,
            f0: &f0,
        };
        let mut samples = Vec::new();
        Vocoder::new().run(&frames, &mut |piece| {
            samples.extend_from_slice(piece);
            ControlFlow::Continue(())
        });
        samples
    }

    const SILENT: f32 = -40.0;

    #[test]
    fn a_flat_filter_gives_the_pulses_back() {
        let count = 40;
        let samples = sound(200.0, count, (SIZE as f32 / 4.0).ln(), SILENT, SILENT);
        let wanted = pulses(&vec![200.0; count]);
        assert_eq!(samples.len(), count * HOP);
        for (at, (sample, wanted)) in samples.iter().zip(&wanted).enumerate().skip(SIZE).take(8 * HOP) {
            assert!((sample - wanted).abs() < 0.01, "sample {at}: {sample} for {wanted}");
        }
    }

    #[test]
    fn pulses_come_with_the_pitch_and_reach_no_further_than_their_band() {
        let samples = pulses(&[240.0; 8]);
        let peaks = samples.windows(3).filter(|w| w[1] > w[0] && w[1] >= w[2] && w[1] > 20.0).count();
        assert!((23..=24).contains(&peaks), "{peaks} in 0.1 s of 240 Hz");
        assert!(samples.iter().all(|sample| sample.abs() <= HIGHEST_HARMONIC_HZ / 240.0 + 1.0));
        assert!(pulses(&[0.0; 8]).iter().all(|sample| *sample == 0.0), "no pitch, no pulse");
    }

    #[test]
    fn noise_is_the_same_each_time_and_bounded() {
        let samples = sound(0.0, 20, SILENT, 1.0, SILENT);
        assert_eq!(samples, sound(0.0, 20, SILENT, 1.0, SILENT));
        assert!(samples.iter().any(|sample| *sample != 0.0));
        assert!(sound(100.0, 4, 1e9, 1e9, 1e9).iter().all(|sample| sample.is_finite()));
    }

    #[test]
    fn few_frames_and_an_early_end_are_fine() {
        for count in 1..6 {
            assert_eq!(sound(150.0, count, 0.0, 0.0, 0.0).len(), count * HOP);
        }
        let (flat, f0) = (vec![0.0; BINS * 64], vec![120.0; 64]);
        let frames = Frames {
            harmonic_level: &flat,
            harmonic_phase: &flat,
            noise_level: &flat,
            free_level: &flat,
            free_phase: &flat,
            f0: &f0,
        };
        let mut pieces = 0;
        Vocoder::new().run(&frames, &mut |_| {
            pieces += 1;
            ControlFlow::Break(())
        });
        assert_eq!(pieces, 1);
    }
}
