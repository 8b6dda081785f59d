//! The words that were possible, as a graph, and its best sentences.
//!
//! PocketSphinx has an n-best walk of its own, but this version scores pauses inside a sentence as
//! impossible words, so every sentence with a pause in it comes out behind nonsense without one. Here
//! pauses and noises are walked through without asking the language model.

use super::ngram::{Scorer, Token};
use std::cmp::Ordering;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::hash::{Hash, Hasher};

/// Nepers in one unit of the decoder's scores: 1024 × ln 1.0001.
pub(super) const NEPERS_PER_UNIT: f32 = 0.102_395;

/// A word beginning at a frame.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    /// Base word; fillers in `<>` or `[]`.
    pub(super) word: String,
    /// First frame.
    pub(super) start: i32,
    /// What can follow.
    pub(super) exits: Vec<Exit>,
}

/// The step from a word to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Exit {
    /// Place of the next node.
    pub(super) to: usize,
    /// Acoustic score of the word that is left, fillers with their penalty.
    pub(super) acoustic: f32,
}

/// A graph of words.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lattice {
    pub(super) nodes: Vec<Node>,
}

/// A sentence of the graph.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hypothesis {
    /// Words without fillers.
    pub(super) words: Vec<String>,
    /// Log score in decoder units; higher is better.
    pub(super) score: f32,
}

/// How the language model counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Weights {
    /// Factor on its logs.
    pub(super) language: f32,
    /// Probability of every word.
    pub(super) word_insertion: f32,
}

/// What a node is to the language model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Word(Token),
    /// A pause, a noise, or a word the model does not know.
    Filler,
}

/// A sentence begun.
struct Path {
    node: usize,
    before: Option<Token>,
    last: Token,
    score: f32,
    /// Hash of the words so far.
    words: u64,
    parent: usize,
}

/// An entry of the queue: the hoped-for score of a path.
struct Hope {
    score: f32,
    path: usize,
}

impl PartialEq for Hope {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Hope {}
impl PartialOrd for Hope {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Hope {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.path.cmp(&self.path))
    }
}

impl Lattice {
    /// Up to `count` different sentences, best first (A*, with the best rest by acoustic and bigram
    /// scores as estimate). Gives up after a bounded number of steps.
    pub(super) fn best(&self, count: usize, scorer: &Scorer, weights: &Weights) -> Vec<Hypothesis> {
        const STEPS: usize = 60_000;
        const SAME_WORDS: u8 = 3;
        let roles: Vec<Role> = self.nodes.iter().map(|node| role(&node.word, scorer)).collect();
        let Some(begin) = self
            .nodes
            .iter()
            .position(|node| node.word == "<s>" && node.start == 0 && !node.exits.is_empty())
        else {
            return Vec::new();
        };
        let cost = |log: f32| (weights.language * log + weights.word_insertion.ln()) / NEPERS_PER_UNIT;
        let rest = self.best_rest(&roles, scorer, &cost);
        let mut paths = vec![Path {
            node: begin,
            before: None,
            last: Scorer::START,
            score: 0.0,
            words: 0,
            parent: usize::MAX,
        }];
        let mut queue = BinaryHeap::from([Hope { score: rest[begin], path: 0 }]);
        let mut visits: HashMap<(u64, usize), u8> = HashMap::new();
        let mut done = HashSet::new();
        let mut found = Vec::new();
        for _ in 0..STEPS {
            let Some(Hope { path: place, .. }) = queue.pop() else { break };
            let (node, words) = (paths[place].node, paths[place].words);
            if self.nodes[node].exits.is_empty() {
                if done.insert(words) {
                    found.push(self.sentence(&paths, place, &roles));
                }
                if found.len() >= count {
                    break;
                }
                continue;
            }
            let visit = visits
                .entry((words, if roles[node] == Role::Filler { node } else { usize::MAX }))
                .or_default();
            if *visit >= SAME_WORDS {
                continue;
            }
            *visit += 1;
            for exit in &self.nodes[node].exits {
                let from = &paths[place];
                if rest[exit.to] == f32::NEG_INFINITY {
                    continue;
                }
                let mut next = Path {
                    node: exit.to,
                    before: from.before,
                    last: from.last,
                    score: from.score + exit.acoustic,
                    words: from.words,
                    parent: place,
                };
                if let Role::Word(token) = roles[exit.to] {
                    next.score += cost(scorer.trigram(from.before, from.last, token));
                    next.before = Some(from.last);
                    next.last = token;
                    if token != Scorer::END {
                        next.words = extend_hash(from.words, &self.nodes[exit.to].word);
                    }
                }
                queue.push(Hope { score: next.score + rest[exit.to], path: paths.len() });
                paths.push(next);
            }
        }
        found
    }

    /// Best score from each node to an end, by acoustic and bigram scores.
    fn best_rest(&self, roles: &[Role], scorer: &Scorer, cost: &impl Fn(f32) -> f32) -> Vec<f32> {
        let last = self.nodes.iter().map(|node| node.start).max().unwrap_or(0);
        let mut rest: Vec<f32> = self
            .nodes
            .iter()
            .map(|node| if node.exits.is_empty() && node.start + 1 >= last { 0.0 } else { f32::NEG_INFINITY })
            .collect();
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|place| std::cmp::Reverse(self.nodes[*place].start));
        for place in order {
            for exit in &self.nodes[place].exits {
                let language = match (roles[place], roles[exit.to]) {
                    (Role::Word(from), Role::Word(to)) => cost(scorer.bigram(from, to)),
                    (Role::Filler, Role::Word(_)) | (_, Role::Filler) => 0.0,
                };
                rest[place] = rest[place].max(exit.acoustic + language + rest[exit.to]);
            }
        }
        rest
    }

    fn sentence(&self, paths: &[Path], place: usize, roles: &[Role]) -> Hypothesis {
        let mut words = Vec::new();
        let mut at = place;
        while let Some(path) = paths.get(at) {
            let real = matches!(roles[path.node], Role::Word(token) if token != Scorer::START && token != Scorer::END);
            if real {
                words.push(self.nodes[path.node].word.clone());
            }
            at = path.parent;
        }
        words.reverse();
        Hypothesis { words, score: paths[place].score }
    }
}

fn role(word: &str, scorer: &Scorer) -> Role {
    match scorer.token(word) {
        Some(token) => Role::Word(token),
        None => Role::Filler,
    }
}

fn extend_hash(words: u64, word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    word.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::super::classes::Classes;
    use super::super::ngram::TrigramModel;
    use super::*;

    fn scorer() -> Scorer {
        let sentences: Vec<Vec<String>> = ["turn on the lamp", "turn off the lamp", "stop"]
            .map(|text| text.split(' ').map(str::to_owned).collect())
            .to_vec();
        TrigramModel::train(&sentences, &Classes::default(), 1.0, 0.0).scorer(&[])
    }

    /// Word, first frame, and the exits with their scores.
    type Short<'a> = (&'a str, i32, &'a [(usize, f32)]);

    fn lattice(nodes: &[Short<'_>]) -> Lattice {
        let node = |(word, start, exits): &Short<'_>| Node {
            word: (*word).to_owned(),
            start: *start,
            exits: exits.iter().map(|(to, acoustic)| Exit { to: *to, acoustic: *acoustic }).collect(),
        };
        Lattice { nodes: nodes.iter().map(node).collect() }
    }

    fn best(lattice: &Lattice, count: usize) -> Vec<(String, f32)> {
        let weights = Weights { language: 5.0, word_insertion: 1.0 };
        let found = lattice.best(count, &scorer(), &weights);
        found.into_iter().map(|found| (found.words.join(" "), found.score)).collect()
    }

    #[test]
    fn a_pause_inside_a_sentence_costs_only_its_sound() {
        let with_pause = lattice(&[
            ("<s>", 0, &[(1, -10.0)]),
            ("turn", 5, &[(2, -20.0), (3, -20.0)]),
            ("<sil>", 20, &[(3, -5.0)]),
            ("on", 30, &[(4, -20.0)]),
            ("the", 40, &[(5, -20.0)]),
            ("lamp", 50, &[(6, -20.0)]),
            ("</s>", 90, &[]),
        ]);
        let without = best(
            &lattice(&[
                ("<s>", 0, &[(1, -10.0)]),
                ("turn", 5, &[(2, -20.0)]),
                ("on", 30, &[(3, -20.0)]),
                ("the", 40, &[(4, -20.0)]),
                ("lamp", 50, &[(5, -20.0)]),
                ("</s>", 90, &[]),
            ]),
            5,
        );
        let found = best(&with_pause, 5);
        assert_eq!(found, without, "the way without the pause is as good, and each sentence comes once");
        let mut only_pause = with_pause;
        only_pause.nodes[1].exits.remove(1);
        let found = best(&only_pause, 5);
        assert_eq!(found[0].0, "turn on the lamp");
        assert!((found[0].1 - (without[0].1 - 5.0)).abs() < 1e-3);
    }

    #[test]
    fn sentences_come_best_first_and_no_more_than_asked_for() {
        let lattice = lattice(&[
            ("<s>", 0, &[(1, -10.0), (6, -10.0)]),
            ("turn", 5, &[(2, -20.0), (3, -24.0)]),
            ("on", 30, &[(4, -20.0)]),
            ("off", 30, &[(4, -20.0)]),
            ("the", 40, &[(5, -20.0)]),
            ("lamp", 50, &[(7, -20.0)]),
            ("stop", 5, &[(7, -200.0)]),
            ("</s>", 90, &[]),
        ]);
        let found = best(&lattice, 10);
        let words: Vec<&str> = found.iter().map(|(words, _)| words.as_str()).collect();
        assert_eq!(words, ["turn on the lamp", "turn off the lamp", "stop"]);
        assert!(found.windows(2).all(|pair| pair[0].1 >= pair[1].1));
        assert_eq!(best(&lattice, 1).len(), 1);
    }

    #[test]
    fn a_graph_without_begin_or_way_out_has_no_sentences() {
        assert!(best(&lattice(&[]), 5).is_empty());
        assert!(best(&lattice(&[("turn", 5, &[])]), 5).is_empty());
        assert!(
            best(&lattice(&[("<s>", 0, &[(1, -1.0)]), ("turn", 3, &[]), ("</s>", 90, &[])]), 5).is_empty()
        );
    }
}
