//! `timer.*`: several timers at once, found as people speak of them.

use super::timer_detail::shown;
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, blocking};
use crate::tools::services::Services;
use hark_core::ids::TimerId;
use hark_core::ports::HomeView;
use hark_core::timer::{Timer, TimerKind, TimerState};
use hark_core::tool::error_code;
use hark_home::timers::{NewTimer, TimerError, TimerQuery, Timers, left_ms};
use hark_home::undo::Undoable;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// `timer.start`.
pub fn start(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let duration_ms = length(args, ["hours", "minutes", "seconds"]).ok_or_else(no_length)?;
    let area = args.owned("area").or_else(|| own_area(services));
    let command = args.owned("conversation_command");
    let kind = if command.is_some() { TimerKind::Command } else { TimerKind::Timer };
    let name = command.or_else(|| args.owned("name"));
    let (key, asked_unix_ms) = (args.key().to_owned(), args.asked_unix_ms());
    let new = NewTimer { kind, name, area, duration_ms, asked_unix_ms, key, ..NewTimer::default() };
    work(services, move |timers, now| {
        let timer = timers.start(new, now)?;
        Ok(set_now(Outcome::new(true, json!({"timer": shown(&timer)})), timer, now))
    })
}

/// The outcome of setting a timer. One that was there already, because a request is taken up again after a power cut, was
/// set by an earlier program, of which nothing is taken back.
pub(in crate::tools) fn set_now(outcome: Outcome, timer: Timer, now_unix_ms: i64) -> Outcome {
    if timer.created_unix_ms != now_unix_ms {
        return outcome;
    }
    outcome.undone_by(Undoable::Timer { before: None, after: Some(Box::new(timer)) })
}

/// `timer.cancel`.
pub fn cancel(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let query = query(args);
    work(services, move |timers, now| {
        let timer = timers.cancel(&timers.find(&query)?.id)?;
        let outcome = Outcome::new(true, json!({"timer": shown_with_left(&timer, now)}));
        Ok(outcome.undone_by(Undoable::Timer { before: Some(Box::new(timer)), after: None }))
    })
}

/// `timer.cancel_all`.
pub fn cancel_all(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let query = TimerQuery { area: args.owned("area"), ..TimerQuery::default() };
    let except = args.owned("except").map(|name| TimerQuery { name: Some(name), ..TimerQuery::default() });
    work(services, move |timers, _| {
        let gone = match &except {
            None => timers.cancel_all(&query)?,
            Some(except) => {
                let kept = timers.find(except)?;
                let others = timers.matching(&query).into_iter().filter(|timer| timer.id != kept.id);
                others.map(|timer| timers.cancel(&timer.id)).collect::<Result<_, _>>()?
            }
        };
        let mut outcome = Outcome::new(!gone.is_empty(), json!({"count": gone.len()}));
        for timer in gone {
            outcome = outcome.undone_by(Undoable::Timer { before: Some(Box::new(timer)), after: None });
        }
        Ok(outcome)
    })
}

/// `timer.pause`.
pub fn pause(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    change(services, args, Timers::pause)
}

/// `timer.resume`.
pub fn resume(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    change(services, args, Timers::resume)
}

/// `timer.increase`.
pub fn increase(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let amount = length(args, ["hours", "minutes", "seconds"]).ok_or_else(no_length)?;
    change(services, args, move |timers, id, now| timers.add(id, amount, now))
}

/// `timer.decrease`.
pub fn decrease(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let amount = length(args, ["hours", "minutes", "seconds"]).ok_or_else(no_length)?;
    change(services, args, move |timers, id, now| timers.remove(id, amount, now))
}

/// `timer.change`.
pub fn set_length(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let amount = length(args, ["hours", "minutes", "seconds"]).ok_or_else(no_length)?;
    change(services, args, move |timers, id, now| timers.set_length(id, amount, now))
}

/// `timer.status`: every timer that fits. None at all is an answer; none of that name is not.
pub fn status(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let query = query(args);
    let now = services.now_unix_ms();
    let fitting = services.timers.matching(&query);
    if fitting.is_empty() && query != TimerQuery::default() {
        return Err(TimerError::NotFound.into());
    }
    let timers: Vec<Value> = fitting.iter().map(|timer| shown_with_left(timer, now)).collect();
    Ok(Prepared::Answer(Outcome::answer(json!({"timers": timers, "count": timers.len()}))))
}

fn change(
    services: &Arc<Services>,
    args: &Args,
    change: impl Fn(&Timers, &TimerId, i64) -> Result<Timer, TimerError> + Send + 'static,
) -> Result<Prepared, Failure> {
    let query = query(args);
    work(services, move |timers, now| {
        let before = timers.find(&query)?;
        let timer = change(timers, &before.id, now)?;
        let outcome = Outcome::new(true, json!({"timer": shown_with_left(&timer, now)}));
        Ok(outcome
            .undone_by(Undoable::Timer { before: Some(Box::new(before)), after: Some(Box::new(timer)) }))
    })
}

/// Runs `job` where it may wait for the disk.
pub(in crate::tools) fn work(
    services: &Arc<Services>,
    job: impl FnOnce(&Timers, i64) -> Result<Outcome, Failure> + Send + 'static,
) -> Result<Prepared, Failure> {
    let (timers, now) = (Arc::clone(&services.timers), services.now_unix_ms());
    Ok(blocking(move || job(&timers, now)))
}

fn query(args: &Args) -> TimerQuery {
    TimerQuery {
        id: args.owned("id").map(TimerId),
        name: args.owned("name"),
        duration_ms: length(args, ["start_hours", "start_minutes", "start_seconds"]),
        area: args.owned("area"),
        ..TimerQuery::default()
    }
}

/// Declared name of the area this node stands in.
pub(in crate::tools) fn own_area(services: &Services) -> Option<String> {
    let id = services.default_area()?;
    let home = services.home.registry().home();
    home.areas.iter().find(|area| area.id == id).map(|area| area.name.clone())
}

/// Milliseconds of hours, minutes and seconds, to the whole second; `None` when none is there or
/// together they are nothing.
pub(in crate::tools) fn length(args: &Args, [hours, minutes, seconds]: [&str; 3]) -> Option<u64> {
    let part = |name, factor: f64| args.number(name).map_or(0.0, |number| number * factor);
    let total = (part(hours, 3600.0) + part(minutes, 60.0) + part(seconds, 1.0)).round();
    // Cannot cut or change the sign: the arguments are positive and have limits.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let total = total as u64;
    (total > 0).then_some(total * 1000)
}

fn no_length() -> Failure {
    Failure::new(error_code::BAD_ARGUMENT, "how long was not said: hours, minutes or seconds")
        .with("argument", json!("seconds"))
        .with("missing", json!("length"))
}

/// With what is left, rounded up: a timer that was just set has all of it.
fn shown_with_left(timer: &Timer, now_unix_ms: i64) -> Value {
    let left = left_ms(timer, now_unix_ms).div_ceil(1000);
    let mut shown = match shown(timer) {
        Value::Object(shown) => shown,
        _ => Map::new(),
    };
    shown.insert("left_hours".into(), json!(left / 3600));
    shown.insert("left_minutes".into(), json!(left / 60 % 60));
    shown.insert("left_seconds".into(), json!(left % 60));
    shown.insert("total_left_seconds".into(), json!(left));
    shown.insert("paused".into(), json!(timer.state == TimerState::Paused));
    shown.insert("ringing".into(), json!(timer.state == TimerState::Ringing));
    Value::Object(shown)
}
