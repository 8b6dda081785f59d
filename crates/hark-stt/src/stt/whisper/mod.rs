//! Whisper: open-vocabulary recognition with whisper.cpp.
//!
//! `recogniser` is what the ear sees; it puts sound on a `desk` from which a thread of its own takes
//! windows to decode. `agreement` finds the settled words of partials, `window` fits Whisper's thirty
//! seconds to the utterance, `prompt` tells it the home's names, `text` makes words of what it writes,
//! `guards` keep it from making words up. `decoder` is what a model must do; the only one is
//! whisper.cpp (`cpp`), behind the cargo feature `whisper`, after `file` looked its model through. All
//! `unsafe` code is in `cpp`.

mod agreement;
#[cfg(feature = "whisper")]
mod cpp;
mod decoder;
mod desk;
mod error;
mod file;
mod guards;
#[cfg(any(test, feature = "whisper"))]
mod prompt;
mod recogniser;
#[cfg(test)]
mod recogniser_tests;
#[cfg(test)]
mod stub_tests;
#[cfg(test)]
pub(crate) mod test_models;
#[cfg(test)]
pub(crate) mod testing;
mod text;
#[cfg(any(test, feature = "whisper"))]
mod window;

pub use decoder::{Decoded, Decoder, Purpose};
pub use error::WhisperError;
pub use file::{Header, check as check_model};
pub use guards::Guards;
pub use recogniser::{Pace, WhisperRecogniser, WhisperSettings};

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Loads a model; `interrupt` stops a decode under way.
#[cfg(feature = "whisper")]
fn open(settings: &WhisperSettings, interrupt: Arc<AtomicBool>) -> Result<Box<dyn Decoder>, WhisperError> {
    Ok(Box::new(cpp::WhisperCpp::load(settings, interrupt)?))
}

/// There is nothing to load a model with.
#[cfg(not(feature = "whisper"))]
fn open(_settings: &WhisperSettings, _interrupt: Arc<AtomicBool>) -> Result<Box<dyn Decoder>, WhisperError> {
    Err(WhisperError::NotBuilt)
}
