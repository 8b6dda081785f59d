//! A timer set in one program rings in the daemon, until it is heard, and survives a kill.

use crate::support::{Broker, Hark, Running};
use std::process::Stdio;

#[test]
fn a_timer_rings_once_even_after_a_kill() {
    let broker = Broker::start();
    let hark = Hark::new();
    let url = format!("mqtt.url=mqtt://127.0.0.1:{}", broker.port);
    let all = broker.subscribe("hark/#");
    let start = || {
        let mut command = hark.command(&[
            "run",
            "--json",
            "--set",
            &url,
            "--set",
            "audio.input_device=none",
            "--set",
            "audio.output_device=none",
        ]);
        Running(command.stdout(Stdio::null()).spawn().unwrap())
    };
    let daemon = start();
    all.wait("the daemon", |line| line == "hark/hark/availability online");
    broker.publish("hark/hark/ask", "set a tea timer for four seconds");
    all.wait("the promise", |line| line.starts_with("hark/hark/answer "));
    drop(daemon); // SIGKILL: nothing is said goodbye to
    let list = crate::support::text(&hark.run(&["timers", "list"]).stdout);
    assert!(list.contains("tea"), "{list}");

    let _daemon = start();
    let finished =
        |line: &str| line.contains("\"timer\"") && line.contains("\"finished\"") && line.contains("tea");
    all.wait("the timer", finished);
    all.wait("what is said", |line| line.contains("\"reply\"") && line.to_lowercase().contains("tea"));
    broker.publish("hark/hark/ask", "stop");
    all.wait("the acknowledgement", |line| line.contains("\"acknowledged\""));
    assert_eq!(all.lines().iter().filter(|line| finished(line)).count(), 1, "it rang once");
    let list = crate::support::text(&hark.run(&["timers", "list"]).stdout);
    assert!(list.contains("no timers"), "{list}");
}

#[test]
fn the_daemon_notices_a_timer_set_elsewhere() {
    let broker = Broker::start();
    let hark = Hark::new();
    let url = format!("mqtt.url=mqtt://127.0.0.1:{}", broker.port);
    let all = broker.subscribe("hark/#");
    let mut command = hark.command(&[
        "run",
        "--set",
        &url,
        "--set",
        "audio.input_device=none",
        "--set",
        "audio.output_device=none",
    ]);
    let _daemon = Running(command.stdout(Stdio::null()).spawn().unwrap());
    all.wait("the daemon", |line| line == "hark/hark/availability online");
    hark.events(&["ask", "set a timer for three seconds"]);
    all.wait("the timer", |line| line.contains("\"timer\"") && line.contains("\"finished\""));
}
