//! From the decoder's hypotheses to the sentence the home accepts.

use super::lattice::Hypothesis;
use super::tuning::Tuning;
use crate::domain::ports::SpeechGrammar;

/// The accepted sentence that fits the sound best.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Choice {
    /// Words of the sentence.
    pub(super) words: Vec<String>,
    /// Edit cost from the hypothesis it came from.
    pub(super) cost: f32,
    /// How far that hypothesis lies below the best one, in decoder units; never negative.
    pub(super) gap: f32,
}

impl Choice {
    fn total(&self, tuning: &Tuning) -> f32 {
        self.cost + self.gap / tuning.score_per_edit
    }
}

/// Walks the hypotheses for the cheapest sum of edit cost and score lost. Hypotheses come best first,
/// so the walk ends where the score lost alone costs more than what was found.
pub(super) fn choose(
    hypotheses: &[Hypothesis],
    grammar: &dyn SpeechGrammar,
    tuning: &Tuning,
) -> Option<Choice> {
    let best_score = hypotheses.first()?.score;
    let mut found: Option<Choice> = None;
    for hypothesis in hypotheses {
        let gap = best_score - hypothesis.score;
        let mut costs = tuning.costs;
        if let Some(found) = &found {
            costs.limit = costs.limit.min(found.total(tuning) - gap / tuning.score_per_edit);
            if costs.limit <= 0.0 {
                continue;
            }
        }
        let words: Vec<&str> = hypothesis.words.iter().map(String::as_str).collect();
        let Some(accepted) = grammar.accept(&words, &costs) else { continue };
        let choice = Choice { words: accepted.words, cost: accepted.cost, gap };
        if found.as_ref().is_none_or(|found| choice.total(tuning) < found.total(tuning)) {
            found = Some(choice);
        }
    }
    found
}
