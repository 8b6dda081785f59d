//! What was said in a turn as sound: `recordings/TURN.wav`, 16 kHz mono s16, where the owner has switched that on.
//! Files come whole or not at all, and only their owner can read them.

use hark_config::journal::JournalConfig;
use hark_config::paths;
use hark_core::audio::to_i16;
use hark_core::{Fault, FaultKind, SAMPLE_RATE_HZ, TurnId, wav};
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const ENDING: &str = ".wav";
/// Of a file that is being written; one that a power cut left goes with the next look.
const UNFINISHED: &str = ".wav.part";
/// An unfinished file of this age is abandoned: one is written within moments.
const ABANDONED_AFTER: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const MEGABYTE: u64 = 1_000_000;

/// The files.
#[derive(Debug, Clone)]
pub struct Recordings {
    dir: PathBuf,
    keep_for: Duration,
    most_bytes: u64,
}

impl Recordings {
    /// Keeps its files in `dir`, which is made with the first of them.
    pub fn new(dir: PathBuf, settings: &JournalConfig) -> Self {
        let most_bytes = u64::from(settings.audio_max_megabytes) * MEGABYTE;
        Self { dir, keep_for: DAY * settings.audio_keep_days, most_bytes }
    }

    /// Keeps the sound of a turn: mono at 16 kHz in −1.0 ..= 1.0. Waits for the file system.
    ///
    /// # Errors
    /// When it could not be written; then nothing of it is left.
    pub fn write(&self, turn: &TurnId, samples: &[f32]) -> Result<(), Fault> {
        let path = self.file_of(turn).ok_or_else(|| self.fault(&format!("no name for {turn}")))?;
        let unfinished = path.with_extension("wav.part");
        let written = paths::make_dir(&self.dir, 0o700).and_then(|()| write(&unfinished, samples));
        let whole = written.and_then(|()| fs::rename(&unfinished, &path));
        whole.map_err(|error| {
            // What went wrong is told; what cannot be taken away now goes with the next look.
            let _ = fs::remove_file(&unfinished);
            self.fault(&error.to_string())
        })
    }

    /// Where the sound of a turn is, when it is kept.
    pub fn path(&self, turn: &TurnId) -> Option<PathBuf> {
        let path = self.file_of(turn)?;
        let age = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?.modified().map(age_of);
        age.is_ok_and(|age| age <= self.keep_for).then_some(path)
    }

    /// The sound of a turn as a WAV file; `None` when it is not kept.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&self, turn: &TurnId) -> Result<Option<Vec<u8>>, Fault> {
        let Some(path) = self.path(turn) else { return Ok(None) };
        match fs::read(&path) {
            Ok(sound) => Ok(Some(sound)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.fault(&error.to_string())),
        }
    }

    /// Takes the sound of these turns away.
    ///
    /// # Errors
    /// When some of it is left.
    pub fn forget(&self, turns: &[TurnId]) -> Result<(), Fault> {
        let mut paths = turns.iter().filter_map(|turn| self.file_of(turn));
        paths.try_for_each(|path| remove(&path)).map_err(|error| self.fault(&error.to_string()))
    }

    /// Takes away what is too old, then the oldest while all is too much.
    ///
    /// # Errors
    /// When the folder cannot be read or written.
    pub fn tidy(&self) -> Result<(), Fault> {
        self.take_old_away().map_err(|error| self.fault(&error.to_string()))
    }

    fn take_old_away(&self) -> io::Result<()> {
        let mut files: Vec<(Duration, PathBuf, u64)> = Vec::new();
        let entries = match fs::read_dir(&self.dir) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            // Another program may take it away at the same time.
            let Ok(data) = entry.metadata() else { continue };
            let age = data.modified().map_or(Duration::MAX, age_of);
            let given_up = name.ends_with(UNFINISHED) && age > ABANDONED_AFTER;
            if given_up || (name.ends_with(ENDING) && age > self.keep_for) {
                remove(&entry.path())?;
            } else if name.ends_with(ENDING) {
                files.push((age, entry.path(), data.len()));
            }
        }
        files.sort_unstable();
        let mut total = 0;
        for (_, path, size) in files {
            total += size;
            if total > self.most_bytes {
                remove(&path)?;
            }
        }
        Ok(())
    }

    /// `None` for an id that is no name of a file here.
    fn file_of(&self, turn: &TurnId) -> Option<PathBuf> {
        let is_name = |it: &str| {
            !it.is_empty() && it.chars().all(|it| it.is_ascii_alphanumeric() || it == '-' || it == '_')
        };
        is_name(&turn.0).then(|| self.dir.join(format!("{turn}{ENDING}")))
    }

    fn fault(&self, why: &str) -> Fault {
        let message = format!("the sound of turns in {} cannot be kept: {why}", self.dir.display());
        let fix = "make room, or set journal.record_audio = false";
        Fault::new(FaultKind::Failed, "recordings", message, fix).recoverable()
    }
}

/// How long ago; a clock that was put back makes nothing old.
fn age_of(then: SystemTime) -> Duration {
    SystemTime::now().duration_since(then).unwrap_or_default()
}

fn write(path: &Path, samples: &[f32]) -> io::Result<()> {
    let file = paths::private(OpenOptions::new().write(true).create(true).truncate(true)).open(path)?;
    let mut writer = wav::Writer::new(BufWriter::new(&file), SAMPLE_RATE_HZ)?;
    samples.iter().try_for_each(|sample| writer.write(to_i16(*sample)))?;
    writer.finish()?;
    // Its name must not come to the disk before what is in it.
    file.sync_data()
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
#[path = "tests/recordings.rs"]
mod tests;
