//! The rules of the wire for a browser's microphone.

use super::fake::{MicrophoneCall, Server};
use super::sockets::{Socket, next, open, send};
use futures_util::{SinkExt, StreamExt};
use hark_core::api::Speaker;
use serde_json::{Value, json};
use std::time::Duration;
use tokio_tungstenite::tungstenite::Message;

/// 40 ms, all of this value.
fn frame(value: i16) -> Message {
    Message::binary(vec![value.to_le_bytes(); 640].concat())
}

async fn speak(socket: &mut Socket, value: i16) {
    socket.send(frame(value)).await.unwrap();
}

/// The calls to remote microphones, once they pass the check.
fn wait_for(server: &Server, what: &str, check: impl Fn(&[MicrophoneCall]) -> bool) -> Vec<MicrophoneCall> {
    for _ in 0..6000 {
        let news = server.fake.microphones.lock().unwrap().clone();
        if check(&news) {
            return news;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{what}: {:?}", server.fake.microphones.lock().unwrap());
}

fn heard(news: &[MicrophoneCall]) -> Vec<(Speaker, i16, usize)> {
    let heard = news.iter().filter_map(|news| match news {
        MicrophoneCall::Heard(speaker, samples) => Some((speaker.clone(), samples[0], samples.len())),
        _ => None,
    });
    heard.collect()
}

fn count(news: &[MicrophoneCall], what: &MicrophoneCall) -> usize {
    news.iter().filter(|one| *one == what).count()
}

/// The kind of the error that comes next.
async fn refused(socket: &mut Socket) -> String {
    let answer = next(socket).await;
    assert_eq!(answer["type"], "error", "{answer}");
    assert!(answer["data"]["fix"].as_str().is_some_and(|fix| !fix.is_empty()), "{answer}");
    answer["data"]["kind"].as_str().unwrap().to_owned()
}

#[test]
fn sound_belongs_to_the_conversation_of_the_last_chat() {
    let server = Server::start();
    // Kept open until all was heard: closing it with answers unread resets the connection, and what was
    // sent and not yet read by the server is lost.
    let socket = server.runtime.block_on(async {
        let mut socket = open(&server, &[]).await.unwrap();
        send(&mut socket, json!({ "type": "stop" })).await;
        assert!(server.fake.microphones.lock().unwrap().is_empty(), "no ear before the first sound");
        speak(&mut socket, -2).await;
        send(
            &mut socket,
            json!({ "type": "chat", "content": "hello", "session_id": "desk", "mode": "voice" }),
        )
        .await;
        // What another conversation is told does not change where one speaks.
        send(&mut socket, json!({ "type": "deny", "session_id": "other" })).await;
        speak(&mut socket, 256).await;
        socket.send(Message::binary(Vec::new())).await.unwrap();
        socket
    });
    let news = wait_for(&server, "a pause", |news| news.contains(&MicrophoneCall::Paused));
    drop(socket);
    let heard = heard(&news);
    assert!(heard[0].0.session.starts_with("ws-") && !heard[0].0.aloud, "{heard:?}");
    assert_eq!((heard[0].1, heard[0].2), (-2, 640), "little-endian");
    assert_eq!(heard[1], (Speaker { session: "desk".into(), aloud: true }, 256, 640));
    assert_eq!(count(&news, &MicrophoneCall::Opened), 1);
    wait_for(&server, "the socket is gone, and its ear", |news| news.last() == Some(&MicrophoneCall::Gone));
}

#[test]
fn what_is_no_sound_is_told_and_not_heard() {
    let server = Server::start();
    server.runtime.block_on(async {
        let mut socket = open(&server, &[]).await.unwrap();
        for bytes in [1, 639, 65_535] {
            socket.send(Message::binary(vec![0; bytes])).await.unwrap();
            assert_eq!(refused(&mut socket).await, "bad_input", "{bytes} bytes");
        }
        socket.send(Message::binary(vec![0; 65_538])).await.unwrap();
        assert_eq!(refused(&mut socket).await, "too_large");
        socket.send(Message::binary(Vec::new())).await.unwrap();
        assert!(server.fake.microphones.lock().unwrap().is_empty());
        socket.send(Message::binary(vec![0; 65_536])).await.unwrap();
        wait_for(&server, "the longest frame", |news| heard(news).first().is_some_and(|it| it.2 == 32_768));
    });
}

#[test]
fn only_so_many_are_heard_and_a_place_is_free_when_one_has_gone() {
    let server = Server::with(|settings, _| settings.max_microphones = 2);
    server.runtime.block_on(async {
        let mut first = open(&server, &[]).await.unwrap();
        let mut second = open(&server, &[]).await.unwrap();
        let mut third = open(&server, &[]).await.unwrap();
        speak(&mut first, 1).await;
        speak(&mut second, 2).await;
        wait_for(&server, "two", |news| heard(news).len() == 2);
        for _ in 0..5 {
            speak(&mut third, 3).await;
        }
        assert_eq!(refused(&mut third).await, "busy");
        // Told once a second, not with every frame.
        send(&mut third, json!({ "type": "chat", "content": "hello" })).await;
        assert_eq!(next(&mut third).await["type"], "content");
        assert_eq!(next(&mut third).await["type"], "complete");
        drop(first);
        wait_for(&server, "a free place", |news| news.contains(&MicrophoneCall::Gone));
        speak(&mut third, 3).await;
        wait_for(&server, "the third", |news| heard(news).iter().any(|it| it.1 == 3));
    });
    let none = Server::with(|settings, _| settings.max_microphones = 0);
    none.runtime.block_on(async {
        let mut socket = open(&none, &[]).await.unwrap();
        speak(&mut socket, 1).await;
        assert_eq!(refused(&mut socket).await, "busy");
    });
}

#[test]
fn who_sends_faster_than_anybody_speaks_is_told_and_not_half_heard() {
    let server = Server::start();
    server.runtime.block_on(async {
        let mut socket = open(&server, &[]).await.unwrap();
        // Sixteen seconds of sound at once.
        for _ in 0..8 {
            socket.send(Message::binary(vec![0; 64_000])).await.unwrap();
        }
        assert_eq!(refused(&mut socket).await, "too_fast");
        let news = wait_for(&server, "the end of the ear", |news| news.last() == Some(&MicrophoneCall::Gone));
        assert!((2..=4).contains(&heard(&news).len()), "five seconds ahead at most: {}", heard(&news).len());
        send(&mut socket, json!({ "type": "chat", "content": "still there" })).await;
        loop {
            let message = next(&mut socket).await;
            match message["type"].as_str().unwrap() {
                "error" => assert_eq!(message["data"]["kind"], "too_fast"),
                _ => break assert_eq!(message["data"]["text"], "echo: still there"),
            }
        }
    });
    // Nor are many small frames.
    server.runtime.block_on(async {
        let mut socket = open(&server, &[]).await.unwrap();
        for _ in 0..3000 {
            socket.feed(Message::binary(vec![0; 2])).await.unwrap();
        }
        socket.flush().await.unwrap();
        assert_eq!(refused(&mut socket).await, "too_fast");
    });
}

#[test]
fn an_ear_that_does_not_keep_up_is_told_of_and_opened_anew() {
    let server = Server::start();
    server.runtime.block_on(async {
        let mut socket = open(&server, &[]).await.unwrap();
        server.fake.is_deaf.store(true, std::sync::atomic::Ordering::SeqCst);
        speak(&mut socket, 1).await;
        assert_eq!(refused(&mut socket).await, "unavailable");
        server.fake.is_deaf.store(false, std::sync::atomic::Ordering::SeqCst);
        speak(&mut socket, 2).await;
    });
    let news = wait_for(&server, "sound", |news| !heard(news).is_empty());
    assert_eq!(news[..3], [MicrophoneCall::Opened, MicrophoneCall::Gone, MicrophoneCall::Opened]);
}

#[test]
fn an_ear_is_given_back_when_no_sound_comes_and_opened_again_with_the_next() {
    let server = Server::with(|_, limits| limits.microphone = Duration::from_millis(50));
    server.runtime.block_on(async {
        let mut socket = open(&server, &[]).await.unwrap();
        speak(&mut socket, 1).await;
        wait_for(&server, "it is given back", |news| news.last() == Some(&MicrophoneCall::Gone));
        speak(&mut socket, 2).await;
        wait_for(&server, "it hears again", |news| heard(news).len() == 2);
        // Its end does not end the socket.
        send(&mut socket, json!({ "type": "chat", "content": "hello" })).await;
        assert_eq!(next(&mut socket).await["data"]["text"], "echo: hello");
        while let Some(Ok(message)) = socket.next().await {
            let Message::Text(text) = message else { continue };
            let message: Value = serde_json::from_str(&text).unwrap();
            if message["type"] == "complete" {
                break;
            }
        }
    });
}
