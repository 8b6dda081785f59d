//! From text to the speaker: voices, playback ring and callback, earcons.
//!
//! `voice_thread` takes a reply, `phrases` cuts it, a voice makes samples, `resample` brings them to
//! the device's rate, `playback` holds them until the callback of `device` fetches them.

pub mod device;
pub mod earcons;
pub mod error;
pub mod phrases;
pub mod playback;
pub mod resample;
pub mod tap;
pub mod voice_thread;
mod voice_worker;
pub mod voices;
