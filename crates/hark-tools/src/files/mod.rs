//! Files the owner has allowed: those inside the folders of `tools.file_roots` may be read, those of `tools.file_write_roots`
//! written as well, and nothing else. The tools `filesystem.*`, `search.*` and `notes.*` call it.
//!
//! Every path is walked from its root folder by folder, each opened below the one before and never through a link, so
//! that neither `..` nor a link nor something that is swapped while it is walked leads out. Only ordinary files are read.

mod contents;
mod glob;
mod listing;
mod taking_back;
mod writing;

use hark_config::paths::expand;
use hark_config::tools::ToolsConfig;
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

pub use contents::{Matches, TextMatch};
pub use listing::{FileEntry, Listing};
pub use writing::{MAX_WRITTEN_CHARS, Target};

/// Longest incomplete character that cutting can leave, bytes.
const MAX_CHAR_TAIL: usize = 3;

/// Why a file is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// No folder is allowed.
    #[error("no folder may be read here")]
    NoRoots,
    /// No folder is allowed to be written to.
    #[error("no file may be written here")]
    NoWriteRoots,
    /// Not inside an allowed folder.
    #[error("{0} is outside the folders that may be read ({1})")]
    Outside(String, String),
    /// Not inside a folder that is allowed to be written to.
    #[error("{0} is outside the folders whose files may be written ({1})")]
    OutsideWritable(String, String),
    /// It is there already, and nothing is overwritten without a yes.
    #[error("there is a {0} already")]
    Exists(String),
    /// More than is kept in one file or copied at once.
    #[error("{0} would have {1} bytes, and {2} are the most")]
    TooLarge(String, u64, u64),
    /// A file or folder that would be moved or copied into itself.
    #[error("{0} is the same as, or inside of, {1}")]
    IntoItself(String, String),
    /// Not a path at all.
    #[error("“{0}” is not a path")]
    BadPath(String),
    /// A pattern of names that takes too much memory.
    #[error("“{0}…” is too long a pattern")]
    LongPattern(String),
    /// Not there.
    #[error("there is no {0}")]
    NotFound(String),
    /// A link, or a folder on the way to it is one.
    #[error("{0} is or goes through a link, and links are not followed")]
    Link(String),
    /// Something else than was asked for.
    #[error("{0} is {1}, not {2}")]
    Wrong(String, &'static str, &'static str),
    /// Not text.
    #[error("{path} is not text; it has {bytes} bytes")]
    Binary {
        /// Which.
        path: String,
        /// Its size.
        bytes: u64,
    },
    /// The system refuses.
    #[error("{0} cannot be used: {1}")]
    Refused(String, String),
}

/// A piece of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The file, as a whole path.
    pub path: PathBuf,
    /// What was read.
    pub text: String,
    /// Size of the whole file.
    pub bytes: u64,
    /// There is more after it.
    pub truncated: bool,
    /// Byte to read on at.
    pub next: u64,
}

/// The folders that may be read.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// Folders that may be read.
    roots: Vec<PathBuf>,
    /// Those of them that may be written as well.
    write_roots: Vec<PathBuf>,
    max_bytes: usize,
}

/// A path inside a root, not looked at yet.
struct Place {
    /// The root's own path.
    root: PathBuf,
    /// The folders below it, and the last name.
    below: Vec<OsString>,
}

impl Place {
    fn path(&self) -> PathBuf {
        self.below.iter().fold(self.root.clone(), |path, name| path.join(name))
    }

    fn shown(&self) -> String {
        self.path().display().to_string()
    }
}

impl Files {
    /// The folders of the configuration.
    pub fn new(config: &ToolsConfig) -> Self {
        let folders = |roots: &[String]| -> Vec<PathBuf> {
            roots.iter().map(|root| expand(root)).filter(|root| root.is_absolute()).collect()
        };
        let write_roots = folders(&config.file_write_roots);
        let mut roots = folders(&config.file_roots);
        roots.extend(write_roots.iter().cloned());
        Self { roots, write_roots, max_bytes: config.file_max_bytes as usize }
    }

    /// One folder that may be read and written.
    pub fn of_folder(folder: PathBuf, max_bytes: usize) -> Self {
        Self { roots: vec![folder.clone()], write_roots: vec![folder], max_bytes }
    }

    /// Whether any folder is allowed.
    pub fn is_open(&self) -> bool {
        !self.roots.is_empty()
    }

    /// Whether any folder is allowed to be written to.
    pub fn is_writable(&self) -> bool {
        !self.write_roots.is_empty()
    }

    /// The first of the folders.
    pub fn first_root(&self) -> Option<&Path> {
        self.roots.first().map(PathBuf::as_path)
    }

    /// Reads text from byte `from` on, as much as is read at once.
    ///
    /// # Errors
    /// When it may not be read, or is no ordinary file of UTF-8 text.
    pub fn read(&self, path: &str, from: u64) -> Result<Text, FileError> {
        let place = self.place(path)?;
        let (mut file, bytes) = ordinary(&place)?;
        let io = |error: std::io::Error| FileError::Refused(place.shown(), error.to_string());
        file.seek(SeekFrom::Start(from)).map_err(io)?;
        let mut read = Vec::new();
        file.take(self.max_bytes as u64 + 1).read_to_end(&mut read).map_err(io)?;
        let truncated = read.len() > self.max_bytes;
        read.truncate(self.max_bytes);
        // Cutting may go through the middle of a character, at either end.
        let middle = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
        let start = if from == 0 { 0 } else { read.iter().take_while(middle).count().min(MAX_CHAR_TAIL) };
        let text = text(&read[start..], truncated);
        let text = text.ok_or_else(|| FileError::Binary { path: place.shown(), bytes })?;
        let next = from + (start + text.len()) as u64;
        Ok(Text { path: place.path(), text, bytes, truncated, next })
    }

    /// The place a path means.
    fn place(&self, asked: &str) -> Result<Place, FileError> {
        let outside = || FileError::Outside(asked.to_owned(), shown(&self.roots));
        place_in(&self.roots, asked, FileError::NoRoots)?.ok_or_else(outside)
    }

    /// The same for what is to be changed.
    fn writable(&self, asked: &str) -> Result<Place, FileError> {
        let outside = || FileError::OutsideWritable(asked.to_owned(), shown(&self.write_roots));
        place_in(&self.write_roots, asked, FileError::NoWriteRoots)?.ok_or_else(outside)
    }
}

/// The place a path means; `None` when it is in none of the folders. A relative one is meant from the first of them that has
/// something of that name, else from the first.
fn place_in(roots: &[PathBuf], asked: &str, closed: FileError) -> Result<Option<Place>, FileError> {
    let first = roots.first().ok_or(closed)?;
    let is_there = |place: &Place| writing::entry_of(place).is_ok_and(|entry| entry.is_some());
    for root in roots {
        if let Some(place) = within(roots, root, asked)?.filter(is_there) {
            return Ok(Some(place));
        }
    }
    within(roots, first, asked)
}

fn shown(roots: &[PathBuf]) -> String {
    let roots: Vec<String> = roots.iter().map(|root| root.display().to_string()).collect();
    roots.join(", ")
}

/// The place in one of the folders; `None` when it is in none.
fn within(roots: &[PathBuf], first: &Path, asked: &str) -> Result<Option<Place>, FileError> {
    let asked = asked.trim_end_matches('\n');
    if asked.is_empty() || asked.contains('\0') {
        return Err(FileError::BadPath(asked.replace('\0', "\\0")));
    }
    let home = if asked == "~" { expand("~/") } else { expand(asked) };
    let Some(path) = lexically(&first.join(home)) else { return Ok(None) };
    let within = |root: &PathBuf| {
        // A root may be given by way of a link; its files are known by either path.
        let real = root.canonicalize().unwrap_or_else(|_| root.clone());
        let below = path.strip_prefix(root).or_else(|_| path.strip_prefix(&real)).ok()?;
        let below = below.components().map(|part| part.as_os_str().to_owned()).collect();
        Some(Place { root: root.clone(), below })
    };
    Ok(roots.iter().filter_map(within).min_by_key(|place| place.below.len()))
}

/// The path without `.` and `..`; `None` when that leads above everything.
fn lexically(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop().then_some(())?;
            }
            part => plain.push(part),
        }
    }
    Some(plain)
}

/// Text of what was read; `None` when it is something else. `cut`: its last character may be incomplete.
fn text(read: &[u8], cut: bool) -> Option<String> {
    if read.contains(&0) {
        return None;
    }
    match std::str::from_utf8(read) {
        Ok(text) => Some(text.to_owned()),
        Err(error) if cut && error.error_len().is_none() => {
            std::str::from_utf8(&read[..error.valid_up_to()]).ok().map(str::to_owned)
        }
        Err(_) => None,
    }
}

/// Opens an ordinary file; answers its size too.
fn ordinary(place: &Place) -> Result<(File, u64), FileError> {
    let Some((name, folders)) = place.below.split_last() else {
        return Err(FileError::Wrong(place.shown(), "a folder", "a file"));
    };
    let folder = descend(place, folders)?;
    // Looked at before it is opened: opening a device can already do something.
    let before = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .map_err(|errno| refused(place, errno))?;
    expect(place, FileType::from_raw_mode(before.st_mode), FileType::RegularFile)?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file =
        rustix::fs::openat(&folder, name, flags, Mode::empty()).map_err(|errno| refused(place, errno))?;
    let now = rustix::fs::fstat(&file).map_err(|errno| refused(place, errno))?;
    expect(place, FileType::from_raw_mode(now.st_mode), FileType::RegularFile)?;
    on_a_disk(place, &file)?;
    Ok((File::from(file), u64::try_from(now.st_size).unwrap_or(0)))
}

/// Opens a folder.
fn folder(place: &Place) -> Result<OwnedFd, FileError> {
    let folder = descend(place, &place.below)?;
    on_a_disk(place, &folder)?;
    Ok(folder)
}

/// Walks from the root down, each folder opened below the one before and never through a link.
fn descend(place: &Place, folders: &[OsString]) -> Result<OwnedFd, FileError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = place.root.as_path();
    let mut at = rustix::fs::open(root, flags, Mode::empty()).map_err(|errno| refused(place, errno))?;
    for name in folders {
        at = step(&at, name).map_err(|errno| match errno {
            // What is not a folder may be a link to one.
            Errno::NOTDIR | Errno::LOOP => match kind_of(&at, name) {
                Some(FileType::Symlink) => FileError::Link(place.shown()),
                Some(kind) => FileError::Wrong(place.shown(), kind_name(kind), "a folder"),
                None => FileError::NotFound(place.shown()),
            },
            errno => refused(place, errno),
        })?;
    }
    Ok(at)
}

/// Opens a folder by its name in another.
fn step(at: impl AsFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(at, name, flags, Mode::empty())
}

fn kind_of(at: impl AsFd, name: &OsStr) -> Option<FileType> {
    let stat = rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(FileType::from_raw_mode(stat.st_mode))
}

fn expect(place: &Place, found: FileType, wanted: FileType) -> Result<(), FileError> {
    match found {
        kind if kind == wanted => Ok(()),
        FileType::Symlink => Err(FileError::Link(place.shown())),
        kind => Err(FileError::Wrong(place.shown(), kind_name(kind), kind_name(wanted))),
    }
}

fn on_a_disk(place: &Place, file: impl AsFd) -> Result<(), FileError> {
    match is_the_kernels(file).map_err(|errno| refused(place, errno))? {
        true => Err(FileError::Wrong(place.shown(), "a file of the kernel", "a file on a disk")),
        false => Ok(()),
    }
}

/// Whether it is in one of the kernel's own file systems, which hold ordinary files in name only.
#[cfg(target_os = "linux")]
fn is_the_kernels(file: impl AsFd) -> Result<bool, Errno> {
    /// procfs, sysfs, debugfs, tracefs, cgroup2, securityfs (linux/magic.h).
    const KERNEL: [u32; 6] = [0x9fa0, 0x6265_6572, 0x6462_6720, 0x7472_6163, 0x6367_7270, 0x7363_6673];
    // Its width differs by machine; the magic numbers fit into 32 bits on all of them.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let kind = rustix::fs::fstatfs(file)?.f_type as u32;
    Ok(KERNEL.contains(&kind))
}

#[cfg(not(target_os = "linux"))]
fn is_the_kernels(_file: impl AsFd) -> Result<bool, Errno> {
    Ok(false)
}

fn refused(place: &Place, errno: Errno) -> FileError {
    match errno {
        Errno::NOENT => FileError::NotFound(place.shown()),
        Errno::LOOP => FileError::Link(place.shown()),
        Errno::NOTDIR => FileError::Wrong(place.shown(), "a file", "a folder"),
        Errno::EXIST => FileError::Exists(place.shown()),
        errno => FileError::Refused(place.shown(), errno.to_string()),
    }
}

fn kind_name(kind: FileType) -> &'static str {
    match kind {
        FileType::RegularFile => "a file",
        FileType::Directory => "a folder",
        FileType::Symlink => "a link",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Unknown => "something unknown",
    }
}

#[cfg(test)]
mod tests;
