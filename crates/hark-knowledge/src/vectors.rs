//! Vectors in few bytes: int8 for sentences, one bit a number for words and for the first pass over everything.

/// Bytes that `dimension` bits take.
pub(crate) fn code_bytes(dimension: usize) -> usize {
    dimension.div_ceil(8)
}

/// A vector as int8, scaled so that the largest number is 127. Its length is lost; its direction is not.
pub(crate) fn to_int8(vector: &[f32]) -> Vec<u8> {
    let largest = vector.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
    let scale = if largest > 0.0 { 127.0 / largest } else { 0.0 };
    vector.iter().map(|number| ((number * scale).round() as i8).cast_unsigned()).collect()
}

/// The signs of a vector, eight a byte, the first number in the lowest bit.
pub(crate) fn to_bits(vector: &[f32]) -> Vec<u8> {
    let byte = |eight: &[f32]| {
        let bits = eight.iter().enumerate().filter(|(_, number)| **number > 0.0);
        bits.fold(0_u8, |byte, (at, _)| byte | 1 << at)
    };
    vector.chunks(8).map(byte).collect()
}

/// In how many bits two codes differ. Inlined, so that it is compiled for what its caller knows of the processor.
#[inline(always)]
pub(crate) fn hamming(one: &[u8], other: &[u8]) -> u32 {
    let (ones, one_rest) = one.as_chunks::<8>();
    let (others, other_rest) = other.as_chunks::<8>();
    let words = ones.iter().zip(others);
    let rest = one_rest.iter().zip(other_rest);
    words.map(|(a, b)| (u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b)).count_ones()).sum::<u32>()
        + rest.map(|(a, b)| (a ^ b).count_ones()).sum::<u32>()
}

/// What a vector of floats has in common with vectors of bits: a sum for every value of every byte, looked up.
pub(crate) struct BitProduct {
    /// `[bytes, 256]`
    sums: Vec<f32>,
}

/// Brings the product with signs to the scale of a cosine: of vectors whose numbers are spread evenly the product
/// with the signs is √(2/π) of the product with the numbers.
const SIGN_SCALE: f32 = 1.253_314;

impl BitProduct {
    pub(crate) fn new(vector: &[f32]) -> Self {
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        let scale = SIGN_SCALE / (length * (vector.len() as f32).sqrt());
        let mut sums = Vec::with_capacity(code_bytes(vector.len()) * 256);
        for eight in vector.chunks(8) {
            sums.extend((0..256_usize).map(|byte| {
                let signed =
                    eight.iter().enumerate().map(|(bit, n)| if byte >> bit & 1 == 1 { *n } else { -n });
                signed.sum::<f32>() * scale
            }));
        }
        Self { sums }
    }

    /// About the cosine; -1.3 to 1.3.
    pub(crate) fn with(&self, code: &[u8]) -> f32 {
        let rows = self.sums.as_chunks::<256>().0;
        rows.iter().zip(code).map(|(row, byte)| row[usize::from(*byte)]).sum()
    }
}

/// The cosine of an int8 vector and one of floats.
pub(crate) fn cosine(query: &[f32], int8: &[u8]) -> f32 {
    let (mut product, mut one, mut other) = (0.0_f32, 0.0_f32, 0.0_f32);
    for (a, b) in query.iter().zip(int8) {
        let b = f32::from(b.cast_signed());
        product += a * b;
        one += a * a;
        other += b * b;
    }
    product / (one * other).sqrt().max(f32::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random and are the same each time.
    fn numbers(seed: u32, count: usize) -> Vec<f32> {
        let mut state = seed.wrapping_mul(2_654_435_761).max(1);
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state as f32 / u32::MAX as f32 - 0.5
        };
        // The sum of some is near to a bell curve.
        (0..count).map(|_| (0..6).map(|_| next()).sum()).collect()
    }

    fn exact(a: &[f32], b: &[f32]) -> f32 {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    }

    #[test]
    fn few_bytes_keep_the_likeness() {
        for seed in 1..20 {
            let a = numbers(seed, 384);
            let noise = numbers(seed + 100, 384);
            let b: Vec<f32> = a.iter().zip(&noise).map(|(a, n)| a + n * seed as f32 * 0.2).collect();
            let likeness = exact(&a, &b);
            assert!((cosine(&a, &to_int8(&b)) - likeness).abs() < 0.01);
            let by_bits = BitProduct::new(&a).with(&to_bits(&b));
            assert!((by_bits - likeness).abs() < 0.15, "{by_bits} {likeness}");
        }
    }

    #[test]
    fn distances_count_bits_of_any_length() {
        let (a, b) = (to_bits(&numbers(1, 100)), to_bits(&numbers(2, 100)));
        let slow: u32 = a.iter().zip(&b).map(|(a, b)| (a ^ b).count_ones()).sum();
        assert_eq!((a.len(), hamming(&a, &b)), (13, slow));
        assert_eq!(to_bits(&[1.0, -1.0, 0.5]), [0b101]);
        assert_eq!(to_int8(&[0.0, 0.0]), [0, 0]);
    }
}
