//! Sentence files of Home Assistant's format, read into one set per language.

mod calls;
mod check;
mod file;
mod lists;
pub mod model;
pub mod template;
pub(crate) mod yaml;

#[cfg(test)]
mod tests;

pub use check::{HOME_LISTS, Scope};
pub use file::Responses;

use super::grammar::Part;
use super::problem::{Place, Problem};
use hark_config::nearest;
use model::{Data, List, Range, Rule};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use template::Expr;

/// Every template, list, rule and response of one language.
#[derive(Debug, Default)]
pub struct Sentences {
    language: String,
    pub(super) data: Vec<Data>,
    pub(super) lists: BTreeMap<String, List>,
    pub(super) rules: BTreeMap<String, Rule>,
    pub(super) skip_words: Vec<String>,
    responses: Responses,
    faulty: BTreeSet<String>,
    places: BTreeMap<String, (Arc<Path>, Place)>,
}

impl Sentences {
    /// Reads `<folder>/*.yaml` of each folder; what a later folder defines again wins, and its
    /// sentences are preferred. Folders that are not there are skipped, but one must have a file.
    ///
    /// # Errors
    /// Every mistake in every file.
    pub fn load(dirs: &[PathBuf], language: &str) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut sources = Vec::new();
        for (rank, dir) in dirs.iter().enumerate() {
            for file in yaml_files(dir) {
                match std::fs::read_to_string(&file) {
                    Ok(source) => sources.push((rank, file, source)),
                    Err(error) => problems.push(Problem::new(
                        &file,
                        Place { line: 1, column: 1 },
                        format!("cannot be read: {error}"),
                        "give Hark the right to read it, and save it as UTF-8",
                    )),
                }
            }
        }
        if sources.is_empty() && problems.is_empty() {
            problems.extend(Self::there_are(dirs, language).err());
        }
        Self::from_sources(&sources, language, problems)
    }

    /// Whether there is a file to read in one of the folders; what it says is not looked at.
    ///
    /// # Errors
    /// When there is none.
    pub fn there_are(dirs: &[PathBuf], language: &str) -> Result<(), Problem> {
        if dirs.iter().any(|dir| !yaml_files(dir).is_empty()) {
            return Ok(());
        }
        let looked: Vec<String> = dirs.iter().map(|dir| dir.display().to_string()).collect();
        Err(Problem::new(
            dirs.first().map(PathBuf::as_path).unwrap_or_else(|| Path::new(language)),
            Place::default(),
            format!("there are no sentences of language '{language}' in {}", looked.join(", ")),
            "put sentence files there, or set `paths.models_dir`",
        ))
    }

    /// Reads one text as if it were a file; for tests and tools.
    ///
    /// # Errors
    /// Every mistake in it.
    pub fn from_text(file: &str, source: &str, language: &str) -> Result<Self, Vec<Problem>> {
        Self::from_sources(&[(0, PathBuf::from(file), source.to_owned())], language, Vec::new())
    }

    fn from_sources(
        sources: &[(usize, PathBuf, String)],
        language: &str,
        mut problems: Vec<Problem>,
    ) -> Result<Self, Vec<Problem>> {
        let mut all = Self { language: language.to_owned(), ..Self::default() };
        let (mut macros, mut called) = (String::new(), Vec::new());
        for (rank, path, source) in sources {
            let content = file::read(path, source, language, *rank, &mut problems);
            all.data.extend(content.data);
            all.lists.extend(content.lists);
            all.rules.extend(content.rules);
            for word in content.skip_words {
                if !all.skip_words.contains(&word) {
                    all.skip_words.push(word);
                }
            }
            macros.push_str(content.macros.trim());
            called.extend(content.calls.into_iter().map(|call| (path, call)));
            all.faulty.extend(content.faulty);
            for (name, place) in content.places {
                all.places.entry(name).or_insert(place);
            }
            for (group, keys) in content.responses {
                all.responses.entry(group).or_default().extend(keys);
            }
        }
        all.inline_ranges();
        let defined = calls::macros(&macros);
        for (path, call) in called.into_iter().filter(|(_, call)| !defined.contains(&call.name)) {
            let likely = nearest(&call.name, defined.iter().map(String::as_str));
            let fix = likely.map_or_else(
                || "write it as a macro below `response_macros:`, or take it away".to_owned(),
                |likely| format!("did you mean '{likely}'?"),
            );
            let message = format!("a response calls the {} '{}', which there is not", call.kind, call.name);
            problems.push(Problem::new(path, call.at, message, fix));
        }
        for text in all.responses.values_mut().flat_map(BTreeMap::values_mut) {
            // Each response stands alone for whoever renders it.
            if text.contains("{{") || text.contains("{%") {
                text.insert_str(0, &macros);
            }
        }
        problems.extend(check::check(&all));
        problems.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        if problems.is_empty() { Ok(all) } else { Err(problems) }
    }

    /// `{0..100:slot}` and `{10..60,10:slot}` are lists without a definition of their own.
    fn inline_ranges(&mut self) {
        let mut found = BTreeMap::new();
        let templates = self.data.iter().flat_map(|data| data.templates.iter().map(|one| &one.expr));
        let own = self.data.iter().flat_map(|data| data.rules.values());
        let rules = self.rules.values().chain(own).map(|rule| &rule.expr);
        for expr in templates.chain(rules) {
            expr.references(&mut |reference| {
                if let Expr::List { list, .. } = reference
                    && let Some(range) = Range::inline(list)
                {
                    found.insert(list.clone(), List::Range(range));
                }
            });
        }
        self.lists.extend(found);
    }

    /// ISO 639-1 code.
    pub fn language(&self) -> &str {
        &self.language
    }

    /// Response templates (minijinja) by intent, or by `replies` and `errors`, then by key.
    pub fn responses(&self) -> &BTreeMap<String, BTreeMap<String, String>> {
        &self.responses
    }

    /// Where an intent, or a group of responses such as `errors`, begins: `FILE:LINE:COLUMN`.
    pub fn place_of(&self, name: &str) -> Option<String> {
        let (file, at) = self.places.get(name)?;
        Some(format!("{}:{}:{}", file.display(), at.line, at.column))
    }

    /// Names of all intents that have sentences, each once; parts of requests are none.
    pub fn intents(&self) -> Vec<&str> {
        let names = self.data.iter().map(|data| data.intent.as_str());
        let mut names: Vec<&str> = names.filter(|name| Part::of(name) == Part::Request).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// The sentence files of a folder, by name; none when it is not there.
fn yaml_files(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "yaml" || end == "yml"));
    files.sort();
    files
}
