//! The mel filters that Whisper and the speaker encoder were trained with: triangles on Slaney's scale, each of the same
//! area, for spectra of 400 samples at 16 kHz.

/// Bins of a spectrum of 400 samples.
pub const BINS: u32 = 201;
/// Highest frequency, half of the sample rate.
const TOP_HZ: f64 = 8000.0;
/// Slaney's scale is linear up to this frequency and logarithmic above it.
const BEND_HZ: f64 = 1000.0;
/// Hertz of one mel in the linear part.
const HZ_A_MEL: f64 = 200.0 / 3.0;
/// Mels at the bend.
const BEND_MELS: f64 = BEND_HZ / HZ_A_MEL;
/// In the logarithmic part 27 mels are a factor of 6.4.
fn step() -> f64 {
    6.4_f64.ln() / 27.0
}

fn mels(hz: f64) -> f64 {
    if hz < BEND_HZ { hz / HZ_A_MEL } else { BEND_MELS + (hz / BEND_HZ).ln() / step() }
}

fn hz(mels: f64) -> f64 {
    if mels < BEND_MELS { mels * HZ_A_MEL } else { BEND_HZ * (step() * (mels - BEND_MELS)).exp() }
}

/// `count` filters of [`BINS`] weights each, the lowest first.
pub fn filters(count: u32) -> Vec<f32> {
    let (low, high) = (mels(0.0), mels(TOP_HZ));
    let spacing = (high - low) / f64::from(count + 1);
    let corner = |number: u32| hz(if number == count + 1 { high } else { f64::from(number) * spacing + low });
    (0..count)
        .flat_map(|filter| {
            let (left, middle, right) = (corner(filter), corner(filter + 1), corner(filter + 2));
            let area = 2.0 / (right - left);
            (0..BINS).map(move |bin| {
                let at = f64::from(bin) * (TOP_HZ / f64::from(BINS - 1));
                // In this order the first weight is a negative zero, as it is where others compute these filters.
                let rising = -(left - at) / (middle - left);
                let falling = (right - at) / (right - middle);
                let weight = rising.min(falling);
                (if weight < 0.0 { 0.0 } else { weight * area }) as f32
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_cover_the_spectrum_with_one_area_each() {
        let filters = filters(80);
        assert_eq!(filters.len(), 80 * BINS as usize);
        assert!(filters.iter().all(|weight| (0.0..0.03).contains(weight)));
        let bin_hz = TOP_HZ / f64::from(BINS - 1);
        for (number, filter) in filters.chunks(BINS as usize).enumerate().skip(40) {
            let area: f64 = filter.iter().map(|weight| f64::from(*weight) * bin_hz).sum();
            assert!((area - 1.0).abs() < 0.1, "filter {number}: {area}");
        }
        assert!((hz(mels(440.0)) - 440.0).abs() < 1e-9 && (hz(mels(4000.0)) - 4000.0).abs() < 1e-9);
    }
}
