//! Every number of the grammar recogniser that was found by measuring, in one place.

use super::decoder::SearchTuning;
use crate::config::stt::Stt;
use crate::domain::ports::EditCosts;

/// How the recogniser is built and how it decides.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuning {
    /// The decoder's weights and beams.
    pub search: SearchTuning,
    /// Witten–Bell smoothing of the language model: factor on the number of different followers.
    pub smoothing: f64,
    /// Sentences sampled for the language model.
    pub sentences: usize,
    /// How much sentences that are likely in general English count more: the power of that likelihood
    /// per word. 0 counts all alike.
    pub naturalness: f64,
    /// Whether numbers share their counts.
    pub number_classes: bool,
    /// Background words that compete with the home's; 0 for none.
    pub background_words: usize,
    /// Share of the unigram probability that background words get together.
    pub background_mass: f64,
    /// Frames (10 ms) held back at the beginning to estimate the cepstral mean.
    pub hold_frames: usize,
    /// Frames the expected cepstral mean is worth.
    pub expected_weight: f32,
    /// Silence put at both ends, in milliseconds.
    pub padding_ms: usize,
    /// Hypotheses tried against the templates.
    pub nbest: usize,
    /// Costs of making a hypothesis fit.
    pub costs: EditCosts,
    /// Decoder score units that one unit of edit cost is worth when hypotheses are compared.
    pub score_per_edit: f32,
    /// Fit to the phones, in steps a phone, at which the confidence is one half.
    pub even_fit: f32,
    /// Fit that one unit of edit cost takes away: a word that had to be changed was probably another.
    pub fit_per_edit: f32,
    /// Steps of fit that make the confidence e times more, or less, likely.
    pub fit_scale: f32,
    /// Confidence below which the words are rejected.
    pub min_confidence: f32,
}

impl Tuning {
    /// The measured defaults with the settings a user may change.
    pub fn new(settings: &Stt) -> Self {
        Self {
            search: SearchTuning {
                language_weight: settings.language_weight,
                word_insertion: 0.65,
                beam_exponent: -48,
                word_beam_exponent: -28,
                silence: 0.1,
                second_pass: true,
            },
            smoothing: 1.0,
            sentences: 20_000,
            naturalness: 0.5,
            number_classes: true,
            background_words: 1000,
            background_mass: 0.1,
            hold_frames: 30,
            expected_weight: 50.0,
            padding_ms: 200,
            nbest: settings.nbest as usize,
            costs: EditCosts { delete: 0.8, insert: 1.0, substitute: 1.2, limit: 2.5 },
            score_per_edit: 200.0,
            even_fit: -35.0,
            fit_per_edit: 75.0,
            fit_scale: 25.0,
            min_confidence: settings.min_confidence,
        }
    }

    /// From how well a sentence fits the sound, compared with any phones, to 0.0 ..= 1.0.
    pub(super) fn confidence(&self, fit_per_phone: f32, cost: f32) -> f32 {
        let fit = fit_per_phone - cost * self.fit_per_edit;
        1.0 / (1.0 + ((self.even_fit - fit) / self.fit_scale).exp())
    }
}
