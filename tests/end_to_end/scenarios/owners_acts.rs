//! What the owner does on the page, asked of a running daemon: names, conversations, nodes, a restart.

use crate::scenarios::daemon_api::{http_with, start};
use crate::support::{Hark, free_port, wait_for};
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

const HOME: &str = "# Ours.\n[[area]]\nid = \"kitchen\"\nname = \"Kitchen\"\n\n\
    [[entity]]\nid = \"light.beacon\"\nname = \"Beacon\" # bright\narea = \"kitchen\"\n";

#[test]
fn names_conversations_and_a_restart_are_asked_by_http() {
    let hark = Hark::new();
    let file = hark.path("home.toml");
    fs::write(&file, HOME).unwrap();
    let listen = format!("dashboard.listen=127.0.0.1:{}", free_port());
    let home = format!("home.file={}", file.display());
    let (daemon, address) = start(&hark, &[&listen, &home, "intent.learn=false"]);
    let token = fs::read_to_string(hark.path("operator-token")).unwrap();
    let operator = format!("Authorization: Bearer {}\r\n", token.trim());
    let call =
        |method: &str, path: &str, body: Option<Value>| http_with(address, method, path, body, &operator);
    let ask = |text: &str| call("POST", "/api/v1/ask", Some(json!({"text": text, "session_id": "desk"}))).1;

    // What was meant with a turn becomes an example of its words.
    let (_, odd) = call("POST", "/api/v1/ask", Some(json!({"text": "the crumbs are winning again"})));
    let turn = format!("/api/v1/turns/{}", odd["turn"].as_str().unwrap());
    // A turn is written down behind its answer.
    wait_for("the turn", Duration::from_secs(5), || (call("GET", &turn, None).0 == 200).then_some(()));
    let wrong = format!("{turn}/wrong");
    let (status, lesson) = call("POST", &wrong, Some(json!({"meant": "HassVacuumStart"})));
    assert_eq!((status, &lesson["meant"], &lesson["known"]), (200, &json!("HassVacuumStart"), &json!(false)));
    let examples = fs::read_to_string(hark.path("intent/examples/en/marked.yaml")).unwrap();
    assert!(examples.contains("crumbs are winning"), "{examples}");
    let (status, refused) = call("POST", &wrong, Some(json!({"meant": "HassVacumStart"})));
    assert_eq!((status, refused["error"]["kind"].as_str()), (422, Some("bad_input")), "{refused}");
    assert_eq!(call("POST", "/api/v1/turns/none/wrong", Some(json!({"meant": "none"}))).0, 404);

    let change = json!({"id": "light.beacon", "name": "Zeppelin", "aliases": ["airship"]});
    assert_eq!(call("PATCH", "/api/v1/names", Some(change)).0, 204);
    let written = fs::read_to_string(&file).unwrap();
    assert!(written.starts_with(&HOME.replace("\"Beacon\"", "\"Zeppelin\"")), "{written}");
    assert_eq!(ask("turn on the airship")["outcome"], "done");
    let (status, refused) = call("PATCH", "/api/v1/names", Some(json!({"id": "light.none", "name": "x"})));
    assert_eq!((status, refused["error"]["kind"].as_str()), (422, Some("bad_input")));

    // What was answered is written down behind it.
    wait_for("the conversation", Duration::from_secs(5), || {
        let listed = call("GET", "/api/v1/sessions", None).1;
        let first = &listed["sessions"][0];
        ((&first["name"], &first["requests"]) == (&json!("desk"), &json!(1))).then_some(())
    });
    let said = call("GET", "/api/v1/sessions/desk", None).1;
    assert_eq!(said["said"][0]["request"], "turn on the airship");
    assert_eq!(call("DELETE", "/api/v1/sessions/desk", None).0, 204);
    assert_eq!(call("GET", "/api/v1/sessions/desk", None).0, 404);
    assert_eq!(call("GET", "/api/v1/nodes", None), (200, json!({"nodes": []})), "there is no broker");

    let uptime = || -> Option<f64> {
        // Nobody is there for a moment.
        std::net::TcpStream::connect(address).ok()?;
        call("GET", "/api/v1/health", None).1["uptime_s"].as_f64()
    };
    // Longer than a start takes.
    let is_long = |uptime: &f64| *uptime > 2.0;
    let before = wait_for("two seconds", Duration::from_secs(30), || uptime().filter(is_long));
    assert_eq!(call("POST", "/api/v1/restart", None).0, 204);
    wait_for("another start", Duration::from_secs(30), || uptime().filter(|now| *now < before));
    assert!(daemon.terminate().success());
}
