//! A storm of texts that are made to take long, on MQTT, with the promise that each is acted on: timers ring in the
//! middle of it, "stop" is heard, the daemon ends when it is told to, and each text is answered once.
//! `HARK_STORM_LINES` makes it longer.

use crate::support::{Broker, Hark, Random, Running, Subscription, wait_for};
use serde_json::Value;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What takes more than any text may cost.
fn hostile() -> String {
    format!("what about{}", " no the kitchin lamb and then o the front dor because".repeat(12))
}

fn line(chance: &mut Random) -> String {
    const PIECES: [&str; 16] = [
        "turn",
        "kitchen",
        "lamp",
        "and front door",
        "on and off",
        "and o off",
        "no i mean",
        "two timers",
        "one for five",
        "because",
        "can you",
        "kitchin",
        "then",
        "please",
        "it",
        "every monday",
    ];
    let mut text = String::from("what about");
    while text.len() < 240 {
        text = format!("{text} {}", PIECES[usize::try_from(chance.below(16)).unwrap()]);
    }
    text
}

/// Publishes lines with QoS 1 on one connection.
fn publish(broker: &Broker, lines: &[String]) -> Child {
    let port = broker.port.to_string();
    let mut child = Command::new("mosquitto_pub")
        .args(["-h", "127.0.0.1", "-p", &port, "-q", "1", "-t", "hark/hark/ask", "-l"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    lines.iter().for_each(|line| writeln!(input, "{line}").unwrap());
    child
}

fn online(hark: &Hark, broker: &Broker, all: &Subscription) -> Running {
    let seen = all.lines().len();
    let running = hark.daemon_without_sound(broker.port);
    wait_for("the daemon", Duration::from_secs(60), || {
        let lines = all.lines();
        lines[seen..].iter().any(|line| line == "hark/hark/availability online").then_some(())
    });
    running
}

/// Events of a kind that were told, in order.
fn told(all: &Subscription, kind: &str) -> Vec<Value> {
    let lines = all.lines();
    let events = lines.iter().filter_map(|line| line.strip_prefix("hark/hark/event "));
    let events = events.filter_map(|json| serde_json::from_str::<Value>(json).ok());
    events.filter(|event| event["event"] == kind).collect()
}

fn open_requests(hark: &Hark) -> i64 {
    let db = rusqlite::Connection::open(hark.path("hark.db")).unwrap();
    db.query_row("SELECT count(*) FROM requests WHERE done = 0", [], |row| row.get(0)).unwrap()
}

#[test]
fn a_storm_of_texts_keeps_nothing_waiting() {
    let lines = std::env::var("HARK_STORM_LINES").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    let (broker, hark) = (Broker::start(), Hark::new());
    let all = broker.subscribe("hark/hark/#");
    let running = online(&hark, &broker, &all);
    broker.publish("hark/hark/ask", "set a timer for three seconds");
    wait_for("the timer", Duration::from_secs(30), || (!told(&all, "timer").is_empty()).then_some(()));
    let mut chance = Random(0x5eed_0022);
    let storm: Vec<String> = (0..lines).map(|_| line(&mut chance)).collect();
    let mut publisher = publish(&broker, &storm);
    // It rings in the middle of it, and is silenced at once.
    let ring = wait_for("the ring", Duration::from_secs(20), || {
        told(&all, "timer").into_iter().find(|event| event["change"] == "finished")
    });
    let rang = chrono::DateTime::parse_from_rfc3339(ring["at"].as_str().unwrap()).unwrap();
    let late_ms = rang.timestamp_millis() - ring["timer"]["due_unix_ms"].as_i64().unwrap();
    let asked = Instant::now();
    broker.publish("hark/hark/ask", "stop");
    wait_for("silence", Duration::from_secs(20), || {
        told(&all, "timer").into_iter().find(|event| event["change"] == "acknowledged")
    });
    let silent_after = asked.elapsed();
    let answered = told(&all, "turn").len();
    let began = Instant::now();
    assert!(running.terminate().success());
    println!(
        "{lines} texts, {answered} answered when it rang, {late_ms} ms late; silent {silent_after:?} after \"stop\"; \
         ended after {:?}",
        began.elapsed()
    );
    assert!(answered < storm.len(), "the storm was over when it rang: nothing was shown");
    let _ = publisher.kill();
    let _ = publisher.wait();
}

#[test]
fn a_promised_text_that_cannot_be_read_is_answered_once_and_struck() {
    let (broker, hark) = (Broker::start(), Hark::new());
    let all = broker.subscribe("hark/hark/#");
    let running = online(&hark, &broker, &all);
    let mut publisher = publish(&broker, &[hostile()]);
    assert!(publisher.wait().unwrap().success());
    let turn = wait_for("the answer", Duration::from_secs(30), || told(&all, "turn").into_iter().next());
    assert_eq!(turn["outcome"], "not_understood", "{turn}");
    let why = &told(&all, "intent")[0]["why"];
    assert!(why.as_str().unwrap().contains("too long or too involved"), "{why}");
    assert!(running.terminate().success());
    assert_eq!(open_requests(&hark), 0, "it is struck");
    let running = online(&hark, &broker, &all);
    broker.publish("hark/hark/ask", "what time is it");
    wait_for("the next answer", Duration::from_secs(30), || (told(&all, "turn").len() > 1).then_some(()));
    assert!(running.terminate().success());
    let outcomes: Vec<Value> = told(&all, "turn").iter().map(|turn| turn["outcome"].clone()).collect();
    assert_eq!(outcomes, ["not_understood", "done"], "it is not taken up again");
}
