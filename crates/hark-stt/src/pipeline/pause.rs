//! A pause in a request: what is known of it decides whether it is the end. Words come from the recogniser's draft, the rest is
//! measured on the sound; Smart Turn's answer comes later, and everything is weighed again then.

use super::{AudioPipeline, Draft, PipelineState};
use crate::endpoint::likelihood::Evidence;
use crate::endpoint::likelihood::prosody::Prosody;
use crate::endpoint::{EndpointChange, Endpointer};
use crate::stt::Recognition;
use crate::{HearingEvent, PositionedEvent};
use hark_config::endpoint::EndpointMode;
use hark_core::Endpoint;
use hark_core::audio::{ms_to_samples, samples_to_ms};
use hark_core::ports::Completeness;

/// Sound before the pause in which level and pitch are measured.
const PROSODY_MS: u64 = 2000;

impl AudioPipeline {
    /// The words up to a pause are known: they say how long is waited for more.
    pub(super) fn take_draft(
        &mut self,
        number: u64,
        recognition: Recognition,
        out: &mut Vec<PositionedEvent>,
    ) {
        match &self.state {
            PipelineState::InUtterance { draft: Draft::Asked(asked), .. } if *asked == number => {}
            PipelineState::Drafting { number: asked, endpoint, .. } if *asked == number => {
                let endpoint = *endpoint;
                return self.end_with_draft(recognition.transcript, endpoint, out);
            }
            _ => return,
        }
        let words = self.completeness(&recognition);
        self.emit_draft(&recognition, words, out);
        let evidence = self.evidence(&recognition, words);
        self.ask_smart_turn(&evidence);
        let PipelineState::InUtterance { draft, .. } = &mut self.state else { return };
        *draft = Draft::Made(recognition.transcript);
        self.weigh(evidence, out);
    }

    /// Smart Turn has answered: everything is weighed once more.
    pub(super) fn poll_smart_turn(&mut self, out: &mut Vec<PositionedEvent>) {
        let Some(smart_turn) = &mut self.smart_turn else { return };
        match smart_turn.poll() {
            Ok(None) => {}
            Ok(Some(over)) => {
                let is_waiting =
                    matches!(self.state, PipelineState::InUtterance { draft: Draft::Made(_), .. });
                if let Some(evidence) = self.evidence.filter(|_| is_waiting) {
                    self.weigh(Evidence { smart_turn: Some(over), ..evidence }, out);
                }
            }
            Err(fault) => self.emit(HearingEvent::Fault(fault), out),
        }
    }

    fn weigh(&mut self, evidence: Evidence, out: &mut Vec<PositionedEvent>) {
        self.evidence = Some(evidence);
        let PipelineState::InUtterance { endpointer, .. } = &mut self.state else { return };
        let change = endpointer.weigh(&evidence);
        let (silence_ms, wait_ms) = (endpointer.silence_ms(), endpointer.wait_ms());
        self.emit(HearingEvent::PauseWeighed { evidence, silence_ms, wait_ms }, out);
        self.apply_endpoint_change(change, out);
    }

    fn evidence(&mut self, draft: &Recognition, words: Completeness) -> Evidence {
        let silence_ms = match &self.state {
            PipelineState::InUtterance { endpointer, .. } => endpointer.silence_ms(),
            _ => 0,
        };
        let end = self.heard_samples().saturating_sub(ms_to_samples(silence_ms));
        let from = end.saturating_sub(ms_to_samples(PROSODY_MS)).max(self.onset);
        self.history.copy(from, end, &mut self.scratch);
        Evidence {
            completeness: words,
            share_going_on: self.share_going_on(draft),
            words: draft.heard.split_whitespace().count(),
            spoken_ms: samples_to_ms(end.saturating_sub(self.onset)),
            prosody: Prosody::of(&self.scratch),
            smart_turn: None,
        }
    }

    /// Smart Turn is asked where the words leave it open.
    fn ask_smart_turn(&mut self, evidence: &Evidence) {
        let is_open = evidence.completeness != Completeness::Complete;
        let is_wanted = self.settings.endpoint.mode == EndpointMode::Likelihood;
        if let (Some(smart_turn), Some(sound), true) =
            (&mut self.smart_turn, self.stt.sound(), is_open && is_wanted)
        {
            smart_turn.ask(sound);
        }
    }

    /// How far a draft is a whole request.
    fn completeness(&self, draft: &Recognition) -> Completeness {
        let Some(grammar) = &self.grammar else { return Completeness::Unknown };
        let heard = grammar.completeness(&draft.heard);
        // What was heard is the beginning of what it was fitted to: the rest may still be to come.
        let begun = draft.transcript.text.starts_with(&draft.heard);
        match (heard, &draft.transcript.rejected) {
            (Completeness::Unfinished, rejected) if begun || rejected.is_some() => heard,
            (_, Some(_)) => Completeness::Unknown,
            (Completeness::Unknown | Completeness::Unfinished, None) => {
                match grammar.completeness(&draft.transcript.text) {
                    // Some of these words were not heard like this: no reason to hurry.
                    Completeness::Complete => Completeness::MayContinue,
                    other => other,
                }
            }
            (heard, None) => heard,
        }
    }

    /// Of the sentences that begin as the draft does the share that goes on: as it was heard, where that is a whole one.
    fn share_going_on(&self, draft: &Recognition) -> Option<f32> {
        let grammar = self.grammar.as_ref()?;
        match grammar.completeness(&draft.heard) {
            Completeness::MayContinue | Completeness::Complete => grammar.share_going_on(&draft.heard),
            Completeness::Unfinished | Completeness::Unknown => {
                grammar.share_going_on(&draft.transcript.text)
            }
        }
    }

    /// Whether speech after this end would go on with the request.
    pub(super) fn can_go_on(&self, endpoint: Endpoint) -> bool {
        self.settings.endpoint.goes_on_ms > 0 && !self.is_barge_in && endpoint != Endpoint::Max
    }

    /// Waits for speech that goes on with the request that has just ended.
    pub(super) fn endpointer_of_continuation(&self) -> Endpointer {
        let give_up_at = self.position + ms_to_samples(u64::from(self.settings.endpoint.goes_on_ms));
        Endpointer::new(&self.interruption_vad(), &self.settings.endpoint, self.position, give_up_at)
    }

    /// Speech before the words of what seemed to be the whole request are known: it was not. Nobody has been told any words, so
    /// there is nothing to take back.
    pub(super) fn detect_end_of_drafting(&mut self, out: &mut Vec<PositionedEvent>) {
        let (end, probability) = (self.position, self.probability);
        let PipelineState::Drafting { endpointer, .. } = &mut self.state else { return };
        match endpointer.block(end, probability) {
            EndpointChange::SpeechStarted { .. } => {
                let endpointer = endpointer.clone();
                self.state = PipelineState::InUtterance { endpointer, draft: Draft::None };
                self.evidence = None;
                self.stt.resume();
                self.emit(HearingEvent::WentOn, out);
            }
            EndpointChange::NothingSaid => {
                self.hear_voice();
                self.stt.finish();
                self.state = PipelineState::Recognising;
            }
            _ => {}
        }
    }
}
