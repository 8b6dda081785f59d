//! Answers of language models under their contracts. An answer that is accepted is exactly the object that was written,
//! names only what was offered, and has arguments its tool takes; streamed in pieces it is the same; attempts and what is
//! told of mistakes are bounded.
//!
//! The first byte chooses the contract (`A` is the first of [`Contract::ALL`]), the rest is the answer. An answer that is
//! a JSON list of calls stands for calls of tools.

use hark_config::contracts::ContractsConfig;
use hark_core::model::{
    Completion, CompletionFuture, LanguageModel, ListingFuture, ModelCall, ModelError, PieceSink, Prompt,
    ToolSpec,
};
use hark_core::{PublicEvent, Risk};
use hark_dialog::contracts::arguments::validated;
use hark_dialog::contracts::plan_check::plan_of;
use hark_dialog::contracts::{Contract, Contracts, Options, Outcome};
use serde_json::{Map, Value, json};
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};

/// Longest input in bytes: more than is read of an answer.
const MAX_BYTES: usize = 80 * 1024;
/// Letters of a piece when an answer is streamed.
const PIECE: usize = 3;
/// Most characters that are told of one mistake.
const MAX_ERROR: usize = 1500;
/// Most mistakes of one attempt.
const MAX_ERRORS: usize = 64;
/// The tool that arguments are taken out for.
const TOOL: &str = "home.turn_on";

/// Checks one answer.
pub fn check(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let Ok(answer) = std::str::from_utf8(rest) else { return };
    if answer.len() > MAX_BYTES {
        return;
    }
    let contract = Contract::ALL[usize::from(*first) % Contract::ALL.len()];
    let whole = run(contract, answer, false);
    accepted(contract, answer, &whole.outcome);
    let streamed = run(contract, answer, true);
    let Some(heard) = &streamed.heard else { return };
    if !streamed.outcome.fallback && streamed.outcome.calls.is_empty() {
        assert_eq!(streamed.outcome.text(), heard.trim_end(), "what is heard is the answer");
    }
    // A result that is put into too many sentences has been heard by then.
    if !whole.outcome.fallback && contract != Contract::ResponseFormatting {
        assert_eq!(streamed.outcome.value, whole.outcome.value, "in pieces and as a whole");
        assert_eq!(streamed.outcome.calls, whole.outcome.calls);
    }
}

/// What came of a call.
struct Ran {
    outcome: Outcome,
    /// What was handed on; `None` when nothing is.
    heard: Option<String>,
}

fn run(contract: Contract, answer: &str, streams: bool) -> Ran {
    let calls: Option<Vec<ModelCall>> = serde_json::from_str(answer).ok();
    let text = if calls.is_some() { String::new() } else { answer.to_owned() };
    let completion = Completion { text, calls: calls.unwrap_or_default(), ..Completion::default() };
    let model = Scripted(completion);
    let heard = Arc::new(Mutex::new(String::new()));
    let listener = Arc::clone(&heard);
    let sink: PieceSink = Box::new(move |piece| {
        listener.lock().unwrap_or_else(PoisonError::into_inner).push_str(piece);
        ControlFlow::Continue(())
    });
    let contracts = contracts();
    let one = [TOOL.to_owned()];
    let about_one = matches!(contract, Contract::ToolArgumentExtraction | Contract::ToolArgumentVerification);
    let takes_calls = matches!(contract, Contract::ReactStep | Contract::StrictAnswer);
    let mut events = Vec::new();
    let mut report = |event| events.push(event);
    let options = Options {
        sink: streams.then_some(sink),
        tools: about_one.then_some(&one[..]),
        offer: if takes_calls { tools() } else { Vec::new() },
        ..Options::new(&mut report)
    };
    let outcome = now(contracts.call(&model, contract, &variables(), options));
    bounded(contract, &outcome, &events);
    let heard = std::mem::take(&mut *heard.lock().unwrap_or_else(PoisonError::into_inner));
    let is_text = contracts.policy(contract).output == hark_dialog::contracts::retry_policy::Output::Text;
    Ran { outcome, heard: (streams && is_text).then_some(heard) }
}

fn bounded(contract: Contract, outcome: &Outcome, events: &[PublicEvent]) {
    let most = contracts().policy(contract).retries + 1;
    assert!((1..=most).contains(&outcome.attempts), "{} of {most} attempts", outcome.attempts);
    assert_eq!(events.len(), outcome.attempts as usize, "one event an attempt");
    assert!(outcome.errors.len() <= MAX_ERRORS * most as usize, "{} mistakes", outcome.errors.len());
    for error in &outcome.errors {
        assert!(!error.is_empty() && error.chars().count() <= MAX_ERROR, "{error}");
    }
    assert!(!outcome.fallback || !outcome.errors.is_empty(), "refused without a reason");
}

/// What holds for an answer that is used.
fn accepted(contract: Contract, answer: &str, outcome: &Outcome) {
    if outcome.fallback {
        return;
    }
    let reference = contracts().reference();
    if !outcome.calls.is_empty() {
        for call in &outcome.calls {
            let taken = validated(&call.tool, reference.arguments(&call.tool), &call.args);
            assert!(taken.is_ok(), "{call:?}: {taken:?}");
        }
        return;
    }
    let value = &outcome.value;
    if value.is_string() {
        assert_eq!(outcome.text(), outcome.text().trim());
        return;
    }
    let written = answer.find('{').zip(answer.rfind('}')).and_then(|(from, to)| answer.get(from..=to));
    let written: Option<Value> = written.and_then(|written| serde_json::from_str(written).ok());
    assert_eq!(written.as_ref(), Some(value), "used is what was written");
    match contract {
        Contract::IntentClassification => {
            let known = reference.intents();
            assert!(known.iter().any(|name| value["intent"] == name.as_str()), "{value}");
        }
        Contract::ToolArgumentExtraction => {
            let known = &reference.tool(TOOL).expect("the tool is there").schema["properties"];
            let names = value.as_object().into_iter().flat_map(Map::keys);
            names.for_each(|name| assert!(known.get(name).is_some(), "{TOOL} has no {name}"));
        }
        Contract::Scoring => {
            let scores = value.as_object().into_iter().flat_map(Map::values).map(Value::as_f64);
            scores.for_each(|score| assert!(score.is_some_and(|score| (0.0..=10.0).contains(&score))));
        }
        Contract::Plan => {
            let plan = plan_of(value, "plan").expect("a valid plan is one");
            assert!((1..=12).contains(&plan.steps.len()), "{} steps", plan.steps.len());
            for step in &plan.steps {
                let args = Value::Object(step.args.clone());
                let taken = validated(&step.tool, reference.arguments(&step.tool), &args);
                assert!(taken.is_ok(), "{step:?}: {taken:?}");
            }
        }
        _ => {}
    }
}

/// Answers the same every time, in pieces where somebody listens.
struct Scripted(Completion);

impl LanguageModel for Scripted {
    fn complete(&self, _prompt: Prompt, sink: Option<PieceSink>) -> CompletionFuture {
        let letters: Vec<char> = self.0.text.chars().collect();
        let stopped = sink.is_some_and(|mut sink| {
            letters.chunks(PIECE).any(|piece| sink(&piece.iter().collect::<String>()).is_break())
        });
        let answer = if stopped { Err(ModelError::Stopped) } else { Ok(self.0.clone()) };
        Box::pin(async { answer })
    }

    fn models(&self) -> ListingFuture {
        Box::pin(async { (Vec::new(), Vec::new()) })
    }

    fn trouble(&self) -> Option<ModelError> {
        None
    }
}

/// The value of a future that waits for nothing.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the scripted model answers at once"),
    }
}

fn contracts() -> &'static Contracts {
    static CONTRACTS: OnceLock<Contracts> = OnceLock::new();
    CONTRACTS.get_or_init(|| {
        let contracts = Contracts::load(&ContractsConfig::default()).expect("the shipped contracts load");
        contracts.set_tools(tools());
        contracts
    })
}

fn tools() -> Vec<ToolSpec> {
    let tool = |name: &str, properties: Value, required: &[&str]| ToolSpec {
        name: name.into(),
        description: format!("Does {name}."),
        schema: json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        }),
        results: Vec::new(),
        risk: Risk::Read,
        triggers: Vec::new(),
        agent: "test".into(),
        outside: false,
    };
    let brightness = json!({"type": "integer", "minimum": 0, "maximum": 100});
    vec![
        tool(TOOL, json!({"name": {"type": "string", "minLength": 1}, "brightness": brightness}), &["name"]),
        tool("datetime", json!({}), &[]),
    ]
}

/// Variables that every contract can be called with.
fn variables() -> Value {
    json!({
        "text": "The original.", "what": "shorter", "request": "turn the lamp on",
        "tool": TOOL, "args": {"name": "lamp"}, "answer": "Done.", "label": "strict_answer",
        "error": {"kind": "invalid_arguments", "message": "no"},
    })
}
