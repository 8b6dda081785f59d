//! Changing files: written, added to, moved and copied, inside the folders of `tools.file_write_roots` only, and never through
//! a link. What is there already is replaced only where the caller says so, who has asked a person.

use super::{FileEntry, FileError, Files, Place, descend, listing, on_a_disk, ordinary, refused};
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;

/// Longest text that is written at once, characters.
pub const MAX_WRITTEN_CHARS: usize = 256 * 1024;
/// Most bytes that a file has after something was added to it.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;
/// Most bytes of a file that is copied.
const MAX_COPIED_BYTES: u64 = 256 * 1024 * 1024;
/// What a new file may: its owner reads and writes.
const FILE_MODE: u32 = 0o600;
/// Names that a file that is being written may have until it is whole.
const TRIES: u32 = 8;

/// A file that is to be written, moved or copied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// There must be none yet.
    New,
    /// What is there is replaced, as a person has said yes to.
    Replaced,
}

impl Files {
    /// What a path leads to, without reading it; `None` when there is nothing.
    ///
    /// # Errors
    /// When it is outside, or a folder on the way is a link or none.
    pub fn info(&self, path: &str) -> Result<Option<FileEntry>, FileError> {
        entry_of(&self.place(path)?)
    }

    /// What is already there where a file is to be put; `None` when nothing is. A folder: the file is put into it, under the
    /// name of `from`.
    ///
    /// # Errors
    /// When nothing may be written there.
    pub fn occupied(&self, path: &str, from: Option<&str>) -> Result<Option<FileEntry>, FileError> {
        let place = self.writable(path)?;
        match from {
            Some(from) => entry_of(&into_folder(place, &self.place(from)?)?),
            None => entry_of(&place),
        }
    }

    /// Writes a whole file; answers it. A file that is replaced is so at once or not at all.
    ///
    /// # Errors
    /// When it may not be written, is there already, or is no file.
    pub fn write(&self, path: &str, text: &str, target: Target) -> Result<FileEntry, FileError> {
        let place = self.writable(path)?;
        let (folder, name) = parent(&place)?;
        must_be_a_file(entry_of(&place)?)?;
        put(&place, &folder, name, &mut text.as_bytes(), target)
    }

    /// Adds to the end of a file, which is made when there is none; answers it.
    ///
    /// # Errors
    /// When it may not be written, is no file, or would become too large.
    pub fn append(&self, path: &str, text: &str) -> Result<FileEntry, FileError> {
        let place = self.writable(path)?;
        let (folder, name) = parent(&place)?;
        must_be_a_file(entry_of(&place)?)?;
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let flags = flags | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&folder, name, flags, Mode::from_raw_mode(FILE_MODE))
            .map_err(|errno| refused(&place, errno))?;
        let mut file = File::from(file);
        let io = |error: std::io::Error| FileError::Refused(place.shown(), error.to_string());
        let metadata = file.metadata().map_err(io)?;
        if !metadata.is_file() {
            return Err(FileError::Wrong(place.shown(), "something else", "a file"));
        }
        on_a_disk(&place, &file)?;
        let bytes = metadata.len() + text.len() as u64;
        if bytes > MAX_FILE_BYTES {
            return Err(FileError::TooLarge(place.shown(), bytes, MAX_FILE_BYTES));
        }
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(io)?;
        there(&place)
    }

    /// Moves a file or folder, within one disk; answers it at its new place.
    ///
    /// # Errors
    /// When one of both may not be changed, there is something already, or it is another disk.
    pub fn rename(&self, from: &str, to: &str, target: Target) -> Result<FileEntry, FileError> {
        let source = self.writable(from)?;
        let goal = into_folder(self.writable(to)?, &source)?;
        if goal.path().starts_with(source.path()) {
            return Err(FileError::IntoItself(goal.shown(), source.shown()));
        }
        let (from_folder, from_name) = parent(&source)?;
        let (to_folder, to_name) = parent(&goal)?;
        let moved = entry_of(&source)?.ok_or_else(|| FileError::NotFound(source.shown()))?;
        if !matches!(moved.kind, "file" | "folder") {
            return Err(FileError::Link(source.shown()));
        }
        on_a_disk(&source, &from_folder)?;
        on_a_disk(&goal, &to_folder)?;
        let flags = match target {
            Target::New => RenameFlags::NOREPLACE,
            Target::Replaced => {
                must_be_a_file(entry_of(&goal)?)?;
                RenameFlags::empty()
            }
        };
        rustix::fs::renameat_with(&from_folder, from_name, &to_folder, to_name, flags).map_err(|errno| {
            match errno {
                Errno::XDEV => FileError::Refused(goal.shown(), "it is on another disk; copy it".to_owned()),
                errno => refused(&goal, errno),
            }
        })?;
        there(&goal)
    }

    /// Copies a file; answers the copy.
    ///
    /// # Errors
    /// When it may not be read or written there, is no file or too large, or there is something already.
    pub fn copy(&self, from: &str, to: &str, target: Target) -> Result<FileEntry, FileError> {
        let source = self.place(from)?;
        let goal = into_folder(self.writable(to)?, &source)?;
        if goal.path() == source.path() {
            return Err(FileError::IntoItself(goal.shown(), source.shown()));
        }
        let (file, bytes) = ordinary(&source)?;
        if bytes > MAX_COPIED_BYTES {
            return Err(FileError::TooLarge(goal.shown(), bytes, MAX_COPIED_BYTES));
        }
        let (folder, name) = parent(&goal)?;
        must_be_a_file(entry_of(&goal)?)?;
        put(&goal, &folder, name, &mut file.take(MAX_COPIED_BYTES), target)
    }
}

/// Writes under another name first, so that a file is whole or not there.
fn put(
    place: &Place,
    folder: &OwnedFd,
    name: &OsStr,
    from: &mut impl Read,
    target: Target,
) -> Result<FileEntry, FileError> {
    on_a_disk(place, folder)?;
    let (unfinished, mut file) = unfinished(place, folder)?;
    let written = std::io::copy(from, &mut file).and_then(|_| file.sync_all());
    let flags = match target {
        Target::New => RenameFlags::NOREPLACE,
        Target::Replaced => RenameFlags::empty(),
    };
    let put = written.map_err(|error| FileError::Refused(place.shown(), error.to_string())).and_then(|()| {
        rustix::fs::renameat_with(folder, &unfinished, folder, name, flags)
            .map_err(|errno| refused(place, errno))
    });
    if put.is_err() {
        // It is only the unfinished one; that it cannot be removed changes nothing about the error.
        let _ = rustix::fs::unlinkat(folder, &unfinished, AtFlags::empty());
    }
    put?;
    there(place)
}

/// A folder as the target of a move or copy means a place in it.
fn into_folder(place: Place, source: &Place) -> Result<Place, FileError> {
    let is_folder = entry_of(&place)?.is_some_and(|entry| entry.kind == "folder");
    match source.below.last().filter(|_| is_folder) {
        Some(name) => {
            let below = place.below.iter().chain([name]).cloned().collect();
            Ok(Place { root: place.root, below })
        }
        None => Ok(place),
    }
}

/// What is at a place; `None` when nothing is.
///
/// # Errors
/// When a folder on the way is a link or none.
pub(super) fn entry_of(place: &Place) -> Result<Option<FileEntry>, FileError> {
    let Some((name, folders)) = place.below.split_last() else {
        let folder = descend(place, &[])?;
        return Ok(listing::entry(&folder, OsStr::new("."), place.path()));
    };
    let folder = descend(place, folders)?;
    Ok(listing::entry(&folder, name, place.path()))
}

/// What was just written, as it is now.
fn there(place: &Place) -> Result<FileEntry, FileError> {
    entry_of(place)?.ok_or_else(|| FileError::NotFound(place.shown()))
}

/// The folder that a file stands in, opened, and its name.
pub(super) fn parent(place: &Place) -> Result<(OwnedFd, &OsString), FileError> {
    let Some((name, folders)) = place.below.split_last() else {
        return Err(FileError::Wrong(place.shown(), "a folder that is allowed as a whole", "a file"));
    };
    Ok((descend(place, folders)?, name))
}

/// A new file of a name that no other has.
fn unfinished(place: &Place, folder: &OwnedFd) -> Result<(OsString, File), FileError> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for _ in 0..TRIES {
        let name = OsString::from(format!(".hark-{}.part", uuid::Uuid::new_v4()));
        match rustix::fs::openat(folder, &name, flags, Mode::from_raw_mode(FILE_MODE)) {
            Ok(file) => return Ok((name, File::from(file))),
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(refused(place, errno)),
        }
    }
    Err(refused(place, Errno::EXIST))
}

/// Only ordinary files are replaced or added to.
fn must_be_a_file(there: Option<FileEntry>) -> Result<(), FileError> {
    let Some(there) = there.filter(|there| there.kind != "file") else { return Ok(()) };
    let path = there.path.display().to_string();
    match there.kind {
        "link" => Err(FileError::Link(path)),
        "folder" => Err(FileError::Wrong(path, "a folder", "a file")),
        _ => Err(FileError::Wrong(path, "something else", "a file")),
    }
}

#[cfg(test)]
#[path = "writing_tests.rs"]
mod tests;
