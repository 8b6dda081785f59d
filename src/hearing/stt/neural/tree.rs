//! The sentences of the home as a tree of word pieces, made as far as the search comes.

use super::tokens::{Token, Tokens, spellings};
use crate::domain::ports::{Place, SpeechGrammar};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A place between two pieces.
pub(super) type Node = u32;

/// What follows a node.
#[derive(Debug, Clone, Default)]
pub(super) struct Branch {
    /// Next pieces of the word that is being said.
    pub(super) next: Vec<(Token, Node)>,
    /// The word that may end here, and the state it leads to.
    pub(super) word: Option<(u32, u32)>,
}

/// A set of places of the grammar.
struct State {
    places: Vec<Place>,
    ends: bool,
    root: Option<Node>,
}

/// The tree.
pub(super) struct Tree {
    grammar: Arc<dyn SpeechGrammar>,
    tokens: Arc<Tokens>,
    branches: Vec<Branch>,
    states: Vec<State>,
    state_numbers: HashMap<Vec<Place>, u32>,
    words: Vec<String>,
    word_numbers: HashMap<String, u32>,
}

impl Tree {
    /// Number of the state before every sentence.
    pub(super) const START: u32 = 0;

    pub(super) fn new(grammar: Arc<dyn SpeechGrammar>, tokens: Arc<Tokens>) -> Self {
        let places: Vec<Place> = grammar.first().into_iter().collect();
        let mut tree = Self {
            grammar,
            tokens,
            branches: Vec::new(),
            states: Vec::new(),
            state_numbers: HashMap::new(),
            words: Vec::new(),
            word_numbers: HashMap::new(),
        };
        tree.state(places);
        tree
    }

    pub(super) fn word(&self, number: u32) -> &str {
        &self.words[number as usize]
    }

    pub(super) fn branch(&self, node: Node) -> &Branch {
        &self.branches[node as usize]
    }

    pub(super) fn ends(&self, state: u32) -> bool {
        self.states[state as usize].ends
    }

    /// The node where the next word begins.
    pub(super) fn root(&mut self, state: u32) -> Node {
        if let Some(root) = self.states[state as usize].root {
            return root;
        }
        let mut followers: BTreeMap<String, Vec<Place>> = BTreeMap::new();
        let grammar = self.grammar.clone();
        for place in &self.states[state as usize].places {
            grammar.follow(*place, &mut |word, to| {
                followers.entry(word.to_owned()).or_default().push(to);
            });
        }
        let root = self.grow();
        for (word, mut places) in followers {
            places.sort_unstable();
            places.dedup();
            let to = self.state(places);
            let number = self.number(&word);
            for spelling in spellings(&word, state == Self::START) {
                if let Some(tokens) = self.tokens.spell(&spelling) {
                    let end = tokens.iter().fold(root, |node, token| self.child(node, *token));
                    self.branches[end as usize].word.get_or_insert((number, to));
                }
            }
        }
        self.states[state as usize].root = Some(root);
        root
    }

    fn grow(&mut self) -> Node {
        self.branches.push(Branch::default());
        self.branches.len() as Node - 1
    }

    fn child(&mut self, node: Node, token: Token) -> Node {
        let known = self.branches[node as usize].next.iter().find(|(next, _)| *next == token);
        if let Some((_, child)) = known {
            return *child;
        }
        let child = self.grow();
        self.branches[node as usize].next.push((token, child));
        child
    }

    fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.word_numbers.get(word) {
            return *number;
        }
        let number = self.words.len() as u32;
        self.words.push(word.to_owned());
        self.word_numbers.insert(word.to_owned(), number);
        number
    }

    fn state(&mut self, places: Vec<Place>) -> u32 {
        if let Some(number) = self.state_numbers.get(&places) {
            return *number;
        }
        let number = self.states.len() as u32;
        let ends = places.iter().any(|place| self.grammar.ends(*place));
        self.states.push(State { places: places.clone(), ends, root: None });
        self.state_numbers.insert(places, number);
        number
    }
}
