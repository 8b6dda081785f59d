//! The files of a folder at a moment, and what is different later.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Most files that are looked at.
const MAX_FILES: usize = 20_000;
/// Ends of names of files that are not there yet: a browser gives them their own name when they are whole.
const UNFINISHED: [&str; 5] = [".part", ".crdownload", ".download", ".tmp", "~"];

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Happened {
    Added,
    Changed,
    Removed,
}

impl Happened {
    /// As the state of the folder.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Removed => "removed",
        }
    }
}

/// Files by name: size, and time of the last change in nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Listing(BTreeMap<String, (u64, i64)>);

impl Listing {
    /// Looks at a folder. Hidden files, unfinished ones and folders within it do not count.
    pub(crate) fn of(folder: &Path) -> io::Result<Self> {
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(folder)?.flatten().take(MAX_FILES) {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_finished = !name.starts_with('.') && !UNFINISHED.iter().any(|end| name.ends_with(end));
            // Gone again by now is as if it had never been there.
            if let Some(metadata) = entry.metadata().ok().filter(|it| is_finished && !it.is_dir()) {
                let time = metadata.mtime().wrapping_mul(1_000_000_000).wrapping_add(metadata.mtime_nsec());
                files.insert(name, (metadata.len(), time));
            }
        }
        Ok(Self(files))
    }

    /// What happened until `later`, each kind once.
    pub(crate) fn until(&self, later: &Self) -> Vec<Happened> {
        let is_added = later.0.keys().any(|name| !self.0.contains_key(name));
        let is_changed = later.0.iter().any(|(name, now)| self.0.get(name).is_some_and(|was| was != now));
        let is_removed = self.0.keys().any(|name| !later.0.contains_key(name));
        let kinds =
            [(Happened::Added, is_added), (Happened::Changed, is_changed), (Happened::Removed, is_removed)];
        kinds.into_iter().filter_map(|(kind, happened)| happened.then_some(kind)).collect()
    }

    /// Takes over from `later` what is of this kind.
    pub(crate) fn follow(&mut self, kind: Happened, later: &Self) {
        match kind {
            Happened::Removed => self.0.retain(|name, _| later.0.contains_key(name)),
            Happened::Added | Happened::Changed => {
                for (name, file) in &later.0 {
                    if self.0.contains_key(name) == (kind == Happened::Changed) {
                        self.0.insert(name.clone(), *file);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_over_of_a_later_look_is_of_one_kind() {
        let listing = |files: &[(&str, u64)]| {
            Listing(files.iter().map(|(name, size)| ((*name).to_owned(), (*size, 0))).collect())
        };
        let later = listing(&[("changed", 2), ("new", 1)]);
        let mut known = listing(&[("changed", 1), ("gone", 1)]);
        known.follow(Happened::Added, &later);
        assert_eq!(known, listing(&[("changed", 1), ("gone", 1), ("new", 1)]));
        assert_eq!(known.until(&later), [Happened::Changed, Happened::Removed]);
        known.follow(Happened::Changed, &later);
        known.follow(Happened::Removed, &later);
        assert_eq!(known, later);
    }

    #[test]
    fn what_happened_is_told_once_a_kind() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a", "b"] {
            fs::write(at(name), "1").unwrap();
        }
        let before = Listing::of(folder.path()).unwrap();
        for name in ["film.mkv.part", ".hidden", "page.crdownload"] {
            fs::write(at(name), "1").unwrap();
        }
        fs::create_dir(at("inner")).unwrap();
        assert_eq!(before.until(&Listing::of(folder.path()).unwrap()), []);
        fs::write(at("a"), "22").unwrap();
        fs::remove_file(at("b")).unwrap();
        fs::rename(at("film.mkv.part"), at("film.mkv")).unwrap();
        let now = Listing::of(folder.path()).unwrap();
        assert_eq!(before.until(&now), [Happened::Added, Happened::Changed, Happened::Removed]);
        assert_eq!(now.until(&now), []);
        assert!(Listing::of(&at("no")).is_err());
    }
}
