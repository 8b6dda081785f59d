//! Prefix tree (trie) of the home's sentences in word pieces, expanded on demand by the beam search.

use super::super::grammar_dfa::{DfaState, GrammarDfa};
use super::tokeniser::{Token, Tokeniser, spellings};
use hark_core::ports::{Place, SpeechGrammar};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A place between two pieces.
pub(super) type NodeId = u32;

/// What follows a node.
#[derive(Debug, Clone, Default)]
pub(super) struct TreeNode {
    /// Next pieces of the word that is being said.
    pub(super) next: Vec<(Token, NodeId)>,
    /// The word that may end here, and the state it leads to.
    pub(super) word: Option<(u32, DfaState)>,
}

/// The tree.
pub(super) struct PrefixTree {
    dfa: GrammarDfa,
    tokens: Arc<Tokeniser>,
    nodes: Vec<TreeNode>,
    /// Where the next word begins, by state.
    roots: HashMap<DfaState, NodeId>,
    words: Vec<String>,
    word_numbers: HashMap<String, u32>,
}

impl PrefixTree {
    pub(super) fn new(grammar: Arc<dyn SpeechGrammar>, tokens: Arc<Tokeniser>) -> Self {
        Self {
            dfa: GrammarDfa::new(grammar),
            tokens,
            nodes: Vec::new(),
            roots: HashMap::new(),
            words: Vec::new(),
            word_numbers: HashMap::new(),
        }
    }

    pub(super) fn word(&self, number: u32) -> &str {
        &self.words[number as usize]
    }

    pub(super) fn node(&self, node: NodeId) -> &TreeNode {
        &self.nodes[node as usize]
    }

    pub(super) fn ends(&self, state: DfaState) -> bool {
        self.dfa.is_final(state)
    }

    /// The node where the next word begins.
    pub(super) fn root(&mut self, state: DfaState) -> NodeId {
        if let Some(root) = self.roots.get(&state) {
            return *root;
        }
        let mut followers: BTreeMap<String, Vec<Place>> = BTreeMap::new();
        self.dfa.transitions(state, &mut |word, to| followers.entry(word.to_owned()).or_default().push(to));
        let root = self.push_node();
        for (word, places) in followers {
            let to = self.dfa.state(places);
            let number = self.number(&word);
            for spelling in spellings(&word, state == GrammarDfa::START) {
                if let Some(tokens) = self.tokens.encode_word(&spelling) {
                    let end = tokens.iter().fold(root, |node, token| self.child(node, *token));
                    self.nodes[end as usize].word.get_or_insert((number, to));
                }
            }
        }
        self.roots.insert(state, root);
        root
    }

    fn push_node(&mut self) -> NodeId {
        self.nodes.push(TreeNode::default());
        self.nodes.len() as NodeId - 1
    }

    fn child(&mut self, node: NodeId, token: Token) -> NodeId {
        let known = self.nodes[node as usize].next.iter().find(|(next, _)| *next == token);
        if let Some((_, child)) = known {
            return *child;
        }
        let child = self.push_node();
        self.nodes[node as usize].next.push((token, child));
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
}

#[cfg(test)]
mod tests {
    use super::super::test_vocabulary::table;
    use super::*;
    use crate::stt::grammar::test_grammar::Sentences;

    fn tree(sentences: &[&str]) -> PrefixTree {
        let tokens = table(&["\u{2581}Turn", "\u{2581}on", "\u{2581}off", "\u{2581}light"]);
        PrefixTree::new(Arc::new(Sentences::new(sentences)), Arc::new(tokens))
    }

    /// Every sentence of the tree, as often as there are ways to write it.
    fn sentences(tree: &mut PrefixTree, node: NodeId, said: &[u32], all: &mut Vec<String>) {
        let TreeNode { next, word } = tree.node(node).clone();
        for (_, child) in next {
            sentences(tree, child, said, all);
        }
        if let Some((word, state)) = word {
            let said: Vec<u32> = said.iter().copied().chain([word]).collect();
            if tree.ends(state) {
                all.push(said.iter().map(|word| tree.word(*word)).collect::<Vec<_>>().join(" "));
            }
            let root = tree.root(state);
            sentences(tree, root, &said, all);
        }
    }

    #[test]
    fn its_ways_are_the_sentences_of_the_home() {
        let mut tree = tree(&["turn on", "turn off", "turn on light", "turn on lights"]);
        let root = tree.root(GrammarDfa::START);
        let mut all = Vec::new();
        sentences(&mut tree, root, &[], &mut all);
        all.sort();
        all.dedup();
        assert_eq!(all, ["turn off", "turn on", "turn on light", "turn on lights"]);
    }

    #[test]
    fn a_word_that_begins_another_ends_on_its_way() {
        let mut tree = tree(&["turn light", "turn lights"]);
        let mut node = tree.root(GrammarDfa::START);
        let mut ends = Vec::new();
        // There is one way only: each word begins where the one before it ends.
        loop {
            let TreeNode { next, word } = tree.node(node).clone();
            ends.push((word.map(|(word, _)| tree.word(word).to_owned()), next.len()));
            node = match (next.as_slice(), word) {
                ([(_, next), ..], _) => *next,
                ([], Some((_, state))) if !tree.ends(state) => tree.root(state),
                _ => break,
            };
        }
        let words: Vec<_> = ends.iter().filter_map(|(word, next)| Some((word.as_deref()?, *next))).collect();
        assert_eq!(words, [("turn", 0), ("light", 1), ("lights", 0)]);
    }

    #[test]
    fn words_the_table_cannot_spell_are_left_out() {
        let mut tree = tree(&["turn ünder"]);
        let root = tree.root(GrammarDfa::START);
        let mut all = Vec::new();
        sentences(&mut tree, root, &[], &mut all);
        assert!(all.is_empty(), "{all:?}");
    }
}
