//! The FFT of the micro frontend: 512 real samples in 16 bits, as a complex one of 256 with radix 4 (the way of
//! kissfft with 16-bit numbers, whose roundings it has).

use std::array;

/// Samples it transforms; what is missing counts as silence.
const SAMPLES: usize = 512;
/// Length of the complex transform inside.
const HALF: usize = SAMPLES / 2;
/// Frequencies that come out, from 0 up to half the sample rate.
pub(super) const BINS: usize = HALF + 1;
/// Fraction bits of 1.0.
const FRACTION_BITS: u32 = 15;
const ONE: i16 = i16::MAX;

/// A complex number in 16 bits; sums wrap around.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Complex {
    pub(super) re: i16,
    pub(super) im: i16,
}

impl Complex {
    /// The number of length 1 at an angle.
    fn at(angle: f64) -> Self {
        let part = |value: f64| (0.5 + f64::from(ONE) * value).floor() as i16;
        Self { re: part(angle.cos()), im: part(angle.sin()) }
    }

    fn plus(self, other: Self) -> Self {
        Self { re: self.re.wrapping_add(other.re), im: self.im.wrapping_add(other.im) }
    }

    fn minus(self, other: Self) -> Self {
        Self { re: self.re.wrapping_sub(other.re), im: self.im.wrapping_sub(other.im) }
    }

    /// Times −i.
    fn turned_back(self) -> Self {
        Self { re: self.im, im: self.re.wrapping_neg() }
    }

    fn conjugate(self) -> Self {
        Self { re: self.re, im: self.im.wrapping_neg() }
    }

    fn times(self, other: Self) -> Self {
        let product = |a: i16, b: i16| i32::from(a) * i32::from(b);
        Self {
            re: rounded(product(self.re, other.re).wrapping_sub(product(self.im, other.im))),
            im: rounded(product(self.re, other.im).wrapping_add(product(self.im, other.re))),
        }
    }

    /// Divided, so that the sum of as many still fits.
    fn over(self, divisor: i16) -> Self {
        let share = i32::from(ONE / divisor);
        Self { re: rounded(i32::from(self.re) * share), im: rounded(i32::from(self.im) * share) }
    }
}

/// A product of two fractions as a fraction again.
fn rounded(product: i32) -> i16 {
    (product.wrapping_add(1 << (FRACTION_BITS - 1)) >> FRACTION_BITS) as i16
}

/// The transform with its tables.
pub(super) struct RealFft {
    twiddles: [Complex; HALF],
    /// For the step from the complex transform to that of the real samples.
    real_twiddles: [Complex; HALF / 2],
    work: [Complex; HALF],
    bins: [Complex; BINS],
}

impl RealFft {
    pub(super) fn new() -> Self {
        use std::f64::consts::PI;
        Self {
            twiddles: array::from_fn(|index| Complex::at(-2.0 * PI * index as f64 / HALF as f64)),
            real_twiddles: array::from_fn(|index| {
                Complex::at(-PI * ((index + 1) as f64 / HALF as f64 + 0.5))
            }),
            work: [Complex::default(); HALF],
            bins: [Complex::default(); BINS],
        }
    }

    /// The spectrum of up to [`SAMPLES`] samples, divided by their count.
    pub(super) fn transform(&mut self, samples: &[i16]) -> &[Complex; BINS] {
        let sample = |index: usize| samples.get(index).copied().unwrap_or(0);
        for (index, into) in self.work.iter_mut().enumerate() {
            let from = digits_reversed(index);
            *into = Complex { re: sample(2 * from), im: sample(2 * from + 1) };
        }
        let mut quarter = 1;
        while quarter < HALF {
            for block in self.work.chunks_exact_mut(quarter * 4) {
                merge(block, &self.twiddles);
            }
            quarter *= 4;
        }
        self.unpack();
        &self.bins
    }

    /// From the transform of pairs of samples to that of the samples.
    fn unpack(&mut self) {
        let sums = self.work[0].over(2);
        self.bins[0] = Complex { re: sums.re.wrapping_add(sums.im), im: 0 };
        self.bins[HALF] = Complex { re: sums.re.wrapping_sub(sums.im), im: 0 };
        let half = |value: i32| (value >> 1) as i16;
        for low in 1..=HALF / 2 {
            let high = HALF - low;
            let (a, b) = (self.work[low].over(2), self.work[high].conjugate().over(2));
            let even = a.plus(b);
            let odd = a.minus(b).times(self.real_twiddles[low - 1]);
            let [even_re, even_im, odd_re, odd_im] = [even.re, even.im, odd.re, odd.im].map(i32::from);
            self.bins[low] = Complex { re: half(even_re + odd_re), im: half(even_im + odd_im) };
            self.bins[high] = Complex { re: half(even_re - odd_re), im: half(odd_im - even_im) };
        }
    }
}

/// The place with its four digits to the base of 4 in reverse: where the sample comes from.
fn digits_reversed(index: usize) -> usize {
    (index & 3) << 6 | (index >> 2 & 3) << 4 | (index >> 4 & 3) << 2 | index >> 6
}

/// Makes one transform of the four of its quarters.
fn merge(block: &mut [Complex], twiddles: &[Complex; HALF]) {
    let quarter = block.len() / 4;
    let stride = HALF / block.len();
    for place in 0..quarter {
        let at = |part: usize| place + part * quarter;
        let part = |index: usize| block[at(index)].over(4);
        let turned = |index: usize| part(index).times(twiddles[index * place * stride]);
        let (a, b, c, d) = (part(0), turned(1), turned(2), turned(3));
        let (ac, bd) = (a.plus(c), b.plus(d));
        let (a_c, b_d) = (a.minus(c), b.minus(d).turned_back());
        block[at(0)] = ac.plus(bd);
        block[at(1)] = a_c.plus(b_d);
        block[at(2)] = ac.minus(bd);
        block[at(3)] = a_c.minus(b_d);
    }
}
