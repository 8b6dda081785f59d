//! `alarm.*`, `reminder.*` and `timer.snooze`: what rings at a time of the wall clock.

use super::timer::{length, own_area, set_now, work};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared};
use crate::tools::services::Services;
use chrono::{Datelike, Duration, NaiveDate, NaiveDateTime, NaiveTime, Timelike};
use hark_core::calendar::{Frequency, Recurrence, When, moment_within};
use hark_core::ids::TimerId;
use hark_core::timer::{Timer, TimerKind, TimerState};
use hark_core::tool::{error_code, reason};
use hark_home::timers::{NewTimer, TimerError, TimerQuery, Timers, left_ms};
use hark_home::undo::Undoable;
use hark_home::zone::Zone;
use serde_json::{Value, json};
use std::sync::Arc;

/// The hour of a reminder for which a day but no time was said.
const REMINDER_HOUR: u32 = 9;

/// How much later what is snoozed rings when it was not said, milliseconds.
const SNOOZE_MS: u64 = 10 * 60 * 1000;

const AMOUNT: [&str; 3] = ["hours", "minutes", "seconds"];

/// `alarm.set`.
pub fn set_alarm(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    set(services, args, TimerKind::Alarm)
}

/// `reminder.set`.
pub fn set_reminder(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    set(services, args, TimerKind::Reminder)
}

/// `schedule.command`.
pub fn set_command(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    set(services, args, TimerKind::Command)
}

/// `alarm.cancel`.
pub fn cancel_alarm(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    cancel(services, args, TimerKind::Alarm)
}

/// `reminder.cancel`.
pub fn cancel_reminder(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    cancel(services, args, TimerKind::Reminder)
}

/// `alarm.cancel_all`.
pub fn cancel_all_alarms(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    cancel_all(services, args, TimerKind::Alarm)
}

/// `reminder.cancel_all`.
pub fn cancel_all_reminders(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    cancel_all(services, args, TimerKind::Reminder)
}

/// `alarm.status`.
pub fn alarms(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    status(services, args, TimerKind::Alarm)
}

/// `reminder.status`.
pub fn reminders(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    status(services, args, TimerKind::Reminder)
}

/// `timer.snooze`.
pub fn snooze(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let ms = length(args, AMOUNT).unwrap_or(SNOOZE_MS);
    work(services, move |timers, now| {
        let rang = timers.ringing();
        let snoozed = match timers.snooze(ms, now) {
            Err(TimerError::NotFound) => {
                return Err(
                    Failure::new(error_code::NOT_FOUND, "nothing is ringing").because(reason::NOTHING_RINGS)
                );
            }
            other => other?,
        };
        let seconds = ms / 1000;
        let mut detail = json!({
            "count": snoozed.len(),
            "hours": seconds / 3600, "minutes": seconds / 60 % 60, "seconds": seconds % 60,
        });
        if let [only] = snoozed.as_slice() {
            detail["kind"] = json!(only.kind);
            if let Some(name) = &only.name {
                detail["name"] = json!(name);
            }
        }
        let mut outcome = Outcome::new(true, detail);
        for timer in snoozed {
            let before = rang.iter().find(|before| before.id == timer.id).cloned().map(Box::new);
            outcome = outcome.undone_by(Undoable::Timer { before, after: Some(Box::new(timer)) });
        }
        Ok(outcome)
    })
}

/// The name in receipts; what is done at a time of day is one of the reminders.
pub(in crate::tools) fn key(kind: TimerKind) -> &'static str {
    match kind {
        TimerKind::Timer => "timer",
        TimerKind::Alarm => "alarm",
        TimerKind::Reminder | TimerKind::Command => "reminder",
    }
}

fn name(args: &Args, kind: TimerKind) -> Option<String> {
    args.owned(match kind {
        TimerKind::Reminder => "message",
        TimerKind::Command => "conversation_command",
        TimerKind::Timer | TimerKind::Alarm => "name",
    })
}

fn set(services: &Arc<Services>, args: &Args, kind: TimerKind) -> Result<Prepared, Failure> {
    let asked_unix_ms = args.asked_unix_ms();
    let asked = Asked {
        when: args.when("when"),
        rule: args.text("recurrence").and_then(Recurrence::parse),
        length_ms: length(args, AMOUNT),
    };
    let by_the_wall = !asked.is_length();
    let from_unix_ms = asked_unix_ms.unwrap_or_else(|| services.now_unix_ms());
    let (due_unix_ms, recurrence) = asked.due(kind, services.timers.zone(), from_unix_ms)?;
    let new = NewTimer {
        kind,
        name: name(args, kind),
        area: own_area(services),
        due_unix_ms: Some(due_unix_ms),
        recurrence: recurrence.map(|rule| rule.to_string()),
        duration_ms: 0,
        by_the_wall,
        asked_unix_ms,
        key: args.key().to_owned(),
    };
    work(services, move |timers, now| {
        let timer = timers.start(new, now)?;
        let outcome = Outcome::new(true, json!({ key(kind): shown(&timer, timers.zone(), now) }));
        Ok(set_now(outcome, timer, now))
    })
}

/// What was said about the time.
struct Asked {
    when: Option<When>,
    rule: Option<Recurrence>,
    length_ms: Option<u64>,
}

impl Asked {
    /// Whether so long from now is meant, and no time of day.
    fn is_length(&self) -> bool {
        let from_now = |when: &When| matches!(when, When::Moment(at) if at.nanosecond() > 0);
        self.rule.is_none() && (self.length_ms.is_some() || self.when.as_ref().is_some_and(from_now))
    }

    /// When it rings first, and how it repeats.
    fn due(
        self,
        kind: TimerKind,
        zone: Zone,
        now_unix_ms: i64,
    ) -> Result<(i64, Option<Recurrence>), Failure> {
        let wall = zone.wall(now_unix_ms);
        if let Some(mut rule) = self.rule {
            let short = matches!(rule.frequency, Frequency::Minutely | Frequency::Hourly);
            if rule.time.is_none() && !short {
                rule.time = match self.when {
                    Some(When::Moment(at)) => Some(at.time()),
                    _ if kind == TimerKind::Reminder => Some(morning()),
                    _ => return Err(no_time()),
                };
            }
            let next = zone.next(&rule.to_string(), now_unix_ms, now_unix_ms);
            let never = || {
                Failure::new(error_code::BAD_ARGUMENT, "that day never comes").because(reason::NEVER_COMES)
            };
            return Ok((next.ok_or_else(never)?, Some(rule)));
        }
        if let Some(ms) = self.length_ms {
            return Ok((now_unix_ms.saturating_add_unsigned(ms), None));
        }
        let at = match self.when.ok_or_else(no_time)? {
            When::Moment(at) => at,
            When::Day(day) if kind == TimerKind::Reminder => on_day(day, wall),
            // "This week": what is left of it.
            When::Days(from, to) if kind == TimerKind::Reminder && to > wall.date() => {
                on_day(from.max(wall.date()), wall)
            }
            When::Span(from, to) if kind != TimerKind::Alarm => {
                let meant = moment_within(from, to);
                if meant > wall { meant } else { wall + (to - wall).max(Duration::minutes(2)) / 2 }
            }
            _ => return Err(no_time()),
        };
        Ok((zone.unix_ms(at), None))
    }
}

fn morning() -> NaiveTime {
    NaiveTime::from_hms_opt(REMINDER_HOUR, 0, 0).unwrap_or_default()
}

/// In the morning of that day; when that has passed, in an hour.
fn on_day(day: NaiveDate, now: NaiveDateTime) -> NaiveDateTime {
    let at = day.and_time(morning());
    if at <= now && day == now.date() { now + Duration::hours(1) } else { at }
}

fn no_time() -> Failure {
    Failure::new(error_code::BAD_ARGUMENT, "the time was not said")
        .with("argument", json!("when"))
        .with("missing", json!("when"))
}

/// Those that are meant. A time of day is taken in both halves of the day: "the seven o'clock alarm" is
/// also that of the morning.
fn meant(timers: &Timers, args: &Asking, kind: TimerKind) -> Vec<Timer> {
    let query = TimerQuery { kind, id: args.id.clone(), name: args.name.clone(), ..TimerQuery::default() };
    let by = |day: Option<NaiveDate>, time: Option<NaiveTime>| {
        timers.matching(&TimerQuery { day, time, ..query.clone() })
    };
    match args.when {
        None => by(None, None),
        Some(When::Day(day)) => by(Some(day), None),
        Some(When::Moment(at)) => {
            let other_half = at.time().overflowing_add_signed(Duration::hours(12)).0;
            [(Some(at.date()), at.time()), (None, at.time()), (None, other_half)]
                .into_iter()
                .map(|(day, time)| by(day, Some(time)))
                .find(|found| !found.is_empty())
                .unwrap_or_default()
        }
        Some(span) => {
            let zone = timers.zone();
            let within = |timer: &Timer| {
                let due = zone.wall(timer.due_unix_ms);
                span.start() <= due && due < span.end()
            };
            by(None, None).into_iter().filter(within).collect()
        }
    }
}

/// What was said about which is meant.
#[derive(Clone)]
pub(in crate::tools) struct Asking {
    id: Option<TimerId>,
    name: Option<String>,
    when: Option<When>,
}

impl Asking {
    pub(in crate::tools) fn of(args: &Args, kind: TimerKind) -> Self {
        Self { id: args.owned("id").map(TimerId), name: name(args, kind), when: args.when("when") }
    }

    fn says_nothing(&self) -> bool {
        self.id.is_none() && self.name.is_none() && self.when.is_none()
    }
}

/// The one that is meant.
///
/// # Errors
/// `not_found`; `ambiguous` with all that fit, which are asked about.
pub(in crate::tools) fn only(
    timers: &Timers,
    asking: &Asking,
    kind: TimerKind,
    now: i64,
) -> Result<Timer, Failure> {
    let mut found = meant(timers, asking, kind);
    if found.len() > 1 {
        found.sort_by_key(|timer| timer.due_unix_ms);
        let candidates: Vec<Value> = found.iter().map(|timer| shown(timer, timers.zone(), now)).collect();
        let message = format!("there are {} {}s", found.len(), key(kind));
        return Err(Failure::new(error_code::AMBIGUOUS, message).with("candidates", json!(candidates)));
    }
    found.pop().ok_or_else(|| none(kind))
}

/// What is meant is not there, or not any more.
pub(in crate::tools) fn none(kind: TimerKind) -> Failure {
    let failure = Failure::new(error_code::NOT_FOUND, format!("there is no such {}", key(kind)));
    match kind {
        TimerKind::Timer => failure.because(reason::NO_SUCH_TIMER),
        TimerKind::Alarm => failure.because(reason::NO_SUCH_ALARM),
        TimerKind::Reminder => failure.because(reason::NO_SUCH_REMINDER),
        TimerKind::Command => failure,
    }
}

fn cancel(services: &Arc<Services>, args: &Args, kind: TimerKind) -> Result<Prepared, Failure> {
    let (asking, whatever) = (Asking::of(args, kind), args.flag("whatever").unwrap_or(false));
    work(services, move |timers, now| {
        let ringing = timers.ringing().iter().any(|timer| timer.kind == kind);
        if ringing && asking.says_nothing() {
            // "Stop the alarm" while it rings means the noise, not tomorrow's.
            timers.acknowledge_all(now)?;
            return Ok(Outcome::new(true, json!({"rang": true})));
        }
        let on_a_day = matches!(asking.when, Some(When::Day(_) | When::Days(..) | When::Span(..)));
        // "Skip tomorrow" where no alarm rings then is said of what else comes every day.
        let other = |none: Failure| {
            let is_any = whatever && none.code() == error_code::NOT_FOUND;
            let kinds = [TimerKind::Reminder, TimerKind::Command].into_iter().filter(|_| is_any);
            let mut found = kinds.filter_map(|kind| only(timers, &asking, kind, now).ok());
            found.find(|timer| timer.recurrence.is_some()).ok_or(none)
        };
        let timer = only(timers, &asking, kind, now).or_else(other)?;
        let kind = timer.kind;
        // "Skip the alarm tomorrow" leaves those that come after it.
        if on_a_day && timer.recurrence.is_some() {
            let next = timers.skip(&timer.id, now)?;
            let shown = |timer| shown(timer, timers.zone(), now);
            let detail = json!({"rang": false, "skipped": shown(&timer), key(kind): shown(&next)});
            let undo = Undoable::Timer { before: Some(Box::new(timer)), after: Some(Box::new(next)) };
            return Ok(Outcome::new(true, detail).undone_by(undo));
        }
        let timer = timers.cancel(&timer.id)?;
        let detail = json!({"rang": false, key(kind): shown(&timer, timers.zone(), now)});
        Ok(Outcome::new(true, detail)
            .undone_by(Undoable::Timer { before: Some(Box::new(timer)), after: None }))
    })
}

fn cancel_all(services: &Arc<Services>, args: &Args, kind: TimerKind) -> Result<Prepared, Failure> {
    let asking = Asking { id: None, name: None, when: args.when("when") };
    let except = Asking { id: None, name: args.owned("except"), when: args.when("except_when") };
    work(services, move |timers, _| {
        let kept = if except.says_nothing() { Vec::new() } else { meant(timers, &except, kind) };
        if kept.is_empty() && !except.says_nothing() {
            return Err(none(kind));
        }
        let mut gone = Vec::new();
        for timer in meant(timers, &asking, kind) {
            if !kept.iter().any(|kept| kept.id == timer.id) {
                gone.push(timers.cancel(&timer.id)?);
            }
        }
        let mut outcome = Outcome::new(!gone.is_empty(), json!({"count": gone.len()}));
        for timer in gone {
            outcome = outcome.undone_by(Undoable::Timer { before: Some(Box::new(timer)), after: None });
        }
        Ok(outcome)
    })
}

fn status(services: &Arc<Services>, args: &Args, kind: TimerKind) -> Result<Prepared, Failure> {
    let now = services.now_unix_ms();
    let zone = services.timers.zone();
    let mut found = meant(&services.timers, &Asking::of(args, kind), kind);
    found.sort_by_key(|timer| timer.due_unix_ms);
    let all: Vec<Value> = found.iter().map(|timer| shown(timer, zone, now)).collect();
    let plural = format!("{}s", key(kind));
    Ok(Prepared::Answer(Outcome::answer(json!({"count": all.len(), plural: all}))))
}

/// As receipts show it. Names of days and months are English; replies translate them.
pub(in crate::tools) fn shown(timer: &Timer, zone: Zone, now_unix_ms: i64) -> Value {
    let mut shown = moment_shown(timer.due_unix_ms, zone, now_unix_ms);
    let left = left_ms(timer, now_unix_ms).div_ceil(1000);
    shown["id"] = json!(timer.id);
    shown["name"] = json!(timer.name);
    shown["left_hours"] = json!(left / 3600);
    shown["left_minutes"] = json!(left / 60 % 60);
    shown["left_seconds"] = json!(left % 60);
    shown["ringing"] = json!(timer.state == TimerState::Ringing);
    if timer.kind == TimerKind::Command {
        shown["command"] = json!(true);
    }
    if let Some(rule) = timer.recurrence.as_deref().and_then(Recurrence::parse) {
        shown["repeats"] = repeats(&rule);
    }
    shown
}

/// A moment as receipts show it, with how long it is until then.
pub(in crate::tools) fn moment_shown(unix_ms: i64, zone: Zone, now_unix_ms: i64) -> Value {
    let at = zone.wall(unix_ms);
    let days = (at.date() - zone.wall(now_unix_ms).date()).num_days();
    let left = u64::try_from(unix_ms.saturating_sub(now_unix_ms)).unwrap_or(0).div_ceil(1000);
    json!({
        "time": at.format("%H:%M").to_string(), "hour": at.hour(), "minute": at.minute(),
        "date": at.format("%Y-%m-%d").to_string(), "weekday": at.format("%A").to_string(),
        "day": at.day(), "month": at.format("%B").to_string(), "days_ahead": days,
        "left_hours": left / 3600, "left_minutes": left / 60 % 60, "left_seconds": left % 60,
    })
}

/// A repetition for replies: every so many of what, on which days of the week, of which the number counts within a
/// month (-1 is the last), or which days of the month (-1, too), in which month; the times of day where it has several,
/// and whether some months or years lack its day.
fn repeats(rule: &Recurrence) -> Value {
    let every = match rule.frequency {
        Frequency::Minutely => "minute",
        Frequency::Hourly => "hour",
        Frequency::Daily => "day",
        Frequency::Weekly => "week",
        Frequency::Monthly => "month",
        Frequency::Yearly => "year",
    };
    let days: Vec<u32> = rule.days.iter().map(|(_, day)| day.num_days_from_monday()).collect();
    let names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    let named: Vec<&str> = days.iter().filter_map(|day| names.get(*day as usize).copied()).collect();
    let set = match days.as_slice() {
        [0, 1, 2, 3, 4] => "weekdays",
        [5, 6] => "weekends",
        _ => "",
    };
    let nth = rule.days.first().and_then(|(nth, _)| *nth);
    let month = rule.month.and_then(|month| NaiveDate::from_ymd_opt(2000, month, 1));
    let times: Vec<Value> =
        rule.times().map(|time| json!({"hour": time.hour(), "minute": time.minute()})).collect();
    // Not every month has a 29th, not every February.
    let lacking = rule.month.is_none_or(|month| month == 2) && rule.month_days.iter().any(|day| *day > 28);
    json!({
        "every": every, "interval": rule.interval, "days": named, "set": set, "nth": nth,
        "month_days": rule.month_days, "month": month.map(|day| day.format("%B").to_string()),
        "times": if times.len() > 1 { times } else { Vec::new() }, "lacking": lacking,
    })
}
