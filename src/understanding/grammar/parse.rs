//! The exact parser: all templates at once, word by word, keeping the best way into each node.

use super::found::{Found, Took, slot_name};
use super::home::IN_AREA;
use super::near::{self, Candidate, Nearness, Span};
use super::network::{Network, NodeId, TemplateId};
use super::pieces::SlotId;
use super::views::{Entry, View, ViewId};
use super::words::{QuickMap, WordId};
use super::{Grammar, Meaning};
use crate::domain::Slots;
use crate::domain::calendar::When;
use crate::domain::intent::Ambiguity;
use crate::understanding::rules::{self, Reckoning};
use crate::understanding::sentences::model::Ruled;
use crate::understanding::text::{self, Token};
use chrono::NaiveDateTime;
use serde_json::Value;
use std::cmp::Reverse;
use std::sync::Arc;

/// A sentence that a template accepts.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// Name of the intent.
    pub intent: String,
    /// Its slots.
    pub slots: Slots,
    /// Key of the response, when the template asks for one.
    pub response: Option<String>,
    /// The template with its file and line.
    pub why: String,
    /// How many words a wildcard took.
    pub wild_words: usize,
    /// How sure it is, 0 to 1; below 1 where a name was not said exactly.
    pub score: f32,
    /// Slots whose name could be several, or should be asked about.
    pub doubts: Vec<Ambiguity>,
    /// What stands where a name belongs and is none.
    pub unknown: Option<String>,
    /// The words it was read from, each with what was made of it.
    pub words: Vec<(String, Took)>,
}

/// How much worse a way is than another. Less is better, the fields from the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Cost {
    /// How far names are from what was said: the way they were recognised, then how badly.
    near: u16,
    /// Words that a wildcard took.
    wild: u16,
    /// Words that were skipped.
    skipped: u16,
    /// Words that a list took: literal text is worth more.
    listed: u16,
    /// Lists that took words: one long name is worth more than a place and a shorter name.
    lists: u16,
}

/// How a node was reached.
#[derive(Debug, Clone, Copy)]
enum Step {
    Start,
    Word,
    Skip,
    Any(SlotId),
    View(ViewId, SlotId, u32),
    Ruled(SlotId, u32),
    Near(ViewId, SlotId, u32),
}

impl Step {
    fn took(self) -> Took {
        match self {
            Self::Word | Self::View(..) => Took::Meant,
            Self::Ruled(..) => Took::Ruled,
            Self::Near(..) => Took::Nearly,
            Self::Any(_) => Took::AsItIs,
            Self::Start | Self::Skip => Took::Nothing,
        }
    }
}

/// One way into a node.
#[derive(Debug, Clone, Copy)]
struct Way {
    node: NodeId,
    cost: Cost,
    step: Step,
    /// Position before the step.
    from: usize,
    /// The way it continues.
    before: usize,
}

/// The first arcs of all templates together, so that a sentence does not try each template.
#[derive(Debug, Default)]
pub(super) struct Start {
    words: QuickMap<WordId, Vec<NodeId>>,
    views: Vec<(ViewId, SlotId, NodeId)>,
    any: Vec<(SlotId, NodeId)>,
    ruled: Vec<(Ruled, SlotId, NodeId)>,
}

impl Start {
    pub(super) fn new(network: &Network) -> Self {
        let mut start = Self::default();
        for node in network.starts.iter().map(|id| network.node(*id)) {
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
        self.parse_tokens(text, &text::tokenise(text, self.tongue), NaiveDateTime::default())
    }

    /// The best match of some tokens of `text`, none of which need name a thing exactly.
    pub(in crate::understanding) fn parse_nearly(
        &self,
        text: &str,
        tokens: &[Token],
        now: NaiveDateTime,
    ) -> Option<Match> {
        let spans = self.near_spans(tokens);
        let found = (!spans.is_empty()).then(|| self.parse_with(text, tokens, now, &spans)).flatten();
        found.or_else(|| {
            let spans = self.meaning_spans(tokens);
            (!spans.is_empty()).then(|| self.parse_with(text, tokens, now, &spans)).flatten()
        })
    }

    /// The best match of some tokens of `text`; times are reckoned from `now`.
    pub(in crate::understanding) fn parse_tokens(
        &self,
        text: &str,
        tokens: &[Token],
        now: NaiveDateTime,
    ) -> Option<Match> {
        self.parse_with(text, tokens, now, &[])
    }

    pub(super) fn parse_with(
        &self,
        text: &str,
        tokens: &[Token],
        now: NaiveDateTime,
        spans: &[Span],
    ) -> Option<Match> {
        self.best(text, tokens, now, spans, |found| self.can_do_later(found, now))
    }

    /// The best match that `may` be it.
    pub(super) fn best(
        &self,
        text: &str,
        tokens: &[Token],
        now: NaiveDateTime,
        spans: &[Span],
        may: impl Fn(&Found) -> bool,
    ) -> Option<Match> {
        if tokens.is_empty() {
            return None;
        }
        let words: Vec<Option<WordId>> = tokens.iter().map(|token| self.words.typed(&token.word)).collect();
        let spoken: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let run = Run::new(self, &words, &spoken, now, spans);
        let last = run.frontier.last()?;
        let mut best: Option<(BestKey, TemplateId, Found)> = None;
        for way in last.values().map(|index| run.ways[*index]) {
            let Some(template) = self.network.end_of(way.node) else { continue };
            let meaning = &self.meanings[template as usize];
            let found = run.reconstruct(way, text, tokens);
            let fits = found.fits(&meaning.block, &self.context) && meaning.block.has_keyword(tokens);
            if !fits || found.lists_a_question(self.tongue()) || !may(&found) || self.is_elsewhere(&found) {
                continue;
            }
            let key: BestKey = (
                (way.cost.wild, way.cost.near),
                Reverse(meaning.block.rank),
                !found.named,
                way.cost,
                template,
            );
            if best.as_ref().is_none_or(|(other, _, _)| key < *other) {
                best = Some((key, template, found));
            }
        }
        let (key, template, found) = best?;
        let words = found.words(tokens);
        Some(Match { words, ..self.finish(&self.meanings[template as usize], found, usize::from(key.0.0)) })
    }

    /// Whether the thing stands in another area than the one that was said with it.
    fn is_elsewhere(&self, found: &Found) -> bool {
        let (said, stands) = (found.slots.get("area"), found.context.get(IN_AREA));
        let (Some(said), Some(name)) = (said, found.slots.get("name")) else { return false };
        let namesake =
            |item: &near::Item| item.entry.out == *name && item.entry.context.get(IN_AREA) == Some(said);
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
        Match {
            intent: meaning.block.intent.clone(),
            slots,
            response: found.response.or_else(|| meaning.block.response.clone()),
            why: format!("matched \"{}\" ({file}:{}){}", meaning.text, meaning.line, found.near_why),
            wild_words,
            score: found.score,
            doubts: found.doubts,
            unknown: found.unknown,
            words: Vec::new(),
        }
    }
}

/// Order of preference: fewest wildcard words, names said most exactly, the owner's own sentences, those that name a thing,
/// then most literal text, then the one written first.
type BestKey = ((u16, u16), Reverse<usize>, bool, Cost, TemplateId);

/// One run of the parser over a sentence.
struct Run<'g> {
    grammar: &'g Grammar,
    words: &'g [Option<WordId>],
    ways: Vec<Way>,
    /// Best way into each node, by position.
    frontier: Vec<QuickMap<NodeId, usize>>,
    /// What each list matches, by list, at the position at hand.
    matches: QuickMap<ViewId, Vec<(usize, u32)>>,
    /// The words themselves, for rules.
    spoken: &'g [&'g str],
    now: NaiveDateTime,
    /// What each rule matches, at the position at hand: ends, and places in `found`.
    ruled: Vec<(Ruled, Vec<(usize, u32)>)>,
    /// Everything that rules found.
    found: Vec<rules::Found>,
    /// Names that are nearly said.
    spans: &'g [Span],
    /// Those that were offered, with their places in the list; the best first.
    offered: Vec<Vec<(Candidate, u32)>>,
}

impl<'g> Run<'g> {
    fn new(
        grammar: &'g Grammar,
        words: &'g [Option<WordId>],
        spoken: &'g [&'g str],
        now: NaiveDateTime,
        spans: &'g [Span],
    ) -> Self {
        let mut run = Self {
            grammar,
            words,
            ways: Vec::new(),
            frontier: vec![QuickMap::default(); words.len() + 1],
            matches: QuickMap::default(),
            spoken,
            now,
            ruled: Vec::new(),
            found: Vec::new(),
            spans,
            offered: Vec::new(),
        };
        let start = Way { node: START, cost: Cost::default(), step: Step::Start, from: 0, before: 0 };
        run.push(0, start);
        for at in 0..words.len() {
            run.matches.clear();
            run.ruled.clear();
            let mut here: Vec<usize> = run.frontier[at].values().copied().collect();
            here.sort_unstable();
            let skips = run.skips(at);
            for index in here {
                run.advance(at, index);
                run.skip(at, index, &skips);
            }
        }
        run
    }

    fn push(&mut self, at: usize, way: Way) {
        let index = self.ways.len();
        match self.frontier[at].entry(way.node) {
            std::collections::hash_map::Entry::Occupied(mut known) => {
                if self.ways[*known.get()].cost <= way.cost {
                    return;
                }
                known.insert(index);
            }
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(index);
            }
        }
        self.ways.push(way);
    }

    fn advance(&mut self, at: usize, index: usize) {
        let way = self.ways[index];
        let grammar = self.grammar;
        if way.node == START {
            let start = &grammar.start;
            if let Some(targets) = self.words[at].and_then(|word| start.words.get(&word)) {
                targets.iter().for_each(|to| self.word(at, index, way.cost, *to));
            }
            start.views.iter().for_each(|arc| self.view(at, index, way.cost, *arc));
            start.any.iter().for_each(|arc| self.any(at, index, way.cost, *arc));
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
        node.any.iter().for_each(|arc| self.any(at, index, way.cost, *arc));
        node.ruled.iter().for_each(|arc| self.ruled(at, index, way.cost, *arc));
    }

    fn word(&mut self, at: usize, before: usize, cost: Cost, to: NodeId) {
        self.push(at + 1, Way { node: to, cost, step: Step::Word, from: at, before });
    }

    fn any(&mut self, at: usize, before: usize, mut cost: Cost, (slot, to): (SlotId, NodeId)) {
        cost.wild += 1;
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
        let list = self.grammar.views.get(view);
        for span in self.spans.iter().filter(|span| span.start == at && Some(span.list) == list.list) {
            let here = span.candidates.iter().filter_map(|candidate| {
                let value = list.entries.iter().position(|entry| Arc::ptr_eq(entry, &candidate.entry))?;
                Some((candidate.clone(), value as u32))
            });
            let Some(tied) = near::tied(here.collect()) else { continue };
            let Some((best, _)) = tied.first() else { continue };
            let mut cost = cost;
            cost.near += 100 * (1 + best.how as u16) + ((1.0 - best.score) * 100.0) as u16;
            cost.listed += (span.end - at) as u16;
            let step = Step::Near(view, slot, self.offered.len() as u32);
            self.offered.push(tied);
            self.push(span.end, Way { node: to, cost, step, from: at, before });
        }
    }

    fn ruled(&mut self, at: usize, before: usize, cost: Cost, (ruled, slot, to): (Ruled, SlotId, NodeId)) {
        let known = self.ruled.iter().position(|(known, _)| *known == ruled);
        let index = known.unwrap_or_else(|| {
            let by = Reckoning { tongue: self.grammar.tongue, now: self.now, prefer: ruled.prefer };
            let mut ends = Vec::new();
            for (found, used) in rules::all(ruled.rule, &self.spoken[at..], &by) {
                ends.push((at + used, self.found.len() as u32));
                self.found.push(found);
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
        let way = self.ways[before];
        for length in lengths {
            let mut cost = way.cost;
            cost.skipped += *length as u16;
            self.push(at + length, Way { node: way.node, cost, step: Step::Skip, from: at, before });
        }
    }

    /// Slots and context along a way.
    fn reconstruct(&self, last: Way, text: &str, tokens: &[Token]) -> Found {
        let mut steps = Vec::new();
        let (mut way, mut end) = (last, tokens.len());
        while !matches!(way.step, Step::Start) {
            steps.push((way.step, way.from, end));
            end = way.from;
            way = self.ways[way.before];
        }
        steps.reverse();
        let mut found = Found::default();
        let mut wild: Option<(SlotId, usize)> = None;
        for (step, from, end) in steps {
            found.took.extend((from..end).map(|_| step.took()));
            match step {
                Step::Any(slot) => {
                    let start = wild.filter(|(known, _)| *known == slot).map_or(from, |(_, start)| start);
                    wild = Some((slot, start));
                    let value = &text[tokens[start].start..tokens[end - 1].end];
                    self.put(&mut found, slot, Value::from(value.trim()));
                }
                Step::View(view, slot, value) => {
                    let view = self.grammar.views.get(view);
                    let entry = &view.entries[value as usize];
                    found.named |= view.names;
                    if view.names {
                        let same = self.same_words(view, from, end);
                        self.choose(&mut found, slot, &[&[entry], same.as_slice()].concat());
                    } else {
                        found.context.extend(entry.context.clone());
                        self.put(&mut found, slot, entry.out.clone());
                    }
                }
                Step::Near(view, slot, index) => {
                    found.named |= self.grammar.views.get(view).names;
                    let said = &text[tokens[from].start..tokens[end - 1].end];
                    self.put_near(&mut found, slot, &self.offered[index as usize], said);
                }
                Step::Ruled(slot, index) => {
                    let own = &self.grammar.slot_names[slot as usize];
                    for (part, value) in &self.found[index as usize] {
                        let name = slot_name(own, part);
                        let said = found.slots.get(&name).and_then(Value::as_str);
                        let joined = said.and_then(|said| When::joined(said, value.as_str()?));
                        let value =
                            joined.map_or_else(|| value.clone(), |when| Value::from(when.to_string()));
                        found.slots.insert(name, value);
                    }
                }
                _ => {}
            }
            if !matches!(step, Step::Any(_)) {
                wild = None;
            }
        }
        found
    }

    /// Every value that some words are, exactly.
    fn same_words<'v>(&self, view: &'v View, from: usize, end: usize) -> Vec<&'v Arc<Entry>> {
        let mut node = view.root;
        for word in &self.words[from..end] {
            let Some(next) = word.and_then(|word| self.grammar.views.step(node, word)) else {
                return Vec::new();
            };
            node = next;
        }
        let values = &self.grammar.views.tries[node as usize].values;
        values.iter().map(|value| &view.entries[*value as usize]).collect()
    }

    /// Puts the first of some names that are said alike, unless another stands where the speaker is; the
    /// others make it doubtful.
    fn choose(&self, found: &mut Found, slot: SlotId, entries: &[&Arc<Entry>]) {
        let place = self.grammar.context.get("area");
        let here = entries.iter().find(|entry| place.is_some() && entry.context.get(IN_AREA) == place);
        let chosen = here.unwrap_or(&entries[0]);
        let mut names: Vec<Value> = Vec::new();
        for entry in entries {
            if !names.contains(&entry.out) {
                names.push(entry.out.clone());
            }
        }
        if here.is_none() && names.len() > 1 {
            found.doubts.push(self.doubt(slot, &names));
        }
        found.context.extend(chosen.context.clone());
        self.put(found, slot, chosen.out.clone());
    }

    fn doubt(&self, slot: SlotId, names: &[Value]) -> Ambiguity {
        let candidates =
            names.iter().map(|name| name.as_str().map_or_else(|| name.to_string(), str::to_owned));
        Ambiguity {
            intent: 0,
            slot: self.grammar.slot_names[slot as usize].clone(),
            candidates: candidates.collect(),
        }
    }

    /// Puts a name that was nearly said, and notes why.
    fn put_near(&self, found: &mut Found, slot: SlotId, offered: &[(Candidate, u32)], said: &str) {
        let Some((best, _)) = offered.first() else { return };
        if best.how == Nearness::Unknown {
            found.context.extend(best.entry.context.clone());
            found.unknown = Some(said.to_owned());
            return;
        }
        let entries: Vec<&Arc<Entry>> = offered.iter().map(|(candidate, _)| &candidate.entry).collect();
        let doubts = found.doubts.len();
        self.choose(found, slot, &entries);
        // What can be dangerous is never done to a name that somebody may not have said.
        let domain = best.entry.context.get("domain").and_then(Value::as_str).unwrap_or_default();
        if best.how != Nearness::Form && DANGEROUS_DOMAINS.contains(&domain) && found.doubts.len() == doubts {
            found.doubts.push(self.doubt(slot, std::slice::from_ref(&best.entry.out)));
        }
        let name = best.entry.out.as_str().unwrap_or_default();
        let how = match best.how {
            Nearness::Form => "is another form of",
            Nearness::Sound => "sounds like",
            Nearness::Part => "is a part of",
            Nearness::Meaning => "means",
            Nearness::Unknown => "is none, nor is",
        };
        found.near_why.push_str(&format!("; \"{said}\" {how} \"{name}\""));
        found.score = found.score.min(match best.how {
            Nearness::Form => 0.98,
            Nearness::Sound | Nearness::Meaning => best.score.min(0.95),
            Nearness::Part => 0.8,
            Nearness::Unknown => 0.0,
        });
    }

    fn put(&self, found: &mut Found, slot: SlotId, value: Value) {
        let name = &self.grammar.slot_names[slot as usize];
        match (name.as_str(), value) {
            (RESPONSE, Value::String(key)) => found.response = Some(key),
            // A capture is no slot.
            (capture, _) if capture.starts_with('@') => {}
            (_, value) => drop(found.slots.insert(name.clone(), value)),
        }
    }
}

/// A list that says which response is wanted: `{question:@response}`. Hark's own.
const RESPONSE: &str = "@response";

/// Things of these domains can let somebody in, or leave the house open.
const DANGEROUS_DOMAINS: [&str; 5] = ["lock", "cover", "alarm_control_panel", "valve", "garage"];

/// Things of these domains are not bound to where they stand.
const DRIVING_DOMAINS: [&str; 2] = ["vacuum", "lawn_mower"];
