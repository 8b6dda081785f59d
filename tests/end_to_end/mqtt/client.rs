//! MQTT against a real Mosquitto, and the embedded broker against Mosquitto's clients.
//!
//! Every test starts its own broker on a free port of 127.0.0.1 and ends it.

use crate::support::mosquitto::{
    Listener, Mosquitto, PATIENCE, free_port, publish, publish_bytes, wait_until,
};
use crate::support::wire::{HandBroker, Line};
use hark_config::mqtt::Mqtt as Config;
use hark_core::Setting;
use hark_core::clock::Stamp;
use hark_core::event::Event;
use hark_core::ids::TurnId;
use hark_core::public_event::{Envelope, HarkState, Origin, Outcome, PublicEvent, Timings};
use hark_mqtt::broker::{Address, node_options};
use hark_mqtt::topics::Topics;
use hark_mqtt::{Equipment, Mqtt, NodeInfo, probe};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tokio::runtime::Runtime;

/// Hark on MQTT, and the events that came in.
struct Node {
    mqtt: Mqtt,
    events: Receiver<Event>,
    runtime: Runtime,
}

fn config(port: u16) -> Config {
    Config { url: format!("mqtt://127.0.0.1:{port}"), ..Config::default() }
}

impl Node {
    fn start(config: &Config) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let (tx, events) = channel();
        let inbound = Arc::new(move |event| {
            let _ = tx.send(event);
        });
        let about = NodeInfo { version: "1.2.3".into(), area: None, equipment: Equipment::full() };
        let mqtt = Mqtt::start(config, about, inbound, None, runtime.handle().clone()).unwrap();
        Self { mqtt, events, runtime }
    }

    fn connected(config: &Config) -> Self {
        let node = Self::start(config);
        wait_until("connected", || node.mqtt.status().connected);
        node
    }

    fn publish(&self, event: PublicEvent, origin: Option<Origin>) {
        let stamp = Stamp::live(1_000);
        let mut envelope =
            Envelope::new(event, Some(TurnId::from("t1")), stamp, "2026-11-21T12:00:00Z".into());
        envelope.origin = origin;
        self.mqtt.publish(&envelope);
    }

    fn next_event(&self) -> Event {
        self.events.recv_timeout(PATIENCE).expect("an event comes in")
    }

    /// The fault that reports an outage.
    fn next_fault(&self) -> hark_core::fault::Fault {
        match self.next_event() {
            Event::Fault { fault } => fault,
            other => panic!("{other:?}"),
        }
    }

    fn shutdown(&self) {
        self.runtime.block_on(self.mqtt.shutdown());
    }
}

fn asked(text: &str) -> Event {
    Event::Typed { text: text.into(), origin: Origin::Mqtt, speak: false, dry_run: false }
}

fn reply(text: &str) -> PublicEvent {
    PublicEvent::Reply { text: text.into(), language: "en".into(), ends: true }
}

fn setting(name: &str, value: Value) -> PublicEvent {
    PublicEvent::Setting { name: name.into(), value }
}

fn closing_record() -> PublicEvent {
    PublicEvent::Turn { timings_ms: Timings::default(), route: None, attempts: 1, outcome: Outcome::Done }
}

// ---- The promises ----

#[test]
fn discovery_and_availability_are_retained_and_right() {
    let broker = Mosquitto::start(free_port());
    let _node = Node::connected(&config(broker.port));
    let early = Listener::on(broker.port, &["hark/hark/availability"]);
    early.expect("/availability", "online");
    let listener = Listener::on(broker.port, &["homeassistant/#", "hark/hark/availability"]);
    let discovery = listener.next_on("/config");
    assert_eq!(discovery.topic, "homeassistant/device/hark_hark/config");
    assert!(discovery.retained && discovery.qos == 1);
    let payload: Value = serde_json::from_str(&discovery.payload).unwrap();
    let golden = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/contracts/mqtt.json")).unwrap();
    let golden: Value = serde_json::from_str(&golden.replace("<version>", "1.2.3")).unwrap();
    assert_eq!(payload, golden["discovery"]["payload"]);
    let availability = listener.next_on("/availability");
    assert_eq!((availability.payload.as_str(), availability.retained), ("online", true));
}

#[test]
fn discovery_switched_off_takes_the_device_away() {
    let broker = Mosquitto::start(free_port());
    publish(broker.port, &["-r", "-t", "homeassistant/device/hark_hark/config", "-m", "{}"]);
    let listener = Listener::on(broker.port, &["homeassistant/#"]);
    assert_eq!(listener.next_on("/config").payload, "{}");
    let _node = Node::connected(&Config { discovery: false, ..config(broker.port) });
    assert_eq!(listener.next_on("/config").payload, "");
}

#[test]
fn states_are_retained_and_events_are_not() {
    let broker = Mosquitto::start(free_port());
    let node = Node::connected(&config(broker.port));
    let live = Listener::on(broker.port, &["hark/#"]);
    node.publish(PublicEvent::State { state: HarkState::Listening }, None);
    node.publish(PublicEvent::State { state: HarkState::Idle }, None);
    node.publish(setting("mic_mute", true.into()), None);
    node.publish(setting("volume_percent", 35.into()), None);
    node.publish(reply(&"long ".repeat(100)), Some(Origin::Mqtt));
    node.publish(closing_record(), None);
    // In the order they happened, none left out.
    assert_eq!(live.expect("hark/hark/state", "listening").qos, 1);
    live.expect("hark/hark/state", "idle");
    assert_eq!(live.next_on("/mic_mute/state").payload, "ON");
    assert_eq!(live.next_on("/answer").payload, "long ".repeat(100));
    let turn = live.next_on("/turn");
    assert_eq!(serde_json::from_str::<Value>(&turn.payload).unwrap()["outcome"], "done");

    let late = Listener::on(broker.port, &["hark/#"]);
    let mut kept: Vec<_> = late.lines.try_iter().collect();
    kept.sort_by(|a, b| a.topic.cmp(&b.topic));
    let topics: Vec<_> = kept.iter().map(|seen| seen.topic.trim_start_matches("hark/hark/")).collect();
    let expected = [
        "availability",
        "broker_problem/state",
        "last_response/attributes",
        "last_response/state",
        "mic_mute/state",
        "node",
        "state",
        "volume/state",
    ];
    assert_eq!(topics, expected);
    assert!(kept.iter().all(|seen| seen.retained));
    assert_eq!(kept[3].payload.chars().count(), 255);
    assert_eq!((kept[6].payload.as_str(), kept[7].payload.as_str()), ("idle", "35"));
}

#[test]
fn commands_become_events() {
    let broker = Mosquitto::start(free_port());
    let node = Node::connected(&config(broker.port));
    let send = |topic: &str, payload: &str| {
        publish(broker.port, &["-t", &format!("hark/hark/{topic}"), "-m", payload])
    };
    send("ask", "turn on the kitchen light");
    assert_eq!(node.next_event(), asked("turn on the kitchen light"));
    send("ask", r#"{"text": "what time is it"}"#);
    assert_eq!(node.next_event(), asked("what time is it"));
    send("say", "dinner is ready");
    assert_eq!(node.next_event(), Event::Say { text: "dinner is ready".into() });
    send("mic_mute/set", "ON");
    assert_eq!(node.next_event(), Event::Set { setting: Setting::MicMute(true) });
    send("volume/set", "42");
    assert_eq!(node.next_event(), Event::Set { setting: Setting::VolumePercent(42) });
    send("listen_now/set", "PRESS");
    assert_eq!(node.next_event(), Event::ListenNow);
    send("stop/set", "PRESS");
    assert_eq!(node.next_event(), Event::Stop);
}

#[test]
fn retained_commands_are_ignored() {
    let broker = Mosquitto::start(free_port());
    for (topic, payload) in
        [("ask", "unlock the door"), ("mic_mute/set", "ON"), ("volume/set", "100"), ("say", "boo")]
    {
        publish(broker.port, &["-r", "-t", &format!("hark/hark/{topic}"), "-m", payload]);
    }
    let node = Node::connected(&config(broker.port));
    wait_until("four were refused", || node.mqtt.status().refused == 4);
    for _ in 0..4 {
        let fault = node.next_fault();
        assert!(fault.message.contains("retained") && fault.fix.contains("retain flag"), "{fault}");
    }
    publish(broker.port, &["-t", "hark/hark/ask", "-m", "fresh"]);
    assert_eq!(node.next_event(), asked("fresh"));
}

#[test]
fn hostile_payloads_do_nothing_and_the_node_lives_on() {
    let broker = Mosquitto::start(free_port());
    let node = Node::connected(&config(broker.port));
    let big = vec![b'a'; 1024 * 1024];
    for (topic, bytes) in [
        ("ask", &[0xff, 0x00, 0xfe][..]),
        ("ask", &big),
        ("say", b"{\"text\":"),
        ("volume/set", b"-7"),
        ("volume/set", b"9e99"),
        ("mic_mute/set", b"\x00"),
        ("stop/set", b"please"),
    ] {
        publish_bytes(broker.port, &format!("hark/hark/{topic}"), bytes);
    }
    wait_until("seven were refused", || node.mqtt.status().refused == 7);
    for _ in 0..7 {
        let fault = node.next_fault();
        assert!(fault.recoverable && fault.fix.contains("nothing was changed"), "{fault}");
    }
    // Above what is read at all: the connection breaks, and does not break for ever.
    publish_bytes(broker.port, "hark/hark/ask", &vec![b'a'; 9 * 1024 * 1024]);
    let fault = node.next_fault();
    assert!(fault.recoverable && fault.message.contains("bytes"), "{fault}");
    wait_until("connected again", || node.mqtt.status().connected);
    publish(broker.port, &["-t", "hark/hark/ask", "-m", "still there"]);
    assert_eq!(node.next_event(), asked("still there"));
}

#[test]
fn a_clean_exit_says_offline_after_all_else() {
    let broker = Mosquitto::start(free_port());
    let node = Node::connected(&config(broker.port));
    let listener = Listener::on(broker.port, &["hark/hark/#"]);
    for index in 0..100 {
        node.publish(reply(&format!("number {index}")), Some(Origin::Mqtt));
    }
    node.shutdown();
    let late = Listener::on(broker.port, &["hark/hark/availability"]);
    assert_eq!(late.next_on("/availability").payload, "offline");
    let order: Vec<_> = listener.lines.try_iter().collect();
    assert_eq!(order.iter().filter(|seen| seen.topic.ends_with("/answer")).count(), 100);
    assert_eq!(order.last().map(|seen| seen.payload.as_str()), Some("offline"));
    node.publish(reply("too late"), Some(Origin::Mqtt));
    node.shutdown();
}

#[test]
fn a_broken_off_connection_leaves_the_last_will() {
    let broker = Mosquitto::start(free_port());
    let node = Node::connected(&config(broker.port));
    let listener = Listener::on(broker.port, &["hark/hark/availability"]);
    listener.expect("/availability", "online");
    let Node { mqtt, .. } = node;
    drop(mqtt);
    assert_eq!(listener.next_on("/availability").payload, "offline");
    let late = Listener::on(broker.port, &["hark/hark/availability"]);
    let kept = late.next_on("/availability");
    assert!(kept.retained && kept.payload == "offline");
}

#[test]
fn commands_sent_during_a_break_arrive_after_it() {
    let broker = Mosquitto::start(free_port());
    drop(Node::connected(&config(broker.port)));
    let listener = Listener::on(broker.port, &["hark/hark/availability"]);
    listener.expect("/availability", "offline");
    publish(broker.port, &["-t", "hark/hark/ask", "-m", "while you were away"]);
    let node = Node::start(&config(broker.port));
    assert_eq!(node.next_event(), asked("while you were away"));
}

#[test]
fn topics_are_asked_for_before_anything_is_told() {
    // What is written first was a matter of luck: of 40 connections about one was the other way round.
    for _ in 0..100 {
        let broker = HandBroker::start();
        let node = Node::start(&config(broker.port));
        let first = broker.accept(false);
        wait_until("something is told", || first.kinds().contains(&3));
        assert_eq!(first.kinds().first(), Some(&8), "a request sent at `online` must reach it");
        drop(node);
    }
}

#[test]
fn what_is_delivered_again_acts_once_and_what_is_said_twice_twice() {
    let broker = HandBroker::start();
    let node = Node::start(&config(broker.port));
    let words = "toggle the kitchen light";
    // Its first messages must be written before the request: an answer to one that is written after an acknowledgement
    // proves that the acknowledgement has arrived, and then nothing is delivered again.
    let connected = || wait_until("connected", || node.mqtt.status().connected);
    let mut first = broker.accept(false);
    connected();
    first.deliver("hark/hark/ask", words, 7, false);
    assert_eq!(node.next_event(), asked(words));
    // The connection breaks, and with it the acknowledgement: the broker delivers again what it kept.
    first.hang_up();
    assert!(matches!(node.next_event(), Event::Fault { .. }));
    let mut second = broker.accept(true);
    connected();
    for topic in ["ask", "ask"] {
        second.deliver(&format!("hark/hark/{topic}"), words, 7, true);
    }
    second.deliver("hark/hark/ask", words, 8, false);
    assert_eq!(node.next_event(), asked(words), "said twice on purpose");
    second.deliver("hark/hark/say", "last", 9, false);
    assert_eq!(node.next_event(), Event::Say { text: "last".into() }, "and no third time");
    wait_until("all are acknowledged, also those that were not acted on", || {
        second.acknowledged() == [7, 8, 9]
    });
    // Publishers that are in doubt send again: their own id tells.
    let named = r#"{"text": "toggle the hall light", "id": "a1"}"#;
    second.deliver("hark/hark/ask", named, 10, false);
    second.deliver("hark/hark/ask", named, 11, false);
    second.deliver("hark/hark/say", r#"{"text": "ding", "id": "b1"}"#, 12, false);
    second.deliver("hark/hark/say", r#"{"text": "ding", "id": "b1"}"#, 13, false);
    second.deliver("hark/hark/say", "end", 14, false);
    assert_eq!(node.next_event(), asked("toggle the hall light"));
    assert_eq!(node.next_event(), Event::Say { text: "ding".into() });
    assert_eq!(node.next_event(), Event::Say { text: "end".into() });
}

#[test]
fn a_line_that_goes_dead_is_noticed_and_no_command_is_lost_or_done_twice() {
    let broker = Mosquitto::start(free_port());
    let line = Line::to(broker.port);
    let node = Node::connected(&config(line.port));
    let ask = |number: usize| {
        publish(broker.port, &["-t", "hark/hark/ask", "-m", &format!("command {number}")]);
    };
    (0..10).for_each(ask);
    let mut heard: Vec<Event> = (0..10).map(|_| node.next_event()).collect();
    line.goes_dead();
    (10..30).for_each(ask);
    // Nothing tells Hark but that nobody answers its pings.
    let deadline = std::time::Instant::now() + Duration::from_secs(180);
    while heard.len() < 30 {
        assert!(std::time::Instant::now() < deadline, "{heard:?}");
        match node.events.recv_timeout(Duration::from_secs(1)) {
            Ok(Event::Fault { fault }) => assert!(fault.recoverable, "{fault}"),
            Ok(event) => heard.push(event),
            Err(_) => {}
        }
    }
    let expected: Vec<Event> = (0..30).map(|number| asked(&format!("command {number}"))).collect();
    assert_eq!(heard, expected, "all, in order, once");
    assert!(line.joined() >= 2);
    publish(broker.port, &["-t", "hark/hark/ask", "-m", "after"]);
    assert_eq!(node.next_event(), asked("after"));
}

#[test]
fn a_ring_waits_for_the_broker_and_is_told_under_its_id() {
    use hark_core::timer::{Timer, TimerChange, TimerKind, TimerState};
    let port = free_port();
    let node = Node::start(&config(port));
    let timer = Timer {
        id: "t".into(),
        kind: TimerKind::Alarm,
        name: Some("tea".into()),
        area: None,
        duration_ms: 1,
        created_unix_ms: 0,
        due_unix_ms: 1,
        remaining_ms: 0,
        state: TimerState::Ringing,
        recurrence: None,
        wall: None,
        skipped: None,
    };
    let ring_id = Some(timer.ring_id());
    node.publish(PublicEvent::Timer { change: TimerChange::Finished, timer, ring_id }, None);
    let told = node.mqtt.rings_delivered();
    let told = node.runtime.spawn(told);
    node.next_fault();
    assert!(!told.is_finished(), "nobody has heard of it");
    let broker = Mosquitto::start(port);
    let listener = Listener::on(port, &["hark/#"]);
    assert!(node.runtime.block_on(told).unwrap(), "the broker has it");
    // Who comes later is not told: it is no state.
    drop(listener);
    drop(broker);
    let silent = node.mqtt.rings_delivered();
    assert!(node.runtime.block_on(silent), "nothing is left to be told");
}

#[test]
fn a_restarted_broker_gets_everything_again_and_one_report_is_made() {
    let port = free_port();
    let broker = Mosquitto::start(port);
    let node = Node::connected(&config(port));
    node.publish(setting("volume_percent", 35.into()), None);
    drop(broker);
    let fault = node.next_fault();
    assert!(fault.recoverable && fault.part == "mqtt", "{fault}");
    assert!(node.mqtt.problem().is_some() && !node.mqtt.status().connected);
    node.publish(setting("volume_percent", 50.into()), None);
    node.publish(closing_record(), None);
    node.publish(reply("kept for you"), Some(Origin::Mqtt));
    let _broker = Mosquitto::start(port);
    let listener = Listener::on(port, &["hark/#", "homeassistant/#"]);
    listener.expect("/availability", "online");
    assert!(!listener.next_on("/config").payload.is_empty());
    listener.expect("/volume/state", "50");
    listener.next_on("/turn");
    assert_eq!(listener.next_on("/answer").payload, "kept for you");
    // The answer to its subscription may come after what waited.
    wait_until("connected", || node.mqtt.status().connected);
    assert_eq!(node.mqtt.problem(), None);
    assert_eq!(node.events.try_iter().count(), 0, "one report an outage");
}

#[test]
fn an_absent_broker_is_reported_once_and_found_when_it_comes() {
    let port = free_port();
    let node = Node::start(&config(port));
    let fault = node.next_fault();
    assert!(fault.recoverable && fault.message.contains(&port.to_string()), "{fault}");
    node.publish(PublicEvent::State { state: HarkState::Idle }, None);
    std::thread::sleep(Duration::from_millis(2500));
    let _broker = Mosquitto::start(port);
    wait_until("connected", || node.mqtt.status().connected);
    let listener = Listener::on(port, &["hark/#"]);
    listener.expect("/state", "idle");
    assert_eq!(node.events.try_iter().count(), 0, "one report an outage");
    assert_eq!(node.mqtt.status().outages, 1);
}

#[test]
fn two_nodes_of_one_name_are_told_what_is_wrong() {
    let broker = Mosquitto::start(free_port());
    let first = Node::connected(&config(broker.port));
    let _second = Node::start(&config(broker.port));
    assert!(!first.next_fault().fix.contains("mqtt.node"), "one break proves nothing");
    let fault = first.next_fault();
    assert!(fault.message.contains("hark-hark") && fault.fix.contains("mqtt.node"), "{fault}");
}

#[test]
fn home_assistant_coming_online_gets_everything_again() {
    let broker = Mosquitto::start(free_port());
    let node = Node::connected(&config(broker.port));
    node.publish(setting("mic_mute", false.into()), None);
    let listener = Listener::on(broker.port, &["homeassistant/device/#", "hark/#"]);
    listener.next_on("/config");
    listener.expect("/mic_mute/state", "OFF");
    publish(broker.port, &["-t", "homeassistant/status", "-m", "online"]);
    assert!(!listener.next_on("/config").retained);
    listener.expect("/mic_mute/state", "OFF");
}

#[test]
fn a_wrong_password_is_named_and_a_right_one_lets_in() {
    let dir = tempfile::tempdir().unwrap();
    let password_file = dir.path().join("password");
    fs::write(&password_file, "wrong\n").unwrap();
    let extra = "allow_anonymous false\npassword_file {dir}/users\n";
    let broker = Mosquitto::start_with(free_port(), extra, |dir| {
        let users = dir.join("users");
        let made =
            Command::new("mosquitto_passwd").args(["-b", "-c"]).arg(&users).args(["me", "right"]).status();
        assert!(made.unwrap().success());
    });
    let config = Config {
        username: "me".into(),
        password_file: password_file.display().to_string(),
        ..config(broker.port)
    };
    let node = Node::start(&config);
    let fault = node.next_fault();
    assert!(fault.fix.contains("mqtt.password_file"), "{fault}");
    assert!(node.runtime.block_on(probe(&config)).is_err());
    fs::write(&password_file, "right\n").unwrap();
    assert!(node.runtime.block_on(probe(&config)).unwrap().contains("lets Hark in"));
    drop(node);
    Node::connected(&config);
}

#[test]
fn tls_trusts_the_given_authority_and_no_other() {
    let openssl = |dir: &Path, args: &str| {
        let status =
            Command::new("openssl").args(args.split(' ')).current_dir(dir).stderr(Stdio::null()).status();
        assert!(status.expect("openssl is needed").success(), "openssl {args}");
    };
    let keep = tempfile::tempdir().unwrap();
    let extra =
        "allow_anonymous true\ncafile {dir}/ca.pem\ncertfile {dir}/server.pem\nkeyfile {dir}/server.key\n";
    let broker = Mosquitto::start_with(free_port(), extra, |dir| {
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
        for name in ["ca", "other"] {
            openssl(dir, &format!("req -x509 {key} -keyout {name}.key -out {name}.pem -subj /CN={name}"));
        }
        openssl(
            dir,
            "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout server.key -out server.csr -subj /CN=localhost",
        );
        fs::write(dir.join("ext"), "subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
            .unwrap();
        openssl(
            dir,
            "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext -out server.pem",
        );
        for name in ["ca.pem", "other.pem"] {
            fs::copy(dir.join(name), keep.path().join(name)).unwrap();
        }
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let topics = Topics::new("hark", "homeassistant").unwrap();
    let connect = |host: &str, authority: &str| {
        let address = Address::parse(&format!("mqtts://{host}:{}", broker.port)).unwrap();
        let options = node_options(&topics, &address, None, &[keep.path().join(authority)]).unwrap();
        let (_client, mut eventloop) = rumqttc::AsyncClient::builder(options).capacity(4).build();
        runtime.block_on(eventloop.poll()).map_err(|error| error.to_string())
    };
    for host in ["127.0.0.1", "localhost"] {
        let first = connect(host, "ca.pem");
        assert!(
            matches!(first, Ok(rumqttc::Event::Incoming(rumqttc::Packet::ConnAck(_)))),
            "{host}: {first:?}"
        );
    }
    let refused = connect("127.0.0.1", "other.pem").unwrap_err();
    assert!(refused.contains("certificate"), "{refused}");
}

#[test]
fn without_a_broker_nothing_happens() {
    let off = Config { broker: hark_config::mqtt::BrokerMode::None, ..Config::default() };
    let node = Node::start(&off);
    node.publish(reply("into the void"), Some(Origin::Mqtt));
    assert_eq!(node.mqtt.status().broker, None);
    assert_eq!(node.mqtt.problem(), None);
    node.shutdown();
}

#[cfg(feature = "embedded-broker")]
#[test]
fn the_embedded_broker_serves_others_and_says_who_holds_its_port() {
    let config = Config { embedded_port: free_port(), ..Config::default() };
    let port = config.embedded_port;
    let node = Node::connected(&config);
    let listener = Listener::on(port, &["hark/#", "homeassistant/#"]);
    listener.expect("/availability", "online");
    let discovery = listener.next_on("/config");
    assert!(serde_json::from_str::<Value>(&discovery.payload).unwrap()["cmps"]["volume"].is_object());
    publish(port, &["-t", "hark/hark/ask", "-m", "hello"]);
    assert_eq!(node.next_event(), asked("hello"));
    node.publish(reply("hello to you"), Some(Origin::Mqtt));
    assert_eq!(listener.next_on("/answer").payload, "hello to you");
    for index in 0..300 {
        node.publish(reply(&index.to_string()), Some(Origin::Mqtt));
    }
    for index in 0..300 {
        assert_eq!(listener.next_on("/answer").payload, index.to_string());
    }
    node.publish(setting("volume_percent", 20.into()), None);
    let late = Listener::on(port, &["hark/#"]);
    late.expect("/volume/state", "20");

    // What would bring rumqttd down does not get through to it.
    let mut hostile = Command::new("mosquitto_pub");
    hostile.args(["-p", &port.to_string(), "-t", "öl/lampe", "-m", "x"]).status().unwrap();
    publish(port, &["-t", "hark/hark/ask", "-m", "still there?"]);
    assert_eq!(node.next_event(), asked("still there?"));

    let second =
        Mqtt::start(&config, NodeInfo::default(), Arc::new(|_| {}), None, node.runtime.handle().clone());
    let fault = second.unwrap_err();
    assert!(fault.message.contains("already listens"), "{fault}");
    assert!(fault.fix.contains(&format!("mqtt.url = \"mqtt://127.0.0.1:{port}\"")), "{fault}");

    node.shutdown();
    late.expect("/availability", "offline");
    // The broker outlives the connection; a hard end leaves the last will there too.
    let broken = Node::connected(&Config { url: format!("mqtt://127.0.0.1:{port}"), ..config });
    late.expect("/availability", "online");
    let Node { mqtt, .. } = broken;
    drop(mqtt);
    late.expect("/availability", "offline");
}
