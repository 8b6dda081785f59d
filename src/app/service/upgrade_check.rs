//! Whether a newer program lies in the place of the one that runs: a package was brought up to date and the daemon
//! was not started again. Nobody else is asked for versions.

use hark_core::{Fault, FaultKind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// What tells one file from another that took its place.
type Mark = (u64, Option<SystemTime>);

/// See the module.
pub(crate) struct UpgradeCheck {
    /// The program, and how its file was at the start; `None` where that cannot be told.
    program: Option<(PathBuf, Mark)>,
    /// The file that was looked at last, and the version it said it is.
    seen: Mutex<Option<(Mark, Option<String>)>>,
}

impl Default for UpgradeCheck {
    fn default() -> Self {
        Self::of(std::env::current_exe().ok())
    }
}

impl UpgradeCheck {
    fn of(program: Option<PathBuf>) -> Self {
        let program = program.and_then(|path| mark(&path).map(|mark| (path, mark)));
        Self { program, seen: Mutex::default() }
    }

    /// The version in this one's place; `None` when it is this one, or none that answers. Runs it once for every
    /// file that comes there, which takes some milliseconds.
    pub(crate) fn version(&self) -> Option<String> {
        let (path, began) = self.program.as_ref()?;
        let now = mark(path).filter(|now| now != began)?;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.as_ref().is_none_or(|(then, _)| *then != now) {
            *seen = Some((now, asked(path)));
        }
        seen.as_ref().and_then(|(_, version)| version.clone())
    }

    /// Why nothing is installed.
    pub(crate) fn none() -> Fault {
        let fix = "bring the package up to date first; a restart begins the new version";
        Fault::new(FaultKind::BadInput, "update", "there is no newer version on this machine", fix)
            .recoverable()
    }
}

fn mark(path: &Path) -> Option<Mark> {
    let file = std::fs::metadata(path).ok()?;
    let id = std::os::unix::fs::MetadataExt::ino(&file);
    Some((id, file.modified().ok()))
}

/// What a program says to `-V`: its name and the version.
fn asked(program: &Path) -> Option<String> {
    let said = Command::new(program).arg("-V").output().ok().filter(|said| said.status.success())?;
    let said = String::from_utf8(said.stdout).ok()?;
    let version = said.trim().strip_prefix("hark ")?.trim().to_owned();
    let fits = !version.is_empty() && version.len() <= 64 && !version.contains(char::is_control);
    fits.then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn put(path: &Path, script: &str) {
        let beside = path.with_extension("new");
        std::fs::write(&beside, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&beside, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::rename(beside, path).unwrap();
    }

    #[test]
    fn only_another_program_in_its_place_is_a_newer_version() {
        let dir = tempfile::TempDir::new().unwrap();
        let path = dir.path().join("hark");
        put(&path, "echo hark 1.0.0");
        let upgrade_check = UpgradeCheck::of(Some(path.clone()));
        assert_eq!(upgrade_check.version(), None, "it is this one");
        put(&path, "echo hark 1.1.0");
        assert_eq!(upgrade_check.version().as_deref(), Some("1.1.0"));
        put(&path, "echo something else");
        assert_eq!(upgrade_check.version(), None);
        put(&path, "exit 1");
        assert_eq!(upgrade_check.version(), None);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(upgrade_check.version(), None, "it is being replaced");
        assert_eq!(UpgradeCheck::of(None).version(), None);
    }
}
