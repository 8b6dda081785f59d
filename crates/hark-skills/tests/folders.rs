//! Folders of skills: what is taken, what is refused, what a model is told, and scripts that run.
#![allow(clippy::unwrap_used, reason = "tests")]

use hark_core::external_tools::ExternalTools;
use hark_core::tool::error_code;
use hark_core::{Risk, Slots};
use hark_skills::{Folders, MANIFEST, Skills, TEXT};
use serde_json::json;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Writes a skill with more lines in its manifest.
fn write(folder: &Path, name: &str, more: &str, text: &str) -> PathBuf {
    let skill = folder.join(name);
    fs::create_dir_all(&skill).unwrap();
    let manifest =
        format!("name: {name}\ndescription: Does {name}.\ntriggers: [{}]\n{more}", name.replace('-', " "));
    for (file, text) in [(MANIFEST, manifest.as_str()), (TEXT, text)] {
        fs::write(skill.join(file), text).unwrap();
        chmod(&skill.join(file), 0o644);
    }
    chmod(folder, 0o755);
    chmod(&skill, 0o755);
    skill
}

fn script(skill: &Path, name: &str, text: &str) {
    fs::write(skill.join(name), format!("#!/bin/sh\n{text}\n")).unwrap();
    chmod(&skill.join(name), 0o755);
}

fn skills(own: &Path, shipped: Option<&Path>, allowed: &[&str]) -> Skills {
    let folders = Folders { own: own.to_owned(), shipped: shipped.map(Path::to_owned) };
    let allowed: Vec<String> = allowed.iter().map(|one| (*one).to_owned()).collect();
    Skills::new(folders, &allowed, ["web".to_owned()], ["time".to_owned()])
}

fn names(skills: &Skills) -> Vec<String> {
    skills.all().iter().map(|skill| skill.read.manifest.name.clone()).collect()
}

fn args(value: serde_json::Value) -> Slots {
    value.as_object().cloned().unwrap()
}

#[test]
fn summaries_are_always_told_and_texts_when_the_request_tells_of_them() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "bin-day",
        "permissions: [list]\nmcp_servers: [time]\n",
        "Look at the calendar on the fridge.",
    );
    write(folder.path(), "movie-night", "", "Dim the lights.");
    let skills = skills(folder.path(), None, &[]);
    let idle = skills.told("turn on the lamp");
    assert_eq!(idle.summaries, "- bin-day: Does bin-day.\n- movie-night: Does movie-night.");
    assert_eq!((idle.text.as_str(), idle.agents.len()), ("", 0));
    let told = skills.told("When is the next Bin Day?");
    assert_eq!(told.text, "# bin-day\nLook at the calendar on the fridge.");
    assert_eq!(told.permissions, ["list"]);
    assert_eq!(told.agents, ["mcp.time", "skill.bin-day"]);
    assert_eq!(skills.told("the robin days are long").text, "", "whole words only");
}

#[test]
fn what_cannot_be_used_says_why() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "reads-pages", "permissions: [web]\n", "x");
    write(folder.path(), "asks-office", "mcp_servers: [office]\n", "x");
    let skills = skills(folder.path(), None, &[]);
    let troubles: Vec<String> =
        skills.all().iter().map(|skill| skill.trouble.as_ref().unwrap().message.clone()).collect();
    assert!(troubles[0].contains("the MCP server `office`"), "{troubles:?}");
    assert!(troubles[1].contains("`web`"), "{troubles:?}");
    assert_eq!(skills.told("asks office").summaries, "", "nothing is told of them");
}

#[test]
fn words_that_somebody_else_may_have_written_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own");
    for (name, mode) in [("open-text", TEXT), ("open-manifest", MANIFEST), ("open-folder", "")] {
        let skill = write(&own, name, "", "x");
        chmod(&skill.join(mode), if mode.is_empty() { 0o777 } else { 0o666 });
    }
    write(&own, "good", "", "x");
    let read = skills(&own, None, &[]);
    assert_eq!(names(&read), ["good"]);
    let problems = read.problems();
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert!(problems.iter().all(|problem| problem.fix.contains("chmod go-w")), "{problems:?}");
    chmod(&own, 0o777);
    let open = skills(&own, None, &[]);
    assert_eq!((names(&open).len(), open.problems().len()), (0, 1));
}

#[test]
fn mistakes_name_their_file_and_the_rest_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "good", "", "x");
    write(folder.path(), "empty", "", "");
    write(folder.path(), "wrong", "trigers: [x]\n", "x");
    let lone = write(folder.path(), "alone", "", "x");
    fs::remove_file(lone.join(TEXT)).unwrap();
    let skill = write(folder.path(), "script", "tools: [{name: a, description: b, script: a.sh}]\n", "x");
    fs::write(skill.join("a.sh"), "x").unwrap();
    chmod(&skill.join("a.sh"), 0o644);
    let read = skills(folder.path(), None, &[]);
    assert_eq!(names(&read), ["good"]);
    let told: Vec<String> = read.problems().iter().map(ToString::to_string).collect();
    for expected in [
        "empty/SKILL.md: it is empty",
        "wrong/manifest.yaml:4: trigers: the manifest has no such key\n  fix: did you mean `triggers`?",
        "alone/SKILL.md: it cannot be read",
        "a.sh: the script of the tool a cannot be run\n  fix: chmod +x",
    ] {
        assert!(told.iter().any(|told| told.contains(expected)), "{expected} in {told:#?}");
    }
}

#[test]
fn one_of_the_owner_takes_the_place_of_one_that_came_with_hark() {
    let folder = tempfile::tempdir().unwrap();
    let (own, shipped) = (folder.path().join("own"), folder.path().join("shipped"));
    write(&own, "cooking", "", "ours");
    write(&shipped, "cooking", "", "theirs");
    write(&shipped, "leaving", "", "theirs");
    let read = skills(&own, Some(&shipped), &[]);
    let whose: Vec<(String, bool)> =
        read.all().iter().map(|skill| (skill.read.text.clone(), skill.read.is_shipped)).collect();
    assert_eq!(whose, [("ours".to_owned(), false), ("theirs".to_owned(), true)]);
    assert_eq!(names(&skills(&own, None, &[])), ["cooking"]);
    assert!(names(&skills(&folder.path().join("none"), None, &[])).is_empty());
}

#[test]
fn the_shipped_skills_have_no_mistake() {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/skills");
    let read = skills(Path::new("/nonexistent"), Some(&shipped), &[]);
    assert_eq!(*read.problems(), [], "{:?}", read.problems());
    assert_eq!(names(&read), ["cooking", "leaving-home"]);
    assert!(read.all().iter().all(|skill| skill.trouble.is_none()));
}

/// Waits until the folder was looked at anew, and it is so.
fn wait_for(is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < end, "the change is not noticed");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_change_is_noticed_while_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "bin-day", "", "old");
    let read = skills(folder.path(), None, &[]);
    assert!(read.told("bin day").text.ends_with("old"));
    write(folder.path(), "bin-day", "", "new");
    write(folder.path(), "movie-night", "", "x");
    wait_for(|| names(&read) == ["bin-day", "movie-night"]);
    assert!(read.told("bin day").text.ends_with("new"));
    fs::remove_dir_all(folder.path().join("bin-day")).unwrap();
    wait_for(|| names(&read) == ["movie-night"]);
}

#[tokio::test]
async fn a_script_gets_its_arguments_as_they_are_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let tools = "tools:\n  - {name: tell, description: Tells., script: tell.sh, risk: read, args: [{name: what}]}\n  \
                 - {name: fail, description: Fails., script: fail.sh, risk: write}\n  \
                 - {name: shut, description: Shut., script: shut.sh}\n";
    let skill = write(folder.path(), "bin-day", tools, "x");
    script(&skill, "tell.sh", "printf '%s|' \"$#\" \"$1\" \"$PWD\" \"$CARGO_MANIFEST_DIR\"");
    script(&skill, "fail.sh", "echo out of paper >&2; exit 3");
    script(&skill, "shut.sh", "true");
    let read = skills(folder.path(), None, &["bin-day/tell.sh", "bin-day/fail.sh"]);
    let risks: Vec<Risk> = read.tools().iter().map(|tool| tool.risk).collect();
    assert_eq!(risks, [Risk::Read, Risk::Write, Risk::Dangerous]);
    let hostile = "$(touch /tmp/x); `id` && rm -rf / \"'";
    let told = read.call("skill.bin-day.tell", args(json!({"what": hostile}))).await.unwrap().text;
    let here = skill.canonicalize().unwrap();
    assert_eq!(told, format!("1|{hostile}|{}||", here.display()));
    let failed = read.call("skill.bin-day.fail", Slots::new()).await.unwrap_err();
    assert!(failed.message.contains("exit code 3: out of paper"), "{failed:?}");
    let control = read.call("skill.bin-day.tell", args(json!({"what": "a\u{1b}b"}))).await.unwrap_err();
    assert_eq!(control.code, error_code::BAD_ARGUMENT);
    let shut = read.find("skill.bin-day.shut").unwrap();
    assert_eq!(
        shut.trouble.as_ref().unwrap().fix,
        "look at what it does, then: skills.scripts = [\"bin-day/shut.sh\"]"
    );
    assert!(read.missing("skill.bin-day.none").unwrap().message.contains("no such tool"));
    assert!(read.missing("skill.other.x").unwrap().message.contains("no skill other"));
    assert!(read.missing("mcp.time.x").is_none());
}

#[tokio::test]
async fn what_a_script_says_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let tools = "tools: [{name: much, description: x, script: much.sh}, {name: more, description: x, script: more.sh}]\n";
    let skill = write(folder.path(), "talks", tools, "x");
    script(&skill, "much.sh", "head -c 30000 /dev/zero | tr '\\0' x");
    script(&skill, "more.sh", "yes");
    let read = skills(folder.path(), None, &["talks/much.sh", "talks/more.sh"]);
    let much = read.call("skill.talks.much", Slots::new()).await.unwrap();
    assert_eq!((much.text.len(), much.truncated), (20_000, true));
    let more = read.call("skill.talks.more", Slots::new()).await.unwrap_err();
    assert!(more.message.contains("more than is kept"), "{more:?}");
}
