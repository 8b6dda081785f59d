//! A request with QoS 1 is acted on, once, whenever the program is killed: it is acknowledged when it is written down,
//! and taken up again at the next start. `HARK_KILLS` makes it longer.

use crate::scenarios::daemon_api as api;
use crate::support::{Broker, Hark, Random, Running, Subscription, text, wait_for};
use serde_json::Value;
use std::collections::BTreeMap;
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
    let kills = kills(8);
    let broker = Broker::start();
    let hark = Hark::new();
    let all = broker.subscribe("hark/hark/availability");
    let mut chance = Random(0x5eed_0051);
    let mut asked = 0;
    let mut last = None;
    for round in 0..=kills {
        let running = started(&hark, &broker, &all);
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
    let done = || hark.timers_by_number().len() as u64 >= asked && waiting(&hark) == 0;
    while !done() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(200));
    }
    assert!(last.take().unwrap().terminate().success());
    let kept = hark.timers_by_number();
    println!("{kills} kills, {asked} requests, {} acted on", kept.len());
    let lost: Vec<u64> = (0..asked).filter(|number| !kept.contains_key(number)).collect();
    assert!(lost.is_empty(), "none is lost: {lost:?}");
    let twice: Vec<_> = kept.iter().filter(|(_, times)| **times != 1).collect();
    assert!(twice.is_empty(), "each once: {twice:?}");
    assert_eq!(waiting(&hark), 0, "and noted as done");
}

fn kills(default: u64) -> u64 {
    std::env::var("HARK_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A daemon that is there; `all` sees its availability.
fn started(hark: &Hark, broker: &Broker, all: &Subscription) -> Running {
    let seen = all.lines().len();
    let running = hark.daemon_without_sound(broker.port);
    wait_for("the daemon", Duration::from_secs(60), || {
        all.lines()[seen..].iter().any(|line| line.ends_with(" online")).then_some(())
    });
    running
}

/// Requests that are not noted as done.
fn waiting(hark: &Hark) -> i64 {
    let db = rusqlite::Connection::open(hark.path("hark.db")).unwrap();
    db.query_row("SELECT count(*) FROM requests WHERE done = 0", [], |row| row.get(0)).unwrap()
}

/// Of every timer when it is due and where it stands.
fn timers(hark: &Hark) -> BTreeMap<String, (i64, String)> {
    let output = hark.run(&["timers", "list", "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let timers: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let of = |timer: &Value, key: &str| timer[key].as_str().unwrap().to_owned();
    timers
        .iter()
        .map(|timer| (of(timer, "id"), (timer["due_unix_ms"].as_i64().unwrap(), of(timer, "state"))))
        .collect()
}

#[test]
fn killed_between_act_and_note_what_rings_in_a_while_is_set_once_and_for_the_time_that_was_meant() {
    let broker = Broker::start();
    let hark = Hark::new();
    let all = broker.subscribe("hark/hark/availability");
    assert!(started(&hark, &broker, &all).terminate().success());
    let sql = |sql: &str| {
        rusqlite::Connection::open(hark.path("hark.db")).unwrap().execute_batch(sql).unwrap();
    };
    // As if the program died each time before it could note that a request is done.
    sql(
        "CREATE TRIGGER too_late BEFORE UPDATE OF done ON requests BEGIN SELECT RAISE(ABORT, 'too late'); END",
    );
    let running = started(&hark, &broker, &all);
    let asked = [
        "wake me in six seconds",
        "wake me in forty minutes",
        "remind me in forty minutes to keep promise number 1",
        "set a timer for forty minutes",
        "/remind 40m promise number 2",
    ];
    asked.iter().for_each(|request| broker.publish("hark/hark/ask", request));
    let set = wait_for("all of them", Duration::from_secs(30), || {
        Some(timers(&hark)).filter(|timers| timers.len() == asked.len())
    });
    drop(running); // SIGKILL
    assert_eq!(waiting(&hark), asked.len() as i64);
    // Of the first the program died before it was set.
    sql("DROP TRIGGER too_late; DELETE FROM timers WHERE duration_ms <= 6000");
    std::thread::sleep(Duration::from_secs(6));
    let running = started(&hark, &broker, &all);
    wait_for("the requests to be done", Duration::from_secs(30), || (waiting(&hark) == 0).then_some(()));
    let again = wait_for("what is late rings", Duration::from_secs(10), || {
        Some(timers(&hark)).filter(|timers| timers.values().any(|(_, state)| state == "ringing"))
    });
    let dues = |timers: &BTreeMap<String, (i64, String)>| {
        timers.iter().map(|(id, (due, _))| (id.clone(), *due)).collect::<Vec<_>>()
    };
    assert_eq!(dues(&again), dues(&set), "each once, and due when it was to be");
    assert_eq!(again.values().filter(|(_, state)| state == "ringing").count(), 1);
    assert!(running.terminate().success());
}

#[test]
fn killed_while_a_program_asks_what_was_answered_is_there_once() {
    let kills = kills(4);
    let hark = Hark::new();
    let mut chance = Random(0x5eed_0052);
    let (mut asked, mut answered, mut there) = (0, 0, 0);
    for _ in 0..kills {
        let (running, address) = api::start(&hark, &["intent.learn=false"]);
        let asking = std::thread::spawn(move || {
            let mut answered = Vec::new();
            for number in asked.. {
                let ways = ["remind me in three hours to keep promise number", "/remind 3h promise number"];
                match api::is_answered(address, &format!("{} {number}", ways[(number % 2) as usize])) {
                    true => answered.push(number),
                    false => return (number + 1, answered),
                }
            }
            (0, answered)
        });
        std::thread::sleep(Duration::from_millis(chance.below(600)));
        drop(running); // SIGKILL
        let (next, answers) = asking.join().unwrap();
        let kept = hark.timers_by_number();
        let lost: Vec<&u64> = answers.iter().filter(|number| !kept.contains_key(*number)).collect();
        assert!(lost.is_empty(), "what was answered is there: {lost:?}");
        assert!(kept.values().all(|times| *times == 1), "each once: {kept:?}");
        (asked, answered, there) = (next, answered + answers.len(), there + kept.len());
        // There may be only so many at once.
        let output = hark.run(&["timers", "cancel", "all"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    println!("{kills} kills, {asked} asked for, {answered} answered, {there} there");
    assert!(answered > 0);
}
