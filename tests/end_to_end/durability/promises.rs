//! Promises survive: the program is killed again and again while timers, alarms and reminders are set, cancelled and
//! ring, things are put on a list and taken back; each rings once, nothing is lost, and taking one thing back takes
//! nothing else. `HARK_KILLS` and `HARK_PROMISES` make it longer (200 and 1000); `HARK_PROMISES_SEEN` names
//! a file for what the broker saw.

use crate::support::{Broker, Hark, Random, Running, skip, text};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn listed(hark: &Hark, what: &str) -> Vec<Value> {
    let output = hark.run(&[what, "list", "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Milliseconds since the Unix epoch.
fn now_ms() -> i64 {
    chrono::Utc::now().timestamp_millis()
}

/// What the broker saw, told apart.
#[derive(Default)]
struct Seen {
    promised: BTreeSet<String>,
    /// What is said to be on the list.
    listed: BTreeSet<String>,
    /// Of every timer its rings by their id: when it was due and when that was told, each time.
    rang: BTreeMap<String, BTreeMap<String, Vec<(i64, i64)>>>,
}

impl Seen {
    fn of(lines: &[String]) -> Self {
        let mut seen = Self::default();
        let events = lines.iter().filter_map(|line| line.strip_prefix("hark/hark/event "));
        for event in events.filter_map(|json| serde_json::from_str::<Value>(json).ok()) {
            let id = event["timer"]["id"].as_str().unwrap_or_default().to_owned();
            match (event["event"].as_str(), event["change"].as_str()) {
                (Some("timer"), Some("started")) => drop(seen.promised.insert(id)),
                (Some("timer"), Some("finished")) => {
                    let at = chrono::DateTime::parse_from_rfc3339(event["at"].as_str().unwrap()).unwrap();
                    let due = event["timer"]["due_unix_ms"].as_i64().unwrap();
                    let ring = event["ring_id"].as_str().unwrap().to_owned();
                    let rings = seen.rang.entry(id).or_default();
                    rings.entry(ring).or_default().push((due, at.timestamp_millis()));
                }
                // A receipt is a promise even where the program died before the timer's own event.
                (Some("action"), _) if event["receipt"]["ok"] == true => {
                    let detail = &event["receipt"]["detail"];
                    let ids =
                        ["timer", "alarm", "reminder"].iter().filter_map(|kind| detail[kind]["id"].as_str());
                    seen.promised.extend(ids.map(str::to_owned));
                    let items = detail["items"].as_array().into_iter().flatten();
                    seen.listed.extend(items.filter_map(|item| Some(item.as_str()?.to_owned())));
                }
                _ => {}
            }
        }
        seen
    }
}

/// The note of the rings in the database: how often each timer.
fn noted(hark: &Hark) -> BTreeMap<String, i64> {
    let db = rusqlite::Connection::open(hark.path("hark.db")).unwrap();
    let mut rings = db.prepare("SELECT timer, count(*) FROM rings GROUP BY timer").unwrap();
    let rings = rings.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rings.map(Result::unwrap).collect()
}

/// What lies on the lists in the database: how often each.
fn on_lists(hark: &Hark) -> BTreeMap<String, i64> {
    let db = rusqlite::Connection::open(hark.path("hark.db")).unwrap();
    let mut items = db.prepare("SELECT text, count(*) FROM list_items GROUP BY text").unwrap();
    let items = items.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    items.map(Result::unwrap).collect()
}

/// Takes one that is far ahead back; answers its id.
fn cancel_one(hark: &Hark, chance: &mut Random) -> Option<String> {
    let soon = now_ms() + 4_000;
    let far = |timer: &Value| timer["state"] == "running" && timer["due_unix_ms"].as_i64().unwrap() > soon;
    let ahead: Vec<Value> = listed(hark, "timers").into_iter().filter(far).collect();
    let at = usize::try_from(chance.below(ahead.len().max(1) as u64)).unwrap();
    let id = ahead.get(at)?["id"].as_str().unwrap().to_owned();
    let output = hark.run(&["timers", "cancel", &id]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    Some(id)
}

#[test]
fn killed_at_random_every_promise_is_kept_once() {
    let (kills, promises) = (number("HARK_KILLS", 12), number("HARK_PROMISES", 120));
    let broker = Broker::start();
    let hark = Hark::new();
    let all = broker.subscribe("hark/#");
    let mut chance = Random(0x5eed_0005);
    let mut cancelled = BTreeSet::new();
    // When it was down, from the kill to the next time it is there.
    let mut outages: Vec<(i64, i64)> = Vec::new();
    let mut asked = 0;
    // What was handed to the broker: of lists the things, of all that rings how many.
    let (mut items, mut rings) = (Vec::new(), 0);
    let mut last_run = None;
    let mut slowest_start_ms = 0;
    for round in 0..=kills {
        let seen = all.lines().len();
        let (running, started) = (hark.daemon_without_sound(broker.port), now_ms());
        crate::support::wait_for("the daemon", Duration::from_secs(60), || {
            let online = |line: &String| line == "hark/hark/availability online";
            all.lines()[seen..].iter().any(online).then_some(())
        });
        slowest_start_ms = slowest_start_ms.max(now_ms() - started);
        if let Some(outage) = outages.last_mut() {
            outage.1 = now_ms();
        }
        let share = promises * (round + 1) / (kills + 1) - asked;
        for _ in 0..share {
            asked += 1;
            let seconds = 1 + chance.below(15);
            let kind = chance.below(7);
            let request = match kind {
                0 => format!("set a timer for {seconds} seconds"),
                1 => format!("wake me in {seconds} seconds"),
                2 => format!("add promise number {asked} to the shopping list"),
                3 => format!("add whim number {asked} to the shopping list"),
                4 => format!("remind me in {seconds} seconds to keep promise number {asked}"),
                _ => format!("/remind {seconds}s promise number {asked}"),
            };
            broker.publish("hark/hark/ask", &request);
            match kind {
                2 => items.push(format!("promise number {asked}")),
                3 => broker.publish("hark/hark/ask", "undo that"),
                _ => rings += 1,
            }
        }
        if chance.below(3) == 0 {
            cancelled.extend(cancel_one(&hark, &mut chance));
        }
        if round == kills {
            last_run = Some(running);
            break;
        }
        std::thread::sleep(Duration::from_millis(chance.below(1500)));
        outages.push((now_ms(), i64::MAX));
        drop(running); // SIGKILL
    }
    crate::support::wait_for("the last ring", Duration::from_secs(90), || {
        listed(&hark, "timers").iter().all(|timer| timer["state"] == "ringing").then_some(())
    });
    broker.publish("hark/hark/stop/set", "PRESS");
    crate::support::wait_for("silence", Duration::from_secs(30), || {
        listed(&hark, "timers").is_empty().then_some(())
    });
    assert!(last_run.take().unwrap().terminate().success());
    if let Some(file) = std::env::var_os("HARK_PROMISES_SEEN") {
        std::fs::write(file, all.lines().join("\n")).unwrap();
    }
    let seen = Seen::of(&all.lines());
    // A machine on which it takes long to start lets it ring late, too.
    let allowed_ms = 4_000 + 4 * slowest_start_ms;
    judge(&seen, &noted(&hark), &cancelled, &outages, allowed_ms);
    let (kept, noted) = (on_lists(&hark), noted(&hark));
    let whims = |name: &&String| name.starts_with("whim");
    println!(
        "asked for {rings} rings, {} noted and {} cancelled; {} things on the list, {} whims left of {}",
        noted.len(),
        cancelled.len(),
        items.len(),
        kept.keys().filter(whims).count(),
        asked - rings - items.len() as u64,
    );
    // The broker keeps what came while it was away: nothing that was handed to it is lost.
    let lost: Vec<_> = items.iter().filter(|item| kept.get(*item) != Some(&1)).collect();
    assert!(lost.is_empty() && !items.is_empty(), "what was asked for is on the list, once: {lost:?}");
    assert!(kept.values().all(|count| *count == 1), "nothing is there twice: {kept:?}");
    assert_eq!((noted.len() + cancelled.len()) as u64, rings, "each rang, or was cancelled");
    let put: Vec<_> = seen.listed.iter().filter(|item| !whims(item) && !kept.contains_key(*item)).collect();
    assert!(put.is_empty(), "a receipt is a promise: {put:?}");
}

/// The database is exact. Between the broker's word that it has a ring and the note of it lies a hair's breadth: what
/// rings in that moment is told again after a kill, under the same id, so that who keeps ids sees it once. Nothing
/// goes untold.
fn judge(
    seen: &Seen,
    noted: &BTreeMap<String, i64>,
    cancelled: &BTreeSet<String>,
    outages: &[(i64, i64)],
    allowed_ms: i64,
) {
    let promised: BTreeSet<&String> = seen.promised.iter().filter(|id| !cancelled.contains(*id)).collect();
    let lost: Vec<_> = promised.iter().filter(|id| noted.get(**id) != Some(&1)).collect();
    let untold: Vec<_> = promised.iter().filter(|id| !seen.rang.contains_key(**id)).collect();
    let twice: Vec<_> = seen.rang.iter().filter(|(_, rings)| rings.len() > 1).collect();
    let again = seen.rang.values().flat_map(BTreeMap::values).filter(|told| told.len() > 1).count();
    println!(
        "{} kills, {} promises kept, {} cancelled, {} rings, {again} told again under the same id",
        outages.len(),
        promised.len(),
        cancelled.len(),
        noted.len(),
    );
    assert!(promised.len() * 2 > outages.len(), "the test promised something");
    assert!(lost.is_empty(), "each rings exactly once: {lost:?}");
    assert!(noted.values().all(|count| *count == 1), "none rings twice");
    assert!(cancelled.iter().all(|id| !noted.contains_key(id)), "what was cancelled does not ring");
    assert!(untold.is_empty(), "each is told: {untold:?}");
    assert!(twice.is_empty(), "each under one id: {twice:?}");
    assert!(
        again * 2 <= promised.len(),
        "the note that a ring was told is not forgotten: {again} told again"
    );
    let late = |(due, at): &(i64, i64)| {
        let down: i64 = outages.iter().map(|(from, to)| (at.min(to) - due.max(from)).max(0)).sum();
        at - due - down
    };
    let latest = seen.rang.values().flat_map(BTreeMap::values).flatten().map(late).max().unwrap_or(0);
    println!("the latest ring beyond the outages: {latest} ms of {allowed_ms} allowed");
    assert!(latest < allowed_ms, "late by no more than the outage: {latest} ms");
}

#[test]
fn what_rings_is_snoozed_and_heard_on_every_route() {
    let broker = Broker::start();
    let hark = Hark::new();
    let all = broker.subscribe("hark/#");
    let _daemon = hark.daemon_without_sound(broker.port);
    all.wait("the daemon", |line| line == "hark/hark/availability online");
    let told = |change: &str, name: &str, count: usize| {
        let change = format!("\"change\":\"{change}\"");
        crate::support::wait_for(&format!("{change} of {name}"), Duration::from_secs(30), || {
            let lines = all.lines();
            let fits = |line: &&String| line.contains(&change) && line.contains(name);
            (lines.iter().filter(fits).count() >= count).then_some(())
        });
    };
    let says = |args: &[&str], word: &str| {
        let output = hark.run(args);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(out.contains(word), "{args:?}: {out}{err}");
        out
    };
    broker.publish("hark/hark/ask", "/remind 1s check tests");
    all.wait("the promise", |line| line.starts_with("hark/hark/answer ") && line.contains("check tests"));
    told("finished", "check tests", 1);
    says(&["timers", "snooze", "Check tests", "--for", "1s"], "snoozed");
    told("finished", "check tests", 2);
    broker.publish("hark/hark/ask", "snooze for ten minutes");
    all.wait("the answer", |line| line.starts_with("hark/hark/answer ") && line.contains("ten minutes"));
    let left = listed(&hark, "timers")[0]["due_unix_ms"].as_i64().unwrap() - now_ms();
    assert!((500_000..=600_000).contains(&left), "{left}");
    says(&["timers", "cancel", "all"], "cancelled");
    broker.publish("hark/hark/ask", "/remind 1s once more");
    told("finished", "once more", 1);
    says(&["timers", "acknowledge"], "acknowledged");
    told("acknowledged", "once more", 1);
    let output = hark.run(&["timers", "acknowledge"]);
    assert!(output.status.code() == Some(2) && text(&output.stderr).contains("nothing is ringing"));
    broker.publish("hark/hark/ask", "/remind 1s stop me");
    told("finished", "stop me", 1);
    hark.run(&["ask", "stop"]);
    told("acknowledged", "stop me", 1);
    // Schedules, typed on both routes.
    broker.publish("hark/hark/ask", "/schedule \"0 9 * * *\" daily standup");
    all.wait("the schedule", |line| line.starts_with("hark/hark/answer Scheduled"));
    let listed = says(&["schedule", "list"], "daily standup");
    let id = listed.split_whitespace().next().unwrap();
    says(&["ask", "/cron list"], id);
    says(&["ask", "/schedule \"61 9 * * *\" never"], "61 9 * * *");
    says(&["ask", "/cron remove"], "/cron list");
    says(&["ask", &format!("/cron remove {id}")], "daily standup");
    says(&["schedule", "list"], "nothing is scheduled");
}

#[test]
fn a_broken_database_is_put_aside_and_told() {
    let broker = Broker::start();
    let hark = Hark::new();
    std::fs::write(hark.path("hark.db"), b"no database at all, but long enough for a header ".repeat(40))
        .unwrap();
    let all = broker.subscribe("hark/#");
    let _daemon = hark.daemon_without_sound(broker.port);
    let told = all.wait("the fault", |line| line.contains("\"error\"") && line.contains("was damaged"));
    assert!(told.contains(".damaged-") && told.contains("nothing in it could be read"), "{told}");
    let kept = std::fs::read_dir(hark.folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(kept.filter(|name| name.to_string_lossy().contains(".damaged-")).count(), 1);
    assert!(listed(&hark, "timers").is_empty(), "and a fresh one works");
}

/// A library that lets a program see another time, when it is installed.
fn faketime() -> Option<PathBuf> {
    let found = std::fs::read_dir("/usr/lib").into_iter().flatten().filter_map(Result::ok);
    let library =
        found.map(|folder| folder.path().join("faketime/libfaketimeMT.so.1")).find(|path| path.exists());
    if library.is_none() {
        skip("libfaketime");
    }
    library
}

#[test]
fn a_clock_that_is_set_while_it_runs_neither_rings_early_nor_late() {
    let Some(library) = faketime() else { return };
    let broker = Broker::start();
    let hark = Hark::new();
    let all = broker.subscribe("hark/#");
    let offset = hark.path("offset");
    let set_clock = |text: &str| {
        let new = hark.path("offset.new");
        std::fs::write(&new, text).unwrap();
        std::fs::rename(&new, &offset).unwrap();
    };
    set_clock("+0");
    let url = format!("mqtt.url=mqtt://127.0.0.1:{}", broker.port);
    let mut command = hark.command(&["run", "--set", &url]);
    command.args(["--set", "audio.input_device=none", "--set", "audio.output_device=none"]);
    command.env("LD_PRELOAD", library).env("FAKETIME_TIMESTAMP_FILE", &offset).env("FAKETIME_NO_CACHE", "1");
    command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    let _daemon = Running(command.stdout(Stdio::null()).spawn().unwrap());
    all.wait("the daemon", |line| line == "hark/hark/availability online");
    let rings = || {
        let finished = |line: &&String| line.contains("\"change\":\"finished\"");
        all.lines().iter().filter(finished).count()
    };
    let asked = [
        "set a timer for eight seconds",
        "/remind 8s tea",
        "remind me in eight seconds to look",
        "wake me in eight seconds",
    ];
    let rounds = asked.into_iter().flat_map(|asked| [(asked, "+7200"), (asked, "-7200")]);
    for (round, (request, jump)) in rounds.enumerate() {
        let begun = std::time::Instant::now();
        broker.publish("hark/hark/ask", request);
        crate::support::wait_for("the promise", Duration::from_secs(20), || {
            let started = |line: &&String| line.contains("\"change\":\"started\"");
            (all.lines().iter().filter(started).count() > round).then_some(())
        });
        std::thread::sleep(Duration::from_millis(1500));
        set_clock(jump);
        std::thread::sleep(Duration::from_millis(3000));
        assert_eq!(rings(), round, "{request}: not before its time, set by {jump}");
        crate::support::wait_for("the ring", Duration::from_secs(20), || (rings() > round).then_some(()));
        let took = begun.elapsed();
        assert!((7..14).contains(&took.as_secs()), "{took:?} for {request:?}, set by {jump}");
        broker.publish("hark/hark/stop/set", "PRESS");
    }
}
