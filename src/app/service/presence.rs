//! Which running Hark has a state folder: it holds a lock on a file there, which the system lets go of however the
//! program ends, and listens on a socket beside it. A file that is left over says nothing; only the lock does.

use hark_config::paths::{ensure_dir, private};
use hark_core::{Fault, FaultKind};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const LOCK: &str = "hark.lock";
const SOCKET: &str = "hark.sock";
/// A command that looks holds the lock for a moment; nobody else but a daemon holds it longer.
const LOOKS_LAST: Duration = Duration::from_secs(1);

/// The state folder is this process's for as long as this lives.
#[derive(Debug)]
pub struct Presence {
    /// `None` where the disk takes no file at all.
    _lock: Option<File>,
}

/// The socket of the daemon with this state folder.
pub fn socket(state_dir: &Path) -> PathBuf {
    state_dir.join(SOCKET)
}

/// Takes a state folder for this process. Where the disk takes no file, it goes on without: commands do not find it.
///
/// # Errors
/// When another daemon has it, or the folder cannot be made.
pub fn claim(state_dir: &Path) -> Result<Presence, Fault> {
    ensure_dir(state_dir)?;
    let path = state_dir.join(LOCK);
    let mut options = OpenOptions::new();
    let writable = private(options.read(true).write(true).create(true).truncate(false)).open(&path);
    let opened = writable.or_else(|error| File::open(&path).map_err(|_| error));
    let mut file = match opened {
        Ok(file) => file,
        Err(error) => {
            tracing::warn!("commands do not find this Hark: {} cannot be made ({error})", path.display());
            return Ok(Presence { _lock: None });
        }
    };
    let end = Instant::now() + LOOKS_LAST;
    while let Err(error) = file.try_lock() {
        match error {
            TryLockError::WouldBlock if Instant::now() < end => std::thread::sleep(Duration::from_millis(20)),
            TryLockError::WouldBlock => return Err(taken(state_dir, process(&file))),
            TryLockError::Error(error) => return Err(unreadable(&path, &error)),
        }
    }
    let id = std::process::id().to_string();
    if let Err(error) = file.set_len(0).and_then(|()| file.write_all(id.as_bytes())) {
        tracing::warn!("the process id is not in {}: {error}", path.display());
    }
    Ok(Presence { _lock: Some(file) })
}

/// The process id of the daemon that has a state folder; `None` when none runs, 0 when it could not tell its own.
///
/// # Errors
/// When it cannot be looked.
pub fn look(state_dir: &Path) -> Result<Option<u32>, Fault> {
    let path = state_dir.join(LOCK);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(&path, &error)),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(None),
        Err(TryLockError::WouldBlock) => Ok(Some(process(&file))),
        Err(TryLockError::Error(error)) => Err(unreadable(&path, &error)),
    }
}

fn process(file: &File) -> u32 {
    let mut id = String::new();
    // What cannot be read is only not told.
    let _ = file.take(16).read_to_string(&mut id);
    id.trim().parse().unwrap_or_default()
}

fn taken(state_dir: &Path, process: u32) -> Fault {
    let message = format!("process {process} is a Hark that has the state folder {}", state_dir.display());
    let fix = "one daemon a folder: end that one, or give this one its own with --set paths.state_dir=FOLDER";
    Fault::new(FaultKind::Failed, "daemon", message, fix)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Fault {
    let message = format!("whether a Hark runs cannot be looked up in {}: {error}", path.display());
    let fix = "call it as the user who runs Hark (`sudo -u hark hark …`), or name another --set paths.state_dir=FOLDER";
    Fault::new(FaultKind::Unavailable, "daemon", message, fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_daemon_and_a_file_that_is_left_over_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        assert_eq!(look(&state).unwrap(), None, "there is not even a folder");
        let presence = claim(&state).unwrap();
        assert_eq!(look(&state).unwrap(), Some(std::process::id()));
        let second = claim(&state).unwrap_err();
        assert!(second.message.contains(&std::process::id().to_string()), "{second}");
        drop(presence);
        assert!(state.join(LOCK).exists());
        assert_eq!(look(&state).unwrap(), None);
        std::fs::write(state.join(LOCK), "4294967295 and more").unwrap();
        assert_eq!(look(&state).unwrap(), None);
        drop(claim(&state).unwrap());
    }
}
