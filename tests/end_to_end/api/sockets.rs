//! WebSockets: what they are told, and what they cannot do.

use super::fake::Server;
use super::http::{ask, connect};
use futures_util::{SinkExt, StreamExt};
use hark_core::public_event::{HarkState, Origin};
use hark_core::{Event, PublicEvent};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use tokio::net::TcpStream as AsyncStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

pub type Socket = WebSocketStream<MaybeTlsStream<AsyncStream>>;

pub async fn open(server: &Server, headers: &[(&'static str, &str)]) -> Result<Socket, u16> {
    let mut request = format!("ws://{}/ws", server.address).into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    match tokio_tungstenite::connect_async(request).await {
        Ok((socket, _)) => Ok(socket),
        Err(Error::Http(answer)) => Err(answer.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

pub async fn send(socket: &mut Socket, message: Value) {
    socket.send(Message::text(message.to_string())).await.unwrap();
}

/// The next message of a type other than `event`; panics when the socket closes or nothing comes.
pub async fn next(socket: &mut Socket) -> Value {
    loop {
        let message = tokio::time::timeout(Duration::from_secs(60), socket.next()).await.expect("a message");
        if let Message::Text(text) = message.expect("an open socket").unwrap() {
            let message: Value = serde_json::from_str(&text).unwrap();
            if message["type"] != "event" {
                return message;
            }
        }
    }
}

/// Reads until it is closed; with which code.
pub async fn closed(socket: &mut Socket) -> Option<CloseCode> {
    let read = async {
        while let Some(message) = socket.next().await {
            match message {
                Ok(Message::Close(frame)) => return frame.map(|frame| frame.code),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
        None
    };
    tokio::time::timeout(Duration::from_secs(60), read).await.expect("it closes")
}

#[test]
fn what_the_microphone_hears_is_told_while_it_is_wanted() {
    let server = Server::start();
    server.runtime.block_on(async {
        let mut socket = open(&server, &[]).await.unwrap();
        send(&mut socket, json!({ "type": "meter", "on": true })).await;
        for _ in 0..3 {
            let told = next(&mut socket).await;
            assert_eq!(told["type"], "meter");
            assert_eq!(told["data"]["level_dbfs"], -32.5);
            assert_eq!(
                (&told["data"]["echo"]["erle_db"], &told["data"]["is_open"]),
                (&json!(31.26), &json!(true))
            );
        }
        send(&mut socket, json!({ "type": "meter", "on": false })).await;
        send(&mut socket, json!({ "type": "list_models" })).await;
        while next(&mut socket).await["type"] != "models" {}
        let quiet = tokio::time::timeout(Duration::from_millis(400), next(&mut socket)).await;
        assert!(quiet.is_err(), "{quiet:?}");
        send(&mut socket, json!({ "type": "meter" })).await;
        assert_eq!(next(&mut socket).await["type"], "error");
    });
}

#[test]
fn a_chat_is_answered_in_its_own_conversation() {
    let server = Server::start();
    server.runtime.block_on(async {
        let mut socket = open(&server, &[]).await.unwrap();
        let mut other = open(&server, &[]).await.unwrap();
        send(&mut socket, json!({ "type": "chat", "content": "hello", "session_id": "s" })).await;
        let content = next(&mut socket).await;
        assert_eq!(content["type"], "content");
        assert_eq!(content["data"]["text"], "echo: hello");
        assert_eq!(content["data"]["session_id"], "s");
        let complete = next(&mut socket).await;
        assert_eq!(complete["type"], "complete");
        assert_eq!(complete["data"]["outcome"], "done");
        assert_eq!(complete["data"]["turn"], content["data"]["turn"]);
        // The other one sees that it happened, and no answer.
        let mut seen = Vec::new();
        while seen.last() != Some(&"turn".to_owned()) {
            let Some(Ok(Message::Text(text))) = other.next().await else { continue };
            let message: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(message["type"], "event");
            seen.push(message["data"]["event"].as_str().unwrap().to_owned());
        }
        assert_eq!(seen, ["transcript", "reply", "turn"]);
    });
}

#[test]
fn plans_and_steps_and_streamed_words_come_as_they_are_made() {
    use hark_core::plan::{Plan, StepStatus};
    let server = Server::start();
    server.runtime.block_on(async {
        let mut socket = open(&server, &[]).await.unwrap();
        send(&mut socket, json!({ "type": "chat", "content": "never ends", "session_id": "s" })).await;
        assert_eq!(next(&mut socket).await["data"]["text"], "echo: never ends");
        let tell = |event| server.fake.publish(Some("t-9"), Some(Origin::Api("s".into())), event);
        tell(PublicEvent::Plan(Plan {
            id: "p".into(),
            summary: "tidy up".into(),
            steps: vec![],
            tainted: false,
        }));
        let (plan, step) = ("p".into(), "1".into());
        let (status, message, result) = (StepStatus::Running, String::new(), Value::Null);
        tell(PublicEvent::StepUpdate { plan, step, status, message, total_steps: 1, result });
        tell(PublicEvent::Reply { text: "I am".into(), language: "en".into(), ends: false });
        let messages = [next(&mut socket).await, next(&mut socket).await, next(&mut socket).await];
        assert_eq!(messages[0]["type"], "plan");
        assert_eq!(messages[0]["data"]["summary"], "tidy up");
        assert_eq!(messages[0]["data"]["total_steps"], 0);
        assert_eq!(messages[1]["type"], "step_update");
        assert_eq!(messages[1]["data"]["status"], "running");
        assert_eq!(
            (&messages[1]["data"]["step_id"], &messages[1]["data"]["total_steps"]),
            (&json!("1"), &json!(1))
        );
        assert_eq!(messages[2]["type"], "content");
        assert_eq!(messages[2]["data"]["ends"], false);
    });
}

#[test]
fn answers_and_stop_and_modes_reach_the_machine() {
    let server = Server::start();
    server.runtime.block_on(async {
        let mut socket = open(&server, &[]).await.unwrap();
        send(&mut socket, json!({ "type": "chat", "content": "unlock", "mode": "voice", "session_id": "s" }))
            .await;
        send(&mut socket, json!({ "type": "approve", "session_id": "s", "turn": "t-0" })).await;
        send(&mut socket, json!({ "type": "deny" })).await;
        send(&mut socket, json!({ "type": "stop" })).await;
        send(&mut socket, json!({ "type": "list_models" })).await;
        let models = loop {
            let message = next(&mut socket).await;
            if message["type"] == "models" {
                break message;
            }
        };
        assert_eq!(models["data"]["models"], json!([{ "name": "m", "provider": "p", "chosen": true }]));
    });
    let pushed = server.fake.pushed.lock().unwrap();
    let origin = || Origin::Api("s".into());
    assert_eq!(
        pushed[0],
        Event::Typed { text: "unlock".into(), origin: origin(), speak: true, dry_run: false }
    );
    let answer = |turn: Option<&str>, yes| Event::Answer {
        origin: origin(),
        turn: turn.map(Into::into),
        yes,
        operator: false,
        said_as: None,
    };
    assert_eq!(pushed[1], answer(Some("t-0"), true));
    assert_eq!(pushed[2], answer(None, false), "it is for the conversation of the last chat");
    assert_eq!(pushed[3], Event::Stop);
}

#[test]
fn only_the_token_of_the_operator_makes_an_answer_theirs() {
    let file = |token: &str| {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), token).unwrap();
        file
    };
    let (everybody, operator) = (file("a-token-of-everybody"), file("a-token-of-the-operator"));
    let server = Server::with(|settings, _| {
        settings.token_file = everybody.path().display().to_string();
        settings.operator_token_file = operator.path().display().to_string();
    });
    let offered = "hark, hark.bearer.a-token-of-the-operator";
    let shown = [
        ("authorization", "Bearer a-token-of-everybody", false),
        ("authorization", "Bearer a-token-of-the-operator", true),
        ("sec-websocket-protocol", offered, true),
    ];
    server.runtime.block_on(async {
        assert_eq!(open(&server, &[]).await.err(), Some(401));
        for (name, value, _) in shown {
            let mut socket = open(&server, &[(name, value)]).await.unwrap();
            send(&mut socket, json!({ "type": "approve" })).await;
            send(&mut socket, json!({ "type": "list_models" })).await;
            assert_eq!(next(&mut socket).await["type"], "models");
        }
    });
    let says_yes = |token: &str| {
        let bearer = format!("Bearer {token}");
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        ask(server.address, "POST", "/api/v1/ask", &headers, Some(r#"{"text":"yes","session_id":"s"}"#))
    };
    assert_eq!(says_yes("a-token-of-everybody").status, 200);
    let pushed = server.fake.pushed.lock().unwrap();
    let operators: Vec<bool> = pushed
        .iter()
        .filter_map(|event| match event {
            Event::Answer { origin: Origin::Api(own), turn: None, yes: true, operator, said_as: None } => {
                assert!(own.starts_with("ws-"), "nobody has chatted: {own}");
                Some(*operator)
            }
            _ => None,
        })
        .collect();
    assert_eq!(operators, shown.map(|(.., is_operator)| is_operator));
    assert!(matches!(pushed.last(), Some(Event::Typed { .. })), "words of others are words");
}

#[test]
fn what_is_no_message_is_answered_and_the_socket_stays() {
    let server = Server::start();
    server.runtime.block_on(async {
        let mut socket = open(&server, &[]).await.unwrap();
        for (message, kind) in [
            (Message::text("{"), "bad_request"),
            (Message::text(format!("{}{}", "[".repeat(20_000), "]".repeat(20_000))), "bad_request"),
            (Message::text("{\"type\":\"dance\"}"), "bad_input"),
            (Message::text("{\"type\":\"chat\",\"content\":\" \"}"), "bad_input"),
            (Message::text("{\"type\":\"chat\",\"content\":\"x\",\"session_id\":\"\"}"), "bad_input"),
            (Message::text("{\"type\":\"chat\",\"content\":\"too much\"}"), "unavailable"),
            (Message::binary(vec![0_u8; 3201]), "bad_input"),
            (Message::binary(vec![255_u8; 1]), "bad_input"),
            (Message::binary(vec![255_u8; 65_538]), "too_large"),
            (Message::text("x".repeat(100_000)), "bad_request"),
        ] {
            socket.send(message).await.unwrap();
            let answer = next(&mut socket).await;
            assert_eq!((&answer["type"], &answer["data"]["kind"]), (&json!("error"), &json!(kind)));
            assert!(answer["data"]["fix"].is_string());
        }
        send(&mut socket, json!({ "type": "chat", "content": "still there" })).await;
        assert_eq!(next(&mut socket).await["data"]["text"], "echo: still there");
        socket.send(Message::text("x".repeat(7_000_000))).await.unwrap();
        assert_eq!(closed(&mut socket).await, Some(CloseCode::Size));
    });
}

#[test]
fn sockets_of_other_pages_and_without_the_token_are_not_opened() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "a-token-of-enough-characters").unwrap();
    let server = Server::with(|settings, _| settings.token_file = file.path().display().to_string());
    let own = format!("http://{}", server.address);
    let bearer = ("authorization", "Bearer a-token-of-enough-characters");
    let offered = ("sec-websocket-protocol", "hark, hark.bearer.a-token-of-enough-characters");
    server.runtime.block_on(async {
        assert_eq!(open(&server, &[]).await.err(), Some(401));
        assert_eq!(open(&server, &[("origin", "http://evil.example"), bearer]).await.err(), Some(403));
        assert_eq!(open(&server, &[("origin", "null"), bearer]).await.err(), Some(403));
        assert_eq!(open(&server, &[("host", "evil.example"), bearer]).await.err(), Some(403));
        assert!(open(&server, &[("origin", &own), bearer]).await.is_ok());
        assert!(open(&server, &[("origin", &own), offered]).await.is_ok(), "as a browser does it");
    });
    let handshake = [
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        bearer,
    ];
    let old = [&handshake[..], &[("Sec-WebSocket-Version", "8")]].concat();
    let answer = ask(server.address, "GET", "/ws", &old, None);
    assert_eq!((answer.status, answer.headers["sec-websocket-version"].as_str()), (426, "13"));
    let keyless: Vec<_> = [&handshake[..2], &handshake[3..], &[("Sec-WebSocket-Version", "13")]].concat();
    assert_eq!(ask(server.address, "GET", "/ws", &keyless, None).status, 400);
}

/// A socket by hand, whose other end does as it likes.
fn by_hand(server: &Server) -> TcpStream {
    let mut stream = connect(server.address);
    let request = format!(
        "GET /ws HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        server.address
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    assert!(head.starts_with("http/1.1 101"), "{head}");
    assert!(head.contains("s3pplmbitxaq9kygzzhzrbk+xoo="), "the key of RFC 6455's own example: {head}");
    stream
}

#[test]
fn who_breaks_the_rules_of_the_wire_or_is_dead_is_let_go_of() {
    let server = Server::with(|_, limits| {
        limits.ping = Duration::from_millis(50);
        limits.idle = Duration::from_millis(200);
    });
    let silent = by_hand(&server);
    for wrong in [
        &[0x81, 0x02, b'h', b'i'][..],             // not masked
        &[0xf1, 0x80, 0, 0, 0, 0][..],             // reserved bits
        &[0x83, 0x80, 0, 0, 0, 0][..],             // no such opcode
        &[0x81, 0x82, 0, 0, 0, 0, 0xff, 0xff][..], // not UTF-8
        &[0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0][..], // as long as can be told
        &[0x89, 0xfe, 0x01, 0x00, 0, 0, 0, 0][..], // a ping that is too long
    ] {
        let mut stream = by_hand(&server);
        stream.write_all(wrong).unwrap();
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
    }
    // Pings are never answered.
    let mut rest = Vec::new();
    let mut silent = silent;
    let _ = silent.read_to_end(&mut rest);
    assert!(rest.windows(2).any(|two| two == [0x89, 0x00]), "it was asked for a sign of life");
    wait_for_no_readers(&server);
}

/// Until nobody reads events any more: the sockets are gone.
fn wait_for_no_readers(server: &Server) {
    for _ in 0..6000 {
        if server.fake.events.receiver_count() == 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("a socket stays");
}

#[test]
fn a_client_that_does_not_read_is_let_go_of_and_holds_nobody_up() {
    let server = Server::with(|_, limits| {
        limits.write = Duration::from_millis(300);
        limits.events_per_second = 1_000_000;
    });
    let deaf = by_hand(&server);
    let text = "x".repeat(100_000);
    let mut sent = 0;
    while server.fake.events.receiver_count() > 0 {
        server.fake.publish(None, None, PublicEvent::Partial { text: text.clone(), stable: 0 });
        std::thread::sleep(Duration::from_millis(1));
        sent += 1;
        assert!(sent < 60_000, "it is still there");
    }
    drop(deaf);
    server.runtime.block_on(async {
        let mut socket = open(&server, &[]).await.unwrap();
        send(&mut socket, json!({ "type": "chat", "content": "hello" })).await;
        assert_eq!(next(&mut socket).await["data"]["text"], "echo: hello");
    });
}

#[test]
fn events_beyond_the_pace_are_left_out_and_told_and_own_answers_are_not() {
    let server = Server::with(|_, limits| {
        limits.events_per_second = 5;
        limits.ping = Duration::from_millis(100);
    });
    server.runtime.block_on(async {
        let mut socket = open(&server, &[]).await.unwrap();
        for _ in 0..500 {
            server.fake.publish(None, None, PublicEvent::State { state: HarkState::Idle });
        }
        send(&mut socket, json!({ "type": "chat", "content": "hello" })).await;
        let (mut events, mut left_out, mut answers) = (0, 0, Vec::new());
        while events + left_out < 503 || answers.len() < 2 {
            let message = tokio::time::timeout(Duration::from_secs(60), socket.next()).await.expect("more");
            let Message::Text(text) = message.unwrap().unwrap() else { continue };
            let message: Value = serde_json::from_str(&text).unwrap();
            match message["type"].as_str().unwrap() {
                "event" => events += 1,
                "error" => {
                    assert_eq!(message["data"]["kind"], "events_left_out");
                    left_out += message["data"]["count"].as_u64().unwrap();
                }
                other => answers.push(other.to_owned()),
            }
        }
        assert_eq!(events + left_out, 503, "each is either sent or told of");
        assert!(left_out > 400, "{left_out}");
        assert_eq!(answers, ["content", "complete"]);
    });
}

#[test]
fn sockets_leave_places_for_requests_and_end_with_a_farewell() {
    let server = Server::with(|settings, _| settings.max_connections = 8);
    server.runtime.block_on(async {
        let mut sockets = Vec::new();
        for _ in 0..6 {
            sockets.push(open(&server, &[]).await.unwrap());
        }
        assert_eq!(open(&server, &[]).await.err(), Some(503));
        server.dashboard.shutdown().await;
        for mut socket in sockets {
            assert_eq!(closed(&mut socket).await, Some(CloseCode::Away));
        }
    });
    assert!(TcpStream::connect(server.address).is_err(), "the port is free again");
}
