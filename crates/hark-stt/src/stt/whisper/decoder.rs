//! The interface of a Whisper model: text for a window of sound, interruptible.

use super::error::WhisperError;

/// In place of a code: a language that is not spoken in this home.
pub const UNKNOWN_LANGUAGE: &str = "unknown";

/// What one decode of a window gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decoded {
    /// Written text, with capitals and punctuation; empty when the model wrote none.
    pub text: String,
    /// Mean natural logarithm of the probabilities of the text's tokens; 0.0 when there are none.
    pub mean_log_probability: f32,
    /// No-speech probability, 0.0 ..= 1.0; 0.0 when it was not asked for.
    pub no_speech: f32,
    /// ISO 639-1 code, or `UNKNOWN_LANGUAGE`.
    pub language: String,
    /// Whether the model ended the text itself rather than being stopped.
    pub ended: bool,
}

/// What a decode is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Words so far.
    Partial,
    /// The utterance's last word: everything a guard needs.
    Last,
}

/// A model. It belongs to the decoding thread; the flag it was made with interrupts it.
pub trait Decoder: Send {
    /// Decodes mono samples at 16 kHz, any number of them; `None` when it was interrupted.
    ///
    /// # Errors
    /// When the model fails.
    fn decode(&mut self, samples: &[f32], purpose: Purpose) -> Result<Option<Decoded>, WhisperError>;
}
