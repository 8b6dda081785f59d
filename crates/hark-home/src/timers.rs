//! Timers, alarms and reminders: several at once, named or not, kept on the disk before any call answers.
//! No clock in here: every call is told the time, in milliseconds since the Unix epoch.
//!
//! A timer rings once: that it rings is stored, in one transaction with the note of the ring, before it is announced.
//! What was ringing when the program died rings on after the start; only what was not announced is announced as new.

mod clock_changes;
mod external_changes;
mod ring_state;

pub use clock_changes::{ClockJumpDetector, ZoneChangeDetector};

use super::names;
use super::zone::Zone;
use chrono::{NaiveDate, NaiveTime, Timelike};
use hark_core::ids::TimerId;
use hark_core::ports::TimerStore;
use hark_core::timer::{Timer, TimerChange, TimerKind, TimerState};
use hark_core::{Fault, FaultKind};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// Longest timer, and the longest a timer may become: 99 days.
pub const MAX_DURATION_MS: u64 = 99 * 24 * 3600 * 1000;

/// The furthest an alarm or reminder can be ahead: two years.
pub const MAX_AHEAD_MS: i64 = 2 * 366 * 24 * 3600 * 1000;

/// How many timers, alarms and reminders there may be at once.
pub const MAX_TIMERS: usize = 2_000;

/// From this delay on a timer rings late: the program was off, or the clock jumped.
pub const LATE_MS: i64 = 5_000;

/// A command that is due is carried out until then; later the house may no longer want it.
pub const COMMAND_LATE_MS: i64 = 15 * 60 * 1000;

/// Told of every change after it is on the disk, outside the lock: it may call back.
pub type Observer = Arc<dyn Fn(TimerChange, &Timer) + Send + Sync>;

/// Why a timer could not be found or changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TimerError {
    /// No timer fits.
    #[error("there is no such timer")]
    NotFound,
    /// Several fit; the caller asks back.
    #[error("{} timers fit", .0.len())]
    Ambiguous(Vec<Timer>),
    /// The length is zero or beyond [`MAX_DURATION_MS`].
    #[error("a timer can last from one second to 99 days")]
    BadLength,
    /// The time has passed.
    #[error("that time has passed")]
    TimePassed,
    /// The time is beyond [`MAX_AHEAD_MS`].
    #[error("that time is not within the next two years")]
    TooFarAhead,
    /// There are [`MAX_TIMERS`] already.
    #[error("there are {MAX_TIMERS} timers already; cancel one first")]
    TooMany,
    /// The timer is in a state that does not allow it.
    #[error("the timer {0}")]
    WrongState(&'static str),
    /// It could not be kept; nothing was changed.
    #[error("{0}")]
    Store(Fault),
}

/// A timer to be set.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewTimer {
    /// What it is.
    pub kind: TimerKind,
    /// What the person calls it.
    pub name: Option<String>,
    /// Area it is set in.
    pub area: Option<String>,
    /// Length in milliseconds; what is left until `due_unix_ms` where that is given.
    pub duration_ms: u64,
    /// When it rings; `None`: after `duration_ms`.
    pub due_unix_ms: Option<i64>,
    /// When it comes again, as in [`Timer::recurrence`].
    pub recurrence: Option<String>,
    /// `due_unix_ms` is a time of day on the wall, as in [`Timer::wall`].
    pub by_the_wall: bool,
    /// When it was asked for, where that was written down: what is taken up again after the program died is due as if
    /// it had been set then, and rings at once where that has passed. `None`: now.
    pub asked_unix_ms: Option<i64>,
    /// Names the request: under one key one timer is set, however often it is asked for. Empty: always another.
    pub key: String,
}

/// The id of what a request sets: under one key the same, however often it is asked for. Of an empty key always another.
pub fn id_of(key: &str) -> String {
    use sha2::{Digest, Sha256};
    if key.is_empty() {
        return uuid::Uuid::now_v7().to_string();
    }
    let hash = Sha256::digest(key.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid().to_string()
}

/// How a person points at a timer; with everything `None` the only one is meant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TimerQuery {
    /// What it is.
    pub kind: TimerKind,
    /// Its id: one that was spoken of before.
    pub id: Option<TimerId>,
    /// The day it rings on.
    pub day: Option<NaiveDate>,
    /// The time of day it rings at, to the minute.
    pub time: Option<NaiveTime>,
    /// Its name; of a reminder some of its words.
    pub name: Option<String>,
    /// The length it was set with ("the ten minute timer"), in milliseconds.
    pub duration_ms: Option<u64>,
    /// Area it was set in.
    pub area: Option<String>,
}

impl TimerQuery {
    fn is_empty(&self) -> bool {
        *self == Self { kind: self.kind, ..Self::default() }
    }

    fn fits(&self, timer: &Timer, zone: Zone) -> bool {
        // "The timer" may be one at whose end something is done, "the reminder" something that is done at a time.
        let kind = match timer.kind {
            TimerKind::Command if timer.wall.is_some() => TimerKind::Reminder,
            TimerKind::Command => TimerKind::Timer,
            kind => kind,
        };
        if kind != self.kind || self.id.as_ref().is_some_and(|id| *id != timer.id) {
            return false;
        }
        let due = zone.wall(timer.due_unix_ms);
        let at_minute = |time: NaiveTime| (time.hour(), time.minute());
        if self.day.is_some_and(|day| day != due.date())
            || self.time.is_some_and(|time| at_minute(time) != at_minute(due.time()))
        {
            return false;
        }
        let same = |asked: &Option<String>, has: &Option<String>| match asked {
            Some(asked) => has.as_deref().is_some_and(|has| names::is_one_of(asked, [has])),
            None => true,
        };
        let name = match (self.kind, &self.name, &timer.name) {
            (TimerKind::Reminder, Some(asked), Some(has)) => names::holds_words(has, asked),
            _ => same(&self.name, &timer.name),
        };
        name && same(&self.area, &timer.area)
            && self.duration_ms.is_none_or(|length| length == timer.duration_ms)
    }
}

/// All timers of this node. Every call that changes something blocks until it is on the disk.
pub struct Timers {
    store: Arc<dyn TimerStore>,
    /// Held over the write to the store: memory and disk never tell different stories.
    timers: Mutex<Vec<Timer>>,
    /// Another program wrote, and that could not be read yet.
    stale: AtomicBool,
    observer: RwLock<Option<Observer>>,
    /// Where the clock on the wall hangs that recurrences go by.
    zone: Zone,
}

impl Timers {
    /// Reads what is kept. Those that became due while the program was off are given out by the next
    /// [`Timers::ring_due`]; those that were ringing still do, and [`Timers::ring_on`] tells of them.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn load(store: Arc<dyn TimerStore>, now_unix_ms: i64) -> Result<Self, Fault> {
        // From here on what others write is noticed; asked before the load, so that nothing falls between.
        store.changed_elsewhere()?;
        let timers = store.load()?;
        let missed = |timer: &&Timer| timer.state == TimerState::Running && is_late(timer, now_unix_ms);
        let late = timers.iter().filter(missed).count();
        if late > 0 {
            tracing::warn!(late, "timers became due while the program was off");
        }
        Ok(Self {
            store,
            timers: Mutex::new(timers),
            stale: AtomicBool::new(false),
            observer: RwLock::new(None),
            zone: Zone::Local,
        })
    }

    /// The same timers in another time zone than the machine's.
    #[must_use]
    pub fn in_zone(self, zone: Zone) -> Self {
        Self { zone, ..self }
    }

    /// The time zone of recurrences.
    pub fn zone(&self) -> Zone {
        self.zone
    }

    /// Sets the observer of changes; replaces the previous one.
    pub fn observe(&self, observer: Observer) {
        *self.observer.write().unwrap_or_else(PoisonError::into_inner) = Some(observer);
    }

    /// All timers, in the order they were set.
    pub fn all(&self) -> Vec<Timer> {
        self.lock().clone()
    }

    /// Those that ring now.
    pub fn ringing(&self) -> Vec<Timer> {
        self.lock().iter().filter(|timer| timer.state == TimerState::Ringing).cloned().collect()
    }

    /// Sets a timer that rings `duration_ms` from now, or what rings at a time.
    ///
    /// # Errors
    /// `BadLength`, `TimePassed`, `TooFarAhead`, `TooMany`, `Store`.
    pub fn start(&self, new: NewTimer, now_unix_ms: i64) -> Result<Timer, TimerError> {
        // A clock that was set back since makes nothing come later.
        let asked_unix_ms = new.asked_unix_ms.map_or(now_unix_ms, |asked| asked.min(now_unix_ms));
        let (due_unix_ms, duration_ms) = match new.due_unix_ms {
            Some(due) => (due, ahead(due.saturating_sub(asked_unix_ms))?),
            None if new.duration_ms == 0 || new.duration_ms > MAX_DURATION_MS => {
                return Err(TimerError::BadLength);
            }
            None => (asked_unix_ms.saturating_add_unsigned(new.duration_ms), new.duration_ms),
        };
        let timer = Timer {
            id: TimerId(id_of(&new.key)),
            kind: new.kind,
            name: new.name,
            area: new.area,
            duration_ms,
            created_unix_ms: now_unix_ms,
            due_unix_ms,
            remaining_ms: 0,
            state: TimerState::Running,
            recurrence: new.recurrence,
            wall: new.by_the_wall.then(|| self.zone.wall_of(due_unix_ms)).flatten(),
            skipped: None,
        };
        {
            let mut timers = self.lock();
            if let Some(known) = timers.iter().find(|known| known.id == timer.id) {
                return Ok(known.clone());
            }
            if timers.len() >= MAX_TIMERS {
                return Err(TimerError::TooMany);
            }
            self.store.save(&timer).map_err(TimerError::Store)?;
            timers.push(timer.clone());
        }
        self.tell(TimerChange::Started, &timer);
        Ok(timer)
    }

    /// The timer that is meant: by name, by the length it was set with, else the only one. With
    /// several and no hint the one that rings is meant, if it is one.
    ///
    /// # Errors
    /// `NotFound`, `Ambiguous`.
    pub fn find(&self, query: &TimerQuery) -> Result<Timer, TimerError> {
        let mut fitting = self.matching(query);
        if fitting.len() > 1 && query.is_empty() {
            let ringing: Vec<Timer> =
                fitting.iter().filter(|timer| timer.state == TimerState::Ringing).cloned().collect();
            if ringing.len() == 1 {
                fitting = ringing;
            }
        }
        match fitting.len() {
            0 => Err(TimerError::NotFound),
            1 => Ok(fitting.remove(0)),
            _ => Err(TimerError::Ambiguous(fitting)),
        }
    }

    /// Every timer that fits, in the order they were set.
    pub fn matching(&self, query: &TimerQuery) -> Vec<Timer> {
        self.lock().iter().filter(|timer| query.fits(timer, self.zone)).cloned().collect()
    }

    /// Takes a timer away.
    ///
    /// # Errors
    /// `NotFound`, `Store`.
    pub fn cancel(&self, id: &TimerId) -> Result<Timer, TimerError> {
        let timer = {
            let mut timers = self.lock();
            let at = position(&timers, id)?;
            self.store.remove(&timers[at]).map_err(TimerError::Store)?;
            timers.remove(at)
        };
        self.tell(TimerChange::Cancelled, &timer);
        Ok(timer)
    }

    /// Puts a timer back as it was, be it gone or changed since.
    ///
    /// # Errors
    /// `TooMany`, `Store`.
    pub fn put_back(&self, timer: &Timer) -> Result<(), TimerError> {
        let mut timer = timer.clone();
        if timer.state == TimerState::Ringing {
            // It is given out again by the next `due`.
            timer.state = TimerState::Running;
        }
        let timer = &timer;
        let change = {
            let mut timers = self.lock();
            let at = timers.iter().position(|known| known.id == timer.id);
            if at.is_none() && timers.len() >= MAX_TIMERS {
                return Err(TimerError::TooMany);
            }
            self.store.save(timer).map_err(TimerError::Store)?;
            match at {
                Some(at) => {
                    timers[at] = timer.clone();
                    TimerChange::Updated
                }
                None => {
                    timers.push(timer.clone());
                    TimerChange::Started
                }
            }
        };
        self.tell(change, timer);
        Ok(())
    }

    /// Takes every fitting timer away, all of them or none; answers those it took.
    ///
    /// # Errors
    /// `Store`.
    pub fn cancel_all(&self, query: &TimerQuery) -> Result<Vec<Timer>, TimerError> {
        let gone = {
            let mut timers = self.lock();
            let fitting: Vec<Timer> =
                timers.iter().filter(|timer| query.fits(timer, self.zone)).cloned().collect();
            let changes: Vec<_> = fitting.iter().map(|timer| (timer.clone(), None)).collect();
            self.store.replace(&changes).map_err(TimerError::Store)?;
            // One that another program changed just now is looked at again by `refresh`.
            timers.retain(|timer| !fitting.iter().any(|gone| gone.id == timer.id));
            fitting
        };
        for timer in &gone {
            self.tell(TimerChange::Cancelled, timer);
        }
        Ok(gone)
    }

    /// Stops a timer with what is left of it.
    ///
    /// # Errors
    /// `NotFound`, `WrongState` when it does not run, `Store`.
    pub fn pause(&self, id: &TimerId, now_unix_ms: i64) -> Result<Timer, TimerError> {
        self.update(id, |timer| {
            match timer.state {
                TimerState::Running => {}
                TimerState::Paused => return Err(TimerError::WrongState("is paused already")),
                TimerState::Ringing => return Err(TimerError::WrongState("is ringing")),
            }
            timer.remaining_ms = left_ms(timer, now_unix_ms);
            timer.state = TimerState::Paused;
            timer.wall = None;
            Ok(())
        })
    }

    /// Lets a paused timer run on.
    ///
    /// # Errors
    /// `NotFound`, `WrongState` when it is not paused, `Store`.
    pub fn resume(&self, id: &TimerId, now_unix_ms: i64) -> Result<Timer, TimerError> {
        self.update(id, |timer| {
            if timer.state != TimerState::Paused {
                return Err(TimerError::WrongState("is not paused"));
            }
            timer.due_unix_ms = now_unix_ms.saturating_add_unsigned(timer.remaining_ms);
            timer.remaining_ms = 0;
            timer.state = TimerState::Running;
            Ok(())
        })
    }

    /// Makes what is left longer. A ringing timer runs again, for this long.
    ///
    /// # Errors
    /// `NotFound`, `BadLength` when it would become too long, `Store`.
    pub fn add(&self, id: &TimerId, ms: u64, now_unix_ms: i64) -> Result<Timer, TimerError> {
        self.update(id, |timer| {
            let left = left_ms(timer, now_unix_ms).saturating_add(ms);
            if left > MAX_DURATION_MS {
                return Err(TimerError::BadLength);
            }
            set_left(timer, left, now_unix_ms);
            Ok(())
        })
    }

    /// Makes what is left shorter; a running timer with nothing left rings at the next [`Timers::ring_due`].
    ///
    /// # Errors
    /// `NotFound`, `WrongState` when it is ringing, `Store`.
    pub fn remove(&self, id: &TimerId, ms: u64, now_unix_ms: i64) -> Result<Timer, TimerError> {
        self.update(id, |timer| {
            if timer.state == TimerState::Ringing {
                return Err(TimerError::WrongState("is ringing"));
            }
            let left = left_ms(timer, now_unix_ms).saturating_sub(ms);
            set_left(timer, left, now_unix_ms);
            Ok(())
        })
    }

    /// Lets a timer run so long from now on, as if it had been set with this length; a paused one stays paused.
    ///
    /// # Errors
    /// `NotFound`, `BadLength`, `Store`.
    pub fn set_length(&self, id: &TimerId, ms: u64, now_unix_ms: i64) -> Result<Timer, TimerError> {
        self.update(id, |timer| {
            if ms == 0 || ms > MAX_DURATION_MS {
                return Err(TimerError::BadLength);
            }
            timer.duration_ms = ms;
            set_left(timer, ms, now_unix_ms);
            Ok(())
        })
    }

    /// Puts an alarm or reminder at another time, which is one of the wall; `recurrence` is its own, at that time of day.
    ///
    /// # Errors
    /// `NotFound`, `TimePassed`, `TooFarAhead`, `Store`.
    pub fn move_to(
        &self,
        id: &TimerId,
        due_unix_ms: i64,
        recurrence: Option<String>,
        now_unix_ms: i64,
    ) -> Result<Timer, TimerError> {
        let wall = self.zone.wall_of(due_unix_ms);
        self.update(id, |timer| {
            ahead(due_unix_ms.saturating_sub(now_unix_ms))?;
            timer.due_unix_ms = due_unix_ms;
            timer.recurrence = recurrence;
            timer.wall = wall;
            timer.remaining_ms = 0;
            timer.state = TimerState::Running;
            Ok(())
        })
    }

    /// When the next running timer is due; in the past when one waits for [`Timers::ring_due`].
    pub fn next_due_unix_ms(&self) -> Option<i64> {
        let timers = self.lock();
        timers.iter().filter(|timer| timer.state == TimerState::Running).map(|timer| timer.due_unix_ms).min()
    }

    /// Changes one timer: in the store first, then in memory.
    fn update(
        &self,
        id: &TimerId,
        change: impl FnOnce(&mut Timer) -> Result<(), TimerError>,
    ) -> Result<Timer, TimerError> {
        let timer = {
            let mut timers = self.lock();
            let at = position(&timers, id)?;
            let mut changed = timers[at].clone();
            change(&mut changed)?;
            let step = [(timers[at].clone(), Some(changed.clone()))];
            if !self.store.replace(&step).map_err(TimerError::Store)?.contains(&true) {
                // Another program was quicker; `refresh` will show what it did.
                return Err(TimerError::NotFound);
            }
            timers[at] = changed.clone();
            changed
        };
        self.tell(TimerChange::Updated, &timer);
        Ok(timer)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Timer>> {
        self.timers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, change: TimerChange, timer: &Timer) {
        let observer = self.observer.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(observer) = observer {
            observer(change, timer);
        }
    }
}

/// What is left of a timer in milliseconds; 0 when it is due.
pub fn left_ms(timer: &Timer, now_unix_ms: i64) -> u64 {
    match timer.state {
        TimerState::Running => u64::try_from(timer.due_unix_ms.saturating_sub(now_unix_ms)).unwrap_or(0),
        TimerState::Paused => timer.remaining_ms,
        TimerState::Ringing => 0,
    }
}

/// Whether a timer that is due rings later than asked: by more than [`LATE_MS`].
pub fn is_late(timer: &Timer, now_unix_ms: i64) -> bool {
    timer.state != TimerState::Paused && now_unix_ms.saturating_sub(timer.due_unix_ms) > LATE_MS
}

/// How long a time is ahead, which is `ms` from now.
fn ahead(ms: i64) -> Result<u64, TimerError> {
    match u64::try_from(ms) {
        Ok(0) | Err(_) => Err(TimerError::TimePassed),
        Ok(_) if ms > MAX_AHEAD_MS => Err(TimerError::TooFarAhead),
        Ok(ahead) => Ok(ahead),
    }
}

fn position(timers: &[Timer], id: &TimerId) -> Result<usize, TimerError> {
    timers.iter().position(|timer| timer.id == *id).ok_or(TimerError::NotFound)
}

fn set_left(timer: &mut Timer, left_ms: u64, now_unix_ms: i64) {
    if timer.state == TimerState::Paused {
        timer.remaining_ms = left_ms;
    } else {
        timer.state = TimerState::Running;
        timer.due_unix_ms = now_unix_ms.saturating_add_unsigned(left_ms);
        timer.wall = None;
    }
}

impl From<TimerError> for Fault {
    fn from(error: TimerError) -> Self {
        match error {
            TimerError::Store(fault) => fault,
            other => Fault::new(FaultKind::BadInput, "timers", other.to_string(), "see `hark timers list`"),
        }
    }
}

#[cfg(test)]
#[path = "timers_tests.rs"]
mod tests;
#[cfg(test)]
mod time_zone_tests;
