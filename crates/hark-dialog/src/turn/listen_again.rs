//! Listening without a wake word after a reply, and how that ends: always by itself.

use super::Machine;
use super::state::{Opening, Phase};
use hark_config::speaking::FollowUp;
use hark_core::audio::Earcon;
use hark_core::public_event::{Origin, Outcome};
use hark_core::{Effect, Part, Reply, Stamp, TurnId};

impl Machine {
    /// Whether the reply of a turn, now in words, is followed by listening.
    pub(super) fn invites_an_answer(&self, id: &TurnId) -> bool {
        let Some(turn) = self.turns.iter().find(|turn| turn.id == *id) else { return false };
        let asks = turn.asks_approval && self.approval(&turn.origin).is_some() || is_question(&turn.reply);
        let spoken_to = turn.origin == Origin::Voice && turn.speak;
        let by_itself = turn.asks_approval || turn.speak && self.is_asked_by_task(&turn.origin);
        match self.follow_up() {
            FollowUp::Questions => (spoken_to || by_itself) && asks,
            FollowUp::Always => spoken_to || by_itself && asks,
            FollowUp::Never => false,
        }
    }

    /// The reply is out and invited an answer.
    pub(super) fn listen_for_answer(&mut self, now: Stamp) {
        if self.muted || self.turns.iter().any(|turn| turn.phase == Phase::Listening) {
            return;
        }
        self.ringing.pause();
        if self.interruption.is_some() {
            // The answer has begun before the question was over.
            self.take_interruption(now, Opening::FollowUp);
            return;
        }
        let turn = self.open(now, Origin::Voice, Phase::Listening, true);
        turn.opening = Opening::FollowUp;
        let window_ms = self.settings.follow_up_ms;
        self.out.push(Effect::Listen { window_ms, short_answer: self.asks() });
    }

    /// Nothing the house can do was understood. Who asked is told so; what came without being asked for
    /// may not have been meant for Hark: it ends without a word, so that no word can bring the next.
    pub(super) fn not_understood(&mut self, now: Stamp, id: &TurnId) {
        let Some(turn) = self.turn_mut(id) else { return };
        turn.outcome = Outcome::NotUnderstood;
        match turn.opening {
            Opening::WakeWord | Opening::Asked => {
                let reply = match turn.unknown.take() {
                    Some(name) => Reply::Parts { parts: vec![Part::Unknown { name }] },
                    None if turn.lacks_thing && turn.near.is_none() => {
                        self.ask_what_about(now, id);
                        Reply::Fixed { key: "which_thing".into() }
                    }
                    None => match (turn.near.take(), turn.hint.take()) {
                        (None, None) => Reply::Fixed { key: "not_understood".into() },
                        (near, hint) => Reply::NotUnderstood { near, hint },
                    },
                };
                self.reply(now, id, reply);
            }
            Opening::BargeIn => {
                self.earcon(Earcon::Error);
                self.close(id, Outcome::NotUnderstood);
            }
            Opening::FollowUp => self.close(id, Outcome::NotUnderstood),
        }
    }
}

/// Whether a text ends in a question.
fn is_question(text: &str) -> bool {
    let closing = |c: char| c.is_whitespace() || matches!(c, '"' | '”' | '“' | '\'' | '’' | '»' | '«' | ')');
    text.trim_end_matches(closing).ends_with(['?', '？'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_end_in_a_question_mark() {
        for text in ["Which one?", "Shall I unlock the “front door?”", "(Really?) "] {
            assert!(is_question(text), "{text}");
        }
        for text in ["", "Which one? The lamp.", "Done."] {
            assert!(!is_question(text), "{text}");
        }
    }
}
