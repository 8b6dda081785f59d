//! WAV recordings. One that is accepted gives finite samples, as many as its length and rate allow and no more, in
//! bounded pieces; one that is refused is told with a fix.

use hark_core::Fault;
use hark_stt::recording::Recording;
use std::io::Write;

/// Longest input in bytes.
const MAX_BYTES: usize = 256 * 1024;
/// Rate that is read in Hz.
const READ_HZ: u64 = 16_000;
/// Most samples of one piece: 4,096 frames of the slowest rate, and 10 ms that stayed behind of the one before.
const MAX_PIECE: usize = 4096 * 4 + 160;
/// Samples by which resampling may differ from the ratio of the rates.
const SLACK: u64 = 2;

/// Checks one file.
pub fn check(data: &[u8]) {
    if data.len() > MAX_BYTES {
        return;
    }
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(data).expect("writing a temporary file");
    let mut recording = match Recording::open(file.path()) {
        Ok(recording) => recording,
        Err(error) => {
            let fault = Fault::from(error);
            return assert!(!fault.message.is_empty() && !fault.fix.is_empty(), "{fault:?}");
        }
    };
    let (rate, channels) = (u64::from(recording.rate_hz()), u64::from(recording.channels()));
    let declared_ms = recording.declared_ms();
    let mut samples = Vec::new();
    let mut goes_on = true;
    while goes_on {
        let before = samples.len();
        goes_on = recording.read(&mut samples).expect("a file that was opened is read");
        assert!(samples.len() - before <= MAX_PIECE, "{} samples in one piece", samples.len() - before);
    }
    assert!(samples.iter().all(|sample| sample.is_finite()), "a sample is no number");
    let count = samples.len() as u64;
    // A sample has at least one byte.
    let most_frames = data.len() as u64 / channels;
    assert!(count <= most_frames * READ_HZ / rate + SLACK, "{count} samples of {} bytes", data.len());
    if let Some(declared_ms) = declared_ms {
        let most = (declared_ms + 1) * READ_HZ / 1000 + SLACK;
        assert!(count <= most, "{count} samples of {declared_ms} ms");
        let is_whole = recording.warning().is_none();
        assert!(!is_whole || count + SLACK >= declared_ms * READ_HZ / 1000, "{count} of {declared_ms} ms");
    }
}
