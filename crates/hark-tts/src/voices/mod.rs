//! Voices: engines that turn text into samples.

pub mod espeak;
mod espeak_engine;
#[cfg(feature = "piper")]
pub mod piper;
#[cfg(feature = "piper")]
mod piper_settings;
