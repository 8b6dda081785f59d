//! Timers: every operation, against a model, against a store that fails, and across restarts.

use super::*;
use crate::test_stores::InMemoryTimers;
use proptest::prelude::*;
use std::sync::atomic::Ordering;

const MIN: u64 = 60_000;
const T0: i64 = 1_795_000_000_000;

fn timers() -> (Arc<InMemoryTimers>, Timers) {
    let timer_store = Arc::new(InMemoryTimers::default());
    let timers = Timers::load(timer_store.clone(), T0).unwrap();
    (timer_store, timers)
}

fn new(name: Option<&str>, duration_ms: u64) -> NewTimer {
    NewTimer { name: name.map(Into::into), duration_ms, ..NewTimer::default() }
}

fn named(name: &str) -> TimerQuery {
    TimerQuery { name: Some(name.into()), ..TimerQuery::default() }
}

#[test]
fn a_timer_is_kept_before_the_call_returns_and_rings_once() {
    let (timer_store, timers) = timers();
    let timer = timers.start(new(Some("pizza"), 10 * MIN), T0).unwrap();
    assert_eq!(*timer_store.kept.lock().unwrap(), vec![timer.clone()]);
    assert_eq!(timers.next_due_unix_ms(), Some(T0 + 600_000));
    assert!(timers.ring_due(T0 + 599_999).is_empty());
    let rings = timers.ring_due(T0 + 600_000);
    assert_eq!(rings.len(), 1);
    assert_eq!(rings[0].state, TimerState::Ringing);
    assert_eq!(timer_store.kept.lock().unwrap()[0].state, TimerState::Ringing);
    assert!(timers.ring_due(T0 + 700_000).is_empty(), "it is given out once");
    assert_eq!(timers.next_due_unix_ms(), None);
    assert_eq!(timers.ringing(), rings);
    assert_eq!(timers.acknowledge_all(T0).unwrap(), rings);
    assert!(timers.all().is_empty() && timer_store.kept.lock().unwrap().is_empty());
}

#[test]
fn found_by_name_by_length_or_as_the_only_one() {
    let (_, timers) = timers();
    assert_eq!(timers.find(&TimerQuery::default()), Err(TimerError::NotFound));
    let pizza = timers.start(new(Some("Pizza"), 10 * MIN), T0).unwrap();
    assert_eq!(timers.find(&TimerQuery::default()).unwrap(), pizza);
    let plain = timers.start(new(None, 5 * MIN), T0).unwrap();
    assert_eq!(timers.find(&named("the pizza")).unwrap(), pizza);
    let length = TimerQuery { duration_ms: Some(5 * MIN), ..TimerQuery::default() };
    assert_eq!(timers.find(&length).unwrap(), plain);
    assert_eq!(timers.find(&named("tea")), Err(TimerError::NotFound));
    let Err(TimerError::Ambiguous(both)) = timers.find(&TimerQuery::default()) else { panic!("two fit") };
    assert_eq!(both, vec![pizza.clone(), plain]);
    timers.ring_due(T0 + 300_000);
    let ringing = timers.find(&TimerQuery::default()).unwrap();
    assert_eq!(ringing.duration_ms, 5 * MIN, "with several the ringing one is meant");
}

#[test]
fn found_by_the_area_it_was_set_in() {
    let (_, timers) = timers();
    for area in ["Kitchen", "Office"] {
        timers.start(NewTimer { area: Some(area.into()), ..new(None, MIN) }, T0).unwrap();
    }
    let query = TimerQuery { area: Some("the kitchen".into()), ..TimerQuery::default() };
    assert_eq!(timers.find(&query).unwrap().area.as_deref(), Some("Kitchen"));
}

#[test]
fn a_pause_keeps_what_is_left() {
    let (_, timers) = timers();
    let id = timers.start(new(None, 10 * MIN), T0).unwrap().id;
    let paused = timers.pause(&id, T0 + 60_000).unwrap();
    assert_eq!((paused.state, paused.remaining_ms), (TimerState::Paused, 9 * MIN));
    assert!(timers.ring_due(T0 + 10_000_000).is_empty());
    assert_eq!(timers.next_due_unix_ms(), None);
    assert!(matches!(timers.pause(&id, T0), Err(TimerError::WrongState(_))));
    assert_eq!(timers.add(&id, MIN, T0 + 100_000).unwrap().remaining_ms, 10 * MIN);
    let resumed = timers.resume(&id, T0 + 200_000).unwrap();
    assert_eq!(resumed.due_unix_ms, T0 + 200_000 + 600_000);
    assert!(matches!(timers.resume(&id, T0), Err(TimerError::WrongState(_))));
}

#[test]
fn adding_and_removing_time() {
    let (_, timers) = timers();
    let id = timers.start(new(None, 10 * MIN), T0).unwrap().id;
    assert_eq!(timers.add(&id, 5 * MIN, T0 + 60_000).unwrap().due_unix_ms, T0 + 15 * 60_000);
    let shorter = timers.remove(&id, 3 * MIN, T0 + 60_000).unwrap();
    assert_eq!(shorter.due_unix_ms, T0 + 12 * 60_000);
    assert_eq!(shorter.duration_ms, 10 * MIN, "the length first asked for stays");
    timers.remove(&id, 60 * MIN, T0 + 60_000).unwrap();
    assert_eq!(timers.ring_due(T0 + 60_000).len(), 1, "with nothing left it rings at once");
    assert!(matches!(timers.remove(&id, MIN, T0), Err(TimerError::WrongState(_))));
    let again = timers.add(&id, 5 * MIN, T0 + 90_000).unwrap();
    assert_eq!((again.state, again.due_unix_ms), (TimerState::Running, T0 + 390_000));
}

#[test]
fn lengths_have_limits_and_so_has_the_number() {
    let (_, timers) = timers();
    assert_eq!(timers.start(new(None, 0), T0), Err(TimerError::BadLength));
    assert_eq!(timers.start(new(None, MAX_DURATION_MS + 1), T0), Err(TimerError::BadLength));
    let id = timers.start(new(None, MAX_DURATION_MS), T0).unwrap().id;
    assert_eq!(timers.add(&id, MIN, T0), Err(TimerError::BadLength));
    assert_eq!(timers.add(&id, u64::MAX, T0), Err(TimerError::BadLength));
    for _ in 1..MAX_TIMERS {
        timers.start(new(None, MIN), T0).unwrap();
    }
    assert_eq!(timers.start(new(None, MIN), T0), Err(TimerError::TooMany));
}

#[test]
fn cancel_one_and_all() {
    let (timer_store, timers) = timers();
    let id = timers.start(new(Some("a"), MIN), T0).unwrap().id;
    timers.start(new(Some("b"), MIN), T0).unwrap();
    timers.start(new(Some("c"), MIN), T0).unwrap();
    assert_eq!(timers.cancel(&id).unwrap().name.as_deref(), Some("a"));
    assert_eq!(timers.cancel(&id), Err(TimerError::NotFound));
    assert_eq!(timers.cancel_all(&TimerQuery::default()).unwrap().len(), 2);
    assert!(timer_store.kept.lock().unwrap().is_empty());
    assert!(timers.cancel_all(&TimerQuery::default()).unwrap().is_empty());
}

#[test]
fn those_missed_ring_late_after_a_restart_and_those_that_rang_ring_on() {
    let (timer_store, timers) = timers();
    timers.start(new(Some("rang"), MIN), T0).unwrap();
    timers.start(new(Some("missed"), 5 * MIN), T0).unwrap();
    timers.start(new(Some("later"), 500 * MIN), T0).unwrap();
    timers.ring_due(T0 + 60_000);
    drop(timers);
    let now = T0 + 3_600_000;
    let timers = Timers::load(timer_store, now).unwrap();
    let names = |list: &[Timer]| list.iter().filter_map(|timer| timer.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&timers.ringing()), ["rang"], "nobody said that it was heard");
    let due: Vec<_> = timers.ring_due(now);
    assert_eq!(names(&due), ["missed"], "what rings is not due again");
    assert!(due.iter().all(|timer| is_late(timer, now)));
    assert!(!is_late(&timers.find(&named("later")).unwrap(), now));
}

#[test]
fn a_store_that_refuses_changes_nothing_but_cannot_keep_a_timer_from_ringing() {
    let (timer_store, timers) = timers();
    let id = timers.start(new(None, MIN), T0).unwrap().id;
    let before = timers.all();
    timer_store.refuses.store(true, Ordering::SeqCst);
    assert!(matches!(timers.start(new(None, MIN), T0), Err(TimerError::Store(_))));
    assert!(matches!(timers.cancel(&id), Err(TimerError::Store(_))));
    assert!(matches!(timers.pause(&id, T0), Err(TimerError::Store(_))));
    assert!(matches!(timers.add(&id, MIN, T0), Err(TimerError::Store(_))));
    assert_eq!(timers.all(), before);
    assert_eq!(timers.ring_due(T0 + 60_000).len(), 1);
    assert!(timers.acknowledge_all(T0).is_err());
    assert!(timers.ringing().is_empty(), "it is silent all the same");
}

#[test]
fn changes_are_told_in_order_and_the_observer_may_call_back() {
    let (_, timers) = timers();
    let timers = Arc::new(timers);
    let told = Arc::new(Mutex::new(Vec::new()));
    let (log, inner) = (told.clone(), timers.clone());
    timers.observe(Arc::new(move |change, timer: &Timer| {
        log.lock().unwrap().push((change, timer.state, inner.all().len()));
    }));
    let id = timers.start(new(None, MIN), T0).unwrap().id;
    timers.pause(&id, T0).unwrap();
    timers.resume(&id, T0).unwrap();
    timers.ring_due(T0 + 60_000);
    timers.acknowledge_all(T0).unwrap();
    let other = timers.start(new(None, MIN), T0).unwrap().id;
    timers.cancel(&other).unwrap();
    let expected = [
        (TimerChange::Started, TimerState::Running, 1),
        (TimerChange::Updated, TimerState::Paused, 1),
        (TimerChange::Updated, TimerState::Running, 1),
        (TimerChange::Finished, TimerState::Ringing, 1),
        (TimerChange::Acknowledged, TimerState::Ringing, 0),
        (TimerChange::Started, TimerState::Running, 1),
        (TimerChange::Cancelled, TimerState::Running, 0),
    ];
    assert_eq!(*told.lock().unwrap(), expected);
}

/// One thing a household can do.
#[derive(Debug, Clone)]
enum Step {
    Start(u64),
    Cancel(usize),
    Pause(usize),
    Resume(usize),
    Add(usize, u64),
    Remove(usize, u64),
    Wait(i64),
    Acknowledge,
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let which = 0usize..4;
    let ms = 1_000u64..1_000_000;
    prop_oneof![
        ms.clone().prop_map(Step::Start),
        which.clone().prop_map(Step::Cancel),
        which.clone().prop_map(Step::Pause),
        which.clone().prop_map(Step::Resume),
        (which.clone(), ms.clone()).prop_map(|(at, ms)| Step::Add(at, ms)),
        (which, ms).prop_map(|(at, ms)| Step::Remove(at, ms)),
        (0i64..800_000).prop_map(Step::Wait),
        Just(Step::Acknowledge),
        Just(Step::Restart),
    ]
}

proptest! {
    /// Whatever happens, at any time: disk and memory agree, nothing due is forgotten, nothing not
    /// due rings, and a timer leaves only by cancel or acknowledgement.
    #[test]
    fn no_timer_is_lost_or_doubled(steps in proptest::collection::vec(step(), 1..60)) {
        let (timer_store, mut timers) = timers();
        let mut now = T0;
        let mut alive: Vec<TimerId> = Vec::new();
        for step in steps {
            let id = |at: usize| alive.get(at).cloned().unwrap_or_else(|| TimerId::from("none"));
            match step {
                Step::Start(ms) => alive.push(timers.start(new(None, ms), now).unwrap().id),
                Step::Cancel(at) => {
                    if timers.cancel(&id(at)).is_ok() { alive.remove(at); }
                }
                Step::Pause(at) => { let _ = timers.pause(&id(at), now); }
                Step::Resume(at) => { let _ = timers.resume(&id(at), now); }
                Step::Add(at, ms) => { let _ = timers.add(&id(at), ms, now); }
                Step::Remove(at, ms) => { let _ = timers.remove(&id(at), ms, now); }
                Step::Wait(ms) => now += ms,
                Step::Acknowledge => {
                    let heard = timers.acknowledge_all(now).unwrap();
                    alive.retain(|id| heard.iter().all(|timer| timer.id != *id));
                }
                Step::Restart => timers = Timers::load(timer_store.clone(), now).unwrap(),
            }
            for timer in timers.ring_due(now) {
                prop_assert!(timer.due_unix_ms <= now);
            }
            let here = timers.all();
            prop_assert_eq!(&*timer_store.kept.lock().unwrap(), &here);
            prop_assert_eq!(here.iter().map(|timer| timer.id.clone()).collect::<Vec<_>>(), alive.clone());
            for timer in here {
                let due = timer.due_unix_ms <= now;
                prop_assert_eq!(timer.state == TimerState::Ringing, due && timer.state != TimerState::Paused);
            }
        }
    }
}

#[test]
fn what_another_program_changed_is_taken_over() {
    let timer_store = Arc::new(InMemoryTimers::default());
    let timers = Timers::load(timer_store.clone(), 0).unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let list = told.clone();
    timers.observe(Arc::new(move |change, timer| list.lock().unwrap().push((change, timer.id.clone()))));
    let elsewhere = Timers::load(timer_store, 0).unwrap();
    let timer = elsewhere.start(NewTimer { duration_ms: 5000, ..NewTimer::default() }, 0).unwrap();
    timers.refresh().unwrap();
    assert_eq!(timers.next_due_unix_ms(), Some(5000));
    elsewhere.cancel(&timer.id).unwrap();
    timers.refresh().unwrap();
    assert_eq!(timers.all(), []);
    let told = told.lock().unwrap().clone();
    assert_eq!(told, [(TimerChange::Started, timer.id.clone()), (TimerChange::Cancelled, timer.id)]);
}

fn east() -> Zone {
    Zone::Fixed(chrono::FixedOffset::east_opt(3600).unwrap())
}

fn wall(text: &str) -> i64 {
    east().unix_ms(chrono::NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M").unwrap())
}

fn alarm(at: &str, recurrence: Option<&str>) -> NewTimer {
    NewTimer {
        kind: TimerKind::Alarm,
        due_unix_ms: Some(wall(at)),
        recurrence: recurrence.map(Into::into),
        ..NewTimer::default()
    }
}

#[test]
fn what_repeats_comes_again_once_it_was_heard_and_rings_late_only_once() {
    let timer_store = Arc::new(InMemoryTimers::default());
    let timers = Timers::load(timer_store.clone(), 0).unwrap().in_zone(east());
    let now = wall("2026-11-20T20:00");
    let daily = "FREQ=DAILY;BYHOUR=7;BYMINUTE=0";
    let set = timers.start(alarm("2026-11-21T07:00", Some(daily)), now).unwrap();
    assert_eq!(timers.ring_due(wall("2026-11-21T07:00")).len(), 1);
    assert_eq!(timers.acknowledge_all(wall("2026-11-21T07:02")).unwrap()[0].id, set.id);
    assert_eq!(timers.next_due_unix_ms(), Some(wall("2026-11-22T07:00")));
    assert_eq!(*timer_store.kept.lock().unwrap(), timers.all());
    // Off for days: one late ring, then the usual time again.
    let later = wall("2026-11-25T12:00");
    let timers = Timers::load(timer_store, later).unwrap().in_zone(east());
    let late = timers.ring_due(later);
    assert!(late.len() == 1 && is_late(&late[0], later));
    assert!(timers.ring_due(later).is_empty());
    timers.acknowledge_all(later).unwrap();
    assert_eq!(timers.next_due_unix_ms(), Some(wall("2026-11-26T07:00")));
}

#[test]
fn snoozing_lets_it_ring_again_and_keeps_its_repetition() {
    let timers = Timers::load(Arc::new(InMemoryTimers::default()), 0).unwrap().in_zone(east());
    let now = wall("2026-11-20T20:00");
    let weekly = "FREQ=WEEKLY;BYDAY=SA;BYHOUR=9;BYMINUTE=0";
    timers.start(alarm("2026-11-21T09:00", Some(weekly)), now).unwrap();
    assert_eq!(timers.snooze(9 * MIN, now), Err(TimerError::NotFound));
    let rung = wall("2026-11-21T09:00");
    timers.ring_due(rung);
    let snoozed = timers.snooze(9 * MIN, rung).unwrap();
    assert_eq!(snoozed[0].state, TimerState::Running);
    assert_eq!(timers.next_due_unix_ms(), Some(wall("2026-11-21T09:09")));
    assert_eq!(timers.ring_due(wall("2026-11-21T09:09")).len(), 1);
    timers.acknowledge_all(wall("2026-11-21T09:10")).unwrap();
    assert_eq!(timers.next_due_unix_ms(), Some(wall("2026-11-28T09:00")));
}

#[test]
fn kinds_are_not_taken_for_each_other_and_alarms_are_found_by_day_and_time() {
    let timers = Timers::load(Arc::new(InMemoryTimers::default()), 0).unwrap().in_zone(east());
    let now = wall("2026-11-20T20:00");
    timers.start(new(Some("tea"), MIN), now).unwrap();
    let early = timers.start(alarm("2026-11-21T06:30", None), now).unwrap();
    let late = timers.start(alarm("2026-11-21T07:00", None), now).unwrap();
    let call = NewTimer {
        name: Some("call my mother".into()),
        kind: TimerKind::Reminder,
        ..alarm("2026-11-22T10:00", None)
    };
    let call = timers.start(call, now).unwrap();
    let alarms = TimerQuery { kind: TimerKind::Alarm, ..TimerQuery::default() };
    assert_eq!(timers.matching(&alarms), [early.clone(), late.clone()]);
    let seven = TimerQuery { time: NaiveTime::from_hms_opt(7, 0, 0), ..alarms.clone() };
    assert_eq!(timers.find(&seven), Ok(late));
    assert_eq!(
        timers.find(&TimerQuery { day: NaiveDate::from_ymd_opt(2026, 11, 22), ..alarms }),
        Err(TimerError::NotFound)
    );
    let reminder = |words: &str| TimerQuery { kind: TimerKind::Reminder, ..named(words) };
    assert_eq!(timers.find(&reminder("calling mother")), Err(TimerError::NotFound));
    assert_eq!(timers.find(&reminder("my mother")), Ok(call));
    timers.cancel(&early.id).unwrap();
    timers.put_back(&early).unwrap();
    assert_eq!(timers.all().len(), 4);
    let refused =
        [("2026-11-20T20:00", TimerError::TimePassed), ("2029-01-01T00:00", TimerError::TooFarAhead)];
    for (due, why) in refused {
        assert_eq!(timers.start(alarm(due, None), now), Err(why), "{due}");
    }
}

#[test]
fn a_command_is_given_out_once_and_not_when_it_is_too_late() {
    let timer_store = Arc::new(InMemoryTimers::default());
    let timers = Timers::load(timer_store.clone(), T0).unwrap();
    let command = |words: &str| NewTimer { kind: TimerKind::Command, ..new(Some(words), MIN) };
    timers.start(command("turn off the lamp"), T0).unwrap();
    assert_eq!(timers.find(&TimerQuery::default()).unwrap().kind, TimerKind::Command, "a timer to people");
    let due = timers.ring_due(T0 + 60_000);
    assert_eq!((due.len(), due[0].state), (1, TimerState::Running));
    timers.told(&due[0]).unwrap();
    assert!(
        timers.all().is_empty() && timer_store.kept.lock().unwrap().is_empty() && timers.ringing().is_empty()
    );
    timers.start(command("turn on the heating"), T0).unwrap();
    let later = T0 + 60_000 + COMMAND_LATE_MS + 1;
    let missed = Timers::load(timer_store, later).unwrap().ring_due(later);
    assert_eq!(missed[0].state, TimerState::Ringing, "it is only told");
}

#[test]
fn a_command_that_repeats_waits_for_its_next_time_when_it_was_given_out() {
    let timer_store = Arc::new(InMemoryTimers::default());
    let now = wall("2026-11-20T20:00");
    let timers = Timers::load(timer_store.clone(), now).unwrap().in_zone(east());
    let daily = alarm("2026-11-21T07:00", Some("FREQ=DAILY;BYHOUR=7;BYMINUTE=0"));
    let daily = NewTimer { kind: TimerKind::Command, by_the_wall: true, ..daily };
    let set = timers.start(daily, now).unwrap();
    assert_eq!(timers.find(&TimerQuery::default()), Err(TimerError::NotFound), "it has no length");
    let reminder = TimerQuery { kind: TimerKind::Reminder, ..TimerQuery::default() };
    assert_eq!(timers.find(&reminder).unwrap(), set);
    let due = timers.ring_due(set.due_unix_ms);
    assert_eq!((due.len(), due[0].state), (1, TimerState::Running));
    timers.told(&due[0]).unwrap();
    let next = timers.find(&reminder).unwrap();
    assert_eq!((next.due_unix_ms, next.state), (set.due_unix_ms + 24 * 3_600_000, TimerState::Running));
    assert_eq!(*timer_store.kept.lock().unwrap(), [next]);
}

#[test]
fn a_ring_is_told_as_new_once_however_often_the_program_starts() {
    let timer_store = Arc::new(InMemoryTimers::default());
    let first = Timers::load(timer_store.clone(), T0).unwrap();
    first.start(new(Some("told"), MIN), T0).unwrap();
    first.start(new(Some("untold"), MIN), T0).unwrap();
    let rings = first.ring_due(T0 + 60_000);
    first.told(&rings[0]).unwrap();
    drop(first);
    let listen = |timers: &Timers| {
        let told = Arc::new(Mutex::new(Vec::new()));
        let log = told.clone();
        timers.observe(Arc::new(move |change, timer: &Timer| {
            log.lock().unwrap().push((change, timer.name.clone().unwrap()));
        }));
        told
    };
    let second = Timers::load(timer_store.clone(), T0).unwrap();
    let told = listen(&second);
    second.ring_on(T0).unwrap();
    let expected = [(TimerChange::Finished, "untold".to_owned()), (TimerChange::RingsOn, "told".to_owned())];
    assert_eq!(*told.lock().unwrap(), expected);
    second.told(&rings[1]).unwrap();
    assert!(second.ring_due(T0 + 3_600_000).is_empty());
    // Snoozed it is another ring, also over a start.
    second.snooze(MIN, T0 + 60_000).unwrap();
    let third = Timers::load(timer_store, T0).unwrap();
    let told = listen(&third);
    third.ring_on(T0).unwrap();
    assert!(told.lock().unwrap().is_empty(), "nothing rings");
    assert_eq!(third.ring_due(T0 + 120_000).len(), 2);
}

#[test]
fn a_command_that_was_begun_when_the_power_went_is_told_and_not_done_again() {
    let timer_store = Arc::new(InMemoryTimers::default());
    let timers = Timers::load(timer_store.clone(), T0).unwrap();
    timers.start(NewTimer { kind: TimerKind::Command, ..new(Some("turn off the lamp"), MIN) }, T0).unwrap();
    assert_eq!(timers.ring_due(T0 + 60_000).len(), 1);
    drop(timers);
    let timers = Timers::load(timer_store, T0 + 61_000).unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let log = told.clone();
    timers.observe(Arc::new(move |change, timer: &Timer| log.lock().unwrap().push((change, timer.state))));
    timers.ring_on(T0).unwrap();
    assert!(timers.ring_due(T0 + 62_000).is_empty());
    assert_eq!(*told.lock().unwrap(), [(TimerChange::RingsOn, TimerState::Ringing)]);
}

#[test]
fn what_another_program_cancelled_a_moment_ago_does_not_ring() {
    let timer_store = Arc::new(InMemoryTimers::default());
    let timers = Timers::load(timer_store.clone(), T0).unwrap();
    let timer = timers.start(new(None, MIN), T0).unwrap();
    let elsewhere = Timers::load(timer_store.clone(), T0).unwrap();
    elsewhere.cancel(&timer.id).unwrap();
    assert!(timers.ring_due(T0 + 60_000).is_empty(), "not even before it was looked at");
    assert_eq!(timers.pause(&timer.id, T0), Err(TimerError::NotFound));
    timers.refresh().unwrap();
    assert!(timers.all().is_empty() && timer_store.kept.lock().unwrap().is_empty());
    // Heard elsewhere is heard, not cancelled.
    timers.start(new(None, MIN), T0).unwrap();
    timers.ring_due(T0 + 60_000);
    let elsewhere = Timers::load(timer_store, T0).unwrap();
    elsewhere.acknowledge_all(T0).unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let log = told.clone();
    timers.observe(Arc::new(move |change, _: &Timer| log.lock().unwrap().push(change)));
    timers.refresh().unwrap();
    assert_eq!(*told.lock().unwrap(), [TimerChange::Acknowledged]);
}

#[test]
fn some_are_silenced_and_the_others_ring_on() {
    let (_, timers) = timers();
    for name in ["a", "b"] {
        timers.start(new(Some(name), MIN), T0).unwrap();
    }
    let rings = timers.ring_due(T0 + 60_000);
    let only = [rings[0].id.clone()];
    let silenced = timers.silence(Some(&only), TimerChange::Unheard, T0 + 90_000).unwrap();
    assert_eq!(silenced.len(), 1);
    assert_eq!(timers.ringing(), rings[1..]);
    let snoozed = timers.snooze_some(Some(&[rings[1].id.clone()]), MIN, T0 + 90_000).unwrap();
    assert_eq!(snoozed[0].due_unix_ms, T0 + 150_000);
    assert_eq!(timers.snooze(MIN, T0), Err(TimerError::NotFound));
}

#[test]
fn a_clock_that_is_set_is_noticed_and_one_that_sleeps_is_not() {
    let mut clocks = ClockJumpDetector::default();
    assert_eq!(clocks.check(T0, 5_000), None);
    assert_eq!(clocks.check(T0 + 1_000, 6_000), None);
    assert_eq!(clocks.check(T0 + 7_201_000, 7_206_000), None, "two hours of sleep");
    assert_eq!(clocks.check(T0 + 10_802_000, 7_207_000), Some(3_600_000));
    assert_eq!(clocks.check(T0 + 10_803_000, 7_208_000), None, "once");
    assert_eq!(clocks.check(T0, 7_209_000), Some(-10_804_000));
    assert_eq!(clocks.check(T0 + 1_900, 7_210_000), None, "put right by a hair");
}

#[test]
fn a_clock_that_is_set_moves_lengths_and_leaves_times_of_day() {
    let timer_store = Arc::new(InMemoryTimers::default());
    let timers = Timers::load(timer_store.clone(), 0).unwrap().in_zone(east());
    let now = wall("2026-11-20T20:00");
    let hour = 3_600_000;
    timers.start(new(Some("tea"), 10 * MIN), now).unwrap();
    timers.start(NewTimer { by_the_wall: true, ..alarm("2026-11-20T21:30", None) }, now).unwrap();
    let paused = timers.start(new(Some("paused"), MIN), now).unwrap();
    timers.pause(&paused.id, now).unwrap();
    // An hour forward: ten minutes stay ten minutes, half past nine is nearer.
    timers.clock_was_set(hour, now + hour).unwrap();
    assert!(timers.ring_due(now + hour).is_empty());
    let left: Vec<u64> = timers.all().iter().map(|timer| left_ms(timer, now + hour) / MIN).collect();
    assert_eq!(left, [10, 30, 1]);
    assert_eq!(*timer_store.kept.lock().unwrap(), timers.all(), "on the disk, too");
    // Three hours back: the tea is not late for it.
    timers.clock_was_set(-3 * hour, now - 2 * hour).unwrap();
    let left: Vec<u64> = timers.all().iter().map(|timer| left_ms(timer, now - 2 * hour) / MIN).collect();
    assert_eq!(left, [10, 210, 1]);
}

#[test]
fn what_repeats_survives_a_clock_that_was_wrong() {
    let timer_store = Arc::new(InMemoryTimers::default());
    let timers = Timers::load(timer_store.clone(), 0).unwrap().in_zone(east());
    let now = wall("2026-11-20T20:00");
    let daily = "FREQ=DAILY;BYHOUR=7;BYMINUTE=0";
    timers.start(alarm("2026-11-21T07:00", Some(daily)), now).unwrap();
    // For a moment it is 2030, and somebody silences what rings there.
    let wrong = wall("2030-01-01T12:00");
    assert_eq!(timers.ring_due(wrong).len(), 1);
    timers.acknowledge_all(wrong).unwrap();
    assert_eq!(timers.next_due_unix_ms(), Some(wall("2030-01-02T07:00")));
    let right = wall("2026-11-20T20:05");
    timers.clock_was_set(right - wrong, right).unwrap();
    assert_eq!(timers.next_due_unix_ms(), Some(wall("2026-11-22T07:00")), "that of the 21st has rung");
    assert_eq!(*timer_store.kept.lock().unwrap(), timers.all());
    // Set back by half an hour after it rang: the same seven o'clock does not come twice.
    let rang = wall("2026-11-22T07:00");
    timers.ring_due(rang);
    timers.acknowledge_all(rang + 60_000).unwrap();
    timers.clock_was_set(-1_800_000, rang - 1_740_000).unwrap();
    assert!(timers.ring_due(rang).is_empty());
    assert_eq!(timers.next_due_unix_ms(), Some(wall("2026-11-23T07:00")));
    // And set back while it rings.
    timers.ring_due(wall("2026-11-23T07:00"));
    timers.acknowledge_all(wall("2026-11-23T06:30")).unwrap();
    assert_eq!(timers.next_due_unix_ms(), Some(wall("2026-11-24T07:00")));
}

#[test]
fn what_is_set_by_a_line_of_cron_comes_again() {
    let timers = Timers::load(Arc::new(InMemoryTimers::default()), 0).unwrap().in_zone(east());
    let now = wall("2026-11-20T20:00");
    timers.start(alarm("2026-11-23T09:00", Some("0 9 * * 1-5")), now).unwrap();
    timers.ring_due(wall("2026-11-23T09:00"));
    timers.acknowledge_all(wall("2026-11-23T09:01")).unwrap();
    assert_eq!(timers.next_due_unix_ms(), Some(wall("2026-11-24T09:00")));
}
