//! Which jokes were told since the start, so that none comes twice while others are left.

use super::random::one_of;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// What was told since the start.
#[derive(Debug, Default)]
pub struct JokesTold(Mutex<HashMap<&'static str, Vec<usize>>>);

impl JokesTold {
    /// The number of a joke of `count` that was not told yet; when all were, any but the last one.
    pub(super) fn next(&self, language: &'static str, count: usize) -> usize {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let told = told.entry(language).or_default();
        if told.len() >= count {
            *told = told.pop().into_iter().filter(|_| count > 1).collect();
        }
        let left: Vec<usize> = (0..count).filter(|joke| !told.contains(joke)).collect();
        let at = usize::try_from(one_of(left.len() as u64)).unwrap_or(0);
        let joke = left.get(at).copied().unwrap_or(0);
        told.push(joke);
        joke
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_joke_is_told_before_one_comes_again() {
        let told = JokesTold::default();
        let all: Vec<usize> = (0..40).map(|_| told.next("en", 4)).collect();
        assert_eq!(all.iter().take(4).collect::<HashSet<_>>().len(), 4, "each once: {all:?}");
        assert!(all.windows(2).all(|two| two[0] != two[1]), "never twice in a row: {all:?}");
        // Every three from the fifth on are told before one of them comes again.
        assert!(
            all[4..].chunks_exact(3).all(|three| three.iter().collect::<HashSet<_>>().len() == 3),
            "{all:?}"
        );
        assert_eq!(told.next("de", 1), 0);
        assert_eq!(told.next("de", 1), 0);
    }
}
