//! Which languages there are: the shipped ones, and those that were loaded from folders.

use crate::Lexicon;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, PoisonError, RwLock};

/// Code, file name and text of the shipped files.
const SHIPPED: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

type Languages = BTreeMap<&'static str, &'static Lexicon>;

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
    LANGUAGES.read().unwrap_or_else(PoisonError::into_inner).get(code.as_str()).copied()
}

/// Every language that has a folder, by code.
pub fn all() -> Vec<&'static Lexicon> {
    LANGUAGES.read().unwrap_or_else(PoisonError::into_inner).values().copied().collect()
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
        let text = |name: &str| match std::fs::read_to_string(path.join(name)) {
            Ok(text) => Ok(Some(text)),
            Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(read(&path.join(name), source)),
        };
        match language(code.to_lowercase().leak(), &path, text) {
            Ok(Some(language)) => {
                let mut known = LANGUAGES.write().unwrap_or_else(PoisonError::into_inner);
                known.insert(language.code, Box::leak(Box::new(language)));
            }
            Ok(None) => {}
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The files of a language together; `None` when it has none of them.
fn language(
    code: &'static str,
    folder: &Path,
    text: impl Fn(&str) -> Result<Option<String>, LanguageError>,
) -> Result<Option<Lexicon>, LanguageError> {
    let files = Files { folder, text: &text, found: std::cell::Cell::new(false) };
    let language = Lexicon {
        code,
        numbers: files.read("numbers.toml")?,
        time: files.read("time.toml")?,
        requests: files.read("requests.toml")?,
        discourse: files.read("discourse.toml")?,
        qualifiers: files.read("qualifiers.toml")?,
        sums: files.read("sums.toml")?,
        things: files.read("things.toml")?,
        reflexes: files.read("reflexes.toml")?,
        choices: files.read("choices.toml")?,
        conversation: files.read("conversation.toml")?,
        rewriting: files.read("rewriting.toml")?,
        secrets: files.read("secrets.toml")?,
        claims: files.read("claims.toml")?,
        permission: files.read("permission.toml")?,
    };
    Ok(files.found.get().then_some(language))
}

struct Files<'a> {
    folder: &'a Path,
    text: &'a dyn Fn(&str) -> Result<Option<String>, LanguageError>,
    found: std::cell::Cell<bool>,
}

impl Files<'_> {
    fn read<T: DeserializeOwned + Default>(&self, name: &str) -> Result<T, LanguageError> {
        let Some(text) = (self.text)(name)? else { return Ok(T::default()) };
        self.found.set(true);
        toml::from_str(&text).map_err(|source| LanguageError::Syntax {
            path: self.folder.join(name),
            source: Box::new(source),
        })
    }
}

fn shipped() -> Languages {
    let mut languages = Languages::new();
    for (code, ..) in SHIPPED {
        if languages.contains_key(code) {
            continue;
        }
        let text = |name: &str| {
            let file = SHIPPED.iter().find(|(of, file, _)| of == code && *file == name);
            Ok(file.map(|(_, _, text)| (*text).to_owned()))
        };
        // A test reads all of them without a mistake.
        if let Ok(Some(language)) = language(code, Path::new(code), text) {
            languages.insert(code, Box::leak(Box::new(language)));
        }
    }
    languages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_language_has_words() {
        for language in all() {
            assert!(
                !language.time.units.is_empty() && !language.numbers.below_hundred.is_empty(),
                "{}",
                language.code
            );
            assert_eq!(of(language.code).code, language.code);
        }
        assert!(all().len() > 1);
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
