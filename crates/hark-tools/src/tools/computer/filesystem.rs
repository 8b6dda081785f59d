//! `filesystem.*`: what is in files and folders the owner has allowed.

use crate::files::{FileEntry, FileError, Listing};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, blocking};
use crate::tools::services::Services;
use chrono::DateTime;
use hark_core::tool::error_code;
use serde_json::{Value, json};
use std::sync::Arc;

/// Default number of entries.
const USUAL_ENTRIES: usize = 100;

/// Whether any folder is allowed.
pub fn ready(services: &Services) -> Result<(), Failure> {
    if services.files.is_open() { Ok(()) } else { Err(FileError::NoRoots.into()) }
}

/// `filesystem.read`.
pub fn read(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (files, path) = (services.files.clone(), args.owned("path").unwrap_or_default());
    let from: u64 = args.integer("offset").unwrap_or(0);
    Ok(blocking(move || {
        let read = files.read(&path, from)?;
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
    let (files, path) = (services.files.clone(), args.owned("path").unwrap_or_else(|| ".".into()));
    let most = args.integer("limit").unwrap_or(USUAL_ENTRIES);
    Ok(blocking(move || {
        let listing = files.list(&path, most)?;
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
            FileError::NoRoots => failure(error_code::NOT_CONFIGURED)
                .fix("name folders that may be read: tools.file_roots = [\"~/Documents\"]"),
            FileError::Outside(..) => failure(error_code::FORBIDDEN)
                .fix("use a path inside these folders, or add its folder to tools.file_roots"),
            FileError::Link(_) => failure(error_code::FORBIDDEN)
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
