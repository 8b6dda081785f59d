//! Programs ask a running daemon: by HTTP, and by a hundred WebSockets at once.

use crate::support::{Hark, Running, wait_for};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio_tungstenite::tungstenite::Message;

/// A daemon without sound, and where it is reached.
pub(crate) fn start(hark: &Hark, settings: &[&str]) -> (Running, SocketAddr) {
    let mut command = hark.command(&["run"]);
    // Tests ask again and again until something is there.
    let own = ["audio.input_device=none", "audio.output_device=none", "dashboard.requests_per_minute=60000"];
    for setting in [&own, settings].concat() {
        command.args(["--set", setting]);
    }
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let running = Running(child);
    let address = said.by_ref().find_map(|line| {
        let address = line.split("programs reach it at http://").nth(1)?;
        Some(address.trim_end_matches("/api/v1").parse().unwrap())
    });
    // So that it never waits for somebody to read what it says.
    std::thread::spawn(move || said.for_each(drop));
    (running, address.expect("where it is reached"))
}

/// Sends one request; its status and its JSON.
fn http(address: SocketAddr, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
    http_with(address, method, path, body, "")
}

/// The same with more header lines.
pub(crate) fn http_with(
    address: SocketAddr,
    method: &str,
    path: &str,
    body: Option<Value>,
    headers: &str,
) -> (u16, Value) {
    let (status, _, body) = exchange(address, method, path, body, headers);
    let body = String::from_utf8(body).unwrap();
    (status, serde_json::from_str(&body).unwrap_or(Value::String(body)))
}

/// Gets what need not be text: status, type and bytes.
pub(crate) fn get_bytes(address: SocketAddr, path: &str) -> (u16, String, Vec<u8>) {
    exchange(address, "GET", path, None, "")
}

fn exchange(
    address: SocketAddr,
    method: &str,
    path: &str,
    body: Option<Value>,
    headers: &str,
) -> (u16, String, Vec<u8>) {
    try_exchange(address, method, path, body, headers).unwrap()
}

/// Whether a question was answered, by a daemon that may be killed meanwhile.
pub(crate) fn is_answered(address: SocketAddr, text: &str) -> bool {
    let body = json!({ "text": text });
    matches!(try_exchange(address, "POST", "/api/v1/ask", Some(body), ""), Ok((200, _, body)) if body.ends_with(b"}"))
}

fn try_exchange(
    address: SocketAddr,
    method: &str,
    path: &str,
    body: Option<Value>,
    headers: &str,
) -> std::io::Result<(u16, String, Vec<u8>)> {
    let body = body.map(|body| body.to_string());
    let mut request =
        format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}");
    if let Some(body) = &body {
        request += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    }
    request += "\r\n";
    request += body.as_deref().unwrap_or_default();
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(120)))?;
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let whole = answer.windows(4).position(|it| it == b"\r\n\r\n");
    let end = whole.ok_or(std::io::ErrorKind::UnexpectedEof)?;
    let head = String::from_utf8(answer[..end].to_vec()).unwrap().to_lowercase();
    let kind =
        head.lines().find_map(|line| line.strip_prefix("content-type: ")).unwrap_or_default().to_owned();
    Ok((head.split(' ').nth(1).unwrap().parse().unwrap(), kind, answer.split_off(end + 4)))
}

pub(crate) fn get(address: SocketAddr, path: &str) -> Value {
    let (status, answer) = http(address, "GET", path, None);
    assert_eq!(status, 200, "{path}: {answer}");
    answer
}

fn ask(address: SocketAddr, request: Value) -> Value {
    let (status, answer) = http(address, "POST", "/api/v1/ask", Some(request));
    assert_eq!(status, 200, "{answer}");
    answer
}

#[test]
fn programs_see_and_ask_and_take_away() {
    let hark = Hark::new();
    let (daemon, address) = start(&hark, &[]);
    let health = get(address, "/api/v1/health");
    assert_eq!((&health["ok"], &health["state"]), (&json!(true), &json!("idle")));
    assert_eq!(health["parts"][0], json!({ "name": "microphone", "state": "off" }));

    let answer = ask(address, json!({ "text": "turn on the kitchen ceiling", "session_id": "desk" }));
    assert_eq!((&answer["outcome"], &answer["intents"]), (&json!("done"), &json!(["HassTurnOn"])));
    assert_eq!(answer["session"], "desk");
    let entities = get(address, "/api/v1/entities?domain=light&area=kitchen");
    let ceiling = entities["entities"].as_array().unwrap().iter().find(|it| it["name"] == "Kitchen ceiling");
    assert_eq!(ceiling.unwrap()["state"], "on");
    let dry = ask(address, json!({ "text": "turn off the kitchen ceiling", "dry_run": true }));
    assert_eq!(dry["outcome"], "dry_run");

    // Kept a moment later, aside.
    let kept = wait_for("both turns", Duration::from_secs(30), || {
        let turns = get(address, "/api/v1/turns")["turns"].clone();
        (turns.as_array().unwrap().len() == 2).then_some(turns)
    });
    assert_eq!(kept[1]["session"], "desk", "its own conversation, not that of the voice");
    assert_eq!(kept[1]["turn"], answer["turn"]);
    let whole = get(address, &format!("/api/v1/turns/{}", answer["turn"].as_str().unwrap()));
    assert_eq!(whole["events"], answer["events"]);
    let path = format!("/api/v1/turns/{}/audio", answer["turn"].as_str().unwrap());
    assert_eq!(http(address, "GET", &path, None).1["error"]["kind"], "not_recorded");
    let older = get(address, &format!("/api/v1/turns?before={}", kept[0]["turn"].as_str().unwrap()));
    assert_eq!(older["turns"][0]["turn"], answer["turn"]);

    ask(address, json!({ "text": "set a pizza timer for ten minutes" }));
    let timers = get(address, "/api/v1/timers");
    assert_eq!(timers["timers"][0]["name"], "pizza");
    let path = format!("/api/v1/timers/{}", timers["timers"][0]["id"].as_str().unwrap());
    assert_eq!(http(address, "DELETE", &path, None).0, 200);
    assert_eq!(http(address, "DELETE", &path, None).0, 404);
    assert_eq!(get(address, "/api/v1/timers")["timers"], json!([]));

    ask(address, json!({ "text": "remember that the key is under the mat" }));
    let facts = get(address, "/api/v1/memory");
    assert_eq!(facts["facts"][0]["text"], "the key is under the mat");
    let path = format!("/api/v1/memory/{}", facts["facts"][0]["id"]);
    assert_eq!(http(address, "DELETE", &path, None).0, 204);
    assert_eq!(get(address, "/api/v1/memory")["facts"], json!([]));

    let config = get(address, "/api/v1/config");
    assert_eq!(config["config"]["mqtt"]["broker"], "none");
    assert_eq!(config["config"]["vad"]["threshold_off"], 0.35);
    let (status, said) = http(address, "POST", "/api/v1/say", Some(json!({ "text": "dinner" })));
    assert_eq!((status, said), (200, json!({ "spoken": false })), "there is no speaker");
    let metrics = get(address, "/api/v1/metrics");
    let counted = "hark_turns_total{route=\"template\",outcome=\"done\"} 3";
    assert!(metrics.as_str().unwrap().lines().any(|line| line == counted), "{metrics}");
    assert!(daemon.terminate().success());
}

pub(crate) type Socket =
    tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>>;

/// What comes until the turn is closed: everything but public events, and what is said of those left out.
pub(crate) async fn answered(socket: &mut Socket) -> Vec<Value> {
    let mut answers = Vec::new();
    loop {
        let message = tokio::time::timeout(Duration::from_secs(120), socket.next()).await.expect("an answer");
        let Message::Text(text) = message.expect("it is open").unwrap() else { continue };
        let message: Value = serde_json::from_str(&text).unwrap();
        if message["type"] == "event" || message["data"]["kind"] == "events_left_out" {
            continue;
        }
        let is_last = message["type"] == "complete";
        answers.push(message);
        if is_last {
            return answers;
        }
    }
}

async fn chat(socket: &mut Socket, session: &str, content: String) -> Vec<Value> {
    chat_with(socket, json!({ "content": content, "session_id": session })).await
}

/// The same with these fields.
pub(crate) async fn chat_with(socket: &mut Socket, mut message: Value) -> Vec<Value> {
    message["type"] = "chat".into();
    socket.send(Message::text(message.to_string())).await.unwrap();
    answered(socket).await
}

#[test]
fn a_hundred_conversations_get_each_its_own_answers() {
    const CONVERSATIONS: usize = 100;
    let hark = Hark::new();
    let (daemon, address) = start(&hark, &[]);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let turns = runtime.block_on(async {
        let mut open = Vec::new();
        for _ in 0..CONVERSATIONS {
            open.push(tokio_tungstenite::connect_async(format!("ws://{address}/ws")).await.unwrap().0);
        }
        // All at once, each in its own conversation.
        let talks = open.into_iter().enumerate().map(|(number, mut socket)| {
            tokio::spawn(async move {
                let session = format!("conversation {number}");
                let mut turns = Vec::new();
                for (content, expected) in [
                    (format!("/remind 30m feed cat {number}"), format!(": feed cat {number}.")),
                    (format!("/remind 45m walk dog {number}"), format!(": walk dog {number}.")),
                ] {
                    let answers = chat(&mut socket, &session, content).await;
                    let kinds: Vec<&str> = answers.iter().map(|it| it["type"].as_str().unwrap()).collect();
                    assert_eq!(kinds, ["content", "complete"], "{session}: {answers:?}");
                    let text = answers[0]["data"]["text"].as_str().unwrap();
                    assert!(text.ends_with(&expected), "{session} was told: {text}");
                    assert!(answers.iter().all(|it| it["data"]["session_id"] == session.as_str()));
                    assert_eq!(answers[0]["data"]["turn"], answers[1]["data"]["turn"]);
                    assert_eq!(answers[1]["data"]["outcome"], "done");
                    turns.push(answers[1]["data"]["turn"].as_str().unwrap().to_owned());
                }
                turns
            })
        });
        let mut turns = BTreeSet::new();
        for talk in talks.collect::<Vec<_>>() {
            turns.extend(talk.await.unwrap());
        }
        turns
    });
    assert_eq!(turns.len(), 2 * CONVERSATIONS, "no turn was told to two");
    let timers = get(address, "/api/v1/timers");
    assert_eq!(timers["timers"].as_array().unwrap().len(), 2 * CONVERSATIONS);
    assert!(daemon.terminate().success());
}

#[test]
fn a_dangerous_act_is_approved_by_a_button_that_answers_its_question_only() {
    let hark = Hark::new();
    let (_daemon, address) = start(&hark, &[]);
    let lock = || {
        let entities = get(address, "/api/v1/entities?domain=lock");
        let front = entities["entities"].as_array().unwrap().iter().find(|it| it["name"] == "Front door");
        front.unwrap()["state"].as_str().unwrap().to_owned()
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let connect =
            async || tokio_tungstenite::connect_async(format!("ws://{address}/ws")).await.unwrap().0;
        let (mut mine, mut other) = (connect().await, connect().await);
        let asked = chat(&mut mine, "mine", "unlock the front door".into()).await;
        assert_eq!(asked.last().unwrap()["data"]["outcome"], "awaiting_approval");
        let approve = |session: &str, turn: Option<&str>| {
            let order = json!({ "type": "approve", "session_id": session, "turn": turn });
            Message::text(order.to_string())
        };
        other.send(approve("other", Some("another-1"))).await.unwrap();
        assert_eq!(answered(&mut other).await.last().unwrap()["data"]["outcome"], "not_understood");
        mine.send(approve("mine", Some("another-1"))).await.unwrap();
        assert_eq!(answered(&mut mine).await.last().unwrap()["data"]["outcome"], "not_understood");
        assert_eq!(lock(), "locked", "a yes to another question is none to this one");
        mine.send(approve("mine", None)).await.unwrap();
        assert_eq!(answered(&mut mine).await.last().unwrap()["data"]["outcome"], "done");
        assert_eq!(lock(), "unlocked");
    });
}

#[test]
fn a_second_daemon_goes_on_without_the_port_and_takes_it_when_it_is_free() {
    let (first_home, second_home) = (Hark::new(), Hark::new());
    // Below the ports the system gives away: while it is free, no other program is given it.
    let first_tried = 20_000 + u16::try_from(std::process::id() % 10_000).unwrap();
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let port = (first_tried..first_tried + 1_000).find(is_free).expect("a free port");
    let listen = format!("dashboard.listen=127.0.0.1:{port}");
    let (first, address) = start(&first_home, &[&listen]);
    let mut command = second_home.command(&["run", "--json", "--set", &listen]);
    for setting in ["audio.input_device=none", "audio.output_device=none"] {
        command.args(["--set", setting]);
    }
    // What is said last counts.
    command.args(["--set", &listen]);
    let mut second = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let events = BufReader::new(second.stdout.take().unwrap()).lines().map_while(Result::ok);
    let second = Running(second);
    let mut events = events.map(|line| serde_json::from_str::<Value>(&line).unwrap());
    let fault = events.find(|event| event["event"] == "error" && event["part"] == "dashboard").unwrap();
    assert_eq!(fault["recoverable"], true);
    std::thread::spawn(move || events.for_each(drop));
    assert!(first.terminate().success());
    wait_for("the second daemon", Duration::from_secs(60), || TcpStream::connect(address).ok());
    let health = get(address, "/api/v1/health");
    assert_eq!(health["faults"][0]["part"], "dashboard", "{health}");
    assert!(second.terminate().success());
}

/// The answer to a question nobody knows, in a mode; the outcome is that of the turn.
async fn wonders(socket: &mut Socket, session: &str, mode: Option<&str>) -> String {
    let mut message = json!({ "content": "who painted the ceiling?", "session_id": session });
    if let Some(mode) = mode {
        message["mode"] = mode.into();
    }
    let answers = chat_with(socket, message).await;
    answers[0]["data"]["text"].as_str().unwrap().to_owned()
}

#[test]
fn whoever_is_at_work_gets_the_answer_and_nothing_else_also_after_a_restart() {
    const BARE: &str = "I don't know.";
    let hark = Hark::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let open = async |address: SocketAddr| {
        tokio_tungstenite::connect_async(format!("ws://{address}/ws")).await.unwrap().0
    };
    let (daemon, address) = start(&hark, &[]);
    runtime.block_on(async {
        let mut socket = open(address).await;
        let usual = wonders(&mut socket, "desk", None).await;
        assert!(usual.starts_with(BARE) && usual.len() > BARE.len(), "with a hint: {usual}");
        assert_eq!(wonders(&mut socket, "desk", Some("focus")).await, BARE);
        // Not before: who joins a conversation may be told its last answer once more, if slow to hear of it.
        let mut other = open(address).await;
        assert_eq!(wonders(&mut other, "desk", None).await, BARE, "it is the conversation's");
        assert_eq!(wonders(&mut other, "sofa", None).await, usual);
    });
    assert!(daemon.terminate().success());
    let (daemon, address) = start(&hark, &[]);
    runtime.block_on(async {
        let mut socket = open(address).await;
        assert_eq!(wonders(&mut socket, "desk", None).await, BARE);
        assert_ne!(wonders(&mut socket, "desk", Some("chat")).await, BARE);
    });
    assert!(daemon.terminate().success());
    let journal = std::fs::read_dir(hark.path("journal")).unwrap().flatten();
    let lines: String = journal.map(|file| std::fs::read_to_string(file.path()).unwrap()).collect();
    let mut modes: Vec<(String, String)> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["session"] == "desk")
        .map(|line| (line["time"].as_str().unwrap().to_owned(), line["mode"].as_str().unwrap().to_owned()))
        .collect();
    // Lines are written aside, in any order.
    modes.sort();
    let modes: Vec<&str> = modes.iter().map(|(_, mode)| mode.as_str()).collect();
    assert_eq!(modes, ["chat", "focus", "focus", "focus", "chat"]);
}

/// 320 clients that begin to say something and do not go on keep nobody waiting.
#[test]
fn slow_clients_lock_nobody_out() {
    let hark = Hark::new();
    let (daemon, address) = start(&hark, &[]);
    let post = format!("POST /api/v1/say HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n");
    let slow = [
        "GET /api/v1/health HTTP/1.1\r\nHost: loc".to_owned(),
        format!("GET /api/v1/health HTTP/1.1\r\nHost: {address}\r\n\r\n"),
        format!("GET /ws HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgr"),
        format!("{post}Content-Length: 40\r\n\r\n{{\"te"),
    ];
    let mut held = Vec::new();
    for number in 0..320 {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(slow[number % slow.len()].as_bytes()).unwrap();
        held.push(stream);
        if number % 40 == 39 {
            let asked = Instant::now();
            assert_eq!(get(address, "/api/v1/health")["ok"], true);
            println!("answered after {:?} beside {} slow clients", asked.elapsed(), held.len());
        }
    }
    let asked = Instant::now();
    let answer = ask(address, json!({ "text": "what time is it" }));
    println!("a request was answered after {:?}", asked.elapsed());
    assert_eq!(answer["outcome"], "done", "{answer}");
    assert!(daemon.terminate().success());
}
