//! Waits for timers that are due, also for those another program (`hark ask`, `hark timers`) has set.

use super::clock::wall_unix_ms;
use super::mailbox::Mailbox;
use crate::acting::timers::Timers;
use crate::domain::{Event, Fault};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the store is asked whether another program wrote to it, and the wall clock whether it
/// jumped: a timer is late by at most this much after a suspend.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Ends with `stop`, or when dropped.
pub(super) struct TimersThread {
    wake: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl TimersThread {
    /// Starts to wait. Changes of timers go into the mailbox.
    pub(super) fn start(timers: Arc<Timers>, mailbox: Arc<Mailbox>) -> std::io::Result<Self> {
        let (wake, woken) = channel();
        let (nudge, told) = (wake.clone(), mailbox.clone());
        timers.observe(Arc::new(move |change, timer| {
            push(&told, Event::Timer { change, timer: timer.clone() });
            // The thread may have ended; then nobody waits for the next one that is due.
            let _ = nudge.send(());
        }));
        let thread = std::thread::Builder::new()
            .name("hark-timers".into())
            .spawn(move || wait(&timers, &mailbox, &woken))?;
        Ok(Self { wake: Some(wake), thread: Some(thread) })
    }

    /// Ends the thread and waits for it.
    pub(super) fn stop(&mut self, timers: &Timers) {
        timers.observe(Arc::new(|_, _| {}));
        self.wake = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the timers thread had panicked");
        }
    }
}

fn wait(timers: &Timers, mailbox: &Mailbox, woken: &Receiver<()>) {
    let mut reported: Option<Fault> = None;
    loop {
        // Marks what is due as ringing, on the disk, and tells the observer.
        timers.due(wall_unix_ms());
        let nap = timers.next_due_unix_ms().map_or(LOOK_EVERY, |due| {
            let left_ms = due.saturating_sub(wall_unix_ms()).max(0);
            Duration::from_millis(left_ms.unsigned_abs()).min(LOOK_EVERY)
        });
        match woken.recv_timeout(nap) {
            Err(RecvTimeoutError::Disconnected) => return,
            Ok(()) | Err(RecvTimeoutError::Timeout) => {}
        }
        match timers.refresh() {
            Ok(()) => reported = None,
            Err(fault) if reported.as_ref() != Some(&fault) => {
                push(mailbox, Event::Fault { fault: fault.clone() });
                reported = Some(fault);
            }
            Err(_) => {}
        }
    }
}

fn push(mailbox: &Mailbox, event: Event) {
    if let Err(full) = mailbox.push(event) {
        tracing::error!("a timer event was lost: {full}");
    }
}
