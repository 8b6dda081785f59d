//! Somebody at a desk asks a daemon with a language model: about a photograph, and in the mode for work.

use crate::scenarios::daemon_api::{Socket, chat_with, start};
use crate::support::Hark;
use crate::support::model_server::{ModelServer, Script};
use serde_json::{Value, json};
use std::net::SocketAddr;

async fn open(address: SocketAddr) -> Socket {
    tokio_tungstenite::connect_async(format!("ws://{address}/ws")).await.unwrap().0
}

fn last<'a>(answers: &'a [Value], kind: &str) -> &'a Value {
    let found = answers.iter().rfind(|answer| answer["type"] == kind);
    &found.unwrap_or_else(|| panic!("no {kind} in {answers:#?}"))["data"]
}

#[test]
fn a_photograph_reaches_the_model_as_it_was_sent() {
    let (hark, server) = (Hark::new(), ModelServer::start());
    server.answer(|_| Script::say("A cat on a chair."));
    let mut settings = server.settings("openai");
    settings.push("contracts.scoring=false".into());
    let (daemon, address) = start(&hark, &settings.iter().map(String::as_str).collect::<Vec<_>>());
    // As long as that of a telephone.
    let photograph = "iVBORw0KGgoA".repeat(250_000);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut socket = open(address).await;
        let images = json!([{ "media_type": "image/png", "base64": photograph }]);
        let answers =
            chat_with(&mut socket, json!({ "content": "what is on this?", "images": images })).await;
        assert_eq!(last(&answers, "content")["text"], "A cat on a chair.");
        assert_eq!(last(&answers, "complete")["outcome"], "done");
    });
    let chats = server.chats();
    assert!(chats[0].body.to_string().contains(&photograph), "whole");
    assert!(daemon.terminate().success());
    for file in std::fs::read_dir(hark.folder.path()).unwrap().flatten() {
        let length = file.metadata().unwrap().len();
        assert!(length < 2_000_000, "{:?} keeps the picture: {length} bytes", file.path());
    }
}

#[test]
fn a_model_is_told_that_the_person_is_at_work() {
    let (hark, server) = (Hark::new(), ModelServer::start());
    server.answer(|_| Script::say("Nothing was to be done."));
    let mut settings = server.settings("openai");
    settings.push("contracts.scoring=false".into());
    let (_daemon, address) = start(&hark, &settings.iter().map(String::as_str).collect::<Vec<_>>());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let told = |since: usize| {
        let chats = server.chats();
        chats[since..].iter().any(|chat| chat.body.to_string().contains("The person is at work"))
    };
    runtime.block_on(async {
        let mut socket = open(address).await;
        let mut since = 0;
        for (mode, expected) in [("chat", false), ("focus", true), ("voice", false)] {
            let request =
                json!({ "content": "make the house ready for guests", "mode": mode, "session_id": "desk" });
            chat_with(&mut socket, request).await;
            assert_eq!(told(since), expected, "{mode}: {:#?}", server.chats());
            since = server.chats().len();
        }
    });
}
