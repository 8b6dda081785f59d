//! Every number of the grammar recogniser that was found by measuring, in one place.
//!
//! Measured on recordings of people and on flite voices; `hark eval people` does it again.

use super::pocketsphinx::SearchTuning;
use super::viterbi::ViterbiTuning;
use hark_config::stt::Stt;
use hark_core::ports::EditCosts;

/// How the recogniser is built and how it decides.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuning {
    /// The decoder's weights and beams.
    pub search: SearchTuning,
    /// Witten–Bell smoothing of the language model: factor on the number of different followers.
    pub smoothing: f64,
    /// Sentences sampled for the language model.
    pub sentences: usize,
    /// Background words that compete with the home's; 0 for none.
    pub background_words: usize,
    /// Share of the unigram probability that background words get together.
    pub background_mass: f64,
    /// Frames (10 ms) held back at the beginning to estimate the cepstral mean.
    pub hold_frames: usize,
    /// Frames the expected cepstral mean is worth.
    pub expected_weight: f32,
    /// Costs of making the decoder's words fit.
    pub costs: EditCosts,
    /// Nepers that one unit of edit cost is worth when sentences are compared.
    pub score_per_edit: f32,
    /// The search through the home's sentences.
    pub viterbi: ViterbiTuning,
    /// Sentences that are laid over the sound for a second look.
    pub nbest: usize,
    /// Weight of the language model in the second look, as a share of that in the decoder.
    pub rescoring_language: f32,
    /// The same of edits.
    pub rescoring_edits: f32,
    /// What a neper of Moonshine is worth in the second look.
    pub rescoring_moonshine: f32,
    /// Weight of the language model where Moonshine was asked too, as `rescoring_language`.
    pub language_beside_moonshine: f32,
    /// Log probability of a phone after another where any may follow.
    pub phone_penalty: f32,
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
                word_beam_exponent: -40,
                silence: 0.1,
            },
            smoothing: 1.0,
            sentences: 60_000,
            background_words: 1000,
            background_mass: 0.8,
            hold_frames: 30,
            expected_weight: 60.0,
            costs: EditCosts { delete: 0.8, insert: 1.0, substitute: 1.2, limit: 2.5 },
            score_per_edit: 20.5,
            viterbi: ViterbiTuning {
                beam: 150.0,
                word_beam: 110.0,
                max_active: 8000,
                pause: -3.0,
                language: 6.0,
            },
            nbest: settings.nbest as usize,
            rescoring_language: 0.6,
            rescoring_edits: 1.0,
            rescoring_moonshine: 7.0,
            language_beside_moonshine: 0.15,
            phone_penalty: -2.0,
            min_confidence: settings.min_confidence,
        }
    }
}
