//! Opens what works with language models: provider, contracts, and what a model is told of the house.

use crate::app::clock::wall_local;
use crate::app::language::languages::Languages;
use crate::app::language::spoken_languages::lexicons;
use crate::app::models::context::{AppContext, line};
use crate::app::models::model_files::with_model_files;
use crate::app::models::relevance::EncodedTools;
use crate::app::models::worker::{Persistent, PlansOnDisk};
use hark_agent as llm;
use hark_config::contracts::ContractsConfig;
use hark_config::{Config, paths};
use hark_core::documents::Documents;
use hark_core::home::{Entity, Home, WATCHED};
use hark_core::ports::{HomeView, Tools};
use hark_core::{Fault, FaultKind};
use hark_dialog::contracts::Contracts;
use hark_dialog::model_tasks::{House, ModelTaskParts, ModelTasks, SkillsTold};
use hark_home::HomeRegistry;
use hark_skills::Skills;
use hark_store::sessions::SessionStore;
use hark_store::store::Store;
use hark_tools::tools::descriptor::Descriptor;
use hark_tools::tools::{is_text, table};
use std::sync::Arc;
use tokio::runtime::Handle;

/// Things of the house that a model is told of at most.
const MAX_LINES: usize = 200;
/// Bytes of a file about Hark or its household at most; two of them and the rest fit into one prompt.
const MAX_BYTES: u64 = 20 * 1024;

/// What works with language models; `None` when none is configured. What takes a while and is needed at the first request only
/// is made in the background where the program `stays`.
///
/// # Errors
/// Everything that is wrong with contracts, provider and files.
pub(crate) fn open(
    config: &Config,
    store: &Store,
    sessions: &SessionStore,
    tools: &Arc<dyn Tools>,
    home: &Arc<HomeRegistry>,
    (languages, skills, documents, stays): (&Languages, &Arc<Skills>, &Arc<dyn Documents>, bool),
    runtime: &Handle,
) -> Result<Option<Arc<ModelTasks>>, Vec<Fault>> {
    let model = with_model_files(config)
        .and_then(|config| llm::open(&config, paths::credentials_dir().as_deref()))
        .map_err(|fault| vec![fault]);
    // Without a model only what the owner has changed can hold a mistake, which is told at once.
    if matches!(model, Ok(None)) && config.contracts == ContractsConfig::default() {
        return Ok(None);
    }
    let contracts = Contracts::load(&config.contracts)?;
    let Some(model) = model? else { return Ok(None) };
    let read = |file: &str| read(file).map_err(|fault| vec![fault]);
    let (identity, owner) = (read(&config.route.identity_file)?, read(&config.route.owner_file)?);
    let (home, replies) = (home.clone(), languages.replies.clone());
    // Made once here, so that the first request does not wait for it.
    contracts.set_tools(tools.reference());
    let relevance = EncodedTools::new(languages.classifier.clone(), runtime);
    if stays {
        relevance.prepare(tools.reference());
    }
    let trusted = [&config.home.trusted_sources[..], &[WATCHED.to_owned()]].concat();
    let plans = Arc::new(PlansOnDisk(store.clone()));
    let (receipts, runtime) = (plans.clone(), runtime.clone());
    let context = AppContext::new(config, (sessions, documents, &languages.memory), &home, &runtime);
    let parts = ModelTaskParts {
        model,
        contracts: Arc::new(contracts),
        tools: Arc::new(Persistent { tools: tools.clone(), receipts, runtime }),
        context: Arc::new(context),
        relevance: Arc::new(relevance),
        plans,
        settings: config.route.clone(),
        identity,
        owner,
        house: Arc::new(move || {
            let now = home.home();
            let tells_text = |entity: &Entity| is_text(&entity.state);
            let outside = home.any_name_of_others(&trusted, |_| true) || now.entities.iter().any(tells_text);
            House { names: names(&now), states: states(&now), outside }
        }),
        skills: told_skills(skills.clone()),
        words: Arc::new(move |language| replies.summary_words(language)),
        languages: lexicons(config),
        language_of: hark_nlu::language_detection::of,
        now: Arc::new(wall_local),
    };
    Ok(Some(Arc::new(ModelTasks::new(parts))))
}

/// What a model is told of skills: their texts, and the tools they may use.
fn told_skills(skills: Arc<Skills>) -> Arc<dyn Fn(&str) -> SkillsTold + Send + Sync> {
    Arc::new(move |request| {
        let told = skills.told(request);
        let may =
            |tool: &&&Descriptor| told.permissions.iter().any(|permission| permission == tool.permission);
        let tools = table::TABLE.iter().filter(may).map(|tool| tool.name.to_owned()).collect();
        SkillsTold { summaries: told.summaries, text: told.text, tools, agents: told.agents }
    })
}

/// A file of the owner; nothing where none is named.
fn read(file: &str) -> Result<String, Fault> {
    if file.is_empty() {
        return Ok(String::new());
    }
    let path = paths::expand(file);
    let bad = |why: String| {
        let message = format!("{} cannot be read: {why}", path.display());
        Fault::new(
            FaultKind::BadConfiguration,
            "route",
            message,
            "correct route.identity_file or route.owner_file",
        )
    };
    let size = std::fs::metadata(&path).map_err(|error| bad(error.to_string()))?.len();
    if size > MAX_BYTES {
        return Err(bad(format!("it has {size} bytes; at most {MAX_BYTES} are read")));
    }
    std::fs::read_to_string(&path).map_err(|error| bad(error.to_string()))
}

/// The things a model may be told of.
fn shown(home: &Home) -> impl Iterator<Item = &Entity> {
    home.entities.iter().filter(|entity| !entity.is_secret()).take(MAX_LINES)
}

/// Their names with their kinds, a line an area, in the order of the home.
fn names(home: &Home) -> String {
    let mut lines: Vec<(Option<&str>, String)> = Vec::new();
    for entity in shown(home) {
        let name = format!("{} ({})", entity.name, entity.id.domain());
        match lines.iter_mut().find(|(area, _)| *area == entity.area.as_deref()) {
            Some((_, line)) => *line = format!("{line}, {name}"),
            None => {
                let area = home.areas.iter().find(|area| Some(&area.id) == entity.area.as_ref());
                let area = area.map_or("elsewhere", |area| area.name.as_str());
                lines.push((entity.area.as_deref(), format!("{area}: {name}")));
            }
        }
    }
    lines.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n")
}

/// Each with its area and state.
fn states(home: &Home) -> Vec<String> {
    shown(home).map(|entity| line(home, entity)).collect()
}
