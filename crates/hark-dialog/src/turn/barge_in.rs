//! Somebody speaks while Hark does: quieter at once, then silent or back, and never deaf to "stop".
//!
//! An interruption begins with `Event::Interruption`. It is undecided until its words are for Hark (it
//! becomes the next turn), or until the time is up: then the voice comes back, and the speech is heard
//! to its end in case it was a whole request after all.

use super::barge_in_decision::{self, Circumstances};
use super::state::{Opening, Phase};
use super::{Machine, own_words};
use hark_config::barge_in::BargeInStyle;
use hark_core::public_event::{BargeIn, Origin, PublicEvent, SpeakingEnd};
use hark_core::{Effect, Endpoint, Stamp, Transcript, TurnId, Words};

/// How long after its first sound undecided speech that may be a request has the voice pause. By the clock, unlike the
/// decision, because the words come late and the loudspeaker sounds for another 100 to 200 ms after them.
const PAUSE_AFTER_MS: u64 = 440;

/// How much longer than `decide_ms` a paused voice waits for the recogniser's last words, so that it does not go on
/// just to be stopped by them.
const RECOGNISER_LAG_MS: u64 = 200;

/// How long a voice is paused at most for who goes on with a request.
const GOES_ON_MS: u64 = 5000;

/// The longest utterance. One that has not ended by then is dismissed.
const FORGET_AFTER_MS: u64 = 70_000;

/// Whether an undecided interruption has the ducked voice pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pause {
    /// Not before this, on the clock of the stamps.
    NotBefore(u64),
    /// As soon as the words may be for Hark.
    OnceLikely,
    Begun,
}

/// Speech over Hark that is not yet known to be for it.
#[derive(Debug, Clone)]
pub(super) struct Interruption {
    onset: Stamp,
    /// Then the voice comes back, or, when it is back, the interruption is forgotten.
    due_ms: u64,
    pause: Pause,
    /// Whether it goes on with the request before: its whole words decide.
    goes_on: bool,
    /// Whether a voice that has not begun waits for it, too.
    holds_back: bool,
    /// Whether the voice is quieter because of it.
    ducked: bool,
    /// The time for deciding is over; only the last word on the utterance counts.
    late: bool,
    words: Option<Words>,
    /// As in [`Words`], from the last time somebody looked.
    opening: Option<f32>,
    /// Why and when the speech ended, when it has.
    ended: Option<(Endpoint, Stamp)>,
}

impl Interruption {
    /// No voice waits for it any more; whether one did.
    pub(super) fn lets_go(&mut self) -> bool {
        self.holds_back && std::mem::replace(&mut self.ducked, false)
    }
}

impl Machine {
    pub(super) fn on_interruption(&mut self, now: Stamp, ago_ms: u64, goes_on: bool) {
        if self.turn_in(Phase::Listening).is_some() {
            // It crossed with the order to listen, by which the audio pipeline makes a request of it.
            return;
        }
        if let Some(known) = self.interruption.as_mut().filter(|known| known.goes_on && !goes_on) {
            // Both parts together were nothing: it is heard as any other from here on.
            known.goes_on = false;
            return;
        }
        let speaking = self.sounding().is_some();
        // One that is doubted gives way to the next.
        let busy = self.interruption.as_ref().is_some_and(|interruption| !interruption.late);
        let goes_on = goes_on && self.spoken.is_some();
        if busy || !(speaking || self.ringing.rings() || goes_on) {
            self.out.push(Effect::Dismiss);
            return;
        }
        let style = self.settings.barge_in.style;
        // A voice that already waits for what a request goes on with is not held twice.
        let is_held =
            self.turns.iter().filter_map(|turn| turn.continuation.as_ref()).any(|it| it.holds_voice());
        let ducked = goes_on || !is_held && speaking && style == BargeInStyle::Revocable;
        let onset = now.earlier_by_ms(ago_ms);
        let decide_ms = u64::from(self.settings.barge_in.decide_ms);
        self.interruption = Some(Interruption {
            onset,
            due_ms: onset.clock_ms() + if goes_on { GOES_ON_MS } else { decide_ms },
            pause: if goes_on { Pause::Begun } else { Pause::NotBefore(onset.clock_ms() + PAUSE_AFTER_MS) },
            goes_on,
            holds_back: goes_on,
            ducked,
            late: false,
            words: None,
            opening: None,
            ended: None,
        });
        if goes_on {
            // Also what Hark is about to say.
            self.out.push(Effect::PauseSpeaking);
        } else if ducked {
            self.out.push(Effect::Duck { db: self.settings.barge_in.duck_db });
            self.tell_barge_in(now, BargeIn::Duck);
        } else if speaking && style == BargeInStyle::Immediate {
            self.take_interruption(now, Opening::BargeIn);
        }
    }

    /// Takes the interruption for a request when its words so far say so. What counts is how much had been
    /// said by then, not how long the recogniser took for it: a busy machine decides like an idle one.
    pub(super) fn weigh_words(&mut self, now: Stamp, words: Words) {
        let decide_ms = u64::from(self.settings.barge_in.decide_ms);
        let Some(Interruption { onset, opening, words: so_far, goes_on: false, .. }) = &mut self.interruption
        else {
            return;
        };
        tracing::debug!(?words, "words over Hark");
        *opening = words.opening.or(*opening);
        let (onset, words) = (*onset, Words { opening: *opening, ..words });
        *so_far = Some(words.clone());
        // The time for deciding is over; only the last word on the utterance counts.
        if words.spoken_ms > decide_ms {
            return;
        }
        if self.with_circumstances(onset, now, |given| barge_in_decision::partial_is_for_hark(&words, given))
        {
            self.take_interruption(now, Opening::BargeIn);
        } else {
            self.pause_if_likely(now);
        }
    }

    /// Silences the voice while an undecided interruption may be for Hark; what it was saying is kept. Only a voice
    /// that is ducked: what ends that ends the pause.
    fn pause_if_likely(&mut self, now: Stamp) {
        let Some(interruption) = &self.interruption else { return };
        let Interruption { onset, words: Some(words), pause: Pause::OnceLikely, ducked: true, .. } =
            interruption
        else {
            return;
        };
        if !self.with_circumstances(*onset, now, |given| barge_in_decision::may_be_for_hark(words, given)) {
            return;
        }
        if let Some(interruption) = &mut self.interruption {
            interruption.pause = Pause::Begun;
            interruption.due_ms += RECOGNISER_LAG_MS;
        }
        self.out.push(Effect::PauseSpeaking);
    }

    /// When time alone decides about an interruption next.
    pub(super) fn next_decision_ms(&self) -> Option<u64> {
        let Interruption { due_ms, pause, .. } = self.interruption.as_ref()?;
        match pause {
            Pause::NotBefore(ms) => Some(*ms.min(due_ms)),
            Pause::OnceLikely | Pause::Begun => Some(*due_ms),
        }
    }

    pub(super) fn note_interruption_ended(&mut self, endpoint: Endpoint, at: Stamp) {
        if let Some(interruption) = &mut self.interruption {
            interruption.ended = Some((endpoint, at));
        }
    }

    /// The last word on the interruption: it becomes a turn (which the transcript then belongs to), or
    /// it was nothing. Says whether it became one; its words stand then, however unsure they were.
    pub(super) fn settle_interruption(&mut self, now: Stamp, transcript: &mut Transcript) -> bool {
        let Some(Interruption { onset, late, goes_on, .. }) = self.interruption else { return false };
        if goes_on {
            return self.settle_continuation(now, transcript);
        }
        let for_hark = self.with_circumstances(onset, now, |given| {
            barge_in_decision::transcript_is_for_hark(transcript, late, given)
        });
        if for_hark {
            transcript.why = transcript.rejected.take().or(transcript.why.take());
            self.take_interruption(now, Opening::BargeIn);
        } else {
            self.bring_voice_back(now);
            self.interruption = None;
        }
        for_hark
    }

    /// Looks at what time alone decides.
    pub(super) fn decide_if_due(&mut self, now: Stamp) {
        let Some(interruption) = &mut self.interruption else { return };
        if matches!(interruption.pause, Pause::NotBefore(ms) if ms <= now.clock_ms()) {
            interruption.pause = Pause::OnceLikely;
            self.pause_if_likely(now);
        }
        let Some(interruption) = &mut self.interruption else { return };
        if interruption.due_ms > now.clock_ms() {
            return;
        }
        if std::mem::replace(&mut interruption.late, true) {
            self.interruption = None;
            self.out.push(Effect::Dismiss);
            return;
        }
        interruption.due_ms = now.clock_ms() + FORGET_AFTER_MS;
        self.out.push(Effect::Doubt);
        self.bring_voice_back(now);
    }

    /// Back to the volume; once.
    pub(super) fn bring_voice_back(&mut self, now: Stamp) {
        if self.interruption.as_mut().is_some_and(|it| std::mem::replace(&mut it.ducked, false)) {
            self.out.push(Effect::Unduck);
            self.tell_barge_in(now, BargeIn::Resume);
        }
    }

    /// Something else decides what happens; what was being said goes with it.
    pub(super) fn abandon_interruption(&mut self, now: Stamp) -> bool {
        self.let_go_of_voice();
        if self.interruption.as_ref().is_some_and(|interruption| interruption.ducked) {
            self.tell_barge_in(now, BargeIn::Stop);
        }
        self.interruption.take().is_some()
    }

    /// What the person began to say becomes the next turn; Hark falls silent.
    pub(super) fn take_interruption(&mut self, now: Stamp, opening: Opening) {
        if self.interruption.is_none() {
            return;
        }
        self.fall_silent(now);
        self.let_go_of_voice();
        let Some(interruption) = self.interruption.take() else { return };
        self.out.push(Effect::Attend);
        self.open_interruption(now, opening, interruption);
    }

    /// The turn of an interruption.
    pub(super) fn open_interruption(
        &mut self,
        now: Stamp,
        opening: Opening,
        interruption: Interruption,
    ) -> TurnId {
        self.ringing.pause();
        let turn = self.open(now, Origin::Voice, Phase::Listening, true);
        turn.opening = opening;
        turn.heard_from = Some(interruption.onset);
        let id = turn.id.clone();
        self.publish(Some(&id), PublicEvent::SpeechStarted);
        if let Some(Words { text, stable, .. }) = interruption.words {
            self.publish(Some(&id), PublicEvent::Partial { text, stable });
        }
        if let Some((endpoint, at)) = interruption.ended {
            self.end_speech(now, &id, endpoint, at);
        }
        id
    }

    /// The person has the floor: what Hark says ends here, as a barge-in unless those are off.
    pub(super) fn fall_silent(&mut self, now: Stamp) {
        if self.settings.barge_in.style == BargeInStyle::Off {
            self.silence(SpeakingEnd::Stop);
            return;
        }
        if self.sounding().is_some() {
            self.tell_barge_in(now, BargeIn::Stop);
        }
        self.silence(SpeakingEnd::BargeIn);
    }

    /// Ends what is being said and what waits to be said.
    pub(super) fn silence(&mut self, reason: SpeakingEnd) {
        let speaks = |turn: &&super::Turn| turn.phase == Phase::Speaking || turn.sounding;
        let turns: Vec<_> =
            self.turns.iter().filter(speaks).map(|t| (t.id.clone(), t.sounding, t.outcome)).collect();
        if turns.is_empty() {
            return;
        }
        self.out.push(Effect::StopSpeaking);
        for (id, sounding, outcome) in turns {
            if sounding {
                self.publish(Some(&id), PublicEvent::SpeakingEnded { reason });
            }
            self.close(&id, outcome);
        }
    }

    /// Whether Hark itself said the wake word it now hears.
    pub(super) fn is_own_wake_word(&self, now: Stamp, word: &str) -> bool {
        let said = self.said.heard_between(now, now, self.settings.words_per_minute);
        own_words::says(&said, &own_words::words(word))
    }

    /// Whether words heard since `from` are an echo of what Hark said meanwhile.
    pub(super) fn is_own_echo(&self, from: Stamp, now: Stamp, text: &str) -> bool {
        let said = self.said.heard_between(from, now, self.settings.words_per_minute);
        own_words::is_echo(&own_words::words(text), &said, &self.languages)
    }

    /// Whether Hark itself could be heard by somebody who listened since `from`.
    pub(super) fn could_be_heard(&self, from: Stamp, now: Stamp) -> bool {
        !self.said.heard_between(from, now, self.settings.words_per_minute).is_empty()
    }

    /// The turn that is being said aloud.
    pub(super) fn sounding(&self) -> Option<TurnId> {
        self.turns.iter().find(|turn| turn.sounding).map(|turn| turn.id.clone())
    }

    /// The audio pipeline watches for speech while there is something to interrupt.
    pub(super) fn watch_if_audible(&mut self) {
        let audible = self.sounding().is_some() || self.ringing.rings();
        if std::mem::replace(&mut self.watching, audible) != audible {
            self.out.push(Effect::Watch { on: audible });
        }
    }

    fn with_circumstances(
        &self,
        onset: Stamp,
        now: Stamp,
        ask: impl FnOnce(&Circumstances<'_>) -> bool,
    ) -> bool {
        let said = self.said.heard_between(onset, now, self.settings.words_per_minute);
        // Between two rings nobody is interrupted: there is nothing to say to Hark but "stop".
        let style = match self.sounding() {
            None if self.ringing.rings() => BargeInStyle::WakeWord,
            _ => self.settings.barge_in.style,
        };
        let instincts = self.instinct_context(&Origin::Voice);
        ask(&Circumstances { style, said: &said, heard_in: &self.heard_in, instincts })
    }

    fn tell_barge_in(&mut self, now: Stamp, decision: BargeIn) {
        let onset = self.interruption.as_ref().map_or(now, |interruption| interruption.onset);
        let turn = self.sounding();
        let event = PublicEvent::BargeIn { decision, latency_ms: now.waited_ms(onset) };
        self.publish(turn.as_ref(), event);
    }
}
