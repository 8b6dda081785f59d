//! The languages that are understood and answered in, and the classifier beside their sentences.

use super::workshop::Faults;
use crate::acting::tools;
use crate::config::Config;
use crate::deciding::ladder::{Facts, Ladder, SharedClassifier, Spoken};
use crate::deciding::replies::{Phrasebook, Replies};
use crate::domain::home::Home;
use crate::domain::{Fault, FaultKind};
use crate::inference::manifest::Manifest;
use crate::understanding::intent::{Classifier, Places, category_of};
use crate::understanding::{Grammar, Sentences, language};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// What is understood, and in which words it is answered.
pub(super) struct Tongues {
    /// The sentences of the language that is spoken here; the recogniser learns from them.
    pub(super) grammar: Arc<Grammar>,
    pub(super) ladder: Arc<Ladder>,
    pub(super) replies: Arc<Phrasebook>,
}

impl Tongues {
    /// Reads every language of the configuration and opens the classifier. Without its parts there are
    /// templates only, and the log says so.
    ///
    /// # Errors
    /// Everything that is wrong with sentences and replies.
    pub(super) fn open(
        config: &Config,
        models_dir: &Path,
        manifest: &Manifest,
        home: &Home,
        here: &Map<String, Value>,
    ) -> Result<Self, Faults> {
        let usual = &config.speaking.language;
        let state_dir = config.paths.state_dir().map_err(|fault| vec![fault])?;
        let places = Places::new(models_dir, &state_dir, &config.intent.examples_dir);
        let classifier = open_classifier(config, &places, manifest);
        let (mut spoken, mut replies, mut faults) = (Vec::new(), BTreeMap::new(), Vec::new());
        let mut first = None;
        let others = config.intent.languages.iter().filter(|language| *language != usual);
        for language in std::iter::once(usual).chain(others) {
            match read(&places, language) {
                Ok((sentences, answers)) => {
                    let grammar = Grammar::with_context(&sentences, home, here.clone());
                    let grammar = match &classifier {
                        Some(shared) => Arc::new(grammar.with_similarity(similarity(shared.clone()))),
                        None => Arc::new(grammar),
                    };
                    replies.insert(language.clone(), answers);
                    first.get_or_insert_with(|| grammar.clone());
                    spoken.push(Spoken { language: language.clone(), sentences: grammar });
                }
                Err(mut wrong) => faults.append(&mut wrong),
            }
        }
        let Some(grammar) = first.filter(|_| faults.is_empty()) else { return Err(faults) };
        let facts = Facts { category_of, triggers: tools::triggers, language_of: language::of };
        let ladder = Arc::new(Ladder::new(spoken, classifier, config.intent.clone(), facts));
        Ok(Self { grammar, ladder, replies: Arc::new(Phrasebook::new(replies, usual)) })
    }
}

fn read(places: &Places, language: &str) -> Result<(Sentences, Replies), Faults> {
    let sentences = Sentences::load(&places.sentences(language), language)
        .map_err(|problems| problems.into_iter().map(Fault::from).collect::<Vec<_>>())?;
    let replies = Replies::new(sentences.responses())?;
    let missing = replies.missing(sentences.intents());
    if missing.is_empty() { Ok((sentences, replies)) } else { Err(vec![lacks_replies(language, &missing)]) }
}

fn open_classifier(config: &Config, places: &Places, manifest: &Manifest) -> Option<SharedClassifier> {
    if !config.intent.enabled {
        return None;
    }
    match Classifier::open(manifest, places, &config.speaking.language) {
        Ok(classifier) => {
            if classifier.is_stale() {
                tracing::info!("sentences or examples have changed; `hark models train` takes them in");
            }
            Some(Arc::new(Mutex::new(Box::new(classifier))))
        }
        Err(fault) => {
            tracing::warn!("only sentence templates are understood: {fault}");
            None
        }
    }
}

/// How alike names are in meaning. Those met before are remembered: each costs a millisecond or two.
fn similarity(classifier: SharedClassifier) -> crate::understanding::Similar {
    let known: Mutex<HashMap<String, Vec<f32>>> = Mutex::default();
    Arc::new(move |text, names| {
        let mut classifier = classifier.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(wanted) = classifier.embed(text) else { return vec![0.0; names.len()] };
        let mut likeness = |name: &&str| {
            if !known.contains_key(*name) {
                known.insert((*name).to_owned(), classifier.embed(name).unwrap_or_default());
            }
            known.get(*name).map_or(0.0, |name| name.iter().zip(&wanted).map(|(a, b)| a * b).sum())
        };
        names.iter().map(&mut likeness).collect()
    })
}

fn lacks_replies(language: &str, missing: &[String]) -> Fault {
    let message = format!("the language {language} has no response for {}", missing.join(", "));
    let fix = format!("add them under `responses: intents:` in sentences/{language}/");
    Fault::new(FaultKind::BadConfiguration, "sentences", message, fix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deciding::{instincts, route};

    #[test]
    fn every_intent_of_the_templates_leads_somewhere() {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
        let (sentences, _) = read(&Places::new(&models, &models, ""), "en").unwrap();
        for tool in route::tools() {
            assert!(tools::table::find(tool).is_some(), "{tool} is in the table of tools");
        }
        for intent in sentences.intents() {
            let talk = intent.starts_with("Hark") || intent == "HassRespond";
            let known = talk || instincts::named(intent).is_some();
            assert!(known || route::tool_for(intent).is_some(), "{intent} is served");
        }
    }
}
