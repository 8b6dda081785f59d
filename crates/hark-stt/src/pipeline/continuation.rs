//! Speech shortly after the endpoint of a request: the recogniser keeps the utterance for a while, and such speech continues
//! it. It is reported as an interruption, because Hark may have begun to answer.

use super::super::barge_in_detector;
use super::super::endpoint::EndpointChange;
use super::{AudioPipeline, Draft, LEAD_IN_MS, PipelineState};
use crate::echo::ResidualEcho;
use crate::{HearingEvent, PositionedEvent};
use hark_core::audio::ms_to_samples;
use hark_core::{Endpoint, Transcript};

impl AudioPipeline {
    /// Whether a request is over that may still go on.
    pub fn may_go_on(&self) -> bool {
        matches!(self.state, PipelineState::MayGoOn { .. })
    }

    /// The words of the request are known: back to the wake word, at once or when nothing more has come.
    pub(super) fn await_continuation(&mut self, endpoint: Endpoint) {
        if !self.can_go_on(endpoint) {
            self.cancel_request();
            return;
        }
        self.state = PipelineState::MayGoOn { endpointer: self.endpointer_of_continuation() };
    }

    /// Looks for speech that goes on with the request before.
    pub(super) fn detect_continuation(&mut self, out: &mut Vec<PositionedEvent>) {
        // What may be Hark's own voice is nothing that somebody says.
        let is_clear = self.barge_in_detector.is_none() || self.own_voice.residual == ResidualEcho::None;
        let probability = if is_clear { self.probability } else { 0.0 };
        let PipelineState::MayGoOn { endpointer } = &mut self.state else { return };
        match endpointer.block(self.position, probability) {
            EndpointChange::SpeechStarted { onset } => {
                let endpointer = endpointer.clone();
                self.state = PipelineState::InUtterance { endpointer, draft: Draft::None };
                (self.is_barge_in, self.goes_on, self.barge_in_doubted) = (true, true, false);
                self.own_voice.in_interruption = false;
                // Nothing is decided by its words so far.
                (self.onset, self.rescored_count) = (onset, usize::MAX);
                let from = onset.saturating_sub(ms_to_samples(LEAD_IN_MS));
                self.history.copy(from, self.position, &mut self.second_part);
                self.stt.resume();
                let ago_ms = barge_in_detector::ago_ms(self.position, onset);
                self.emit(HearingEvent::Interruption { ago_ms, goes_on: true }, out);
            }
            EndpointChange::NothingSaid => self.cancel_request(),
            _ => {}
        }
    }

    /// Both parts together were rejected: the second is recognised alone, as an interruption, since it may be a request of
    /// its own. Says whether that is so.
    pub(super) fn hear_second_part_alone(
        &mut self,
        both: &Transcript,
        out: &mut Vec<PositionedEvent>,
    ) -> bool {
        if !self.goes_on || both.rejected.is_none() || self.is_own_voice() {
            return false;
        }
        self.goes_on = false;
        let ago_ms = barge_in_detector::ago_ms(self.position, self.onset);
        self.emit(HearingEvent::Interruption { ago_ms, goes_on: false }, out);
        self.stt.start(&[]);
        self.stt.feed(&std::mem::take(&mut self.second_part));
        self.stt.finish();
        self.state = PipelineState::Recognising;
        true
    }
}
