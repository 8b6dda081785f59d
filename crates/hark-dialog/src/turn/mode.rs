//! The mode follows from what the machine has open; it is never set by itself, so it cannot be forgotten.

use super::Machine;
use super::state::Phase;
use crate::modes;
use hark_core::public_event::{Outcome, PublicEvent};
use hark_core::{Event, Intent, Mode, Reply, Route, Slots, Stamp, TurnId};

impl Machine {
    /// Notes that something happened, for the mode.
    pub(super) fn note_activity(&mut self, now: Stamp, event: &Event) {
        if !matches!(event, Event::Tick) {
            self.active_ms = now.clock_ms();
        }
    }

    /// Goes to the mode that fits what is open now, by permitted steps.
    pub(super) fn settle_mode(&mut self, now: Stamp) {
        let (wanted, why) = self.wanted_mode(now);
        for to in modes::way(self.mode, wanted) {
            let from = std::mem::replace(&mut self.mode, to);
            let why = if to == wanted { why } else { "on the way there" }.to_owned();
            self.publish(None, PublicEvent::Mode { from, to, why });
        }
    }

    /// Answers `/status`, `/mode` and `/help`; whether the text was one of them.
    pub(super) fn tell_about_itself(&mut self, now: Stamp, id: &TurnId, text: &str) -> bool {
        let (name, reply) = match text.trim().to_ascii_lowercase().as_str() {
            "/status" | "/mode" => {
                let others = self.turns.iter().filter(|turn| turn.id != *id).count();
                let (mode, state) = (self.mode, self.shown);
                ("HarkStatus", Reply::Status { mode, state, open_turns: others })
            }
            "/help" => ("HarkHelp", Reply::Fixed { key: "help".into() }),
            _ => return false,
        };
        let why = "the whole request is this command".into();
        let (name, slots, route) = (name.into(), Slots::new(), Route::Instinct);
        self.tell_intent(
            id,
            Intent { name, slots, confidence: 1.0, route, why, response: None, single: false },
        );
        let Some(turn) = self.turn_mut(id) else { return true };
        turn.route = Some(route);
        turn.times.intent = Some(now);
        if turn.dry_run {
            self.close(id, Outcome::DryRun);
        } else {
            self.reply(now, id, reply);
        }
        true
    }

    /// When Hark begins to rest, if nothing happens until then.
    pub(super) fn rests_at_ms(&self) -> Option<u64> {
        let may_rest = self.mode == Mode::Alert && self.turns.is_empty();
        may_rest.then_some(self.active_ms + self.settings.rest_after_ms)
    }

    fn wanted_mode(&self, now: Stamp) -> (Mode, &'static str) {
        let runs = |phase| self.turns.iter().any(|turn| turn.is_task && turn.phase == phase);
        if runs(Phase::Thinking) || runs(Phase::Acting) {
            return (Mode::Working, "a task runs");
        }
        if self.talks.all().any(|talk| talk.approval.is_some()) {
            return (Mode::Guarding, "a dangerous act awaits approval");
        }
        if self.talks.all().any(|talk| talk.waiting.is_some() || talk.task_question_ms.is_some()) {
            return (Mode::Waiting, "a task needs an answer");
        }
        if self.task_runs {
            return (Mode::Working, "a task runs");
        }
        if self.has_been_idle(now) {
            return (Mode::Resting, "nothing has happened for a while");
        }
        (Mode::Alert, "ready")
    }

    /// Whether nothing has happened for so long that Hark rests, or goes on resting.
    fn has_been_idle(&self, now: Stamp) -> bool {
        let may_rest = matches!(self.mode, Mode::Alert | Mode::Resting) && self.turns.is_empty();
        may_rest && self.active_ms + self.settings.rest_after_ms <= now.clock_ms()
    }
}
