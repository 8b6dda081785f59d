//! The spoken side of a turn: wake word, listening, the reply being said.

use super::state::{Opening, Phase, Turn};
use super::{GIVE_UP_AFTER_MS, Machine, WAKE_SOUND_AFTER_MS};
use hark_core::house::Standing;
use hark_core::ports::Completeness;
use hark_core::public_event::{Origin, Outcome, PublicEvent, SpeakingEnd};
use hark_core::{Effect, Endpoint, Stamp, Transcript, TurnId, Words};

impl Machine {
    pub(super) fn on_wake(&mut self, now: Stamp, word: String, score: f32) {
        if self.muted {
            return;
        }
        if self.is_own_wake_word(now, &word) {
            self.ignore_own_wake_word(now, word, score);
            return;
        }
        self.fall_silent(now);
        self.let_go_of_voice();
        self.interruption = None;
        self.forget_what_is_thought();
        self.make_room_for_listening();
        let turn = self.open(now, Origin::Voice, Phase::Listening, true);
        turn.opening = Opening::WakeWord;
        turn.wake_sound_at_ms = Some(now.clock_ms() + WAKE_SOUND_AFTER_MS);
        let id = turn.id.clone();
        self.publish(Some(&id), PublicEvent::Wake { word, score });
    }

    /// Whether this node answers the wake word it heard last, as the nodes have settled it.
    pub(super) fn on_standing(&mut self, standing: Standing) {
        let heard = |turn: &&mut Turn| turn.opening == Opening::WakeWord && turn.times.request.is_none();
        let Some(turn) = self.turns.iter_mut().rev().find(heard) else { return };
        turn.waits = standing == Standing::Waiting;
        if standing == Standing::Won {
            return;
        }
        turn.wake_sound_at_ms = None;
        if standing == Standing::Lost {
            let id = turn.id.clone();
            self.leave_to_others(&id);
        }
    }

    /// Another node answers: without a word, without a sound.
    fn leave_to_others(&mut self, id: &TurnId) {
        self.spoken = None;
        self.out.push(Effect::StopListening);
        self.close(id, Outcome::Elsewhere);
    }

    /// Hark said the wake word; the audio pipeline has woken up in vain, and has dropped what it was hearing.
    fn ignore_own_wake_word(&mut self, now: Stamp, word: String, score: f32) {
        self.echoes += 1;
        let why = format!("Hark said it itself ({} echoes dropped)", self.echoes);
        self.publish(None, PublicEvent::WakeRejected { word, score, why });
        self.bring_voice_back(now);
        self.interruption = None;
        if self.turn_in(Phase::Listening).is_none() {
            self.out.push(Effect::StopListening);
        }
    }

    pub(super) fn on_listen_now(&mut self, now: Stamp) {
        if self.muted {
            return;
        }
        self.abandon_interruption(now);
        self.silence(SpeakingEnd::Stop);
        self.make_room_for_listening();
        self.open(now, Origin::Voice, Phase::Listening, true);
        let window_ms = self.settings.listen_window_ms;
        self.out.push(Effect::Listen { window_ms, short_answer: self.asks() });
    }

    /// The person wants to speak: an older listening turn gives way.
    fn make_room_for_listening(&mut self) {
        self.ringing.pause();
        while let Some(id) = self.turn_in(Phase::Listening) {
            self.close(&id, Outcome::Cancelled);
        }
    }

    pub(super) fn on_speech_started(&mut self, now: Stamp) {
        let Some(id) = self.turn_in(Phase::Listening) else { return };
        if let Some(turn) = self.turn_mut(&id) {
            turn.wake_sound_at_ms = None;
            // Speech after a wake word is a person's; without one it may be Hark's own echo.
            if turn.opening != Opening::WakeWord {
                turn.heard_from.get_or_insert(now);
            }
            turn.give_up_at_ms = now.clock_ms() + GIVE_UP_AFTER_MS;
        }
        self.publish(Some(&id), PublicEvent::SpeechStarted);
    }

    pub(super) fn on_partial(&mut self, now: Stamp, words: Words) {
        match self.turn_in(Phase::Listening) {
            Some(id) => {
                let Words { text, stable, completeness, .. } = words;
                if matches!(completeness, Completeness::Complete | Completeness::MayContinue) {
                    let language = self.settings.language.clone();
                    self.out.push(Effect::Prepare { text: text.clone(), language });
                }
                self.publish(Some(&id), PublicEvent::Partial { text, stable });
            }
            None => self.weigh_words(now, words),
        }
    }

    pub(super) fn on_speech_ended(&mut self, now: Stamp, endpoint: Endpoint, silence_ms: u64) {
        let at = now.earlier_by_ms(silence_ms);
        if let Some(id) = self.turn_in(Phase::Listening) {
            self.end_speech(now, &id, endpoint, at);
        } else if let Some(turn) = self.awaited_words().filter(|_| self.interruption.is_none()) {
            // The speaker went on before the words were known.
            self.turns[turn].times.speech_end = Some(at);
        } else {
            self.note_interruption_ended(endpoint, at);
        }
    }

    /// Where in the list of turns the spoken one is whose words are not known yet.
    fn awaited_words(&self) -> Option<usize> {
        self.turns.iter().rposition(|turn| turn.origin == Origin::Voice && turn.times.request.is_none())
    }

    pub(super) fn end_speech(&mut self, now: Stamp, id: &TurnId, endpoint: Endpoint, at: Stamp) {
        self.publish(Some(id), PublicEvent::SpeechEnded { endpoint });
        if let Some(turn) = self.turn_mut(id) {
            turn.phase = Phase::Understanding;
            turn.give_up_at_ms = now.clock_ms() + GIVE_UP_AFTER_MS;
            turn.times.speech_end = Some(at);
        }
    }

    pub(super) fn on_transcript(&mut self, now: Stamp, mut transcript: Transcript) {
        if self.interruption.is_some() && !self.settle_interruption(now, &mut transcript) {
            return;
        }
        let Some(id) = self.awaited_words().map(|turn| self.turns[turn].id.clone()) else { return };
        if self.turn_mut(&id).is_some_and(|turn| turn.waits) {
            // Who should answer has not said so yet; two answers are worse than none.
            self.leave_to_others(&id);
            return;
        }
        self.take_words(now, &id, transcript);
    }

    /// The words of a request are there: it is decided what is meant, unless they are none or Hark's own.
    pub(super) fn take_words(&mut self, now: Stamp, id: &TurnId, mut transcript: Transcript) {
        let Some(turn) = self.turn_mut(id) else { return };
        let (heard_from, is_remote) = (turn.heard_from, turn.microphone.is_some());
        turn.phase = Phase::Understanding;
        turn.times.request = Some(now);
        turn.person = transcript.speaker.as_ref().map(|speaker| speaker.name.clone());
        // Of what goes on with a request the beginning is known to be a person's.
        let heard = self.part_behind(id).unwrap_or_else(|| transcript.text.clone());
        if heard_from.is_some_and(|from| self.is_own_echo(from, now, &heard)) {
            self.echoes += 1;
            transcript.rejected = Some(format!("an echo of what Hark said ({} echoes dropped)", self.echoes));
        }
        self.publish(Some(id), PublicEvent::Transcript(transcript.clone()));
        if let Some(reflex) = self.reflex_behind(id) {
            self.settle(id);
            transcript.text = reflex;
        } else if !self.goes_on(id) {
            self.keep_spoken(id, &transcript.text);
        }
        if transcript.rejected.is_none() && !transcript.text.trim().is_empty() {
            self.decide(now, id, &transcript.text, &transcript.language);
            self.settle_what_is_decided(id);
        } else if is_remote && heard_from.is_some_and(|from| self.could_be_heard(from, now)) {
            // Nobody takes Hark's voice out of that microphone: an answer to it could bring the next one.
            self.close(id, Outcome::NotUnderstood);
        } else {
            self.not_understood(now, id);
        }
    }

    pub(super) fn on_nothing_said(&mut self) {
        if let Some(id) = self.turn_in(Phase::Listening) {
            self.close(&id, Outcome::NothingSaid);
        }
    }

    pub(super) fn on_replied(
        &mut self,
        now: Stamp,
        id: &TurnId,
        text: String,
        language: String,
        speaks: bool,
    ) {
        let begins_by_ms = self.said_by_ms().max(now.clock_ms());
        // No voice waits any more for what this turn could mean.
        self.settle(id);
        let Some(turn) = self.turn_mut(id) else { return };
        let outcome = turn.outcome;
        turn.phase = Phase::Speaking;
        turn.give_up_at_ms = begins_by_ms + GIVE_UP_AFTER_MS + 100 * text.len() as u64;
        turn.reply.clone_from(&text);
        let event = PublicEvent::Reply { text: text.clone(), language, ends: true };
        self.publish(Some(id), event);
        let origin = self.origin_of(id).unwrap_or(Origin::Internal);
        self.talks.open(&origin).last_reply = Some(text);
        if !speaks {
            // A question that only can be read is answered as one that was heard.
            let asks = self.turn_mut(id).is_some_and(|turn| turn.asks_approval);
            let invited = asks && self.invites_an_answer(id);
            if let Some(turn) = self.turn_mut(id) {
                turn.listen_after = invited;
            }
            self.finish(now, id, outcome);
        }
    }

    /// When everything that the voice has to say must have been said; 0 when it is silent.
    fn said_by_ms(&self) -> u64 {
        let speaking = self.turns.iter().filter(|turn| turn.phase == Phase::Speaking);
        speaking.map(|turn| turn.give_up_at_ms).max().unwrap_or(0)
    }

    pub(super) fn on_speaking_started(&mut self, now: Stamp, id: &TurnId) {
        let speaks =
            |turn: &&mut Turn| matches!(turn.phase, Phase::Speaking | Phase::Thinking | Phase::Wording);
        let Some(turn) = self.turn_mut(id).filter(speaks) else { return };
        turn.times.first_audio.get_or_insert(now);
        let again = std::mem::replace(&mut turn.sounding, true);
        let text = turn.reply.clone();
        if !again {
            self.said.begin(id, &text, now);
        }
        self.publish(Some(id), PublicEvent::SpeakingStarted);
    }

    pub(super) fn on_speaking_ended(&mut self, now: Stamp, id: &TurnId, reason: SpeakingEnd) {
        let Some(turn) = self.turn_mut(id) else { return };
        let outcome = turn.outcome;
        // Only what was heard to its end invites an answer.
        let invited = reason == SpeakingEnd::Done && self.invites_an_answer(id);
        let others = self.turns.iter().any(|turn| turn.sounding && turn.id != *id);
        if !others {
            self.bring_voice_back(now);
        }
        if let Some(turn) = self.turn_mut(id) {
            turn.sounding = false;
            turn.listen_after = invited;
        }
        self.publish(Some(id), PublicEvent::SpeakingEnded { reason });
        self.finish(now, id, outcome);
    }

    /// Closes a turn whose reply is out, and listens when the reply invites an answer.
    fn finish(&mut self, now: Stamp, id: &TurnId, outcome: Outcome) {
        let Some(turn) = self.turn_mut(id) else { return };
        let (listen, asks, origin) = (turn.listen_after, turn.asks_approval, turn.origin.clone());
        self.close(id, outcome);
        // The windows are counted from the end of the question, not from its beginning.
        let until_ms = now.clock_ms() + self.settings.approval_window_ms;
        if let Some(talk) = self.talks.known(&origin) {
            if let Some(approval) = talk.approval.as_mut().filter(|_| asks) {
                approval.until_ms = until_ms;
            }
            if let Some(question) = talk.question.as_mut().filter(|_| outcome == Outcome::AwaitingAnswer) {
                question.until_ms = until_ms;
            }
        }
        if listen {
            self.listen_for_answer(now);
        }
    }
}
