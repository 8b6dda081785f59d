//! How long to wait before the next attempt to connect: longer each time, and never quite the same, so
//! that a house full of nodes does not come back to a restarted server in one instant.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// Shortest wait.
const MIN_MS: u64 = 1_000;
/// Longest wait.
const MAX_MS: u64 = 60_000;

/// Waits of a growing, jittered length between 1 and 60 s.
#[derive(Debug, Default)]
pub struct Backoff {
    failures: u32,
}

impl Backoff {
    /// The wait after one more failure.
    pub fn next_wait(&mut self) -> Duration {
        // A new RandomState is differently keyed each time: a source of chance without a dependency.
        let chance = RandomState::new().build_hasher().finish();
        let wait_ms = wait_ms(self.failures, chance);
        self.failures = self.failures.saturating_add(1);
        Duration::from_millis(wait_ms)
    }

    /// The connection has proved good: the next wait is a short one again.
    pub fn reset(&mut self) {
        self.failures = 0;
    }
}

/// Between 1 s and an upper bound that doubles from 2 s to 60 s.
fn wait_ms(failures: u32, chance: u64) -> u64 {
    let upper = (2 * MIN_MS).saturating_mul(1 << failures.min(10)).min(MAX_MS);
    MIN_MS + chance % (upper - MIN_MS + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_bound_doubles_up_to_a_minute() {
        let longest = |failures| (0..200_000).map(|chance| wait_ms(failures, chance)).max().unwrap();
        assert_eq!([0, 1, 2, 3, 4, 5, 60].map(longest), [2000, 4000, 8000, 16000, 32000, 60000, 60000]);
    }

    #[test]
    fn waits_differ_and_start_short_again_after_a_reset() {
        let mut backoff = Backoff::default();
        let waits: Vec<_> = (0..20).map(|_| backoff.next_wait()).collect();
        assert!(waits.iter().any(|wait| *wait != waits[0]));
        backoff.reset();
        assert!(backoff.next_wait() <= Duration::from_secs(2));
    }

    proptest! {
        #[test]
        fn never_below_a_second_nor_above_a_minute(failures: u32, chance: u64) {
            prop_assert!((1_000..=60_000).contains(&wait_ms(failures, chance)));
        }
    }
}
