//! `hark watch` beside a real daemon.

use crate::support::terminal::Terminal;
use crate::support::{Hark, Running, run, text, wait_for};
use std::process::{Command, Stdio};
use std::time::Duration;

fn daemon(hark: &Hark) -> Running {
    let mut command = hark.command(&["run"]);
    for setting in
        ["audio.input_device=none", "audio.output_device=none", "home.demo=true", "intent.learn=false"]
    {
        command.args(["--set", setting]);
    }
    Running(command.env("RUST_LOG", "error").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

#[test]
fn a_daemon_is_watched_talked_to_and_found_again() {
    let hark = Hark::new();
    let mut terminal = Terminal::start(hark.command(&["watch"]));
    terminal.expect_screen("away, tried again: no Hark runs");
    assert!(terminal.is_on_other_screen());
    let first = daemon(&hark);
    terminal.expect_screen("idle");

    // Typed here, and by somebody else.
    terminal.type_keys("/turn on the kitchen ceiling\r");
    terminal.expect_screen("» turn on the kitchen ceiling");
    terminal.expect_screen("HassTurnOn by template");
    terminal.expect_screen("receipt");
    let asked = hark.run(&["ask", "what time is it"]);
    assert!(asked.status.success(), "{}", text(&asked.stderr));
    terminal.expect_screen("» what time is it");

    // A dangerous act is asked about, and answered by a key.
    terminal.type_keys("/unlock the front door\r");
    terminal.expect_screen("y: yes, n: no");
    terminal.type_keys("y");
    let unlocked = || text(&hark.run(&["home", "show", "front", "door"]).stdout).contains("unlocked");
    wait_for("the door", Duration::from_secs(20), || unlocked().then_some(()));

    terminal.type_keys("2");
    terminal.expect_screen("unlock the front door");
    terminal.type_keys("\x1b[B\x1b[B");
    terminal.expect_screen("heard ");
    // Smaller, and wider.
    terminal.resize(8, 30);
    terminal.expect_screen("doctor");
    terminal.resize(40, 120);
    terminal.type_keys("3");
    terminal.expect_screen("ok     models");

    assert!(first.terminate().success());
    terminal.expect_screen("away, tried again");
    let second = daemon(&hark);
    terminal.expect_screen("idle");
    terminal.type_keys("\x03");
    assert!(terminal.ended().success());
    assert!(!terminal.is_on_other_screen() && terminal.echoes() && !terminal.hides_cursor());
    drop(second);
}

#[test]
fn told_to_end_it_gives_the_terminal_back() {
    let hark = Hark::new();
    for signal in ["-TERM", "-HUP", "-INT"] {
        let mut terminal = Terminal::start(hark.command(&["watch"]));
        terminal.expect_screen("away");
        assert!(!terminal.echoes());
        run(Command::new("kill").args([signal, &terminal.id().to_string()]));
        assert!(terminal.ended().success(), "{signal}");
        wait_for("the terminal", Duration::from_secs(5), || (!terminal.is_on_other_screen()).then_some(()));
        assert!(terminal.echoes(), "{signal}");
    }
}

#[test]
fn without_colours_none_are_sent() {
    let hark = Hark::new();
    let colours = |name: &str| {
        let mut command = hark.command(&["watch"]);
        command.env_remove("NO_COLOR").env(name, "1");
        let mut terminal = Terminal::start(command);
        terminal.expect_screen("away");
        terminal.type_keys("q");
        assert!(terminal.ended().success());
        // Colours by their number, whatever else is in the sequence.
        terminal.all().contains("38;5;")
            || terminal.all().contains("\x1b[31")
            || terminal.all().contains("\x1b[91")
    };
    assert!(colours("COLOUR_IS_FINE"));
    assert!(!colours("NO_COLOR"));
}

#[test]
fn without_a_terminal_it_says_what_to_do() {
    let output = Hark::new().run(&["watch"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("ssh -t"), "{}", text(&output.stderr));
}
