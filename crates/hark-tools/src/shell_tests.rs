//! Real programs, and everything that tries to run others.
#![cfg(target_os = "linux")]

use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

fn shell(allowed: &[&str]) -> Shell {
    let config = ToolsConfig {
        shell_allow: allowed.iter().map(|&one| one.to_owned()).collect(),
        ..ToolsConfig::default()
    };
    Shell::new(&config, None)
}

/// A script of the owner's own, in a folder of its own.
fn script(folder: &Path, name: &str, lines: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

async fn run(shell: &Shell, program: &str, args: &[&str]) -> ProgramOutput {
    shell.run(shell.order(program, args).unwrap()).await.unwrap()
}

#[tokio::test]
async fn arguments_arrive_as_they_are_and_nothing_reads_them() {
    let shell = shell(&["echo"]);
    for arg in
        ["$HOME", "`id`", "$(id)", "a; id", "a && id", "a | id", "> /tmp/x", "*", "~", "'\"", "\\", "-n -e"]
    {
        let ran = run(&shell, "echo", &["x", arg]).await;
        assert_eq!(ran.stdout, format!("x {arg}"));
        assert_eq!((ran.exit_code, ran.stderr.as_str(), ran.truncated), (Some(0), "", false));
    }
}

#[test]
fn only_what_is_on_the_list_is_run() {
    let shell = shell(&["echo", "/bin/uname"]);
    assert!(shell.order("echo", &[]).is_ok() && shell.order("uname", &[]).is_ok(), "by name or by path");
    for program in [
        "id",
        "/usr/bin/id",
        "sh",
        "/bin/sh",
        "echo id",
        "echo;id",
        "./echo",
        "../../bin/id",
        "",
        "/bin/../bin/id",
        "/tmp",
    ] {
        let refused = shell.order(program, &[]).unwrap_err();
        assert!(matches!(refused, ShellError::NotAllowed(..)), "{program}: {refused:?}");
    }
    assert_eq!(Shell::default().order("echo", &[]), Err(ShellError::NothingAllowed));
    for arg in ["a\0b", "a\nb", "\u{1b}[2J"] {
        assert_eq!(shell.order("echo", &["fine", arg]), Err(ShellError::BadArgument(2)));
    }
}

#[test]
fn what_runs_everything_is_not_run_even_when_it_is_on_the_list() {
    let folder = tempfile::tempdir().unwrap();
    let disguised = folder.path().join("harmless");
    symlink("/bin/sh", &disguised).unwrap();
    let disguised = disguised.display().to_string();
    let shell = shell(&["sh", "/bin/sh", "env", "find", "xargs", "/usr/bin/env", &disguised]);
    for program in ["sh", "/bin/sh", "env", "find", "xargs", "/usr/bin/env", &disguised] {
        for args in [&["-c", "id"][..], &["id"], &[".", "-exec", "id", ";"]] {
            let refused = shell.order(program, args).unwrap_err();
            assert!(matches!(refused, ShellError::RunsAnything(_)), "{program}: {refused:?}");
        }
    }
}

#[tokio::test]
async fn nothing_of_our_environment_is_passed_on() {
    let folder = tempfile::tempdir().unwrap();
    let look = script(folder.path(), "look", "cat /proc/$$/environ | tr '\\0' '\\n'; pwd");
    let config = ToolsConfig { shell_allow: vec![look.clone()], ..ToolsConfig::default() };
    let shell = Shell::new(&config, Some(folder.path()));
    let ran = run(&shell, &look, &[]).await;
    let mut lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.pop(), folder.path().canonicalize().unwrap().to_str());
    lines.sort_unstable();
    assert_eq!(lines, ["LANG=C.UTF-8", format!("PATH={PATH}").as_str()]);
    assert!(std::env::vars_os().count() > 2, "there was something to pass on");
}

#[tokio::test]
async fn how_it_ended_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let fails = script(folder.path(), "fails", "echo half; echo 'no \u{1b}[31msuch' thing >&2; exit 3");
    let killed = script(folder.path(), "killed", "kill -9 $$");
    let shell = shell(&[&fails, &killed]);
    let ran = run(&shell, &fails, &[]).await;
    assert_eq!(
        (ran.exit_code, ran.stdout.as_str(), ran.stderr.as_str()),
        (Some(3), "half", "no [31msuch thing")
    );
    assert_eq!(run(&shell, &killed, &[]).await.exit_code, None);
}

#[tokio::test]
async fn endless_output_ends() {
    let folder = tempfile::tempdir().unwrap();
    let endless = script(
        folder.path(),
        "endless",
        "while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done",
    );
    let ran = run(&shell(&[&endless]), &endless, &[]).await;
    assert!(ran.truncated && ran.exit_code.is_none());
    assert!(ran.stdout.len() <= MAX_OUTPUT_BYTES && ran.stdout.len() > MAX_OUTPUT_BYTES - 100);
}

/// Whether a process is there and not only waiting to be reaped.
fn lives(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// Waits until a process is gone; the program it belongs to would have lived for ten minutes.
async fn gone(pid: &str) {
    let waiting = async {
        while lives(pid) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), waiting).await.expect("the process is ended");
}

#[tokio::test]
async fn giving_up_ends_the_program_and_what_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let marks = folder.path().join("pids");
    let lines =
        format!("sleep 600 & echo $! > {0}.new; echo $$ >> {0}.new; mv {0}.new {0}; wait", marks.display());
    let slow = script(folder.path(), "slow", &lines);
    let shell = shell(&[&slow]);
    let running = tokio::spawn(async move {
        let order = shell.order(&slow, &[]).unwrap();
        shell.run(order).await
    });
    let pids = loop {
        match std::fs::read_to_string(&marks) {
            Ok(pids) => break pids,
            Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    };
    let pids: Vec<&str> = pids.split_whitespace().collect();
    assert_eq!(pids.len(), 2);
    assert!(pids.iter().all(|pid| lives(pid)));
    running.abort();
    drop(running.await);
    for pid in pids {
        gone(pid).await;
    }
}

#[tokio::test]
async fn what_it_leaves_behind_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    // The one left behind holds no pipe, so that the program itself ends at once.
    let leaves = script(folder.path(), "leaves", "sleep 600 >/dev/null 2>&1 & echo $!");
    let ran = run(&shell(&[&leaves]), &leaves, &[]).await;
    assert_eq!(ran.exit_code, Some(0));
    gone(&ran.stdout).await;
}
