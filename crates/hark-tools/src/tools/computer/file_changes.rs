//! How the changes of `filesystem.*` are taken back: only where the file is still as the change left it, so that nothing that
//! came later is lost.

use crate::files::{FileEntry, FileError, Files, Target};
use crate::tools::outcome::Failure;
use hark_core::tool::{error_code, reason};
use hark_home::undo::{FileChange, Undoable};
use serde_json::{Value, json};

/// What was at a place before a change.
pub(super) enum Before {
    Nothing,
    Text(String),
    /// No text, or more of it than is read at once.
    Unkept,
}

impl Before {
    /// What is at a path.
    pub(super) fn of(files: &Files, path: &str) -> Result<Self, FileError> {
        Ok(Self::kept(files, files.occupied(path, None)?))
    }

    /// What is where `from` comes to.
    pub(super) fn at(files: &Files, to: &str, from: &str) -> Result<Self, FileError> {
        Ok(Self::kept(files, files.occupied(to, Some(from))?))
    }

    fn kept(files: &Files, there: Option<FileEntry>) -> Self {
        let Some(there) = there else { return Self::Nothing };
        match files.read(&there.path.display().to_string(), 0) {
            Ok(read) if !read.truncated => Self::Text(read.text),
            _ => Self::Unkept,
        }
    }

    /// How a file is taken back that was written or copied to a path.
    pub(super) fn undo(self, files: &Files, path: &str) -> Undoable {
        let path = path.to_owned();
        Undoable::File(match (self, files.digest(&path)) {
            (Self::Unkept, _) | (_, Err(_)) => FileChange::Unkept { path },
            (Self::Nothing, Ok(after)) => FileChange::Made { path, after },
            (Self::Text(before), Ok(after)) => FileChange::Written { path, before, after },
        })
    }

    /// How something is taken back that was moved.
    pub(super) fn moved(self, from: String, to: &str) -> Undoable {
        let to = to.to_owned();
        Undoable::File(match self {
            Self::Unkept => FileChange::Unkept { path: to },
            Self::Nothing => FileChange::Moved { from, to, replaced: None },
            Self::Text(text) => FileChange::Moved { from, to, replaced: Some(text) },
        })
    }
}

/// How it is taken back that something was added to a file which had so many bytes; `None` when there was none.
pub(super) fn added(files: &Files, path: &str, bytes: Option<u64>) -> Undoable {
    let path = path.to_owned();
    Undoable::File(match (files.digest(&path), bytes) {
        (Err(_), _) => FileChange::Unkept { path },
        (Ok(after), None) => FileChange::Made { path, after },
        (Ok(after), Some(bytes)) => FileChange::Added { path, bytes, after },
    })
}

/// Takes a change back; answers what is undone.
///
/// # Errors
/// When the file was changed meanwhile, or what it said before was not kept.
pub(in crate::tools) fn put_back(files: &Files, change: &FileChange) -> Result<Value, Failure> {
    let is_still = |path: &str, after: &str| match files.digest(path) {
        Ok(now) if now == after => Ok(()),
        _ => Err(changed()),
    };
    let told = |what: &str, path: &str| json!({"kind": "file", "what": what, "path": path});
    Ok(match change {
        FileChange::Made { path, after } => {
            is_still(path, after)?;
            files.remove(path)?;
            told("made", path)
        }
        FileChange::Written { path, before, after } => {
            is_still(path, after)?;
            files.write(path, before, Target::Replaced)?;
            told("written", path)
        }
        FileChange::Added { path, bytes, after } => {
            is_still(path, after)?;
            files.cut(path, *bytes)?;
            told("written", path)
        }
        FileChange::Moved { from, to, replaced } => {
            // A folder of that name would take it in.
            if !matches!(files.info(from), Ok(None)) {
                return Err(changed());
            }
            files.rename(to, from, Target::New).map_err(|error| match error {
                FileError::Exists(_) | FileError::NotFound(_) => changed(),
                error => error.into(),
            })?;
            if let Some(text) = replaced {
                let put = files.write(to, text, Target::New);
                put.map_err(|error| Failure::from(error).changed(true))?;
            }
            let mut told = told("moved", from);
            told["from"] = json!(to);
            told
        }
        FileChange::Unkept { path } => {
            let failure = Failure::new(error_code::UNSUPPORTED, format!("what stood in {path} is not kept"));
            return Err(failure.because(reason::BEFORE_NOT_KEPT).with("path", json!(path)));
        }
    })
}

fn changed() -> Failure {
    Failure::new(error_code::FAILED, "the file was changed meanwhile").because(reason::CHANGED_MEANWHILE)
}
