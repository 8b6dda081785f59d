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
use crate::problem::{Place, Problem};
use crate::sentences::yaml::{Node, Reader, place};
use crate::text;
use hark_config::nearest;
use hark_core::Category;
use saphyr::{LoadableYamlNode, MarkedYaml};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Marked sentences that are kept; a household has some dozens.
pub const MAX_MARKED: usize = 1000;

/// How the file of marked sentences begins.
const HEADER: &str =
    "# Sentences Hark got wrong, with what they mean. `hark models train` learns from them.\nexamples:\n";

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

/// What marking a sentence came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marked {
    /// It was not there.
    New,
    /// It was there, with this meaning.
    Known,
    /// It was there, with another meaning.
    Changed,
}

/// Adds a sentence to the owner's file of marked turns, which is made when it is not there. A sentence
/// stands in it once, whatever its spelling, with the meaning it was given last; when there are
/// [`MAX_MARKED`], the oldest goes. Comments in the file stay as long as nothing but new sentences comes.
///
/// # Errors
/// When the file has mistakes, or cannot be written.
pub fn mark(file: &Path, text: &str, label: &Label) -> Result<Marked, IntentError> {
    let io = |source| IntentError::Io { path: file.to_owned(), source };
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(io)?;
    }
    // Freed when it is dropped: the daemon and the command line may both be marking.
    let lock = std::fs::File::create(file.with_extension("lock")).map_err(io)?;
    lock.lock().map_err(io)?;
    let mut all = match file.is_file() {
        true => load_files(&[file.to_owned()]).map_err(IntentError::mistakes)?,
        false => Vec::new(),
    };
    let words = spoken(text);
    let same = |example: &Example| spoken(&example.text) == words;
    let known = all.iter().find(|example| same(example)).map(|example| example.label == *label);
    let marked = match known {
        Some(true) => return Ok(Marked::Known),
        Some(false) => Marked::Changed,
        None => Marked::New,
    };
    if marked == Marked::New && all.len() < MAX_MARKED {
        return append(file, text, label).map(|()| marked).map_err(io);
    }
    all.retain(|example| !same(example));
    all.drain(..(all.len() + 1).saturating_sub(MAX_MARKED));
    all.push(Example { text: text.to_owned(), label: label.clone() });
    let items: String = all.iter().map(|example| item(&example.text, &example.label)).collect();
    hark_config::write_private(file, format!("{HEADER}{items}")).map(|()| marked).map_err(io)
}

fn append(file: &Path, text: &str, label: &Label) -> std::io::Result<()> {
    let mut open = std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(file)?;
    let header = if open.metadata()?.len() == 0 { HEADER } else { "" };
    open.write_all(format!("{header}{}", item(text, label)).as_bytes())?;
    open.sync_all()
}

/// One sentence as an item of the list.
fn item(text: &str, label: &Label) -> String {
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
    item
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
    let mut reader = Reader { file, lines: source.lines().collect(), problems };
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
                    let fix = match nearest(&name, names.into_iter()) {
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

/// A text as the encoder, which knows English, gets it: spoken form, so that "20%" and "twenty percent" are one.
pub fn spoken(text: &str) -> String {
    text::words(text, hark_language::of("en")).join(" ")
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
    fn what_is_marked_is_read_again_whatever_it_says() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("examples/marked.yaml");
        let texts = ["turn it: on", "- \"quoted\" # no comment", "yes"];
        for text in texts {
            assert_eq!(mark(&file, text, &Label::intent("HassTurnOn", None)).unwrap(), Marked::New);
        }
        mark(&file, "hm", &Label::category(Category::OutOfScope)).unwrap();
        let found = load(file.parent().unwrap()).unwrap();
        assert_eq!(found.iter().take(3).map(|example| example.text.as_str()).collect::<Vec<_>>(), texts);
        assert_eq!(found[3].label.category, Category::OutOfScope);
        assert!(load(Path::new("/nowhere")).unwrap().is_empty());
    }

    #[test]
    fn a_sentence_is_marked_once_and_the_last_meaning_counts() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("marked.yaml");
        let (on, lock) = (Label::intent("HassTurnOn", None), Label::intent("HassTurnOn", Some("lock")));
        assert_eq!(mark(&file, "Bolt the hatch!", &on).unwrap(), Marked::New);
        assert_eq!(mark(&file, "bolt the hatch", &on).unwrap(), Marked::Known);
        mark(&file, "another", &on).unwrap();
        assert_eq!(mark(&file, "bolt the hatch", &lock).unwrap(), Marked::Changed);
        let found = load(folder.path()).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((found[1].text.as_str(), &found[1].label), ("bolt the hatch", &lock));
        std::fs::write(&file, "examples: [").unwrap();
        assert!(matches!(mark(&file, "x", &on), Err(IntentError::Mistakes(_))), "nothing is written over it");
    }

    #[test]
    fn the_oldest_goes_when_there_are_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("marked.yaml");
        let on = Label::intent("HassTurnOn", None);
        let number = |n: usize| format!("sentence {}", "x".repeat(n % 40) + &format!(" {n}"));
        let items: String = (0..MAX_MARKED).map(|n| item(&number(n), &on)).collect();
        std::fs::write(&file, format!("{HEADER}{items}")).unwrap();
        assert_eq!(mark(&file, "one more", &on).unwrap(), Marked::New);
        let found = load(folder.path()).unwrap();
        assert_eq!(found.len(), MAX_MARKED);
        assert_eq!(
            (found[0].text.as_str(), found[MAX_MARKED - 1].text.as_str()),
            (number(1).as_str(), "one more")
        );
    }
}
