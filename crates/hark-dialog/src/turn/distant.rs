//! Somebody speaks into another microphone than the node's: a turn of their own conversation from the moment they are
//! listened to. The node's ear, its wake word and its voice have no part in it.

use super::state::{Phase, Turn};
use super::{GIVE_UP_AFTER_MS, Machine};
use hark_core::public_event::{Origin, Outcome, PublicEvent};
use hark_core::{Distant, EarId, Stamp, TurnId};

impl Machine {
    pub(super) fn on_distant(&mut self, now: Stamp, ear: EarId, origin: Origin, heard: Distant) {
        if let Distant::Listening { speak } = heard {
            // An ear hears one utterance at a time; one that was left open is over.
            if let Some(id) = self.heard_afar(ear) {
                self.close(&id, Outcome::Cancelled);
            }
            self.open(now, origin, Phase::HearingAfar, speak).ear = Some(ear);
            return;
        }
        // Without a turn the request was stopped meanwhile, and nobody wants its words.
        let Some(id) = self.heard_afar(ear) else { return };
        match heard {
            Distant::Listening { .. } => {}
            Distant::SpeechStarted => {
                if let Some(turn) = self.turn_mut(&id) {
                    turn.heard_from.get_or_insert(now);
                    turn.give_up_at_ms = now.clock_ms() + GIVE_UP_AFTER_MS;
                }
                self.publish(Some(&id), PublicEvent::SpeechStarted);
            }
            Distant::Partial { text, stable } => {
                self.publish(Some(&id), PublicEvent::Partial { text, stable });
            }
            Distant::SpeechEnded { endpoint, silence_ms } => {
                self.end_speech(now, &id, endpoint, now.earlier_by_ms(silence_ms));
            }
            Distant::Transcript { transcript } => self.take_words(now, &id, transcript),
            Distant::NothingSaid => self.close(&id, Outcome::NothingSaid),
            Distant::Failed { fault } => {
                self.publish(Some(&id), PublicEvent::Error(fault));
                self.close(&id, Outcome::Failed);
            }
            Distant::Gone => self.close(&id, Outcome::Cancelled),
        }
    }

    /// The turn whose words this ear still owes.
    fn heard_afar(&self, ear: EarId) -> Option<TurnId> {
        let owed = |turn: &&Turn| turn.ear == Some(ear) && turn.times.request.is_none();
        self.turns.iter().find(owed).map(|turn| turn.id.clone())
    }
}
