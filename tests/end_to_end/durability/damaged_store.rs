//! The database is damaged, or nothing can be written: every command tells of it, the daemon works with what can be read,
//! and nothing is promised that cannot be kept.

use crate::support::{Broker, Hark, Running, Subscription, text, wait_for};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A state folder with some timers and a backup, nobody at work in it.
fn lived_in() -> Hark {
    let hark = Hark::new();
    for number in 0..4 {
        let output = hark.run(&["ask", &format!("/remind 5h promise number {number}")]);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let output = hark.run(&["store", "backup"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    hark
}

#[test]
fn every_command_tells_of_a_damaged_database_and_a_backup_is_put_back() {
    let hark = lived_in();
    let sound = std::fs::read(hark.path("hark.db")).unwrap();
    let cut = sound[..sound.len() / 2].to_vec();
    for bytes in [cut, Vec::new(), b"no database at all ".repeat(100)] {
        std::fs::write(hark.path("hark.db"), &bytes).unwrap();
        for command in [
            &["timers", "list"][..],
            &["timers", "list", "--json"],
            &["timers", "cancel", "all"],
            &["schedule", "list"],
            &["remember", "list"],
            &["explain"],
            &["replay", "last"],
            &["ask", "turn on the kitchen light"],
            &["store", "status"],
        ] {
            let output = hark.run(command);
            let (out, err) = (text(&output.stdout), text(&output.stderr));
            assert!(!output.status.success(), "{command:?}: {out}");
            assert!(
                err.contains("damaged") && err.contains("hark store restore hark-"),
                "{command:?}: {err}"
            );
            assert!(!out.contains("no timers") && !out.contains("[]"), "{command:?}: {out}");
        }
        let doctor = hark.run(&["doctor"]);
        assert!(text(&doctor.stdout).contains("FAILED  state folder"), "{}", text(&doctor.stdout));
        assert_eq!(std::fs::read(hark.path("hark.db")).unwrap(), bytes, "no command changes it");
    }
    let output = hark.run(&["store", "restore"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("hark.db.replaced-"), "{}", text(&output.stdout));
    assert_eq!(hark.timers_by_number().len(), 4);
    assert!(text(&hark.run(&["store", "status"]).stdout).contains("is sound"));
}

/// How the daemon is kept from writing.
#[derive(Debug, Clone, Copy)]
enum Disk {
    /// The state folder is mounted read-only.
    ReadOnly,
    /// The state folder is a small file system that is full.
    Full,
    /// No file may grow, which is allowed where mounting is not.
    NoGrowth,
}

impl Disk {
    fn script(self) -> &'static str {
        match self {
            Self::ReadOnly => {
                r#"mount --bind "$STATE_DIRECTORY" "$STATE_DIRECTORY" && mount -o remount,ro,bind "$STATE_DIRECTORY" && exec "$@""#
            }
            Self::Full => {
                r#"full="$STATE_DIRECTORY/full" && mkdir "$full" && mount -t tmpfs -o size=2M none "$full" &&
                cp "$STATE_DIRECTORY"/hark.db* "$full" && { cat /dev/zero > "$full/zeros" 2>/dev/null; STATE_DIRECTORY="$full" exec "$@"; }"#
            }
            Self::NoGrowth => r#"trap "" XFSZ; ulimit -f 0; exec "$@""#,
        }
    }

    fn run(self, hark: &Hark, broker: &Broker) -> Running {
        let url = format!("mqtt.url=mqtt://127.0.0.1:{}", broker.port);
        let settings =
            [url.as_str(), "audio.input_device=none", "audio.output_device=none", "intent.learn=false"];
        let sets = settings.into_iter().flat_map(|setting| ["--set", setting]);
        let daemon = hark.command(&std::iter::once("run").chain(sets).collect::<Vec<_>>());
        let mut command = match self {
            Self::NoGrowth => Command::new("sh"),
            Self::ReadOnly | Self::Full => Command::new("unshare"),
        };
        if !matches!(self, Self::NoGrowth) {
            command.args(["-m", "sh"]);
        }
        command.args(["-c", self.script(), "sh"]).arg(daemon.get_program()).args(daemon.get_args());
        for (name, value) in daemon.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        Running(command.env("RUST_LOG", "error").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Whether this machine lets it happen.
    fn is_possible(self) -> bool {
        matches!(self, Self::NoGrowth)
            || Command::new("unshare")
                .args(["-m", "mount", "-t", "tmpfs", "none", "/mnt"])
                .output()
                .is_ok_and(|output| output.status.success())
    }
}

fn answer(broker: &Broker, all: &Subscription, request: &str) -> String {
    let answers = |line: &&String| line.starts_with("hark/hark/answer ");
    let before = all.lines().iter().filter(answers).count();
    broker.publish("hark/hark/ask", request);
    wait_for(request, Duration::from_secs(30), || all.lines().iter().filter(answers).nth(before).cloned())
}

#[test]
fn with_a_disk_that_takes_nothing_lights_and_known_alarms_work_and_nothing_is_promised() {
    for disk in [Disk::ReadOnly, Disk::Full, Disk::NoGrowth] {
        if !disk.is_possible() {
            println!("skipped {disk:?}: mounting is not allowed here");
            continue;
        }
        let hark = lived_in();
        let output = hark.run(&["ask", "/remind 6s known before"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let broker = Broker::start();
        let all = broker.subscribe("hark/#");
        let _daemon = disk.run(&hark, &broker);
        all.wait("the daemon", |line| line == "hark/hark/availability online");
        all.wait("the fault", |line| line.contains("\"error\"") && line.contains("nothing new can be kept"));
        let said = answer(&broker, &all, "turn on the kitchen light");
        assert!(said.contains("Turned on"), "{disk:?}: {said}");
        for request in ["set a timer for five minutes", "add plums to the shopping list", "wake me at seven"]
        {
            let said = answer(&broker, &all, request);
            assert!(said.contains("can't keep that"), "{disk:?}: {request}: {said}");
        }
        if !matches!(disk, Disk::NoGrowth) {
            let word = if matches!(disk, Disk::Full) { "the disk is full" } else { "the disk is read-only" };
            assert!(answer(&broker, &all, "set a timer for six minutes").contains(word), "{disk:?}");
        }
        all.wait("the alarm", |line| {
            line.contains("\"change\":\"finished\"") && line.contains("known before")
        });
    }
}
