//! Faults of the program's parts: how they are reported, and the ones several parts have.

use crate::app::event_queue::EventQueue;
use hark_core::{Event, Fault, FaultKind};

/// Everything that is wrong at once, for parts that name all of it.
pub(crate) type Faults = Vec<Fault>;

/// Hands a fault to the turn machine, which says or shows it.
pub(crate) fn report(event_queue: &EventQueue, fault: Fault) {
    tracing::debug!("{fault}");
    if let Err(full) = event_queue.push(Event::Fault { fault }) {
        tracing::error!("a fault was not reported: {full}");
    }
}

/// A device that was open is gone.
pub(crate) fn device_lost(part: &str, name: &str, message: &str) -> Fault {
    let fix = "plug it in again; Hark looks for it by itself";
    Fault::new(FaultKind::Unavailable, part, format!("{name} was lost: {message}"), fix).recoverable()
}

/// A thread could not be started.
pub(crate) fn no_thread(name: &str, error: &std::io::Error) -> Fault {
    let fix = "raise the limit of threads (TasksMax in the service)";
    Fault::new(FaultKind::Failed, "daemon", format!("the thread {name} cannot be started: {error}"), fix)
}
