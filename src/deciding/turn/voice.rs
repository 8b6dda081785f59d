//! The spoken side of a turn: wake word, listening, the reply being said.

use super::state::Phase;
use super::{GIVE_UP_AFTER_MS, Machine, WAKE_SOUND_AFTER_MS};
use crate::domain::public_event::{Origin, Outcome, PublicEvent, SpeakingEnd};
use crate::domain::{Effect, Endpoint, Reply, Stamp, Transcript, TurnId};

impl Machine {
    pub(super) fn on_wake(&mut self, now: Stamp, word: String, score: f32) {
        if self.muted {
            return;
        }
        self.make_room_for_listening();
        let turn = self.open(now, Origin::Voice, Phase::Listening, true);
        turn.wake_sound_at_ms = Some(now.clock_ms() + WAKE_SOUND_AFTER_MS);
        let id = turn.id.clone();
        self.publish(Some(&id), PublicEvent::Wake { word, score });
    }

    pub(super) fn on_listen_now(&mut self, now: Stamp) {
        if self.muted {
            return;
        }
        self.make_room_for_listening();
        self.open(now, Origin::Voice, Phase::Listening, true);
        self.out.push(Effect::Listen { window_ms: self.settings.listen_window_ms });
    }

    /// The person wants to speak: what Hark says now, and an older listening turn, give way.
    fn make_room_for_listening(&mut self) {
        if self.turns.iter().any(|turn| turn.speak && matches!(turn.phase, Phase::Wording | Phase::Speaking))
        {
            self.out.push(Effect::StopSpeaking);
        }
        self.ringing.pause();
        while let Some(id) = self.turn_in(Phase::Listening) {
            self.close(&id, Outcome::Cancelled);
        }
    }

    pub(super) fn on_speech_started(&mut self, now: Stamp) {
        let Some(id) = self.turn_in(Phase::Listening) else { return };
        if let Some(turn) = self.turn_mut(&id) {
            turn.wake_sound_at_ms = None;
            turn.give_up_at_ms = now.clock_ms() + GIVE_UP_AFTER_MS;
        }
        self.publish(Some(&id), PublicEvent::SpeechStarted);
    }

    pub(super) fn on_partial(&mut self, text: String, stable: usize) {
        let Some(id) = self.turn_in(Phase::Listening) else { return };
        self.publish(Some(&id), PublicEvent::Partial { text, stable });
    }

    pub(super) fn on_speech_ended(&mut self, now: Stamp, endpoint: Endpoint, silence_ms: u64) {
        let Some(id) = self.turn_in(Phase::Listening) else { return };
        self.publish(Some(&id), PublicEvent::SpeechEnded { endpoint });
        if let Some(turn) = self.turn_mut(&id) {
            turn.phase = Phase::Understanding;
            turn.give_up_at_ms = now.clock_ms() + GIVE_UP_AFTER_MS;
            turn.times.speech_end = Some(now.earlier_by_ms(silence_ms));
        }
    }

    pub(super) fn on_transcript(&mut self, now: Stamp, transcript: Transcript) {
        let waiting = |turn: &&super::Turn| turn.origin == Origin::Voice && turn.times.request.is_none();
        let Some(id) = self.turns.iter().rev().find(waiting).map(|turn| turn.id.clone()) else { return };
        self.publish(Some(&id), PublicEvent::Transcript(transcript.clone()));
        if let Some(turn) = self.turn_mut(&id) {
            turn.phase = Phase::Understanding;
            turn.times.request = Some(now);
        }
        if transcript.rejected.is_some() || transcript.text.trim().is_empty() {
            self.not_understood(now, &id);
        } else {
            self.decide(now, &id, &transcript.text, &transcript.language);
        }
    }

    pub(super) fn on_nothing_said(&mut self) {
        if let Some(id) = self.turn_in(Phase::Listening) {
            self.close(&id, Outcome::NothingSaid);
        }
    }

    pub(super) fn not_understood(&mut self, now: Stamp, id: &TurnId) {
        if let Some(turn) = self.turn_mut(id) {
            turn.outcome = Outcome::NotUnderstood;
        }
        self.reply(now, id, Reply::Fixed { key: "not_understood".into() });
    }

    pub(super) fn on_replied(
        &mut self,
        now: Stamp,
        id: &TurnId,
        text: String,
        language: String,
        speaks: bool,
    ) {
        let Some(turn) = self.turn_mut(id) else { return };
        let outcome = turn.outcome;
        turn.phase = Phase::Speaking;
        turn.give_up_at_ms = now.clock_ms() + GIVE_UP_AFTER_MS + 100 * text.len() as u64;
        let event = PublicEvent::Reply { text: text.clone(), language, ends: true };
        self.publish(Some(id), event);
        self.last_reply = Some(text);
        if !speaks {
            self.finish(now, id, outcome);
        }
    }

    pub(super) fn on_speaking_started(&mut self, now: Stamp, id: &TurnId) {
        if let Some(turn) = self.turn_mut(id) {
            turn.times.first_audio.get_or_insert(now);
            self.publish(Some(id), PublicEvent::SpeakingStarted);
        }
    }

    pub(super) fn on_speaking_ended(&mut self, now: Stamp, id: &TurnId, reason: SpeakingEnd) {
        let Some(turn) = self.turn_mut(id) else { return };
        let outcome = match reason {
            SpeakingEnd::Done => turn.outcome,
            SpeakingEnd::BargeIn | SpeakingEnd::Stop => {
                turn.listen_after = false;
                turn.outcome
            }
        };
        self.publish(Some(id), PublicEvent::SpeakingEnded { reason });
        self.finish(now, id, outcome);
    }

    /// Closes a turn whose reply is out, and listens when the reply was a question.
    fn finish(&mut self, now: Stamp, id: &TurnId, outcome: Outcome) {
        let listen = self.turn_mut(id).is_some_and(|turn| turn.listen_after);
        self.close(id, outcome);
        if listen && self.approval.is_some() {
            // The window is counted from the end of the question, not from its beginning.
            if let Some(approval) = &mut self.approval {
                approval.until_ms = now.clock_ms() + self.settings.approval_window_ms;
            }
            self.on_listen_now(now);
        }
    }
}
