//! The filterbank of the micro frontend: 40 overlapping triangles from 125 to 7500 Hz, evenly spaced on the mel scale.

use super::fixed_fft::{BINS, Complex};

/// Bands that come out.
pub const BANDS: usize = 40;
const LOWEST_HZ: f32 = 125.0;
const HIGHEST_HZ: f32 = 7500.0;
const HZ_PER_BIN: f32 = 8000.0 / (BINS - 1) as f32;
/// Fraction bits of the weights.
const WEIGHT_BITS: u32 = 12;

/// Frequencies whose weights are one step off: log1pf of the C libraries that the models were trained with (glibc up
/// to 2.40) errs in its last bit there.
const ONE_STEP_OFF: [usize; 2] = [149, 221];

/// One frequency lies on the rising side of one triangle and on the falling side of the one before.
struct Bin {
    /// Of the rising side; [`BANDS`] above the last.
    band: usize,
    rising: u64,
    falling: u64,
}

/// The triangles.
pub(super) struct Filterbank {
    /// The first frequency in use.
    first: usize,
    bins: Vec<Bin>,
}

impl Filterbank {
    pub(super) fn new() -> Self {
        let (lowest, highest) = (mel(LOWEST_HZ), mel(HIGHEST_HZ));
        let spacing = (highest - lowest) / (BANDS + 1) as f32;
        let centre = |band: usize| lowest + spacing * (band + 1) as f32;
        // Without what is no sound but an offset.
        let first = (1.5 + LOWEST_HZ / HZ_PER_BIN) as usize;
        let mut bins = Vec::new();
        for band in 0..=BANDS {
            let below = if band == 0 { lowest } else { centre(band - 1) };
            loop {
                let bin = first + bins.len();
                let at = mel(bin as f32 * HZ_PER_BIN);
                if at > centre(band) {
                    break;
                }
                let falling = (centre(band) - at) / (centre(band) - below);
                let off = u64::from(ONE_STEP_OFF.contains(&bin));
                bins.push(Bin { band, rising: weight(1.0 - falling) - off, falling: weight(falling) + off });
            }
        }
        Self { first, bins }
    }

    /// Square roots of the energy in the bands; `shift`: by how many bits the sound was made louder.
    pub(super) fn magnitudes(&self, spectrum: &[Complex; BINS], shift: u32) -> [u32; BANDS] {
        let mut energies = [0_u64; BANDS];
        for (bin, value) in self.bins.iter().zip(&spectrum[self.first..]) {
            let square = |part: i16| i32::from(part) * i32::from(part);
            // A sum above 31 bits comes out as a very large number: what is then heard is clipped anyway.
            let energy = i64::from(square(value.re).wrapping_add(square(value.im))) as u64;
            let mut add = |band: Option<usize>, weight: u64| {
                if let Some(into) = band.and_then(|band| energies.get_mut(band)) {
                    *into = into.wrapping_add(weight.wrapping_mul(energy));
                }
            };
            add(bin.band.checked_sub(1), bin.falling);
            add(Some(bin.band), bin.rising);
        }
        energies.map(|energy| rounded_root(energy) >> shift)
    }
}

/// The mel scale.
fn mel(hz: f32) -> f32 {
    // In 64 bits and rounded: the same on every system.
    1127.0 * (f64::from(hz / 700.0).ln_1p() as f32)
}

fn weight(share: f32) -> u64 {
    (share * (1 << WEIGHT_BITS) as f32 + 0.5).floor() as u64
}

/// The square root, rounded where there is room.
fn rounded_root(energy: u64) -> u32 {
    let root = energy.isqrt();
    let up = energy - root * root > root && root != u64::from(u16::MAX) && root != u64::from(u32::MAX);
    (root + u64::from(up)) as u32
}
