//! `filesystem.*`: what is in files and folders the owner has allowed, and changes to those that may be written. What is there
//! already is replaced only after a yes.

use super::file_changes::{self, Before};
use super::said::{Meant, meant, written};
use crate::files::{FileEntry, FileError, Files, Listing, Target};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, blocking, blocking_work};
use crate::tools::personal::when_fields;
use crate::tools::services::Services;
use chrono::DateTime;
use hark_core::calendar::When;
use hark_core::tool::{
    error_code,
    reason::{self, Part},
};
use hark_home::permission_gate::{Danger, OVERWRITE};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

const FILE: &str = "file";
const FOLDER: &str = "folder";
/// Default number of entries.
const USUAL_ENTRIES: usize = 100;

/// Whether any folder is allowed.
pub fn ready(services: &Services) -> Result<(), Failure> {
    if services.files.is_open() { Ok(()) } else { Err(FileError::NoRoots.into()) }
}

/// Whether any folder may be written to.
pub fn writable(services: &Services) -> Result<(), Failure> {
    if services.files.is_writable() { Ok(()) } else { Err(FileError::NoWriteRoots.into()) }
}

/// `filesystem.write`.
pub fn write(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (path, text) = (args.owned("path").unwrap_or_default(), args.owned("text").unwrap_or_default());
    let there = services.files.occupied(&path, None)?;
    changing(services, there, move |files, target| {
        let before = Before::of(files, &path)?;
        let written = files.write(&path, &text, target)?;
        let path = written.path.display().to_string();
        let undo = before.undo(files, &path);
        Ok(Outcome::new(true, json!({"path": path, "bytes": written.bytes})).undone_by(undo))
    })
}

/// `filesystem.append`.
pub fn append(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (files, path) = (services.files.clone(), args.owned("path").unwrap_or_default());
    let text = args.owned("text").unwrap_or_default();
    Ok(blocking(move || {
        let before = files.occupied(&path, None)?;
        let written = files.append(&path, &text)?;
        let path = written.path.display().to_string();
        let undo = file_changes::added(&files, &path, before.and_then(|before| before.bytes));
        Ok(Outcome::new(true, json!({"path": path, "bytes": written.bytes})).undone_by(undo))
    }))
}

/// `filesystem.move`.
pub fn rename(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    to_another_place(services, args, None, |files, from, to, target| {
        let before = Before::at(files, to, from)?;
        let source = files.occupied(from, None)?.map(|there| there.path.display().to_string());
        let moved = files.rename(from, to, target)?;
        let path = moved.path.display().to_string();
        let undo = before.moved(source.unwrap_or_else(|| from.to_owned()), &path);
        Ok(Outcome::new(true, json!({"from": from, "path": path})).undone_by(undo))
    })
}

/// `filesystem.copy`.
pub fn copy(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    to_another_place(services, args, Some(FILE), |files, from, to, target| {
        let before = Before::at(files, to, from)?;
        let copied = files.copy(from, to, target)?;
        let path = copied.path.display().to_string();
        let undo = before.undo(files, &path);
        Ok(Outcome::new(true, json!({"from": from, "path": path, "bytes": copied.bytes})).undone_by(undo))
    })
}

/// A file or folder that comes to another place: `to`, or into the `folder` that is named.
fn to_another_place(
    services: &Arc<Services>,
    args: &Args,
    kind: Option<&'static str>,
    change: fn(&Files, &str, &str, Target) -> Result<Outcome, FileError>,
) -> Result<Prepared, Failure> {
    let (services, from) = (Arc::clone(services), args.owned("from").unwrap_or_default());
    let (to, folder) = (args.owned("to"), args.owned("folder"));
    if to.is_some() == folder.is_some() {
        return Err(Failure::wrong_call("to", "it needs either `to` or `folder`"));
    }
    Ok(blocking_look(move || {
        let from = meant(&services, &from, kind)?;
        let to = match (to, folder) {
            (Some(to), _) => goal(&services, &from, &to),
            (None, folder) => meant(&services, &folder.unwrap_or_default(), Some(FOLDER))?.path,
        };
        let there = services.files.occupied(&to, Some(&from.path))?;
        changing(&services, there, move |files, target| change(files, &from.path, &to, target))
    }))
}

/// Where something comes that gets a name. What was called by words of its own name stays in its folder, and keeps its ending where
/// none is said.
fn goal(services: &Services, from: &Meant, to: &str) -> String {
    if from.is_exact || to.contains('/') {
        return to.to_owned();
    }
    let (old, mut name) = (Path::new(&from.path), written(to, &services.language));
    if let (None, Some(ending)) = (Path::new(&name).extension(), old.extension()) {
        name = format!("{name}.{}", ending.to_string_lossy());
    }
    old.with_file_name(name).display().to_string()
}

/// A look that may wait for the disk.
fn blocking_look(look: impl FnOnce() -> Result<Prepared, Failure> + Send + 'static) -> Prepared {
    Prepared::Look(Box::pin(async move {
        let looked = tokio::task::spawn_blocking(look).await;
        looked.unwrap_or_else(|error| Err(Failure::new(error_code::FAILED, error.to_string())))
    }))
}

/// A change that passes the gate where it would replace a file.
fn changing(
    services: &Services,
    there: Option<FileEntry>,
    change: impl FnOnce(&Files, Target) -> Result<Outcome, FileError> + Send + 'static,
) -> Result<Prepared, Failure> {
    let files = services.files.clone();
    let target = if there.is_some() { Target::Replaced } else { Target::New };
    let work = blocking_work(move || Ok(change(&files, target)?));
    let danger = there.map(|there| {
        let path = there.path.display().to_string();
        let name = format!("file {path}");
        Danger::new(OVERWRITE, &path, name).told("file", json!({"path": path}))
    });
    Ok(Prepared::work(danger, work))
}

/// `filesystem.info`.
pub fn info(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (services, said) = (Arc::clone(services), args.owned("path").unwrap_or_default());
    Ok(blocking(move || {
        let path = meant(&services, &said, None)?.path;
        let there = services.files.info(&path)?.ok_or(FileError::NotFound(path))?;
        let mut detail = entry(&there, "path", there.path.display().to_string());
        let changed = services.timers.zone().wall(there.modified_unix_s.saturating_mul(1000));
        let now = (services.clock)().naive_local();
        detail["changed"] = json!(when_fields(&When::Moment(changed), now));
        Ok(Outcome::answer(detail))
    }))
}

/// `filesystem.read`.
pub fn read(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (services, said) = (Arc::clone(services), args.owned("path").unwrap_or_default());
    let from: u64 = args.integer("offset").unwrap_or(0);
    Ok(blocking(move || {
        let read = services.files.read(&meant(&services, &said, Some(FILE))?.path, from)?;
        let mut detail = json!({
            "path": read.path.display().to_string(), "text": read.text, "bytes": read.bytes,
            "truncated": read.truncated,
        });
        if read.truncated {
            detail["next_offset"] = json!(read.next);
        }
        Ok(Outcome::answer(detail))
    }))
}

/// `filesystem.list`.
pub fn list(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (services, said) = (Arc::clone(services), args.owned("path").unwrap_or_else(|| ".".into()));
    let most = args.integer("limit").unwrap_or(USUAL_ENTRIES);
    Ok(blocking(move || {
        let listing = services.files.list(&meant(&services, &said, Some(FOLDER))?.path, most)?;
        let name = |seen: &FileEntry| seen.path.file_name().map(|name| name.to_string_lossy().into_owned());
        let entries: Vec<Value> =
            listing.seen.iter().map(|seen| entry(seen, "name", name(seen).unwrap_or_default())).collect();
        Ok(Outcome::answer(told(&listing, "entries", entries)))
    }))
}

/// A thing that was found, under the name that tells it best.
pub fn entry(seen: &FileEntry, key: &str, name: String) -> Value {
    let mut entry = json!({key: name, "kind": seen.kind});
    if let Some(bytes) = seen.bytes {
        entry["bytes"] = json!(bytes);
    }
    if let Some(modified) = DateTime::from_timestamp(seen.modified_unix_s, 0) {
        entry["modified"] = json!(modified.format("%Y-%m-%dT%H:%M:%SZ").to_string());
    }
    entry
}

/// What a listing comes to.
pub fn told(listing: &Listing, key: &str, entries: Vec<Value>) -> Value {
    json!({key: entries, "count": listing.count, "truncated": listing.truncated})
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        let message = error.to_string();
        let failure = |code| Self::new(code, message.clone());
        match error {
            FileError::NoRoots => Self::not_set_up(Part::Files, message)
                .fix("name folders that may be read: tools.file_roots = [\"~/Documents\"]"),
            FileError::NoWriteRoots => Self::not_set_up(Part::FilesWritten, message)
                .fix("name folders that may be written to: tools.file_write_roots = [\"~/Documents/Hark\"]"),
            FileError::OutsideWritable(..) => failure(error_code::FORBIDDEN)
                .because(reason::OUTSIDE_FOLDERS)
                .fix("use a path inside these folders, or add its folder to tools.file_write_roots"),
            FileError::Exists(_) | FileError::TooLarge(..) | FileError::IntoItself(..) => {
                failure(error_code::UNSUPPORTED).fix("use another name")
            }
            FileError::Outside(..) => failure(error_code::FORBIDDEN)
                .because(reason::OUTSIDE_FOLDERS)
                .fix("use a path inside these folders, or add its folder to tools.file_roots"),
            FileError::Link(_) => failure(error_code::FORBIDDEN)
                .because(reason::OUTSIDE_FOLDERS)
                .fix("use the path it leads to, if that is inside a folder of tools.file_roots"),
            FileError::BadPath(_) => failure(error_code::BAD_ARGUMENT).with("argument", json!("path")),
            FileError::LongPattern(_) => failure(error_code::BAD_ARGUMENT).with("argument", json!("pattern")),
            FileError::NotFound(_) => failure(error_code::NOT_FOUND),
            FileError::Wrong(..) => failure(error_code::UNSUPPORTED),
            FileError::Binary { bytes, .. } => failure(error_code::UNSUPPORTED).with("bytes", json!(bytes)),
            FileError::Refused(..) => failure(error_code::FAILED),
        }
    }
}
