//! Late interaction (Khattab and Zaharia 2020): each word of a question finds the word of a passage that is nearest to
//! it, and a passage gets the weighted mean of these. The same per sentence chooses the answer.

use crate::sentences::{folded, is_indexed, is_same_word, sentences, words};
use crate::vectors::{BitProduct, code_bytes, cosine};
use std::ops::Range;

/// What the parts of a score weigh; chosen on thirty questions of a household.
mod weights {
    /// The nearest words.
    pub(super) const WORDS: f32 = 1.5;
    /// The cosine of the nearest window.
    pub(super) const SENTENCE: f32 = 0.6;
    /// The fused rank, of which the best there can be is 1.
    pub(super) const FUSED: f32 = 0.2;
    /// The best answer in the passage.
    pub(super) const ANSWER: f32 = 1.0;
    /// In the choice of the answer, the cosine of the sentence's window.
    pub(super) const ANSWER_SENTENCE: f32 = 0.6;
    /// A number where one is asked for.
    pub(super) const ANSWER_NUMBER: f32 = 0.2;
    /// What a second sentence must bring.
    pub(super) const ANSWER_LENGTH: f32 = 0.1;
    /// How much a word of the title or headings counts in a sentence that does not say it.
    pub(super) const SAID_BY_HEADING: f32 = 0.6;
    /// How much a word that is only like the one asked for counts at most.
    pub(super) const LIKE: f32 = 0.9;
}

/// The logistic regression behind the confidence: constant, nearest words, cosine. Fitted on thirty questions of a
/// household, each with the best passage of its document and of the others, and on ten that nothing answers; both
/// classes weigh the same.
const CALIBRATION: [f32; 3] = [-5.8, 7.5, 3.2];

/// The largest sum of reciprocal ranks: first in both rankings.
const MAX_FUSED: f32 = 2.0 / 61.0;

/// A word of the question.
pub(crate) struct QueryWord {
    /// Folded.
    pub(crate) text: String,
    /// As a term of the index.
    pub(crate) term: String,
    /// In how many passages it is.
    pub(crate) frequency: usize,
    weight: f32,
    product: Option<BitProduct>,
}

impl QueryWord {
    pub(crate) fn new(
        text: String,
        term: String,
        frequency: usize,
        passages: usize,
        vector: Option<&[f32]>,
    ) -> Self {
        let product = vector.map(BitProduct::new);
        Self { text, term, frequency, weight: weight(frequency, passages), product }
    }
}

/// The inverse document frequency, 0–1. A word that is nowhere weighs like one that is in a tenth of the passages: it may
/// be said in other words there, or not at all.
fn weight(frequency: usize, passages: usize) -> f32 {
    let passages = passages.max(1) as f32;
    let frequency = if frequency == 0 { passages * 0.1 } else { frequency as f32 };
    let idf = |frequency: f32| (1.0 + (passages - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln();
    (idf(frequency) / idf(1.0)).clamp(0.05, 1.0)
}

/// A question.
pub(crate) struct Query {
    /// Its vector.
    pub(crate) sentence: Vec<f32>,
    /// Its words that say something.
    pub(crate) words: Vec<QueryWord>,
    /// Whether a number would answer it.
    pub(crate) wants_number: bool,
}

/// A window of a candidate, compared with the question.
pub(crate) struct ScoredWindow {
    range: Range<usize>,
    cosine: f32,
    /// How near each indexed word is to each word of the question, `[indexed words, question words]`.
    nearness: Vec<f32>,
}

/// A passage that is reranked.
pub(crate) struct Candidate {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) heading: String,
    pub(crate) text: String,
    pub(crate) pages: String,
    pub(crate) start_byte: usize,
    pub(crate) end_byte: usize,
    /// Its sum of reciprocal ranks.
    pub(crate) fused: f32,
    pub(crate) windows: Vec<ScoredWindow>,
}

impl Candidate {
    /// Compares a window with the question, from its stored vectors.
    pub(crate) fn window(&mut self, query: &Query, range: Range<usize>, vector: &[u8], word_codes: &[u8]) {
        let bytes = code_bytes(query.sentence.len()).max(1);
        let mut nearness = Vec::with_capacity(word_codes.len() / bytes * query.words.len());
        for code in word_codes.chunks_exact(bytes) {
            nearness
                .extend(query.words.iter().map(|word| word.product.as_ref().map_or(0.0, |p| p.with(code))));
        }
        self.windows.push(ScoredWindow { range, cosine: cosine(&query.sentence, vector), nearness });
    }
}

/// What speaks for a passage, each 0–1; for calibration.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Signals {
    /// How near the words of the question are to the nearest of the passage, the mean weighted by rarity.
    pub near: f32,
    /// The share of the question's words that are in the passage, weighted the same.
    pub same: f32,
    /// The cosine of the question and the nearest window.
    pub cosine: f32,
    /// How near the words of the question are to those of the answer and the headings above it.
    pub answer: f32,
}

/// What came of a candidate.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Scores {
    pub(crate) score: f32,
    pub(crate) confidence: f32,
    pub(crate) signals: Signals,
    /// Bytes in the text.
    pub(crate) answer: Range<usize>,
}

/// Ranks candidates, the best first.
pub(crate) fn rerank(
    query: &Query,
    candidates: Vec<Candidate>,
    number_words: &[String],
) -> Vec<(Candidate, Scores)> {
    let mut ranked: Vec<(Candidate, Scores)> = candidates
        .into_iter()
        .map(|candidate| {
            let scores = score(query, &candidate, number_words);
            (candidate, scores)
        })
        .collect();
    ranked.sort_by(|one, other| other.1.score.total_cmp(&one.1.score));
    ranked
}

/// For each word of the question, the best that was found.
#[derive(Clone)]
struct Best {
    near: Vec<f32>,
    same: Vec<bool>,
}

impl Best {
    fn none(query: &Query) -> Self {
        Self { near: vec![0.0; query.words.len()], same: vec![false; query.words.len()] }
    }

    fn take(&mut self, word: &str, query: &Query, nearness: Option<&[f32]>) {
        for (at, asked) in query.words.iter().enumerate() {
            let is_same = is_same_word(&asked.text, word);
            let near = nearness.map_or(0.0, |all| all[at]).clamp(0.0, 1.0) * weights::LIKE;
            self.same[at] |= is_same;
            self.near[at] = self.near[at].max(if is_same { 1.0 } else { near });
        }
    }

    fn merge(&mut self, other: &Self, discount: f32) {
        for at in 0..self.near.len() {
            self.near[at] = self.near[at].max(other.near[at] * discount);
            self.same[at] |= other.same[at];
        }
    }

    /// The weighted means of nearness and of sameness.
    fn means(&self, query: &Query) -> (f32, f32) {
        let sum: f32 = query.words.iter().map(|word| word.weight).sum::<f32>().max(f32::MIN_POSITIVE);
        let mean = |value: &dyn Fn(usize) -> f32| {
            query.words.iter().enumerate().map(|(at, word)| word.weight * value(at)).sum::<f32>() / sum
        };
        (mean(&|at| self.near[at]), mean(&|at| f32::from(u8::from(self.same[at]))))
    }
}

fn score(query: &Query, candidate: &Candidate, number_words: &[String]) -> Scores {
    let ranges = sentences(&candidate.text);
    let mut of_sentences = vec![Best::none(query); ranges.len()];
    let mut of_context = Best::none(query);
    let context = crate::embedding::context(&candidate.title, &candidate.heading);
    let mut cosines = vec![0.0_f32; ranges.len()];
    let numbers: Vec<bool> = ranges
        .iter()
        .map(|range| query.wants_number && has_number(&candidate.text[range.clone()], number_words))
        .collect();
    let mut best_cosine = 0.0_f32;
    let mut reached = 0;
    for window in &candidate.windows {
        best_cosine = best_cosine.max(window.cosine);
        let is_context = window.range.end == 0;
        let text = if is_context { context.as_str() } else { &candidate.text[window.range.clone()] };
        let mut rows = window.nearness.chunks_exact(query.words.len().max(1));
        for (at, word) in words(text) {
            let row = if is_indexed(word) { rows.next() } else { continue };
            if is_context {
                of_context.take(&folded(word), query, row);
                continue;
            }
            let at = window.range.start + at;
            let sentence = ranges.partition_point(|range| range.end <= at);
            if let Some(best) = of_sentences.get_mut(sentence) {
                best.take(&folded(word), query, row);
                cosines[sentence] = cosines[sentence].max(window.cosine);
            }
        }
        reached = reached.max(window.range.end);
    }
    // What has no vectors yet is compared by its words.
    if candidate.windows.is_empty() {
        words(&context).for_each(|(_, word)| of_context.take(&folded(word), query, None));
    }
    for (range, best) in ranges.iter().zip(&mut of_sentences).filter(|(range, _)| range.start >= reached) {
        words(&candidate.text[range.clone()]).for_each(|(_, word)| best.take(&folded(word), query, None));
    }
    let mut whole = of_context.clone();
    of_sentences.iter().for_each(|best| whole.merge(best, 1.0));
    let (near, same) = whole.means(query);
    let fused = candidate.fused / MAX_FUSED;
    // What has no vectors yet is not put behind for it.
    let likeness = if candidate.windows.is_empty() { same } else { best_cosine };

    let (answer_score, near_answer, answer) =
        answer(query, &ranges, &of_sentences, &of_context, &cosines, &numbers);
    let signals = Signals { near, same, cosine: best_cosine, answer: near_answer };
    Scores {
        score: weights::ANSWER * answer_score
            + weights::WORDS * near
            + weights::SENTENCE * likeness
            + weights::FUSED * fused,
        confidence: confidence(signals),
        signals,
        answer,
    }
}

fn confidence(signals: Signals) -> f32 {
    let [constant, by_near, by_cosine] = CALIBRATION;
    let sum = constant + by_near * signals.near + by_cosine * signals.cosine;
    1.0 / (1.0 + (-sum).exp())
}

/// The sentence, or two in a row, that answer best; their score, how near their words are, and where they stand.
fn answer(
    query: &Query,
    ranges: &[Range<usize>],
    of_sentences: &[Best],
    of_context: &Best,
    cosines: &[f32],
    numbers: &[bool],
) -> (f32, f32, Range<usize>) {
    let mut best = (f32::NEG_INFINITY, 0.0, 0..0);
    for first in 0..ranges.len() {
        for last in first..ranges.len().min(first + 2) {
            let mut all = of_sentences[first].clone();
            all.merge(&of_sentences[last], 1.0);
            // What the headings say needs no saying again.
            all.merge(of_context, weights::SAID_BY_HEADING);
            let cosine = cosines[first].max(cosines[last]);
            let number = if numbers[first] || numbers[last] { weights::ANSWER_NUMBER } else { 0.0 };
            let length = if last > first { weights::ANSWER_LENGTH } else { 0.0 };
            let near = all.means(query).0;
            let score = near + number + weights::ANSWER_SENTENCE * cosine - length;
            if score > best.0 {
                best = (score, near, ranges[first].start..ranges[last].end);
            }
        }
    }
    best
}

/// Whether a number is said, in digits or words. The number of an item in a list is none.
fn has_number(text: &str, number_words: &[String]) -> bool {
    let is_item = |at: usize, word: &str| at == 0 && word.ends_with(['.', ')']);
    words(text).any(|(at, word)| {
        let has_digit = word.chars().any(|c| c.is_ascii_digit());
        has_digit && !is_item(at, word)
            || folded(word).split('-').any(|part| number_words.iter().any(|known| known == part))
    })
}
