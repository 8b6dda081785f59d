//! Both wire formats as they should be: words while they come, tools there and back, pictures, forms of answers.

use super::{BOTH, Heard, ask, config, open, prompt, tool};
use crate::support::model_server::{Gate, ModelServer, Script, Step};
use hark_config::llm::ProviderKind::{Ollama, Openai};
use hark_core::model::{Difficulty, Message, Picture, Role};
use serde_json::{Value, json};
use std::ops::ControlFlow;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_are_heard_before_the_answer_ends() {
    for kind in BOTH {
        let (server, gate, heard) = (ModelServer::start(), Gate::default(), Heard::default());
        server.queue(Script::steps(vec![
            Step::Words("It is Sünday".into()),
            Step::Gate(gate.clone()),
            Step::Words(", the 22nd.".into()),
        ]));
        // The server goes on only when the first words were heard.
        let sink = heard.then(move |words| {
            if words.contains("Sünday") {
                gate.open();
            }
            ControlFlow::Continue(())
        });
        let answer =
            open(&config(&server, kind)).complete(prompt("What day is it?"), Some(sink)).await.unwrap();
        assert_eq!(answer.text, "It is Sünday, the 22nd.");
        assert_eq!(heard.words(), answer.text);
        assert_eq!((answer.model.as_str(), answer.cut_short, answer.calls.len()), ("toy", false, 0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_are_used_again() {
    for kind in BOTH {
        let server = ModelServer::start();
        server.answer(|request| Script::say(&format!("You said {}.", request.asked())));
        let model = open(&config(&server, kind));
        model.models().await;
        for number in 0..20 {
            let words = format!("number {number}");
            assert_eq!(ask(&model, &words).await.unwrap().text, format!("You said {words}."));
        }
        // One is enough; a second is opened when a request comes the moment before the first is free again.
        assert!(server.connections() < 5, "{kind:?}: {}", server.connections());
        let chat = &server.chats()[0];
        assert_eq!(chat.path, if kind == Ollama { "/api/chat" } else { "/v1/chat/completions" });
        assert_eq!((&chat.body["model"], &chat.body["stream"]), (&json!("toy"), &json!(true)));
        assert!(chat.header("user-agent").unwrap().starts_with("hark/"));
        assert_eq!(chat.header("authorization"), None);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bytes_may_be_split_anywhere() {
    for kind in BOTH {
        for size in [1, 2, 3, 7] {
            let server = ModelServer::start();
            let args = json!({"name": "Küche 😀"});
            server.queue(
                Script::say("Grüße, 世界! 😀")
                    .then(Step::Call("home.on".into(), args.clone()))
                    .in_pieces_of(size),
            );
            let answer = ask(&open(&config(&server, kind)), "hello").await.unwrap();
            assert_eq!((answer.text.as_str(), &answer.calls[0].args), ("Grüße, 世界! 😀", &args));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tools_are_told_wanted_and_answered() {
    for kind in BOTH {
        let server = ModelServer::start();
        server.queue(Script::calls(&[
            ("home.turn_on", json!({"name": "lamp"})),
            ("home.turn_on", json!({"name": "fan"})),
        ]));
        server.queue(Script::say("Both are on."));
        let model = open(&config(&server, kind));
        let mut prompt = prompt("lamp and fan on");
        prompt.tools = vec![tool("home.turn_on"), tool("home-turn_on"), tool("timer.set")];
        let wanted = model.complete(prompt.clone(), None).await.unwrap();
        assert_eq!(wanted.text, "");
        let calls: Vec<_> =
            wanted.calls.iter().map(|call| (call.tool.as_str(), &call.args["name"])).collect();
        assert_eq!(calls, [("home.turn_on", &json!("lamp")), ("home.turn_on", &json!("fan"))]);
        assert_ne!(wanted.calls[0].id, wanted.calls[1].id);

        let mut said = Message::new(Role::Assistant, "");
        said.calls = wanted.calls.clone();
        prompt.messages.push(said);
        for call in &wanted.calls {
            prompt.messages.push(Message::result(&call.id, "done"));
        }
        assert_eq!(model.complete(prompt, None).await.unwrap().text, "Both are on.");
        let body = &server.chats()[1].body;
        let (said, result) = (&body["messages"][2], &body["messages"][3]);
        if kind == Openai {
            let names: Vec<&Value> =
                body["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]["name"]).collect();
            assert_eq!(names, ["home-turn_on", "home-turn_on-2", "timer-set"]);
            assert_eq!(said["tool_calls"][0]["function"]["name"], "home-turn_on");
            assert_eq!(said["tool_calls"][0]["function"]["arguments"], "{\"name\":\"lamp\"}");
            assert_eq!(result["tool_call_id"], said["tool_calls"][0]["id"]);
        } else {
            assert_eq!(body["tools"][0]["function"]["name"], "home.turn_on");
            assert_eq!(said["tool_calls"][0]["function"]["arguments"], json!({"name": "lamp"}));
            assert_eq!(result["tool_name"], "home.turn_on");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_at_once_is_an_answer_too() {
    let server = ModelServer::start();
    server.queue(Script::say("All at once.").then(Step::Call("a.b".into(), json!({}))).ignoring_stream());
    server.queue(Script::say("Again.").header("content-type", "text/plain"));
    let (model, heard) = (open(&config(&server, Openai)), Heard::default());
    let mut all = prompt("hello");
    all.tools = vec![tool("a.b")];
    let answer = model.complete(all, Some(heard.sink())).await.unwrap();
    assert_eq!((heard.words().as_str(), answer.calls[0].tool.as_str()), ("All at once.", "a.b"));
    assert_eq!(ask(&model, "and now?").await.unwrap().text, "Again.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thoughts_are_not_heard() {
    for kind in BOTH {
        let (server, heard) = (ModelServer::start(), Heard::default());
        server.queue(Script::say("<think> They want the day. </think>\n\nIt is Sunday."));
        let answer = open(&config(&server, kind)).complete(prompt("Day?"), Some(heard.sink())).await.unwrap();
        assert_eq!((answer.text.as_str(), heard.words().as_str()), ("It is Sunday.", "It is Sunday."));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thoughts_that_the_template_opened_are_not_heard() {
    for kind in BOTH {
        let server = ModelServer::start();
        server.answer(|_| {
            let words = ["They want ", "the day.", "</think>\n\nIt is ", "Sunday."];
            Script::steps(words.iter().map(|words| Step::Words((*words).into())).collect())
        });
        let mut config = config(&server, kind);
        // By its name from the first answer on; any other model once it was seen to think so.
        for (name, unheard_from) in [("deepseek-r1", 0), ("toy", 1)] {
            config.llm.model = name.into();
            let model = open(&config);
            for number in 0..3 {
                let heard = Heard::default();
                let answer = model.complete(prompt("Day?"), Some(heard.sink())).await.unwrap();
                assert_eq!(answer.text, "It is Sunday.", "{name}");
                if number >= unheard_from {
                    assert_eq!(heard.words(), "It is Sunday.", "{name}");
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_most_tokens_end_an_answer() {
    for kind in BOTH {
        let server = ModelServer::start();
        server.queue(Script::say("Once upon").cut_short());
        let mut config = config(&server, kind);
        config.llm.max_tokens = 77;
        let answer = ask(&open(&config), "a story").await.unwrap();
        assert!(answer.cut_short);
        let body = &server.chats()[0].body;
        let most = if kind == Ollama { &body["options"]["num_predict"] } else { &body["max_tokens"] };
        assert_eq!(most, 77);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_difficulty_has_its_model() {
    for kind in BOTH {
        let server = ModelServer::start();
        server.answer(|_| Script::say("Yes."));
        let mut config = config(&server, kind);
        (config.llm.fast_model, config.llm.vision_model) = ("small".into(), "eyes".into());
        let model = open(&config);
        for difficulty in [Difficulty::Simple, Difficulty::Complex, Difficulty::Vision] {
            let mut prompt = prompt("hello");
            prompt.difficulty = difficulty;
            let picture = Picture { media_type: "image/png".into(), base64: "iVBORw0KGgo=".into() };
            prompt.messages[1].pictures.push(picture);
            model.complete(prompt, None).await.unwrap();
        }
        let chats = server.chats();
        let models: Vec<&str> = chats.iter().map(|chat| chat.body["model"].as_str().unwrap()).collect();
        assert_eq!(models, ["small", "toy", "eyes"]);
        let user = &chats[2].body["messages"][1];
        if kind == Ollama {
            assert_eq!(user["images"], json!(["iVBORw0KGgo="]));
        } else {
            assert_eq!(user["content"][1]["image_url"]["url"], "data:image/png;base64,iVBORw0KGgo=");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_form_of_an_answer_is_told_as_the_server_takes_it() {
    let mut formed = prompt("as JSON");
    formed.schema = Some(json!({"type": "object"}));
    let server = ModelServer::start();
    // This one takes neither form, and says so as FastAPI and llama.cpp's Python server do.
    server.answer(|request| match request.body.get("response_format") {
        Some(format) if format["type"] == "json_schema" => {
            let says = "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type')}]";
            Script::raw(500, json!({"error": {"message": says, "type": "internal_server_error"}}).to_string())
        }
        Some(_) => Script::raw(422, r#"{"detail":[{"loc":["body","response_format"],"msg":"wrong"}]}"#),
        None => Script::say("{}"),
    });
    let model = open(&config(&server, Openai));
    for _ in 0..2 {
        assert_eq!(model.complete(formed.clone(), None).await.unwrap().text, "{}");
    }
    let kinds: Vec<Value> =
        server.chats().iter().map(|chat| chat.body["response_format"]["type"].clone()).collect();
    assert_eq!(kinds, [json!("json_schema"), json!("json_object"), Value::Null, Value::Null]);

    let server = ModelServer::start();
    server.answer(|_| Script::say("{}"));
    open(&config(&server, Ollama)).complete(formed.clone(), None).await.unwrap();
    assert_eq!(server.chats()[0].body["format"], json!({"type": "object"}));

    // Ollama before 0.5 takes the word only, and others that speak its protocol not even that.
    for (takes_word, expected) in [
        (true, vec![json!({"type": "object"}), json!("json"), json!("json")]),
        (false, vec![json!({"type": "object"}), json!("json"), Value::Null, Value::Null]),
    ] {
        let server = ModelServer::start();
        server.answer(move |request| match request.body.get("format") {
            Some(Value::String(_)) if takes_word => Script::say("{}"),
            Some(Value::Object(_)) => {
                let says =
                    "json: cannot unmarshal object into Go struct field ChatRequest.format of type string";
                Script::raw(400, json!({"error": says}).to_string())
            }
            Some(_) => Script::raw(400, r#"{"error":"unknown field \"format\""}"#),
            None => Script::say("{}"),
        });
        let model = open(&config(&server, Ollama));
        for _ in 0..2 {
            assert_eq!(model.complete(formed.clone(), None).await.unwrap().text, "{}");
        }
        let told: Vec<Value> = server.chats().iter().map(|chat| chat.body["format"].clone()).collect();
        assert_eq!(told, expected, "what was found is remembered");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn newer_models_take_another_bound() {
    let server = ModelServer::start();
    server.answer(|request| match request.body.get("max_tokens") {
        Some(_) => {
            let says = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
            Script::raw(400, json!({"error": {"message": says}}).to_string())
        }
        None => Script::say("Yes."),
    });
    let model = open(&config(&server, Openai));
    for _ in 0..2 {
        ask(&model, "hello").await.unwrap();
    }
    assert_eq!(server.chats().len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_without_a_chat_goes_on_with_a_text() {
    for refusal in [
        Script::raw(400, r#"{"error":"\"toy\" does not support chat"}"#),
        Script::raw(404, "404 page not found"),
    ] {
        let server = ModelServer::start();
        server.answer(move |request| match request.path.as_str() {
            "/api/chat" => refusal.clone(),
            _ => Script::say("and they lived happily."),
        });
        let model = open(&config(&server, Ollama));
        for _ in 0..2 {
            assert_eq!(ask(&model, "Once upon a time").await.unwrap().text, "and they lived happily.");
        }
        let paths: Vec<String> = server.chats().into_iter().map(|chat| chat.path).collect();
        assert_eq!(paths, ["/api/chat", "/api/generate", "/api/generate"]);
        let body = &server.chats()[1].body;
        assert_eq!((&body["prompt"], &body["system"]), (&json!("Once upon a time"), &json!("Be brief.")));
        assert!(body.get("messages").is_none());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_asked_again_is_known() {
    for kind in BOTH {
        let (server, heard) = (ModelServer::start(), Heard::default());
        server.answer(|request| Script::say(&format!("Answer {}.", request.number)));
        let model = open(&config(&server, kind));
        let mut same = prompt("How many legs has a spider?");
        same.temperature = 0.0;
        let first = model.complete(same.clone(), None).await.unwrap();
        let again = model.complete(same.clone(), Some(heard.sink())).await.unwrap();
        assert_eq!((&again, heard.words()), (&first, first.text.clone()));
        assert_eq!(server.chats().len(), 1);
        // Another bound, a tool or a little warmth makes it another question.
        let (mut longer, mut armed, mut warm) = (same.clone(), same.clone(), same);
        longer.max_tokens = Some(9);
        armed.tools.push(tool("a.b"));
        warm.temperature = 0.1;
        for other in [longer, armed.clone(), armed, warm.clone(), warm] {
            assert_ne!(model.complete(other, None).await.unwrap(), first);
        }
        assert_eq!(server.chats().len(), 6);
    }
}
