//! A request with QoS 1 is acted on, once, whenever the program is killed: it is acknowledged when it is written down,
//! and taken up again at the next start. `HARK_KILLS` makes it longer.

use crate::support::{Broker, Chance, Hark, wait_for};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Publishes lines one after the other on one connection; every third has an id.
fn publish(broker: &Broker, numbers: impl Iterator<Item = u64>) -> std::process::Child {
    let port = broker.port.to_string();
    let mut child = Command::new("mosquitto_pub")
        .args(["-h", "127.0.0.1", "-p", &port, "-q", "1", "-t", "hark/hark/ask", "-l"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = child.stdin.take().unwrap();
    for number in numbers {
        let request = format!("/remind 3h promise number {number}");
        match number % 3 {
            0 => writeln!(lines, "{{\"text\": \"{request}\", \"id\": \"n{number}\"}}").unwrap(),
            _ => writeln!(lines, "{request}").unwrap(),
        }
    }
    child
}

#[test]
fn killed_right_after_publishing_every_request_is_acted_on_once() {
    let kills = std::env::var("HARK_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    let broker = Broker::start();
    let hark = Hark::new();
    let all = broker.subscribe("hark/hark/availability");
    let mut chance = Chance(0x5eed_0051);
    let mut asked = 0;
    let mut last = None;
    for round in 0..=kills {
        let seen = all.lines().len();
        let running = hark.daemon_without_sound(broker.port);
        wait_for("the daemon", Duration::from_secs(60), || {
            all.lines()[seen..].iter().any(|line| line.ends_with(" online")).then_some(())
        });
        if round == kills {
            last = Some(running);
            break;
        }
        let share = 1 + chance.below(12);
        let mut publisher = publish(&broker, asked..asked + share);
        asked += share;
        std::thread::sleep(Duration::from_millis(chance.below(120)));
        drop(running); // SIGKILL
        assert!(publisher.wait().unwrap().success(), "the broker has them all");
    }
    let deadline = Instant::now() + Duration::from_secs(60);
    while (hark.timers_by_number().len() as u64) < asked && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(200));
    }
    assert!(last.take().unwrap().terminate().success());
    let kept = hark.timers_by_number();
    println!("{kills} kills, {asked} requests, {} acted on", kept.len());
    let lost: Vec<u64> = (0..asked).filter(|number| !kept.contains_key(number)).collect();
    assert!(lost.is_empty(), "none is lost: {lost:?}");
    let twice: Vec<_> = kept.iter().filter(|(_, times)| **times != 1).collect();
    assert!(twice.is_empty(), "each once: {twice:?}");
    let db = rusqlite::Connection::open(hark.path("hark.db")).unwrap();
    let waits: i64 =
        db.query_row("SELECT count(*) FROM requests WHERE done = 0", [], |row| row.get(0)).unwrap();
    assert_eq!(waits, 0, "and noted as done");
}
