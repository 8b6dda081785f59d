//! What is carried out when something happens: watched here, kept on the disk before any call answers, and given out
//! once. No clock in here: every call is told the time, in milliseconds since the Unix epoch.
//!
//! An automation acts when its condition becomes true that was not, or at its time. That it acts is stored before it is
//! given out, and that it has acted when its turn is over: what was being carried out when the program ended is given out
//! again by [`Automations::resume`].

pub mod sun;

use crate::home::question;
use crate::home::restore::restore;
use crate::home::select::SelectError;
use crate::unasked::Unasked;
use crate::zone::Zone;
use chrono::{Datelike, Duration, NaiveTime};
use hark_core::automation::{
    Action, Automation, Condition, Restored, Ring, SunEvent, Trigger, Until, intent,
};
use hark_core::home::{Home, WATCHED};
use hark_core::ports::AutomationStore;
use hark_core::session::spoken;
use hark_core::timer::Timer;
use hark_core::{AutomationId, Fault, TimerId};
use std::sync::{Arc, PoisonError, RwLock};

/// How many there may be at once.
pub const MAX_AUTOMATIONS: usize = 500;

/// What was to happen so long ago is not done any more: the house may no longer want it.
pub const LATE_MS: i64 = 15 * 60 * 1000;

/// How long a device is as before until somebody is taken to have brought it back.
const BRIEF_MS: i64 = 5_000;

/// Days that are looked through for the next sunrise or sunset: in the far north the sun stays away for months.
const MAX_SUN_DAYS: u64 = 200;

/// Told of each automation that acts, after that is on the disk.
pub type Observer = Arc<dyn Fn(Automation) + Send + Sync>;

/// Why an automation cannot be set, or never acts.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AutomationError {
    /// What it waits for is about nothing that is here.
    #[error("{0}")]
    Question(#[from] SelectError),
    /// Nobody has said where the house stands.
    #[error("it is not known where the house stands, so not when the sun rises or sets")]
    NoLocation,
    /// The sun neither rises nor sets there in the next months.
    #[error("the sun does not do that here in the next months")]
    NoSun,
    /// What would end is over already.
    #[error("that time is over")]
    Over,
    /// There are [`MAX_AUTOMATIONS`].
    #[error("there are {MAX_AUTOMATIONS} automations already; cancel one first")]
    TooMany,
    /// It could not be kept; nothing was changed.
    #[error("{0}")]
    Store(Fault),
}

/// The home as it is at a moment.
#[derive(Debug, Clone, Copy)]
pub struct Now<'n> {
    /// The home.
    pub home: &'n Home,
    /// Area this node stands in.
    pub area: Option<&'n str>,
    /// Milliseconds since the Unix epoch.
    pub unix_ms: i64,
}

/// All automations of this node.
pub struct Automations {
    store: Arc<dyn AutomationStore>,
    zone: Zone,
    observer: RwLock<Option<Observer>>,
    unasked: RwLock<Option<Arc<Unasked>>>,
}

/// Whether a device that is to be brought back later is as before already.
pub fn is_back(device: &Restored, home: &Home) -> bool {
    let now = home.entities.iter().find(|now| now.id == device.before.id);
    now.is_some_and(|now| restore(&device.before, now).is_empty() && !restore(&device.after, now).is_empty())
}

impl Automations {
    /// Those that are kept here, by the clock of this zone.
    pub fn new(store: Arc<dyn AutomationStore>, zone: Zone) -> Self {
        Self { store, zone, observer: RwLock::new(None), unasked: RwLock::new(None) }
    }

    /// The zone of its times of day.
    pub fn zone(&self) -> Zone {
        self.zone
    }

    /// Sets who is told of what acts; replaces the previous one.
    pub fn observe(&self, observer: Observer) {
        *self.observer.write().unwrap_or_else(PoisonError::into_inner) = Some(observer);
    }

    /// Limits when it may speak of what is watched beside the home, folders and repositories: what happens meanwhile is held,
    /// and told afterwards. What says nothing is not held.
    pub fn limit(&self, unasked: Arc<Unasked>) {
        *self.unasked.write().unwrap_or_else(PoisonError::into_inner) = Some(unasked);
    }

    /// All of them, in the order they were set.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn all(&self) -> Result<Vec<Automation>, Fault> {
        self.store.automations()
    }

    /// The one that is kept for words, with what is to be done; `None` where nothing is, or the store cannot be read.
    pub fn said(&self, text: &str) -> Option<Automation> {
        let text = spoken(text);
        let is_meant =
            |one: &Automation| matches!(&one.trigger, Trigger::Said { words } if spoken(words) == text);
        self.all().ok()?.into_iter().rev().find(is_meant)
    }

    /// Keeps one. Its condition has to become true from here on: one that is true now has to become false first, or to stay true
    /// for as long as is waited for.
    ///
    /// # Errors
    /// When what it waits for cannot be watched, or it could not be kept.
    pub fn add(&self, new: Automation, now: Now<'_>) -> Result<Automation, AutomationError> {
        let condition = match &new.trigger {
            Trigger::Becomes { condition, .. } => Some(condition),
            Trigger::Sun { .. } | Trigger::At { .. } | Trigger::Rings { .. } | Trigger::Said { .. } => None,
        };
        if now.home.location.is_none() && new.only_if.iter().chain(condition).any(Condition::asks_the_sun) {
            return Err(AutomationError::NoLocation);
        }
        for condition in &new.only_if {
            self.condition_holds(condition, now)?;
        }
        let was_true = match &new.trigger {
            Trigger::Becomes { condition, for_seconds } => {
                self.condition_holds(condition, now)?.unwrap_or(false) && *for_seconds == 0
            }
            _ => false,
        };
        let next_unix_ms = self.next(&new.trigger, &new.only_if, now)?;
        if self.all().map_err(AutomationError::Store)?.len() >= MAX_AUTOMATIONS {
            return Err(AutomationError::TooMany);
        }
        let were_true = self.each_of(&new.trigger, now);
        let kept = Automation { was_true, were_true, next_unix_ms, ..new };
        self.store.add_automation(&kept).map_err(AutomationError::Store)?;
        Ok(kept)
    }

    /// Takes one away; `None` when it was not there any more.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn remove(&self, id: &AutomationId) -> Result<Option<Automation>, Fault> {
        // One that changes meanwhile is read again.
        loop {
            let Some(known) = self.all()?.into_iter().find(|known| known.id == *id) else { return Ok(None) };
            if self.store.replace_automation(&known, None)? {
                return Ok(Some(known));
            }
        }
    }

    /// Puts one back, or another in the place of the one of its name.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn put_back(&self, automation: &Automation) -> Result<(), Fault> {
        self.store.add_automation(automation)
    }

    /// Gives out again what was being carried out when the program ended, unless it is too late for that. Once, at the
    /// start of whoever carries them out.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn resume(&self, now_unix_ms: i64) -> Result<(), Fault> {
        for automation in self.all()? {
            match automation.acting_since_unix_ms {
                Some(since) if now_unix_ms - since > LATE_MS => drop(self.over(&automation, now_unix_ms)?),
                Some(_) => self.tell(automation),
                None => {}
            }
        }
        Ok(())
    }

    /// Looks at the home and the clock, and gives out what acts now.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn check_triggers(&self, now: Now<'_>) -> Result<(), Fault> {
        for automation in self.all()? {
            if automation.acting_since_unix_ms.is_some() {
                self.follow_while_acting(&automation, now)?;
                continue;
            }
            if automation.expires_unix_ms.is_some_and(|end| end <= now.unix_ms) {
                tracing::info!(id = %automation.id, "what was waited for has not happened in its time");
                self.store.replace_automation(&automation, None)?;
                continue;
            }
            let Some(automation) = self.still_restores(automation, now)? else { continue };
            let (happened, mut after) = self.evaluate_trigger(&automation, now);
            let happened = happened || automation.held_since_unix_ms.is_some();
            let is_held = happened && self.is_held(&automation, now);
            if is_held {
                after.held_since_unix_ms.get_or_insert(now.unix_ms);
            }
            if happened && !is_held {
                self.act(&automation, after, now.unix_ms)?;
            } else if after != automation {
                self.store.replace_automation(&automation, Some(&after))?;
            }
        }
        Ok(())
    }

    /// Gives out what waits for the ring of this timer; of a ring that was told before the program was started again, what
    /// waits for this timer alone, since that is gone when it has acted.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn rang(&self, timer: &Timer, is_new: bool, now: Now<'_>) -> Result<(), Fault> {
        for automation in self.all()? {
            let is_meant = |ring: &Ring| ring.is_of(timer) && (is_new || ring.timer.is_some());
            let waits = matches!(&automation.trigger, Trigger::Rings { ring } if is_meant(ring));
            if !waits || automation.acting_since_unix_ms.is_some() {
                continue;
            }
            if self.is_allowed(&automation, now) {
                self.act(&automation, automation.clone(), now.unix_ms)?;
            } else {
                self.over(&automation, now.unix_ms)?;
            }
        }
        Ok(())
    }

    /// Takes away what waits for a timer that does not ring any more.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn timer_gone(&self, timer: &TimerId) -> Result<(), Fault> {
        for automation in self.all()? {
            let waits =
                matches!(&automation.trigger, Trigger::Rings { ring } if ring.timer.as_ref() == Some(timer));
            if waits && automation.acting_since_unix_ms.is_none() {
                tracing::info!(id = %automation.id, "what waited for a timer went with it");
                self.store.replace_automation(&automation, None)?;
            }
        }
        Ok(())
    }

    /// What was given out has been carried out: it waits for its next time, or is gone.
    ///
    /// # Errors
    /// When it could not be written: it may be given out again after a restart.
    pub fn carried_out(&self, id: &AutomationId, now_unix_ms: i64) -> Result<(), Fault> {
        // It may be followed, or changed by another program, just now.
        while let Some(known) = self.all()?.into_iter().find(|known| known.id == *id) {
            if self.over(&known, now_unix_ms)? {
                break;
            }
        }
        Ok(())
    }

    /// When a time comes that an automation waits for, or its own is over, milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn next_due_unix_ms(&self) -> Result<Option<i64>, Fault> {
        let times = |it: &Automation| [it.next_unix_ms, it.expires_unix_ms].into_iter().flatten().min();
        Ok(self.all()?.iter().filter_map(times).min())
    }

    /// Whether a condition is true; `None` while that is not known.
    ///
    /// # Errors
    /// When it is about nothing that is here.
    pub fn condition_holds(&self, condition: &Condition, now: Now<'_>) -> Result<Option<bool>, SelectError> {
        Ok(match condition {
            Condition::State { question, not } => {
                question::holds(now.home, question, now.area)?.map(|holds| holds != *not)
            }
            Condition::Hours { from, to } => {
                let time = self.zone.wall(now.unix_ms).time();
                let after = |from: &NaiveTime| time >= *from;
                Some(if from <= to { after(from) && time < *to } else { after(from) || time < *to })
            }
            Condition::Days { days } => Some(days.contains(&self.zone.wall(now.unix_ms).weekday())),
            Condition::Sun { up } => self.is_sun_up(now).map(|is_up| is_up == *up),
            Condition::All { conditions } => self.decided_by(false, conditions, now)?,
            Condition::Any { conditions } => self.decided_by(true, conditions, now)?,
        })
    }

    /// Whether the sun is up; `None` where it is not known where the house stands, or the sun neither rises nor sets.
    fn is_sun_up(&self, now: Now<'_>) -> Option<bool> {
        let location = now.home.location?;
        let day = self.zone.wall(now.unix_ms).date();
        let at = |event| sun::unix_ms(location, day, event);
        let (rises, sets) = (at(SunEvent::Sunrise)?, at(SunEvent::Sunset)?);
        Some((rises..sets).contains(&now.unix_ms))
    }

    /// What several conditions come to, of which one that is `decisive` decides; the opposite where all are known not to be.
    fn decided_by(
        &self,
        decisive: bool,
        conditions: &[Condition],
        now: Now<'_>,
    ) -> Result<Option<bool>, SelectError> {
        let all = conditions.iter().map(|condition| self.condition_holds(condition, now));
        let all = all.collect::<Result<Vec<_>, _>>()?;
        let is_decided = all.contains(&Some(decisive));
        let is_open = !is_decided && all.contains(&None);
        Ok((!is_open).then_some(is_decided == decisive))
    }

    /// The trigger that ends what is done now.
    ///
    /// # Errors
    /// When that end cannot be watched, or is over.
    pub fn end_of(&self, until: &Until, now: Now<'_>) -> Result<Trigger, AutomationError> {
        let at = |unix_ms: i64| {
            let is_ahead = unix_ms > now.unix_ms;
            if is_ahead { Ok(Trigger::At { unix_ms }) } else { Err(AutomationError::Over) }
        };
        match until {
            Until::Seconds { seconds } => {
                at(now.unix_ms.saturating_add_unsigned(seconds.saturating_mul(1000)))
            }
            Until::Time { time } => {
                let today = self.zone.wall(now.unix_ms).date().and_time(*time);
                let first = self.zone.unix_ms(today);
                at(if first > now.unix_ms { first } else { self.zone.unix_ms(today + Duration::days(1)) })
            }
            Until::Moment { at: moment } => at(self.zone.unix_ms(*moment)),
            Until::Sun { event } => {
                let trigger = Trigger::Sun { event: *event, offset_minutes: 0, from_day: None };
                self.next(&trigger, &[], now).map(|_| trigger)
            }
            // Only what has an end already can end later.
            Until::Later { .. } => Err(AutomationError::Over),
            Until::Becomes { condition, for_seconds } => {
                self.condition_holds(condition, now)?;
                Ok(Trigger::Becomes { condition: condition.clone(), for_seconds: *for_seconds })
            }
            Until::Rings { ring } => Ok(Trigger::Rings { ring: ring.clone() }),
        }
    }

    /// When a trigger that time brings comes next; `None` for the others.
    ///
    /// # Errors
    /// When it never comes, as far as is known.
    pub fn next(
        &self,
        trigger: &Trigger,
        only_if: &[Condition],
        now: Now<'_>,
    ) -> Result<Option<i64>, AutomationError> {
        match trigger {
            Trigger::Becomes { .. } | Trigger::Rings { .. } | Trigger::Said { .. } => Ok(None),
            Trigger::At { unix_ms } => Ok(Some(*unix_ms)),
            Trigger::Sun { event, offset_minutes, from_day } => {
                let location = now.home.location.ok_or(AutomationError::NoLocation)?;
                let today = self.zone.wall(now.unix_ms).date();
                let earliest =
                    from_day.map_or(i64::MIN, |day| self.zone.unix_ms(day.and_time(NaiveTime::MIN)));
                let offset_ms = i64::from(*offset_minutes) * 60_000;
                // The day before: half an hour after the sunset of a day may be on the next one.
                let days = (today - Duration::days(1)).iter_days().take(MAX_SUN_DAYS as usize);
                let is_day = |at: &i64| {
                    let day = self.zone.wall(*at).weekday();
                    let fits =
                        |it: &Condition| !matches!(it, Condition::Days { days } if !days.contains(&day));
                    only_if.iter().all(fits)
                };
                let times = days.filter_map(|day| Some(sun::unix_ms(location, day, *event)? + offset_ms));
                times
                    .filter(is_day)
                    .find(|at| *at > now.unix_ms.max(earliest))
                    .map(Some)
                    .ok_or(AutomationError::NoSun)
            }
        }
    }

    /// Which of several conditions are true now, of which one has to become true at once; none for other triggers.
    fn each_of(&self, trigger: &Trigger, now: Now<'_>) -> Vec<bool> {
        let Trigger::Becomes { condition: Condition::Any { conditions }, for_seconds: 0 } = trigger else {
            return Vec::new();
        };
        conditions
            .iter()
            .map(|condition| matches!(self.condition_holds(condition, now), Ok(Some(true))))
            .collect()
    }

    /// Whether it acts now, and how it is after this look.
    fn evaluate_trigger(&self, automation: &Automation, now: Now<'_>) -> (bool, Automation) {
        let mut after = automation.clone();
        after.were_true = self.each_of(&automation.trigger, now);
        let happened = match &automation.trigger {
            // "When the front or the back door opens" while one of them is open: the other one.
            Trigger::Becomes { .. } if !after.were_true.is_empty() => {
                after.was_true = after.were_true.contains(&true);
                let was = |at: usize| automation.were_true.get(at).copied().unwrap_or(automation.was_true);
                after.were_true.iter().enumerate().any(|(at, is)| *is && !was(at))
            }
            // What cannot be known now, because it is away, has not changed.
            Trigger::Becomes { condition, for_seconds } => match self.condition_holds(condition, now) {
                Ok(Some(true)) if !automation.was_true => {
                    let since = *after.true_since_unix_ms.get_or_insert(now.unix_ms);
                    let is_long = now.unix_ms.saturating_sub(since) / 1000 >= for_seconds.cast_signed();
                    (after.was_true, after.true_since_unix_ms) = (is_long, Some(since).filter(|_| !is_long));
                    is_long
                }
                Ok(Some(is_true)) => {
                    (after.was_true, after.true_since_unix_ms) = (is_true, None);
                    false
                }
                Ok(None) | Err(_) => false,
            },
            // Told by `rang`, and run by who says it.
            Trigger::Rings { .. } | Trigger::Said { .. } => false,
            Trigger::At { .. } | Trigger::Sun { .. } => match automation.next_unix_ms {
                Some(next) => next <= now.unix_ms,
                None => {
                    after.next_unix_ms =
                        self.next(&automation.trigger, &automation.only_if, now).ok().flatten();
                    false
                }
            },
        };
        let too_late = automation.next_unix_ms.is_some_and(|next| now.unix_ms - next > LATE_MS);
        let is_restore = matches!(automation.action, Action::Restore { .. });
        let acts = happened && (is_restore || !too_late) && self.is_allowed(automation, now);
        if happened && !acts && automation.next_unix_ms.is_some() {
            // Its time has passed without it.
            after.next_unix_ms = self.next(&automation.trigger, &automation.only_if, now).ok().flatten();
        }
        (acts, after)
    }

    /// The same without the devices that somebody has brought back meanwhile: "turn on the lamp for an hour", "turn it off".
    /// `None` where nothing is left to be brought back.
    fn still_restores(&self, automation: Automation, now: Now<'_>) -> Result<Option<Automation>, Fault> {
        let Action::Restore { devices } = &automation.action else { return Ok(Some(automation)) };
        let left = devices.iter().filter_map(|device| {
            let since = device.back_since_unix_ms;
            // A state may be reported late, and for a moment look like the one before.
            let is_over = since.is_some_and(|since| now.unix_ms - since >= BRIEF_MS);
            let back_since_unix_ms = is_back(device, now.home).then(|| since.unwrap_or(now.unix_ms));
            (!is_over).then(|| Restored { back_since_unix_ms, ..device.clone() })
        });
        let left: Vec<Restored> = left.collect();
        if left == *devices {
            return Ok(Some(automation));
        }
        let is_over = left.is_empty();
        let after = Automation { action: Action::Restore { devices: left }, ..automation.clone() };
        let kept = if is_over { None } else { Some(&after) };
        let is_ours = self.store.replace_automation(&automation, kept)?;
        Ok((is_ours && !is_over).then_some(after))
    }

    /// Whether everything is so that has to be so as well.
    fn is_allowed(&self, automation: &Automation, now: Now<'_>) -> bool {
        automation
            .only_if
            .iter()
            .all(|condition| matches!(self.condition_holds(condition, now), Ok(Some(true))))
    }

    /// Stores that it acts, and gives it out, unless another program changed it meanwhile.
    fn act(&self, automation: &Automation, after: Automation, now_unix_ms: i64) -> Result<(), Fault> {
        let (acting_since_unix_ms, held_since_unix_ms) = (Some(now_unix_ms), None);
        let acting = Automation { acting_since_unix_ms, held_since_unix_ms, ..after };
        if self.store.replace_automation(automation, Some(&acting))? {
            self.tell(acting);
        }
        Ok(())
    }

    /// Notes that a watched folder or repository changed again while the last change is still being announced; it is announced
    /// afterwards. Other automations are left out: one that causes its own trigger would act for ever.
    fn follow_while_acting(&self, automation: &Automation, now: Now<'_>) -> Result<(), Fault> {
        if !tells_of_watched(automation, now) {
            return Ok(());
        }
        let (happened, mut after) = self.evaluate_trigger(automation, now);
        if happened {
            after.held_since_unix_ms.get_or_insert(now.unix_ms);
        }
        if after != *automation {
            // Where another program was quicker, the next look follows.
            self.store.replace_automation(automation, Some(&after))?;
        }
        Ok(())
    }

    /// Whether what has happened is not to be told now.
    fn is_held(&self, automation: &Automation, now: Now<'_>) -> bool {
        let unasked = self.unasked.read().unwrap_or_else(PoisonError::into_inner).clone();
        tells_of_watched(automation, now) && unasked.is_some_and(|unasked| !unasked.take(now.unix_ms))
    }

    /// Whether it was still as it is `known`; otherwise nothing has changed.
    fn over(&self, known: &Automation, now_unix_ms: i64) -> Result<bool, Fault> {
        let next = Automation { acting_since_unix_ms: None, next_unix_ms: None, ..known.clone() };
        let is_timed_once = matches!(known.trigger, Trigger::At { .. });
        let after = (known.repeats && !is_timed_once).then_some(&next);
        let is_ours = self.store.replace_automation(known, after)?;
        if !is_ours {
            tracing::debug!(id = %known.id, now_unix_ms, "an automation was changed while it acted");
        }
        Ok(is_ours)
    }

    fn tell(&self, automation: Automation) {
        let observer = self.observer.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(observer) = observer {
            observer(automation);
        }
    }
}

/// Whether it says something of what is watched beside the home.
fn tells_of_watched(automation: &Automation, now: Now<'_>) -> bool {
    let (Trigger::Becomes { condition, .. }, Action::Intents { intents }) =
        (&automation.trigger, &automation.action)
    else {
        return false;
    };
    let asked = |question| question::asked_about(now.home, question, now.area).unwrap_or_default();
    intents.iter().any(|intent| intent.name == intent::ANNOUNCE)
        && condition.questions().into_iter().flat_map(asked).any(|thing| thing.source == WATCHED)
}

#[cfg(test)]
#[path = "automations_tests.rs"]
mod tests;
