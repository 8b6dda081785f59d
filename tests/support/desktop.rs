//! A desktop of X11 for tests: Xvfb, openbox as its window manager, and xterms as its programs.

#![allow(dead_code, reason = "each test binary uses its part of it")]

use super::wait_for;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt};

const LIMIT: Duration = Duration::from_secs(20);

/// Ends with this, and everything on it too.
pub struct TestDesktop {
    pub display: String,
    children: Vec<Child>,
}

impl TestDesktop {
    /// Whether this machine has the programs it takes; a test on a machine without them says so and ends.
    pub fn available() -> bool {
        ["Xvfb", "openbox", "xterm"].iter().all(|program| {
            let path = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
        })
    }

    /// A screen of 1000 by 700 pixels; with a window manager, or with nothing.
    pub fn start(managed: bool) -> Self {
        let arguments = ["-displayfd", "1", "-screen", "0", "1000x700x24", "-nolisten", "tcp", "-noreset"];
        let mut server = Command::new("Xvfb")
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
        let mut desktop = Self { display: format!(":{}", number.trim()), children: vec![server] };
        if managed {
            let manager = desktop.program("openbox", &[]);
            desktop.children.push(manager);
            wait_for("the window manager", LIMIT, || desktop.is_managed().then_some(()));
        }
        desktop
    }

    /// What a program needs in its environment to be on it.
    pub fn env(&self) -> [(&'static str, &str); 3] {
        [("DISPLAY", &self.display), ("WAYLAND_DISPLAY", ""), ("LC_ALL", "C.UTF-8")]
    }

    fn program(&self, name: &str, arguments: &[&str]) -> Child {
        let mut command = Command::new(name);
        command.args(arguments).envs(self.env()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    }

    /// An xterm with this title in which a shell command runs.
    pub fn terminal(&mut self, title: &str, place: &str, command: &str) {
        let arguments = [
            "-T",
            title,
            "-geometry",
            place,
            "-fa",
            "Monospace",
            "-fs",
            "14",
            "-e",
            "/bin/sh",
            "-c",
            command,
        ];
        let child = self.program("xterm", &arguments);
        self.children.push(child);
        wait_for("a window", LIMIT, || self.titles().iter().any(|known| known == title).then_some(()));
    }

    fn is_managed(&self) -> bool {
        !self.property("_NET_SUPPORTING_WM_CHECK", None).is_empty()
    }

    /// Titles of all windows.
    pub fn titles(&self) -> Vec<String> {
        let ids = self.property("_NET_CLIENT_LIST", None);
        let title = |id: &[u8; 4]| {
            String::from_utf8_lossy(&self.property("WM_NAME", Some(u32::from_ne_bytes(*id)))).into_owned()
        };
        ids.as_chunks::<4>().0.iter().map(title).collect()
    }

    fn property(&self, name: &str, window: Option<u32>) -> Vec<u8> {
        let Ok((conn, screen)) = x11rb::connect(Some(&self.display)) else { return Vec::new() };
        let window = window.unwrap_or(conn.setup().roots[screen].root);
        let atom = conn.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom;
        let reply = conn.get_property(false, window, atom, AtomEnum::ANY, 0, 1024).unwrap().reply();
        reply.map(|reply| reply.value).unwrap_or_default()
    }
}

impl Drop for TestDesktop {
    fn drop(&mut self) {
        for child in self.children.iter_mut().rev() {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Waits until a file holds a text.
pub fn holds(file: &Path, text: &str) {
    wait_for(&format!("{text:?} in {}", file.display()), LIMIT, || {
        std::fs::read_to_string(file).is_ok_and(|found| found.contains(text)).then_some(())
    });
}
