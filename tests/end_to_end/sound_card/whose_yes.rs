//! Whose yes it is: a question is asked by one channel and answered by every other one. Only the conversation that was
//! asked, or the operator, opens the door.

use crate::scenarios::browser_microphone::{Browser, speech};
use crate::scenarios::daemon_api::{Socket, answered, get, http_with};
use crate::sound_card::interrupting::Room;
use crate::support::{flite, free_port, text, wait_for};
use futures_util::SinkExt;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

/// By what somebody asks or answers, in which conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Channel {
    /// A chat on a WebSocket.
    WebSocket(&'static str),
    Http(Option<&'static str>),
    Mqtt,
    MqttSession(&'static str),
    /// The node's microphone.
    Voice,
    /// A microphone at a WebSocket, kept open.
    Browser,
}

use Channel::{Browser as BrowserMicrophone, Http, Mqtt, MqttSession, Voice, WebSocket};

/// Who asks for the door, one after the other.
const ASKING: [Channel; 6] =
    [WebSocket("desk"), Http(Some("phone")), Mqtt, MqttSession("hall"), Voice, BrowserMicrophone];
/// Who says yes besides.
const STRANGERS: [Channel; 4] = [WebSocket("sofa"), Http(Some("tablet")), Http(None), MqttSession("attic")];

struct House {
    room: Room,
    address: SocketAddr,
    runtime: Runtime,
    browser: Browser,
    /// Says "yes" into a browser.
    yes: Vec<u8>,
    listen: String,
}

impl House {
    fn new() -> Self {
        let address: SocketAddr = ([127, 0, 0, 1], free_port()).into();
        let listen = format!("dashboard.listen={address}");
        let room = Room::new(&[&listen, "permissions.approval_window_ms=300000"]);
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let browser = runtime.block_on(Browser::open(address));
        let yes = speech(&room.hark, "slt", "yes", 1500);
        Self { room, address, runtime, browser, yes, listen }
    }

    fn front_door(&self) -> String {
        let entities = get(self.address, "/api/v1/entities?domain=lock");
        let front = entities["entities"].as_array().unwrap().iter().find(|it| it["name"] == "Front door");
        front.unwrap()["state"].as_str().unwrap().to_owned()
    }

    /// Says something by a channel, and waits until its turn is closed; what came of it and what was answered.
    fn says(&mut self, by: Channel, words: &str) -> (String, String) {
        let turns = self.room.events("turn").len();
        let outcome = match by {
            WebSocket(session) => {
                return self.sends(json!({"type": "chat", "content": words, "session_id": session}), None);
            }
            Http(session) => return self.posts(words, session, ""),
            Mqtt => {
                self.room.broker.publish("hark/hark/ask", words);
                self.room.wait_for("turn", turns)
            }
            MqttSession(session) => {
                let words = json!({"text": words, "session": session}).to_string();
                self.room.broker.publish("hark/hark/ask", &words);
                self.room.wait_for("turn", turns)
            }
            Voice => {
                let wav = self.room.hark.path("said.wav");
                flite("slt", &format!("hey jarvis, {words}"), &wav);
                self.room.card.play_into_room(&wav);
                let mut ended = self.room.wait_for("turn", turns);
                // The wake word ends a turn that still listened for the answer; the words are those of the next one.
                let until = Instant::now() + Duration::from_secs(10);
                while ended["outcome"] == "nothing_said" && Instant::now() < until {
                    std::thread::sleep(Duration::from_millis(50));
                    ended = self.room.events("turn").last().unwrap().clone();
                }
                ended
            }
            BrowserMicrophone => {
                let sound = match words {
                    "yes" => self.yes.clone(),
                    words => speech(&self.room.hark, "slt", words, 1500),
                };
                let told = self.runtime.block_on(self.browser.speak(&sound));
                told.last().unwrap()["data"].clone()
            }
        };
        let turn = outcome["turn"].clone();
        self.is_told(&turn);
        let replies = self.room.events("reply");
        let reply = replies.iter().find(|reply| reply["turn"] == turn && reply["ends"] == true);
        let reply = reply.and_then(|reply| reply["text"].as_str()).unwrap_or_default().to_owned();
        (outcome["outcome"].as_str().unwrap().to_owned(), reply)
    }

    /// Waits until MQTT has told the end of a turn: else it could be taken for that of the next one.
    fn is_told(&self, turn: &Value) {
        wait_for("the end of the turn", Duration::from_secs(20), || {
            self.room.events("turn").iter().any(|event| event["turn"] == *turn).then_some(())
        });
    }

    /// One message on a WebSocket of its own.
    fn sends(&self, message: Value, token: Option<&str>) -> (String, String) {
        let answers = self.runtime.block_on(async {
            let mut socket = self.connect(token).await;
            socket.send(Message::text(message.to_string())).await.unwrap();
            answered(&mut socket).await
        });
        let reply = answers.iter().filter_map(|it| it["data"]["text"].as_str()).collect();
        let is_told = answers.iter().any(|it| it["type"] == "error");
        let ended = &answers.last().unwrap()["data"];
        self.is_told(&ended["turn"]);
        let outcome = ended["outcome"].as_str().unwrap();
        assert_eq!(is_told, outcome == "failed", "who may not is told by an error: {answers:#?}");
        (outcome.to_owned(), reply)
    }

    async fn connect(&self, token: Option<&str>) -> Socket {
        let mut request = format!("ws://{}/ws", self.address).into_client_request().unwrap();
        if let Some(token) = token {
            request.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        }
        tokio_tungstenite::connect_async(request).await.unwrap().0
    }

    fn posts(&self, words: &str, session: Option<&str>, headers: &str) -> (String, String) {
        let body = json!({"text": words, "session_id": session});
        let (status, answer) = http_with(self.address, "POST", "/api/v1/ask", Some(body), headers);
        assert_eq!(status, 200, "{answer}");
        self.is_told(&answer["turn"]);
        let word = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
        (word("outcome"), word("reply"))
    }

    /// Waits for the end of a turn after so many.
    fn settles(&self, turns: usize) {
        self.room.wait_for("turn", turns);
    }

    fn asks_for_the_door(&mut self, by: Channel) -> String {
        let (outcome, reply) = self.says(by, "unlock the front door");
        assert_eq!(
            (outcome.as_str(), self.front_door().as_str()),
            ("awaiting_approval", "locked"),
            "{by:?}: {reply}"
        );
        let asks = |action: &&Value| action["receipt"]["detail"]["error"] == "needs_approval";
        let actions = self.room.events("action");
        actions.iter().rev().find(asks).unwrap()["turn"].as_str().unwrap().to_owned()
    }

    fn locks_again(&mut self) {
        assert_eq!(self.says(Http(Some("keeper")), "lock the front door").0, "done");
        assert_eq!(self.front_door(), "locked");
    }
}

#[test]
fn no_channel_opens_the_door_that_another_one_was_asked_about() {
    let mut house = House::new();
    for asked in ASKING {
        let turn = house.asks_for_the_door(asked);
        for by in ASKING.into_iter().chain(STRANGERS).filter(|by| *by != asked) {
            let (outcome, reply) = house.says(by, "yes");
            assert_eq!(house.front_door(), "locked", "{by:?} for {asked:?}");
            // Sound may also be taken for nothing at all.
            if !matches!(by, Voice | BrowserMicrophone) {
                assert!(reply.contains("another conversation"), "{by:?} for {asked:?}: {reply}");
                assert_eq!(outcome, "failed", "{by:?} for {asked:?}");
            }
        }
        for button in [
            json!({"type": "approve"}),
            json!({"type": "approve", "session_id": "sofa"}),
            json!({"type": "approve", "turn": turn}),
            json!({"type": "approve", "turn": turn, "session_id": "sofa"}),
            json!({"type": "deny", "turn": turn}),
        ] {
            let (outcome, reply) = house.sends(button.clone(), None);
            assert_eq!(
                (outcome.as_str(), house.front_door().as_str()),
                ("failed", "locked"),
                "{button}: {reply}"
            );
            let (_, _) = house.sends(button.clone(), Some("a-token-that-nobody-gave"));
            assert_eq!(house.front_door(), "locked", "{button} with a token that is none");
        }
        let (outcome, reply) = house.says(asked, "yes");
        assert_eq!(
            (outcome.as_str(), house.front_door().as_str()),
            ("done", "unlocked"),
            "{asked:?}: {reply}"
        );
        house.locks_again();
    }
}

#[test]
fn the_operator_answers_for_every_channel() {
    let mut house = House::new();
    let token = std::fs::read_to_string(house.room.hark.path("operator-token")).unwrap();
    for (number, asked) in ASKING.into_iter().enumerate() {
        let turn = house.asks_for_the_door(asked);
        let turns = house.room.events("turn").len();
        let bearer = format!("Authorization: Bearer {token}\r\n");
        match number % 3 {
            0 => {
                let output = house.room.hark.run(&["approve", "--set", &house.listen]);
                assert!(output.status.success(), "{}", text(&output.stderr));
                assert!(text(&output.stdout).contains("nlocked"), "{}", text(&output.stdout));
            }
            1 => {
                let (outcome, reply) = house.posts("yes", None, &bearer);
                assert_eq!(outcome, "done", "{reply}");
            }
            _ => {
                let approve = json!({"type": "approve", "turn": turn}).to_string();
                house.runtime.block_on(async {
                    house.connect(Some(&token)).await.send(Message::text(approve)).await.unwrap();
                });
            }
        }
        wait_for("the door", Duration::from_secs(20), || (house.front_door() == "unlocked").then_some(()));
        house.settles(turns);
        house.locks_again();
    }
    // What is only typed at the daemon's machine is said in a conversation of its own.
    house.asks_for_the_door(Mqtt);
    for words in [&["ask", "yes"][..], &["ask", "--session", "desk", "yes"]] {
        let turns = house.room.events("turn").len();
        let told = text(&house.room.hark.run(words).stdout);
        house.settles(turns);
        assert_eq!(house.front_door(), "locked", "{words:?}: {told}");
        assert!(told.contains("another conversation"), "{words:?}: {told}");
    }
}
