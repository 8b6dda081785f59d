//! The rules of the house, enforced: who may use whom, no file without a header, none too long, no
//! unwrap without a reason, nothing printed outside the command line, no lock in an audio callback,
//! every configuration key in the shipped file. Each rule is itself tested on a bad sample.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[path = "tidy/circles.rs"]
mod circles;
#[path = "tidy/rules.rs"]
mod rules;
#[path = "tidy/scan.rs"]
mod scan;

use rules::{Violation, check};
use scan::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All Rust files of the repository, as (path from the root, text).
fn sources() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for folder in ["src", "crates", "tests", "benches", "fuzz"] {
        rust_files(&root().join(folder), &mut files);
    }
    files
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
            (name, fs::read_to_string(&path).unwrap())
        })
        .collect()
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(listing) = fs::read_dir(folder) else { return };
    for entry in listing.flatten() {
        let path = entry.path();
        if path.is_dir() && entry.file_name() != "target" {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The files prepared for the rules; those that a `#[cfg(test)] mod` brings in are test code as a whole.
fn read(files: &[(String, String)]) -> Vec<Source<'_>> {
    let mut sources: Vec<Source<'_>> = files.iter().map(|(path, text)| Source::new(path, text)).collect();
    let tests: Vec<String> = sources.iter().flat_map(Source::test_modules).collect();
    for source in &mut sources {
        let stem = source.path.trim_end_matches(".rs").trim_end_matches("/mod").trim_end_matches("/lib");
        if tests.iter().any(|module| stem == module || stem.starts_with(&format!("{module}/"))) {
            source.is_test.fill(true);
        }
    }
    sources
}

fn list(violations: &[Violation]) -> String {
    violations.iter().map(|violation| format!("\n  {violation}")).collect()
}

#[test]
fn the_house_is_tidy() {
    let sources = sources();
    assert!(sources.len() > 20, "the sources were not found");
    let violations: Vec<Violation> = read(&sources).iter().flat_map(check).collect();
    assert!(violations.is_empty(), "{} rules broken:{}", violations.len(), list(&violations));
}

#[test]
fn comments_are_made_of_words() {
    let sources = sources();
    let sources = read(&sources);
    let product = || {
        sources.iter().filter(|source| source.path.starts_with("src/") || source.path.starts_with("crates/"))
    };
    let types: BTreeSet<String> = product().flat_map(Source::types).map(str::to_owned).collect();
    assert!(types.contains("EffectRunner"), "the types were not found");
    let violations: Vec<Violation> = product().flat_map(|source| rules::comments(source, &types)).collect();
    assert!(violations.is_empty(), "{} rules broken:{}", violations.len(), list(&violations));
}

#[test]
fn no_files_of_a_crate_use_each_other() {
    let sources = sources();
    let sources = read(&sources);
    let folders: BTreeSet<&str> =
        sources.iter().filter_map(|source| Some(&source.path[..source.path.find("src/")? + 4])).collect();
    let folders = folders.into_iter().filter(|folder| *folder == "src/" || folder.starts_with("crates/"));
    for folder in folders {
        let found = circles::circles(&sources, folder);
        assert!(found.is_empty(), "circles of files in {folder}: {found:?}");
    }
}

#[test]
fn circles_of_files_are_found() {
    let found = |files: &[(&str, &str)]| {
        let sources: Vec<Source<'_>> = files.iter().map(|(path, text)| Source::new(path, text)).collect();
        circles::circles(&sources, "src/")
    };
    let (root, other) = (("src/lib.rs", "mod a;\nmod b;\npub use a::A;"), ("src/b.rs", "use crate::{A};"));
    assert_eq!(found(&[root, ("src/a.rs", "use super::b::{self, B};"), other]), [["a", "b"]]);
    assert!(found(&[root, ("src/a.rs", "use super::Root;"), other]).is_empty());
    let in_tests = "#[cfg(test)]\nmod tests {\n    use super::super::b::B;\n}";
    assert!(found(&[root, ("src/a.rs", in_tests), other]).is_empty());
}

/// Foreign crates that open files, sockets, devices or models, and ours that alone have to do with them.
const OWNERS: [(&str, &[&str]); 8] = [
    ("axum", &["http", "mcp"]),
    ("cpal", &["audio", "stt", "tts"]),
    ("ort", &["models", "tts"]),
    ("reqwest", &["agent", "http-client", "mcp", "models", "personal", "tools"]),
    ("rumqttc", &["mqtt"]),
    ("rumqttd", &["mqtt"]),
    ("rusqlite", &["knowledge", "store"]),
    ("zbus", &["accessibility", "desktop"]),
];

/// Ours that have neither clock nor runtime.
const WITHOUT_TOKIO: [&str; 12] = [
    "core",
    "dialog",
    "knowledge",
    "language",
    "llama",
    "memory",
    "nlu",
    "ocr",
    "store",
    "stt",
    "tts",
    "watch",
];

/// The dependencies of a crate's program, those of one system included.
fn dependencies(manifest: &toml::Table) -> Vec<&String> {
    let targets =
        manifest.get("target").and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::values);
    let tables = targets.filter_map(toml::Value::as_table).chain([manifest]);
    let tables = tables.filter_map(|table| table.get("dependencies")?.as_table());
    tables.flat_map(toml::Table::keys).collect()
}

/// The crates of ours that ARCHITECTURE.md says a crate uses. Cargo forbids circles, and not that an arrow is added or turned.
fn arrows() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let table =
        text.split_once("## Who may use whom").and_then(|(_, rest)| rest.split_once("\n## ")).unwrap().0;
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `hark-")?.split_once('`'));
    let used = |row: &str| {
        let uses = row.trim_end_matches(['|', ' ']).rsplit('|').next().unwrap_or_default();
        let uses = uses.split(',').map(str::trim).filter(|used| *used != "no other");
        uses.map(str::to_owned).collect()
    };
    let is_of_table = |(_, row): &(&str, &str)| row.matches('|').count() == 3;
    let has_crate = |(name, _): &(&str, &str)| root().join("crates").join(format!("hark-{name}")).is_dir();
    rows.filter(|row| is_of_table(row) && has_crate(row))
        .map(|(name, row)| (name.to_owned(), used(row)))
        .collect()
}

#[test]
fn crates_use_what_the_map_says_and_nothing_else() {
    let arrows = arrows();
    for entry in fs::read_dir(root().join("crates")).unwrap().flatten() {
        let manifest = fs::read_to_string(entry.path().join("Cargo.toml")).unwrap();
        let manifest: toml::Table = toml::from_str(&manifest).unwrap();
        let file = entry.file_name().to_string_lossy().into_owned();
        let name = file.strip_prefix("hark-").unwrap_or(&file);
        let used = dependencies(&manifest);
        let ours = used.iter().filter_map(|used| used.strip_prefix("hark-")).map(str::to_owned);
        assert_eq!(arrows.get(name), Some(&ours.collect()), "{file}: ARCHITECTURE.md, \"Who may use whom\"");
        for (foreign, owners) in OWNERS {
            let is_right = owners.contains(&name) || used.iter().all(|used| *used != foreign);
            assert!(is_right, "{file} may not use {foreign}");
        }
        let has_runtime = used.iter().any(|used| *used == "tokio");
        assert!(!(has_runtime && WITHOUT_TOKIO.contains(&name)), "{file} may not use tokio");
    }
}

#[test]
fn the_command_line_is_used_by_main_alone_and_main_uses_nothing_else() {
    let sources = sources();
    for (path, text) in &sources {
        let code = Source::new(path, text).code.concat();
        assert!(!path.starts_with("src/app/") || !code.contains("crate::cli"), "{path}");
        assert!(
            path != "src/main.rs" || !code.contains("hark::app"),
            "{path} hands over to the command line"
        );
    }
}

#[test]
fn every_configuration_key_stands_in_the_shipped_file() {
    let text = fs::read_to_string(root().join("firmware-config/hark.toml")).unwrap();
    let mut section = String::new();
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = name.to_owned();
        } else if let Some((key, _)) = line.split_once(" = ").filter(|_| !line.starts_with('#')) {
            found.push(format!("{section}.{key}"));
        } else if let Some(tables) = line.strip_prefix("#[").and_then(|line| line.strip_suffix(".NAME]")) {
            // Tables of the owner's choice stand there as comments.
            found.push(tables.to_owned());
        }
    }
    let keys: Vec<String> = hark_config::keys::keys().map(|key| key.path()).collect();
    assert_eq!(found, keys);
}

/// Most source files of one folder: among more, names no longer tell where something is.
const MAX_FOLDER_FILES: usize = 25;

#[test]
fn no_folder_has_too_many_source_files() {
    let mut folders = BTreeMap::<String, usize>::new();
    for (path, _) in sources() {
        let (folder, _) = path.rsplit_once('/').unwrap();
        *folders.entry(folder.to_owned()).or_default() += 1;
    }
    let full: Vec<_> = folders.iter().filter(|(_, files)| **files > MAX_FOLDER_FILES).collect();
    assert!(full.is_empty(), "folders with more than {MAX_FOLDER_FILES} source files: {full:?}");
}

#[test]
fn files_that_the_map_names_are_there() {
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = fs::read_to_string(root().join(document)).unwrap();
        let named = text.split('`').skip(1).step_by(2);
        let starts = ["crates/", "src/", "models/", "tests/", "contracts/", "docs/", "fuzz/src", "page/"];
        let paths = named.filter(|path| starts.iter().any(|start| path.starts_with(start)));
        for path in paths.filter(|path| !path.contains(['<', '*', '{', ' '])) {
            assert!(root().join(path).exists(), "{document} names {path}");
        }
    }
}

/// Crates that came with a known advisory once, each with the first version that has none; `make audit` asks for all.
const ADVISED: &[(&str, Option<[u64; 3]>, &str)] = &[
    ("rustls-webpki", Some([0, 103, 13]), "RUSTSEC-2026-0104"),
    ("rustls-pemfile", None, "RUSTSEC-2025-0134"),
    ("rustls", Some([0, 23, 45]), "RUSTSEC-2026-0285"),
    ("ringbuf", Some([0, 5, 2]), "RUSTSEC-2026-0293"),
];

/// Versions beside the first of every crate that is there more than once: a new dependency does not add to them unseen.
/// The last are sha2 0.11 of rmcp with three it needs; the one before is toml_edit 0.25, which reads what the configuration's
/// reader does, where rumqttd's settings have 0.22. convert_case and darling with its two are of ratatui.
const CRATES_AGAIN: usize = 51;

#[test]
fn locked_crates_have_no_known_advisory_and_are_not_there_ever_more_often() {
    let text = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let lock: toml::Table = toml::from_str(&text).unwrap();
    let crates: Vec<(&str, &str)> = lock["package"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| (package["name"].as_str().unwrap(), package["version"].as_str().unwrap()))
        .collect();
    for (name, first_good, advisory) in ADVISED {
        for (_, version) in crates.iter().filter(|(known, _)| known == name) {
            let numbers: Vec<u64> = version.split('.').map_while(|number| number.parse().ok()).collect();
            let is_good = first_good.is_some_and(|good| numbers[..] >= good[..]);
            assert!(is_good, "{name} {version}: {advisory}");
        }
    }
    let names: BTreeSet<_> = crates.iter().map(|(name, _)| name).collect();
    let again = crates.len() - names.len();
    assert!(again <= CRATES_AGAIN, "{again} crates are there again: see `cargo tree -d`");
}

/// The rules a sample breaks, in order.
fn broken(path: &str, text: &str) -> Vec<&'static str> {
    check(&Source::new(path, text)).into_iter().map(|violation| violation.rule).collect()
}

fn sample(code: &str) -> String {
    format!("//! A sample of code.\n{code}\n")
}

#[test]
fn a_good_file_breaks_no_rule() {
    let text = sample(
        "use hark_core::Fault;\nuse hark_config::Config;\n\
         fn main() -> Option<char> { let quote = '\"'; let text = \"// .unwrap() println!\"; Some(quote) }\n\
         // It is a digit, the line above made sure.\n#[allow(clippy::expect_used)]\nlet d = c\n    .to_digit(10)\n    .expect(\"x\");\n\
         /* crate::cli::run */ // crate::daemon\n\
         #[cfg(test)]\nmod tests {\n    use crate::daemon::Daemon;\n    fn t() { x.unwrap(); println!(); }\n}",
    );
    assert_eq!(broken("crates/hark-stt/src/vad.rs", &text), Vec::<&str>::new());
}

#[test]
fn a_missing_header_trips() {
    assert_eq!(broken("crates/hark-core/src/x.rs", "use std::fmt;\n"), ["header"]);
    assert_eq!(broken("crates/hark-core/src/x.rs", "//!\n"), ["header"]);
    assert_eq!(broken("tests/x.rs", "fn a() {}\n"), ["header"]);
    assert_eq!(broken("crates/hark-core/src/x.rs", "// plain comment about it\n"), ["header"]);
}

#[test]
fn long_files_and_functions_trip_but_tests_do_not_count() {
    let lines = "const A: u8 = 1;\n".repeat(rules::MAX_FILE_LINES);
    assert_eq!(broken("crates/hark-core/src/x.rs", &sample(&lines)), ["length"]);
    let tests = format!("#[cfg(test)]\nmod tests {{\n{lines}}}\n");
    assert_eq!(broken("crates/hark-core/src/x.rs", &sample(&tests)), Vec::<&str>::new());
    let body = "    let a = 1;\n".repeat(rules::MAX_FUNCTION_LINES);
    let function = format!("pub fn long(a: [u8; 2]) -> u8\nwhere\n    u8: Copy,\n{{\n{body}}}\n");
    assert_eq!(broken("crates/hark-core/src/x.rs", &sample(&function)), ["function"]);
    let in_tests = format!("#[cfg(test)]\nmod tests {{\n{function}}}\n");
    assert_eq!(broken("crates/hark-core/src/x.rs", &sample(&in_tests)), Vec::<&str>::new());
    assert_eq!(broken("src/main.rs", &sample(&"const A: u8 = 1;\n".repeat(90))), ["length"]);
}

#[test]
fn names_of_the_code_trip_in_comments() {
    let types = BTreeSet::from(["EffectRunner".to_owned()]);
    let broken = |comment: &str| rules::comments(&Source::new("src/x.rs", &sample(comment)), &types).len();
    assert_eq!(broken("/// EffectRunner the recording, and the request_log."), 2);
    for good in [
        "/// As [`Words`](hark_core::Words); `request_log`, see `EffectRunner`.",
        "/// As c_api.h and sd_watchdog_enabled(3) say.",
        "// ```\n// let a_b = EffectRunner;\n// ```",
        "#[cfg(test)]\nmod tests {\n    // request_log\n}",
    ] {
        assert_eq!(broken(good), 0, "{good}");
    }
}

#[test]
fn an_unwrap_without_a_reason_trips() {
    assert_eq!(broken("crates/hark-core/src/x.rs", &sample("fn a() { b().unwrap(); }")), ["unwrap"]);
    assert_eq!(broken("crates/hark-core/src/x.rs", &sample("fn a() { b().expect(\"no\"); }")), ["unwrap"]);
    let far = "// A reason for something else.\nlet a = 1;\nlet b = c.unwrap();";
    assert_eq!(broken("crates/hark-core/src/x.rs", &sample(far)), ["unwrap"]);
    assert_eq!(
        broken("crates/hark-core/src/x/tests.rs", &sample("fn a() { b().unwrap(); }")),
        Vec::<&str>::new()
    );
}

#[test]
fn files_brought_in_for_tests_are_test_code() {
    let unwrap = sample("fn a() { b().unwrap(); }");
    let parent = sample(
        "#[cfg(test)]\npub(crate) mod testing;\n\n#[cfg(test)]\n#[path = \"x_tests.rs\"]\nmod tests;\nmod product;",
    );
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let broken_in = |parent_path: &str, child: &str| {
        let files = [file(parent_path, &parent), file(child, &unwrap)];
        read(&files).iter().flat_map(check).count()
    };
    assert_eq!(broken_in("crates/hark-stt/src/lib.rs", "crates/hark-stt/src/testing.rs"), 0);
    assert_eq!(broken_in("crates/hark-stt/src/lib.rs", "crates/hark-stt/src/testing/mod.rs"), 0);
    assert_eq!(broken_in("crates/hark-stt/src/lib.rs", "crates/hark-stt/src/testing/flite.rs"), 0);
    assert_eq!(broken_in("crates/hark-stt/src/x.rs", "crates/hark-stt/src/x/testing.rs"), 0);
    assert_eq!(broken_in("crates/hark-stt/src/x.rs", "crates/hark-stt/src/x_tests.rs"), 0);
    assert_eq!(broken_in("crates/hark-stt/src/lib.rs", "crates/hark-stt/src/product.rs"), 1);
    assert_eq!(broken_in("crates/hark-stt/src/lib.rs", "crates/hark-tts/src/testing.rs"), 1);
}

#[test]
fn printing_outside_the_command_line_trips() {
    for name in ["println!", "eprintln!", "print!", "eprint!", "dbg!"] {
        let text = sample(&format!("fn a() {{ {name}(\"x\"); }}"));
        assert_eq!(broken("crates/hark-stt/src/x.rs", &text), ["print"], "{name}");
        assert_eq!(broken("src/cli/x.rs", &text), Vec::<&str>::new());
    }
    assert_eq!(
        broken("crates/hark-stt/src/x.rs", &sample("fn a() { pretty_print!(1); }")),
        Vec::<&str>::new()
    );
}

#[test]
fn input_and_output_trip_where_they_have_no_business() {
    assert_eq!(broken("crates/hark-core/src/x.rs", &sample("use std::fs::File;")), ["foreign"]);
    assert_eq!(
        broken("crates/hark-core/src/x.rs", &sample("fn a() { std::thread::yield_now(); }")),
        ["foreign"]
    );
    assert_eq!(broken("src/app/x.rs", &sample("use std::fs::File;")), Vec::<&str>::new());
}

#[test]
fn locks_and_allocation_in_a_callback_trip() {
    let region = |code: &str| sample(&format!("// real-time: begin\n{code}\n// real-time: end"));
    let bad = [
        "let guard = shared.lock();",
        "let copy = samples.to_vec();",
        "let all = vec![0.0; 10];",
        "tracing::warn!(\"x\");",
        "warn!(\"x\");",
        "let b = Box::new(1);",
        "let s: String = name;",
        "sender.send(1);",
        "let c = ring.clone();",
    ];
    for code in bad {
        assert!(
            broken("crates/hark-stt/src/capture/ring.rs", &region(code)).contains(&"real-time"),
            "{code}"
        );
    }
    let good = region(
        "// no lock() and no vec! here\nlet written = self.ring.push_slice(samples);\nself.lost.fetch_add(1, Relaxed);",
    );
    assert_eq!(broken("crates/hark-stt/src/capture/ring.rs", &good), Vec::<&str>::new());
    assert_eq!(broken("crates/hark-tts/src/playback.rs", &sample("fn a() {}")), ["real-time"]);
    assert_eq!(
        broken("crates/hark-stt/src/capture/ring.rs", &sample("// real-time: begin\nlet a = 1;")),
        ["real-time"]
    );
    assert_eq!(broken("crates/hark-stt/src/x.rs", &sample("// real-time: end")), ["real-time"]);
}

#[test]
fn literals_and_comments_are_blanked_and_lines_stay() {
    let text = "let a = \"x\\\"y // z\"; // c\nlet b = r#\"crate::cli \"# ;\n/* one /* two */\nthree */ let c = 'x';\nfn d<'a>(e: &'a str) {}\nlet f = '\\'';\nlet g = b\"crate::\";";
    let blanked = scan::blank(text);
    assert_eq!(blanked.lines().count(), text.lines().count());
    for gone in ["crate", "two", "//", "z", "'x'"] {
        assert!(!blanked.contains(gone), "{gone} in {blanked}");
    }
    for kept in ["let b", "let c", "fn d<'a>(e: &'a str) {}", "let g"] {
        assert!(blanked.contains(kept), "{kept} not in {blanked}");
    }
}
