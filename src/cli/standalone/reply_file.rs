//! What the speaker would have played, written to a WAV file.

use hark_core::audio::to_i16;
use hark_core::{Fault, FaultKind, wav};
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// Silence kept before and after sound, so that words are not cut and files stay small.
const KEPT_SILENCE_MS: u32 = 200;

/// A mono 16-bit WAV file; long silence is left out.
pub struct ReplyFile {
    path: PathBuf,
    writer: wav::Writer<BufWriter<File>>,
    quiet_samples: u32,
    keep_samples: u32,
}

impl ReplyFile {
    /// Creates or replaces the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(path: &Path, rate_hz: u32) -> Result<Self, Fault> {
        let file = File::create(path).map_err(|error| fault(path, &error))?;
        let writer = wav::Writer::new(BufWriter::new(file), rate_hz).map_err(|error| fault(path, &error))?;
        let keep_samples = rate_hz * KEPT_SILENCE_MS / 1000;
        Ok(Self { path: path.to_owned(), writer, quiet_samples: keep_samples, keep_samples })
    }

    /// Appends mono samples.
    ///
    /// # Errors
    /// When the disk is full or gone.
    pub fn write(&mut self, samples: &[f32]) -> Result<(), Fault> {
        for sample in samples {
            let value = to_i16(*sample);
            self.quiet_samples = if value == 0 { self.quiet_samples.saturating_add(1) } else { 0 };
            if self.quiet_samples <= self.keep_samples {
                self.writer.write(value).map_err(|error| fault(&self.path, &error))?;
            }
        }
        Ok(())
    }

    /// Writes the header for what was played so far, so that the file can be read.
    ///
    /// # Errors
    /// When the disk is full or gone.
    pub fn flush(&mut self) -> Result<(), Fault> {
        self.writer.flush().map_err(|error| fault(&self.path, &error))
    }
}

fn fault(path: &Path, error: &io::Error) -> Fault {
    let message = format!("cannot write {}: {error}", path.display());
    Fault::new(FaultKind::Failed, "reply", message, "choose a folder that can be written to")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_silence_is_left_out_and_sound_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reply.wav");
        let mut file = ReplyFile::create(&path, 1000).unwrap();
        file.write(&[0.0; 5000]).unwrap();
        file.write(&[0.5; 300]).unwrap();
        file.write(&[0.0; 5000]).unwrap();
        file.write(&[0.5; 300]).unwrap();
        file.flush().unwrap();
        drop(file);
        assert_eq!(hound::WavReader::open(&path).unwrap().duration(), 300 + 200 + 300);
        let nowhere = ReplyFile::create(&folder.path().join("no/such/folder.wav"), 1000);
        assert!(nowhere.err().unwrap().message.contains("folder.wav"));
    }
}
