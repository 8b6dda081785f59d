//! The rules of the house, one function each.

use crate::scan::Source;
use std::collections::BTreeSet;

/// A broken rule with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    pub file: String,
    /// From 1; 0 when the file as a whole is meant.
    pub line: usize,
    pub rule: &'static str,
    pub message: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{} [{}] {}", self.file, self.line, self.rule, self.message)
    }
}

pub const MAX_FILE_LINES: usize = 600;
pub const MAX_FUNCTION_LINES: usize = 100;
const MAX_MAIN_LINES: usize = 80;

/// The crate that only holds types, and the parts of std that have no business in it.
const PURE: (&str, &[&str]) = ("crates/hark-core/", &["std::fs", "std::net", "std::thread", "std::process"]);

/// All rules that look at one file.
pub fn check(source: &Source<'_>) -> Vec<Violation> {
    let mut found = header(source);
    if ["src/", "crates/"].iter().any(|folder| source.path.starts_with(folder)) {
        found.extend(length(source));
        found.extend(functions(source));
        found.extend(unwraps(source));
        found.extend(prints(source));
        found.extend(foreign(source));
        found.extend(real_time(source));
    }
    found
}

fn violation(source: &Source<'_>, line: usize, rule: &'static str, message: String) -> Violation {
    Violation { file: source.path.to_owned(), line, rule, message }
}

fn header(source: &Source<'_>) -> Vec<Violation> {
    let first = source.raw.iter().find(|line| !line.trim().is_empty()).copied().unwrap_or_default();
    if first.starts_with("//!") && first.trim().len() > 5 {
        return Vec::new();
    }
    vec![violation(source, 1, "header", "begin the file with a `//!` sentence about what it is for".into())]
}

fn length(source: &Source<'_>) -> Vec<Violation> {
    let product = source.is_test.iter().filter(|test| !**test).count();
    let limit = if source.path == "src/main.rs" { MAX_MAIN_LINES } else { MAX_FILE_LINES };
    if product <= limit {
        return Vec::new();
    }
    vec![violation(source, 0, "length", format!("{product} lines without tests; at most {limit}: split it"))]
}

fn functions(source: &Source<'_>) -> Vec<Violation> {
    let long = source.functions().into_iter().filter(|function| {
        function.lines > MAX_FUNCTION_LINES && !source.is_test.get(function.start).copied().unwrap_or(false)
    });
    long.map(|function| {
        let message =
            format!("`{}` has {} lines; at most {MAX_FUNCTION_LINES}", function.name, function.lines);
        violation(source, function.start + 1, "function", message)
    })
    .collect()
}

fn unwraps(source: &Source<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    for (number, line) in source.product_lines() {
        for call in [".unwrap()", ".expect(", ".unwrap_err()", ".expect_err("] {
            if line.contains(call) && !is_explained(source, number) {
                let message = format!("`{call}` without a comment above that says why it cannot fail");
                found.push(violation(source, number + 1, "unwrap", message));
            }
        }
    }
    found
}

/// Whether a comment stands above the statement that a line belongs to; attributes and the earlier
/// lines of a method chain may come between.
fn is_explained(source: &Source<'_>, number: usize) -> bool {
    let mut at = number;
    while at > 0 {
        let above = source.raw[at - 1].trim();
        if above.starts_with("// ") {
            return true;
        }
        let chained = source.raw[at].trim().starts_with('.');
        if !(above.starts_with("#[") || chained) {
            return false;
        }
        at -= 1;
    }
    false
}

fn prints(source: &Source<'_>) -> Vec<Violation> {
    // A build script talks to cargo that way.
    let is_build_script = source.path.starts_with("crates/") && source.path.ends_with("/build.rs");
    if source.path.starts_with("src/cli/") || source.path == "src/main.rs" || is_build_script {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (number, line) in source.product_lines() {
        for name in ["println!", "eprintln!", "print!", "eprint!", "dbg!"] {
            if words(line, name).next().is_some() {
                let message = format!("`{name}` outside src/cli: use tracing, or return what is to be said");
                found.push(violation(source, number + 1, "print", message));
            }
        }
    }
    found
}

fn foreign(source: &Source<'_>) -> Vec<Violation> {
    let (folder, names) = PURE;
    let mut found = Vec::new();
    for (number, line) in source.product_lines().filter(|_| source.path.starts_with(folder)) {
        for name in names {
            if words(line, &format!("{name}::")).next().is_some() {
                let message = format!("`{name}` has no business in {folder}");
                found.push(violation(source, number + 1, "foreign", message));
            }
        }
    }
    found
}

/// Names of the code in comments outside of backticks: they come in when something is renamed, and read as words. `types`
/// are those of the project whose names are no words.
pub fn comments(source: &Source<'_>, types: &BTreeSet<String>) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut is_example = false;
    for (number, raw) in source.raw.iter().enumerate() {
        let Some(comment) = raw.trim_start().strip_prefix("//") else { continue };
        let comment = comment.trim_start_matches(['/', '!']);
        is_example ^= comment.trim_start().starts_with("```");
        if is_example || source.is_test[number] {
            continue;
        }
        for (index, text) in comment.split('`').enumerate().step_by(2) {
            // Behind the backticks of a link stands its target.
            let is_target = index > 0 && (text.starts_with("](") || text.starts_with("]: "));
            let text = if is_target { text.split_once(')').map_or("", |(_, rest)| rest) } else { text };
            for word in text.split(|c: char| c.is_whitespace() || c == ',') {
                // `c_api.h` is a file, `sd_watchdog_enabled(3)` a page of the manual.
                let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != ')' || c == '_');
                if is_snake(word) || types.contains(word) {
                    let message = format!("{word} stands in a comment like a word: backticks, or the word");
                    found.push(violation(source, number + 1, "comment", message));
                }
            }
        }
    }
    found
}

/// Whether a word is written as functions and fields are: `request_log`.
fn is_snake(word: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    word.starts_with(|c: char| c.is_ascii_lowercase()) && word.contains('_') && word.split('_').all(is_part)
}

/// The files that hold an audio callback: each must mark what runs in it.
pub const CALLBACK_FILES: &[&str] =
    &["crates/hark-stt/src/capture/ring.rs", "crates/hark-tts/src/playback.rs", "crates/hark-tts/src/tap.rs"];
const BEGIN: &str = "// real-time: begin";
const END: &str = "// real-time: end";

/// What may lock, allocate, free, log or enter the kernel.
const NOT_IN_CALLBACKS: &[&str] = &[
    "Mutex",
    "RwLock",
    "Condvar",
    ".lock(",
    ".read()",
    ".write()",
    "Box::new",
    "Vec::new",
    "Vec::with_capacity",
    "vec!",
    "String",
    "format!",
    ".to_string(",
    ".to_owned(",
    ".to_vec(",
    ".clone(",
    ".collect(",
    "Arc::new",
    "println!",
    "eprintln!",
    "print!",
    "tracing::",
    "trace!",
    "debug!",
    "info!",
    "warn!",
    "error!",
    ".send(",
    "thread::",
    "std::fs",
    "std::io",
    "sleep(",
    "panic!",
    ".unwrap()",
    ".expect(",
    ".await",
    "drop(",
    ".extend(",
    ".resize(",
    ".reserve(",
    "HashMap",
    "BTreeMap",
    "VecDeque",
];

fn real_time(source: &Source<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    let (mut inside, mut regions) = (None, 0);
    for (number, raw) in source.raw.iter().enumerate() {
        if raw.trim_start().starts_with(BEGIN) {
            inside = Some(number);
            regions += 1;
        } else if raw.trim_start().starts_with(END) {
            if inside.is_none() {
                found.push(violation(source, number + 1, "real-time", format!("`{END}` without a begin")));
            }
            inside = None;
        } else if inside.is_some() {
            for name in NOT_IN_CALLBACKS {
                let found_in = source.code.get(number).is_some_and(|line| has_token(line, name));
                if found_in {
                    let message = format!("`{name}` in an audio callback may lock, allocate or block");
                    found.push(violation(source, number + 1, "real-time", message));
                }
            }
        }
    }
    if let Some(number) = inside {
        found.push(violation(source, number + 1, "real-time", format!("`{BEGIN}` without an end")));
    }
    if regions == 0 && CALLBACK_FILES.contains(&source.path) {
        let message = format!("mark what runs in the callback with `{BEGIN}` and `{END}`");
        found.push(violation(source, 0, "real-time", message));
    }
    found
}

fn has_token(line: &str, name: &str) -> bool {
    if name.starts_with('.') { line.contains(name) } else { words(line, name).next().is_some() }
}

/// Where `name` stands in `text` as a word of its own, not as the end of a longer one.
fn words<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(name).map(|(at, _)| at).filter(move |at| {
        let before = text[..*at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}
