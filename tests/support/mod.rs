//! Fixtures shared by test binaries: the program with a state folder of its own, people from flite,
//! a Mosquitto, a virtual sound card.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)] // not every test binary uses every fixture

pub mod desktop;
pub mod echo_room;
pub mod home_assistant;
pub mod model_server;
pub mod mosquitto;
pub mod publisher;
pub mod room;
pub mod sound_card;
pub mod terminal;
pub mod wire;
pub mod wire_format;

pub use mosquitto::free_port;

use mosquitto::{Listener, Mosquitto};
use serde_json::Value;
use sound_card::SoundCard;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Some 25 s for Hark to say, and nothing in it is like what the people say who interrupt.
pub const LONG_REPLY: &str = include_str!("../../src/cli/evaluations/long_reply.txt").trim_ascii();

/// The root of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Says that a test was left out, since something is missing that `make test` installs. With `CI` in the environment that is
/// a failure: a check that did not run has not passed.
pub fn skip(missing: &str) {
    assert!(std::env::var_os("CI").is_none(), "{missing} is missing, which `make test` installs");
    println!("skipped: {missing} is missing, which `make test` installs");
}

/// Recordings of real people, when they lie beside the project.
pub fn shared_data() -> Option<PathBuf> {
    let folder = root().join("../shared/data");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no recordings of people in ../shared/data");
    None
}

/// Hark with a fresh state folder, no broker and no user configuration.
pub struct Hark {
    pub folder: tempfile::TempDir,
}

impl Hark {
    /// How often there is a timer or reminder with each number, the last word of its name.
    pub fn timers_by_number(&self) -> BTreeMap<u64, usize> {
        let output = self.run(&["timers", "list", "--json"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let timers: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        let mut found = BTreeMap::new();
        for timer in timers {
            let name = timer["name"].as_str().unwrap();
            let number = name.rsplit(' ').next().and_then(|word| word.parse().ok());
            *found.entry(number.unwrap_or_else(|| panic!("{timer}"))).or_default() += 1;
        }
        found
    }

    /// The daemon at a broker on this machine, without a microphone and a speaker, quiet but for errors.
    pub fn daemon_without_sound(&self, port: u16) -> Running {
        let broker = format!("mqtt.url=mqtt://127.0.0.1:{port}");
        let mut command = self.command(&["run"]);
        for setting in [
            broker.as_str(),
            "audio.input_device=none",
            "audio.output_device=none",
            "mqtt.discovery=false",
            "intent.learn=false",
        ] {
            command.args(["--set", setting]);
        }
        Running(command.env("RUST_LOG", "error").stdout(Stdio::null()).spawn().unwrap())
    }

    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hark"));
        let config = self.path("hark.toml");
        if !config.exists() {
            std::fs::write(&config, "[mqtt]\nbroker = \"none\"\n").unwrap();
        }
        command.args(args);
        let says_where = args.iter().any(|arg| arg.starts_with("dashboard."));
        if args.first() == Some(&"run") && !says_where {
            // Several daemons run at once, beside one that the owner of the machine may have.
            command.args(["--set", "dashboard.listen=127.0.0.1:0"]);
        }
        command
            .env("HARK_CONFIG", config)
            .env("STATE_DIRECTORY", self.folder.path())
            .env("HARK_MODELS_DIR", root().join("models"))
            .env_remove("NOTIFY_SOCKET")
            .current_dir(self.folder.path());
        command
    }

    /// Starts the daemon with this sound card and this broker.
    pub fn live_in(&self, card: &SoundCard, broker: &Broker, settings: &[&str]) -> Running {
        let url = format!("mqtt.url=mqtt://127.0.0.1:{}", broker.port);
        let mut command = self.command(&["run", "--json", "--set", &url]);
        for setting in settings {
            command.args(["--set", setting]);
        }
        command.envs(card.env()).stdout(Stdio::null()).stderr(Stdio::inherit());
        Running(command.spawn().unwrap())
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).stdin(Stdio::null()).output().unwrap()
    }

    /// Asks one line after the other in one program, expects success, and reads the events.
    pub fn ask_lines(&self, options: &[&str], settings: &[String], lines: &[impl AsRef<str>]) -> Vec<Value> {
        let mut command = self.command(&[&["ask", "--json"], options].concat());
        for setting in settings {
            command.args(["--set", setting]);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let typed: String = lines.iter().flat_map(|line| [line.as_ref(), "\n"]).collect();
        child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{options:?} {settings:?}");
        parse_events(&text(&output.stdout))
    }

    /// Runs with `--json`, expects success, and reads the events.
    pub fn events(&self, args: &[&str]) -> Vec<Value> {
        let output = self.run(&[args, &["--json"]].concat());
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        parse_events(&text(&output.stdout))
    }
}

pub fn parse_events(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Events of one name.
pub fn named<'a>(events: &'a [Value], name: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event"] == name).collect()
}

/// The only event of a name.
pub fn only<'a>(events: &'a [Value], name: &str) -> &'a Value {
    let found = named(events, name);
    assert_eq!(found.len(), 1, "one {name} in {events:#?}");
    found[0]
}

/// Speaks with a flite voice (slt, rms, awb, kal16) into a WAV file, with some silence around it.
pub fn flite(voice: &str, words: &str, to: &Path) {
    let bare = to.with_extension("bare.wav");
    run(Command::new("flite").args(["-voice", voice, "-t", words, "-o"]).arg(&bare));
    run(Command::new("sox").arg("-D").arg(&bare).args(["-r", "16000"]).arg(to).args(["pad", "0.5", "1.0"]));
}

/// Runs a tool and expects it to succeed.
pub fn run(command: &mut Command) -> Output {
    let output = command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", text(&output.stderr));
    output
}

/// Waits until something is there.
pub fn wait_for<T>(what: &str, limit: Duration, mut check: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + limit;
    loop {
        if let Some(found) = check() {
            return found;
        }
        assert!(Instant::now() < end, "waited {limit:?} for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Random numbers, the same at every run: xorshift.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// A child process that is killed at the end of its test.
pub struct Running(pub Child);

impl Running {
    /// Asks it to end, as systemd does, and waits.
    pub fn terminate(mut self) -> std::process::ExitStatus {
        run(Command::new("kill").args(["-TERM", &self.0.id().to_string()]));
        let end = Instant::now() + Duration::from_secs(15);
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < end, "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A real Mosquitto on a port of its own.
pub struct Broker {
    pub port: u16,
    _process: Mosquitto,
}

impl Broker {
    pub fn start() -> Self {
        let port = free_port();
        Self { port, _process: Mosquitto::start(port) }
    }

    /// Publishes once.
    pub fn publish(&self, topic: &str, payload: &str) {
        mosquitto::publish(self.port, &["-t", topic, "-m", payload]);
    }

    /// The retained message of a topic.
    pub fn retained(&self, topic: &str) -> String {
        let seen = Listener::on(self.port, &[topic]).next_on(topic);
        assert!(seen.retained, "{topic} is retained");
        seen.payload
    }

    /// Starts to collect what is published.
    pub fn subscribe(&self, topic: &str) -> Subscription {
        Subscription { listener: Listener::on(self.port, &[topic]), seen: RefCell::default() }
    }
}

/// Everything that was published since, as `topic payload` lines.
pub struct Subscription {
    listener: Listener,
    seen: RefCell<Vec<String>>,
}

impl Subscription {
    pub fn lines(&self) -> Vec<String> {
        let mut seen = self.seen.borrow_mut();
        seen.extend(self.listener.lines.try_iter().map(|seen| format!("{} {}", seen.topic, seen.payload)));
        seen.clone()
    }

    /// Waits for a line that passes the check, also among those that came before.
    pub fn wait(&self, what: &str, check: impl Fn(&str) -> bool) -> String {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let lines = self.lines();
            if let Some(found) = lines.iter().find(|line| check(line)) {
                return found.clone();
            }
            let last = lines.len().saturating_sub(30);
            assert!(Instant::now() < end, "waited for {what}; the last lines: {:#?}", &lines[last..]);
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Such as `median 71 ms, p95 90 ms`, of values in milliseconds: half of them, and 95 of 100, are not above it (nearest
/// rank). Sorts them.
pub fn median_and_p95(values_ms: &mut [f64]) -> String {
    values_ms.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let rank = (values_ms.len() as f64 * share).ceil() as usize;
        values_ms.get(rank.max(1) - 1).copied().unwrap_or(f64::NAN)
    };
    format!("median {:.0} ms, p95 {:.0} ms", at(0.5), at(0.95))
}
