//! Sections of what Hark hears: devices, echo cancellation, wake words, recognition, the end of a request, interruptions.

pub mod audio;
pub mod barge_in;
pub mod echo;
pub mod endpoint;
pub mod speakers;
pub mod stt;
pub mod vad;
pub mod wake;
