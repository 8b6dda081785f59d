//! Takes over what other programs (`hark ask`, `hark timers`) did to the same timers.

use super::Timers;
use hark_core::Fault;
use hark_core::timer::{Timer, TimerChange, TimerState};
use std::sync::atomic::Ordering;

impl Timers {
    /// Takes over what another program has changed in the store.
    ///
    /// # Errors
    /// When the store cannot be read; then nothing has changed here.
    pub fn refresh(&self) -> Result<(), Fault> {
        if self.store.changed_elsewhere()? {
            self.stale.store(true, Ordering::Relaxed);
        }
        if !self.stale.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut changes = Vec::new();
        {
            let mut timers = self.lock();
            let mut stored = self.store.load()?;
            for timer in &mut stored {
                match timers.iter().find(|known| known.id == timer.id) {
                    None => changes.push((TimerChange::Started, timer.clone())),
                    // It rings although that could not be kept: the disk tells of before.
                    Some(known) if rings_still(known, timer) => timer.state = TimerState::Ringing,
                    Some(known) if known != timer => changes.push((difference(known, timer), timer.clone())),
                    Some(_) => {}
                }
            }
            let gone = timers.iter().filter(|known| !stored.iter().any(|timer| timer.id == known.id));
            changes.extend(gone.map(|timer| match timer.state {
                TimerState::Ringing => (TimerChange::Acknowledged, timer.clone()),
                _ => (TimerChange::Cancelled, timer.clone()),
            }));
            *timers = stored;
            self.stale.store(false, Ordering::Relaxed);
        }
        for (change, timer) in &changes {
            self.tell(*change, timer);
        }
        Ok(())
    }
}

fn rings_still(known: &Timer, stored: &Timer) -> bool {
    known.state == TimerState::Ringing
        && stored.state == TimerState::Running
        && known.due_unix_ms == stored.due_unix_ms
}

/// What was done to it. What repeats and no longer rings was acknowledged or snoozed: both silence it.
fn difference(known: &Timer, stored: &Timer) -> TimerChange {
    match (known.state, stored.state) {
        (TimerState::Running | TimerState::Paused, TimerState::Ringing) => TimerChange::Finished,
        _ => TimerChange::Updated,
    }
}
