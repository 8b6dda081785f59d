//! What response templates call: filters, tests and functions that do not exist are found when the files are read, not when
//! the sentence is to be said.

use super::yaml::Node;
use crate::problem::Place;
use minijinja::{Environment, ErrorKind};
use std::collections::BTreeSet;

/// Something that a template calls and that minijinja does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// `filter`, `test` or `function`.
    pub kind: &'static str,
    /// How it is called.
    pub name: String,
    /// Where.
    pub at: Place,
}

/// What the template of a node calls and that nobody defines in it. Functions may be macros of other files.
pub fn unknown(node: &Node<'_>, text: &str, lines: &[&str]) -> Vec<Call> {
    let environment = Environment::new();
    let Ok(template) = environment.template_from_str(text) else { return Vec::new() };
    let own = template.undeclared_variables(false);
    let global: BTreeSet<&str> = environment.globals().map(|(name, _)| name).collect();
    let mut found: Vec<Call> = Vec::new();
    for (kind, name) in called(text) {
        let is_known = match kind {
            "filter" => is_known(&environment, &format!("''|{name}"), ErrorKind::UnknownFilter),
            "test" => is_known(&environment, &format!("'' is {name}"), ErrorKind::UnknownTest),
            _ => global.contains(name) || !own.contains(name),
        };
        if !is_known && !found.iter().any(|call| (call.kind, call.name.as_str()) == (kind, name)) {
            found.push(Call { kind, name: name.to_owned(), at: place(node, kind, name, lines) });
        }
    }
    found
}

/// The names of macros that a text defines.
pub fn macros(text: &str) -> BTreeSet<String> {
    let words = tokens(text);
    let named = words.windows(2).filter(|pair| pair[0] == "macro").map(|pair| pair[1].to_owned());
    named.collect()
}

/// The expression does not fail for this reason; that nothing fits `''` is no matter.
fn is_known(environment: &Environment<'_>, expression: &str, unknown: ErrorKind) -> bool {
    let compiled = environment.compile_expression(expression);
    compiled.and_then(|compiled| compiled.eval(())).err().is_none_or(|error| error.kind() != unknown)
}

/// Filters, tests and functions by name, in their order.
fn called(text: &str) -> Vec<(&'static str, &str)> {
    let words = tokens(text);
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate().filter(|(_, word)| is_name(word)) {
        let before = |back: usize| at.checked_sub(back).map_or("", |at| words[at]);
        let is_call = words.get(at + 1) == Some(&"(");
        match before(1) {
            "|" => found.push(("filter", *word)),
            "is" if *word != "not" => found.push(("test", *word)),
            "not" if before(2) == "is" => found.push(("test", *word)),
            "filter" if before(2) == "{%" => found.push(("filter", *word)),
            "." | "macro" => {}
            // `if (a or b)` calls nothing; neither does `loop(…)`, which is the language's own.
            _ if is_call && !WORDS.contains(word) => found.push(("function", *word)),
            _ => {}
        }
    }
    found
}

/// Words of the template language that may stand before a bracket.
const WORDS: &[&str] = &[
    "if",
    "elif",
    "else",
    "for",
    "in",
    "is",
    "not",
    "and",
    "or",
    "set",
    "with",
    "call",
    "do",
    "filter",
    "loop",
    "caller",
    "super",
    "recursive",
];

/// Names and signs of what stands between `{{ }}` and `{% %}`; `{%` itself, and no texts in quotation marks.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find("{{").into_iter().chain(rest.find("{%")).chain(rest.find("{#")).min() {
        let (sign, inside) = rest[open..].split_at(2);
        let close = match sign {
            "{{" => "}}",
            "{%" => "%}",
            _ => "#}",
        };
        if sign == "{#" {
            rest = inside.split_once(close).map_or("", |(_, rest)| rest);
            continue;
        }
        if sign == "{%" {
            found.push(sign);
        }
        rest = inside;
        while let Some(first) = rest.chars().next().filter(|_| !rest.starts_with(close)) {
            let length = match first {
                '"' | '\'' => quoted(rest, first),
                first if first.is_alphanumeric() || first == '_' => {
                    rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
                }
                first => first.len_utf8(),
            };
            if !first.is_whitespace() && !matches!(first, '"' | '\'') {
                found.push(&rest[..length]);
            }
            rest = &rest[length..];
        }
        rest = rest.strip_prefix(close).unwrap_or_default();
    }
    found
}

/// How long the text in quotation marks is that something begins with, with them.
fn quoted(text: &str, mark: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == mark => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Where a name is called first in the lines of a node; where the node begins when it is not found.
fn place(node: &Node<'_>, kind: &str, name: &str, lines: &[&str]) -> Place {
    let (first, last) = (node.span.start.line(), node.span.end.line());
    let start = Place { line: first, column: node.span.start.col() + 1 };
    for (line, text) in (1..).zip(lines).filter(|(line, _)| (first..=last).contains(line)) {
        let from =
            if line == first { text.char_indices().nth(start.column - 1).map_or(0, |(at, _)| at) } else { 0 };
        for (at, _) in text[from..].match_indices(name) {
            let (before, after) = (&text[..from + at], &text[from + at + name.len()..]);
            let whole = |c: char| c.is_alphanumeric() || c == '_';
            let fits = match kind {
                "filter" => before.trim_end().ends_with(['|']) || before.trim_end().ends_with("filter"),
                "test" => before.trim_end().ends_with("is") || before.trim_end().ends_with("not"),
                _ => after.trim_start().starts_with('('),
            };
            if fits && !before.ends_with(whole) && !after.starts_with(whole) {
                return Place { line, column: before.chars().count() + 1 };
            }
        }
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_from_words_texts_and_comments() {
        let text = "a | b (c) {# x | y #}{% if (a or b) and not c is defined %}{{ things(r, 'no | z(')|lower | join(\", \") }}\
                    {% elif d is not none -%}{{ a.b(1) }}{% endif %}{% set n = range(3) %}{% filter upper %}x{% endfilter %}";
        let expected = [
            ("test", "defined"),
            ("function", "things"),
            ("filter", "lower"),
            ("filter", "join"),
            ("test", "none"),
            ("function", "range"),
            ("filter", "upper"),
        ];
        assert_eq!(called(text), expected);
        let defined = macros("{%- macro one(a) -%}{{ a }}{%- endmacro -%}{% macro two() %}{% endmacro %}");
        assert_eq!(defined.into_iter().collect::<Vec<_>>(), ["one", "two"]);
    }
}
