//! A walk over a YAML file that notes every mistake with its place instead of stopping at the first.

use crate::problem::{Place, Problem};
use hark_config::nearest;
use saphyr::{MarkedYaml, Scalar, YamlData};
use serde_json::{Map, Value};
use std::path::Path;

/// A node of the file.
pub type Node<'y> = MarkedYaml<'y>;

/// Reads nodes as what they should be; mistakes go into `problems`.
pub struct Reader<'r> {
    /// The file being read.
    pub file: &'r Path,
    /// Its lines.
    pub lines: Vec<&'r str>,
    /// What was wrong so far.
    pub problems: &'r mut Vec<Problem>,
}

impl Reader<'_> {
    /// Notes a mistake.
    pub fn problem(&mut self, at: Place, message: impl Into<String>, fix: impl Into<String>) {
        self.problems.push(Problem::new(self.file, at, message, fix));
    }

    /// Entries of a mapping whose keys are all among `allowed` (any key when empty).
    pub fn mapping<'n, 'y>(
        &mut self,
        node: &'n Node<'y>,
        what: &str,
        allowed: &[&str],
    ) -> Vec<(String, Place, &'n Node<'y>)> {
        if node.data.is_null() {
            return Vec::new();
        }
        let Some(mapping) = node.data.as_mapping() else {
            self.problem(
                place(node),
                format!("{what} should be a mapping"),
                "write `key: value` lines, indented below it",
            );
            return Vec::new();
        };
        let mut entries = Vec::new();
        for (key, value) in mapping {
            let Some(name) = scalar_text(key) else {
                self.problem(place(key), format!("a key of {what} is not text"), "write a plain word");
                continue;
            };
            if !allowed.is_empty() && !allowed.contains(&name.as_str()) {
                let fix = match nearest(&name, allowed.iter().copied()) {
                    Some(likely) => format!("did you mean '{likely}'?"),
                    None => format!("use one of: {}", allowed.join(", ")),
                };
                self.problem(place(key), format!("unknown key '{name}' in {what}"), fix);
                continue;
            }
            entries.push((name, place(key), value));
        }
        entries
    }

    /// Items of a sequence; nothing for an empty entry.
    pub fn sequence<'n, 'y>(&mut self, node: &'n Node<'y>, what: &str) -> &'n [Node<'y>] {
        match &node.data {
            YamlData::Sequence(items) => items,
            _ => {
                if !node.data.is_null() {
                    let fix = "write one `- item` a line, indented below it";
                    self.problem(place(node), format!("{what} should be a list of items"), fix);
                }
                &[]
            }
        }
    }

    /// A text; numbers and truth values count as the text they are written as.
    pub fn text(&mut self, node: &Node<'_>, what: &str) -> Option<String> {
        let text = scalar_text(node);
        if text.is_none() {
            self.problem(place(node), format!("{what} should be text"), "write it in quotation marks");
        }
        text
    }

    /// A whole number.
    pub fn integer(&mut self, node: &Node<'_>, what: &str) -> Option<i64> {
        let value = node.data.as_integer();
        if value.is_none() {
            let fix = "write digits without quotation marks";
            self.problem(place(node), format!("{what} should be a whole number"), fix);
        }
        value
    }

    /// A number.
    pub fn number(&mut self, node: &Node<'_>, what: &str) -> Option<f64> {
        let value = node.data.as_floating_point().or_else(|| node.data.as_integer().map(|v| v as f64));
        if value.is_none() {
            let fix = "write digits without quotation marks";
            self.problem(place(node), format!("{what} should be a number"), fix);
        }
        value
    }

    /// A truth value.
    pub fn boolean(&mut self, node: &Node<'_>, what: &str) -> Option<bool> {
        let value = node.data.as_bool();
        if value.is_none() {
            self.problem(place(node), format!("{what} should be true or false"), "write true or false");
        }
        value
    }

    /// Where the text of a scalar begins: after its quotation mark.
    pub fn text_place(&self, node: &Node<'_>) -> Place {
        let at = place(node);
        let first = self.lines.get(at.line.saturating_sub(1));
        let quoted = first.and_then(|line| line.chars().nth(at.column - 1));
        at.right(usize::from(matches!(quoted, Some('"' | '\''))))
    }
}

/// Where a node begins.
pub fn place(node: &Node<'_>) -> Place {
    Place { line: node.span.start.line(), column: node.span.start.col() + 1 }
}

/// The text of a scalar; `None` for anything else and for nothing at all.
fn scalar_text(node: &Node<'_>) -> Option<String> {
    match &node.data {
        YamlData::Value(Scalar::String(text)) => Some(text.to_string()),
        YamlData::Value(Scalar::Integer(value)) => Some(value.to_string()),
        YamlData::Value(Scalar::FloatingPoint(value)) => Some(value.to_string()),
        YamlData::Value(Scalar::Boolean(value)) => Some(value.to_string()),
        _ => None,
    }
}

/// Any node as plain data.
pub fn json(node: &Node<'_>) -> Value {
    match &node.data {
        YamlData::Value(Scalar::Boolean(value)) => Value::from(*value),
        YamlData::Value(Scalar::Integer(value)) => Value::from(*value),
        YamlData::Value(Scalar::FloatingPoint(value)) => Value::from(value.into_inner()),
        YamlData::Value(Scalar::String(text)) => Value::from(text.as_ref()),
        YamlData::Sequence(items) => items.iter().map(json).collect(),
        YamlData::Mapping(entries) => {
            let entries = entries.iter().filter_map(|(key, value)| Some((scalar_text(key)?, json(value))));
            Value::Object(entries.collect::<Map<_, _>>())
        }
        YamlData::Tagged(_, inner) => json(inner),
        _ => Value::Null,
    }
}
