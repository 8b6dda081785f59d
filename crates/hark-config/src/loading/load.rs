//! Finds, reads and checks the configuration: one call, every problem at once, every value with the
//! place it comes from.

use super::keys::{self, Kind};
use super::problem::{Problem, sort};
use super::source::{self, Entry, Source};
use crate::paths;
use crate::{Config, rules};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use toml::Value;

/// A configuration that has passed every check.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The values.
    pub config: Config,
    /// The file they were read from; `None` when there is none.
    pub file: Option<PathBuf>,
    sources: BTreeMap<String, Source>,
    warnings: Vec<Problem>,
}

/// One key as `hark config show` prints it.
#[derive(Debug, Clone, PartialEq)]
pub struct Effective {
    /// `section.key`.
    pub key: String,
    /// The value in force.
    pub value: Value,
    /// Where it comes from.
    pub source: Source,
}

impl Config {
    /// Loads the configuration: `path`, else `$HARK_CONFIG`, `/etc/hark/hark.toml`,
    /// `~/.config/hark/hark.toml`, else the defaults; then `sets` (`section.key=value`) over it.
    /// Relative paths in a file are meant from the folder the file is in.
    ///
    /// # Errors
    /// Every problem found, never only the first.
    pub fn load(path: Option<&Path>, sets: &[String]) -> Result<Loaded, Vec<Problem>> {
        match Self::examine(path, sets) {
            (Some(loaded), problems) if problems.is_empty() => Ok(loaded),
            (_, problems) => Err(problems),
        }
    }

    /// The same from a text that stands for the file, such as one received by the dashboard.
    ///
    /// # Errors
    /// Every problem found, never only the first.
    pub fn from_parts(file: Option<(&Path, &str)>, sets: &[String]) -> Result<Loaded, Vec<Problem>> {
        match Self::examine_parts(file, sets) {
            (Some(loaded), problems) if problems.is_empty() => Ok(loaded),
            (_, problems) => Err(problems),
        }
    }

    /// Like [`Config::load`], but hands over what could be read even when there are problems (what is
    /// wrong stands at its default), so that more can be said about it.
    pub fn examine(path: Option<&Path>, sets: &[String]) -> (Option<Loaded>, Vec<Problem>) {
        let environment = paths::ProcessEnvironment::of_this_process();
        match path.map(Path::to_owned).or_else(|| environment.config_file()) {
            None => Self::examine_parts(None, sets),
            Some(file) => match std::fs::read_to_string(&file) {
                Ok(text) => Self::examine_parts(Some((&file, &text)), sets),
                Err(error) => (None, vec![unreadable(&file, &error)]),
            },
        }
    }

    /// Every value as it is written in a file, sections as objects.
    pub fn shown(&self) -> serde_json::Value {
        let values = Value::try_from(self).unwrap_or_else(|_| Value::Table(toml::Table::new()));
        let mut shown = serde_json::Map::new();
        for key in keys::keys() {
            let Some(value) = values.get(&key.section).and_then(|section| section.get(&key.name)) else {
                continue;
            };
            let value = keys::shortened(value.clone(), &key.kind);
            let section = shown.entry(key.section.clone()).or_insert_with(|| serde_json::json!({}));
            section[key.name.as_str()] = serde_json::to_value(value).unwrap_or_default();
        }
        serde_json::Value::Object(shown)
    }

    fn examine_parts(file: Option<(&Path, &str)>, sets: &[String]) -> (Option<Loaded>, Vec<Problem>) {
        let (mut entries, mut problems) =
            file.map(|(path, text)| source::from_toml(text, path)).unwrap_or_default();
        for argument in sets {
            match source::from_argument(argument) {
                Ok(entry) => entries.push(entry),
                Err(problem) => problems.push(problem),
            }
        }
        let folder = file.and_then(|(path, _)| path.parent()).unwrap_or(Path::new(""));
        let mut sources = BTreeMap::new();
        let mut values = default_values();
        let warnings = drop_overridden_old_keys(&mut entries);
        for mut entry in entries {
            if let Err(problem) = check_value(&mut entry) {
                problems.push(problem);
                continue;
            }
            if matches!(entry.source, Source::File { .. }) {
                anchor(&mut entry, folder);
            }
            sources.insert(entry.path(), entry.source);
            let table = entry.table.as_deref();
            set(&mut values, entry.key.section.split('.').chain(table), &entry.key.name, entry.value);
        }
        let config: Config = match Value::Table(values).try_into() {
            Ok(config) => config,
            Err(error) => {
                problems.push(disagreement(&error));
                return (None, problems);
            }
        };
        let loaded = Loaded { config, file: file.map(|(path, _)| path.to_owned()), sources, warnings };
        problems.extend(rules::check(&loaded));
        sort(&mut problems);
        (Some(loaded), problems)
    }
}

impl Loaded {
    /// Where the value of `section.key` comes from.
    pub fn source(&self, key: &str) -> Source {
        self.sources.get(key).cloned().unwrap_or(Source::Default)
    }

    /// What works but should be corrected: keys under their old names, each with its line and the new name.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }

    /// Every key with its value and where it comes from, in the order of the sections.
    pub fn effective(&self) -> Vec<Effective> {
        let values = Value::try_from(&self.config).unwrap_or_else(|_| Value::Table(toml::Table::new()));
        keys::keys()
            .flat_map(|key| {
                let value = values.get(&key.section).and_then(|section| section.get(&key.name)).cloned();
                let (path, value) = (key.path(), value.map(|value| keys::shortened(value, &key.kind)));
                match (&key.kind, value) {
                    (Kind::Tables(_), Some(Value::Table(tables))) => leaves(&path, tables),
                    (_, Some(value)) => vec![(path, value)],
                    (_, None) => Vec::new(),
                }
            })
            .map(|(key, value)| Effective { source: self.source(&key), key, value })
            .collect()
    }
}

/// The keys of tables, each with its path.
fn leaves(path: &str, tables: toml::Table) -> Vec<(String, Value)> {
    let fields = tables.into_iter().flat_map(|(name, table)| {
        let Value::Table(table) = table else { return Vec::new() };
        table.into_iter().map(|(key, value)| (format!("{path}.{name}.{key}"), value)).collect::<Vec<_>>()
    });
    fields.collect()
}

/// Warnings for entries under old names. An old name in a file is dropped where the file has the new one too.
fn drop_overridden_old_keys(entries: &mut Vec<Entry>) -> Vec<Problem> {
    let in_file = |entry: &Entry| matches!(entry.source, Source::File { .. });
    let current: BTreeSet<String> = entries
        .iter()
        .filter(|entry| entry.renamed_from.is_none() && in_file(entry))
        .map(Entry::path)
        .collect();
    let mut warnings = Vec::new();
    entries.retain(|entry| {
        let Some(old) = &entry.renamed_from else { return true };
        let new = entry.key.path();
        let is_ignored = in_file(entry) && current.contains(&new);
        let message = match is_ignored {
            true => format!("this key is called {new} now, which is set too: this line is ignored"),
            false => format!("this key is called {new} now"),
        };
        let fix = match is_ignored {
            true => "delete this line".to_owned(),
            false => format!("write `{} = {}` below [{}]", entry.key.name, entry.value, entry.key.section),
        };
        let (value, place) = (entry.value.to_string(), entry.source.to_string());
        warnings.push(Problem { key: old.clone(), value, place, message, fix });
        !is_ignored
    });
    sort(&mut warnings);
    warnings
}

fn unreadable(file: &Path, error: &std::io::Error) -> Problem {
    let what = match error.kind() {
        std::io::ErrorKind::InvalidData => "is not UTF-8 text".to_owned(),
        _ => format!("cannot be read ({error})"),
    };
    Problem {
        key: file.display().to_string(),
        value: String::new(),
        place: "configuration file".into(),
        message: what,
        fix: "check --config and $HARK_CONFIG; `hark config default` prints a file to start from".into(),
    }
}

/// The checks by key and the struct disagree: cannot happen while every field has a range.
fn disagreement(error: &toml::de::Error) -> Problem {
    Problem {
        key: "configuration".into(),
        value: String::new(),
        place: "all".into(),
        message: error.message().to_owned(),
        fix: "start again from `hark config default`".into(),
    }
}

fn default_values() -> toml::Table {
    let mut values = toml::Table::new();
    for key in keys::keys() {
        set(&mut values, [key.section.as_str()].into_iter(), &key.name, key.default.clone());
    }
    values
}

fn set<'a>(values: &mut toml::Table, tables: impl Iterator<Item = &'a str>, name: &str, value: Value) {
    let mut part = values;
    for table in tables {
        let inner = part.entry(table).or_insert_with(|| Value::Table(toml::Table::new()));
        let Value::Table(inner) = inner else { return };
        part = inner;
    }
    part.insert(name.to_owned(), value);
}

/// Checks type and range. Whole numbers are taken where numbers with a point are meant.
fn check_value(entry: &mut Entry) -> Result<(), Problem> {
    let wrong = |message: String, fix: String| {
        Err(Problem {
            key: entry.path(),
            value: entry.value.to_string(),
            place: entry.source.to_string(),
            message,
            fix,
        })
    };
    let unit = entry.key.unit().map(|unit| format!(" ({unit})")).unwrap_or_default();
    let range = entry.key.allowed().unwrap_or_default();
    match (&entry.key.kind, &entry.value) {
        (Kind::Whole { min, max }, Value::Integer(value)) if !(min..=max).contains(&value) => {
            wrong("out of range".into(), format!("use {range}{unit}"))
        }
        (Kind::Number { min, max, .. }, Value::Float(value)) if !(min..=max).contains(&value) => {
            wrong("out of range".into(), format!("use {range}{unit}"))
        }
        (Kind::Number { min, max, .. }, Value::Integer(value)) => {
            let value = *value as f64;
            if !(min..=max).contains(&&value) {
                return wrong("out of range".into(), format!("use {range}{unit}"));
            }
            entry.value = Value::Float(value);
            Ok(())
        }
        (Kind::Choice(words), Value::String(word)) if !words.contains(word) => {
            let fix = super::problem::nearest(word, words.iter().map(String::as_str))
                .map(|near| format!("did you mean \"{near}\"? Allowed: {range}"))
                .unwrap_or_else(|| format!("use one of: {range}"));
            wrong("not one of the allowed words".into(), fix)
        }
        (Kind::List, Value::Array(items)) if !items.iter().all(Value::is_str) => {
            wrong("must be a list of texts".into(), "write: [\"one\", \"two\"]".into())
        }
        (Kind::Whole { .. }, Value::Integer(_))
        | (Kind::Number { .. }, Value::Float(_))
        | (Kind::Flag, Value::Boolean(_))
        | (Kind::List, Value::Array(_))
        | (Kind::Text | Kind::File | Kind::Folder | Kind::Choice(_), Value::String(_)) => Ok(()),
        (kind, value) => {
            let (meant, example) = meaning(kind, &range);
            wrong(format!("must be {meant}, not {}", value.type_str()), format!("{example}{unit}"))
        }
    }
}

fn meaning(kind: &Kind, range: &str) -> (&'static str, String) {
    match kind {
        Kind::Whole { .. } => ("a whole number", format!("use {range}, without quotes")),
        Kind::Number { .. } => ("a number", format!("use {range}, without quotes")),
        Kind::Flag => ("a flag", "write true or false, without quotes".into()),
        Kind::Choice(_) => ("a word", format!("use one of: {range}, in double quotes")),
        Kind::List => ("a list of texts", "write: [\"one\", \"two\"]".into()),
        Kind::Text | Kind::File | Kind::Folder => ("a text", "put it in double quotes".into()),
        Kind::Tables(_) => ("tables", "write the keys of each below a line of its own".into()),
    }
}

/// Makes relative paths of a file absolute, so that a daemon finds them whatever folder it runs in.
fn anchor(entry: &mut Entry, folder: &Path) {
    let is_path = |text: &str| !text.is_empty() && !text.starts_with('~') && Path::new(text).is_relative();
    let join = |text: &str| Value::String(folder.join(text).display().to_string());
    match (&entry.key.kind, &mut entry.value) {
        (Kind::File | Kind::Folder, Value::String(text)) if is_path(text) => entry.value = join(text),
        (Kind::Text, Value::String(text))
            if matches!(entry.key.name.as_str(), "voice" | "whisper_model")
                && rules::is_model_path(text)
                && is_path(text) =>
        {
            entry.value = join(text);
        }
        (Kind::List, Value::Array(items)) if entry.key.name == "words" => {
            for item in items {
                if let Value::String(text) = item
                    && rules::is_model_path(text)
                    && is_path(text)
                {
                    *item = join(text);
                }
            }
        }
        _ => {}
    }
}
