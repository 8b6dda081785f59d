//! The rules of the house, one function each.

use crate::scan::Source;

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

/// Who may use whom, as ARCHITECTURE.md says it. `lib` and `main` are not folders and use what they
/// declare; nobody may use `cli`, and only `cli`, `main` and tests use `daemon`.
pub const TABLE: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("config", &["domain"]),
    ("inference", &["domain", "config"]),
    ("sound", &[]),
    ("hearing", &["domain", "config", "inference", "sound"]),
    ("understanding", &["domain", "config", "inference"]),
    ("deciding", &["domain", "config"]),
    ("acting", &["domain", "config"]),
    ("remembering", &["domain", "config", "inference"]),
    ("speaking", &["domain", "config", "inference", "sound"]),
    ("llm", &["domain", "config"]),
    ("integrations", &["domain", "config"]),
    ("telemetry", &["domain", "config"]),
    (
        "daemon",
        &[
            "domain",
            "config",
            "inference",
            "hearing",
            "understanding",
            "deciding",
            "acting",
            "remembering",
            "speaking",
            "llm",
            "integrations",
            "telemetry",
        ],
    ),
    (
        "cli",
        &[
            "domain",
            "config",
            "inference",
            "hearing",
            "understanding",
            "deciding",
            "acting",
            "remembering",
            "speaking",
            "llm",
            "integrations",
            "telemetry",
            "daemon",
        ],
    ),
];

/// Crates and parts of std that have no business in a folder.
const FOREIGN: &[(&str, &[&str])] = &[
    (
        "domain",
        &[
            "tokio",
            "cpal",
            "ort",
            "rusqlite",
            "rumqttc",
            "reqwest",
            "std::fs",
            "std::net",
            "std::thread",
            "std::process",
        ],
    ),
    ("deciding", &["tokio", "cpal", "ort", "rusqlite", "rumqttc", "rumqttd", "reqwest", "axum"]),
    ("hearing", &["tokio", "rusqlite", "rumqttc", "reqwest"]),
    ("speaking", &["tokio", "rusqlite", "rumqttc", "reqwest"]),
];

/// All rules that look at one file.
pub fn check(source: &Source<'_>) -> Vec<Violation> {
    let mut found = header(source);
    if source.path.starts_with("src/") {
        found.extend(length(source));
        found.extend(functions(source));
        found.extend(unwraps(source));
        found.extend(prints(source));
        found.extend(imports(source));
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
    if source.path.starts_with("src/cli/") || source.path == "src/main.rs" {
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

/// A use of one folder by another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    pub from: String,
    pub to: String,
    pub file: String,
    pub line: usize,
    /// The module below `to`, when one is named.
    pub below: Option<String>,
}

/// The folder a file of `src` belongs to: `hearing` for `src/hearing/vad.rs` and `src/hearing.rs`.
pub fn folder(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("src/")?;
    let first = rest.split('/').next()?;
    Some(first.strip_suffix(".rs").unwrap_or(first))
}

/// Every use of another folder in product code.
pub fn edges(source: &Source<'_>) -> Vec<Edge> {
    let Some(from) = folder(source.path) else { return Vec::new() };
    let text: String = (0..source.code.len())
        .map(|line| if source.is_test[line] { "\n".to_owned() } else { format!("{}\n", source.code[line]) })
        .collect();
    let mut found = Vec::new();
    for root in ["crate::".to_owned(), "hark::".to_owned(), "super::".repeat(depth(source.path))] {
        if root.is_empty() {
            continue;
        }
        for at in words(&text, &root) {
            let deeper = root.starts_with("super") && text[..at].ends_with("super::");
            if deeper {
                continue;
            }
            let line = text[..at].matches('\n').count() + 1;
            for (to, below) in heads(&text[at + root.len()..]) {
                let known = TABLE.iter().any(|(name, _)| *name == to);
                // Integrations are kept apart from each other too, so their own uses count.
                if known && (to != from || to == "integrations") {
                    let file = source.path.to_owned();
                    found.push(Edge { from: from.to_owned(), to, file, line, below });
                }
            }
        }
    }
    found
}

/// How many `super::` lead from a file's module to the root of the crate.
fn depth(path: &str) -> usize {
    let parts: Vec<&str> = path.trim_start_matches("src/").trim_end_matches(".rs").split('/').collect();
    match parts.as_slice() {
        ["main" | "lib"] => 0,
        [.., "mod"] => parts.len() - 1,
        _ => parts.len(),
    }
}

/// The first names of a path or of a braced group of paths, each with the name after it.
fn heads(text: &str) -> Vec<(String, Option<String>)> {
    let name =
        |text: &str| -> String { text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let head = |text: &str| {
        let text = text.trim_start();
        let first = name(text);
        let rest = text.get(first.len()..).unwrap_or_default();
        let below = rest.strip_prefix("::").map(name).filter(|below| !below.is_empty());
        (first, below)
    };
    let Some(group) = text.strip_prefix('{') else {
        return vec![head(text)];
    };
    let (mut found, mut nesting, mut start) = (Vec::new(), 0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => nesting += 1,
            '}' if nesting == 0 => {
                found.push(head(&group[start..at]));
                break;
            }
            '}' => nesting -= 1,
            ',' if nesting == 0 => {
                found.push(head(&group[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    found
}

fn imports(source: &Source<'_>) -> Vec<Violation> {
    let own = source.path.split('/').nth(2).map(|name| name.trim_end_matches(".rs").to_owned());
    let mut found = Vec::new();
    for edge in edges(source) {
        if edge.from == edge.to {
            // Within integrations, no integration uses another.
            let other = edge.below.as_ref().is_some_and(|below| Some(below) != own.as_ref());
            if other && own.as_deref() != Some("mod") && edge.below.as_deref() != Some("self") {
                let message = format!("an integration uses another: `{}`", edge.below.unwrap_or_default());
                found.push(violation(source, edge.line, "imports", message));
            }
            continue;
        }
        let Some((_, allowed)) = TABLE.iter().find(|(name, _)| *name == edge.from) else {
            // lib.rs only declares; main.rs hands over to the command line.
            if edge.from == "main" && edge.to != "cli" {
                let message = format!("main uses `{}`; it hands over to `cli`", edge.to);
                found.push(violation(source, edge.line, "imports", message));
            }
            continue;
        };
        if !allowed.contains(&edge.to.as_str()) {
            let message =
                format!("`{}` may not use `{}`; it may use: {}", edge.from, edge.to, allowed.join(", "));
            found.push(violation(source, edge.line, "imports", message));
        }
    }
    found
}

fn foreign(source: &Source<'_>) -> Vec<Violation> {
    let Some((_, names)) = FOREIGN.iter().find(|(name, _)| folder(source.path) == Some(name)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (number, line) in source.product_lines() {
        for name in *names {
            if words(line, &format!("{name}::")).next().is_some() {
                let message = format!("`{name}` has no business in this folder");
                found.push(violation(source, number + 1, "foreign", message));
            }
        }
    }
    found
}

/// A cycle of folders, as `a -> b -> a`; `None` when there is none.
pub fn cycle(edges: &[Edge]) -> Option<String> {
    fn visit<'a>(
        at: &'a str,
        trail: &mut Vec<&'a str>,
        done: &mut Vec<&'a str>,
        edges: &'a [Edge],
    ) -> Option<String> {
        if let Some(start) = trail.iter().position(|name| *name == at) {
            let mut names = trail[start..].to_vec();
            names.push(at);
            return Some(names.join(" -> "));
        }
        if done.contains(&at) {
            return None;
        }
        trail.push(at);
        let next = edges.iter().filter(|edge| edge.from == at && edge.to != at);
        let found = next.map(|edge| edge.to.as_str()).find_map(|to| visit(to, trail, done, edges));
        trail.pop();
        done.push(at);
        found
    }
    let mut done = Vec::new();
    edges.iter().find_map(|edge| visit(&edge.from, &mut Vec::new(), &mut done, edges))
}

/// The files that hold an audio callback: each must mark what runs in it.
pub const CALLBACK_FILES: &[&str] =
    &["src/hearing/capture/ring.rs", "src/speaking/playback.rs", "src/speaking/tap.rs"];
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
