//! What a task has changed in its workspace, as the disk shows it before and after: a program's own word is not asked for it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Most files that are looked at.
const MAX_FILES: usize = 20_000;
/// Upper limit of file names that are listed as new, different or gone, each.
const MAX_NAMES: usize = 20;
/// Folders that are not looked into: what tools keep there is not the work.
const SKIPPED: [&str; 3] = [".git", "node_modules", "__pycache__"];

/// Files that were added, changed and removed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Changes {
    /// How many are new.
    pub added: usize,
    /// How many are different.
    pub changed: usize,
    /// How many are gone.
    pub removed: usize,
    /// Paths in the workspace, the first of each kind.
    pub files: Vec<String>,
}

impl Changes {
    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.added + self.changed + self.removed == 0
    }
}

/// The files of a folder at a moment: size and time of the last change in nanoseconds, by path.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Snapshot(BTreeMap<String, (u64, i128)>);

impl Snapshot {
    /// Looks at a folder; links are not followed.
    pub(crate) fn of(folder: &Path) -> Self {
        let mut files = BTreeMap::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(at) = folders.pop() {
            for entry in fs::read_dir(at).into_iter().flatten().flatten() {
                // Not followed: it tells of a link as a link.
                let Ok(metadata) = entry.metadata() else { continue };
                let path = entry.path();
                if metadata.is_dir() {
                    let is_skipped = SKIPPED.iter().any(|skipped| entry.file_name() == *skipped);
                    folders.extend((!is_skipped).then_some(path));
                } else if let Ok(inner) = path.strip_prefix(folder)
                    && files.len() < MAX_FILES
                {
                    let time =
                        i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
                    files.insert(inner.to_string_lossy().into_owned(), (metadata.len(), time));
                }
            }
        }
        Self(files)
    }

    /// What is different in `later`.
    pub(crate) fn changes(&self, later: &Self) -> Changes {
        let added = later.0.keys().filter(|path| !self.0.contains_key(*path));
        let changed = later.0.iter().filter(|(path, now)| self.0.get(*path).is_some_and(|was| was != *now));
        let changed = changed.map(|(path, _)| path);
        let removed = self.0.keys().filter(|path| !later.0.contains_key(*path));
        let (added, changed, removed): (Vec<_>, Vec<_>, Vec<_>) =
            (added.collect(), changed.collect(), removed.collect());
        let named = [&added, &changed, &removed];
        let files = named.iter().flat_map(|kind| kind.iter().take(MAX_NAMES).map(|path| (*path).clone()));
        Changes { files: files.collect(), added: added.len(), changed: changed.len(), removed: removed.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_different_is_seen_on_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("src")).unwrap();
        fs::create_dir_all(at(".git")).unwrap();
        for name in ["keep", "old", "src/a.rs"] {
            fs::write(at(name), "1").unwrap();
        }
        let before = Snapshot::of(folder.path());
        fs::write(at("src/a.rs"), "22").unwrap();
        fs::write(at("src/b.rs"), "1").unwrap();
        fs::write(at(".git/index"), "1").unwrap();
        fs::remove_file(at("old")).unwrap();
        let changes = before.changes(&Snapshot::of(folder.path()));
        assert_eq!((changes.added, changes.changed, changes.removed), (1, 1, 1));
        assert_eq!(changes.files, ["src/b.rs", "src/a.rs", "old"]);
        assert!(before.changes(&before).is_empty());
    }
}
