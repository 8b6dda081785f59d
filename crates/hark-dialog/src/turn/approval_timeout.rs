//! A question for approval that nobody answered in time: nothing is done, and whoever was asked is told so, once.

use super::Machine;
use super::conversations::{Talk, conversation};
use super::state::{Phase, Turn};
use crate::instincts;
use hark_core::public_event::{Origin, Outcome};
use hark_core::{Reply, Stamp, TurnId};

impl Machine {
    /// When the next question lapses.
    pub(super) fn approval_lapses_ms(&self) -> Option<u64> {
        self.talks.all().filter_map(|talk| lapses_ms(talk, &self.turns)).min()
    }

    /// Takes a question whose time is up away, whatever comes first: the answer or a tick.
    pub(super) fn let_approval_lapse(&mut self, now: Stamp) {
        for talk in self.talks.all_mut() {
            if lapses_ms(talk, &self.turns).is_some_and(|until_ms| until_ms <= now.clock_ms()) {
                talk.lapsed = talk.approval.take();
            }
        }
    }

    /// Says that it was not done: at once to who typed, in the room as soon as nobody speaks there. It asks nothing
    /// and awaits nothing, so nothing can follow from it.
    pub(super) fn tell_lapsed(&mut self, now: Stamp) {
        let room_is_free = self.turns.is_empty() && self.interruption.is_none();
        let due = |talk: &mut Talk| {
            let in_the_room = *talk.origin() == Origin::Voice;
            let approval = talk.lapsed.take_if(|_| room_is_free || !in_the_room)?;
            // Nobody in the room said anything that this would be the answer to.
            let origin = if in_the_room { Origin::Internal } else { talk.origin().clone() };
            Some((origin, in_the_room, approval.asked))
        };
        let due: Vec<_> = self.talks.all_mut().filter_map(due).collect();
        for (origin, speak, receipt) in due {
            let in_silence = self.is_focused(&origin);
            let turn = self.open(now, origin, Phase::Wording, speak);
            turn.outcome = Outcome::Lapsed;
            let id = turn.id.clone();
            if in_silence {
                // Whoever is at work did not ask what became of it; the closing record tells.
                self.close(&id, Outcome::Lapsed);
            } else {
                self.reply(now, &id, Reply::NotDone { receipt });
            }
        }
    }

    /// Answers a yes or no that came too late with what became of the question; whether it was one.
    pub(super) fn answer_too_late(&mut self, now: Stamp, id: &TurnId, text: &str, origin: &Origin) -> bool {
        let answers = instincts::yes_or_no(text, &self.languages).is_some();
        let talk = self.talks.known(origin);
        let Some(approval) = talk.and_then(|talk| talk.lapsed.take_if(|_| answers)) else {
            return false;
        };
        if let Some(turn) = self.turn_mut(id) {
            turn.outcome = Outcome::Lapsed;
        }
        self.reply(now, id, Reply::NotDone { receipt: approval.asked });
        true
    }
}

/// When the question of a conversation lapses; `None` while it is still being asked.
fn lapses_ms(talk: &Talk, turns: &[Turn]) -> Option<u64> {
    let is_asking =
        turns.iter().any(|turn| turn.asks_approval && conversation(&turn.origin) == talk.origin());
    talk.approval.as_ref().filter(|_| !is_asking).map(|approval| approval.until_ms)
}
