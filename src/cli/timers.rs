//! `hark timers` and `hark schedule`: what is due, alarms and reminders too. Reads and writes the same store as the
//! daemon, which notices within a second.

use super::Faults;
use super::args::{Schedule, Timers as Command};
use crate::app::clock::wall_unix_ms;
use crate::app::storage;
use hark_config::Config;
use hark_core::timer::{Timer, TimerChange};
use hark_core::{Fault, FaultKind, TimerId};
use hark_dialog::slash;
use hark_home::timers::{TimerError, Timers, left_ms};
use hark_tools::tools::schedule::{is_meant, recurring, short_id};
use serde_json::json;

/// Lists, cancels, snoozes, acknowledges.
pub(super) fn run(config: &Config, command: &Command, as_json: bool) -> Result<(), Faults> {
    let one = |fault: Fault| vec![fault];
    let timers = storage::open_timers(config).map_err(one)?;
    match command {
        Command::List => list(&timers.all(), as_json),
        Command::Cancel { timer } => cancel(&timers, timers.all(), timer, as_json).map_err(one)?,
        Command::Snooze { timer, length } => {
            snooze(&timers, timer.as_deref(), length, as_json).map_err(one)?;
        }
        Command::Acknowledge { timer } => acknowledge(&timers, timer.as_deref(), as_json).map_err(one)?,
    }
    Ok(())
}

/// Lists or cancels what comes again.
pub(super) fn schedule(config: &Config, command: &Schedule, as_json: bool) -> Result<(), Faults> {
    let one = |fault: Fault| vec![fault];
    let timers = storage::open_timers(config).map_err(one)?;
    match command {
        Schedule::List => list_schedule(&timers, as_json),
        Schedule::Cancel { timer } => cancel(&timers, recurring(&timers), timer, as_json).map_err(one)?,
    }
    Ok(())
}

fn name(timer: &Timer) -> &str {
    timer.name.as_deref().unwrap_or("(unnamed)")
}

fn list(all: &[Timer], as_json: bool) {
    if as_json {
        println!("{}", json!(all));
        return;
    }
    if all.is_empty() {
        println!("no timers");
    }
    for timer in all {
        let left_s = left_ms(timer, wall_unix_ms()) / 1000;
        println!(
            "{}  {:8} {:24} {:8} {:02}:{:02}:{:02} left  {}",
            timer.id,
            super::trace::name(timer.kind),
            name(timer),
            super::trace::name(timer.state),
            left_s / 3600,
            left_s / 60 % 60,
            left_s % 60,
            timer.recurrence.as_deref().unwrap_or_default()
        );
    }
}

fn list_schedule(timers: &Timers, as_json: bool) {
    let all = recurring(timers);
    if as_json {
        println!("{}", json!(all));
        return;
    }
    if all.is_empty() {
        println!("nothing is scheduled");
    }
    for timer in &all {
        let next = timers.zone().wall(timer.due_unix_ms).format("%a %Y-%m-%d %H:%M");
        let rule = timer.recurrence.as_deref().unwrap_or_default();
        let kind = super::trace::name(timer.kind);
        println!("{}  {kind:8} {:24} next {next}  {rule}", short_id(timer), name(timer));
    }
}

/// Those of `among` that are pointed at.
fn pointed_at(among: Vec<Timer>, asked: &str) -> Result<Vec<Timer>, Fault> {
    let is = |timer: &Timer| {
        asked == "all"
            || is_meant(timer, asked)
            || timer.name.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(asked))
    };
    let chosen: Vec<Timer> = among.into_iter().filter(is).collect();
    match chosen.is_empty() {
        // Nothing to do is fine when everything is meant.
        true if asked != "all" => Err(bad_input(format!("there is no timer {asked:?} here"))),
        _ => Ok(chosen),
    }
}

fn bad_input(message: String) -> Fault {
    let fix = "`hark timers list` and `hark schedule list` show them";
    Fault::new(FaultKind::BadInput, "timers", message, fix)
}

fn cancel(timers: &Timers, among: Vec<Timer>, asked: &str, as_json: bool) -> Result<(), Fault> {
    for timer in pointed_at(among, asked)? {
        match timers.cancel(&timer.id) {
            Ok(gone) => report("cancelled", &gone, as_json),
            // It rang or was cancelled in this moment.
            Err(TimerError::NotFound) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// The ids of what rings and is meant; an error when nothing does.
fn ringing(timers: &Timers, asked: Option<&str>) -> Result<Vec<TimerId>, Fault> {
    let rings = timers.ringing();
    if rings.is_empty() {
        return Err(bad_input("nothing is ringing".to_owned()));
    }
    let meant = pointed_at(rings, asked.unwrap_or("all"))?;
    Ok(meant.into_iter().map(|timer| timer.id).collect())
}

fn snooze(timers: &Timers, asked: Option<&str>, length: &str, as_json: bool) -> Result<(), Fault> {
    let Some(seconds) = slash::length(length) else {
        let fix = "write it like 90s, 10m or 1h30m";
        let message = format!("{length:?} is no length");
        return Err(Fault::new(FaultKind::BadInput, "timers", message, fix));
    };
    let ids = ringing(timers, asked)?;
    for timer in timers.snooze_some(Some(&ids), seconds * 1000, wall_unix_ms())? {
        report("snoozed", &timer, as_json);
    }
    Ok(())
}

fn acknowledge(timers: &Timers, asked: Option<&str>, as_json: bool) -> Result<(), Fault> {
    let ids = ringing(timers, asked)?;
    for timer in timers.silence(Some(&ids), TimerChange::Acknowledged, wall_unix_ms())? {
        report("acknowledged", &timer, as_json);
    }
    Ok(())
}

fn report(what: &str, timer: &Timer, as_json: bool) {
    if as_json {
        println!("{}", json!({"done": what, "timer": timer}));
    } else {
        println!("{what} {} {}", timer.id, name(timer));
    }
}
