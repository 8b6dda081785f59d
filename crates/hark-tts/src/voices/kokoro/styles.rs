//! The numbers that make a voice of the network: a file holds those of several voices, one after the other, each with a row
//! for every length of a run.

use crate::error::SpeakingError;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Numbers of a row.
pub(super) const WIDTH: usize = 256;

/// Rows of a voice: the first is for a run of one phoneme.
const ROWS: usize = 510;

/// Bytes of a voice: `f32`, little-endian.
const BYTES: usize = ROWS * WIDTH * 4;

/// The numbers of one voice.
#[derive(Debug)]
pub(super) struct Style {
    rows: Vec<f32>,
}

impl Style {
    /// Reads the voice at `place` of the file, from 0.
    ///
    /// # Errors
    /// When the file is missing, not of whole voices, has no such voice, or holds what is no number.
    pub(super) fn read(path: &Path, place: usize) -> Result<Self, SpeakingError> {
        let wrong = |why: String| SpeakingError::Styles { path: path.to_owned(), why };
        let io = |error: std::io::Error| wrong(error.to_string());
        let mut file = File::open(path).map_err(io)?;
        let size = file.metadata().map_err(io)?.len();
        let whole = BYTES as u64;
        if size % whole != 0 || place as u64 >= size / whole {
            return Err(wrong(format!("{size} bytes are not {} or more voices of {whole}", place + 1)));
        }
        file.seek(SeekFrom::Start(place as u64 * whole)).map_err(io)?;
        let mut bytes = vec![0; BYTES];
        file.read_exact(&mut bytes).map_err(io)?;
        let (numbers, _) = bytes.as_chunks::<4>();
        let rows: Vec<f32> = numbers.iter().map(|number| f32::from_le_bytes(*number)).collect();
        if rows.iter().any(|number| !number.is_finite()) {
            return Err(wrong(format!("voice {} has what is no number", place + 1)));
        }
        Ok(Self { rows })
    }

    /// The row for a run of so many phonemes.
    pub(super) fn row(&self, phonemes: usize) -> &[f32] {
        let row = phonemes.saturating_sub(1).min(ROWS - 1);
        &self.rows[row * WIDTH..(row + 1) * WIDTH]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two voices; each number says its voice and row.
    fn file(folder: &Path) -> std::path::PathBuf {
        let path = folder.join("voices.bin");
        let of = |voice: usize, row: usize| (voice * 1000 + row) as f32;
        let bytes: Vec<u8> = (0..2)
            .flat_map(|voice| (0..ROWS).flat_map(move |row| [of(voice, row); WIDTH]))
            .flat_map(f32::to_le_bytes)
            .collect();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn a_voice_has_a_row_for_each_length() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path());
        for voice in 0..2 {
            let style = Style::read(&path, voice).unwrap();
            for (phonemes, row) in [(0, 0), (1, 0), (2, 1), (510, 509), (9000, 509)] {
                assert_eq!(style.row(phonemes), [(voice * 1000 + row) as f32; WIDTH], "{voice}, {phonemes}");
            }
        }
    }

    #[test]
    fn a_file_of_another_kind_is_told_and_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path());
        let told = |place| Style::read(&path, place).unwrap_err().to_string();
        assert!(told(2).contains("voices.bin") && told(2).contains("3 or more"), "{}", told(2));
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[4..8].copy_from_slice(&f32::NAN.to_le_bytes());
        std::fs::write(&path, &bytes).unwrap();
        assert!(told(0).contains("no number"), "{}", told(0));
        assert!(Style::read(&path, 1).is_ok());
        std::fs::write(&path, &bytes[1..]).unwrap();
        assert!(told(0).contains("bytes"), "{}", told(0));
        assert!(Style::read(&folder.path().join("none"), 0).is_err());
    }
}
