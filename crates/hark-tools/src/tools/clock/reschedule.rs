//! `alarm.move` and `reminder.move`: another time for an alarm or reminder that is set.

use super::alarm::{Asking, key, none, only, shown};
use super::timer::{length, work};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared};
use crate::tools::services::Services;
use chrono::{Duration, NaiveDateTime, NaiveTime};
use hark_core::calendar::{Recurrence, When, moment_within, time_near};
use hark_core::timer::{Timer, TimerKind, TimerState};
use hark_core::tool::{error_code, reason};
use hark_home::timers::{TimerError, Timers};
use hark_home::undo::Undoable;
use serde_json::json;
use std::sync::Arc;

/// `alarm.move`.
pub fn alarm(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    moved(services, args, TimerKind::Alarm)
}

/// `reminder.move`.
pub fn reminder(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    moved(services, args, TimerKind::Reminder)
}

/// Where it is to be put.
#[derive(Debug, Clone)]
pub(in crate::tools) enum Aim {
    /// On a day, at a moment, or some time in between.
    At(When),
    /// At a time of day, in the form of [`time_near`].
    Time(String),
    /// So much later, or earlier.
    By(Duration),
    /// So long from now.
    In(Duration),
}

impl Aim {
    /// As it was said.
    ///
    /// # Errors
    /// When it was not.
    pub(in crate::tools) fn of(args: &Args) -> Result<Self, Failure> {
        let shift = length(args, ["hours", "minutes", "seconds"]).and_then(|ms| i64::try_from(ms).ok());
        match (args.when("to"), args.text("time"), shift, args.text("direction")) {
            (Some(when), ..) => Ok(Self::At(when)),
            (_, Some(time), ..) => Ok(Self::Time(time.to_owned())),
            (_, _, Some(ms), Some("from_now")) => Ok(Self::In(Duration::milliseconds(ms))),
            (_, _, Some(ms), Some("earlier")) => Ok(Self::By(Duration::milliseconds(-ms))),
            (_, _, Some(ms), _) => Ok(Self::By(Duration::milliseconds(ms))),
            _ => Err(bad("the new time was not said", "to").because(reason::NO_NEW_TIME)),
        }
    }

    /// The new time of something that rang, or would ring, at `old`.
    ///
    /// # Errors
    /// When that time has passed.
    pub(in crate::tools) fn from(
        &self,
        old: NaiveDateTime,
        now: NaiveDateTime,
    ) -> Result<NaiveDateTime, Failure> {
        let at = match self {
            Self::At(When::Moment(at)) => *at,
            Self::At(When::Day(day) | When::Days(day, _)) => day.and_time(old.time()),
            Self::At(When::Span(from, to)) => moment_within(*from, *to),
            Self::Time(text) => {
                let at = old.date().and_time(time_of(text, old.time())?);
                // What has passed today comes again tomorrow.
                if at <= now && old.date() == now.date() { at + Duration::days(1) } else { at }
            }
            Self::By(shift) => old + *shift,
            Self::In(length) => now + *length,
        };
        if at <= now { Err(bad("that time has passed", "to").because(reason::TIME_PASSED)) } else { Ok(at) }
    }

    /// The new time of day of what comes again and again at `old`.
    fn time(&self, old: NaiveTime) -> Result<NaiveTime, Failure> {
        match self {
            Self::Time(text) => time_of(text, old),
            Self::By(shift) => match old.overflowing_add_signed(*shift) {
                (time, 0) => Ok(time),
                _ => Err(bad("it would ring on other days", "hours").because(reason::OTHER_DAYS)),
            },
            Self::At(_) | Self::In(_) => {
                let message = "of what repeats only the time of day can be changed";
                Err(Failure::new(error_code::UNSUPPORTED, message).because(reason::ONLY_TIME_OF_DAY))
            }
        }
    }
}

fn time_of(text: &str, near: NaiveTime) -> Result<NaiveTime, Failure> {
    time_near(text, near).ok_or_else(|| bad("that is no time of day such as 07:00:00", "time"))
}

fn bad(message: &str, argument: &str) -> Failure {
    Failure::new(error_code::BAD_ARGUMENT, message).with("argument", json!(argument))
}

fn moved(services: &Arc<Services>, args: &Args, kind: TimerKind) -> Result<Prepared, Failure> {
    let (asking, aim) = (Asking::of(args, kind), Aim::of(args)?);
    work(services, move |timers, now| {
        let before = only(timers, &asking, kind, now)?;
        let (due_unix_ms, recurrence) = match &before.recurrence {
            Some(rule) => again(timers, &before, rule, &aim, now)?,
            None => {
                let zone = timers.zone();
                // What rings is moved from now on.
                let rings = before.state == TimerState::Ringing;
                let old = zone.wall(if rings { now } else { before.due_unix_ms });
                (zone.unix_ms(aim.from(old, zone.wall(now))?), None)
            }
        };
        let timer = match timers.move_to(&before.id, due_unix_ms, recurrence, now) {
            Err(TimerError::NotFound) => return Err(none(kind)),
            other => other?,
        };
        let detail = json!({ key(kind): shown(&timer, timers.zone(), now) });
        let change = Undoable::Timer { before: Some(Box::new(before)), after: Some(Box::new(timer)) };
        Ok(Outcome::new(true, detail).undone_by(change))
    })
}

/// When something that repeats comes next at its new time of day, and its new rule.
fn again(
    timers: &Timers,
    before: &Timer,
    rule: &str,
    aim: &Aim,
    now_unix_ms: i64,
) -> Result<(i64, Option<String>), Failure> {
    let one_time = |rule: &Recurrence| rule.later.is_empty() && rule.time.is_some();
    let rule = Recurrence::parse(rule).filter(one_time).ok_or_else(|| {
        let message = "it comes several times a day; cancel it and set it anew";
        Failure::new(error_code::UNSUPPORTED, message).because(reason::SEVERAL_TIMES_A_DAY)
    })?;
    let time = aim.time(rule.time.unwrap_or_default())?;
    let rule = Recurrence { time: Some(time), ..rule }.to_string();
    let next = timers.zone().next(&rule, before.created_unix_ms, now_unix_ms);
    Ok((next.ok_or_else(|| bad("that day never comes", "to").because(reason::NEVER_COMES))?, Some(rule)))
}
