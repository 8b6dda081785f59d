//! What understanding one text may cost, counted by everything that works on it. What costs more is not understood at
//! all: half of a sentence must not be acted on.

use std::cell::Cell;
use std::time::Duration;

/// Steps that one text may take. A step is a small piece of work, some hundred nanoseconds at most; a sane request
/// takes a few thousand.
const MAX_STEPS: u64 = 800_000;

/// The clock is looked at each time this many steps were taken.
const STEPS_BETWEEN_LOOKS: u64 = 2_048;

/// Tells how long the thread that asks has worked.
pub type WorkClock = fn() -> Duration;

/// See the module. Belongs to one thread.
#[derive(Debug)]
pub struct Effort {
    /// Steps that are left; none when it is spent.
    left: Cell<u64>,
    /// Until when work may go on, on its clock.
    until: Option<(WorkClock, Cell<Duration>)>,
}

impl Default for Effort {
    /// Bounded by steps alone.
    fn default() -> Self {
        Self { left: Cell::new(MAX_STEPS), until: None }
    }
}

impl Effort {
    /// Bounded by steps, and by a time of work for where they take longer than they should.
    pub fn within(limit: Duration, clock: WorkClock) -> Self {
        Self { until: Some((clock, Cell::new(clock() + limit))), ..Self::default() }
    }

    /// Makes ready what reading needs, such as a model: its time does not count.
    pub fn apart<T>(&self, work: impl FnOnce() -> T) -> T {
        let Some((clock, until)) = &self.until else { return work() };
        let began = clock();
        let done = work();
        until.set(until.get() + clock().saturating_sub(began));
        done
    }

    /// Work that may take at most so many of the steps: where it would take more it finds nothing, and the rest goes on.
    pub fn share<T>(&self, most: u64, work: impl FnOnce(&Self) -> T) -> T {
        let most = most.min(self.left.get());
        let until = self.until.as_ref().map(|(clock, until)| (*clock, Cell::new(until.get())));
        let part = Self { left: Cell::new(most), until };
        let done = work(&part);
        // What was made ready meanwhile does not count here either.
        if let (Some((_, until)), Some((_, later))) = (&self.until, &part.until) {
            until.set(later.get());
        }
        self.spend(most - part.left.get());
        done
    }

    /// Takes some steps; false when nothing is left.
    pub fn spend(&self, steps: u64) -> bool {
        let before = self.left.get();
        let mut left = before.saturating_sub(steps);
        let looks = before / STEPS_BETWEEN_LOOKS != left / STEPS_BETWEEN_LOOKS;
        if let Some((clock, until)) = &self.until
            && looks
            && clock() > until.get()
        {
            left = 0;
        }
        self.left.set(left);
        left > 0
    }

    /// Whether nothing is left: then whatever was found counts for nothing.
    pub fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// Steps that are left.
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// Steps that were taken; all of them when it is spent.
    pub fn steps(&self) -> u64 {
        MAX_STEPS - self.left.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_that_is_spent_leaves_the_rest() {
        let effort = Effort::default();
        let spent = effort.share(10, |part| {
            part.spend(20);
            part.is_spent()
        });
        assert!(spent && !effort.is_spent());
        assert_eq!(effort.steps(), 10);
    }

    #[test]
    fn it_is_spent_by_steps_or_by_time() {
        let effort = Effort::default();
        assert!(effort.spend(MAX_STEPS - 1) && !effort.is_spent());
        assert!(!effort.spend(1) && effort.is_spent() && effort.steps() == MAX_STEPS);
        thread_local!(static WORKED: Cell<u64> = const { Cell::new(0) });
        let timed = Effort::within(Duration::from_secs(1), || Duration::from_secs(WORKED.get()));
        assert!(timed.spend(2 * STEPS_BETWEEN_LOOKS));
        timed.apart(|| WORKED.set(2));
        assert!(timed.spend(2 * STEPS_BETWEEN_LOOKS), "what was apart does not count");
        WORKED.set(4);
        assert!(!timed.spend(2 * STEPS_BETWEEN_LOOKS) && timed.is_spent());
    }
}
