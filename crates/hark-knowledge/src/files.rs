//! Files as the index knows them: paths, times and sums.

use crate::KnowledgeError;
use sha2::{Digest, Sha256};
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Bytes that are hashed at a time.
const HASH_BYTES: usize = 1 << 16;

/// The range of the paths inside of a folder.
pub(crate) fn inside(folder: &str) -> (String, String) {
    let folder = folder.trim_end_matches('/');
    // `0` is what comes after `/`.
    (format!("{folder}/"), format!("{folder}0"))
}

pub(crate) fn absolute(path: &Path) -> Result<PathBuf, KnowledgeError> {
    fs::canonicalize(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => KnowledgeError::Absent { path: path.to_owned() },
        _ => unreadable(path, &error),
    })
}

pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> KnowledgeError {
    KnowledgeError::Unreadable { path: path.to_owned(), why: error.to_string() }
}

pub(crate) fn utf8(path: &Path) -> Result<&str, KnowledgeError> {
    path.to_str().ok_or_else(|| KnowledgeError::Unreadable {
        path: path.to_owned(),
        why: "its name is not UTF-8; rename it".to_owned(),
    })
}

pub(crate) fn is_hidden(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(['.', '~']))
}

pub(crate) fn file_title(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    stem.replace(['_', '-'], " ").trim().to_owned()
}

pub(crate) fn modified_ns(metadata: &Metadata) -> i64 {
    let since = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

pub(crate) fn hash(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0_u8; HASH_BYTES];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(hasher.finalize().to_vec());
        }
        hasher.update(&buffer[..read]);
    }
}
