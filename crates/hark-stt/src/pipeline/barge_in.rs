//! Barge-in on the hearing side: speech without a wake word, as an answer that is awaited or over Hark's own output.
//!
//! An interruption is recognised like a request, from before its first word on. The turn machine decides about it:
//! [`crate::PipelineCommand::Attend`] makes it a request, `Dismiss` drops it, `Doubt` lets the next one replace it.

use super::super::barge_in_detector::{self, BargeInDetector};
use super::super::echo::ResidualEcho;
use super::{AudioPipeline, DRAIN_MS, Draft, LEAD_IN_MS, PipelineState, SHORT_ANSWER_MS};
use crate::endpoint::Endpointer;
use crate::stt::{Partial, Recognition};
use crate::{HearingEvent, PositionedEvent};
use hark_config as config;
use hark_core::audio::ms_to_samples;
use hark_core::ports::Completeness;
use hark_core::{Transcript, Words};

/// Length of the interruption at which it is rescored. Rescoring takes up to 100 ms, and the decision falls at 800 ms.
const RESCORE_AT_MS: [u64; 4] = [410, 510, 606, 702];
/// Sound before the lead-in, which is no part of the utterance: the room, for a recogniser that wants to know it.
const BEFORE_MS: u64 = 300;

impl AudioPipeline {
    /// Waits for a request without a wake word. An interruption that is under way becomes the request.
    pub(super) fn listen(&mut self, window_ms: u64, short_answer: bool) {
        self.set_barge_in_detection(false);
        match self.state {
            PipelineState::InUtterance { .. } | PipelineState::Recognising if self.is_barge_in => {
                self.pending_events.push(HearingEvent::SpeechStarted);
                (self.is_barge_in, self.barge_in_doubted) = (false, false);
            }
            PipelineState::InUtterance { .. } => {}
            _ => {
                self.stt.cancel();
                let earliest = self.position.saturating_sub(ms_to_samples(LEAD_IN_MS));
                let give_up_at = self.position + ms_to_samples(window_ms);
                let mut vad = self.settings.vad.clone();
                if short_answer {
                    vad.min_speech_ms = vad.min_speech_ms.min(SHORT_ANSWER_MS);
                }
                let from =
                    self.position.max(self.playback_until.min(self.position + ms_to_samples(DRAIN_MS)));
                let endpointer = Endpointer::new(&vad, &self.settings.endpoint, from, give_up_at);
                self.state = PipelineState::AwaitingSpeech { endpointer, earliest };
            }
        }
    }

    /// Switches barge-in detection on or off; an interruption that is under way goes on.
    pub(super) fn set_barge_in_detection(&mut self, on: bool) {
        if !on && self.barge_in_detector.is_some() {
            self.playback_until = self.position + ms_to_samples(DRAIN_MS);
        }
        self.barge_in_detector = on.then(|| self.new_barge_in_detector(false));
        // Whether an interruption is for Hark is decided within 800 ms.
        if on && matches!(self.state, PipelineState::AwaitingWakeWord) {
            self.stt.prepare();
        }
    }

    /// Speech of the length of an interruption.
    pub(super) fn interruption_vad(&self) -> config::vad::Vad {
        config::vad::Vad { min_speech_ms: self.settings.interruption_ms, ..self.settings.vad.clone() }
    }

    pub(super) fn new_barge_in_detector(&self, after_pause: bool) -> BargeInDetector {
        BargeInDetector::new(&self.interruption_vad(), &self.settings.endpoint, self.position, after_pause)
    }

    /// Has the recogniser rescore the interruption at the lengths of [`RESCORE_AT_MS`].
    pub(super) fn rescore_when_due(&mut self) {
        let spoken_ms = barge_in_detector::ago_ms(self.position, self.onset);
        let due = RESCORE_AT_MS.get(self.rescored_count).is_some_and(|due_ms| spoken_ms >= *due_ms);
        if self.is_barge_in && due {
            self.rescored_count += 1;
            self.stt.rescore();
        }
    }

    /// The interruption was not for Hark: it is dropped, and speech counts again only after a pause.
    pub(super) fn dismiss(&mut self) {
        if self.is_barge_in {
            self.cancel_request();
            self.barge_in_detector =
                self.barge_in_detector.is_some().then(|| self.new_barge_in_detector(true));
        }
    }

    /// The interruption is probably not for Hark: the next one need not wait for its end.
    pub(super) fn doubt(&mut self) {
        if self.is_barge_in && self.barge_in_detector.is_some() {
            self.barge_in_doubted = true;
            self.barge_in_detector = Some(self.new_barge_in_detector(true));
        }
    }

    /// Detects an interruption in the current block; the recogniser gets it from before its onset.
    pub(super) fn detect_barge_in(&mut self, out: &mut Vec<PositionedEvent>) {
        let free = self.barge_in_doubted || matches!(self.state, PipelineState::AwaitingWakeWord);
        let Some(detector) = self.barge_in_detector.as_mut().filter(|_| free) else { return };
        // What may be Hark's own voice is no interruption.
        let probability = if self.own_voice.residual == ResidualEcho::None { self.probability } else { 0.0 };
        let Some(onset) = detector.block(self.position, probability) else { return };
        let endpointer = self
            .barge_in_detector
            .replace(self.new_barge_in_detector(false))
            .map(BargeInDetector::into_endpointer);
        let Some(endpointer) = endpointer else { return };
        self.start_recogniser(onset, 0);
        self.state = PipelineState::InUtterance { endpointer, draft: Draft::None };
        (self.is_barge_in, self.barge_in_doubted, self.rescored_count) = (true, false, 0);
        self.own_voice.in_interruption = false;
        let ago_ms = barge_in_detector::ago_ms(self.position, onset);
        self.emit(HearingEvent::Interruption { ago_ms, goes_on: false }, out);
    }

    /// Whether an interruption is for Hark is decided by its words so far: those of a draft are settled.
    /// As they were heard, for what they were fitted to is a whole sentence of the home in any case.
    pub(super) fn emit_draft(
        &self,
        draft: &Recognition,
        completeness: Completeness,
        out: &mut Vec<PositionedEvent>,
    ) {
        let (text, stable) = match (self.is_barge_in, completeness) {
            _ if draft.transcript.rejected.is_some() || self.goes_on || self.is_own_voice() => return,
            (true, _) => (&draft.heard, draft.heard.chars().count()),
            // What a request would be if it ended here; it may still turn out otherwise.
            (false, Completeness::Complete | Completeness::MayContinue) => (&draft.transcript.text, 0),
            (false, _) => return,
        };
        let spoken_ms = barge_in_detector::ago_ms(self.position, self.onset);
        let words = Words { text: text.clone(), stable, completeness, spoken_ms, ..Words::default() };
        self.emit(HearingEvent::Partial(words), out);
    }

    /// Starts the recogniser shortly before `onset`, but not before `earliest` nor with Hark's own sound.
    pub(super) fn start_recogniser(&mut self, onset: u64, earliest: u64) {
        let from = onset.saturating_sub(ms_to_samples(LEAD_IN_MS)).max(earliest);
        let earliest = earliest.max(self.playback_until.min(onset));
        let from = from.max(earliest);
        let before = from.saturating_sub(ms_to_samples(BEFORE_MS)).max(earliest);
        self.history.copy(before, from, &mut self.scratch);
        self.stt.start(&self.scratch);
        self.history.copy(from, self.position, &mut self.scratch);
        self.stt.feed(&self.scratch);
        (self.utterance_start, self.onset, self.last_partial) = (from, onset, (String::new(), 0));
    }

    /// Whether the interruption at hand may be Hark's own voice.
    pub(super) fn is_own_voice(&self) -> bool {
        self.is_barge_in && self.own_voice.in_interruption
    }

    /// A recogniser that knows any words makes sense of the television too: what is said over Hark without
    /// a wake word counts only if it is a sentence of the home.
    pub(super) fn reject_background_speech(&self, mut transcript: Transcript) -> Transcript {
        if self.is_own_voice() {
            transcript.rejected.get_or_insert_with(|| "Hark's own voice is in it".to_owned());
            transcript.confidence = 0.0;
        }
        // Of what goes on with a request the turn machine knows better: it asks what the whole means.
        let unasked = self.is_barge_in && !self.goes_on && transcript.rejected.is_none();
        let grammar = self.grammar.as_ref().filter(|_| unasked);
        if grammar.is_some_and(|grammar| grammar.completeness(&transcript.text) == Completeness::Unknown) {
            transcript.rejected = Some("said over Hark, and no sentence of this home".to_owned());
        }
        transcript
    }

    /// Words so far of what is being said, the first `samples` of it: those of a request when they changed,
    /// those over Hark always, for how long they last tells whether they are meant.
    pub(super) fn emit_partial(&mut self, partial: Partial, samples: usize, out: &mut Vec<PositionedEvent>) {
        let hearing = matches!(self.state, PipelineState::InUtterance { .. } | PipelineState::Recognising);
        let Partial { text, stable, beginning, opening } = partial;
        if !hearing
            || self.goes_on
            || self.is_own_voice()
            || !self.is_barge_in && (&text, stable) == (&self.last_partial.0, self.last_partial.1)
        {
            return;
        }
        self.last_partial = (text.clone(), stable);
        let spoken_ms = barge_in_detector::ago_ms(self.utterance_start + samples as u64, self.onset);
        // Completeness is needed for interruptions only.
        let grammar = self.grammar.as_ref().filter(|_| self.is_barge_in);
        let completeness = grammar.map_or(Completeness::Unknown, |grammar| grammar.completeness(&text));
        let words = Words { text, stable, completeness, beginning, opening, spoken_ms };
        self.emit(HearingEvent::Partial(words), out);
    }
}
