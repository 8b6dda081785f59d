//! The real daemon as a process of its own, without sound, with a state folder that an evaluation made.

use super::failed;
use crate::cli::running::{Running, chat};
use crate::cli::temporary_folder::TemporaryFolder;
use hark_config::Config;
use hark_core::{Envelope, Fault};
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long it may take until it answers, and until it has ended.
const STARTS_WITHIN: Duration = Duration::from_secs(60);
const ENDS_WITHIN: Duration = Duration::from_secs(30);

/// A daemon, killed when it is dropped.
pub(crate) struct Daemon {
    child: Child,
    running: Running,
    told: Arc<Mutex<Vec<Envelope>>>,
    /// From the start of the process until it answered.
    pub(crate) started_after: Duration,
}

/// What a process takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Vitals {
    /// Resident memory.
    pub(crate) resident_mib: f64,
    /// Threads.
    pub(crate) threads: f64,
    /// Open files, sockets and pipes.
    pub(crate) handles: f64,
}

impl Daemon {
    /// Starts this program with a configuration, which is left in its folder, and waits until it answers.
    ///
    /// # Errors
    /// When it cannot be started, ends, or does not answer within a minute; its log says why.
    pub(crate) fn start(config: &Config, folder: &TemporaryFolder) -> Result<Self, Fault> {
        Self::launch(config, folder, None)
    }

    /// The same with more in its environment; what it tells is kept ([`Daemon::told`]).
    ///
    /// # Errors
    /// As [`Daemon::start`].
    pub(crate) fn start_telling(
        config: &Config,
        folder: &TemporaryFolder,
        environment: Vec<(OsString, OsString)>,
    ) -> Result<Self, Fault> {
        Self::launch(config, folder, Some(environment))
    }

    fn launch(
        config: &Config,
        folder: &TemporaryFolder,
        telling: Option<Vec<(OsString, OsString)>>,
    ) -> Result<Self, Fault> {
        let file = folder.path().join("hark.toml");
        let text = toml::to_string(config).map_err(failed)?;
        std::fs::write(&file, text).map_err(failed)?;
        let log_path = folder.path().join("daemon.log");
        let log = std::fs::File::create(&log_path).map_err(failed)?;
        let mut command = Command::new(std::env::current_exe().map_err(failed)?);
        command.arg("--config").arg(&file).args(["run", "--json"]).env("HARK_LOG", "error");
        let stdout = if telling.is_some() { Stdio::piped() } else { Stdio::null() };
        command.env_remove("NOTIFY_SOCKET").envs(telling.into_iter().flatten());
        command.stdin(Stdio::null()).stdout(stdout).stderr(log);
        let begun = Instant::now();
        let mut child = command.spawn().map_err(failed)?;
        let told: Arc<Mutex<Vec<Envelope>>> = Arc::default();
        let (output, notes) = (child.stdout.take(), told.clone());
        // Ends with the daemon, at once where nothing is kept.
        std::thread::spawn(move || {
            let lines = output.into_iter().flat_map(|output| BufReader::new(output).lines());
            for envelope in lines.map_while(Result::ok).filter_map(|line| serde_json::from_str(&line).ok()) {
                let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
                notes.push(envelope);
            }
        });
        loop {
            match Running::find(config, &[]) {
                Ok(Some(running)) => {
                    return Ok(Self { child, running, told, started_after: begun.elapsed() });
                }
                Ok(None) | Err(_) if begun.elapsed() < STARTS_WITHIN => {}
                Ok(None) | Err(_) => return Err(Self::silent(child, &log_path, "does not answer")),
            }
            if let Some(status) = child.try_wait().map_err(failed)? {
                return Err(Self::silent(child, &log_path, &format!("ended with {status}")));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn silent(mut child: Child, log: &std::path::Path, why: &str) -> Fault {
        let _ = child.kill();
        let _ = child.wait();
        let log = std::fs::read_to_string(log).unwrap_or_default();
        failed(format!("the daemon {why}: {}", log.trim()))
    }

    /// Asks something in a conversation, and tells all that comes of it.
    ///
    /// # Errors
    /// When it does not answer, or is gone before it has.
    pub(crate) fn ask(
        &self,
        text: &str,
        session: &str,
        hear: &mut dyn FnMut(&Envelope),
    ) -> Result<(), Fault> {
        self.running.converse(&chat(text, session, false, false), |_, is_told| is_told, hear)
    }

    /// Every event it told so far, where that is kept.
    pub(crate) fn told(&self) -> Vec<Envelope> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Its process.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// What it takes now.
    ///
    /// # Errors
    /// When the system does not tell (other than Linux), or it has ended.
    pub(crate) fn vitals(&self) -> Result<Vitals, Fault> {
        let folder = format!("/proc/{}", self.child.id());
        let status = std::fs::read_to_string(format!("{folder}/status")).map_err(failed)?;
        let handles = std::fs::read_dir(format!("{folder}/fd")).map_err(failed)?.count() as f64;
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok())
        };
        match (number("VmRSS:"), number("Threads:")) {
            (Some(kib), Some(threads)) => Ok(Vitals { resident_mib: kib / 1024.0, threads, handles }),
            _ => Err(failed("the daemon has ended")),
        }
    }

    /// Kills it without a warning.
    pub(crate) fn kill(mut self) {
        self.end();
    }

    /// Asks it to end, as systemd does, and waits.
    ///
    /// # Errors
    /// When it does not end.
    pub(crate) fn terminate(mut self) -> Result<ExitStatus, Fault> {
        let process = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw);
        let process = process.ok_or_else(|| failed("the daemon has no process id"))?;
        rustix::process::kill_process(process, rustix::process::Signal::TERM).map_err(failed)?;
        let begun = Instant::now();
        while begun.elapsed() < ENDS_WITHIN {
            if let Some(status) = self.child.try_wait().map_err(failed)? {
                return Ok(status);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(failed(format!("the daemon does not end within {} s", ENDS_WITHIN.as_secs())))
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.end();
    }
}
