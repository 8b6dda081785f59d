//! Tasks of language models at work: each on the runtime, ended when nobody waits for it any more. What a task has
//! begun to do with a tool is done to its end, so that every act has its receipt.

use crate::app::event_queue::EventQueue;
use crate::app::requests::recorder::Passing;
use hark_core::plan::{KeptPlan, Plan, PlanStore};
use hark_core::ports::{ReceiptFuture, Tools};
use hark_core::tool::{CallId, error_code};
use hark_core::{Event, Fault, FaultKind, Receipt, Risk, Task, Thought, ThoughtEnd, ToolCall, TurnId};
use hark_dialog::model_tasks::{Judgement, ModelTasks, Tell};
use hark_memory::Memory;
use hark_store::store::Store;
use hark_tools::tools::outcome::Failure;
use hark_tools::tools::receipt::receipt;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::{AbortHandle, JoinHandle};

/// Tasks at once; more wait for nothing, they are told so.
const MAX_TASKS: usize = 128;
/// Texts that wait to be read at most.
const MAX_UNREAD: usize = 16;

/// See the module.
pub(crate) struct ModelWorker {
    mind: Arc<ModelTasks>,
    runtime: Handle,
    event_queue: Arc<EventQueue>,
    limit: Duration,
    running: BTreeMap<TurnId, JoinHandle<()>>,
    /// Answers that are being judged: nobody waits for it, so the next request ends it, and a server that answers one at a time
    /// is free for that.
    judging: Arc<Mutex<Vec<AbortHandle>>>,
    /// Where statements are kept that it reads; `None`: it reads none.
    memory: Option<Memory>,
    /// What was said in passing and is not read yet, the oldest first: what the next request ended is read after it.
    unread: Arc<Mutex<VecDeque<Passing>>>,
    reading: Option<JoinHandle<()>>,
}

impl ModelWorker {
    /// Thinks with `mind`; a task takes at most `limit`.
    pub(crate) fn new(
        mind: Arc<ModelTasks>,
        memory: Option<Memory>,
        runtime: &Handle,
        event_queue: &Arc<EventQueue>,
        limit: Duration,
    ) -> Self {
        let (runtime, event_queue) = (runtime.clone(), event_queue.clone());
        let (running, judging, unread) = Default::default();
        Self { mind, runtime, event_queue, limit, running, judging, memory, unread, reading: None }
    }

    /// Begins a task; `News` and a `Thought` come to the event queue.
    pub(crate) fn begin(&mut self, task: Task) {
        let turn = task.turn.clone();
        judging(&self.judging).drain(..).for_each(|judged| judged.abort());
        if !self.has_room() {
            let fault = too_much(format!("{MAX_TASKS} requests are being thought about already"));
            tell(&self.event_queue, Event::Thought { turn, thought: unanswered(fault) });
            return;
        }
        let (mind, event_queue, limit) = (self.mind.clone(), self.event_queue.clone(), self.limit);
        let (news, id) = (self.teller(&turn), turn.clone());
        let (judged, runtime) = (self.judging.clone(), self.runtime.clone());
        let work = self.runtime.spawn(async move {
            let thought = tokio::time::timeout(limit, mind.work(task, news.clone())).await;
            let (thought, judgements) = thought.unwrap_or_else(|_| {
                mind.abandon(&turn);
                (unanswered(too_much(format!("it was not done within {} s", limit.as_secs()))), Vec::new())
            });
            tell(&event_queue, Event::Thought { turn, thought });
            if judgements.is_empty() {
                return;
            }
            let judge = runtime.spawn(async move {
                for judgement in &judgements {
                    mind.judge(judgement, &news).await;
                }
            });
            judging(&judged).push(judge.abort_handle());
            // How it ended is of no account.
            let _ = judge.await;
        });
        self.running.insert(id, work);
    }

    /// Has an answer judged; `News` come to the event queue.
    pub(crate) fn judge(&mut self, turn: TurnId, judgement: Judgement) {
        if !self.mind.judges() || !self.has_room() {
            return;
        }
        let (mind, news) = (self.mind.clone(), self.teller(&turn));
        let work = self.runtime.spawn(async move { mind.judge(&judgement, &news).await });
        judging(&self.judging).push(work.abort_handle());
        self.running.insert(turn, work);
    }

    /// Has what was said in passing read by a model where no rule reads it, and what it states kept. Nobody waits for it, so the
    /// next request ends it for now.
    pub(crate) fn read_facts(&mut self, passing: Passing) {
        let Some(memory) = self.memory.clone() else { return };
        let mut unread = lock(&self.unread);
        if unread.len() == MAX_UNREAD {
            unread.pop_front();
        }
        unread.push_back(passing);
        drop(unread);
        if self.reading.as_ref().is_some_and(|reading| !reading.is_finished()) {
            return;
        }
        let (mind, unread) = (self.mind.clone(), self.unread.clone());
        let event_queue = self.event_queue.clone();
        let reading = self.runtime.spawn(async move {
            loop {
                let Some(passing) = lock(&unread).front().cloned() else { return };
                let news = teller(&event_queue, &passing.turn);
                read_one(&mind, &memory, &passing, &news).await;
                // A newer one may have pushed it out.
                let mut unread = lock(&unread);
                if unread.front().is_some_and(|first| first.turn == passing.turn) {
                    unread.pop_front();
                }
            }
        });
        judging(&self.judging).push(reading.abort_handle());
        self.reading = Some(reading);
    }

    /// Whether another task can begin. Those that have ended are forgotten.
    fn has_room(&mut self) -> bool {
        self.running.retain(|_, task| !task.is_finished());
        self.running.len() < MAX_TASKS
    }

    /// Puts news of a turn into the event queue.
    fn teller(&self, turn: &TurnId) -> Tell {
        teller(&self.event_queue, turn)
    }

    /// Whether something is still at work.
    pub(crate) fn is_busy(&self) -> bool {
        let reads = self.reading.as_ref().is_some_and(|reading| !reading.is_finished());
        reads || self.running.values().any(|task| !task.is_finished())
    }

    /// Ends a task, if it is still at work.
    pub(crate) fn stop(&mut self, turn: &TurnId) {
        let Some(task) = self.running.remove(turn) else { return };
        judging(&self.judging).drain(..).for_each(|judged| judged.abort());
        task.abort();
        let (mind, turn) = (self.mind.clone(), turn.clone());
        self.runtime.spawn(async move {
            // Its own last word on the plan comes first. How it ended is of no account.
            let _ = task.await;
            tokio::task::spawn_blocking(move || mind.abandon(&turn)).await
        });
    }
}

/// Reads one text, and keeps what it states.
async fn read_one(mind: &ModelTasks, memory: &Memory, passing: &Passing, news: &Tell) {
    let (rules, text) = (memory.clone(), passing.text.clone());
    // Some hundred microseconds a sentence. Where it fails the model is asked.
    let by_rule = tokio::task::spawn_blocking(move || rules.reads_statement(&text)).await;
    if by_rule.unwrap_or(false) {
        return;
    }
    let read = mind.facts(&passing.text, &passing.language, news).await;
    if read.is_empty() {
        return;
    }
    let (memory, passing) = (memory.clone(), passing.clone());
    let keeping = tokio::task::spawn_blocking(move || {
        let Passing { text, by, turn, at_unix_ms, .. } = &passing;
        memory.remember_read(text, &read, *at_unix_ms, by, Some(&turn.0))
    });
    match keeping.await {
        Ok(Ok(kept)) => tracing::debug!(kept, "statements were read by a model"),
        Ok(Err(fault)) => tracing::error!("what was told could not be kept: {fault}"),
        Err(error) => tracing::error!("what was told could not be kept: {error}"),
    }
}

/// Puts news of a turn into the event queue.
fn teller(event_queue: &Arc<EventQueue>, turn: &TurnId) -> Tell {
    let (event_queue, turn) = (event_queue.clone(), turn.clone());
    Arc::new(move |news| tell(&event_queue, Event::News { turn: turn.clone(), news }))
}

/// Texts that are not read yet.
fn lock(unread: &Mutex<VecDeque<Passing>>) -> MutexGuard<'_, VecDeque<Passing>> {
    // Nothing that holds it can leave it half changed.
    unread.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is being judged, without what has ended.
fn judging(all: &Mutex<Vec<AbortHandle>>) -> MutexGuard<'_, Vec<AbortHandle>> {
    // Nothing that holds it can leave it half changed.
    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|judged| !judged.is_finished());
    all
}

fn unanswered(fault: Fault) -> Thought {
    Thought { end: ThoughtEnd::NoAnswer { fault: Some(fault), cause: None }, attempts: 0 }
}

fn too_much(message: String) -> Fault {
    let fix = "ask again, or allow more time with route.task_timeout_ms";
    Fault::new(FaultKind::Unavailable, "llm", message, fix).recoverable()
}

fn tell(event_queue: &EventQueue, event: Event) {
    if let Err(full) = event_queue.push(event) {
        tracing::error!("news of a language model was lost: {full}");
    }
}

/// Tools as a task runs them: to their end even when the task is over. What came of a call that may have changed
/// something is on the disk before anybody hears of it.
pub(crate) struct Persistent {
    pub(crate) tools: Arc<dyn Tools>,
    pub(crate) receipts: Arc<dyn PlanStore>,
    pub(crate) runtime: Handle,
}

impl Tools for Persistent {
    fn run(&self, call: ToolCall) -> ReceiptFuture {
        let name = call.tool.clone();
        let id = (self.tools.risk(&name) != Some(Risk::Read)).then(|| call.id());
        let (running, receipts) = (self.tools.run(call), self.receipts.clone());
        let work = self.runtime.spawn(async move {
            let receipt = running.await;
            let kept = id.map_or(Ok(()), |id| receipts.keep_receipt(&id, &receipt));
            if let Err(fault) = kept {
                tracing::error!("what came of a call was not kept; after a restart nobody knows it: {fault}");
            }
            receipt
        });
        Box::pin(async move {
            let broke_off = |error| Failure::new(error_code::FAILED, format!("{name} broke off: {error}"));
            work.await.unwrap_or_else(|error| receipt(Err(broke_off(error))))
        })
    }

    fn inner(&self) -> Option<&dyn Tools> {
        Some(&*self.tools)
    }

    fn risk(&self, tool: &str) -> Option<Risk> {
        self.tools.risk(tool)
    }
}

/// Plans in the store, kept by threads of the runtime that may wait for the disk.
pub(crate) struct PlansOnDisk(pub(crate) Store);

impl PlanStore for PlansOnDisk {
    fn checkpoint(&self, session: &str, request: &str, plan: &Plan, finished: bool) -> Result<(), Fault> {
        tokio::task::block_in_place(|| self.0.checkpoint(session, request, plan, finished))
    }

    fn plan(&self, id: &str, checkpoint: Option<u32>) -> Result<Option<KeptPlan>, Fault> {
        tokio::task::block_in_place(|| self.0.plan(id, checkpoint))
    }

    fn unfinished(&self) -> Result<Vec<KeptPlan>, Fault> {
        self.0.unfinished()
    }

    fn checkpoints(&self, id: &str) -> Result<Vec<KeptPlan>, Fault> {
        tokio::task::block_in_place(|| self.0.checkpoints(id))
    }

    fn keep_receipt(&self, call: &CallId, receipt: &Receipt) -> Result<(), Fault> {
        tokio::task::block_in_place(|| self.0.keep_receipt(call, receipt))
    }

    fn receipt(&self, call: &CallId) -> Result<Option<Receipt>, Fault> {
        tokio::task::block_in_place(|| self.0.receipt(call))
    }
}
