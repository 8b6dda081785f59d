//! Whether a repository is behind what its branch follows, asked of the program `git`.

use hark_process::ProcessGroup;
use std::io::{ErrorKind, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};

/// Time a fetch may take.
const LIMIT: Duration = Duration::from_secs(60);
/// How long is waited for the rest of what Git said when it has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Most of each of its outputs that is kept.
const MAX_KEPT_BYTES: usize = 16 * 1024;

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
    let mut git = Command::new("git");
    git.arg("-C")
        .arg(repository)
        // Nothing that a repository's own configuration names is run to look at it.
        .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
        .args(args)
        // Nobody is there to be asked for a password.
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes")
        .env("LC_ALL", "C");
    said_by(git, LIMIT)
}

/// What Git says on its standard output; it and what it started, such as ssh, end with this.
fn said_by(mut git: Command, limit: Duration) -> Result<String, String> {
    git.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = git.spawn().map_err(|error| format!("git cannot be started: {error}"))?;
    let group = ProcessGroup::led_by(child.id());
    let (said, complaint) = (listen(child.stdout.take()), listen(child.stderr.take()));
    let (leaders_end, until) = (group.leaders_end(), Instant::now() + limit);
    let mut is_over = leaders_end.is_there();
    while !is_over && Instant::now() < until {
        sleep(Duration::from_millis(50));
        is_over = leaders_end.is_there();
    }
    // Before Git is reaped: its number stays its own until then.
    drop(group);
    let status = child.wait().map_err(|error| error.to_string())?;
    if !is_over {
        return Err("git did not end in time".to_owned());
    }
    let told = |from: Receiver<Vec<u8>>| {
        let told = from.recv_timeout(LAST_WORDS).unwrap_or_default();
        String::from_utf8_lossy(&told).into_owned()
    };
    if status.success() {
        return Ok(told(said));
    }
    Err(told(complaint).lines().next_back().unwrap_or("git failed").to_owned())
}

/// Reads to the end on a thread of its own, as a full pipe would keep Git from ending, and sends what came last. A program
/// that left the group, such as ssh's shared connection, may keep the pipe open; the caller does not wait for it.
fn listen(from: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (tell, told) = channel();
    let work = move || {
        // Nobody may be waiting any more.
        let _ = tell.send(from.map(end_of).unwrap_or_default());
    };
    if let Err(error) = Builder::new().name("hark-git-output".into()).spawn(work) {
        tracing::warn!(%error, "what git says is not heard");
    }
    told
}

/// Reads to the end and keeps what came last.
fn end_of(mut from: impl Read) -> Vec<u8> {
    let (mut kept, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        match from.read(&mut piece) {
            Ok(read @ 1..) => kept.extend_from_slice(&piece[..read]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => return kept,
        }
        let over = kept.len().saturating_sub(MAX_KEPT_BYTES);
        kept.drain(..over);
    }
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

    fn shell(lines: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", lines]);
        command
    }

    #[test]
    fn more_than_a_pipe_holds_does_not_keep_it_from_ending() {
        let much = "head -c 300000 /dev/zero | tr '\\0' x";
        let said = said_by(shell(&format!("{much} >&2; {much}; echo; echo 7")), LIMIT).unwrap();
        assert_eq!((said.len(), said.lines().next_back()), (MAX_KEPT_BYTES, Some("7")));
        let failed = said_by(shell(&format!("{much} >&2; echo >&2; echo refused >&2; exit 1")), LIMIT);
        assert_eq!(failed, Err("refused".to_owned()));
    }

    #[test]
    fn what_git_started_ends_with_it_when_its_time_is_over() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("pid");
        let lines = format!("sleep 600 & echo $! > {}; wait", mark.display());
        let over = said_by(shell(&lines), Duration::from_secs(2));
        assert_eq!(over, Err("git did not end in time".to_owned()));
        let stat = format!("/proc/{}/stat", std::fs::read_to_string(mark).unwrap().trim());
        let lives = || std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
        let until = Instant::now() + LIMIT;
        while lives() && Instant::now() < until {
            sleep(Duration::from_millis(5));
        }
        assert!(!lives());
    }
}
