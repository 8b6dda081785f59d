//! Somebody speaks into another microphone than the node's: a turn of their own conversation from the moment they are
//! listened to. The node's microphone, its wake word and its voice have no part in it.

use super::state::{Phase, Turn};
use super::{GIVE_UP_AFTER_MS, Machine};
use hark_core::public_event::{Origin, Outcome, PublicEvent};
use hark_core::{MicrophoneId, RemoteSpeech, Stamp, TurnId};

impl Machine {
    pub(super) fn on_remote_speech(
        &mut self,
        now: Stamp,
        microphone: MicrophoneId,
        origin: Origin,
        heard: RemoteSpeech,
    ) {
        if let RemoteSpeech::Listening { speak } = heard {
            // An ear hears one utterance at a time; one that was left open is over.
            if let Some(id) = self.remote_turn(microphone) {
                self.close(&id, Outcome::Cancelled);
            }
            self.open(now, origin, Phase::HearingRemotely, speak).microphone = Some(microphone);
            return;
        }
        // Without a turn the request was stopped meanwhile, and nobody wants its words.
        let Some(id) = self.remote_turn(microphone) else { return };
        match heard {
            RemoteSpeech::Listening { .. } => {}
            RemoteSpeech::SpeechStarted => {
                if let Some(turn) = self.turn_mut(&id) {
                    turn.heard_from.get_or_insert(now);
                    turn.give_up_at_ms = now.clock_ms() + GIVE_UP_AFTER_MS;
                }
                self.publish(Some(&id), PublicEvent::SpeechStarted);
            }
            RemoteSpeech::Partial { text, stable } => {
                self.publish(Some(&id), PublicEvent::Partial { text, stable });
            }
            RemoteSpeech::SpeechEnded { endpoint, silence_ms } => {
                self.end_speech(now, &id, endpoint, now.earlier_by_ms(silence_ms));
            }
            RemoteSpeech::Transcript { transcript } => self.take_words(now, &id, transcript),
            RemoteSpeech::NothingSaid => self.close(&id, Outcome::NothingSaid),
            RemoteSpeech::Failed { fault } => {
                self.publish(Some(&id), PublicEvent::Error(fault));
                self.close(&id, Outcome::Failed);
            }
            RemoteSpeech::Gone => self.close(&id, Outcome::Cancelled),
        }
    }

    /// The turn whose words this ear still owes.
    fn remote_turn(&self, microphone: MicrophoneId) -> Option<TurnId> {
        let owed = |turn: &&Turn| turn.microphone == Some(microphone) && turn.times.request.is_none();
        self.turns.iter().find(owed).map(|turn| turn.id.clone())
    }
}
