//! The "micro frontend" of TensorFlow Lite Micro: sound → 40 features every 10 ms, in whole numbers. microWakeWord's
//! models know speech only as it comes out of this arithmetic, so that every rounding and wrap-around is that of
//! pymicro-features 2.0.2 (tensorflow/lite/experimental/microfrontend/lib).

mod filterbank;
mod fixed_fft;

pub use filterbank::BANDS;
use filterbank::Filterbank;
use fixed_fft::RealFft;

/// Samples from one frame of features to the next: 10 ms at 16 kHz.
pub const STEP_SAMPLES: usize = 160;
/// Samples a frame is made of: 30 ms.
const WINDOW_SAMPLES: usize = 480;
/// Fraction bits of the window.
const WINDOW_BITS: u32 = 12;
/// Bits by which what leaves the filterbank is below the sound's own scale: the FFT divided by 9, and the weights'
/// 12 are 6 after the square root.
const CORRECTION_BITS: u32 = 3;

/// One frame of features.
pub type Frame = [u16; BANDS];

/// The front end and what it remembers of the sound so far.
pub struct MicroFrontend {
    window: [i16; WINDOW_SAMPLES],
    /// The last samples, oldest first; `missing` of them have not come yet.
    sound: [i16; WINDOW_SAMPLES],
    missing: usize,
    fft: RealFft,
    filterbank: Filterbank,
    noise: NoiseReduction,
    gain: GainCurve,
    log: LogTable,
}

impl Default for MicroFrontend {
    fn default() -> Self {
        Self::new()
    }
}

impl MicroFrontend {
    /// A front end that has heard nothing.
    pub fn new() -> Self {
        Self {
            window: hann_window(),
            sound: [0; WINDOW_SAMPLES],
            missing: WINDOW_SAMPLES,
            fft: RealFft::new(),
            filterbank: Filterbank::new(),
            noise: NoiseReduction { estimate: [0; BANDS] },
            gain: GainCurve::new(),
            log: LogTable::new(),
        }
    }

    /// Forgets what was heard.
    pub fn reset(&mut self) {
        self.sound.fill(0);
        self.missing = WINDOW_SAMPLES;
        self.noise.estimate.fill(0);
    }

    /// Takes the next 10 ms; the first two steps have no frame yet.
    pub fn step(&mut self, samples: &[i16; STEP_SAMPLES]) -> Option<Frame> {
        self.sound.copy_within(STEP_SAMPLES.., 0);
        self.sound[WINDOW_SAMPLES - STEP_SAMPLES..].copy_from_slice(samples);
        self.missing = self.missing.saturating_sub(STEP_SAMPLES);
        (self.missing == 0).then(|| self.frame())
    }

    fn frame(&mut self) -> Frame {
        let mut windowed = [0_i16; WINDOW_SAMPLES];
        let mut peak = 0_i16;
        for ((into, sample), weight) in windowed.iter_mut().zip(self.sound).zip(self.window) {
            *into = ((i32::from(sample) * i32::from(weight)) >> WINDOW_BITS) as i16;
            // The lowest number has no counterpart and counts as no peak.
            peak = peak.max(into.wrapping_abs());
        }
        // As loud as 16 bits hold, so that the FFT loses little to rounding.
        let shift = 15 - bit_length(u32::from(peak.unsigned_abs()));
        for sample in &mut windowed {
            *sample <<= shift;
        }
        let mut bands = self.filterbank.magnitudes(self.fft.transform(&windowed), shift);
        self.noise.reduce(&mut bands);
        for (band, noise) in bands.iter_mut().zip(&self.noise.estimate) {
            *band = self.gain.apply(*band, *noise);
        }
        bands.map(|band| self.log.scaled(band << CORRECTION_BITS))
    }
}

/// Bits a number takes; 0 for zero.
const fn bit_length(number: u32) -> u32 {
    u32::BITS - number.leading_zeros()
}

fn hann_window() -> [i16; WINDOW_SAMPLES] {
    let turn = std::f32::consts::PI * 2.0 / WINDOW_SAMPLES as f32;
    std::array::from_fn(|index| {
        // In 64 bits and rounded: the same on every system.
        let cosine = f64::from(turn * (index as f32 + 0.5)).cos() as f32;
        ((0.5 - 0.5 * cosine) * (1 << WINDOW_BITS) as f32 + 0.5).floor() as i16
    })
}

/// Takes the steady part out of every band.
struct NoiseReduction {
    /// Steady part of each band, [`NOISE_BITS`] above the band's own scale.
    estimate: [u32; BANDS],
}

/// Further fraction bits of the estimates.
const NOISE_BITS: u32 = 10;
/// Fraction bits of the shares.
const SHARE_BITS: u32 = 14;
/// Share of a new frame in the estimate, 0.025 and 0.06: even bands follow more slowly than odd ones.
const SMOOTHING: [u64; 2] = [409, 983];
/// Share of a band that is left at least, 0.05.
const MIN_REMAINING: u64 = 819;

impl NoiseReduction {
    fn reduce(&mut self, bands: &mut [u32; BANDS]) {
        for (index, (band, estimate)) in bands.iter_mut().zip(&mut self.estimate).enumerate() {
            let smoothing = SMOOTHING[index % 2];
            let scaled = *band << NOISE_BITS;
            let old = u64::from(*estimate) * ((1 << SHARE_BITS) - smoothing);
            *estimate = ((u64::from(scaled) * smoothing + old) >> SHARE_BITS) as u32;
            let floor = ((u64::from(*band) * MIN_REMAINING) >> SHARE_BITS) as u32;
            *band = (scaled.saturating_sub(*estimate) >> NOISE_BITS).max(floor);
        }
    }
}

/// Per-channel energy normalisation (PCAN): the louder a band's noise, the less the band is amplified. The gain is
/// (noise + 80)^−0.95, drawn as one parabola for every doubling of the noise.
struct GainCurve {
    /// Gain at a noise of 0 and 1.
    lowest: [i16; 2],
    /// By the bits of the noise: gain at its start, slope, curvature.
    parabolas: [[i16; 3]; 33],
}

const GAIN_BITS: u32 = 21;
const GAIN_STRENGTH: f32 = 0.95;
const GAIN_OFFSET: f32 = 80.0;
/// Fraction bits of the ratio of signal to noise.
const SNR_BITS: u32 = 12;
/// Fraction bits of what comes out.
const OUTPUT_BITS: u32 = 6;
/// Fraction bits with which a place within a parabola is given.
const PLACE_BITS: u32 = 10;

impl GainCurve {
    fn new() -> Self {
        let mut parabolas = [[0; 3]; 33];
        for (bits, parabola) in parabolas.iter_mut().enumerate().skip(2) {
            let start = 1_u32 << (bits - 1);
            let end = start.saturating_mul(2);
            let at_start = gain_at(start);
            let half = i32::from(gain_at(start + start / 2)) - i32::from(at_start);
            let whole = i32::from(gain_at(end)) - i32::from(at_start);
            let slope = 4 * half - whole;
            *parabola = [at_start, slope as i16, (whole - slope) as i16];
        }
        Self { lowest: [gain_at(0), gain_at(1)], parabolas }
    }

    fn gain(&self, noise: u32) -> i16 {
        if noise < 2 {
            return self.lowest[noise as usize];
        }
        let bits = bit_length(noise);
        let [start, slope, curvature] = self.parabolas[bits as usize].map(i32::from);
        let lead = PLACE_BITS + 1;
        let aligned = if bits < lead { noise << (lead - bits) } else { noise >> (bits - lead) };
        let place = (aligned & ((1 << PLACE_BITS) - 1)) as i32;
        let rise = ((curvature * place) >> 5) + (slope << 5);
        (((rise.wrapping_mul(place).wrapping_add(1 << 14)) >> 15) + start) as i16
    }

    fn apply(&self, band: u32, noise: u32) -> u32 {
        let gain = u64::from(self.gain(noise) as u32);
        let snr = (u64::from(band).wrapping_mul(gain) >> (GAIN_BITS - CORRECTION_BITS - SNR_BITS)) as u32;
        // A parabola up to a ratio of 2, its tangent from there.
        if snr < 2 << SNR_BITS {
            (snr * snr) >> (2 + 2 * SNR_BITS - OUTPUT_BITS)
        } else {
            (snr >> (SNR_BITS - OUTPUT_BITS)) - (1 << OUTPUT_BITS)
        }
    }
}

/// The gain at a noise estimate, 2^21 for 1.
fn gain_at(noise: u32) -> i16 {
    let noise = noise as f32 / (1 << (NOISE_BITS - CORRECTION_BITS)) as f32 + GAIN_OFFSET;
    let power = f64::from(noise).powf(f64::from(-GAIN_STRENGTH)) as f32;
    // Above the range of 16 bits it saturates.
    ((1 << GAIN_BITS) as f32 * power + 0.5) as i16
}

/// Natural logarithm by a table of what log2(1 + x) is above x.
struct LogTable {
    above: [i32; LOG_SEGMENTS + 1],
}

const LOG_SEGMENT_BITS: u32 = 7;
const LOG_SEGMENTS: usize = 1 << LOG_SEGMENT_BITS;
/// Fraction bits of logarithms.
const LOG_BITS: u32 = 16;
/// ln 2.
const LOG_COEFFICIENT: u64 = 45_426;
/// Fraction bits of a feature.
const FEATURE_BITS: u32 = 6;

impl LogTable {
    fn new() -> Self {
        let above = |index: usize| {
            let x = index as f64 / LOG_SEGMENTS as f64;
            (((1.0 + x).log2() - x) * f64::from(1 << LOG_BITS)).round() as i32
        };
        Self { above: std::array::from_fn(above) }
    }

    /// 64 times the logarithm; 0 for what is below 2.
    fn scaled(&self, value: u32) -> u16 {
        if value < 2 {
            return 0;
        }
        let whole = value.ilog2();
        let rest = value - (1 << whole);
        let fraction = if whole < LOG_BITS { rest << (LOG_BITS - whole) } else { rest >> (whole - LOG_BITS) };
        let segment_bits = LOG_BITS - LOG_SEGMENT_BITS;
        let segment = (fraction >> segment_bits) as usize;
        let (from, to) = (self.above[segment], self.above[segment + 1]);
        let place = (fraction & ((1 << segment_bits) - 1)) as i32;
        // The reference divides by the whole scale instead of that of a segment; the models were trained so.
        let above = from + (((to - from) * place) >> LOG_BITS);
        let log2 = (whole << LOG_BITS).wrapping_add(fraction).wrapping_add_signed(above);
        let half = 1_u32 << (LOG_BITS - 1);
        let natural = ((LOG_COEFFICIENT * u64::from(log2) + u64::from(half)) >> LOG_BITS) as u32;
        let scaled = ((natural << FEATURE_BITS) + half) >> LOG_BITS;
        u16::try_from(scaled).unwrap_or(u16::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// What pymicro-features 2.0.2 gives, made by `golden.py` beside it.
    #[derive(serde::Deserialize)]
    struct Golden {
        /// A voice in 6 bits a sample.
        speech: String,
        features: BTreeMap<String, Vec<Vec<u16>>>,
    }

    fn golden() -> Golden {
        serde_json::from_str(include_str!("micro_frontend/golden.json")).expect("golden.json")
    }

    fn frames(frontend: &mut MicroFrontend, sound: &[i16]) -> Vec<Vec<u16>> {
        sound.as_chunks().0.iter().filter_map(|step| frontend.step(step)).map(Vec::from).collect()
    }

    /// As in `golden.py`.
    fn noise(count: usize, peak: u64) -> Vec<i16> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (((state >> 48) % (2 * peak + 1)) as i32 - peak as i32) as i16
        };
        (0..count).map(|_| next()).collect()
    }

    fn sound_of(name: &str, speech: &str) -> Vec<i16> {
        match name {
            "speech" => speech.bytes().map(|letter| (i16::from(letter) - 48 - 32) * 512).collect(),
            "noise" => noise(8000, 20_000),
            "faint noise" => noise(4000, 3),
            "full-scale square" => {
                (0..6400).map(|i| if i / 40 % 2 == 0 { i16::MAX } else { i16::MIN }).collect()
            }
            "lowest value" => vec![i16::MIN; 2400],
            "silence" => vec![0; 1600],
            other => panic!("golden.json has a sound {other} that this test does not know"),
        }
    }

    #[test]
    fn features_are_those_of_pymicro_features() {
        let golden = golden();
        assert_eq!(golden.features.len(), 6);
        for (name, expected) in &golden.features {
            let got = frames(&mut MicroFrontend::new(), &sound_of(name, &golden.speech));
            assert_eq!(got.len(), expected.len(), "{name}");
            for (index, (got, expected)) in got.iter().zip(expected).enumerate() {
                assert_eq!(got, expected, "frame {index} of {name}");
            }
        }
    }

    #[test]
    fn nothing_is_left_of_a_sound_after_a_reset() {
        let sound = sound_of("speech", &golden().speech);
        let mut frontend = MicroFrontend::new();
        let first = frames(&mut frontend, &sound);
        assert_ne!(frames(&mut frontend, &sound), first, "it remembers the noise");
        frontend.reset();
        assert_eq!(frames(&mut frontend, &sound), first);
    }

    #[test]
    fn a_frame_needs_three_steps() {
        let mut frontend = MicroFrontend::new();
        let got: Vec<bool> = (0..4).map(|_| frontend.step(&[0; STEP_SAMPLES]).is_some()).collect();
        assert_eq!(got, [false, false, true, true]);
    }

    #[test]
    fn any_sound_has_features() {
        for (count, peak) in [(1, 1), (1, 32_767), (37, 12_345), (161, 32_000)] {
            let mut sound = Vec::new();
            for (index, level) in noise(4800, peak).into_iter().enumerate() {
                sound.push(if index / count % 2 == 0 { level } else { i16::MIN });
            }
            assert_eq!(frames(&mut MicroFrontend::new(), &sound).len(), 28);
        }
    }
}
