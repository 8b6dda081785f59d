//! Files of examples: sentences as people say them, with the intent or the category they belong to.
//!
//! ```yaml
//! examples:
//!   - intent: HassTurnOn      # or `category: out_of_scope`
//!     domain: cover           # optional: the kind of thing, where one intent serves several
//!     sentences:
//!       - let some sun in
//! ```

use super::catalogue::category_of;
use super::error::IntentError;
use crate::domain::Category;
use crate::understanding::problem::{Place, Problem, nearest};
use crate::understanding::sentences::yaml::{Node, Reader, place};
use saphyr::{LoadableYamlNode, MarkedYaml};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What a sentence means.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label {
    /// The kind of request.
    pub category: Category,
    /// The intent, when it is one that a tool serves.
    pub intent: Option<String>,
    /// The kind of thing it is about, where one intent serves several.
    pub domain: Option<String>,
}

impl Label {
    /// A kind of request without an intent.
    pub fn category(category: Category) -> Self {
        Self { category, intent: None, domain: None }
    }

    /// An intent; one that is not in the catalogue is taken for a change in the home.
    pub fn intent(name: &str, domain: Option<&str>) -> Self {
        let category = category_of(name).unwrap_or(Category::HomeControl);
        Self { category, intent: Some(name.to_owned()), domain: domain.map(str::to_owned) }
    }
}

/// A sentence with its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// As it was written.
    pub text: String,
    /// What it means.
    pub label: Label,
}

/// Reads every `.yaml` file of a folder in the order of the names; none when the folder is not there.
///
/// # Errors
/// Every mistake in every file.
pub fn load(folder: &Path) -> Result<Vec<Example>, Vec<Problem>> {
    load_files(&yaml_files(folder))
}

/// Reads some files.
///
/// # Errors
/// Every mistake in every file.
pub(super) fn load_files(files: &[PathBuf]) -> Result<Vec<Example>, Vec<Problem>> {
    let (mut examples, mut problems) = (Vec::new(), Vec::new());
    for file in files {
        match std::fs::read_to_string(file) {
            Ok(source) => examples.extend(parse(file, &source, &mut problems)),
            Err(error) => problems.push(Problem::new(
                file,
                Place { line: 1, column: 1 },
                format!("cannot be read: {error}"),
                "give Hark the right to read it, and save it as UTF-8",
            )),
        }
    }
    if problems.is_empty() { Ok(examples) } else { Err(problems) }
}

/// The `.yaml` files of a folder by name; none when it is not there.
pub(super) fn yaml_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "yaml" || end == "yml"));
    files.sort();
    files
}

/// Adds a sentence to a file of the owner, which is made when it is not there.
///
/// # Errors
/// When the file cannot be written.
pub fn append(file: &Path, text: &str, label: &Label) -> Result<(), IntentError> {
    let io = |source| IntentError::Io { path: file.to_owned(), source };
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(io)?;
    }
    // A JSON string is a YAML string, whatever is in it.
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut item = match &label.intent {
        Some(intent) => format!("  - intent: {}\n", quoted(intent)),
        None => format!("  - category: {}\n", label.category),
    };
    if let Some(domain) = &label.domain {
        item.push_str(&format!("    domain: {}\n", quoted(domain)));
    }
    item.push_str(&format!("    sentences:\n      - {}\n", quoted(text)));
    let mut open = std::fs::OpenOptions::new().create(true).append(true).open(file).map_err(io)?;
    if open.metadata().map_err(io)?.len() == 0 {
        item.insert_str(0, "# Sentences Hark got wrong, with what they mean. `hark models train` learns from them.\nexamples:\n");
    }
    open.write_all(item.as_bytes()).and_then(|()| open.sync_all()).map_err(io)
}

fn parse(file: &Path, source: &str, problems: &mut Vec<Problem>) -> Vec<Example> {
    let documents = match MarkedYaml::load_from_str(source) {
        Ok(documents) => documents,
        Err(error) => {
            let at = Place { line: error.marker().line(), column: error.marker().col() + 1 };
            problems.push(Problem::new(file, at, format!("is not YAML: {error}"), "correct this line"));
            return Vec::new();
        }
    };
    let mut reader = Reader { file, source, problems };
    let mut found = Vec::new();
    for document in &documents {
        for (_, _, node) in reader.mapping(document, "the file", &["examples"]) {
            for item in reader.sequence(node, "`examples`") {
                read_item(&mut reader, item, &mut found);
            }
        }
    }
    found
}

fn read_item(reader: &mut Reader<'_>, item: &Node<'_>, found: &mut Vec<Example>) {
    let (mut intent, mut domain, mut category, mut sentences) = (None, None, None, Vec::new());
    for (key, at, node) in reader.mapping(item, "an example", &["intent", "category", "domain", "sentences"])
    {
        match key.as_str() {
            "intent" => intent = reader.text(node, "`intent`"),
            "domain" => domain = reader.text(node, "`domain`"),
            "category" => {
                let name = reader.text(node, "`category`").unwrap_or_default();
                category = Category::named(&name);
                if category.is_none() {
                    let names = Category::ALL.map(Category::name);
                    let fix = match nearest(&name, names) {
                        Some(likely) => format!("did you mean '{likely}'?"),
                        None => format!("use one of: {}", names.join(", ")),
                    };
                    reader.problem(at, format!("there is no category '{name}'"), fix);
                    return;
                }
            }
            _ => {
                for sentence in reader.sequence(node, "`sentences`") {
                    sentences.extend(reader.text(sentence, "a sentence"));
                }
            }
        }
    }
    let label = match (intent, category) {
        // What the owner says of an intent of their own counts.
        (Some(name), category) => {
            let mut label = Label::intent(&name, domain.as_deref());
            if category_of(&name).is_none() {
                label.category = category.unwrap_or(label.category);
            }
            label
        }
        (None, Some(category)) => Label::category(category),
        (None, None) => {
            let fix = "write `intent: HassTurnOn` or `category: out_of_scope`";
            return reader.problem(place(item), "an example has neither intent nor category", fix);
        }
    };
    found.extend(sentences.into_iter().map(|text| Example { text, label: label.clone() }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> (Vec<Example>, Vec<Problem>) {
        let mut problems = Vec::new();
        let found = parse(Path::new("own.yaml"), source, &mut problems);
        (found, problems)
    }

    #[test]
    fn sentences_get_the_meaning_of_their_item() {
        let (found, problems) = read(
            "examples:\n  - intent: HassTurnOn\n    domain: cover\n    sentences:\n      - let some sun in\n      - yes\n  \
             - category: out_of_scope\n    sentences: [call mum]\n  - intent: MyOwn\n    category: list\n    sentences: [a b]\n",
        );
        assert_eq!(problems, []);
        assert_eq!(found.len(), 4);
        assert_eq!(found[0].label, Label::intent("HassTurnOn", Some("cover")));
        assert_eq!(found[2].label, Label::category(Category::OutOfScope));
        assert_eq!(found[3].label.category, Category::List);
    }

    #[test]
    fn every_mistake_is_told_with_its_place() {
        let (_, problems) = read(
            "examples:\n  - category: out_of_scop\n    sentences: [x]\n  - sentences: [y]\n  - intend: HassTurnOn\n",
        );
        let lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [2, 4, 5, 5], "{problems:?}");
        assert!(problems[0].fix.contains("out_of_scope"));
        assert_eq!(read("examples: [").1.len(), 1);
    }

    #[test]
    fn what_is_appended_is_read_again_whatever_it_says() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("examples/marked.yaml");
        let texts = ["turn it: on", "- \"quoted\" # no comment", "yes"];
        for text in texts {
            append(&file, text, &Label::intent("HassTurnOn", None)).unwrap();
        }
        append(&file, "hm", &Label::category(Category::OutOfScope)).unwrap();
        let found = load(file.parent().unwrap()).unwrap();
        assert_eq!(found.iter().take(3).map(|example| example.text.as_str()).collect::<Vec<_>>(), texts);
        assert_eq!(found[3].label.category, Category::OutOfScope);
        assert!(load(Path::new("/nowhere")).unwrap().is_empty());
    }
}
