//! Configuration files, with values of `--set`. An accepted configuration serialises and loads again to the same; a
//! refused one is told with key, place and fix for each problem.
//!
//! An input is a file; its lines that begin with `--set ` are arguments of the command line.

use hark_config::keys::Kind;
use hark_config::{Config, Problem, fault_of};
use std::path::Path;

/// Longest input in bytes.
const MAX_BYTES: usize = 16 * 1024;
/// Longest message about all problems together, in bytes.
const MAX_TOLD_BYTES: usize = 256 * 1024;
/// Where the file is said to be; relative paths count from there.
const FILE: &str = "/nonexistent/hark.toml";

/// Checks one file.
pub fn check(data: &[u8]) {
    let Ok(input) = std::str::from_utf8(data) else { return };
    if input.len() > MAX_BYTES {
        return;
    }
    let is_set = |line: &&str| line.starts_with("--set ");
    let sets: Vec<String> =
        input.lines().filter(is_set).map(|line| line.trim_start_matches("--set ").to_owned()).collect();
    let text: String = input.lines().filter(|line| !is_set(line)).flat_map(|line| [line, "\n"]).collect();
    match Config::from_parts(Some((Path::new(FILE), &text)), &sets) {
        Ok(loaded) => {
            accepted(&loaded.config);
            // A table has as many values as were written for it.
            let plain = hark_config::keys::keys().filter(|key| !matches!(key.kind, Kind::Tables(_))).count();
            let told =
                loaded.effective().iter().filter(|it| hark_config::keys::find(&it.key).is_some()).count();
            assert_eq!(told, plain);
        }
        Err(problems) => refused(&problems, &text),
    }
}

fn accepted(config: &Config) {
    let written = toml::to_string(config).expect("a configuration is TOML");
    // Without a folder: what `--set` has given stays relative.
    let again = Config::from_parts(Some((Path::new("hark.toml"), &written)), &[]);
    let again = again.unwrap_or_else(|problems| panic!("{written}\nis refused: {problems:?}"));
    assert_eq!(&again.config, config);
    assert!(config.shown().is_object());
}

fn refused(problems: &[Problem], text: &str) {
    assert!(!problems.is_empty(), "refused without a problem");
    let lines = text.lines().count() + 1;
    for problem in problems {
        assert!(!problem.message.is_empty() && !problem.fix.is_empty(), "{problem:?}");
        if let Some(line) = problem.place.strip_prefix(&format!("{FILE}:")) {
            let line: usize = line.parse().expect("a line number");
            assert!((1..=lines).contains(&line), "line {line} of {lines}: {problem:?}");
        }
    }
    let told = fault_of(problems).to_string();
    assert!(told.len() <= MAX_TOLD_BYTES, "{} bytes of problems", told.len());
}
