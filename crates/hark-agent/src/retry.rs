//! How long to wait before a busy server is asked again: twice as long each time, and never quite the same.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// Upper bound of the first wait.
const FIRST_MS: u64 = 500;
/// Upper bound of any wait.
const MOST_MS: u64 = 8_000;

/// The wait after this many failures, the first being 0.
pub(super) fn wait(failures: u32) -> Duration {
    // A new RandomState is differently keyed each time: a source of chance without a dependency.
    let chance = RandomState::new().build_hasher().finish();
    Duration::from_millis(wait_ms(failures, chance))
}

/// Between half of an upper bound that doubles, and all of it.
fn wait_ms(failures: u32, chance: u64) -> u64 {
    let upper = FIRST_MS.saturating_mul(1 << failures.min(10)).min(MOST_MS);
    upper / 2 + chance % (upper / 2 + 1)
}

/// Whether a status means that the same may go well a moment later.
pub(super) fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502..=599)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_bound_doubles_up_to_its_end() {
        let longest = |failures| (0..20_000).map(|chance| wait_ms(failures, chance)).max().unwrap();
        assert_eq!([0, 1, 2, 3, 4, 5, 99].map(longest), [500, 1000, 2000, 4000, 8000, 8000, 8000]);
        let waits: Vec<Duration> = (0..30).map(|_| wait(3)).collect();
        assert!(waits.iter().any(|other| *other != waits[0]), "jitter");
    }

    #[test]
    fn only_what_passes_is_tried_again() {
        assert!([429, 500, 502, 503, 504, 529].into_iter().all(is_passing));
        assert!(![200, 302, 400, 401, 403, 404, 413, 422, 501].into_iter().any(is_passing));
    }

    proptest! {
        #[test]
        fn a_wait_is_at_least_half_its_bound(failures: u32, chance: u64) {
            prop_assert!((FIRST_MS / 2..=MOST_MS).contains(&wait_ms(failures, chance)));
        }
    }
}
