//! Devices that are announced by MQTT discovery, as Zigbee2MQTT and others do it, with nothing between them
//! and Hark but a broker: announced, switched, told of, taken away.

use crate::support::mosquitto::{Listener, publish};
use crate::support::{Broker, Hark, Running, Subscription, only, text, wait_for};
use std::process::Stdio;
use std::time::Duration;

/// A home with a place and nothing in it.
const HOME: &str = "[[area]]\nid = \"workshop\"\nname = \"Workshop\"\n";

const LAMP: &str = r#"{"schema":"json","name":null,"unique_id":"lamp_1","brightness":true,
    "command_topic":"zigbee2mqtt/bench_lamp/set","state_topic":"zigbee2mqtt/bench_lamp",
    "availability":[{"topic":"zigbee2mqtt/bridge/state","value_template":"{{ value_json.state }}"}],
    "device":{"identifiers":["lamp_1"],"name":"Bench lamp","suggested_area":"Workshop"}}"#;

const LAMP_TOPIC: &str = "homeassistant/light/lamp_1/light/config";

fn daemon(hark: &Hark, broker: &Broker) -> Running {
    std::fs::write(hark.path("home.toml"), HOME).unwrap();
    let home = format!("home.file={}", hark.path("home.toml").display());
    let url = format!("mqtt.url=mqtt://127.0.0.1:{}", broker.port);
    let settings = [&home, &url, "audio.input_device=none", "audio.output_device=none"];
    let mut args = vec!["run"];
    settings.iter().for_each(|setting| args.extend(["--set", *setting]));
    Running(hark.command(&args).stdout(Stdio::null()).spawn().unwrap())
}

/// Keeps a message at the broker, as devices keep their announcements.
fn keep(broker: &Broker, topic: &str, payload: &str) {
    publish(broker.port, &["-r", "-t", topic, "-m", payload]);
}

/// Asks again until the answer is this one: what a broker brings takes its time.
fn ask_until(broker: &Broker, all: &Subscription, question: &str, answer: &str) {
    let wanted = format!("hark/hark/answer {answer}");
    wait_for(&format!("{question}: {answer}"), Duration::from_secs(30), || {
        let before = answers(all).len();
        broker.publish("hark/hark/ask", question);
        wait_for("an answer", Duration::from_secs(20), || answers(all).get(before).cloned())
            .eq(&wanted)
            .then_some(())
    });
}

fn answers(all: &Subscription) -> Vec<String> {
    all.lines().into_iter().filter(|line| line.starts_with("hark/hark/answer ")).collect()
}

#[test]
fn a_lamp_on_the_broker_is_switched_without_home_assistant() {
    let broker = Broker::start();
    let hark = Hark::new();
    let (all, lamp) = (broker.subscribe("hark/#"), broker.subscribe("zigbee2mqtt/#"));
    keep(&broker, LAMP_TOPIC, LAMP);
    keep(&broker, "zigbee2mqtt/bridge/state", r#"{"state":"online"}"#);
    keep(&broker, "zigbee2mqtt/bench_lamp", r#"{"state":"OFF","brightness":100}"#);
    let _daemon = daemon(&hark, &broker);
    all.wait("the daemon", |line| line == "hark/hark/availability online");
    ask_until(&broker, &all, "are the lights in the workshop on", "No, the bench lamp is off.");

    // Told and done: the answer comes after the state of the lamp, and not before.
    broker.publish("hark/hark/ask", "turn on the lights in the workshop");
    lamp.wait("the command", |line| line == r#"zigbee2mqtt/bench_lamp/set {"state":"ON"}"#);
    let before = answers(&all).len();
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(answers(&all).len(), before, "nothing is promised before the lamp says so");
    broker.publish("zigbee2mqtt/bench_lamp", r#"{"state":"ON","brightness":100}"#);
    let answer = wait_for("the answer", Duration::from_secs(10), || answers(&all).get(before).cloned());
    assert_eq!(answer, "hark/hark/answer Turned on the bench lamp.");
    let receipt = all.wait("the receipt", |line| line.contains("\"action\"") && line.contains("\"ok\":true"));
    assert!(receipt.contains("light.bench_lamp"), "{receipt}");

    // Told, and not done: that is what is answered.
    let before = answers(&all).len();
    broker.publish("hark/hark/ask", "turn off the lights in the workshop");
    lamp.wait("the second command", |line| line == r#"zigbee2mqtt/bench_lamp/set {"state":"OFF"}"#);
    let answer = wait_for("the excuse", Duration::from_secs(20), || answers(&all).get(before).cloned());
    assert_eq!(answer, "hark/hark/answer I sent it, but nothing answered in time.");

    // Its bridge goes away, and then it itself does.
    keep(&broker, "zigbee2mqtt/bridge/state", r#"{"state":"offline"}"#);
    let again = "turn on the lights in the workshop";
    ask_until(&broker, &all, again, "Sorry, the bench lamp doesn't answer.");
    publish(broker.port, &["-r", "-n", "-t", LAMP_TOPIC]);
    ask_until(&broker, &all, again, "Sorry, there is no light in the Workshop.");
}

#[test]
fn a_typed_request_and_the_list_of_the_home_know_the_devices_too() {
    let broker = Broker::start();
    let hark = Hark::new();
    keep(&broker, LAMP_TOPIC, LAMP);
    keep(&broker, "zigbee2mqtt/bridge/state", r#"{"state":"online"}"#);
    keep(&broker, "zigbee2mqtt/bench_lamp", r#"{"state":"OFF","brightness":100}"#);
    let url = format!("mqtt.url=mqtt://127.0.0.1:{}", broker.port);
    let list = text(&hark.run(&["home", "list", "--set", &url]).stdout);
    let row = list.lines().find(|line| line.contains("light.bench_lamp")).unwrap_or_else(|| panic!("{list}"));
    assert!(row.contains("off") && row.contains("Bench lamp") && row.contains("[mqtt]"), "{row}");
    // The lamp does what it is told, and says so.
    let lamp = Listener::on(broker.port, &["zigbee2mqtt/bench_lamp/set"]);
    let port = broker.port;
    let answers = std::thread::spawn(move || {
        let told = lamp.next_on("/set").payload;
        publish(port, &["-t", "zigbee2mqtt/bench_lamp", "-m", r#"{"state":"ON","brightness":102}"#]);
        told
    });
    // By its name, which came from the broker a moment ago.
    let events = hark.events(&["ask", "--set", &url, "set the bench lamp to 40 percent"]);
    assert_eq!(answers.join().unwrap(), r#"{"state":"ON","brightness":102}"#);
    let receipt = &only(&events, "action")["receipt"];
    assert_eq!(receipt["ok"], true, "{receipt}");
    assert_eq!(only(&events, "reply")["text"], "Set the bench lamp to 40 percent.");
}

#[test]
fn a_lamp_that_comes_while_hark_runs_is_known_by_its_name_and_forgotten_when_it_goes() {
    let broker = Broker::start();
    let hark = Hark::new();
    let (all, lamp) = (broker.subscribe("hark/#"), broker.subscribe("zigbee2mqtt/#"));
    let _daemon = daemon(&hark, &broker);
    all.wait("the daemon", |line| line == "hark/hark/availability online");
    keep(&broker, LAMP_TOPIC, LAMP);
    keep(&broker, "zigbee2mqtt/bridge/state", r#"{"state":"online"}"#);
    keep(&broker, "zigbee2mqtt/bench_lamp", r#"{"state":"ON","brightness":100}"#);
    ask_until(&broker, &all, "is the bench lamp on", "Yes, the bench lamp is on.");
    broker.publish("hark/hark/ask", "turn off the bench lamp");
    lamp.wait("the command", |line| line == r#"zigbee2mqtt/bench_lamp/set {"state":"OFF"}"#);
    let before = answers(&all).len();
    keep(&broker, "zigbee2mqtt/bench_lamp", r#"{"state":"OFF"}"#);
    let answer = wait_for("the answer", Duration::from_secs(10), || answers(&all).get(before).cloned());
    assert_eq!(answer, "hark/hark/answer Turned off the bench lamp.");
    // Announced anew with another name: that is the one that counts.
    keep(&broker, LAMP_TOPIC, &LAMP.replace("Bench lamp", "Anvil lamp"));
    ask_until(&broker, &all, "is the anvil lamp on", "No, the anvil lamp is off.");
    publish(broker.port, &["-r", "-n", "-t", LAMP_TOPIC]);
    wait_for("it is forgotten", Duration::from_secs(30), || {
        let before = answers(&all).len();
        broker.publish("hark/hark/ask", "is the anvil lamp on");
        let answer = wait_for("an answer", Duration::from_secs(20), || answers(&all).get(before).cloned());
        (!answer.contains("is off")).then(|| println!("{answer}"))
    });
}
