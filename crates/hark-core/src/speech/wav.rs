//! The WAV files that Hark writes: mono, 16-bit integers. `hark_stt::recording` reads them, and those of other programs.

use std::io::{self, Seek, Write};

/// Bytes before the first sample.
const HEADER_BYTES: u64 = 44;
/// Bytes of a sample.
const SAMPLE_BYTES: u64 = 2;

/// Writes one file.
pub struct Writer<W: Write + Seek>(hound::WavWriter<W>);

impl<W: Write + Seek> Writer<W> {
    /// Begins a file with `rate_hz` samples a second.
    ///
    /// # Errors
    /// When `out` cannot be written to.
    pub fn new(out: W, rate_hz: u32) -> io::Result<Self> {
        let spec = hound::WavSpec {
            channels: 1,
            sample_rate: rate_hz,
            bits_per_sample: 16,
            sample_format: hound::SampleFormat::Int,
        };
        hound::WavWriter::new(out, spec).map(Self).map_err(to_io)
    }

    /// Appends a sample.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&mut self, sample: i16) -> io::Result<()> {
        self.0.write_sample(sample).map_err(to_io)
    }

    /// Writes the header for what there is so far, so that the file can be read.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(to_io)
    }

    /// Writes the header and ends the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> io::Result<()> {
        self.0.finalize().map_err(to_io)
    }
}

/// Seconds of sound in a file of this many bytes.
pub fn length_s(file_bytes: u64, rate_hz: u32) -> f64 {
    let samples = file_bytes.saturating_sub(HEADER_BYTES) / SAMPLE_BYTES;
    samples as f64 / f64::from(rate_hz)
}

fn to_io(error: hound::Error) -> io::Error {
    match error {
        hound::Error::IoError(error) => error,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::to_i16;

    #[test]
    fn what_is_written_is_read_back_and_has_its_length() {
        let mut bytes = io::Cursor::new(Vec::new());
        let mut writer = Writer::new(&mut bytes, 1000).unwrap();
        for sample in [0.0, 0.5, -0.5, 1.5, -1.5, f32::NAN] {
            writer.write(to_i16(sample)).unwrap();
        }
        writer.finish().unwrap();
        let bytes = bytes.into_inner();
        assert_eq!(length_s(bytes.len() as u64, 1000), 0.006);
        let reader = hound::WavReader::new(&bytes[..]).unwrap();
        let spec = reader.spec();
        assert_eq!((spec.channels, spec.sample_rate, spec.bits_per_sample), (1, 1000, 16));
        let samples: Vec<i16> = reader.into_samples().map(Result::unwrap).collect();
        assert_eq!(samples, [0, 16_383, -16_383, 32_767, -32_767, 0]);
    }
}
