//! Devices of MQTT discovery against a real Mosquitto and the embedded broker: what comes in, what goes out,
//! what happens when the broker is away, and floods.

use crate::support::mosquitto::{Listener, Mosquitto, free_port, publish, publish_bytes, wait_until};
use hark_config::mqtt::{BrokerMode, Mqtt as Config};
use hark_core::device::{DeviceBackend, DeviceCommand, DeviceError};
use hark_core::home::Home;
use hark_core::ports::HomeView;
use hark_home::HomeRegistry;
use hark_mqtt::{Mqtt, NodeInfo, probe};
use hark_mqtt_devices::Backend;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

const SWITCH: &str = r#"{"name":"Fan","cmd_t":"fan/set","stat_t":"fan","avty_t":"fan/up","uniq_id":"1"}"#;

struct Node {
    home: Arc<HomeRegistry>,
    backend: Backend,
    mqtt: Mqtt,
    runtime: Runtime,
}

impl Node {
    fn start(config: &Config) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let home = Arc::new(HomeRegistry::new(Home::default()));
        let devices = hark_mqtt::devices(config, home.clone()).unwrap();
        let handle = runtime.handle().clone();
        let mqtt = Mqtt::start(config, NodeInfo::default(), Arc::new(|_| {}), Some(devices.clone()), handle)
            .unwrap();
        wait_until("connected", || mqtt.status().connected);
        Self { home, backend: Backend(devices), mqtt, runtime }
    }

    fn state(&self, id: &str) -> Option<String> {
        self.home.entity(&id.into()).map(|entity| entity.state)
    }

    fn wait(&self, id: &str, state: Option<&str>) {
        wait_until(&format!("{id} is {state:?}"), || self.state(id).as_deref() == state);
    }

    fn send(&self, id: &str, command: &DeviceCommand) -> Result<(), DeviceError> {
        let entity = self.home.entity(&id.into()).unwrap();
        self.runtime.block_on(self.backend.send(&entity, command))
    }
}

fn config(port: u16) -> Config {
    Config { url: format!("mqtt://127.0.0.1:{port}"), ..Config::default() }
}

fn keep(port: u16, topic: &str, payload: &str) {
    publish(port, &["-r", "-t", topic, "-m", payload]);
}

#[test]
fn a_switch_comes_tells_is_told_and_goes() {
    let broker = Mosquitto::start(free_port());
    let port = broker.port;
    keep(port, "homeassistant/switch/fan/config", SWITCH);
    keep(port, "fan/up", "online");
    keep(port, "fan", "OFF");
    let node = Node::start(&config(port));
    node.wait("switch.fan", Some("off"));
    let listener = Listener::on(port, &["fan/set"]);
    assert_eq!(node.send("switch.fan", &DeviceCommand::TurnOn), Ok(()));
    let seen = listener.expect("fan/set", "ON");
    assert_eq!((seen.qos, seen.retained), (1, false));
    assert_eq!(node.state("switch.fan").as_deref(), Some("off"), "it has not said so yet");
    publish(port, &["-t", "fan", "-m", "ON"]);
    node.wait("switch.fan", Some("on"));
    // Announced anew on other topics, which are listened to from now on.
    let moved = SWITCH.replace("\"fan\"", "\"fan2\"");
    keep(port, "fan2", "OFF");
    keep(port, "homeassistant/switch/fan/config", &moved);
    node.wait("switch.fan", Some("off"));
    publish(port, &["-t", "fan/up", "-m", "offline"]);
    node.wait("switch.fan", Some("unavailable"));
    publish(port, &["-r", "-n", "-t", "homeassistant/switch/fan/config"]);
    node.wait("switch.fan", None);
    assert_eq!(node.mqtt.status().devices.entities, 0);
}

#[test]
fn a_broker_that_goes_away_takes_its_devices_along_until_it_is_back() {
    let broker = Mosquitto::start(free_port());
    let port = broker.port;
    for (name, topic) in [("Stays", "a"), ("Goes", "b")] {
        keep(
            port,
            &format!("homeassistant/switch/{topic}/config"),
            &format!(r#"{{"name":"{name}","cmd_t":"{topic}/set","stat_t":"{topic}"}}"#),
        );
        keep(port, topic, "ON");
    }
    let node = Node::start(&config(port));
    node.wait("switch.stays", Some("on"));
    node.wait("switch.goes", Some("on"));
    drop(broker);
    node.wait("switch.stays", Some("unavailable"));
    let refused = node.send("switch.stays", &DeviceCommand::TurnOff);
    assert_eq!(refused, Err(DeviceError::Offline("Stays".into())));
    // It comes back without what it kept; only one of them is announced again, and has changed meanwhile.
    let _broker = Mosquitto::start(port);
    let listener = Listener::on(port, &["a/set"]);
    keep(port, "homeassistant/switch/a/config", r#"{"name":"Stays","cmd_t":"a/set","stat_t":"a"}"#);
    keep(port, "a", "OFF");
    node.wait("switch.stays", Some("off"));
    node.wait("switch.goes", None);
    assert_eq!(node.send("switch.stays", &DeviceCommand::TurnOn), Ok(()));
    assert_eq!(listener.next_on("a/set").payload, "ON", "the refused command was not kept");
}

#[test]
fn garbage_is_counted_and_harms_nothing() {
    let broker = Mosquitto::start(free_port());
    let port = broker.port;
    let node = Node::start(&config(port));
    let garbage: [&[u8]; 6] = [
        b"\xff\xfe\x00",
        b"[",
        b"{}",
        br#"{"cmd_t":"a/#"}"#,
        br#"{"cmd_t":"c","stat_t":"s","val_tpl":"{{ 'x' * 99999999 }}"}"#,
        &[b'['; 100_000],
    ];
    for (at, payload) in garbage.iter().enumerate() {
        publish_bytes(port, &format!("homeassistant/switch/bad{at}/config"), payload);
    }
    publish_bytes(port, "homeassistant/device/large/config", &vec![b'x'; 400_000]);
    let bomb = r#"{"name":"Bomb","stat_t":"bomb","val_tpl":"{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"}"#;
    keep(port, "homeassistant/sensor/bomb/config", bomb);
    keep(port, "homeassistant/switch/fan/config", SWITCH);
    publish(port, &["-r", "-t", "fan/up", "-m", "online"]);
    node.wait("switch.fan", Some("unknown"));
    publish(port, &["-t", "bomb", "-m", "tick"]);
    publish_bytes(port, "fan", &vec![b'x'; 100_000]);
    publish_bytes(port, "fan", b"\xff");
    publish(port, &["-t", "fan", "-m", "ON"]);
    node.wait("switch.fan", Some("on"));
    let tally = node.mqtt.status().devices;
    assert!(tally.refused >= 10, "{tally:?}");
    assert!(tally.last_problem.is_some_and(|problem| problem.contains(": ")));
    let word = node.runtime.block_on(probe(&config(port))).unwrap();
    assert!(word.contains("2 entities of devices"), "{word}");
}

#[test]
fn ten_thousand_messages_a_second_leave_the_last_word_and_the_others_alone() {
    let broker = Mosquitto::start(free_port());
    let port = broker.port;
    keep(
        port,
        "homeassistant/sensor/loud/config",
        r#"{"name":"Loud","stat_t":"loud","val_tpl":"{{ value_json.n }}"}"#,
    );
    keep(port, "homeassistant/switch/fan/config", SWITCH);
    keep(port, "fan/up", "online");
    let node = Node::start(&config(port));
    node.wait("switch.fan", Some("unknown"));
    let mut child = Command::new("mosquitto_pub")
        .args(["-h", "127.0.0.1", "-p", &port.to_string(), "-t", "loud", "-l"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        for number in 0..30_000 {
            writeln!(lines, "{{\"n\":{number}}}").unwrap();
        }
    });
    publish(port, &["-t", "fan", "-m", "ON"]);
    node.wait("switch.fan", Some("on"));
    writer.join().unwrap();
    assert!(child.wait().unwrap().success());
    // Under load Mosquitto itself drops messages of QoS 0, and it may still be at work on the flood.
    wait_until("the last word", || {
        publish(port, &["-t", "loud", "-m", r#"{"n":"last"}"#]);
        node.state("sensor.loud").as_deref() == Some("last")
    });
    let tally = node.mqtt.status().devices;
    println!("{tally:?}");
    assert!(node.mqtt.status().connected);
}

#[test]
fn it_works_with_the_embedded_broker_too() {
    let port = free_port();
    let config = Config { broker: BrokerMode::Embedded, embedded_port: port, ..Config::default() };
    let node = Node::start(&config);
    keep(port, "homeassistant/switch/x/fan/config", SWITCH);
    wait_until("it is announced", || node.home.home().entities.len() == 1);
    keep(port, "fan/up", "online");
    keep(port, "fan", "OFF");
    node.wait("switch.fan", Some("off"));
    assert_eq!(node.send("switch.fan", &DeviceCommand::TurnOn), Ok(()));
}

#[test]
fn a_large_home_comes_in_whole() {
    let broker = Mosquitto::start(free_port());
    let port = broker.port;
    let announced = 1500;
    let cmps: Vec<String> =
        (0..150).map(|n| format!(r#""c{n}":{{"p":"sensor","name":"C {n}","stat_t":"~/{n}"}}"#)).collect();
    for device in 0..10 {
        let payload = format!(
            r#"{{"~":"d{device}","dev":{{"name":"D{device}"}},"o":{{"name":"x"}},"cmps":{{{}}}}}"#,
            cmps.join(",")
        );
        keep(port, &format!("homeassistant/device/d{device}/config"), &payload);
    }
    let started = Instant::now();
    let node = Node::start(&config(port));
    wait_until("all are there", || node.home.home().entities.len() == announced);
    println!("{announced} entities after {:?}", started.elapsed());
    wait_until("all are listened to", || {
        publish(port, &["-t", "d9/149", "-m", "here"]);
        node.state("sensor.d9_c_149").as_deref() == Some("here")
    });
}

#[test]
fn devices_whose_states_nobody_keeps_are_asked_for_them() {
    let broker = Mosquitto::start(free_port());
    let port = broker.port;
    keep(port, "homeassistant/switch/fan/config", SWITCH);
    keep(port, "fan/up", "online");
    let listener = Listener::on(port, &["homeassistant/status"]);
    let node = Node::start(&config(port));
    node.wait("switch.fan", Some("unknown"));
    let asked = listener.next_on("/status");
    assert_eq!((asked.payload.as_str(), asked.retained), ("online", false));
    publish(port, &["-t", "fan", "-m", "ON"]);
    node.wait("switch.fan", Some("on"));
}

#[test]
fn a_visit_drives_devices_and_leaves_no_trace_of_itself() {
    let broker = Mosquitto::start(free_port());
    let port = broker.port;
    keep(port, "homeassistant/switch/fan/config", SWITCH);
    keep(port, "fan/up", "online");
    keep(port, "fan", "OFF");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let home = Arc::new(HomeRegistry::new(Home::default()));
    let devices = hark_mqtt::devices(&config(port), home.clone()).unwrap();
    let started = Instant::now();
    let listener = Listener::on(port, &["hark/#", "homeassistant/device/#", "fan/set"]);
    let visit = Mqtt::connect_for_devices(&config(port), devices.clone(), runtime.handle()).unwrap().unwrap();
    assert_eq!(runtime.block_on(visit.devices_settled(Duration::from_secs(5))), None);
    println!("settled after {:?}", started.elapsed());
    let fan = home.entity(&"switch.fan".into()).unwrap();
    assert_eq!(fan.state, "off");
    assert_eq!(runtime.block_on(Backend(devices).send(&fan, &DeviceCommand::TurnOn)), Ok(()));
    let first = listener.lines.recv_timeout(Duration::from_secs(5)).unwrap();
    assert_eq!((first.topic.as_str(), first.payload.as_str()), ("fan/set", "ON"));
    drop(visit);
    let more = listener.lines.recv_timeout(Duration::from_millis(500));
    assert!(more.is_err(), "{more:?}");
    let nobody = Config { url: format!("mqtt://127.0.0.1:{}", free_port()), ..Config::default() };
    let devices = hark_mqtt::devices(&nobody, home).unwrap();
    let visit = Mqtt::connect_for_devices(&nobody, devices, runtime.handle()).unwrap().unwrap();
    assert!(runtime.block_on(visit.devices_settled(Duration::from_secs(5))).is_some());
}

#[test]
fn a_message_too_large_costs_its_topic_and_not_the_connection() {
    let broker = Mosquitto::start(free_port());
    let port = broker.port;
    let huge = vec![b'x'; 9 * 1024 * 1024];
    let mut child = Command::new("mosquitto_pub")
        .args(["-h", "127.0.0.1", "-p", &port.to_string(), "-r", "-t", "huge", "-s"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&huge).unwrap();
    assert!(child.wait().unwrap().success());
    keep(port, "homeassistant/sensor/huge/config", r#"{"name":"Huge","stat_t":"huge"}"#);
    keep(port, "homeassistant/switch/fan/config", SWITCH);
    keep(port, "fan/up", "online");
    keep(port, "fan", "OFF");
    let node = Node::start(&config(port));
    wait_until("the topic is given up", || {
        node.mqtt.status().devices.last_problem.is_some_and(|problem| problem.starts_with("huge: "))
    });
    wait_until("it is connected again", || node.mqtt.status().connected);
    std::thread::sleep(Duration::from_secs(2));
    assert!(node.mqtt.status().connected);
    node.wait("switch.fan", Some("off"));
    assert_eq!(node.send("switch.fan", &DeviceCommand::TurnOn), Ok(()));
}
