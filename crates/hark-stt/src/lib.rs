//! From the microphone to words: capture, resampling, echo cancellation, voice activity, wake word, end of a request,
//! recognition. [`ear::Ear`] joins them and runs on a thread of the program; recognisers have threads of their own.
//!
//! ```
//! use hark_stt::capture::capture_ring;
//!
//! // A device of two channels at 48 kHz; the newest second is kept.
//! let (mut writer, mut reader) = capture_ring(48_000, 2, 1000)?;
//! writer.push(&[0.25_f32; 9600]);
//! let mut sound = Vec::new();
//! reader.read(&mut sound);
//! assert!((1400..=1600).contains(&sound.len()), "a tenth of a second at 16 kHz, less what the filter holds back");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod capture;
pub mod ear;
pub mod echo;
pub mod endpoint;
mod history;
mod quiet;
pub mod recording;
pub mod resample;
#[cfg(test)]
pub(crate) mod scripted;
pub mod stt;
#[cfg(test)]
pub(crate) mod testing;
pub mod vad;
pub mod wake;
mod watch;

// By this name the program's tests know the crate, too.
#[cfg(test)]
extern crate self as hark_stt;

use hark_core::{Endpoint, Fault, Transcript, Words};

/// What the ear reports.
#[derive(Debug, Clone, PartialEq)]
pub enum HearingEvent {
    /// A wake word; the ear is listening from here on.
    Wake { word: String, score: f32 },
    /// Something like a wake word.
    WakeRejected { word: String, score: f32, why: String },
    /// Speech began while listening.
    SpeechStarted,
    /// The request is over; `silence_ms` is how long ago its last voiced block was.
    SpeechEnded { endpoint: Endpoint, silence_ms: u64 },
    /// Somebody speaks while the ear watches for it, from `ago_ms` milliseconds ago on; what follows
    /// is recognised, and partials, end and transcript come as of a request.
    Interruption { ago_ms: u64 },
    /// Words so far.
    Partial(Words),
    /// The sound of the request whose words follow at once, from before its first word to its end: 16 kHz in
    /// −1.0 ..= 1.0. Only where sound is to be kept.
    Sound(Vec<f32>),
    /// The words of the request; the ear is back to the wake word.
    Transcript(Transcript),
    /// Nobody spoke while listening; the ear is back to the wake word.
    NothingSaid,
    /// A part of the ear failed.
    Fault(Fault),
}

/// A report with its place in the sound.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// What.
    pub event: HearingEvent,
    /// Where: 16 kHz samples since the ear was made.
    pub position_samples: u64,
}

/// Orders to the ear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarCommand {
    /// Listen without a wake word; give up when nobody speaks within the window. `short_answer`: a yes or
    /// no is awaited, so shorter speech counts.
    Listen { window_ms: u64, short_answer: bool },
    /// Tell of speech from now on without a wake word, as an interruption; or no longer.
    Watch(bool),
    /// The interruption is a request from here on.
    Attend,
    /// Hear the interruption to its end, but take whoever speaks after a pause for another one.
    Doubt,
    /// Forget the interruption and watch on.
    Dismiss,
    /// A sound of Hark's own lasts this long from now on: it is not the beginning of a request.
    OwnSound { ms: u64 },
    /// Forget the request at hand and wait for the wake word.
    Sleep,
    /// Hear nothing at all, or hear again.
    Mute(bool),
}
