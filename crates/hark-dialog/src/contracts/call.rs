//! One request under a contract: ask, check, and use the answer, ask again, or fall back.

use super::outcome::Outcome;
use super::prompt::Fill;
use super::reference::{Checked, Filled, Reference};
use super::retry_policy::{ContractPolicy, Output};
use super::stream::{Gate, peeled};
use super::{Contract, Contracts, check, plan_check, sent, tool_calls};
use chrono::NaiveDateTime;
use hark_core::PublicEvent;
use hark_core::model::delivery::{PromptPart, PromptSent};
use hark_core::model::{
    Completion, Deliveries, Difficulty, LanguageModel, Message, ModelCall, ModelError, Picture, PieceSink,
    Prompt, ToolSpec,
};
use serde_json::Value;

/// A result is put into this many sentences at most.
const MAX_SENTENCES: usize = 2;

/// What goes with a call besides its variables.
pub struct Options<'a> {
    /// Gets one `contract` event for every attempt.
    pub report: &'a mut (dyn FnMut(PublicEvent) + Send),
    /// Gets the words of a text contract as they come, without fences around them. A fallback is not handed on.
    pub sink: Option<PieceSink>,
    /// Pictures that go with the request.
    pub pictures: Vec<Picture>,
    /// Another model than the contract's.
    pub difficulty: Option<Difficulty>,
    /// The model, or the server, that the person has named.
    pub model: Option<String>,
    /// Local time, for contracts whose prompt tells it.
    pub now: Option<NaiveDateTime>,
    /// Only these tools; `None`: all there are. Taking out and verifying arguments are about exactly one.
    pub tools: Option<&'a [String]>,
    /// Tools the model may ask for instead of answering; only of text contracts.
    pub offer: Vec<ToolSpec>,
    /// Earlier turns of the conversation, before the request.
    pub before: &'a [Message],
    /// What was done for the request so far: calls and their results, after the request. Attempts that fail are not in it.
    pub after: &'a [Message],
}

impl<'a> Options<'a> {
    /// Nothing but where the events go.
    pub fn new(report: &'a mut (dyn FnMut(PublicEvent) + Send)) -> Self {
        Self {
            report,
            sink: None,
            pictures: Vec::new(),
            difficulty: None,
            model: None,
            now: None,
            tools: None,
            offer: Vec::new(),
            before: &[],
            after: &[],
        }
    }
}

/// How an attempt ended.
enum Attempt {
    /// Tools are wanted first, as their schemas say.
    Calls(Vec<ModelCall>),
    /// An answer; with what is wrong with it where its words were handed on already.
    Said(Value, Vec<String>),
    Invalid(Vec<String>),
    /// The model gave none; with it what was handed on before.
    NoAnswer(ModelError, Option<Value>),
}

/// What an attempt is judged by.
struct Frame<'a> {
    contract: Contract,
    offer: &'a [ToolSpec],
    filled: &'a Filled,
    reference: &'a Reference,
    gate: Option<&'a Gate>,
    text: bool,
}

impl Frame<'_> {
    /// How an attempt ended; and what the tools take that it called, for the next one.
    fn judge(&self, answer: Result<Completion, ModelError>) -> (Attempt, String) {
        let silent = self.gate.is_none_or(|gate| gate.handed().is_empty());
        let calls = if silent { tool_calls::calls(&answer, self.offer) } else { Vec::new() };
        if !calls.is_empty() {
            let mistakes = tool_calls::mistakes(&calls, self.offer, self.reference);
            let called = tool_calls::reinforced(&calls, self.offer, self.reference);
            let attempt =
                if mistakes.is_empty() { Attempt::Calls(calls) } else { Attempt::Invalid(mistakes) };
            return (attempt, called);
        }
        let schema = &self.filled.schema;
        let attempt = match (self.gate, self.text) {
            (Some(gate), _) => streamed(answer, gate, schema),
            (None, true) => spoken(answer, schema, self.contract),
            (None, false) => structured(answer, schema, |value| {
                if self.contract == Contract::Plan {
                    plan_check::mistakes(value, self.reference)
                } else {
                    Vec::new()
                }
            }),
        };
        let attempt = match attempt {
            // A server that cannot read its own model's answer is answered like one that passes it on.
            Attempt::NoAnswer(error @ ModelError::BadAnswer(..), None) => {
                Attempt::Invalid(vec![error.to_string()])
            }
            other => other,
        };
        (attempt, String::new())
    }
}

impl Contracts {
    /// Asks `model` under `contract`. `vars` is an object with what the policy needs; others are `language`,
    /// `persona`, `verbosity`, `strength`, `replay`, `data` (`[{name, text}]`). Never fails: what went wrong is in
    /// the outcome. Dropping the future ends the request.
    pub async fn call(
        &self,
        model: &dyn LanguageModel,
        contract: Contract,
        vars: &Value,
        options: Options<'_>,
    ) -> Outcome {
        let policy = self.policy(contract);
        let Options { report, sink, pictures, difficulty, model: named, now, tools, offer, before, after } =
            options;
        let mut outcome = Outcome::unanswered(policy.fallback(vars));
        let reference = self.reference();
        let filled = match needed(policy, vars).and_then(|()| reference.filled(contract, tools)) {
            Ok(filled) => filled,
            Err(why) => {
                outcome.errors.push(why);
                report_attempt(report, contract, 0, &outcome.errors, true);
                return outcome;
            }
        };
        let text = policy.output == Output::Text;
        let gate = sink.filter(|_| text).map(|sink| Gate::new(sink, filled.schema.most_chars()));
        let frame = Frame {
            contract,
            offer: &offer,
            filled: &filled,
            reference: &reference,
            gate: gate.as_ref(),
            text,
        };
        let (mut wrong, mut called): (Vec<String>, String) = Default::default();
        for attempt in 1..=policy.retries + 1 {
            let retry = attempt.checked_sub(2).and_then(|number| policy.instructions.get(number as usize));
            let fill = Fill {
                policy,
                tone: &self.tone,
                now,
                tools: &filled.tools,
                schema: filled.schema.shown(),
                retry: retry.map_or("", String::as_str),
                errors: &wrong.join("; "),
                called: &called,
            };
            let mut messages = match self.prompts.render(contract, vars, &fill) {
                Ok(messages) => messages,
                Err(why) => {
                    outcome.errors.push(why.clone());
                    report_attempt(report, contract, attempt, &[why], true);
                    return outcome;
                }
            };
            if let Some(request) = messages.last_mut() {
                request.pictures.clone_from(&pictures);
            }
            let at = messages.len().saturating_sub(1);
            messages.splice(at..at, before.iter().cloned());
            messages.extend_from_slice(after);
            let parts = sent::parts(&messages, at + before.len(), &offer, &vars["data"]);
            let prompt = Prompt {
                tools: offer.clone(),
                model: named.clone(),
                ..prompt_of(contract, policy, messages, &filled, difficulty)
            };
            let deliveries = prompt.deliveries.clone();
            outcome.attempts = attempt;
            let answer = model.complete(prompt, gate.as_ref().map(Gate::sink)).await;
            report_deliveries(report, contract, &deliveries, (&parts, offer.len()));
            outcome.cut_short = answer.as_ref().is_ok_and(|completion| completion.cut_short);
            let (result, wanted) = frame.judge(answer);
            called = wanted;
            match result {
                Attempt::Calls(calls) => {
                    report_attempt(report, contract, attempt, &[], false);
                    return Outcome { calls, fallback: false, ..outcome };
                }
                Attempt::Said(value, errors) => {
                    report_attempt(report, contract, attempt, &errors, false);
                    outcome.errors.extend(errors);
                    return Outcome { value, fallback: false, ..outcome };
                }
                Attempt::NoAnswer(error, said) => {
                    let errors = [error.to_string()];
                    report_attempt(report, contract, attempt, &errors, said.is_none());
                    outcome.errors.extend(errors);
                    outcome.model_error = Some(error);
                    outcome.fallback = said.is_none();
                    outcome.value = said.unwrap_or(outcome.value);
                    return outcome;
                }
                Attempt::Invalid(errors) => {
                    report_attempt(report, contract, attempt, &errors, attempt > policy.retries);
                    outcome.errors.extend_from_slice(&errors);
                    wrong = errors;
                }
            }
        }
        outcome
    }
}

/// A call without what its prompt is about is a mistake of the caller.
fn needed(policy: &ContractPolicy, vars: &Value) -> Result<(), String> {
    let missing: Vec<&str> = policy
        .needs
        .iter()
        .map(String::as_str)
        .filter(|name| vars.get(*name).is_none_or(Value::is_null))
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("the call lacks {}", missing.join(", "))) }
}

/// To whom a prompt went, with what is in it and how many tools.
fn report_deliveries(
    report: &mut (dyn FnMut(PublicEvent) + Send),
    contract: Contract,
    deliveries: &Deliveries,
    (parts, tools): (&[PromptPart], usize),
) {
    for delivery in deliveries.take() {
        let (contract, parts) = (contract.name().to_owned(), parts.to_vec());
        report(PublicEvent::Prompt(PromptSent { contract, delivery, tools, parts }));
    }
}

fn report_attempt(
    report: &mut (dyn FnMut(PublicEvent) + Send),
    contract: Contract,
    attempt: u32,
    errors: &[String],
    fallback: bool,
) {
    let (name, errors) = (contract.name().to_owned(), errors.to_vec());
    report(PublicEvent::Contract { name, attempt, valid: errors.is_empty(), errors, fallback });
}

fn prompt_of(
    contract: Contract,
    policy: &ContractPolicy,
    messages: Vec<Message>,
    filled: &Filled,
    difficulty: Option<Difficulty>,
) -> Prompt {
    Prompt {
        messages,
        tools: Vec::new(),
        difficulty: difficulty.unwrap_or(policy.difficulty),
        schema: (policy.output == Output::Json).then(|| filled.schema.schema().clone()),
        max_tokens: Some(policy.max_tokens),
        temperature: policy.temperature,
        purpose: contract.purpose(),
        model: None,
        deliveries: Deliveries::default(),
    }
}

fn structured(
    answer: Result<Completion, ModelError>,
    schema: &Checked,
    more: impl Fn(&Value) -> Vec<String>,
) -> Attempt {
    let completion = match answer {
        Ok(completion) => completion,
        Err(error) => return Attempt::NoAnswer(error, None),
    };
    match check::object(&completion.text, schema) {
        Ok(value) => {
            let mistakes = more(&value);
            if mistakes.is_empty() { Attempt::Said(value, Vec::new()) } else { Attempt::Invalid(mistakes) }
        }
        Err(mut errors) => {
            if completion.cut_short {
                errors.push("it was cut off at the most tokens".into());
            }
            Attempt::Invalid(errors)
        }
    }
}

fn spoken(answer: Result<Completion, ModelError>, schema: &Checked, contract: Contract) -> Attempt {
    match answer.map(|completion| check::words(peeled(&completion.text), schema)) {
        Ok(Ok(value)) => match check::sentences(value.as_str().unwrap_or_default()) {
            count if contract == Contract::ResponseFormatting && count > MAX_SENTENCES => {
                Attempt::Invalid(vec![format!("{count} sentences are more than {MAX_SENTENCES}")])
            }
            _ => Attempt::Said(value, Vec::new()),
        },
        Ok(Err(errors)) => Attempt::Invalid(errors),
        Err(error) => Attempt::NoAnswer(error, None),
    }
}

/// What was handed on is the answer, whatever comes of the rest.
fn streamed(answer: Result<Completion, ModelError>, gate: &Gate, schema: &Checked) -> Attempt {
    if let Ok(completion) = &answer {
        gate.finish(&completion.text);
    }
    let said = gate.handed();
    let checked = check::words(said.clone(), schema);
    let said = Some(Value::String(said)).filter(|said| said != "");
    match (answer, checked, said) {
        // It is the gate that stopped the model then, not the listener.
        (Ok(_) | Err(ModelError::Stopped), _, Some(said)) if gate.is_cut() => {
            Attempt::Said(said, vec!["it was longer than allowed and was cut".into()])
        }
        (Err(error), _, said) => Attempt::NoAnswer(error, said),
        (Ok(_), Ok(value), _) => Attempt::Said(value, Vec::new()),
        (Ok(_), Err(errors), Some(said)) => Attempt::Said(said, errors),
        (Ok(_), Err(errors), None) => Attempt::Invalid(errors),
    }
}
