//! Faults of the program's parts: how they are reported, and the ones several parts have.

use super::mailbox::Mailbox;
use crate::domain::{Event, Fault, FaultKind};

/// Everything that is wrong at once, for parts that name all of it.
pub(super) type Faults = Vec<Fault>;

/// Hands a fault to the turn machine, which says or shows it.
pub(super) fn report(mailbox: &Mailbox, fault: Fault) {
    tracing::debug!("{fault}");
    if let Err(full) = mailbox.push(Event::Fault { fault }) {
        tracing::error!("a fault was not reported: {full}");
    }
}

/// A device that was open is gone.
pub(super) fn device_lost(part: &str, name: &str, message: &str) -> Fault {
    let fix = "plug it in again; Hark looks for it by itself";
    Fault::new(FaultKind::Unavailable, part, format!("{name} was lost: {message}"), fix).recoverable()
}

/// A thread could not be started.
pub(super) fn no_thread(name: &str, error: &std::io::Error) -> Fault {
    let fix = "raise the limit of threads (TasksMax in the service)";
    Fault::new(FaultKind::Failed, "daemon", format!("the thread {name} cannot be started: {error}"), fix)
}
