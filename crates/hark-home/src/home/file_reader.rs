//! Reading tables of a TOML file key by key, so that every problem is found and has a line.

use super::super::names;
use hark_config::nearest;
use serde_json::{Map, Number, Value};
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// One thing that is wrong in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Line, from 1.
    pub line: usize,
    /// Key with its table, such as `entity[3].area`; empty when the file cannot be parsed there.
    pub key: String,
    /// What is wrong, with the value.
    pub message: String,
    /// What to do.
    pub fix: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        write!(f, "{}; {}", self.message, self.fix)
    }
}

/// Collects problems and knows the lines.
pub(super) struct Problems<'t> {
    text: &'t str,
    pub(super) found: Vec<Problem>,
}

impl<'t> Problems<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, found: Vec::new() }
    }

    pub(super) fn add(&mut self, at: usize, key: &str, message: String, fix: impl Into<String>) {
        let before = self.text.as_bytes().iter().take(at);
        let line = 1 + before.filter(|byte| **byte == b'\n').count();
        self.found.push(Problem { line, key: key.to_owned(), message, fix: fix.into() });
    }
}

/// One table of the file, read key by key; what was not asked for is an unknown key.
pub(super) struct TableReader<'r, 'i> {
    table: &'r DeTable<'i>,
    /// Name of the table, such as `entity[3]`.
    pub(super) path: String,
    /// Where it stands in the file, bytes.
    pub(super) span: Range<usize>,
    asked: HashSet<&'static str>,
}

impl<'r, 'i> TableReader<'r, 'i> {
    pub(super) fn new(table: &'r DeTable<'i>, path: String, span: Range<usize>) -> Self {
        Self { table, path, span, asked: HashSet::new() }
    }

    /// `path.key`.
    pub(super) fn key(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// Where the value of a key stands; the table's own place when it has no such key.
    pub(super) fn at(&self, key: &str) -> usize {
        self.table.get(key).map_or(self.span.start, |value| value.span().start)
    }

    pub(super) fn value(&mut self, key: &'static str) -> Option<&'r Spanned<DeValue<'i>>> {
        self.asked.insert(key);
        self.table.get(key)
    }

    /// A text that may be missing.
    pub(super) fn text(&mut self, key: &'static str, problems: &mut Problems<'_>) -> Option<String> {
        let value = self.value(key)?;
        match value.get_ref().as_str() {
            Some(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            Some(_) => {
                let fix = "write something, or leave the key out";
                problems.add(value.span().start, &self.key(key), "is empty".into(), fix);
                None
            }
            None => {
                let fix = format!("write {key} = \"…\"");
                problems.add(value.span().start, &self.key(key), wrong_kind(value, "a text"), fix);
                None
            }
        }
    }

    /// A text that may be missing or empty, which is the same.
    pub(super) fn text_or_empty(&mut self, key: &'static str, problems: &mut Problems<'_>) -> Option<String> {
        let value = self.value(key)?;
        if value.get_ref().as_str().is_some_and(|text| text.trim().is_empty()) {
            return None;
        }
        self.text(key, problems)
    }

    /// A text that must be there.
    pub(super) fn required(&mut self, key: &'static str, problems: &mut Problems<'_>) -> Option<String> {
        if self.value(key).is_none() {
            problems.add(self.span.start, &self.key(key), "is missing".into(), format!("add {key} = \"…\""));
        }
        self.text(key, problems)
    }

    /// A list of texts, empty when it is missing.
    pub(super) fn texts(&mut self, key: &'static str, problems: &mut Problems<'_>) -> Vec<String> {
        let Some(value) = self.value(key) else { return Vec::new() };
        let items: Option<Vec<String>> = value.get_ref().as_array().and_then(|items| {
            items.iter().map(|item| item.get_ref().as_str().map(|text| text.trim().to_owned())).collect()
        });
        let bad = match &items {
            None => Some(wrong_kind(value, "a list of texts")),
            Some(items) if items.iter().any(String::is_empty) => Some("has an empty text".to_owned()),
            Some(_) => None,
        };
        if let Some(message) = bad {
            let fix = format!("write {key} = [\"…\", \"…\"]");
            problems.add(value.span().start, &self.key(key), message, fix);
            return Vec::new();
        }
        items.unwrap_or_default()
    }

    /// A whole number, `default` when it is missing.
    pub(super) fn integer(&mut self, key: &'static str, default: i32, problems: &mut Problems<'_>) -> i32 {
        let Some(value) = self.value(key) else { return default };
        let number = value.get_ref().as_integer();
        let parsed = number.and_then(|number| i32::from_str_radix(number.as_str(), number.radix()).ok());
        parsed.unwrap_or_else(|| {
            let fix = format!("write {key} = {default}");
            problems.add(value.span().start, &self.key(key), wrong_kind(value, "a whole number"), fix);
            default
        })
    }

    /// A table of anything, empty when it is missing.
    pub(super) fn object(&mut self, key: &'static str, problems: &mut Problems<'_>) -> Map<String, Value> {
        let Some(value) = self.value(key) else { return Map::new() };
        match to_json(value.get_ref()) {
            Some(Value::Object(object)) => object,
            _ => {
                let fix = format!("write {key} = {{ brightness = 0 }}");
                problems.add(value.span().start, &self.key(key), wrong_kind(value, "a table"), fix);
                Map::new()
            }
        }
    }

    /// The tables of `[[key]]`.
    pub(super) fn tables(
        &mut self,
        key: &'static str,
        problems: &mut Problems<'_>,
    ) -> Vec<TableReader<'r, 'i>> {
        let Some(value) = self.value(key) else { return Vec::new() };
        let mut readers = Vec::new();
        let items = value.get_ref().as_array().map(|items| items.iter().collect::<Vec<_>>());
        for (number, item) in items.unwrap_or_else(|| vec![value]).into_iter().enumerate() {
            match item.get_ref().as_table() {
                Some(table) if value.get_ref().is_array() => {
                    let path = format!("{key}[{}]", number + 1);
                    readers.push(TableReader::new(table, path, item.span()));
                }
                _ => problems.add(
                    item.span().start,
                    &self.key(key),
                    wrong_kind(item, "a table of a list"),
                    format!("write [[{key}]] with its keys below it"),
                ),
            }
        }
        readers
    }

    /// Reports unknown keys, with the nearest known one.
    pub(super) fn finish(self, problems: &mut Problems<'_>) {
        for key in self.table.keys().filter(|key| !self.asked.contains(key.get_ref().as_ref())) {
            let mut known: Vec<&str> = self.asked.iter().copied().collect();
            known.sort_unstable();
            let fix = match nearest(key.get_ref(), known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known here: {}", names::in_a_row(&known, "and")),
            };
            problems.add(key.span().start, &self.key(key.get_ref()), "is not a known key".into(), fix);
        }
    }
}

fn wrong_kind(value: &Spanned<DeValue<'_>>, wanted: &str) -> String {
    format!("is {} and not {wanted}", value.get_ref().type_str())
}

/// A TOML value as JSON; `None` for a number JSON cannot hold.
fn to_json(value: &DeValue<'_>) -> Option<Value> {
    Some(match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok()?.into(),
        DeValue::Float(number) => Value::Number(Number::from_f64(number.as_str().parse().ok()?)?),
        DeValue::Boolean(truth) => Value::Bool(*truth),
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Array(items) => {
            Value::Array(items.iter().map(|item| to_json(item.get_ref())).collect::<Option<_>>()?)
        }
        DeValue::Table(table) => {
            let pair = |(key, value): (&Spanned<_>, &Spanned<_>)| {
                Some((ToString::to_string(key.get_ref()), to_json(value.get_ref())?))
            };
            Value::Object(table.iter().map(pair).collect::<Option<_>>()?)
        }
    })
}
