//! First step of compiling a template: a graph of pieces of text, blanks and list references.
//! Words are not whole yet: "light[s]" is the pieces "light" and "s".

use super::views::{ViewBuilder, ViewId};
use crate::rules::Rule;
use crate::sentences::Scope;
use crate::sentences::model::{Data, List, Rule as SpokenRule, Ruled};
use crate::sentences::template::Expr;
use std::collections::BTreeSet;
use std::ops::Range;

/// A slot name, as a number.
pub type SlotId = u32;

/// What stands on an arc.
#[derive(Debug, Clone, PartialEq)]
pub enum Fragment {
    /// Nothing.
    Nothing,
    /// A blank: the word ends.
    Blank,
    /// A piece of text without blanks.
    Text(String),
    /// One value of a list.
    View(ViewId, SlotId),
    /// One word, whatever it is.
    Any(SlotId),
    /// Words that are parsed by rule.
    Ruled(Ruled, SlotId),
}

/// The slot of what is only said aloud: nobody reads it.
pub const SILENT: SlotId = SlotId::MAX;

/// The graph of one template, from node 0 to `end`. Only `Any` arcs may form a circle.
#[derive(Debug, Default)]
pub struct Fragments {
    /// Outgoing arcs by node.
    pub arcs: Vec<Vec<(Fragment, usize)>>,
    /// Last node.
    pub end: usize,
    /// Context keys that one of its lists tells about.
    pub provided: BTreeSet<String>,
    /// Nodes of what is only said aloud; the parser has a rule in their place.
    pub speech: Vec<Range<usize>>,
}

impl Fragments {
    /// Whether any sentence leads to the end: not where a list is empty in this home.
    pub fn can_be_said(&self) -> bool {
        let mut seen = vec![false; self.arcs.len()];
        let mut stack = vec![0];
        while let Some(at) = stack.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                stack.extend(self.arcs[at].iter().map(|(_, to)| *to));
            }
        }
        seen[self.end]
    }

    /// Whether what leaves a node is only said aloud.
    pub fn is_speech(&self, node: usize) -> bool {
        self.speech.iter().any(|nodes| nodes.contains(&node))
    }
}

/// Compiles the templates of one data block.
pub struct FragmentCompiler<'c> {
    /// Where lists become views.
    pub views: &'c mut ViewBuilder,
    /// Slot names by number.
    pub slots: &'c mut Vec<String>,
    /// What the data block can refer to.
    pub scope: Scope<'c>,
    /// The data block.
    pub data: &'c Data,
    /// Number of the data block, for its own lists.
    pub index: usize,
    /// Whether the way something is said aloud is being compiled.
    pub speaking: bool,
}

impl FragmentCompiler<'_> {
    /// The graph of a template of this data block.
    pub fn compile(&mut self, expr: &Expr) -> Fragments {
        let mut pieces = Fragments { arcs: vec![Vec::new()], ..Fragments::default() };
        pieces.end = self.expr(&mut pieces, expr, 0, 0);
        pieces
    }

    /// Adds `expr` behind `from`; answers the node it ends in. `depth` counts rules, which the loader
    /// has checked not to be circular.
    fn expr(&mut self, pieces: &mut Fragments, expr: &Expr, from: usize, depth: usize) -> usize {
        match expr {
            Expr::Text(text) => add_text(pieces, text, from),
            Expr::Seq(parts) => parts.iter().fold(from, |from, part| self.expr(pieces, part, from, depth)),
            Expr::Alt(parts) => {
                let end = node(pieces);
                for part in parts {
                    let start = step(pieces, from, Fragment::Nothing);
                    let last = self.expr(pieces, part, start, depth);
                    pieces.arcs[last].push((Fragment::Nothing, end));
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
        said[0] = Some(step(pieces, from, Fragment::Blank));
        for set in 0..full {
            let Some(start) = said[set] else { continue };
            for (index, part) in parts.iter().enumerate().filter(|(index, _)| set & (1 << index) == 0) {
                let entry = step(pieces, start, Fragment::Nothing);
                let last = self.expr(pieces, part, entry, depth);
                let after = *said[set | (1 << index)].get_or_insert_with(|| node(pieces));
                pieces.arcs[last].push((Fragment::Blank, after));
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
        let end = node(pieces);
        // The checker has seen to it that there is none within another.
        if self.speaking {
            return end;
        }
        let slot = self.slot(slot);
        pieces.arcs[from].push((Fragment::Ruled(ruled, slot), end));
        let first = pieces.arcs.len();
        self.speaking = true;
        for template in spoken {
            let start = step(pieces, from, Fragment::Nothing);
            let last = self.expr(pieces, &template.expr, start, depth + 1);
            pieces.arcs[last].push((Fragment::Nothing, end));
        }
        self.speaking = false;
        pieces.speech.push(first..pieces.arcs.len());
        end
    }

    fn list(&mut self, pieces: &mut Fragments, list: &str, slot: &str, from: usize) -> usize {
        let slot = self.slot(slot);
        let found = self.scope.list(list);
        let key = match found {
            Some((_, true)) => format!("{}/{list}", self.index),
            Some((_, false)) => format!("/{list}"),
            None => list.to_owned(),
        };
        let definition = found.map(|(list, _)| list);
        for context in self.data.requires.keys() {
            if self.views.provides(&key, definition, context) {
                pieces.provided.insert(context.clone());
            }
        }
        let view = self.views.view(&key, definition, (self.index, self.data));
        let end = node(pieces);
        if !self.views.views.get(view).entries.is_empty() {
            pieces.arcs[from].push((Fragment::View(view, slot), end));
        }
        if let Some(List::Wildcard { max_words, .. }) = definition
            && !self.speaking
        {
            add_wildcard(pieces, slot, *max_words, from, end);
        }
        end
    }

    fn slot(&mut self, name: &str) -> SlotId {
        if self.speaking {
            return SILENT;
        }
        let known = self.slots.iter().position(|slot| slot == name);
        let index = known.unwrap_or_else(|| {
            self.slots.push(name.to_owned());
            self.slots.len() - 1
        });
        index as SlotId
    }
}

fn node(pieces: &mut Fragments) -> usize {
    pieces.arcs.push(Vec::new());
    pieces.arcs.len() - 1
}

fn step(pieces: &mut Fragments, from: usize, piece: Fragment) -> usize {
    let to = node(pieces);
    pieces.arcs[from].push((piece, to));
    to
}

fn add_text(pieces: &mut Fragments, text: &str, from: usize) -> usize {
    let mut at = from;
    let mut rest = text;
    while !rest.is_empty() {
        let blank = rest.starts_with(char::is_whitespace);
        let length = rest.find(|c: char| c.is_whitespace() != blank).unwrap_or(rest.len());
        let piece = if blank { Fragment::Blank } else { Fragment::Text(rest[..length].to_owned()) };
        at = step(pieces, at, piece);
        rest = &rest[length..];
    }
    at
}

/// One to `max_words` words of any kind; without a maximum, a node that returns to itself.
fn add_wildcard(pieces: &mut Fragments, slot: SlotId, max_words: Option<usize>, from: usize, end: usize) {
    let mut at = step(pieces, from, Fragment::Nothing);
    for _ in 0..max_words.unwrap_or(1) {
        at = step(pieces, at, Fragment::Any(slot));
        pieces.arcs[at].push((Fragment::Nothing, end));
    }
    if max_words.is_none() {
        let again = step(pieces, at, Fragment::Nothing);
        pieces.arcs[again].push((Fragment::Any(slot), at));
    }
}
