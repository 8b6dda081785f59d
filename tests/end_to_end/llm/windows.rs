//! How much a model can look back on, and servers that take no tools.

use super::{BOTH, Heard, config, open, prompt, tool};
use crate::support::model_server::{ModelServer, Script};
use hark_config::llm::ProviderKind::{self, Ollama, Openai};
use hark_core::model::{Message, Prompt, Role};
use serde_json::{Value, json};

/// A question behind long earlier turns and a long quotation, some 6,000 tokens.
fn long() -> Prompt {
    let mut long = prompt("");
    let quoted = "The boiler shows E5. ".repeat(400);
    long.messages[1].content = format!("⟦data documents⟧\n{quoted}\n⟦end of data⟧\n\nWhat does it show?");
    let turns =
        [Message::new(Role::User, "and ".repeat(1500)), Message::new(Role::Assistant, "so ".repeat(1500))];
    long.messages.splice(1..1, turns);
    long
}

/// What was sent: the messages' texts.
fn sent(body: &Value) -> Vec<&str> {
    body["messages"].as_array().unwrap().iter().map(|it| it["content"].as_str().unwrap()).collect()
}

fn list(entry: Value) -> Script {
    Script::raw(200, json!({"object": "list", "data": [entry]}).to_string())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_prompt_is_kept_within_what_the_server_tells() {
    // llama.cpp tells in `/props` what one request may have, of what `/v1/models` tells of all.
    type Tell = fn(&ModelServer);
    let llama_cpp: Tell = |server| {
        server.queue_list(list(json!({"id": "toy", "owned_by": "llamacpp", "meta": {"n_ctx": 32768}})));
        server.queue_list(Script::raw(
            200,
            json!({"default_generation_settings": {"n_ctx": 2048}}).to_string(),
        ));
    };
    let vllm: Tell = |server| server.queue_list(list(json!({"id": "toy", "max_model_len": 2048})));
    let ollama: Tell = |server| server.shows(json!({"model_info": {"llama.context_length": 2048}}));
    for (kind, tell) in [(Openai, llama_cpp), (Openai, vllm), (Ollama, ollama)] {
        let server = ModelServer::start();
        tell(&server);
        server.answer(|_| Script::say("E5."));
        let model = open(&config(&server, kind));
        for _ in 0..2 {
            assert_eq!(model.complete(long(), None).await.unwrap().text, "E5.");
        }
        let chats = server.chats();
        for chat in &chats {
            let sent = sent(&chat.body);
            assert_eq!((sent.len(), sent[0]), (2, "Be brief."), "earlier turns went first");
            assert!(sent[1].ends_with("… (cut)\n⟦end of data⟧\n\nWhat does it show?"), "{}", sent[1]);
            assert!(sent.concat().len() < 3 * 2048);
        }
        let asked = server.requests().len() - chats.len();
        assert!(asked <= 2, "a server is asked once: {asked}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_asked_and_left_out_where_there_is_room() {
    for kind in BOTH {
        let server = ModelServer::start();
        server.answer(|_| Script::say("Yes."));
        let model = open(&config(&server, kind));
        model.complete(prompt("Is it?"), None).await.unwrap();
        assert_eq!(server.requests().len(), 1, "a short prompt fits everywhere");
        server.shows(json!({"model_info": {"llama.context_length": 131072}, "parameters": "num_ctx 32768"}));
        model.complete(long(), None).await.unwrap();
        assert_eq!(
            sent(&server.chats()[1].body),
            long().messages.iter().map(|it| &*it.content).collect::<Vec<_>>()
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_for_its_length_is_learnt_from() {
    let server = ModelServer::start();
    let refusal = json!({"error": {"code": 400, "type": "exceed_context_size_error", "n_ctx": 2048,
        "n_prompt_tokens": 12000, "message": "request (12000 tokens) exceeds the available context size"}});
    server.queue(Script::raw(400, refusal.to_string()));
    server.answer(|_| Script::say("E5."));
    let model = open(&config(&server, Openai));
    assert_eq!(model.complete(long(), None).await.unwrap().text, "E5.");
    assert_eq!(model.complete(long(), None).await.unwrap().text, "E5.");
    let lengths: Vec<usize> = server.chats().iter().map(|chat| sent(&chat.body).concat().len()).collect();
    assert!(lengths[1] < lengths[0] / 4 && lengths[2] == lengths[1], "{lengths:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_takes_no_tools_is_told_of_them_in_words() {
    let refusals: [(ProviderKind, u16, Value); 2] = [
        (Ollama, 400, json!({"error": "registry.ollama.ai/library/gemma:2b does not support tools"})),
        (Openai, 500, json!({"error": {"code": 500, "message": "tools param requires --jinja flag"}})),
    ];
    for (kind, status, refusal) in refusals {
        let server = ModelServer::start();
        server.queue(Script::raw(status, refusal.to_string()));
        server.queue(Script::say(r#"{"tool": "home.turn_on", "arguments": {"name": "lamp"}}"#));
        server.queue(Script::say("The lamp is on."));
        let (model, heard) = (open(&config(&server, kind)), Heard::default());
        let mut armed = prompt("lamp on");
        armed.tools = vec![tool("home.turn_on")];
        let wanted = model.complete(armed.clone(), Some(heard.sink())).await.unwrap();
        assert_eq!((wanted.text.as_str(), wanted.calls[0].tool.as_str()), ("", "home.turn_on"));
        assert_eq!((&wanted.calls[0].args, heard.words().as_str()), (&json!({"name": "lamp"}), ""));
        armed.messages.push(Message { calls: wanted.calls.clone(), ..Message::new(Role::Assistant, "") });
        armed.messages.push(Message::result(&wanted.calls[0].id, "ok"));
        let told = model.complete(armed, Some(heard.sink())).await.unwrap();
        assert_eq!((told.text.as_str(), heard.words()), ("The lamp is on.", told.text.clone()));
        let chats = server.chats();
        assert!(chats[0].body["tools"].is_array() && chats[1].body["tools"].is_null());
        assert!(sent(&chats[1].body)[0].contains("- home.turn_on: Switches something on."));
        // It is told so at once the next time.
        assert_eq!(sent(&chats[2].body)[3], "Result of home.turn_on: ok");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chat_template_that_knows_no_tools_is_told_of_them_in_words() {
    let server = ModelServer::start();
    server.queue_list(list(json!({"id": "toy", "owned_by": "llamacpp", "meta": {"n_ctx": 32768}})));
    let caps = json!({"default_generation_settings": {"n_ctx": 32768},
        "chat_template_caps": {"supports_tools": false, "supports_tool_calls": false}});
    server.queue_list(Script::raw(200, caps.to_string()));
    server.answer(|_| Script::say(r#"{"tool": "home.turn_on", "arguments": {"name": "lamp"}}"#));
    let mut armed = long();
    armed.tools = vec![tool("home.turn_on")];
    let wanted = open(&config(&server, Openai)).complete(armed, None).await.unwrap();
    assert_eq!((wanted.text.as_str(), wanted.calls.len()), ("", 1));
    let body = &server.chats()[0].body;
    assert!(
        body["tools"].is_null() && sent(body)[0].contains("- home.turn_on: "),
        "llama.cpp would say nothing"
    );
}
