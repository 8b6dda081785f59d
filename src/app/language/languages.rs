//! The languages that are understood and answered in, and the classifier beside their sentences.

use crate::app::clock;
use crate::app::faults::Faults;
use crate::app::language::live_grammar::{Ingredients, LiveGrammar};
use crate::app::language::memory::{self, Told};
use crate::app::language::spoken_languages::tags;
use hark_config::Config;
use hark_core::classification::Classify;
use hark_core::documents::Documents;
use hark_core::ports::{HomeView, Tools};
use hark_core::{Fault, FaultKind};
use hark_dialog::replies::{Fetch, Phrasebook};
use hark_dialog::router::{Facts, Router, SharedClassifier, Spoken};
use hark_memory::Memory;
use hark_nlu::intent::{IntentPaths, LazyClassifier, category_of, dot};
use hark_nlu::language_detection;
use hark_store::store::Store;
use hark_stt::stt::grammar::RequestAmong;
use hark_tools::tools;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Names whose meaning is remembered at most; a home has some hundreds.
const MAX_NAMES: usize = 4096;

/// What is understood, and in which words it is answered.
pub(crate) struct Languages {
    /// The sentences of each language; the first one is spoken here, and the recogniser learns from it.
    pub(crate) grammars: Vec<Arc<LiveGrammar>>,
    pub(crate) router: Arc<Router>,
    pub(crate) replies: Arc<Phrasebook>,
    /// Opened when no sentence fits; `None` when it is switched off.
    pub(crate) classifier: Option<Arc<Mutex<LazyClassifier>>>,
    pub(crate) paths: IntentPaths,
    /// What the household told.
    pub(crate) memory: Memory,
}

impl Languages {
    /// Reads the language that is spoken here. The others and the classifier are opened when they are
    /// needed; what is missing of them is told now. Without the classifier's parts there are templates
    /// only, and the log says so.
    ///
    /// # Errors
    /// Everything that is wrong with the sentences and replies of the language that is spoken here, and
    /// languages that have no sentences.
    pub(crate) fn open(
        config: &Config,
        models_dir: &Path,
        home: Arc<dyn HomeView>,
        store: &Store,
    ) -> Result<Self, Faults> {
        let usual = &config.speaking.language;
        let state_dir = config.paths.state_dir().map_err(|fault| vec![fault])?;
        let paths = IntentPaths::new(models_dir, &state_dir, &config.intent.examples_dir);
        let classifier = late_classifier(config, &paths);
        let similar = classifier.clone().map(similarity);
        let area = config.home.area.clone();
        let pin = config.permissions.wants_pin();
        let from = Arc::new(Ingredients { paths: paths.clone(), home, pin, area, similar });
        let languages = tags(config);
        let grammars: Vec<_> = languages
            .iter()
            .map(|language| (language, Arc::new(LiveGrammar::new(language, from.clone()))))
            .collect();
        let mut faults = Faults::new();
        for (language, grammar) in &grammars {
            let found = if *language == usual {
                grammar.now().map(drop).map_err(|faults| faults.to_vec())
            } else {
                grammar.look()
            };
            faults.extend(found.err().into_iter().flatten());
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let fetch = |(language, grammar): &(&String, Arc<LiveGrammar>)| -> (String, Fetch) {
            let grammar = Arc::clone(grammar);
            ((*language).clone(), Box::new(move || grammar.replies().ok()))
        };
        let replies = Phrasebook::new(grammars.iter().map(fetch).collect(), usual);
        let spoken = |(language, grammar): &(&String, Arc<LiveGrammar>)| Spoken {
            language: (*language).clone(),
            sentences: grammar.clone(),
        };
        let asked = classifier.clone().map(|classifier| classifier as SharedClassifier);
        let facts = Facts { category_of, triggers: tools::triggers, language_of: language_detection::of };
        let spoken = grammars.iter().map(spoken).collect();
        let (memory, reader) = memory::open(config, models_dir, store, classifier.clone())?;
        let keeps_statements = config.memory.keep_statements;
        let told = Arc::new(Told { memory: memory.clone(), reader, keeps_statements });
        let router = Router::new(spoken, asked, config.intent.clone(), facts).with_memory(told);
        let grammars = grammars.into_iter().map(|(_, grammar)| grammar).collect();
        Ok(Self { grammars, router: Arc::new(router), replies: Arc::new(replies), classifier, paths, memory })
    }

    /// Without a language model the documents answer by themselves what nothing else is for.
    pub(crate) fn answer_from(&self, documents: &Arc<dyn Documents>, has_model: bool) {
        if !has_model {
            self.router.answer_from(documents.clone());
        }
    }

    /// Tells which of the texts that were perhaps heard is a request, for the recogniser.
    pub(crate) fn request_among(&self, tools: Arc<dyn Tools>) -> RequestAmong {
        let router = self.router.clone();
        Arc::new(move |heard| {
            let routine = heard.iter().position(|text| tools.routine(text).is_some());
            let now = chrono::Local::now().naive_local();
            let request = || router.request_among(heard, now, &clock::effort_of_heard());
            routine.map(|at| (at, heard[at].to_owned())).or_else(request)
        })
    }

    /// The sentences of the language that is spoken here.
    pub(crate) fn usual(&self) -> &Arc<LiveGrammar> {
        &self.grammars[0]
    }
}

/// Takes in the words of the languages in the models folder; before anything asks for a lexicon.
///
/// # Errors
/// Every mistake in their files.
pub(crate) fn load_lexicons(models_dir: &Path) -> Result<(), Faults> {
    let fix = "correct the file; the folders of the languages that come with Hark show what each holds";
    let fault = |error: &hark_language::LanguageError| {
        Fault::new(FaultKind::BadConfiguration, "languages", error.to_string(), fix)
    };
    hark_language::load(&models_dir.join("languages")).map_err(|errors| errors.iter().map(fault).collect())
}

/// The classifier, if it is wanted and all of it is there.
fn late_classifier(config: &Config, paths: &IntentPaths) -> Option<Arc<Mutex<LazyClassifier>>> {
    if !config.intent.enabled {
        return None;
    }
    let classifier = LazyClassifier::new(paths.clone(), &config.speaking.language);
    match classifier.standing() {
        Ok(standing) if standing.stale => {
            tracing::info!("sentences or examples have changed; `hark models train` takes them in");
        }
        Ok(_) => {}
        Err(fault) => tracing::warn!("only sentence templates are understood: {fault}"),
    }
    // What is missing now may be there when it is needed.
    Some(Arc::new(Mutex::new(classifier)))
}

/// How alike names are in meaning. Those met before are remembered: each costs a millisecond or two.
fn similarity(classifier: Arc<Mutex<LazyClassifier>>) -> hark_nlu::Similar {
    let known: Mutex<HashMap<String, Vec<f32>>> = Mutex::default();
    Arc::new(move |text, names| {
        let mut classifier = classifier.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(wanted) = classifier.embed(text) else { return vec![0.0; names.len()] };
        // Homes change their names; those of before are not kept for ever.
        if known.len() > MAX_NAMES {
            known.clear();
        }
        let mut likeness = |name: &&str| {
            if !known.contains_key(*name) {
                known.insert((*name).to_owned(), classifier.embed(name).unwrap_or_default());
            }
            known.get(*name).map_or(0.0, |name| dot(name, &wanted))
        };
        names.iter().map(&mut likeness).collect()
    })
}

#[cfg(test)]
mod tests {
    use hark_dialog::{instincts, intent_tools};
    use hark_nlu::Sentences;
    use hark_tools::tools;
    use std::path::Path;

    #[test]
    fn every_intent_of_the_templates_leads_somewhere() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/languages/en/sentences");
        let sentences = Sentences::load(&[folder], "en").unwrap();
        for tool in intent_tools::tools() {
            assert!(tools::table::find(tool).is_some(), "{tool} is in the table of tools");
        }
        for intent in sentences.intents() {
            let talk = intent.starts_with("Hark") || intent == "HassRespond";
            let known = talk || instincts::named(intent).is_some();
            assert!(known || intent_tools::tool_for(intent).is_some(), "{intent} is served");
        }
    }
}
