//! Calendars and address books in files: one file, or every one of a folder. Links are not followed.

use crate::error::PersonalError;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Most files of a folder that are read.
const MAX_FILES: usize = 20_000;
/// Most of one file that is read, bytes.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// A file and its text.
pub(crate) type Kept = (PathBuf, String);

/// Does what waits for the disk on a thread that may wait, so that other tasks of the runtime go on.
pub(crate) async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, PersonalError> + Send + 'static,
) -> Result<T, PersonalError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(PersonalError::BadAnswer("the calendar".into(), error.to_string())))
}

/// A file, or all files of a folder with this extension, in the order of their names.
pub(crate) fn read(path: &Path, extension: &str) -> Result<Vec<Kept>, PersonalError> {
    let failed = |error: std::io::Error| PersonalError::of_file(path, &error);
    let metadata = fs::metadata(path).map_err(failed)?;
    if metadata.is_file() {
        return Ok(vec![(path.to_owned(), text(path).map_err(failed)?)]);
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
    let read = |file: PathBuf| {
        let text =
            text(&file).map_err(|error| tracing::warn!(file = %file.display(), %error, "cannot be read"));
        Some((file, text.ok()?))
    };
    Ok(files.into_iter().filter_map(read).collect())
}

/// Writes a new file into a folder; whole, or not at all.
pub(crate) fn add(folder: &Path, name: &str, text: &str) -> Result<(), PersonalError> {
    let failed = |error: std::io::Error| PersonalError::of_file(folder, &error);
    if folder.join(name).exists() {
        return Err(PersonalError::Changed);
    }
    hark_config::write_private(&folder.join(name), text).map_err(failed)
}

/// Writes over a file whose text is still `before`; whole, or not at all.
pub(crate) fn replace(path: &Path, before: &str, after: &str) -> Result<(), PersonalError> {
    let failed = |error: std::io::Error| PersonalError::of_file(path, &error);
    // A link stays one: what it leads to is written.
    let path = fs::canonicalize(path).map_err(failed)?;
    same(&path, before)?;
    hark_config::write_private(&path, after).map_err(failed)
}

/// Removes a file whose text is still `before`.
pub(crate) fn remove(path: &Path, before: &str) -> Result<(), PersonalError> {
    same(path, before)?;
    fs::remove_file(path).map_err(|error| PersonalError::of_file(path, &error))
}

/// A file's text; `None` when it is gone.
pub(crate) fn now(path: &Path) -> Result<Option<String>, PersonalError> {
    match text(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        text => text.map(Some).map_err(|error| PersonalError::of_file(path, &error)),
    }
}

fn same(path: &Path, before: &str) -> Result<(), PersonalError> {
    // A text that was cut or is not UTF-8 was not read as it is.
    let is_whole =
        |text: &str| (text.len() as u64) < MAX_BYTES && !text.contains(char::REPLACEMENT_CHARACTER);
    match now(path)? {
        Some(text) if text == before && is_whole(&text) => Ok(()),
        Some(text) if text == before => {
            let why = "it is too large, or no UTF-8".to_owned();
            Err(PersonalError::File { path: path.display().to_string(), why })
        }
        _ => Err(PersonalError::Changed),
    }
}

fn text(path: &Path) -> std::io::Result<String> {
    let mut read = Vec::new();
    fs::File::open(path)?.take(MAX_BYTES).read_to_end(&mut read)?;
    Ok(String::from_utf8_lossy(&read).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::current;

    #[tokio::test]
    async fn the_disk_is_waited_for_on_another_thread() {
        assert_ne!(on_disk(|| Ok(current().id())).await, Ok(current().id()));
        assert_eq!(on_disk(|| Err::<(), _>(PersonalError::Gone)).await, Err(PersonalError::Gone));
        let broken = on_disk(|| -> Result<(), _> { panic!("as it should") }).await;
        assert!(matches!(broken, Err(PersonalError::BadAnswer(..))));
    }
}
