//! Dangerous acts over the WebSocket: a yes, a no, a PIN, nobody's answer and somebody else's, of requests and of plans.

use crate::scenarios::daemon_api::{Socket, answered, get, start};
use crate::support::Hark;
use crate::support::model_server::{ModelServer, Script};
use futures_util::SinkExt;
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio_tungstenite::tungstenite::Message;

const PIN: &str = "4217";

fn front_door(address: SocketAddr) -> String {
    let entities = get(address, "/api/v1/entities?domain=lock");
    let front = entities["entities"].as_array().unwrap().iter().find(|it| it["name"] == "Front door");
    front.unwrap()["state"].as_str().unwrap().to_owned()
}

/// One person at a dashboard.
struct Person {
    socket: Socket,
    session: &'static str,
}

impl Person {
    async fn at(address: SocketAddr, session: &'static str) -> Self {
        let (socket, _) = tokio_tungstenite::connect_async(format!("ws://{address}/ws")).await.unwrap();
        Self { socket, session }
    }

    /// The outcome of the next turn of this conversation, and what was told in it.
    async fn hears(&mut self) -> (String, String) {
        let answers = answered(&mut self.socket).await;
        let words = answers.iter().filter(|it| it["type"] == "content");
        let words = words.filter_map(|it| it["data"]["text"].as_str()).collect();
        (answers.last().unwrap()["data"]["outcome"].as_str().unwrap().to_owned(), words)
    }

    async fn sends(&mut self, message: Value) -> (String, String) {
        self.socket.send(Message::text(message.to_string())).await.unwrap();
        self.hears().await
    }

    async fn says(&mut self, words: &str) -> (String, String) {
        self.sends(json!({"type": "chat", "content": words, "session_id": self.session})).await
    }

    /// Presses `approve` or `deny`.
    async fn presses(&mut self, button: &str) -> (String, String) {
        self.sends(json!({"type": button, "session_id": self.session})).await
    }
}

fn block_on(work: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work);
}

#[test]
fn a_pin_given_over_the_websocket_opens_the_door_of_its_own_conversation() {
    let hark = Hark::new();
    let file = hark.path("pin");
    std::fs::write(&file, PIN).unwrap();
    let file = format!("permissions.pin_file={}", file.display());
    let (_daemon, address) = start(&hark, &["permissions.pin=[\"unlock\"]", &file]);
    block_on(async {
        let (mut mine, mut other) = (Person::at(address, "mine").await, Person::at(address, "other").await);
        let (outcome, asked) = mine.says("unlock the front door").await;
        assert_eq!(
            (outcome.as_str(), asked.as_str()),
            ("awaiting_approval", "What is the PIN to unlock the front door?")
        );
        assert_eq!(other.says(PIN).await.0, "not_understood");
        assert_eq!(mine.presses("approve").await.0, "awaiting_approval", "a button is no PIN");
        assert_eq!(mine.says("1111").await.1, "That is not the PIN. Try again?");
        assert_eq!(front_door(address), "locked");
        assert_eq!(mine.says(PIN).await.0, "done");
        assert_eq!(front_door(address), "unlocked");
        assert_eq!(mine.says("lock the front door").await.0, "done");

        assert_eq!(mine.says("unlock the front door").await.0, "awaiting_approval");
        assert_eq!(mine.presses("deny").await.0, "done");
        assert_eq!(mine.says(PIN).await.0, "not_understood", "nothing waits any more");

        assert_eq!(mine.says("unlock the front door").await.0, "awaiting_approval");
        for wrong in ["1111", "2222"] {
            assert_eq!(mine.says(wrong).await.0, "awaiting_approval");
        }
        let (outcome, told) = mine.says("3333").await;
        assert!(outcome == "failed" && told.starts_with("Too many wrong PINs"), "{outcome}: {told}");
        assert_eq!(mine.says("unlock the front door").await.0, "awaiting_approval");
        assert_eq!(mine.says(PIN).await.0, "failed", "the right one does not help now");
        assert_eq!(front_door(address), "locked");
    });
}

#[test]
fn a_plan_waits_for_a_yes_of_its_own_conversation_and_goes_no_further_without() {
    let step = |id: &str, tool: &str, args: Value, needs: &[&str]| json!({"id": id, "description": id, "tool": tool, "args": args, "can_parallel": false, "depends_on": needs});
    let plan = json!({"summary": "Let the baker in", "steps": [
        step("a", "list.add", json!({"item": "saffron"}), &[]),
        step("b", "home.turn_off", json!({"name": "front door", "domain": "lock"}), &["a"]),
        step("c", "list.add", json!({"item": "cardamom"}), &["b"]),
    ]});
    let (hark, server) = (Hark::new(), ModelServer::start());
    let plan = plan.to_string();
    server.answer(move |request| {
        let plans = request.body.to_string().contains("depends_on");
        Script::say(if plans { &plan } else { "Well, well." })
    });
    let mut settings = server.settings("openai");
    let more = ["contracts.scoring=false", "permissions.approval_window_ms=5000", "route.max_tools=500"];
    settings.extend(more.map(String::from));
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let (_daemon, address) = start(&hark, &settings);
    block_on(async {
        let mut stranger = Person::at(address, "stranger").await;
        let mut owner = Person::at(address, "owner").await;
        for answer in ["approve", "yes", "deny", "no", "nothing"] {
            owner.says("lock the front door").await;
            owner.says("clear my shopping list").await;
            let words = "research three breads on the web and prepare my shopping for the week";
            let (outcome, asked) = owner.says(words).await;
            assert_eq!(outcome, "awaiting_approval", "{answer}: {asked}");
            assert!(asked.contains("Shall I unlock the front door?"), "{answer}: {asked}");
            stranger.says("yes").await;
            assert_eq!(front_door(address), "locked", "{answer}");
            let (outcome, told) = match answer {
                "approve" | "deny" => owner.presses(answer).await,
                "nothing" => owner.hears().await,
                words => owner.says(words).await,
            };
            let yes = matches!(answer, "approve" | "yes");
            let expected = if answer == "nothing" { "lapsed" } else { "done" };
            assert_eq!(outcome, expected, "{answer}: {told}");
            assert_eq!(front_door(address), if yes { "unlocked" } else { "locked" }, "{answer}: {told}");
            let list = owner.says("what's on my shopping list").await.1;
            assert_eq!(
                (list.contains("saffron"), list.contains("cardamom")),
                (true, yes),
                "{answer}: {list}"
            );
            // What was given up stays so.
            owner.says("yes").await;
            assert_eq!(front_door(address), if yes { "unlocked" } else { "locked" }, "{answer}");
        }
    });
}
