//! When a device that is away is looked for again.

use std::time::{Duration, Instant};

/// Shortest pause between two attempts, right after a loss.
const SHORTEST: Duration = Duration::from_millis(250);
/// Longest pause for a device that was there since the start: it is expected back.
const LONGEST_LOST: Duration = Duration::from_secs(5);
/// Longest pause for a device that never was there.
const LONGEST_NEVER: Duration = Duration::from_secs(30);
/// The pause is this fraction of the time the device has been away: quick while somebody may be at
/// the plug or a sound server restarts (0.5 s after half a minute), slow later.
const FRACTION: u32 = 60;

/// The pauses for one device. An attempt costs a few milliseconds, measured with a sound server that is
/// not there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BackOff {
    away_since: Instant,
    was_there: bool,
}

impl BackOff {
    /// For a device that has not been seen yet.
    pub(crate) fn new(now: Instant) -> Self {
        Self { away_since: now, was_there: false }
    }

    /// The device works; the next loss begins with short pauses.
    pub(crate) fn is_there(&mut self, now: Instant) {
        *self = Self { away_since: now, was_there: true };
    }

    /// How long to wait before the next attempt.
    pub(crate) fn pause(&self, now: Instant) -> Duration {
        let longest = if self.was_there { LONGEST_LOST } else { LONGEST_NEVER };
        (now.saturating_duration_since(self.away_since) / FRACTION).clamp(SHORTEST, longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_short_after_a_loss_and_grow() {
        let begun = Instant::now();
        let mut back_off = BackOff::new(begun);
        let pause_ms =
            |back_off: BackOff, after_s| back_off.pause(begun + Duration::from_secs(after_s)).as_millis();
        assert_eq!([0, 15, 60, 600, 86_400].map(|s| pause_ms(back_off, s)), [250, 250, 1000, 10_000, 30_000]);
        back_off.is_there(begun + Duration::from_secs(100));
        assert_eq!([100, 160, 700, 86_400].map(|s| pause_ms(back_off, s)), [250, 1000, 5000, 5000]);
    }
}
