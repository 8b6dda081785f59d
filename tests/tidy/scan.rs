//! Reads Rust source as text: takes comments and literals out, finds test code, functions and paths.
//! Good enough for rules about files in this repository; it is no parser.

/// A source file prepared for the rules.
pub struct Source<'a> {
    /// Path from the root of the repository, with `/`.
    pub path: &'a str,
    /// Lines as written.
    pub raw: Vec<&'a str>,
    /// The same lines with comments and the insides of literals blanked.
    pub code: Vec<String>,
    /// Whether a line belongs to test code.
    pub is_test: Vec<bool>,
}

/// A function with its place.
pub struct Function {
    /// Name.
    pub name: String,
    /// First line, from 0.
    pub start: usize,
    /// Lines from `fn` to the closing brace.
    pub lines: usize,
}

impl<'a> Source<'a> {
    pub fn new(path: &'a str, text: &'a str) -> Self {
        let raw: Vec<&str> = text.lines().collect();
        let blanked = blank(text);
        let code: Vec<String> = blanked.lines().map(str::to_owned).collect();
        let is_test = if is_test_file(path) { vec![true; raw.len()] } else { test_lines(&code) };
        Self { path, raw, code, is_test }
    }

    /// Line numbers (from 0) and text of code that is not test code.
    pub fn product_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.code.iter().map(String::as_str).enumerate();
        lines.filter(|(number, _)| !self.is_test.get(*number).copied().unwrap_or(false))
    }

    /// The modules this file brings in for tests only, as paths without `.rs`: `src/hearing/testing`.
    pub fn test_modules(&self) -> Vec<String> {
        let folder = self.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let own = self.path.trim_end_matches(".rs");
        let is_root = ["/mod", "/lib", "/main"].iter().any(|ending| own.ends_with(ending));
        let children = if is_root { folder } else { own };
        let mut found = Vec::new();
        for (number, line) in self.code.iter().enumerate() {
            if !line.trim_start().starts_with("#[cfg(test)]") {
                continue;
            }
            let attributes =
                (number + 1..self.code.len()).take_while(|at| self.code[*at].trim_start().starts_with("#["));
            let (mut path, mut item) = (None, number + 1);
            for at in attributes {
                path = self.raw[at]
                    .split_once("path = \"")
                    .and_then(|(_, rest)| rest.split('"').next())
                    .or(path);
                item = at + 1;
            }
            let declared = self.code.get(item).and_then(|line| line.trim_end().strip_suffix(';'));
            let Some((_, name)) = declared.and_then(|line| line.rsplit_once("mod ")) else { continue };
            found.push(match path {
                Some(path) => format!("{folder}/{}", path.trim_end_matches(".rs")),
                None => format!("{children}/{name}"),
            });
        }
        found
    }

    /// Names of the types it declares whose names are no words: they have a capital inside.
    pub fn types(&self) -> impl Iterator<Item = &str> {
        let words =
            self.code.iter().flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_')));
        let after = words.clone().skip(1);
        let pairs =
            words.zip(after).filter(|(before, _)| ["struct", "enum", "trait", "type"].contains(before));
        pairs.map(|(_, name)| name).filter(|name| {
            name.chars().skip(1).any(char::is_uppercase) && name.chars().any(char::is_lowercase)
        })
    }

    /// All functions with a body.
    pub fn functions(&self) -> Vec<Function> {
        let text = self.code.join("\n");
        let mut found = Vec::new();
        for (at, _) in text.match_indices("fn ") {
            let bounded = at == 0 || !is_word(text.as_bytes()[at - 1]);
            let name: String =
                text[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if !bounded || name.is_empty() {
                continue;
            }
            if let Some((_, end)) = body(&text[at..]) {
                let start = text[..at].matches('\n').count();
                let lines = text[at..at + end].matches('\n').count() + 1;
                found.push(Function { name, start, lines });
            }
        }
        found
    }
}

/// Files that are test code as a whole: integration tests and `tests.rs` of a module.
fn is_test_file(path: &str) -> bool {
    path.starts_with("tests/")
        || path.starts_with("benches/")
        || path.ends_with("/tests.rs")
        || path.contains("/tests/")
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Where the braces of an item begin and end; `None` when a `;` ends it before.
fn body(item: &str) -> Option<(usize, usize)> {
    let mut nesting = 0_i32;
    let mut open = None;
    for (at, c) in item.char_indices() {
        match c {
            '(' | '[' => nesting += 1,
            ')' | ']' => nesting -= 1,
            ';' if nesting == 0 && open.is_none() => return None,
            '{' => {
                if open.is_none() && nesting == 0 {
                    open = Some((at, 0));
                }
                if let Some((_, depth)) = &mut open {
                    *depth += 1;
                }
            }
            '}' => {
                if let Some((start, depth)) = &mut open {
                    *depth -= 1;
                    if *depth == 0 {
                        return Some((*start, at + 1));
                    }
                }
            }
            _ => {}
        }
    }
    None
}

/// Marks the items under `#[cfg(test)]` and `#[test]`.
fn test_lines(code: &[String]) -> Vec<bool> {
    let text = code.join("\n");
    let mut marks = vec![false; code.len()];
    for attribute in ["#[cfg(test)]", "#[test]", "#[cfg(all(test"] {
        for (at, _) in text.match_indices(attribute) {
            let first = text[..at].matches('\n').count();
            let after = at + attribute.len();
            let end = body(&text[after..]).map_or(0, |(_, end)| end);
            let last = text[..after + end].matches('\n').count();
            // An item without a body (`mod tests;`, `use`) is its own line or two.
            let last = if end == 0 { first + 1 } else { last };
            for mark in marks.iter_mut().take(last + 1).skip(first) {
                *mark = true;
            }
        }
    }
    marks
}

/// Replaces comments and the insides of string and character literals by spaces, keeping lines.
pub fn blank(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = skipped(&chars, at);
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            for c in &chars[at..end] {
                out.push(if *c == '\n' { '\n' } else { ' ' });
            }
            at = end;
        }
    }
    out
}

/// Where the comment or literal that begins at `at` ends; `at` itself when none begins there.
fn skipped(chars: &[char], at: usize) -> usize {
    let get = |index: usize| chars.get(index).copied().unwrap_or('\0');
    match (get(at), get(at + 1)) {
        ('/', '/') => find(chars, at, |index| get(index) == '\n'),
        ('/', '*') => {
            let (mut index, mut depth) = (at + 2, 1);
            while index < chars.len() && depth > 0 {
                match (get(index), get(index + 1)) {
                    ('/', '*') => (index, depth) = (index + 2, depth + 1),
                    ('*', '/') => (index, depth) = (index + 2, depth - 1),
                    _ => index += 1,
                }
            }
            index
        }
        ('"', _) => quoted(chars, at),
        ('r', '"' | '#') if at == 0 || !is_name(get(at - 1)) || get(at - 1) == 'b' => raw_string(chars, at),
        ('\'', '\\') => find(chars, at + 3, |index| get(index) == '\'') + 1,
        // A lifetime has no quote after its first letter.
        ('\'', _) if get(at + 2) == '\'' => at + 3,
        _ => at,
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn quoted(chars: &[char], at: usize) -> usize {
    let mut index = at + 1;
    while index < chars.len() && chars[index] != '"' {
        index += if chars[index] == '\\' { 2 } else { 1 };
    }
    (index + 1).min(chars.len())
}

fn raw_string(chars: &[char], at: usize) -> usize {
    let hashes = chars[at + 1..].iter().take_while(|c| **c == '#').count();
    if chars.get(at + 1 + hashes) != Some(&'"') {
        return at;
    }
    let closing: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let from = at + 2 + hashes;
    let end = (from..chars.len()).find(|index| chars[*index..].starts_with(&closing));
    end.map_or(chars.len(), |index| index + closing.len())
}

fn find(chars: &[char], from: usize, stop: impl Fn(usize) -> bool) -> usize {
    (from..chars.len()).find(|index| stop(*index)).unwrap_or(chars.len())
}
