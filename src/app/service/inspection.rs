//! `hark doctor` and `hark devices`, also one device tried by ear, asked by the daemon: another process of this program does it, so that a library or
//! device that breaks there takes nothing from who listens here, and the memory of its engines is given back.

use hark_config::ConfigFile;
use hark_core::inspection::{Finding, SoundDevices};
use hark_core::setup::SoundTestResult;
use hark_core::{Fault, FaultKind};
use serde::de::DeserializeOwned;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::sync::Semaphore;

/// It loads every engine once, and asks everybody on the network.
const LIMIT: Duration = Duration::from_secs(90);

/// See the module.
pub(crate) struct Inspection {
    /// Asked at the start: later another file may lie there.
    program: io::Result<PathBuf>,
    file: ConfigFile,
    one_at_a_time: Semaphore,
}

impl Inspection {
    pub(crate) fn new(file: ConfigFile) -> Self {
        Self { program: std::env::current_exe(), file, one_at_a_time: Semaphore::new(1) }
    }

    /// What every check finds, in their order.
    pub(crate) async fn doctor(&self) -> Result<Vec<Finding>, Fault> {
        let text = self.run(&["doctor"]).await?;
        text.lines().map(read).collect()
    }

    pub(crate) async fn devices(&self) -> Result<SoundDevices, Fault> {
        read(self.run(&["devices"]).await?.trim())
    }

    /// A device tried: `--play=NAME` or `--record=NAME`.
    pub(crate) async fn sound(&self, test: &str) -> Result<SoundTestResult, Fault> {
        read(self.run(&["devices", test]).await?.trim())
    }

    async fn run(&self, arguments: &[&str]) -> Result<String, Fault> {
        let command = arguments.first().copied().unwrap_or_default();
        let Ok(_only) = self.one_at_a_time.try_acquire() else {
            let message = "it is being looked already";
            return Err(
                Fault::new(FaultKind::Unavailable, "doctor", message, "ask again in a moment").recoverable()
            );
        };
        let program = self.program.as_ref().map_err(|error| failed(command, &error.to_string()))?;
        let mut process = Command::new(program);
        process.args(self.file.arguments()).arg("--json").args(arguments);
        // What it says to systemd is said for the daemon.
        process.env_remove("NOTIFY_SOCKET").env_remove("WATCHDOG_USEC").env_remove("WATCHDOG_PID");
        process.stdin(Stdio::null()).kill_on_drop(true);
        let output = tokio::time::timeout(LIMIT, process.output()).await;
        let output = output.map_err(|_| failed(command, &format!("no end after {} s", LIMIT.as_secs())))?;
        let output = output.map_err(|error| failed(command, &error.to_string()))?;
        // Checks that fail make it end with 1, after it has printed all of them.
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        match text.trim() {
            "" => {
                let said = String::from_utf8_lossy(&output.stderr);
                Err(failed(command, said.lines().next().unwrap_or("it says nothing")))
            }
            _ => Ok(text),
        }
    }
}

fn read<T: DeserializeOwned>(line: &str) -> Result<T, Fault> {
    serde_json::from_str(line).map_err(|error| failed("doctor", &format!("it says something else: {error}")))
}

fn failed(command: &str, why: &str) -> Fault {
    let fix = format!("run `hark {command}` on the machine");
    Fault::new(FaultKind::Failed, "doctor", format!("`hark {command}` did not work: {why}"), fix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn of(script: &str) -> (tempfile::TempDir, Inspection) {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("hark");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let file = ConfigFile::new(Some(&dir.path().join("hark.toml")), &["home.demo=true".into()]);
        (dir, Inspection { program: Ok(program), file, one_at_a_time: Semaphore::new(1) })
    }

    fn wait<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(future)
    }

    #[test]
    fn checks_that_fail_are_findings_and_a_program_that_says_nothing_is_a_fault() {
        let script = r#"echo '{"check":"models","ok":true,"message":"there"}'
            echo "{\"check\":\"args\",\"ok\":false,\"message\":\"$3 $4 $5 $6\",\"fix\":\"none\"}"; exit 1"#;
        let (_dir, inspection) = of(script);
        let found = wait(inspection.doctor()).unwrap();
        assert_eq!((found[0].ok, found[0].fix.as_str()), (true, ""));
        assert_eq!(found[1].message, "--set home.demo=true --json doctor");
        let (_dir, inspection) = of("echo broken configuration >&2; exit 2");
        let fault = wait(inspection.devices()).unwrap_err();
        assert!(
            fault.message.contains("broken configuration") && fault.fix.contains("hark devices"),
            "{fault}"
        );
        let script =
            r#"echo '{"peak_dbfs":-20.5,"loudness":"good","played":true,"message":"'"$6 $7"'","fix":""}'"#;
        let (_dir, inspection) = of(script);
        let tried = wait(inspection.sound("--record=hw:0")).unwrap();
        assert_eq!((tried.peak_dbfs, tried.played), (Some(-20.5), true));
        assert!(tried.message.contains("devices --record=hw:0"), "{}", tried.message);
        let (_dir, inspection) = of("echo nonsense");
        assert!(wait(inspection.doctor()).is_err());
    }

    #[test]
    fn two_are_not_looked_at_a_time() {
        let (_dir, inspection) = of("sleep 1; echo '{\"check\":\"a\",\"ok\":true,\"message\":\"\"}'");
        let (one, two) = wait(async { tokio::join!(inspection.doctor(), inspection.doctor()) });
        assert!(one.is_ok());
        assert_eq!(two.unwrap_err().kind, FaultKind::Unavailable);
    }
}
