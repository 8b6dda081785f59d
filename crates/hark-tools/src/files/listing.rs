//! What is in a folder, and files found by the pattern of their name.

use super::glob::Pattern;
use super::{FileError, Files, Place, folder, is_the_kernels, refused, step};
use rustix::fs::{AtFlags, Dir, FileType};
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Most names of one folder that are looked at.
const MAX_NAMES: usize = 20_000;
/// Most names a search looks at.
const MAX_SEARCHED: usize = 200_000;
/// How deep a search goes; as many folders are open at the same time.
const MAX_DEPTH: usize = 32;

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Its whole path.
    pub path: PathBuf,
    /// `file`, `folder`, `link` or `other`.
    pub kind: &'static str,
    /// Size of a file.
    pub bytes: Option<u64>,
    /// When it was last written, seconds since the Unix epoch.
    pub modified_unix_s: i64,
}

/// What was found, in the order of the paths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// At most as many as were asked for.
    pub seen: Vec<FileEntry>,
    /// How many there are, as far as was looked.
    pub count: usize,
    /// There are more than `seen` has, or not everything was looked at.
    pub truncated: bool,
}

impl Files {
    /// What is in a folder, by name.
    ///
    /// # Errors
    /// When it may not be read, or is no folder.
    pub fn list(&self, path: &str, most: usize) -> Result<Listing, FileError> {
        let place = self.place(path)?;
        let here = folder(&place)?;
        let (names, more) = names(&here).map_err(|errno| refused(&place, errno))?;
        let at = place.path();
        let seen: Vec<FileEntry> =
            names.iter().filter_map(|name| entry(&here, name, at.join(name))).collect();
        Ok(cut(seen, more, most))
    }

    /// Files and folders whose name fits a pattern (`*` and `?`; without these, names that have it or all its words in them), in a
    /// folder or in all that are allowed, and everything below. Hidden ones only when the pattern begins with a dot.
    ///
    /// # Errors
    /// When the folder may not be read, or is none, or the pattern is too long.
    pub fn search(&self, pattern: &str, path: Option<&str>, most: usize) -> Result<Listing, FileError> {
        let places = self.searched(path)?;
        let mut search = Search {
            pattern: Pattern::new(pattern)?,
            hidden: pattern.starts_with('.'),
            left: MAX_SEARCHED,
            found: Vec::new(),
            cut: false,
        };
        for place in &places {
            let here = folder(place)?;
            search.walk(&here, &place.path(), 0);
        }
        search.found.sort_by(|a, b| a.path.cmp(&b.path));
        search.found.dedup_by(|a, b| a.path == b.path);
        Ok(cut(search.found, search.cut, most))
    }

    /// Where is looked: the folder that was asked for, or all that are allowed.
    pub(super) fn searched(&self, path: Option<&str>) -> Result<Vec<Place>, FileError> {
        match path {
            Some(path) => Ok(vec![self.place(path)?]),
            None if self.roots.is_empty() => Err(FileError::NoRoots),
            None => {
                let place = |root: &PathBuf| Place { root: root.clone(), below: Vec::new() };
                Ok(self.roots.iter().map(place).collect())
            }
        }
    }
}

/// A walk through all files that are not hidden, below a folder.
pub(super) struct Walk {
    /// Names it may still look at.
    left: usize,
    /// Not everything was looked at.
    pub(super) is_cut: bool,
}

impl Default for Walk {
    fn default() -> Self {
        Self { left: MAX_SEARCHED, is_cut: false }
    }
}

impl Walk {
    /// Calls `visit` with each file until it answers `false`.
    ///
    /// # Errors
    /// When the folder may not be read, or is none.
    pub(super) fn files(
        &mut self,
        place: &Place,
        visit: &mut dyn FnMut(&Place) -> bool,
    ) -> Result<(), FileError> {
        let here = folder(place)?;
        self.inside(&here, place, 0, visit);
        Ok(())
    }

    fn inside(
        &mut self,
        here: &OwnedFd,
        at: &Place,
        depth: usize,
        visit: &mut dyn FnMut(&Place) -> bool,
    ) -> bool {
        let Ok((names, more)) = names(here) else { return true };
        self.is_cut |= more;
        for name in names.into_iter().filter(|name| !name.as_bytes().starts_with(b".")) {
            if self.left == 0 {
                self.is_cut = true;
                return false;
            }
            self.left -= 1;
            let below = at.below.iter().chain([&name]).cloned().collect();
            let place = Place { root: at.root.clone(), below };
            let goes_on = match entry(here, &name, PathBuf::new()).map(|seen| seen.kind) {
                Some("file") => visit(&place),
                Some("folder") if depth == MAX_DEPTH => {
                    self.is_cut = true;
                    true
                }
                Some("folder") => match step(here, &name) {
                    Ok(inner) if !is_the_kernels(&inner).unwrap_or(true) => {
                        self.inside(&inner, &place, depth + 1, visit)
                    }
                    _ => true,
                },
                _ => true,
            };
            if !goes_on {
                return false;
            }
        }
        true
    }
}

struct Search {
    pattern: Pattern,
    hidden: bool,
    /// Names it may still look at.
    left: usize,
    found: Vec<FileEntry>,
    cut: bool,
}

impl Search {
    fn walk(&mut self, here: &OwnedFd, at: &std::path::Path, depth: usize) {
        // A folder that cannot be read has nothing to show.
        let Ok((names, more)) = names(here) else { return };
        self.cut |= more;
        for name in names {
            if self.left == 0 {
                self.cut = true;
                return;
            }
            self.left -= 1;
            if !self.hidden && name.as_bytes().starts_with(b".") {
                continue;
            }
            let Some(seen) = entry(here, &name, at.join(&name)) else { continue };
            let is_folder = seen.kind == "folder";
            if self.pattern.fits(&name.to_string_lossy()) {
                self.found.push(seen);
            }
            if !is_folder {
                continue;
            }
            self.cut |= depth == MAX_DEPTH;
            if depth < MAX_DEPTH
                && let Ok(inner) = step(here, &name)
                && !is_the_kernels(&inner).unwrap_or(true)
            {
                self.walk(&inner, &at.join(&name), depth + 1);
            }
        }
    }
}

fn cut(mut seen: Vec<FileEntry>, more: bool, most: usize) -> Listing {
    let count = seen.len();
    seen.truncate(most);
    Listing { seen, count, truncated: more || count > most }
}

/// The names in a folder in their order, and whether there are more.
fn names(folder: impl AsFd) -> Result<(Vec<OsString>, bool), rustix::io::Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if matches!(name, b"." | b"..") {
            continue;
        }
        if names.len() == MAX_NAMES {
            return Ok((names, true));
        }
        names.push(OsStr::from_bytes(name).to_owned());
    }
    names.sort();
    Ok((names, false))
}

/// `None`: it has gone meanwhile.
pub(super) fn entry(folder: impl AsFd, name: &OsStr, path: PathBuf) -> Option<FileEntry> {
    let stat = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    let (kind, bytes) = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => ("file", u64::try_from(stat.st_size).ok()),
        FileType::Directory => ("folder", None),
        FileType::Symlink => ("link", None),
        _ => ("other", None),
    };
    // Its width and sign differ by system; every time there is fits.
    #[allow(clippy::unnecessary_cast)]
    let modified_unix_s = stat.st_mtime as i64;
    Some(FileEntry { path, kind, bytes, modified_unix_s })
}
