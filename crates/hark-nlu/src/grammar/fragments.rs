//! First step of compiling a template: a graph of pieces of text, blanks and list references.
//! Words are not whole yet: "light[s]" is the pieces "light" and "s".

use super::texts::{TextId, Texts};
use super::views::{ViewBuilder, ViewId};
use crate::rules::Rule;
use crate::sentences::model::{Data, List, Rule as SpokenRule, Ruled};
use crate::sentences::template::Expr;
use crate::sentences::{Scope, Sentences};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// A slot name, as a number.
pub type SlotId = u32;

/// What stands on an arc.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fragment {
    /// Nothing.
    Nothing,
    /// A blank: the word ends.
    Blank,
    /// A piece of text without blanks.
    Text(TextId),
    /// One value of a list.
    View(ViewId, SlotId),
    /// One word, whatever it is.
    Any(SlotId),
    /// Words that are parsed by rule.
    Ruled(Ruled, SlotId),
}

/// The slot of what is only said aloud: nobody reads it.
pub const SILENT: SlotId = SlotId::MAX;

/// An arc of the graph.
#[derive(Debug)]
struct Arc {
    piece: Fragment,
    to: usize,
    /// The arc that was added before it to the same node.
    before: Option<usize>,
}

/// The graph of one template, from node 0 to `end`. Only `Any` arcs may form a circle.
#[derive(Debug, Default)]
pub struct Fragments {
    /// The arc that was added last to each node.
    last_arcs: Vec<Option<usize>>,
    arcs: Vec<Arc>,
    /// Last node.
    pub end: usize,
    /// Context keys that one of its lists tells about.
    pub provided: BTreeSet<String>,
    /// Nodes of what is only said aloud; the parser has a rule in their place.
    pub speech: Vec<Range<usize>>,
}

impl Fragments {
    /// A node to be, without any arc.
    fn node(&mut self) -> usize {
        self.last_arcs.push(None);
        self.last_arcs.len() - 1
    }

    fn arc(&mut self, from: usize, piece: Fragment, to: usize) {
        let before = self.last_arcs[from].replace(self.arcs.len());
        self.arcs.push(Arc { piece, to, before });
    }

    /// An arc to a new node.
    fn step(&mut self, from: usize, piece: Fragment) -> usize {
        let to = self.node();
        self.arc(from, piece, to);
        to
    }

    /// What leaves a node, with the nodes it leads to; the last first.
    pub fn from(&self, node: usize) -> impl Iterator<Item = (Fragment, usize)> {
        let arcs = std::iter::successors(self.last_arcs[node], |arc| self.arcs[*arc].before);
        arcs.map(|arc| (self.arcs[arc].piece, self.arcs[arc].to))
    }

    /// Forgets everything, for the next template.
    fn clear(&mut self) {
        self.last_arcs.clear();
        self.arcs.clear();
        self.provided.clear();
        self.speech.clear();
    }

    /// Whether any sentence leads to the end: not where a list is empty in this home.
    pub fn can_be_said(&self) -> bool {
        let mut seen = vec![false; self.last_arcs.len()];
        let mut stack = vec![0];
        while let Some(at) = stack.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                stack.extend(self.from(at).map(|(_, to)| to));
            }
        }
        seen[self.end]
    }

    /// Whether what leaves a node is only said aloud.
    pub fn is_speech(&self, node: usize) -> bool {
        self.speech.iter().any(|nodes| nodes.contains(&node))
    }
}

/// What slots are called, by their number.
#[derive(Debug, Default)]
pub struct SlotNames {
    /// The names; one that takes addresses alone has the name of another.
    pub names: Vec<String>,
    /// Those that take addresses alone.
    pub addresses: Vec<SlotId>,
}

/// Compiles the templates of one data block.
pub struct FragmentCompiler<'c> {
    /// Where lists become views.
    pub views: &'c mut ViewBuilder,
    /// Slot names by number.
    pub slots: &'c mut SlotNames,
    scope: Scope<'c>,
    data: &'c Data,
    /// Number of the data block, for its own lists.
    index: usize,
    /// Lists that were met before: the block refers to the same list many times.
    lists: HashMap<String, KnownList>,
    /// Whether the way something is said aloud is being compiled.
    speaking: bool,
}

/// A list as a data block needs it.
#[derive(Debug, Clone)]
struct KnownList {
    /// `None` when no value is left in this home.
    view: Option<ViewId>,
    /// What the block requires that the list tells about.
    provided: Vec<String>,
    /// Most words of text that is typed freely, where that is allowed.
    wildcard: Option<Option<usize>>,
    /// Whether that is an address alone.
    is_address: bool,
}

impl<'c> FragmentCompiler<'c> {
    /// For a data block of a number.
    pub fn new(
        views: &'c mut ViewBuilder,
        slots: &'c mut SlotNames,
        sentences: &'c Sentences,
        (index, data): (usize, &'c Data),
    ) -> Self {
        let scope = Scope::new(sentences, Some(data));
        Self { views, slots, scope, data, index, lists: HashMap::new(), speaking: false }
    }

    /// Makes `pieces` the graph of a template of this data block.
    pub fn compile(&mut self, expr: &Expr, pieces: &mut Fragments) {
        pieces.clear();
        let start = pieces.node();
        pieces.end = self.expr(pieces, expr, start, 0);
    }

    /// Adds `expr` behind `from`; answers the node it ends in. `depth` counts rules, which the loader
    /// has checked not to be circular.
    fn expr(&mut self, pieces: &mut Fragments, expr: &Expr, from: usize, depth: usize) -> usize {
        match expr {
            Expr::Text(text) => add_text(pieces, &mut self.views.texts, text, from),
            Expr::Seq(parts) => parts.iter().fold(from, |from, part| self.expr(pieces, part, from, depth)),
            Expr::Alt(parts) => {
                let end = pieces.node();
                for part in parts {
                    let start = pieces.step(from, Fragment::Nothing);
                    let last = self.expr(pieces, part, start, depth);
                    pieces.arc(last, Fragment::Nothing, end);
                }
                end
            }
            Expr::Perm(parts) => self.permutation(pieces, parts, from, depth),
            Expr::List { list, slot, .. } => match self.scope.list(list) {
                Some((List::Rule { ruled, spoken }, _)) => {
                    // Home Assistant's slots of a length have names of their own.
                    let own = slot == list && ruled.rule == Rule::Duration;
                    self.ruled(pieces, *ruled, if own { "" } else { slot }, spoken, (from, depth))
                }
                _ => self.list(pieces, list, slot, from),
            },
            Expr::Rule { name, .. } => match self.scope.rule(name) {
                Some(rule) if depth < 64 => self.expr(pieces, &rule.expr, from, depth + 1),
                _ => from,
            },
        }
    }

    /// One node for each set of parts already said.
    fn permutation(&mut self, pieces: &mut Fragments, parts: &[Expr], from: usize, depth: usize) -> usize {
        let full = (1usize << parts.len()) - 1;
        let mut said: Vec<Option<usize>> = vec![None; full + 1];
        said[0] = Some(pieces.step(from, Fragment::Blank));
        for set in 0..full {
            let Some(start) = said[set] else { continue };
            for (index, part) in parts.iter().enumerate().filter(|(index, _)| set & (1 << index) == 0) {
                let entry = pieces.step(start, Fragment::Nothing);
                let last = self.expr(pieces, part, entry, depth);
                let after = *said[set | (1 << index)].get_or_insert_with(|| pieces.node());
                pieces.arc(last, Fragment::Blank, after);
            }
        }
        said[full].unwrap_or(from)
    }

    /// A rule for the parser, and beside it the ways it is said aloud.
    fn ruled(
        &mut self,
        pieces: &mut Fragments,
        ruled: Ruled,
        slot: &str,
        spoken: &[SpokenRule],
        (from, depth): (usize, usize),
    ) -> usize {
        let end = pieces.node();
        // The checker has seen to it that there is none within another.
        if self.speaking {
            return end;
        }
        let slot = self.slot_of(slot, false);
        pieces.arc(from, Fragment::Ruled(ruled, slot), end);
        let first = pieces.last_arcs.len();
        self.speaking = true;
        for template in spoken {
            let start = pieces.step(from, Fragment::Nothing);
            let last = self.expr(pieces, &template.expr, start, depth + 1);
            pieces.arc(last, Fragment::Nothing, end);
        }
        self.speaking = false;
        pieces.speech.push(first..pieces.last_arcs.len());
        end
    }

    fn list(&mut self, pieces: &mut Fragments, list: &str, slot: &str, from: usize) -> usize {
        if !self.lists.contains_key(list) {
            let met = self.meet(list);
            self.lists.insert(list.to_owned(), met);
        }
        let slot = self.slot_of(slot, self.lists[list].is_address);
        let list = &self.lists[list];
        for context in &list.provided {
            if !pieces.provided.contains(context) {
                pieces.provided.insert(context.clone());
            }
        }
        let end = pieces.node();
        if let Some(view) = list.view {
            pieces.arc(from, Fragment::View(view, slot), end);
        }
        if let Some(max_words) = list.wildcard
            && !self.speaking
        {
            add_wildcard(pieces, slot, max_words, from, end);
        }
        end
    }

    fn meet(&mut self, list: &str) -> KnownList {
        let found = self.scope.list(list);
        let key = match found {
            Some((_, true)) => format!("{}/{list}", self.index),
            Some((_, false)) => format!("/{list}"),
            None => list.to_owned(),
        };
        let definition = found.map(|(list, _)| list);
        let required = self.data.requires.keys();
        let provided = required.filter(|context| self.views.provides(&key, definition, context)).cloned();
        let provided = provided.collect();
        let view = self.views.view(&key, definition, self.data);
        let (wildcard, is_address) = match definition {
            Some(List::Wildcard { max_words, is_address, .. }) => (Some(*max_words), *is_address),
            _ => (None, false),
        };
        let view = (!self.views.views.get(view).entries.is_empty()).then_some(view);
        KnownList { view, provided, wildcard, is_address }
    }

    fn slot_of(&mut self, name: &str, is_address: bool) -> SlotId {
        if self.speaking {
            return SILENT;
        }
        let SlotNames { names, addresses } = &mut *self.slots;
        let same = |at: &usize| names[*at] == name && addresses.contains(&(*at as SlotId)) == is_address;
        if let Some(known) = (0..names.len()).find(same) {
            return known as SlotId;
        }
        let slot = names.len() as SlotId;
        names.push(name.to_owned());
        if is_address {
            addresses.push(slot);
        }
        slot
    }
}

fn add_text(pieces: &mut Fragments, texts: &mut Texts, text: &str, from: usize) -> usize {
    let mut at = from;
    let mut rest = text;
    while !rest.is_empty() {
        let blank = rest.starts_with(char::is_whitespace);
        let length = rest.find(|c: char| c.is_whitespace() != blank).unwrap_or(rest.len());
        let piece = if blank { Fragment::Blank } else { Fragment::Text(texts.intern(&rest[..length])) };
        at = pieces.step(at, piece);
        rest = &rest[length..];
    }
    at
}

/// One to `max_words` words of any kind; without a maximum, a node that returns to itself.
fn add_wildcard(pieces: &mut Fragments, slot: SlotId, max_words: Option<usize>, from: usize, end: usize) {
    let mut at = pieces.step(from, Fragment::Nothing);
    for _ in 0..max_words.unwrap_or(1) {
        at = pieces.step(at, Fragment::Any(slot));
        pieces.arc(at, Fragment::Nothing, end);
    }
    if max_words.is_none() {
        let again = pieces.step(at, Fragment::Nothing);
        pieces.arc(again, Fragment::Any(slot), at);
    }
}
