//! What words mean: dictionaries on this machine, one for a language. A dictionary is a gzip file with a word a line:
//! the word, a tab, and its meanings with ` | ` between them (parts `dictionary_<language>` of `models/manifest.toml`).
//! It is read through for each question (tens of milliseconds), so that it takes no memory between them.

use flate2::read::GzDecoder;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::sync::Arc;

/// Longest line that is looked at, bytes; longer ones are damaged.
const MAX_LINE_BYTES: u64 = 64 * 1024;

/// Why a meaning cannot be looked up.
#[derive(Debug, thiserror::Error)]
pub enum DictionaryError {
    /// There is one for this language, and it is not on this machine.
    #[error("the dictionary is not on this machine: `hark models pull dictionary_{language}` brings it")]
    Missing {
        /// ISO 639-1 code.
        language: String,
    },
    /// Hark knows of none for this language.
    #[error("there is no dictionary for this language")]
    NoneFor {
        /// ISO 639-1 code.
        language: String,
    },
    /// It cannot be read.
    #[error("the dictionary cannot be read: {source}")]
    Unreadable {
        /// Why not.
        #[from]
        source: std::io::Error,
    },
}

/// Where the dictionary of a language is; asked each time, since it may be brought while the program runs.
type Locate = Arc<dyn Fn(&str) -> Result<PathBuf, DictionaryError> + Send + Sync>;

/// The dictionaries of this machine.
#[derive(Clone)]
pub struct Dictionaries(Locate);

impl Default for Dictionaries {
    fn default() -> Self {
        Self::new(|language| Err(DictionaryError::NoneFor { language: language.to_owned() }))
    }
}

impl Dictionaries {
    /// Those that `locate` finds by ISO 639-1 codes.
    pub fn new(locate: impl Fn(&str) -> Result<PathBuf, DictionaryError> + Send + Sync + 'static) -> Self {
        Self(Arc::new(locate))
    }

    /// The dictionary of a language.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(&self, language: &str) -> Result<Dictionary, DictionaryError> {
        (self.0)(language).map(Dictionary)
    }
}

/// A dictionary.
#[derive(Debug)]
pub struct Dictionary(PathBuf);

/// A word with its meanings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// As the dictionary writes it.
    pub word: String,
    /// The usual one first; at least one.
    pub meanings: Vec<String>,
}

impl Dictionary {
    /// The entry of a word; of several that differ in capitals only, the one that is written as asked. Blocks on the disk.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn look_up(&self, word: &str) -> Result<Option<Entry>, DictionaryError> {
        let wanted = word.trim().to_lowercase();
        let mut lines = BufReader::new(GzDecoder::new(BufReader::new(File::open(&self.0)?)));
        let (mut line, mut found) = (Vec::new(), None);
        loop {
            line.clear();
            if std::io::Read::take(&mut lines, MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
                return Ok(found);
            }
            let Some(entry) = entry(&line, &wanted) else { continue };
            if entry.word == word.trim() {
                return Ok(Some(entry));
            }
            found.get_or_insert(entry);
        }
    }
}

/// The entry of a line, if it is that of a word in lower case.
fn entry(line: &[u8], wanted: &str) -> Option<Entry> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    // Lower case may have other lengths in a few letters, never many more.
    if tab.abs_diff(wanted.len()) > 8 {
        return None;
    }
    let word = std::str::from_utf8(line.get(..tab)?).ok()?;
    if word.to_lowercase() != wanted {
        return None;
    }
    let meanings = std::str::from_utf8(line.get(tab + 1..)?).ok()?.trim_end();
    let meanings: Vec<String> =
        meanings.split(" | ").map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect();
    (!meanings.is_empty()).then(|| Entry { word: word.to_owned(), meanings })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn dictionary(text: &[u8]) -> (tempfile::TempDir, Dictionary) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("glosses.gz");
        let mut file = GzEncoder::new(File::create(&path).unwrap(), Compression::fast());
        file.write_all(text).unwrap();
        file.finish().unwrap();
        (folder, Dictionary(path))
    }

    #[test]
    fn a_word_is_found_in_any_case_and_as_it_is_written_first() {
        let text = "laufen\tgehen, schnell | fließen\nLaufen\tein Sport\nleer\t\nice cream\tfrozen\n";
        let (_folder, dictionary) = dictionary(text.as_bytes());
        let meaning = |word: &str| dictionary.look_up(word).unwrap().map(|entry| entry.meanings.join("; "));
        assert_eq!(meaning("laufen").as_deref(), Some("gehen, schnell; fließen"));
        assert_eq!(meaning("Laufen").as_deref(), Some("ein Sport"));
        assert_eq!(meaning("LAUFEN").as_deref(), Some("gehen, schnell; fließen"));
        assert_eq!(meaning(" Ice Cream ").as_deref(), Some("frozen"));
        assert_eq!(meaning("leer"), None);
        assert_eq!(meaning("cream"), None);
        assert_eq!(meaning(""), None);
    }

    #[test]
    fn damage_is_told_and_never_believed() {
        let (_folder, dictionary) = dictionary(b"no tab\n\xff\xfe\tbroken\nword\ta meaning\n");
        assert_eq!(dictionary.look_up("word").unwrap().unwrap().meanings, ["a meaning"]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("torn.gz");
        std::fs::write(&path, b"\x1f\x8b\x08\x00 this is no gzip file").unwrap();
        assert!(Dictionary(path).look_up("word").is_err());
        assert!(Dictionary(folder.path().join("none")).look_up("word").is_err());
        assert!(matches!(Dictionaries::default().find("en"), Err(DictionaryError::NoneFor { .. })));
    }
}
