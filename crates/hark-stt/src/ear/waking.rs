//! From a wake word to listening.

use super::super::endpoint::Endpointer;
use super::super::wake::{LOOKED_AT_MS, WakeReport, WordEnd};
use super::super::{Heard, HearingEvent};
use super::{Ear, NOBODY_SPEAKS, State};
use hark_core::VAD_BLOCK_SAMPLES;
use hark_core::audio::{ms_to_samples, samples_to_ms};

/// How far back the wake word's end is looked for.
const WORD_END_SEARCH_MS: u64 = 500;

impl Ear {
    pub(super) fn listen_for_wake_word(&mut self, block: &[f32], out: &mut Vec<Heard>) {
        if self.probability >= NOBODY_SPEAKS || self.stood_out {
            self.last_sound = self.position;
        }
        self.stood_out = false;
        let nobody_speaks = self.nobody_speaks();
        let Some(wake) = &mut self.wake else { return };
        if nobody_speaks {
            wake.rest(block);
            return;
        }
        let result = wake.push(block, &mut self.wake_reports);
        match result {
            Ok(()) => self.wake_failing = false,
            Err(fault) => {
                if !std::mem::replace(&mut self.wake_failing, true) {
                    self.tell(HearingEvent::Fault(fault), out);
                }
            }
        }
        let mut reports = std::mem::take(&mut self.wake_reports);
        for report in reports.drain(..) {
            match report {
                WakeReport::Rejected { word, score, why } => {
                    self.tell(HearingEvent::WakeRejected { word, score, why }, out);
                }
                WakeReport::Detected { word, score, ago_samples, end } => match self.second_thought(&word) {
                    Some(why) => self.tell(HearingEvent::WakeRejected { word, score, why }, out),
                    None => {
                        self.tell(HearingEvent::Wake { word, score }, out);
                        self.wake_up(ago_samples as u64, end, out);
                    }
                },
            }
        }
        self.wake_reports = reports;
    }

    /// Why a wake word does not count after all.
    fn second_thought(&mut self, word: &str) -> Option<String> {
        let doubt = self.second_look(word);
        // It takes longer, and only a word that would wake is worth it.
        doubt.or_else(|| self.said_it_itself(word).then(|| "Hark has just said it itself".into()))
    }

    fn second_look(&mut self, word: &str) -> Option<String> {
        let wake = self.wake.as_mut().filter(|wake| wake.looks_twice())?;
        let from = self.position.saturating_sub(ms_to_samples(LOOKED_AT_MS));
        self.history.copy(from, self.position, &mut self.scratch);
        let voiced =
            self.recent.iter().filter(|(_, probability)| *probability >= self.settings.vad.threshold);
        let voiced_ms = samples_to_ms((voiced.count() * VAD_BLOCK_SAMPLES) as u64);
        // One that cannot be looked at counts: Hark is not to become deaf.
        wake.doubt(word, &self.scratch, voiced_ms).unwrap_or_else(|fault| {
            tracing::warn!(%fault, "no second look at a wake word");
            None
        })
    }

    /// Starts listening where the wake word ended. What came after it is looked at once more, because
    /// the request may have begun in the same breath.
    pub(super) fn wake_up(&mut self, ago: u64, end: WordEnd, out: &mut Vec<Heard>) {
        self.stt.cancel();
        let fired = self.position.saturating_sub(ago);
        let search_from = fired.saturating_sub(ms_to_samples(WORD_END_SEARCH_MS));
        self.history.copy(search_from, fired, &mut self.scratch);
        let word_end = fired.saturating_sub(end.samples_ago(&self.scratch) as u64);
        let (vad, endpoint) = (&self.settings.vad, &self.settings.endpoint);
        let give_up_at = self.position + ms_to_samples(u64::from(endpoint.nothing_said_ms));
        let endpointer = Endpointer::after_wake_word(vad, endpoint, word_end, give_up_at);
        (self.overheard, self.doubted) = (false, false);
        self.state = State::Listening { endpointer, earliest: word_end };
        let recent = std::mem::take(&mut self.recent);
        for (end, probability) in &recent {
            self.follow(*end, *probability, out);
        }
        self.recent = recent;
    }
}
