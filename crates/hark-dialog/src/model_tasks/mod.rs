//! Works at a request with a language model: the last stage of the router. Which way is taken (an answer, tools, a plan) is
//! decided here, by rule; the model decides only how to say it, and everything it returns is checked. No clock, no
//! threads, no network: these come with the ports.
//!
//! `strategy` chooses, `answer` answers questions and small talk, `rewording` puts texts into other words, `react` runs tools one
//! after the other, `plan_runner` several at once with checkpoints, `single_tool` one tool that the model named; `told_sentences` keeps
//! what no receipt proves from being said, `action_claims` knows what words claim, `readable_claims` in which languages; `translated_claims`
//! reads those in others.

mod action_claims;
mod answer;
mod autonomy;
mod bound_claims;
mod claimed_action;
mod describing;
mod facts;
mod model_faults;
mod offered_tools;
mod plan_runner;
mod prompt_context;
mod react;
mod readable_claims;
mod rewording;
mod single_tool;
mod strategy;
mod success_guard;
mod system;
mod told_sentences;
mod translated_claims;

use super::contracts::scoring::{Evaluation, Subject};
use super::contracts::{Contract, Contracts, Options, Outcome, fence};
use super::summary::{self, Words};
use chrono::NaiveDateTime;
use futures_util::future::join;
use hark_config::route::RouteConfig;
use hark_core::memory::Requester;
use hark_core::model::{LanguageModel, Message, ModelError, PieceSink, ToolSpec};
use hark_core::plan::PlanStore;
use hark_core::ports::Tools;
use hark_core::public_event::Origin;
use hark_core::tool::error_code;
use hark_core::{
    Fault, FaultKind, Intent, News, PublicEvent, Receipt, Resume, Risk, Route, Slots, Task, Thought,
    ThoughtEnd, ToolCall, TurnId,
};
use hark_language::Lexicon;
use model_faults::cause;
pub use model_faults::fault;
pub use offered_tools::{LikenessFuture, ToolChoice, ToolRelevance};
pub use prompt_context::{ContextSources, Gathered, GatheredFuture, PassageTold};
use prompt_context::{Data, PromptContext};
pub use readable_claims::LanguageOf;
use readable_claims::ReadableClaims;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use strategy::TaskStrategy;

/// Tasks that may wait for somebody; the oldest gives way.
const MAX_SUSPENDED: usize = 64;

/// Characters of a result, of the house or of a conversation that a model is shown.
const MAX_SHOWN_CHARS: usize = 6000;

/// Gets what is told while a task runs.
pub type Tell = Arc<dyn Fn(News) + Send + Sync>;

/// What the mind works with.
pub struct ModelTaskParts {
    /// The models.
    pub model: Arc<dyn LanguageModel>,
    /// The contracts they work under.
    pub contracts: Arc<Contracts>,
    /// Tools, behind the gate.
    pub tools: Arc<dyn Tools>,
    /// Gathers the context that goes to a model with a request.
    pub context: Arc<dyn ContextSources>,
    /// Tells which tools have to do with a request.
    pub relevance: Arc<dyn ToolRelevance>,
    /// Where plans are kept.
    pub plans: Arc<dyn PlanStore>,
    /// How far it goes on its own.
    pub settings: RouteConfig,
    /// Who Hark is; empty: as built in.
    pub identity: String,
    /// Whom it serves; empty: unknown.
    pub owner: String,
    /// What of the house belongs into a prompt, such as the areas; made anew after every change.
    pub house: Arc<dyn Fn() -> House + Send + Sync>,
    /// How the household wants a request done; made anew for every task.
    pub skills: Arc<dyn Fn(&str) -> SkillsTold + Send + Sync>,
    /// The words around results of tools, by ISO 639-1 code.
    pub words: Arc<dyn Fn(&str) -> Words + Send + Sync>,
    /// The languages that are spoken here, the usual one first.
    pub languages: Vec<&'static Lexicon>,
    /// Tells the language of a text.
    pub language_of: LanguageOf,
    /// Local time.
    pub now: Arc<dyn Fn() -> NaiveDateTime + Send + Sync>,
}

/// The skills of the household, as far as a request tells of them: the owner's own words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SkillsTold {
    /// What skills there are, a line each.
    pub summaries: String,
    /// The whole text of those the request tells of.
    pub text: String,
    /// Tools these may use, by name.
    pub tools: Vec<String>,
    /// Groups of tools they bring.
    pub agents: Vec<String>,
}

/// What of the house stands in a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct House {
    /// The names of its things, a line an area. It stays the same while the house does, so that a server that keeps the
    /// beginning of a prompt need not read it again.
    pub names: String,
    /// Every thing with its state, a line each; told where a task has changed it.
    pub states: Vec<String>,
    /// There are names or states in it that the household has not chosen.
    pub outside: bool,
}

/// See the module.
pub struct ModelTasks {
    parts: ModelTaskParts,
    suspended: Mutex<Vec<(TurnId, Waiting)>>,
    /// Plans that are being carried out, by the turn.
    carried: Mutex<BTreeMap<TurnId, String>>,
}

/// An answer that is to be judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// What it is.
    pub subject: Subject,
    /// What was asked.
    pub request: String,
    /// What was answered.
    pub answer: String,
}

/// A task that waits for somebody.
enum Suspended {
    React(Box<react::State>),
    Plan {
        id: String,
    },
    /// One tool lacks arguments.
    Single {
        tool: String,
        text: String,
    },
}

/// A task that waits, with what goes on with it.
struct Waiting {
    what: Suspended,
    /// It had read text from outside.
    tainted: bool,
    /// The model that was named for it.
    model: Option<String>,
}

/// One task at work.
struct Work<'m> {
    mind: &'m ModelTasks,
    task: Task,
    /// What was asked; a task that goes on belongs to another turn, in which something else was said.
    request: Mutex<String>,
    /// The model that was named for it.
    model: OnceLock<String>,
    tell: Tell,
    context: PromptContext,
    /// How alike the request and the descriptions of tools are, by name.
    likeness: BTreeMap<String, f32>,
    /// How the household wants it done.
    skills: SkillsTold,
    /// All languages; a model may answer in any.
    known: Vec<&'static Lexicon>,
    /// Those of them in which claims are known.
    claims: ReadableClaims,
    attempts: AtomicU32,
    /// The answer on its way.
    answer: Arc<Mutex<success_guard::Answer>>,
    /// What the answer is, for who judges it.
    subject: Mutex<Option<Subject>>,
    /// What each tool gave back last, in words, for the same.
    outputs: Mutex<BTreeMap<String, String>>,
    /// Calls so far; each has a place of its own, so that none is taken for another.
    calls: AtomicU32,
    /// Text from outside the house has been shown to the model: what it wants from then on may be what the text wants.
    tainted: AtomicBool,
}

impl ModelTasks {
    /// A mind that has nothing to do.
    pub fn new(parts: ModelTaskParts) -> Self {
        Self { parts, suspended: Mutex::default(), carried: Mutex::default() }
    }

    /// Works at a task until it ends or waits for somebody. Never fails: what goes wrong is in the thought.
    /// Dropping the future ends it.
    pub async fn work(&self, task: Task, tell: Tell) -> (Thought, Vec<Judgement>) {
        self.parts.contracts.set_tools(self.parts.tools.reference());
        let skills = (self.parts.skills)(&task.text);
        let context = PromptContext::of(&self.parts, &task, self.wants_answer(&task, &skills));
        // A task that goes on has its tools.
        let likeness = async {
            match task.resume {
                Some(_) => BTreeMap::new(),
                None => {
                    let reference = self.parts.contracts.reference();
                    self.parts.relevance.likeness(&task.text, reference.tools()).await
                }
            }
        };
        let (context, likeness) = join(context, likeness).await;
        let tainted = context.policy().is_some_and(|policy| policy.tainted);
        let claims = ReadableClaims::new(self.parts.language_of, context.language());
        let work = Work {
            tainted: AtomicBool::new(tainted),
            mind: self,
            request: Mutex::new(task.text.clone()),
            model: task.model.clone().map(OnceLock::from).unwrap_or_default(),
            context,
            likeness,
            skills,
            tell,
            attempts: AtomicU32::new(0),
            answer: Arc::new(Mutex::new(success_guard::Answer::new(claims.clone()))),
            known: hark_language::all(),
            claims,
            subject: Mutex::default(),
            outputs: Mutex::default(),
            // Calls of a task that goes on belong to a new turn.
            calls: AtomicU32::new(0),
            task,
        };
        if let Some(policy) = work.context.policy() {
            work.tell(PublicEvent::Replay(policy.clone()));
        }
        if !work.context.parts().is_empty() {
            work.tell(PublicEvent::Context { sources: work.context.parts().to_vec() });
        }
        let end = work.run().await;
        let judgements = work.judgements(&end);
        (Thought { end, attempts: work.attempts.load(Ordering::Relaxed) }, judgements)
    }

    /// The models it works with.
    pub fn model(&self) -> &Arc<dyn LanguageModel> {
        &self.parts.model
    }

    /// Whether answers are judged.
    pub fn judges(&self) -> bool {
        self.parts.contracts.settings().scoring
    }

    /// Judges an answer, after it was given.
    pub async fn judge(&self, judgement: &Judgement, tell: &Tell) {
        let Judgement { subject, request, answer } = judgement;
        let teller = tell.clone();
        let mut report = move |event| teller(News::Told { event });
        let vars = json!({"request": request, "answer": answer, "label": subject.label()});
        let options = Options::new(&mut report);
        let outcome = self.parts.contracts.call(&*self.parts.model, Contract::Scoring, &vars, options).await;
        let low = self.parts.contracts.settings().low_score;
        let found = Evaluation::of(subject, &outcome, low);
        let metrics = found.metrics.into_iter().map(|(name, value)| (name, json!(value))).collect();
        let (label, alert, flag) = (found.label, found.evaluation_alert, found.flag);
        let event = PublicEvent::Evaluation { label, metrics, alert, flag };
        tell(News::Told { event });
    }

    /// Nobody wants the task of this turn any more, whose work has ended: its plan does not go on after a restart.
    pub fn abandon(&self, turn: &TurnId) {
        let mut carried = self.carried.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(id) = carried.remove(turn) else { return };
        drop(carried);
        let plans = &self.parts.plans;
        let ended = plans.plan(&id, None).and_then(|kept| match kept {
            Some(kept) => plans.checkpoint(&kept.session, &kept.request, &kept.plan, true),
            None => Ok(()),
        });
        if let Err(fault) = ended {
            tracing::error!("a plan was stopped and goes on after a restart all the same: {fault}");
        }
    }

    fn suspend(&self, turn: &TurnId, waiting: Waiting) {
        let mut suspended = self.suspended.lock().unwrap_or_else(PoisonError::into_inner);
        suspended.retain(|(known, ..)| known != turn);
        if suspended.len() == MAX_SUSPENDED {
            suspended.remove(0);
        }
        suspended.push((turn.clone(), waiting));
    }

    fn resume(&self, turn: &TurnId) -> Option<Waiting> {
        let mut suspended = self.suspended.lock().unwrap_or_else(PoisonError::into_inner);
        let at = suspended.iter().position(|(known, ..)| known == turn)?;
        Some(suspended.remove(at).1)
    }
}

impl Work<'_> {
    async fn run(&self) -> ThoughtEnd {
        if let Some(resume) = &self.task.resume {
            return self.go_on(resume).await;
        }
        match self.way() {
            TaskStrategy::Image => self.look().await,
            TaskStrategy::Change => self.change().await,
            TaskStrategy::Routed => self.routed().await,
            TaskStrategy::Conversation => self.converse().await,
            TaskStrategy::Question => self.inquire().await,
            TaskStrategy::React => self.react().await,
            TaskStrategy::Plan => self.plan().await,
        }
    }

    /// A task that waited goes on.
    async fn go_on(&self, resume: &Resume) -> ThoughtEnd {
        let suspended = match resume {
            Resume::Restarted { plan } => return self.plan_on(plan, None).await,
            Resume::Again { plan, checkpoint } => return self.plan_again(plan, *checkpoint).await,
            Resume::Approved { task, .. } | Resume::Answered { task } => self.mind.resume(task),
        };
        let Some(Waiting { what, tainted, model }) = suspended else {
            let fix = "ask for it once more";
            let fault = Fault::new(FaultKind::Failed, "llm", "the task is not known any more", fix);
            return ThoughtEnd::NoAnswer { fault: Some(fault.recoverable()), cause: None };
        };
        self.taint(tainted);
        model.map(|named| self.model.get_or_init(|| named));
        let call = if let Resume::Approved { call, .. } = resume { Some(call.clone()) } else { None };
        match what {
            Suspended::React(state) => self.react_on(*state, call).await,
            Suspended::Plan { id } => self.plan_on(&id, call).await,
            Suspended::Single { tool, text } => match call {
                Some(call) => self.run_single(call, &text).await,
                None => self.single(&tool, &format!("{text} {}", self.task.text), true).await,
            },
        }
    }

    /// Text from outside has been shown to the model, where it has.
    fn taint(&self, tainted: bool) {
        self.tainted.fetch_or(tainted, Ordering::Relaxed);
    }

    fn is_tainted(&self) -> bool {
        self.tainted.load(Ordering::Relaxed)
    }

    /// The task waits for somebody.
    fn suspend(&self, what: Suspended) {
        let (tainted, model) = (self.is_tainted(), self.model.get().cloned());
        self.mind.suspend(&self.task.turn, Waiting { what, tainted, model });
    }

    fn request(&self) -> String {
        self.request.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// It goes on with what was asked then.
    fn goes_on_with(&self, request: &str) {
        request.clone_into(&mut self.request.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn answers_as(&self, subject: Subject) {
        *self.subject.lock().unwrap_or_else(PoisonError::into_inner) = Some(subject);
    }

    /// What is to be judged: the answer, or what each tool of a task gave back. Nothing where scoring is switched off.
    fn judgements(&self, end: &ThoughtEnd) -> Vec<Judgement> {
        if !self.mind.judges() {
            return Vec::new();
        }
        let judged = |subject, answer| Judgement { subject, request: self.request(), answer };
        let subject = self.subject.lock().unwrap_or_else(PoisonError::into_inner).take();
        let outputs = std::mem::take(&mut *self.outputs.lock().unwrap_or_else(PoisonError::into_inner));
        match (end, subject) {
            (ThoughtEnd::Answered { text, .. } | ThoughtEnd::Hinted { text, .. }, Some(subject)) => {
                vec![judged(subject, text.clone())]
            }
            (_, Some(_)) => Vec::new(),
            _ => outputs.into_iter().map(|(tool, told)| judged(Subject::Tool(tool), told)).collect(),
        }
    }

    fn tell(&self, event: PublicEvent) {
        (self.tell)(News::Told { event });
    }

    fn decided_intent(&self, intent: Intent) {
        (self.tell)(News::Decided { intent });
    }

    fn decided(&self, name: &str, confidence: f32, why: &str) {
        let (name, why) = (name.to_owned(), why.to_owned());
        let (slots, route) = (Slots::new(), Route::Llm);
        self.decided_intent(Intent { name, slots, confidence, route, why, response: None, single: false });
    }

    /// One call under a contract; its attempts are counted.
    async fn contract(&self, contract: Contract, vars: Value, more: More<'_>) -> Outcome {
        let tell = self.tell.clone();
        let mut report = move |event| tell(News::Told { event });
        let parts = &self.mind.parts;
        let options = Options {
            report: &mut report,
            sink: more.sink,
            pictures: if more.pictures { self.task.pictures.clone() } else { Vec::new() },
            difficulty: None,
            model: self.model.get().cloned(),
            now: Some((parts.now)()),
            tools: more.tools,
            offer: more.offer,
            before: more.before,
            after: more.after,
        };
        let outcome = parts.contracts.call(&*parts.model, contract, &vars, options).await;
        self.attempts.fetch_add(outcome.attempts, Ordering::Relaxed);
        outcome
    }

    /// Hands words on as they come, as long as they claim no action.
    fn sink(&self) -> PieceSink {
        let (tell, answer) = (self.tell.clone(), self.answer.clone());
        Box::new(move |piece| {
            let mut answer = answer.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(success_guard::Clause { text, ahead }) = answer.push(piece) {
                tell(News::Piece { text, ahead });
            }
            if answer.broken { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    }

    /// Runs a tool and tells of it. Where twice is no more than once, it is tried once more when it did not work.
    async fn act(&self, tool: &str, args: &Slots, approved: Option<&ToolCall>) -> (ToolCall, Receipt) {
        let index = self.next_index();
        let (turn, args) = (self.task.turn.clone(), args.clone());
        self.carry_out_call(match approved {
            Some(call) => ToolCall { index, ..call.clone() },
            None => self.new_call(index, turn, tool, args),
        })
        .await
    }

    /// The variables of a prompt with who Hark is, whom it serves and what was found for the request. Anybody may have written
    /// what was found: it never decides what is done.
    fn vars_with_context(&self, request: &str, data: Vec<Data>) -> Value {
        self.taint(self.context.is_from_outside());
        let mut vars = self.context.vars(request, &self.context.with_found(data));
        let parts = &self.mind.parts;
        vars["identity"] = json!(system::plain(&parts.identity));
        vars["owner"] = json!(system::plain(&parts.owner));
        vars
    }

    /// The same for a task with tools, with the things of the home that the request names.
    fn vars_of_task(&self, request: &str) -> Value {
        self.taint(self.context.names_from_outside());
        self.vars_with_context(request, self.context.with_things(Vec::new()))
    }

    /// The same for an answer, with whom and what the conversation was about; names that were told are text of others, and a
    /// task that acts has its earlier turns instead.
    fn vars_of_answer(&self, data: Vec<Data>) -> Value {
        self.taint(self.context.names_from_outside() || self.context.has_recent());
        let data = self.context.with_recent(self.context.with_things(data));
        self.vars_with_context(&self.task.text, data)
    }

    /// A call that nobody has said yes to.
    fn new_call(&self, index: usize, turn: TurnId, tool: &str, args: Slots) -> ToolCall {
        let (tool, tainted) = (tool.to_owned(), self.is_tainted());
        let (aloud, person) = (self.task.spoken, self.task.person.clone());
        let requester = Requester { aloud, ..Requester::of(&self.task.origin) }.with_voice_of(person);
        ToolCall {
            index,
            turn,
            tool,
            args,
            approved: false,
            grant: None,
            tainted,
            unattended: false,
            requester,
        }
    }

    /// The place of the next call.
    fn next_index(&self) -> usize {
        self.calls.fetch_add(1, Ordering::Relaxed) as usize
    }

    /// The same for a call that has its name already.
    async fn carry_out_call(&self, call: ToolCall) -> (ToolCall, Receipt) {
        let receipt = self.act_once(&call).await;
        let code = receipt.detail["error"].as_str().unwrap_or_default();
        let passing = [error_code::TIMEOUT, error_code::OFFLINE, error_code::FAILED].contains(&code);
        if receipt.ok || !passing || !self.is_harmless(&call.tool, &call.args) {
            return (call, receipt);
        }
        let again = ToolCall { index: self.next_index(), turn: self.task.turn.clone(), ..call };
        let receipt = self.act_once(&again).await;
        (again, receipt)
    }

    /// Whether a call that may have been carried out can be carried out again without doing more.
    fn is_harmless(&self, tool: &str, args: &Slots) -> bool {
        let tools = &self.mind.parts.tools;
        tools.risk(tool) == Some(Risk::Read) || tools.may_repeat(tool, args)
    }

    async fn act_once(&self, call: &ToolCall) -> Receipt {
        let parts = &self.mind.parts;
        let began = (parts.now)();
        let mut receipt = parts.tools.run(call.clone()).await;
        let may_be_asked = !matches!(self.task.origin, Origin::Mqtt | Origin::Internal);
        if receipt.detail["outside"] == true && needs_approval(&receipt) && !may_be_asked {
            refuse(&mut receipt);
        }
        self.taint(receipt.tainted);
        let took = (parts.now)() - began;
        let duration_ms = took.num_microseconds().unwrap_or_default() as f64 / 1000.0;
        if self.mind.judges() && !needs_approval(&receipt) {
            let told = summary::of(receipt.ok, &receipt.detail, &self.words());
            let mut outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
            outputs.insert(call.tool.clone(), told);
        }
        let (tool, args) = (call.tool.clone(), call.args.clone());
        self.tell(PublicEvent::Action { tool, args, receipt: receipt.clone(), duration_ms });
        receipt
    }

    /// The words around results, in the language of the person.
    fn words(&self) -> Words {
        self.words_in(self.context.language())
    }

    /// The same in another language.
    fn words_in(&self, language: &str) -> Words {
        (self.mind.parts.words)(language)
    }

    fn no_answer(error: Option<&ModelError>) -> ThoughtEnd {
        ThoughtEnd::NoAnswer { fault: error.map(fault), cause: error.map(cause) }
    }
}

/// What goes with a contract besides its variables.
#[derive(Default)]
struct More<'a> {
    sink: Option<PieceSink>,
    pictures: bool,
    tools: Option<&'a [String]>,
    offer: Vec<ToolSpec>,
    before: &'a [Message],
    after: &'a [Message],
}

/// Data of others as a model is shown it: quoted, and no longer than it can take.
fn fenced(text: &str, name: &str) -> String {
    fence(text, name, MAX_SHOWN_CHARS)
}

/// A result as a model is shown it.
fn shown(result: &Value) -> String {
    result.to_string().chars().take(MAX_SHOWN_CHARS).collect()
}

/// Makes a question of the gate a refusal, where nobody is there who could be asked whether text from outside is right.
fn refuse(receipt: &mut Receipt) {
    let Some(detail) = receipt.detail.as_object_mut() else { return };
    let step = detail.get("name").and_then(Value::as_str).unwrap_or("it").to_owned();
    let message = format!("text from outside may want this, and nobody is here to be asked: {step}");
    detail.insert("error".into(), json!(error_code::FORBIDDEN));
    detail.insert("message".into(), json!(message));
    detail.insert("fix".into(), json!("ask for it by voice, or in a conversation that has a name"));
}

/// Whether a receipt waits for a person.
fn needs_approval(receipt: &Receipt) -> bool {
    let code = receipt.detail["error"].as_str().unwrap_or_default();
    !receipt.ok && [error_code::NEEDS_APPROVAL, error_code::NEEDS_PIN].contains(&code)
}

#[cfg(test)]
mod tests;
