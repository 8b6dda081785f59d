//! WAV recordings as a source of sound: read in pieces, mixed down and resampled to 16 kHz mono.
//!
//! The chunks are walked here rather than by a library because recorders write files that strict
//! readers refuse: lengths left at 0 or "unknown", chunks of odd length, sound cut off in the middle.

use hark_audio::resample::{RATES_HZ, Resampler, mix_down};
use hark_core::{Fault, FaultKind, SAMPLE_RATE_HZ};
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Frames read at a time.
const PIECE_FRAMES: usize = 4096;
/// Data lengths from here on stand for "unknown" when the file is shorter: writers into pipes put them.
const UNKNOWN_LENGTH: u32 = 0x7FFF_0000;
/// More channels than any recorder has; such a header is damaged.
const MAX_CHANNELS: u16 = 64;

/// Why a recording cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// No such file.
    #[error("{} is not there", .0.display())]
    NotThere(PathBuf),
    /// It is a folder, or reading it fails.
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    /// The file has no bytes, or a header and no sound.
    #[error("{} is empty: it holds no sound", .0.display())]
    Empty(PathBuf),
    /// It is something else.
    #[error("{} is not a WAV recording; it looks like {looks_like}", path.display())]
    NotWav { path: PathBuf, looks_like: &'static str },
    /// It ends before its sound begins.
    #[error("{} is cut off in its header, before any sound", .0.display())]
    HeaderCutOff(PathBuf),
    /// The header contradicts itself.
    #[error("{} has a damaged header: {what}", path.display())]
    Damaged { path: PathBuf, what: String },
    /// A WAV in a coding that is not supported.
    #[error("{} is coded as {codec}", path.display())]
    UnsupportedCodec { path: PathBuf, codec: String },
}

impl RecordingError {
    fn path(&self) -> &Path {
        match self {
            Self::NotThere(path) | Self::Empty(path) | Self::HeaderCutOff(path) => path,
            Self::Unreadable { path, .. }
            | Self::NotWav { path, .. }
            | Self::Damaged { path, .. }
            | Self::UnsupportedCodec { path, .. } => path,
        }
    }
}

impl From<RecordingError> for Fault {
    fn from(error: RecordingError) -> Self {
        let fix = match &error {
            RecordingError::NotThere(_) => "check the path".into(),
            RecordingError::Unreadable { .. } => "give a file that this user may read".into(),
            RecordingError::NotWav { .. } | RecordingError::UnsupportedCodec { .. } => format!(
                "convert it: ffmpeg -i {} -ar 16000 -ac 1 -c:a pcm_s16le converted.wav",
                error.path().display()
            ),
            RecordingError::Empty(_) | RecordingError::HeaderCutOff(_) | RecordingError::Damaged { .. } => {
                "record or copy it again".into()
            }
        };
        Fault::new(FaultKind::BadInput, "recording", error.to_string(), fix)
    }
}

/// How samples are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Unsigned8,
    Signed16,
    Signed24,
    /// 24 bits in the lower bytes of four.
    Signed24In32,
    Signed32,
    Float32,
    Float64,
}

impl Coding {
    fn bytes(self) -> usize {
        match self {
            Self::Unsigned8 => 1,
            Self::Signed16 => 2,
            Self::Signed24 => 3,
            Self::Signed24In32 | Self::Signed32 | Self::Float32 => 4,
            Self::Float64 => 8,
        }
    }

    /// One little-endian sample as −1.0 ..= 1.0; `bytes` holds [`Self::bytes`] bytes. A floating-point one beyond that is
    /// clipped, and one that is no number is silence: it would spoil every filter behind.
    fn sample(self, bytes: &[u8]) -> f32 {
        let sample = self.raw_sample(bytes);
        if sample.is_nan() { 0.0 } else { sample.clamp(-1.0, 1.0) }
    }

    fn raw_sample(self, bytes: &[u8]) -> f32 {
        match (self, bytes) {
            (Self::Unsigned8, [a]) => (f32::from(*a) - 128.0) / 128.0,
            (Self::Signed16, [a, b]) => f32::from(i16::from_le_bytes([*a, *b])) / 32768.0,
            (Self::Signed24, [a, b, c]) | (Self::Signed24In32, [a, b, c, _]) => {
                i32::from_le_bytes([0, *a, *b, *c]) as f32 / 2_147_483_648.0
            }
            (Self::Signed32, [a, b, c, d]) => i32::from_le_bytes([*a, *b, *c, *d]) as f32 / 2_147_483_648.0,
            (Self::Float32, [a, b, c, d]) => f32::from_le_bytes([*a, *b, *c, *d]),
            (Self::Float64, [a, b, c, d, e, f, g, h]) => {
                f64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h]) as f32
            }
            _ => 0.0,
        }
    }
}

/// What the header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Format {
    coding: Coding,
    channels: u16,
    rate_hz: u32,
}

/// An open recording.
pub struct Recording {
    path: PathBuf,
    file: BufReader<File>,
    format: Format,
    /// Length of the sound by the header in bytes; None when the header does not know.
    declared: Option<u64>,
    taken: u64,
    ended: bool,
    warning: Option<Fault>,
    resampler: Resampler,
    bytes: Vec<u8>,
    samples: Vec<f32>,
    mono: Vec<f32>,
}

/// A whole recording as 16 kHz mono.
///
/// # Errors
/// When it cannot be read to its end.
pub fn whole(path: &Path) -> Result<Vec<f32>, Fault> {
    let mut recording = Recording::open(path)?;
    let mut samples = Vec::new();
    while recording.read(&mut samples)? {}
    Ok(samples)
}

impl Recording {
    /// Opens a WAV file: integer samples of 8, 16, 24 or 32 bits or floating-point ones, any number
    /// of channels, 4 to 384 kHz, also as `WAVE_FORMAT_EXTENSIBLE`.
    ///
    /// # Errors
    /// When it is not there, empty, something else, damaged, or in another coding.
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        let unreadable = |source| RecordingError::Unreadable { path: path.to_owned(), source };
        let file = File::open(path).map_err(|source| match source.kind() {
            ErrorKind::NotFound => RecordingError::NotThere(path.to_owned()),
            _ => unreadable(source),
        })?;
        let mut file = BufReader::new(file);
        let header = Header { path, file: &mut file };
        let (format, declared) = header.read()?;
        let resampler = Resampler::new(format.rate_hz, SAMPLE_RATE_HZ)
            .map_err(|error| RecordingError::Damaged { path: path.to_owned(), what: error.to_string() })?;
        let frame_bytes = format.coding.bytes() * usize::from(format.channels);
        let mut recording = Self {
            path: path.to_owned(),
            file,
            format,
            declared: (declared != 0 && declared < UNKNOWN_LENGTH).then_some(u64::from(declared)),
            taken: 0,
            ended: false,
            warning: None,
            resampler,
            bytes: vec![0; PIECE_FRAMES * frame_bytes],
            samples: Vec::new(),
            mono: Vec::new(),
        };
        // A header without sound is told at once, not after a silent run.
        let has_sound = recording.has_sound().map_err(unreadable)?;
        if !has_sound {
            return Err(RecordingError::Empty(path.to_owned()));
        }
        if declared == 0 {
            recording.warn("its header was never finished; it is used up to its end".into());
        }
        Ok(recording)
    }

    fn has_sound(&mut self) -> io::Result<bool> {
        use io::BufRead;
        Ok(!self.file.fill_buf()?.is_empty())
    }

    /// Samples a second in the file.
    pub fn rate_hz(&self) -> u32 {
        self.format.rate_hz
    }

    /// Channels in the file.
    pub fn channels(&self) -> u16 {
        self.format.channels
    }

    /// Length by the header in milliseconds, when it knows.
    pub fn declared_ms(&self) -> Option<u64> {
        let frame_bytes = (self.format.coding.bytes() * usize::from(self.format.channels)) as u64;
        self.declared.map(|bytes| bytes / frame_bytes * 1000 / u64::from(self.format.rate_hz))
    }

    /// Appends the next piece (some 0.1–1 s) to `out` as 16 kHz mono; false when that was the end.
    ///
    /// # Errors
    /// When the file cannot be read any further.
    pub fn read(&mut self, out: &mut Vec<f32>) -> Result<bool, RecordingError> {
        if self.ended {
            return Ok(false);
        }
        let left = self.declared.map_or(u64::MAX, |declared| declared - self.taken);
        let want = usize::try_from(left).unwrap_or(usize::MAX).min(self.bytes.len());
        let got = fill(&mut self.file, &mut self.bytes[..want])
            .map_err(|source| RecordingError::Unreadable { path: self.path.clone(), source })?;
        self.taken += got as u64;
        let coding = self.format.coding;
        self.samples.clear();
        self.samples.extend(self.bytes[..got].chunks_exact(coding.bytes()).map(|bytes| coding.sample(bytes)));
        self.mono.clear();
        mix_down(&self.samples, usize::from(self.format.channels), &mut self.mono);
        self.resampler.process(&self.mono, out);
        self.ended = got < self.bytes.len();
        if self.ended {
            self.resampler.finish(out);
            if got < want
                && let Some(declared) = self.declared
            {
                let percent = self.taken * 100 / declared;
                self.warn(format!("it is cut off: {percent} % of the sound its header promises is there"));
            }
        }
        Ok(!self.ended)
    }

    fn warn(&mut self, what: String) {
        let message = format!("{}: {what}", self.path.display());
        let fault = Fault::new(FaultKind::BadInput, "recording", message, "record or copy it again");
        self.warning = Some(fault.recoverable());
    }

    /// What is wrong with the recording although it can be used; complete when it was read to its end.
    pub fn warning(&self) -> Option<&Fault> {
        self.warning.as_ref()
    }
}

/// Fills `buffer` as far as the file goes and gives the number of bytes.
fn fill(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Reads a file up to the first byte of its sound. After the RIFF specification and Microsoft's
/// WAVEFORMATEXTENSIBLE.
struct Header<'a> {
    path: &'a Path,
    file: &'a mut BufReader<File>,
}

impl Header<'_> {
    fn read(mut self) -> Result<(Format, u32), RecordingError> {
        let mut start = [0; 12];
        let got = self.fill(&mut start)?;
        if got == 0 {
            return Err(RecordingError::Empty(self.path.to_owned()));
        }
        if !start.starts_with(b"RIFF") || (got == 12 && !start.ends_with(b"WAVE")) {
            let looks_like = looks_like(&start[..got]);
            return Err(RecordingError::NotWav { path: self.path.to_owned(), looks_like });
        }
        let mut format = None;
        loop {
            let mut chunk = [0; 8];
            self.exact(&mut chunk)?;
            let length = u32::from_le_bytes([chunk[4], chunk[5], chunk[6], chunk[7]]);
            match &chunk[..4] {
                b"fmt " => format = Some(self.format(length)?),
                b"data" => {
                    let format = format.ok_or_else(|| self.damaged("its sound comes before its format"))?;
                    return Ok((format, length));
                }
                // Chunks start at even places.
                _ => self.skip(u64::from(length) + u64::from(length % 2))?,
            }
        }
    }

    fn format(&mut self, length: u32) -> Result<Format, RecordingError> {
        let mut fields = [0; 40];
        let known = (length as usize).min(fields.len());
        if known < 16 {
            return Err(self.damaged("its format chunk is too short"));
        }
        self.exact(&mut fields[..known])?;
        self.skip(u64::from(length) - known as u64 + u64::from(length % 2))?;
        let word = |at: usize| u16::from_le_bytes([fields[at], fields[at + 1]]);
        let (tag, channels, frame_bytes, bits) = (word(0), word(2), word(12), word(14));
        let rate_hz = u32::from_le_bytes([fields[4], fields[5], fields[6], fields[7]]);
        // In the extensible format the real tag begins the sub-format's identifier.
        let tag = if tag == 0xFFFE && known == 40 { word(24) } else { tag };
        if channels == 0 || channels > MAX_CHANNELS {
            return Err(self.damaged(&format!("it claims {channels} channels")));
        }
        if !RATES_HZ.contains(&rate_hz) {
            return Err(self.damaged(&format!("it claims {rate_hz} samples a second")));
        }
        let coding = match (tag, bits, frame_bytes / channels) {
            (1, 8, 1) => Coding::Unsigned8,
            (1, 16, 2) => Coding::Signed16,
            (1, 24, 3) => Coding::Signed24,
            (1, 24, 4) => Coding::Signed24In32,
            (1, 32, 4) => Coding::Signed32,
            (3, 32, 4) => Coding::Float32,
            (3, 64, 8) => Coding::Float64,
            (1 | 3, 8 | 16 | 24 | 32 | 64, bytes) => {
                return Err(self.damaged(&format!("{bits} bits in {bytes} bytes")));
            }
            _ => {
                let codec = codec_name(tag, bits);
                return Err(RecordingError::UnsupportedCodec { path: self.path.to_owned(), codec });
            }
        };
        Ok(Format { coding, channels, rate_hz })
    }

    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, RecordingError> {
        fill(self.file, buffer)
            .map_err(|source| RecordingError::Unreadable { path: self.path.to_owned(), source })
    }

    fn exact(&mut self, buffer: &mut [u8]) -> Result<(), RecordingError> {
        if self.fill(buffer)? == buffer.len() {
            Ok(())
        } else {
            Err(RecordingError::HeaderCutOff(self.path.to_owned()))
        }
    }

    fn skip(&mut self, bytes: u64) -> Result<(), RecordingError> {
        let skipped = io::copy(&mut self.file.by_ref().take(bytes), &mut io::sink())
            .map_err(|source| RecordingError::Unreadable { path: self.path.to_owned(), source })?;
        if skipped == bytes { Ok(()) } else { Err(RecordingError::HeaderCutOff(self.path.to_owned())) }
    }

    fn damaged(&self, what: &str) -> RecordingError {
        RecordingError::Damaged { path: self.path.to_owned(), what: what.to_owned() }
    }
}

fn codec_name(tag: u16, bits: u16) -> String {
    match tag {
        1 => format!("{bits}-bit integers, which Hark does not read"),
        3 => format!("{bits}-bit floating point, which Hark does not read"),
        2 | 0x11 => "ADPCM, which Hark does not read".into(),
        6 => "A-law, which Hark does not read".into(),
        7 => "µ-law, which Hark does not read".into(),
        0x31 => "GSM, which Hark does not read".into(),
        0x55 => "MP3, which Hark does not read".into(),
        other => format!("WAV format {other:#06x}, which Hark does not read"),
    }
}

/// What a file that is no WAV is, by its first bytes.
fn looks_like(start: &[u8]) -> &'static str {
    match start {
        [b'R', b'I', b'F', b'F', ..] => "another RIFF file (AVI or WebP)",
        [b'R', b'F', b'6', b'4', ..] | [b'B', b'W', b'6', b'4', ..] => "a 64-bit WAV (RF64)",
        [b'R', b'I', b'F', b'X', ..] => "a big-endian WAV (RIFX)",
        [b'I', b'D', b'3', ..] | [0xFF, 0xE2..=0xEF | 0xF2..=0xFF, ..] => "MP3",
        [0xFF, 0xF0 | 0xF1, ..] => "AAC",
        [b'O', b'g', b'g', b'S', ..] => "OGG",
        [b'f', b'L', b'a', b'C', ..] => "FLAC",
        [b'F', b'O', b'R', b'M', ..] => "AIFF",
        [b'.', b's', b'n', b'd', ..] => "a Sun audio file (AU)",
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => "MP4 or M4A",
        [0x1A, 0x45, 0xDF, 0xA3, ..] => "WebM or Matroska",
        [b'#', b'!', b'A', b'M', b'R', ..] => "AMR",
        bytes if bytes.iter().all(|b| matches!(b, b'\t' | b'\n' | b'\r' | 0x20..=0x7E)) => "text",
        _ => "data of no known kind",
    }
}

#[cfg(test)]
#[path = "recording_tests.rs"]
mod tests;
