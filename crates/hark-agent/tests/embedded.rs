//! A model in this program behind the port that all of Hark asks, with the real SmolLM2-135M-Instruct (`make test-llama`).
#![cfg(feature = "llama")]

use hark_config::Config;
use hark_config::llm::ProviderKind;
use hark_core::Risk;
use hark_core::model::{
    Deliveries, Difficulty, LanguageModel, Message, ModelError, PieceSink, Prompt, Purpose, Role, ToolSpec,
};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn config() -> Config {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/cache/SmolLM2-135M-Instruct.Q4_1.gguf");
    assert!(path.is_file(), "{} is missing: hark models pull smollm2_135m", path.display());
    let mut config = Config::default();
    config.llm.provider = ProviderKind::Embedded;
    config.llm.model = path.display().to_string();
    // Threads that wait for each other stand still where other work has the processor.
    config.llm.threads = 1;
    config.llm.context_tokens = 2_048;
    config.llm.first_token_timeout_ms = 120_000;
    config.llm.timeout_ms = 300_000;
    config
}

fn open(config: &Config) -> Arc<dyn LanguageModel> {
    hark_agent::open(config, None).unwrap().expect("a configured language model")
}

fn prompt(words: &str) -> Prompt {
    Prompt {
        messages: vec![Message::new(Role::User, words)],
        tools: Vec::new(),
        difficulty: Difficulty::Complex,
        purpose: Purpose::Plan,
        model: None,
        schema: None,
        max_tokens: Some(32),
        temperature: 0.0,
        deliveries: Deliveries::default(),
    }
}

/// A sink that keeps pieces.
fn heard() -> (Arc<Mutex<Vec<String>>>, PieceSink) {
    let pieces = Arc::new(Mutex::new(Vec::new()));
    let kept = pieces.clone();
    let sink: PieceSink = Box::new(move |words| {
        kept.lock().unwrap().push(words.to_owned());
        ControlFlow::Continue(())
    });
    (pieces, sink)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_streams_and_is_counted() {
    let model = open(&config());
    let asked = prompt("What is the capital of France?");
    let (pieces, sink) = heard();
    let answer = model.complete(asked.clone(), Some(sink)).await.unwrap();
    let pieces = pieces.lock().unwrap().clone();
    assert!(answer.text.contains("Paris") && pieces.len() > 2, "{answer:?}");
    assert_eq!(pieces.concat(), answer.text);
    assert_eq!(answer.model, "SmolLM2-135M-Instruct.Q4_1");
    let delivery = asked.deliveries.take().pop().unwrap();
    assert!(!delivery.outside && delivery.prompt_tokens > Some(10) && delivery.answer_tokens > Some(2));
    assert_eq!(delivery.cached_tokens, Some(0));
    // The next request begins as this one did.
    let next = prompt("What is the capital of Italy?");
    model.complete(next.clone(), None).await.unwrap();
    let delivery = next.deliveries.take().pop().unwrap();
    assert!(delivery.cached_tokens > Some(5), "{delivery:?}");
}

/// The schema of every contract becomes a grammar; what llama.cpp leaves out of it are the bounds of numbers that are not whole, which
/// the caller checks.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_under_a_contract_is_valid() {
    let contracts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contracts/llm");
    let model = open(&config());
    let (mut valid, mut cut) = (0, Vec::new());
    for folder in std::fs::read_dir(contracts).unwrap() {
        let path = folder.unwrap().path().join("schema.json");
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let schema: Value = serde_json::from_str(&text).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let mut asked = prompt("Answer in one short JSON object about turning on the kitchen lamp.");
        asked.schema = Some(schema);
        asked.max_tokens = Some(200);
        let answer = model.complete(asked, None).await.unwrap();
        if answer.cut_short {
            cut.push(path);
            continue;
        }
        let value: Value =
            serde_json::from_str(&answer.text).unwrap_or_else(|_| panic!("{path:?}: {}", answer.text));
        let is_bound = |place: &str| place.ends_with("/maximum") || place.ends_with("/minimum");
        let errors: Vec<String> =
            validator.iter_errors(&value).map(|error| error.schema_path().to_string()).collect();
        assert!(errors.iter().all(|place| is_bound(place)), "{path:?}: {} {errors:?}", answer.text);
        valid += usize::from(errors.is_empty());
    }
    println!("{valid} valid, cut off: {cut:?}");
    assert!(valid > 3 && valid > cut.len(), "{valid} valid, cut off: {cut:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_request_ends_before_its_next_token() {
    let model = open(&config());
    let mut long = prompt("Tell me a very long story about a lighthouse.");
    long.max_tokens = Some(1_500);
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let sink: PieceSink = Box::new(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        ControlFlow::Continue(())
    });
    let asking = tokio::spawn(model.complete(long.clone(), Some(sink)));
    while count.load(Ordering::SeqCst) < 3 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    asking.abort();
    // The thread is free for the next one within a token, not after the 1,500 of the story.
    let begun = Instant::now();
    let mut short = prompt("Hello");
    short.max_tokens = Some(1);
    model.complete(short, None).await.unwrap();
    println!("the next request was answered {:?} after the last was dropped", begun.elapsed());
    assert!(count.load(Ordering::SeqCst) < 100);

    let stopped = model.complete(long, Some(Box::new(|_| ControlFlow::Break(())))).await;
    assert_eq!(stopped.unwrap_err(), ModelError::Stopped);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_prompt_that_is_too_long_is_fitted() {
    let model = open(&config());
    let mut asked = prompt("And what is the capital of Italy?");
    for turn in 0..12 {
        asked
            .messages
            .insert(0, Message::new(Role::Assistant, format!("Answer {turn}: {}", "well ".repeat(200))));
        asked.messages.insert(0, Message::new(Role::User, format!("Question {turn}")));
    }
    model.complete(asked.clone(), None).await.unwrap();
    let delivery = asked.deliveries.take().pop().unwrap();
    println!("{delivery:?}");
    assert!(delivery.left_out > 2_000 && delivery.prompt_tokens < Some(2_048));
    // What can be left out of is not enough: it is said.
    let huge = model.complete(prompt(&"word ".repeat(5_000)), None).await.unwrap_err();
    assert!(huge.to_string().contains("of 2048 it can look back on"), "{huge}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tools_are_told_in_words() {
    let model = open(&config());
    let mut asked = prompt("Turn on the lamp.");
    asked.tools.push(ToolSpec {
        name: "home.turn_on".into(),
        description: "Switches something on.".into(),
        schema: json!({"type": "object", "properties": {"name": {"type": "string"}}}),
        results: Vec::new(),
        risk: Risk::Write,
        triggers: Vec::new(),
        agent: "home".into(),
        outside: false,
    });
    let (pieces, sink) = heard();
    let answer = model.complete(asked.clone(), Some(sink)).await.unwrap();
    println!("{answer:?}");
    assert_eq!(answer.text, pieces.lock().unwrap().concat());
    assert!(answer.text.is_empty() != answer.calls.is_empty(), "{answer:?}");
    let delivery = asked.deliveries.take().pop().unwrap();
    assert!(delivery.prompt_tokens > Some(80), "the tools are in it: {delivery:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_listed_and_missing_ones_told() {
    let good = open(&config());
    let (models, faults) = good.models().await;
    assert_eq!((models[0].size_bytes, faults.len()), (Some(98_362_432), 0));
    assert!(hark_agent::probe(&config(), None).await.unwrap().contains("(98 MB)"));
    let mut config = config();
    config.llm.model = "/no/such/model.gguf".into();
    let bad = open(&config);
    let error = bad.complete(prompt("Hello"), None).await.unwrap_err();
    assert!(error.to_string().contains("/no/such/model.gguf"), "{error}");
    assert!(bad.trouble().is_some());
}
