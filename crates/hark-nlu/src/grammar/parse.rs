//! The exact parser: all templates at once, word by word, keeping the best way into each node.

mod address;
pub(super) mod chart;
mod reconstruct;
mod such;

use super::fragments::SlotId;
use super::fuzzy_match;
use super::fuzzy_match::near_names::Span;
use super::home::IN_AREA;
use super::network::{Network, NodeId, TemplateId};
use super::parse_result::{Found, Match};
use super::reader::Reader;
use super::views::ViewId;
use super::words::{QuickMap, WordId};
use super::{Grammar, Meaning, Part};
use crate::intent::{category_of, leans_on_another};
use crate::rules;
use crate::sentences::model::Ruled;
use crate::text::{self, Token};
use chart::{Chart, ChartKey, Cost, Step, Way};
use chrono::NaiveDateTime;
use hark_core::{Category, Effort};
use serde_json::Value;
use std::cmp::Reverse;
use std::rc::Rc;
use std::sync::Arc;

/// The first arcs of all templates together, so that a sentence does not try each template.
#[derive(Debug, Default)]
pub(super) struct Start {
    words: QuickMap<WordId, Vec<NodeId>>,
    views: Vec<(ViewId, SlotId, NodeId)>,
    any: Vec<(SlotId, NodeId)>,
    ruled: Vec<(Ruled, SlotId, NodeId)>,
}

impl Start {
    /// Of the templates that `are_of` it.
    pub(super) fn new(network: &Network, are_of: impl Fn(TemplateId) -> bool) -> Self {
        let mut start = Self::default();
        let of_it = network.starts.iter().enumerate().filter(|(template, _)| are_of(*template as TemplateId));
        for node in of_it.map(|(_, id)| network.node(*id)) {
            for (word, to) in node.words {
                start.words.entry(*word).or_default().push(*to);
            }
            start.views.extend(node.views);
            start.any.extend(node.any);
            start.ruled.extend(node.ruled);
        }
        start.views.sort_unstable();
        start
    }
}

/// The node number that stands for the start of all templates.
const START: NodeId = NodeId::MAX;

impl Grammar {
    /// The best match of a text; `None` when no template accepts it. Times are reckoned from 1970.
    pub fn parse(&self, text: &str) -> Option<Match> {
        let effort = Effort::default();
        let found = Reader::new(self, NaiveDateTime::default(), &effort)
            .exactly(text, &text::tokenise(text, self.lexicon));
        found.filter(|_| !effort.is_spent())
    }
}

impl Reader<'_> {
    pub(super) fn parse_with(&self, text: &str, tokens: &[Token], spans: &[Span]) -> Option<Match> {
        self.best(text, tokens, spans, |found| self.can_do_later(found, tokens))
    }

    /// The best match that `may` be it.
    pub(super) fn best(
        &self,
        text: &str,
        tokens: &[Token],
        spans: &[Span],
        may: impl Fn(&Found) -> bool,
    ) -> Option<Match> {
        self.best_of(Part::Request, text, tokens, spans, true, |_, found| may(found))
    }

    /// The best match as a part of a request; `nearly`: names may be said otherwise.
    pub(super) fn best_part(&self, part: Part, nearly: bool, text: &str, tokens: &[Token]) -> Option<Match> {
        let read = |spans: &[Span]| self.best_of(part, text, tokens, spans, false, |_, _| true);
        if !nearly {
            return read(&[]);
        }
        // "Once *the hoover*'s back" is about the robot vacuum.
        let meant = || Some(self.synonym_spans(tokens)).filter(|spans| !spans.is_empty());
        read(&self.near_spans(tokens)).or_else(|| read(&meant()?))
    }

    /// The best match without words that can be any. Ways with such words are the worst of all where every name is said
    /// exactly, so that leaving them out changes nothing but the time.
    pub(super) fn best_tame(&self, text: &str, tokens: &[Token]) -> Option<Match> {
        self.best_of(Part::Request, text, tokens, &[], false, |_, _| true)
    }

    fn best_of(
        &self,
        part: Part,
        text: &str,
        tokens: &[Token],
        spans: &[Span],
        wild: bool,
        may: impl Fn(TemplateId, &Found) -> bool,
    ) -> Option<Match> {
        if tokens.is_empty() || self.is_spent() {
            return None;
        }
        let grammar = self.grammar;
        let words: Vec<Option<WordId>> =
            tokens.iter().map(|token| grammar.words.typed(&token.word)).collect();
        let spoken: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let chart = self.chart(part, &words, &spoken, spans, wild)?;
        let reached = Reached { grammar, chart: &chart };
        let mut best: Option<(BestKey, TemplateId, Found)> = None;
        for way in chart.frontier.get(tokens.len())?.values().map(|index| chart.ways[*index]) {
            let Some(template) = grammar.network.end_of(way.node) else { continue };
            // Words that are taken as they are grow with every one of them.
            if !self.spend(tokens.len() * (1 + tokens.len() / WORDS_A_STEP)) {
                return None;
            }
            let meaning = &grammar.meanings[template as usize];
            let found = reached.reconstruct(way, text, tokens);
            let fits = found.fits(&meaning.block, &grammar.context) && meaning.block.has_keyword(tokens);
            let is_title = category_of(&meaning.block.intent) == Some(Category::Media);
            if !fits
                || found.contradicts
                || found.is_address == Some(false)
                || found.lists_no_item(grammar.lexicon())
                || found.is_no_name(&meaning.block.intent, grammar.lexicon())
                || part == Part::Request && found.is_a_bare_word(tokens)
                || leans_on_another(&meaning.block.intent) && found.names_a_thing("item", grammar)
                || is_title && found.is_no_title(tokens, grammar)
                || found.takes_one_for_a_number(tokens, grammar.lexicon())
                || !may(template, &found)
                || grammar.is_elsewhere(&found)
            {
                continue;
            }
            // An address can be nothing else: its words are not any.
            let wild = if found.is_address == Some(true) { 0 } else { way.cost.wild };
            let key: BestKey =
                ((wild, way.cost.near), Reverse(meaning.block.rank), !found.named, way.cost, template);
            if best.as_ref().is_none_or(|(other, _, _)| key < *other) {
                best = Some((key, template, found));
            }
        }
        let (key, template, found) = best?;
        let words = found.words(tokens);
        let meaning = &grammar.meanings[template as usize];
        let mut found = grammar.finish(meaning, found, usize::from(key.0.0));
        self.note_of_it(&mut found);
        Some(Match { words, ..found })
    }
}

impl Reader<'_> {
    /// The chart of some words: what was parsed of a sentence that begins with them has it already.
    fn chart(
        &self,
        part: Part,
        words: &[Option<WordId>],
        spoken: &[&str],
        spans: &[Span],
        wild: bool,
    ) -> Option<Rc<Chart>> {
        if !spans.is_empty() {
            return Run::parse(self, part, words, spoken, spans, wild).map(Rc::new);
        }
        let key = ChartKey { part, wild, first: (*spoken.first()?).to_owned() };
        let known = |charts: &Vec<Rc<Chart>>| charts.iter().find(|chart| chart.begins_with(spoken)).cloned();
        if let Some(chart) = self.caches.charts.borrow().get(&key).and_then(known) {
            return Some(chart);
        }
        let longer = self.goes_on(spoken);
        let chart = if longer.is_empty() {
            Run::parse(self, part, words, spoken, spans, wild)?
        } else {
            let longer: Vec<&str> = spoken.iter().copied().chain(longer.iter().map(String::as_str)).collect();
            let words: Vec<_> = longer.iter().map(|word| self.grammar.words.typed(word)).collect();
            Run::parse(self, part, &words, &longer, spans, wild)?
        };
        let chart = Rc::new(chart);
        self.caches.charts.borrow_mut().entry(key).or_default().push(Rc::clone(&chart));
        Some(chart)
    }
}

impl Grammar {
    /// Whether the thing stands in another area than the one that was said with it.
    fn is_elsewhere(&self, found: &Found) -> bool {
        let (said, stands) = (found.slots.get("area"), found.context.get(IN_AREA));
        let (Some(said), Some(name)) = (said, found.slots.get("name")) else { return false };
        let namesake = |item: &fuzzy_match::Item| {
            item.entry.out == *name && item.entry.context.get(IN_AREA) == Some(said)
        };
        // What drives about is told where to go.
        let drives = found
            .context
            .get("domain")
            .and_then(Value::as_str)
            .is_some_and(|it| DRIVING_DOMAINS.contains(&it));
        found.named
            && !drives
            && stands.is_some_and(|stands| stands != said)
            && !self.names.items.iter().any(namesake)
    }

    fn finish(&self, meaning: &Meaning, found: Found, wild_words: usize) -> Match {
        let mut slots = found.slots;
        let told = slots.clone();
        let mut put = |slot: &String, value: &Value| {
            if !told.contains_key(slot) {
                slots.insert(slot.clone(), value.clone());
            }
        };
        for (key, requirement) in &meaning.block.requires {
            let value = found.context.get(key).or_else(|| self.context.get(key));
            if let (Some(slot), Some(value)) = (&requirement.slot, value) {
                put(slot, value);
            }
        }
        for key in &meaning.block.from_context {
            if let Some(value) = found.context.get(key).or_else(|| self.context.get(key)) {
                put(key, value);
            }
        }
        meaning.block.slots.iter().for_each(|(slot, value)| put(slot, value));
        let file =
            meaning.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        // Nothing is done by who looks at the wrong thing, or makes safe what was named by some of
        // its words, and its name is in the answer.
        let mut doubts = found.doubts;
        let domain = found.context.get("domain").and_then(Value::as_str).unwrap_or_default();
        let is_made_safe = found.in_part && SAFE.contains(&(meaning.block.intent.as_str(), domain));
        if is_made_safe || category_of(&meaning.block.intent) == Some(Category::HomeQuery) {
            doubts.retain(|doubt| doubt.candidates.len() > 1);
        }
        Match {
            intent: meaning.block.intent.clone(),
            slots,
            response: found.response.or_else(|| meaning.block.response.clone()),
            why: format!("matched \"{}\" ({file}:{}){}", meaning.text, meaning.line, found.near_why),
            wild_words,
            score: found.score,
            doubts,
            one: false,
            unknown: found.unknown,
            words: Vec::new(),
            spans: found.spans,
        }
    }
}

/// Order of preference: fewest wildcard words, names said most exactly, the owner's own sentences, those that name a thing,
/// then most literal text, then the one written first.
type BestKey = ((u16, u16), Reverse<usize>, bool, Cost, TemplateId);

/// A chart, and the grammar whose nodes it has reached.
struct Reached<'c> {
    grammar: &'c Grammar,
    chart: &'c Chart,
}

/// One run of the parser over a sentence.
struct Run<'g> {
    reader: &'g Reader<'g>,
    grammar: &'g Grammar,
    /// Where its templates begin.
    start: &'g Start,
    /// Whether some words can be any.
    wild: bool,
    words: &'g [Option<WordId>],
    chart: Chart,
    /// What each list matches, by list, at the position at hand.
    matches: QuickMap<ViewId, Vec<(usize, u32)>>,
    /// The words themselves, for rules.
    spoken: &'g [&'g str],
    /// The words that a rule may read at the position at hand, joined by spaces.
    rest: Option<Rc<str>>,
    /// What each rule matches, at the position at hand: ends, and places in `found`.
    ruled: Vec<(Ruled, Vec<(usize, u32)>)>,
    /// Names that are nearly said.
    spans: &'g [Span],
    /// Which of these each list offers at the position at hand: ends, places in `offered`, and what they cost.
    nearby: QuickMap<ViewId, Vec<(usize, u32, u16)>>,
    /// Steps that are still to be taken from the effort.
    unpaid: usize,
}

impl<'g> Run<'g> {
    /// `None` when no effort is left.
    fn parse(
        reader: &'g Reader<'g>,
        part: Part,
        words: &'g [Option<WordId>],
        spoken: &'g [&'g str],
        spans: &'g [Span],
        wild: bool,
    ) -> Option<Chart> {
        let chart = Chart {
            words: words.to_vec(),
            spoken: spoken.iter().map(|word| (*word).to_owned()).collect(),
            ways: Vec::new(),
            frontier: vec![QuickMap::default(); words.len() + 1],
            found: Vec::new(),
            offered: Vec::new(),
        };
        let mut run = Self {
            reader,
            grammar: reader.grammar,
            start: reader.grammar.start_of(part),
            wild,
            words,
            chart,
            matches: QuickMap::default(),
            spoken,
            rest: None,
            ruled: Vec::new(),
            spans,
            nearby: QuickMap::default(),
            unpaid: 0,
        };
        let start = Way { node: START, cost: Cost::default(), step: Step::Start, from: 0, before: 0 };
        run.push(0, start);
        for at in 0..words.len() {
            run.matches.clear();
            run.ruled.clear();
            run.rest = None;
            run.nearby.clear();
            let mut here: Vec<usize> = run.chart.frontier[at].values().copied().collect();
            here.sort_unstable();
            let skips = run.skips(at);
            for index in here {
                if !reader.spend(std::mem::take(&mut run.unpaid)) {
                    return None;
                }
                run.advance(at, index);
                run.skip(at, index, &skips);
            }
        }
        Some(run.chart)
    }

    fn push(&mut self, at: usize, way: Way) {
        self.unpaid += 1;
        let index = self.chart.ways.len();
        match self.chart.frontier[at].entry(way.node) {
            std::collections::hash_map::Entry::Occupied(mut known) => {
                if self.chart.ways[*known.get()].cost <= way.cost {
                    return;
                }
                known.insert(index);
            }
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(index);
            }
        }
        self.chart.ways.push(way);
    }

    fn advance(&mut self, at: usize, index: usize) {
        let way = self.chart.ways[index];
        let grammar = self.grammar;
        if way.node == START {
            let start = self.start;
            if let Some(targets) = self.words[at].and_then(|word| start.words.get(&word)) {
                targets.iter().for_each(|to| self.word(at, index, way.cost, *to));
            }
            start.views.iter().for_each(|arc| self.view(at, index, way.cost, *arc));
            if self.wild {
                start.any.iter().for_each(|arc| self.any(at, index, way.cost, *arc));
            }
            start.ruled.iter().for_each(|arc| self.ruled(at, index, way.cost, *arc));
            return;
        }
        let node = grammar.network.node(way.node);
        if let Some(word) = self.words[at] {
            let first = node.words.partition_point(|(other, _)| *other < word);
            for (_, to) in node.words[first..].iter().take_while(|(other, _)| *other == word) {
                self.word(at, index, way.cost, *to);
            }
        }
        node.views.iter().for_each(|arc| self.view(at, index, way.cost, *arc));
        if self.wild {
            node.any.iter().for_each(|arc| self.any(at, index, way.cost, *arc));
        }
        node.ruled.iter().for_each(|arc| self.ruled(at, index, way.cost, *arc));
    }

    fn word(&mut self, at: usize, before: usize, cost: Cost, to: NodeId) {
        self.push(at + 1, Way { node: to, cost, step: Step::Word, from: at, before });
    }

    fn any(&mut self, at: usize, before: usize, mut cost: Cost, (slot, to): (SlotId, NodeId)) {
        cost.wild = cost.wild.saturating_add(1);
        self.push(at + 1, Way { node: to, cost, step: Step::Any(slot), from: at, before });
    }

    fn view(&mut self, at: usize, before: usize, cost: Cost, (view, slot, to): (ViewId, SlotId, NodeId)) {
        let (grammar, words) = (self.grammar, self.words);
        let found = self.matches.entry(view).or_insert_with(|| grammar.views.matches(view, words, at));
        for (end, value) in found.clone() {
            let mut cost = cost;
            cost.listed += (end - at) as u16;
            cost.lists += 1;
            self.push(end, Way { node: to, cost, step: Step::View(view, slot, value), from: at, before });
        }
        if !self.spans.is_empty() {
            self.near(at, before, cost, (view, slot, to));
        }
    }

    /// Names of a list that are nearly said here.
    fn near(&mut self, at: usize, before: usize, cost: Cost, (view, slot, to): (ViewId, SlotId, NodeId)) {
        if !self.nearby.contains_key(&view) {
            let here = self.near_matches(at, view);
            self.nearby.insert(view, here);
        }
        for index in 0..self.nearby[&view].len() {
            let (end, offered, near) = self.nearby[&view][index];
            let mut cost = cost;
            cost.near = cost.near.saturating_add(near);
            cost.listed += (end - at) as u16;
            let step = Step::Near(view, slot, offered);
            self.push(end, Way { node: to, cost, step, from: at, before });
        }
    }

    /// Which names of a list are nearly said here: where they end, where they are offered, and what they cost.
    fn near_matches(&mut self, at: usize, view: ViewId) -> Vec<(usize, u32, u16)> {
        let list = self.grammar.views.get(view);
        let mut found = Vec::new();
        self.unpaid += self.spans.len() / SPANS_A_STEP;
        for span in self.spans.iter().filter(|span| span.start == at && Some(span.list) == list.list) {
            self.unpaid += span.candidates.len() * list.entries.len() / ENTRIES_A_STEP;
            let here = span.candidates.iter().filter_map(|candidate| {
                let value = list.entries.iter().position(|entry| Arc::ptr_eq(entry, &candidate.entry))?;
                Some((candidate.clone(), value as u32))
            });
            let Some(tied) = fuzzy_match::tied(here.collect()) else { continue };
            let Some((best, _)) = tied.first() else { continue };
            let near = 100 * (1 + best.how as u16) + ((1.0 - best.score) * 100.0) as u16;
            found.push((span.end, self.chart.offered.len() as u32, near));
            self.chart.offered.push(tied);
        }
        found
    }

    fn ruled(&mut self, at: usize, before: usize, cost: Cost, (ruled, slot, to): (Ruled, SlotId, NodeId)) {
        let known = self.ruled.iter().position(|(known, _)| *known == ruled);
        let index = known.unwrap_or_else(|| {
            let mut ends = Vec::new();
            let rest = &self.spoken[at..self.spoken.len().min(at + rules::MAX_WORDS)];
            let joined = Rc::clone(self.rest.get_or_insert_with(|| rest.join(" ").into()));
            // "To twenty *two*" does not end at two.
            let numbers = &self.grammar.lexicon().numbers;
            let is_split = at > 0 && numbers.number(&self.spoken[at - 1..]).is_some_and(|(_, used)| used > 1);
            let all = if is_split { Rc::default() } else { self.reader.ruled(ruled, &joined, rest) };
            for (found, used) in all.iter() {
                ends.push((at + used, self.chart.found.len() as u32));
                self.chart.found.push(found.clone());
            }
            self.ruled.push((ruled, ends));
            self.ruled.len() - 1
        });
        for (end, found) in self.ruled[index].1.clone() {
            let mut cost = cost;
            // A written value is worth more than what a rule makes of the same words.
            cost.listed += (end - at) as u16 + 1;
            self.push(end, Way { node: to, cost, step: Step::Ruled(slot, found), from: at, before });
        }
    }

    /// Lengths of the phrases that may be passed over at `at`.
    fn skips(&self, at: usize) -> Vec<usize> {
        let rest = &self.words[at..];
        let fits = |phrase: &&Vec<WordId>| {
            phrase.len() <= rest.len() && phrase.iter().zip(rest).all(|(word, here)| Some(*word) == *here)
        };
        self.grammar.skip_phrases.iter().filter(fits).map(Vec::len).collect()
    }

    fn skip(&mut self, at: usize, before: usize, lengths: &[usize]) {
        let way = self.chart.ways[before];
        for length in lengths {
            let mut cost = way.cost;
            cost.skipped += *length as u16;
            self.push(at + length, Way { node: way.node, cost, step: Step::Skip, from: at, before });
        }
    }
}

/// Words that are put together in one step.
const WORDS_A_STEP: usize = 64;

/// Spans and entries of lists that are looked through in one step.
const SPANS_A_STEP: usize = 16;
const ENTRIES_A_STEP: usize = 64;

/// What leaves nothing open, by intent and domain: locking, closing a valve.
const SAFE: [(&str, &str); 2] = [("HassTurnOn", "lock"), ("HassTurnOff", "valve")];

/// Things of these domains are not bound to where they stand.
const DRIVING_DOMAINS: [&str; 2] = ["vacuum", "lawn_mower"];
