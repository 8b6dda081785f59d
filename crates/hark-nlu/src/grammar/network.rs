//! Second step of compiling: a network whose arcs are whole words and lists.

use super::flat_vec::{FlatVec, SparseFlatVec};
use super::fragments::{Fragment, Fragments, SlotId};
use super::texts::TextId;
use super::views::{ViewBuilder, ViewId};
use super::words::{QuickMap, WordId};
use crate::sentences::model::Ruled;

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

    /// Adds a node; its arcs are sorted and each is there once.
    fn add(&mut self, arcs: &[Arc], last: bool) {
        let id = self.len() as NodeId;
        /// The arcs of one kind.
        macro_rules! all {
            ($kind:ident) => {
                arcs.iter().filter_map(|arc| if let Arc::$kind(arc) = arc { Some(*arc) } else { None })
            };
        }
        self.words.add(all!(Word));
        self.views.add(all!(View));
        self.any.add(id, all!(Any));
        self.ruled.add(id, all!(Ruled));
        self.spoken_words.add(id, all!(SpokenWord));
        self.spoken_views.add(id, all!(SpokenView));
        self.ends.push(last);
    }
}

/// An arc of any kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Arc {
    Word(WordArc),
    View(ViewArc),
    Any(AnyArc),
    Ruled(RuledArc),
    SpokenWord(WordArc),
    SpokenView(ViewArc),
}

/// What hangs together without a blank so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Glue {
    /// Nothing: a word begins here.
    Boundary,
    /// Fragments of text; and whether they are only said aloud.
    Text(TextId, bool),
    /// A list value, with what is hung on to it; and whether it is only said aloud.
    List(ViewId, SlotId, Option<TextId>, bool),
}

/// A place in the piece graph with what hangs together there.
type Key = (usize, Glue);

/// Adds templates.
#[derive(Default)]
pub struct NetworkBuilder {
    /// What was made.
    pub network: Network,
    /// Whether a sentence may end, by node of the template that is being added; the numbers of nodes go on after those of
    /// the network.
    ends: Vec<bool>,
    /// The arcs of the template, each with the node it leaves.
    arcs: Vec<(NodeId, Arc)>,
    known: QuickMap<Key, NodeId>,
    /// The node for which a place was last passed.
    passed: QuickMap<Key, NodeId>,
    todo: Vec<(Key, NodeId)>,
    /// Places that can be reached from the node at hand without a word.
    stack: Vec<Key>,
}

impl NetworkBuilder {
    /// Adds a template; `spoken` says whether its sentences are said aloud. Endings are hung on to lists in `views`.
    pub fn add(&mut self, pieces: &Fragments, views: &mut ViewBuilder, spoken: bool) {
        let start = self.node((0, Glue::Boundary));
        while let Some((key, id)) = self.todo.pop() {
            self.stack.push(key);
            while let Some(key) = self.stack.pop() {
                if self.passed.insert(key, id) == Some(id) {
                    continue;
                }
                let (at, glue) = key;
                if at == pieces.end {
                    if glue == Glue::Boundary {
                        self.ends[id as usize - self.network.len()] = true;
                    } else {
                        self.flush(views, id, glue, (at, Glue::Boundary));
                    }
                }
                let said = pieces.is_speech(at);
                for (piece, to) in pieces.from(at) {
                    self.follow(views, id, key, (piece, to, said));
                }
            }
        }
        self.finish();
        self.network.starts.push(start);
        self.network.spoken.push(spoken);
    }

    /// Puts the nodes of the template into the network.
    fn finish(&mut self) {
        self.arcs.sort_unstable();
        self.arcs.dedup();
        let mut arcs = self.arcs.chunk_by(|(one, _), (other, _)| one == other).peekable();
        let mut of_node = Vec::new();
        for last in self.ends.drain(..) {
            let id = self.network.len() as NodeId;
            of_node.clear();
            if let Some(own) = arcs.next_if(|own| own[0].0 == id) {
                of_node.extend(own.iter().map(|(_, arc)| *arc));
            }
            self.network.add(&of_node, last);
        }
        self.arcs.clear();
        self.known.clear();
        self.passed.clear();
    }

    fn node(&mut self, key: Key) -> NodeId {
        if let Some(id) = self.known.get(&key) {
            return *id;
        }
        let id = self.nameless();
        self.known.insert(key, id);
        self.todo.push((key, id));
        id
    }

    /// A node within a piece of text.
    fn nameless(&mut self) -> NodeId {
        self.ends.push(false);
        (self.network.len() + self.ends.len() - 1) as NodeId
    }

    /// Walks one arc of the piece graph; what becomes a whole word or list becomes an arc of `id`.
    fn follow(
        &mut self,
        views: &mut ViewBuilder,
        id: NodeId,
        (at, glue): Key,
        (piece, to, said): (Fragment, usize, bool),
    ) {
        match (piece, glue) {
            (Fragment::Nothing, _) => self.stack.push((to, glue)),
            (Fragment::Blank, Glue::Boundary) => self.stack.push((to, Glue::Boundary)),
            (Fragment::Blank, _) => self.flush(views, id, glue, (to, Glue::Boundary)),
            (Fragment::Text(more), Glue::Boundary) => self.stack.push((to, Glue::Text(more, said))),
            (Fragment::Text(more), Glue::Text(text, said)) => {
                self.stack.push((to, Glue::Text(views.texts.join(text, more), said)));
            }
            (Fragment::Text(more), Glue::List(view, slot, suffix, listed)) => {
                let ending = |c: char| c.is_alphabetic() || c == '\'' || c == '’';
                let joined = match suffix {
                    Some(suffix) => Some(views.texts.join(suffix, more)),
                    None if views.views.get(view).numeric => None,
                    None => views.texts.text(more).starts_with(ending).then_some(more),
                };
                match joined {
                    Some(_) => self.stack.push((to, Glue::List(view, slot, joined, listed))),
                    None => self.flush(views, id, glue, (to, Glue::Text(more, said))),
                }
            }
            (Fragment::View(view, slot), Glue::Boundary) => {
                self.stack.push((to, Glue::List(view, slot, None, said)));
            }
            (Fragment::View(view, slot), _) => {
                self.flush(views, id, glue, (to, Glue::List(view, slot, None, said)));
            }
            (Fragment::Any(slot), Glue::Boundary) => {
                let target = self.node((to, Glue::Boundary));
                self.arcs.push((id, Arc::Any((slot, target))));
            }
            (Fragment::Ruled(ruled, slot), Glue::Boundary) => {
                let target = self.node((to, Glue::Boundary));
                self.arcs.push((id, Arc::Ruled((ruled, slot, target))));
            }
            // What hangs before them is a word of its own.
            (Fragment::Any(_) | Fragment::Ruled(_, _), _) => {
                self.flush(views, id, glue, (at, Glue::Boundary));
            }
        }
    }

    /// Makes arcs of what hangs together; text without any word in it is passed over.
    fn flush(&mut self, views: &mut ViewBuilder, id: NodeId, glue: Glue, next: Key) {
        match glue {
            Glue::Boundary => self.stack.push(next),
            Glue::Text(text, said) => {
                let words = views.spoken(text);
                let Some((last, first)) = words.split_last() else {
                    self.stack.push(next);
                    return;
                };
                let target = self.node(next);
                let mut from = id;
                let arc = if said { Arc::SpokenWord } else { Arc::Word };
                for word in first {
                    let middle = self.nameless();
                    self.arcs.push((from, arc((*word, middle))));
                    from = middle;
                }
                self.arcs.push((from, arc((*last, target))));
            }
            Glue::List(view, slot, suffix, said) => {
                let view = suffix.map_or(view, |suffix| views.suffixed(view, suffix));
                let target = self.node(next);
                let arc = if said { Arc::SpokenView } else { Arc::View };
                self.arcs.push((id, arc((view, slot, target))));
            }
        }
    }
}
