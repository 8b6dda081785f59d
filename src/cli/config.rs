//! `hark config check|show|default|set|unset`: is the configuration right, what is in force and why, a commented file to
//! start from, and changes of the file.

use super::unwritable;
use crate::app::settings::configuration::{fault_of, wake_word_problems};
use crate::app::settings::store;
use clap::{Args, Subcommand};
use hark_config::{self as config, Change, ChangeError, ConfigFile, Effective, Loaded, Problem, Source};
use hark_core::{Fault, Setting};
use serde_json::{Map, Value, json};
use std::io::Write;

/// The configuration.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ConfigCommand,
}

/// What to do with the configuration.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Check the configuration and name everything that is wrong with it.
    Check,
    /// Print every key with the value in force and where it comes from.
    Show,
    /// Print the default configuration with a comment for every key.
    Default,
    /// Write keys into the configuration file; comments and everything else in it stay as they are.
    Set {
        /// What they shall hold; texts need no quotes, lists no brackets.
        #[arg(required = true, value_name = "SECTION.KEY=VALUE")]
        keys: Vec<String>,
    },
    /// Take keys out of the configuration file, so that their defaults count.
    Unset {
        /// Which.
        #[arg(required = true, value_name = "SECTION.KEY")]
        keys: Vec<String>,
    },
}

/// Runs `hark config …` on this configuration.
///
/// # Errors
/// `BadConfiguration` with every problem; `Failed` when `out` cannot be written.
pub fn run(args: &ConfigArgs, file: &ConfigFile, json: bool, out: &mut dyn Write) -> Result<(), Fault> {
    match &args.command {
        ConfigCommand::Check => check(file, json, out),
        ConfigCommand::Show => {
            let loaded = file.load().map_err(|problems| config::fault_of(&problems))?;
            show(&loaded, json, out)
        }
        ConfigCommand::Default => out.write_all(config::DEFAULT_FILE.as_bytes()).map_err(unwritable),
        ConfigCommand::Set { keys } => {
            change(file, keys.iter().map(|key| Change::from_argument(key)), json, out)
        }
        ConfigCommand::Unset { keys } => {
            let unset = |key: &String| Ok(Change { key: key.trim().to_owned(), value: None });
            change(file, keys.iter().map(unset), json, out)
        }
    }
}

fn change(
    file: &ConfigFile,
    changes: impl Iterator<Item = Result<Change, Problem>>,
    json: bool,
    out: &mut dyn Write,
) -> Result<(), Fault> {
    let (changes, problems): (Vec<_>, Vec<_>) = changes.partition(Result::is_ok);
    let problems: Vec<Problem> = problems.into_iter().filter_map(Result::err).collect();
    if !problems.is_empty() {
        return Err(config::fault_of(&problems));
    }
    let changes: Vec<Change> = changes.into_iter().flatten().collect();
    file.change(&changes, wake_word_problems).map_err(|error| match error {
        ChangeError::Problems(problems) => config::fault_of(&problems),
        ChangeError::NotWritten { path, error } => fault_of(&path, &error),
    })?;
    let keys: Vec<&str> = changes.iter().map(|change| change.key.as_str()).collect();
    let path = file.path();
    if json {
        return writeln!(out, "{}", json!({"file": path, "keys": keys})).map_err(unwritable);
    }
    let after = "a running Hark takes it up when it is reloaded (`systemctl reload hark`) or restarted";
    writeln!(out, "{}: {} written; {after}", path.display(), keys.join(", ")).map_err(unwritable)
}

fn check(file: &ConfigFile, json: bool, out: &mut dyn Write) -> Result<(), Fault> {
    let (loaded, mut problems) = file.examine();
    problems.extend(loaded.iter().flat_map(wake_word_problems));
    let warnings = loaded.as_ref().map(|loaded| loaded.warnings().to_vec()).unwrap_or_default();
    let file = match loaded {
        Some(loaded) => loaded.file,
        None => Some(file.path()),
    };
    if json {
        let line =
            json!({"ok": problems.is_empty(), "file": file, "problems": problems, "warnings": warnings});
        writeln!(out, "{line}").map_err(unwritable)?;
    } else {
        warnings.iter().try_for_each(|warning| writeln!(out, "{warning}")).map_err(unwritable)?;
    }
    if !json && problems.is_empty() {
        let what = file.map_or_else(|| "built-in defaults".to_owned(), |file| file.display().to_string());
        writeln!(out, "{what}: no problems").map_err(unwritable)?;
    }
    if problems.is_empty() { Ok(()) } else { Err(config::fault_of(&problems)) }
}

fn show(loaded: &Loaded, json: bool, out: &mut dyn Write) -> Result<(), Fault> {
    let entries = loaded.effective();
    // A database of another version is the daemon's matter; the file can be shown all the same.
    let kept = store::over_the_file(&loaded.config).map_err(|fault| tracing::warn!("{fault}")).ok();
    if json {
        let entries: Vec<Value> = entries.iter().map(entry_json).collect();
        let pair = |setting: &Setting| (setting.name().to_owned(), setting.value());
        let kept: Option<Map<String, Value>> = kept.map(|kept| kept.iter().map(pair).collect());
        let line = json!({"file": loaded.file, "entries": entries, "kept": kept});
        return writeln!(out, "{line}").map_err(unwritable);
    }
    let mut section = "";
    for entry in &entries {
        let (part, name) = entry.key.split_once('.').unwrap_or(("", &entry.key));
        if part != section {
            let gap = if section.is_empty() { "" } else { "\n" };
            writeln!(out, "{gap}[{part}]").map_err(unwritable)?;
            section = part;
        }
        let assignment = format!("{name} = {}", entry.value);
        writeln!(out, "{assignment:44} # {}", entry.source).map_err(unwritable)?;
    }
    show_kept(&kept.unwrap_or_default(), out).map_err(unwritable)
}

/// What the daemon goes by instead, because it was changed later than the file.
fn show_kept(kept: &[Setting], out: &mut dyn Write) -> std::io::Result<()> {
    if !kept.is_empty() {
        writeln!(out, "\n# changed while Hark ran; counts until its key is changed here:")?;
    }
    kept.iter().try_for_each(|setting| writeln!(out, "# {} = {}", setting.name(), setting.value()))
}

fn entry_json(entry: &Effective) -> Value {
    let source = match &entry.source {
        Source::Default => json!({"from": "default"}),
        Source::File { path, line } => json!({"from": "file", "path": path, "line": line}),
        Source::Set => json!({"from": "set"}),
    };
    json!({"key": entry.key, "value": entry.value, "source": source})
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use hark_core::FaultKind;
    use std::fs;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        config: ConfigArgs,
    }

    fn hark(word: &str, text: &str, sets: &[&str], json: bool) -> (Result<(), Fault>, String) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hark.toml");
        fs::write(&file, text).unwrap();
        let mut sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        sets.push(format!("paths.state_dir={}", folder.path().display()));
        hark_on(&[word], &ConfigFile::new(Some(&file), &sets), json)
    }

    fn hark_on(words: &[&str], file: &ConfigFile, json: bool) -> (Result<(), Fault>, String) {
        let args = Cli::try_parse_from([&["config"][..], words].concat()).unwrap().config;
        let mut out = Vec::new();
        let result = run(&args, file, json, &mut out);
        (result, String::from_utf8(out).unwrap())
    }

    #[test]
    fn set_and_unset_change_the_file_and_nothing_else_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hark.toml");
        fs::write(&path, "# mine\n[vad]\nthreshold = 0.6 # loud\n").unwrap();
        let file = ConfigFile::new(Some(&path), &[]);
        let (result, told) =
            hark_on(&["set", "vad.threshold=0.7", "wake.words=okay_nabu, alexa"], &file, false);
        result.unwrap();
        assert!(told.contains("vad.threshold, wake.words written"), "{told}");
        let text = "# mine\n[vad]\nthreshold = 0.7 # loud\n\n[wake]\nwords = [\"okay_nabu\", \"alexa\"]\n";
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        let (result, _) = hark_on(&["set", "vad.threshold=7", "endpoint.silence_ms=900"], &file, false);
        let refused = result.unwrap_err();
        assert_eq!(refused.kind, FaultKind::BadConfiguration);
        assert!(refused.message.contains("out of range"), "{refused}");
        let (result, _) = hark_on(&["set", "vad.thresold=0.7", "vad"], &file, false);
        assert!(result.unwrap_err().message.starts_with("2 mistakes"));
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        let (result, told) = hark_on(&["unset", "vad.threshold"], &file, true);
        result.unwrap();
        assert_eq!(serde_json::from_str::<Value>(&told).unwrap()["keys"], json!(["vad.threshold"]));
        assert!(fs::read_to_string(&path).unwrap().starts_with("# mine\n[vad]\n# loud\n"));
    }

    #[test]
    fn what_default_prints_passes_the_check() {
        let (result, text) = hark("default", "", &[], false);
        result.unwrap();
        let (result, words) = hark("check", &text, &[], false);
        result.unwrap();
        assert!(words.ends_with("no problems\n"), "{words}");
    }

    #[test]
    fn show_prints_toml_with_the_source_of_every_value() {
        let (result, text) = hark("show", "[wake]\nthreshold = 0.6\n", &["vad.threshold=0.7"], false);
        result.unwrap();
        let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap().to_owned();
        assert!(line("threshold = 0.6 ").ends_with("hark.toml:2"));
        assert!(line("threshold = 0.7 ").ends_with("# --set"));
        assert!(line("threshold_off = 0.35 ").ends_with("# default"));
        let read: config::Config = toml::from_str(&text).unwrap();
        assert_eq!((read.wake.threshold, read.vad.threshold), (0.6, 0.7));
    }

    #[test]
    fn check_as_json_lists_every_problem() {
        let (result, text) =
            hark("check", "[vad]\nthreshold = 9\n[wake]\nwords = [\"hey_jarvs\"]\n", &[], true);
        assert_eq!(result.unwrap_err().kind, FaultKind::BadConfiguration);
        let object: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(object["ok"], false);
        assert_eq!(object["problems"][0]["key"], "vad.threshold");
        assert_eq!(object["problems"][1]["key"], "wake.words");
        assert!(object["problems"][1]["fix"].as_str().unwrap().contains("hey_jarvis"));
        let (result, text) = hark("show", "", &[], true);
        result.unwrap();
        let object: Value = serde_json::from_str(&text).unwrap();
        let keys = config::keys::keys().filter(|key| !key.is_tables());
        assert_eq!(object["entries"].as_array().unwrap().len(), keys.count());
        assert_eq!(object["kept"], json!({}));
    }
}
