//! Signals to the daemon: SIGTERM and SIGINT end it. SIGHUP has it read its configuration, home and sentences anew, as
//! service managers mean it, unless the terminal it was started from is gone: then it ends, as programs in a terminal do.

use crate::app::builder::App;
use crate::app::event_queue::EventQueue;
use crate::app::faults::Faults;
use crate::app::faults::report;
use crate::app::reload::{Reload, SharedReload};
use hark_core::{Fault, FaultKind};
use hark_telemetry::watchdog::Notifier;
use std::fs::File;
use std::sync::PoisonError;
use tokio::signal::unix::{SignalKind, signal};

/// What systemd shows of a daemon that is ready.
pub(crate) const LISTENING: &str = "listening";

/// Follows them until the daemon ends.
///
/// # Errors
/// When the system does not let it.
pub(crate) fn follow(app: &App, reload: SharedReload) -> Result<(), Fault> {
    let _inside = app.runtime.enter();
    let failed = |error: std::io::Error| {
        Fault::new(FaultKind::Failed, "daemon", format!("cannot wait for signals: {error}"), "")
    };
    // Asked before it is caught, which ends that it is ignored.
    let stays = !has_terminal() || ignores_hangup();
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let mut hangup = signal(SignalKind::hangup()).map_err(failed)?;
    let event_queue = app.event_queue.clone();
    app.runtime.spawn(async move {
        loop {
            tokio::select! {
                _ = terminate.recv() => break,
                _ = interrupt.recv() => break,
                _ = hangup.recv() => {
                    if !stays && !has_terminal() {
                        break;
                    }
                    let (reload, event_queue) = (reload.clone(), event_queue.clone());
                    // Beside the signals: an end is not put off by it.
                    tokio::task::spawn_blocking(move || {
                        let mut reload = reload.lock().unwrap_or_else(PoisonError::into_inner);
                        if let Some(reload) = reload.as_mut() {
                            read_anew(reload, &event_queue);
                        }
                    });
                }
            }
        }
        event_queue.close();
    });
    Ok(())
}

fn read_anew(reload: &mut Reload, event_queue: &EventQueue) {
    Notifier.reloading();
    let status = match reload.run() {
        Ok(reloaded) => {
            tell(event_queue, reloaded.faults);
            let changed = reloaded.changed.join(", ");
            tracing::info!(changed, "configuration, home and sentences were read anew");
            match reloaded.needs_restart.join(", ") {
                keys if keys.is_empty() => LISTENING.to_owned(),
                keys => {
                    tracing::warn!("changed and in force only after a restart: {keys}");
                    format!("{LISTENING}; in force only after a restart: {keys}")
                }
            }
        }
        Err(faults) => {
            // A status is one line.
            let first = faults.first().map(|fault| fault.message.replace('\n', " ")).unwrap_or_default();
            tell(event_queue, faults);
            format!("{LISTENING}; as before, nothing was read anew: {first}")
        }
    };
    Notifier.ready(&status);
}

fn tell(event_queue: &EventQueue, faults: Faults) {
    for fault in faults {
        tracing::warn!("{fault}");
        report(event_queue, fault.recoverable());
    }
}

/// Whether a terminal controls this process. It does not any more once its window is closed.
fn has_terminal() -> bool {
    File::open("/dev/tty").is_ok()
}

/// Whether it was started to outlive its terminal, as `nohup` does.
fn ignores_hangup() -> bool {
    /// The bit of the first signal.
    const HANGUP: u64 = 1;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & HANGUP != 0)
}
