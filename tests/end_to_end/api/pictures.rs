//! Requests with pictures: longer than others, and only so many at a time.

use super::fake::Server;
use super::http::{connect, post};
use super::sockets::{next, open, send};
use hark_core::Event;
use serde_json::{Value, json};
use std::io::{Read, Write};

fn picture(bytes: usize) -> Value {
    let base64 = format!("/9j/{}", "A".repeat(bytes - 4));
    json!({ "media_type": "image/jpeg", "base64": base64 })
}

fn ask(images: &[Value]) -> String {
    json!({ "text": "what is this", "images": images }).to_string()
}

/// Lengths of the pictures that came with each request.
fn lengths(server: &Server) -> Vec<Vec<usize>> {
    let pushed = server.fake.pushed.lock().unwrap();
    let pictures = pushed.iter().filter_map(|event| match event {
        Event::Pictures { pictures, .. } => Some(pictures.iter().map(|it| it.base64.len()).collect()),
        _ => None,
    });
    pictures.collect()
}

#[test]
fn a_photograph_is_taken_by_both_ways() {
    let server = Server::start();
    let address = server.address;
    let answer = post(address, "/api/v1/ask", &ask(&[picture(4_000_000), picture(2_000_000)]));
    assert_eq!((answer.status, answer.json()["reply"].as_str()), (200, Some("echo: what is this")));
    server.runtime.block_on(async {
        let mut socket = open(&server, &[]).await.unwrap();
        send(&mut socket, json!({ "type": "chat", "content": "and this", "images": [picture(6_000_000)] }))
            .await;
        assert_eq!(next(&mut socket).await["data"]["text"], "echo: and this");
        assert_eq!(next(&mut socket).await["type"], "complete");
    });
    assert_eq!(lengths(&server), [vec![4_000_000, 2_000_000], vec![6_000_000]]);
}

#[test]
fn pictures_are_bounded_and_other_bodies_stay_short() {
    let server = Server::with(|settings, _| settings.max_image_kib = 64);
    let address = server.address;
    let within = ask(&[picture(32_768), picture(32_768)]);
    assert_eq!(post(address, "/api/v1/ask", &within).status, 200);
    for too_long in
        [ask(&[picture(32_768), picture(32_772)]), ask(&[picture(200_000)]), ask(&[picture(20_000_000)])]
    {
        let answer = post(address, "/api/v1/ask", &too_long);
        assert_eq!((answer.status, answer.refusal().as_str()), (413, "too_large"));
        assert!(answer.body.contains("max_image_kib"), "{}", answer.body);
    }
    let say = json!({ "text": "x".repeat(70_000) }).to_string();
    assert_eq!(post(address, "/api/v1/say", &say).status, 413, "nothing but pictures is that long");
    let text = json!({ "text": "x".repeat(70_000) }).to_string();
    assert_eq!(post(address, "/api/v1/ask", &text).status, 413, "nor is the text");
    server.runtime.block_on(async {
        let mut socket = open(&server, &[]).await.unwrap();
        for (message, kind) in [
            (json!({ "type": "chat", "content": "x", "images": [picture(65_540)] }), "too_large"),
            (json!({ "type": "stop", "because": "x".repeat(70_000) }), "bad_input"),
            (json!({ "type": "chat", "content": "x".repeat(70_000) }), "too_large"),
            (json!({ "type": "chat", "content": "x", "images": vec![picture(20_000); 5] }), "bad_input"),
        ] {
            send(&mut socket, message).await;
            assert_eq!(next(&mut socket).await["data"]["kind"], kind);
        }
    });
    assert_eq!(lengths(&server).len(), 1);
}

#[test]
fn only_so_many_are_at_hand_at_a_time() {
    let server = Server::start();
    let address = server.address;
    let body = ask(&[picture(100_000)]);
    let head = format!(
        "POST /api/v1/ask HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Expect: 100-continue\r\n\r\n",
        body.len()
    );
    // Four whose bodies are waited for.
    let mut slow: Vec<_> = (0..4)
        .map(|_| {
            let mut stream = connect(address);
            stream.write_all(head.as_bytes()).unwrap();
            let mut goes_on = [0; 25];
            stream.read_exact(&mut goes_on).unwrap();
            assert_eq!(&goes_on, b"HTTP/1.1 100 Continue\r\n\r\n");
            stream
        })
        .collect();
    let refused = post(address, "/api/v1/ask", &body);
    assert_eq!((refused.status, refused.refusal().as_str()), (503, "busy"));
    assert!(refused.headers.contains_key("retry-after"));
    assert_eq!(post(address, "/api/v1/ask", r#"{"text":"short"}"#).status, 200, "others are served");
    server.runtime.block_on(async {
        let mut socket = open(&server, &[]).await.unwrap();
        send(&mut socket, json!({ "type": "chat", "content": "x", "images": [picture(100_000)] })).await;
        assert_eq!(next(&mut socket).await["data"]["kind"], "busy");
    });
    let mut first = slow.remove(0);
    first.write_all(body.as_bytes()).unwrap();
    let mut answer = vec![0; 12];
    first.read_exact(&mut answer).unwrap();
    assert_eq!(answer, b"HTTP/1.1 200");
    while post(address, "/api/v1/ask", &body).status == 503 {}
}

#[test]
fn a_chat_with_pictures_holds_its_place_until_it_is_answered() {
    let server = Server::start();
    server.runtime.block_on(async {
        let mut socket = open(&server, &[]).await.unwrap();
        let chat = |session: usize, content: &str| {
            json!({ "type": "chat", "content": content, "session_id": session.to_string(), "images": [picture(100_000)] })
        };
        for session in 0..4 {
            send(&mut socket, chat(session, "never ends")).await;
            assert_eq!(next(&mut socket).await["type"], "content");
        }
        send(&mut socket, chat(4, "one more")).await;
        assert_eq!(next(&mut socket).await["data"]["kind"], "busy");
    });
    // The socket is gone, and with it what it held.
    while post(server.address, "/api/v1/ask", &ask(&[picture(100_000)])).status == 503 {}
}
