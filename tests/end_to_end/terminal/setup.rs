//! `hark setup`, answered by a script: with everything, with nothing, with the wrong things.

use crate::support::home_assistant::{HomeAssistant, TOKEN};
use crate::support::model_server::ModelServer;
use crate::support::sound_card::{RATE_HZ, SoundCard};
use crate::support::terminal::Terminal;
use crate::support::{Broker, Hark, flite, text, wait_for};
use mdns_sd::{ServiceDaemon, ServiceInfo};
use std::fs;
use std::process::Command;
use std::time::Duration;

const CONFIG: &str = "# Our house.\n[mqtt]\nbroker = \"none\" # nobody needs it\n\n[vad]\nthreshold = 0.6\n";

fn setup(hark: &Hark, arguments: &[&str]) -> Command {
    fs::write(hark.path("hark.toml"), CONFIG).unwrap();
    hark.command(&[&["setup"], arguments].concat())
}

fn config(hark: &Hark) -> toml::Table {
    let text = fs::read_to_string(hark.path("hark.toml")).unwrap();
    for kept in ["# Our house.", "# nobody needs it", "[vad]\nthreshold = 0.6\n"] {
        assert!(text.contains(kept), "{text}");
    }
    toml::from_str(&text).unwrap()
}

/// Announces a service on the network, as Home Assistant and brokers do, for as long as it is held.
fn announce(kind: &str, name: &str, port: u16) -> ServiceDaemon {
    let daemon = ServiceDaemon::new().unwrap();
    let host = format!("{name}.local.");
    let info = ServiceInfo::new(kind, name, &host, "127.0.0.1", port, &[("location_name", name)][..]);
    daemon.register(info.unwrap()).unwrap();
    daemon
}

#[test]
fn a_new_owner_is_led_to_a_hark_that_answers() {
    let (hark, home, broker) = (Hark::new(), HomeAssistant::with_home(), Broker::start());
    let name = format!("house-{}", std::process::id());
    let announced = [
        announce("_home-assistant._tcp.local.", &name, home.address.port()),
        announce("_mqtt._tcp.local.", &name, broker.port),
    ];
    let models = ModelServer::start();
    models.has(&["llama3.2:latest", "qwen3:8b"]);

    let mut terminal = Terminal::start(setup(&hark, &["--set", "audio.input_device=none"]));
    terminal.expect("Step 1 of 10: Language");
    terminal.answer("Which language", "seven");
    terminal.expect("A number from 1 to");
    terminal.answer("Which language", "");
    // Whether this machine has a sound card or not.
    for step in ["Speaker", "Voice", "Microphone", "Wake word"] {
        terminal.expect(&format!("of 10: {step}"));
        terminal.answer("", "skip");
    }
    terminal.expect("of 10: Home Assistant");
    terminal.pick("Which one?", &name);
    terminal.answer("The token", "");
    terminal.expect("lets nobody in");
    terminal.answer("The token", "not-the-token");
    terminal.expect("That does not work");
    terminal.expect("What helps");
    terminal.pick("What now?", "another token");
    terminal.answer("The token", TOKEN);
    terminal.expect("lets Hark in: 2 areas");
    assert!(!terminal.all().contains(TOKEN), "a token is not shown");

    terminal.pick("Which broker?", &name);
    terminal.answer("User name", "");
    terminal.expect("lets Hark in");
    terminal.expect("These rooms are known");
    terminal.answer("More rooms", "Attic, Cellar");
    terminal.pick("In which room", "Kitchen");
    terminal.expect("4 rooms; this machine: Kitchen");

    terminal.expect("of 10: Language model");
    // A machine with a network is asked whether it may be looked through.
    let asks = wait_for("a question", Duration::from_secs(20), || {
        let unread = terminal.unread();
        let asks = unread.contains("Look for one in the network");
        (asks || unread.contains("Which server?")).then_some(asks)
    });
    if asks {
        terminal.answer("Look for one", "perhaps");
        terminal.answer("please", "no");
    }
    terminal.pick("Which server?", "another address");
    terminal.answer("Which address?", &models.url());
    terminal.pick("Which model?", "qwen3:8b");
    terminal.expect("uses qwen3:8b");

    terminal.expect("of 10: A request");
    terminal.answer("What shall it be asked?", "");
    terminal.expect("understood: “what time is it”");
    terminal.expect("answer: “");
    terminal.expect("What is set now");
    assert!(terminal.ended().success());
    drop(announced);

    let config = config(&hark);
    let token_file = config["homeassistant"]["token_file"].as_str().unwrap();
    assert_eq!(fs::read_to_string(token_file).unwrap(), TOKEN);
    let permissions = fs::metadata(token_file).unwrap().permissions();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&permissions) & 0o777, 0o600);
    assert_eq!(config["homeassistant"]["url"].as_str(), Some(home.url().as_str()));
    assert_eq!(config["mqtt"]["url"].as_str(), Some(format!("mqtt://127.0.0.1:{}", broker.port).as_str()));
    assert_eq!(
        (config["home"]["area"].as_str(), config["llm"]["model"].as_str()),
        (Some("Kitchen"), Some("qwen3:8b"))
    );
    assert!(fs::read_to_string(hark.path("home.toml")).unwrap().contains("name = \"Cellar\""));
    assert!(hark.run(&["config", "check"]).status.success());
}

#[test]
fn what_is_missing_is_said_in_german_and_may_be_left_out() {
    let hark = Hark::new();
    let mut command = setup(&hark, &["language", "speaker", "microphone", "home-assistant", "model"]);
    // A sound system without a card.
    command.env("ALSA_CONFIG_PATH", "/dev/null");
    let mut terminal = Terminal::start(command);
    terminal.pick("Which language", "Deutsch");
    terminal.expect("Schritt 2 von 5: Lautsprecher");
    terminal.expect("Es gibt keinen Lautsprecher");
    terminal.expect("Das hilft:");
    terminal.answer("noch einmal versuchen", "vielleicht");
    terminal.answer("Bitte „ja“ oder „nein“", "nein");
    terminal.expect("Mikrofon");
    terminal.expect("Es gibt kein Mikrofon");
    terminal.answer("noch einmal versuchen", "weiter");
    terminal.pick("Welches?", "eine andere Adresse");
    terminal.answer("Welche Adresse?", "127.0.0.1:1");
    terminal.answer("Das Token", "abc");
    terminal.expect("Das geht nicht");
    terminal.pick("Und nun?", "trotzdem");
    terminal.expect("http://127.0.0.1:1, was noch nicht geht");
    terminal.expect("Sprachmodell");
    // Ends in the midst of it: what was written stays.
    terminal.expect(" > ");
    terminal.type_keys("ende\r");
    terminal.expect("Lautsprecher: ausgelassen; `hark setup speaker`");
    assert!(terminal.ended().success());
    let config = config(&hark);
    assert_eq!(config["speaking"]["language"].as_str(), Some("de"));
    assert_eq!(config["homeassistant"]["url"].as_str(), Some("http://127.0.0.1:1"));
    assert!(config.get("llm").is_none());
}

#[test]
fn without_a_network_it_says_so_and_goes_on() {
    let alone = |program: &str| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--net", program]);
        command
    };
    if !alone("true").status().is_ok_and(|status| status.success()) {
        println!("skipped: this machine lets nobody have a network of their own");
        return;
    }
    let hark = Hark::new();
    let whole = setup(&hark, &["home-assistant", "broker", "model"]);
    let mut command = alone(&whole.get_program().to_string_lossy());
    command.args(whole.get_args()).current_dir(hark.folder.path());
    command.envs(whole.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut terminal = Terminal::start(command);
    terminal.expect("Nothing has announced itself");
    terminal.pick("Which one?", "another address");
    terminal.answer("Which address?", "http://192.168.7.7:8123");
    terminal.answer("The token", "abc");
    terminal.expect("That does not work");
    terminal.answer("What now?", "skip");
    terminal.expect("Nothing has announced itself");
    terminal.pick("Which broker?", "no MQTT");
    terminal.expect("There is no Ollama on this machine");
    terminal.pick("Which server?", "none");
    terminal.expect("Home Assistant: left out");
    assert!(terminal.ended().success());
    assert!(config(&hark).get("homeassistant").is_none());
}

#[test]
fn what_is_heard_and_said_is_tried_by_ear() {
    if !SoundCard::available() {
        eprintln!("left out: pulseaudio is not installed");
        return;
    }
    let (card, hark) = (SoundCard::start(), Hark::new());
    let (sentence, word) = (hark.path("sentence.wav"), hark.path("word.wav"));
    flite("slt", "the quick brown fox jumps over the lazy dog, and then it sleeps for a while", &sentence);
    flite("slt", "hey jarvis", &word);
    let request = hark.path("request.wav");
    flite("slt", "hey jarvis, what time is it", &request);
    let mut command = setup(&hark, &["speaker", "voice", "microphone", "wake", "test"]);
    command.envs(card.env());
    let played = card.record_speaker();
    let mut terminal = Terminal::start(command);
    terminal.answer("Which speaker?", "");
    terminal.pick("Do you hear it?", "yes");
    assert!(played.stop().iter().any(|sample| sample.abs() > 0.02), "two tones came out");
    let spoken = card.record_speaker();
    terminal.answer("Which voice?", "");
    terminal.answer("do you like it", "no");
    terminal.answer("Which voice?", "");
    terminal.answer("do you like it", "yes");
    assert!(spoken.stop().len() > 5 * RATE_HZ as usize, "it spoke twice");
    terminal.answer("Which microphone?", "");
    terminal.answer("Press Enter", "");
    card.play_into_room(&sentence);
    terminal.expect("Heard: peak -");
    terminal.answer("Was that you", "yes");
    terminal.pick("Which one?", "hey jarvis");
    terminal.expect("Say “hey jarvis” 2 times");
    for _ in 0..2 {
        card.play_into_room(&word);
        terminal.expect("heard (score");
    }
    terminal.expect("“hey jarvis”, heard");
    terminal.expect("Say: “hey jarvis, what time is it”");
    card.play_into_room(&request);
    terminal.expect("understood: “what time is it”");
    terminal.expect("answer: “");
    terminal.answer("Did you hear the answer?", "yes");
    terminal.expect("answered “");
    assert!(terminal.ended().success());
}

#[test]
fn without_a_terminal_it_says_what_to_do() {
    let hark = Hark::new();
    let output = hark.run(&["setup"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("terminal") && said.contains("hark config set"), "{said}");
}

#[test]
fn a_terminal_that_is_closed_and_ctrl_c_end_it_and_leave_the_terminal_as_it_was() {
    let hark = Hark::new();
    let mut terminal = Terminal::start(setup(&hark, &["home-assistant"]));
    terminal.pick("Which one?", "another address");
    terminal.answer("Which address?", "http://127.0.0.1:1");
    terminal.expect("The token");
    terminal.expect(" > ");
    assert!(!terminal.echoes());
    terminal.type_keys("abc\x7f\x03");
    terminal.expect("***");
    assert!(terminal.ended().success());
    assert!(terminal.echoes(), "letters are shown again");

    let mut terminal = Terminal::start(setup(&hark, &["language"]));
    terminal.expect("Which language");
    terminal.expect(" > ");
    terminal.type_keys("\x04");
    assert!(terminal.ended().success(), "nothing more can be typed");
}
