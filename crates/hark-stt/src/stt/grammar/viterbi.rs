//! Viterbi beam search through the decoding graph: the most likely sentences of the home for the sound so far.
//!
//! Every path is a sentence that can be said to this home. PocketSphinx's trigram decoder also follows other word
//! sequences, which in noise or echo explain the sound slightly better than the right sentence, so that it is pruned.

use super::acoustic_model::{Phone, STATES};
use super::acoustic_scores::AcousticScores;
use super::decoding_graph::{DecodingGraph, GraphPhone};
use super::ngram::{LanguageModelScorer, Token};
use hark_core::Beginning;
use std::collections::HashMap;
use std::sync::Arc;

/// How the search weighs and prunes; scores are natural logs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViterbiTuning {
    /// Pronunciations this far behind the best are given up.
    pub beam: f32,
    /// Pronunciations that leave a word may lie this far behind.
    pub word_beam: f32,
    /// Phones searched at once; the beam narrows when there are more.
    pub max_active: usize,
    /// Score of a pause between words.
    pub pause: f32,
    /// Weight of the language model.
    pub language: f32,
}

/// A path to a state: its score and the words so far.
#[derive(Debug, Clone, Copy)]
struct PathScore {
    score: f32,
    /// Place in `back_pointers`.
    back_pointer: u32,
}

/// A word that has been said.
struct BackPointer {
    node: u32,
    before: u32,
}

const NONE: u32 = u32::MAX;
const DEAD_PATH: PathScore = PathScore { score: f32::NEG_INFINITY, back_pointer: NONE };

/// The search through a network.
pub(super) struct ViterbiSearch {
    graph: DecodingGraph,
    scorer: Arc<LanguageModelScorer>,
    tuning: ViterbiTuning,
    /// By unit: the paths to its states, and the one that comes in with the next frame.
    states: Vec<[PathScore; STATES]>,
    entry: Vec<PathScore>,
    listed: Vec<bool>,
    active: Vec<u32>,
    back_pointers: Vec<BackPointer>,
    /// By senone: the frame it was scored in last, and its score there.
    scores: Vec<(u32, f32)>,
    frame: u32,
}

impl ViterbiSearch {
    pub(super) fn new(
        graph: DecodingGraph,
        scorer: Arc<LanguageModelScorer>,
        senones: usize,
        tuning: ViterbiTuning,
    ) -> Self {
        Self {
            graph,
            scorer,
            tuning,
            states: Vec::new(),
            entry: Vec::new(),
            listed: Vec::new(),
            active: Vec::new(),
            back_pointers: Vec::new(),
            scores: vec![(NONE, 0.0); senones],
            frame: 0,
        }
    }

    /// Begins an utterance.
    pub(super) fn start(&mut self) {
        for unit in std::mem::take(&mut self.active) {
            self.states[unit as usize] = [DEAD_PATH; STATES];
            self.entry[unit as usize] = DEAD_PATH;
            self.listed[unit as usize] = false;
        }
        self.scores.fill((NONE, 0.0));
        self.back_pointers.clear();
        self.frame = 0;
        let path = PathScore { score: 0.0, back_pointer: NONE };
        let pause = self.graph.nodes[DecodingGraph::BEGIN as usize].pause;
        self.activate(pause, PathScore { score: self.tuning.pause, ..path });
        self.activate_successors(DecodingGraph::BEGIN, path, f32::NEG_INFINITY);
    }

    /// Searches the frames that have been scored since.
    pub(super) fn advance(&mut self, sound: &AcousticScores) {
        while (self.frame as usize) < sound.frames() {
            let best = self.propagate(sound);
            self.prune_and_exit_words(sound, best);
            self.frame += 1;
        }
    }

    /// Moves every path one frame on; gives the best score.
    fn propagate(&mut self, sound: &AcousticScores) -> f32 {
        let mut best = f32::NEG_INFINITY;
        for place in 0..self.active.len() {
            let number = self.active[place] as usize;
            let GraphPhone { senones, phone, .. } = self.graph.units[number];
            let transitions = sound.model().transitions(phone);
            let old = self.states[number];
            let mut from = std::mem::replace(&mut self.entry[number], DEAD_PATH);
            let mut new = [DEAD_PATH; STATES];
            for state in 0..STATES {
                if state > 0 {
                    from = PathScore {
                        score: old[state - 1].score + transitions[state - 1].go,
                        ..old[state - 1]
                    };
                }
                let stay = PathScore { score: old[state].score + transitions[state].stay, ..old[state] };
                let mut path = if stay.score >= from.score { stay } else { from };
                if path.score > f32::NEG_INFINITY {
                    path.score += self.senone(sound, phone, senones[state]);
                    best = best.max(path.score);
                }
                new[state] = path;
            }
            self.states[number] = new;
        }
        best
    }

    /// Gives up what is too far behind `best` and lets the rest leave for what follows.
    fn prune_and_exit_words(&mut self, sound: &AcousticScores, best: f32) {
        let ViterbiTuning { beam, word_beam, max_active, pause, .. } = self.tuning;
        let narrowing = max_active as f32 / self.active.len().max(1) as f32;
        let floor = best - beam * narrowing.clamp(0.4, 1.0);
        let mut kept = Vec::with_capacity(self.active.len());
        for unit in std::mem::take(&mut self.active) {
            if self.states[unit as usize].iter().any(|path| path.score > floor) {
                kept.push(unit);
            } else {
                self.states[unit as usize] = [DEAD_PATH; STATES];
                self.listed[unit as usize] = false;
            }
        }
        let count = kept.len();
        self.active = kept;
        for place in 0..count {
            let number = self.active[place];
            let GraphPhone { phone, node, last, pause: is_pause, .. } = self.graph.units[number as usize];
            let mut path = self.states[number as usize][STATES - 1];
            path.score += sound.model().transitions(phone)[STATES - 1].go;
            if path.score <= floor {
                continue;
            }
            if !last {
                self.activate(number + 1, path);
            } else if path.score > best - word_beam {
                if !is_pause {
                    path.back_pointer = self.push_back_pointer(node, path.back_pointer);
                    let entry = PathScore { score: path.score + pause, ..path };
                    self.activate(self.graph.nodes[node as usize].pause, entry);
                }
                self.activate_successors(node, path, best - word_beam);
            }
        }
    }

    /// Remembers a word that has been said.
    fn push_back_pointer(&mut self, node: u32, before: u32) -> u32 {
        self.back_pointers.push(BackPointer { node, before });
        self.back_pointers.len() as u32 - 1
    }

    fn activate_successors(&mut self, node: u32, path: PathScore, floor: f32) {
        let (before, last) = self.history(path.back_pointer);
        for next in self.graph.next(node).iter() {
            let word = &self.graph.nodes[*next as usize];
            let log = word.token.map_or(0.0, |token| self.scorer.trigram_log_prob(before, last, token));
            let score = path.score + self.tuning.language * log;
            if score > floor {
                for place in 0..self.graph.nodes[*next as usize].begins.len() {
                    let begin = self.graph.nodes[*next as usize].begins[place];
                    self.activate(begin, PathScore { score, ..path });
                }
            }
        }
    }

    /// The last two words before a back-pointer, as the language model calls them.
    fn history(&self, back_pointer: u32) -> (Option<Token>, Token) {
        let token = |back_pointer: u32| {
            let back_pointer = self.back_pointers.get(back_pointer as usize)?;
            Some((self.graph.nodes[back_pointer.node as usize].token?, back_pointer.before))
        };
        match token(back_pointer) {
            None => (None, LanguageModelScorer::START),
            Some((last, before)) => {
                (Some(token(before).map_or(LanguageModelScorer::START, |(token, _)| token)), last)
            }
        }
    }

    fn activate(&mut self, unit: u32, path: PathScore) {
        let size = self.graph.units.len();
        if self.states.len() < size {
            self.states.resize(size, [DEAD_PATH; STATES]);
            self.entry.resize(size, DEAD_PATH);
            self.listed.resize(size, false);
        }
        let entry = &mut self.entry[unit as usize];
        if path.score > entry.score {
            *entry = path;
        }
        if !std::mem::replace(&mut self.listed[unit as usize], true) {
            self.active.push(unit);
        }
    }

    fn senone(&mut self, sound: &AcousticScores, phone: Phone, senone: u16) -> f32 {
        let known = &mut self.scores[senone as usize];
        if known.0 != self.frame {
            *known = (self.frame, sound.best_density_score(self.frame as usize, phone, senone));
        }
        known.1
    }

    /// What the sound so far is likeliest the beginning of, whatever the language model makes of it: the less
    /// has been said, the more that would weigh.
    pub(super) fn best_prefix(&self, sound: &AcousticScores) -> Option<Beginning> {
        let paths = |unit: &u32| self.states[*unit as usize].map(|path| (*unit, path));
        let paths = self.active.iter().flat_map(paths).filter(|(_, path)| path.score > f32::NEG_INFINITY);
        let (unit, path) = paths.max_by(|a, b| a.1.score.total_cmp(&b.1.score))?;
        let mut said = self.trace_back(path.back_pointer);
        let GraphPhone { node, pause, .. } = self.graph.units[unit as usize];
        if !pause {
            said.push(node);
        }
        let (mut before, mut last, mut log) = (None, LanguageModelScorer::START, 0.0);
        for node in &said {
            (before, last) = match self.graph.nodes[*node as usize].token {
                Some(token) => {
                    log += self.scorer.trigram_log_prob(before, last, token);
                    (Some(last), token)
                }
                None => (None, LanguageModelScorer::START),
            };
        }
        let score = path.score - self.tuning.language * log;
        Some(Beginning { words: said.len(), gain: score - sound.phone_loop_score(0, self.frame as usize) })
    }

    /// The words before a back-pointer, as nodes.
    fn trace_back(&self, mut back_pointer: u32) -> Vec<u32> {
        let mut said = Vec::new();
        while let Some(BackPointer { node, before }) = self.back_pointers.get(back_pointer as usize) {
            said.push(*node);
            back_pointer = *before;
        }
        said.reverse();
        said
    }

    /// Up to `count` different sentences that have been said whole, best first, with their scores.
    pub(super) fn best(&self, sound: &AcousticScores, count: usize) -> Vec<(Vec<String>, f32)> {
        let mut found: HashMap<Vec<u32>, f32> = HashMap::new();
        for unit in &self.active {
            let GraphPhone { phone, node, last, pause, .. } = self.graph.units[*unit as usize];
            let path = self.states[*unit as usize][STATES - 1];
            if !last
                || node == DecodingGraph::BEGIN
                || path.score == f32::NEG_INFINITY
                || !self.graph.ends(node)
            {
                continue;
            }
            let said = self.trace_back(path.back_pointer).into_iter().chain((!pause).then_some(node));
            let words = said.map(|node| self.graph.nodes[node as usize].word).collect();
            let score = path.score + sound.model().transitions(phone)[STATES - 1].go;
            let known = found.entry(words).or_insert(score);
            *known = known.max(score);
        }
        let mut found: Vec<(Vec<u32>, f32)> = found.into_iter().collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        found.truncate(count);
        let spell = |words: Vec<u32>| words.iter().map(|word| self.graph.word(*word).to_owned()).collect();
        found.into_iter().map(|(words, score)| (spell(words), score)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::ngram::TrigramModel;
    use super::super::test_grammar::Sentences;
    use super::super::test_scores::{heard, model, pronunciations};
    use super::super::word_classes::WordClasses;
    use super::*;
    use crate::stt::grammar::acoustic_model::AcousticModel;

    const SAID: [&str; 4] = ["turn on", "turn off", "turn off please", "stop"];

    fn search(model: &Arc<AcousticModel>, sentences: &[&str]) -> ViterbiSearch {
        let split = |text: &&str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let list: Vec<Vec<String>> = sentences.iter().map(split).collect();
        let scorer = Arc::new(TrigramModel::train(&list, &WordClasses::default(), 1.0, 0.0).scorer(&[]));
        let grammar = Arc::new(Sentences::new(sentences));
        let graph =
            DecodingGraph::new(model.clone(), grammar, Arc::new(pronunciations(model)), scorer.clone());
        let tuning =
            ViterbiTuning { beam: 150.0, word_beam: 110.0, max_active: 8000, pause: -3.0, language: 6.0 };
        ViterbiSearch::new(graph, scorer, model.senone_count(), tuning)
    }

    fn found(search: &mut ViterbiSearch, sound: &AcousticScores) -> Vec<String> {
        search.start();
        search.advance(sound);
        search.best(sound, 10).into_iter().map(|(words, _)| words.join(" ")).collect()
    }

    #[test]
    fn what_was_said_is_found_first_and_each_sentence_once() {
        let model = model();
        let mut search = search(&model, &SAID);
        for said in SAID {
            let found = found(&mut search, &heard(&model, said));
            assert_eq!(found.first().map(String::as_str), Some(said), "{found:?}");
            let different: std::collections::HashSet<&String> = found.iter().collect();
            assert_eq!(different.len(), found.len(), "{found:?}");
        }
    }

    #[test]
    fn a_pause_between_words_is_no_obstacle() {
        let model = model();
        let mut search = search(&model, &SAID);
        let found = found(&mut search, &heard(&model, "turn - off - please"));
        assert_eq!(found[0], "turn off please");
    }

    #[test]
    fn only_whole_sentences_are_found_best_first_and_no_more_than_asked_for() {
        let model = model();
        let mut search = search(&model, &["turn on please", "turn off please"]);
        let sound = heard(&model, "turn off please");
        assert_eq!(found(&mut search, &sound)[0], "turn off please");
        let all = search.best(&sound, 10);
        assert!(all.windows(2).all(|pair| pair[0].1 >= pair[1].1));
        assert_eq!(search.best(&sound, 1).len(), 1);
        search.start();
        assert!(search.best(&sound, 10).is_empty(), "nothing has been said yet");
    }

    #[test]
    fn a_beginning_is_told_from_what_begins_nothing() {
        let model = model();
        let sound = heard(&model, "turn off");
        let [begun, whole, other] = ["turn off please", "turn off", "stop please"].map(|known| {
            let mut search = search(&model, &[known]);
            search.start();
            assert_eq!(search.best_prefix(&sound), None, "nothing has been said yet");
            search.advance(&sound);
            search.best_prefix(&sound).unwrap()
        });
        assert_eq!([begun.words, whole.words], [2, 2]);
        assert!(begun.gain > other.gain && whole.gain > other.gain, "{begun:?}, {whole:?}, {other:?}");
    }

    #[test]
    fn where_nothing_can_be_said_nothing_is_found() {
        let model = model();
        assert!(found(&mut search(&model, &[]), &heard(&model, "stop")).is_empty());
    }
}
