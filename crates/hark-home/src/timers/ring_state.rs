//! How a timer rings: from due to acknowledged. Each step is stored before it is announced.

use super::{COMMAND_LATE_MS, MAX_DURATION_MS, TimerError, Timers, set_left};
use hark_core::Fault;
use hark_core::ids::TimerId;
use hark_core::timer::{Ring, Timer, TimerChange, TimerKind, TimerState};

impl Timers {
    /// Tells the observer of what was ringing when the program ended, once, at the start of whoever lets them ring:
    /// first, as new, what nobody was told of before; then what became due in the meantime; last what rings on, for
    /// that has been told, and there may be much of it. A command among them was given out before; whether
    /// it was carried out nobody knows, so it is told and not done again.
    ///
    /// # Errors
    /// When the store cannot be read; then all are told as new.
    pub fn ring_on(&self, now_unix_ms: i64) -> Result<(), Fault> {
        let rings = self.store.rings();
        let known: &[Ring] = rings.as_ref().map_or(&[], Vec::as_slice);
        let was_told = |timer: &Timer| {
            let of_this =
                |ring: &Ring| ring.timer == timer.id && ring.due_unix_ms == timer.due_unix_ms && ring.told;
            timer.kind == TimerKind::Command || known.iter().any(of_this)
        };
        let (ring_on, new): (Vec<Timer>, Vec<Timer>) = self.ringing().into_iter().partition(was_told);
        for timer in &new {
            self.tell(TimerChange::Finished, timer);
        }
        self.ring_due(now_unix_ms);
        for timer in &ring_on {
            self.tell(TimerChange::RingsOn, timer);
        }
        rings.map(|_| ())
    }

    /// The timers that became due, each given out once; they ring from here on. A timer whose ringing
    /// cannot be kept on the disk rings all the same, and would ring again after a restart. A command that is
    /// not too late is given out running, and is over with [`Timers::told`]: it is done once or, after a power
    /// cut, told.
    pub fn ring_due(&self, now_unix_ms: i64) -> Vec<Timer> {
        let mut due = Vec::new();
        {
            let mut timers = self.lock();
            let changes: Vec<(Timer, Option<Timer>)> = timers
                .iter()
                .filter(|timer| timer.state == TimerState::Running && timer.due_unix_ms <= now_unix_ms)
                .map(|timer| (timer.clone(), Some(Timer { state: TimerState::Ringing, ..timer.clone() })))
                .collect();
            if changes.is_empty() {
                return due;
            }
            let kept = self.store.replace(&changes);
            if let Err(fault) = &kept {
                tracing::error!(%fault, "what rings could not be kept");
            }
            for (at, (before, after)) in changes.into_iter().enumerate() {
                let is_command = before.kind == TimerKind::Command;
                let in_time = now_unix_ms.saturating_sub(before.due_unix_ms) <= COMMAND_LATE_MS;
                let rings = match &kept {
                    // Cancelled or changed by another program a moment ago: `refresh` takes it over.
                    Ok(done) => done.get(at).copied().unwrap_or(false),
                    Err(_) => !is_command,
                };
                let Some(timer) = after.filter(|_| rings) else { continue };
                if let Some(known) = timers.iter_mut().find(|known| known.id == timer.id) {
                    known.state = TimerState::Ringing;
                }
                due.push(if is_command && in_time { before } else { timer });
            }
        }
        due.sort_by_key(|timer| timer.due_unix_ms);
        for timer in &due {
            self.tell(TimerChange::Finished, timer);
        }
        due
    }

    /// The world knows that this timer, as [`Timers::ring_due`] gave it out, has begun to ring. A command that was given
    /// out to be carried out waits for its next time or is gone.
    ///
    /// # Errors
    /// When it could not be kept: after a restart it may be told again.
    pub fn told(&self, timer: &Timer) -> Result<(), Fault> {
        if timer.kind == TimerKind::Command && timer.state == TimerState::Running {
            return self.given_out(timer);
        }
        self.store.told(&timer.id, timer.due_unix_ms)
    }

    /// A command is being carried out: it waits for its next time or is gone.
    fn given_out(&self, command: &Timer) -> Result<(), Fault> {
        let mut timers = self.lock();
        let Some(at) = timers.iter().position(|known| known.id == command.id) else { return Ok(()) };
        let next = self.again(command, command.due_unix_ms);
        self.store.replace(&[(timers[at].clone(), next.clone())])?;
        match next {
            Some(next) => timers[at] = next,
            None => drop(timers.remove(at)),
        }
        Ok(())
    }

    /// Lets what rings ring again later; answers what it was. `only`: just these of them.
    ///
    /// # Errors
    /// `NotFound` when nothing rings, `BadLength`, `Store`.
    pub fn snooze(&self, ms: u64, now_unix_ms: i64) -> Result<Vec<Timer>, TimerError> {
        self.snooze_some(None, ms, now_unix_ms)
    }

    /// As [`Timers::snooze`], only for these.
    ///
    /// # Errors
    /// As [`Timers::snooze`].
    pub fn snooze_some(
        &self,
        only: Option<&[TimerId]>,
        ms: u64,
        now_unix_ms: i64,
    ) -> Result<Vec<Timer>, TimerError> {
        if ms == 0 || ms > MAX_DURATION_MS {
            return Err(TimerError::BadLength);
        }
        let mut snoozed = Vec::new();
        {
            let mut timers = self.lock();
            let changes: Vec<(Timer, Option<Timer>)> = ringing(&timers, only)
                .map(|timer| {
                    let mut later = timer.clone();
                    set_left(&mut later, ms, now_unix_ms);
                    (timer.clone(), Some(later))
                })
                .collect();
            let done = self.store.replace(&changes).map_err(TimerError::Store)?;
            for (timer, _) in changes.into_iter().map(|(_, after)| after).zip(done).filter(|(_, done)| *done)
            {
                let Some(timer) = timer else { continue };
                if let Some(known) = timers.iter_mut().find(|known| known.id == timer.id) {
                    *known = timer.clone();
                }
                snoozed.push(timer);
            }
        }
        for timer in &snoozed {
            self.tell(TimerChange::Updated, timer);
        }
        if snoozed.is_empty() { Err(TimerError::NotFound) } else { Ok(snoozed) }
    }

    /// The person heard: every ringing timer is silent, and gone unless it comes again, even when the disk
    /// does not follow (it would then ring again after a restart). Answers what rang.
    ///
    /// # Errors
    /// The fault of the store, after all were silenced.
    pub fn acknowledge_all(&self, now_unix_ms: i64) -> Result<Vec<Timer>, Fault> {
        self.silence(None, TimerChange::Acknowledged, now_unix_ms)
    }

    /// Silences these, for the reason that is told: `Acknowledged` or `Unheard`.
    ///
    /// # Errors
    /// As [`Timers::acknowledge_all`].
    pub fn silence(
        &self,
        only: Option<&[TimerId]>,
        reason: TimerChange,
        now_unix_ms: i64,
    ) -> Result<Vec<Timer>, Fault> {
        let (heard, kept) = {
            let mut timers = self.lock();
            let changes: Vec<(Timer, Option<Timer>)> =
                ringing(&timers, only).map(|timer| (timer.clone(), self.again(timer, now_unix_ms))).collect();
            if changes.is_empty() {
                return Ok(Vec::new());
            }
            let kept = self.store.replace(&changes);
            for (timer, next) in &changes {
                let Some(at) = timers.iter().position(|known| known.id == timer.id) else { continue };
                match next {
                    Some(next) => timers[at] = next.clone(),
                    None => drop(timers.remove(at)),
                }
            }
            (changes.into_iter().map(|(timer, _)| timer).collect::<Vec<_>>(), kept)
        };
        for timer in &heard {
            self.tell(reason, timer);
        }
        kept.map(|_| heard)
    }

    /// Leaves out the next time of what repeats.
    ///
    /// # Errors
    /// `NotFound` where there is no such timer, or it never comes again; `Store`.
    pub fn skip(&self, id: &TimerId, now_unix_ms: i64) -> Result<Timer, TimerError> {
        let timer = self.lock().iter().find(|timer| timer.id == *id).cloned().ok_or(TimerError::NotFound)?;
        let next = self.again(&timer, now_unix_ms).ok_or(TimerError::NotFound)?;
        let next = Timer { skipped: self.zone.wall_of(timer.due_unix_ms), ..next };
        self.put_back(&next)?;
        Ok(next)
    }

    /// The next time of what repeats; `None` when it rings only once.
    fn again(&self, timer: &Timer, now_unix_ms: i64) -> Option<Timer> {
        let rule = timer.recurrence.as_deref()?;
        // The clock may have been set back while it rang: the same time does not come twice.
        let after = now_unix_ms.max(timer.due_unix_ms);
        let due_unix_ms = self.zone.next(rule, timer.created_unix_ms, after)?;
        let wall = self.zone.wall_of(due_unix_ms);
        Some(Timer { due_unix_ms, wall, state: TimerState::Running, ..timer.clone() })
    }
}

fn ringing<'a>(timers: &'a [Timer], only: Option<&'a [TimerId]>) -> impl Iterator<Item = &'a Timer> {
    timers.iter().filter(move |timer| {
        timer.state == TimerState::Ringing && only.is_none_or(|only| only.contains(&timer.id))
    })
}
