//! Files and folders as people say them: by their path, by their name with its signs spoken ("shopping dot txt"), or by words of it.

use crate::files::{FileEntry, FileError};
use crate::tools::outcome::Failure;
use crate::tools::personal::without_article;
use crate::tools::services::Services;
use hark_core::text::words_of_name;
use hark_core::tool::{error_code, reason};
use serde_json::json;
use std::path::Path;

/// Most files that are told where several could be meant.
const MAX_TOLD: usize = 5;
/// Most files that are looked at.
const MAX_FOUND: usize = 200;

/// What was meant by a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tools) struct Meant {
    /// Its path: the whole one, where it was found by its name.
    pub(in crate::tools) path: String,
    /// It is as it was said.
    pub(in crate::tools) is_exact: bool,
}

/// The file or folder that is meant, of the kind `kind` (`file` or `folder`) where one is named. What is said as a path, and is
/// none, stays as it is. May wait for the disk.
///
/// # Errors
/// When nothing or several things could be meant.
pub(in crate::tools) fn meant(services: &Services, said: &str, kind: Option<&str>) -> Result<Meant, Failure> {
    let is_right = |entry: &FileEntry| kind.is_none_or(|kind| kind == entry.kind);
    let exact = || Meant { path: said.to_owned(), is_exact: true };
    let there = match services.files.info(said) {
        Err(error @ (FileError::NoRoots | FileError::BadPath(_))) => return Err(error.into()),
        there => there.ok().flatten(),
    };
    if said.contains('/') || there.as_ref().is_some_and(is_right) {
        return Ok(exact());
    }
    let name = without_article(services, &written(said, &services.language));
    let mut found = services.files.search(&name, None, MAX_FOUND)?.seen;
    found.retain(is_right);
    // "Shopping" is `shopping.txt` and not `shopping-list.txt`, where there are both.
    let words = words_of_name(&name);
    let whole = |entry: &FileEntry| {
        let called = |name: Option<&std::ffi::OsStr>| {
            name.is_some_and(|name| words_of_name(&name.to_string_lossy()) == words)
        };
        called(entry.path.file_name()) || called(entry.path.file_stem())
    };
    if found.iter().any(whole) {
        found.retain(whole);
    }
    match &*found {
        [] if there.is_some() => Ok(exact()),
        [] => Err(Failure::new(error_code::NOT_FOUND, format!("there is no {name}"))
            .because(reason::NO_SUCH_FILE)
            .with("name", json!(name))),
        [one] => Ok(Meant { path: one.path.display().to_string(), is_exact: false }),
        several => {
            let names: Vec<String> =
                several.iter().take(MAX_TOLD).map(|entry| told(entry, several)).collect();
            let message = format!("several could be meant: {}", names.join(", "));
            Err(Failure::new(error_code::AMBIGUOUS, message)
                .because(reason::SEVERAL_PROGRAMS)
                .with("names", json!(names)))
        }
    }
}

/// A name as it is written: words for signs are these signs, with what stands beside them.
pub(super) fn written(said: &str, language: &str) -> String {
    hark_language::of(language).tools.pages.written(said)
}

/// A file as it is told beside others: by its name, and its folder where others are called alike.
fn told(entry: &FileEntry, others: &[FileEntry]) -> String {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let same = others.iter().filter(|other| name(&other.path) == name(&entry.path)).count();
    match entry.path.parent().filter(|_| same > 1) {
        Some(folder) => format!("{}/{}", name(folder), name(&entry.path)),
        None => name(&entry.path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_that_are_said_join_what_stands_beside_them() {
        assert_eq!(written("shopping dot txt", "en"), "shopping.txt");
        assert_eq!(written("Tax return dot PDF", "en"), "Tax return.PDF");
        assert_eq!(written("my dash notes underscore two", "en"), "my-notes_two");
        assert_eq!(written("einkauf punkt txt", "de"), "einkauf.txt");
        assert_eq!(written("shopping.txt", "en"), "shopping.txt");
    }
}
