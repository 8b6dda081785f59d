//! Two beam searches in the same runs of Moonshine's decoder: over the sentences of the home, and without a grammar. Scores
//! are natural logs of probabilities. Runs on the thread `hark-moonshine`.

use super::super::grammar_dfa::GrammarDfa;
use super::prefix_tree::{NodeId, PrefixTree};
use super::tokeniser::{Token, Tokeniser};
use hark_core::SAMPLE_RATE_HZ;
use hark_models::moonshine_sessions::{DecoderCache, EncodedAudio, Logits, MoonshineModel};
use hark_models::onnx::OnnxError;
use std::sync::atomic::{AtomicBool, Ordering};

/// Hypotheses that are kept at each step.
const BEAM_WIDTH: usize = 8;
/// Hypotheses are pruned this far behind the best one, and this far behind the best whole sentence: scores only fall.
const BEAM: f32 = 14.0;
const BEAM_BEHIND_SENTENCE: f32 = 7.0;
/// Sentences that are told.
const MAX_SENTENCES: usize = 8;
/// Words of the longest beginning that is told.
const MAX_PREFIX_WORDS: usize = 4;
/// Hypotheses without a grammar that are kept at each step, and how far the last of them is behind the best.
const FREE_BEAM_WIDTH: usize = 6;
const FREE_BEAM: f32 = 2.5;
/// Most free texts in a result.
const MAX_FREE: usize = 5;
/// Word pieces a person says in a second, at most; and those of the shortest utterance.
const MAX_PIECES_PER_SECOND: f32 = 6.5;
const MIN_PIECES: usize = 8;

/// A sentence of the home that may have been said.
#[derive(Debug, Clone, PartialEq)]
pub struct SentenceHypothesis {
    /// In spoken form.
    pub words: Vec<String>,
    pub score: f32,
}

/// The beginning of a sentence of the home that an utterance may begin with.
#[derive(Debug, Clone, PartialEq)]
pub struct PrefixHypothesis {
    /// In spoken form.
    pub words: Vec<String>,
    /// Natural log by which it is less likely than as many pieces of what the model says when it is free.
    pub gap: f32,
}

/// What an utterance was found to be.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MoonshineResult {
    /// Sentences of the home, likeliest first.
    pub sentences: Vec<SentenceHypothesis>,
    /// The likeliest beginnings of one, two … words.
    pub prefixes: Vec<PrefixHypothesis>,
    /// What the model says when it is free, likeliest first, each with other words.
    pub free: Vec<FreeHypothesis>,
}

/// Words that may have been said, whether or not they are a sentence of the home.
#[derive(Debug, Clone, PartialEq)]
pub struct FreeHypothesis {
    /// In written form.
    pub text: String,
    pub score: f32,
    /// Its word pieces, the end among them.
    pub pieces: usize,
}

/// A beginning of a sentence.
#[derive(Clone, Copy)]
struct Hypothesis {
    score: f32,
    node: NodeId,
    /// Its words: place in `back_pointers`, `NONE` before the first.
    back_pointer: u32,
    token: Token,
    /// Its row in the model's last run.
    row: usize,
}

/// A word that has been said whole.
struct BackPointer {
    word: u32,
    before: u32,
}

const NONE: u32 = u32::MAX;

/// An utterance the model has heard, ready to be asked about.
pub(super) struct EncodedUtterance {
    encoded: EncodedAudio,
    /// After the beginning of a sentence, before its first piece.
    prompt_cache: DecoderCache,
    first: Logits,
    seconds: f32,
}

impl EncodedUtterance {
    /// Hears mono samples at 16 kHz.
    pub(super) fn new(model: &mut MoonshineModel, samples: &[f32]) -> Result<Self, OnnxError> {
        let seconds = samples.len() as f32 / SAMPLE_RATE_HZ as f32;
        let encoded = model.encode(samples)?;
        let (prompt_cache, first) = model.begin(&encoded, Tokeniser::BEGIN)?;
        Ok(Self { encoded, prompt_cache, first, seconds })
    }

    /// Searches; `None` when `stop` was set.
    pub(super) fn search(
        &self,
        model: &mut MoonshineModel,
        tree: &mut PrefixTree,
        tokens: &Tokeniser,
        stop: &AtomicBool,
    ) -> Result<Option<MoonshineResult>, OnnxError> {
        let mut search = BeamSearch::new(tree, tokens);
        let mut cache = model.copy(&self.prompt_cache)?;
        let longest = (self.seconds * MAX_PIECES_PER_SECOND) as usize + MIN_PIECES;
        let mut rows = search.advance(&self.first);
        for _ in 0..longest {
            if rows.is_empty() {
                break;
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let logits = model.step(&self.encoded, &mut cache, &rows)?;
            rows = search.advance(&logits);
        }
        Ok(Some(search.into_result()))
    }

    /// How likely the model finds each of some sentences; `None` for one it cannot spell.
    pub(super) fn score(
        &self,
        model: &mut MoonshineModel,
        tokens: &Tokeniser,
        sentences: &[Vec<String>],
    ) -> Result<Vec<Option<f32>>, OnnxError> {
        let spelt: Vec<Option<Vec<Token>>> = sentences.iter().map(|words| tokens.encode(words)).collect();
        let rows: Vec<&[Token]> = spelt.iter().flatten().map(Vec::as_slice).collect();
        if rows.is_empty() {
            return Ok(vec![None; sentences.len()]);
        }
        let mut cache = model.copy(&self.prompt_cache)?;
        let logits = model.decode_rows(&self.encoded, &mut cache, &rows)?;
        let mut scores = rows.iter().enumerate().map(|(place, row)| {
            let mut before = self.first.row(0);
            let mut score = 0.0;
            for (at, token) in row.iter().enumerate() {
                score += before[*token as usize] - log_sum_exp(before);
                before = logits.at(place, at);
            }
            score + end_log_prob(before, log_sum_exp(before), tokens)
        });
        Ok(spelt.iter().map(|row| row.as_ref().and_then(|_| scores.next())).collect())
    }
}

/// A search under hypothesis.
struct BeamSearch<'s> {
    tree: &'s mut PrefixTree,
    tokens: &'s Tokeniser,
    hypotheses: Vec<Hypothesis>,
    back_pointers: Vec<BackPointer>,
    /// Whole sentences.
    done: Vec<(f32, u32)>,
    best_done: f32,
    /// The likeliest beginnings of one, two … words, with their gaps.
    prefixes: [Option<(f32, u32)>; MAX_PREFIX_WORDS],
    /// The free hypotheses that go on, likeliest first.
    free: Vec<FreeBeginning>,
    /// Those that are whole.
    free_done: Vec<FreeBeginning>,
    /// The best free score after as many pieces as the hypotheses have.
    free_so_far: f32,
}

/// What the model may say when it is free.
#[derive(Clone)]
struct FreeBeginning {
    score: f32,
    pieces: Vec<Token>,
    /// Its row in the model's last run.
    row: usize,
}

impl<'s> BeamSearch<'s> {
    fn new(tree: &'s mut PrefixTree, tokens: &'s Tokeniser) -> Self {
        let node = tree.root(GrammarDfa::START);
        let hypothesis = Hypothesis { score: 0.0, node, back_pointer: NONE, token: Tokeniser::BEGIN, row: 0 };
        Self {
            tree,
            tokens,
            hypotheses: vec![hypothesis],
            back_pointers: Vec::new(),
            done: Vec::new(),
            best_done: f32::NEG_INFINITY,
            prefixes: [None; MAX_PREFIX_WORDS],
            free: vec![FreeBeginning { score: 0.0, pieces: Vec::new(), row: 0 }],
            free_done: Vec::new(),
            free_so_far: 0.0,
        }
    }

    /// Moves every hypothesis one piece on; gives the rows of the model's next run.
    fn advance(&mut self, logits: &Logits) -> Vec<(usize, Token)> {
        self.free_so_far = self.best_free();
        let mut rows = self.free_step(logits);
        let mut next = Vec::new();
        for hypothesis in std::mem::take(&mut self.hypotheses) {
            let row = logits.row(hypothesis.row);
            let total = log_sum_exp(row);
            let mut go = |back_pointer: u32, pieces: &[(Token, NodeId)]| {
                next.extend(pieces.iter().map(|(token, node)| Hypothesis {
                    score: hypothesis.score + row[*token as usize] - total,
                    node: *node,
                    back_pointer,
                    token: *token,
                    row: hypothesis.row,
                }));
            };
            go(hypothesis.back_pointer, &self.tree.node(hypothesis.node).next);
            let Some((word, state)) = self.tree.node(hypothesis.node).word else { continue };
            self.back_pointers.push(BackPointer { word, before: hypothesis.back_pointer });
            let back_pointer = self.back_pointers.len() as u32 - 1;
            self.note_prefix(back_pointer, self.free_so_far - hypothesis.score);
            if self.tree.ends(state) {
                let score = hypothesis.score + end_log_prob(row, total, self.tokens);
                self.done.push((score, back_pointer));
                self.best_done = self.best_done.max(score);
            }
            let root = self.tree.root(state);
            go(back_pointer, &self.tree.node(root).next);
        }
        next.sort_by(|a, b| b.score.total_cmp(&a.score));
        next.truncate(BEAM_WIDTH);
        let best = next.first().map_or(0.0, |hypothesis| hypothesis.score);
        let floor = (best - BEAM).max(self.best_done - BEAM_BEHIND_SENTENCE);
        next.retain(|hypothesis| hypothesis.score > floor);
        for hypothesis in &mut next {
            rows.push((hypothesis.row, hypothesis.token));
            hypothesis.row = rows.len() - 1;
        }
        self.hypotheses = next;
        rows
    }

    /// Keeps a beginning if it is the likeliest of its length.
    fn note_prefix(&mut self, back_pointer: u32, gap: f32) {
        let before =
            |back_pointer: &u32| self.back_pointers.get(*back_pointer as usize).map(|said| said.before);
        let words = std::iter::successors(Some(back_pointer), before)
            .filter(|back_pointer| *back_pointer != NONE)
            .count();
        let Some(prefix) = self.prefixes.get_mut(words - 1) else { return };
        if prefix.is_none_or(|(known, _)| gap < known) {
            *prefix = Some((gap, back_pointer));
        }
    }

    /// The score of the likeliest free hypothesis.
    fn best_free(&self) -> f32 {
        let all = self.free.iter().chain(&self.free_done);
        all.map(|one| one.score).fold(f32::NEG_INFINITY, f32::max)
    }

    /// Lets the model say its next piece freely; gives the rows of its next run.
    fn free_step(&mut self, logits: &Logits) -> Vec<(usize, Token)> {
        let mut next = Vec::new();
        for (from, begun) in self.free.iter().enumerate() {
            let row = logits.row(begun.row);
            let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let likely = (0..row.len()).filter(|token| row[*token] > most - FREE_BEAM);
            let total = log_sum_exp(row);
            next.extend(likely.map(|token| (begun.score + row[token] - total, from, token as Token)));
        }
        next.sort_by(|a, b| b.0.total_cmp(&a.0));
        next.truncate(FREE_BEAM_WIDTH);
        let best = next.first().map_or(f32::NEG_INFINITY, |(score, ..)| *score);
        let best = self.free_done.iter().map(|done| done.score).fold(best, f32::max);
        let mut rows = Vec::new();
        let mut going_on = Vec::new();
        for (score, from, token) in next.into_iter().filter(|(score, ..)| *score > best - FREE_BEAM) {
            let FreeBeginning { pieces, row, .. } = &self.free[from];
            let (mut pieces, row) = (pieces.clone(), *row);
            pieces.push(token);
            if token == Tokeniser::END {
                self.free_done.push(FreeBeginning { score, pieces, row });
            } else {
                going_on.push(FreeBeginning { score, pieces, row: rows.len() });
                rows.push((row, token));
            }
        }
        self.free = going_on;
        rows
    }

    fn into_result(mut self) -> MoonshineResult {
        self.done.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut sentences: Vec<SentenceHypothesis> = Vec::new();
        for (score, back_pointer) in &self.done {
            let words = self.words(*back_pointer);
            if sentences.len() < MAX_SENTENCES && sentences.iter().all(|found| found.words != words) {
                sentences.push(SentenceHypothesis { words, score: *score });
            }
        }
        let prefixes = self.prefixes.iter().map_while(|prefix| *prefix);
        let prefixes = prefixes
            .map(|(gap, back_pointer)| PrefixHypothesis { words: self.words(back_pointer), gap })
            .collect();
        MoonshineResult { sentences, prefixes, free: self.free_hypotheses() }
    }

    /// The likeliest free hypotheses; of those with the same words the first.
    fn free_hypotheses(&mut self) -> Vec<FreeHypothesis> {
        // Where the model did not come to an end, what it has said until then.
        let mut all =
            std::mem::take(if self.free_done.is_empty() { &mut self.free } else { &mut self.free_done });
        all.sort_by(|a, b| b.score.total_cmp(&a.score));
        let mut known = Vec::new();
        let mut told = Vec::new();
        for FreeBeginning { score, pieces, .. } in all {
            let said = pieces.strip_suffix(&[Tokeniser::END]).unwrap_or(&pieces);
            let text = without_additions(&self.tokens.decode(said));
            let is_sounded = |c: &char| !c.is_ascii_punctuation() || *c == '\'';
            let words: String = text.to_lowercase().chars().filter(is_sounded).collect();
            if told.len() < MAX_FREE && !known.contains(&words) {
                known.push(words);
                told.push(FreeHypothesis { text, score, pieces: pieces.len() });
            }
        }
        told
    }

    fn words(&self, mut back_pointer: u32) -> Vec<String> {
        let mut words = Vec::new();
        while let Some(said) = self.back_pointers.get(back_pointer as usize) {
            words.push(self.tree.word(said.word).to_owned());
            back_pointer = said.before;
        }
        words.reverse();
        words
    }
}

/// How likely a sentence ends after a row, with a mark or without.
fn end_log_prob(row: &[f32], total: f32, tokens: &Tokeniser) -> f32 {
    tokens.ends().iter().map(|end| (row[*end as usize] - total).exp()).sum::<f32>().ln()
}

/// Natural log of the sum of the exponentials.
fn log_sum_exp(row: &[f32]) -> f32 {
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    most + row.iter().map(|value| (value - most).exp()).sum::<f32>().ln()
}

/// The text without what the model adds to some: quotation marks around it, and a list number at its beginning, "*3.* Radiator
/// up to 21 until 3."
fn without_additions(text: &str) -> String {
    let text = text.trim_matches(['"', '\'']);
    let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
    match behind.strip_prefix(". ") {
        Some(item) if behind.len() < text.len() && item.starts_with(char::is_uppercase) => item.to_owned(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotation_marks_and_the_number_of_a_list_are_no_part_of_what_was_said() {
        for (written, said) in [
            ("3. Radiator up to 21 until 3.", "Radiator up to 21 until 3."),
            ("10. Wake me at 6.", "Wake me at 6."),
            ("3.5 degrees more.", "3.5 degrees more."),
            ("20. percent", "20. percent"),
            ("21.", "21."),
            ("Turn it on. Now.", "Turn it on. Now."),
            (". A", ". A"),
            ("\"'Blinds up mum's room.'", "Blinds up mum's room."),
        ] {
            assert_eq!(without_additions(written), said);
        }
    }
}
