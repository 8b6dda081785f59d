//! Rescoring: candidate sentences are aligned with the whole utterance and compared with one another and with the phone
//! loop (unconstrained speech).
//!
//! PocketSphinx proposes words that mostly are no sentence of the home, and prunes by what came before. Here whole
//! sentences compete by their acoustic score, so that "fifteen" against "fifty" and a dropped short word are decided by
//! the sound.

use super::acoustic_scores::AcousticScores;
use super::forced_alignment::{Alignment, Pronunciations, align};
use super::ngram::LanguageModelScorer;
use super::tuning::Tuning;
use hark_core::ports::{EditCosts, SpeechGrammar};
use std::collections::HashMap;

/// Phones by which a word that sounds alike may differ.
const MAX_CONFUSABLE_DISTANCE: usize = 2;
/// Sentences that join the choice because they sound alike.
const MAX_FINALISTS: usize = 6;
/// Sentences looked up in the grammar because they sound alike.
const MAX_CONFUSABLE: usize = 150;

/// A sentence the home accepts, on the way from what was heard.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    pub(super) words: Vec<String>,
    /// Edit cost of getting there.
    pub(super) cost: f32,
    /// Natural log of its probability by Moonshine, when that was asked.
    pub(super) moonshine_score: Option<f32>,
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
    /// Nepers by which it is better than the next sentence.
    pub(super) margin: f32,
    /// Nepers by which phones explain the loudest part of the pauses after its first word better than silence does: much,
    /// when more was said than the sentence.
    pub(super) unexplained: f32,
}

/// What the second look needs to know.
pub(super) struct Rescorer<'j> {
    pub(super) sound: &'j AcousticScores,
    pub(super) pronunciations: &'j HashMap<String, Pronunciations>,
    pub(super) scorer: &'j LanguageModelScorer,
    pub(super) tuning: &'j Tuning,
}

impl Rescorer<'_> {
    /// The best of the candidates by sound, language model and edits, with its fit. `None` when none
    /// can be laid over the sound.
    pub(super) fn choose(&self, candidates: &[Candidate]) -> Option<(usize, Fit)> {
        let mut best: Option<(f32, usize, Alignment)> = None;
        let mut second = f32::NEG_INFINITY;
        for (place, candidate) in candidates.iter().enumerate() {
            let Some(alignment) = self.align(&candidate.words) else { continue };
            let edits = candidate.cost * self.tuning.score_per_edit;
            let language =
                self.tuning.search.language_weight * self.scorer.sentence_log_prob(&candidate.words);
            // Moonshine knows the language too.
            let beside = match candidate.moonshine_score {
                Some(score) => {
                    self.tuning.rescoring_moonshine * score + self.tuning.language_beside_moonshine * language
                }
                None => self.tuning.rescoring_language * language,
            };
            let score = alignment.score + beside - self.tuning.rescoring_edits * edits;
            if best.as_ref().is_none_or(|(known, ..)| score > *known) {
                second = best.as_ref().map_or(second, |(known, ..)| *known);
                best = Some((score, place, alignment));
            } else {
                second = second.max(score);
            }
        }
        best.map(|(score, place, alignment)| (place, Fit { margin: score - second, ..self.fit(&alignment) }))
    }

    /// Chooses, and chooses again among what sounds much like the first choice: the search keeps one way
    /// to each place, so that of "fifteen minutes" and "fifty minutes" only one may have come here.
    pub(super) fn choose_with_confusable_words(
        &self,
        candidates: &mut Vec<Candidate>,
        grammar: &dyn SpeechGrammar,
    ) -> Option<(usize, Fit)> {
        let (place, fit) = self.choose(candidates)?;
        let first = candidates[place].clone();
        let known = candidates.len();
        for words in self.confusable_sentences(&first.words) {
            let spoken: Vec<&str> = words.iter().map(String::as_str).collect();
            let exact = EditCosts { limit: 0.0, ..self.tuning.costs };
            if candidates.len() >= known + MAX_FINALISTS {
                break;
            }
            let new = candidates.iter().all(|candidate| candidate.words != words);
            if new && grammar.accept(&spoken, &exact).is_some() {
                candidates.push(Candidate { words, ..first.clone() });
            }
        }
        if candidates.len() == known {
            return Some((place, fit));
        }
        let mut finalists = vec![first];
        finalists.extend_from_slice(&candidates[known..]);
        let (again, second_fit) = self.choose(&finalists)?;
        if again > 0 {
            return Some((known + again - 1, second_fit));
        }
        Some((place, Fit { margin: fit.margin.min(second_fit.margin), ..second_fit }))
    }

    /// Sentences in which one word is another that sounds much like it, nearest first.
    fn confusable_sentences(&self, words: &[String]) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        for (place, word) in words.iter().enumerate() {
            let Some(said) = self.pronunciations.get(word).and_then(|pronunciations| pronunciations.first())
            else {
                continue;
            };
            for (other, pronunciations) in self.pronunciations.iter().filter(|(other, _)| *other != word) {
                let nearest =
                    pronunciations.iter().map(|phones| strsim::generic_levenshtein(said, phones)).min();
                if let Some(distance) =
                    nearest.filter(|distance| *distance <= MAX_CONFUSABLE_DISTANCE.min(said.len() / 2))
                {
                    found.push((distance, place, other));
                }
            }
        }
        found.sort_unstable();
        found.truncate(MAX_CONFUSABLE);
        let replaced = |(_, place, other): (usize, usize, &String)| {
            let mut words = words.to_vec();
            words[place].clone_from(other);
            words
        };
        found.into_iter().map(replaced).collect()
    }

    fn align(&self, words: &[String]) -> Option<Alignment> {
        let pronunciations: Option<Vec<&Pronunciations>> =
            words.iter().map(|word| self.pronunciations.get(word)).collect();
        align(self.sound, &pronunciations?)
    }

    fn fit(&self, alignment: &Alignment) -> Fit {
        let frames = self.sound.frames();
        let mut fit = Fit { worst: f32::INFINITY, ..Fit::default() };
        let mut length = 0;
        for word in &alignment.words {
            let gain = word.score - self.sound.phone_loop_score(word.from, word.to);
            let frames = word.to.saturating_sub(word.from).max(1);
            fit.worst = fit.worst.min(gain / frames as f32);
            fit.words += gain;
            length += frames;
        }
        fit.words /= length.max(1) as f32;
        let pauses = alignment.words.iter().map(|word| word.to);
        let ends = alignment.words.iter().skip(1).map(|word| word.from).chain([frames]);
        let speech = pauses.zip(ends).map(|(from, to)| self.sound.speech_beyond_silence(from, to));
        fit.unexplained = speech.fold(0.0, f32::max);
        fit.whole = (alignment.score - self.sound.phone_loop_score(0, frames)) / frames.max(1) as f32;
        fit
    }
}
