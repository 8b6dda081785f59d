//! One step after the other: decide, run what was decided, look at what came of it, until it is done, the person is needed, or
//! enough was tried. Calls of one answer that only look run at once; what changes something has its turn alone.

use super::autonomy;
use super::claimed_action::ClaimedAction;
use super::success_guard::troubles;
use super::told_sentences::{TELL, backed, person_tool, tell_tool};
use super::{More, Suspended, ThoughtEnd, Work, fault, fenced, needs_approval};
use crate::contracts::Contract;
use crate::contracts::arguments::validated;
use futures_util::future::join_all;
use hark_config::route::Autonomy;
use hark_core::model::{Message, ModelCall, Role, ToolSpec};
use hark_core::{PublicEvent, Receipt, Risk, Slots, ToolCall};
use serde_json::json;
use std::collections::VecDeque;

/// The tool by which a model asks the person.
const ASK: &str = "ask_user";
/// Characters of a question to the person.
const MAX_QUESTION_CHARS: usize = 300;

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

impl State {
    /// Notes what came of a call. Results stand in the order of the calls, which is all some servers know them by.
    fn result(&mut self, call: &ModelCall, content: impl Into<String>) {
        self.messages.push(Message::result(&call.id, content));
        let asked = self.messages.iter().rposition(|message| !message.calls.is_empty());
        let Some((asked, results)) = asked.and_then(|at| self.messages[at..].split_first_mut()) else {
            return;
        };
        let place = |result: &Message| {
            asked.calls.iter().position(|call| result.answers.as_ref().is_some_and(|id| *id == call.id))
        };
        results.sort_by_key(place);
    }
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
            (Some(asked), None) => state.result(&asked, self.task.text.clone()),
            // It was asked in words.
            (None, _) => state.messages.push(Message::new(Role::User, self.task.text.clone())),
        }
        self.taint(state.tools.iter().any(|tool| tool.outside));
        self.steps(state).await
    }

    async fn steps(&self, mut state: State) -> ThoughtEnd {
        let most = self.mind.parts.settings.max_iterations;
        loop {
            if state.iterations >= most {
                return self.given_up(&state, None);
            }
            if let Some(call) = state.queue.front().cloned() {
                let end = match self.only_look(&state) {
                    0 | 1 => self.step(&mut state, &call).await,
                    count => self.look_at_once(&mut state, count).await,
                };
                match end {
                    Some(end) => {
                        if matches!(end, ThoughtEnd::NeedsApproval { .. } | ThoughtEnd::Asks { .. }) {
                            self.suspend(Suspended::React(Box::new(state)));
                        }
                        return end;
                    }
                    None => continue,
                }
            }
            let mut offer = state.tools.clone();
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
                    let told = match outcome.calls.first() {
                        Some(call) => Some(self.told(call, &state.actions).await),
                        None => None,
                    };
                    let words = told.as_deref().unwrap_or(outcome.text().trim());
                    let is_question = autonomy::is_question(words);
                    if is_question {
                        state.messages.push(Message::new(Role::Assistant, words));
                    }
                    if is_question && self.is_needless_now(&state, words) {
                        state.iterations += 1;
                        state.messages.push(Message::new(Role::User, self.proceed()));
                        continue;
                    }
                    let honest = match &told {
                        Some(_) => told,
                        None => self.honest(words, &state.actions, true).await,
                    };
                    let end = self.ended(&state, honest);
                    if !is_question {
                        return end;
                    }
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

    /// How many calls at the front of the queue only look. One behind a call that changes something sees what that did.
    fn only_look(&self, state: &State) -> usize {
        let left = self.mind.parts.settings.max_iterations.saturating_sub(state.iterations);
        let looks = |call: &&ModelCall| {
            self.mind.parts.tools.risk(&call.tool) == Some(Risk::Read) && self.checked(state, call).is_ok()
        };
        state.queue.iter().take(left as usize).take_while(looks).count()
    }

    /// Runs the calls at the front of the queue at once. Those for which the person is needed stay there.
    async fn look_at_once(&self, state: &mut State, count: usize) -> Option<ThoughtEnd> {
        let calls: Vec<ModelCall> = state.queue.drain(..count).collect();
        let looked = join_all(calls.iter().map(|call| self.run_checked(state, call))).await;
        let (mut waiting, mut end) = (VecDeque::new(), None);
        for (call, ran) in calls.into_iter().zip(looked) {
            state.iterations += 1;
            match ran {
                Ok((made, receipt)) if needs_approval(&receipt) => {
                    end = end.or(Some(ThoughtEnd::NeedsApproval { call: made, receipt }));
                    waiting.push_back(call);
                }
                Ok((_, receipt)) => self.note(state, &call, &receipt),
                Err(why) => state.result(&call, why),
            }
        }
        waiting.append(&mut state.queue);
        state.queue = waiting;
        end
    }

    /// Runs the call at the front of the queue. It stays there when the person is needed.
    async fn step(&self, state: &mut State, call: &ModelCall) -> Option<ThoughtEnd> {
        state.iterations += 1;
        if call.tool == ASK {
            return self.asks(state, call);
        }
        match self.run_checked(state, call).await {
            Ok((call, receipt)) if needs_approval(&receipt) => {
                return Some(ThoughtEnd::NeedsApproval { call, receipt });
            }
            Ok((_, receipt)) => self.note(state, call, &receipt),
            Err(why) => state.result(call, why),
        }
        state.queue.pop_front();
        None
    }

    /// Runs a call as far as it is right, else says what is wrong with it.
    async fn run_checked(&self, state: &State, call: &ModelCall) -> Result<(ToolCall, Receipt), String> {
        match self.checked(state, call) {
            Ok(args) => Ok(self.act(&call.tool, &args, None).await),
            Err(why) => Err(json!({"error": "invalid_arguments", "message": why}).to_string()),
        }
    }

    fn checked(&self, state: &State, call: &ModelCall) -> Result<Slots, String> {
        if !state.tools.iter().any(|tool| tool.name == call.tool) {
            return Err(format!("there is no tool {}", call.tool));
        }
        let reference = self.mind.parts.contracts.reference();
        validated(&call.tool, reference.arguments(&call.tool), &call.args).map_err(|error| error.to_string())
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
            state.result(call, self.proceed());
            return None;
        }
        Some(ThoughtEnd::Asks { question: question.chars().take(MAX_QUESTION_CHARS).collect() })
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
        state.result(call, content);
    }

    /// The task ends before the model said so: what was done is told, and that the rest was not.
    fn given_up(&self, state: &State, rest: Option<&str>) -> ThoughtEnd {
        let ThoughtEnd::Reported { done, steps, mut troubles, language, .. } = self.ended(state, None) else {
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

    /// What may be said of the sentences that a model tells.
    async fn told(&self, call: &ModelCall, actions: &[ClaimedAction]) -> String {
        let mut kept = Vec::new();
        for (text, backing) in backed(call, actions) {
            kept.extend(self.honest(text, &backing, true).await);
        }
        kept.join(" ")
    }

    /// What is said at the end: the model's words, which receipts back, and what went wrong in any case.
    fn ended(&self, state: &State, words: Option<String>) -> ThoughtEnd {
        let words = words.filter(|words| !words.trim().is_empty());
        let writing = || state.actions.iter().filter(|action| action.writes);
        let troubles = troubles(&state.actions).into_iter().map(str::to_owned).collect();
        let (done, steps) = (writing().filter(|action| action.ok).count(), writing().count());
        ThoughtEnd::Reported { words, done, steps, troubles, language: self.language() }
    }
}

fn ask_tool() -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": {"question": {"type": "string", "minLength": 1, "maxLength": MAX_QUESTION_CHARS}},
        "required": ["question"],
        "additionalProperties": false,
    });
    person_tool(ASK, "Asks the person something that nobody else can know. Not for permission.", schema)
}
