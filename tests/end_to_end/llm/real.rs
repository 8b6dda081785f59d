//! Opt-in, against a real server: `HARK_LLM_URL=http://127.0.0.1:8000 HARK_LLM_MODEL=toy cargo test --test end_to_end llm real --
//! --ignored`, with `HARK_LLM_PROVIDER=ollama` for Ollama and `HARK_LLM_KEY_FILE` where there is a key. What the model
//! says is its own affair; that it is heard whole, in order and in the form asked for is not.

use super::{Heard, ask, open, prompt, tool};
use hark_config::Config;
use hark_config::llm::{Locality, ProviderKind};
use hark_core::model::{Message, ModelCall, Role};
use serde_json::{Value, json};
use std::ops::ControlFlow;

fn config() -> Config {
    let told = |name: &str| std::env::var(format!("HARK_LLM_{name}")).unwrap_or_default();
    let mut config = Config::default();
    config.llm.url = told("URL");
    config.llm.model = told("MODEL");
    config.llm.key_file = told("KEY_FILE");
    config.llm.local = Locality::Yes;
    config.llm.max_tokens = 48;
    config.llm.provider =
        if told("PROVIDER") == "ollama" { ProviderKind::Ollama } else { ProviderKind::Openai };
    assert!(
        !config.llm.url.is_empty() && !config.llm.model.is_empty(),
        "set HARK_LLM_URL and HARK_LLM_MODEL"
    );
    config
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a real server; see the head of this file"]
async fn a_real_server_is_understood() {
    let (model, heard) = (open(&config()), Heard::default());
    let (models, faults) = model.models().await;
    println!("{models:?} {faults:?}");
    assert!(!models.is_empty() && faults.is_empty());
    let answer = model.complete(prompt("Say hello."), Some(heard.sink())).await.unwrap();
    println!("{answer:?}");
    assert_eq!(heard.words(), answer.text);

    let mut formed = prompt("Answer as JSON.");
    formed.temperature = 0.0;
    formed.schema = Some(json!({"type": "object", "properties": {"ok": {"type": "boolean"}},
        "required": ["ok"], "additionalProperties": false}));
    for _ in 0..2 {
        let answer = model.complete(formed.clone(), None).await.unwrap();
        println!("{answer:?}");
        assert!(answer.cut_short || serde_json::from_str::<Value>(&answer.text).is_ok());
    }

    let mut armed = prompt("Turn on the lamp.");
    armed.tools = vec![tool("home.turn_on"), tool("timer.set")];
    let mut said = Message::new(Role::Assistant, "");
    let call = ModelCall { id: "c1".into(), tool: "home.turn_on".into(), args: json!({"name": "lamp"}) };
    said.calls.push(call);
    armed.messages.extend([said, Message::result("c1", "done")]);
    println!("{:?}", model.complete(armed, None).await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a real server; see the head of this file"]
async fn a_real_server_takes_several_requests_and_hang_ups() {
    let model = open(&config());
    for _ in 0..3 {
        let asking: Vec<_> =
            (0..4).map(|n| tokio::spawn(model.complete(prompt(&format!("slow {n}")), None))).collect();
        for asking in asking {
            let answer = asking.await.unwrap();
            println!("{answer:?}");
            answer.unwrap();
        }
    }
    let stop = Heard::default().then(|_| ControlFlow::Break(()));
    model.complete(prompt("slow and long"), Some(stop)).await.unwrap_err();
    ask(&model, "hello").await.unwrap();
}
