//! Whether a repository is behind what its branch follows, asked of the program `git`.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Time a fetch may take.
const LIMIT: Duration = Duration::from_secs(60);

/// How many commits of the branch it follows are not in the one that is checked out.
///
/// # Errors
/// Why that is not known, in words of Git.
pub(crate) fn commits_behind(repository: &Path, fetch: bool) -> Result<u64, String> {
    if fetch {
        run(repository, &["fetch", "--quiet"])?;
    }
    let count = run(repository, &["rev-list", "--count", "HEAD..@{upstream}"])?;
    count.trim().parse().map_err(|_| format!("git told no number: {count}"))
}

fn run(repository: &Path, args: &[&str]) -> Result<String, String> {
    let child = Command::new("git")
        .arg("-C")
        .arg(repository)
        // Nothing that a repository's own configuration names is run to look at it.
        .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
        .args(args)
        // Nobody is there to be asked for a password.
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("git cannot be started: {error}"))?;
    let output = wait(child)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Err(complaint.lines().next_back().unwrap_or("git failed").to_owned())
}

fn wait(mut child: Child) -> Result<Output, String> {
    let until = Instant::now() + LIMIT;
    // Its output is a number or a line, which fits into the pipe.
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        if Instant::now() > until {
            // It may have ended meanwhile.
            let _ = child.kill();
            let _ = child.wait();
            return Err("git did not end in time".to_owned());
        }
        sleep(Duration::from_millis(50));
    }
    child.wait_with_output().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_falls_behind_and_comes_level() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let git = |folder: &Path, args: &[&str]| {
            let named = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"];
            let done = Command::new("git").arg("-C").arg(folder).args(named).args(args).output().unwrap();
            assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        };
        std::fs::create_dir(at("origin")).unwrap();
        git(&at("origin"), &["init", "--quiet"]);
        git(&at("origin"), &["commit", "--quiet", "--allow-empty", "-m", "one"]);
        git(folder.path(), &["clone", "--quiet", "origin", "copy"]);
        assert_eq!(commits_behind(&at("copy"), true), Ok(0));
        git(&at("origin"), &["commit", "--quiet", "--allow-empty", "-m", "two"]);
        assert_eq!(commits_behind(&at("copy"), false), Ok(0), "nobody has fetched");
        assert_eq!(commits_behind(&at("copy"), true), Ok(1));
        git(&at("copy"), &["merge", "--quiet", "--ff-only", "@{upstream}"]);
        assert_eq!(commits_behind(&at("copy"), true), Ok(0));
        assert!(commits_behind(&at("origin"), false).is_err(), "it follows none");
        assert!(commits_behind(folder.path(), true).is_err());
    }
}
