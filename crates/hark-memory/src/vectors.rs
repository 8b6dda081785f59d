//! Sentence vectors in one byte a number, compared all with one: ten thousand take a millisecond or two; and words with the
//! vector of each.

use hark_core::memory::Vectors;

/// A word with its meaning in its sentence; without an encoder it has none.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Word {
    pub(crate) plain: String,
    pub(crate) meaning: Vec<f32>,
    /// Its place among the words of the sentence.
    pub(crate) at: usize,
}

/// The cosine of two vectors of length 1.
pub(crate) fn dot_of(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// A vector of length 1 in bytes, -127 to 127 for -1 to 1.
pub(crate) fn to_int8(vector: &[f32]) -> Vec<u8> {
    vector.iter().map(|number| ((number.clamp(-1.0, 1.0) * 127.0).round() as i8).cast_unsigned()).collect()
}

/// The facts whose cosine with `query`, as [`to_int8`] gives it, is at least `least`, the nearest first.
pub(crate) fn nearest(all: &Vectors, query: &[u8], least: f32, most: usize) -> Vec<(i64, f32)> {
    if query.is_empty() {
        return Vec::new();
    }
    let length = norm(query);
    let rows = all.ids.iter().zip(all.numbers.chunks_exact(query.len()));
    let cosine = |row: &[u8]| dot(row, query) as f32 / (norm(row) * length).max(f32::MIN_POSITIVE);
    let mut found: Vec<(i64, f32)> =
        rows.map(|(id, row)| (*id, cosine(row))).filter(|(_, cosine)| *cosine >= least).collect();
    found.sort_by(|one, other| other.1.total_cmp(&one.1));
    found.truncate(most);
    found
}

fn dot(one: &[u8], other: &[u8]) -> i32 {
    let pairs = one.iter().zip(other);
    pairs.map(|(a, b)| i32::from(a.cast_signed()) * i32::from(b.cast_signed())).sum()
}

fn norm(vector: &[u8]) -> f32 {
    (dot(vector, vector) as f32).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first_and_the_far_not_at_all() {
        let rows = [[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [-1.0, 0.0]];
        let numbers = rows.iter().flat_map(|row| to_int8(row)).collect();
        let all = Vectors { ids: vec![1, 2, 3, 4], numbers, ..Vectors::default() };
        let found = nearest(&all, &to_int8(&[1.0, 0.0]), 0.5, 10);
        assert_eq!(found.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [1, 2]);
        assert!((found[1].1 - 0.8).abs() < 0.01);
        assert!(nearest(&all, &[], 0.0, 10).is_empty());
    }
}
