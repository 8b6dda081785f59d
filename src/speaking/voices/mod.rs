//! Voices: engines that turn text into samples.

pub mod espeak;
mod espeak_engine;
