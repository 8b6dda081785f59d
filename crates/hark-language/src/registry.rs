//! Which languages there are: the shipped ones, and those that were loaded from folders.

use crate::Lexicon;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, PoisonError, RwLock};

/// Code, file name and text of the shipped files.
const SHIPPED: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

/// A language and the text of its files.
struct Entry {
    lexicon: &'static Lexicon,
    files: Files,
}

type Files = BTreeMap<String, String>;
type Languages = BTreeMap<&'static str, Entry>;

static LANGUAGES: LazyLock<RwLock<Languages>> = LazyLock::new(|| RwLock::new(shipped()));

/// What a language without a folder has: no words.
static NONE: LazyLock<Lexicon> = LazyLock::new(|| Lexicon { code: "und", ..Lexicon::default() });

/// Why a language was not read.
#[derive(Debug, thiserror::Error)]
pub enum LanguageError {
    /// The folder or one of its files is not readable.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The folder or file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A file is not what it should be.
    #[error("{}: {source}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        source: Box<toml::de::Error>,
    },
}

/// The words of a language by its tag (`en`, `en-GB`, `de_AT`); no words at all for one without a folder.
pub fn of(tag: &str) -> &'static Lexicon {
    known(tag).unwrap_or(&NONE)
}

/// The words of a language by its tag, when it has a folder.
pub fn known(tag: &str) -> Option<&'static Lexicon> {
    let code = tag.trim().split(['-', '_']).next().unwrap_or_default().to_lowercase();
    LANGUAGES.read().unwrap_or_else(PoisonError::into_inner).get(code.as_str()).map(|entry| entry.lexicon)
}

/// Every language that has a folder, by code.
pub fn all() -> Vec<&'static Lexicon> {
    LANGUAGES.read().unwrap_or_else(PoisonError::into_inner).values().map(|entry| entry.lexicon).collect()
}

/// Reads every language of a folder, `<folder>/<code>/*.toml`; each takes the place of one of the same code that was
/// known before. Called once at start, before anything is understood. A folder that is not there has none.
///
/// # Errors
/// All that is wrong with the files; the languages without mistakes are taken all the same.
pub fn load(folder: &Path) -> Result<(), Vec<LanguageError>> {
    let mut errors = Vec::new();
    let read = |path: &Path, source| LanguageError::Read { path: path.to_owned(), source };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(vec![read(folder, source)]),
    };
    for entry in entries {
        let path = match entry {
            Ok(entry) => entry.path(),
            Err(source) => {
                errors.push(read(folder, source));
                continue;
            }
        };
        let Some(code) = path.file_name().and_then(|code| code.to_str()).filter(|_| path.is_dir()) else {
            continue;
        };
        let taken = files(&path).and_then(|files| take(code, &path, files));
        errors.extend(taken.err());
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The text of a language's files by their names.
fn files(folder: &Path) -> Result<Files, LanguageError> {
    let read = |path: &Path, source| LanguageError::Read { path: path.to_owned(), source };
    let mut files = Files::new();
    for entry in std::fs::read_dir(folder).map_err(|source| read(folder, source))? {
        let path = entry.map_err(|source| read(folder, source))?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let text = std::fs::read_to_string(&path).map_err(|source| read(&path, source))?;
            files.insert(path.file_name().unwrap_or_default().to_string_lossy().into_owned(), text);
        }
    }
    Ok(files)
}

/// Takes a language in, unless it is known with the same text: phrases are kept for ever.
fn take(code: &str, folder: &Path, files: Files) -> Result<(), LanguageError> {
    let code = code.to_lowercase();
    let mut languages = LANGUAGES.write().unwrap_or_else(PoisonError::into_inner);
    if files.is_empty() || languages.get(code.as_str()).is_some_and(|known| known.files == files) {
        return Ok(());
    }
    let lexicon: &'static Lexicon = Box::leak(Box::new(lexicon(code.leak(), folder, &files)?));
    languages.insert(lexicon.code, Entry { lexicon, files });
    Ok(())
}

fn lexicon(code: &'static str, folder: &Path, files: &Files) -> Result<Lexicon, LanguageError> {
    Ok(Lexicon {
        code,
        numbers: read(folder, files, "numbers.toml")?,
        time: read(folder, files, "time.toml")?,
        requests: read(folder, files, "requests.toml")?,
        discourse: read(folder, files, "discourse.toml")?,
        qualifiers: read(folder, files, "qualifiers.toml")?,
        sums: read(folder, files, "sums.toml")?,
        things: read(folder, files, "things.toml")?,
        goods: read(folder, files, "goods.toml")?,
        speech: read(folder, files, "speech.toml")?,
        steps: read(folder, files, "steps.toml")?,
        tools: read(folder, files, "tools.toml")?,
        everyday: read(folder, files, "everyday.toml")?,
        knowledge: read(folder, files, "knowledge.toml")?,
        memory: read(folder, files, "memory.toml")?,
        weather: read(folder, files, "weather.toml")?,
        reflexes: read(folder, files, "reflexes.toml")?,
        choices: read(folder, files, "choices.toml")?,
        conversation: read(folder, files, "conversation.toml")?,
        rewriting: read(folder, files, "rewriting.toml")?,
        secrets: read(folder, files, "secrets.toml")?,
        claims: read(folder, files, "claims.toml")?,
        permission: read(folder, files, "permission.toml")?,
        phonemes: read(folder, files, "phonemes.toml")?,
        setup: read(folder, files, "setup.toml")?,
    })
}

/// A file's contents; empty tables where the language does not have it.
fn read<T: DeserializeOwned + Default>(folder: &Path, files: &Files, name: &str) -> Result<T, LanguageError> {
    let Some(text) = files.get(name) else { return Ok(T::default()) };
    toml::from_str(text)
        .map_err(|source| LanguageError::Syntax { path: folder.join(name), source: Box::new(source) })
}

fn shipped() -> Languages {
    let mut texts: BTreeMap<&'static str, Files> = BTreeMap::new();
    for (code, name, text) in SHIPPED {
        texts.entry(code).or_default().insert((*name).to_owned(), (*text).to_owned());
    }
    let taken = texts.into_iter().filter_map(|(code, files)| {
        // A test reads all of them without a mistake.
        let lexicon: &'static Lexicon = Box::leak(Box::new(lexicon(code, Path::new(code), &files).ok()?));
        Some((code, Entry { lexicon, files }))
    });
    taken.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_language_has_words() {
        let folders: std::collections::BTreeSet<&str> = SHIPPED.iter().map(|(code, ..)| *code).collect();
        assert!(folders.iter().all(|code| known(code).is_some()), "{folders:?}");
        for language in folders.iter().map(|code| of(code)) {
            let has_words = !language.time.units.is_empty() && !language.numbers.below_hundred.is_empty();
            assert!(has_words, "{}", language.code);
        }
        assert!(folders.len() > 2);
        assert_eq!(of("de_AT").code, "de");
        assert_eq!(of("xx").code, "und");
    }

    #[test]
    fn a_folder_adds_a_language_and_its_mistakes_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = |code: &str, name: &str, text: &str| {
            std::fs::create_dir_all(folder.path().join(code)).unwrap();
            std::fs::write(folder.path().join(code).join(name), text).unwrap();
        };
        file("qa", "time.toml", "[units]\nminuto = \"minute\"\n");
        file("qb", "time.toml", "[units]\nminuto = \"minuet\"\n");
        file("qc", "numbers.toml", "below_hundred = [\"nul\"]\n");
        file("qd", "notes.txt", "no language");
        let errors: Vec<String> = load(folder.path()).unwrap_err().iter().map(ToString::to_string).collect();
        assert_eq!(errors.len(), 2, "{errors:?}");
        assert!(
            errors.iter().any(|error| error.contains("qb/time.toml") && error.contains("minuet")),
            "{errors:?}"
        );
        assert!(
            errors.iter().any(|error| error.contains("qc/numbers.toml") && error.contains("100 words")),
            "{errors:?}"
        );
        assert_eq!(of("qa").time.units.len(), 1);
        assert!(known("qb").is_none() && known("qd").is_none());
        assert!(load(&folder.path().join("none")).is_ok());
    }
}
