//! Several servers in order, a model for each purpose, what a day may cost, and what is noted of each delivery.

use super::{ask, config, open, prompt, with_second};
use crate::support::model_server::{ModelServer, Script};
use hark_config::Config;
use hark_config::llm::ProviderKind::Openai;
use hark_config::llm::{LlmFallback, Locality};
use hark_core::model::{Difficulty, ModelError, Prompt, Purpose};
use serde_json::{Value, json};

fn models(server: &ModelServer) -> Vec<Value> {
    server.chats().iter().map(|chat| chat.body["model"].clone()).collect()
}

fn another(server: &ModelServer, local: Locality) -> LlmFallback {
    LlmFallback {
        provider: Openai,
        url: server.url(),
        model: "other".into(),
        local,
        ..LlmFallback::default()
    }
}

/// With what this server says an answer took.
fn told(words: &str, prompt: u32, answer: u32) -> Script {
    let frames = [
        json!({"choices": [{"index": 0, "delta": {"content": words}}]}),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
        json!({"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": answer,
            "prompt_tokens_details": {"cached_tokens": 7}}}),
    ];
    let body: String = frames.iter().map(|frame| format!("data: {frame}\n\n")).collect();
    Script::raw(200, body + "data: [DONE]\n\n").header("content-type", "text/event-stream")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_purpose_has_its_model() {
    let server = ModelServer::start();
    server.answer(|_| Script::say("Yes."));
    let mut config = config(&server, Openai);
    config.llm.fast_model = "fast".into();
    config.llm.answer_model = "answers".into();
    config.llm.plan_model = "plans".into();
    let model = open(&config);
    for (purpose, difficulty) in [
        (Purpose::Answer, Difficulty::Simple),
        (Purpose::Plan, Difficulty::Complex),
        (Purpose::Extract, Difficulty::Simple),
        (Purpose::Describe, Difficulty::Vision),
    ] {
        model.complete(Prompt { purpose, difficulty, ..prompt("Is it?") }, None).await.unwrap();
    }
    assert_eq!(models(&server), ["answers", "plans", "fast", "toy"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_is_answered_by_the_model_or_the_server_that_it_names() {
    let (first, second) = (ModelServer::start(), ModelServer::start());
    first.answer(|_| Script::say("From the first."));
    second.answer(|_| Script::say("From the second."));
    let mut config = with_second(config(&first, Openai), &second, Openai);
    config.llm.fast_model = "fast".into();
    config.llm_fallback.model = "big".into();
    assert_eq!(hark_agent::names(&config), ["main", "toy", "fast", "fallback", "big"]);
    let model = open(&config);
    for (named, said) in
        [("fast", "From the first."), ("big", "From the second."), ("fallback", "From the second.")]
    {
        let answer = model.complete(Prompt { model: Some(named.into()), ..prompt("Hello") }, None).await;
        assert_eq!(answer.unwrap().text, said, "{named}");
    }
    assert_eq!((models(&first), models(&second)), (vec![json!("fast")], vec![json!("big"), json!("big")]));

    // Nobody else is asked in its place.
    second.answer(|_| Script::raw(401, "no"));
    let model = open(&config);
    let refused = model.complete(Prompt { model: Some("big".into()), ..prompt("Hello") }, None).await;
    assert!(matches!(refused, Err(ModelError::Refused(_, 401, _))), "{refused:?}");
    let unknown = model.complete(Prompt { model: Some("other".into()), ..prompt("Hello") }, None).await;
    assert!(matches!(unknown, Err(ModelError::NoSuchModel(_, name)) if name == "other"));
    assert_eq!(models(&first).len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_are_asked_in_the_order_of_their_names_behind_the_first_two() {
    let (b, c) = (ModelServer::start(), ModelServer::start());
    b.answer(|_| Script::raw(401, json!({"error": {"message": "no key"}}).to_string()));
    c.answer(|_| told("From the last.", 90, 10));
    // Nobody listens there.
    let mut config = Config::default();
    config.llm.provider = Openai;
    config.llm.url = "http://127.0.0.1:9".into();
    config.llm.model = "toy".into();
    config.llm.servers.insert("c".into(), another(&c, Locality::Auto));
    config.llm.servers.insert("b".into(), another(&b, Locality::Auto));
    let asked = prompt("Is it?");
    let answer = open(&config).complete(asked.clone(), None).await.unwrap();
    assert_eq!((answer.text.as_str(), b.chats().len()), ("From the last.", 1));
    let deliveries = asked.deliveries.take();
    let servers: Vec<&str> = deliveries.iter().map(|delivery| delivery.server.as_str()).collect();
    assert_eq!(servers, ["main", "b", "c"]);
    let last = &deliveries[2];
    assert_eq!((last.prompt_tokens, last.cached_tokens, last.answer_tokens), (Some(90), Some(7), Some(10)));
    assert!(!last.outside && last.micro_cents.is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_days_limit_ends_what_leaves_the_house_and_nothing_else() {
    let (cloud, house) = (ModelServer::start(), ModelServer::start());
    cloud.answer(|_| told("From the cloud.", 900, 100));
    house.answer(|_| Script::say("From the house."));
    let state = tempfile::tempdir().unwrap();
    let mut config = config(&cloud, Openai);
    config.paths.state_dir = state.path().display().to_string();
    config.llm.local = Locality::No;
    config.llm.allow_cloud = true;
    config.llm.prompt_price_cents = 20;
    config.llm.answer_price_cents = 100;
    config.llm.max_tokens_per_day = 1500;
    let asked = prompt("Is it?");
    let model = open(&config);
    model.complete(asked.clone(), None).await.unwrap();
    let first = asked.deliveries.take().remove(0);
    assert_eq!((first.outside, first.micro_cents), (true, Some(900 * 20 + 100 * 100)));
    ask(&model, "Is it still?").await.unwrap();
    let limit = ModelError::LimitReached(format!("{}/v1", cloud.url()), "llm.max_tokens_per_day".into());
    assert_eq!(ask(&model, "And now?").await.unwrap_err(), limit);
    // Not after a restart either; a server in the house goes on.
    config.llm.servers.insert("house".into(), another(&house, Locality::Yes));
    let model = open(&config);
    assert_eq!(ask(&model, "And now?").await.unwrap().text, "From the house.");
    assert_eq!((cloud.chats().len(), house.chats().len()), (2, 1));
}
