//! Second step of compiling: a network whose arcs are whole words and lists.

use super::pieces::{Piece, Pieces, SlotId};
use super::views::{ViewBuilder, ViewId};
use super::words::{QuickHasher, WordId};
use crate::understanding::sentences::model::Ruled;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

/// A node of the network.
pub type NodeId = u32;

/// A template of the grammar.
pub type TemplateId = u32;

/// A place between two words of one template.
#[derive(Debug, Default)]
pub struct Node {
    /// Next words, sorted; a word may lead to several nodes.
    pub words: Vec<(WordId, NodeId)>,
    /// Next lists.
    pub views: Vec<(ViewId, SlotId, NodeId)>,
    /// Next words of any kind.
    pub any: Vec<(SlotId, NodeId)>,
    /// Next words that are parsed by rule.
    pub ruled: Vec<(Ruled, SlotId, NodeId)>,
    /// Next words of what is only said aloud, in place of a rule; the parser does not go there.
    pub spoken_words: Vec<(WordId, NodeId)>,
    /// Next lists of what is only said aloud.
    pub spoken_views: Vec<(ViewId, SlotId, NodeId)>,
    /// The template whose sentence may end here.
    pub end_of: Option<TemplateId>,
}

impl Node {
    /// Next words of what people say aloud.
    pub fn said_words(&self) -> impl Iterator<Item = (WordId, NodeId)> {
        self.words.iter().chain(&self.spoken_words).copied()
    }

    /// Next lists of what people say aloud.
    pub fn said_views(&self) -> impl Iterator<Item = (ViewId, SlotId, NodeId)> {
        self.views.iter().chain(&self.spoken_views).copied()
    }
}

/// All templates. Nodes of different templates are different.
#[derive(Debug, Default)]
pub struct Network {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// First node of each template.
    pub starts: Vec<NodeId>,
    /// Whether people say a template's sentences aloud, by template.
    pub spoken: Vec<bool>,
}

/// What hangs together without a blank so far.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Glue {
    /// Nothing: a word begins here.
    Boundary,
    /// Pieces of text; and whether they are only said aloud.
    Text(String, bool),
    /// A list value, with what is hung on to it; and whether it is only said aloud.
    List(ViewId, SlotId, String, bool),
}

/// A place in the piece graph with what hangs together there.
type Key = (usize, Glue);

/// Adds the templates one by one.
pub struct NetworkBuilder<'b> {
    /// What was made.
    pub network: &'b mut Network,
    /// Where endings are hung on to lists.
    pub views: &'b mut ViewBuilder,
}

impl Network {
    /// First nodes of the templates that people say aloud.
    pub fn spoken_starts(&self) -> impl Iterator<Item = NodeId> {
        self.starts.iter().zip(&self.spoken).filter(|(_, spoken)| **spoken).map(|(start, _)| *start)
    }
}

impl NetworkBuilder<'_> {
    /// Adds a template; `spoken` says whether its sentences are said aloud.
    pub fn add(&mut self, pieces: &Pieces, spoken: bool) {
        let template = self.network.starts.len() as TemplateId;
        self.network.spoken.push(spoken);
        let mut known: HashMap<Key, NodeId> = HashMap::new();
        let mut todo = Vec::new();
        let start = self.node(&mut known, &mut todo, (0, Glue::Boundary));
        self.network.starts.push(start);
        while let Some((key, id)) = todo.pop() {
            let mut seen: HashSet<Key, BuildHasherDefault<QuickHasher>> = HashSet::default();
            let mut stack = vec![key];
            while let Some((at, glue)) = stack.pop() {
                if !seen.insert((at, glue.clone())) {
                    continue;
                }
                if at == pieces.end {
                    if glue == Glue::Boundary {
                        self.network.nodes[id as usize].end_of = Some(template);
                    } else {
                        self.flush(&mut known, &mut todo, &mut stack, id, &glue, (at, Glue::Boundary));
                    }
                }
                let said = pieces.is_speech(at);
                for (piece, to) in pieces.arcs[at].iter().rev() {
                    self.follow(&mut known, &mut todo, &mut stack, id, (at, &glue), (piece, *to, said));
                }
            }
            let node = &mut self.network.nodes[id as usize];
            node.words.sort_unstable();
            node.words.dedup();
            node.views.sort_unstable();
            node.views.dedup();
            node.any.sort_unstable();
            node.any.dedup();
            node.ruled.sort_unstable();
            node.ruled.dedup();
            node.spoken_words.sort_unstable();
            node.spoken_words.dedup();
            node.spoken_views.sort_unstable();
            node.spoken_views.dedup();
        }
    }

    fn node(&mut self, known: &mut HashMap<Key, NodeId>, todo: &mut Vec<(Key, NodeId)>, key: Key) -> NodeId {
        if let Some(id) = known.get(&key) {
            return *id;
        }
        let id = self.network.nodes.len() as NodeId;
        self.network.nodes.push(Node::default());
        known.insert(key.clone(), id);
        todo.push((key, id));
        id
    }

    /// Walks one arc of the piece graph; what becomes a whole word or list becomes an arc of `id`.
    fn follow(
        &mut self,
        known: &mut HashMap<Key, NodeId>,
        todo: &mut Vec<(Key, NodeId)>,
        stack: &mut Vec<Key>,
        id: NodeId,
        (at, glue): (usize, &Glue),
        (piece, to, said): (&Piece, usize, bool),
    ) {
        match (piece, glue) {
            (Piece::Nothing, _) => stack.push((to, glue.clone())),
            (Piece::Blank, Glue::Boundary) => stack.push((to, Glue::Boundary)),
            (Piece::Blank, _) => self.flush(known, todo, stack, id, glue, (to, Glue::Boundary)),
            (Piece::Text(more), Glue::Boundary) => stack.push((to, Glue::Text(more.clone(), said))),
            (Piece::Text(more), Glue::Text(text, said)) => {
                stack.push((to, Glue::Text(format!("{text}{more}"), *said)));
            }
            (Piece::Text(more), Glue::List(view, slot, suffix, listed)) => {
                let ending = more.starts_with(|c: char| c.is_alphabetic() || c == '\'' || c == '’');
                if !suffix.is_empty() || (ending && !self.views.views.get(*view).numeric) {
                    stack.push((to, Glue::List(*view, *slot, format!("{suffix}{more}"), *listed)));
                } else {
                    self.flush(known, todo, stack, id, glue, (to, Glue::Text(more.clone(), said)));
                }
            }
            (Piece::View(view, slot), Glue::Boundary) => {
                stack.push((to, Glue::List(*view, *slot, String::new(), said)));
            }
            (Piece::View(view, slot), _) => {
                let next = (to, Glue::List(*view, *slot, String::new(), said));
                self.flush(known, todo, stack, id, glue, next);
            }
            (Piece::Any(slot), Glue::Boundary) => {
                let target = self.node(known, todo, (to, Glue::Boundary));
                self.network.nodes[id as usize].any.push((*slot, target));
            }
            (Piece::Ruled(ruled, slot), Glue::Boundary) => {
                let target = self.node(known, todo, (to, Glue::Boundary));
                self.network.nodes[id as usize].ruled.push((*ruled, *slot, target));
            }
            // What hangs before them is a word of its own.
            (Piece::Any(_) | Piece::Ruled(_, _), _) => {
                self.flush(known, todo, stack, id, glue, (at, Glue::Boundary))
            }
        }
    }

    /// Makes arcs of what hangs together; text without any word in it is passed over.
    fn flush(
        &mut self,
        known: &mut HashMap<Key, NodeId>,
        todo: &mut Vec<(Key, NodeId)>,
        stack: &mut Vec<Key>,
        id: NodeId,
        glue: &Glue,
        next: Key,
    ) {
        match glue {
            Glue::Boundary => stack.push(next),
            Glue::Text(text, said) => {
                let words = self.views.spoken(text);
                let Some((last, first)) = words.split_last() else {
                    stack.push(next);
                    return;
                };
                let target = self.node(known, todo, next);
                let mut from = id;
                let arc = |network: &mut Network, from: NodeId, word: WordId, to: NodeId| {
                    let node = &mut network.nodes[from as usize];
                    let words = if *said { &mut node.spoken_words } else { &mut node.words };
                    words.push((word, to));
                };
                for word in first {
                    let word = *word;
                    let middle = self.network.nodes.len() as NodeId;
                    self.network.nodes.push(Node::default());
                    arc(self.network, from, word, middle);
                    from = middle;
                }
                arc(self.network, from, *last, target);
            }
            Glue::List(view, slot, suffix, said) => {
                let view = if suffix.is_empty() { *view } else { self.views.suffixed(*view, suffix) };
                let target = self.node(known, todo, next);
                let node = &mut self.network.nodes[id as usize];
                let views = if *said { &mut node.spoken_views } else { &mut node.views };
                views.push((view, *slot, target));
            }
        }
    }
}
