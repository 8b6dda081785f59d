//! Threads and devices of sound: microphone, listening, speaker, and what they share.

pub mod arbitration;
pub mod detached_close;
pub mod device_backoff;
pub mod echo_feed;
pub mod engines;
pub mod loudspeaker_supervisor;
pub mod microphone_source;
pub mod pipeline_factory;
pub mod pipeline_thread;
pub mod recogniser;
pub mod remote_microphone;
pub(crate) mod sound_meter;
pub mod speakers;
pub mod voice_parts;
pub mod voices;
pub(crate) mod wake_training;

/// Whisper models without weights.
#[cfg(test)]
#[cfg(feature = "whisper")]
#[path = "../../../crates/hark-stt/src/stt/whisper/test_models.rs"]
mod test_models;
