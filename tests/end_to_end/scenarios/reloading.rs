//! A running daemon is told to read its configuration anew, as `systemctl reload` does, and a terminal is closed.

use crate::scenarios::daemon_api::get;
use crate::support::{Broker, Hark, Running, free_port, run};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixDatagram;
use std::process::{Command, Stdio};
use std::time::Duration;

const HOME: &str = "[[area]]\nid = \"kitchen\"\nname = \"Kitchen\"\n\n\
    [[entity]]\nid = \"light.beacon\"\nname = \"Beacon\"\narea = \"kitchen\"\n";

/// The service manager's end of `$NOTIFY_SOCKET`.
struct Manager(UnixDatagram);

impl Manager {
    fn at(hark: &Hark) -> Self {
        let socket = UnixDatagram::bind(hark.path("notify")).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        Self(socket)
    }

    /// What it is told next, besides how the devices are.
    fn told(&self) -> String {
        loop {
            let mut buffer = [0; 4096];
            let length = self.0.recv(&mut buffer).unwrap();
            let told = String::from_utf8_lossy(&buffer[..length]).trim().to_owned();
            if !told.starts_with("STATUS=") {
                return told;
            }
        }
    }
}

/// With the interface and the broker on these ports.
fn write_config(hark: &Hark, (port, broker): (u16, u16), more: &str) {
    let text = format!(
        "[mqtt]\nurl = \"mqtt://127.0.0.1:{broker}\"\n[audio]\ninput_device = \"none\"\noutput_device = \"none\"\n\
         [intent]\nlearn = false\n[dashboard]\nlisten = \"127.0.0.1:{port}\"\n[home]\nfile = \"home.toml\"\n{more}"
    );
    fs::write(hark.path("hark.toml"), text).unwrap();
}

fn hang_up(daemon: &Running) {
    run(Command::new("kill").args(["-HUP", &daemon.0.id().to_string()]));
}

/// What the daemon answers to a typed request.
fn ask(address: SocketAddr, text: &str) -> Value {
    let body = json!({ "text": text }).to_string();
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!("POST /api/v1/ask HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    let kind = format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all([head, kind, body].concat().as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[test]
fn a_hangup_has_everything_read_anew() {
    let hark = Hark::new();
    let broker = Broker::start();
    let ports = (free_port(), broker.port);
    let address = SocketAddr::from(([127, 0, 0, 1], ports.0));
    write_config(&hark, ports, "");
    fs::write(hark.path("home.toml"), HOME).unwrap();
    let manager = Manager::at(&hark);
    // What is given with --set counts more than the file: the fixture gives no port where one is.
    let mut command = hark.command(&["run", "--set", "dashboard.enabled=true"]);
    command.env("NOTIFY_SOCKET", hark.path("notify")).stdout(Stdio::null());
    let daemon = Running(command.spawn().unwrap());
    assert_eq!(manager.told(), "READY=1\nSTATUS=listening");
    let told = broker.subscribe("hark/hark/event");
    let outcome = |text: &str| ask(address, text)["outcome"].clone();
    assert_eq!(outcome("turn on the beacon"), "done");
    assert_ne!(outcome("turn on the zeppelin"), "done");

    // A mistake: everything stays.
    fs::write(hark.path("home.toml"), HOME.replace("Beacon", "Zeppelin")).unwrap();
    write_config(&hark, ports, "[speaking]\nvolume_percent = 140\n");
    hang_up(&daemon);
    let begun = manager.told();
    assert!(begun.starts_with("RELOADING=1\nMONOTONIC_USEC="), "{begun}");
    let over = manager.told();
    assert!(
        over.starts_with("READY=1\nSTATUS=listening; as before") && over.contains("volume_percent"),
        "{over}"
    );
    assert_eq!(outcome("turn on the beacon"), "done");
    assert_ne!(outcome("turn on the zeppelin"), "done");

    write_config(&hark, ports, "area = \"Kitchen\"\n[speaking]\nvolume_percent = 33\n");
    hang_up(&daemon);
    assert!(manager.told().starts_with("RELOADING=1"));
    assert_eq!(manager.told(), "READY=1\nSTATUS=listening; in force only after a restart: home.area");
    assert_eq!(outcome("turn on the zeppelin"), "done");
    assert_ne!(outcome("turn on the beacon"), "done");
    // Without a speaker there is no volume to be shown, and the event is told all the same.
    let volume = "\"name\":\"volume_percent\",\"value\":33,";
    told.wait("the volume of the file", |line| line.contains(volume));
    assert_eq!(get(address, "/api/v1/health")["ok"], true);
    assert!(daemon.terminate().success());
    assert_eq!(manager.told(), "STOPPING=1");
}

/// Closing the window of a terminal still ends what runs in it.
#[test]
fn a_terminal_that_is_closed_ends_the_daemon() {
    let hark = Hark::new();
    let manager = Manager::at(&hark);
    let daemon =
        hark.command(&["run", "--set", "audio.input_device=none", "--set", "audio.output_device=none"]);
    let words: Vec<_> = std::iter::once(daemon.get_program()).chain(daemon.get_args()).collect();
    let line = words.iter().map(|word| format!("'{}'", word.display())).collect::<Vec<_>>().join(" ");
    // `script` is a terminal's window: it holds the other end.
    let mut window = Command::new("script");
    // Whoever runs the tests may ignore hangups, and what they start would, too.
    let line = format!("exec env --default-signal=HUP {line}");
    window.args(["--quiet", "--command", &line, "/dev/null"]);
    for (name, value) in daemon.get_envs() {
        match value {
            Some(value) => window.env(name, value),
            None => window.env_remove(name),
        };
    }
    window.env("NOTIFY_SOCKET", hark.path("notify")).current_dir(hark.folder.path());
    let window = window.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let window = Running(window);
    assert_eq!(manager.told(), "READY=1\nSTATUS=listening");
    // The window is gone at once, without a word to what runs in it.
    drop(window);
    assert_eq!(manager.told(), "STOPPING=1");
}
