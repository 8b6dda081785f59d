//! Ten thousand state changes a second, garbage on every topic, a broker that is restarted and a line that goes dead: no
//! command is lost or done twice, nothing dies, and the memory stays bounded. `HARK_FLOOD_SECONDS` makes it longer (10).

use crate::support::mosquitto::{Listener, Mosquitto, free_port, publish};
use crate::support::publisher::Publisher;
use crate::support::wire::Line;
use crate::support::{Hark, Running, wait_for};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const SENSORS: usize = 200;
const A_SECOND: usize = 10_000;
/// What the program may grow by; a queue without bounds grows by more in the shortest flood.
const MAX_GROWTH_MIB: f64 = 200.0;

/// Resident memory, MiB.
fn resident(hark: &Running) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", hark.0.id())).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    let kib = line.split_whitespace().nth(1).and_then(|kib| kib.parse::<f64>().ok());
    kib.expect("the program lives") / 1024.0
}

fn command(port: u16, number: usize) {
    let request = format!("/remind 3h promise number {number}");
    publish(port, &["-t", "hark/hark/ask", "-m", &request]);
}

/// Announces the sensors, and leaves what nobody can read on every topic there is.
fn announce(port: u16) {
    let mut publisher = Publisher::connect(port);
    for number in 0..SENSORS {
        let sensor = format!(
            r#"{{"name": "Meter {number}", "stat_t": "flood/{number}", "val_tpl": "{{{{ value_json.v }}}}"}}"#
        );
        publisher.add(&format!("homeassistant/sensor/meter_{number}/config"), sensor.as_bytes(), true);
    }
    for topic in ["ask", "say", "teach", "volume/set", "mic_mute/set", "restart/set", "stop/set", "voice/set"]
    {
        publisher.add(&format!("hark/hark/{topic}"), b"retained garbage", true);
    }
    publisher.add("hark/claim", b"\xff\xfe", true);
    publisher.add("hark/announce", b"{}", true);
    publisher.add("homeassistant/light/bad/config", b"{\"cmd_t\":", true);
    publisher.add("homeassistant/light/deep/config", "[".repeat(50_000).as_bytes(), true);
    publisher.add("homeassistant/device/huge/config", &vec![b'x'; 300_000], true);
    assert!(publisher.send());
}

/// What is thrown in between.
fn garbage(publisher: &mut Publisher, round: usize) {
    let nested = format!("{{\"text\": {}1{}}}", "[".repeat(1500), "]".repeat(1500));
    let payloads: [&[u8]; 6] =
        [b"\xff\xfe\x00", nested.as_bytes(), b"", &[b'a'; 5000], b"{\"text\": null}", b"{{ 7 * 7 }}"];
    let payload = payloads[round % payloads.len()];
    for topic in ["hark/hark/ask", "hark/hark/volume/set", "hark/hark/teach", "hark/announce", "hark/claim"] {
        publisher.add(topic, payload, false);
    }
    publisher.add(&format!("flood/{}", round % SENSORS), payload, false);
    publisher.add(&format!("homeassistant/light/odd_{}/config", round % 50), payload, false);
}

/// A flood until it is told to stop; counts its messages.
struct Flood {
    stop: Arc<AtomicBool>,
    sent: Arc<AtomicUsize>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Flood {
    fn begin(port: u16) -> Self {
        let (stop, sent) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let (until, count) = (stop.clone(), sent.clone());
        let thread = std::thread::spawn(move || {
            let mut publisher = Publisher::connect(port);
            let (begun, mut number) = (Instant::now(), 0_usize);
            while !until.load(Ordering::Relaxed) {
                let due = usize::try_from(begun.elapsed().as_millis()).unwrap() * A_SECOND / 1000;
                while number < due {
                    let payload = format!("{{\"v\": {number}}}");
                    publisher.add(&format!("flood/{}", number % SENSORS), payload.as_bytes(), false);
                    if number % 500 == 0 {
                        garbage(&mut publisher, number / 500);
                    }
                    number += 1;
                }
                if !publisher.send() {
                    // The broker was restarted.
                    return;
                }
                count.store(number, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        Self { stop, sent, thread: Some(thread) }
    }

    fn end(mut self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
        self.sent.load(Ordering::Relaxed)
    }
}

#[test]
fn a_flood_of_states_and_garbage_takes_no_command_away() {
    let seconds = std::env::var("HARK_FLOOD_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    let port = free_port();
    let broker = Mosquitto::start(port);
    let hark = Hark::new();
    announce(port);
    let line = Line::to(port);
    let seen = Listener::on(port, &["hark/hark/availability", "hark/hark/answer"]);
    let mut running = hark.daemon_without_sound(line.port);
    seen.expect("/availability", "online");
    publish(port, &["-t", "hark/hark/ask", "-m", "what time is it"]);
    seen.next_on("/answer");
    let before = resident(&running);

    // Twenty commands in the middle of it, and it answers meanwhile.
    let flood = Flood::begin(port);
    for number in 0..20 {
        command(port, number);
        std::thread::sleep(Duration::from_millis(seconds * 1000 / 20));
    }
    publish(port, &["-t", "hark/hark/ask", "-m", "what time is it"]);
    let mut answers = Vec::new();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !answers.iter().any(|answer: &String| !answer.starts_with("I'll remind you")) {
        assert!(Instant::now() < deadline, "no answer during the flood, after {answers:?}");
        answers.extend(seen.lines.recv_timeout(Duration::from_secs(1)).map(|seen| seen.payload));
    }
    let during = resident(&running);
    let sent = flood.end();

    // The line goes dead without a word, and later the broker is restarted, each in the middle of a flood.
    let flood = Flood::begin(port);
    let joined = line.joined();
    line.goes_dead();
    for number in 20..25 {
        command(port, number);
    }
    wait_for("another connection", Duration::from_secs(180), || (line.joined() > joined).then_some(()));
    wait_for("what was sent meanwhile", Duration::from_secs(60), || {
        (hark.timers_by_number().len() == 25).then_some(())
    });
    drop(broker);
    let _broker = Mosquitto::start(port);
    flood.end();
    let seen = Listener::on(port, &["hark/hark/availability"]);
    seen.expect("/availability", "online");
    let flood = Flood::begin(port);
    for number in 25..30 {
        command(port, number);
    }
    wait_for("the last commands", Duration::from_secs(60), || {
        (hark.timers_by_number().len() == 30).then_some(())
    });
    flood.end();

    let after = resident(&running);
    println!(
        "{sent} states in {seconds} s; resident {before:.0} MiB before, {during:.0} during, {after:.0} after"
    );
    let kept = hark.timers_by_number();
    assert!(kept.len() == 30 && kept.values().all(|times| *times == 1), "each once: {kept:?}");
    assert!(running.0.try_wait().unwrap().is_none(), "it lives");
    assert!(during - before < MAX_GROWTH_MIB && after - before < MAX_GROWTH_MIB, "bounded");
    assert!(running.terminate().success());
}
