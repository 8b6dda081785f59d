//! Sentences to train the recogniser with: the same ones for the same seed, every intent, list value
//! and number well covered.

use super::fragments::{SILENT, SlotId};
use super::home::IN_AREA;
use super::network::{Network, NodeId, TemplateId};
use super::views::{Entry, ViewId, Views};
use super::words::{QuickMap, WordId};
use super::{Grammar, JOINER, Meaning};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How likely a spoken sentence begins or ends with a polite phrase, in percent.
const POLITE_PERCENT: u64 = 12;

/// How likely two requests are joined in one sentence, in percent.
const JOINED_PERCENT: u64 = 3;

/// A list weighs as much as this many words when the way forks.
const LIST_WEIGHT: usize = 3;

/// The word that the files use first weighs as much as this many others: the usual alternative stands
/// first.
const USUAL_WEIGHT: usize = 3;

/// A range of numbers weighs more: each number should have its turn.
const RANGE_WEIGHT: usize = 6;

/// An intent's share of the samples grows with what it can say to this power: below 1, so that intents
/// of few sentences are heard too.
const INTENT_SHARE: f64 = 0.7;

/// No intent has less: "cancel" has few sentences and must be heard all the same.
const LEAST_SHARE: f64 = 8.0;

/// What the sampler knows beforehand.
#[derive(Debug, Default)]
pub(super) struct Sampler {
    /// Nodes from which a sentence can be said to its end, without wildcards.
    speaks: Vec<bool>,
    /// Intents with their weight and their templates.
    intents: Vec<SampledIntent>,
}

#[derive(Debug)]
struct SampledIntent {
    /// Share of the samples, up to this intent.
    weight_to_here: f64,
    /// Templates with their shares of it.
    templates: Vec<(f64, TemplateId)>,
    /// Whether it makes sense beside another request.
    joinable: bool,
}

impl Sampler {
    pub(super) fn new(network: &Network, views: &Views, meanings: &[Meaning]) -> Self {
        let counts = sentence_counts(network, views);
        let mut sampler =
            Self { speaks: counts.iter().map(|count| *count > 0.0).collect(), intents: Vec::new() };
        let mut names: Vec<&str> = Vec::new();
        for (template, start) in network.starts.iter().enumerate() {
            let count = counts[*start as usize];
            if count == 0.0 || !network.spoken[template] {
                continue;
            }
            let intent = meanings[template].block.intent.as_str();
            let index = names.iter().position(|name| *name == intent).unwrap_or_else(|| {
                names.push(intent);
                let joinable = intent.starts_with("Hass") && intent != "HassNevermind";
                sampler.intents.push(SampledIntent { weight_to_here: 0.0, templates: Vec::new(), joinable });
                names.len() - 1
            });
            // A template with many sentences deserves more samples, but not in proportion.
            sampler.intents[index].templates.push((1.0 + count.ln(), template as TemplateId));
        }
        let mut total = 0.0;
        for intent in &mut sampler.intents {
            let sentences: f64 = intent.templates.iter().map(|(weight, _)| weight).sum();
            total += sentences.powf(INTENT_SHARE).max(LEAST_SHARE);
            intent.weight_to_here = total;
        }
        sampler
    }
}

/// How many sentences can be said from each node on, at most about 1e300; wildcards do not count.
fn sentence_counts(network: &Network, views: &Views) -> Vec<f64> {
    let mut counts = vec![f64::NAN; network.len()];
    let mut stack = Vec::new();
    for start in 0..network.len() {
        stack.push(start as NodeId);
        while let Some(&id) = stack.last() {
            if !counts[id as usize].is_nan() {
                stack.pop();
                continue;
            }
            let words = network.said_words(id).map(|(_, to)| to);
            let next = words.chain(network.said_views(id).map(|(_, _, to)| to));
            let done = stack.len();
            stack.extend(next.filter(|to| counts[*to as usize].is_nan()));
            if stack.len() > done {
                continue;
            }
            let words: f64 = network.said_words(id).map(|(_, to)| counts[to as usize]).sum();
            let lists = network.said_views(id);
            let lists: f64 =
                lists.map(|(view, _, to)| views.get(view).entries.len() as f64 * counts[to as usize]).sum();
            let end = if network.node(id).last { 1.0 } else { 0.0 };
            counts[id as usize] = (words + lists + end).min(1e300);
            stack.pop();
        }
    }
    counts
}

/// SplitMix64: small, quick, the same on every machine.
#[derive(Debug, Clone)]
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// 0 ..< `count`; 0 when `count` is 0.
    fn below(&mut self, count: u64) -> u64 {
        if count == 0 { 0 } else { self.next() % count }
    }

    /// 0.0 ..< 1.0
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// A sampled sentence and what it was made from.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub words: Vec<WordId>,
    pub template: TemplateId,
    #[cfg_attr(not(test), allow(dead_code, reason = "the properties compare it with the parser"))]
    pub slots: Vec<(SlotId, Value)>,
    joinable: bool,
    /// Area of a thing that was named, or an area that was said.
    area: Option<Value>,
}

/// The ways a sentence goes on from a node, each with its weight.
pub(super) struct Fork {
    pub(super) words: Vec<(WordId, NodeId, usize)>,
    pub(super) lists: Vec<(ViewId, SlotId, NodeId, usize)>,
    /// All weights; 1 of it is that the sentence ends, where it may.
    pub(super) total: usize,
}

/// A sentence to learn from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledSample {
    /// In spoken form.
    pub text: String,
    /// Home Assistant's name of the intent, or one of ours.
    pub intent: String,
    /// The kind of thing it is about, where the template says so.
    pub domain: Option<String>,
}

/// One run of the sampler.
struct Run<'g> {
    grammar: &'g Grammar,
    dice: Dice,
    /// Values of a list that have not had their turn yet, so that each gets as many as the others.
    waiting: QuickMap<ViewId, Vec<u32>>,
}

impl Grammar {
    /// How sentences that can be said go on from a node.
    pub(super) fn fork(&self, at: NodeId) -> Fork {
        let network = &self.network;
        let speaks = |to: NodeId| self.sampler().speaks[to as usize];
        let words = network.said_words(at).filter(|(_, to)| speaks(*to));
        let mut words: Vec<_> = words.map(|(word, to)| (word, to, 1)).collect();
        words.sort_unstable();
        // Words are sorted by their numbers, which they have in the order of their first use.
        if let [first, _, ..] = words.as_mut_slice() {
            first.2 = USUAL_WEIGHT;
        }
        let weight = |view: ViewId| if self.views.get(view).numeric { RANGE_WEIGHT } else { LIST_WEIGHT };
        let lists = network.said_views(at).filter(|(_, _, to)| speaks(*to));
        let lists: Vec<_> = lists.map(|(view, slot, to)| (view, slot, to, weight(view))).collect();
        let ways = words.iter().map(|(.., weight)| weight).chain(lists.iter().map(|(.., weight)| weight));
        let total = ways.sum::<usize>() + usize::from(network.node(at).last);
        Fork { words, lists, total }
    }

    /// First nodes of the templates that can be said, each with its share of the samples.
    pub(super) fn sampled_starts(&self) -> impl Iterator<Item = (NodeId, f64)> {
        let mut before = 0.0;
        self.sampler().intents.iter().flat_map(move |intent| {
            let share = intent.weight_to_here - std::mem::replace(&mut before, intent.weight_to_here);
            let sum: f64 = intent.templates.iter().map(|(weight, _)| weight).sum();
            let start = |template: TemplateId| self.network.starts[template as usize];
            intent.templates.iter().map(move |(weight, template)| (start(*template), share * weight / sum))
        })
    }

    pub(super) fn samples(&self, count: usize, seed: u64) -> Vec<Vec<String>> {
        let mut run = Run { grammar: self, dice: Dice(seed), waiting: QuickMap::default() };
        let mut samples = Vec::with_capacity(count);
        while samples.len() < count {
            let Some(sample) = run.sentence() else { break };
            let mut words = sample.words;
            if sample.joinable
                && run.dice.percent(JOINED_PERCENT)
                && let Some(second) = run.sentence().filter(|second| second.joinable)
                && let Some(joiner) = self.words.get(JOINER)
            {
                words.push(joiner);
                words.extend(second.words);
            }
            let words = run.politely(words);
            samples.push(words.into_iter().map(|word| self.words.text(word).to_owned()).collect());
        }
        samples
    }

    /// Up to `per_intent` different sentences of every intent, in the order of the intents.
    pub fn labelled(&self, per_intent: usize, seed: u64) -> Vec<LabelledSample> {
        let mut run = Run { grammar: self, dice: Dice(seed), waiting: QuickMap::default() };
        let mut found = Vec::new();
        for intent in &self.sampler().intents {
            let mut seen = BTreeSet::new();
            // Intents of few sentences repeat themselves.
            for _ in 0..3 * per_intent {
                if seen.len() == per_intent {
                    break;
                }
                let Some(sample) = run.sentence_of(intent) else { break };
                let meaning = &self.meanings[sample.template as usize];
                let domain = meaning.block.domain().map(str::to_owned);
                let words = run.politely(sample.words);
                let words: Vec<&str> = words.into_iter().map(|word| self.words.text(word)).collect();
                let text = words.join(" ");
                if seen.insert(text.clone()) {
                    found.push(LabelledSample { text, intent: meaning.block.intent.clone(), domain });
                }
            }
        }
        found
    }

    /// Single sentences with their meaning.
    #[cfg(test)]
    pub(crate) fn meant_samples(&self, count: usize, seed: u64) -> Vec<Sample> {
        let mut run = Run { grammar: self, dice: Dice(seed), waiting: QuickMap::default() };
        (0..count).map_while(|_| run.sentence()).collect()
    }

    /// Words, intent and slots of a sample.
    #[cfg(test)]
    pub(crate) fn sample_meaning(&self, sample: &Sample) -> (Vec<String>, String, hark_core::Slots) {
        let meaning = &self.meanings[sample.template as usize];
        let words = sample.words.iter().map(|word| self.words.text(*word).to_owned()).collect();
        let named = sample.slots.iter();
        let mut slots: hark_core::Slots =
            named.map(|(slot, value)| (self.slot_names[*slot as usize].clone(), value.clone())).collect();
        slots.retain(|slot, _| !slot.starts_with('@'));
        slots.extend(meaning.block.slots.clone());
        (words, meaning.block.intent.clone(), slots)
    }
}

impl Run<'_> {
    fn sentence(&mut self) -> Option<Sample> {
        let intents = &self.grammar.sampler().intents;
        let total = intents.last()?.weight_to_here;
        let point = self.dice.share() * total;
        let intent = &intents[intents.partition_point(|intent| intent.weight_to_here <= point)];
        self.sentence_of(intent)
    }

    fn sentence_of(&mut self, intent: &SampledIntent) -> Option<Sample> {
        let sum: f64 = intent.templates.iter().map(|(weight, _)| weight).sum();
        let mut point = self.dice.share() * sum;
        let chosen = intent.templates.iter().find(|(weight, _)| {
            point -= weight;
            point < 0.0
        });
        let template = chosen.or(intent.templates.last())?.1;
        let (words, slots) = (Vec::new(), Vec::new());
        let mut sample = Sample { words, template, slots, joinable: intent.joinable, area: None };
        self.walk(&mut sample);
        Some(sample)
    }

    fn walk(&mut self, sample: &mut Sample) {
        let (grammar, mut at) = (self.grammar, self.grammar.network.starts[sample.template as usize]);
        loop {
            let Fork { words, lists, total } = grammar.fork(at);
            let mut pick = self.dice.below(total as u64) as usize;
            let mut is_picked = |weight: usize| match pick.checked_sub(weight) {
                Some(rest) => {
                    pick = rest;
                    false
                }
                None => true,
            };
            if let Some((word, to, _)) = words.iter().find(|(.., weight)| is_picked(*weight)) {
                sample.words.push(*word);
                at = *to;
                continue;
            }
            let chosen = lists.iter().find(|(.., weight)| is_picked(*weight));
            let Some((view, slot, to, _)) = chosen else { return };
            self.value(sample, *view, *slot);
            at = *to;
        }
    }

    fn value(&mut self, sample: &mut Sample, view: ViewId, slot: SlotId) {
        let entry = self.choose(sample, view, slot);
        // The usual way of saying it as often as all others together.
        let other = self.dice.below(2 * entry.phrases.len() as u64 - 1) as usize;
        let phrase = &entry.phrases[other.saturating_sub(entry.phrases.len() - 1)];
        sample.words.extend(phrase);
        if slot != SILENT {
            sample.slots.push((slot, entry.out.clone()));
        }
        if self.is_area(slot) {
            sample.area = Some(entry.out.clone());
        } else if let Some(area) = entry.context.get(IN_AREA) {
            sample.area = Some(area.clone());
        }
    }

    fn is_area(&self, slot: SlotId) -> bool {
        self.grammar.slot_names.get(slot as usize).is_some_and(|name| name == "area")
    }

    /// The value whose turn it is. A thing and an area in one sentence belong together.
    fn choose(&mut self, sample: &Sample, view: ViewId, slot: SlotId) -> Arc<Entry> {
        let entries = &self.grammar.views.get(view).entries;
        if let Some(area) = &sample.area {
            let is_area = self.is_area(slot);
            let near = |entry: &&Arc<Entry>| {
                if is_area { entry.out == *area } else { entry.context.get(IN_AREA) == Some(area) }
            };
            let near: Vec<&Arc<Entry>> = entries.iter().filter(near).collect();
            if !near.is_empty() {
                return Arc::clone(near[self.dice.below(near.len() as u64) as usize]);
            }
        }
        let waiting = self.waiting.entry(view).or_default();
        if waiting.is_empty() {
            waiting.extend(0..entries.len() as u32);
        }
        let turn = self.dice.below(waiting.len() as u64) as usize;
        Arc::clone(&entries[waiting.swap_remove(turn) as usize])
    }

    fn politely(&mut self, words: Vec<WordId>) -> Vec<WordId> {
        let phrases = &self.grammar.skip_phrases;
        if phrases.is_empty() || !self.dice.percent(POLITE_PERCENT) {
            return words;
        }
        let phrase = &phrases[self.dice.below(phrases.len() as u64) as usize];
        // Only single words and "for me" stand at the end.
        let trails = phrase.len() == 1 || self.grammar.words.text(phrase[0]) == "for";
        if trails && (phrase.len() > 1 || self.dice.percent(50)) {
            [words.as_slice(), phrase].concat()
        } else {
            [phrase, words.as_slice()].concat()
        }
    }
}
