//! From a wake word detection to listening: verification, where the word ended, and where the request may begin.

use super::super::endpoint::Endpointer;
use super::super::wake::{VERIFIED_MS, WakeReport, WordEnd};
use super::super::{HearingEvent, PositionedEvent};
use super::{AudioPipeline, MIN_ACTIVITY_PROBABILITY, PipelineState};
use hark_core::VAD_BLOCK_SAMPLES;
use hark_core::audio::{ms_to_samples, samples_to_ms};

/// How far back the wake word's end is looked for.
const WORD_END_SEARCH_MS: u64 = 500;

impl AudioPipeline {
    pub(super) fn listen_for_wake_word(&mut self, block: &[f32], out: &mut Vec<PositionedEvent>) {
        if self.probability >= MIN_ACTIVITY_PROBABILITY || self.above_noise_floor {
            self.last_activity = self.position;
        }
        self.above_noise_floor = false;
        let in_long_silence = self.in_long_silence();
        let Some(wake) = &mut self.wake else { return };
        if in_long_silence {
            wake.rest(block);
            return;
        }
        let result = wake.push(block, &mut self.wake_reports);
        match result {
            Ok(()) => self.wake_failing = false,
            Err(fault) => {
                if !std::mem::replace(&mut self.wake_failing, true) {
                    self.emit(HearingEvent::Fault(fault), out);
                }
            }
        }
        let mut reports = std::mem::take(&mut self.wake_reports);
        for report in reports.drain(..) {
            match report {
                WakeReport::Rejected { word, score, why } => {
                    self.emit(HearingEvent::WakeRejected { word, score, why }, out);
                }
                WakeReport::Detected { word, score, ago_samples, end } => {
                    match self.wake_word_rejection(&word) {
                        Some(why) => self.emit(HearingEvent::WakeRejected { word, score, why }, out),
                        None => {
                            self.emit(HearingEvent::Wake { word, score }, out);
                            self.start_listening(ago_samples as u64, end, out);
                        }
                    }
                }
            }
        }
        self.wake_reports = reports;
    }

    /// Why a wake word does not count after all.
    fn wake_word_rejection(&mut self, word: &str) -> Option<String> {
        let doubt = self.verify_wake_word(word);
        // It takes longer, and only a word that would wake is worth it.
        doubt.or_else(|| self.wake_word_is_own_voice(word).then(|| "Hark has just said it itself".into()))
    }

    fn verify_wake_word(&mut self, word: &str) -> Option<String> {
        let wake = self.wake.as_mut().filter(|wake| wake.has_verifier())?;
        let from = self.position.saturating_sub(ms_to_samples(VERIFIED_MS));
        self.history.copy(from, self.position, &mut self.scratch);
        let voiced = self
            .recent_probabilities
            .iter()
            .filter(|(_, probability)| *probability >= self.settings.vad.threshold);
        let voiced_ms = samples_to_ms((voiced.count() * VAD_BLOCK_SAMPLES) as u64);
        // One that cannot be looked at counts: Hark is not to become deaf.
        wake.rejection(word, &self.scratch, voiced_ms).unwrap_or_else(|fault| {
            tracing::warn!(%fault, "a wake word could not be verified");
            None
        })
    }

    /// Starts listening where the wake word ended. What came after it is looked at once more, because
    /// the request may have begun in the same breath.
    pub(super) fn start_listening(&mut self, ago: u64, end: WordEnd, out: &mut Vec<PositionedEvent>) {
        self.stt.cancel();
        let fired = self.position.saturating_sub(ago);
        let search_from = fired.saturating_sub(ms_to_samples(WORD_END_SEARCH_MS));
        self.history.copy(search_from, fired, &mut self.scratch);
        let word_end = fired.saturating_sub(end.samples_ago(&self.scratch) as u64);
        let (vad, endpoint) = (&self.settings.vad, &self.settings.endpoint);
        let give_up_at = self.position + ms_to_samples(u64::from(endpoint.nothing_said_ms));
        let endpointer = Endpointer::after_wake_word(vad, endpoint, word_end, give_up_at);
        (self.is_barge_in, self.barge_in_doubted) = (false, false);
        self.state = PipelineState::AwaitingSpeech { endpointer, earliest: word_end };
        let recent = std::mem::take(&mut self.recent_probabilities);
        for (end, probability) in &recent {
            self.advance_endpointer(*end, *probability, out);
        }
        self.recent_probabilities = recent;
    }
}
