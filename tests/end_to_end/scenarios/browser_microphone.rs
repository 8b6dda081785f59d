//! Somebody speaks into a browser: frames of sound on the WebSocket, at the pace of a microphone.

use crate::scenarios::daemon_api::{Socket, get, start};
use crate::support::{Hark, flite, wait_for};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Message;

/// Samples of a frame: 40 ms.
const FRAME: usize = 640;

/// A voice saying something, then `silence_ms` of nothing: bytes as a browser sends them.
pub(crate) fn speech(hark: &Hark, voice: &str, words: &str, silence_ms: usize) -> Vec<u8> {
    let path = hark.path(&format!("{}.wav", words.replace(' ', "-")));
    flite(voice, words, &path);
    let mut reader = hound::WavReader::open(path).unwrap();
    assert_eq!((reader.spec().sample_rate, reader.spec().channels), (16_000, 1));
    let samples = reader.samples::<i16>().map(Result::unwrap);
    samples.chain(vec![0; silence_ms * 16]).flat_map(i16::to_le_bytes).collect()
}

/// A browser.
pub(crate) struct Browser {
    out: SplitSink<Socket, Message>,
    got: SplitStream<Socket>,
}

impl Browser {
    pub(crate) async fn open(address: SocketAddr) -> Self {
        let (socket, _) = tokio_tungstenite::connect_async(format!("ws://{address}/ws")).await.unwrap();
        let (out, got) = socket.split();
        Self { out, got }
    }

    /// Sends sound as it would be spoken, and reads meanwhile and afterwards until the turn is closed.
    pub(crate) async fn speak(&mut self, sound: &[u8]) -> Vec<Value> {
        let (out, got) = (&mut self.out, &mut self.got);
        let sending = async {
            let mut due = Instant::now();
            for frame in sound.chunks(2 * FRAME) {
                out.send(Message::binary(frame.to_vec())).await.unwrap();
                due += Duration::from_millis(40);
                tokio::time::sleep_until(due).await;
            }
        };
        let (_, told) = tokio::join!(sending, until_complete(got));
        told
    }
}

/// Everything that comes until a turn of this socket's conversations is closed.
async fn until_complete(got: &mut SplitStream<Socket>) -> Vec<Value> {
    let mut told: Vec<Value> = Vec::new();
    while told.last().is_none_or(|last| last["type"] != "complete") {
        let message = tokio::time::timeout(Duration::from_secs(120), got.next()).await.expect("an answer");
        if let Message::Text(text) = message.expect("it is open").unwrap() {
            told.push(serde_json::from_str(&text).unwrap());
        }
    }
    told
}

/// Events of one name in the turn that was closed last.
fn events<'a>(told: &'a [Value], name: &str) -> Vec<&'a Value> {
    let turn = &told.last().unwrap()["data"]["turn"];
    let of_turn = |it: &&Value| it["type"] == "event" && it["data"]["turn"] == *turn;
    let data = told.iter().filter(of_turn).map(|it| &it["data"]);
    data.filter(|event| event["event"] == name).collect()
}

/// Says these words into a browser; the turn it was.
pub(crate) fn say_into_browser(hark: &Hark, address: SocketAddr, words: &str) -> String {
    let sound = speech(hark, "slt", words, 1000);
    let told = runtime().block_on(async { Browser::open(address).await.speak(&sound).await });
    told.last().unwrap()["data"]["turn"].as_str().unwrap().to_owned()
}

fn outcome(told: &[Value]) -> &str {
    told.last().unwrap()["data"]["outcome"].as_str().unwrap()
}

fn state(address: SocketAddr, name: &str) -> String {
    let entities = get(address, "/api/v1/entities");
    let found = entities["entities"].as_array().unwrap().iter().find(|it| it["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {entities}"))["state"].as_str().unwrap().to_owned()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

#[test]
fn what_is_said_into_a_browser_is_done_and_answered_there() {
    let hark = Hark::new();
    let (daemon, address) = start(&hark, &[]);
    let sound = speech(&hark, "slt", "turn on the kitchen ceiling", 1000);
    runtime().block_on(async {
        let mut browser = Browser::open(address).await;
        let told = browser.speak(&sound).await;
        assert_eq!(outcome(&told), "done", "{told:#?}");
        let session = told.last().unwrap()["data"]["session_id"].as_str().unwrap();
        assert!(session.starts_with("ws-"), "nobody has chatted, so that it is the socket's own: {session}");
        for name in ["speech_started", "speech_ended", "transcript", "intent", "action", "reply", "turn"] {
            assert_eq!(events(&told, name).len(), 1, "one {name}: {told:#?}");
        }
        let partials = events(&told, "partial");
        assert!(!partials.is_empty(), "words on the way");
        assert!(partials.iter().all(|it| it["stable"].is_u64()));
        let transcript = events(&told, "transcript")[0];
        assert_eq!(transcript["text"], "turn on the kitchen ceiling");
        assert_ne!(transcript["engine"], "typed");
        assert!(transcript["confidence"].as_f64().unwrap() > 0.0);
        let receipt = &events(&told, "action")[0]["receipt"];
        assert_eq!((&receipt["ok"], &receipt["changed"]), (&json!(true), &json!(true)));
        let content = told.iter().find(|it| it["type"] == "content").expect("the answer");
        assert_eq!(content["data"]["session_id"], session);
        assert_eq!(content["data"]["text"], events(&told, "reply")[0]["text"]);
        let timings = &told.last().unwrap()["data"]["timings_ms"];
        assert!(timings["speech_end_to_transcript"].is_f64(), "{timings}");
        assert_eq!(state(address, "Kitchen ceiling"), "on");
    });
    assert!(daemon.terminate().success());
}

#[test]
fn a_question_is_answered_by_voice_in_its_conversation_only() {
    let hark = Hark::new();
    let (_daemon, address) = start(&hark, &["permissions.approval_window_ms=300000"]);
    let unlock = speech(&hark, "slt", "unlock the front door", 800);
    let yes = speech(&hark, "slt", "yes", 800);
    runtime().block_on(async {
        let (mut mine, mut other) = (Browser::open(address).await, Browser::open(address).await);
        let chat = json!({ "type": "chat", "content": "how are you", "session_id": "desk" });
        mine.out.send(Message::text(chat.to_string())).await.unwrap();
        until_complete(&mut mine.got).await;
        let asked = mine.speak(&unlock).await;
        assert_eq!(outcome(&asked), "awaiting_approval", "{asked:#?}");
        assert_eq!(asked.last().unwrap()["data"]["session_id"], "desk", "that of the last chat");
        assert_eq!(state(address, "Front door"), "locked");
        let stranger = other.speak(&yes).await;
        assert!(events(&stranger, "action").is_empty(), "nobody asked them: {stranger:#?}");
        assert_eq!(state(address, "Front door"), "locked");
        let answered = mine.speak(&yes).await;
        assert_eq!(outcome(&answered), "done", "{answered:#?}");
        assert_eq!(state(address, "Front door"), "unlocked");
    });
}

#[test]
fn two_at_once_get_each_their_own_answer() {
    let hark = Hark::new();
    let (_daemon, address) = start(&hark, &[]);
    let (kitchen, bedroom) = (
        speech(&hark, "slt", "turn on the kitchen ceiling", 1000),
        speech(&hark, "rms", "what time is it", 1500),
    );
    runtime().block_on(async {
        let (mut one, mut two) = (Browser::open(address).await, Browser::open(address).await);
        let (first, second) = tokio::join!(one.speak(&kitchen), two.speak(&bedroom));
        for (told, expected) in [(&first, "HassTurnOn"), (&second, "HassGetCurrentTime")] {
            assert_eq!(outcome(told), "done", "{told:#?}");
            assert_eq!(events(told, "intent")[0]["name"], expected, "{told:#?}");
            let answers: Vec<&Value> = told.iter().filter(|it| it["type"] == "content").collect();
            assert_eq!(answers.len(), 1, "nothing of the other's: {told:#?}");
            assert_eq!(answers[0]["data"]["turn"], told.last().unwrap()["data"]["turn"]);
        }
        let id = |told: &[Value]| told.last().unwrap()["data"]["session_id"].as_str().unwrap().to_owned();
        assert_ne!(id(&first), id(&second));
    });
}

#[test]
fn silence_and_what_is_not_for_the_house_do_nothing() {
    let hark = Hark::new();
    let (_daemon, address) = start(&hark, &["endpoint.nothing_said_ms=1500"]);
    let silence = vec![0; 2 * 16 * 2500];
    let talk = speech(
        &hark,
        "rms",
        "the committee published its annual report on maritime trade in the southern provinces",
        1500,
    );
    runtime().block_on(async {
        let mut browser = Browser::open(address).await;
        let told = browser.speak(&silence).await;
        assert_eq!(outcome(&told), "nothing_said");
        assert!(told.iter().all(|it| it["type"] != "content"), "{told:#?}");
        let told = browser.speak(&talk).await;
        assert_eq!(outcome(&told), "not_understood", "{told:#?}");
        assert!(events(&told, "action").is_empty());
        // An empty frame ends what is being said at once; a chat goes on as before.
        let chat = json!({ "type": "chat", "content": "what time is it" });
        browser.out.send(Message::binary(Vec::new())).await.unwrap();
        browser.out.send(Message::text(chat.to_string())).await.unwrap();
        while outcome(&until_complete(&mut browser.got).await) != "done" {}
    });
    // Kept a moment later, aside.
    let done = wait_for("what was typed", Duration::from_secs(60), || {
        let turns = get(address, "/api/v1/turns")["turns"].as_array().unwrap().clone();
        let done: Vec<Value> = turns.into_iter().filter(|turn| turn["outcome"] == "done").collect();
        (!done.is_empty()).then_some(done)
    });
    assert_eq!(done.len(), 1, "nothing else was done: {done:#?}");
}
