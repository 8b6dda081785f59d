//! How much may be asked for: tokens that are taken out of a bucket, which fills evenly up to its capacity. The caller
//! brings the time.

use std::time::{Duration, Instant};

/// A bucket of tokens. A token is what the owner makes of it: a request, a sample, a token of a language model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenBucket {
    capacity: f64,
    /// Tokens gained a second.
    rate: f64,
    left: f64,
    at: Instant,
}

impl TokenBucket {
    /// A full bucket of `capacity` tokens, which gains `rate` a second.
    pub const fn full(capacity: f64, rate: f64, now: Instant) -> Self {
        Self { capacity, rate, left: capacity, at: now }
    }

    /// A bucket that holds `left` of its `capacity` tokens and is full after `full_in`.
    pub fn partly_full(capacity: f64, left: f64, full_in: Duration, now: Instant) -> Self {
        let left = left.clamp(0.0, capacity);
        Self { capacity, rate: (capacity - left) / full_in.as_secs_f64().max(0.001), left, at: now }
    }

    /// Tokens it holds at most.
    pub const fn capacity(&self) -> f64 {
        self.capacity
    }

    /// When it was last asked.
    pub const fn asked_at(&self) -> Instant {
        self.at
    }

    /// How long until it is full if it was emptied when it was last asked.
    pub fn full_in(&self) -> Duration {
        seconds(self.capacity / self.rate)
    }

    /// How long until it holds `cost` tokens if none is taken; more than its capacity never comes ([`Duration::MAX`]).
    pub fn wait(&mut self, cost: f64, now: Instant) -> Duration {
        let gained = self.rate * now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + gained).min(self.capacity);
        self.at = now;
        if self.left >= cost {
            Duration::ZERO
        } else if cost > self.capacity {
            Duration::MAX
        } else {
            seconds((cost - self.left) / self.rate)
        }
    }

    /// Takes `cost` tokens.
    ///
    /// # Errors
    /// The time until there are as many; none is taken then.
    pub fn take(&mut self, cost: f64, now: Instant) -> Result<(), Duration> {
        let wait = self.wait(cost, now);
        if !wait.is_zero() {
            return Err(wait);
        }
        self.left -= cost;
        Ok(())
    }
}

/// More than a [`Duration`] holds, as of a bucket that gains nothing, is its longest.
fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tokens_come_back_evenly_up_to_the_capacity() {
        let now = Instant::now();
        let mut bucket = TokenBucket::full(10.0, 2.0, now);
        assert_eq!(bucket.take(9.0, now), Ok(()));
        assert_eq!(bucket.take(3.0, now), Err(Duration::from_secs(1)));
        assert_eq!(bucket.take(3.0, now + Duration::from_secs(1)), Ok(()));
        assert_eq!(bucket.wait(10.0, now + Duration::from_secs(3600)), Duration::ZERO);
        assert_eq!(bucket.take(11.0, now + Duration::from_secs(3600)), Err(Duration::MAX));
        let mut dry = TokenBucket::full(1.0, 0.0, now);
        assert_eq!((dry.take(1.0, now), dry.take(1.0, now)), (Ok(()), Err(Duration::MAX)));
    }

    proptest! {
        #[test]
        fn what_was_waited_for_is_there(
            capacity in 1u32..10_000, left in 0u32..20_000, full_in_ms in 0u64..100_000, cost in 1u32..10_000
        ) {
            let (now, full_in) = (Instant::now(), Duration::from_millis(full_in_ms));
            let mut bucket = TokenBucket::partly_full(capacity.into(), left.into(), full_in, now);
            let cost = f64::from(cost.min(capacity));
            if let Err(wait) = bucket.take(cost, now) {
                prop_assert!(wait <= Duration::from_millis(full_in_ms.max(1) + 1));
                prop_assert_eq!(bucket.take(cost, now + wait + Duration::from_micros(10)), Ok(()));
            }
        }
    }
}
