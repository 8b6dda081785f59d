//! Commands beside a running Hark speak to it, those without one say what they cannot do, and neither makes a second
//! truth of it.

use crate::scenarios::daemon_api::{get, start};
use crate::support::{Hark, Running, named, only, parse_events, run, text, wait_for};
use serde_json::{Value, json};
use std::io::Write;
use std::net::SocketAddr;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn says(hark: &Hark, args: &[&str], input: &str) -> Output {
    let mut command = hark.command(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// What is answered to a request of these words; nothing on standard error.
fn ask(hark: &Hark, args: &[&str]) -> String {
    let output = hark.run(&[&["ask"], args].concat());
    assert!(output.status.success() && output.stderr.is_empty(), "{args:?}: {}", text(&output.stderr));
    // The intent is told first.
    text(&output.stdout).lines().last().unwrap_or_default().to_owned()
}

fn state(address: SocketAddr, name: &str) -> String {
    let entities = get(address, "/api/v1/entities");
    let entity = entities["entities"].as_array().unwrap().iter().find(|it| it["name"] == name);
    entity.unwrap()["state"].as_str().unwrap().to_owned()
}

/// Waits for what it says it does: that follows the end of a turn.
fn becomes(address: SocketAddr, state: &str) {
    wait_for(state, Duration::from_secs(20), || {
        (get(address, "/api/v1/health")["state"] == state).then_some(())
    });
}

fn signal(running: &Running, name: &str) {
    run(Command::new("kill").args([name, &running.0.id().to_string()]));
}

#[test]
fn what_is_asked_beside_a_daemon_is_done_by_it() {
    let hark = Hark::new();
    let (daemon, address) = start(&hark, &[]);
    becomes(address, "idle");
    assert_eq!(ask(&hark, &["mute", "the", "microphone"]), "I'm not listening any more.");
    becomes(address, "muted");
    assert_eq!(ask(&hark, &["unmute the microphone"]), "I'm listening again.");
    becomes(address, "idle");
    assert_eq!(ask(&hark, &["set the volume to 20 percent"]), "Volume is at 20 percent.");
    assert_eq!(get(address, "/api/v1/config")["config"]["speaking"]["volume_percent"], 20);

    ask(&hark, &["turn", "on", "the", "kitchen", "ceiling", "--session", "desk"]);
    assert_eq!(state(address, "Kitchen ceiling"), "on");
    let shown = text(&hark.run(&["home", "show", "kitchen", "ceiling"]).stdout);
    assert!(shown.contains("“Kitchen ceiling” is on"), "{shown}");
    let listed = hark.run(&["home", "list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let ceiling = listed["entities"].as_array().unwrap().iter().find(|it| it["name"] == "Kitchen ceiling");
    assert_eq!((&ceiling.unwrap()["state"], &listed["left_out"]), (&json!("on"), &json!([])));
    ask(&hark, &["--session", "desk", "turn it off"]);
    assert_eq!(state(address, "Kitchen ceiling"), "off", "the conversation goes on between calls");

    let dry = hark.events(&["ask", "--dry-run", "turn on the kitchen ceiling"]);
    assert_eq!(
        (&only(&dry, "intent")["name"], &only(&dry, "turn")["outcome"]),
        (&json!("HassTurnOn"), &json!("dry_run"))
    );
    assert_eq!(state(address, "Kitchen ceiling"), "off");

    let lines = says(&hark, &["ask", "--json"], "what time is it\n\nset an egg timer for two seconds\n");
    let events = parse_events(&text(&lines.stdout));
    let turns = named(&events, "turn");
    assert_eq!(turns.len(), 2);
    assert!(turns[0]["turn"] != turns[1]["turn"] && turns.iter().all(|turn| turn["outcome"] == "done"));
    assert!(lines.stderr.is_empty(), "it will ring: {}", text(&lines.stderr));
    wait_for("the timer to ring in the daemon", Duration::from_secs(20), || {
        let timers = get(address, "/api/v1/timers");
        (timers["timers"][0]["name"] == "egg" && timers["timers"][0]["state"] == "ringing").then_some(())
    });
    ask(&hark, &["stop"]);
    assert_eq!(get(address, "/api/v1/timers")["timers"], json!([]));

    let said = hark.run(&["say", "dinner", "is", "ready"]);
    assert!(said.status.success() && text(&said.stderr).contains("not said"), "{}", text(&said.stderr));
    wait_for("it to be kept", Duration::from_secs(20), || {
        (get(address, "/api/v1/turns")["turns"][0]["reply"] == "dinner is ready").then_some(())
    });
    let other = hark.run(&["ask", "what time is it", "--set", "speaking.language=de"]);
    assert!(other.status.success() && text(&other.stderr).contains("not by speaking.language=de"));
    assert!(daemon.terminate().success());
    assert!(!hark.path("hark.sock").exists());
}

#[test]
fn a_dangerous_act_is_approved_by_who_asked_for_it_and_in_its_conversation() {
    let hark = Hark::new();
    let (_daemon, address) = start(&hark, &[]);
    let door = || state(address, "Front door");
    assert!(says(&hark, &["ask"], "unlock the front door\nyes\n").status.success());
    assert_eq!(door(), "locked", "each line is a conversation of its own");
    says(&hark, &["ask", "--session", "door"], "unlock the front door\nno\nyes\n");
    assert_eq!(door(), "locked");
    says(&hark, &["ask", "--session", "door"], "unlock the front door\nyes\n");
    assert_eq!(door(), "unlocked");
    ask(&hark, &["lock the front door"]);
    assert_eq!(door(), "locked");

    // At a terminal, made by script(1), the question of a request in the arguments is answered there.
    let typed = |input: &str| {
        let inner = hark.command(&[]);
        let program = inner.get_program().to_str().unwrap().to_owned();
        let mut command = Command::new("script");
        command.args(["-qec", &format!("{program} ask unlock the front door"), "/dev/null"]);
        command.envs(inner.get_envs().filter_map(|(key, value)| value.map(|value| (key, value))));
        command.current_dir(hark.folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        text(&child.wait_with_output().unwrap().stdout)
    };
    let told = typed("no\n");
    assert!(told.contains("Shall I unlock the front door?") && told.contains("Okay, I won't."), "{told}");
    assert_eq!(door(), "locked");
    let told = typed("yes\n");
    assert!(told.contains("Shall I unlock the front door?"), "{told}");
    assert_eq!(door(), "unlocked", "{told}");
}

#[test]
fn a_daemon_that_does_not_answer_is_an_error_soon_and_nothing_is_done_instead() {
    let hark = Hark::new();
    let (daemon, address) = start(&hark, &[]);
    signal(&daemon, "-STOP");
    let asked = Instant::now();
    for args in [&["ask", "turn on the kitchen ceiling"][..], &["home", "list"], &["say", "hello"]] {
        let output = hark.run(args);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {told}");
        assert!(told.contains(&daemon.0.id().to_string()) && told.contains("does not answer"), "{told}");
        assert!(output.stdout.is_empty(), "{args:?}: {}", text(&output.stdout));
    }
    assert!(asked.elapsed() < Duration::from_secs(30), "{:?}", asked.elapsed());
    signal(&daemon, "-CONT");
    assert_eq!(state(address, "Kitchen ceiling"), "off");
    ask(&hark, &["turn on the kitchen ceiling"]);
    assert_eq!(state(address, "Kitchen ceiling"), "on");
}

#[test]
fn what_a_killed_daemon_leaves_behind_is_no_daemon_and_a_folder_has_one() {
    let hark = Hark::new();
    let (daemon, _) = start(&hark, &[]);
    let second = hark.run(&["run", "--set", "audio.input_device=none", "--set", "audio.output_device=none"]);
    let told = text(&second.stderr);
    assert_eq!(second.status.code(), Some(1), "{told}");
    assert!(told.contains(&format!("process {} is a Hark", daemon.0.id())), "{told}");
    // As by a power cut.
    drop(daemon);
    assert!(hark.path("hark.lock").exists() && hark.path("hark.sock").exists());
    let timer = hark.run(&["ask", "set a timer for five minutes"]);
    assert!(
        timer.status.success() && text(&timer.stderr).contains("start `hark run`"),
        "{}",
        text(&timer.stderr)
    );
    let (_daemon, address) = start(&hark, &[]);
    assert_eq!(get(address, "/api/v1/timers")["timers"].as_array().unwrap().len(), 1);
    ask(&hark, &["cancel the timer"]);
    assert_eq!(get(address, "/api/v1/timers")["timers"], json!([]));
}

#[test]
fn it_is_reached_without_its_port_and_nobody_else_may() {
    use std::os::unix::fs::PermissionsExt;
    let hark = Hark::new();
    let settings = ["dashboard.enabled=false", "audio.input_device=none", "audio.output_device=none"];
    let mut command = hark.command(&["run"]);
    for setting in settings {
        command.args(["--set", setting]);
    }
    let daemon = Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let socket = hark.path("hark.sock");
    wait_for("its socket", Duration::from_secs(60), || socket.exists().then_some(()));
    ask(&hark, &["turn on the kitchen ceiling"]);
    let shown = text(&hark.run(&["home", "show", "Kitchen ceiling"]).stdout);
    assert!(shown.contains("is on"), "{shown}");
    assert_eq!(std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(daemon.terminate().success());
}

#[test]
fn sockets_that_others_hold_open_keep_no_command_out() {
    let hark = Hark::new();
    let (daemon, address) = start(&hark, &["dashboard.max_connections=16"]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut held = Vec::new();
    runtime.block_on(async {
        // Until one is refused.
        while let Ok((socket, _)) = tokio_tungstenite::connect_async(format!("ws://{address}/ws")).await {
            held.push(socket);
        }
    });
    assert_eq!(held.len(), 12);
    ask(&hark, &["turn on the kitchen ceiling"]);
    assert_eq!(state(address, "Kitchen ceiling"), "on");
    assert!(daemon.terminate().success());
}

#[test]
fn without_a_daemon_it_says_what_it_cannot_do_and_the_home_stays_as_it_was_left() {
    let hark = Hark::new();
    let kept = |words: &str, told: &str| {
        let output = hark.run(&["ask", words]);
        let note = text(&output.stderr);
        assert!(
            output.status.success() && note.contains(told) && note.contains("only while a Hark runs"),
            "{note}"
        );
    };
    kept("set a pizza timer for ten minutes", "the timer “pizza” rings");
    kept("set an alarm for seven", "the alarm rings");
    kept("remind me tomorrow at seven to call mum", "the reminder “call mum” is told");
    kept("turn off the kitchen light in ten minutes", "is carried out");
    for words in ["mute the microphone", "unmute", "set the volume to 20 percent"] {
        let events = hark.events(&["ask", words]);
        assert_eq!(only(&events, "turn")["outcome"], "failed", "{words}");
        let reply = only(&events, "reply")["text"].as_str().unwrap();
        assert!(reply.contains("needs a running Hark"), "{words}: {reply}");
        assert!(named(&events, "setting").is_empty(), "{words}");
    }
    assert_eq!(hark.run(&["approve"]).status.code(), Some(1));

    let on = hark.events(&["ask", "turn", "on", "the", "kitchen", "ceiling"]);
    assert_eq!(only(&on, "action")["receipt"]["changed"], true);
    let again = hark.run(&["ask", "--json", "--", "turn", "on", "the", "kitchen", "ceiling"]);
    let again = parse_events(&text(&again.stdout));
    assert_eq!(only(&again, "action")["receipt"]["changed"], false, "it is on already");
    let shown = text(&hark.run(&["home", "show", "kitchen ceiling"]).stdout);
    assert!(shown.contains("is on"), "{shown}");
    let (_daemon, address) = start(&hark, &[]);
    assert_eq!(state(address, "Kitchen ceiling"), "on", "the daemon goes on from there");
}
