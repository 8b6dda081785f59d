//! A program in a real pseudo-terminal: what it writes is waited for, keys are typed, the size changes.

use super::wait_for;
use pty_process::blocking::{Command as PtyCommand, Pty, open};
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long is waited for a text.
const PATIENCE: Duration = Duration::from_secs(60);

struct Seen {
    /// Everything that was written, without sequences for colour and the like.
    text: String,
    screen: vt100::Parser,
}

/// A program in a terminal; killed at the end of its test.
pub struct Terminal {
    pty: Arc<Pty>,
    child: Child,
    seen: Arc<Mutex<Seen>>,
    /// Up to here the text was waited for.
    read: usize,
}

fn size(of: u16) -> NonZeroU16 {
    NonZeroU16::new(of).unwrap()
}

impl Terminal {
    /// Starts a program in a terminal of 24 lines of 80 letters.
    pub fn start(command: Command) -> Self {
        let (pty, pts) = open().unwrap();
        pty.resize(pty_process::Size::new(24, 80)).unwrap();
        let mut command = command;
        command
            .env("TERM", "xterm-256color")
            .env_remove("LANG")
            .env_remove("LC_ALL")
            .env_remove("LC_MESSAGES");
        let child = PtyCommand::from(command).spawn(pts).unwrap();
        let pty = Arc::new(pty);
        let screen = vt100::Parser::new(size(24), size(80), 0);
        let seen = Arc::new(Mutex::new(Seen { text: String::new(), screen }));
        let (from, to) = (pty.clone(), seen.clone());
        // Ends when the program has closed its side.
        std::thread::spawn(move || {
            let (mut piece, mut rest) = ([0; 4096], Vec::new());
            while let Ok(count) = (&*from).read(&mut piece) {
                if count == 0 {
                    return;
                }
                let mut seen = to.lock().unwrap();
                seen.screen.process(&piece[..count]);
                rest.extend_from_slice(&piece[..count]);
                // A letter may come in two pieces.
                let whole = match std::str::from_utf8(&rest) {
                    Ok(_) => rest.len(),
                    Err(error) => error.valid_up_to(),
                };
                seen.text.push_str(&String::from_utf8_lossy(&rest[..whole]));
                rest.drain(..whole);
            }
        });
        Self { pty, child, seen, read: 0 }
    }

    /// Waits for a text behind what was waited for before.
    pub fn expect(&mut self, wanted: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            let found = self.unread().find(wanted);
            if let Some(at) = found {
                self.read += at + wanted.len();
                return;
            }
            assert!(Instant::now() < end, "waited for “{wanted}” and saw:\n{}", self.unread());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// What was written since.
    pub fn unread(&self) -> String {
        self.seen.lock().unwrap().text[self.read..].to_owned()
    }

    /// Everything that was written.
    pub fn all(&self) -> String {
        self.seen.lock().unwrap().text.clone()
    }

    /// Waits for a question and answers it.
    pub fn answer(&mut self, question: &str, answer: &str) {
        self.expect(question);
        self.expect(" > ");
        self.type_keys(&format!("{answer}\r"));
    }

    /// Waits for a choice, and takes the option with these words.
    pub fn pick(&mut self, question: &str, option: &str) {
        let from = self.read;
        self.expect(question);
        self.expect(" > ");
        let text = self.seen.lock().unwrap().text[from..].to_owned();
        let line = text.lines().rev().find(|line| line.contains(option) && line.contains(") "));
        let line = line.unwrap_or_else(|| panic!("no “{option}” in:\n{text}"));
        let number = line.trim().split(')').next().unwrap().to_owned();
        self.type_keys(&format!("{number}\r"));
    }

    pub fn type_keys(&self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).unwrap();
    }

    /// Makes the terminal larger or smaller.
    pub fn resize(&self, rows: u16, columns: u16) {
        self.pty.resize(pty_process::Size::new(rows, columns)).unwrap();
        self.seen.lock().unwrap().screen.set_size(size(rows), size(columns));
    }

    /// What stands on the screen.
    pub fn screen(&self) -> String {
        self.seen.lock().unwrap().screen.screen().contents()
    }

    /// Waits until these words stand on the screen.
    pub fn expect_screen(&self, wanted: &str) {
        let end = Instant::now() + PATIENCE;
        while !self.screen().contains(wanted) {
            assert!(Instant::now() < end, "waited for “{wanted}” and saw:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Whether the program draws on a screen of its own, as it has to give back.
    pub fn is_on_other_screen(&self) -> bool {
        self.seen.lock().unwrap().screen.screen().alternate_screen()
    }

    pub fn hides_cursor(&self) -> bool {
        self.seen.lock().unwrap().screen.screen().hide_cursor()
    }

    /// Whether letters that are typed are shown: the terminal's own mode.
    pub fn echoes(&self) -> bool {
        use rustix::termios::{LocalModes, tcgetattr};
        tcgetattr(&*self.pty).unwrap().local_modes.contains(LocalModes::ECHO | LocalModes::ICANON)
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the end of the program.
    pub fn ended(&mut self) -> ExitStatus {
        wait_for("the end", PATIENCE, || self.child.try_wait().unwrap())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
