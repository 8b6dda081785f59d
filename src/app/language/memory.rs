//! What the household told, in the program: the facts of the store with the statement rules of the languages that are
//! spoken here and the classifier's sentence encoder, and what a sentence wants of them.

use crate::app::faults::Faults;
use crate::app::language::spoken_languages::tags;
use hark_config::Config;
use hark_core::classification::{Classify, WordVectors};
use hark_core::memory::{
    Answering, MemoryIntents, Requester, SaidSubject, SentenceVectors, Speaker, StatementReader, WhichFacts,
};
use hark_core::{Fault, Intent, Route, Slots};
use hark_home::zone::Zone;
use hark_memory::Memory;
use hark_models::manifest::Manifest;
use hark_nlu::Statements;
use hark_nlu::intent::{Encoder, IntentPaths, LazyClassifier};
use hark_store::store::Store;
use serde_json::Value;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Opens what was told; without a classifier facts are found by their words and by the graph only.
///
/// # Errors
/// Every mistake in the statement rules.
pub(crate) fn open(
    config: &Config,
    models_dir: &Path,
    store: &Store,
    classifier: Option<Arc<Mutex<LazyClassifier>>>,
) -> Result<(Memory, Arc<dyn StatementReader>), Faults> {
    let reader: Arc<dyn StatementReader> = Arc::new(statements(config, models_dir)?);
    let memory = Memory::new(Arc::new(store.clone()))
        .with_reader(reader.clone())
        .with_wall(|unix_ms| Zone::Local.wall(unix_ms))
        .keeping_private(config.memory.private);
    let Some(classifier) = classifier else { return Ok((memory, reader)) };
    match Manifest::load(models_dir).and_then(|manifest| Encoder::id_in(&manifest)) {
        Ok(name) => Ok((memory.with_encoder(Arc::new(ClassifierVectors { name, classifier })), reader)),
        Err(fault) => {
            tracing::warn!("what was told is found by its words only: {fault}");
            Ok((memory, reader))
        }
    }
}

/// The statement rules of the languages that are spoken here; those of the owner come last and win.
pub(crate) fn statements(config: &Config, models_dir: &Path) -> Result<Statements, Faults> {
    let state_dir = config.paths.state_dir().map_err(|fault| vec![fault])?;
    let paths = IntentPaths::new(models_dir, &state_dir, "");
    let languages: Vec<_> =
        tags(config).into_iter().map(|language| (language.clone(), paths.statements(&language))).collect();
    Statements::load(&languages).map_err(|problems| problems.into_iter().map(Fault::from).collect())
}

/// The encoder of the classifier, which is loaded when it is first asked and let go of when nobody asks.
struct ClassifierVectors {
    name: String,
    classifier: Arc<Mutex<LazyClassifier>>,
}

impl SentenceVectors for ClassifierVectors {
    fn name(&self) -> &str {
        &self.name
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, Fault> {
        self.classifier.lock().unwrap_or_else(PoisonError::into_inner).embed(text)
    }

    fn embed_words(&self, text: &str) -> Result<WordVectors, Fault> {
        self.classifier.lock().unwrap_or_else(PoisonError::into_inner).embed_words(text)
    }
}

/// Keeps, forgets and asks for what was told.
const REMEMBER: &str = "HarkRemember";
const FORGET: &str = "HarkForget";

const RECALL: &str = "HarkRecall";

/// How likely a sentence tells something worth to be kept at least, and where a rule reads a statement in it.
const LIKELY: f32 = 0.3;
const LIKELY_AND_READ: f32 = 0.2;
const SURELY_TOLD: f32 = 0.9;

/// See [`MemoryIntents`].
pub(crate) struct Told {
    pub(crate) memory: Memory,
    pub(crate) reader: Arc<dyn StatementReader>,
    /// Statements are kept without being asked to.
    pub(crate) keeps_statements: bool,
}

impl MemoryIntents for Told {
    fn intent(&self, text: &str) -> Option<(Intent, String)> {
        if self.keeps_statements
            && let Some((_, said)) =
                self.reader.statements(text).into_iter().rfind(|(_, said)| !said.asked_only)
        {
            let slots = telling(text, &["stated"]);
            let why = format!("it states who or what somebody's {} is", said.relation);
            return Some((intent(REMEMBER, slots, said.sure, why), said.language));
        }
        if let Some(found) = self.forgetting(text) {
            return Some(found);
        }
        if self.keeps_statements && self.memory.corrects(text).unwrap_or(false) {
            let slots = telling(text, &["stated"]);
            let language = self.reader.correction(text).map(|said| said.language).unwrap_or_default();
            let why = "it corrects what was told".to_owned();
            return Some((intent(REMEMBER, slots, 0.9, why), language));
        }
        let asked = self.memory.is_asked(text).unwrap_or_else(|fault| {
            tracing::warn!("nobody knows whether this was told: {fault}");
            false
        });
        let language = || self.reader.question(text).map(|question| question.language).unwrap_or_default();
        asked.then(|| (asking(text, "it asks for what was told"), language()))
    }

    fn known(&self, text: &str) -> Option<(Intent, String)> {
        let is_known = || self.memory.is_known(text).unwrap_or(false);
        self.intent(text).filter(|(intent, _)| intent.name != RECALL || is_known())
    }

    fn about_another(&self, text: &str) -> Option<Intent> {
        let about = self.reader.question(text)?.subject?;
        (about != SaidSubject::Me).then(|| asking(text, "it asks for what was told of somebody"))
    }

    fn in_other_words(&self, text: &str, least: Answering) -> Option<(Intent, String)> {
        let found =
            self.memory.is_asked_in_other_words(text).ok().flatten().filter(|found| *found >= least)?;
        let why =
            if found == Answering::Concerns { "has to do with it" } else { "answers it in other words" };
        Some((asking(text, &format!("what was told {why}")), String::new()))
    }

    fn untold(&self, text: &str) -> Option<(Intent, String)> {
        let language = self.memory.asked_in(text)?;
        let something_was_told = !self.memory.list(&WhichFacts::Current, 1).unwrap_or_default().is_empty();
        something_was_told.then(|| (asking(text, "it asks for what only the household knows"), language))
    }

    fn told(&self, text: &str, likely: f32) -> Option<(Intent, String)> {
        // A sentence that a rule reads a statement in, or that changes what was told, needs less.
        let is_read = || {
            likely >= LIKELY_AND_READ
                && (self.reader.statement(text).is_some() || self.memory.changes(text).unwrap_or(false))
        };
        // A secret is kept only where a rule reads what it is of, or what else it tells is surely worth it.
        let is_secret = || {
            likely < SURELY_TOLD && hark_memory::sounds_private(text) && self.reader.statement(text).is_none()
        };
        let is_kept = self.keeps_statements
            && (likely >= LIKELY || is_read())
            && !is_secret()
            && self.memory.can_be_asked_for(text);
        let why = || "it tells something of the household".to_owned();
        is_kept.then(|| (intent(REMEMBER, telling(text, &["stated", "whole"]), 0.9, why()), String::new()))
    }
}

impl Told {
    /// What is to be forgotten, where something was told of it.
    fn forgetting(&self, text: &str) -> Option<(Intent, String)> {
        // A reason may stand before it: "she might ask you, forget what I said about it".
        let behind = || text.rsplit_once(", ").and_then(|(_, behind)| self.reader.forgetting(behind));
        let bare = || self.reader.forgetting(self.reader.bare(text));
        // Or behind it: "forget the book club thing, I'm not going any more".
        let before = || self.reader.forgetting(hark_memory::topic_of(self.reader.bare(text)));
        let (about, every) = self.reader.forgetting(text).or_else(bare).or_else(behind).or_else(before)?;
        let owner = Requester { speaker: Speaker::Owner, ..Requester::default() };
        let known = self.memory.to_forget(&about, every, &owner).unwrap_or_default();
        let slots = Slots::from_iter([
            ("query".to_owned(), about.as_str().into()),
            ("every".to_owned(), every.into()),
        ]);
        let why = "something was told of it".to_owned();
        (!known.is_empty()).then(|| (intent(FORGET, slots, 1.0, why), String::new()))
    }
}

/// The slots of what is told, with flags of `memory.remember`.
fn telling(text: &str, flags: &[&str]) -> Slots {
    let flags = flags.iter().map(|flag| ((*flag).to_owned(), true.into()));
    flags.chain([("fact".to_owned(), text.into())]).collect()
}

fn asking(text: &str, why: &str) -> Intent {
    let slots = Slots::from_iter([("query".to_owned(), Value::from(text))]);
    intent(RECALL, slots, 1.0, why.to_owned())
}

fn intent(name: &str, slots: Slots, confidence: f32, why: String) -> Intent {
    Intent {
        name: name.to_owned(),
        slots,
        confidence,
        route: Route::Template,
        why,
        response: None,
        single: false,
    }
}
