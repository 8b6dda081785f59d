//! `hark eval paraphrases`: requests as people put them, typed, against what should come of them. The lists that are kept
//! apart from training go through the whole understanding and are not acted on; requests of a YAML file are carried out in
//! the demo home; the classifier is asked alone, too.

use super::apart_lists::{self, Line};
use super::conversation::{Turn, understand};
use super::figures::{Case, Row};
use super::needs::Need;
use super::{Found, Run, failed, request_file, yaml};
use crate::app::builder::App;
use crate::app::models::relevance::EncodedTools;
use crate::cli::temporary_folder::TemporaryFolder;
use hark_config::Config;
use hark_core::classification::Classify;
use hark_core::{Category, Fault};
use hark_dialog::intent_tools::tool_for;
use hark_dialog::model_tasks::{SkillsTold, ToolChoice, ToolRelevance};
use hark_nlu::intent::{Classifier, IntentPaths, category_of};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

/// Lists in the demo home.
const REQUESTS: &str = "en_requests";
/// Lists in German, in a home of their own.
const GERMAN_REQUESTS: &str = "de_requests";
const GERMAN_HOME: &str = "de_home.toml";
/// What no home can serve.
const ELSEWHERE: &str = "en_elsewhere.txt";
/// Tools that are offered at most, beside what is set: what fewer and more would do.
const MAX_OFFERED: [usize; 3] = [6, 8, 10];
/// From here on the classifier alone would have something acted on.
const SURE: f32 = 0.6;

/// What it needs. `requests` is the YAML file, where one is named.
pub(crate) fn needs(config: &Config, requests: Option<&Path>) -> Vec<Need> {
    let lists = lists_folder(config).ok();
    let mut needs = vec![
        Need::models(config),
        Need::data(
            "the lists that are kept apart",
            lists.as_deref(),
            "--set paths.models_dir=FOLDER (of the project)",
        ),
    ];
    let file = Need::data("a YAML file of requests", requests, "name one: --requests FILE.yaml");
    needs.push(if requests.is_some() { file } else { file.optional() });
    needs
}

fn lists_folder(config: &Config) -> Result<PathBuf, Fault> {
    Ok(config.paths.models_dir()?.join("intent/held_out/apart"))
}

/// Runs it.
///
/// # Errors
/// When a file cannot be read or a part of Hark is missing.
pub(crate) fn run(run: &Run<'_>, requests: Option<&Path>) -> Result<Found, Vec<Fault>> {
    let one = |fault| vec![fault];
    let lists = lists_folder(run.config).map_err(one)?;
    let mut found = Found::default();
    let folder = TemporaryFolder::make().map_err(one)?;
    let config = run.apart(&folder);
    let app = App::open(config.clone())?;
    let mut by_kind = Vec::new();
    by_kind.extend(list_rows(run, &app, &files(&lists, REQUESTS).map_err(one)?, &mut found).map_err(one)?);
    by_kind.extend(list_rows(run, &app, &[lists.join(ELSEWHERE)], &mut found).map_err(one)?);
    (run.progress)("tools that a language model would be offered");
    found.rows.extend(offered_rows(run, &app).map_err(one)?);
    drop(app);
    let mut german = config.clone();
    german.home.file = lists.join(GERMAN_HOME).display().to_string();
    german.speaking.language = "de".into();
    let app = App::open(german)?;
    by_kind.extend(
        list_rows(run, &app, &files(&lists, GERMAN_REQUESTS).map_err(one)?, &mut found).map_err(one)?,
    );
    drop(app);
    by_kind.sort_by(|a, b| a.part.cmp(&b.part));
    found.rows.extend(rows_of_parts(&by_kind));
    if let Some(file) = requests {
        let cases = request_file::cases(run, file)?;
        found.rows.extend(rows_of_parts(&cases));
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let all: Vec<Case> =
            cases.iter().map(|case| Case { part: name.to_string(), ..case.clone() }).collect();
        found.rows.push(Row::judged(&name, &all));
        found.cases.extend(cases);
    } else {
        found.notes.push("Left out: requests that are carried out (--requests FILE.yaml).".into());
    }
    (run.progress)("the classifier alone");
    classifier_rows(run, &config, &mut found).map_err(one)?;
    found.notes.push(
        "Lists: right is the intent with all slots that are named; harmful is that something else would have been changed. \
         YAML requests: right is that exactly the devices that are named changed, or that it asked or refused where it should, \
         whatever the words; to be read is an answer or a promise in words."
            .into(),
    );
    Ok(found)
}

/// Files of a folder whose names begin so, in order.
fn files(folder: &Path, beginning: &str) -> Result<Vec<PathBuf>, Fault> {
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(beginning)));
    files.sort();
    Ok(files)
}

/// A row for each part of cases that are in its order.
fn rows_of_parts(cases: &[Case]) -> Vec<Row> {
    let mut parts: Vec<&str> = cases.iter().map(|case| case.part.as_str()).collect();
    parts.dedup();
    parts.into_iter().map(|part| Row::judged(part, cases)).collect()
}

/// A row a list, and what share of each has the right intents whatever the slots. Answers the same cases by the kind of
/// request that is wanted.
fn list_rows(run: &Run<'_>, app: &App, files: &[PathBuf], found: &mut Found) -> Result<Vec<Case>, Fault> {
    let mut by_kind = Vec::new();
    for file in files {
        let list = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (run.progress)(&list);
        let lines: Vec<Line> = run.sampled(apart_lists::read(file)?);
        let texts: Vec<String> = lines.iter().map(|line| line.text.clone()).collect();
        let turns = understand(app, &texts)?;
        let case = |(line, turn): (&Line, &Turn)| Case {
            part: list.clone(),
            item: line.text.clone(),
            verdict: line.judge(turn),
            detail: turn.meaning(),
        };
        let cases: Vec<Case> = lines.iter().zip(&turns).map(case).collect();
        by_kind
            .extend(lines.iter().zip(&cases).map(|(line, case)| Case { part: kind(line), ..case.clone() }));
        found.rows.push(Row::judged(&list, &cases));
        if lines.iter().any(|line| line.intent().is_some()) {
            let right = lines.iter().zip(&turns).filter(|(line, turn)| line.has_intents(turn)).count();
            found.rows.push(Row::share(&format!("{list}: right intents"), right, lines.len()));
        }
        found.cases.extend(cases);
    }
    Ok(by_kind)
}

/// The part of all lists for the kind of request that a line wants.
fn kind(line: &Line) -> String {
    let kind = line.intent().map_or("nothing", |intent| category_of(intent).map_or("other", Category::name));
    format!("all lists: {kind}")
}

/// The classifier on its own held-out paraphrases, which name things of other homes.
fn classifier_rows(run: &Run<'_>, config: &Config, found: &mut Found) -> Result<(), Fault> {
    let (models, state) = (config.paths.models_dir()?, config.paths.state_dir()?);
    let paths = IntentPaths::new(&models, &state, "");
    let manifest = hark_models::manifest::Manifest::load(&models)?;
    let mut classifier = Classifier::open(&manifest, &paths, "en")?;
    let file = yaml::read(&paths.held_out("en"))?;
    let groups = file["examples"].as_array().cloned().unwrap_or_default();
    let (mut kinds, mut intents, mut acted) = ([0, 0], [0, 0], [0, 0]);
    for group in groups {
        let intent = group["intent"].as_str();
        let category = match (intent, group["category"].as_str()) {
            (Some(intent), _) => category_of(intent).unwrap_or(Category::HomeControl),
            (None, Some(name)) => {
                Category::ALL.into_iter().find(|it| it.name() == name).unwrap_or(Category::OutOfScope)
            }
            (None, None) => continue,
        };
        let texts = group["sentences"].as_array().cloned().unwrap_or_default();
        for text in run.sampled(texts) {
            let classified = classifier.classify(text.as_str().unwrap_or_default())?;
            let best = classified.intents.first();
            count(&mut kinds, classified.category == category);
            if let Some(intent) = intent {
                count(&mut intents, best.is_some_and(|(name, _)| name == intent));
            }
            if category == Category::OutOfScope {
                count(&mut acted, best.is_some_and(|(_, share)| *share >= SURE));
            }
        }
    }
    let rows = [
        ("classifier alone: right category", kinds),
        ("classifier alone: right intent", intents),
        ("classifier alone: out of scope taken for an intent", acted),
    ];
    found.rows.extend(rows.map(|(what, [right, of])| Row::share(what, right, of)));
    Ok(())
}

/// Whether the tool that serves a held-out paraphrase would be among those a language model is offered for it, and how many
/// those are: with as many as are set, by words alone, and with fewer and more.
fn offered_rows(run: &Run<'_>, app: &App) -> Result<Vec<Row>, Fault> {
    let config = &app.config;
    let (tools, set) = (app.tool_reference(), config.route.max_tools as usize);
    let relevance = EncodedTools::new(app.languages.classifier.clone(), app.runtime.handle());
    let file = yaml::read(&app.languages.paths.held_out("en"))?;
    let mut of_most = [set].into_iter().chain(MAX_OFFERED).map(|most| (most, [0, 0], 0)).collect::<Vec<_>>();
    let mut by_words = [0, 0];
    for group in file["examples"].as_array().cloned().unwrap_or_default() {
        let serves = group["intent"].as_str().and_then(tool_for);
        let Some(tool) = serves.filter(|tool| tools.iter().any(|spec| spec.name == *tool)) else { continue };
        for text in run.sampled(group["sentences"].as_array().cloned().unwrap_or_default()) {
            let request = text.as_str().unwrap_or_default();
            let kind = app.languages.classifier.as_ref().map(|classifier| {
                classifier.lock().unwrap_or_else(PoisonError::into_inner).classify(request)
            });
            let agents = kind.transpose()?.map(|kind| kind.suggested_agents).unwrap_or_default();
            let likeness = app.runtime.block_on(relevance.likeness(request, &tools));
            let skills = SkillsTold::default();
            let chosen = |likeness, most| {
                let agents = &agents;
                ToolChoice { request, agents, likeness, skills: &skills, reads_only: false, most }.of(&tools)
            };
            for (most, counts, offered) in &mut of_most {
                let chosen = chosen(&likeness, *most);
                count(counts, chosen.iter().any(|spec| spec.name == tool));
                *offered += chosen.len();
            }
            let alone = chosen(&BTreeMap::new(), set);
            count(&mut by_words, alone.iter().any(|spec| spec.name == tool));
        }
    }
    let row = |(most, [right, of], offered): &(usize, [usize; 2], usize)| {
        let each = *offered as f32 / (*of).max(1) as f32;
        let what = format!("offered at most {most}: the right tool among {each:.1} of {}", tools.len());
        Row::share(&what, *right, *of)
    };
    let [right, of] = by_words;
    let alone = format!("offered at most {set}, by words and kind of request alone");
    Ok(of_most.iter().map(row).chain([Row::share(&alone, right, of)]).collect())
}

/// Counts how many of all.
fn count(counts: &mut [usize; 2], is_so: bool) {
    counts[0] += usize::from(is_so);
    counts[1] += 1;
}
