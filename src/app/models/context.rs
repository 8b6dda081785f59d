//! Gathers the context that goes to a language model with a request: every source on a thread of its own that may wait for
//! the disk, each within a budget. A source that is late goes on, and what it finds is dropped.

use crate::app::clock::wall_unix_ms;
use hark_config::Config;
use hark_config::route::RouteConfig;
use hark_core::context::{ContextOutcome, ContextPart, ContextSource};
use hark_core::documents::{Documents, FoundPassage};
use hark_core::home::{Entity, Home, WATCHED};
use hark_core::memory::{Fact, Requester};
use hark_core::model::mentions;
use hark_core::ports::HomeView;
use hark_core::session::{ReplayReason, Sessions};
use hark_core::{Fault, FaultKind, Task};
use hark_dialog::history_policy::with_resumed;
use hark_dialog::model_tasks::{ContextSources, Gathered, GatheredFuture, PassageTold};
use hark_home::{HomeRegistry, select};
use hark_knowledge::excerpt;
use hark_memory::Memory;
use hark_store::sessions::SessionStore;
use hark_tools::tools::is_text;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// Facts, passages and things at most.
const MAX_FACTS: usize = 8;
const MAX_THINGS: usize = 20;
/// Characters of each passage at most, the best first. With their sources they fit between one pair of marks of the prompt.
const PASSAGE_CHARS: [usize; 5] = [1_500, 900, 900, 900, 900];
/// Characters of the name of a source at most.
const MAX_SOURCE_CHARS: usize = 100;

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
        is_answered: bool,
    ) -> GatheredFuture {
        let (all, task) = (self.clone(), task.clone());
        Box::pin(async move { all.gathered(task, (reason, named), is_answered).await })
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
        is_answered: bool,
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
            if !is_answered {
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
            let (recent, told) =
                (memory.recent_names(&by), lines(facts.into_iter().map(fact_line).collect()));
            Ok(Found::new((told.value, recent), told.items, told.chars))
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
        let (facts, recent) = facts.unwrap_or_default();
        let (things, things_from_outside) = things.unwrap_or_default();
        Gathered {
            settings,
            replayed,
            facts,
            recent,
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

/// The best passages where one of them answers: the one that does is not always the first. Nothing where none does.
fn passages(documents: &dyn Documents, question: &str) -> Result<Found<Vec<PassageTold>>, Fault> {
    let all = documents.search(question)?;
    if !all.iter().any(|passage| passage.answers) {
        let left_out = (!all.is_empty()).then(|| format!("{} passages do not answer it", all.len()));
        return Ok(Found { left_out, ..Found::new(Vec::new(), 0, 0) });
    }
    let told: Vec<PassageTold> = all.iter().zip(PASSAGE_CHARS).map(|(it, most)| passage(it, most)).collect();
    let chars = told.iter().map(|it| it.source.chars().count() + it.text.chars().count()).sum();
    let (found, items) = (all.len(), told.len());
    let left_out = (found > items).then(|| format!("{} more passages were found", found - items));
    Ok(Found { left_out, ..Found::new(told, items, chars) })
}

/// A passage with its source, cut around the sentence that answers.
fn passage(found: &FoundPassage, most_chars: usize) -> PassageTold {
    let title: String = found.title.chars().take(MAX_SOURCE_CHARS).collect();
    let page = found.page.map_or_else(String::new, |page| format!(", page {page}"));
    let text = excerpt(&found.passage, found.answer_start..found.answer_end, most_chars);
    PassageTold { source: format!("{title}{page}"), text }
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

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::documents::{Document, DocumentStatus, IndexChange};
    use std::path::Path;

    /// Finds these.
    struct Shelf(Vec<FoundPassage>);

    impl Documents for Shelf {
        fn search(&self, _: &str) -> Result<Vec<FoundPassage>, Fault> {
            Ok(self.0.clone())
        }

        fn list(&self) -> Result<Vec<Document>, Fault> {
            Ok(Vec::new())
        }

        fn status(&self) -> Result<DocumentStatus, Fault> {
            Ok(DocumentStatus::default())
        }

        fn add(&self, _: &Path, _: bool) -> Result<IndexChange, Fault> {
            Ok(IndexChange::default())
        }

        fn remove(&self, _: &Path, _: bool) -> Result<IndexChange, Fault> {
            Ok(IndexChange::default())
        }
    }

    /// A passage of about 3,000 characters whose last sentence answers.
    fn found(title: &str, page: Option<u32>, answers: bool) -> FoundPassage {
        let before = "The burner is cleaned once a year by a fitter. ".repeat(64);
        let answer = format!("The {title} shows E5 when the pressure is too low.");
        let passage = format!("{before}{answer}");
        FoundPassage {
            path: format!("/manuals/{title}.pdf"),
            title: title.to_owned(),
            heading: String::new(),
            page,
            start_byte: 0,
            end_byte: passage.len(),
            answer_start: before.len(),
            answer_end: passage.len(),
            passage,
            answer,
            confidence: if answers { 0.9 } else { 0.3 },
            answers,
        }
    }

    #[test]
    fn the_sentence_that_answers_is_in_the_prompt_wherever_it_stands() {
        let shelf = Shelf(
            (1..=6).map(|number| found(&format!("boiler {number}"), Some(number), number == 5)).collect(),
        );
        let told = passages(&shelf, "what is E5").unwrap();
        assert_eq!((told.items, told.left_out.as_deref()), (5, Some("1 more passages were found")));
        for (number, one) in told.value.iter().enumerate() {
            let number = number + 1;
            assert_eq!(one.source, format!("boiler {number}, page {number}"));
            assert!(one.text.contains(&format!("The boiler {number} shows E5")), "{one:?}");
            assert!(one.text.starts_with("… The burner"), "whole sentences: {one:?}");
        }
        // All of it stands between one pair of marks.
        assert!(told.chars < 5_700, "{}", told.chars);
    }

    #[test]
    fn passages_of_which_none_answers_stay_out() {
        let told = passages(&Shelf(vec![found("lease", None, false)]), "what is E5").unwrap();
        assert_eq!((told.items, told.left_out.as_deref()), (0, Some("1 passages do not answer it")));
        assert_eq!(passages(&Shelf(Vec::new()), "what is E5").unwrap().left_out, None);
    }
}
