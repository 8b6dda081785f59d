//! The wall clock is set, and the program died: timers keep their length.

use super::*;
use crate::test_stores::InMemoryTimers;
use crate::timers::{NewTimer, TimerError, left_ms};
use chrono::Offset;
use hark_core::timer::TimerKind;
use std::sync::Arc;

/// 2026-11-18 11:06:40 UTC, and no full minute.
const T0: i64 = 1_795_000_000_000;
const MIN: u64 = 60_000;

fn timers() -> Timers {
    Timers::load(Arc::new(InMemoryTimers::default()), 0).unwrap().in_zone(Zone::Fixed(chrono::Utc.fix()))
}

fn new(duration_ms: u64) -> NewTimer {
    NewTimer { duration_ms, ..NewTimer::default() }
}

#[test]
fn a_reminder_that_was_set_by_its_length_and_what_was_snoozed_move_with_the_clock() {
    let timers = timers();
    let now = T0;
    let hour = 3_600_000;
    let soon = |kind, minutes: i64| NewTimer {
        kind,
        due_unix_ms: Some(now + minutes * 60_000),
        ..NewTimer::default()
    };
    timers.start(soon(TimerKind::Reminder, 5), now).unwrap();
    timers.start(soon(TimerKind::Alarm, 6), now).unwrap();
    let daily =
        NewTimer { recurrence: Some("FREQ=DAILY;BYHOUR=20;BYMINUTE=0".into()), ..soon(TimerKind::Alarm, 0) };
    timers.start(NewTimer { due_unix_ms: Some(now), by_the_wall: true, ..daily }, now - hour).unwrap();
    timers.ring_due(now);
    timers.snooze(7 * MIN, now).unwrap();
    let left = |now: i64| timers.all().iter().map(|timer| left_ms(timer, now) / MIN).collect::<Vec<_>>();
    assert_eq!(left(now), [5, 6, 7]);
    timers.clock_was_set(-hour, now - hour).unwrap();
    assert_eq!(left(now - hour), [5, 6, 7], "an hour back");
    timers.clock_was_set(2 * hour, now + hour).unwrap();
    assert_eq!(left(now + hour), [5, 6, 7], "two hours forward");
}

#[test]
fn what_was_asked_for_before_the_program_died_is_due_as_if_it_had_been_set_then() {
    let timers = timers();
    let asked = T0 - 60_000;
    let from =
        |key: &str, asked: i64| NewTimer { key: key.into(), asked_unix_ms: Some(asked), ..new(MIN / 2) };
    let late = timers.start(from("a", asked), T0).unwrap();
    assert_eq!((late.due_unix_ms, late.created_unix_ms), (asked + 30_000, T0));
    assert_eq!(timers.start(from("a", asked), T0 + 5).unwrap(), late, "once");
    let at = NewTimer { key: "b".into(), due_unix_ms: Some(T0 - 1), asked_unix_ms: Some(asked), ..new(0) };
    timers.start(at.clone(), T0).unwrap();
    assert_eq!(timers.ring_due(T0).len(), 2, "both ring at once");
    let passed = NewTimer { key: "c".into(), asked_unix_ms: None, ..at };
    assert_eq!(timers.start(passed, T0), Err(TimerError::TimePassed), "nobody asks for what has passed");
    // The clock was set back in between: no later than if it was asked for now.
    let back = timers.start(from("d", T0 + 3_600_000), T0).unwrap();
    assert_eq!(back.due_unix_ms, T0 + 30_000);
}

#[test]
fn a_time_that_was_skipped_stays_skipped_when_the_clock_or_the_zone_changes() {
    let hour = 3_600_000;
    for rule in ["FREQ=DAILY;BYHOUR=7;BYMINUTE=0", "FREQ=WEEKLY;BYDAY=TU;BYHOUR=7;BYMINUTE=0", "0 7 * * *"] {
        let store = Arc::new(InMemoryTimers::default());
        let utc = Zone::Fixed(chrono::Utc.fix());
        let timers = Timers::load(store.clone(), T0).unwrap().in_zone(utc);
        let first = utc.next(rule, T0, T0).unwrap();
        let alarm =
            NewTimer { due_unix_ms: Some(first), recurrence: Some(rule.into()), by_the_wall: true, ..new(0) };
        let set = timers.start(NewTimer { kind: TimerKind::Alarm, ..alarm }, T0).unwrap();
        let next = timers.skip(&set.id, T0).unwrap().due_unix_ms;
        assert_eq!(next, utc.next(rule, T0, first).unwrap(), "{rule}");
        timers.clock_was_set(hour, T0 + hour).unwrap();
        timers.clock_was_set(-2 * hour, T0 - hour).unwrap();
        assert_eq!(timers.all()[0].due_unix_ms, next, "{rule}");
        let west = Zone::Fixed(chrono::FixedOffset::west_opt(5 * 3600).unwrap());
        let there = Timers::load(store, T0).unwrap().in_zone(west);
        there.put_right(T0).unwrap();
        assert_eq!(there.all()[0].due_unix_ms, next + 5 * hour, "{rule}");
        // Skipped while the clock was years ahead, it comes when the clock is right again.
        let later = T0 + 4 * 366 * 24 * hour;
        there.ring_due(later);
        there.acknowledge_all(later).unwrap();
        there.skip(&set.id, later).unwrap();
        there.put_right(T0).unwrap();
        assert!(there.all()[0].due_unix_ms < later, "{rule}");
    }
}
