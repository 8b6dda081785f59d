//! The automaton of all spoken sentences, without their meanings: deterministic and minimal over words
//! and lists, so that a thousand templates share their beginnings and endings.

use super::flat_vec::FlatVec;
use super::network::{Network, NodeId};
use super::views::{TrieId, ViewId, Views};
use super::words::{QuickMap, WordId};
use std::collections::BTreeSet;

/// A state of the automaton.
pub type StateId = u32;

/// What leads from one state to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Symbol {
    Word(WordId),
    View(ViewId),
}

/// A state.
#[derive(Debug, Clone, Copy)]
pub struct State<'g> {
    /// Next words, sorted.
    pub words: &'g [(WordId, StateId)],
    /// Next lists.
    pub views: &'g [(ViewId, StateId)],
    /// A sentence may end here.
    pub last: bool,
    /// Fewest words to an end.
    pub min_left: u16,
    /// Most words to an end.
    pub max_left: u16,
}

/// What is known of a state beside what follows.
#[derive(Debug, Clone, Copy)]
struct End {
    last: bool,
    min_left: u16,
    max_left: u16,
}

/// The automaton. Every state leads to an end, and there are no circles.
#[derive(Debug, Default)]
pub struct Graph {
    /// Next words and lists by state; the states they lead to have smaller numbers.
    words: FlatVec<(WordId, StateId)>,
    views: FlatVec<(ViewId, StateId)>,
    ends: Vec<End>,
    /// First state; `None` when nothing can be said.
    pub start: Option<StateId>,
    /// Words that can still come, by state: one bit a word.
    reach: Bits,
    /// Polite phrases, which may follow on any sentence.
    polite: Option<ViewId>,
}

/// More sets of states than this are not made deterministic.
const MAX_SETS: usize = 300_000;

impl Graph {
    /// The automaton of a network. Polite phrases may come before (twice) and after a sentence.
    pub fn new(network: &Network, views: &Views, skip: ViewId, words: usize) -> Self {
        let skip = (!views.get(skip).entries.is_empty()).then_some(skip);
        let (merged, source) = merge(network);
        let mut starts: Vec<StateId> =
            network.spoken_starts().filter_map(|start| merged[start as usize]).collect();
        starts.sort_unstable();
        starts.dedup();
        if starts.is_empty() {
            return Self::default();
        }
        let mut subsets =
            Subsets { source: &source.states, made: Maker::default(), known: QuickMap::default(), skip };
        let mut start = subsets.determine(starts);
        let mut made = subsets.made;
        if let Some(skip) = skip {
            for _ in 0..2 {
                let mut raw = made.states[start as usize].clone();
                raw.arcs.push((Symbol::View(skip), start));
                raw.arcs.sort_unstable();
                start = made.state(raw);
            }
        }
        let mut graph = Self { start: Some(start), polite: skip, ..Self::default() };
        for raw in &made.states {
            let word = |(symbol, to): &(Symbol, StateId)| match symbol {
                Symbol::Word(word) => Some((*word, *to)),
                Symbol::View(_) => None,
            };
            let view = |(symbol, to): &(Symbol, StateId)| match symbol {
                Symbol::View(view) => Some((*view, *to)),
                Symbol::Word(_) => None,
            };
            graph.words.add(raw.arcs.iter().filter_map(word));
            graph.views.add(raw.arcs.iter().filter_map(view));
        }
        graph.words.shrink_to_fit();
        graph.views.shrink_to_fit();
        graph.measure(&made.states, views, words);
        graph
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The state of a number.
    pub fn state(&self, id: StateId) -> State<'_> {
        let End { last, min_left, max_left } = self.ends[id as usize];
        State { words: self.words.of(id), views: self.views.of(id), last, min_left, max_left }
    }

    /// Sets lengths and reachable words; targets have smaller numbers, so in order.
    fn measure(&mut self, states: &[Raw], views: &Views, words: usize) {
        self.reach = Bits::new(states.len(), words);
        self.ends = Vec::with_capacity(states.len());
        for (id, state) in states.iter().enumerate() {
            let (mut min, mut max) = if state.last { (0, 0) } else { (u16::MAX, 0) };
            for (symbol, to) in &state.arcs {
                let (least, most) = match symbol {
                    Symbol::Word(word) => {
                        self.reach.set(id, *word);
                        (1, 1)
                    }
                    Symbol::View(view) => {
                        let view = views.get(*view);
                        let trie = &views.tries[view.root as usize];
                        let phrases = view.entries.iter().flat_map(|entry| &entry.phrases);
                        phrases.flatten().for_each(|word| self.reach.set(id, *word));
                        (trie.min_left, trie.max_left)
                    }
                };
                let next = self.ends[*to as usize];
                min = min.min(next.min_left.saturating_add(least));
                max = max.max(next.max_left.saturating_add(most));
                self.reach.join(id, *to as usize);
            }
            self.ends.push(End { last: state.last, min_left: min, max_left: max });
        }
    }

    /// Whether `word` can still come after `state`.
    pub fn reaches(&self, state: StateId, word: WordId) -> bool {
        self.reach.get(state as usize, word)
    }

    /// Whether `word` can come next after `state`.
    pub fn begins(&self, state: StateId, word: WordId, views: &Views) -> bool {
        let lists = || self.views.of(state).iter().map(|(view, _)| views.get(*view).root);
        self.words.of(state).binary_search_by_key(&word, |(word, _)| *word).is_ok()
            || lists().any(|list| views.step(list, word).is_some())
    }

    /// Whether this is where a polite phrase begins.
    pub fn is_polite(&self, list: TrieId, views: &Views) -> bool {
        self.polite.is_some_and(|polite| views.get(polite).root == list)
    }

    /// Every word that can be said.
    pub fn vocabulary(&self, views: &Views) -> BTreeSet<WordId> {
        let mut words: BTreeSet<WordId> = self.words.items().iter().map(|(word, _)| *word).collect();
        let lists: BTreeSet<ViewId> = self.views.items().iter().map(|(view, _)| *view).collect();
        for entry in lists.into_iter().flat_map(|list| &views.get(list).entries) {
            words.extend(entry.phrases.iter().flatten());
        }
        words
    }
}

/// A state while the automaton is being made.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Raw {
    last: bool,
    /// Sorted.
    arcs: Vec<(Symbol, StateId)>,
}

/// Makes states, equal ones only once; that is what makes the automaton minimal.
#[derive(Default)]
struct Maker {
    states: Vec<Raw>,
    known: QuickMap<Raw, StateId>,
}

impl Maker {
    fn state(&mut self, raw: Raw) -> StateId {
        if let Some(id) = self.known.get(&raw) {
            return *id;
        }
        let id = self.states.len() as StateId;
        self.states.push(raw.clone());
        self.known.insert(raw, id);
        id
    }
}

/// Joins the nodes of all templates that have the same endings. The first answer is the state of each
/// node; `None` where nothing can be said to its end without a wildcard.
fn merge(network: &Network) -> (Vec<Option<StateId>>, Maker) {
    let mut made = Maker::default();
    let mut merged: Vec<Option<Option<StateId>>> = vec![None; network.len()];
    for start in network.spoken_starts() {
        let mut stack = vec![start];
        while let Some(&id) = stack.last() {
            if merged[id as usize].is_some() {
                stack.pop();
                continue;
            }
            let words = network.said_words(id).map(|(word, to)| (Symbol::Word(word), to));
            let views = network.said_views(id).map(|(view, _, to)| (Symbol::View(view), to));
            let arcs: Vec<(Symbol, NodeId)> = words.chain(views).collect();
            let open = stack.len();
            stack.extend(arcs.iter().map(|(_, to)| *to).filter(|to| merged[*to as usize].is_none()));
            if stack.len() > open {
                continue;
            }
            let arcs = arcs.into_iter().filter_map(|(symbol, to)| Some((symbol, merged[to as usize]??)));
            let mut arcs: Vec<(Symbol, StateId)> = arcs.collect();
            arcs.sort_unstable();
            arcs.dedup();
            let raw = Raw { last: network.node(id).last, arcs };
            merged[id as usize] = Some((raw.last || !raw.arcs.is_empty()).then(|| made.state(raw)));
            stack.pop();
        }
    }
    (merged.into_iter().map(Option::flatten).collect(), made)
}

/// Subset construction.
struct Subsets<'s> {
    source: &'s [Raw],
    made: Maker,
    known: QuickMap<Vec<StateId>, StateId>,
    skip: Option<ViewId>,
}

impl Subsets<'_> {
    /// The state that stands for all of `set`. It is as deep as the longest sentence.
    fn determine(&mut self, set: Vec<StateId>) -> StateId {
        if let Some(id) = self.known.get(&set) {
            return *id;
        }
        let last = set.iter().any(|state| self.source[*state as usize].last);
        let targets = set.iter().flat_map(|state| &self.source[*state as usize].arcs);
        let mut targets: Vec<(Symbol, StateId)> = targets.copied().collect();
        targets.sort_unstable();
        targets.dedup();
        let mut arcs = Vec::new();
        for alike in targets.chunk_by(|(one, _), (other, _)| one == other) {
            let symbol = alike[0].0;
            let to = alike.iter().map(|(_, to)| *to);
            if self.known.len() < MAX_SETS {
                arcs.push((symbol, self.determine(to.collect())));
            } else {
                arcs.extend(to.map(|one| (symbol, self.determine(vec![one]))));
            }
        }
        if let Some(skip) = self.skip.filter(|_| last) {
            let end = self.made.state(Raw { last: true, arcs: Vec::new() });
            arcs.push((Symbol::View(skip), end));
        }
        arcs.sort_unstable();
        arcs.dedup();
        let id = self.made.state(Raw { last, arcs });
        self.known.insert(set, id);
        id
    }
}

/// A table of bits.
#[derive(Debug, Default)]
struct Bits {
    width: usize,
    bits: Vec<u64>,
}

impl Bits {
    fn new(rows: usize, columns: usize) -> Self {
        let width = columns.div_ceil(64).max(1);
        Self { width, bits: vec![0; rows * width] }
    }

    fn set(&mut self, row: usize, column: u32) {
        self.bits[row * self.width + column as usize / 64] |= 1 << (column % 64);
    }

    fn get(&self, row: usize, column: u32) -> bool {
        self.bits[row * self.width + column as usize / 64] & (1 << (column % 64)) != 0
    }

    /// Adds the bits of row `other` to `row`.
    fn join(&mut self, row: usize, other: usize) {
        for index in 0..self.width {
            let bits = self.bits[other * self.width + index];
            self.bits[row * self.width + index] |= bits;
        }
    }
}
