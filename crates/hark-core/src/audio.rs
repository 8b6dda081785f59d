//! Audio units: everything between the resampler and the recognisers is mono `f32` at 16 kHz.

/// Sample rate of every block between capture and recognition.
pub const SAMPLE_RATE_HZ: u32 = 16_000;

/// Samples in one voice-activity block: 32 ms at 16 kHz, the size Silero VAD was trained on.
pub const VAD_BLOCK_SAMPLES: usize = 512;

/// Converts a count of 16 kHz samples to whole milliseconds, rounding down.
pub fn samples_to_ms(samples: u64) -> u64 {
    samples * 1000 / u64::from(SAMPLE_RATE_HZ)
}

/// Converts milliseconds to a count of 16 kHz samples.
pub fn ms_to_samples(ms: u64) -> u64 {
    ms * u64::from(SAMPLE_RATE_HZ) / 1000
}

/// A sample as 16 bits: full scale is 1.0; what lies above it is clipped, what is no number is silence.
pub fn to_i16(sample: f32) -> i16 {
    (sample.clamp(-1.0, 1.0) * f32::from(i16::MAX)) as i16
}

/// Mono audio with its rate: the result of a synthesis or of reading a recording.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pcm {
    /// Samples in −1.0 ..= 1.0.
    pub samples: Vec<f32>,
    /// Samples a second.
    pub rate_hz: u32,
}

impl Pcm {
    /// Length in whole milliseconds; 0 when the rate is unknown.
    pub fn duration_ms(&self) -> u64 {
        match self.rate_hz {
            0 => 0,
            rate => self.samples.len() as u64 * 1000 / u64::from(rate),
        }
    }
}

/// Short sounds Hark synthesises itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Earcon {
    /// The wake word was heard; Hark listens.
    Wake,
    /// Something was done that needs no words.
    Done,
    /// Something failed or was not understood.
    Error,
    /// A timer, alarm or reminder is due.
    Timer,
}
