//! Folders and repositories that are watched, from the outside: asked for in words, told once, held while it is quiet, and kept
//! over a restart.

use crate::scenarios::daemon_api::{get, start};
use crate::support::{Hark, Running, text, wait_for};
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

struct House {
    hark: Hark,
    settings: Vec<String>,
}

impl House {
    fn new() -> Self {
        let hark = Hark::new();
        fs::create_dir_all(hark.path("in")).unwrap();
        fs::write(hark.path("in/old.txt"), "1").unwrap();
        let settings = vec![
            format!("watch.folders=[\"downloads={}\"]", hark.path("in").display()),
            format!("watch.repositories=[\"website={}\"]", hark.path("copy").display()),
        ];
        Self { hark, settings }
    }

    fn run(&self, more: &[&str]) -> (Running, SocketAddr) {
        let settings: Vec<&str> =
            self.settings.iter().map(String::as_str).chain(more.iter().copied()).collect();
        start(&self.hark, &settings)
    }

    fn ask(&self, words: &str) -> String {
        let output = self.hark.run(&["ask", "--session", "desk", words]);
        assert!(output.status.success(), "{words}: {}", text(&output.stderr));
        text(&output.stdout).lines().last().unwrap_or_default().to_owned()
    }
}

fn git(folder: &Path, args: &[&str]) {
    let named = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"];
    let done = Command::new("git").arg("-C").arg(folder).args(named).args(args).output().unwrap();
    assert!(done.status.success(), "{args:?}: {}", text(&done.stderr));
}

/// How often something was said by Hark itself.
fn times(address: SocketAddr, words: &str) -> usize {
    let turns = get(address, "/api/v1/turns");
    let said = |turn: &&serde_json::Value| turn["reply"] == words;
    turns["turns"].as_array().unwrap().iter().filter(said).count()
}

fn said(address: SocketAddr, words: &str) {
    wait_for(words, Duration::from_secs(40), || (times(address, words) > 0).then_some(()));
}

#[test]
fn a_file_that_appears_is_told_once_and_one_that_came_while_hark_was_away_afterwards() {
    let house = House::new();
    let (daemon, address) = house.run(&["proactive.min_interval_min=0"]);
    let kept = house.ask("tell me whenever a file appears in downloads");
    assert!(kept.starts_with("Okay, I'll tell you whenever a file appears in downloads"), "{kept}");
    let waits = house.ask("what are you waiting for");
    assert!(waits.contains("whenever a file appears in downloads"), "{waits}");
    fs::write(house.hark.path("in/film.mkv.part"), "1").unwrap();
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(times(address, "a file appears in downloads"), 0, "it is not there yet");
    fs::rename(house.hark.path("in/film.mkv.part"), house.hark.path("in/film.mkv")).unwrap();
    said(address, "a file appears in downloads");
    daemon.terminate();
    fs::write(house.hark.path("in/song.ogg"), "1").unwrap();
    let (_daemon, address) = house.run(&["proactive.min_interval_min=0"]);
    wait_for("the second", Duration::from_secs(40), || {
        (times(address, "a file appears in downloads") == 2).then_some(())
    });
    fs::remove_file(house.hark.path("in/song.ogg")).unwrap();
    std::thread::sleep(Duration::from_secs(4));
    assert_eq!(times(address, "a file appears in downloads"), 2, "what goes was not asked for");
}

#[test]
fn a_repository_that_falls_behind_is_told_and_what_is_held_is_told_later() {
    let house = House::new();
    fs::create_dir(house.hark.path("origin")).unwrap();
    git(&house.hark.path("origin"), &["init", "--quiet"]);
    git(&house.hark.path("origin"), &["commit", "--quiet", "--allow-empty", "-m", "one"]);
    git(&house.hark.path(""), &["clone", "--quiet", "origin", "copy"]);
    let (daemon, _) = house.run(&[]);
    wait_for("a first look", Duration::from_secs(20), || {
        house.ask("what is the state of website").contains("level").then_some(())
    });
    let kept = house.ask("when my website repository is behind, tell me");
    assert!(kept.starts_with("Okay, I'll tell you when your website repository is behind"), "{kept}");
    daemon.terminate();
    git(&house.hark.path("origin"), &["commit", "--quiet", "--allow-empty", "-m", "two"]);
    // All day long nothing is said unasked: it is held.
    let (daemon, address) = house.run(&["speaking.quiet_hours=00:00-23:59"]);
    wait_for("a look", Duration::from_secs(20), || {
        house.ask("what is the state of website").contains("behind").then_some(())
    });
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(times(address, "my website repository is behind"), 0);
    daemon.terminate();
    let (_daemon, address) = house.run(&[]);
    said(address, "my website repository is behind");
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(times(address, "my website repository is behind"), 1);
}
