//! Calendars and address books in files: one file, or every one of a folder. Links are not followed.

use crate::error::PersonalError;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Most files of a folder that are read.
const MAX_FILES: usize = 20_000;
/// Most of one file that is read, bytes.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// The texts of a file, or of all files of a folder with this extension, in the order of their names.
pub(crate) fn read(path: &Path, extension: &str) -> Result<Vec<String>, PersonalError> {
    let failed = |error: std::io::Error| PersonalError::of_file(path, &error);
    let metadata = fs::metadata(path).map_err(failed)?;
    if metadata.is_file() {
        return Ok(vec![text(path).map_err(failed)?]);
    }
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)?.take(MAX_FILES) {
        let entry = entry.map_err(failed)?;
        let fits = entry.path().extension().is_some_and(|found| found.eq_ignore_ascii_case(extension));
        if fits && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            files.push(entry.path());
        }
    }
    files.sort();
    // One that cannot be read hides no other.
    let read = |file: &PathBuf| {
        text(file).map_err(|error| tracing::warn!(file = %file.display(), %error, "cannot be read")).ok()
    };
    Ok(files.iter().filter_map(read).collect())
}

/// Writes a new file into a folder; whole, or not at all.
pub(crate) fn add(folder: &Path, name: &str, text: &str) -> Result<(), PersonalError> {
    let failed = |error: std::io::Error| PersonalError::of_file(folder, &error);
    let (path, unfinished) = (folder.join(name), folder.join(format!(".{name}.part")));
    let mut options = fs::OpenOptions::new();
    let mut file = hark_config::paths::private(options.write(true).create_new(true))
        .open(&unfinished)
        .map_err(failed)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    let put = written.and_then(|()| fs::rename(&unfinished, path));
    if put.is_err() {
        // It is only the unfinished one; that it cannot be removed changes nothing about the error.
        let _ = fs::remove_file(&unfinished);
    }
    put.map_err(failed)
}

fn text(path: &Path) -> std::io::Result<String> {
    let mut read = Vec::new();
    fs::File::open(path)?.take(MAX_BYTES).read_to_end(&mut read)?;
    Ok(String::from_utf8_lossy(&read).into_owned())
}
