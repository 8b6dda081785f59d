//! Waits for timers that are due, also for those another program (`hark ask`, `hark timers`) has set.

use super::clock::wall_unix_ms;
use super::mailbox::Mailbox;
use crate::acting::timers::{JumpWatch, Timers};
use crate::domain::{Event, Fault};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the store is asked whether another program wrote to it, and the wall clock whether it
/// jumped: a timer is late by at most this much after a suspend.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long to wait before what was overlooked as due is looked at.
const RETRY_AFTER: Duration = Duration::from_millis(20);

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
    let mut faults = Reporter { mailbox, last: None };
    let mut is_stuck = false;
    let mut clocks = JumpWatch::default();
    clocks.look(wall_unix_ms(), steady_ms());
    // Before anything new rings: where it stood when the program ended.
    faults.take(timers.put_right(wall_unix_ms()).and_then(|()| timers.ring_on()));
    loop {
        let now = wall_unix_ms();
        let mut state = Ok(());
        if let Some(jump_ms) = clocks.look(now, steady_ms()) {
            tracing::warn!(jump_ms, "the wall clock was set");
            state = timers.clock_was_set(jump_ms, now);
        }
        // What another program cancelled a moment ago does not ring.
        state = state.and(timers.refresh());
        // Marks what is due as ringing, on the disk, and tells the observer.
        timers.due(now);
        faults.take(state);
        let left_ms = timers.next_due_unix_ms().map_or(i64::MAX, |due| due.saturating_sub(wall_unix_ms()));
        let nap = match u64::try_from(left_ms) {
            Ok(left_ms) => Duration::from_millis(left_ms).min(LOOK_EVERY),
            // It became due in the meantime; or it could not be kept, and then the disk needs time.
            Err(_) if is_stuck => LOOK_EVERY,
            Err(_) => RETRY_AFTER,
        };
        is_stuck = left_ms < 0;
        match woken.recv_timeout(nap) {
            Err(RecvTimeoutError::Disconnected) => return,
            // Told of a burst of changes: one look is enough for all of them.
            Ok(()) => woken.try_iter().for_each(drop),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Milliseconds of a clock that nobody sets and that goes on while the machine sleeps.
fn steady_ms() -> i64 {
    use rustix::time::{ClockId, clock_gettime};
    let now = clock_gettime(ClockId::Boottime);
    now.tv_sec.saturating_mul(1000).saturating_add(now.tv_nsec / 1_000_000)
}

/// Tells a fault once for as long as it lasts.
struct Reporter<'a> {
    mailbox: &'a Mailbox,
    last: Option<Fault>,
}

impl Reporter<'_> {
    fn take(&mut self, result: Result<(), Fault>) {
        let fault = result.err();
        if let Some(fault) = fault.as_ref().filter(|fault| self.last.as_ref() != Some(*fault)) {
            push(self.mailbox, Event::Fault { fault: fault.clone() });
        }
        self.last = fault;
    }
}

fn push(mailbox: &Mailbox, event: Event) {
    if let Err(full) = mailbox.push(event) {
        tracing::error!("a timer event was lost: {full}");
    }
}
