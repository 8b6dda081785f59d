//! Processes of the user Hark runs as.

use std::ffi::OsStr;
use std::path::Path;
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, Signal, System, UpdateKind};

/// Programs that run other programs, whose name says nothing of which.
const INTERPRETERS: [&str; 12] =
    ["sh", "bash", "dash", "env", "python", "perl", "ruby", "node", "java", "flatpak", "snap", "gjs"];

/// Whether a program only runs another one: `python3.11` is `python`.
pub(super) fn is_interpreter(program: &str) -> bool {
    INTERPRETERS.contains(&program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// A process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: u32,
    /// Names its program goes by: of its file, and of the script it runs.
    names: Vec<String>,
    /// The display it was started on.
    display: Option<String>,
}

impl Process {
    /// Whether it was started on the display Hark is on; what somebody runs elsewhere is not meant.
    pub(super) fn is_here(&self) -> bool {
        let here = std::env::var("DISPLAY").map(|display| plain_display(&display));
        here.is_ok_and(|here| self.display.as_deref() == Some(&*here))
    }

    pub(super) fn runs(&self, program: &str) -> bool {
        !program.is_empty() && !is_interpreter(program) && self.names.iter().any(|name| name == program)
    }
}

/// The display without its screen: `:0.0` is `:0`.
fn plain_display(display: &str) -> String {
    let (server, screen) = display.rsplit_once('.').unwrap_or((display, ""));
    let is_screen = server.contains(':') && screen.parse::<u32>().is_ok();
    if is_screen { server.to_owned() } else { display.to_owned() }
}

/// Every process of this user, without those Hark is a part of.
pub(super) fn of_this_user() -> Vec<Process> {
    let mut system = System::new();
    let what = ProcessRefreshKind::nothing()
        .with_exe(UpdateKind::Always)
        .with_cmd(UpdateKind::Always)
        .with_user(UpdateKind::Always)
        .with_environ(UpdateKind::Always)
        .without_tasks();
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, what);
    let own = Pid::from_u32(std::process::id());
    let mut family = vec![own];
    while let Some(parent) = family.last().and_then(|pid| system.process(*pid)?.parent()) {
        if family.contains(&parent) {
            break;
        }
        family.push(parent);
    }
    let user = system.process(own).and_then(|process| process.user_id());
    let ours =
        system.processes().iter().filter(|(pid, process)| process.user_id() == user && !family.contains(pid));
    let name = |path: &OsStr| Path::new(path).file_name().and_then(OsStr::to_str).map(str::to_owned);
    let told = ours.map(|(pid, process)| {
        let exe = process.exe().map(Path::as_os_str);
        let command = process.cmd().iter().map(std::ffi::OsString::as_os_str);
        let mut names: Vec<String> =
            exe.into_iter().chain(command.clone().take(1)).filter_map(name).collect();
        // The script is what runs then, and the interpreter is not.
        if names.iter().any(|name| is_interpreter(name)) {
            names = command.skip(1).take(1).filter_map(name).collect();
        }
        let mut environ = process.environ().iter().filter_map(|variable| variable.to_str());
        let display = environ.find_map(|variable| variable.strip_prefix("DISPLAY=")).map(plain_display);
        Process { pid: pid.as_u32(), names, display }
    });
    told.collect()
}

/// Asks a process to end; whether the signal was taken.
pub(super) fn terminate(pid: u32) -> bool {
    let mut system = System::new();
    let pid = Pid::from_u32(pid);
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, ProcessRefreshKind::nothing());
    system.process(pid).and_then(|process| process.kill_with(Signal::Term)).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpreter_is_no_program_that_is_ended() {
        assert!(is_interpreter("python3.11") && is_interpreter("bash") && !is_interpreter("xterm"));
        let process = Process { pid: 1, names: vec!["python3".into(), "xterm".into()], display: None };
        assert!(!process.is_here());
        assert_eq!((plain_display(":0.0"), plain_display("a.b:1")), (":0".into(), "a.b:1".into()));
        assert!(process.runs("xterm") && !process.runs("python3") && !process.runs(""));
    }

    #[test]
    fn of_this_users_processes_a_script_is_known_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("hark-test-script");
        std::fs::write(&script, "sleep 30\n").unwrap();
        let mut child = std::process::Command::new("/bin/sh").arg(&script).spawn().unwrap();
        let found = || of_this_user().into_iter().find(|process| process.runs("hark-test-script"));
        let process = found().unwrap();
        assert_eq!(process.pid, child.id());
        assert!(terminate(process.pid));
        assert!(!child.wait().unwrap().success());
        assert!(found().is_none());
        assert!(of_this_user().iter().all(|process| process.pid != std::process::id()));
    }
}
