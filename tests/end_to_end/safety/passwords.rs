//! A text in the mode `password`, as a real broker announces it: its value comes to the device and to nobody else, neither
//! what Hark sets nor what stood there before.

use crate::support::{Broker, Hark, Running, text, wait_for};
use serde_json::json;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

const NEW: &str = "Hunter2xyz";
const OLD: &str = "Oldsecret1";

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn holds(bytes: &[u8], secret: &str) -> bool {
    let secret = secret.to_lowercase();
    bytes.to_ascii_lowercase().windows(secret.len()).any(|window| window == secret.as_bytes())
}

#[test]
fn a_password_is_told_to_its_device_and_is_nowhere_else() {
    let (hark, broker) = (Hark::new(), Broker::start());
    let announced = json!({
        "name": "Guest password", "unique_id": "guest", "mode": "password",
        "command_topic": "guest/set", "state_topic": "guest/state",
    });
    let retained = |topic: &str, payload: &str| {
        crate::support::mosquitto::publish(broker.port, &["-r", "-t", topic, "-m", payload]);
    };
    retained("homeassistant/text/guest/config", &announced.to_string());
    retained("guest/state", OLD);
    let (told, device) = (broker.subscribe("hark/#"), broker.subscribe("guest/set"));
    let shown = tempfile::tempdir().unwrap();
    let mut command = hark.command(&["run", "--json", "--set", "audio.input_device=none"]);
    let url = format!("mqtt.url=mqtt://127.0.0.1:{}", broker.port);
    command.args(["--set", "audio.output_device=none", "--set", "intent.learn=false", "--set", &url]);
    command.stdout(File::create(shown.path().join("out")).unwrap());
    command.stderr(File::create(shown.path().join("err")).unwrap()).env("RUST_LOG", "hark=debug");
    let daemon = Running(command.spawn().unwrap());
    told.wait("the daemon", |line| line == "hark/hark/availability online");

    let answers = || told.lines().iter().filter(|line| line.starts_with("hark/hark/answer ")).count();
    let ask = |words: &str| {
        let before = answers();
        broker.publish("hark/hark/ask", words);
        // The device says what it was told, as devices do.
        let mut heard = 0;
        wait_for("the answer", Duration::from_secs(60), || {
            let all = device.lines();
            for line in &all[heard..] {
                retained("guest/state", line.strip_prefix("guest/set ").unwrap());
            }
            heard = all.len();
            (answers() > before).then_some(())
        });
        told.lines().into_iter().rfind(|line| line.starts_with("hark/hark/answer ")).unwrap()
    };
    let last = || device.lines().pop();
    wait_for("the field", Duration::from_secs(60), || {
        ask("what is the guest password").contains("is secret").then_some(())
    });

    let answer = ask(&format!("set the guest password to {NEW}"));
    assert!(answer.contains("Set the guest password."), "{answer}");
    assert_eq!(last().unwrap(), format!("guest/set {NEW}"));
    let answer = ask("undo that");
    assert_eq!(last().unwrap(), format!("guest/set {OLD}"), "{answer}");
    let answer = ask(&format!("write {NEW} into the guest password"));
    assert_eq!(last().unwrap(), format!("guest/set {NEW}"), "{answer}");
    // What is not understood, or does not fit, is not told either.
    ask(&format!("kindly could the guest password be {NEW} from tomorrow on"));
    ask(&format!("set the guest password to {}", NEW.repeat(30)));
    ask(&format!("turn on the lamp and set the guest password to {NEW}"));

    let list = hark.run(&["home", "list", "--json", "--set", &url]);
    let explained = hark.run(&["explain", "last"]);
    assert!(daemon.terminate().success());
    for output in [&list, &explained] {
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    assert!(text(&list.stdout).contains("Guest password"));
    for secret in [NEW, OLD] {
        let lines = told.lines();
        let found: Vec<&String> = lines
            .iter()
            .filter(|line| !line.starts_with("hark/hark/ask ") && holds(line.as_bytes(), secret))
            .collect();
        assert!(found.is_empty(), "{found:#?}");
        for output in [&list, &explained] {
            assert!(!holds(&output.stdout, secret), "{}", text(&output.stdout));
        }
        for file in files(hark.folder.path()).iter().chain(&files(shown.path())) {
            let bytes = std::fs::read(file).unwrap();
            let line = text(&bytes).lines().find(|line| holds(line.as_bytes(), secret)).map(str::to_owned);
            assert!(!holds(&bytes, secret), "{secret} in {}: {line:?}", file.display());
        }
    }
    let told = text(&std::fs::read(shown.path().join("out")).unwrap());
    assert!(told.contains("secret"), "the events are there, with a name in its place");
}
