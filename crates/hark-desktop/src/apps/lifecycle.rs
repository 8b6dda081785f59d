//! Starting programs, bringing them to the front, and ending them.

use super::AppError;
use super::entries::{App, is_there};
use super::processes::{Process, of_this_user, terminate};
use crate::screen::{Display, Window, X11};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Time a program gets to show a window, or to end by itself with an error.
const STARTS_WITHIN: Duration = Duration::from_secs(8);
/// Time a program gets to close its windows, and to end.
const CLOSES_WITHIN: Duration = Duration::from_secs(4);
/// Between looks.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// What opens a terminal for programs that need one.
const TERMINAL: &str = "x-terminal-emulator";

/// A program that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningApp {
    /// What it is called.
    pub name: String,
    /// Titles of its windows, the uppermost first: text from outside.
    pub windows: Vec<String>,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quit {
    /// It closed its windows and ended.
    Closed,
    /// It was ended without being asked.
    Terminated,
}

impl App {
    /// Its windows, the uppermost first.
    ///
    /// # Errors
    /// When the screen does not answer.
    pub fn windows(&self, display: &Display) -> Result<Vec<Window>, AppError> {
        Ok(display.windows()?.into_iter().filter(|window| self.owns(window)).collect())
    }

    fn processes(&self) -> Vec<Process> {
        let is_of_it = |process: &Process| process.runs(self.program()) && process.is_here();
        of_this_user().into_iter().filter(is_of_it).collect()
    }

    /// Whether it runs: a window of it is there, or a process of its program.
    ///
    /// # Errors
    /// When the screen does not answer.
    pub fn is_running(&self, display: &Display) -> Result<bool, AppError> {
        if let Display::Mac(mac) = display {
            return mac.is_running(self);
        }
        Ok(!self.windows(display)?.is_empty() || !self.processes().is_empty())
    }

    /// Starts it, and waits until it shows a window or has run for some seconds without an error. The title of the window,
    /// where it has one.
    ///
    /// # Errors
    /// When its program is not there, or ends with an error.
    pub fn launch(&self, display: &Display) -> Result<Option<String>, AppError> {
        match display {
            Display::Mac(mac) => mac.launch(self),
            Display::X11(x11) => self.start(x11),
        }
    }

    fn start(&self, display: &X11) -> Result<Option<String>, AppError> {
        let failed = |why: String| AppError::NotStarted(self.name.clone(), why);
        let before: Vec<u32> = display.windows()?.iter().map(|window| window.id).collect();
        let mut words = self.command.clone();
        if self.in_terminal {
            if !is_there(TERMINAL) {
                return Err(failed("it needs a terminal, and none is installed".into()));
            }
            words.splice(0..0, [TERMINAL.to_owned(), "-e".to_owned()]);
        }
        let Some((program, arguments)) = words.split_first() else {
            return Err(failed("its desktop entry names no program".into()));
        };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Some(home) = std::env::home_dir() {
            command.current_dir(home);
        }
        // What ends Hark in its terminal does not end the program.
        command.process_group(0);
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        let began = Instant::now();
        while began.elapsed() < STARTS_WITHIN {
            std::thread::sleep(LOOK_EVERY);
            let is_new = |window: &Window| !before.contains(&window.id);
            let of_child = |window: &Window| self.owns(window) || window.pid == Some(child.id());
            if let Some(window) =
                display.windows()?.into_iter().find(|window| is_new(window) && of_child(window))
            {
                self.outlived(child);
                return Ok(Some(window.title));
            }
            match child.try_wait() {
                Ok(Some(status)) if !status.success() => {
                    return Err(failed(format!("it ended with {status}")));
                }
                // It handed over to one that runs already, or to a daemon.
                Ok(Some(_)) | Err(_) => {
                    let own = display.windows()?.into_iter().find(|window| self.owns(window));
                    return Ok(own.map(|window| window.title));
                }
                Ok(None) => {}
            }
        }
        self.outlived(child);
        Ok(None)
    }

    /// Waits for a program that Hark started, so that it is no zombie once it has ended.
    fn outlived(&self, mut child: std::process::Child) {
        let wait = move || {
            // How it ends is its person's business.
            let _ = child.wait();
        };
        if let Err(error) = std::thread::Builder::new().name("hark-app".into()).spawn(wait) {
            tracing::warn!(%error, app = self.id, "nobody waits for a program");
        }
    }

    /// Brings its uppermost window to the front.
    ///
    /// # Errors
    /// When it has none, or it does not come.
    pub fn activate(&self, display: &Display) -> Result<Window, AppError> {
        if let Display::Mac(mac) = display {
            return mac.activate(self);
        }
        let windows = self.windows(display)?;
        let first = windows.first().ok_or_else(|| AppError::NotRunning(self.name.clone()))?;
        Ok(display.focus(first)?)
    }

    /// Asks it to end; what asks something first, such as whether to save, is only ended with `force`.
    ///
    /// # Errors
    /// When it does not run, keeps a window open, or runs as another user.
    pub fn quit(&self, display: &Display, force: bool) -> Result<Quit, AppError> {
        match display {
            Display::Mac(mac) => mac.quit(self, force),
            Display::X11(x11) => self.close(x11, force),
        }
    }

    /// Asks it to close its windows (`WM_DELETE_WINDOW`), and sends SIGTERM to what is left of it without one.
    fn close(&self, display: &X11, force: bool) -> Result<Quit, AppError> {
        let own = || -> Result<Vec<Window>, AppError> {
            Ok(display.windows()?.into_iter().filter(|window| self.owns(window)).collect())
        };
        let windows = own()?;
        // Before they close: a window tells its process only while it is there.
        let mut pids: Vec<u32> = windows.iter().filter_map(|window| window.pid).collect();
        if windows.is_empty() {
            pids.extend(self.processes().iter().map(|process| process.pid));
        }
        if windows.is_empty() && pids.is_empty() {
            return Err(AppError::NotRunning(self.name.clone()));
        }
        let mut takes_no_request = false;
        for window in &windows {
            takes_no_request |= !display.close(window)?;
        }
        let has_closed = windows.is_empty() || self.wait(|| Ok(own()?.is_empty()))?;
        if !has_closed && !force && !takes_no_request {
            return Err(AppError::StillOpen(self.name.clone()));
        }
        pids.sort_unstable();
        pids.dedup();
        let is_gone = || Ok(!of_this_user().iter().any(|process| pids.contains(&process.pid)));
        if has_closed && !windows.is_empty() && self.wait(is_gone)? {
            return Ok(Quit::Closed);
        }
        let ours: Vec<u32> =
            of_this_user().iter().map(|process| process.pid).filter(|pid| pids.contains(pid)).collect();
        if ours.is_empty() {
            return Err(AppError::NotOurs(self.name.clone()));
        }
        // One may end another before it is asked to.
        for pid in &ours {
            let _ = terminate(*pid);
        }
        if self.wait(is_gone)? { Ok(Quit::Terminated) } else { Err(AppError::StillOpen(self.name.clone())) }
    }

    fn wait(&self, is_so: impl Fn() -> Result<bool, AppError>) -> Result<bool, AppError> {
        let began = Instant::now();
        loop {
            if is_so()? {
                return Ok(true);
            }
            if began.elapsed() > CLOSES_WITHIN {
                return Ok(false);
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

/// Every program that has a window, by the name it is installed under or that its windows tell.
///
/// # Errors
/// When the screen does not answer.
pub fn running(display: &Display, apps: &[App]) -> Result<Vec<RunningApp>, AppError> {
    let mut running: Vec<RunningApp> = Vec::new();
    for window in display.windows()? {
        let app = apps.iter().find(|app| app.owns(&window));
        let name = app.map_or(window.class, |app| app.name.clone());
        match running.iter_mut().find(|known| known.name == name) {
            Some(known) => known.windows.push(window.title),
            None => running.push(RunningApp { name, windows: vec![window.title] }),
        }
    }
    Ok(running)
}
