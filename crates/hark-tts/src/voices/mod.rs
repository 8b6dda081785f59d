//! Voices: engines that turn text into samples.

pub mod by_language;
#[cfg(feature = "espeak")]
pub mod espeak;
#[cfg(not(feature = "espeak"))]
#[path = "no_espeak.rs"]
pub mod espeak;
#[cfg(feature = "espeak")]
mod espeak_engine;
pub mod hibari;
pub mod kokoro;
pub mod levelled;
#[cfg(feature = "piper")]
pub mod piper;
#[cfg(feature = "piper")]
mod piper_settings;
#[cfg(test)]
pub(crate) mod test_speech;

/// A voice as espeak-ng lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EspeakVoice {
    /// Name for people: `English (America)`.
    pub name: String,
    /// Language tags it speaks, the main one first: `en-us`.
    pub languages: Vec<String>,
    /// Its file below the data directory: `gmw/en-US`.
    pub identifier: String,
}

/// Half of the processors, for the other half listens meanwhile; more than four do not help.
fn neural_threads() -> usize {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    (all / 2).clamp(1, 4)
}
