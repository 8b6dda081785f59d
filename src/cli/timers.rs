//! `hark timers`: what is due, alarms and reminders too. Reads and writes the same store as the daemon, which notices.

use super::Faults;
use super::args::Timers as Command;
use crate::acting::timers::{Timers, left_ms};
use crate::config::Config;
use crate::daemon::clock::wall_unix_ms;
use crate::daemon::workshop;
use crate::domain::timer::Timer;
use crate::domain::{Fault, FaultKind};
use serde_json::json;

/// Lists or cancels.
pub(super) fn run(config: &Config, command: &Command, as_json: bool) -> Result<(), Faults> {
    let timers = workshop::open_timers(config).map_err(|fault| vec![fault])?;
    match command {
        Command::List => list(&timers, as_json),
        Command::Cancel { timer } => cancel(&timers, timer).map_err(|fault| vec![fault])?,
    }
    Ok(())
}

fn list(timers: &Timers, as_json: bool) {
    let all = timers.all();
    if as_json {
        println!("{}", json!(all));
    } else if all.is_empty() {
        println!("no timers");
    }
    if !as_json {
        for timer in &all {
            let left_s = left_ms(timer, wall_unix_ms()) / 1000;
            let name = timer.name.as_deref().unwrap_or("(unnamed)");
            let state = super::trace::name(timer.state);
            println!(
                "{}  {:8} {:24} {:8} {:02}:{:02}:{:02} left  {}",
                timer.id,
                super::trace::name(timer.kind),
                name,
                state,
                left_s / 3600,
                left_s / 60 % 60,
                left_s % 60,
                timer.recurrence.as_deref().unwrap_or_default()
            );
        }
    }
}

fn cancel(timers: &Timers, asked: &str) -> Result<(), Fault> {
    let is = |timer: &&Timer| {
        asked == "all"
            || timer.id.0 == asked
            || timer.name.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(asked))
    };
    let all = timers.all();
    let chosen: Vec<&Timer> = all.iter().filter(is).collect();
    if chosen.is_empty() {
        let message = format!("there is no timer {asked:?}");
        return Err(Fault::new(FaultKind::BadInput, "timers", message, "`hark timers list` shows them"));
    }
    for timer in chosen {
        let gone = timers.cancel(&timer.id).map_err(|error| {
            Fault::new(FaultKind::Failed, "timers", error.to_string(), "see `hark doctor`")
        })?;
        println!("cancelled {} {}", gone.id, gone.name.as_deref().unwrap_or("(unnamed)"));
    }
    Ok(())
}
