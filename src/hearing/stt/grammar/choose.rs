//! From the decoder's hypotheses to the sentence the home accepts, and how sure that is.

use super::background::MARK;
use super::lattice::Hypothesis;
use super::tuning::Tuning;
use crate::domain::ports::SpeechGrammar;

/// How fast confidence falls with the edits a sentence needs (background and strain count as edits): confidence is e to the minus this times
/// the edits, so that a word in the wrong place (1.2) still leaves 0.34, two leave 0.12.
const CONFIDENCE_FALL: f32 = 0.9;

/// What a transcript is based on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    /// The decoder's own best words; background words begin with `~`.
    pub heard: Vec<String>,
    /// The sentence the templates accept; empty when there is none.
    pub accepted: Vec<String>,
    /// Edit cost of getting there, in words.
    pub cost: f32,
    /// Score lost against the best hypothesis, in edits.
    pub gap: f32,
    /// Background words in `heard`.
    pub background: usize,
    /// How much better the sound could be explained by other words, in decoder units a frame.
    pub strain: f32,
    /// 0.0 ..= 1.0.
    pub confidence: f32,
}

impl Evidence {
    /// Why the words are not to be acted on; `None` when they are.
    pub(super) fn rejection(&self, min_confidence: f32) -> Option<String> {
        if self.heard.is_empty() {
            return Some("no words were recognised".to_owned());
        }
        if self.accepted.is_empty() {
            return Some(format!("no sentence of this home is near \"{}\"", self.heard.join(" ")));
        }
        if self.confidence < min_confidence {
            return Some(format!(
                "\"{}\" is too far from what was heard (\"{}\"): confidence {:.2}, at least {min_confidence} is needed",
                self.accepted.join(" "),
                self.heard.join(" "),
                self.confidence
            ));
        }
        None
    }
}

/// What the lattice says of the sound as a whole.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sound {
    /// Best acoustic score of any words.
    pub(super) best_acoustic: f32,
    /// Length in frames.
    pub(super) frames: f32,
}

/// Finds the sentence with the least sum of edit cost and score lost. Hypotheses come best first; an
/// earlier one wins a tie.
pub(super) fn judge(
    heard: Vec<String>,
    hypotheses: &[Hypothesis],
    sound: Sound,
    grammar: &dyn SpeechGrammar,
    tuning: &Tuning,
) -> Evidence {
    let background = heard.iter().filter(|word| word.starts_with(MARK)).count();
    let mut evidence = Evidence { heard, background, ..Evidence::default() };
    let best_score = hypotheses.iter().map(|hypothesis| hypothesis.score).fold(f32::NEG_INFINITY, f32::max);
    let mut least = f32::INFINITY;
    for hypothesis in hypotheses {
        let gap = (best_score - hypothesis.score) / tuning.score_per_edit;
        let mut costs = tuning.costs;
        costs.limit = costs.limit.min(least - gap);
        if costs.limit < 0.0 {
            continue;
        }
        let words: Vec<&str> = hypothesis.words.iter().map(String::as_str).collect();
        let Some(found) = grammar.accept(&words, &costs) else { continue };
        if found.cost + gap < least && !found.words.is_empty() {
            least = found.cost + gap;
            (evidence.accepted, evidence.cost, evidence.gap) = (found.words, found.cost, gap);
            evidence.strain = (sound.best_acoustic - hypothesis.acoustic).max(0.0) / sound.frames.max(1.0);
        }
    }
    if !evidence.accepted.is_empty() {
        let strain = (evidence.strain - tuning.strain_free).max(0.0);
        let edits = least + tuning.background_cost * background as f32 + tuning.strain_cost * strain;
        evidence.confidence = (-CONFIDENCE_FALL * edits).exp();
    }
    evidence
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::stt::Stt;
    use crate::hearing::stt::grammar::test_grammar::Sentences;

    fn hypotheses(list: &[(&str, f32)]) -> Vec<Hypothesis> {
        list.iter()
            .map(|(text, score)| Hypothesis { words: split(text), score: *score, acoustic: 0.0 })
            .collect()
    }

    fn split(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn decide(heard: &str, list: &[(&str, f32)]) -> Evidence {
        let grammar = Sentences::new(&["turn on the lamp", "turn off the lamp", "stop"]);
        judge(split(heard), &hypotheses(list), Sound::default(), &grammar, &Tuning::new(&Stt::default()))
    }

    #[test]
    fn an_exact_sentence_is_certain() {
        let evidence =
            decide("turn on the lamp", &[("turn on the lamp", -100.0), ("turn off the lamp", -150.0)]);
        assert_eq!(evidence.accepted.join(" "), "turn on the lamp");
        assert!((evidence.confidence - 1.0).abs() < 1e-6);
        assert_eq!(evidence.rejection(0.3), None);
    }

    #[test]
    fn a_little_lower_hypothesis_without_edits_beats_the_best_with_edits() {
        let evidence =
            decide("turn of the lamp", &[("turn of the lamp", -100.0), ("turn off the lamp", -140.0)]);
        assert_eq!(evidence.accepted.join(" "), "turn off the lamp");
        assert!((evidence.cost, evidence.gap) == (0.0, 0.2));
        // One edit on the best is cheaper than a sentence whose score is far below.
        let evidence = decide("turn on lamp", &[("turn on lamp", -100.0), ("turn off the lamp", -900.0)]);
        assert_eq!(evidence.accepted.join(" "), "turn on the lamp");
    }

    #[test]
    fn speech_that_fits_nothing_is_rejected_with_a_reason() {
        let far = decide("~where ~is ~the dipstick", &[("~where ~is ~the dipstick", -100.0)]);
        assert!(far.accepted.is_empty());
        assert!(far.rejection(0.3).unwrap().contains("dipstick"));
        let near = decide("~ask stop ~it", &[("~ask stop ~it", -100.0)]);
        assert_eq!((near.accepted.join(" ").as_str(), near.background), ("stop", 2));
        assert!(near.rejection(0.3).unwrap().contains("confidence"));
        assert!(decide("", &[]).rejection(0.3).unwrap().contains("no words"));
    }
}
