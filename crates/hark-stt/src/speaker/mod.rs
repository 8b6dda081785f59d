//! Who speaks: an embedding of the voice of an utterance ([`VoiceEncoder`]), compared with those of the people whose
//! voices were enrolled ([`who`]). The audio pipeline asks for it through [`WhoSpeaks`], which runs on a thread of its own.

mod matching;
mod windows;

use hark_core::{Fault, SpeakerGuess};
use hark_models::onnx::{OnnxError, OnnxRuntime};
use hark_models::speaker_encoder::SpeakerEncoder;
pub use matching::{likelihood_of, nearest, profiles, similarity, who};
use std::path::Path;
use std::time::Duration;
use windows::Windows;

/// Tells the voice of an utterance in numbers.
pub struct VoiceEncoder {
    windows: Windows,
    encoder: SpeakerEncoder,
}

impl VoiceEncoder {
    /// Loads the model, 3 MB.
    ///
    /// # Errors
    /// When the file is missing or no model, or has other inputs or outputs.
    pub fn load(runtime: OnnxRuntime, model: &Path) -> Result<Self, OnnxError> {
        Ok(Self { windows: Windows::default(), encoder: SpeakerEncoder::load(runtime, model)? })
    }

    /// The embedding of a voice: `hark_core::speaker::EMBEDDING_NUMBERS` numbers, length 1. `None` when less than 0.6
    /// seconds of speech are in the sound (16 kHz mono in −1.0 ..= 1.0). Takes some 15 ms.
    ///
    /// # Errors
    /// When the model fails.
    pub fn embed(&mut self, sound: &[f32]) -> Result<Option<Vec<f32>>, OnnxError> {
        self.windows.of(sound).map(|windows| self.encoder.embed(&windows)).transpose()
    }
}

/// Finds out who said an utterance, beside the pipeline.
pub trait WhoSpeaks: Send {
    /// The utterance may be over: this is its sound so far. Begins to find out whose voice it is; what was begun before
    /// counts no more.
    fn listen(&mut self, sound: Vec<f32>);

    /// Whose voice `listen` heard last, waiting for it at most so long; `None` when nobody is known by it.
    ///
    /// # Errors
    /// When the model or the store fails.
    fn guess(&mut self, at_most: Duration) -> Result<Option<SpeakerGuess>, Fault>;

    /// The sound of the whole utterance, for whoever wants to enrol the voice.
    fn heard(&mut self, sound: &[f32]);
}
