//! A sound card for machines that have none: a private PulseAudio server with two null sinks,
//! reached by the program through ALSA's pulse plugin. `room` is the air in front of the microphone
//! (its monitor is the default source), `spk` is the loudspeaker (the default sink).
//!
//! Every card has its own server, socket and directories, so tests may run side by side. Dropping it
//! ends its own processes and nothing else.

#![allow(dead_code, reason = "each test binary uses its part of it")]
#![allow(clippy::expect_used, reason = "a fixture that cannot be set up fails its test")]

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Rate of both sinks and of what [`Recording::stop`] returns.
pub const RATE_HZ: u32 = 48_000;

/// How long the server may take to come up.
const START: Duration = Duration::from_secs(15);

/// A running virtual sound card.
pub struct SoundCard {
    directory: TempDir,
    server: Child,
}

impl SoundCard {
    /// Whether this machine has the programs it takes; a test on a machine without them says so and
    /// ends.
    pub fn available() -> bool {
        ["pulseaudio", "pactl", "paplay", "parec"].iter().all(|program| {
            Command::new(program)
                .arg("--version")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok()
        })
    }

    /// Starts the server and waits until both sinks answer.
    pub fn start() -> SoundCard {
        let directory =
            tempfile::Builder::new().prefix("hark-card").tempdir().expect("a temporary directory");
        let path = directory.path();
        for name in ["home", "run", "state"] {
            std::fs::create_dir(path.join(name)).expect("a directory for the server");
        }
        let config = "pcm.!default { type pulse }\nctl.!default { type pulse }\n\
                      pcm.pulse { type pulse hint.description \"Virtual sound card\" }\n";
        std::fs::write(path.join("asound.conf"), config).expect("the ALSA configuration");
        let server = spawn_server(path);
        let mut card = SoundCard { directory, server };
        card.come_up();
        card
    }

    /// Kills the server without a warning; the devices are gone with it.
    pub fn kill(&mut self) {
        self.server.kill().expect("the server can be killed");
        self.server.wait().expect("the server ends");
    }

    /// Starts the server again after [`SoundCard::kill`]; returns when both sinks answer.
    pub fn revive(&mut self) {
        self.server = spawn_server(self.directory.path());
        self.come_up();
    }

    /// Sends the server a signal by name, such as `STOP` to let it hang and `CONT` to let it go on.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill").args(["-s", name, &self.server.id().to_string()]).status();
        assert!(status.expect("kill runs").success(), "kill -s {name}");
    }

    /// Takes both sinks away, as if they were pulled out.
    pub fn unplug(&self) {
        self.pactl(&["unload-module", "module-null-sink"]);
    }

    /// Puts both sinks back in, with this rate.
    pub fn plug_in(&self, rate_hz: u32) {
        for name in ["room", "spk"] {
            let (name, rate) = (format!("sink_name={name}"), format!("rate={rate_hz}"));
            self.pactl(&["load-module", "module-null-sink", &name, &rate]);
        }
        self.choose_defaults();
    }

    /// Suspends the air in front of the microphone, or lets it go on: the microphone is there and can be
    /// opened, but brings nothing.
    pub fn suspend_room(&self, suspended: bool) {
        self.pactl(&["suspend-sink", "room", if suspended { "1" } else { "0" }]);
    }

    fn come_up(&mut self) {
        self.wait_until_up();
        self.choose_defaults();
    }

    fn choose_defaults(&self) {
        self.pactl(&["set-default-sink", "spk"]);
        self.pactl(&["set-default-source", "room.monitor"]);
    }

    fn wait_until_up(&mut self) {
        let begun = Instant::now();
        loop {
            let sinks = self.command("pactl").args(["list", "short", "sinks"]).output().expect("pactl runs");
            let sinks = String::from_utf8_lossy(&sinks.stdout).into_owned();
            if sinks.contains("room") && sinks.contains("spk") {
                return;
            }
            let ended = self.server.try_wait().expect("the server can be asked");
            let log =
                || std::fs::read_to_string(self.directory.path().join("server.log")).unwrap_or_default();
            assert!(ended.is_none(), "pulseaudio ended with {ended:?}:\n{}", log());
            assert!(begun.elapsed() < START, "pulseaudio does not answer:\n{}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// What a program must have in its environment to use this card as its microphone and speaker.
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        environment(self.directory.path())
    }

    /// A command that uses this card.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.envs(self.env()).stdin(Stdio::null());
        command
    }

    /// Puts this card into the environment of the test itself, for code under test that opens
    /// devices in this process. To be called before anything else runs, in a binary with one test.
    pub fn use_in_this_process(&self) {
        for (name, value) in self.env() {
            // SAFETY: by this method's contract no other thread reads the environment now.
            unsafe { std::env::set_var(name, value) };
        }
    }

    /// Plays a WAV file in front of the microphone and waits until it is over.
    pub fn play_into_room(&self, wav: &Path) {
        let status = self.begin_to_play_into_room(wav).wait().expect("paplay ends");
        assert!(status.success(), "paplay {}: {status}", wav.display());
    }

    /// The same without waiting.
    pub fn begin_to_play_into_room(&self, wav: &Path) -> Child {
        self.command("paplay").arg("--device=room").arg(wav).spawn().expect("paplay runs")
    }

    /// Records what the loudspeaker plays from now on.
    pub fn record_speaker(&self) -> Recording {
        self.record("spk.monitor")
    }

    /// Records what the microphone hears from now on.
    pub fn record_room(&self) -> Recording {
        self.record("room.monitor")
    }

    fn record(&self, source: &str) -> Recording {
        let mut child = self
            .command("parec")
            .args(["--format=float32le", "--channels=1", "--latency-msec=10"])
            .arg(format!("--rate={RATE_HZ}"))
            .arg(format!("--device={source}"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("parec runs");
        let mut output = child.stdout.take().expect("parec's output");
        let (first, begun) = std::sync::mpsc::channel();
        let reader = std::thread::spawn(move || {
            let (mut bytes, mut piece) = (Vec::new(), [0_u8; 4096]);
            while let Ok(count @ 1..) = output.read(&mut piece) {
                bytes.extend_from_slice(&piece[..count]);
                let _ = first.send(Instant::now());
            }
            bytes
        });
        let begun = begun.recv_timeout(START).expect("the recording begins");
        Recording { child, reader: Some(reader), begun }
    }

    /// Gives the server an order.
    pub fn pactl(&self, arguments: &[&str]) {
        let mut command = self.command("pactl");
        let status = command.args(arguments).stdout(Stdio::null()).status().expect("pactl runs");
        assert!(status.success(), "pactl {arguments:?}: {status}");
    }
}

impl Drop for SoundCard {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn spawn_server(path: &Path) -> Child {
    let socket = path.join("run/native");
    let log = std::fs::File::create(path.join("server.log")).expect("a log");
    let mut command = Command::new("pulseaudio");
    command
        .args(["-n", "--daemonize=no", "--system=false", "--exit-idle-time=-1", "--use-pid-file=no"])
        .args(["--disable-shm=true", "--realtime=false", "--high-priority=false", "--log-target=stderr"])
        .arg(format!("--load=module-native-protocol-unix auth-anonymous=1 socket={}", socket.display()))
        .arg(format!("--load=module-null-sink sink_name=room rate={RATE_HZ}"))
        .arg(format!("--load=module-null-sink sink_name=spk rate={RATE_HZ}"))
        .stdout(Stdio::null())
        .stderr(log);
    for (name, value) in environment(path) {
        command.env(name, value);
    }
    command.spawn().expect("pulseaudio starts")
}

fn environment(directory: &Path) -> Vec<(OsString, OsString)> {
    let path = |name: &str| directory.join(name).into_os_string();
    let mut server = OsString::from("unix:");
    server.push(path("run/native"));
    vec![
        ("HOME".into(), path("home")),
        ("XDG_RUNTIME_DIR".into(), path("run")),
        ("PULSE_RUNTIME_PATH".into(), path("run")),
        ("PULSE_STATE_PATH".into(), path("state")),
        ("PULSE_SERVER".into(), server),
        ("ALSA_CONFIG_PATH".into(), path("asound.conf")),
    ]
}

/// A recording under way.
pub struct Recording {
    child: Child,
    reader: Option<JoinHandle<Vec<u8>>>,
    /// When its first samples arrived.
    pub begun: Instant,
}

impl Recording {
    /// Ends the recording; mono samples at [`RATE_HZ`] from [`Recording::begun`] on.
    pub fn stop(mut self) -> Vec<f32> {
        // What was played just now is still on its way through the server.
        std::thread::sleep(Duration::from_millis(200));
        self.end();
        let bytes = self.reader.take().map(|reader| reader.join().expect("the reader")).unwrap_or_default();
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    }

    /// As [`Recording::stop`], written to a WAV file.
    pub fn save(self, path: PathBuf) -> Vec<f32> {
        let samples = self.stop();
        let spec = hound::WavSpec {
            channels: 1,
            sample_rate: RATE_HZ,
            bits_per_sample: 32,
            sample_format: hound::SampleFormat::Float,
        };
        let mut writer = hound::WavWriter::create(path, spec).expect("a WAV file");
        samples.iter().for_each(|sample| writer.write_sample(*sample).expect("a sample"));
        writer.finalize().expect("the WAV file");
        samples
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.end();
    }
}
