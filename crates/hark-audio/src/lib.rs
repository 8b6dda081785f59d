//! What capture and playback share: the resampler, and devices of a sound server; and how loud the machine is. Hark reads and feeds those by the clock,
//! because a server's own callbacks come in bursts, each on a thread of its own. Linux only; elsewhere the devices are
//! cpal's.
//!
//! ```
//! # #[cfg(target_os = "linux")]
//! # {
//! use hark_audio::server;
//!
//! // A device that is not there is no error: cpal may try.
//! let format = cpal::SupportedStreamConfig::new(1, 48_000, cpal::SupportedBufferSize::Unknown, cpal::SampleFormat::F32);
//! let times = (std::time::Duration::from_millis(10), std::time::Duration::from_millis(40));
//! assert!(server::open("no such device", alsa::Direction::Playback, format, times).is_none());
//! # }
//! ```

#[cfg(target_os = "linux")]
pub mod mixer;
pub mod resample;
#[cfg(target_os = "linux")]
pub mod server;

/// The factor for amplitudes that so many decibels are: 1.0 for 0 dB, 0.1 for −20 dB.
pub fn amplitude_of_db(db: f32) -> f32 {
    10.0_f32.powf(db / 20.0)
}
