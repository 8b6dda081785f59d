//! `schedule.*`: what comes again by a line of cron, and everything else that comes again.

use super::alarm::shown;
use super::timer::{own_area, set_now, work};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared};
use crate::tools::services::Services;
use hark_core::timer::{Timer, TimerKind};
use hark_core::tool::error_code;
use hark_home::timers::{NewTimer, Timers};
use hark_home::undo::Undoable;
use hark_home::zone;
use serde_json::{Value, json};
use std::sync::Arc;

/// So much of an id is shown; ids begin with the time they were made at, and end by chance.
const SHORT_ID: usize = 8;

/// Least characters by which one may be pointed at.
const MIN_ID_LENGTH: usize = 4;

/// `schedule.add`.
pub fn add(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (rule, message) = (args.owned("cron").unwrap_or_default(), args.owned("message"));
    zone::check_cron(&rule).map_err(|error| {
        let why = error.to_string();
        let why = why.trim_end_matches('.');
        let message = format!("“{rule}” is no time I can read: {why}; write minute, hour, day, month, day of the week, such as 0 9 * * *");
        Failure::new(error_code::BAD_ARGUMENT, message).with("argument", json!("cron"))
    })?;
    let from = args.asked_unix_ms().unwrap_or_else(|| services.now_unix_ms());
    let Some(due_unix_ms) = services.timers.zone().next(&rule, from, from) else {
        let message = format!("“{rule}” never comes; check its day and month");
        return Err(Failure::new(error_code::BAD_ARGUMENT, message).with("argument", json!("cron")));
    };
    let new = NewTimer {
        kind: TimerKind::Reminder,
        name: message,
        area: own_area(services),
        due_unix_ms: Some(due_unix_ms),
        recurrence: Some(rule),
        duration_ms: 0,
        by_the_wall: true,
        asked_unix_ms: args.asked_unix_ms(),
        key: args.key().to_owned(),
    };
    work(services, move |timers, now| {
        let timer = timers.start(new, now)?;
        let outcome = Outcome::new(true, json!({"schedule": told(&timer, timers, now)}));
        Ok(set_now(outcome, timer, now))
    })
}

/// `schedule.list`.
pub fn list(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let now = services.now_unix_ms();
    let all: Vec<Value> =
        recurring(&services.timers).iter().map(|timer| told(timer, &services.timers, now)).collect();
    Ok(Prepared::Answer(Outcome::answer(json!({"count": all.len(), "schedules": all}))))
}

/// `schedule.remove`.
pub fn remove(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let id = args.owned("id").unwrap_or_default();
    work(services, move |timers, now| {
        let found: Vec<Timer> = recurring(timers).into_iter().filter(|timer| is_meant(timer, &id)).collect();
        let [only] = found.as_slice() else {
            let (code, message) = match found.len() {
                0 => (
                    error_code::NOT_FOUND,
                    format!("nothing scheduled has the id {id}; /cron list shows them"),
                ),
                count => (error_code::AMBIGUOUS, format!("{count} ids end in {id}; write more of it")),
            };
            return Err(Failure::new(code, message));
        };
        let timer = timers.cancel(&only.id)?;
        let outcome = Outcome::new(true, json!({"schedule": told(&timer, timers, now)}));
        Ok(outcome.undone_by(Undoable::Timer { before: Some(Box::new(timer)), after: None }))
    })
}

/// Everything that comes again, the next first.
pub fn recurring(timers: &Timers) -> Vec<Timer> {
    let mut all: Vec<Timer> = timers.all().into_iter().filter(|timer| timer.recurrence.is_some()).collect();
    all.sort_by_key(|timer| timer.due_unix_ms);
    all
}

/// Whether this is its id, or the end of it.
pub fn is_meant(timer: &Timer, asked: &str) -> bool {
    let asked = asked.trim().to_ascii_lowercase();
    timer.id.0 == asked || asked.len() >= MIN_ID_LENGTH && timer.id.0.ends_with(&asked)
}

/// The end of its id, by which it can be pointed at.
pub fn short_id(timer: &Timer) -> &str {
    timer.id.0.len().checked_sub(SHORT_ID).and_then(|from| timer.id.0.get(from..)).unwrap_or(&timer.id.0)
}

fn told(timer: &Timer, timers: &Timers, now_unix_ms: i64) -> Value {
    let mut told = shown(timer, timers.zone(), now_unix_ms);
    told["short_id"] = json!(short_id(timer));
    told["kind"] = json!(timer.kind);
    told["rule"] = json!(timer.recurrence);
    told
}
