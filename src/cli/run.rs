//! `hark run`: the daemon, with its events on standard output.

use super::{Faults, trace};
use crate::app::builder::App;
use crate::app::daemon::{self, Ended};
use crate::app::effect_runner::Listener;
use crate::app::reload::Origin;
use crate::app::service::presence;
use crate::cli::standalone::demo::Demo;
use hark_config::Config;
use hark_core::{Envelope, Fault, FaultKind, PublicEvent};
use hark_telemetry::{logging, watchdog};
use std::fmt::Arguments;
use std::io::Write;
use std::process::{Command, ExitCode};

/// Exit status that asks for a start: `RestartForceExitStatus` in systemd/hark.service (EX_TEMPFAIL of sysexits(3)).
const AGAIN: u8 = 75;

/// Runs until it is told to end. With `demo`, a machine without a microphone first shows the main job.
///
/// A restart under systemd ends the program with [`AGAIN`], by which the service starts it again; anywhere else the
/// program takes its own place.
pub(super) fn run(origin: Origin, demo: bool, json: bool) -> Result<ExitCode, Faults> {
    let one = |fault: Fault| vec![fault];
    // Asked now: later another file may have come there.
    let program = std::env::current_exe();
    let presence = presence::claim(&origin.config.paths.state_dir().map_err(one)?).map_err(one)?;
    let app = App::open_keeping(origin.config.clone())?;
    let mut listeners: Vec<Listener> = Vec::new();
    // What is said at home does not belong into the system's journal; `hark explain` has it.
    if json || !logging::under_journald() {
        listeners.push(Box::new(trace::printer(json)));
    } else {
        listeners.push(Box::new(log_faults));
    }
    let demo = match demo {
        true => Some(Demo::prepare(&app).map_err(one)?),
        false => None,
    };
    let stand_in = demo.is_some();
    if let Some(demo) = &demo {
        listeners.push(Box::new(demo.listener()));
    }
    let ready = |running: &daemon::Running<'_>| {
        tell(format_args!("hark: ready. {}", how_to_talk(running.has_microphone(), &app.config)));
        if let Some(address) = running.api() {
            tell(format_args!("hark: its page is http://{address}/"));
            tell(format_args!("hark: programs reach it at http://{address}/api/v1"));
        }
        let Some(demo) = demo.filter(|_| !running.has_microphone()) else { return };
        tell(format_args!("hark: no microphone, so {} is heard instead:", demo.request().display()));
        let played = demo.play(running, |reply| match reply {
            Ok(path) => tell(format_args!(
                "hark: the reply is in {}. Hark stays up; end it with Ctrl-C.",
                path.display()
            )),
            Err(fault) => tell(format_args!("hark: the demonstration failed: {fault}")),
        });
        if let Err(fault) = played {
            tell(format_args!("hark: the demonstration failed: {fault}"));
        }
    };
    let ended = daemon::run(&app, origin, listeners, stand_in, ready).map_err(one)?;
    drop(app);
    drop(presence);
    match ended {
        Ended::ForGood => Ok(ExitCode::SUCCESS),
        Ended::ToRestart if watchdog::under_systemd() => Ok(ExitCode::from(AGAIN)),
        Ended::ToRestart => Err(vec![begin_anew(program)]),
    }
}

/// A terminal that is closed takes no line, which is no reason to break off.
fn tell(line: Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Replaces this program by itself, or by what lies in its place now; comes back only when that fails.
fn begin_anew(program: std::io::Result<std::path::PathBuf>) -> Fault {
    use std::os::unix::process::CommandExt;
    let error = match program {
        Ok(program) => Command::new(program).args(std::env::args_os().skip(1)).exec(),
        Err(error) => error,
    };
    let message = format!("cannot start itself again: {error}");
    Fault::new(FaultKind::Failed, "daemon", message, "start `hark run` by hand")
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
