//! One tool after the other: decide, run one, look at what came of it, until it is done, the person is needed, or
//! enough was tried.

use super::autonomy;
use super::claimed_action::ClaimedAction;
use super::success_guard::{honest, troubles};
use super::told_sentences::{TELL, person_tool, tell_tool, told};
use super::{More, Suspended, ThoughtEnd, Work, fault, fenced, needs_approval};
use crate::contracts::Contract;
use crate::contracts::arguments::validated;
use hark_config::route::Autonomy;
use hark_core::model::{Message, ModelCall, Role, ToolSpec};
use hark_core::{PublicEvent, Receipt, Risk, ToolCall};
use serde_json::json;
use std::collections::VecDeque;

/// The tool by which a model asks the person.
const ASK: &str = "ask_user";
/// Characters of a question to the person.
const MOST_QUESTION_CHARS: usize = 300;

/// Where a task stands.
pub(super) struct State {
    /// What was asked; a task that goes on belongs to another turn.
    request: String,
    /// Calls that were right, and their results; instructions and request are put in front every time.
    messages: Vec<Message>,
    /// Calls the model has made that have not run yet.
    queue: VecDeque<ModelCall>,
    /// Calls that were taken on. Asking again for an answer that broke its contract is none.
    iterations: u32,
    actions: Vec<ClaimedAction>,
    /// What was said before it began; a turn of the task itself is in `messages`.
    before: Vec<Message>,
    /// What it may call, the same from its beginning to its end.
    tools: Vec<ToolSpec>,
    /// States of the house as they were when the model was told of them last.
    states: Vec<String>,
}

impl Work<'_> {
    pub(super) async fn react(&self) -> ThoughtEnd {
        let why = "nothing simpler knows how; tools are run one after the other";
        self.decided("react", self.task.kind.as_ref().map_or(0.0, |kind| kind.confidence), why);
        self.steps(self.begun(self.task.text.clone(), Vec::new())).await
    }

    fn begun(&self, request: String, messages: Vec<Message>) -> State {
        State {
            request,
            messages,
            queue: VecDeque::new(),
            iterations: 0,
            actions: Vec::new(),
            before: self.context.turns().to_vec(),
            tools: self.offer(false),
            states: (self.mind.parts.house)().states,
        }
    }

    /// Goes on after a yes, with the call, or after an answer.
    pub(super) async fn react_on(&self, mut state: State, call: Option<ToolCall>) -> ThoughtEnd {
        self.goes_on_with(&state.request);
        match (state.queue.pop_front(), call) {
            (Some(asked), Some(call)) => {
                let (_, receipt) = self.act(&call.tool, &call.args, Some(&call)).await;
                self.note(&mut state, &asked, &receipt);
            }
            (Some(asked), None) => state.messages.push(Message::result(&asked.id, self.task.text.clone())),
            // It was asked in words.
            (None, _) => state.messages.push(Message::new(Role::User, self.task.text.clone())),
        }
        self.taint(state.tools.iter().any(|tool| tool.outside));
        self.steps(state).await
    }

    async fn steps(&self, mut state: State) -> ThoughtEnd {
        let most = self.mind.parts.settings.max_iterations;
        let tools = state.tools.clone();
        loop {
            if state.iterations >= most {
                return self.given_up(&state, None);
            }
            if let Some(call) = state.queue.front().cloned() {
                match self.step(&mut state, &call, &tools).await {
                    Some(end) => {
                        if matches!(end, ThoughtEnd::NeedsApproval { .. } | ThoughtEnd::Asks { .. }) {
                            self.suspend(Suspended::React(Box::new(state)));
                        }
                        return end;
                    }
                    None => continue,
                }
            }
            let mut offer = tools.clone();
            offer.extend([ask_tool(), tell_tool()]);
            let more = More { offer, before: &state.before, after: &state.messages, ..More::default() };
            let outcome = self.contract(Contract::ReactStep, self.instructions(&state.request), more).await;
            match &outcome.model_error {
                Some(error) if state.actions.is_empty() => return Self::no_answer(Some(error)),
                Some(error) => {
                    // What was done was done, and is told.
                    self.tell(PublicEvent::Error(fault(error)));
                    return self.given_up(&state, Some(outcome.text()));
                }
                None if outcome.fallback => return self.given_up(&state, Some(outcome.text())),
                None if outcome.calls.is_empty() && outcome.cut_short => {
                    return self.given_up(&state, Some(outcome.text()));
                }
                None if outcome.calls.iter().all(|call| call.tool == TELL) => {
                    let words = match outcome.calls.first() {
                        Some(call) => told(call, &state.actions, &self.known),
                        None => outcome.text().trim().to_owned(),
                    };
                    let words = words.as_str();
                    if !autonomy::is_question(words) {
                        return self.ended(&state, words);
                    }
                    state.messages.push(Message::new(Role::Assistant, words));
                    if self.is_needless_now(&state, words) {
                        state.iterations += 1;
                        state.messages.push(Message::new(Role::User, self.proceed()));
                        continue;
                    }
                    let end = self.ended(&state, words);
                    let ThoughtEnd::Reported { words: Some(question), .. } = end else { return end };
                    self.suspend(Suspended::React(Box::new(state)));
                    return ThoughtEnd::Asks { question };
                }
                None => {
                    // What is said at the end is said when the rest is done.
                    let mut calls = outcome.calls;
                    calls.retain(|call| call.tool != TELL);
                    state.queue = calls.clone().into();
                    state.messages.push(Message { calls, ..Message::new(Role::Assistant, "") });
                }
            }
        }
    }

    /// Runs the call at the front of the queue. It stays there when the person is needed.
    async fn step(&self, state: &mut State, call: &ModelCall, tools: &[ToolSpec]) -> Option<ThoughtEnd> {
        state.iterations += 1;
        if call.tool == ASK {
            return self.asks(state, call);
        }
        let reference = self.mind.parts.contracts.reference();
        let offered = tools.iter().any(|tool| tool.name == call.tool);
        let checked = if offered {
            validated(&call.tool, reference.arguments(&call.tool), &call.args)
                .map_err(|error| error.to_string())
        } else {
            Err(format!("there is no tool {}", call.tool))
        };
        let args = match checked {
            Ok(args) => args,
            Err(why) => {
                state.queue.pop_front();
                let trouble = json!({"error": "invalid_arguments", "message": why}).to_string();
                state.messages.push(Message::result(&call.id, trouble));
                return None;
            }
        };
        let (made, receipt) = self.act(&call.tool, &args, None).await;
        if needs_approval(&receipt) {
            return Some(ThoughtEnd::NeedsApproval { call: made, receipt });
        }
        state.queue.pop_front();
        self.note(state, call, &receipt);
        None
    }

    /// Whether a question in words only asks to begin with what was asked for: what comes after something was done is
    /// another thing, and the person's to say.
    fn is_needless_now(&self, state: &State, question: &str) -> bool {
        self.mind.parts.settings.autonomy == Autonomy::Full
            && state.actions.is_empty()
            && autonomy::is_needless(question, &self.known)
    }

    /// An answer has asked for a yes: what is said next goes on with it, with tools.
    pub(super) fn suspend_question(&self, question: &str) {
        let state = self.begun(self.request(), vec![Message::new(Role::Assistant, question)]);
        self.suspend(Suspended::React(Box::new(state)));
    }

    /// The answer to a needless question.
    fn proceed(&self) -> &str {
        &self.mind.parts.contracts.autonomy().proceed
    }

    fn asks(&self, state: &mut State, call: &ModelCall) -> Option<ThoughtEnd> {
        let question = call.args["question"].as_str().unwrap_or_default().trim().to_owned();
        let guarded = self.mind.parts.settings.autonomy == Autonomy::Full
            && autonomy::is_needless(&question, &self.known);
        if guarded || question.is_empty() {
            state.queue.pop_front();
            state.messages.push(Message::result(&call.id, self.proceed()));
            return None;
        }
        Some(ThoughtEnd::Asks { question: question.chars().take(MOST_QUESTION_CHARS).collect() })
    }

    /// Tells the model what came of a call, and what of the house it changed.
    fn note(&self, state: &mut State, call: &ModelCall, receipt: &Receipt) {
        let writes = self.mind.parts.tools.risk(&call.tool) != Some(Risk::Read);
        state.actions.push(ClaimedAction::of(&call.tool, writes, &call.args, receipt, &self.words()));
        let head = if receipt.ok { "ok" } else { "not done" };
        let mut content =
            format!("{head}, receipt {}\n{}", receipt.id, fenced(&receipt.detail.to_string(), &call.tool));
        if receipt.changed {
            let house = (self.mind.parts.house)();
            let is_new = |line: &&String| !state.states.contains(line);
            let changed: Vec<&str> = house.states.iter().filter(is_new).map(String::as_str).collect();
            if !changed.is_empty() {
                self.taint(house.outside);
                content = format!("{content}\n{}", fenced(&changed.join("\n"), "the house now"));
            }
            state.states = house.states;
        }
        state.messages.push(Message::result(&call.id, content));
    }

    /// The task ends before the model said so: what was done is told, and that the rest was not.
    fn given_up(&self, state: &State, rest: Option<&str>) -> ThoughtEnd {
        let ThoughtEnd::Reported { done, steps, mut troubles, language, .. } = self.ended(state, "") else {
            return Self::no_answer(None);
        };
        if done > 0 {
            let policy = self.mind.parts.contracts.policy(Contract::ReactStep);
            let of_the_contract = policy.fallback(&json!({"language": self.context.language()}));
            let rest = rest.or(of_the_contract.as_str()).unwrap_or_default();
            troubles.push(rest.trim_end_matches('.').to_owned());
        }
        // One step at least was left to do.
        ThoughtEnd::Reported { words: None, done, steps: steps + 1, troubles, language }
    }

    /// What is said at the end: the model's words as far as receipts back them, and what went wrong in any case.
    fn ended(&self, state: &State, words: &str) -> ThoughtEnd {
        let words = honest(words, &state.actions, true, &self.known).filter(|words| !words.trim().is_empty());
        let writing = || state.actions.iter().filter(|action| action.writes);
        let troubles = troubles(&state.actions).into_iter().map(str::to_owned).collect();
        let (done, steps) = (writing().filter(|action| action.ok).count(), writing().count());
        ThoughtEnd::Reported { words, done, steps, troubles, language: self.language() }
    }
}

fn ask_tool() -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": {"question": {"type": "string", "minLength": 1, "maxLength": MOST_QUESTION_CHARS}},
        "required": ["question"],
        "additionalProperties": false,
    });
    person_tool(ASK, "Asks the person something that nobody else can know. Not for permission.", schema)
}
