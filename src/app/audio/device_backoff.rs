//! How long to wait before a sound device that is away is opened again. An attempt costs a few milliseconds, measured
//! with a sound server that is not there, so the waits grow slowly, by a sixtieth each time: 0.75 s after half a minute
//! away, while the device may be being plugged in or its server restarted, and seconds later on.

use hark_net::backoff::Policy;
use std::time::Duration;

/// For a device that has been there since the start: it is expected back.
pub(crate) const LOST: Policy = Policy { longest: Duration::from_secs(5), ..NEVER_THERE };

/// For a device that has never been there.
pub(crate) const NEVER_THERE: Policy = Policy {
    first: Duration::from_millis(250),
    longest: Duration::from_secs(30),
    growth: 61.0 / 60.0,
    jitter: 0.0,
    shortest: Duration::ZERO,
};

#[cfg(test)]
mod tests {
    use super::*;
    use hark_net::backoff::Backoff;

    /// Waits in milliseconds of the first attempt after so many seconds away.
    fn waits<const N: usize>(policy: Policy, away_s: [u64; N]) -> [u128; N] {
        let (mut backoff, mut away) = (Backoff::new(policy), Duration::ZERO);
        away_s.map(|seconds| {
            loop {
                let wait = backoff.next_wait();
                if away >= Duration::from_secs(seconds) {
                    return wait.as_millis();
                }
                away += wait;
            }
        })
    }

    #[test]
    fn waits_are_short_after_a_loss_and_grow() {
        // The first attempt comes up to one wait after the moment.
        let near = |found: u128, expected: u128| (expected..=expected + expected / 30).contains(&found);
        for (policy, expected) in
            [(NEVER_THERE, [250, 750, 1250, 10_250, 30_000]), (LOST, [250, 750, 1250, 5000, 5000])]
        {
            let found = waits(policy, [0, 30, 60, 600, 86_400]);
            assert!(found.iter().zip(expected).all(|(found, expected)| near(*found, expected)), "{found:?}");
        }
    }
}
