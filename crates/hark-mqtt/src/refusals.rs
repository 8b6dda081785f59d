//! How often messages that are refused are told: each, until there are too many.

use std::time::{Duration, Instant};

/// So many may be told in a row …
const BURST: u32 = 10;
/// … and one more after each of these.
const ONE_EVERY: Duration = Duration::from_secs(6);

/// Counts what may still be told.
#[derive(Debug)]
pub struct Refusals {
    left: u32,
    /// Up to here what was earned is in `left`.
    earned_until: Instant,
}

impl Refusals {
    /// All of them may be told.
    pub fn new(now: Instant) -> Self {
        Self { left: BURST, earned_until: now }
    }

    /// Whether one more may be told now; it counts as told.
    pub fn may_tell(&mut self, now: Instant) -> bool {
        let earned = now.saturating_duration_since(self.earned_until).as_secs() / ONE_EVERY.as_secs();
        let earned = u32::try_from(earned).unwrap_or(BURST);
        if earned >= BURST - self.left {
            (self.left, self.earned_until) = (BURST, now);
        } else {
            self.left += earned;
            self.earned_until += ONE_EVERY * earned;
        }
        let may = self.left > 0;
        self.left = self.left.saturating_sub(1);
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_told_ten_times_and_then_now_and_again() {
        let begin = Instant::now();
        let mut refusals = Refusals::new(begin);
        let told = |refusals: &mut Refusals, at_s: u64, count: usize| {
            (0..count).filter(|_| refusals.may_tell(begin + Duration::from_secs(at_s))).count()
        };
        assert_eq!(told(&mut refusals, 0, 1000), 10);
        assert_eq!(told(&mut refusals, 5, 1000), 0);
        assert_eq!(told(&mut refusals, 6, 1000), 1);
        assert_eq!(told(&mut refusals, 31, 1000), 4);
        assert_eq!(told(&mut refusals, 100_000, 1000), 10);
    }
}
