//! What happens to timers when the wall clock is set: a timer keeps its length, an alarm its time of day, and nothing rings
//! twice. Detects jumps of the clock and changes of the time zone.

use super::{MAX_AHEAD_MS, Timers};
use crate::zone::Zone;
use hark_core::Fault;
use hark_core::timer::{Timer, TimerState};

/// The wall clock and a steady one may drift apart by this much between two looks; more is a jump.
const JUMP_MS: i64 = 2_000;

/// A ring counts against a repetition only while the clock is back by less than this: later it was set wrong.
const SAME_DAY_MS: i64 = 25 * 3600 * 1000;

/// Finds out when the wall clock is set, by one that never is and that goes on while the machine sleeps.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClockJumpDetector {
    last: Option<(i64, i64)>,
}

impl ClockJumpDetector {
    /// Takes both clocks at one moment, in milliseconds; answers by how much the wall clock was set since the last
    /// look, when it was.
    pub fn check(&mut self, wall_ms: i64, steady_ms: i64) -> Option<i64> {
        let before = self.last.replace((wall_ms, steady_ms));
        let (wall_before, steady_before) = before?;
        let jump = (wall_ms - wall_before) - (steady_ms - steady_before);
        (jump.abs() >= JUMP_MS).then_some(jump)
    }
}

/// Finds out when the house gets another time zone, or other rules of summer time.
#[derive(Debug, Clone, Copy, Default)]
pub struct ZoneChangeDetector {
    last: Option<[i64; 4]>,
}

impl ZoneChangeDetector {
    /// Whether clocks here are ahead of UTC by something else than at the last look, now or in the seasons to come.
    /// True as well when only the season has changed, which moves nothing.
    pub fn check(&mut self, zone: Zone, now_unix_ms: i64) -> bool {
        const SEASON_MS: i64 = 91 * 24 * 3600 * 1000;
        let ahead = [0, 1, 2, 3].map(|season| zone.offset_ms(now_unix_ms + season * SEASON_MS));
        self.last.replace(ahead).is_some_and(|before| before != ahead)
    }
}

impl Timers {
    /// The wall clock was set by `jump_ms`. What was set by its length moves with it, be it a timer, an alarm or a
    /// reminder, also what was snoozed; what was meant for a time of day stays there, and what repeats is put at the
    /// next fitting one.
    ///
    /// # Errors
    /// When it could not be kept; here it counts all the same.
    pub fn clock_was_set(&self, jump_ms: i64, now_unix_ms: i64) -> Result<(), Fault> {
        self.settle(now_unix_ms, |timer| {
            if timer.wall.is_none() {
                timer.due_unix_ms = timer.due_unix_ms.saturating_add(jump_ms);
                timer.created_unix_ms = timer.created_unix_ms.saturating_add(jump_ms);
            }
        })
    }

    /// Puts what was meant for a time of day at that time as clocks show it here now, and what repeats at the next
    /// fitting one, where a clock that was wrong for a while has put it too far ahead.
    ///
    /// # Errors
    /// As [`Timers::clock_was_set`].
    pub fn put_right(&self, now_unix_ms: i64) -> Result<(), Fault> {
        self.settle(now_unix_ms, |_| {})
    }

    fn settle(&self, now_unix_ms: i64, shift: impl Fn(&mut Timer)) -> Result<(), Fault> {
        let rings = self.store.rings()?;
        let rang = |timer: &Timer| {
            let ring = rings.iter().find(|ring| ring.timer == timer.id)?;
            (ring.due_unix_ms <= now_unix_ms.saturating_add(SAME_DAY_MS)).then_some(ring.due_unix_ms)
        };
        let (told, kept) = {
            let mut timers = self.lock();
            let mut changes = Vec::new();
            for timer in timers.iter_mut().filter(|timer| timer.state == TimerState::Running) {
                let mut changed = timer.clone();
                shift(&mut changed);
                if let Some(due_unix_ms) = changed.wall.as_deref().and_then(|wall| self.zone.of_wall(wall)) {
                    changed.due_unix_ms = due_unix_ms;
                }
                self.bring_back(&mut changed, rang(timer), now_unix_ms);
                if changed != *timer {
                    changes.push((std::mem::replace(timer, changed.clone()), Some(changed)));
                }
            }
            if changes.is_empty() {
                return Ok(());
            }
            let kept = self.store.replace(&changes);
            (changes.into_iter().filter_map(|(_, after)| after).collect::<Vec<_>>(), kept)
        };
        for timer in &told {
            self.tell(hark_core::timer::TimerChange::Updated, timer);
        }
        kept.map(|_| ())
    }

    fn bring_back(&self, timer: &mut Timer, rang_unix_ms: Option<i64>, now_unix_ms: i64) {
        let Some(rule) = timer.recurrence.as_deref() else { return };
        let set = timer.created_unix_ms.min(now_unix_ms);
        let skipped = timer.skipped.as_deref().and_then(|wall| self.zone.of_wall(wall));
        // Further ahead it was skipped while the clock was wrong.
        let skipped = skipped.filter(|skipped| *skipped <= now_unix_ms.saturating_add(MAX_AHEAD_MS));
        let after = [rang_unix_ms, skipped].into_iter().flatten().fold(now_unix_ms, i64::max);
        let next = self.zone.next(rule, set, after);
        if let Some(next) = next.filter(|next| *next < timer.due_unix_ms) {
            timer.due_unix_ms = next;
            timer.wall = self.zone.wall_of(next);
            timer.created_unix_ms = set;
        }
    }
}

#[cfg(test)]
#[path = "clock_changes_tests.rs"]
mod tests;
