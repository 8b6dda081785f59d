//! A measurement: 500 lights in 50 areas announced on MQTT, from the words of a typed command to the message at the
//! broker. `cargo test --test scenarios large_fleet -- --ignored --nocapture`

use crate::support::mosquitto::{Listener, Mosquitto, free_port, publish};
use crate::support::publisher::Publisher;
use crate::support::{Hark, Running, wait_for};
use std::process::Stdio;
use std::time::{Duration, Instant};

const AREAS: usize = 50;
const LIGHTS_EACH: usize = 10;
const COMMANDS: usize = 200;

/// Names of rooms and lights that are said differently.
const ROOMS: [&str; 10] =
    ["kitchen", "office", "bedroom", "hall", "studio", "attic", "cellar", "lounge", "library", "garage"];
const STOREYS: [&str; 5] = ["upper", "lower", "north", "south", "middle"];
const LIGHTS: [&str; 10] =
    ["ceiling", "desk", "window", "corner", "shelf", "door", "wall", "floor", "mirror", "table"];

fn area(number: usize) -> String {
    format!("{} {}", STOREYS[number / 10], ROOMS[number % 10])
}

/// A median and the value that 95 in 100 stay under, of sorted times.
fn told(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    format!("median {:.1} ms, p95 {:.1} ms, most {:.1} ms, of {}", at(0.5), at(0.95), at(1.0), times.len())
}

#[test]
#[ignore = "a measurement"]
fn from_typed_words_to_the_message_at_the_broker() {
    let port = free_port();
    // By itself Mosquitto gathers small messages for up to 40 ms, which would be measured instead of Hark.
    let _broker = Mosquitto::start_with(port, "allow_anonymous true\nset_tcp_nodelay true\n", |_| {});
    let hark = Hark::new();
    let mut publisher = Publisher::connect(port);
    for number in 0..AREAS * LIGHTS_EACH {
        let (area, light) = (area(number / LIGHTS_EACH), LIGHTS[number % LIGHTS_EACH]);
        let announced = serde_json::json!({"name": format!("{area} {light} light"), "uniq_id": format!("l{number}"),
            "cmd_t": format!("l/{number}/set"), "stat_t": format!("l/{number}"),
            "dev": {"ids": [format!("d{number}")], "name": format!("{area} {light} light"), "sa": area}});
        let topic = format!("homeassistant/light/l{number}/config");
        publisher.add(&topic, announced.to_string().as_bytes(), true);
        publisher.add(&format!("l/{number}"), b"OFF", true);
    }
    assert!(publisher.send());
    std::fs::write(hark.path("home.toml"), "[[area]]\nid = \"yard\"\nname = \"Yard\"\n").unwrap();
    let home = format!("home.file={}", hark.path("home.toml").display());
    let url = format!("mqtt.url=mqtt://127.0.0.1:{port}");
    let mut command = hark.command(&["run", "--set", &home, "--set", &url]);
    command.args(["--set", "audio.input_device=none", "--set", "audio.output_device=none"]);
    let _running = Running(command.env("RUST_LOG", "error").stdout(Stdio::null()).spawn().unwrap());
    let seen = Listener::on(port, &["hark/hark/availability", "hark/hark/answer", "l/+/set"]);
    seen.expect("/availability", "online");
    let warm = || {
        publish(port, &["-t", "hark/hark/ask", "-m", "turn on the middle garage table light"]);
        let seen = seen.lines.recv_timeout(Duration::from_secs(20)).ok()?;
        (seen.topic == "l/499/set").then_some(())
    };
    wait_for("the lights", Duration::from_secs(120), warm);
    let mut times = Vec::new();
    for number in 0..COMMANDS {
        // Answers and receipts of the one before.
        std::thread::sleep(Duration::from_millis(60));
        while seen.lines.try_recv().is_ok() {}
        let light = number * 7 % (AREAS * LIGHTS_EACH - 1);
        let words =
            format!("turn on the {} {} light", area(light / LIGHTS_EACH), LIGHTS[light % LIGHTS_EACH]);
        publisher.add("hark/hark/ask", words.as_bytes(), false);
        let begun = Instant::now();
        assert!(publisher.send());
        let told = seen.next_on(&format!("l/{light}/set"));
        times.push(begun.elapsed().as_secs_f64() * 1000.0);
        assert_eq!(told.payload, "ON", "{words}");
        publisher.add(&format!("l/{light}"), b"ON", true);
        assert!(publisher.send());
    }
    println!("500 lights in 50 areas, words to message, both over the broker: {}", told(times));
}
