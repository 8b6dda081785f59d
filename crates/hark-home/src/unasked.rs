//! When Hark may speak by itself of what it watches: not while nothing is to be said unasked, and not too often. No clock in
//! here: every call is told the time, in milliseconds since the Unix epoch.

use std::sync::atomic::{AtomicI64, Ordering};

/// The limits, and when something was said last.
pub struct Unasked {
    is_quiet: Box<dyn Fn() -> bool + Send + Sync>,
    min_interval_ms: i64,
    last_unix_ms: AtomicI64,
}

impl Unasked {
    /// Nothing while `is_quiet` says so, and otherwise once in `min_interval_min` minutes.
    pub fn new(is_quiet: impl Fn() -> bool + Send + Sync + 'static, min_interval_min: u32) -> Self {
        Self {
            is_quiet: Box::new(is_quiet),
            min_interval_ms: i64::from(min_interval_min) * 60_000,
            last_unix_ms: AtomicI64::new(i64::MIN),
        }
    }

    /// Whether nothing is to be said unasked now.
    pub fn is_quiet(&self) -> bool {
        (self.is_quiet)()
    }

    /// Whether something may be said now; then it counts as said.
    pub fn take(&self, now_unix_ms: i64) -> bool {
        let last = self.last_unix_ms.load(Ordering::SeqCst);
        // A clock that was set back must not hold it for good.
        let is_late = last
            .checked_add(self.min_interval_ms)
            .is_none_or(|next| now_unix_ms >= next || now_unix_ms < last);
        let may = (last == i64::MIN || is_late) && !self.is_quiet();
        if may {
            self.last_unix_ms.store(now_unix_ms, Ordering::SeqCst);
        }
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn it_speaks_seldom_and_not_while_it_is_quiet() {
        let quiet = Arc::new(AtomicBool::new(true));
        let told = Arc::clone(&quiet);
        let unasked = Unasked::new(move || told.load(Ordering::SeqCst), 5);
        assert!(!unasked.take(1_000));
        quiet.store(false, Ordering::SeqCst);
        assert!(unasked.take(2_000));
        assert!(!unasked.take(2_001) && !unasked.take(301_999));
        assert!(unasked.take(302_000));
        assert!(unasked.take(10), "the clock was set back");
        let often = Unasked::new(|| false, 0);
        assert!(often.take(1) && often.take(1));
    }
}
