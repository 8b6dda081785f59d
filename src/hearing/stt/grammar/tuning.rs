//! Every number of the grammar recogniser that was found by measuring, in one place.

use super::decoder::SearchTuning;
use super::ngram::Smoothing;
use crate::config::stt::Stt;
use crate::domain::ports::EditCosts;

/// How the recogniser is built and how it decides.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuning {
    /// The decoder's weights and beams.
    pub search: SearchTuning,
    /// Smoothing of the language model.
    pub smoothing: Smoothing,
    /// Sentences sampled for the language model.
    pub sentences: usize,
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
                beam_exponent: -60,
                word_beam_exponent: -40,
                silence: 0.1,
                second_pass: true,
            },
            smoothing: Smoothing::WittenBell(1.0),
            sentences: 20_000,
            number_classes: true,
            background_words: 1000,
            background_mass: 0.1,
            hold_frames: 30,
            expected_weight: 50.0,
            padding_ms: 200,
            nbest: settings.nbest as usize,
            costs: EditCosts { delete: 0.8, insert: 1.0, substitute: 1.2, limit: 2.5 },
            score_per_edit: 200.0,
            min_confidence: settings.min_confidence,
        }
    }
}
