//! Speech without a wake word: the answer that is waited for, and what is said over Hark's own voice.
//!
//! An interruption is heard like a request, from before its first word on, only that nobody has asked for
//! it yet: `Attend` makes a request of it, `Dismiss` forgets it.

use super::super::echo::ResidualEcho;
use super::super::watch::{self, Watch};
use super::{DRAIN_MS, Draft, Ear, LEAD_IN_MS, SHORT_ANSWER_MS, State};
use crate::endpoint::Endpointer;
use crate::stt::{Partial, Recognition};
use crate::{Heard, HearingEvent};
use hark_config as config;
use hark_core::audio::ms_to_samples;
use hark_core::ports::Completeness;
use hark_core::{Transcript, Words};

/// How much has been said at the hard looks: one takes up to a tenth of a second, and it is decided at 800 ms.
const HARD_LOOKS_MS: [u64; 4] = [410, 510, 606, 702];
/// Sound before the lead-in, which is no part of the utterance: the room, for a recogniser that wants to know it.
const BEFORE_MS: u64 = 300;

impl Ear {
    /// Waits for a request without a wake word. Somebody who is speaking already is heard already.
    pub(super) fn listen(&mut self, window_ms: u64, short_answer: bool) {
        self.watch(false);
        match self.state {
            State::Hearing { .. } | State::Recognising if self.overheard => {
                self.untold.push(HearingEvent::SpeechStarted);
                (self.overheard, self.doubted) = (false, false);
            }
            State::Hearing { .. } => {}
            _ => {
                self.stt.cancel();
                let earliest = self.position.saturating_sub(ms_to_samples(LEAD_IN_MS));
                let give_up_at = self.position + ms_to_samples(window_ms);
                let mut vad = self.settings.vad.clone();
                if short_answer {
                    vad.min_speech_ms = vad.min_speech_ms.min(SHORT_ANSWER_MS);
                }
                let from = self.position.max(self.own_until.min(self.position + ms_to_samples(DRAIN_MS)));
                let endpointer = Endpointer::new(&vad, &self.settings.endpoint, from, give_up_at);
                self.state = State::Listening { endpointer, earliest };
            }
        }
    }

    /// Begins or ends the watch for interruptions; one that is under way goes on.
    pub(super) fn watch(&mut self, on: bool) {
        if !on && self.watch.is_some() {
            self.own_until = self.position + ms_to_samples(DRAIN_MS);
        }
        self.watch = on.then(|| self.new_watch(false));
        // Whether an interruption is for Hark is decided within 800 ms.
        if on && matches!(self.state, State::Asleep) {
            self.stt.prepare();
        }
    }

    pub(super) fn new_watch(&self, after_pause: bool) -> Watch {
        let vad =
            config::vad::Vad { min_speech_ms: self.settings.interruption_ms, ..self.settings.vad.clone() };
        Watch::new(&vad, &self.settings.endpoint, self.position, after_pause)
    }

    /// Has the recogniser look hard at what is being said over Hark when it matters what that is.
    pub(super) fn look_hard_in_time(&mut self) {
        let spoken_ms = watch::ago_ms(self.position, self.onset);
        let due = HARD_LOOKS_MS.get(self.hard_looks).is_some_and(|due_ms| spoken_ms >= *due_ms);
        if self.overheard && due {
            self.hard_looks += 1;
            self.stt.look_hard();
        }
    }

    /// The interruption was not for Hark: it is forgotten, and whoever goes on speaking is left alone.
    pub(super) fn dismiss(&mut self) {
        if self.overheard {
            self.sleep();
            self.watch = self.watch.is_some().then(|| self.new_watch(true));
        }
    }

    /// The interruption is hardly for Hark; the next one shall not have to wait for its end.
    pub(super) fn doubt(&mut self) {
        if self.overheard && self.watch.is_some() {
            self.doubted = true;
            self.watch = Some(self.new_watch(true));
        }
    }

    /// Looks for an interruption in the block at hand: the recogniser gets it from before its onset.
    pub(super) fn overhear(&mut self, out: &mut Vec<Heard>) {
        let free = self.doubted || matches!(self.state, State::Asleep);
        let Some(watch) = self.watch.as_mut().filter(|_| free) else { return };
        // What may be Hark's own voice interrupts nobody.
        let probability = if self.own_voice.residual == ResidualEcho::None { self.probability } else { 0.0 };
        let Some(onset) = watch.block(self.position, probability) else { return };
        let endpointer = self.watch.replace(self.new_watch(false)).map(Watch::into_endpointer);
        let Some(endpointer) = endpointer else { return };
        self.hear_from(onset, 0);
        self.state = State::Hearing { endpointer, draft: Draft::None };
        (self.overheard, self.doubted, self.hard_looks) = (true, false, 0);
        self.own_voice.in_interruption = false;
        let ago_ms = watch::ago_ms(self.position, onset);
        self.tell(HearingEvent::Interruption { ago_ms }, out);
    }

    /// Whether an interruption is for Hark is decided by its words so far: those of a draft are settled.
    /// As they were heard, for what they were fitted to is a whole sentence of the home in any case.
    pub(super) fn tell_draft(&self, draft: &Recognition, completeness: Completeness, out: &mut Vec<Heard>) {
        let (text, stable) = match (self.overheard, completeness) {
            _ if draft.transcript.rejected.is_some() || self.is_own_voice() => return,
            (true, _) => (&draft.heard, draft.heard.chars().count()),
            // What a request would be if it ended here; it may still turn out otherwise.
            (false, Completeness::Complete | Completeness::MayContinue) => (&draft.transcript.text, 0),
            (false, _) => return,
        };
        let spoken_ms = watch::ago_ms(self.position, self.onset);
        let words = Words { text: text.clone(), stable, completeness, spoken_ms, ..Words::default() };
        self.tell(HearingEvent::Partial(words), out);
    }

    /// Starts the recogniser shortly before `onset`, but not before `earliest` nor with Hark's own sound.
    pub(super) fn hear_from(&mut self, onset: u64, earliest: u64) {
        let from = onset.saturating_sub(ms_to_samples(LEAD_IN_MS)).max(earliest);
        let earliest = earliest.max(self.own_until.min(onset));
        let from = from.max(earliest);
        let before = from.saturating_sub(ms_to_samples(BEFORE_MS)).max(earliest);
        self.history.copy(before, from, &mut self.scratch);
        self.stt.start(&self.scratch);
        self.history.copy(from, self.position, &mut self.scratch);
        self.stt.feed(&self.scratch);
        (self.heard_from, self.onset, self.told) = (from, onset, (String::new(), 0));
    }

    /// Whether the interruption at hand may be Hark's own voice.
    fn is_own_voice(&self) -> bool {
        self.overheard && self.own_voice.in_interruption
    }

    /// A recogniser that knows any words makes sense of the television too: what is said over Hark without
    /// a wake word counts only if it is a sentence of the home.
    pub(super) fn meant_for_hark(&self, mut transcript: Transcript) -> Transcript {
        if self.is_own_voice() {
            transcript.rejected.get_or_insert_with(|| "Hark's own voice is in it".to_owned());
        }
        let grammar = self.grammar.as_ref().filter(|_| self.overheard && transcript.rejected.is_none());
        if grammar.is_some_and(|grammar| grammar.completeness(&transcript.text) == Completeness::Unknown) {
            transcript.rejected = Some("said over Hark, and no sentence of this home".to_owned());
        }
        transcript
    }

    /// Words so far of what is being said, the first `samples` of it: those of a request when they changed,
    /// those over Hark always, for how long they last tells whether they are meant.
    pub(super) fn tell_words(&mut self, partial: Partial, samples: usize, out: &mut Vec<Heard>) {
        let hearing = matches!(self.state, State::Hearing { .. } | State::Recognising);
        let Partial { text, stable, beginning, opening } = partial;
        if !hearing
            || self.is_own_voice()
            || !self.overheard && (&text, stable) == (&self.told.0, self.told.1)
        {
            return;
        }
        self.told = (text.clone(), stable);
        let spoken_ms = watch::ago_ms(self.heard_from + samples as u64, self.onset);
        // Only of an interruption anybody asks how far it is a sentence.
        let grammar = self.grammar.as_ref().filter(|_| self.overheard);
        let completeness = grammar.map_or(Completeness::Unknown, |grammar| grammar.completeness(&text));
        let words = Words { text, stable, completeness, beginning, opening, spoken_ms };
        self.tell(HearingEvent::Partial(words), out);
    }
}
