//! A sound card for machines that have none: a private PulseAudio server with two null sinks, reached by programs through
//! ALSA's pulse plugin. `room` is the air in front of the microphone (its monitor is the default source), `spk` is the
//! loudspeaker (the default sink). Each has its own server, socket and folders, so several may run side by side; dropping
//! one ends its own processes and nothing else.

use super::failed;
use crate::cli::temporary_folder::TemporaryFolder;
use hark_core::Fault;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Rate of both sinks and of what [`Recording::stop`] returns.
pub const RATE_HZ: u32 = 48_000;

/// How long the server may take to come up.
const STARTS_WITHIN: Duration = Duration::from_secs(15);
/// The programs it takes, with their packages.
pub const PROGRAMS: [(&str, &str); 4] = [
    ("pulseaudio", "pulseaudio libasound2-plugins"),
    ("pactl", "pulseaudio-utils"),
    ("paplay", "pulseaudio-utils"),
    ("parec", "pulseaudio-utils"),
];

/// A running virtual sound card.
#[derive(Debug)]
pub struct SoundCard {
    server: Child,
    folder: TemporaryFolder,
}

impl SoundCard {
    /// Starts the server and waits until both sinks answer.
    ///
    /// # Errors
    /// When a program is missing or the server ends or does not answer; its log says why.
    pub fn start() -> Result<Self, Fault> {
        let folder = TemporaryFolder::make()?;
        let path = folder.path();
        for name in ["home", "run", "state"] {
            std::fs::create_dir(path.join(name)).map_err(failed)?;
        }
        let config = "pcm.!default { type pulse }\nctl.!default { type pulse }\n\
                      pcm.pulse { type pulse hint.description \"Virtual sound card\" }\n";
        std::fs::write(path.join("asound.conf"), config).map_err(failed)?;
        let mut card = Self { server: spawn_server(path)?, folder };
        card.come_up()?;
        Ok(card)
    }

    /// Process of the server.
    pub fn process(&self) -> u32 {
        self.server.id()
    }

    /// Kills the server without a warning; the devices are gone with it.
    pub fn kill(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }

    /// Starts the server again after [`SoundCard::kill`]; returns when both sinks answer.
    ///
    /// # Errors
    /// As [`SoundCard::start`].
    pub fn revive(&mut self) -> Result<(), Fault> {
        self.server = spawn_server(self.folder.path())?;
        self.come_up()
    }

    /// Makes the loudspeaker and the microphone the usual ones.
    ///
    /// # Errors
    /// When the server refuses.
    pub fn choose_defaults(&self) -> Result<(), Fault> {
        self.pactl(&["set-default-sink", "spk"])?;
        self.pactl(&["set-default-source", "room.monitor"])
    }

    fn come_up(&mut self) -> Result<(), Fault> {
        let begun = Instant::now();
        loop {
            let sinks = self.command("pactl").args(["list", "short", "sinks"]).output().map_err(failed)?;
            let sinks = String::from_utf8_lossy(&sinks.stdout).into_owned();
            if sinks.contains("room") && sinks.contains("spk") {
                return self.choose_defaults();
            }
            let ended = self.server.try_wait().map_err(failed)?;
            if ended.is_some() || begun.elapsed() > STARTS_WITHIN {
                let log = std::fs::read_to_string(self.folder.path().join("server.log")).unwrap_or_default();
                return Err(failed(format!("pulseaudio does not answer ({ended:?}): {}", log.trim())));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// What a program must have in its environment to use this card as its microphone and speaker.
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        environment(self.folder.path())
    }

    /// A command that uses this card.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.envs(self.env()).stdin(Stdio::null());
        command
    }

    /// Begins to play a WAV file in front of the microphone.
    ///
    /// # Errors
    /// When paplay is missing.
    pub fn begin_to_play_into_room(&self, wav: &Path) -> Result<Child, Fault> {
        self.command("paplay").arg("--device=room").arg(wav).spawn().map_err(failed)
    }

    /// Plays a WAV file in front of the microphone and waits until it is over.
    ///
    /// # Errors
    /// When it cannot be played.
    pub fn play_into_room(&self, wav: &Path) -> Result<(), Fault> {
        let status = self.begin_to_play_into_room(wav)?.wait().map_err(failed)?;
        if status.success() { Ok(()) } else { Err(failed(format!("paplay {}: {status}", wav.display()))) }
    }

    /// Records what the loudspeaker plays from now on.
    ///
    /// # Errors
    /// When nothing comes.
    pub fn record_speaker(&self) -> Result<Recording, Fault> {
        self.record("spk.monitor")
    }

    /// Records what the microphone hears from now on.
    ///
    /// # Errors
    /// When nothing comes.
    pub fn record_room(&self) -> Result<Recording, Fault> {
        self.record("room.monitor")
    }

    fn record(&self, source: &str) -> Result<Recording, Fault> {
        let mut command = self.command("parec");
        command.args(["--format=float32le", "--channels=1", "--latency-msec=10"]);
        command.arg(format!("--rate={RATE_HZ}")).arg(format!("--device={source}")).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let output = child.stdout.take();
        let (first, begun) = std::sync::mpsc::channel();
        let reader = std::thread::spawn(move || {
            let (mut bytes, mut piece) = (Vec::new(), [0_u8; 4096]);
            let mut output = output.into_iter().next();
            while let Some(Ok(count @ 1..)) = output.as_mut().map(|output| output.read(&mut piece)) {
                bytes.extend_from_slice(&piece[..count]);
                let _ = first.send(Instant::now());
            }
            bytes
        });
        // It ends its process, should nothing come.
        let mut recording = Recording { child, reader: Some(reader), begun: Instant::now() };
        recording.begun =
            begun.recv_timeout(STARTS_WITHIN).map_err(|_| failed(format!("{source} brings nothing")))?;
        Ok(recording)
    }

    /// Gives the server an order.
    ///
    /// # Errors
    /// When it refuses.
    pub fn pactl(&self, arguments: &[&str]) -> Result<(), Fault> {
        let status = self.command("pactl").args(arguments).stdout(Stdio::null()).status().map_err(failed)?;
        if status.success() { Ok(()) } else { Err(failed(format!("pactl {arguments:?}: {status}"))) }
    }
}

impl Drop for SoundCard {
    fn drop(&mut self) {
        self.kill();
    }
}

fn spawn_server(path: &Path) -> Result<Child, Fault> {
    let socket = path.join("run/native");
    let log = std::fs::File::create(path.join("server.log")).map_err(failed)?;
    let mut command = Command::new("pulseaudio");
    command
        .args(["-n", "--daemonize=no", "--system=false", "--exit-idle-time=-1", "--use-pid-file=no"])
        // Priority as on any desktop, where it may have it: a late server loses sound, a sound card does not.
        .args(["--disable-shm=true", "--realtime=true", "--high-priority=true", "--log-target=stderr"])
        .arg(format!("--load=module-native-protocol-unix auth-anonymous=1 socket={}", socket.display()))
        .arg(format!("--load=module-null-sink sink_name=room rate={RATE_HZ}"))
        .arg(format!("--load=module-null-sink sink_name=spk rate={RATE_HZ}"))
        .envs(environment(path))
        .stdout(Stdio::null())
        .stderr(log);
    command.spawn().map_err(|error| failed(format!("pulseaudio: {error}")))
}

fn environment(folder: &Path) -> Vec<(OsString, OsString)> {
    let path = |name: &str| folder.join(name).into_os_string();
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
#[derive(Debug)]
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
        let bytes = self.reader.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        bytes.as_chunks::<4>().0.iter().map(|sample| f32::from_le_bytes(*sample)).collect()
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
