//! The search for the sentence of the home that a speech model finds likeliest and, in the same runs, for
//! what it would say if it were free. Scores are natural logs of probabilities.

use super::super::states::States;
use super::tokens::{Token, Tokens};
use super::tree::{Node, Tree};
use hark_core::SAMPLE_RATE_HZ;
use hark_models::onnx::OnnxError;
use hark_models::speech::{Decoding, Encoded, Logits, SpeechModel};
use std::sync::atomic::{AtomicBool, Ordering};

/// Ways that are followed at once.
const WAYS: usize = 8;
/// Ways this far behind the best way are given up, and this far behind the best whole sentence: they only
/// become less likely.
const BEAM: f32 = 14.0;
const BEAM_BEHIND_SENTENCE: f32 = 7.0;
/// Sentences that are told.
const MOST_FOUND: usize = 8;
/// Words of the longest beginning that is told.
const LONGEST_OPENING: usize = 4;
/// Word pieces a person says in a second, at most; and those of the shortest utterance.
const PIECES_PER_SECOND: f32 = 6.5;
const LEAST_PIECES: usize = 8;

/// A sentence of the home that may have been said.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// In spoken form.
    pub words: Vec<String>,
    pub score: f32,
}

/// The beginning of a sentence of the home that an utterance may begin with.
#[derive(Debug, Clone, PartialEq)]
pub struct Opening {
    /// In spoken form.
    pub words: Vec<String>,
    /// Natural log by which it is less likely than as many pieces of what the model says when it is free.
    pub gap: f32,
}

/// What an utterance was found to be.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Finding {
    /// Sentences of the home, likeliest first.
    pub sentences: Vec<Found>,
    /// The likeliest beginnings of one, two … words.
    pub openings: Vec<Opening>,
    /// What the model says when it is free, in written form.
    pub free: String,
    pub free_score: f32,
    /// Word pieces of `free`, its end among them.
    pub free_pieces: usize,
}

/// A beginning of a sentence.
#[derive(Clone, Copy)]
struct Way {
    score: f32,
    node: Node,
    /// Its words: place in `traces`, `NONE` before the first.
    trace: u32,
    token: Token,
    /// Its row in the model's last run.
    row: usize,
}

/// A word that has been said whole.
struct Trace {
    word: u32,
    before: u32,
}

const NONE: u32 = u32::MAX;

/// An utterance the model has heard, ready to be asked about.
pub(super) struct Heard {
    encoded: Encoded,
    /// After the beginning of a sentence, before its first piece.
    opened: Decoding,
    first: Logits,
    seconds: f32,
}

impl Heard {
    /// Hears mono samples at 16 kHz.
    pub(super) fn new(model: &mut SpeechModel, samples: &[f32]) -> Result<Self, OnnxError> {
        let seconds = samples.len() as f32 / SAMPLE_RATE_HZ as f32;
        let encoded = model.encode(samples)?;
        let (opened, first) = model.begin(&encoded, Tokens::BEGIN)?;
        Ok(Self { encoded, opened, first, seconds })
    }

    /// Searches; `None` when `stop` was set.
    pub(super) fn search(
        &self,
        model: &mut SpeechModel,
        tree: &mut Tree,
        tokens: &Tokens,
        stop: &AtomicBool,
    ) -> Result<Option<Finding>, OnnxError> {
        let mut search = Search::new(tree, tokens);
        let mut decoding = model.copy(&self.opened)?;
        let longest = (self.seconds * PIECES_PER_SECOND) as usize + LEAST_PIECES;
        let mut rows = search.step(&self.first);
        for _ in 0..longest {
            if rows.is_empty() {
                break;
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let logits = model.step(&self.encoded, &mut decoding, &rows)?;
            rows = search.step(&logits);
        }
        Ok(Some(search.finding()))
    }

    /// How likely the model finds each of some sentences; `None` for one it cannot spell.
    pub(super) fn score(
        &self,
        model: &mut SpeechModel,
        tokens: &Tokens,
        sentences: &[Vec<String>],
    ) -> Result<Vec<Option<f32>>, OnnxError> {
        let spelt: Vec<Option<Vec<Token>>> = sentences.iter().map(|words| tokens.sentence(words)).collect();
        let rows: Vec<&[Token]> = spelt.iter().flatten().map(Vec::as_slice).collect();
        if rows.is_empty() {
            return Ok(vec![None; sentences.len()]);
        }
        let mut decoding = model.copy(&self.opened)?;
        let logits = model.rows(&self.encoded, &mut decoding, &rows)?;
        let mut scores = rows.iter().enumerate().map(|(place, row)| {
            let mut before = self.first.row(0);
            let mut score = 0.0;
            for (at, token) in row.iter().enumerate() {
                score += before[*token as usize] - total(before);
                before = logits.at(place, at);
            }
            score + ending(before, total(before), tokens)
        });
        Ok(spelt.iter().map(|row| row.as_ref().and_then(|_| scores.next())).collect())
    }
}

/// A search under way.
struct Search<'s> {
    tree: &'s mut Tree,
    tokens: &'s Tokens,
    ways: Vec<Way>,
    traces: Vec<Trace>,
    /// Whole sentences.
    done: Vec<(f32, u32)>,
    best_done: f32,
    /// The likeliest beginnings of one, two … words, with their gaps.
    openings: [Option<(f32, u32)>; LONGEST_OPENING],
    /// The free row in the model's last run, while it speaks.
    free_row: Option<usize>,
    free: Vec<Token>,
    free_score: f32,
    free_pieces: usize,
    /// The free score after as many pieces as the ways have.
    free_so_far: f32,
}

impl<'s> Search<'s> {
    fn new(tree: &'s mut Tree, tokens: &'s Tokens) -> Self {
        let node = tree.root(States::START);
        let way = Way { score: 0.0, node, trace: NONE, token: Tokens::BEGIN, row: 0 };
        Self {
            tree,
            tokens,
            ways: vec![way],
            traces: Vec::new(),
            done: Vec::new(),
            best_done: f32::NEG_INFINITY,
            openings: [None; LONGEST_OPENING],
            free_row: Some(0),
            free: Vec::new(),
            free_score: 0.0,
            free_pieces: 0,
            free_so_far: 0.0,
        }
    }

    /// Moves every way one piece on; gives the rows of the model's next run.
    fn step(&mut self, logits: &Logits) -> Vec<(usize, Token)> {
        self.free_so_far = self.free_score;
        let mut rows: Vec<(usize, Token)> = self.speak(logits).into_iter().collect();
        let mut next = Vec::new();
        for way in std::mem::take(&mut self.ways) {
            let row = logits.row(way.row);
            let total = total(row);
            let mut go = |trace: u32, pieces: &[(Token, Node)]| {
                next.extend(pieces.iter().map(|(token, node)| Way {
                    score: way.score + row[*token as usize] - total,
                    node: *node,
                    trace,
                    token: *token,
                    row: way.row,
                }));
            };
            go(way.trace, &self.tree.branch(way.node).next);
            let Some((word, state)) = self.tree.branch(way.node).word else { continue };
            self.traces.push(Trace { word, before: way.trace });
            let trace = self.traces.len() as u32 - 1;
            self.open(trace, self.free_so_far - way.score);
            if self.tree.ends(state) {
                let score = way.score + ending(row, total, self.tokens);
                self.done.push((score, trace));
                self.best_done = self.best_done.max(score);
            }
            let root = self.tree.root(state);
            go(trace, &self.tree.branch(root).next);
        }
        next.sort_by(|a, b| b.score.total_cmp(&a.score));
        next.truncate(WAYS);
        let best = next.first().map_or(0.0, |way| way.score);
        let floor = (best - BEAM).max(self.best_done - BEAM_BEHIND_SENTENCE);
        next.retain(|way| way.score > floor);
        for way in &mut next {
            rows.push((way.row, way.token));
            way.row = rows.len() - 1;
        }
        self.ways = next;
        rows
    }

    /// Keeps a beginning if it is the likeliest of its length.
    fn open(&mut self, trace: u32, gap: f32) {
        let before = |trace: &u32| self.traces.get(*trace as usize).map(|said| said.before);
        let words = std::iter::successors(Some(trace), before).filter(|trace| *trace != NONE).count();
        let Some(opening) = self.openings.get_mut(words - 1) else { return };
        if opening.is_none_or(|(known, _)| gap < known) {
            *opening = Some((gap, trace));
        }
    }

    /// Lets the model say its next piece freely; gives its row, which is the first.
    fn speak(&mut self, logits: &Logits) -> Option<(usize, Token)> {
        let from = self.free_row.take()?;
        let row = logits.row(from);
        let token = (0..row.len()).max_by(|a, b| row[*a].total_cmp(&row[*b]))?;
        self.free_score += row[token] - total(row);
        self.free_pieces += 1;
        let token = token as Token;
        if token == Tokens::END {
            return None;
        }
        self.free.push(token);
        self.free_row = Some(0);
        Some((from, token))
    }

    fn finding(mut self) -> Finding {
        self.done.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut sentences: Vec<Found> = Vec::new();
        for (score, trace) in &self.done {
            let words = self.words(*trace);
            if sentences.len() < MOST_FOUND && sentences.iter().all(|found| found.words != words) {
                sentences.push(Found { words, score: *score });
            }
        }
        let openings = self.openings.iter().map_while(|opening| *opening);
        let openings = openings.map(|(gap, trace)| Opening { words: self.words(trace), gap }).collect();
        Finding {
            sentences,
            openings,
            free: self.tokens.text(&self.free),
            free_score: self.free_score,
            free_pieces: self.free_pieces,
        }
    }

    fn words(&self, mut trace: u32) -> Vec<String> {
        let mut words = Vec::new();
        while let Some(said) = self.traces.get(trace as usize) {
            words.push(self.tree.word(said.word).to_owned());
            trace = said.before;
        }
        words.reverse();
        words
    }
}

/// How likely a sentence ends after a row, with a mark or without.
fn ending(row: &[f32], total: f32, tokens: &Tokens) -> f32 {
    tokens.ends().iter().map(|end| (row[*end as usize] - total).exp()).sum::<f32>().ln()
}

/// Natural log of the sum of the exponentials.
fn total(row: &[f32]) -> f32 {
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    most + row.iter().map(|value| (value - most).exp()).sum::<f32>().ln()
}
