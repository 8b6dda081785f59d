//! From text to the speaker: voices, playback ring and callback, earcons.
//!
//! `voice_thread` takes a reply, `markdown` takes out what is for the eye, `phrases` cuts it, `normalise` writes its numbers out, a voice makes
//! samples on a thread of its own, `resample` brings them to the device's rate, `playback` holds them
//! until the callback of `device` fetches them.

pub mod device;
pub mod earcons;
pub mod error;
mod language;
mod markdown;
pub mod normalise;
pub mod phrases;
pub mod playback;
mod prepared;
pub mod render;
pub mod resample;
#[cfg(test)]
mod scene;
pub mod tap;
#[cfg(target_os = "linux")]
mod timed;
mod trim;
mod voice_change;
mod voice_maker;
mod voice_player;
pub mod voice_stream;
pub mod voice_thread;
mod voice_worker;
pub mod voices;
