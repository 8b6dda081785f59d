//! A Mosquitto of a test's own, and its command-line clients as the other side.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long anything may take before a test fails.
pub const PATIENCE: Duration = Duration::from_secs(25);

/// A port of 127.0.0.1 that was free a moment ago.
pub fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

/// Looks again and again until it is so; fails the test if it never is.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A Mosquitto of this test's own; killed when dropped.
pub struct Mosquitto {
    pub port: u16,
    child: Child,
    _dir: tempfile::TempDir,
}

impl Mosquitto {
    /// Open to everybody on this machine.
    pub fn start(port: u16) -> Self {
        Self::start_with(port, "allow_anonymous true\n", |_| {})
    }

    /// With more lines of configuration. `prepare` puts files beside the configuration; `{dir}` in `extra` is where they are.
    pub fn start_with(port: u16, extra: &str, prepare: impl Fn(&Path)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        prepare(dir.path());
        let extra = extra.replace("{dir}", &dir.path().display().to_string());
        let config = dir.path().join("mosquitto.conf");
        fs::write(&config, format!("listener {port} 127.0.0.1\npersistence false\nuser root\n{extra}"))
            .unwrap();
        let program = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/opt/homebrew/sbin/mosquitto"]
            .into_iter()
            .find(|path| Path::new(path).exists())
            .unwrap_or("mosquitto");
        let child = Command::new(program)
            .arg("-c")
            .arg(config)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("mosquitto is needed: apt-get install mosquitto mosquitto-clients");
        wait_until("mosquitto listens", || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok());
        Self { port, child, _dir: dir }
    }
}

impl Drop for Mosquitto {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One message as `mosquitto_sub` saw it.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    pub retained: bool,
    pub qos: u8,
    pub topic: String,
    pub payload: String,
}

/// A running `mosquitto_sub`.
pub struct Listener {
    child: Child,
    /// Messages that were not asked for yet.
    pub lines: Receiver<Seen>,
}

impl Listener {
    /// Subscribes and waits until the subscription stands.
    pub fn on(port: u16, filters: &[&str]) -> Self {
        // A retained message on the last filter is delivered after the others were subscribed.
        let ready = format!("test/ready/{}", free_port());
        publish(port, &["-r", "-t", &ready, "-m", "x"]);
        let mut command = Command::new("mosquitto_sub");
        command.args(["-h", "127.0.0.1", "-p", &port.to_string(), "-q", "1", "-F", "%r %q %t %p"]);
        for filter in filters.iter().copied().chain([ready.as_str()]) {
            command.args(["-t", filter]);
        }
        let mut child = command.stdout(Stdio::piped()).spawn().expect("mosquitto_sub is needed");
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (tx, lines) = channel();
        let (ready_tx, is_ready) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let mut parts = line.splitn(4, ' ');
                let mut next = || parts.next().unwrap_or_default().to_owned();
                let (retained, qos, topic, payload) = (next(), next(), next(), next());
                let delivered = match topic == ready {
                    true => ready_tx.send(()).is_ok(),
                    false => {
                        let qos = qos.parse().unwrap_or(9);
                        tx.send(Seen { retained: retained == "1", qos, topic, payload }).is_ok()
                    }
                };
                if !delivered {
                    return;
                }
            }
        });
        is_ready.recv_timeout(PATIENCE).expect("mosquitto_sub subscribes");
        Self { child, lines }
    }

    /// The next message on a topic that ends so; others are passed over.
    pub fn next_on(&self, end: &str) -> Seen {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let seen = self.lines.recv_timeout(left).unwrap_or_else(|_| panic!("nothing came on …{end}"));
            if seen.topic.ends_with(end) {
                return seen;
            }
        }
    }

    /// The next message on such a topic with this payload.
    pub fn expect(&self, end: &str, payload: &str) -> Seen {
        loop {
            let seen = self.next_on(end);
            if seen.payload == payload {
                return seen;
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs `mosquitto_pub` with QoS 1.
pub fn publish(port: u16, args: &[&str]) {
    let status = Command::new("mosquitto_pub")
        .args(["-h", "127.0.0.1", "-p", &port.to_string(), "-q", "1"])
        .args(args)
        .status()
        .expect("mosquitto_pub is needed");
    assert!(status.success(), "mosquitto_pub {args:?}");
}

/// Publishes any bytes with QoS 1.
pub fn publish_bytes(port: u16, topic: &str, bytes: &[u8]) {
    let mut child = Command::new("mosquitto_pub")
        .args(["-h", "127.0.0.1", "-p", &port.to_string(), "-q", "1", "-t", topic, "-s"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    assert!(child.wait().unwrap().success());
}
