//! Summer time, other time zones and sleep. The zone of the machine is that of the process, so each story runs in a
//! process of its own, with the rules of central Europe.

use super::*;
use crate::test_stores::InMemoryTimers;
use chrono::{DateTime, FixedOffset, NaiveDateTime};

const MIDDLE_OF_EUROPE: &str = "CET-1CEST,M3.5.0,M10.5.0/3";

/// Runs a story of this module in a process of its own; whether it held.
fn in_zone(story: &str, zone: &str) {
    let story = format!("timers::time_zone_tests::{story}");
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &story, "--ignored", "--nocapture"])
        .env("TZ", zone)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && told.contains("1 passed"),
        "{told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn utc(text: &str) -> i64 {
    DateTime::parse_from_rfc3339(&format!("{text}:00Z")).unwrap().timestamp_millis()
}

fn naive(text: &str) -> NaiveDateTime {
    NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M").unwrap()
}

fn shown(unix_ms: i64) -> String {
    Zone::Local.wall(unix_ms).format("%m-%d %H:%M").to_string()
}

fn alarm(due_unix_ms: i64, recurrence: Option<&str>) -> NewTimer {
    NewTimer {
        kind: TimerKind::Alarm,
        due_unix_ms: Some(due_unix_ms),
        recurrence: recurrence.map(Into::into),
        by_the_wall: true,
        ..NewTimer::default()
    }
}

/// What the wall shows at every ring of a repetition, looked at every minute and heard a minute later.
fn rings(rule: &str, from: i64, until: i64) -> Vec<String> {
    let timer_store = Arc::new(InMemoryTimers::default());
    let timers = Timers::load(timer_store.clone(), from).unwrap();
    timers.start(alarm(Zone::Local.next(rule, from, from).unwrap(), Some(rule)), from).unwrap();
    let mut seen = Vec::new();
    let mut now = from;
    let mut watch = ZoneChangeDetector::default();
    while now < until {
        if watch.check(timers.zone(), now) {
            timers.put_right(now).unwrap();
        }
        if !timers.ringing().is_empty() {
            timers.acknowledge_all(now).unwrap();
        }
        seen.extend(timers.ring_due(now).iter().map(|timer| shown(timer.due_unix_ms)));
        now += 60_000;
    }
    seen
}

#[test]
fn summer_time_begins_and_ends() {
    in_zone("story_of_an_hour_that_is_left_out", MIDDLE_OF_EUROPE);
    in_zone("story_of_an_hour_that_comes_twice", MIDDLE_OF_EUROPE);
    in_zone("story_of_what_repeats_over_both_changes", MIDDLE_OF_EUROPE);
}

#[test]
#[ignore = "run by summer_time_begins_and_ends in a time zone of its own"]
fn story_of_an_hour_that_is_left_out() {
    // On the 28th of March 2027 at two the clocks show three.
    let now = utc("2027-03-27T20:00");
    let due = Zone::Local.unix_ms(naive("2027-03-28T02:30"));
    assert_eq!((due, shown(due).as_str()), (utc("2027-03-28T01:30"), "03-28 03:30"));
    let timers = Timers::load(Arc::new(InMemoryTimers::default()), now).unwrap();
    timers.start(alarm(due, None), now).unwrap();
    let eight = Zone::Local.unix_ms(naive("2027-03-28T08:00"));
    assert_eq!(eight, utc("2027-03-28T06:00"), "eight is an hour nearer that night");
    timers.start(alarm(eight, None), now).unwrap();
    let night = timers.start(NewTimer { duration_ms: 8 * 3_600_000, ..NewTimer::default() }, now).unwrap();
    assert_eq!(shown(night.due_unix_ms), "03-28 06:00", "eight hours stay eight hours");
    timers.put_right(utc("2027-03-28T01:00")).unwrap();
    let rings =
        |at: &str| timers.ring_due(utc(at)).iter().map(|timer| shown(timer.due_unix_ms)).collect::<Vec<_>>();
    assert!(rings("2027-03-28T01:29").is_empty());
    assert_eq!(rings("2027-03-28T01:30"), ["03-28 03:30"]);
    assert_eq!(rings("2027-03-28T04:00"), ["03-28 06:00"]);
    assert!(rings("2027-03-28T05:59").is_empty());
    assert_eq!(rings("2027-03-28T06:00"), ["03-28 08:00"]);
}

#[test]
#[ignore = "run by summer_time_begins_and_ends in a time zone of its own"]
fn story_of_an_hour_that_comes_twice() {
    // On the 31st of October 2027 at three the clocks show two again.
    let now = utc("2027-10-30T20:00");
    let due = Zone::Local.unix_ms(naive("2027-10-31T02:30"));
    assert_eq!(due, utc("2027-10-31T00:30"), "the first of both");
    let timer_store = Arc::new(InMemoryTimers::default());
    let timers = Timers::load(timer_store.clone(), now).unwrap();
    let set = timers.start(alarm(due, None), now).unwrap();
    assert_eq!(set.wall.as_deref(), Some("2027-10-31T02:30:00"));
    assert_eq!(timers.ring_due(due).len(), 1);
    timers.acknowledge_all(due).unwrap();
    // Set between the two: half past two is still to come.
    let between = utc("2027-10-31T00:45");
    let second = timers.start(alarm(utc("2027-10-31T01:30"), None), between).unwrap();
    assert_eq!((shown(second.due_unix_ms).as_str(), second.wall), ("10-31 02:30", None));
    timers.put_right(between).unwrap();
    assert!(timers.ring_due(utc("2027-10-31T01:29")).is_empty(), "it stays the second one");
    // The program starts again in the repeated hour, and nothing rings twice.
    let again = Timers::load(timer_store, utc("2027-10-31T01:29")).unwrap();
    again.put_right(utc("2027-10-31T01:29")).unwrap();
    assert!(again.ring_due(utc("2027-10-31T01:29")).is_empty());
    assert_eq!(again.ring_due(utc("2027-10-31T01:30")).len(), 1);
    assert!(again.ring_due(utc("2027-10-31T03:00")).is_empty());
}

#[test]
#[ignore = "run by summer_time_begins_and_ends in a time zone of its own"]
fn story_of_what_repeats_over_both_changes() {
    let spring = (utc("2027-03-27T00:00"), utc("2027-03-29T12:00"));
    let autumn = (utc("2027-10-30T00:00"), utc("2027-11-01T12:00"));
    for daily in ["FREQ=DAILY;BYHOUR=2;BYMINUTE=30", "30 2 * * *"] {
        let expected = ["03-27 02:30", "03-28 03:30", "03-29 02:30"];
        let seen = rings(daily, spring.0, spring.1);
        assert!(seen == expected || daily.starts_with('3') && seen.len() == 3, "{daily}: {seen:?}");
        assert_eq!(
            rings(daily, autumn.0, autumn.1),
            ["10-30 02:30", "10-31 02:30", "11-01 02:30"],
            "{daily}"
        );
    }
    for morning in ["FREQ=DAILY;BYHOUR=7;BYMINUTE=0", "0 7 * * *"] {
        assert_eq!(rings(morning, spring.0, spring.1), ["03-27 07:00", "03-28 07:00", "03-29 07:00"]);
        assert_eq!(rings(morning, autumn.0, autumn.1), ["10-30 07:00", "10-31 07:00", "11-01 07:00"]);
    }
    let hours = rings("0 * * * *", utc("2027-03-28T00:00"), utc("2027-03-28T03:30"));
    assert_eq!(hours, ["03-28 03:00", "03-28 04:00", "03-28 05:00"]);
}

fn east(hours: i32) -> Zone {
    Zone::Fixed(FixedOffset::east_opt(hours * 3600).unwrap())
}

#[test]
fn a_time_of_day_is_kept_when_the_house_gets_another_zone() {
    let timer_store = Arc::new(InMemoryTimers::default());
    let now = utc("2026-11-20T20:00");
    let timers = Timers::load(timer_store.clone(), now).unwrap().in_zone(east(1));
    let seven = east(1).unix_ms(naive("2026-11-21T07:00"));
    timers.start(alarm(seven, None), now).unwrap();
    timers.start(alarm(seven, Some("FREQ=DAILY;BYHOUR=7;BYMINUTE=0")), now).unwrap();
    timers.start(NewTimer { duration_ms: 3_600_000, ..NewTimer::default() }, now).unwrap();
    let in_ten = now + 605_000;
    timers.start(alarm(in_ten, None), now).unwrap();
    let dues = |timers: &Timers| timers.all().iter().map(|timer| timer.due_unix_ms).collect::<Vec<_>>();
    // Carried five hours to the west; the program is started again there.
    let there = Timers::load(timer_store.clone(), now).unwrap().in_zone(east(-4));
    there.put_right(now).unwrap();
    let later = seven + 5 * 3_600_000;
    assert_eq!(dues(&there), [later, later, now + 3_600_000, in_ten], "lengths stay lengths");
    assert_eq!(*timer_store.kept.lock().unwrap(), there.all(), "on the disk, too");
    // Snoozed, it is a length; the next morning it is seven o'clock again, also back in the east.
    there.ring_due(later);
    there.snooze(540_000, later).unwrap();
    let back = Timers::load(timer_store.clone(), later).unwrap().in_zone(east(1));
    back.put_right(later).unwrap();
    assert_eq!(dues(&back)[1], later + 540_000);
    back.ring_due(later + 540_000);
    back.acknowledge_all(later + 541_000).unwrap();
    assert_eq!(dues(&back).len(), 1);
    assert_eq!(east(1).wall(dues(&back)[0]), naive("2026-11-22T07:00"));
    // To the east, past seven: it rings late, and once.
    let far = Timers::load(timer_store, later).unwrap().in_zone(east(12));
    let after = east(12).unix_ms(naive("2026-11-22T07:30"));
    far.put_right(after).unwrap();
    let late = far.ring_due(after);
    assert!(late.len() == 1 && is_late(&late[0], after) && far.ring_due(after + 60_000).is_empty());
}

#[test]
fn another_zone_is_noticed_once() {
    let mut watch = ZoneChangeDetector::default();
    let now = utc("2026-11-20T20:00");
    assert!(!watch.check(east(1), now));
    assert!(!watch.check(east(1), now + 1_000));
    assert!(watch.check(east(2), now + 2_000));
    assert!(!watch.check(east(2), now + 3_000));
}
