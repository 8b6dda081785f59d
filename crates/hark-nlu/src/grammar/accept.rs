//! Approximate acceptance: the spoken sentence nearest to what was heard, by A* over the automaton.

use super::graph::StateId;
use super::views::TrieId;
use super::words::{QuickMap, WordId};
use super::{Grammar, JOINER};
use hark_core::ports::{Acceptance, EditCosts};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Places looked at before giving up; bounds the time of one call.
const MAX_PLACES: usize = 30_000;

/// Most joined requests in one sentence.
const MAX_JOINED: usize = 3;

/// Stands for "in no list" and "no word".
const NONE: u32 = u32::MAX;

/// A place: how many words are used up, the state, and the node of the list being said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    used: u32,
    state: StateId,
    /// `NONE` outside of lists; inside, `state` is where the list returns to.
    list: TrieId,
}

/// A way to a place.
#[derive(Debug, Clone, Copy)]
struct Way {
    place: Place,
    cost: f32,
    /// How unlike the replaced words are to those they were heard as; decides between equal costs.
    unlike: f32,
    /// The way it continues.
    before: u32,
    /// The accepted word of the last step, if any.
    word: WordId,
}

/// A way in the queue. `edits` says that its exact steps are done and its edits are due.
#[derive(Debug, Clone, Copy)]
struct Queued {
    estimate: f32,
    unlike: f32,
    used: u32,
    way: u32,
    edits: bool,
}

impl Ord for Queued {
    /// The heap gives the greatest first: least estimate, then most alike, then farthest, then oldest.
    fn cmp(&self, other: &Self) -> Ordering {
        let estimate = other.estimate.total_cmp(&self.estimate);
        let unlike = other.unlike.total_cmp(&self.unlike);
        estimate.then(unlike).then(self.used.cmp(&other.used)).then(other.way.cmp(&self.way))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Queued {}

impl Grammar {
    pub(super) fn accept_spoken(&self, words: &[&str], costs: &EditCosts) -> Option<Acceptance> {
        if words.is_empty() {
            return None;
        }
        let heard: Vec<Heard<'_>> =
            words.iter().map(|word| Heard { text: word, id: self.words.get(word) }).collect();
        let found = self.accept_joined(&heard, costs, MAX_JOINED)?;
        let words = found.0.into_iter().map(|word| self.words.text(word).to_owned()).collect();
        Some(Acceptance { words, cost: found.1 })
    }

    /// One sentence, or several joined by "and" where that is cheaper.
    fn accept_joined(
        &self,
        words: &[Heard<'_>],
        costs: &EditCosts,
        most: usize,
    ) -> Option<(Vec<WordId>, f32)> {
        let mut best = Search::new(self, words, costs)?.run();
        let Some(joiner) = self.words.get(JOINER).filter(|_| most > 1) else { return best };
        let joints = words.iter().enumerate().filter(|(_, word)| word.id == Some(joiner)).map(|(at, _)| at);
        for at in joints.filter(|at| *at > 0 && at + 1 < words.len()) {
            let limit = best.as_ref().map_or(costs.limit, |(_, cost)| *cost);
            if best.is_some() && limit <= 0.0 {
                break;
            }
            let Some((mut first, cost)) =
                Search::new(self, &words[..at], &EditCosts { limit, ..*costs }).and_then(Search::run)
            else {
                continue;
            };
            let rest = EditCosts { limit: limit - cost, ..*costs };
            let Some((second, more)) = self.accept_joined(&words[at + 1..], &rest, most - 1) else {
                continue;
            };
            if best.as_ref().is_none_or(|(_, known)| cost + more < *known) {
                first.push(joiner);
                first.extend(second);
                best = Some((first, cost + more));
            }
        }
        best
    }
}

/// A word that was heard, and its number when the grammar knows it.
#[derive(Debug, Clone, Copy)]
struct Heard<'h> {
    text: &'h str,
    id: Option<WordId>,
}

/// One search.
struct Search<'g> {
    grammar: &'g Grammar,
    words: &'g [Heard<'g>],
    costs: EditCosts,
    cheapest: f32,
    ways: Vec<Way>,
    queue: BinaryHeap<Queued>,
    best: QuickMap<Place, (f32, f32)>,
    /// How unlike a heard word is to another, by its position and the other.
    unlikeness: QuickMap<(u32, WordId), f32>,
}

impl<'g> Search<'g> {
    fn new(grammar: &'g Grammar, words: &'g [Heard<'g>], costs: &EditCosts) -> Option<Self> {
        let start = grammar.graph().start?;
        let cheapest = costs.delete.min(costs.insert).min(costs.substitute).max(0.0);
        let mut search = Self {
            grammar,
            words,
            costs: *costs,
            cheapest,
            ways: Vec::new(),
            queue: BinaryHeap::new(),
            best: QuickMap::default(),
            unlikeness: QuickMap::default(),
        };
        search.push(Place { used: 0, state: start, list: NONE }, (0.0, 0.0), NONE, NONE);
        Some(search)
    }

    fn run(mut self) -> Option<(Vec<WordId>, f32)> {
        for _ in 0..MAX_PLACES {
            let next = self.queue.pop()?;
            let way = self.ways[next.way as usize];
            if self.best.get(&way.place).is_some_and(|known| *known < (way.cost, way.unlike)) {
                continue;
            }
            if next.edits {
                self.edit(next.way, way);
                continue;
            }
            let state = self.grammar.graph().state(way.place.state);
            if way.place.used as usize == self.words.len() && way.place.list == NONE && state.last {
                return Some((self.spoken(next.way), way.cost));
            }
            self.exact(next.way, way);
            let estimate = (way.cost + self.cheapest).max(next.estimate);
            if estimate <= self.costs.limit {
                self.queue.push(Queued { estimate, edits: true, ..next });
            }
        }
        None
    }

    /// The accepted words along a way.
    fn spoken(&self, mut index: u32) -> Vec<WordId> {
        let mut words = Vec::new();
        while index != NONE {
            let way = self.ways[index as usize];
            if way.word != NONE {
                words.push(way.word);
            }
            index = way.before;
        }
        words.reverse();
        words
    }

    fn push(&mut self, place: Place, (cost, unlike): (f32, f32), before: u32, word: WordId) {
        let known = self.best.get(&place);
        if cost > self.costs.limit || known.is_some_and(|known| *known <= (cost, unlike)) {
            return;
        }
        let estimate = cost + self.at_least(place);
        if estimate > self.costs.limit {
            return;
        }
        self.best.insert(place, (cost, unlike));
        let way = self.ways.len() as u32;
        self.ways.push(Way { place, cost, unlike, before, word });
        self.queue.push(Queued { estimate, unlike, used: place.used, way, edits: false });
    }

    /// 0.0 for the same word, 1.0 for one that has nothing in common with the word heard at `at`.
    fn unlike(&mut self, at: u32, word: WordId) -> f32 {
        let (grammar, words) = (self.grammar, self.words);
        let compare = || 1.0 - strsim::jaro_winkler(words[at as usize].text, grammar.words.text(word)) as f32;
        *self.unlikeness.entry((at, word)).or_insert_with(compare)
    }

    /// What the rest costs at least: words that can come no more, words too few or too many, and a next
    /// word that does not fit here.
    fn at_least(&self, place: Place) -> f32 {
        let (graph, views) = (self.grammar.graph(), &self.grammar.views);
        let rest = &self.words[place.used as usize..];
        let state = graph.state(place.state);
        let list = (place.list != NONE).then(|| &views.tries[place.list as usize]);
        let (list_min, list_max) = list.map_or((0, 0), |list| (list.min_left, list.max_left));
        let least = usize::from(state.min_left) + usize::from(list_min);
        let most = usize::from(state.max_left) + usize::from(list_max);
        let length = if rest.len() < least {
            (least - rest.len()) as f32 * self.costs.insert
        } else {
            rest.len().saturating_sub(most) as f32 * self.costs.delete
        };
        let fits = |word: &Heard<'_>| word.id.is_some_and(|word| graph.reaches(place.state, word));
        let strange = if list.is_some() { 0 } else { rest.iter().filter(|word| !fits(word)).count() };
        let strange = strange as f32 * self.costs.delete.min(self.costs.substitute);
        let Some(next) = rest.first() else { return length };
        let follows = |word: WordId| match list {
            None => graph.begins(place.state, word, views),
            Some(list) => {
                let inside = list.next.binary_search_by_key(&word, |(word, _)| *word).is_ok();
                inside || (!list.values.is_empty() && graph.begins(place.state, word, views))
            }
        };
        let misfit = if next.id.is_some_and(follows) { 0.0 } else { self.cheapest };
        length.max(strange).max(misfit)
    }

    /// Steps that cost nothing.
    fn exact(&mut self, index: u32, way: Way) {
        let grammar = self.grammar;
        let Place { used, state, list } = way.place;
        let word = self.words.get(used as usize).and_then(|word| word.id);
        let cost = (way.cost, way.unlike);
        if list != NONE {
            if !grammar.views.tries[list as usize].values.is_empty() {
                self.push(Place { list: NONE, ..way.place }, cost, index, NONE);
            }
            if let Some(word) = word
                && let Some(next) = grammar.views.step(list, word)
            {
                self.push(Place { used: used + 1, state, list: next }, cost, index, word);
            }
            return;
        }
        let here = grammar.graph().state(state);
        if let Some(word) = word {
            let first = here.words.partition_point(|(other, _)| *other < word);
            for (_, to) in here.words[first..].iter().take_while(|(other, _)| *other == word) {
                self.push(Place { used: used + 1, state: *to, list: NONE }, cost, index, word);
            }
        }
        for (view, to) in here.views {
            let root = grammar.views.get(*view).root;
            self.push(Place { used, state: *to, list: root }, cost, index, NONE);
        }
    }

    /// Steps that cost something: a heard word left out, replaced, or a word put in.
    fn edit(&mut self, index: u32, way: Way) {
        let grammar = self.grammar;
        let Place { used, state, list } = way.place;
        let more = (used as usize) < self.words.len();
        if more {
            let cost = (way.cost + self.costs.delete, way.unlike);
            self.push(Place { used: used + 1, ..way.place }, cost, index, NONE);
        }
        let insert = (way.cost + self.costs.insert, way.unlike);
        let mut change = |word: WordId, state: StateId, list: TrieId| {
            if more {
                let unlike = way.unlike + self.unlike(used, word);
                let replace = (way.cost + self.costs.substitute, unlike);
                self.push(Place { used: used + 1, state, list }, replace, index, word);
            }
            self.push(Place { used, state, list }, insert, index, word);
        };
        if list == NONE {
            let here = grammar.graph().state(state);
            here.words.iter().for_each(|(word, to)| change(*word, *to, NONE));
        } else {
            let here = &grammar.views.tries[list as usize];
            here.next.iter().for_each(|(word, next)| change(*word, state, *next));
        }
    }
}
