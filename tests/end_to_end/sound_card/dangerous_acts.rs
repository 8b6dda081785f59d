//! Who lets somebody in gives a yes or the PIN first, on every road a request can come by.

use crate::sound_card::interrupting::Room;
use crate::support::mosquitto::publish;
use crate::support::{Broker, Hark, Running, Subscription, flite, named, parse_events, run, text, wait_for};
use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

const PIN: &str = "4217";

/// Settings under which unlocking needs the PIN and opening a yes.
fn settings(hark: &Hark) -> Vec<String> {
    let file = hark.path("pin");
    std::fs::write(&file, format!("{PIN}\n")).unwrap();
    vec!["permissions.pin=[\"unlock\",\"disarm\"]".into(), format!("permissions.pin_file={}", file.display())]
}

fn with<'a>(settings: &'a [String], args: &[&'a str]) -> Vec<&'a str> {
    let mut all: Vec<&str> = args.to_vec();
    settings.iter().for_each(|setting| all.extend(["--set", setting.as_str()]));
    all
}

/// One conversation on the command line.
fn conversation(hark: &Hark, lines: &[&str]) -> Vec<Value> {
    let settings = settings(hark);
    let args = with(&settings, &["ask", "--json", "--session", "door"]);
    let mut child = hark.command(&args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all((lines.join("\n") + "\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    parse_events(&text(&output.stdout))
}

fn unlocked(events: &[Value]) -> usize {
    let done = |action: &&&Value| action["receipt"]["changed"] == true;
    named(events, "action").iter().filter(done).count()
}

fn last_reply(events: &[Value]) -> String {
    named(events, "reply").last().unwrap()["text"].as_str().unwrap().to_owned()
}

/// Whether digits or words of the PIN stand anywhere in what Hark wrote.
fn tells_the_pin(bytes: &[u8]) -> bool {
    let shown = String::from_utf8_lossy(bytes).to_lowercase();
    // There are also numbers that are no PIN, times with a fraction among them: only whole ones count.
    let mut words = shown.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let digits = words.any(|word| word.trim_matches('.') == PIN);
    digits || ["four two", "two one", "one seven"].iter().any(|words| shown.contains(words))
}

#[test]
fn a_typed_pin_opens_the_door_and_is_written_nowhere() {
    let hark = Hark::new();
    for answer in [PIN, "four two one seven", "the pin is 4 2 1 7"] {
        let events = conversation(&hark, &["unlock the front door", answer, "lock the front door"]);
        assert_eq!(unlocked(&events), 2, "{answer}: {events:#?}");
        assert_eq!(named(&events, "turn")[0]["outcome"], "awaiting_approval");
        assert_eq!(named(&events, "intent")[1]["name"], "HarkPin");
        assert!(!tells_the_pin(serde_json::to_string(&events).unwrap().as_bytes()), "{events:#?}");
    }
    // A yes is not enough, another request withdraws the question, and a dry run is no try.
    let events = conversation(&hark, &["unlock the front door", "yes"]);
    assert_eq!((unlocked(&events), last_reply(&events).contains("PIN")), (0, true));
    assert_eq!(unlocked(&conversation(&hark, &["unlock the front door", "what time is it", PIN])), 0);
    // One question names everything that its answer lets through.
    let both = conversation(&hark, &["unlock the front door and unlock the back door", PIN]);
    let asked = named(&both, "reply")[0]["text"].as_str().unwrap();
    assert_eq!(asked, "What is the PIN to unlock the front door and unlock the back door?");
    assert_eq!(unlocked(&both), 2);
    // Several acts of one request, and a follow-up: the PIN too.
    let events = conversation(&hark, &["lock the front door", "unlock it", PIN]);
    assert_eq!(named(&events, "intent")[1]["route"], "context", "{events:#?}");
    // Both change it: the virtual door was left unlocked.
    assert_eq!(unlocked(&events), 2, "{events:#?}");
    // Opening needs a yes, as everything that no list names.
    assert_eq!(unlocked(&conversation(&hark, &["open the garage door", "yes"])), 1);

    let mut all = Vec::new();
    for entry in std::fs::read_dir(hark.folder.path()).unwrap().map(Result::unwrap) {
        let named = entry.file_name();
        if entry.path().is_file() && named != "pin" && named != "hark.toml" {
            all.extend(std::fs::read(entry.path()).unwrap());
            all.push(b'\n');
        }
    }
    assert!(!all.is_empty() && !tells_the_pin(&all), "the store and the state folder do not know it");
}

#[test]
fn three_wrong_pins_lock_it_for_every_program_that_asks() {
    let hark = Hark::new();
    let events = conversation(&hark, &["unlock the front door", "1111", "2222"]);
    assert_eq!(last_reply(&events), "That is not the PIN. Try again?");
    let events = conversation(&hark, &["unlock the front door", "3333", PIN]);
    assert_eq!(unlocked(&events), 0);
    assert!(named(&events, "reply")[1]["text"].as_str().unwrap().starts_with("Too many wrong PINs"));
    let events = conversation(&hark, &["unlock the front door", PIN]);
    assert_eq!(unlocked(&events), 0, "the right one does not help now");
}

#[test]
fn the_classifier_asks_too_and_what_is_switched_off_stays_so() {
    let hark = Hark::new();
    let settings = settings(&hark);
    let words = "unlock that silly front door for my grandma who waits";
    let events = hark.events(&with(&settings, &["ask", words]));
    let intent = named(&events, "intent")[0];
    assert_eq!((&intent["name"], &intent["route"]), (&"HassTurnOff".into(), &"intent".into()), "{intent}");
    assert_eq!(named(&events, "action")[0]["receipt"]["detail"]["error"], "needs_pin", "{events:#?}");
    let args = with(&settings, &["ask", "--set", "permissions.deny=[\"unlock\"]", "unlock the front door"]);
    assert_eq!(named(&hark.events(&args), "action")[0]["receipt"]["detail"]["error"], "forbidden");
    // Without a PIN there is none that could be right: that is told at the start.
    let output = hark.run(&["ask", "--set", "permissions.dangerous=pin", "unlock the front door"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("permissions.pin_file"), "{}", text(&output.stderr));
    let output = hark.run(&["ask", "--set", "permissions.deny=[\"unlok\"]", "hello"]);
    assert!(text(&output.stderr).contains("did you mean \"unlock\"?"), "{}", text(&output.stderr));
}

#[test]
fn a_spoken_pin_is_heard_and_hidden() {
    let hark = Hark::new();
    let settings = settings(&hark);
    let (request, pin, both) = (hark.path("request.wav"), hark.path("pin.wav"), hark.path("both.wav"));
    flite("rms", "hey jarvis, unlock the front door", &request);
    flite("rms", "four two one seven", &pin);
    let pause = hark.path("pause.wav");
    run(Command::new("sox")
        .args(["-n", "-r", "16000", "-c", "1", "-b", "16"])
        .arg(&pause)
        .args(["trim", "0", "5"]));
    run(Command::new("sox").arg(&request).arg(&pause).arg(&pin).arg(&pause).arg(&both));
    let output = run(hark.command(&with(&settings, &["hear", "--json"])).arg(&both));
    let events = parse_events(&text(&output.stdout));
    assert_eq!(unlocked(&events), 1, "{events:#?}");
    assert!(named(&events, "transcript").iter().any(|heard| heard["text"] == "[PIN]"));
    assert!(!tells_the_pin(&output.stdout) && !tells_the_pin(&output.stderr), "{}", text(&output.stdout));
}

fn daemon(hark: &Hark, broker: &Broker) -> Running {
    let url = format!("mqtt.url=mqtt://127.0.0.1:{}", broker.port);
    let settings = settings(hark);
    let args = with(
        &settings,
        &["run", "--set", &url, "--set", "audio.input_device=none", "--set", "audio.output_device=none"],
    );
    let child = hark.command(&args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    Running(child.unwrap())
}

fn answered(broker: &Broker, all: &Subscription, asked: &str) -> String {
    let answers = || -> Vec<String> {
        all.lines().into_iter().filter(|line| line.starts_with("hark/hark/answer ")).collect()
    };
    let before = answers().len();
    publish(broker.port, &["-t", "hark/hark/ask", "-m", asked]);
    wait_for(asked, Duration::from_secs(20), || answers().get(before).cloned())
}

#[test]
fn over_mqtt_each_conversation_answers_its_own_question() {
    let broker = Broker::start();
    let hark = Hark::new();
    let all = broker.subscribe("hark/#");
    let mut daemon = daemon(&hark, &broker);
    all.wait("the daemon", |line| line == "hark/hark/availability online");
    let in_session = |name: &str, words: &str| {
        answered(&broker, &all, &format!(r#"{{"text":"{words}","session":"{name}"}}"#))
    };
    let asked = in_session("hall", "unlock the front door");
    assert!(asked.ends_with("What is the PIN to unlock the front door?"), "{asked}");
    for stranger in [in_session("attic", PIN), answered(&broker, &all, "four two one seven")] {
        assert!(stranger.ends_with("I didn't understand that."), "{stranger}");
    }
    let done = in_session("hall", PIN);
    assert!(done.ends_with("Unlocked the front door."), "{done}");
    // What is put off is asked about before it is kept.
    let set = in_session("hall", "unlock the back door in two seconds");
    assert!(set.ends_with("What is the PIN to unlock the back door?"), "{set}");
    let kept = in_session("hall", PIN);
    assert!(!kept.contains("Sorry"), "{kept}");
    // At its time, by itself: the room is asked, and nobody on MQTT answers for it.
    let keeps = |line: &str| line.contains("timer.start");
    all.wait("that it is asked", |line| {
        line.contains("needs_pin") && line.contains("back_door") && !keeps(line)
    });
    let late = answered(&broker, &all, PIN);
    assert!(late.ends_with("I didn't understand that."), "{late}");
    let seen = all.lines();
    assert_eq!(
        seen.iter()
            .filter(|line| line.contains("home.turn_off")
                && line.contains("\"changed\":true")
                && !keeps(line))
            .count(),
        1,
        "the front door only"
    );
    // What was asked is on `ask`; Hark itself tells it nowhere.
    let told: Vec<_> = seen.iter().filter(|line| !line.starts_with("hark/hark/ask ")).collect();
    assert!(!told.iter().any(|line| tells_the_pin(line.as_bytes())), "{told:#?}");
    run(Command::new("kill").args(["-TERM", &daemon.0.id().to_string()]));
    let mut log = Vec::new();
    std::io::Read::read_to_end(&mut daemon.0.stderr.take().unwrap(), &mut log).unwrap();
    assert!(!tells_the_pin(&log), "{}", text(&log));
}

#[test]
fn what_was_put_off_is_asked_aloud_and_done_after_a_spoken_yes() {
    let room = Room::new(&["speaking.follow_up_ms=6000"]);
    let yes = room.hark.path("yes.wav");
    flite("kal16", "yes", &yes);
    room.broker.publish("hark/hark/ask", "unlock the back door in two seconds");
    let is_asked = |action: &Value| action["receipt"]["detail"]["later"] == true;
    wait_for("the question", Duration::from_secs(20), || room.events("action").into_iter().find(is_asked));
    room.broker.publish("hark/hark/ask", "yes");
    room.wait_for("speaking_ended", 0);
    room.card.play_into_room(&yes);
    let done = wait_for("the door", Duration::from_secs(20), || {
        room.events("action")
            .into_iter()
            .find(|action| action["receipt"]["changed"] == true && action["tool"] == "home.turn_off")
    });
    assert_eq!(done["receipt"]["ok"], true, "{done}");
}
