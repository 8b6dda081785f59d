//! Checks files against the manifest, and remembers those that were verified.

use super::{Artifact, ArtifactState};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// What a file looked like when its sha256 was last found right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct VerifiedFile {
    size_bytes: u64,
    /// Time of the last change, nanoseconds since the Unix epoch.
    modified_ns: u64,
    sha256: String,
}

/// The memory, kept as `.verified.json` in the cache. Losing it costs one reading of each file.
#[derive(Debug, Default)]
pub(super) struct VerifiedFiles {
    file: PathBuf,
    verified: BTreeMap<String, VerifiedFile>,
}

impl VerifiedFiles {
    pub(super) fn read(cache: &Path) -> Self {
        let file = cache.join(".verified.json");
        let verified = fs::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Self { file, verified: verified.unwrap_or_default() }
    }

    fn remember(&mut self, name: &str, stamp: Option<VerifiedFile>) {
        let changed = match stamp {
            Some(stamp) => self.verified.insert(name.to_owned(), stamp.clone()) != Some(stamp),
            None => self.verified.remove(name).is_some(),
        };
        if changed {
            // A cache that cannot be written, as with a read-only system, is read anew at each start.
            let _ = self.write();
        }
    }

    fn write(&self) -> io::Result<()> {
        hark_config::write_whole(&self.file, serde_json::to_vec_pretty(&self.verified)?)
    }
}

/// How the part at `path` is found. Only a `thorough` look reads a file that has a stamp.
pub(super) fn state(
    part: &Artifact,
    path: &Path,
    verified: &mut VerifiedFiles,
    thorough: bool,
) -> ArtifactState {
    let path_buf = path.to_owned();
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return ArtifactState::Missing { path: path_buf };
        }
        Err(error) => return ArtifactState::Corrupt { path: path_buf, why: error.to_string() },
    };
    let why = match &part.sha256 {
        Some(sha256) => file_fault(part, path, &metadata, sha256, verified, thorough),
        None => folder_fault(path, &part.contains),
    };
    match why {
        None => ArtifactState::Present { path: path_buf },
        Some(why) => ArtifactState::Corrupt { path: path_buf, why },
    }
}

/// What is wrong with a folder, if anything.
pub(super) fn folder_fault(path: &Path, contains: &[String]) -> Option<String> {
    if !path.is_dir() {
        return Some("is not a folder".into());
    }
    contains.iter().find_map(|name| match fs::metadata(path.join(name)) {
        Ok(metadata) if metadata.is_file() && metadata.len() > 0 => None,
        Ok(_) => Some(format!("{name} in it is empty")),
        Err(_) => Some(format!("{name} is not in it")),
    })
}

fn file_fault(
    part: &Artifact,
    path: &Path,
    metadata: &Metadata,
    sha256: &str,
    verified: &mut VerifiedFiles,
    thorough: bool,
) -> Option<String> {
    let wanted = part.size_bytes.unwrap_or_default();
    if metadata.len() != wanted {
        return Some(format!("has {} bytes, not {wanted}", metadata.len()));
    }
    let now = stamp_of(metadata, sha256);
    if !thorough && now.is_some() && verified.verified.get(&part.file) == now.as_ref() {
        return None;
    }
    let found = match sha256_of(path) {
        Ok(found) => found,
        Err(error) => return Some(error.to_string()),
    };
    let right = found == sha256;
    verified.remember(&part.file, now.filter(|_| right));
    (!right).then(|| format!("its sha256 is {found}, not {sha256}"))
}

fn stamp_of(metadata: &Metadata, sha256: &str) -> Option<VerifiedFile> {
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let modified_ns = u64::try_from(modified.as_nanos()).ok()?;
    Some(VerifiedFile { size_bytes: metadata.len(), modified_ns, sha256: sha256.to_owned() })
}

/// The SHA-256 of a file in lower-case hexadecimal.
pub(super) fn sha256_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0_u8; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&hasher.finalize())),
            read => hasher.update(&buffer[..read]),
        }
    }
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
