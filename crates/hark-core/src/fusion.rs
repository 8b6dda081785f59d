//! One ranking out of several: reciprocal rank fusion (Cormack et al. 2009). Scores of different kinds cannot be compared, so
//! that places are. Used by the search in documents and the recall of facts.

use std::collections::HashMap;

/// How much the first places of a ranking count more than those behind.
const K: f32 = 60.0;

/// What each id gets of rankings, which have a weight and ids in order, the best first.
///
/// ```
/// let scores = hark_core::fusion::reciprocal_ranks([(1.0, &[3_i64, 7][..]), (1.0, &[7, 9])]);
/// assert!(scores[&7] > scores[&3] && scores[&3] > scores[&9]);
/// ```
pub fn reciprocal_ranks<'a>(rankings: impl IntoIterator<Item = (f32, &'a [i64])>) -> HashMap<i64, f32> {
    let mut scores: HashMap<i64, f32> = HashMap::new();
    for (weight, ids) in rankings {
        for (place, id) in ids.iter().enumerate() {
            *scores.entry(*id).or_default() += weight / (K + 1.0 + place as f32);
        }
    }
    scores
}
