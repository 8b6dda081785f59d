//! The search for the sentences of the home that fit the sound.
//!
//! Every way through the network is something that can be said to this home; nothing else can win a
//! frame. That is what the decoder cannot do: its words follow one another freely, and in noise or echo
//! free words explain the sound a little better than the right sentence, which is then given up.

use super::acoustic::{Phone, STATES};
use super::net::{Net, Unit};
use super::ngram::{Scorer, Token};
use super::sound::Sound;
use hark_core::Beginning;
use std::collections::HashMap;
use std::sync::Arc;

/// How the search weighs and prunes; scores are natural logs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NetTuning {
    /// Ways this far behind the best are given up.
    pub beam: f32,
    /// Ways that leave a word may lie this far behind.
    pub word_beam: f32,
    /// Phones searched at once; the beam narrows when there are more.
    pub most_active: usize,
    /// Score of a pause between words.
    pub pause: f32,
    /// Weight of the language model.
    pub language: f32,
}

/// A way to a state: its score and the words so far.
#[derive(Debug, Clone, Copy)]
struct Way {
    score: f32,
    /// Place in `traces`.
    trace: u32,
}

/// A word that has been said.
struct Trace {
    node: u32,
    before: u32,
}

const NONE: u32 = u32::MAX;
const NOWHERE: Way = Way { score: f32::NEG_INFINITY, trace: NONE };

/// The search through a network.
pub(super) struct NetSearch {
    net: Net,
    scorer: Arc<Scorer>,
    tuning: NetTuning,
    /// By unit: the ways to its states, and the one that comes in with the next frame.
    states: Vec<[Way; STATES]>,
    entry: Vec<Way>,
    listed: Vec<bool>,
    active: Vec<u32>,
    traces: Vec<Trace>,
    /// By senone: the frame it was scored in last, and its score there.
    scores: Vec<(u32, f32)>,
    frame: u32,
}

impl NetSearch {
    pub(super) fn new(net: Net, scorer: Arc<Scorer>, senones: usize, tuning: NetTuning) -> Self {
        Self {
            net,
            scorer,
            tuning,
            states: Vec::new(),
            entry: Vec::new(),
            listed: Vec::new(),
            active: Vec::new(),
            traces: Vec::new(),
            scores: vec![(NONE, 0.0); senones],
            frame: 0,
        }
    }

    /// Begins an utterance.
    pub(super) fn start(&mut self) {
        for unit in std::mem::take(&mut self.active) {
            self.states[unit as usize] = [NOWHERE; STATES];
            self.entry[unit as usize] = NOWHERE;
            self.listed[unit as usize] = false;
        }
        self.scores.fill((NONE, 0.0));
        self.traces.clear();
        self.frame = 0;
        let way = Way { score: 0.0, trace: NONE };
        let pause = self.net.nodes[Net::BEGIN as usize].pause;
        self.enter(pause, Way { score: self.tuning.pause, ..way });
        self.enter_next(Net::BEGIN, way, f32::NEG_INFINITY);
    }

    /// Searches the frames that have been scored since.
    pub(super) fn follow(&mut self, sound: &Sound) {
        while (self.frame as usize) < sound.frames() {
            let best = self.step(sound);
            self.leave(sound, best);
            self.frame += 1;
        }
    }

    /// Moves every way one frame on; gives the best score.
    fn step(&mut self, sound: &Sound) -> f32 {
        let mut best = f32::NEG_INFINITY;
        for place in 0..self.active.len() {
            let number = self.active[place] as usize;
            let Unit { senones, phone, .. } = self.net.units[number];
            let steps = sound.model().steps(phone);
            let old = self.states[number];
            let mut from = std::mem::replace(&mut self.entry[number], NOWHERE);
            let mut new = [NOWHERE; STATES];
            for state in 0..STATES {
                if state > 0 {
                    from = Way { score: old[state - 1].score + steps[state - 1].go, ..old[state - 1] };
                }
                let stay = Way { score: old[state].score + steps[state].stay, ..old[state] };
                let mut way = if stay.score >= from.score { stay } else { from };
                if way.score > f32::NEG_INFINITY {
                    way.score += self.senone(sound, phone, senones[state]);
                    best = best.max(way.score);
                }
                new[state] = way;
            }
            self.states[number] = new;
        }
        best
    }

    /// Gives up what is too far behind `best` and lets the rest leave for what follows.
    fn leave(&mut self, sound: &Sound, best: f32) {
        let NetTuning { beam, word_beam, most_active, pause, .. } = self.tuning;
        let crowd = most_active as f32 / self.active.len().max(1) as f32;
        let floor = best - beam * crowd.clamp(0.4, 1.0);
        let mut kept = Vec::with_capacity(self.active.len());
        for unit in std::mem::take(&mut self.active) {
            if self.states[unit as usize].iter().any(|way| way.score > floor) {
                kept.push(unit);
            } else {
                self.states[unit as usize] = [NOWHERE; STATES];
                self.listed[unit as usize] = false;
            }
        }
        let count = kept.len();
        self.active = kept;
        for place in 0..count {
            let number = self.active[place];
            let Unit { phone, node, last, pause: is_pause, .. } = self.net.units[number as usize];
            let mut way = self.states[number as usize][STATES - 1];
            way.score += sound.model().steps(phone)[STATES - 1].go;
            if way.score <= floor {
                continue;
            }
            if !last {
                self.enter(number + 1, way);
            } else if way.score > best - word_beam {
                if !is_pause {
                    way.trace = self.said(node, way.trace);
                    let entry = Way { score: way.score + pause, ..way };
                    self.enter(self.net.nodes[node as usize].pause, entry);
                }
                self.enter_next(node, way, best - word_beam);
            }
        }
    }

    /// Remembers a word that has been said.
    fn said(&mut self, node: u32, before: u32) -> u32 {
        self.traces.push(Trace { node, before });
        self.traces.len() as u32 - 1
    }

    fn enter_next(&mut self, node: u32, way: Way, floor: f32) {
        let (before, last) = self.history(way.trace);
        for next in self.net.next(node).iter() {
            let word = &self.net.nodes[*next as usize];
            let log = word.token.map_or(0.0, |token| self.scorer.trigram(before, last, token));
            let score = way.score + self.tuning.language * log;
            if score > floor {
                for place in 0..self.net.nodes[*next as usize].begins.len() {
                    let begin = self.net.nodes[*next as usize].begins[place];
                    self.enter(begin, Way { score, ..way });
                }
            }
        }
    }

    /// The last two words of a trace, as the language model calls them.
    fn history(&self, trace: u32) -> (Option<Token>, Token) {
        let token = |trace: u32| {
            let trace = self.traces.get(trace as usize)?;
            Some((self.net.nodes[trace.node as usize].token?, trace.before))
        };
        match token(trace) {
            None => (None, Scorer::START),
            Some((last, before)) => (Some(token(before).map_or(Scorer::START, |(token, _)| token)), last),
        }
    }

    fn enter(&mut self, unit: u32, way: Way) {
        let size = self.net.units.len();
        if self.states.len() < size {
            self.states.resize(size, [NOWHERE; STATES]);
            self.entry.resize(size, NOWHERE);
            self.listed.resize(size, false);
        }
        let entry = &mut self.entry[unit as usize];
        if way.score > entry.score {
            *entry = way;
        }
        if !std::mem::replace(&mut self.listed[unit as usize], true) {
            self.active.push(unit);
        }
    }

    fn senone(&mut self, sound: &Sound, phone: Phone, senone: u16) -> f32 {
        let known = &mut self.scores[senone as usize];
        if known.0 != self.frame {
            *known = (self.frame, sound.nearly_senone(self.frame as usize, phone, senone));
        }
        known.1
    }

    /// What the sound so far is likeliest the beginning of, whatever the language model makes of it: the less
    /// has been said, the more that would weigh.
    pub(super) fn beginning(&self, sound: &Sound) -> Option<Beginning> {
        let ways = |unit: &u32| self.states[*unit as usize].map(|way| (*unit, way));
        let ways = self.active.iter().flat_map(ways).filter(|(_, way)| way.score > f32::NEG_INFINITY);
        let (unit, way) = ways.max_by(|a, b| a.1.score.total_cmp(&b.1.score))?;
        let mut said = self.said_before(way.trace);
        let Unit { node, pause, .. } = self.net.units[unit as usize];
        if !pause {
            said.push(node);
        }
        let (mut before, mut last, mut log) = (None, Scorer::START, 0.0);
        for node in &said {
            (before, last) = match self.net.nodes[*node as usize].token {
                Some(token) => {
                    log += self.scorer.trigram(before, last, token);
                    (Some(last), token)
                }
                None => (None, Scorer::START),
            };
        }
        let score = way.score - self.tuning.language * log;
        Some(Beginning { words: said.len(), gain: score - sound.anything(0, self.frame as usize) })
    }

    /// The words of a trace, as nodes.
    fn said_before(&self, mut trace: u32) -> Vec<u32> {
        let mut said = Vec::new();
        while let Some(Trace { node, before }) = self.traces.get(trace as usize) {
            said.push(*node);
            trace = *before;
        }
        said.reverse();
        said
    }

    /// Up to `count` different sentences that have been said whole, best first, with their scores.
    pub(super) fn best(&self, sound: &Sound, count: usize) -> Vec<(Vec<String>, f32)> {
        let mut found: HashMap<Vec<u32>, f32> = HashMap::new();
        for unit in &self.active {
            let Unit { phone, node, last, pause, .. } = self.net.units[*unit as usize];
            let way = self.states[*unit as usize][STATES - 1];
            if !last || node == Net::BEGIN || way.score == f32::NEG_INFINITY || !self.net.ends(node) {
                continue;
            }
            let said = self.said_before(way.trace).into_iter().chain((!pause).then_some(node));
            let words = said.map(|node| self.net.nodes[node as usize].word).collect();
            let score = way.score + sound.model().steps(phone)[STATES - 1].go;
            let known = found.entry(words).or_insert(score);
            *known = known.max(score);
        }
        let mut found: Vec<(Vec<u32>, f32)> = found.into_iter().collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        found.truncate(count);
        let spell = |words: Vec<u32>| words.iter().map(|word| self.net.word(*word).to_owned()).collect();
        found.into_iter().map(|(words, score)| (spell(words), score)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::classes::Classes;
    use super::super::ngram::TrigramModel;
    use super::super::test_grammar::Sentences;
    use super::super::test_sound::{heard, model, ways};
    use super::*;
    use crate::stt::grammar::acoustic::AcousticModel;

    const SAID: [&str; 4] = ["turn on", "turn off", "turn off please", "stop"];

    fn search(model: &Arc<AcousticModel>, sentences: &[&str]) -> NetSearch {
        let split = |text: &&str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let list: Vec<Vec<String>> = sentences.iter().map(split).collect();
        let scorer = Arc::new(TrigramModel::train(&list, &Classes::default(), 1.0, 0.0).scorer(&[]));
        let grammar = Arc::new(Sentences::new(sentences));
        let net = Net::new(model.clone(), grammar, Arc::new(ways(model)), scorer.clone());
        let tuning =
            NetTuning { beam: 150.0, word_beam: 110.0, most_active: 8000, pause: -3.0, language: 6.0 };
        NetSearch::new(net, scorer, model.senone_count(), tuning)
    }

    fn found(search: &mut NetSearch, sound: &Sound) -> Vec<String> {
        search.start();
        search.follow(sound);
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
            assert_eq!(search.beginning(&sound), None, "nothing has been said yet");
            search.follow(&sound);
            search.beginning(&sound).unwrap()
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
