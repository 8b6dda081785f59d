//! Servers that behave and servers that do not, as programs of their own: what they cannot do to Hark.
#![allow(clippy::unwrap_used, reason = "tests")]

use hark_config::mcp::{McpConfig, McpServer};
use hark_core::Slots;
use hark_core::external_tools::{ExternalTools, cleaned};
use hark_core::inspection::{ServerCondition, ServerState};
use hark_core::tool::error_code;
use hark_mcp::Servers;
use serde_json::json;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

/// A server that behaves as `mode` says.
fn scripted(mode: &str) -> McpServer {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scripted_server.py");
    McpServer {
        command: "python3".into(),
        args: vec![script.into(), mode.into()],
        start_timeout_ms: 3_000,
        ..McpServer::default()
    }
}

fn start(servers: &[(&str, McpServer)]) -> Servers {
    let servers = servers.iter().map(|(name, server)| ((*name).to_owned(), server.clone())).collect();
    Servers::start(&McpConfig { servers, ..McpConfig::default() }, &Handle::current())
}

fn args(value: serde_json::Value) -> Slots {
    value.as_object().cloned().unwrap()
}

/// Waits until a server is as it should be.
async fn until(servers: &Servers, is_so: impl Fn(&ServerState) -> bool) -> ServerState {
    let waited = timeout(Duration::from_secs(30), async {
        loop {
            if let Some(state) = servers.states().into_iter().find(&is_so) {
                return state;
            }
            sleep(Duration::from_millis(20)).await;
        }
    });
    waited.await.unwrap_or_else(|_| panic!("{:?}", servers.states()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_answered_and_the_environment_is_what_the_owner_names() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, "very secret\n").unwrap();
    let server = McpServer {
        env: vec!["TZ=Europe/Zurich".into()],
        env_files: vec![format!("KEY={}", key.display())],
        ..scripted("good")
    };
    let servers = start(&[("one", server)]);
    servers.all_started().await;
    let state = servers.states().remove(0);
    assert_eq!(state.condition, ServerCondition::Running, "{state:?}");
    assert_eq!(state.message, "scripted 1[31m, protocol 2025-11-25");
    let said = servers.call("mcp.one.echo", args(json!({"text": "hello; rm -rf /"}))).await.unwrap();
    let said: serde_json::Value = serde_json::from_str(&said.text).unwrap();
    assert_eq!((&said["args"]["text"], &said["secret"]), (&json!("hello; rm -rf /"), &json!("very secret")));
    // A test runs with variables of cargo, of which none is handed on.
    assert!(std::env::vars().any(|(name, _)| name.starts_with("CARGO")));
    let names: Vec<&str> = said["env"].as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
    assert!(names.contains(&"TZ") && !names.iter().any(|name| name.starts_with("CARGO")), "{names:?}");
    let failure = servers.call("mcp.one.number0", Slots::new()).await.unwrap_err();
    assert_eq!(
        (failure.code, failure.message.as_str()),
        (error_code::FAILED, "the MCP server one says: no such tool")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn megabytes_are_cut_and_a_message_without_an_end_ends_the_server() {
    let servers = start(&[("long", scripted("good")), ("flood", scripted("flood"))]);
    servers.all_started().await;
    let long = servers.call("mcp.long.long", Slots::new()).await.unwrap();
    assert!(long.truncated);
    assert_eq!(long.text, cleaned(&"é[0m".repeat(20_000), 50_000).0);
    let flood = timeout(Duration::from_secs(20), servers.call("mcp.flood.echo", args(json!({"text": "x"}))));
    assert_eq!(flood.await.unwrap().unwrap_err().code, error_code::OFFLINE);
    until(&servers, |state| state.name == "flood" && state.restarts > 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_dies_says_why_and_is_started_again() {
    let servers = start(&[("dies", scripted("dies"))]);
    servers.all_started().await;
    let failure = servers.call("mcp.dies.echo", args(json!({"text": "x"}))).await.unwrap_err();
    assert_eq!(failure.code, error_code::OFFLINE, "{failure:?}");
    let state = until(&servers, |state| state.condition == ServerCondition::Failed).await;
    assert!(state.message.contains("it said: out of order"), "{state:?}");
    assert!(state.fix.contains("[mcp.servers.dies]"), "{state:?}");
    // Its tools are still known, and say why they cannot be called.
    let tool = servers.find("mcp.dies.echo").unwrap();
    assert!(tool.trouble.as_ref().unwrap().message.contains("out of order"));
    let again = until(&servers, |state| state.restarts > 0 && state.condition == ServerCondition::Running);
    assert!(again.await.tools.len() > 2);
    assert!(servers.find("mcp.dies.echo").unwrap().trouble.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn those_that_do_not_start_block_nothing_and_say_why() {
    let began = Instant::now();
    let servers = start(&[
        ("hangs", scripted("hangs")),
        ("silent", scripted("silent")),
        ("starts", scripted("starts")),
        ("none", McpServer { command: "no-such-program".into(), ..McpServer::default() }),
        ("off", McpServer { enabled: false, ..scripted("good") }),
        (
            "far",
            McpServer { url: "http://127.0.0.1:1/mcp".into(), command: String::new(), ..scripted("good") },
        ),
    ]);
    assert!(began.elapsed() < Duration::from_secs(1), "the start waits for none");
    assert!(servers.missing("mcp.hangs.x").unwrap().message.contains("not told its tools yet"));
    servers.all_started().await;
    let states = servers.states();
    let said = |name: &str| states.iter().find(|state| state.name == name).unwrap().message.clone();
    assert!(said("hangs").contains("does not answer within 3000 ms"), "{states:?}");
    assert!(said("silent").contains("does not answer within 3000 ms"), "{states:?}");
    assert!(said("starts").contains("it said: no key: set TOKEN"), "{states:?}");
    assert!(said("none").contains("cannot be started"), "{states:?}");
    assert!(said("far").contains("the MCP server far"), "{states:?}");
    assert!(servers.missing("mcp.off.x").unwrap().fix.contains("enabled = true"));
    assert!(servers.missing("mcp.other.x").unwrap().fix.contains("[mcp.servers.other]"));
    assert!(servers.missing("home.turn_on").is_none());
    assert!(servers.tools().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hanging_call_can_be_given_up_and_the_next_is_answered() {
    let servers = start(&[("one", scripted("good")), ("two", scripted("good"))]);
    servers.all_started().await;
    let waits = timeout(Duration::from_millis(300), servers.call("mcp.one.wait", Slots::new())).await;
    assert!(waits.is_err());
    assert!(servers.call("mcp.two.echo", args(json!({"text": "x"}))).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_liar_is_taken_at_no_word() {
    let servers = start(&[("liar", scripted("liar"))]);
    servers.all_started().await;
    let state = servers.states().remove(0);
    let tools = servers.tools();
    assert_eq!(tools.len(), 128, "{state:?}");
    assert!(tools.iter().all(|tool| tool.name.starts_with("mcp.liar.") && tool.description.len() <= 600));
    for (name, why) in [
        ("../../etc/passwd", "its name is none"),
        ("bomb", "its schema"),
        ("text", "no object"),
        ("elsewhere", "refers to http://127.0.0.1:1/x"),
        ("t126", "more than 128"),
    ] {
        let refused = state.refused.iter().find(|refused| refused.starts_with(name)).cloned();
        assert!(refused.as_ref().is_some_and(|refused| refused.contains(why)), "{name}: {refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_the_tools_are_followed() {
    let servers = start(&[("one", scripted("changes"))]);
    servers.all_started().await;
    servers.call("mcp.one.echo", args(json!({"text": "x"}))).await.unwrap();
    until(&servers, |state| state.tools.iter().any(|(name, _)| name == "mcp.one.number1")).await;
    assert!(servers.find("mcp.one.number0").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_ends_with_what_uses_it() {
    let mark = format!("mark-{}", std::process::id());
    let mut server = scripted("good");
    server.args.push(mark.clone());
    let servers = start(&[("one", server)]);
    servers.all_started().await;
    let is_running = || {
        let lines = std::fs::read_dir("/proc").unwrap().flatten();
        let mut lines = lines.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
        lines.any(|line| String::from_utf8_lossy(&line).contains(&mark))
    };
    assert!(is_running());
    drop(servers);
    let gone = timeout(Duration::from_secs(5), async {
        while is_running() {
            sleep(Duration::from_millis(20)).await;
        }
    });
    assert!(gone.await.is_ok(), "its program is still there");
}
