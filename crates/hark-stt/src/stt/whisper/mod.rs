//! Whisper: open-vocabulary recognition with whisper.cpp.
//!
//! `recogniser` implements the trait; it puts sound into `decode_queue`, from which the thread `hark-whisper` takes windows
//! to decode. `agreement` finds the stable words of partials, `window` fits Whisper's thirty seconds to the utterance,
//! `prompt` gives it the home's names, `text` turns its text into words, `hallucination` rejects invented text. `decoder`
//! is the interface of a model; the only implementation is whisper.cpp (`cpp`), behind the cargo feature `whisper`, after
//! `model_file` has checked its model. All `unsafe` code is in `cpp`.

mod agreement;
#[cfg(feature = "whisper")]
mod cpp;
mod decode_queue;
mod decoder;
mod error;
mod hallucination;
mod model_file;
#[cfg(any(test, feature = "whisper"))]
mod prompt;
#[cfg(test)]
mod real_tests;
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
pub use hallucination::HallucinationLimits;
pub use model_file::{Header, check as check_model};
pub use recogniser::{PartialMode, WhisperRecogniser, WhisperSettings};

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
