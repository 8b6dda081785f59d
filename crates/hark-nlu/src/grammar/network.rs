//! Second step of compiling: a network whose arcs are whole words and lists.

use super::flat_vec::{FlatVec, SparseFlatVec};
use super::fragments::{Fragment, Fragments, SlotId};
use super::views::{ViewBuilder, ViewId};
use super::words::{QuickHasher, WordId};
use crate::sentences::model::Ruled;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

/// A node of the network.
pub type NodeId = u32;

/// A template of the grammar.
pub type TemplateId = u32;

/// A word that leads to a node.
pub type WordArc = (WordId, NodeId);
/// A list that does.
pub type ViewArc = (ViewId, SlotId, NodeId);
/// Any word that does.
pub type AnyArc = (SlotId, NodeId);
/// Words parsed by rule that do.
pub type RuledArc = (Ruled, SlotId, NodeId);

/// A place between two words of one template.
#[derive(Debug, Clone, Copy)]
pub struct Node<'n> {
    /// Next words, sorted; a word may lead to several nodes.
    pub words: &'n [WordArc],
    /// Next lists.
    pub views: &'n [ViewArc],
    /// Next words of any kind.
    pub any: &'n [AnyArc],
    /// Next words that are parsed by rule.
    pub ruled: &'n [RuledArc],
    /// Whether a sentence may end here.
    pub last: bool,
}

/// All templates. Nodes of different templates are different.
#[derive(Debug, Default)]
pub struct Network {
    words: FlatVec<WordArc>,
    views: FlatVec<ViewArc>,
    any: SparseFlatVec<AnyArc>,
    ruled: SparseFlatVec<RuledArc>,
    /// Next words of what is only said aloud, in place of a rule; the parser does not go there.
    spoken_words: SparseFlatVec<WordArc>,
    /// Next lists of what is only said aloud.
    spoken_views: SparseFlatVec<ViewArc>,
    /// Whether a sentence may end, by node.
    ends: Vec<bool>,
    /// First node of each template, its smallest.
    pub starts: Vec<NodeId>,
    /// Whether people say a template's sentences aloud, by template.
    pub spoken: Vec<bool>,
}

impl Network {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The node of a number.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        Node {
            words: self.words.of(id),
            views: self.views.of(id),
            any: self.any.of(id),
            ruled: self.ruled.of(id),
            last: self.ends[id as usize],
        }
    }

    /// All words that templates have themselves, as often as they stand there.
    pub fn literals(&self) -> impl Iterator<Item = WordId> {
        self.words.items().iter().map(|(word, _)| *word)
    }

    /// Slots that any words may fill, as often as sentences have them.
    pub fn open_slots(&self) -> impl Iterator<Item = SlotId> {
        self.any.items().iter().map(|(slot, _)| *slot)
    }

    /// Next words of what people say aloud.
    pub fn said_words(&self, id: NodeId) -> impl Iterator<Item = WordArc> {
        self.words.of(id).iter().chain(self.spoken_words.of(id)).copied()
    }

    /// Next lists of what people say aloud.
    pub fn said_views(&self, id: NodeId) -> impl Iterator<Item = ViewArc> {
        self.views.of(id).iter().chain(self.spoken_views.of(id)).copied()
    }

    /// The template whose sentence may end at a node.
    pub fn end_of(&self, id: NodeId) -> Option<TemplateId> {
        let ends = self.ends.get(id as usize).copied().unwrap_or_default();
        ends.then(|| self.starts.partition_point(|start| *start <= id) as TemplateId - 1)
    }

    /// First nodes of the templates that people say aloud.
    pub fn spoken_starts(&self) -> impl Iterator<Item = NodeId> {
        self.starts.iter().zip(&self.spoken).filter(|(_, spoken)| **spoken).map(|(start, _)| *start)
    }

    /// Gives back the room for more templates.
    pub fn shrink_to_fit(&mut self) {
        self.words.shrink_to_fit();
        self.views.shrink_to_fit();
        self.any.shrink_to_fit();
        self.ruled.shrink_to_fit();
        self.spoken_words.shrink_to_fit();
        self.spoken_views.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    fn add(&mut self, draft: Draft) {
        let id = self.len() as NodeId;
        self.words.add(sorted(draft.words));
        self.views.add(sorted(draft.views));
        self.any.add(id, sorted(draft.any));
        self.ruled.add(id, sorted(draft.ruled));
        self.spoken_words.add(id, sorted(draft.spoken_words));
        self.spoken_views.add(id, sorted(draft.spoken_views));
        self.ends.push(draft.last);
    }
}

/// Each once.
fn sorted<T: Ord>(mut arcs: Vec<T>) -> Vec<T> {
    arcs.sort_unstable();
    arcs.dedup();
    arcs
}

/// A node while its template is being added.
#[derive(Debug, Default)]
struct Draft {
    words: Vec<WordArc>,
    views: Vec<ViewArc>,
    any: Vec<AnyArc>,
    ruled: Vec<RuledArc>,
    spoken_words: Vec<WordArc>,
    spoken_views: Vec<ViewArc>,
    last: bool,
}

/// What hangs together without a blank so far.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Glue {
    /// Nothing: a word begins here.
    Boundary,
    /// Fragments of text; and whether they are only said aloud.
    Text(String, bool),
    /// A list value, with what is hung on to it; and whether it is only said aloud.
    List(ViewId, SlotId, String, bool),
}

/// A place in the piece graph with what hangs together there.
type Key = (usize, Glue);

/// Adds a template.
pub struct NetworkBuilder<'b> {
    network: &'b mut Network,
    /// Where endings are hung on to lists.
    views: &'b mut ViewBuilder,
    /// The nodes of the template; the numbers of nodes go on after those of the network.
    drafts: Vec<Draft>,
    known: HashMap<Key, NodeId>,
    todo: Vec<(Key, NodeId)>,
}

impl<'b> NetworkBuilder<'b> {
    /// Adds to a network.
    pub fn new(network: &'b mut Network, views: &'b mut ViewBuilder) -> Self {
        Self { network, views, drafts: Vec::new(), known: HashMap::new(), todo: Vec::new() }
    }

    /// Adds a template; `spoken` says whether its sentences are said aloud.
    pub fn add(mut self, pieces: &Fragments, spoken: bool) {
        let start = self.node((0, Glue::Boundary));
        while let Some((key, id)) = self.todo.pop() {
            let mut seen: HashSet<Key, BuildHasherDefault<QuickHasher>> = HashSet::default();
            let mut stack = vec![key];
            while let Some((at, glue)) = stack.pop() {
                if !seen.insert((at, glue.clone())) {
                    continue;
                }
                if at == pieces.end {
                    if glue == Glue::Boundary {
                        self.draft(id).last = true;
                    } else {
                        self.flush(&mut stack, id, &glue, (at, Glue::Boundary));
                    }
                }
                let said = pieces.is_speech(at);
                for (piece, to) in pieces.arcs[at].iter().rev() {
                    self.follow(&mut stack, id, (at, &glue), (piece, *to, said));
                }
            }
        }
        self.drafts.into_iter().for_each(|draft| self.network.add(draft));
        self.network.starts.push(start);
        self.network.spoken.push(spoken);
    }

    fn node(&mut self, key: Key) -> NodeId {
        if let Some(id) = self.known.get(&key) {
            return *id;
        }
        let id = self.nameless();
        self.known.insert(key.clone(), id);
        self.todo.push((key, id));
        id
    }

    /// A node within a piece of text.
    fn nameless(&mut self) -> NodeId {
        self.drafts.push(Draft::default());
        (self.network.len() + self.drafts.len() - 1) as NodeId
    }

    fn draft(&mut self, id: NodeId) -> &mut Draft {
        &mut self.drafts[id as usize - self.network.len()]
    }

    /// Walks one arc of the piece graph; what becomes a whole word or list becomes an arc of `id`.
    fn follow(
        &mut self,
        stack: &mut Vec<Key>,
        id: NodeId,
        (at, glue): (usize, &Glue),
        (piece, to, said): (&Fragment, usize, bool),
    ) {
        match (piece, glue) {
            (Fragment::Nothing, _) => stack.push((to, glue.clone())),
            (Fragment::Blank, Glue::Boundary) => stack.push((to, Glue::Boundary)),
            (Fragment::Blank, _) => self.flush(stack, id, glue, (to, Glue::Boundary)),
            (Fragment::Text(more), Glue::Boundary) => stack.push((to, Glue::Text(more.clone(), said))),
            (Fragment::Text(more), Glue::Text(text, said)) => {
                stack.push((to, Glue::Text(format!("{text}{more}"), *said)));
            }
            (Fragment::Text(more), Glue::List(view, slot, suffix, listed)) => {
                let ending = more.starts_with(|c: char| c.is_alphabetic() || c == '\'' || c == '’');
                if !suffix.is_empty() || (ending && !self.views.views.get(*view).numeric) {
                    stack.push((to, Glue::List(*view, *slot, format!("{suffix}{more}"), *listed)));
                } else {
                    self.flush(stack, id, glue, (to, Glue::Text(more.clone(), said)));
                }
            }
            (Fragment::View(view, slot), Glue::Boundary) => {
                stack.push((to, Glue::List(*view, *slot, String::new(), said)));
            }
            (Fragment::View(view, slot), _) => {
                let next = (to, Glue::List(*view, *slot, String::new(), said));
                self.flush(stack, id, glue, next);
            }
            (Fragment::Any(slot), Glue::Boundary) => {
                let target = self.node((to, Glue::Boundary));
                self.draft(id).any.push((*slot, target));
            }
            (Fragment::Ruled(ruled, slot), Glue::Boundary) => {
                let target = self.node((to, Glue::Boundary));
                self.draft(id).ruled.push((*ruled, *slot, target));
            }
            // What hangs before them is a word of its own.
            (Fragment::Any(_) | Fragment::Ruled(_, _), _) => {
                self.flush(stack, id, glue, (at, Glue::Boundary))
            }
        }
    }

    /// Makes arcs of what hangs together; text without any word in it is passed over.
    fn flush(&mut self, stack: &mut Vec<Key>, id: NodeId, glue: &Glue, next: Key) {
        match glue {
            Glue::Boundary => stack.push(next),
            Glue::Text(text, said) => {
                let words = self.views.spoken(text);
                let Some((last, first)) = words.split_last() else {
                    stack.push(next);
                    return;
                };
                let target = self.node(next);
                let mut from = id;
                let arc = |node: &mut Draft, word: WordId, to: NodeId| {
                    let words = if *said { &mut node.spoken_words } else { &mut node.words };
                    words.push((word, to));
                };
                for word in first {
                    let middle = self.nameless();
                    arc(self.draft(from), *word, middle);
                    from = middle;
                }
                arc(self.draft(from), *last, target);
            }
            Glue::List(view, slot, suffix, said) => {
                let view = if suffix.is_empty() { *view } else { self.views.suffixed(*view, suffix) };
                let target = self.node(next);
                let node = self.draft(id);
                let views = if *said { &mut node.spoken_views } else { &mut node.views };
                views.push((view, *slot, target));
            }
        }
    }
}
