//! One ranking out of several: by words, by sentence vectors, by the graph. What was told lately comes before what is as good
//! and older.

use hark_core::fusion::reciprocal_ranks;

/// What being new adds at most: less than a place at the top of one ranking, more than a place far behind.
const NEW: f32 = 0.002;

/// Milliseconds after which what being new adds has halved: a month.
const HALF_LIFE_MS: f32 = 30.0 * 86_400_000.0;

/// Puts rankings together, the best first. Each has a weight and ids in order; `age_ms` tells how old a fact is, in
/// milliseconds.
pub fn fuse(rankings: &[(f32, Vec<i64>)], age_ms: impl Fn(i64) -> i64) -> Vec<i64> {
    let scores = reciprocal_ranks(rankings.iter().map(|(weight, ids)| (*weight, ids.as_slice())));
    let newness = |id: i64| NEW * (-(age_ms(id).max(0) as f32) / HALF_LIFE_MS).exp2();
    let mut all: Vec<(i64, f32)> = scores.into_iter().map(|(id, score)| (id, score + newness(id))).collect();
    // Equal scores in the order they were told, the newest first, so that the same question has the same answer.
    all.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
    all.into_iter().map(|(id, _)| id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_rankings_find_comes_first_and_then_the_newer() {
        let day = 86_400_000;
        let fused = fuse(&[(1.0, vec![1, 2, 3]), (1.0, vec![2, 4])], |_| 0);
        assert_eq!(fused, [2, 1, 4, 3]);
        // Of two at the same place the newer one.
        let fused = fuse(&[(1.0, vec![1]), (1.0, vec![2])], |id| if id == 1 { 0 } else { 300 * day });
        assert_eq!(fused, [1, 2]);
        // Being new does not make up for not being meant.
        let fused = fuse(&[(1.0, vec![1, 2]), (1.0, vec![1])], |id| if id == 2 { 0 } else { 900 * day });
        assert_eq!(fused, [1, 2]);
        assert!(fuse(&[], |_| 0).is_empty());
    }
}
