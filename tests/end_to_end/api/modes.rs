//! How answers are wanted.

use super::fake::Server;
use super::sockets::{Socket, next, open, send};
use hark_core::Event;
use hark_core::public_event::Origin;
use serde_json::json;

async fn chat(socket: &mut Socket, session: &str, mode: Option<&str>) {
    let content = uuid::Uuid::now_v7().to_string();
    let mut message = json!({ "type": "chat", "content": content, "session_id": session });
    if let Some(mode) = mode {
        message["mode"] = mode.into();
    }
    send(socket, message).await;
    // Answers of others in the same conversation come here, too.
    while next(socket).await["data"]["text"] != format!("echo: {content}") {}
}

/// Whether each request is said aloud, and each time the machine is told of somebody at work.
fn told(server: &Server) -> Vec<String> {
    let pushed = server.fake.pushed.lock().unwrap();
    let told = pushed.iter().map(|event| match event {
        Event::Typed { origin: Origin::Api(session), speak, .. } => format!("{session} speak={speak}"),
        Event::Focus { origin: Origin::Api(session), on } => format!("{session} focus={on}"),
        other => panic!("{other:?}"),
    });
    told.collect()
}

#[test]
fn a_mode_stays_in_its_conversation_until_another_one_is_named() {
    let server = Server::start();
    server.runtime.block_on(async {
        let (mut one, mut other) = (open(&server, &[]).await.unwrap(), open(&server, &[]).await.unwrap());
        chat(&mut one, "desk", None).await;
        chat(&mut one, "desk", Some("focus")).await;
        chat(&mut other, "desk", None).await;
        chat(&mut other, "hall", Some("voice")).await;
        chat(&mut one, "hall", None).await;
        chat(&mut one, "desk", Some("chat")).await;
        chat(&mut other, "desk", None).await;
    });
    let expected = [
        "desk speak=false",
        "desk focus=true",
        "desk speak=false",
        "desk focus=true",
        "desk speak=false",
        "hall speak=true",
        "hall speak=true",
        "desk focus=false",
        "desk speak=false",
        "desk speak=false",
    ];
    assert_eq!(told(&server), expected);
    let modes = server.fake.modes.lock().unwrap();
    assert_eq!((modes["desk"].as_str(), modes["hall"].as_str()), ("chat", "voice"));
}

#[test]
fn what_was_kept_before_the_start_counts() {
    let server = Server::start();
    server.fake.modes.lock().unwrap().insert("desk".into(), "focus".into());
    server.runtime.block_on(async {
        let mut socket = open(&server, &[]).await.unwrap();
        chat(&mut socket, "desk", None).await;
    });
    assert_eq!(told(&server), ["desk focus=true", "desk speak=false"]);
}
