//! Everything a server can do wrong, and what is left of it: an error that says what and where, an end to the request,
//! no second voice after the first was heard.

use super::{BOTH, Heard, ask, config, open, prompt, with_second};
use crate::support::free_port;
use crate::support::model_server::{Gate, ModelServer, Script, Step};
use hark_config::llm::ProviderKind::{self, Openai};
use hark_core::model::ModelError;
use std::ops::ControlFlow;
use std::time::Duration;

/// The start of an answer in either language, whole and with the beginning of more.
fn beginning(kind: ProviderKind) -> &'static str {
    match kind {
        Openai => "data: {\"choices\":[{\"delta\":{\"content\":\"It is\"}}]}\n\n",
        _ => "{\"message\":{\"content\":\"It is\"},\"done\":false}\n",
    }
}

/// What a line of data begins with.
fn lead(kind: ProviderKind) -> &'static str {
    if kind == Openai { "data: " } else { "" }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_answer_is_an_error_and_nothing_else() {
    for kind in BOTH {
        let (begun, lead) = (beginning(kind), lead(kind));
        let deep = format!("{lead}{{\"choices\":{}\n\n", "[".repeat(100_000));
        let bodies = [
            String::new(),
            begun.to_owned(),
            format!("{begun}{lead}{{\"choi"),
            format!("{begun}{lead}not JSON at all\n\n"),
            format!("{begun}{lead}{{\"error\":{{\"message\":\"out of memory\"}}}}\n\n"),
            "<html><body>Bad gateway</body></html>".to_owned(),
            "\u{0}\u{1}\u{2} garbage \n\n".to_owned(),
            "[]".to_owned(),
            deep,
        ];
        for body in bodies {
            let server = ModelServer::start();
            server.queue(Script::raw(200, body.clone()));
            let error = ask(&open(&config(&server, kind)), "hello").await.unwrap_err();
            assert!(
                matches!(&error, ModelError::BadAnswer(place, _) if place.starts_with(&server.url())),
                "{error}: {body:.80}"
            );
            assert_eq!(server.chats().len(), 1, "not tried again: {body:.80}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_break_in_the_midst_is_told_from_an_end() {
    for kind in BOTH {
        let server = ModelServer::start();
        let begun = Step::Bytes(beginning(kind).into());
        server.queue(Script::bare(vec![begun.clone(), Step::Break]));
        // The reason came, but neither the end of the stream nor of the connection as it should be.
        let reason = match kind {
            Openai => "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
            _ => "{\"message\":{\"content\":\"\"},\"done\":true}\n",
        };
        server.queue(Script::bare(vec![begun.clone(), Step::Bytes(reason.into()), Step::Break]));
        server.queue(Script::bare(vec![begun, Step::Bytes(reason.into()), Step::Hang]));
        let model = open(&config(&server, kind));
        assert!(matches!(ask(&model, "hello").await, Err(ModelError::BadAnswer(..))));
        assert_eq!(ask(&model, "hello").await.unwrap().text, "It is");
        assert_eq!(ask(&model, "hello").await.unwrap().text, "It is");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_streams_are_cut_off() {
    for kind in BOTH {
        let (begun, lead) = (beginning(kind), lead(kind));
        let calls = match kind {
            Openai => (0..60)
                .map(|n| format!("data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"index\":{n},\"function\":{{\"name\":\"t\"}}}}]}}}}]}}\n\n"))
                .collect::<String>(),
            _ => "{\"message\":{\"tool_calls\":[{\"function\":{\"name\":\"t\",\"arguments\":{}}}]},\"done\":false}\n".repeat(60),
        };
        let streams = [
            vec![Step::Bytes(lead.into()), Step::Endless(vec![b'x'; 65_536])],
            vec![Step::Endless(begun.repeat(500).into())],
            vec![Step::Endless(b"\n".repeat(65_536))],
            vec![Step::Endless(b": still thinking\n\n".repeat(1000))],
            vec![Step::Bytes(calls.into_bytes()), Step::Hang],
        ];
        for steps in streams {
            let server = ModelServer::start();
            server.queue(Script::bare(steps));
            let mut config = config(&server, kind);
            config.llm.max_answer_bytes = 2 * 1024 * 1024;
            let error = ask(&open(&config), "hello").await.unwrap_err();
            assert!(matches!(error, ModelError::BadAnswer(..)), "{error}");
            server.wait_hung_up(0);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_says_nothing_runs_out_of_time() {
    for kind in BOTH {
        for script in [Script::hang(), Script::bare(vec![Step::Hang])] {
            let server = ModelServer::start();
            server.queue(script);
            let mut config = config(&server, kind);
            config.llm.first_token_timeout_ms = 300;
            let error = ask(&open(&config), "hello").await.unwrap_err();
            assert_eq!(error, ModelError::TimedOut(place(&server, kind), 300));
            server.wait_hung_up(0);
        }
        // Words come, but never an end.
        let server = ModelServer::start();
        server.queue(Script::bare(vec![Step::Bytes(beginning(kind).into()), Step::Hang]));
        let mut config = config(&server, kind);
        config.llm.timeout_ms = 700;
        let error = ask(&open(&config), "hello").await.unwrap_err();
        assert_eq!(error, ModelError::TimedOut(place(&server, kind), 700));
        server.wait_hung_up(0);
    }
}

fn place(server: &ModelServer, kind: ProviderKind) -> String {
    server.url() + if kind == Openai { "/v1" } else { "" }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_there_is_told_at_once() {
    for kind in BOTH {
        let server = ModelServer::start();
        let mut config = config(&server, kind);
        config.llm.url = format!("http://127.0.0.1:{}", free_port());
        let model = open(&config);
        assert_eq!(model.trouble(), None);
        let error = ask(&model, "hello").await.unwrap_err();
        assert!(matches!(error, ModelError::Unreachable(..)), "{error}");
        assert_eq!(model.trouble(), Some(error));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_stops_listening_ends_the_request() {
    for kind in BOTH {
        // Before the first byte, and in the midst of it: the future is dropped.
        for steps in [Script::hang(), Script::bare(vec![Step::Bytes(beginning(kind).into()), Step::Hang])] {
            let (server, heard) = (ModelServer::start(), Heard::default());
            server.queue(steps);
            let model = open(&config(&server, kind));
            let asking = tokio::spawn(model.complete(prompt("hello"), Some(heard.sink())));
            tokio::task::block_in_place(|| server.wait("the request", |seen| !seen.is_empty()));
            asking.abort();
            assert!(asking.await.unwrap_err().is_cancelled());
            tokio::task::spawn_blocking(move || server.wait_hung_up(0)).await.unwrap();
        }
        // The sink has enough; the server would go on.
        let (server, heard) = (ModelServer::start(), Heard::default());
        server.queue(Script::bare(vec![
            Step::Bytes(beginning(kind).into()),
            Step::Wait(Duration::from_millis(20)),
            Step::Endless(beginning(kind).into()),
        ]));
        let model = open(&config(&server, kind));
        let stop = heard
            .then(|words| if words.len() > 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
        assert_eq!(model.complete(prompt("hello"), Some(stop)).await, Err(ModelError::Stopped));
        tokio::task::spawn_blocking(move || server.wait_hung_up(0)).await.unwrap();
        assert_eq!(model.trouble(), None, "it is no fault of the server");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_begins_anew_after_words_were_heard() {
    for kind in BOTH {
        let (first, second, heard) = (ModelServer::start(), ModelServer::start(), Heard::default());
        let cut = Script::bare(vec![Step::Bytes(beginning(kind).into()), Step::Break]);
        first.queue(cut.clone());
        second.answer(|_| Script::say("From the second."));
        let model = open(&with_second(config(&first, kind), &second, Openai));
        let error = model.complete(prompt("hello"), Some(heard.sink())).await.unwrap_err();
        assert!(matches!(error, ModelError::BadAnswer(..)));
        assert_eq!((heard.words().as_str(), second.chats().len()), ("It is", 0));
        // With nobody listening there is nothing to take back.
        first.queue(cut);
        assert_eq!(ask(&model, "hello").await.unwrap().text, "From the second.");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gate_that_stays_shut_keeps_no_other_request_waiting() {
    let (server, gate) = (ModelServer::start(), Gate::default());
    let held = gate.clone();
    server.answer(move |request| match request.asked().as_str() {
        "slow" => Script::bare(vec![Step::Gate(held.clone())]).then(Step::Bytes(beginning(Openai).into())),
        words => Script::say(words),
    });
    let model = open(&config(&server, Openai));
    let slow = tokio::spawn(model.complete(prompt("slow"), None));
    for number in 0..20 {
        let words = format!("quick {number}");
        assert_eq!(ask(&model, &words).await.unwrap().text, words);
    }
    assert!(!slow.is_finished());
    gate.open();
    assert!(matches!(slow.await.unwrap(), Err(ModelError::BadAnswer(..))));
}

/// llama.cpp's Python server breaks off an answer in good order when another request comes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_can_do_one_thing_at_a_time_is_asked_one_thing_at_a_time() {
    let (server, disturbed, again) = (ModelServer::start(), Gate::default(), Gate::default());
    let mut first = true;
    server.answer(move |request| match (request.asked().as_str(), std::mem::take(&mut first)) {
        ("one", true) => Script::bare(vec![
            Step::Bytes(beginning(Openai).into()),
            Step::Gate(disturbed.clone()),
            Step::Bytes(b"data: [DONE]\n\n".to_vec()),
        ]),
        ("two", _) => {
            disturbed.open();
            // It is under way until the first one comes again.
            Script::steps(vec![Step::Gate(again.clone()), Step::Words("two".into())])
        }
        (words, _) => {
            again.open();
            Script::say(words)
        }
    });
    let model = open(&config(&server, Openai));
    let one = tokio::spawn(model.complete(prompt("one"), None));
    tokio::task::block_in_place(|| server.wait("the first request", |seen| seen.len() == 1));
    let two = tokio::spawn(model.complete(prompt("two"), None));
    assert_eq!(two.await.unwrap().unwrap().text, "two");
    assert_eq!(one.await.unwrap().unwrap().text, "one", "asked again, alone");
    assert_eq!(server.chats().len(), 3);
    // From now on nobody disturbs anybody: no two requests are under way at once.
    let (held, asked) = (Gate::default(), server.chats().len());
    let shut = held.clone();
    server.answer(move |request| Script::steps(vec![Step::Gate(shut.clone()), Step::Words(request.asked())]));
    let asking: Vec<_> =
        ["a", "b", "c"].map(|words| tokio::spawn(model.complete(prompt(words), None))).into();
    tokio::task::block_in_place(|| server.wait("one request", |seen| seen.len() == asked + 1));
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(server.chats().len(), asked + 1);
    held.open();
    for (asking, words) in asking.into_iter().zip(["a", "b", "c"]) {
        assert_eq!(asking.await.unwrap().unwrap().text, words);
    }
}
