//! A question for approval that nobody answered in time: nothing is done, and whoever was asked is told so, once.

use super::Machine;
use super::state::{Approval, Phase};
use crate::deciding::instincts::{self, Context};
use crate::domain::public_event::{Origin, Outcome};
use crate::domain::{Reply, Stamp, TurnId};

impl Machine {
    /// When the question at hand lapses; `None` while it is still being asked.
    pub(super) fn approval_lapses_ms(&self) -> Option<u64> {
        let is_asking = self.turns.iter().any(|turn| turn.asks_approval);
        self.approval.as_ref().filter(|_| !is_asking).map(|approval| approval.until_ms)
    }

    /// Takes a question whose time is up away, whatever comes first: the answer or a tick.
    pub(super) fn let_approval_lapse(&mut self, now: Stamp) {
        if self.approval_lapses_ms().is_some_and(|until_ms| until_ms <= now.clock_ms()) {
            self.lapsed = self.approval.take();
        }
    }

    /// Says that it was not done: at once to who typed, in the room as soon as nobody speaks there. It asks nothing
    /// and awaits nothing, so nothing can follow from it.
    pub(super) fn tell_lapsed(&mut self, now: Stamp) {
        let in_the_room = |approval: &Approval| approval.origin == Origin::Voice;
        let room_is_free = self.turns.is_empty() && self.interruption.is_none();
        let due = self.lapsed.take_if(|approval| room_is_free || !in_the_room(approval));
        let Some(approval) = due else { return };
        // Nobody in the room said anything that this would be the answer to.
        let (origin, speak) =
            if in_the_room(&approval) { (Origin::Internal, true) } else { (approval.origin, false) };
        let turn = self.open(now, origin, Phase::Wording, speak);
        turn.outcome = Outcome::Lapsed;
        let id = turn.id.clone();
        self.reply(now, &id, Reply::NotDone { receipt: approval.asked });
    }

    /// Answers a yes or no that came too late with what became of the question; whether it was one.
    pub(super) fn answer_too_late(&mut self, now: Stamp, id: &TurnId, text: &str, origin: &Origin) -> bool {
        let context = Context { last_reply: None, awaiting_approval: true };
        let answers = |text| {
            let free = Context { last_reply: None, awaiting_approval: false };
            instincts::find(text, &context).is_some() && instincts::find(text, &free).is_none()
        };
        let Some(approval) = self.lapsed.take_if(|approval| approval.origin == *origin && answers(text))
        else {
            return false;
        };
        if let Some(turn) = self.turn_mut(id) {
            turn.outcome = Outcome::Lapsed;
        }
        self.reply(now, id, Reply::NotDone { receipt: approval.asked });
        true
    }
}
