//! Reads the raw entries of a configuration, each with its place: from a TOML file with line numbers,
//! and from `--set section.key=value`.

use super::keys::{self, Key, Kind};
use super::problem::{Problem, nearest};
use super::renamed_keys;
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};
use toml::Value;
use toml::de::{DeTable, DeValue};

/// Where the value of a key comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Source {
    /// No value was given.
    Default,
    /// A line of the configuration file.
    File {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
    },
    /// The command line.
    Set,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Set => f.write_str("--set"),
        }
    }
}

/// A value given to a known key; its type and range are not checked yet.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: &'static Key,
    /// The table it stands in, of a key that is one of several tables.
    pub(crate) table: Option<String>,
    pub(crate) value: Value,
    pub(crate) source: Source,
    /// The old `section.key` under which it was given, when the key has been renamed.
    pub(crate) renamed_from: Option<String>,
}

impl Entry {
    /// `section.key`, or `section.key.table.key`.
    pub(crate) fn path(&self) -> String {
        match &self.table {
            None => self.key.path(),
            Some(table) => format!("{}.{table}.{}", self.key.section, self.key.name),
        }
    }
}

/// The entries of a TOML text, and what is wrong with its syntax and names.
pub(crate) fn from_toml(text: &str, path: &Path) -> (Vec<Entry>, Vec<Problem>) {
    let (document, errors) = DeTable::parse_recoverable(text);
    let place = |offset: usize| Source::File { path: path.to_owned(), line: line_of(text, offset) };
    let mut entries = Vec::new();
    let mut problems: Vec<Problem> = errors
        .iter()
        .map(|error| Problem {
            key: String::new(),
            value: String::new(),
            place: place(error.span().map_or(0, |span| span.start)).to_string(),
            message: format!("not TOML: {}", error.message()),
            fix: "write a key as: name = value, with texts in double quotes".into(),
        })
        .collect();
    // After a syntax error the recovered rest may be cut in odd places: only whole, known keys of it
    // are looked at, so that one missing quote does not bring a row of misleading complaints.
    let intact = errors.is_empty();
    for (name, part) in document.get_ref() {
        let section = name.get_ref().as_ref();
        let source = place(name.span().start);
        match (part.get_ref(), keys::sections().iter().find(|known| known.name == section)) {
            (DeValue::Table(table), Some(_)) => {
                for (key, value) in table {
                    let source = place(key.span().start);
                    match known_key(section, key.get_ref()) {
                        Ok((Key { kind: Kind::Tables(keys), .. }, _))
                            if let DeValue::Table(tables) = value.get_ref() =>
                        {
                            let path = format!("{section}.{}", key.get_ref());
                            for found in of_tables((&path, keys), tables, &place) {
                                match found {
                                    Ok(entry) => entries.push(entry),
                                    Err(problem) if intact => problems.push(problem),
                                    Err(_) => {}
                                }
                            }
                        }
                        Ok((key, renamed_from)) => {
                            let value = plain(value.get_ref());
                            entries.push(Entry { key, table: None, value, source, renamed_from });
                        }
                        Err(problem) if intact => {
                            problems.push(Problem { place: source.to_string(), ..problem });
                        }
                        Err(_) => {}
                    }
                }
            }
            _ if !intact => {}
            (DeValue::Table(_), None) => problems.push(unknown_section(section, &source)),
            (value, _) => problems.push(outside(section, value, &source)),
        }
    }
    (entries, problems)
}

/// The entries of several tables that have these keys, and what is wrong with their names.
fn of_tables(
    (path, keys): (&str, &'static [Key]),
    tables: &DeTable<'_>,
    place: &dyn Fn(usize) -> Source,
) -> Vec<Result<Entry, Problem>> {
    let mut found = Vec::new();
    for (name, table) in tables {
        let fields = match table.get_ref() {
            DeValue::Table(fields) if !fields.is_empty() => fields,
            other => {
                found.push(Err(Problem {
                    key: format!("{path}.{name}", name = name.get_ref()),
                    value: plain(other).to_string(),
                    place: place(name.span().start).to_string(),
                    message: "must be a table with keys".into(),
                    fix: format!("write its keys below a line [{path}.{}]", name.get_ref()),
                }));
                continue;
            }
        };
        for (field, value) in fields {
            let source = place(field.span().start);
            found.push(match table_key(path, keys, name.get_ref(), field.get_ref()) {
                Ok(key) => {
                    let (table, value) = (Some(name.get_ref().to_string()), plain(value.get_ref()));
                    Ok(Entry { key, table, value, source, renamed_from: None })
                }
                Err(problem) => Err(Problem { place: source.to_string(), ..problem }),
            });
        }
    }
    found
}

/// The key of this name in one of several tables.
fn table_key(path: &str, keys: &'static [Key], table: &str, name: &str) -> Result<&'static Key, Problem> {
    keys.iter().find(|key| key.name == name).ok_or_else(|| {
        let names = || keys.iter().map(|key| key.name.as_str());
        let fix = nearest(name, names()).map_or_else(
            || format!("[{path}.{table}] may have: {}", names().collect::<Vec<_>>().join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        Problem {
            key: format!("{path}.{table}.{name}"),
            value: String::new(),
            place: String::new(),
            message: "there is no such key".into(),
            fix,
        }
    })
}

/// The entry of one `--set section.key=value`.
pub(crate) fn from_argument(argument: &str) -> Result<Entry, Problem> {
    let mistake = |key: &str, message: &str, fix: String| Problem {
        key: key.to_owned(),
        value: String::new(),
        place: "--set".into(),
        message: message.into(),
        fix,
    };
    let form = || "write it as: --set section.key=value".to_owned();
    let (path, text) = argument.split_once('=').ok_or_else(|| mistake(argument, "has no value", form()))?;
    let (section, name) =
        path.trim().split_once('.').ok_or_else(|| mistake(path, "names no section", form()))?;
    if !keys::sections().iter().any(|known| known.name == section) {
        return Err(unknown_section(section, &Source::Set));
    }
    let at_set = |problem: Problem| Problem { place: "--set".into(), ..problem };
    let source = Source::Set;
    if let [tables, table, name] = *name.split('.').collect::<Vec<_>>()
        && let Some(Kind::Tables(keys)) = keys::find(&format!("{section}.{tables}")).map(|key| &key.kind)
    {
        let key = table_key(&format!("{section}.{tables}"), keys, table, name).map_err(at_set)?;
        let value = argument_value(text.trim(), &key.kind);
        return Ok(Entry { key, table: Some(table.to_owned()), value, source, renamed_from: None });
    }
    let (key, renamed_from) = known_key(section, name).map_err(at_set)?;
    let value = argument_value(text.trim(), &key.kind);
    Ok(Entry { key, table: None, value, source, renamed_from })
}

/// On a command line a text needs no quotes and a list no brackets.
fn argument_value(text: &str, kind: &Kind) -> Value {
    let parsed = toml::from_str::<toml::Table>(&format!("value = {text}"))
        .ok()
        .and_then(|mut table| table.remove("value"));
    match (kind, parsed) {
        (Kind::Text | Kind::File | Kind::Folder | Kind::Choice(_), Some(Value::String(text))) => {
            Value::String(text)
        }
        (Kind::Text | Kind::File | Kind::Folder | Kind::Choice(_), _) => Value::String(text.to_owned()),
        (Kind::List, Some(Value::Array(items))) => Value::Array(items),
        (Kind::List, Some(Value::String(text))) => Value::Array(vec![Value::String(text)]),
        (Kind::List, _) => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            Value::Array(items.map(|item| Value::String(item.to_owned())).collect())
        }
        (_, Some(value)) => value,
        (_, None) => Value::String(text.to_owned()),
    }
}

/// The key of this name; with its old `section.key` when that is what it was called by.
pub(crate) fn known_key(section: &str, name: &str) -> Result<(&'static Key, Option<String>), Problem> {
    let path = format!("{section}.{name}");
    if let Some(key) = keys::find(&path) {
        return Ok((key, None));
    }
    if let Some(key) = renamed_keys::new_path(&path).and_then(keys::find) {
        return Ok((key, Some(path)));
    }
    let siblings = || keys::keys().filter(|key| key.section == section).map(|key| key.name.as_str());
    let elsewhere = || {
        let key = keys::keys().find(|key| key.name == name)?;
        Some(format!("`{name}` belongs to [{}]", key.section))
    };
    let fix = nearest(name, siblings())
        .map(|near| format!("did you mean `{near}`?"))
        .or_else(elsewhere)
        .unwrap_or_else(|| format!("[{section}] has: {}", siblings().collect::<Vec<_>>().join(", ")));
    Err(Problem {
        key: path,
        value: String::new(),
        place: String::new(),
        message: "there is no such key".into(),
        fix,
    })
}

pub(crate) fn unknown_section(section: &str, source: &Source) -> Problem {
    let names = || keys::sections().iter().map(|known| known.name.as_str());
    let fix = nearest(section, names())
        .map(|near| format!("did you mean [{near}]?"))
        .unwrap_or_else(|| format!("the sections are: {}", names().collect::<Vec<_>>().join(", ")));
    Problem {
        key: format!("[{section}]"),
        value: String::new(),
        place: source.to_string(),
        message: "there is no such section".into(),
        fix,
    }
}

fn outside(name: &str, value: &DeValue<'_>, source: &Source) -> Problem {
    let home = keys::keys().find(|key| key.name == name).map(|key| key.section.as_str());
    let fix = match home {
        Some(section) => format!("put it below the line [{section}]"),
        None if keys::sections().iter().any(|known| known.name == name) => {
            format!("[{name}] is a section: write its keys below a line [{name}]")
        }
        None => "put every key below its [section]".to_owned(),
    };
    Problem {
        key: name.to_owned(),
        value: plain(value).to_string(),
        place: source.to_string(),
        message: "stands outside any section".into(),
        fix,
    }
}

pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
}

/// The parsed value without its positions. Numbers out of the machine's range become texts, which the
/// type check then refuses with the text in its message.
fn plain(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => {
            let digits = number.as_str().replace('_', "");
            i64::from_str_radix(&digits, number.radix())
                .map_or_else(|_| Value::String(number.as_str().to_owned()), Value::Integer)
        }
        DeValue::Float(number) => number
            .as_str()
            .replace('_', "")
            .parse()
            .map_or_else(|_| Value::String(number.as_str().to_owned()), Value::Float),
        DeValue::Boolean(flag) => Value::Boolean(*flag),
        // What is recovered of a moment with a mistake in it may be none, and a value that holds it cannot be printed.
        DeValue::Datetime(time) => {
            let text = time.to_string();
            text.parse().map_or(Value::String(text), Value::Datetime)
        }
        DeValue::Array(items) => Value::Array(items.iter().map(|item| plain(item.get_ref())).collect()),
        DeValue::Table(table) => Value::Table(
            table.iter().map(|(key, value)| (key.get_ref().to_string(), plain(value.get_ref()))).collect(),
        ),
    }
}
