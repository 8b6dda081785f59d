//! Files of one crate that use each other in a circle, by their `use` items and the paths that begin with `crate` or `super`.
//! A file may use what stands in the modules it is in, as is usual in Rust.

use crate::scan::Source;
use std::collections::{BTreeMap, BTreeSet};

/// A module by its path in the crate.
type Module = Vec<String>;

/// One file.
#[derive(Default)]
struct File {
    /// What it uses, as paths from the crate's root.
    uses: Vec<Module>,
    /// Names it hands on, with where they are.
    hands_on: BTreeMap<String, Module>,
}

/// Groups of files below `folder` (such as `src/`) of which each uses each other, directly or through others.
pub fn circles(sources: &[Source<'_>], folder: &str) -> Vec<Vec<String>> {
    let texts: BTreeMap<Module, String> = sources
        .iter()
        .filter_map(|source| Some((module(source.path.strip_prefix(folder)?)?, product(source)?)))
        .collect();
    let files: BTreeMap<&Module, File> =
        texts.iter().map(|(module, text)| (module, read(module, text, &texts))).collect();
    let mut arrows: BTreeMap<&Module, BTreeSet<Module>> = BTreeMap::new();
    for (module, file) in &files {
        let used = file.uses.iter().filter_map(|path| place(path, &files, 0));
        arrows.insert(module, used.filter(|used| !module.starts_with(used)).collect());
    }
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        arrows.keys().map(|module| (*module, reach(module, &arrows))).collect();
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut seen = BTreeSet::new();
    for (module, all) in &reached {
        if !all.contains(*module) || seen.contains(*module) {
            continue;
        }
        let knot: Vec<&Module> = all.iter().filter(|other| reached[other].contains(*module)).collect();
        seen.extend(knot.iter().map(|module| (*module).clone()));
        found.push(knot.into_iter().map(|module| module.join("/")).collect());
    }
    found
}

/// `home/select.rs` is `home`, `select`; programs of their own are none.
fn module(path: &str) -> Option<Module> {
    let path = path.strip_suffix(".rs")?;
    let mut parts: Module = path.split('/').map(str::to_owned).collect();
    if matches!(parts.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        parts.pop();
    }
    Some(parts)
}

/// The code that is no test; `None` for a file of tests.
fn product(source: &Source<'_>) -> Option<String> {
    let is_test = source.is_test.iter().all(|test| *test) || source.path.ends_with("_tests.rs");
    (!is_test).then(|| source.product_lines().map(|(_, line)| line).collect::<Vec<_>>().join("\n"))
}

fn read(module: &Module, text: &str, texts: &BTreeMap<Module, String>) -> File {
    let mut file = File::default();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("use ") {
        rest = after;
        let line = before.rsplit('\n').next().unwrap_or_default().trim();
        if !(line.is_empty() || line.starts_with("pub")) {
            continue;
        }
        let tree: String =
            after.split(';').next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        for path in paths(&tree) {
            let Some(path) = from_root(module, &path, texts) else { continue };
            if line.starts_with("pub")
                && let Some(name) = path.last()
            {
                file.hands_on.insert(name.clone(), path.clone());
            }
            file.uses.push(path);
        }
    }
    for start in ["crate::", "super::"] {
        for (at, _) in text.match_indices(start) {
            let path: String =
                text[at..].chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':')).collect();
            // The trees of `use` were read above.
            if !text[at + path.len()..].starts_with('{') {
                file.uses.extend(from_root(module, path.trim_end_matches(':'), texts));
            }
        }
    }
    file
}

/// The paths of a tree: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn paths(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((before, inner)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default().trim();
        return vec![path.trim_end_matches("::self").to_owned()];
    };
    let inner = inner.strip_suffix('}').unwrap_or(inner);
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for c in inner.chars() {
        match c {
            ',' if depth == 0 => parts.push(String::new()),
            _ => {
                depth += i32::from(c == '{') - i32::from(c == '}');
                if let Some(last) = parts.last_mut() {
                    last.push(c);
                }
            }
        }
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| paths(&format!("{before}{}", part.trim()))).collect()
}

/// A path from the crate's root; `None` where it is of another crate.
fn from_root(module: &Module, path: &str, texts: &BTreeMap<Module, String>) -> Option<Module> {
    let mut parts: Vec<&str> = path.split("::").collect();
    let mut from: Module = match parts.first()? {
        &"crate" => {
            parts.remove(0);
            Vec::new()
        }
        &"self" => {
            parts.remove(0);
            module.clone()
        }
        &"super" => {
            let up = parts.iter().take_while(|part| **part == "super").count();
            parts.drain(..up);
            module[..module.len().checked_sub(up)?].to_vec()
        }
        first => {
            let child: Module = module.iter().cloned().chain([(*first).to_owned()]).collect();
            texts.contains_key(&child).then(|| module.clone())?
        }
    };
    from.extend(parts.iter().map(|part| (*part).to_owned()));
    Some(from)
}

/// The file that a path leads to, through names that others hand on.
fn place(path: &[String], files: &BTreeMap<&Module, File>, depth: usize) -> Option<Module> {
    let known = (0..=path.len()).rev().find(|end| files.contains_key(&path[..*end].to_vec()))?;
    let (module, rest) = path.split_at(known);
    let handed_on = rest.first().and_then(|name| files[&module.to_vec()].hands_on.get(name));
    match handed_on.filter(|there| depth < 6 && there.as_slice() != path) {
        Some(there) => place(&[there.as_slice(), &rest[1..]].concat(), files, depth + 1),
        None => Some(module.to_vec()),
    }
}

fn reach(from: &Module, arrows: &BTreeMap<&Module, BTreeSet<Module>>) -> BTreeSet<Module> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&Module> = vec![from];
    while let Some(module) = open.pop() {
        for next in arrows.get(module).into_iter().flatten() {
            if reached.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    reached
}
