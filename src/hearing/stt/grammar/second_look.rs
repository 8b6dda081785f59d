//! The second look: sentences the home accepts, laid over the sound and compared with one another and
//! with anything that could be spoken.
//!
//! The decoder's search proposes; it compares words that mostly are no sentence of the home, and prunes
//! by what came before. Here whole sentences compete by their sound over the whole utterance, so that
//! "fifteen" against "fifty" and a dropped short word are decided by what was said.

use super::align::{Alignment, Ways, align};
use super::lattice::{NEPERS_PER_UNIT, Weights};
use super::ngram::Scorer;
use super::sound::Sound;
use super::tuning::Tuning;
use std::collections::HashMap;

/// A sentence the home accepts, on the way from what was heard.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    pub(super) words: Vec<String>,
    /// Edit cost of getting there.
    pub(super) cost: f32,
    /// Score lost against the best hypothesis, in edits.
    pub(super) gap: f32,
}

/// How well the chosen sentence fits.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Fit {
    /// Nepers a frame by which its words explain the sound better than any phones do.
    pub(super) words: f32,
    /// The same over the whole utterance, pauses included.
    pub(super) whole: f32,
    /// The same of its worst word.
    pub(super) worst: f32,
}

/// What the second look needs to know.
pub(super) struct Judges<'j> {
    pub(super) sound: &'j Sound,
    pub(super) ways: &'j HashMap<String, Ways>,
    pub(super) scorer: &'j Scorer,
    pub(super) weights: Weights,
    pub(super) tuning: &'j Tuning,
}

impl Judges<'_> {
    /// The best of the candidates by sound, language model and edits, with its fit. `None` when none
    /// can be laid over the sound.
    pub(super) fn choose(&self, candidates: &[Candidate]) -> Option<(usize, Fit)> {
        let mut best: Option<(f32, usize, Alignment)> = None;
        for (place, candidate) in candidates.iter().enumerate() {
            let Some(alignment) = self.lay(&candidate.words) else { continue };
            let edits = candidate.cost * self.tuning.score_per_edit * NEPERS_PER_UNIT;
            let language = self.weights.language * self.scorer.sentence(&candidate.words);
            let score =
                alignment.score + self.tuning.second_language * language - self.tuning.second_edits * edits;
            if best.as_ref().is_none_or(|(known, ..)| score > *known) {
                best = Some((score, place, alignment));
            }
        }
        best.map(|(_, place, alignment)| (place, self.fit(&alignment)))
    }

    fn lay(&self, words: &[String]) -> Option<Alignment> {
        let ways: Option<Vec<&Ways>> = words.iter().map(|word| self.ways.get(word)).collect();
        align(self.sound, &ways?)
    }

    fn fit(&self, alignment: &Alignment) -> Fit {
        let frames = self.sound.frames();
        let mut fit = Fit { worst: f32::INFINITY, ..Fit::default() };
        let mut length = 0;
        for word in &alignment.words {
            let gain = word.score - self.sound.anything(word.from, word.to);
            let frames = word.to.saturating_sub(word.from).max(1);
            fit.worst = fit.worst.min(gain / frames as f32);
            fit.words += gain;
            length += frames;
        }
        fit.words /= length.max(1) as f32;
        fit.whole = (alignment.score - self.sound.anything(0, frames)) / frames.max(1) as f32;
        fit
    }
}
