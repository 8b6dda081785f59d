//! Timers that ring until somebody hears them.

use super::Machine;
use super::state::Phase;
use crate::domain::audio::Earcon;
use crate::domain::public_event::{Origin, PublicEvent};
use crate::domain::timer::{Timer, TimerChange, TimerKind, TimerState};
use crate::domain::{Effect, Reply, Stamp, TimerId};

/// Pause between two rings.
const RING_PAUSE_MS: u64 = 4_000;

/// What rings, and when it is heard next.
#[derive(Debug, Clone, Default)]
pub(super) struct Ringing {
    timers: Vec<Timer>,
    since_ms: u64,
    next_ms: Option<u64>,
}

impl Ringing {
    /// When the next ring is due.
    pub(super) fn next_ms(&self) -> Option<u64> {
        self.next_ms
    }

    /// Whether a timer waits to be heard by somebody.
    pub(super) fn rings(&self) -> bool {
        !self.timers.is_empty()
    }

    /// Holds its breath while the person or Hark speaks.
    pub(super) fn pause(&mut self) {
        self.next_ms = None;
    }

    /// Goes on after speaking, when something still rings.
    pub(super) fn resume(&mut self, now_ms: u64) {
        if !self.timers.is_empty() && self.next_ms.is_none() {
            self.next_ms = Some(now_ms + RING_PAUSE_MS);
        }
    }

    /// Nothing rings any more; says whether something did.
    pub(super) fn stop(&mut self) -> bool {
        self.next_ms = None;
        !std::mem::take(&mut self.timers).is_empty()
    }

    fn add(&mut self, timer: Timer, now_ms: u64) {
        if self.timers.is_empty() {
            self.since_ms = now_ms;
        }
        self.remove(&timer.id);
        self.timers.push(timer);
        self.next_ms = Some(now_ms);
    }

    fn remove(&mut self, id: &TimerId) {
        self.timers.retain(|timer| timer.id != *id);
        if self.timers.is_empty() {
            self.next_ms = None;
        }
    }
}

impl Machine {
    pub(super) fn on_timer(&mut self, now: Stamp, change: TimerChange, timer: Timer) {
        self.publish(None, PublicEvent::Timer { change, timer: timer.clone() });
        match change {
            TimerChange::Finished
                if timer.kind == TimerKind::Command && timer.state == TimerState::Running =>
            {
                let request = timer.name.unwrap_or_default();
                self.on_typed(now, request, Origin::Internal, true, false);
            }
            TimerChange::Finished => {
                self.ringing.add(timer, now.clock_ms());
                self.ring_if_due(now);
            }
            TimerChange::Acknowledged | TimerChange::Cancelled => self.ringing.remove(&timer.id),
            // It was snoozed, or given more time.
            TimerChange::Updated if timer.state != TimerState::Ringing => self.ringing.remove(&timer.id),
            TimerChange::Started | TimerChange::Updated => {}
        }
    }

    /// Rings unless somebody is speaking; gives up after the configured time.
    pub(super) fn ring_if_due(&mut self, now: Stamp) {
        let now_ms = now.clock_ms();
        if self.ringing.next_ms.is_none_or(|at| at > now_ms) {
            return;
        }
        if now_ms.saturating_sub(self.ringing.since_ms) >= self.settings.ring_max_ms {
            self.ringing.stop();
            self.out.push(Effect::AcknowledgeTimers);
            return;
        }
        let somebody_speaks = self.turns.iter().any(|turn| turn.speak || turn.phase == Phase::Listening);
        if somebody_speaks {
            // `finish` resumes the ring when the turn is over; this is for turns that never speak.
            self.ringing.next_ms = Some(now_ms + RING_PAUSE_MS);
            return;
        }
        self.ringing.pause();
        self.out.push(Effect::PlayEarcon { earcon: Earcon::Timer });
        for timer in self.ringing.timers.clone() {
            let id = self.open(now, Origin::Internal, Phase::Wording, true).id.clone();
            self.reply(now, &id, Reply::TimerRings { timer });
        }
    }
}
