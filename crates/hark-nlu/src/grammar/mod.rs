//! The sentences of one home, compiled: parser, sampler and approximate acceptance.

mod accept;
mod annotate;
mod complete;
mod continuations;
mod fill;
mod flat_vec;
mod fragments;
mod fuzzy_match;
mod graph;
mod home;
mod network;
mod orders;
mod parse;
mod parse_result;
mod part;
mod reader;
mod sample;
mod scheduled_requests;
mod semantic_match;
mod synonyms;
mod texts;
mod views;
mod walk;
mod words;

use super::Sentences;
use super::sentences::model::{Data, Requirement};
use super::text::Token;
use chrono::NaiveDateTime;
use fragments::{FragmentCompiler, Fragments};
use graph::Graph;
use hark_core::home::Home;
use hark_core::ports::{Acceptance, Completeness, Completes, EditCosts, Place, SpeechGrammar};
use hark_core::{Effort, Slots};
use hark_language::Lexicon;
use network::{Network, NetworkBuilder};
use sample::Sampler;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use views::{ViewBuilder, Views};
use words::{WordId, Words};

pub use annotate::Annotation;
pub use fuzzy_match::Similar;
pub use fuzzy_match::near_names::Nearness;
pub(crate) use fuzzy_match::near_names::Span;
pub(crate) use parse_result::{ITEM, TIME_SLOTS};
pub use parse_result::{Match, Took};
pub(crate) use part::Part;
pub(super) use reader::{How, Reader};
pub use sample::LabelledSample;

/// The domain of a person.
const PERSON: &str = "person";

/// Domains of things that only run or rest.
const RUNS: [&str; 5] = ["fan", "humidifier", "light", "media_player", "switch"];

/// What the parser needs to know of a template besides its network.
#[derive(Debug)]
pub(super) struct Meaning {
    pub block: Arc<Block>,
    pub text: String,
    pub file: Arc<Path>,
    pub line: usize,
}

/// What the templates of a block have in common.
#[derive(Debug)]
pub(super) struct Block {
    pub intent: String,
    pub slots: Slots,
    pub response: Option<String>,
    pub rank: usize,
    pub from_context: Vec<String>,
    pub keywords: Vec<String>,
    pub requires: BTreeMap<String, Requirement>,
    pub excludes: BTreeMap<String, Vec<Value>>,
}

impl Block {
    fn new(data: &Data) -> Self {
        Self {
            intent: data.intent.clone(),
            slots: data.slots.clone(),
            response: data.response.clone(),
            rank: data.rank,
            from_context: data.from_context.clone(),
            keywords: data.keywords.clone(),
            requires: data.requires.clone(),
            excludes: data.excludes.clone(),
        }
    }

    /// Whether one of the words is said that the block wants.
    fn has_keyword(&self, tokens: &[Token]) -> bool {
        let wanted = &self.keywords;
        wanted.is_empty() || tokens.iter().any(|token| wanted.contains(&token.word))
    }

    /// The kind of thing the sentences are about, where they name it.
    fn domain(&self) -> Option<&str> {
        let required = || self.requires.get("domain")?.any_of.as_ref()?.first();
        self.slots.get("domain").or_else(required)?.as_str()
    }
}

/// The compiled sentences of one home. Made anew when the home changes.
pub struct Grammar {
    language: String,
    lexicon: &'static Lexicon,
    words: Words,
    views: Views,
    slot_names: Vec<String>,
    /// Those whose words are an address.
    address_slots: Vec<fragments::SlotId>,
    network: Network,
    /// Where the templates of each part of a request begin.
    starts: [parse::Start; Part::ALL.len()],
    meanings: Vec<Meaning>,
    skip_phrases: Vec<Vec<WordId>>,
    /// What is known before a word is said, such as the area this node stands in.
    context: Map<String, Value>,
    /// Polite phrases.
    skip_view: views::ViewId,
    /// For what is spoken: made when it is needed first.
    graph: OnceLock<Graph>,
    sampler: OnceLock<Sampler>,
    /// The names of the home, for those that were not said exactly.
    names: fuzzy_match::Names,
    /// Which words, by their number, stand in names of this home or in lists of values, and in no sentence.
    only_in_lists: Vec<bool>,
    similar: Option<Similar>,
}

impl Grammar {
    /// Compiles the sentences for a home.
    pub fn new(sentences: &Sentences, home: &Home) -> Self {
        Self::with_context(sentences, home, Map::new())
    }

    /// Compiles with what is known beforehand, such as `area`; sentences that require it match then.
    pub fn with_context(sentences: &Sentences, home: &Home, context: Map<String, Value>) -> Self {
        let lexicon = hark_language::of(sentences.language());
        let mut views = ViewBuilder::new(home::lists(home), lexicon);
        let mut builder = NetworkBuilder::default();
        let mut pieces = Fragments::default();
        let mut slots = fragments::SlotNames::default();
        let mut meanings = Vec::new();
        for (index, data) in sentences.data.iter().enumerate() {
            let block = Arc::new(Block::new(data));
            let mut compiler = FragmentCompiler::new(&mut views, &mut slots, sentences, (index, data));
            for template in &data.templates {
                compiler.compile(&template.expr, &mut pieces);
                if can_match(&block, &pieces, &context) && pieces.can_be_said() {
                    builder.add(&pieces, compiler.views, data.spoken);
                    meanings.push(Meaning {
                        block: Arc::clone(&block),
                        text: template.text.clone(),
                        file: Arc::clone(&template.file),
                        line: template.place.line,
                    });
                }
            }
        }
        let mut network = builder.network;
        network.shrink_to_fit();
        let skip_view = views.texts(&sentences.skip_words);
        let ViewBuilder { views, words, home, .. } = views;
        let home: Vec<_> = home.into_iter().map(|(_, entries)| entries).collect();
        let names = fuzzy_match::Names::new(&home, &words, lexicon);
        let skips = views.get(skip_view).entries.iter();
        let mut skip_phrases: Vec<Vec<WordId>> = skips.flat_map(|entry| entry.phrases.clone()).collect();
        skip_phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
        let starts = Part::ALL.map(|part| {
            parse::Start::new(&network, |template| {
                part == Part::of(&meanings[template as usize].block.intent)
            })
        });
        let mut only_in_lists = vec![false; words.count()];
        let is_values = |(at, view): &(usize, &views::View)| *at != skip_view as usize && !view.numeric;
        let values = views.views.iter().enumerate().filter(is_values).flat_map(|(_, view)| &view.entries);
        (home.iter().flat_map(|entries| entries.iter()).chain(values))
            .flat_map(|entry| entry.phrases.iter().flatten())
            .for_each(|word| only_in_lists[*word as usize] = true);
        network.literals().for_each(|word| only_in_lists[word as usize] = false);
        Self {
            language: sentences.language().to_owned(),
            lexicon,
            words,
            views,
            slot_names: slots.names,
            address_slots: slots.addresses,
            network,
            starts,
            meanings,
            skip_phrases,
            context,
            skip_view,
            graph: OnceLock::new(),
            sampler: OnceLock::new(),
            names,
            only_in_lists,
            similar: None,
        }
    }

    /// With somebody who tells how alike names are in meaning; asked only where nothing else fits.
    #[must_use]
    pub fn with_similarity(self, similar: Similar) -> Self {
        Self { similar: Some(similar), ..self }
    }

    /// ISO 639-1 code of the sentences.
    pub fn language(&self) -> &str {
        &self.language
    }

    fn start_of(&self, part: Part) -> &parse::Start {
        &self.starts[part as usize]
    }

    /// Whether some words are the name of a thing of the home.
    pub(super) fn is_thing(&self, words: &str) -> bool {
        self.names.are_called(words, &[home::THINGS])
    }

    /// Whether some words are the name of a thing that does nothing but run or rest, so that naming it says what is wanted.
    pub(super) fn may_run(&self, words: &str) -> bool {
        self.domain_called(words).is_some_and(|domain| RUNS.contains(&domain))
    }

    /// Whether some words are the name of a person.
    pub(super) fn is_person(&self, words: &str) -> bool {
        self.domain_called(words) == Some(PERSON)
    }

    /// The domain of what some words are the name of.
    fn domain_called(&self, words: &str) -> Option<&str> {
        self.context_of(|item| item.list == home::THINGS && item.text == words, "domain")?.as_str()
    }

    /// Whether some words are the name of a list: "shopping".
    pub(super) fn is_list(&self, words: &str) -> bool {
        let domain = self.context_of(|item| item.list == home::THINGS && item.text == words, "domain");
        domain.is_some_and(|domain| domain == "todo")
    }

    /// The area where the thing of a name stands.
    pub(super) fn area_of(&self, name: &str) -> Option<Value> {
        self.context_of(|item| item.entry.out == name, home::IN_AREA).cloned()
    }

    /// The area where what some words name stands.
    pub(super) fn area_of_words(&self, words: &str) -> Option<&str> {
        self.context_of(|item| item.list == home::THINGS && item.text == words, home::IN_AREA)?.as_str()
    }

    /// The things of a domain, in an area where one is given, whose name ends in a word: "lamp" is the bedside lamp of the bedroom,
    /// "lamps" are all that are called so. Without a word, all.
    pub(super) fn called(&self, word: Option<&str>, area: Option<&Value>, domain: &str) -> Vec<&Value> {
        let is_there = |item: &&fuzzy_match::Item| {
            let context = &item.entry.context;
            item.list == home::THINGS
                && area.is_none_or(|area| context.get(home::IN_AREA) == Some(area))
                && context.get("domain").is_some_and(|it| it == domain)
        };
        let is_called = |item: &&fuzzy_match::Item| {
            let said = word.map(|word| [word, synonyms::stem(word, &self.lexicon().things)]);
            said.is_none_or(|said| item.text.rsplit(' ').next().is_some_and(|last| said.contains(&last)))
        };
        let mut called: Vec<&Value> = Vec::new();
        for item in self.names.items.iter().filter(is_there).filter(is_called) {
            if !called.contains(&&item.entry.out) {
                called.push(&item.entry.out);
            }
        }
        called
    }

    /// Whether something of a domain, and of a device class where one is said, stands in an area, or on a floor.
    pub(super) fn has_in(&self, place: &Value, domain: &str, class: Option<&Value>) -> bool {
        self.names.items.iter().any(|item| {
            let context = &item.entry.context;
            let is_there = || context.get(home::IN_AREA).is_some_and(|area| self.is_within(area, place));
            let is_alike = class.is_none_or(|class| context.get("device_class") == Some(class));
            context.get("domain").is_some_and(|it| it == domain) && is_alike && is_there()
        })
    }

    /// Whether an area is a place, or on that floor.
    pub(super) fn is_within(&self, area: &Value, place: &Value) -> bool {
        let is_area =
            |item: &&fuzzy_match::Item| item.list == home::PLACE_LISTS[0] && item.entry.out == *area;
        let floor = || self.names.items.iter().find(is_area)?.entry.context.get("floor");
        area == place || floor() == Some(place)
    }

    /// Whether a word is in no sentence and no name, and is no small one.
    pub(super) fn is_strange(&self, word: &str) -> bool {
        !self.lexicon().things.small_words.contains(word) && self.words.typed(word).is_none()
    }

    /// Whether a slot that is no name of the home may be any words.
    pub(super) fn takes_any_words(&self, slot: &str) -> bool {
        !fill::TARGET.contains(&slot)
            && self.network.open_slots().any(|open| self.slot_names[open as usize] == slot)
    }

    /// Whether a word needs no name beside it: the light, the volume, what is louder or brighter.
    pub(super) fn names_itself(&self, word: &str) -> bool {
        self.lexicon().things.alone.contains(word)
    }

    /// The domain of the thing of a name.
    pub(super) fn domain_of(&self, name: &str) -> Option<&str> {
        self.context_of(|item| item.entry.out == name, "domain")?.as_str()
    }

    /// The device class of what has this name.
    pub(super) fn class_of(&self, name: &str) -> Option<&Value> {
        self.context_of(|item| item.entry.out == name, "device_class")
    }

    /// What is known under a key of the first item of the home that is meant and has it.
    fn context_of(&self, is_meant: impl Fn(&fuzzy_match::Item) -> bool, key: &str) -> Option<&Value> {
        let mut meant = self.names.items.iter().filter(|item| is_meant(item));
        meant.find_map(|item| item.entry.context.get(key))
    }

    /// The area or floor that some words name: its slot and its name.
    pub(super) fn place_called(&self, words: &str) -> Option<(&'static str, &Value)> {
        let is_place =
            |item: &&fuzzy_match::Item| home::PLACE_LISTS.contains(&item.list) && item.text == words;
        let item = self.names.items.iter().find(is_place)?;
        Some((if item.list == home::PLACE_LISTS[0] { "area" } else { "floor" }, &item.entry.out))
    }

    /// Whether some words are just the name of an area or a floor of the home.
    pub(super) fn is_area(&self, words: &str) -> bool {
        self.names.are_called(words, &home::PLACE_LISTS)
    }

    /// Whether some words name an area or a floor of the home, as "in the kitchen" does.
    pub(super) fn is_place(&self, words: &str) -> bool {
        let within = self.lexicon.discourse.within;
        let small = |word: &&str| !self.lexicon.things.small_words.contains(word) && !within.contains(word);
        let name: Vec<&str> = words.split(' ').filter(small).collect();
        self.is_area(&name.join(" "))
    }

    /// The words of its language.
    pub fn lexicon(&self) -> &'static Lexicon {
        self.lexicon
    }

    /// The automaton of what can be said.
    fn graph(&self) -> &Graph {
        self.graph.get_or_init(|| Graph::new(&self.network, &self.views, self.skip_view, self.words.count()))
    }

    fn sampler(&self) -> &Sampler {
        self.sampler.get_or_init(|| Sampler::new(&self.network, &self.views, &self.meanings))
    }

    /// How large it is, for people: templates, nodes of the network, states for speech, words.
    pub fn size(&self) -> [usize; 4] {
        [self.meanings.len(), self.network.len(), self.graph().len(), self.words.count()]
    }
}

/// Whether a template can ever match: what it requires is known beforehand or told by one of its lists.
fn can_match(block: &Block, pieces: &Fragments, context: &Map<String, Value>) -> bool {
    let known = |(key, requirement): (&String, &Requirement)| match context.get(key) {
        _ if pieces.provided.contains(key) => true,
        Some(value) => requirement.any_of.as_ref().is_none_or(|any| any.contains(value)),
        None => false,
    };
    block.requires.iter().all(known)
}

impl SpeechGrammar for Grammar {
    fn sample(&self, count: usize, seed: u64) -> Vec<Vec<String>> {
        self.samples(count, seed)
    }

    fn vocabulary(&self) -> Vec<String> {
        let ids = self.graph().vocabulary(&self.views);
        let mut words: Vec<String> = ids.into_iter().map(|id| self.words.text(id).to_owned()).collect();
        words.push(JOINER.to_owned());
        words.sort_unstable();
        words.dedup();
        words
    }

    fn accept(&self, words: &[&str], costs: &EditCosts) -> Option<Acceptance> {
        self.accept_spoken(words, costs)
    }

    fn is_open(&self, text: &str) -> Option<bool> {
        let effort = Effort::default();
        let reader = Reader::new(self, NaiveDateTime::default(), &effort);
        let parse = |text: &str| reader.exactly(text, &super::text::tokenise(text, self.lexicon));
        let found = parse(text)?;
        // Words that are an example of any words are matched as the example: a word that nobody knows, put in
        // between, tells.
        let words: Vec<&str> = text.split_whitespace().collect();
        let stranger = |place: usize| {
            let (before, after) = words.split_at(place);
            let text = [before, &[UNKNOWN_WORD], after].concat().join(" ");
            parse(&text).is_some_and(|other| {
                let same = other.intent == found.intent && other.slots.keys().eq(found.slots.keys());
                other.wild_words > 0 && same
            })
        };
        // What costs too much to tell is not to be sure of.
        Some(found.wild_words > 0 || (1..=words.len()).any(stranger) || effort.is_spent())
    }

    fn first(&self) -> Option<Place> {
        self.first_place()
    }

    fn follow(&self, place: Place, visit: &mut dyn FnMut(&str, Place)) {
        self.walk(place, visit);
    }

    fn ends(&self, place: Place) -> bool {
        self.ends_at(place)
    }
}

impl Completes for Grammar {
    fn completeness(&self, text: &str) -> Completeness {
        self.completeness_of(text)
    }

    fn share_going_on(&self, text: &str) -> Option<f32> {
        self.share_of_continuations(text)
    }
}

/// A word that is in no sentence.
const UNKNOWN_WORD: &str = "zyxwv";

/// The word between two requests in one sentence.
pub(super) const JOINER: &str = "and";
