//! From text to the speaker: voices, playback ring and callback, earcons.

pub mod error;
pub mod voices;
