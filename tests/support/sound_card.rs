//! The virtual sound card of `hark eval` for tests: what fails fails the test, and what only tests do to it.

#![allow(dead_code, reason = "each test binary uses its part of it")]
#![allow(clippy::expect_used, reason = "a fixture that cannot be set up fails its test")]

use hark::cli::evaluations::sound_card::{self, PROGRAMS};
pub use hark::cli::evaluations::sound_card::{RATE_HZ, Recording};
use std::ffi::OsString;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Duration;

/// With more cards at once the processor would be late for them.
static PLACES: [Mutex<()>; 2] = [Mutex::new(()), Mutex::new(())];

/// A running virtual sound card.
pub struct SoundCard(sound_card::SoundCard, MutexGuard<'static, ()>);

impl SoundCard {
    /// Whether this machine has the programs it takes; a test on a machine without them says so and
    /// ends.
    pub fn available() -> bool {
        PROGRAMS.iter().all(|(program, _)| {
            let mut command = Command::new(program);
            command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
        })
    }

    /// Starts the server and waits until both sinks answer.
    pub fn start() -> Self {
        Self(sound_card::SoundCard::start().expect("a virtual sound card"), place())
    }

    /// Kills the server without a warning; the devices are gone with it.
    pub fn kill(&mut self) {
        self.0.kill();
    }

    /// Starts the server again after [`SoundCard::kill`]; returns when both sinks answer.
    pub fn revive(&mut self) {
        self.0.revive().expect("the server comes back");
    }

    /// Sends the server a signal by name, such as `STOP` to let it hang and `CONT` to let it go on.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill").args(["-s", name, &self.0.process().to_string()]).status();
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
        self.0.choose_defaults().expect("the defaults");
    }

    /// Suspends the air in front of the microphone, or lets it go on: the microphone is there and can be
    /// opened, but brings nothing.
    pub fn suspend_room(&self, suspended: bool) {
        self.pactl(&["suspend-sink", "room", if suspended { "1" } else { "0" }]);
    }

    /// What a program must have in its environment to use this card as its microphone and speaker.
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        self.0.env()
    }

    /// A command that uses this card.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        self.0.command(program)
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
        self.0.play_into_room(wav).expect("paplay");
    }

    /// The same without waiting.
    pub fn begin_to_play_into_room(&self, wav: &Path) -> Child {
        self.0.begin_to_play_into_room(wav).expect("paplay runs")
    }

    /// Records what the loudspeaker plays from now on.
    pub fn record_speaker(&self) -> Recording {
        self.0.record_speaker().expect("the loudspeaker's sound")
    }

    /// Records what the microphone hears from now on.
    pub fn record_room(&self) -> Recording {
        self.0.record_room().expect("the room's sound")
    }

    /// Gives the server an order.
    pub fn pactl(&self, arguments: &[&str]) {
        self.0.pactl(arguments).expect("the server obeys");
    }
}

/// Waits for one of [`PLACES`].
fn place() -> MutexGuard<'static, ()> {
    loop {
        let free = PLACES.iter().find_map(|place| match place.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        });
        match free {
            Some(guard) => return guard,
            None => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}
