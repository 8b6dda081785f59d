//! Timers that ring until somebody hears them.

use super::Machine;
use super::state::Phase;
use hark_core::audio::Earcon;
use hark_core::public_event::{Origin, PublicEvent};
use hark_core::timer::{Timer, TimerChange, TimerKind, TimerState};
use hark_core::{Effect, Reply, Stamp, TimerId};
use std::collections::VecDeque;

/// Pause between two rings.
const RING_PAUSE_MS: u64 = 4_000;

/// How many are told between two pauses; of more, the others come after the next.
const MAX_AT_ONCE: usize = 5;

/// What rings, and when it is heard next.
#[derive(Debug, Clone, Default)]
pub(super) struct Ringing {
    /// Each with the time since when, in the order in which they are told next.
    timers: VecDeque<(Timer, u64)>,
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

    /// Stays silent while the person or Hark speaks.
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

    /// `at_once`: nobody has heard of it yet. What rings on takes its turn.
    fn add(&mut self, timer: Timer, now_ms: u64, at_once: bool) {
        self.remove(&timer.id);
        let waits = !at_once && !self.timers.is_empty();
        // Before those that were told already.
        let new = self.timers.iter().take_while(|(_, since_ms)| *since_ms == now_ms).count();
        self.timers.insert(new, (timer, now_ms));
        if !waits {
            self.next_ms = Some(now_ms);
        }
    }

    /// Those that have rung for `most_ms`; they are silent from here on.
    fn take_unheard(&mut self, now_ms: u64, most_ms: u64) -> Vec<TimerId> {
        let is_over = |since_ms: u64| now_ms.saturating_sub(since_ms) >= most_ms;
        let over = self.timers.iter().filter(|(_, since_ms)| is_over(*since_ms));
        let over = over.map(|(timer, _)| timer.id.clone()).collect();
        self.timers.retain(|(_, since_ms)| !is_over(*since_ms));
        if self.timers.is_empty() {
            self.next_ms = None;
        }
        over
    }

    /// Whether anything rings.
    pub(super) fn is_ringing(&self) -> bool {
        !self.timers.is_empty()
    }

    /// Those whose turn it is to be told.
    fn next(&mut self) -> Vec<Timer> {
        let most = MAX_AT_ONCE.min(self.timers.len());
        self.timers.rotate_left(most);
        self.timers.iter().skip(self.timers.len() - most).map(|(timer, _)| timer.clone()).collect()
    }

    fn remove(&mut self, id: &TimerId) {
        self.timers.retain(|(timer, _)| timer.id != *id);
        if self.timers.is_empty() {
            self.next_ms = None;
        }
    }
}

impl Machine {
    pub(super) fn on_timer(&mut self, now: Stamp, change: TimerChange, timer: Timer) {
        let ring_id = change.is_of_a_ring().then(|| timer.ring_id());
        self.publish(None, PublicEvent::Timer { change, timer: timer.clone(), ring_id });
        match change {
            TimerChange::Finished
                if timer.kind == TimerKind::Command && timer.state == TimerState::Running =>
            {
                let request = timer.name.unwrap_or_default();
                self.on_typed(now, request, Origin::Internal, true, false);
            }
            TimerChange::Finished | TimerChange::RingsOn => {
                self.ringing.add(timer, now.clock_ms(), change == TimerChange::Finished);
                self.ring_if_due(now);
            }
            TimerChange::Acknowledged | TimerChange::Unheard | TimerChange::Cancelled => {
                self.ringing.remove(&timer.id)
            }
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
        let unheard = self.ringing.take_unheard(now_ms, self.settings.ring_max_ms);
        if !unheard.is_empty() {
            self.out.push(Effect::GiveUpTimers { timers: unheard });
        }
        if !self.ringing.rings() {
            return;
        }
        let somebody_speaks = self.turns.iter().any(|turn| turn.speak || turn.phase == Phase::Listening);
        if somebody_speaks {
            // `handle` resumes the ring when the turn is over; this is for turns that never speak.
            self.ringing.next_ms = Some(now_ms + RING_PAUSE_MS);
            return;
        }
        self.ringing.pause();
        self.out.push(Effect::PlayEarcon { earcon: Earcon::Timer });
        for timer in self.ringing.next() {
            let id = self.open(now, Origin::Internal, Phase::Wording, true).id.clone();
            self.reply(now, &id, Reply::TimerRings { timer });
        }
    }
}
