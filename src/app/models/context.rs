//! Gathers the context that goes to a language model with a request: every source on a thread of its own that may wait for
//! the disk, each within a budget. A source that is late goes on, and what it finds is dropped.

use crate::app::clock::wall_unix_ms;
use hark_config::Config;
use hark_config::route::RouteConfig;
use hark_core::context::{ContextOutcome, ContextPart, ContextSource};
use hark_core::documents::Documents;
use hark_core::home::{Entity, Home, WATCHED};
use hark_core::memory::{Fact, Requester};
use hark_core::model::mentions;
use hark_core::ports::HomeView;
use hark_core::session::{ReplayReason, Sessions};
use hark_core::{Fault, FaultKind, Task};
use hark_dialog::history_policy::with_resumed;
use hark_dialog::model_tasks::{ContextSources, Gathered, GatheredFuture};
use hark_home::{HomeRegistry, select};
use hark_memory::Memory;
use hark_store::sessions::SessionStore;
use hark_tools::tools::is_text;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// Facts, passages and things at most.
const MAX_FACTS: usize = 8;
const MAX_PASSAGES: usize = 3;
const MAX_THINGS: usize = 20;
/// Characters of one passage at most.
const MAX_PASSAGE_CHARS: usize = 1_500;

/// See the module.
#[derive(Clone)]
pub(crate) struct AppContext {
    sessions: SessionStore,
    documents: Arc<dyn Documents>,
    memory: Memory,
    home: Arc<HomeRegistry>,
    /// Sources of the home whose names count as the household's own.
    trusted: Vec<String>,
    /// Area this node stands in; empty: none.
    area: String,
    budgets: RouteConfig,
    runtime: Handle,
}

impl AppContext {
    /// The sources of a program with these parts.
    pub(crate) fn new(
        config: &Config,
        (sessions, documents, memory): (&SessionStore, &Arc<dyn Documents>, &Memory),
        home: &Arc<HomeRegistry>,
        runtime: &Handle,
    ) -> Self {
        Self {
            sessions: sessions.clone(),
            documents: documents.clone(),
            memory: memory.clone(),
            home: home.clone(),
            trusted: [&config.home.trusted_sources[..], &[WATCHED.to_owned()]].concat(),
            area: config.home.area.clone(),
            budgets: config.route.clone(),
            runtime: runtime.clone(),
        }
    }
}

impl ContextSources for AppContext {
    fn gather(
        &self,
        task: &Task,
        reason: Option<ReplayReason>,
        named: bool,
        is_question: bool,
    ) -> GatheredFuture {
        let (all, task) = (self.clone(), task.clone());
        Box::pin(async move { all.gathered(task, (reason, named), is_question).await })
    }
}

/// What a source found, and how much of it there is.
struct Found<T> {
    value: T,
    items: usize,
    chars: usize,
    /// What was left out.
    left_out: Option<String>,
}

impl<T> Found<T> {
    fn new(value: T, items: usize, chars: usize) -> Self {
        Self { value, items, chars, left_out: None }
    }
}

impl AppContext {
    async fn gathered(
        self,
        task: Task,
        (reason, named): (Option<ReplayReason>, bool),
        is_question: bool,
    ) -> Gathered {
        let task = Arc::new(task);
        let budget = |ms: u32| Duration::from_millis(ms.into());
        let (sessions, session) = (self.sessions.clone(), task.session.clone());
        let talk = self.within(ContextSource::Session, budget(self.budgets.session_budget_ms), move || {
            let settings = sessions.settings(&session)?;
            let is_resumed = named && sessions.is_resumed(&session, wall_unix_ms())?;
            let reason = with_resumed(reason, is_resumed);
            let replayed = sessions.replay(&session, reason)?;
            let (items, chars) = (replayed.policy.entries_used, replayed.policy.chars_used);
            let trimmed = replayed.policy.trimmed.then(|| "older turns did not fit".to_owned());
            Ok(Found { left_out: trimmed, ..Found::new((settings, replayed), items, chars) })
        });
        let (documents, asked) = (self.documents.clone(), task.clone());
        let knowledge = async {
            if !is_question {
                return (None, not_asked(ContextSource::Knowledge, "it is something to do"));
            }
            let limit = budget(self.budgets.knowledge_budget_ms);
            self.within(ContextSource::Knowledge, limit, move || passages(&*documents, &asked.text)).await
        };
        let (memory, asked) = (self.memory.clone(), task.clone());
        let facts = self.within(ContextSource::Memory, budget(self.budgets.memory_budget_ms), move || {
            let requester = Requester::of(&asked.origin);
            let by = Requester { aloud: asked.spoken, person: asked.person.clone(), ..requester };
            let facts = memory.context(&asked.text, &by, wall_unix_ms(), MAX_FACTS)?;
            Ok(lines(facts.into_iter().map(fact_line).collect()))
        });
        let (home, asked, trusted) = (self.home.clone(), task.clone(), self.trusted.clone());
        let things = self.within(ContextSource::Home, budget(self.budgets.home_budget_ms), move || {
            let outside = home.any_name_of_others(&trusted, |_| true);
            let now = home.home();
            let (named, all) = things(&now, &asked.text);
            let outside = outside || named.iter().any(|entity| is_text(&entity.state));
            let told: Vec<String> = named.iter().map(|entity| line(&now, entity)).collect();
            let Found { value, items, chars, .. } = lines(told);
            let left_out = (all > items).then(|| format!("{} more things are named", all - items));
            Ok(Found { value: (value, outside), items, chars, left_out })
        });
        let ((talk, a), (passages, b), (facts, c), (things, d)) =
            tokio::join!(talk, knowledge, facts, things);
        let (area, person) = (self.area(), task.person.clone());
        let here = || area.iter().chain(&person);
        let here_part = ContextPart {
            source: ContextSource::Here,
            outcome: ContextOutcome::Used,
            // The time stands in every prompt that wants it.
            items: here().count() + 1,
            chars: here().map(|name| name.chars().count()).sum(),
            took_ms: 0.0,
            why: None,
        };
        let (settings, replayed) = talk.unzip();
        let (things, things_from_outside) = things.unwrap_or_default();
        Gathered {
            settings,
            replayed,
            facts: facts.unwrap_or_default(),
            passages: passages.unwrap_or_default(),
            things,
            things_from_outside,
            area,
            person,
            parts: vec![a, b, c, d, here_part],
        }
    }

    /// Runs a job where it may wait for the disk, within a budget.
    async fn within<T: Send + 'static>(
        &self,
        source: ContextSource,
        budget: Duration,
        job: impl FnOnce() -> Result<Found<T>, Fault> + Send + 'static,
    ) -> (Option<T>, ContextPart) {
        let began = Instant::now();
        let ended = tokio::time::timeout(budget, self.runtime.spawn_blocking(job)).await;
        let took_ms = began.elapsed().as_secs_f64() * 1000.0;
        let part = |outcome, items, chars, why| ContextPart { source, outcome, items, chars, took_ms, why };
        let found = match ended {
            Ok(Ok(Ok(found))) => found,
            Ok(Ok(Err(fault))) => {
                tracing::warn!(?source, "a request is answered without it: {fault}");
                return (None, part(ContextOutcome::Failed, 0, 0, Some(fault.message)));
            }
            Ok(Err(error)) => {
                tracing::error!(?source, "a request is answered without it: {error}");
                return (None, part(ContextOutcome::Failed, 0, 0, Some(broke_off(&error))));
            }
            Err(_) => {
                tracing::warn!(
                    ?source,
                    budget_ms = budget.as_millis(),
                    "a request is answered without it: it is late"
                );
                let why = format!("it took longer than its {} ms", budget.as_millis());
                return (None, part(ContextOutcome::Late, 0, 0, Some(why)));
            }
        };
        let outcome = if found.items == 0 { ContextOutcome::Empty } else { ContextOutcome::Used };
        (Some(found.value), part(outcome, found.items, found.chars, found.left_out))
    }

    /// The area this node stands in, as the home calls it.
    fn area(&self) -> Option<String> {
        let area = Some(self.area.trim()).filter(|area| !area.is_empty())?;
        Some(select::area(&self.home.home(), area).map_or(area.to_owned(), |area| area.name.clone()))
    }
}

fn not_asked(source: ContextSource, why: &str) -> ContextPart {
    let why = Some(why.to_owned());
    ContextPart { source, outcome: ContextOutcome::NotAsked, items: 0, chars: 0, took_ms: 0.0, why }
}

fn broke_off(error: &tokio::task::JoinError) -> String {
    Fault::new(FaultKind::Failed, "context", error.to_string(), "see the log").message
}

fn lines(lines: Vec<String>) -> Found<Vec<String>> {
    let (items, chars) = (lines.len(), lines.iter().map(|line| line.chars().count()).sum());
    Found::new(lines, items, chars)
}

/// A fact in the words it was told, with the day that they mean.
fn fact_line(fact: Fact) -> String {
    match fact.time {
        Some(time) => format!("{} ({}: {})", fact.text, time.words, time.when),
        None => fact.text,
    }
}

/// The passages that answer, each behind its source.
fn passages(documents: &dyn Documents, question: &str) -> Result<Found<Vec<String>>, Fault> {
    let all = documents.search(question)?;
    let found = all.len();
    let told: Vec<String> = all
        .into_iter()
        .filter(|passage| passage.answers)
        .take(MAX_PASSAGES)
        .map(|passage| {
            let page = passage.page.map_or_else(String::new, |page| format!(", page {page}"));
            let text: String = passage.passage.chars().take(MAX_PASSAGE_CHARS).collect();
            format!("{}{page}:\n{text}", passage.title)
        })
        .collect();
    let left_out = (found > told.len()).then(|| format!("{} passages do not answer it", found - told.len()));
    Ok(Found { left_out, ..lines(told) })
}

/// The things that a request names, or whose area it names, and how many there are of them.
fn things<'h>(home: &'h Home, text: &str) -> (Vec<&'h Entity>, usize) {
    let area_is_named = |entity: &Entity| {
        let area = entity.area.as_ref().and_then(|id| home.areas.iter().find(|area| area.id == *id));
        area.is_some_and(|area| mentions(text, std::iter::once(area.name.as_str())))
    };
    let is_named = |entity: &&Entity| {
        let names = std::iter::once(&entity.name).chain(&entity.aliases);
        mentions(text, names.map(String::as_str))
    };
    let shown = |entity: &&Entity| !entity.is_secret();
    let mut named: Vec<&Entity> = home.entities.iter().filter(shown).filter(is_named).collect();
    if named.is_empty() {
        named = home.entities.iter().filter(shown).filter(|entity| area_is_named(entity)).collect();
    }
    let all = named.len();
    named.truncate(MAX_THINGS);
    (named, all)
}

/// A thing with its area and state, a line.
pub(crate) fn line(home: &Home, entity: &Entity) -> String {
    let area = entity.area.as_ref().and_then(|id| home.areas.iter().find(|area| area.id == *id));
    let area = area.map_or_else(String::new, |area| format!(" in {}", area.name));
    format!("{}{area}: {} ({})", entity.name, entity.state, entity.id.domain())
}
