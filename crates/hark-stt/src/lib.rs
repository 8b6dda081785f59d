//! From microphone sound to words: capture, resampling, echo cancellation, voice activity, wake word, endpointing,
//! recognition. [`pipeline::AudioPipeline`] joins them and runs on the thread `hark-pipeline`; recognisers have threads of
//! their own.
//!
//! Where to look: [`wake`] (wake words and their threshold), [`endpoint`] (end of a request), [`endpoint::likelihood`] (how
//! likely a speaker goes on), `pipeline/barge_in.rs` (speech over Hark's own output), [`stt::grammar`] (decoding graph, Viterbi search, forced alignment),
//! [`stt::moonshine`] (Moonshine: prefix tree, beam search), [`stt::whisper`], [`speaker`] (whose voice it is).
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

mod audio_history;
mod auto_gain;
mod barge_in_detector;
pub mod capture;
pub mod echo;
pub mod endpoint;
pub mod pipeline;
pub mod recording;
#[cfg(test)]
pub(crate) mod scripted;
mod silence_detector;
pub mod speaker;
pub mod stt;
#[cfg(test)]
pub(crate) mod testing;
pub mod vad;
pub mod wake;

// By this name the program's tests know the crate, too.
#[cfg(test)]
extern crate self as hark_stt;

use hark_core::{Endpoint, Fault, Transcript, Words};

/// What the audio pipeline reports.
#[derive(Debug, Clone, PartialEq)]
pub enum HearingEvent {
    /// A wake word; the pipeline is listening from here on.
    Wake { word: String, score: f32 },
    /// Something like a wake word.
    WakeRejected { word: String, score: f32, why: String },
    /// Speech began while listening.
    SpeechStarted,
    /// The request is over; `silence_ms` is how long ago its last voiced block was.
    SpeechEnded { endpoint: Endpoint, silence_ms: u64 },
    /// Barge-in: speech without a wake word while barge-in detection is on, since `ago_ms` milliseconds. It is
    /// recognised, and partials, end and transcript follow as for a request. `goes_on`: soon after a request, whose words
    /// its own begin with; barge-in detection may be off then.
    Interruption { ago_ms: u64, goes_on: bool },
    /// At a pause within a request, or at its end: what is known of it, and how long is waited for more. Again when more is
    /// known.
    PauseWeighed { evidence: endpoint::likelihood::Evidence, silence_ms: u64, wait_ms: u64 },
    /// The speaker went on after a pause.
    WentOn,
    /// Words so far.
    Partial(Words),
    /// The sound of the request whose words follow at once, from before its first word to its end: 16 kHz in
    /// −1.0 ..= 1.0. Only where sound is to be kept.
    Sound(Vec<f32>),
    /// The words of the request; the pipeline is back to the wake word.
    Transcript(Transcript),
    /// No speech while listening; the pipeline waits for the wake word again.
    NothingSaid,
    /// A part of the pipeline failed.
    Fault(Fault),
}

/// A report with its place in the sound.
#[derive(Debug, Clone, PartialEq)]
pub struct PositionedEvent {
    /// What.
    pub event: HearingEvent,
    /// Where: 16 kHz samples since the pipeline was made.
    pub position_samples: u64,
}

/// Commands to the audio pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipelineCommand {
    /// Listen without a wake word; give up when no speech begins within the window. `short_answer`: a yes or
    /// no is awaited, so shorter speech counts.
    Listen { window_ms: u64, short_answer: bool },
    /// Switch barge-in detection on or off: report speech without a wake word as an interruption.
    Watch(bool),
    /// The interruption is a request from here on.
    Attend,
    /// Recognise the interruption to its end, but report speech after a pause as a new one.
    Doubt,
    /// Drop the interruption and go on detecting barge-in.
    Dismiss,
    /// A sound of Hark's own lasts this long from now on: it is not the beginning of a request.
    OwnSound { ms: u64 },
    /// Forget the request at hand and wait for the wake word.
    Sleep,
    /// Hear nothing at all, or hear again.
    Mute(bool),
}
