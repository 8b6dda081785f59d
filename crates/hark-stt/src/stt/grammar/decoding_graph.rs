//! The decoding graph: the sentences of the home as a graph of words and phones, expanded on demand by the Viterbi search.
//! A node is a word together with the grammar state it leads to; its phones are [`GraphPhone`]s.

use super::acoustic_model::{AcousticModel, Phone, Position, Senones};
use super::forced_alignment::Pronunciations;
use super::ngram::{LanguageModelScorer, Token};
use crate::stt::grammar_dfa::{DfaState, GrammarDfa};
use hark_core::ports::{Place, SpeechGrammar};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A phone of a word, or the pause after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct GraphPhone {
    pub(super) senones: Senones,
    pub(super) phone: Phone,
    /// The node it belongs to.
    pub(super) node: u32,
    /// Whether the word ends with it.
    pub(super) last: bool,
    pub(super) pause: bool,
}

/// A word on its way into a state.
#[derive(Debug)]
pub(super) struct Node {
    /// Number of the word.
    pub(super) word: u32,
    pub(super) state: u32,
    /// First phones of its pronunciations; the others follow.
    pub(super) begins: Vec<u32>,
    /// The pause after it.
    pub(super) pause: u32,
    /// What the language model calls it.
    pub(super) token: Option<Token>,
}

/// The network.
pub(super) struct DecodingGraph {
    model: Arc<AcousticModel>,
    pronunciations: Arc<HashMap<String, Pronunciations>>,
    scorer: Arc<LanguageModelScorer>,
    words: Vec<String>,
    word_numbers: HashMap<String, u32>,
    dfa: GrammarDfa,
    /// Nodes that follow a state, cached.
    followers: HashMap<DfaState, Arc<[u32]>>,
    pub(super) nodes: Vec<Node>,
    node_numbers: HashMap<(u32, u32), u32>,
    pub(super) units: Vec<GraphPhone>,
}

impl DecodingGraph {
    /// Number of the node before every sentence, a pause without a word.
    pub(super) const BEGIN: u32 = 0;

    /// A network that begins where the grammar does.
    pub(super) fn new(
        model: Arc<AcousticModel>,
        grammar: Arc<dyn SpeechGrammar>,
        pronunciations: Arc<HashMap<String, Pronunciations>>,
        scorer: Arc<LanguageModelScorer>,
    ) -> Self {
        let mut graph = Self {
            model,
            pronunciations,
            scorer,
            words: Vec::new(),
            word_numbers: HashMap::new(),
            dfa: GrammarDfa::new(grammar),
            followers: HashMap::new(),
            nodes: Vec::new(),
            node_numbers: HashMap::new(),
            units: Vec::new(),
        };
        graph.push_node(u32::MAX, GrammarDfa::START, None);
        graph
    }

    /// The word of a number.
    pub(super) fn word(&self, number: u32) -> &str {
        &self.words[number as usize]
    }

    /// Whether a sentence can end with a node.
    pub(super) fn ends(&self, node: u32) -> bool {
        self.dfa.is_final(self.nodes[node as usize].state)
    }

    /// Nodes that can follow a node.
    pub(super) fn next(&mut self, node: u32) -> Arc<[u32]> {
        let before = self.nodes[node as usize].word;
        let state = self.nodes[node as usize].state;
        if let Some(next) = self.followers.get(&state) {
            return next.clone();
        }
        let mut followers: BTreeMap<u32, Vec<Place>> = BTreeMap::new();
        let (words, numbers, pronunciations) =
            (&mut self.words, &mut self.word_numbers, &self.pronunciations);
        self.dfa.transitions(state, &mut |word, to| {
            if let Some(number) = number(words, numbers, pronunciations, word) {
                followers.entry(number).or_default().push(to);
            }
        });
        let mut next = Vec::with_capacity(followers.len());
        for (word, places) in followers {
            let state = self.dfa.state(places);
            next.push(self.node(word, state, before));
        }
        let next: Arc<[u32]> = next.into();
        self.followers.insert(state, next.clone());
        next
    }

    fn node(&mut self, word: u32, state: u32, before: u32) -> u32 {
        if let Some(number) = self.node_numbers.get(&(word, state)) {
            return *number;
        }
        let token = self.scorer.token(&self.words[word as usize]);
        let number = self.push_node(word, state, token);
        self.node_numbers.insert((word, state), number);
        let model = self.model.clone();
        let pronunciations = self.pronunciations.clone();
        let said = |word: u32| pronunciations.get(self.words.get(word as usize)?);
        // The neighbour on the way that was found first stands for all; the second look is exact.
        let before = said(before)
            .and_then(|pronunciations| pronunciations.first()?.last())
            .copied()
            .unwrap_or(model.silence);
        let no_pronunciations = Pronunciations::new();
        for phones in said(word).unwrap_or(&no_pronunciations).iter().filter(|phones| !phones.is_empty()) {
            let first = self.units.len() as u32;
            self.nodes[number as usize].begins.push(first);
            for (place, phone) in phones.iter().enumerate() {
                let last = place + 1 == phones.len();
                let position = match (place == 0, last) {
                    (true, true) => Position::Alone,
                    (true, false) => Position::Begin,
                    (false, true) => Position::End,
                    (false, false) => Position::Inside,
                };
                let left = place.checked_sub(1).map_or(before, |left| phones[left]);
                let right = phones.get(place + 1).copied().unwrap_or(model.silence);
                let senones = model.triphone(*phone, position, left, right);
                self.units.push(GraphPhone { senones, phone: *phone, node: number, last, pause: false });
            }
        }
        number
    }

    fn push_node(&mut self, word: u32, state: u32, token: Option<Token>) -> u32 {
        let node = self.nodes.len() as u32;
        let phone = self.model.silence;
        let pause = self.units.len() as u32;
        self.units.push(GraphPhone { senones: self.model.base(phone), phone, node, last: true, pause: true });
        self.nodes.push(Node { word, state, begins: Vec::new(), pause, token });
        node
    }
}

/// Number of a word; `None` without a pronunciation.
fn number(
    words: &mut Vec<String>,
    numbers: &mut HashMap<String, u32>,
    pronunciations: &HashMap<String, Pronunciations>,
    word: &str,
) -> Option<u32> {
    if let Some(number) = numbers.get(word) {
        return Some(*number);
    }
    pronunciations.get(word).filter(|pronunciations| !pronunciations.is_empty())?;
    let number = words.len() as u32;
    words.push(word.to_owned());
    numbers.insert(word.to_owned(), number);
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stt::grammar::ngram::TrigramModel;
    use crate::stt::grammar::test_grammar::Sentences;
    use crate::stt::grammar::word_classes::WordClasses;
    use std::path::Path;

    fn graph(sentences: &[&str]) -> DecodingGraph {
        let model = AcousticModel::load(Path::new("/usr/share/pocketsphinx/model/en-us/en-us")).unwrap();
        let split = |text: &&str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let list: Vec<Vec<String>> = sentences.iter().map(split).collect();
        let scorer = TrigramModel::train(&list, &WordClasses::default(), 1.0, 0.0).scorer(&[]);
        let sounds =
            [("turn", "T ER N"), ("on", "AA N"), ("off", "AO F"), ("the", "DH AH"), ("lamp", "L AE M P")];
        let phones = |text: &str| text.split(' ').map(|name| model.phone(name).unwrap()).collect();
        let mut pronunciations: HashMap<String, Pronunciations> =
            sounds.iter().map(|(word, sounds)| ((*word).to_owned(), vec![phones(sounds)])).collect();
        pronunciations.entry("the".to_owned()).or_default().push(phones("DH IY"));
        let grammar = Arc::new(Sentences::new(sentences));
        DecodingGraph::new(Arc::new(model), grammar, Arc::new(pronunciations), Arc::new(scorer))
    }

    /// Every sentence of the network.
    fn sentences(graph: &mut DecodingGraph, node: u32, said: &str, all: &mut Vec<String>) {
        for next in graph.next(node).iter() {
            let word = graph.word(graph.nodes[*next as usize].word).to_owned();
            let said = if said.is_empty() { word } else { format!("{said} {word}") };
            if graph.ends(*next) {
                all.push(said.clone());
            }
            sentences(graph, *next, &said, all);
        }
    }

    #[test]
    fn its_ways_are_the_sentences_that_can_be_pronounced() {
        let mut graph = graph(&["turn on the lamp", "turn off the lamp", "turn on", "turn on the xyzzy"]);
        let mut all = Vec::new();
        sentences(&mut graph, DecodingGraph::BEGIN, "", &mut all);
        all.sort();
        assert_eq!(all, ["turn off the lamp", "turn on", "turn on the lamp"]);
        assert_eq!(graph.next(DecodingGraph::BEGIN).len(), 1, "sentences share their beginning");
    }

    #[test]
    fn a_word_has_the_phones_of_all_its_pronunciations_and_a_pause() {
        let mut graph = graph(&["the lamp"]);
        let the = graph.next(DecodingGraph::BEGIN)[0];
        let Node { begins, pause, .. } = &graph.nodes[the as usize];
        assert_eq!(begins.len(), 2);
        for begin in begins {
            let (first, second) = (graph.units[*begin as usize], graph.units[*begin as usize + 1]);
            assert!(!first.last && second.last && !first.pause && first.node == the);
        }
        assert!(graph.units[*pause as usize].pause);
    }

    #[test]
    fn nothing_follows_where_nothing_can_be_said() {
        assert!(graph(&[]).next(DecodingGraph::BEGIN).is_empty());
    }
}
