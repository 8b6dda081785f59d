//! Candidate sentences, and the confidence of the chosen one: a logistic regression over acoustic fit, edits, margin and
//! Moonshine's score. Decides whether a transcript is rejected.

use super::background_model::BACKGROUND_MARK;
use super::rescoring::{Candidate, Fit};
use super::tuning::Tuning;
use crate::stt::moonshine::MoonshineResult;
use hark_core::ports::{Acceptance, SpeechGrammar};

/// How likely a chosen sentence is what was said: a logistic regression, trained on recordings of people
/// and on flite speaking to the house and of other things. Each number weighs one clue.
const BIAS: f32 = -1.29;
const BY_WORDS: f32 = 2.35;
const BY_WHOLE: f32 = 0.71;
const BY_WORST: f32 = -0.05;
/// By word edits between what the decoder heard and the sentence, a word of the sentence.
const BY_DISAGREEMENT: f32 = -0.74;
/// By the share of background words in what was heard.
const BY_BACKGROUND: f32 = -0.68;
/// Few words fit something by chance more easily: weighs one over their number.
const BY_BREVITY: f32 = -1.33;
/// A worst word counts no worse than this.
const WORST_WORD_FIT_FLOOR: f32 = -6.0;

/// The same when Moonshine was asked, with whose help the sentence was chosen: trained on the recordings of
/// people, also louder, slower, higher and with noise, on flite speaking to the house, and on the public out-of-scope
/// questions.
const JOINT_BIAS: f32 = 1.21;
const JOINT_BY_WHOLE: f32 = 1.54;
const JOINT_BY_BREVITY: f32 = -0.98;
/// Weight of Moonshine's log-likelihood gap to its best result, per word.
const JOINT_BY_GAP: f32 = -1.15;
/// By how much better it is than the next.
const JOINT_BY_MARGIN: f32 = 0.028;
/// Where there is no next sentence the margin counts as this.
const MAX_MARGIN: f32 = 60.0;

/// What need not be asked a second time: confidence, margin and worst word from which the decoder and the
/// search are right.
const MIN_SURE_CONFIDENCE: f32 = 0.9;
const MIN_SURE_MARGIN: f32 = 10.0;
const MIN_SURE_WORD_FIT: f32 = -2.0;
/// A margin below this is one short word's: "off" was taken for "on" with 14 nepers, "lamp" for "light" with 43, at a
/// confidence of 1.00.
const MIN_UNDISPUTED_MARGIN: f32 = 45.0;
/// So many words in front of the sentence are more than the rest of a wake word: "telly on" before "reading lamp on".
const MIN_WORDS_IN_FRONT: usize = 2;
/// So much speech beside the sentence is more than a breath or a noise: of what people said to the house it is 17 nepers at
/// most, and a short word has 100.
const MAX_SURE_UNEXPLAINED: f32 = 60.0;
/// A word of a sentence that was begun alike and heard shorter is not there when it fits worse than this.
const MIN_INSERTED_WORD_FIT: f32 = -5.5;

/// Moonshine's own words are taken when they are no sentence of the home (the likeliest one is
/// this much less likely), enough pieces, and each of them likely (natural log, at the mean).
const MIN_FREE_GAP: f32 = 3.0;
const MIN_FREE_PIECES: usize = 4;
const MIN_FREE_LOG_PROB: f32 = -0.25;
/// The same of words that mean something here.
const MIN_MEANT_LOG_PROB: f32 = -0.5;
/// Words that mean something are taken before likelier ones that mean nothing, if they are at most this much less likely.
const MAX_GAP_OF_MEANT: f32 = 1.5;
/// Where they are a sentence with a part that may be any words, a sentence of the search that is this much less likely has other
/// words in that part: it is no doubt, but wrong. Other requests do not count so: "and lock" is how Moonshine may write
/// "unlock".
const MIN_OPEN_SENTENCE_GAP: f32 = 6.0;

/// What a transcript is based on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HypothesisEvidence {
    /// The decoder's own best words; background words begin with `~`.
    pub heard: Vec<String>,
    /// The sentence the templates accept; empty when there is none.
    pub accepted: Vec<String>,
    /// Edit cost of getting there, in words.
    pub cost: f32,
    /// Background words in `heard`.
    pub background: usize,
    /// Nepers a frame by which the sentence's words explain the sound better than any phones do.
    pub fit: f32,
    /// The same with the pauses.
    pub whole: f32,
    /// The same of the worst word.
    pub worst: f32,
    /// Nepers by which the sentence is better than the next.
    pub margin: f32,
    /// Nepers by which something else than silence explains the rest of the sound.
    pub unexplained: f32,
    /// Nepers by which Moonshine finds the sentence less likely than the likeliest words; `None`
    /// when it was not asked.
    pub gap: Option<f32>,
    /// Moonshine's own words, when they are worth believing and no sentence of the home.
    pub free_words: Option<FreeWords>,
    /// 0.0 ..= 1.0.
    pub confidence: f32,
}

/// Words that are no sentence of the home.
#[derive(Debug, Clone, PartialEq)]
pub struct FreeWords {
    /// In written form.
    pub text: String,
    /// 0.0 ..= 1.0.
    pub confidence: f32,
}

/// Which of several texts means something.
pub(super) struct Meant {
    /// Its place among them.
    pub(super) at: usize,
    /// How it is best spelt.
    pub(super) text: String,
    /// Whether it is a sentence of the home with a part that may be any words.
    pub(super) is_open: bool,
}

impl HypothesisEvidence {
    /// Draws the conclusion from the candidate chosen.
    pub(super) fn new(heard: Vec<String>, candidates: &[Candidate], chosen: Option<(usize, Fit)>) -> Self {
        let background = heard.iter().filter(|word| word.starts_with(BACKGROUND_MARK)).count();
        let mut evidence = Self { heard, background, ..Self::default() };
        let Some((place, fit)) = chosen else { return evidence };
        let candidate = &candidates[place];
        evidence.cost = candidate.cost;
        evidence.accepted.clone_from(&candidate.words);
        (evidence.fit, evidence.whole, evidence.worst) = (fit.words, fit.whole, fit.worst);
        (evidence.margin, evidence.unexplained) = (fit.margin, fit.unexplained);
        evidence.confidence = logistic(evidence.logit());
        evidence
    }

    /// Whether the decoder and the search leave no doubt.
    pub(super) fn is_sure(&self) -> bool {
        self.is_likely() && self.margin >= MIN_SURE_MARGIN && self.worst >= MIN_SURE_WORD_FIT
    }

    /// Whether no other sentence comes near it either, so that no other ear need be asked which of them was said.
    pub(super) fn is_undisputed(&self) -> bool {
        self.is_sure() && self.margin >= MIN_UNDISPUTED_MARGIN && !self.leaves_out_beginning()
    }

    /// Whether the decoder heard words in front of the sentence. Its fit says nothing of them: it begins where the sentence
    /// does.
    fn leaves_out_beginning(&self) -> bool {
        let heard: Vec<&str> =
            self.heard.iter().map(|word| word.trim_start_matches(BACKGROUND_MARK)).collect();
        let in_front = heard.len().saturating_sub(self.accepted.len());
        in_front >= MIN_WORDS_IN_FRONT && self.accepted == heard[in_front..]
    }

    /// Whether the sentence was heard as a whole, whatever the decoder made of its last word.
    pub(super) fn is_whole(&self) -> bool {
        let missing = self.accepted.len().saturating_sub(self.heard.len());
        // "Turn it off" of a "turn" and a word that fits badly: it may be going on with "off the light".
        let guessed = missing > 1 && self.accepted.starts_with(&self.heard) && self.worst < MIN_SURE_WORD_FIT;
        // So it may when "turn on" was heard and the "it" is nowhere.
        let put_in =
            missing > 0 && self.accepted.first() == self.heard.first() && self.worst < MIN_INSERTED_WORD_FIT;
        self.is_likely() && !guessed && !put_in
    }

    fn is_likely(&self) -> bool {
        self.confidence >= MIN_SURE_CONFIDENCE && self.unexplained <= MAX_SURE_UNEXPLAINED
    }

    /// Draws the conclusion from what Moonshine found too. `meant_among` finds among its own words those that mean something.
    pub(super) fn with_moonshine(
        self,
        candidates: &[Candidate],
        chosen: Option<(usize, Fit)>,
        result: &MoonshineResult,
        min_confidence: f32,
        meant_among: &dyn Fn(&[&str]) -> Option<Meant>,
    ) -> Self {
        let mut evidence = self;
        let likely = |candidate: &Candidate| candidate.moonshine_score;
        let best = candidates.iter().filter_map(likely).fold(f32::NEG_INFINITY, f32::max);
        let free = result.free.first();
        if let Some(score) = chosen.and_then(|(place, _)| likely(&candidates[place])) {
            let gap = free.map_or(best, |free| best.max(free.score)) - score;
            evidence.gap = Some(gap);
            evidence.confidence = logistic(evidence.joint_logit(gap));
        }
        let Some(free) = free.filter(|free| free.pieces >= MIN_FREE_PIECES) else { return evidence };
        // Both find that more was said than the sentence.
        let says_more = evidence.unexplained > MAX_SURE_UNEXPLAINED
            && free.text.split_whitespace().count() > evidence.accepted.len();
        let is_own = says_more || free.score - best >= MIN_FREE_GAP;
        if !is_own && evidence.rejection(min_confidence).is_none() {
            return evidence;
        }
        let near = result.free.iter().take_while(|one| free.score - one.score <= MAX_GAP_OF_MEANT);
        let meant = meant_among(&near.map(|one| one.text.as_str()).collect::<Vec<_>>());
        let own = &result.free[meant.as_ref().map_or(0, |meant| meant.at)];
        let each = own.score / own.pieces as f32;
        let is_likely = match meant {
            Some(_) => each >= MIN_MEANT_LOG_PROB,
            None => is_own && each >= MIN_FREE_LOG_PROB,
        };
        let is_open = meant.as_ref().is_some_and(|meant| meant.is_open);
        let text = meant.map_or_else(|| own.text.clone(), |meant| meant.text);
        evidence.free_words = is_likely.then(|| FreeWords { text, confidence: each.exp() });
        let says_other = is_open && evidence.gap.is_some_and(|gap| gap >= MIN_OPEN_SENTENCE_GAP);
        if (says_more || says_other) && evidence.free_words.is_some() {
            // So that the sentence is rejected, and these words are taken.
            evidence.confidence = 0.0;
        }
        evidence
    }

    /// What the clues of the decoder and the search add up to.
    fn logit(&self) -> f32 {
        let heard: Vec<&str> =
            self.heard.iter().map(|word| word.trim_start_matches(BACKGROUND_MARK)).collect();
        let accepted: Vec<&str> = self.accepted.iter().map(String::as_str).collect();
        let words = accepted.len().max(1) as f32;
        let disagreement = strsim::generic_levenshtein(&heard, &accepted) as f32 / words;
        let background = self.background as f32 / heard.len().max(1) as f32;
        BIAS + BY_WORDS * self.fit
            + BY_WHOLE * self.whole
            + BY_WORST * self.worst.max(WORST_WORD_FIT_FLOOR)
            + BY_DISAGREEMENT * disagreement
            + BY_BACKGROUND * background
            + BY_BREVITY / words
    }

    /// The same with the gap found by Moonshine.
    fn joint_logit(&self, gap: f32) -> f32 {
        let words = self.accepted.len().max(1) as f32;
        JOINT_BIAS
            + JOINT_BY_WHOLE * self.whole
            + JOINT_BY_BREVITY / words
            + JOINT_BY_GAP * gap / words
            + JOINT_BY_MARGIN * self.margin.min(MAX_MARGIN)
    }

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

/// The sentences the home accepts that may have been said, each once: those the search found, best first,
/// and the nearest to the decoder's own words.
pub(super) fn candidates(
    searched: Vec<(Vec<String>, f32)>,
    heard: &[String],
    grammar: &dyn SpeechGrammar,
    tuning: &Tuning,
) -> Vec<Candidate> {
    // Found word for word: no edits.
    let mut found: Vec<Candidate> = searched
        .into_iter()
        .map(|(words, _)| Candidate { words, cost: 0.0, moonshine_score: None })
        .collect();
    let heard: Vec<&str> = heard.iter().map(String::as_str).collect();
    if let Some(Acceptance { words, cost }) = grammar.accept(&heard, &tuning.costs)
        && !words.is_empty()
        && found.iter().all(|known| known.words != words)
    {
        found.push(Candidate { words, cost, moonshine_score: None });
    }
    found
}

fn logistic(clues: f32) -> f32 {
    1.0 / (1.0 + (-clues).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stt::grammar::test_grammar::Sentences;
    use crate::stt::moonshine::FreeHypothesis;
    use hark_config::stt::Stt;

    fn split(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn proposed(searched: &[&str], heard: &str) -> Vec<Candidate> {
        let grammar = Sentences::new(&["turn on the lamp", "turn off the lamp", "stop"]);
        let searched = searched.iter().map(|text| (split(text), 0.0)).collect();
        candidates(searched, &split(heard), &grammar, &Tuning::new(&Stt::default()))
    }

    fn evidence(heard: &str, candidates: &[Candidate], fit: Fit) -> HypothesisEvidence {
        let chosen = (!candidates.is_empty()).then_some((0, fit));
        HypothesisEvidence::new(split(heard), candidates, chosen)
    }

    const GOOD: Fit = Fit { words: 3.0, whole: 2.5, worst: 1.0, margin: 20.0, unexplained: 0.0 };
    const BAD: Fit = Fit { words: -2.0, whole: -1.5, worst: -6.0, margin: 2.0, unexplained: 0.0 };

    #[test]
    fn a_sentence_that_fits_the_sound_is_believed_and_one_that_does_not_is_not() {
        let list = proposed(&["turn off the lamp"], "turn on the lamp");
        assert_eq!(list[1], Candidate { words: split("turn on the lamp"), cost: 0.0, moonshine_score: None });
        let list = proposed(&["turn on the lamp"], "turn on the lamp");
        let believed = evidence("turn on the lamp", &list, GOOD);
        assert_eq!(believed.accepted.join(" "), "turn on the lamp");
        assert!(believed.confidence > 0.8 && believed.rejection(0.3).is_none());
        let doubted = evidence("turn on the lamp", &list, BAD);
        assert!(doubted.confidence < 0.2, "{}", doubted.confidence);
        assert!(doubted.rejection(0.3).unwrap().contains("confidence"));
    }

    #[test]
    fn each_sentence_is_proposed_once_and_what_the_search_found_needs_no_edits() {
        let list = proposed(&["stop", "turn on the lamp"], "turn on lamp");
        let free = |text: &str| Candidate { words: split(text), cost: 0.0, moonshine_score: None };
        assert_eq!(list, [free("stop"), free("turn on the lamp")]);
        let list = proposed(&["stop"], "turn on lamp");
        assert_eq!(list.len(), 2);
        assert_eq!(list[1].words, split("turn on the lamp"));
        assert!(list[1].cost > 0.0, "a word had to be put in");
        assert_eq!(proposed(&["stop"], ""), [free("stop")]);
    }

    #[test]
    fn a_sentence_that_leaves_out_how_it_began_is_disputed() {
        const UNRIVALLED: Fit = Fit { margin: 60.0, ..GOOD };
        for (heard, undisputed) in [
            ("turn off the lamp", true),
            ("~jar turn off the lamp", true),
            ("stop ~own turn off the lamp", false),
            ("stop turn off the ~lamp and ~on", true),
        ] {
            let list = proposed(&["turn off the lamp"], "turn off the lamp");
            let found = HypothesisEvidence { confidence: 0.95, ..evidence(heard, &list, UNRIVALLED) };
            assert_eq!(found.is_undisputed(), undisputed, "{heard}");
        }
    }

    fn result(sentences: &[(&str, f32)], free: &str, free_score: f32) -> (Vec<Candidate>, MoonshineResult) {
        let candidate = |(text, score): &(&str, f32)| Candidate {
            words: split(text),
            cost: 0.0,
            moonshine_score: Some(*score),
        };
        let candidates = sentences.iter().map(candidate).collect();
        (
            candidates,
            MoonshineResult { free: vec![hypothesis(free, free_score)], ..MoonshineResult::default() },
        )
    }

    /// Where the first of Moonshine's own words mean something, and whether as an open sentence, or none of them does.
    fn with_moonshine(
        heard: &str,
        list: &[Candidate],
        fit: Option<Fit>,
        result: &MoonshineResult,
        meaning: Option<bool>,
    ) -> HypothesisEvidence {
        let meant =
            |texts: &[&str]| meaning.map(|is_open| Meant { at: 0, text: texts[0].to_owned(), is_open });
        let chosen = fit.map(|fit| (0, fit));
        HypothesisEvidence::new(split(heard), list, chosen).with_moonshine(list, chosen, result, 0.5, &meant)
    }

    fn hypothesis(text: &str, score: f32) -> FreeHypothesis {
        FreeHypothesis { text: text.to_owned(), score, pieces: text.split_whitespace().count() + 1 }
    }

    #[test]
    fn a_doubtful_sentence_is_believed_when_the_neural_listener_finds_nothing_likelier() {
        const DOUBTFUL: Fit = Fit { words: 0.4, whole: 0.7, worst: -2.0, margin: 5.0, unexplained: 0.0 };
        for (score, free_score, believed) in [(-1.0, -1.0, true), (-3.0, -2.5, true), (-22.0, -1.0, false)] {
            let (list, result) = result(&[("turn off the lamp", score)], "Turn off the lamp.", free_score);
            let evidence = with_moonshine("turn off the landing", &list, Some(DOUBTFUL), &result, None);
            assert_eq!(evidence.rejection(0.5).is_none(), believed, "{evidence:?}");
            assert_eq!(evidence.gap, Some((free_score - score).max(0.0)));
        }
        let alone = HypothesisEvidence::new(
            split("turn off the landing"),
            &result(&[("turn off the lamp", 0.0)], "", 0.0).0,
            Some((0, DOUBTFUL)),
        );
        assert!(alone.rejection(0.5).is_some(), "without it nobody would believe the sentence");
    }

    #[test]
    fn its_own_words_are_taken_when_they_are_likely_and_no_sentence_of_the_home() {
        let own = |score: f32, free: &str, free_score: f32, known: bool| {
            let (list, result) = result(&[("turn off the lamp", score)], free, free_score);
            with_moonshine("x", &list, Some(BAD), &result, known.then_some(false)).free_words
        };
        let question = "Where did Abraham Lincoln live?";
        let taken = own(-40.0, question, -0.6, false).expect("likely words");
        assert_eq!(taken.text, question);
        assert!((0.85..1.0).contains(&taken.confidence), "{taken:?}");
        assert_eq!(own(-40.0, question, -2.4, false), None, "hardly likely");
        assert!(own(-40.0, question, -2.4, true).is_some(), "likely enough for what means something");
        assert_eq!(own(-2.0, "Turn of the lamp.", -0.4, false), None, "nearly a sentence of the home");
        assert_eq!(own(-40.0, "Alexa.", -0.1, false), None, "too short");
    }

    #[test]
    fn what_has_a_near_rival_or_a_word_that_does_not_fit_is_not_sure() {
        let list = proposed(&["turn on the lamp"], "turn on the lamp");
        let sure = |fit: Fit| evidence("turn on the lamp", &list, fit).is_sure();
        assert!(sure(GOOD));
        let undisputed =
            |margin: f32| evidence("turn on the lamp", &list, Fit { margin, ..GOOD }).is_undisputed();
        assert!(!undisputed(14.4), "on and off");
        assert!(undisputed(60.0));
        assert!(!sure(Fit { margin: 6.0, ..GOOD }), "fifteen and fifty");
        assert!(!sure(Fit { worst: -4.0, ..GOOD }), "a word was something else");
        assert!(!sure(Fit { unexplained: 100.0, ..GOOD }), "more was said");
        assert!(!sure(BAD));
    }

    #[test]
    fn words_beyond_the_sentence_are_taken_when_both_find_more_speech() {
        let (more, same) = ("What time is it? Stop.", "What time is it?");
        for (free, unexplained, taken) in [(more, 110.0, true), (more, 10.0, false), (same, 110.0, false)] {
            let fit = Fit { unexplained, ..GOOD };
            let (list, result) = result(&[("what time is it", -0.6)], free, -1.0);
            let evidence = with_moonshine("what time is it that", &list, Some(fit), &result, None);
            assert_eq!(evidence.free_words.is_some(), taken, "{free} {unexplained}");
            assert_eq!(evidence.rejection(0.5).is_some(), taken, "then the sentence alone is not enough");
        }
    }

    #[test]
    fn of_words_that_are_nearly_as_likely_those_that_mean_something_are_taken() {
        let said = |hypotheses: &[(&str, f32)]| {
            let free = hypotheses.iter().map(|(text, score)| hypothesis(text, *score)).collect();
            let result = MoonshineResult { free, ..MoonshineResult::default() };
            let meant = |texts: &[&str]| {
                let at = texts.iter().position(|text| text.contains("shut"))?;
                Some(Meant { at, text: texts[at].to_owned(), is_open: false })
            };
            let evidence = evidence("x", &[], GOOD).with_moonshine(&[], None, &result, 0.5, &meant);
            evidence.free_words.map(|free| free.text)
        };
        let (misheard, meant) = ("When it rains shot the window.", "When it rains shut the window.");
        assert_eq!(said(&[(misheard, -1.0), (meant, -2.2)]).as_deref(), Some(meant));
        assert_eq!(said(&[(misheard, -1.0), (meant, -3.0)]).as_deref(), Some(misheard), "far less likely");
        assert_eq!(
            said(&[(misheard, -2.5), (meant, -3.0)]).as_deref(),
            Some(meant),
            "what is meant may be doubtful"
        );
        assert_eq!(said(&[(misheard, -2.5)]), None);
    }

    #[test]
    fn other_words_in_a_part_that_may_be_any_words_are_no_doubt_but_what_was_said() {
        let (name, free) = ("remind me at seven to call my mother", "Remind me at seven to call Anna.");
        for (score, is_open, taken) in [(-20.0, true, true), (-20.0, false, false), (-4.0, true, false)] {
            let (list, result) = result(&[(name, score)], free, -0.6);
            let evidence = with_moonshine(name, &list, Some(GOOD), &result, Some(is_open));
            let is_taken = evidence.rejection(0.5).is_some() && evidence.free_words.is_some();
            assert_eq!(is_taken, taken, "{score} {is_open} {evidence:?}");
        }
    }

    #[test]
    fn a_sentence_is_whole_unless_its_end_is_a_guess() {
        let list = proposed(&["turn off the lamp"], "turn off the lamp");
        let strange = Fit { worst: -5.0, ..GOOD };
        for (heard, fit, whole) in [
            ("turn off the lamp", GOOD, true),
            ("turn off the", strange, true),
            ("burn off", strange, true),
            ("turn off", GOOD, true),
            ("turn off", strange, false),
            ("turn off the", BAD, false),
            ("turn the lamp", Fit { worst: -6.0, ..GOOD }, false),
            ("turn the lamp", strange, true),
        ] {
            let confidence = if fit == BAD { 0.2 } else { 0.95 };
            let evidence = HypothesisEvidence { confidence, ..evidence(heard, &list, fit) };
            assert_eq!(evidence.is_whole(), whole, "{heard} {fit:?}");
        }
    }

    #[test]
    fn speech_that_fits_nothing_is_rejected_with_a_reason() {
        let far = proposed(&[], "~where ~is ~the dipstick");
        let far = evidence("~where ~is ~the dipstick", &far, GOOD);
        assert!(far.accepted.is_empty());
        assert!(far.rejection(0.3).unwrap().contains("dipstick"));
        assert!(evidence("", &[], GOOD).rejection(0.3).unwrap().contains("no words"));
    }
}
