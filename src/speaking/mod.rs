//! From text to the speaker: voices, playback ring and callback, earcons.

pub mod device;
pub mod earcons;
pub mod error;
pub mod phrases;
pub mod playback;
pub mod resample;
pub mod voice_thread;
mod voice_worker;
pub mod voices;
