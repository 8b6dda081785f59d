//! What the head learns from: samples of the templates in a home, the examples that come with Hark, and
//! the owner's own.

use super::catalogue::is_learned;
use super::examples::{self, Example, Label, spoken, yaml_files};
use super::paths::IntentPaths;
use crate::{Grammar, Problem, Sentences};
use hark_core::Category;
use hark_core::home::Home;
use hark_models::manifest::hex;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Sentences sampled for each intent in each home.
pub const PER_INTENT: usize = 32;

/// One in so many examples is kept from the encoder's tuning, so that the head's confidence can be
/// calibrated on sentences the encoder has not learned.
const UNTOUCHED_ONE_IN: u8 = 5;

/// Domains that make a class of their own within `HassTurnOn` and `HassTurnOff`: opening, locking and
/// starting a scene sound nothing like switching on.
const APART: [(&str, &str); 5] =
    [("cover", "cover"), ("valve", "cover"), ("lock", "lock"), ("scene", "scene"), ("script", "scene")];

/// Class of the statement head for every text that asks for something, whatever it asks for.
pub(super) const ASKS: Category = Category::HomeControl;

/// Class of the statement head for statements that are worth keeping. Small talk is out of scope.
pub(super) const WORTH_KEEPING: Category = Category::Memory;

/// Class of the statement head for reasons and the like beside a request. Some are worth keeping and some are not.
pub(super) const REMARK: Category = Category::Conversation;

/// Where a sentence comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// Sampled from the templates.
    Template,
    /// Written by people, comes with Hark.
    Example,
    /// The owner's own.
    Owner,
}

impl Origin {
    /// For reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Template => "template",
            Self::Example => "example",
            Self::Owner => "owner",
        }
    }

    /// How much a sentence counts. Samples of one template are much alike; what the owner says is meant.
    pub(super) fn weight(self) -> f32 {
        match self {
            Self::Template => 0.5,
            Self::Example => 1.0,
            Self::Owner => 6.0,
        }
    }
}

/// One sentence to learn from.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// In spoken form.
    pub text: String,
    /// What it means.
    pub label: Label,
    /// Where it comes from.
    pub origin: Origin,
    /// The encoder's tuning has not seen it.
    pub untouched: bool,
}

/// Everything to learn from in one language.
#[derive(Debug, Clone, Default)]
pub struct Data {
    /// ISO 639-1 code.
    pub language: String,
    /// No text twice.
    pub samples: Vec<Sample>,
    /// Sentences that are only measured with.
    pub held_out: Vec<Example>,
    /// SHA-256 of all files, hexadecimal: a head of other data is out of date.
    pub hash: String,
}

impl Data {
    /// Reads and samples everything for `language`; `homes` give the templates their names.
    ///
    /// # Errors
    /// Every mistake in every file.
    pub fn gather(places: &IntentPaths, language: &str, homes: &[Home]) -> Result<Self, Vec<Problem>> {
        Self::gather_sampled(places, language, homes, PER_INTENT)
    }

    /// The same with `per_intent` sampled sentences for each intent in each home.
    ///
    /// # Errors
    /// Every mistake in every file.
    pub fn gather_sampled(
        places: &IntentPaths,
        language: &str,
        homes: &[Home],
        per_intent: usize,
    ) -> Result<Self, Vec<Problem>> {
        let sentences = Sentences::load(&places.sentences(language), language)?;
        let written = examples::load(&places.examples(language))?;
        let own = examples::load(&places.own_examples(language))?;
        let file = places.held_out(language);
        let held_out = if file.is_file() { examples::load_files(&[file])? } else { Vec::new() };
        let mut samples = Collector::new(held_out.iter().map(|example| spoken(&example.text)));
        // What people wrote goes first: where a template says the same, they decide.
        for (origin, examples) in [(Origin::Owner, own), (Origin::Example, written)] {
            for example in examples {
                samples.add(spoken(&example.text), example.label, origin);
            }
        }
        for (index, home) in homes.iter().enumerate() {
            for sample in Grammar::new(&sentences, home).labelled(per_intent, 1 + index as u64) {
                if !is_learned(&sample.intent) {
                    continue;
                }
                let label = Label::intent(&sample.intent, sample.domain.as_deref());
                samples.add(sample.text, label, Origin::Template);
            }
        }
        let hash = hash(places, language);
        Ok(Self { language: language.to_owned(), samples: samples.found, held_out, hash })
    }

    /// What tells a statement that is worth to be kept from small talk, and both from what asks for something; `None` for a
    /// language without such examples.
    ///
    /// # Errors
    /// Every mistake in every file.
    pub fn of_told(places: &IntentPaths, language: &str) -> Result<Option<Self>, Vec<Problem>> {
        let folder = places.told_examples(language);
        if !folder.is_dir() {
            return Ok(None);
        }
        let mut samples = Collector::new(std::iter::empty());
        for example in examples::load(&folder)? {
            samples.add(spoken(&example.text), example.label, Origin::Example);
        }
        // Who asks tells nothing.
        for example in examples::load(&places.examples(language))?.into_iter().filter(is_question) {
            samples.add(spoken(&example.text), Label::category(ASKS), Origin::Example);
        }
        let hash = hash_of([folder, places.examples(language)]);
        Ok(Some(Self { language: language.to_owned(), samples: samples.found, held_out: Vec::new(), hash }))
    }

    /// Samples by category, intent and origin, for people.
    pub fn counts(&self) -> BTreeMap<(Category, Origin), usize> {
        let mut counts = BTreeMap::new();
        for sample in &self.samples {
            *counts.entry((sample.label.category, sample.origin)).or_default() += 1;
        }
        counts
    }
}

fn is_question(example: &Example) -> bool {
    let asks = matches!(example.label.category, Category::Question | Category::HomeQuery | Category::Weather);
    asks || example.label.intent.as_deref() == Some("HarkRecall")
}

/// SHA-256 over names and contents of every file the data comes from.
pub fn hash(places: &IntentPaths, language: &str) -> String {
    let folders = places.sentences(language).into_iter().map(|folder| folder.join(language));
    hash_of(folders.chain([places.examples(language), places.own_examples(language)]))
}

fn hash_of(folders: impl IntoIterator<Item = PathBuf>) -> String {
    let mut hasher = Sha256::new();
    for file in folders.into_iter().flat_map(|folder| yaml_files(&folder)) {
        hasher.update(file.file_name().unwrap_or_default().as_encoded_bytes());
        // A file that cannot be read is told where it is read for its sentences.
        let bytes = std::fs::read(&file).unwrap_or_default();
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(&bytes);
    }
    hex(&hasher.finalize())
}

/// Takes every text once.
struct Collector {
    seen: BTreeSet<String>,
    found: Vec<Sample>,
}

impl Collector {
    fn new(never: impl Iterator<Item = String>) -> Self {
        Self { seen: never.collect(), found: Vec::new() }
    }

    fn add(&mut self, text: String, mut label: Label, origin: Origin) {
        if text.is_empty() || !self.seen.insert(text.clone()) {
            return;
        }
        let split = matches!(label.intent.as_deref(), Some("HassTurnOn" | "HassTurnOff"));
        let apart = |domain: &str| APART.iter().find(|(from, _)| *from == domain).map(|(_, to)| *to);
        label.domain = label.domain.as_deref().filter(|_| split).and_then(apart).map(str::to_owned);
        let chance = Sha256::digest(text.as_bytes())[0] % UNTOUCHED_ONE_IN == 0;
        let untouched = origin == Origin::Owner || origin == Origin::Example && chance;
        self.found.push(Sample { text, label, origin, untouched });
    }
}
