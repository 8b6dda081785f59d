//! Chance: one of several, each as likely.

use uuid::Uuid;

/// One of 0 … `count` − 1, each as likely; 0 where there is no choice.
pub(super) fn one_of(count: u64) -> u64 {
    // The random bits of a version 4 UUID below its variant: 62, so that the remainder favours nothing that could be noticed.
    let (_, low) = Uuid::new_v4().as_u64_pair();
    (low & (u64::MAX >> 2)).checked_rem(count).unwrap_or(0)
}
