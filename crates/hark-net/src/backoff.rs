//! How long to wait before the next attempt: longer each time, up to a bound, and by chance a little less, so that a
//! house full of nodes does not come back to a restarted server in one instant.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// How waits grow. The wait after the n-th failure, counted from 0, lies between the longer of `shortest` and
/// `1 - jitter` of an upper bound, and that bound: `first * growth^n`, at most `longest`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Policy {
    /// Upper bound of the first wait.
    pub first: Duration,
    /// No wait is longer.
    pub longest: Duration,
    /// Factor on the upper bound for each further failure; 1 or more.
    pub growth: f64,
    /// Share of the upper bound that is left to chance: 0 (none) to 1 (all).
    pub jitter: f64,
    /// No wait is shorter; at most `first`.
    pub shortest: Duration,
}

impl Policy {
    /// For a connection to another program: 1 s up to a bound that doubles from 2 s to 60 s.
    pub const CONNECTION: Self = Self {
        first: Duration::from_secs(2),
        longest: Duration::from_secs(60),
        growth: 2.0,
        jitter: 1.0,
        shortest: Duration::from_secs(1),
    };

    /// The wait after so many earlier failures; `chance` is from 0 to 1.
    fn wait(&self, failures: u32, chance: f64) -> Duration {
        let growth = self.growth.powf(f64::from(failures));
        let longest = (self.first.as_secs_f64() * growth).min(self.longest.as_secs_f64());
        let shortest = (longest * (1.0 - self.jitter)).max(self.shortest.as_secs_f64());
        Duration::from_secs_f64(shortest + chance * (longest - shortest))
    }
}

/// The failures in a row, and from them the next wait.
#[derive(Debug, Clone)]
pub struct Backoff {
    policy: Policy,
    failures: u32,
}

impl Backoff {
    /// Nothing has failed yet.
    pub const fn new(policy: Policy) -> Self {
        Self { policy, failures: 0 }
    }

    /// The wait after one more failure.
    pub fn next_wait(&mut self) -> Duration {
        // Each RandomState has other keys: random numbers without a dependency.
        let chance = RandomState::new().build_hasher().finish();
        let wait = self.policy.wait(self.failures, chance as f64 / u64::MAX as f64);
        self.failures = self.failures.saturating_add(1);
        wait
    }

    /// What failed has proved good: the next wait is a short one again.
    pub fn reset(&mut self) {
        self.failures = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HALF: Policy = Policy {
        first: Duration::from_millis(500),
        longest: Duration::from_secs(8),
        growth: 2.0,
        jitter: 0.5,
        shortest: Duration::ZERO,
    };

    #[test]
    fn bounds_double_up_to_the_longest() {
        let bounds = |policy: Policy| {
            [0, 1, 2, 3, 4, 5, 60, u32::MAX]
                .map(|failures| [0.0, 1.0].map(|chance| policy.wait(failures, chance).as_millis()))
        };
        let upper = [2, 4, 8, 16, 32, 60, 60, 60];
        assert_eq!(bounds(Policy::CONNECTION), upper.map(|seconds| [1000, seconds * 1000]));
        let upper = [500, 1000, 2000, 4000, 8000, 8000, 8000, 8000];
        assert_eq!(bounds(HALF), upper.map(|millis| [millis / 2, millis]));
    }

    #[test]
    fn waits_differ_and_start_short_again_after_a_reset() {
        let mut backoff = Backoff::new(Policy::CONNECTION);
        let waits: Vec<_> = (0..20).map(|_| backoff.next_wait()).collect();
        assert!(waits.iter().any(|wait| *wait != waits[0]));
        backoff.reset();
        assert!(backoff.next_wait() <= Duration::from_secs(2));
    }

    proptest! {
        #[test]
        fn no_wait_leaves_its_bounds(failures: u32, chance in 0.0..=1.0) {
            let seconds = Duration::from_secs;
            prop_assert!((seconds(1)..=seconds(60)).contains(&Policy::CONNECTION.wait(failures, chance)));
            prop_assert!((HALF.first / 2..=HALF.longest).contains(&HALF.wait(failures, chance)));
        }
    }
}
