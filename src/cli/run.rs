//! `hark run`: the daemon, with its events on standard output.

use super::{Faults, trace};
use crate::config::Config;
use crate::daemon::conductor::Listener;
use crate::daemon::demo::Demo;
use crate::daemon::live;
use crate::daemon::workshop::Workshop;
use crate::domain::{Envelope, PublicEvent};
use crate::telemetry::logging;

/// Runs until it is told to end. With `demo`, a machine without a microphone first shows the main job.
pub(super) fn run(config: Config, demo: bool, json: bool) -> Result<(), Faults> {
    let workshop = Workshop::open(config)?;
    let mut listeners: Vec<Listener> = Vec::new();
    // What is said at home does not belong into the system's journal; `hark explain` has it.
    if json || !logging::under_journald() {
        listeners.push(Box::new(trace::printer(json)));
    } else {
        listeners.push(Box::new(log_faults));
    }
    let demo = match demo {
        true => Some(Demo::prepare(&workshop).map_err(|fault| vec![fault])?),
        false => None,
    };
    if let Some(demo) = &demo {
        listeners.push(Box::new(demo.listener()));
    }
    let ready = |running: &live::Running<'_>| {
        eprintln!("hark: ready. {}", how_to_talk(running.has_microphone(), &workshop.config));
        let Some(demo) = demo.filter(|_| !running.has_microphone()) else { return };
        eprintln!("hark: no microphone, so {} is heard instead:", demo.request().display());
        let played = demo.play(running, |reply| match reply {
            Ok(path) => {
                eprintln!("hark: the reply is in {}. Hark stays up; end it with Ctrl-C.", path.display())
            }
            Err(fault) => eprintln!("hark: the demonstration failed: {fault}"),
        });
        if let Err(fault) = played {
            eprintln!("hark: the demonstration failed: {fault}");
        }
    };
    live::run(&workshop, listeners, ready).map_err(|fault| vec![fault])
}

fn how_to_talk(has_microphone: bool, config: &Config) -> String {
    let typed = "`hark ask \"what time is it\"` works too";
    if has_microphone {
        format!("Say the wake word ({}) and what you want; {typed}.", config.wake.words.join(", "))
    } else {
        format!("There is no microphone; {typed}.")
    }
}

fn log_faults(envelope: &Envelope) {
    if let PublicEvent::Error(fault) = &envelope.event {
        tracing::warn!("{fault}");
    }
}
